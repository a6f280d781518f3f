/* A function in, what it is like as a helper out. */
#include "analyzer/facts/model.h"
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* The traits of function g in words. */
static const char *words(const Lint *lint)
{
    const Traits *traits = traits_of(lint->facts, lint_function(lint, "g"));
    Text text = {0};
    const struct {
        bool has;
        const char *word;
    } all[] = {{traits->loops, "loops"},
               {traits->nested, "nested"},
               {traits->several, "several"},
               {traits->writes, "writes"},
               {traits->raises, "raises"},
               {traits->raises_length, "raises-length"},
               {traits->divides, "divides"},
               {traits->allocates, "allocates"},
               {traits->wraps, "wraps"},
               {traits->heavy_library, "heavy"},
               {traits->reductions == 1, "sum"},
               {traits->reductions > 1, "sums"},
               {traits->forwards_allocation, "forwards"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].has)
            text_printf(&text, "%s%s", text.length > 0 ? " " : "", all[i].word);
    const char *result = arena_strdup(lint->arena, text_string(&text));
    text_free(&text);
    return result;
}

static void is_like(Lint lint, const char *text, const char *expected)
{
    const char *found = words(&lint);
    if (strcmp(found, expected) != 0)
        fail_msg("%s\nis like '%s', not '%s'", text, found, expected);
    lint_free(&lint);
}

static void py_is_like(const char *body, const char *expected)
{
    Text text = {0};
    text_printf(
        &text,
        "@njit\ndef loop(u):\n    t = 0.0\n    for k in range(u.shape[0]):\n"
        "        t += u[k]\n    return t\n"
        "@njit\ndef throws(u):\n    if u[0] < 0:\n        raise ValueError\n    return u[0]\n"
        "@njit(inline='always')\ndef inlined(u):\n    t = 0.0\n"
        "    for k in range(u.shape[0]):\n        t += u[k]\n    return t\n"
        "@njit\ndef g(u, v, d):\n%s\n",
        body);
    is_like(lint_python(text_string(&text)), body, expected);
    text_free(&text);
}

static void loops_are_told_apart_by_how_they_stand(void **state)
{
    (void)state;
    py_is_like("    return u[0] * u[1]", "");
    py_is_like("    t = 0.0\n    for k in range(d):\n        t += u[k]\n    return t", "loops");
    py_is_like("    t = 0.0\n    while t < d:\n        t += 1\n    return t", "loops");
    py_is_like("    t = 0.0\n    for k in range(d):\n        for m in range(d):\n"
               "            t += u[k] * u[m]\n    return t",
               "loops nested");
    py_is_like("    t = 0.0\n    for k in range(d):\n        t += u[k]\n    for k in range(d):\n"
               "        t += v[k]\n    return t",
               "loops several");
    py_is_like("    for k in range(d):\n        u[k] = 0.0", "loops writes");
    py_is_like("    u[0] = 1.0", "");
}

static void what_can_raise_by_data_raises(void **state)
{
    (void)state;
    py_is_like("    if u[0] < 0:\n        raise ValueError\n    return u[0]", "raises");
    py_is_like("    assert u[0] > 0\n    return u[0]", "raises");
    py_is_like("    return u[0] / v[0]", "raises divides");
    py_is_like("    return u[0] // d", "raises divides");
    py_is_like("    return u[0] % d", "raises divides");
    py_is_like("    return throws(u)", "raises");
}

static void what_cannot_does_not(void **state)
{
    (void)state;
    py_is_like("    return u[0] / 2.0", "");
    py_is_like("    return u[0] // 4", "");
    py_is_like("    return u[0] * d", "");
    py_is_like("    if u.shape[0] != v.shape[0]:\n        raise ValueError\n    return u[0]",
               "raises-length");
    py_is_like("    assert u.shape[0] == v.shape[0]\n    return u[0]", "raises-length");
}

static void a_division_by_zero_or_under_the_numpy_model(void **state)
{
    (void)state;
    py_is_like("    return u[0] / 0", "raises divides");
    static const char numpy[] = "@njit(error_model='numpy')\ndef g(u, d):\n    return u[0] / d\n";
    is_like(lint_python(numpy), numpy, "");
}

static void allocations_are_told(void **state)
{
    (void)state;
    py_is_like("    t = np.zeros(3)\n    return t[0] + u[0]", "allocates");
    py_is_like("    t = u.copy()\n    return t[0]", "allocates");
    py_is_like("    return (u[:] * v[:])[0]", "allocates");
    py_is_like("    return [u[k] for k in range(d)]", "loops allocates");
}

static void library_routines_are_told(void **state)
{
    (void)state;
    py_is_like("    return np.sum(u)", "sum");
    py_is_like("    return np.sum(u) + u.sum()", "sums");
    py_is_like("    return np.dot(u, v)", "heavy");
    py_is_like("    return len(u)", "");
}

static void handing_on_to_a_loop_wraps_it_and_inlining_takes_it_over(void **state)
{
    (void)state;
    py_is_like("    return loop(u)", "wraps");
    py_is_like("    return inlined(u)", "loops");
}

static void traits_of_a_recursive_function_end(void **state)
{
    (void)state;
    py_is_like("    if d > 0:\n        return g(u, v, d - 1)\n    return u[0]", "");
    static const char two[] =
        "@njit\ndef h(u):\n    return g(u)\n@njit\ndef g(u):\n    return h(u)\n";
    is_like(lint_python(two), two, "");
}

static void c_is_like(const char *text, const char *expected)
{
    Text whole = {0};
    text_printf(&whole, "#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n%s\n", text);
    is_like(lint_c(text_string(&whole)), text, expected);
    text_free(&whole);
}

static void a_c_wrapper_that_only_forwards_an_allocation_is_known(void **state)
{
    (void)state;
    c_is_like("void *g(size_t n) { return malloc(n); }", "allocates forwards");
    c_is_like("void *g(size_t n) { void *p = malloc(n); if (p == NULL) abort(); return p; }",
              "allocates forwards");
    c_is_like("void *g(size_t n) { void *p = malloc(n);\n"
              "if (!p) { fprintf(stderr, \"no memory\"); exit(1); }\nreturn p; }",
              "allocates forwards");
    c_is_like("double *g(size_t n) { return (double *)calloc(n, 8); }", "allocates forwards");
}

static void one_that_does_more_is_not(void **state)
{
    (void)state;
    c_is_like("int *g(size_t n) { int *p = malloc(n); for (size_t i = 0; i < n; i++) p[i] = 1;\n"
              "return p; }",
              "loops writes allocates");
    c_is_like("int g(size_t n) { void *p = malloc(n); free(p); return 0; }", "allocates");
    c_is_like("void *g(void *q, size_t n) { if (n == 0) return q; return malloc(n); }",
              "allocates");
}

static void a_division_in_c_raises_nothing(void **state)
{
    (void)state;
    c_is_like("int g(int a, int b) { return a / b; }", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_told_apart_by_how_they_stand),
        cmocka_unit_test(what_can_raise_by_data_raises),
        cmocka_unit_test(what_cannot_does_not),
        cmocka_unit_test(a_division_by_zero_or_under_the_numpy_model),
        cmocka_unit_test(allocations_are_told),
        cmocka_unit_test(library_routines_are_told),
        cmocka_unit_test(handing_on_to_a_loop_wraps_it_and_inlining_takes_it_over),
        cmocka_unit_test(traits_of_a_recursive_function_end),
        cmocka_unit_test(a_c_wrapper_that_only_forwards_an_allocation_is_known),
        cmocka_unit_test(one_that_does_more_is_not),
        cmocka_unit_test(a_division_in_c_raises_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
