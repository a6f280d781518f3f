/* Extents, launches and bounds of work: how long loops are, and from where teams are started. */
#include "analyzer/facts/launch.h"
#include "analyzer/number/bound.h"
#include "lint.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The first loop of a function that is dealt out. */
static AstNode parallel_loop(const Lint *lint, FunctionId function, const Unit **unit)
{
    *unit = program_function_unit(lint->program, function);
    const Ast *ast = (*unit)->ast;
    FOR_EACH_NODE (ast, node, program_function_data(lint->program, function)->node)
        if (ast_kind(ast, node) == AST_LOOP && ast_at(ast, node)->value.loop.run == RUN_PARALLEL)
            return node;
    fail_msg("no parallel loop");
    return 0;
}

static double most_trips(const char *text)
{
    Lint lint = lint_c(text);
    const Unit *unit;
    AstNode loop = parallel_loop(&lint, lint_function(&lint, "f"), &unit);
    double most = extent_trips(lint.facts, NULL, unit, loop).high;
    lint_free(&lint);
    return most;
}

#define PARALLEL "\n#pragma omp parallel for\n"

static void trips_are_bounded_by_constants_minima_and_remainders(void **state)
{
    (void)state;
    assert_true(most_trips("void f(float *x) {" PARALLEL
                           "for (int i = 2; i < 10; i += 2) x[i] = 0; }") == 4);
    assert_true(most_trips("void f(float *x, int n) { int m = n < 8 ? 6 : 8;" PARALLEL
                           "for (int i = 0; i < m; i++) x[i] = 0; }") == 8);
    assert_true(most_trips("void f(float *x, int n) {" PARALLEL
                           "for (int i = 0; i < (n & 7); i++) x[i] = 0; }") == 7);
    assert_true(most_trips("void f(float *x, long n) {" PARALLEL
                           "for (long i = n; i < n + 3; i++) x[i] = 0; }") == 3);
}

static void a_declared_array_bounds_the_loop_over_it(void **state)
{
    (void)state;
    assert_true(most_trips("float t[16]; void f(int n) {" PARALLEL
                           "for (int i = 0; i < n; i++) t[i] = 0; }") == 16);
    assert_true(isinf(most_trips("float t[16]; void f(float *x, int n) {" PARALLEL
                                 "for (int i = 0; i < n; i++) if (i < 3) t[i] = x[i]; }")));
}

static void what_may_be_set_elsewhere_is_unknown(void **state)
{
    (void)state;
    assert_true(isinf(most_trips("int n = 16; void f(float *x) {" PARALLEL
                                 "for (int i = 0; i < n; i++) x[i] = 0; }")));
    assert_true(isinf(most_trips("void g(int *); void f(float *x) { int n = 16; g(&n);" PARALLEL
                                 "for (int i = 0; i < n; i++) x[i] = 0; }")));
    assert_true(isinf(most_trips("void f(float *x, int n) {" PARALLEL
                                 "for (int i = 0; i < n; i++) x[i] = 0; }")));
}

/* Launches of the only construct that starts a team. */
static Launches launches(const Lint *lint)
{
    LaunchIndex index = facts_launch_index(lint->facts, lint->arena);
    for (uint32_t i = 0; i < index.constructs.count; i++)
        if (index.constructs.items[i].starts)
            return facts_launches(lint->facts, lint->arena, &index, &index.constructs.items[i]);
    return (Launches){0};
}

static uint32_t launch_count(const char *text)
{
    Lint lint = lint_python(text);
    uint32_t count = launches(&lint).count;
    lint_free(&lint);
    return count;
}

#define TOTAL                                                                                      \
    "@njit(parallel=True)\n"                                                                       \
    "def total(x):\n"                                                                              \
    "    s = 0.0\n"                                                                                \
    "    for i in prange(x.shape[0]):\n"                                                           \
    "        s += x[i]\n"                                                                          \
    "    return s\n"

static void a_launch_is_followed_to_the_serial_loops_of_plain_python(void **state)
{
    (void)state;
    assert_int_equal(launch_count(TOTAL "def all(rows):\n    return [total(r) for r in rows]\n"),
                     1);
    assert_int_equal(launch_count(TOTAL "def one(r):\n    return total(r)\n"
                                        "def all(rows):\n    for r in rows:\n        one(r)\n"),
                     1);
    assert_int_equal(launch_count(TOTAL "for k in range(9):\n    total(np.ones(k))\n"), 1);
    assert_int_equal(launch_count(TOTAL "def once(r):\n    return total(r)\n"), 0);
}

static void a_size_test_or_a_serial_twin_ends_the_way(void **state)
{
    (void)state;
    assert_int_equal(launch_count(TOTAL "def all(rows):\n    for r in rows:\n"
                                        "        if len(r) > 9999:\n            total(r)\n"),
                     0);
    assert_int_equal(launch_count(TOTAL
                                  "def one(r):\n    if r.size < 9999:\n        return sum(r)\n"
                                  "    return total(r)\n"
                                  "def all(rows):\n    for r in rows:\n        one(r)\n"),
                     0);
    assert_int_equal(launch_count(TOTAL "def all(rows):\n    for r in rows:\n"
                                        "        if r is not None:\n            total(r)\n"),
                     1);
}

static void recursion_ends(void **state)
{
    (void)state;
    Lint lint = lint_c("void g(float *x, int d);\n"
                       "void f(float *x, int d) {" PARALLEL
                       "for (int i = 0; i < 4; i++) x[i] = 0;\n g(x, d); }\n"
                       "void g(float *x, int d) { for (int k = 0; k < d; k++) f(x, d - 1); }\n");
    Launches all = launches(&lint);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.items[0].loop_count, 1);
    lint_free(&lint);
}

static bool works_on_items(const char *text)
{
    Lint lint = lint_c(text);
    Launches all = launches(&lint);
    assert_int_equal(all.count, 1);
    bool items = all.items[0].items;
    lint_free(&lint);
    return items;
}

#define STEP                                                                                       \
    "static float cell[8][64];\n"                                                                  \
    "static void step(float *to, const float *from) {" PARALLEL                                    \
    "for (int i = 1; i < 63; i++) to[i] = from[i - 1] + from[i + 1]; }\n"

static void two_buffers_in_turn_are_no_items_of_their_own(void **state)
{
    (void)state;
    assert_true(works_on_items(STEP "void all(const float *x) {"
                                    " for (int s = 0; s < 8; s++) step(cell[s], x); }"));
    assert_false(works_on_items(STEP "void all(void) { for (int s = 0; s < 90; s++)"
                                     " step(cell[(s + 1) % 2], cell[s % 2]); }"));
    assert_false(works_on_items(STEP "void all(void) { for (int s = 0; s < 90; s++)"
                                     " step(cell[s & 1], cell[1 - (s & 1)]); }"));
}

static void lengths_come_from_the_arguments_of_the_way(void **state)
{
    (void)state;
    Lint lint = lint_python(TOTAL "def all(source):\n    row = np.empty((64, 3))\n"
                                  "    while source.fill(row):\n        total(row)\n");
    Launches all = launches(&lint);
    const Unit *unit;
    AstNode loop = parallel_loop(&lint, lint_function(&lint, "total"), &unit);
    assert_int_equal(all.count, 1);
    assert_true(extent_trips(lint.facts, all.items[0].chain, unit, loop).high == 64);
    assert_true(isinf(extent_trips(lint.facts, NULL, unit, loop).high));
    lint_free(&lint);
}

static double bound(const char *text)
{
    Lint lint = lint_c(text);
    Machine machine = machine_generic();
    WorkModel *work = work_new(lint.arena, lint.program, &machine, NULL, 0);
    const Unit *unit;
    AstNode loop = parallel_loop(&lint, lint_function(&lint, "f"), &unit);
    double ns = work_bound(work, lint.facts, NULL, unit, loop);
    lint_free(&lint);
    return ns;
}

static void work_is_bounded_where_all_of_it_is_known(void **state)
{
    (void)state;
    double few = bound("void f(float *x) {" PARALLEL "for (int i = 0; i < 4; i++) x[i] /= x[9]; }");
    double more = bound("void f(float *x) {" PARALLEL
                        "for (int i = 0; i < 4; i++) for (int k = 0; k < 5; k++) x[i] /= x[k]; }");
    assert_true(few > 0 && more > 3 * few && more < 1000);
    assert_true(
        isinf(bound("void f(float *x, int n) {" PARALLEL
                    "for (int i = 0; i < 4; i++) for (int k = 0; k < n; k++) x[i] /= 3; }")));
    assert_true(isinf(bound("void g(float *); void f(float *x) {" PARALLEL
                            "for (int i = 0; i < 4; i++) g(x + i); }")));
}

/* Each side has a loop that the model takes for longer than it is; only one of them runs. */
static void sides_of_a_branch_are_not_corrected_twice(void **state)
{
    (void)state;
    double one = bound("float t[4]; void f(float *x, int n, int d) {" PARALLEL
                       "for (int i = 0; i < 4; i++)"
                       " for (int k = 0; k < n; k++) t[k] /= x[i]; }");
    double both = bound("float t[4]; void f(float *x, int n, int d) {" PARALLEL
                        "for (int i = 0; i < 4; i++) if (d)"
                        " for (int k = 0; k < n; k++) t[k] /= x[i]; else"
                        " for (int k = 0; k < n; k++) t[k] /= x[i]; }");
    assert_true(one > 0 && both >= one && both < 2 * one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trips_are_bounded_by_constants_minima_and_remainders),
        cmocka_unit_test(a_declared_array_bounds_the_loop_over_it),
        cmocka_unit_test(what_may_be_set_elsewhere_is_unknown),
        cmocka_unit_test(a_launch_is_followed_to_the_serial_loops_of_plain_python),
        cmocka_unit_test(a_size_test_or_a_serial_twin_ends_the_way),
        cmocka_unit_test(recursion_ends),
        cmocka_unit_test(two_buffers_in_turn_are_no_items_of_their_own),
        cmocka_unit_test(lengths_come_from_the_arguments_of_the_way),
        cmocka_unit_test(work_is_bounded_where_all_of_it_is_known),
        cmocka_unit_test(sides_of_a_branch_are_not_corrected_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
