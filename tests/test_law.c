/* Laws on figures that were made up, so that each is certain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analyzer/measure_law.h"

enum { POINTS = 6 };

static const double WORK[POINTS] = {4, 8, 16, 32, 64, 128};
static const double LITTLE[POINTS] = {0.2, 0.4, 0.8, 1.6, 3.2, 6.4};

/* Each point off by a tenth of `noise` to either side, in turn. */
static Law fit(double (*of)(double x), double noise, int count)
{
    double y[POINTS];
    for (int i = 0; i < count; i++)
        y[i] = of(WORK[i]) * (1 + (i % 2 == 0 ? noise : -noise));
    return law_fit(WORK, y, LITTLE, count);
}

static double always_28(double x)
{
    (void)x;
    return 28;
}

static double three_each(double x)
{
    return 3 * x;
}

static double spread_thin(double x)
{
    return 500 / x;
}

static double both(double x)
{
    return 40 + 3 * x;
}

static double square(double x)
{
    return x * x;
}

static double nothing(double x)
{
    return x * 0.01 - 0.1;
}

static void assert_near(double seen, double wanted, double share)
{
    assert_true(fabs(seen - wanted) <= share * wanted);
}

static void a_constant_is_told_whatever_the_parameter(void **state)
{
    (void)state;
    Law law = fit(always_28, 0.05, POINTS);
    assert_int_equal(law.kind, LAW_CONSTANT);
    assert_near(law.base, 28, 0.01);
    assert_near(law.off[LAW_CONSTANT], 0.05, 0.1);
    assert_true(law.off[LAW_PROPORTIONAL] > 0.5);
}

static void a_multiple_is_told_by_its_slope(void **state)
{
    (void)state;
    Law law = fit(three_each, 0.05, POINTS);
    assert_int_equal(law.kind, LAW_PROPORTIONAL);
    assert_near(law.slope, 3, 0.01);
}

static void an_inverse_is_told_from_a_constant(void **state)
{
    (void)state;
    Law law = fit(spread_thin, 0, POINTS);
    assert_int_equal(law.kind, LAW_INVERSE);
    assert_near(law.slope, 500, 1e-9);
}

static void a_straight_line_has_both_its_figures(void **state)
{
    (void)state;
    Law law = fit(both, 0.02, POINTS);
    assert_int_equal(law.kind, LAW_LINEAR);
    assert_near(law.base, 40, 0.05);
    assert_near(law.slope, 3, 0.05);
    assert_true(law.off[LAW_LINEAR] < 0.04);
}

static void an_exact_line_is_found_exactly(void **state)
{
    (void)state;
    Law law = fit(both, 0, POINTS);
    assert_near(law.base, 40, 1e-9);
    assert_near(law.slope, 3, 1e-9);
    assert_true(law.off[LAW_LINEAR] < 1e-9);
}

static void no_law_is_said_of_what_follows_none(void **state)
{
    (void)state;
    Law law = fit(square, 0, POINTS);
    assert_int_equal(law.kind, LAW_NONE);
    for (int kind = LAW_CONSTANT; kind < LAW_KINDS; kind++)
        assert_true(law.off[kind] > LAW_TOLERANCE);
    assert_int_equal(fit(always_28, 0.3, POINTS).kind, LAW_NONE);
}

static void too_few_points_or_too_near_ones_tell_nothing(void **state)
{
    (void)state;
    const double near_x[] = {4, 5, 6}, y[] = {28, 28, 28}, negligible[] = {1, 1, 1};
    assert_int_equal(fit(always_28, 0, 2).kind, LAW_NONE);
    assert_int_equal(fit(both, 0, 3).kind, LAW_NONE); /* three points make no line certain */
    assert_int_equal(law_fit(near_x, y, negligible, 3).kind, LAW_NONE);
    assert_int_equal(law_fit(NULL, NULL, NULL, 0).kind, LAW_NONE);
}

static void a_cost_that_vanishes_is_nothing_and_one_that_changes_sign_no_law(void **state)
{
    (void)state;
    assert_int_equal(fit(nothing, 0, POINTS).kind, LAW_NOTHING);
    const double y[] = {28, 28, -3, 28}, negligible[] = {1, 1, 1, 1};
    assert_int_equal(law_fit(WORK, y, negligible, 4).kind, LAW_NONE);
    const double broken[] = {28, (double)NAN, 28, 28};
    assert_int_equal(law_fit(WORK, broken, negligible, 4).kind, LAW_NONE);
}

static void assert_words(Law law, const char *unit, const char *wanted)
{
    Text words = {0};
    LawSubject subject = {"work", unit, 4, 128};
    law_words(&law, &subject, &words);
    assert_string_equal(text_string(&words), wanted);
    text_free(&words);
}

static void laws_are_said_with_their_units_range_and_how_far_they_are_off(void **state)
{
    (void)state;
    assert_words(
        fit(always_28, 0, POINTS), "ns of work",
        "28 ns more a piece, whatever work: extra time follows pieces, not work (4 to 128; "
        "all points within 0 %)");
    assert_words(fit(three_each, 0, POINTS), "event",
                 "3 ns more per event: extra time follows work, not pieces (4 to 128; all points "
                 "within 0 %)");
    assert_words(fit(both, 0, POINTS), "ns of work",
                 "40 ns more a piece and 3 ns per ns of work (4 to 128; all points within 0 %)");
    assert_words(fit(nothing, 0, POINTS), "event", "nothing more, whatever work (4 to 128)");
    assert_words(fit(always_28, 0, 2), "event",
                 "no simple law over work: too few points with a cost, or too near to each other");
    Text words = {0};
    Law none = fit(square, 0, POINTS);
    LawSubject subject = {"work", "event", 4, 128};
    law_words(&none, &subject, &words);
    assert_non_null(strstr(text_string(&words), "no simple law over work: a constant is off by"));
    assert_non_null(strstr(text_string(&words), ", a multiple is off by"));
    text_free(&words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_is_told_whatever_the_parameter),
        cmocka_unit_test(a_multiple_is_told_by_its_slope),
        cmocka_unit_test(an_inverse_is_told_from_a_constant),
        cmocka_unit_test(a_straight_line_has_both_its_figures),
        cmocka_unit_test(an_exact_line_is_found_exactly),
        cmocka_unit_test(no_law_is_said_of_what_follows_none),
        cmocka_unit_test(too_few_points_or_too_near_ones_tell_nothing),
        cmocka_unit_test(a_cost_that_vanishes_is_nothing_and_one_that_changes_sign_no_law),
        cmocka_unit_test(laws_are_said_with_their_units_range_and_how_far_they_are_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
