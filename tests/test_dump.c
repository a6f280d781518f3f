/* Whole dumps of small files: the format of --dump tree. */
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void dump_is(Lint lint, const char *expected)
{
    Text text = {0};
    ast_dump(lint.program->units[0], &text);
    if (strcmp(text_string(&text), expected) != 0)
        fail_msg("the dump is\n%s", text_string(&text));
    text_free(&text);
    lint_free(&lint);
}

static void a_parallel_loop_shows_how_it_runs_and_its_clauses(void **state)
{
    (void)state;
    dump_is(lint_c("void f(double *a, long n) {\n"
                   "#pragma omp parallel for schedule(static, 4)\n"
                   "for (long i = 0; i < n; i++)\n"
                   "a[i] = 1.5;\n"
                   "}\n"),
            "module 1:1-6:1\n"
            "  function f 1:1-5:2\n"
            "    block 1:27-5:2\n"
            "      loop counted parallel schedule static 4 2:1-2:45\n"
            "        name i #4 3:11-3:12\n"
            "        int 0 3:15-3:16\n"
            "        name n #3 3:22-3:23\n"
            "        int 1 3:25-3:28\n"
            "        assign = 4:1-4:11\n"
            "          index 4:1-4:5\n"
            "            name a #2 4:1-4:2\n"
            "            name i #4 4:3-4:4\n"
            "          real 1.5 4:8-4:11\n"
            "        clause schedule static 2:43-2:44\n"
            "          int 4 2:43-2:44\n"
            "    param a #2 : pointer64 of real64 1:8-1:17\n"
            "      none\n"
            "    param n #3 : int64 1:19-1:25\n"
            "      none\n");
}

static void a_compiled_function_shows_how_it_is_compiled(void **state)
{
    (void)state;
    dump_is(LINT_FILES({"m.py", "from numba import njit, prange\n"
                                "@njit(parallel=True, fastmath=True)\n"
                                "def f(x):\n"
                                "    s = 0.0\n"
                                "    for i in prange(len(x)):\n"
                                "        s += x[i, 0]\n"
                                "    return s\n"}),
            "module 1:1-8:1\n"
            "  other import 1:1-1:31\n"
            "    name numba.njit #1 1:19-1:23\n"
            "    name numba.prange #2 1:25-1:31\n"
            "  function m.f :compiled :parallel :fastmath 3:1-7:13\n"
            "    block 4:5-7:13\n"
            "      assign = 4:5-4:12\n"
            "        name s #5 4:5-4:6\n"
            "        real 0 4:9-4:12\n"
            "      loop counted parallel 5:5-6:21\n"
            "        name i #6 5:9-5:10\n"
            "        none\n"
            "        call 5:21-5:27\n"
            "          name len 5:21-5:24\n"
            "          name x #4 5:25-5:26\n"
            "        none\n"
            "        block 6:9-6:21\n"
            "          assign + 6:9-6:21\n"
            "            name s #5 6:9-6:10\n"
            "            index 6:14-6:21\n"
            "              name x #4 6:14-6:15\n"
            "              name i #6 6:16-6:17\n"
            "              int 0 6:19-6:20\n"
            "      return 7:5-7:13\n"
            "        name s #5 7:12-7:13\n"
            "    param x #4 3:7-3:8\n"
            "      none\n"
            "    decorator 2:1-2:36\n"
            "      call 2:2-2:36\n"
            "        name numba.njit 2:2-2:6\n"
            "        keyword parallel 2:7-2:20\n"
            "          constant True 2:16-2:20\n"
            "        keyword fastmath 2:22-2:35\n"
            "          constant True 2:31-2:35\n");
}

static void loops_are(Lint lint, const char *expected)
{
    Text text = {0};
    ast_dump_loops(lint.program->units[0], &text);
    assert_non_null(strstr(text_string(&text), expected));
    assert_int_equal(text.length, strlen(expected));
    text_free(&text);
    lint_free(&lint);
}

static void each_loop_under_a_directive_is_told_with_both_lines(void **state)
{
    (void)state;
    loops_are(LINT_FILES({"m.c", "#define EACH _Pragma(\"omp for\")\n"
                                 "void f(double *a, long n) {\n"
                                 "#pragma omp parallel \\\n"
                                 "    for\n"
                                 "/* the rows */\n"
                                 "for (long i = 0; i < n; i++)\n"
                                 "a[i] = 1;\n"
                                 "#pragma omp parallel\n"
                                 "EACH for (long i = 0; i < n; i++)\n"
                                 "a[i] = 2;\n"
                                 "#pragma omp parallel master taskloop\n"
                                 "for (long i = 0; i < n; i++)\n"
                                 "a[i] = 3;\n"
                                 "#pragma omp target parallel for\n"
                                 "for (;;) {}\n"
                                 "for (long i = 0; i < n; i++)\n"
                                 "a[i] = 4;\n"
                                 "}\n"}),
              "m.c:3: parallel, loop at 6\n"
              "m.c:9: workshare, loop at 9\n"
              "m.c:11: workshare, loop at 12\n"
              "m.c:14: offload, loop at 15\n");
}

static void a_directive_without_a_loop_is_not_told(void **state)
{
    (void)state;
    loops_are(lint_c("void f(double *a) {\n"
                     "#pragma omp parallel for\n"
                     "a[0] = 1;\n"
                     "}\n"),
              "");
}

static void an_empty_file_is_a_module(void **state)
{
    (void)state;
    dump_is(LINT_FILES({"m.py", ""}), "module 1:1-1:1\n");
    dump_is(lint_c(""), "module 1:1-1:1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parallel_loop_shows_how_it_runs_and_its_clauses),
        cmocka_unit_test(a_compiled_function_shows_how_it_is_compiled),
        cmocka_unit_test(each_loop_under_a_directive_is_told_with_both_lines),
        cmocka_unit_test(a_directive_without_a_loop_is_not_told),
        cmocka_unit_test(an_empty_file_is_a_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
