/* Expressions in, the storage they mean and the values of their indices out, as texts. */
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* The place of the expression written `text` in function f. */
static void place_is(Lint lint, const char *text, const char *expected)
{
    FunctionId function = lint_function(&lint, "f");
    Place place = place_of(lint.facts, function, lint_node(&lint, function, text));
    assert_string_equal(lint_place(&lint, &place), expected);
    lint_free(&lint);
}

static void refers_to(Lint lint, const char *text, const char *expected)
{
    FunctionId function = lint_function(&lint, "f");
    Place place = place_behind(lint.facts, function, lint_node(&lint, function, text));
    assert_string_equal(lint_place(&lint, &place), expected);
    lint_free(&lint);
}

static void index_is(Lint lint, const char *text, const char *expected)
{
    FunctionId function = lint_function(&lint, "f");
    Affine form = place_index(lint.facts, function, lint_node(&lint, function, text));
    assert_string_equal(lint_affine(&lint, &form), expected);
    lint_free(&lint);
}

/* ---- C ---- */

static void a_variable_is_its_own_storage(void **state)
{
    (void)state;
    place_is(lint_c("void f(void) { double s; s = 1; }\n"), "s", "s");
    place_is(lint_c("double total;\nvoid f(void) { total = 1; }\n"), "total", "total");
}

static void a_pointer_parameter_leads_to_its_pointee(void **state)
{
    (void)state;
    place_is(lint_c("void f(double *p) { *p = 1; }\n"), "*p", "*p[0]");
    place_is(lint_c("void f(double *p, long i) { p[i + 1] = 1; }\n"), "p[i + 1]", "*p[i + 1]");
    place_is(lint_c("void f(double *p, long i) { *(p + 2 * i) = 1; }\n"), "*(p + 2 * i)",
             "*p[2*i]");
    place_is(lint_c("void f(double *p, long i) { *(p - i) = 1; }\n"), "*(p - i)", "*p[-1*i]");
}

static void fields_are_steps_of_the_path(void **state)
{
    (void)state;
    static const char head[] = "struct at { int x, y; };\n"
                               "struct lane { double hits; struct at at; double *rows; };\n";
    static const struct {
        const char *body, *text, *expected;
    } cases[] = {
        {"void f(struct lane *lane, long i) { lane[i].hits = 1; }", "lane[i].hits",
         "*lane[i].hits"},
        {"void f(struct lane *lane) { lane->hits = 1; }", "lane->hits", "*lane[0].hits"},
        {"void f(struct lane *lane) { lane->at.y = 1; }", "lane->at.y", "*lane[0].at.y"},
        {"void f(void) { struct lane lane; lane.at.x = 1; }", "lane.at.x", "lane.at.x"},
        {"void f(struct lane *lane, long i) { lane->rows[i] = 1; }", "lane->rows[i]",
         "*lane[0].rows->[i]"},
        {"void f(void) { struct lane a[4]; a[2].hits = 1; }", "a[2].hits", "a[2].hits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = {0};
        text_printf(&text, "%s%s\n", head, cases[i].body);
        place_is(lint_c(text_string(&text)), cases[i].text, cases[i].expected);
        text_free(&text);
    }
}

static void arrays_of_arrays_have_an_index_each(void **state)
{
    (void)state;
    place_is(lint_c("void f(long i, long j) { double a[4][8]; a[i][j] = 1; }\n"), "a[i][j]",
             "a[i][j]");
    place_is(lint_c("void f(double **a, long i, long j) { a[i][j] = 1; }\n"), "a[i][j]",
             "*a[i]->[j]");
}

static void a_pointer_that_is_set_once_is_what_it_was_set_to(void **state)
{
    (void)state;
    place_is(lint_c("void f(double *p, long i) { double *q = p; q[i] = 1; }\n"), "q[i]", "*p[i]");
    place_is(lint_c("void f(double *p, long i) { double *q = &p[8 * i]; q[2] = 1; }\n"), "q[2]",
             "*p[8*i + 2]");
    place_is(lint_c("void f(double *p, long i) { double *q = p + i; *q = 1; }\n"), "*q", "*p[i]");
    place_is(lint_c("void f(void) { double s; double *q = &s; *q = 1; }\n"), "*q", "s");
}

static void null_is_no_place_a_pointer_leads_to(void **state)
{
    (void)state;
    place_is(lint_c("void f(double *p, long i) { double *q = 0; q = p; q[i] = 1; q = 0; }\n"),
             "q[i]", "*p[i]");
    place_is(lint_c("#include <stddef.h>\nvoid f(double *p, long i) { double *q = NULL; q = p; "
                    "q[i] = 1; q = (double *)NULL; }\n"),
             "q[i]", "*p[i]");
}

static void a_pointer_with_several_values_leads_anywhere(void **state)
{
    (void)state;
    place_is(
        lint_c("void f(double *p, double *q, int c) { double *r = p; if (c) r = q; *r = 1; }\n"),
        "*r", "?");
    place_is(lint_c("void f(double *p) { p = p + 1; *p = 1; }\n"), "*p", "?");
    place_is(lint_c("double *get(void);\nvoid f(void) { *get() = 1; }\n"), "*get()", "?");
}

static void fresh_memory_is_an_allocation(void **state)
{
    (void)state;
    static const char head[] = "#include <stdlib.h>\n";
    Text text = {0};
    text_printf(&text, "%svoid f(long n) { double *p = malloc(n); p[3] = 1; }\n", head);
    place_is(lint_c(text_string(&text)), "p[3]", "new(malloc(n))[3]");
    text_free(&text);
    text_printf(&text, "%svoid f(long n) { double *p = (double *)calloc(n, 8); *p = 1; }\n", head);
    place_is(lint_c(text_string(&text)), "*p", "new(calloc(n, 8))[0]");
    text_free(&text);
    text_printf(
        &text,
        "%sstatic void *must(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }\n"
        "void f(long n) { double *p = must(n); *p = 1; }\n",
        head);
    place_is(lint_c(text_string(&text)), "*p", "new(must(n))[0]");
    text_free(&text);
}

static void a_global_is_one_place_in_all_files(void **state)
{
    (void)state;
    Lint lint = LINT_FILES({"a.c", "extern double total;\nvoid f(void) { total = 1; }\n"},
                           {"b.c", "double total;\nvoid g(void) { total = 2; }\n"});
    FunctionId f = lint_function(&lint, "f"), g = lint_function(&lint, "g");
    Place left = place_of(lint.facts, f, lint_node(&lint, f, "total"));
    Place right = place_of(lint.facts, g, lint_node(&lint, g, "total"));
    assert_true(place_same(&left, &right));
    lint_free(&lint);
}

static void statics_of_one_name_are_two_places(void **state)
{
    (void)state;
    Lint lint = LINT_FILES({"a.c", "static double total;\nvoid f(void) { total = 1; }\n"},
                           {"b.c", "static double total;\nvoid g(void) { total = 2; }\n"});
    FunctionId f = lint_function(&lint, "f"), g = lint_function(&lint, "g");
    Place left = place_of(lint.facts, f, lint_node(&lint, f, "total"));
    Place right = place_of(lint.facts, g, lint_node(&lint, g, "total"));
    assert_false(place_same(&left, &right));
    lint_free(&lint);
}

static void sizes_and_offsets_are_in_bytes(void **state)
{
    (void)state;
    Lint lint = lint_c("struct lane { int id; double hits; char pad[48]; };\n"
                       "void f(struct lane *lane, long i) { lane[i].hits = 1; }\n");
    FunctionId f = lint_function(&lint, "f");
    Place place = place_of(lint.facts, f, lint_node(&lint, f, "lane[i].hits"));
    assert_int_equal(place.count, 2);
    assert_int_equal(place.steps[0].size, 64);
    assert_int_equal(place.steps[1].offset, 8);
    assert_int_equal(place.steps[1].size, 8);
    lint_free(&lint);
}

/* ---- values of indices ---- */

static void indices_are_linear_forms_where_they_can_be(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"i * 8 + j - 1", "8*i + j + -1"},
        {"(i + 1) * 4", "4*i + 4"},
        {"i << 3", "8*i"},
        {"-i", "-1*i"},
        {"7", "7"},
        {"(int)(i + 1)", "i + 1"},
        {"i - i", "0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = {0};
        text_printf(&text, "void f(double *a, long i, long j) { a[%s] = 1; }\n", cases[i].text);
        index_is(lint_c(text_string(&text)), cases[i].text, cases[i].expected);
        text_free(&text);
    }
}

static void what_is_not_linear_still_tells_what_it_depends_on(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"i * j", "~i + ~j + ?"},
        {"i % 16", "~i + ? folded"},
        {"i / 8", "~i + ? folded"},
        {"i & 7", "~i + ? folded"},
        {"key[i]", "~i + ? loaded"},
        {"i >> 2", "~i + ? folded"},
        {"4 * i + (j & 3)", "4*i + ~j + ? folded"},
        {"hash(i)", "~i + ? folded"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = {0};
        text_printf(&text,
                    "long hash(long);\n"
                    "void f(double *a, const int *key, long i, long j) { a[%s] = 1; }\n",
                    cases[i].text);
        index_is(lint_c(text_string(&text)), cases[i].text, cases[i].expected);
        text_free(&text);
    }
}

static void a_variable_that_is_set_once_is_what_it_was_set_to(void **state)
{
    (void)state;
    index_is(lint_c("void f(double *a, long i) { long k = 2 * i + 1; a[k] = 1; }\n"), "k",
             "2*i + 1");
    index_is(lint_c("void f(double *a, long i) { long k = i; if (i) k = 2; a[k + 0] = 1; }\n"),
             "k + 0", "k");
    index_is(lint_c("enum { WIDE = 8 };\nvoid f(double *a, long i) { a[i * WIDE] = 1; }\n"),
             "i * WIDE", "8*i");
}

static void the_thread_id_is_known_through_variables_wrappers_and_branches(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "void f(double *a) { a[omp_get_thread_num()] = 1; }",
        "void f(double *a) { int t = omp_get_thread_num(); a[t] = 1; }",
        "void f(double *a) { const long t = (long)omp_get_thread_num(); a[t] = 1; }",
        "static int tid(void) { return omp_get_thread_num(); }\nvoid f(double *a) { a[tid()] = 1; "
        "}",
        "void f(double *a) { int t = 0;\n#ifdef _OPENMP\nt = omp_get_thread_num();\n#endif\n"
        "a[t] = 1; }",
    };
    static const char *const texts[] = {"omp_get_thread_num()", "t", "t", "tid()", "t"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        Text text = {0};
        text_printf(&text, "#include <omp.h>\n%s\n", bodies[i]);
        index_is(lint_c(text_string(&text)), texts[i], "thread");
        text_free(&text);
    }
}

/* ---- Python ---- */

static void a_python_element_is_a_step_an_index(void **state)
{
    (void)state;
    place_is(lint_python("@njit\ndef f(x, i, j):\n    x[i, j + 1] = 1\n"), "x[i, j + 1]",
             "x[i][j + 1]");
    place_is(lint_python("@njit\ndef f(x, i, j):\n    x[i][j] = 1\n"), "x[i][j]", "x[i][j]");
    place_is(lint_python("@njit\ndef f(x, i):\n    x[:, i] = 1\n"), "x[:, i]", "x[:][i]");
    place_is(lint_python("@njit\ndef f(x, i):\n    x[None, i] = 1\n"), "x[None, i]", "x[i]");
}

static void a_python_name_set_once_is_what_it_was_set_to(void **state)
{
    (void)state;
    place_is(lint_python("@njit\ndef f(x, i, k):\n    row = x[i]\n    row[k] = 1\n"), "row[k]",
             "x[i][k]");
    refers_to(lint_python("@njit\ndef f(n):\n    a = np.zeros(n)\n    a[0] = 1\n"), "a",
              "new(np.zeros(n))");
}

static void the_element_that_a_loop_fetches_is_picked_by_the_loop(void **state)
{
    (void)state;
    refers_to(lint_python("@njit\ndef f(rows):\n    for row in rows:\n        row[0] = 1\n"), "row",
              "rows[row]");
}

static void swapped_rows_stay_what_they_are(void **state)
{
    (void)state;
    refers_to(lint_python("@njit\ndef f(a, b, n):\n    for i in range(n):\n        a[i] = b[i]\n"
                          "        a, b = b, a\n"),
              "a", "a");
}

static void numbas_thread_id_is_known(void **state)
{
    (void)state;
    index_is(LINT_FILES({"m.py", "import numba\n@numba.njit\ndef f(a):\n"
                                 "    t = numba.get_thread_id()\n    a[t] = 1\n"}),
             "t", "thread");
    index_is(LINT_FILES({"m.py", "from numba import njit, get_thread_id\n@njit\ndef f(a):\n"
                                 "    a[get_thread_id() * 8] = 1\n"}),
             "get_thread_id() * 8", "8*thread");
}

static void a_shape_is_a_constant_and_no_data(void **state)
{
    (void)state;
    index_is(lint_python("@njit\ndef f(x, a):\n    a[x.shape[0]] = 1\n"), "x.shape[0]", "?");
    index_is(lint_python("@njit\ndef f(x, a):\n    a[x[0]] = 1\n"), "x[0]", "? loaded");
}

/* ---- through calls ---- */

static void at_call(Lint lint, const char *inside, const char *call, const char *expected)
{
    FunctionId caller = lint_function(&lint, "f"), callee = lint_function(&lint, "g");
    Place place = place_of(lint.facts, callee, lint_node(&lint, callee, inside));
    Place outer = place_at_call(lint.facts, &place, callee, caller, lint_node(&lint, caller, call));
    assert_string_equal(lint_place(&lint, &outer), expected);
    lint_free(&lint);
}

static void formals_become_actuals(void **state)
{
    (void)state;
    at_call(lint_c("void g(double *p, long k) { p[k + 1] = 1; }\n"
                   "void f(double *a, long i) { g(a, 2 * i); }\n"),
            "p[k + 1]", "g(a, 2 * i)", "*a[2*i + 1]");
    at_call(lint_c("void g(double *p) { *p = 1; }\n"
                   "void f(double *a, long i) { g(&a[i]); }\n"),
            "*p", "g(&a[i])", "*a[i]");
    at_call(lint_c("void g(double *p, long k) { p[k] = 1; }\n"
                   "void f(double *a, long i) { g(a + 8 * i, 3); }\n"),
            "p[k]", "g(a + 8 * i, 3)", "*a[8*i + 3]");
    at_call(lint_c("void g(double *p) { *p = 1; }\nvoid f(void) { double s; g(&s); }\n"), "*p",
            "g(&s)", "s");
}

static void globals_stay_what_they_are(void **state)
{
    (void)state;
    at_call(lint_c("double total;\nvoid g(void) { total = 1; }\nvoid f(void) { g(); }\n"), "total",
            "g()", "total");
}

static void an_unknown_actual_makes_an_unknown_place(void **state)
{
    (void)state;
    at_call(
        lint_c("double *get(void);\nvoid g(double *p) { *p = 1; }\nvoid f(void) { g(get()); }\n"),
        "*p", "g(get())", "?");
}

static void python_arguments_are_found_by_place_and_by_name(void **state)
{
    (void)state;
    static const char callee[] = "@njit\ndef g(x, k):\n    x[k] = 1\n";
    static const struct {
        const char *call, *expected;
    } cases[] = {{"g(a, i)", "a[i]"},
                 {"g(k=i, x=a)", "a[i]"},
                 {"g(a[i], 3)", "a[i][3]"},
                 {"g(a, k=i + 1)", "a[i + 1]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = {0};
        text_printf(&text, "%s@njit\ndef f(a, i):\n    %s\n", callee, cases[i].call);
        at_call(lint_python(text_string(&text)), "x[k]", cases[i].call, cases[i].expected);
        text_free(&text);
    }
}

static void a_spread_argument_may_be_anything(void **state)
{
    (void)state;
    at_call(lint_python("@njit\ndef g(x, k):\n    x[k] = 1\n@njit\ndef f(a):\n    g(*a)\n"), "x[k]",
            "g(*a)", "?");
}

static void places_are_the_same_only_surely(void **state)
{
    (void)state;
    Lint lint = lint_c("void f(double *a, const int *key, long i) {\n"
                       "a[i + 1] = 1; a[1 + i] = 2; a[i] = 3; a[key[i]] = 4; a[key[i] ] = 5; }\n");
    FunctionId f = lint_function(&lint, "f");
    Place one = place_of(lint.facts, f, lint_node(&lint, f, "a[i + 1]"));
    Place other = place_of(lint.facts, f, lint_node(&lint, f, "a[1 + i]"));
    Place next = place_of(lint.facts, f, lint_node(&lint, f, "a[i]"));
    Place data = place_of(lint.facts, f, lint_node(&lint, f, "a[key[i]]"));
    Place again = place_of(lint.facts, f, lint_node(&lint, f, "a[key[i] ]"));
    assert_true(place_same(&one, &other));
    assert_false(place_same(&one, &next));
    assert_false(place_same(&data, &again));
    Place unknown = {0};
    assert_false(place_same(&unknown, &unknown));
    lint_free(&lint);
}

static void a_path_of_many_steps_ends_in_the_unknown(void **state)
{
    (void)state;
    place_is(lint_c("struct n { struct n *to; double v; };\n"
                    "void f(struct n *a) { a->to->to->to->to->v = 1; }\n"),
             "a->to->to->to->to->v", "?");
}

static void a_python_name_is_what_it_was_set_to_last(void **state)
{
    (void)state;
    place_is(lint_python("@njit\ndef f(x, y, n):\n    r = x[0]\n    y[0] = r[1]\n"
                         "    r = x[n]\n    r[0] = 0\n"),
             "r[0]", "x[n][0]");
    place_is(lint_python("@njit\ndef f(x, y, n):\n    r = x[0]\n    if n > 0:\n"
                         "        r = y[0]\n    r[0] = 0\n"),
             "r[0]", "r[0]");
}

static void an_index_is_what_its_variable_was_set_to_last(void **state)
{
    (void)state;
    static const struct {
        const char *body, *expected;
    } cases[] = {
        {"    k = 2 * i\n    y[k] = 0\n    k = i + 1\n    x[k] = 0\n", "i + 1"},
        {"    i = i + 1\n    x[i] = 0\n", "i + 1"},
        {"    for k in range(i):\n        k = 3 * k\n        x[k] = 0\n", "3*k"},
        {"    k, j = i + 2, n\n    x[k] = 0\n    k = 0\n", "i + 2"},
        {"    k = i\n    if n > 0:\n        k = 0\n    x[k] = 0\n", "k"},
        {"    k = 0\n    while k < n:\n        x[k] = 0\n        k = k + 1\n", "k"},
        {"    k = i\n    for j in range(n):\n        x[k] = 0\n    k = 0\n", "i"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Text text = {0};
        text_printf(&text, "@njit\ndef f(x, y, i, n):\n%s", cases[c].body);
        Lint lint = lint_python(text_string(&text));
        FunctionId function = lint_function(&lint, "f");
        AstNode stored =
            lint_node(&lint, function, strstr(cases[c].body, "x[i]") ? "x[i]" : "x[k]");
        const Ast *ast = lint.program->units[0]->ast;
        Affine form = place_index(lint.facts, function, ast_child(ast, stored, 1));
        assert_string_equal(lint_affine(&lint, &form), cases[c].expected);
        lint_free(&lint);
        text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_is_its_own_storage),
        cmocka_unit_test(a_pointer_parameter_leads_to_its_pointee),
        cmocka_unit_test(fields_are_steps_of_the_path),
        cmocka_unit_test(arrays_of_arrays_have_an_index_each),
        cmocka_unit_test(a_pointer_that_is_set_once_is_what_it_was_set_to),
        cmocka_unit_test(null_is_no_place_a_pointer_leads_to),
        cmocka_unit_test(a_pointer_with_several_values_leads_anywhere),
        cmocka_unit_test(fresh_memory_is_an_allocation),
        cmocka_unit_test(a_global_is_one_place_in_all_files),
        cmocka_unit_test(statics_of_one_name_are_two_places),
        cmocka_unit_test(sizes_and_offsets_are_in_bytes),
        cmocka_unit_test(indices_are_linear_forms_where_they_can_be),
        cmocka_unit_test(what_is_not_linear_still_tells_what_it_depends_on),
        cmocka_unit_test(a_variable_that_is_set_once_is_what_it_was_set_to),
        cmocka_unit_test(the_thread_id_is_known_through_variables_wrappers_and_branches),
        cmocka_unit_test(a_python_element_is_a_step_an_index),
        cmocka_unit_test(a_python_name_set_once_is_what_it_was_set_to),
        cmocka_unit_test(the_element_that_a_loop_fetches_is_picked_by_the_loop),
        cmocka_unit_test(swapped_rows_stay_what_they_are),
        cmocka_unit_test(numbas_thread_id_is_known),
        cmocka_unit_test(a_shape_is_a_constant_and_no_data),
        cmocka_unit_test(formals_become_actuals),
        cmocka_unit_test(globals_stay_what_they_are),
        cmocka_unit_test(an_unknown_actual_makes_an_unknown_place),
        cmocka_unit_test(python_arguments_are_found_by_place_and_by_name),
        cmocka_unit_test(a_spread_argument_may_be_anything),
        cmocka_unit_test(places_are_the_same_only_surely),
        cmocka_unit_test(a_path_of_many_steps_ends_in_the_unknown),
        cmocka_unit_test(a_python_name_is_what_it_was_set_to_last),
        cmocka_unit_test(an_index_is_what_its_variable_was_set_to_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
