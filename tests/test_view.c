/* The table of forms: a view in an inner loop in, what is left of its count out. */
#include "analyzer/facts/model.h"
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static const char helpers[] =
    "@njit(inline='always')\ndef inlined(u):\n    t = 0.0\n    for k in range(u.shape[0]):\n"
    "        t += u[k]\n    return t\n"
    "@njit(inline='always')\ndef inlined_raise(u):\n    if u[0] < 0:\n        raise ValueError\n"
    "    return u[0]\n"
    "@njit\ndef straight(u):\n    return u[0] * u[1] + u[2]\n"
    "@njit\ndef one_loop(u):\n    t = 0.0\n    for k in range(u.shape[0]):\n        t += u[k]\n"
    "    return t\n"
    "@njit(fastmath=True)\ndef fast_loop(u):\n    t = 0.0\n    for k in range(u.shape[0]):\n"
    "        t += u[k]\n    return t\n"
    "@njit\ndef wrapper(u):\n    return one_loop(u) + 1\n"
    "@njit\ndef two_loops(u):\n    t = 0.0\n    for k in range(u.shape[0]):\n        t += u[k]\n"
    "    for k in range(u.shape[0]):\n        t -= u[k] * u[k]\n    return t\n"
    "@njit\ndef nested(u):\n    t = 0.0\n    for k in range(u.shape[0]):\n"
    "        for m in range(u.shape[0]):\n            t += u[k] * u[m]\n    return t\n"
    "@njit\ndef writes(u):\n    for k in range(u.shape[0]):\n        u[k] = 0.0\n    return u[0]\n"
    "@njit\ndef two_sums(u):\n    return np.sum(u) + np.sum(u)\n"
    "@njit\ndef divides(u, d):\n    t = 0.0\n    for k in range(u.shape[0]):\n        t += u[k] / "
    "d\n"
    "    return t\n"
    "@njit\ndef halves(u):\n    t = 0.0\n    for k in range(u.shape[0]):\n        t += u[k] / 2.0\n"
    "    return t\n"
    "@njit(error_model='numpy')\ndef divides_numpy(u, d):\n    t = 0.0\n"
    "    for k in range(u.shape[0]):\n        t += u[k] / d\n    return t\n"
    "@njit\ndef raises(u):\n    if u[0] < 0:\n        raise ValueError\n    return u[0]\n"
    "@njit\ndef asserts(u):\n    assert u[0] >= 0\n    return u[0]\n"
    "@njit\ndef checks(u, v):\n    if u.shape[0] != v.shape[0]:\n        raise ValueError\n"
    "    t = 0.0\n    for k in range(u.shape[0]):\n        t += u[k] * v[k]\n    return t\n"
    "@njit\ndef allocates(u):\n    t = np.zeros(3)\n    return t[0] + u[0]\n"
    "@njit\ndef whole(x, i, j):\n    t = 0.0\n    for k in range(x.shape[1]):\n"
    "        t += x[i, k] * x[j, k]\n    return t\n";

/* The survival of the view (or element) written `view` in a cell `body` of loops over i and j. */
static ViewUse use_of(const char *body, const char *view)
{
    Text text = {0};
    text_printf(&text,
                "%s@njit(parallel=True)\ndef kernel(x, out, rows, fns, n, m):\n"
                "    for i in prange(x.shape[0]):\n        for j in range(x.shape[1]):\n"
                "%s\n"
                "def run(x, out, n, m):\n    rows = List()\n    for k in range(n):\n"
                "        rows.append(np.zeros((n, 3)))\n"
                "    kernel(np.zeros((n, m)), np.zeros(n), rows, (straight, one_loop), n, m)\n",
                helpers, body);
    Lint lint = lint_python(text_string(&text));
    FunctionId kernel = lint_function(&lint, "kernel");
    ViewUse use = {0};
    if (!view_classify(lint.facts, kernel, lint_node(&lint, kernel, view), &use))
        use.survival = SURVIVES_NOWHERE;
    use.helper = 0;
    use.reason = use.reason == NULL ? "" : strdup(use.reason);
    use.stays.words = use.stays.words == NULL ? "" : strdup(use.stays.words);
    lint_free(&lint);
    text_free(&text);
    return use;
}

typedef struct Form {
    const char *body, *view;
} Form;

static void survive(const Form *forms, size_t count, Survival expected)
{
    static const char *const words[] = {"nowhere", "seldom", "somewhere", "everywhere"};
    for (size_t i = 0; i < count; i++) {
        ViewUse use = use_of(forms[i].body, forms[i].view);
        if (use.survival != expected)
            fail_msg("%s survives %s (%s), not %s", forms[i].body, words[use.survival], use.reason,
                     words[expected]);
        if (use.survival != SURVIVES_NOWHERE) {
            assert_true(use.reason[0] != '\0' && use.stays.words[0] != '\0');
            assert_int_equal(strcmp(use.stays.words, "all") == 0, expected == SURVIVES_EVERYWHERE);
        }
        free((char *)use.reason);
        free((char *)use.stays.words);
    }
}

#define CELL                     "            "
#define SURVIVE(forms, expected) survive(forms, sizeof(forms) / sizeof *(forms), expected)

static void a_view_that_is_used_in_place_leaves_no_count(void **state)
{
    (void)state;
    static const Form forms[] = {
        {CELL "a = x[i]\n" CELL "out[i] += a[j]", "x[i]"},
        {CELL "out[i] += x[i][j]", "x[i]"},
        {CELL "for v in x[i]:\n" CELL "    out[i] += v", "x[i]"},
        {CELL "out[i] += len(x[i])", "x[i]"},
        {CELL "a = x[i]\n" CELL "for k in range(m):\n" CELL "    out[i] += a[k]", "x[i]"},
    };
    SURVIVE(forms, SURVIVES_NOWHERE);
}

static void a_single_reduction_of_a_slice_leaves_no_count(void **state)
{
    (void)state;
    static const Form forms[] = {
        {CELL "out[i] += np.sum(x[i])", "x[i]"},
        {CELL "out[i] += x[i].sum()", "x[i]"},
        {CELL "out[i] += np.searchsorted(x[i], 3.0)", "x[i]"},
        {CELL "out[i] += np.argmax(x[i])", "x[i]"},
        {CELL "out[i] += np.mean(x[i, 0:4])", "x[i, 0:4]"},
        {CELL "out[i] += x[i].argmax()", "x[i]"},
    };
    SURVIVE(forms, SURVIVES_NOWHERE);
}

static void whole_arrays_with_indices_and_scalars_are_no_views(void **state)
{
    (void)state;
    static const Form forms[] = {
        {CELL "out[i] += whole(x, i, j)", "out[i]"},
        {CELL "out[i] += straight((x[i, j], 1.0, 2.0))", "x[i, j]"},
        {CELL "out[i] += x[i, j]", "x[i, j]"},
    };
    SURVIVE(forms, SURVIVES_NOWHERE);
}

static void helpers_that_are_inlined_or_straight_leave_no_count(void **state)
{
    (void)state;
    static const Form forms[] = {
        {CELL "out[i] += inlined(x[i])", "x[i]"},
        {CELL "out[i] += inlined(x[:, j])", "x[:, j]"},
        {CELL "out[i] += straight(x[i])", "x[i]"},
        {CELL "out[i] += straight(x[:, j])", "x[:, j]"},
    };
    SURVIVE(forms, SURVIVES_NOWHERE);
}

static void a_row_for_a_helper_with_one_simple_loop_seldom_leaves_one(void **state)
{
    (void)state;
    static const Form forms[] = {
        {CELL "out[i] += one_loop(x[i])", "x[i]"},
        {CELL "out[i] += halves(x[i])", "x[i]"},
        {CELL "out[i] += divides_numpy(x[i], m)", "x[i]"},
        {CELL "out[i] += checks(x[i], x[j])", "x[i]"},
        {CELL "a = x[i]\n" CELL "out[i] += one_loop(a)", "x[i]"},
        {CELL "out[i] += one_loop(u=x[i])", "x[i]"},
    };
    SURVIVE(forms, SURVIVES_SELDOM);
}

static void the_forms_that_some_targets_keep_say_so(void **state)
{
    (void)state;
    static const Form forms[] = {
        {CELL "out[i] += one_loop(x[:, j])", "x[:, j]"},
        {CELL "out[i] += one_loop(x.T[j])", "x.T[j]"},
        {CELL "out[i] += fast_loop(x[i])", "x[i]"},
        {CELL "out[i] += wrapper(x[i])", "x[i]"},
        {CELL "out[i] += two_loops(x[i])", "x[i]"},
        {CELL "out[i] += nested(x[i])", "x[i]"},
        {CELL "out[i] += writes(x[i])", "x[i]"},
        {CELL "out[i] += two_sums(x[i])", "x[i]"},
        {CELL "out[i] += np.mean(x[i, j:m])", "x[i, j:m]"},
        {CELL "out[i] += np.dot(x[i], x[j])", "x[i]"},
        {CELL "out[i] += np.max(x[i])", "x[i]"},
        {CELL "out[i] += x[i].max()", "x[i]"},
        {CELL "x[i, 0:3] = x[j, 0:3]", "x[j, 0:3]"},
        {CELL "a, b, c = x[i, :3]\n" CELL "out[i] += a + b + c", "x[i, :3]"},
        {CELL "for v in x[i]:\n" CELL "    if v > 3:\n" CELL "        break\n" CELL
              "    out[i] += v",
         "x[i]"},
        {CELL "a = x[i]\n" CELL "for k in range(m):\n" CELL "    if a[k] > 3:\n" CELL
              "        break",
         "x[i]"},
    };
    SURVIVE(forms, SURVIVES_SOMEWHERE);
}

static void helpers_whose_raise_depends_on_data_keep_the_count_everywhere(void **state)
{
    (void)state;
    static const Form forms[] = {
        {CELL "out[i] += divides(x[i], m)", "x[i]"}, {CELL "out[i] += raises(x[i])", "x[i]"},
        {CELL "out[i] += asserts(x[i])", "x[i]"},    {CELL "out[i] += inlined_raise(x[i])", "x[i]"},
        {CELL "out[i] += allocates(x[i])", "x[i]"},  {CELL "out[i] += fns[j](x[i])", "x[i]"},
    };
    SURVIVE(forms, SURVIVES_EVERYWHERE);
}

/* Counted by tests/oracle: 4 on Haswell and Zen, 2 on Skylake, none on plain x86-64. */
static void
a_test_of_the_lengths_of_columns_keeps_the_count_on_most_targets_and_is_no_case_for_inlining(
    void **state)
{
    (void)state;
    ViewUse use = use_of(CELL "out[i] += checks(x[:, j], x[:, i])", "x[:, j]");
    assert_int_equal(use.survival, SURVIVES_SOMEWHERE);
    assert_string_equal(use.stays.words, "most targets");
    assert_true(use.raises);
    free((char *)use.reason);
    free((char *)use.stays.words);
}

static void an_element_of_a_typed_list_is_counted_whatever_is_done_with_it(void **state)
{
    (void)state;
    static const Form forms[] = {
        {CELL "out[i] += rows[j][0, 0]", "rows[j]"},
        {CELL "out[i] += straight(rows[j][0])", "rows[j]"},
        {CELL "r = rows[j]\n" CELL "out[i] += r[0, 0]", "rows[j]"},
        {CELL "out[i] += inlined(rows[j][0])", "rows[j]"},
    };
    SURVIVE(forms, SURVIVES_EVERYWHERE);
    ViewUse use = use_of(CELL "out[i] += rows[j][0, 0]", "rows[j]");
    assert_true(use.element);
    assert_true(use.pairs > 1);
    free((char *)use.reason);
    free((char *)use.stays.words);
}

/* Whether the view has a count left with `helper` and a signature given for x. */
static Survival with_list(const char *made, const char *cell)
{
    Text text = {0};
    text_printf(&text,
                "%s@njit(parallel=True)\ndef kernel(rows, out, n):\n    for i in prange(n):\n"
                "        for j in range(n):\n            %s\n"
                "def run(out, n):\n    rows = %s\n    kernel(rows, out, n)\n",
                helpers, cell, made);
    Lint lint = lint_python(text_string(&text));
    FunctionId kernel = lint_function(&lint, "kernel");
    ViewUse use;
    bool any = view_classify(lint.facts, kernel, lint_node(&lint, kernel, "rows[j]"), &use);
    lint_free(&lint);
    text_free(&text);
    return any ? (Survival)use.survival : SURVIVES_NOWHERE;
}

static void an_element_of_a_reflected_list_counts_only_where_the_helper_can_raise(void **state)
{
    (void)state;
    assert_int_equal(with_list("[np.zeros(3), np.ones(3)]", "out[i] += rows[j][0]"),
                     SURVIVES_NOWHERE);
    assert_int_equal(with_list("[np.zeros(3), np.ones(3)]", "out[i] += one_loop(rows[j])"),
                     SURVIVES_NOWHERE);
    assert_int_equal(with_list("[np.zeros(3), np.ones(3)]", "out[i] += raises(rows[j])"),
                     SURVIVES_EVERYWHERE);
}

static void a_list_of_scalars_has_no_views(void **state)
{
    (void)state;
    assert_int_equal(with_list("List([1.0, 2.0])", "out[i] += rows[j]"), SURVIVES_NOWHERE);
    assert_int_equal(with_list("np.zeros(3)", "out[i] += rows[j]"), SURVIVES_NOWHERE);
}

static void rows_are_contiguous_and_columns_strided(void **state)
{
    (void)state;
    static const struct {
        const char *view;
        bool strided;
    } views[] = {{"x[i]", false},   {"x[i, :]", false},  {"x[i, 1:n]", false},
                 {"x[:, j]", true}, {"x[1:n, j]", true}, {"x.T[j]", true}};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        Text body = {0};
        text_printf(&body, CELL "out[i] += nested(%s)", views[i].view);
        ViewUse use = use_of(text_string(&body), views[i].view);
        if (use.strided != views[i].strided)
            fail_msg("%s", views[i].view);
        free((char *)use.reason);
        free((char *)use.stays.words);
        text_free(&body);
    }
}

static void a_helper_that_is_a_parameter_is_judged_by_all_that_are_passed(void **state)
{
    (void)state;
    static const char text[] =
        "%s@njit(parallel=True)\ndef kernel(x, out, fn):\n"
        "    for i in prange(x.shape[0]):\n"
        "        for j in range(x.shape[1]):\n            out[i] += fn(x[i])\n"
        "def run(x, out):\n%s";
    static const struct {
        const char *run;
        Survival survival;
    } cases[] = {
        {"    kernel(x, out, straight)\n", SURVIVES_NOWHERE},
        {"    kernel(x, out, raises)\n", SURVIVES_EVERYWHERE},
        {"    kernel(x, out, straight)\n    kernel(x, out, raises)\n", SURVIVES_EVERYWHERE},
        {"    pass\n", SURVIVES_SOMEWHERE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text whole = {0};
        text_printf(&whole, text, helpers, cases[i].run);
        Lint lint = lint_python(text_string(&whole));
        FunctionId kernel = lint_function(&lint, "kernel");
        ViewUse use;
        bool any = view_classify(lint.facts, kernel, lint_node(&lint, kernel, "x[i]"), &use);
        assert_int_equal(any ? use.survival : SURVIVES_NOWHERE, cases[i].survival);
        lint_free(&lint);
        text_free(&whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_that_is_used_in_place_leaves_no_count),
        cmocka_unit_test(a_single_reduction_of_a_slice_leaves_no_count),
        cmocka_unit_test(whole_arrays_with_indices_and_scalars_are_no_views),
        cmocka_unit_test(helpers_that_are_inlined_or_straight_leave_no_count),
        cmocka_unit_test(a_row_for_a_helper_with_one_simple_loop_seldom_leaves_one),
        cmocka_unit_test(the_forms_that_some_targets_keep_say_so),
        cmocka_unit_test(helpers_whose_raise_depends_on_data_keep_the_count_everywhere),
        cmocka_unit_test(
            a_test_of_the_lengths_of_columns_keeps_the_count_on_most_targets_and_is_no_case_for_inlining),
        cmocka_unit_test(an_element_of_a_typed_list_is_counted_whatever_is_done_with_it),
        cmocka_unit_test(an_element_of_a_reflected_list_counts_only_where_the_helper_can_raise),
        cmocka_unit_test(a_list_of_scalars_has_no_views),
        cmocka_unit_test(rows_are_contiguous_and_columns_strided),
        cmocka_unit_test(a_helper_that_is_a_parameter_is_judged_by_all_that_are_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
