/* Parallel constructs in; what each effect in them shares, which loops it is under, and what tells
 * threads apart, out. */
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* The first event whose text starts with `start`. */
static const Event *event_of(const Lint *lint, const char *start)
{
    for (uint32_t i = 0; i < facts_event_count(lint->facts); i++) {
        const Event *event = facts_event(lint->facts, i);
        if (strncmp(lint_event(lint, event), start, strlen(start)) == 0)
            return event;
    }
    fail_msg("no event '%s' in\n%s", start, lint_events(lint));
    return NULL;
}

static void holds(const char *text, const char *line)
{
    Lint lint = lint_c(text);
    const char *events = lint_events(&lint);
    if (strstr(events, line) == NULL)
        fail_msg("no '%s' in\n%s", line, events);
    lint_free(&lint);
}

/* ---- data sharing ---- */

static void a_clause_that_privatises_makes_a_variable_the_threads_own(void **state)
{
    (void)state;
    static const char *const clauses[] = {"private(s)",       "firstprivate(s)", "lastprivate(s)",
                                          "reduction(+ : s)", "linear(s)",       "private(n, s)"};
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        Text text = {0};
        text_printf(&text,
                    "void f(double *a, long n) { double s = 0;\n"
                    "#pragma omp parallel for %s\nfor (long i = 0; i < 9; i++) s += a[i];\n"
                    "a[0] = s; }\n",
                    clauses[i]);
        holds(text_string(&text), "accumulate + s over i: own\n");
        text_free(&text);
    }
}

static void other_clauses_leave_it_shared(void **state)
{
    (void)state;
    static const char *const clauses[] = {"",           "shared(s)",        "default(shared)",
                                          "private(n)", "reduction(+ : n)", "schedule(static)",
                                          "if(s > 0)"};
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        Text text = {0};
        text_printf(&text,
                    "void f(double *a, long n) { double s = 0;\n"
                    "#pragma omp parallel for %s\nfor (long i = 0; i < 9; i++) s += a[i];\n"
                    "a[0] = s; }\n",
                    clauses[i]);
        holds(text_string(&text), "accumulate + s over i: shared\n");
        text_free(&text);
    }
}

static void a_clause_privatises_a_variable_that_another_file_defines(void **state)
{
    (void)state;
    Lint lint = LINT_FILES({"a.c", "double energy;\n"},
                           {"b.c", "extern double energy;\n"
                                   "void f(double *a, long n) {\n"
                                   "#pragma omp parallel for reduction(+ : energy)\n"
                                   "for (long i = 0; i < n; i++) energy += a[i]; }\n"});
    assert_string_equal(lint_events(&lint), "accumulate + energy over i: own\n");
    lint_free(&lint);
}

static void what_is_declared_inside_is_own_and_outside_shared(void **state)
{
    (void)state;
    lint_expect_c("double g;\nvoid f(double *a, long n) { double out = 0; static double kept;\n"
                  "#pragma omp parallel\n{ double in = 0; static double held;\n"
                  "in += 1; out += 1; kept += 1; held += 1; g += 1; a[0] = in; }\na[1] = out; }\n",
                  "accumulate + in: own\naccumulate + out: shared\naccumulate + kept: shared\n"
                  "accumulate + held: shared\naccumulate + g: shared\nwrite *a[0]: shared\n");
}

static void threadprivate_and_thread_local_variables_are_own(void **state)
{
    (void)state;
    lint_expect_c("static double t;\n#pragma omp threadprivate(t)\nstatic _Thread_local double l;\n"
                  "void f(void) {\n#pragma omp parallel\n{ t += 1; l += 1; } }\n",
                  "accumulate + t: own\naccumulate + l: own\n");
}

static void what_a_private_pointer_points_to_is_not_known(void **state)
{
    (void)state;
    holds("void f(double *a, long n) { double *p = a;\n#pragma omp parallel for private(p)\n"
          "for (long i = 0; i < n; i++) { p = a + i; *p += 1; } }\n",
          "write p over i: own\n");
    holds("void f(double *p, long n) {\n#pragma omp parallel for firstprivate(p)\n"
          "for (long i = 0; i < n; i++) *p += 1; }\n",
          "accumulate + *p[0] over i: perhaps\n");
}

static void memory_made_inside_is_own_and_made_before_shared(void **state)
{
    (void)state;
    holds("#include <stdlib.h>\nvoid f(long n) { double *p = malloc(n);\n#pragma omp parallel for\n"
          "for (long i = 0; i < n; i++) p[0] += 1; }\n",
          "accumulate + new(malloc(n))[0] over i: shared\n");
    holds("#include <stdlib.h>\nvoid f(long n) {\n#pragma omp parallel for\n"
          "for (long i = 0; i < n; i++) { double *p = malloc(n); p[0] += 1; } }\n",
          "accumulate + new(malloc(n))[0] over i: own\n");
}

static void a_pointer_that_lies_in_memory_may_lead_anywhere(void **state)
{
    (void)state;
    holds("struct s { long *c; };\nvoid f(struct s *s, long n) {\n#pragma omp parallel for\n"
          "for (long i = 0; i < n; i++) s->c[0] += 1; }\n",
          "accumulate + *s[0].c->[0] over i: perhaps\n");
}

static void an_argument_that_is_passed_by_address_is_what_it_was_in_the_caller(void **state)
{
    (void)state;
    static const char text[] =
        "static void add(double *p) { *p += 1; }\n"
        "void f(long n) { double s = 0;\n#pragma omp parallel for%s\n"
        "for (long i = 0; i < n; i++) { double t = 0; add(&s); add(&t); } }\n";
    Text whole = {0};
    text_printf(&whole, text, "");
    holds(text_string(&whole), "accumulate + s over i: shared\n");
    holds(text_string(&whole), "accumulate + t over i: own\n");
    text_free(&whole);
    text_printf(&whole, text, " private(s)");
    holds(text_string(&whole), "accumulate + s over i: own\n");
    text_free(&whole);
}

static void an_array_of_a_prange_that_is_bound_inside_is_own(void **state)
{
    (void)state;
    lint_expect_python(
        "@njit(parallel=True)\ndef f(a, n):\n    for i in prange(n):\n"
        "        row = np.full(3, 0.0)\n        row[0] += 1\n        a[0] += row[0]\n",
        "alloc new(np.full(3, 0.0)) over i: own\nwrite row over i: own\n"
        "accumulate + new(np.full(3, 0.0))[0] over i: own\n"
        "accumulate + a[0] over i: shared\n");
}

/* ---- which construct, which loops ---- */

static void loops_run_from_the_dealt_one_inwards(void **state)
{
    (void)state;
    lint_expect_c("void f(double *a, long n) {\nfor (long t = 0; t < 9; t++)\n"
                  "#pragma omp parallel for\nfor (long i = 0; i < n; i++)\n"
                  "for (long j = 0; j < n; j++) { a[0] += 1; }\n}\n",
                  "accumulate + *a[0] over i j: shared\n");
}

static void loops_of_callees_are_appended(void **state)
{
    (void)state;
    lint_expect_c("static void g(double *a) { for (int k = 0; k < 9; k++) *a += k; }\n"
                  "void f(double *a, long n) {\n#pragma omp parallel for\n"
                  "for (long i = 0; i < n; i++) g(a);\n}\n",
                  "accumulate + *a[0] over i k: shared\n");
}

static void every_thread_runs_the_whole_of_a_plain_region(void **state)
{
    (void)state;
    static const char text[] = "void f(double *a, long n) {\n#pragma omp parallel\n{\n"
                               "a[0] += 1;\nfor (long i = 0; i < n; i++) a[1] += 1;\n"
                               "#pragma omp for\nfor (long j = 0; j < n; j++) a[2] += 1;\n}\n}\n";
    lint_expect_c(text, "accumulate + *a[0]: shared\naccumulate + *a[1] over i: shared\n"
                        "accumulate + *a[2] over j: shared\n");
    Lint lint = lint_c(text);
    assert_int_equal(event_of(&lint, "accumulate + *a[0]")->dealt.node, 0);
    assert_int_equal(event_of(&lint, "accumulate + *a[1]")->dealt.node, 0);
    assert_int_not_equal(event_of(&lint, "accumulate + *a[2]")->dealt.node, 0);
    assert_int_equal(event_cell(event_of(&lint, "accumulate + *a[0]")).node, 0);
    assert_int_equal(event_cell(event_of(&lint, "accumulate + *a[2]")).node,
                     event_of(&lint, "accumulate + *a[2]")->dealt.node);
    lint_free(&lint);
}

static void loops_around_the_dealt_one_inside_a_region_are_not_counted(void **state)
{
    (void)state;
    lint_expect_c("void f(double *a, long n) {\n#pragma omp parallel\n"
                  "for (long t = 0; t < n; t++) {\n#pragma omp for\n"
                  "for (long i = 0; i < n; i++) a[0] += 1;\n}\n}\n",
                  "accumulate + *a[0] over i: shared\n");
}

static void an_orphaned_loop_is_parallel_through_its_caller(void **state)
{
    (void)state;
    lint_expect_c("void g(double *a, long n) {\n#pragma omp for\n"
                  "for (long i = 0; i < n; i++) a[0] += 1;\n}\n"
                  "void f(double *a, long n) {\n#pragma omp parallel\ng(a, n);\n}\n",
                  "accumulate + *a[0] over i: shared\n");
}

static void an_orphaned_loop_that_no_region_reaches_is_silent(void **state)
{
    (void)state;
    lint_expect_c("void g(double *a, long n) {\n#pragma omp for\n"
                  "for (long i = 0; i < n; i++) a[0] += 1;\n}\n"
                  "void f(double *a, long n) { g(a, n); }\n",
                  "");
}

static void only_the_outermost_prange_deals_out(void **state)
{
    (void)state;
    lint_expect_python("@njit(parallel=True)\ndef f(a, n):\n    for i in prange(n):\n"
                       "        for j in prange(n):\n            a[0] += 1\n",
                       "accumulate + a[0] over i j: shared\n");
}

static void a_prange_without_parallel_is_silent(void **state)
{
    (void)state;
    lint_expect_python("@njit\ndef f(a, n):\n    for i in prange(n):\n        a[0] += 1\n", "");
}

static void a_call_chain_through_modules_is_followed(void **state)
{
    (void)state;
    Lint lint = LINT_FILES({"pkg/__init__.py", ""},
                           {"pkg/a.py", "from numba import njit, prange\nfrom .b import middle\n"
                                        "@njit(parallel=True)\ndef f(out, n):\n"
                                        "    for i in prange(n):\n        middle(out, i)\n"},
                           {"pkg/b.py", "from numba import njit\nfrom .c import inner\n"
                                        "@njit\ndef middle(out, i):\n"
                                        "    for j in range(i):\n        inner(out, j)\n"},
                           {"pkg/c.py", "from numba import njit\n@njit\ndef inner(out, j):\n"
                                        "    out[j] += 1\n"});
    assert_string_equal(lint_events(&lint), "accumulate + out[j] over i j: shared\n");
    lint_free(&lint);
}

/* ---- once, task, lock ---- */

static void what_one_thread_runs_is_once(void **state)
{
    (void)state;
    static const char *const directives[] = {"single", "master", "masked"};
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        Text text = {0};
        text_printf(&text,
                    "void f(double *a) {\n#pragma omp parallel\n{\n#pragma omp %s\na[0] += 1;\n"
                    "a[1] += 1;\n}\n}\n",
                    directives[i]);
        lint_expect_c(text_string(&text),
                      "accumulate + *a[0]: shared once\naccumulate + *a[1]: shared\n");
        text_free(&text);
    }
}

static void a_loop_that_is_dealt_out_in_a_master_region_is_meant_for_all(void **state)
{
    (void)state;
    lint_expect_c("void f(double *a, long n) { double s = 0;\n#pragma omp parallel\n{\n"
                  "#pragma omp master\n{ s += 1;\n#pragma omp for\n"
                  "for (long i = 0; i < 9; i++) s += a[i]; } }\na[0] = s; }\n",
                  "accumulate + s: shared once\naccumulate + s over i: shared\n");
}

static void a_section_is_run_once(void **state)
{
    (void)state;
    holds("void f(double *a) {\n#pragma omp parallel sections\n{\n#pragma omp section\n"
          "{ a[0] += 1; }\n#pragma omp section\n{ a[1] += 1; }\n}\n}\n",
          "accumulate + *a[0]: shared once\n");
}

static void a_task_is_told(void **state)
{
    (void)state;
    holds("void f(double *a) {\n#pragma omp parallel\n#pragma omp single\n"
          "for (int i = 0; i < 9; i++) {\n#pragma omp task\na[0] += 1;\n}\n}\n",
          "accumulate + *a[0] over i: shared task\n");
}

static void a_guarded_region_around_the_call_guards_the_callee(void **state)
{
    (void)state;
    holds("static void add(double *p) { *p += 1; }\nvoid f(double *a, long n) {\n"
          "#pragma omp parallel for\nfor (long i = 0; i < n; i++) {\n#pragma omp critical (door)\n"
          "{ add(a); }\n}\n}\n",
          "accumulate + *a[0] over i: shared locked\n");
}

static void a_rare_branch_around_the_call_makes_the_callee_rare(void **state)
{
    (void)state;
    holds("static void add(double *p) { *p += 1; }\nvoid f(double *a, long n) {\n"
          "#pragma omp parallel for\nfor (long i = 0; i < n; i++)\nif (i % 1000 == 0) add(a);\n}\n",
          "accumulate + *a[0] over i: shared rare\n");
}

static void room_for_twice_as_many_is_made_rarely(void **state)
{
    (void)state;
    lint_expect_python("import numpy as np\n@njit(parallel=True)\ndef f(x, used, n):\n"
                       "    for i in prange(n):\n        room = 8\n"
                       "        for k in range(n):\n            if used[k] >= room:\n"
                       "                x[0] += 1.0\n                room *= 2\n",
                       "write room over i: own\naccumulate + x[0] over i k: shared rare\n"
                       "accumulate * room over i k: own rare\n");
}

/* ---- threads that are started by hand ---- */

static const char started[] =
    "#include <pthread.h>\nstruct job { long hits; long *all; };\n"
    "static void *work(void *p) { struct job *job = p;\n"
    "for (long k = 0; k < 1000; k++) { job->hits++; *job->all += 1; } return 0; }\n"
    "void f(struct job *job, pthread_t *id, int n) {\n"
    "for (int w = 0; w < n; w++) pthread_create(&id[w], 0, work, &job[w]);\n}\n";

static void a_function_that_pthread_create_starts_is_parallel(void **state)
{
    (void)state;
    Lint lint = lint_c(started);
    assert_string_equal(lint_events(&lint), "accumulate + *job[w].hits over k: shared\n"
                                            "accumulate + *job[w].all->[0] over k: perhaps\n");
    const Event *event = event_of(&lint, "accumulate + *job[w].hits");
    const Ast *ast = lint.program->units[0]->ast;
    assert_int_equal(ast_kind(ast, event->construct), AST_CALL);
    assert_int_equal(event->dealt.node, 0);
    int64_t coefficient;
    assert_true(
        event_index_varies(lint.facts, event, &event->effect->place.steps[0].index, &coefficient));
    assert_int_equal(coefficient, 1);
    lint_free(&lint);
}

static void a_global_that_a_started_function_writes_is_shared(void **state)
{
    (void)state;
    lint_expect_c("#include <pthread.h>\nstatic long hits;\n"
                  "static void *work(void *p) { for (int k = 0; k < 9; k++) hits++; return p; }\n"
                  "void f(pthread_t *id) { pthread_create(id, 0, work, 0); }\n",
                  "accumulate + hits over k: shared\n");
}

static void a_started_function_that_is_not_known_is_silent(void **state)
{
    (void)state;
    lint_expect_c("#include <pthread.h>\nvoid *work(void *p);\n"
                  "void f(pthread_t *id) { pthread_create(id, 0, work, 0); }\n",
                  "");
}

/* ---- what tells threads apart ---- */

/* Whether the index of the first element written in f's loop varies, and by how much. */
static bool varies(const char *loop, int64_t *coefficient)
{
    Text text = {0};
    text_printf(&text,
                "#include <omp.h>\nlong hash(long);\n"
                "void f(double *a, long *key, long n) {\n%s\n}\n",
                loop);
    Lint lint = lint_c(text_string(&text));
    const Event *event = event_of(&lint, "accumulate + *a");
    bool result =
        event_index_varies(lint.facts, event, &event->effect->place.steps[0].index, coefficient);
    lint_free(&lint);
    text_free(&text);
    return result;
}

static void the_variable_of_the_dealt_loop_and_the_thread_id_tell_threads_apart(void **state)
{
    (void)state;
    static const struct {
        const char *loop;
        int64_t coefficient;
    } apart[] = {
        {"#pragma omp parallel for\nfor (long i = 0; i < n; i++) a[i] += 1;", 1},
        {"#pragma omp parallel for\nfor (long i = 0; i < n; i++) a[4 * i + 3] += 1;", 4},
        {"#pragma omp parallel\nfor (long i = 0; i < n; i++) a[8 * omp_get_thread_num()] += 1;", 8},
        {"#pragma omp parallel for collapse(2)\nfor (long i = 0; i < n; i++)\n"
         "for (long j = 0; j < n; j++) a[j] += 1;",
         1},
        {"#pragma omp parallel for\nfor (long i = 0; i < n; i++) a[2 * i + (key[i] & 1)] += 1;", 0},
        {"#pragma omp parallel for\nfor (long i = 0; i < n; i++) a[hash(i)] += 1;", 0},
    };
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        int64_t coefficient;
        if (!varies(apart[i].loop, &coefficient) || coefficient != apart[i].coefficient)
            fail_msg("%s: by %lld", apart[i].loop, (long long)coefficient);
    }
}

static void other_variables_do_not(void **state)
{
    (void)state;
    static const char *const alike[] = {
        "#pragma omp parallel for\nfor (long i = 0; i < n; i++) a[0] += 1;",
        "#pragma omp parallel for\nfor (long i = 0; i < n; i++)\n"
        "for (long j = 0; j < n; j++) a[j] += 1;",
        "#pragma omp parallel for\nfor (long i = 0; i < n; i++) a[n] += 1;",
        "#pragma omp parallel\nfor (long i = 0; i < n; i++) a[i] += 1;",
        "#pragma omp parallel for\nfor (long i = 0; i < n; i++) a[i - i] += 1;",
    };
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        int64_t coefficient;
        if (varies(alike[i], &coefficient))
            fail_msg("%s", alike[i]);
    }
}

/* ---- counts of list elements ---- */

static EventCount count_of(const char *body, bool *likely)
{
    Text text = {0};
    text_printf(&text,
                "@njit\ndef g(u):\n    t = 0.0\n    for k in range(u.shape[0]):\n"
                "        t += u[k] / t\n    return t\n"
                "@njit(parallel=True)\ndef kernel(rows, out, n):\n    for i in prange(n):\n"
                "        for j in range(n):\n            %s\n"
                "def run(out, n):\n    rows = List()\n"
                "    for k in range(n):\n        rows.append(np.zeros((n, 3)))\n"
                "    kernel(rows, out, n)\n",
                body);
    Lint lint = lint_python(text_string(&text));
    const Event *event = event_of(&lint, "view");
    EventCount count = event_count(lint.facts, event, likely);
    lint_free(&lint);
    text_free(&text);
    return count;
}

static void an_element_that_several_threads_fetch_has_a_shared_count(void **state)
{
    (void)state;
    bool likely;
    assert_int_equal(count_of("out[i] += g(rows[j][0])", &likely), EVENT_COUNT_SHARED);
    assert_false(likely);
    assert_int_equal(count_of("out[i] += g(rows[0][j])", &likely), EVENT_COUNT_SHARED);
}

static void an_element_that_the_dealt_loop_picks_has_a_private_count(void **state)
{
    (void)state;
    bool likely;
    assert_int_equal(count_of("out[i] += g(rows[i][0])", &likely), EVENT_COUNT_PRIVATE);
}

static void a_captured_array_has_no_live_count(void **state)
{
    (void)state;
    Lint lint = lint_python("@njit\ndef g(u):\n    t = 1.0\n    for k in range(u.shape[0]):\n"
                            "        t += u[k] / t\n    return t\n"
                            "@njit(parallel=True)\ndef f(x, out, n):\n    for i in prange(n):\n"
                            "        for j in range(n):\n            out[i] += g(x[:, j])\n");
    bool likely;
    assert_int_equal(event_count(lint.facts, event_of(&lint, "view"), &likely), EVENT_COUNT_NONE);
    lint_free(&lint);
}

static void a_branch_that_the_literals_of_all_calls_rule_out_is_silent(void **state)
{
    (void)state;
    static const char text[] =
        "@njit\ndef g(x, kind, k=2):\n    if kind != 'low' and kind != 'high':\n"
        "        raise ValueError('kind')\n    if k > 1:\n        return x\n    x[0] += 1.0\n"
        "@njit(parallel=True)\ndef f(x, n):\n    for i in prange(n):\n        g(x, %s)\n";
    static const struct {
        const char *passed, *events;
    } cases[] = {{"'low'", ""},
                 {"kind='high'", ""},
                 {"'low', 1", "accumulate + x[0] over i: shared\n"},
                 {"'low', n", "accumulate + x[0] over i: shared\n"},
                 {"'middle'", "raise ? over i: perhaps rare\n"},
                 {"x", "raise ? over i: perhaps rare\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text code = {0};
        text_printf(&code, text, cases[i].passed);
        Lint lint = lint_python(text_string(&code));
        assert_string_equal(lint_events(&lint), cases[i].events);
        lint_free(&lint);
        text_free(&code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clause_that_privatises_makes_a_variable_the_threads_own),
        cmocka_unit_test(other_clauses_leave_it_shared),
        cmocka_unit_test(a_clause_privatises_a_variable_that_another_file_defines),
        cmocka_unit_test(what_is_declared_inside_is_own_and_outside_shared),
        cmocka_unit_test(threadprivate_and_thread_local_variables_are_own),
        cmocka_unit_test(what_a_private_pointer_points_to_is_not_known),
        cmocka_unit_test(memory_made_inside_is_own_and_made_before_shared),
        cmocka_unit_test(a_pointer_that_lies_in_memory_may_lead_anywhere),
        cmocka_unit_test(an_argument_that_is_passed_by_address_is_what_it_was_in_the_caller),
        cmocka_unit_test(an_array_of_a_prange_that_is_bound_inside_is_own),
        cmocka_unit_test(loops_run_from_the_dealt_one_inwards),
        cmocka_unit_test(loops_of_callees_are_appended),
        cmocka_unit_test(every_thread_runs_the_whole_of_a_plain_region),
        cmocka_unit_test(loops_around_the_dealt_one_inside_a_region_are_not_counted),
        cmocka_unit_test(an_orphaned_loop_is_parallel_through_its_caller),
        cmocka_unit_test(an_orphaned_loop_that_no_region_reaches_is_silent),
        cmocka_unit_test(only_the_outermost_prange_deals_out),
        cmocka_unit_test(a_prange_without_parallel_is_silent),
        cmocka_unit_test(a_call_chain_through_modules_is_followed),
        cmocka_unit_test(what_one_thread_runs_is_once),
        cmocka_unit_test(a_loop_that_is_dealt_out_in_a_master_region_is_meant_for_all),
        cmocka_unit_test(a_section_is_run_once),
        cmocka_unit_test(a_task_is_told),
        cmocka_unit_test(a_guarded_region_around_the_call_guards_the_callee),
        cmocka_unit_test(a_rare_branch_around_the_call_makes_the_callee_rare),
        cmocka_unit_test(room_for_twice_as_many_is_made_rarely),
        cmocka_unit_test(a_function_that_pthread_create_starts_is_parallel),
        cmocka_unit_test(a_global_that_a_started_function_writes_is_shared),
        cmocka_unit_test(a_started_function_that_is_not_known_is_silent),
        cmocka_unit_test(the_variable_of_the_dealt_loop_and_the_thread_id_tell_threads_apart),
        cmocka_unit_test(other_variables_do_not),
        cmocka_unit_test(an_element_that_several_threads_fetch_has_a_shared_count),
        cmocka_unit_test(an_element_that_the_dealt_loop_picks_has_a_private_count),
        cmocka_unit_test(a_captured_array_has_no_live_count),
        cmocka_unit_test(a_branch_that_the_literals_of_all_calls_rule_out_is_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
