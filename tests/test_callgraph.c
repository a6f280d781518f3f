/* Calls in, the functions they reach out; functions handed on through parameters and tables. */
#include "analyzer/facts/model.h"
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const char *name_of(const Lint *lint, FunctionId id)
{
    return id == 0
               ? ""
               : intern_text(lint->program->names, program_function_data(lint->program, id)->name);
}

static void reaches(Lint lint, const char *caller, const char *call, const char *expected)
{
    FunctionId function = lint_function(&lint, caller);
    FunctionId target = facts_call_target(lint.facts, function, lint_node(&lint, function, call));
    assert_string_equal(name_of(&lint, target), expected);
    lint_free(&lint);
}

/* Names of the functions that may be called there, sorted by nothing: as found. */
static void may_reach(Lint lint, const char *caller, const char *call, const char *expected)
{
    FunctionId function = lint_function(&lint, caller);
    const Unit *unit = program_function_unit(lint.program, function);
    Text text = {0};
    for (uint32_t at = callgraph_candidates(lint.facts, unit, lint_node(&lint, function, call));
         at != 0; at = lint.facts->candidates.items[at].next)
        text_printf(&text, "%s ", name_of(&lint, lint.facts->candidates.items[at].function));
    assert_string_equal(text_string(&text), expected);
    text_free(&text);
    lint_free(&lint);
}

static bool is_reached(const Lint *lint, const char *name)
{
    return lint->facts->functions[lint_function(lint, name)].reached;
}

static void a_direct_call_reaches_its_function(void **state)
{
    (void)state;
    reaches(lint_c("int g(int a) { return a; }\nint f(int a) { return g(a); }\n"), "f", "g(a)",
            "g");
    reaches(lint_python("def g(a):\n    return a\ndef f(a):\n    return g(a)\n"), "f", "g(a)", "g");
}

static void a_call_of_a_library_function_reaches_none(void **state)
{
    (void)state;
    reaches(lint_c("#include <stdlib.h>\nvoid f(int n) { free(malloc(n)); }\n"), "f", "malloc(n)",
            "");
    reaches(lint_python("def f(n):\n    return np.zeros(n)\n"), "f", "np.zeros(n)", "");
}

static void the_one_function_that_is_passed_for_a_parameter_is_called(void **state)
{
    (void)state;
    reaches(lint_python("@njit\ndef gap(a):\n    return a\n"
                        "@njit\ndef apply(fn, a):\n    return fn(a)\n"
                        "@njit\ndef f(a):\n    return apply(gap, a)\n"),
            "apply", "fn(a)", "gap");
    reaches(lint_python("@njit\ndef gap(a):\n    return a\n"
                        "@njit\ndef apply(a, fn):\n    return fn(a)\n"
                        "@njit\ndef f(a):\n    return apply(fn=gap, a=a)\n"),
            "apply", "fn(a)", "gap");
    reaches(lint_c("static int gap(int a) { return a; }\n"
                   "static int apply(int (*fn)(int), int a) { return fn(a); }\n"
                   "int f(int a) { return apply(gap, a); }\n"),
            "apply", "fn(a)", "gap");
}

static void a_parameter_that_is_handed_on_carries_its_function(void **state)
{
    (void)state;
    reaches(lint_python("@njit\ndef gap(a):\n    return a\n"
                        "@njit\ndef inner(fn, a):\n    return fn(a)\n"
                        "@njit\ndef outer(fn, a):\n    return inner(fn, a)\n"
                        "@njit\ndef f(a):\n    return outer(gap, a)\n"),
            "inner", "fn(a)", "gap");
}

static void of_several_functions_none_is_the_one_but_all_are_candidates(void **state)
{
    (void)state;
    static const char text[] =
        "@njit\ndef one(a):\n    return a\n@njit\ndef two(a):\n    return a\n"
        "@njit\ndef apply(fn, a):\n    return fn(a)\n"
        "@njit\ndef f(a):\n    return apply(one, a) + apply(two, a)\n";
    reaches(lint_python(text), "apply", "fn(a)", "");
    may_reach(lint_python(text), "apply", "fn(a)", "two one ");
}

static void a_table_of_functions_hands_over_all_of_them(void **state)
{
    (void)state;
    may_reach(lint_python("@njit\ndef one(a):\n    return a\n@njit\ndef two(a):\n    return a\n"
                          "@njit\ndef apply(fns, k, a):\n    return fns[k](a)\n"
                          "def f(a):\n    return apply((one, two), 0, a)\n"),
              "apply", "fns[k](a)", "two one ");
    may_reach(lint_python("@njit\ndef one(a):\n    return a\n@njit\ndef two(a):\n    return a\n"
                          "@njit\ndef apply(fns, k, a):\n    return fns[k](a)\n"
                          "def f(a):\n    table = [one, two]\n    return apply(table, 0, a)\n"),
              "apply", "fns[k](a)", "two one ");
}

static void a_function_that_nobody_passes_has_no_candidates(void **state)
{
    (void)state;
    may_reach(lint_python("@njit\ndef apply(fn, a):\n    return fn(a)\n"), "apply", "fn(a)", "");
    may_reach(lint_python("@njit\ndef apply(fn, a):\n    return fn(a)\n"
                          "def f(x, a):\n    return apply(x[0], a)\n"),
              "apply", "fn(a)", "");
}

static void only_what_a_construct_calls_is_reached(void **state)
{
    (void)state;
    Lint lint = lint_c("static void deep(void) {}\nstatic void inside(void) { deep(); }\n"
                       "static void before(void) {}\nstatic void unused(void) { inside(); }\n"
                       "void f(long n) { before();\n#pragma omp parallel for\n"
                       "for (long i = 0; i < n; i++) inside();\n(void)unused; }\n");
    assert_true(is_reached(&lint, "inside") && is_reached(&lint, "deep"));
    assert_false(is_reached(&lint, "before") || is_reached(&lint, "unused"));
    assert_true(lint.facts->functions[lint_function(&lint, "f")].parallel);
    assert_false(lint.facts->functions[lint_function(&lint, "inside")].parallel);
    lint_free(&lint);
}

static void started_functions_are_reached(void **state)
{
    (void)state;
    Lint lint = lint_c("#include <pthread.h>\n#include <threads.h>\nstatic void deep(void) {}\n"
                       "static void *work(void *p) { deep(); return p; }\n"
                       "static int other(void *p) { (void)p; return 0; }\n"
                       "void f(pthread_t *a, thrd_t *b) { pthread_create(a, 0, work, 0);\n"
                       "thrd_create(b, other, 0); }\n");
    assert_true(is_reached(&lint, "work") && is_reached(&lint, "deep") &&
                is_reached(&lint, "other"));
    lint_free(&lint);
}

static void a_function_passed_to_a_helper_inside_a_construct_is_reached(void **state)
{
    (void)state;
    Lint lint = lint_python("@njit\ndef gap(a):\n    return a\n"
                            "@njit\ndef apply(fn, a):\n    return fn(a)\n"
                            "@njit(parallel=True)\ndef f(x, n):\n    for i in prange(n):\n"
                            "        x[i] = apply(gap, x[i])\n");
    assert_true(is_reached(&lint, "apply") && is_reached(&lint, "gap"));
    lint_free(&lint);
}

static void callees_come_first_in_the_order(void **state)
{
    (void)state;
    Lint lint = lint_c("void c(void);\nvoid b(void);\nvoid a(void) { b(); c(); }\n"
                       "void b(void) { c(); }\nvoid c(void) {}\n"
                       "void f(long n) {\n#pragma omp parallel for\n"
                       "for (long i = 0; i < n; i++) a();\n}\n");
    Text text = {0};
    for (uint32_t i = 0; i < lint.facts->order.count; i++)
        text_printf(&text, "%s ", name_of(&lint, lint.facts->order.items[i]));
    assert_string_equal(text_string(&text), "c b a f ");
    text_free(&text);
    lint_free(&lint);
}

static void a_circle_of_calls_ends_and_is_told(void **state)
{
    (void)state;
    Lint lint = lint_c("void b(int k);\nvoid a(int k) { if (k) b(k - 1); }\n"
                       "void b(int k) { if (k) a(k - 1); }\n"
                       "void f(long n) {\n#pragma omp parallel for\n"
                       "for (long i = 0; i < n; i++) a(3);\n}\n");
    assert_true(is_reached(&lint, "a") && is_reached(&lint, "b"));
    assert_true(lint.facts->functions[lint_function(&lint, "a")].recursive);
    assert_int_equal(lint.facts->order.count, 3);
    lint_free(&lint);
}

static void a_chain_of_many_calls_does_not_end_the_program(void **state)
{
    (void)state;
    Text text = {0};
    text_puts(&text, "static void g0(void) {}\n");
    for (int i = 1; i < 4000; i++)
        text_printf(&text, "static void g%d(void) { g%d(); }\n", i, i - 1);
    text_puts(&text, "void f(long n) {\n#pragma omp parallel for\n"
                     "for (long i = 0; i < n; i++) g3999();\n}\n");
    Lint lint = lint_c(text_string(&text));
    assert_true(is_reached(&lint, "g0"));
    lint_free(&lint);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_direct_call_reaches_its_function),
        cmocka_unit_test(a_call_of_a_library_function_reaches_none),
        cmocka_unit_test(the_one_function_that_is_passed_for_a_parameter_is_called),
        cmocka_unit_test(a_parameter_that_is_handed_on_carries_its_function),
        cmocka_unit_test(of_several_functions_none_is_the_one_but_all_are_candidates),
        cmocka_unit_test(a_table_of_functions_hands_over_all_of_them),
        cmocka_unit_test(a_function_that_nobody_passes_has_no_candidates),
        cmocka_unit_test(only_what_a_construct_calls_is_reached),
        cmocka_unit_test(started_functions_are_reached),
        cmocka_unit_test(a_function_passed_to_a_helper_inside_a_construct_is_reached),
        cmocka_unit_test(callees_come_first_in_the_order),
        cmocka_unit_test(a_circle_of_calls_ends_and_is_told),
        cmocka_unit_test(a_chain_of_many_calls_does_not_end_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
