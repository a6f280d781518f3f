/* Calls of library functions in, what is known of them out. */
#include "analyzer/facts/library.h"
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* The flags of what the call written so calls; 0 where nothing is known. */
static uint32_t flags_in(Lint lint, const char *call)
{
    FunctionId f = lint_function(&lint, "f");
    const Unit *unit = program_function_unit(lint.program, f);
    AstNode node = lint_node(&lint, f, call);
    while (ast_kind(unit->ast, node) != AST_CALL) /* the name of a builtin spans all of its call */
        node = ast_parent(unit->ast, node);
    const LibraryEntry *entry = library_call(lint.facts, unit, node);
    uint32_t flags = entry == NULL ? 0 : entry->flags;
    lint_free(&lint);
    return flags;
}

static uint32_t c_flags(const char *call)
{
    Text text = {0};
    text_printf(&text,
                "#include <stdlib.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <omp.h>\n"
                "void spin_lock(int *); void spin_unlock(int *); long clock_now(void);\n"
                "void init_lock(int *); int block_size(void); void lock_free(int *);\n"
                "int helper(int); int own(int a) { return a; }\n"
                "void f(int *p, int n, pthread_mutex_t *m) { %s; }\n",
                call);
    uint32_t flags = flags_in(lint_c(text_string(&text)), call);
    text_free(&text);
    return flags;
}

static uint32_t py_flags(const char *call)
{
    Text text = {0};
    text_printf(
        &text, "import numba\nfrom numpy import full as fill\n@njit\ndef f(x, n):\n    %s\n", call);
    uint32_t flags = flags_in(lint_python(text_string(&text)), call);
    text_free(&text);
    return flags;
}

static void c_functions_are_known_by_name(void **state)
{
    (void)state;
    assert_true(c_flags("malloc(n)") & LIB_ALLOC);
    assert_true(c_flags("free(p)") & LIB_FREE);
    assert_true(c_flags("exit(n)") & LIB_EXIT);
    assert_true(c_flags("printf(\"x\")") & LIB_MESSAGE);
    assert_true(c_flags("rand()") & LIB_HIDDEN_STATE);
    assert_true(c_flags("omp_get_thread_num()") & LIB_THREAD_ID);
    assert_true(c_flags("omp_get_num_threads()") & LIB_TEAM_SIZE);
    assert_true(c_flags("pthread_mutex_lock(m)") & LIB_LOCK);
    assert_true(c_flags("pthread_mutex_unlock(m)") & LIB_UNLOCK);
}

static void atomics_are_known_in_all_their_spellings(void **state)
{
    (void)state;
    static const char *const calls[] = {"__sync_fetch_and_add(p, 1)",
                                        "__sync_add_and_fetch(p, 1)",
                                        "__sync_bool_compare_and_swap(p, 1, 2)",
                                        "__atomic_fetch_add(p, 1, 0)",
                                        "__atomic_add_fetch(p, 1, 0)",
                                        "__atomic_exchange_n(p, 1, 0)"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if ((c_flags(calls[i]) & LIB_ATOMIC) == 0)
            fail_msg("%s", calls[i]);
    assert_int_equal(c_flags("__atomic_load_n(p, 0)") & LIB_ATOMIC, 0);
}

static void unknown_functions_named_like_locks_are_locks_and_others_nothing(void **state)
{
    (void)state;
    assert_int_equal(c_flags("spin_lock(p)"), LIB_LOCK | LIB_BY_HABIT);
    assert_int_equal(c_flags("spin_unlock(p)"), LIB_UNLOCK | LIB_BY_HABIT);
    assert_int_equal(c_flags("clock_now()"), 0);
    assert_int_equal(c_flags("init_lock(p)"), 0);
    assert_int_equal(c_flags("block_size()"), 0);
    assert_int_equal(c_flags("lock_free(p)"), 0);
    assert_int_equal(c_flags("helper(n)"), 0);
    assert_int_equal(c_flags("own(n)"), 0);
}

static void a_program_s_own_function_of_a_known_name_is_its_own(void **state)
{
    (void)state;
    assert_int_equal(flags_in(lint_c("static int my_lock(int *p) { return *p; }\n"
                                     "void f(int *p) { my_lock(p); }\n"),
                              "my_lock(p)"),
                     0);
    assert_int_equal(flags_in(lint_c("void *malloc(unsigned long n) { return (void *)n; }\n"
                                     "void f(int n) { malloc(n); }\n"),
                              "malloc(n)"),
                     0);
}

static void numpy_is_known_by_its_full_name(void **state)
{
    (void)state;
    assert_true(py_flags("np.zeros(n)") & LIB_HOISTABLE);
    assert_true(py_flags("np.full(n, 1.0)") & LIB_ALLOC);
    assert_int_equal(py_flags("np.full(n, 1.0)") & LIB_HOISTABLE, 0);
    assert_true(py_flags("fill(n, 1.0)") & LIB_ALLOC);
    assert_true(py_flags("np.sum(x)") & LIB_REDUCES);
    assert_true(py_flags("np.dot(x, x)") & LIB_KEEPS_COUNT);
    assert_true(py_flags("numba.get_thread_id()") & LIB_THREAD_ID);
    assert_int_equal(py_flags("np.nothing_known(x)"), 0);
}

static void methods_are_known_by_name_and_so_are_builtins(void **state)
{
    (void)state;
    assert_true(py_flags("x.copy()") & LIB_ALLOC);
    assert_true(py_flags("x.sum()") & LIB_REDUCES);
    assert_true(py_flags("len(x)") & LIB_REDUCES);
    assert_true(py_flags("List()") & LIB_TYPED_LIST);
    assert_int_equal(py_flags("x.unheard_of()"), 0);
}

static void a_local_of_a_builtins_name_is_no_builtin(void **state)
{
    (void)state;
    assert_int_equal(flags_in(lint_python("@njit\ndef f(len, x):\n    return len(x)\n"), "len(x)"),
                     0);
}

static uint32_t value_in(Lint lint, const char *expression)
{
    FunctionId f = lint_function(&lint, "f");
    uint32_t value = library_thread_value(lint.facts, program_function_unit(lint.program, f),
                                          lint_node(&lint, f, expression));
    lint_free(&lint);
    return value;
}

static void a_wrapper_of_the_thread_id_is_one(void **state)
{
    (void)state;
    static const char head[] =
        "#include <omp.h>\n"
        "static int tid(void) {\n#ifdef _OPENMP\nreturn omp_get_thread_num();\n"
        "#else\nreturn 0;\n#endif\n}\n"
        "static int deep(void) { return tid(); }\n"
        "static int team(void) { return omp_get_max_threads(); }\n"
        "static int none(int a) { return a + 1; }\n"
        "void f(int *a) { a[0] = %s; }\n";
    static const struct {
        const char *text;
        uint32_t value;
    } cases[] = {{"tid()", LIB_THREAD_ID},
                 {"deep()", LIB_THREAD_ID},
                 {"(int)omp_get_thread_num()", LIB_THREAD_ID},
                 {"team()", LIB_TEAM_SIZE},
                 {"none(3)", 0},
                 {"17", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = {0};
        text_printf(&text, head, cases[i].text);
        assert_int_equal(value_in(lint_c(text_string(&text)), cases[i].text), cases[i].value);
        text_free(&text);
    }
}

static void a_wrapper_that_calls_itself_ends(void **state)
{
    (void)state;
    assert_int_equal(value_in(lint_c("static int a(int k);\nstatic int b(int k) { return a(k); }\n"
                                     "static int a(int k) { return b(k); }\n"
                                     "void f(int *p) { p[0] = a(1); }\n"),
                              "a(1)"),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(c_functions_are_known_by_name),
        cmocka_unit_test(atomics_are_known_in_all_their_spellings),
        cmocka_unit_test(unknown_functions_named_like_locks_are_locks_and_others_nothing),
        cmocka_unit_test(a_program_s_own_function_of_a_known_name_is_its_own),
        cmocka_unit_test(numpy_is_known_by_its_full_name),
        cmocka_unit_test(methods_are_known_by_name_and_so_are_builtins),
        cmocka_unit_test(a_local_of_a_builtins_name_is_no_builtin),
        cmocka_unit_test(a_wrapper_of_the_thread_id_is_one),
        cmocka_unit_test(a_wrapper_that_calls_itself_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
