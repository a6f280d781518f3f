/* Arithmetic of linear forms: nothing but numbers in and out. */
#include "analyzer/facts/affine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { I = 101, J, K, L, M, N };

static Affine times(int64_t factor, Sym sym)
{
    return affine_multiply(affine_constant(factor), affine_variable(sym));
}

static Affine plus(Affine left, Affine right)
{
    return affine_add(left, right, 1);
}

static Affine minus(Affine left, Affine right)
{
    return affine_add(left, right, -1);
}

static void is_form(Affine form, int64_t i, int64_t j, int64_t constant)
{
    assert_true(form.exact);
    assert_int_equal(affine_coefficient(&form, I), i);
    assert_int_equal(affine_coefficient(&form, J), j);
    assert_int_equal(form.constant, constant);
    assert_int_equal(affine_depends(&form, I), i != 0);
    assert_int_equal(affine_depends(&form, J), j != 0);
}

static void sums_add_up_by_variable(void **state)
{
    (void)state;
    is_form(plus(times(2, I), plus(affine_variable(J), affine_constant(3))), 2, 1, 3);
    is_form(plus(plus(affine_variable(I), affine_variable(J)), affine_variable(I)), 2, 1, 0);
    is_form(minus(affine_constant(5), times(4, I)), -4, 0, 5);
}

static void what_cancels_is_gone(void **state)
{
    (void)state;
    Affine none = minus(plus(affine_variable(I), affine_variable(J)), affine_variable(I));
    is_form(none, 0, 1, 0);
    assert_int_equal(none.count, 1);
    Affine zero = minus(affine_variable(I), affine_variable(I));
    assert_true(affine_fixed(&zero));
    assert_int_equal(zero.constant, 0);
}

static void a_product_with_a_constant_is_linear_on_either_side(void **state)
{
    (void)state;
    Affine sum = plus(affine_variable(I), affine_constant(2));
    is_form(affine_multiply(sum, affine_constant(8)), 8, 0, 16);
    is_form(affine_multiply(affine_constant(-1), sum), -1, 0, -2);
    Affine none = affine_multiply(sum, affine_constant(0));
    assert_true(affine_fixed(&none));
}

static void a_product_of_variables_depends_on_both_and_is_linear_in_neither(void **state)
{
    (void)state;
    Affine product = affine_multiply(affine_variable(I), affine_variable(J));
    assert_false(product.exact);
    assert_true(affine_depends(&product, I));
    assert_true(affine_depends(&product, J));
    assert_int_equal(affine_coefficient(&product, I), 0);
    Affine square = affine_multiply(affine_variable(I), affine_variable(I));
    assert_false(square.exact);
    assert_true(affine_depends(&square, I));
}

static void a_linear_part_stays_beside_one_that_is_not(void **state)
{
    (void)state;
    Affine bent = affine_mix(affine_variable(J), affine_constant(3));
    Affine form = plus(times(4, I), bent);
    assert_false(form.exact);
    assert_int_equal(affine_coefficient(&form, I), 4);
    assert_int_equal(affine_coefficient(&form, J), 0);
    assert_true(affine_depends(&form, J));
}

static void a_variable_in_a_linear_and_a_bent_part_is_linear_no_more(void **state)
{
    (void)state;
    Affine form = plus(times(4, I), affine_mix(affine_variable(I), affine_constant(7)));
    assert_int_equal(affine_coefficient(&form, I), 0);
    assert_true(affine_depends(&form, I));
    assert_false(form.exact);
}

/* 4*i + (i & 3) - 4*i is not free of i. */
static void a_bent_variable_does_not_cancel(void **state)
{
    (void)state;
    Affine bent = affine_mix(affine_variable(I), affine_constant(3));
    Affine form = minus(bent, bent);
    assert_true(affine_depends(&form, I));
    assert_false(affine_fixed(&form));
}

static void the_unknown_is_not_a_constant_and_makes_nothing_exact(void **state)
{
    (void)state;
    Affine unknown = affine_unknown(), sum = plus(affine_variable(I), affine_unknown());
    assert_false(affine_fixed(&unknown));
    assert_false(sum.exact);
    assert_int_equal(affine_coefficient(&sum, I), 1);
    Affine product = affine_multiply(affine_unknown(), affine_constant(0));
    assert_false(affine_depends(&product, I));
}

static void a_form_with_too_many_variables_is_not_exact(void **state)
{
    (void)state;
    Affine form = affine_constant(0);
    for (Sym sym = I; sym <= N; sym++)
        form = plus(form, affine_variable(sym));
    assert_int_equal(form.count, AFFINE_TERMS);
    assert_false(form.exact);
}

static void forms_are_the_same_only_surely(void **state)
{
    (void)state;
    Affine left = plus(times(2, I), affine_constant(1));
    Affine right = plus(affine_constant(1), times(2, I)), other = plus(left, affine_constant(1));
    Affine unknown = affine_unknown(), bent = affine_mix(affine_variable(I), affine_constant(3));
    assert_true(affine_same(&left, &right));
    assert_false(affine_same(&left, &other));
    assert_false(affine_same(&unknown, &unknown));
    assert_false(affine_same(&bent, &bent));
}

static void a_variable_is_replaced_by_a_form(void **state)
{
    (void)state;
    Affine form = plus(times(3, I), affine_variable(J));
    Affine value = plus(times(2, J), affine_constant(5));
    is_form(affine_replace(form, I, value), 0, 7, 15);
    is_form(affine_replace(form, K, value), 3, 1, 0);
    is_form(affine_replace(form, I, affine_constant(4)), 0, 1, 12);
}

static void replacing_by_something_that_holds_the_variable_itself_works_once(void **state)
{
    (void)state;
    is_form(affine_replace(times(2, I), I, plus(affine_variable(I), affine_constant(1))), 2, 0, 2);
}

static void replacing_a_bent_variable_bends_what_comes(void **state)
{
    (void)state;
    Affine bent = affine_mix(affine_variable(I), affine_constant(7));
    Affine form = affine_replace(bent, I, plus(affine_variable(J), affine_constant(1)));
    assert_true(affine_depends(&form, J));
    assert_false(affine_depends(&form, I));
    assert_int_equal(affine_coefficient(&form, J), 0);
    assert_false(form.exact);
}

static void replacing_by_the_unknown_leaves_the_rest(void **state)
{
    (void)state;
    Affine form = affine_replace(plus(times(8, I), affine_variable(J)), J, affine_unknown());
    assert_false(form.exact);
    assert_int_equal(affine_coefficient(&form, I), 8);
    assert_false(affine_depends(&form, J));
}

static void what_was_loaded_or_folded_stays_so(void **state)
{
    (void)state;
    Affine loaded = affine_variable(I), folded = affine_variable(J);
    loaded.loaded = folded.folded = true;
    Affine sum = plus(loaded, folded);
    assert_true(sum.loaded && sum.folded);
    sum = plus(affine_constant(1), loaded);
    assert_true(sum.loaded && !sum.folded);
    sum = affine_multiply(affine_constant(2), folded);
    assert_true(sum.folded && !sum.loaded);
    sum = affine_multiply(folded, affine_constant(2));
    assert_true(sum.folded);
    sum = affine_mix(loaded, folded);
    assert_true(sum.loaded && sum.folded);
    sum = affine_replace(plus(affine_variable(K), affine_constant(1)), K, loaded);
    assert_true(sum.loaded);
}

static void overflow_is_not_exact(void **state)
{
    (void)state;
    Affine large = affine_constant(INT64_MAX), least = affine_constant(INT64_MIN);
    Affine sum = plus(large, affine_constant(1)), product = affine_multiply(large, large);
    Affine negative = minus(affine_constant(0), least);
    Affine factors = affine_multiply(times(INT64_MAX, I), affine_constant(2));
    Affine twice = plus(times(INT64_MAX, I), times(INT64_MAX, I));
    Affine opposite = minus(affine_constant(0), times(INT64_MIN, I));
    assert_false(sum.exact);
    assert_false(product.exact);
    assert_false(negative.exact);
    assert_false(factors.exact);
    assert_false(twice.exact);
    assert_false(opposite.exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_add_up_by_variable),
        cmocka_unit_test(what_cancels_is_gone),
        cmocka_unit_test(a_product_with_a_constant_is_linear_on_either_side),
        cmocka_unit_test(a_product_of_variables_depends_on_both_and_is_linear_in_neither),
        cmocka_unit_test(a_linear_part_stays_beside_one_that_is_not),
        cmocka_unit_test(a_variable_in_a_linear_and_a_bent_part_is_linear_no_more),
        cmocka_unit_test(a_bent_variable_does_not_cancel),
        cmocka_unit_test(the_unknown_is_not_a_constant_and_makes_nothing_exact),
        cmocka_unit_test(a_form_with_too_many_variables_is_not_exact),
        cmocka_unit_test(forms_are_the_same_only_surely),
        cmocka_unit_test(a_variable_is_replaced_by_a_form),
        cmocka_unit_test(replacing_by_something_that_holds_the_variable_itself_works_once),
        cmocka_unit_test(replacing_a_bent_variable_bends_what_comes),
        cmocka_unit_test(replacing_by_the_unknown_leaves_the_rest),
        cmocka_unit_test(what_was_loaded_or_folded_stays_so),
        cmocka_unit_test(overflow_is_not_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
