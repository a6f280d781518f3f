/* Assignments in; how often each variable is set, and to what, out. */
#include "analyzer/facts/model.h"
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* The use of the variable that is written `name` in function f. */
static SymbolUse use_of(const Lint *lint, const char *name)
{
    FunctionId f = lint_function(lint, "f");
    const Unit *unit = program_function_unit(lint->program, f);
    AstNode node = lint_node(lint, f, name);
    return lint->facts->uses[unit->id][ast_at(unit->ast, node)->symbol];
}

static const char *value_of(const Lint *lint, SymbolUse use)
{
    return use.value == 0 ? "" : unit_excerpt(lint->program->units[0], use.value, lint->arena, 60);
}

static void c_use(const char *body, uint32_t writes, const char *value)
{
    Text text = {0};
    text_printf(&text, "void keep(long *);\nvoid f(long n) {\n%s\nkeep(0); }\n", body);
    Lint lint = lint_c(text_string(&text));
    SymbolUse use = use_of(&lint, "v");
    if (use.writes != writes || strcmp(value_of(&lint, use), value) != 0)
        fail_msg("%s: %u writes, value '%s'", body, use.writes, value_of(&lint, use));
    lint_free(&lint);
    text_free(&text);
}

static void a_variable_that_is_set_once_has_its_only_value(void **state)
{
    (void)state;
    c_use("long v = n + 1; n = v;", 1, "n + 1");
    c_use("long v; v = 2 * n; n = v;", 1, "2 * n");
    c_use("long v; n = v;", 0, "");
}

static void one_that_is_set_twice_or_stepped_has_none(void **state)
{
    (void)state;
    c_use("long v = n; v = 3; n = v;", 2, "");
    c_use("long v = n; v++; n = v;", 2, "");
    c_use("long v = n; v += n; n = v;", 2, "");
}

static void the_loop_of_an_induction_variable_is_known(void **state)
{
    (void)state;
    Lint lint = lint_c("void f(long n, double *a) { for (long v = 0; v < n; v++) a[v] = 1; }\n");
    SymbolUse use = use_of(&lint, "v");
    assert_int_equal(ast_kind(lint.program->units[0]->ast, use.loop), AST_LOOP);
    assert_int_equal(use.value, 0);
    lint_free(&lint);
    lint = lint_python("@njit\ndef f(n, a):\n    for v in range(n):\n        a[v] = 1\n");
    use = use_of(&lint, "v");
    assert_int_equal(ast_kind(lint.program->units[0]->ast, use.loop), AST_LOOP);
    lint_free(&lint);
}

static void an_address_that_is_taken_is_told(void **state)
{
    (void)state;
    Lint lint = lint_c("void keep(long *);\nvoid f(long n) { long v = n; keep(&v); }\n");
    assert_true(use_of(&lint, "v").address_taken);
    assert_false(use_of(&lint, "n").address_taken);
    lint_free(&lint);
}

static void a_value_that_is_set_under_a_condition_is_told(void **state)
{
    (void)state;
    Lint lint = lint_c("void f(long n, long *a) { long v; if (n) v = 3; a[v] = 1; }\n");
    assert_true(use_of(&lint, "v").condition_value);
    lint_free(&lint);
}

static void tuples_are_taken_apart(void **state)
{
    (void)state;
    Lint lint = lint_python("@njit\ndef f(n):\n    v, w = n + 1, n + 2\n    return v + w\n");
    assert_string_equal(value_of(&lint, use_of(&lint, "w")), "n + 2");
    lint_free(&lint);
    lint = lint_python("@njit\ndef f(x):\n    v, w = x.shape\n    return v + w\n");
    assert_int_equal(use_of(&lint, "w").writes, 1);
    assert_int_equal(use_of(&lint, "w").value, 0);
    lint_free(&lint);
}

static void a_swap_is_told(void **state)
{
    (void)state;
    Lint lint = lint_python("@njit\ndef f(v, w):\n    v, w = w, v\n    return v + w\n");
    assert_int_equal(use_of(&lint, "w").swaps, 1);
    assert_int_equal(use_of(&lint, "w").writes, 1);
    lint_free(&lint);
}

static void thread_ids_and_team_sizes_mark_their_variables(void **state)
{
    (void)state;
    Lint lint = lint_c("#include <omp.h>\nvoid f(long *a) { int v = omp_get_thread_num();\n"
                       "int w = omp_get_num_threads(); int u = 3; a[v] = w + u; }\n");
    assert_true(use_of(&lint, "v").thread);
    assert_false(use_of(&lint, "v").team);
    assert_true(use_of(&lint, "w").team);
    assert_false(use_of(&lint, "u").thread || use_of(&lint, "u").team);
    lint_free(&lint);
}

static void numbas_thread_id_and_team_size_too(void **state)
{
    (void)state;
    Lint lint =
        lint_python("import numba\n@njit\ndef f(a):\n    v = numba.get_thread_id()\n"
                    "    w = numba.get_num_threads()\n    u = numba.config.NUMBA_NUM_THREADS\n"
                    "    a[v] = w + u\n");
    assert_true(use_of(&lint, "v").thread);
    assert_true(use_of(&lint, "w").team);
    assert_true(use_of(&lint, "u").team);
    lint_free(&lint);
}

static void symbol_zero_is_nobodys(void **state)
{
    (void)state;
    Lint lint = lint_c("extern long unknown;\nvoid f(long v) { v = 3; }\n");
    assert_int_equal(lint.facts->uses[0][0].writes, 0);
    lint_free(&lint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_that_is_set_once_has_its_only_value),
        cmocka_unit_test(one_that_is_set_twice_or_stepped_has_none),
        cmocka_unit_test(the_loop_of_an_induction_variable_is_known),
        cmocka_unit_test(an_address_that_is_taken_is_told),
        cmocka_unit_test(a_value_that_is_set_under_a_condition_is_told),
        cmocka_unit_test(tuples_are_taken_apart),
        cmocka_unit_test(a_swap_is_told),
        cmocka_unit_test(thread_ids_and_team_sizes_mark_their_variables),
        cmocka_unit_test(numbas_thread_id_and_team_size_too),
        cmocka_unit_test(symbol_zero_is_nobodys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
