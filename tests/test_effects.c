/* Code in, its effects out: what is written and how, where it was allocated, what runs rarely or
 * under a lock. */
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* The effects of the body of a parallel loop over i, in C, with the usual variables around it. */
static void c_loop(const char *body, const char *expected)
{
    Text text = {0};
    text_printf(&text,
                "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <omp.h>\n"
                "void f(double *a, long *key, long n) {\n"
                "double s = 0, m = 0; long c = 0; unsigned bits = 0; omp_lock_t lock;\n"
                "#pragma omp parallel for\n"
                "for (long i = 0; i < n; i++) {\n%s\n}\n"
                "a[0] = s + m + c + bits; (void)lock; }\n",
                body);
    Lint lint = lint_c(text_string(&text));
    Text out = {0};
    for (uint32_t i = 0; i < facts_event_count(lint.facts); i++)
        text_printf(&out, "%s\n", lint_event(&lint, facts_event(lint.facts, i)));
    if (strcmp(text_string(&out), expected) != 0)
        fail_msg("%s\nhas the events\n%s", body, text_string(&out));
    text_free(&text);
    text_free(&out);
    lint_free(&lint);
}

/* The same in Python: the body is indented by eight blanks. */
static void py_loop(const char *body, const char *expected)
{
    Text text = {0};
    text_printf(&text,
                "@njit(parallel=True)\ndef f(a, x, key, n):\n    s = 0.0\n    m = 0.0\n"
                "    for i in prange(n):\n%s\n    a[0] = s + m\n",
                body);
    lint_expect_python(text_string(&text), expected);
    text_free(&text);
}

static void what_changes_the_entries_of_a_container_resizes_it(void **state)
{
    (void)state;
    py_loop("        del key[0]", "resize key over i: shared\n");
    py_loop("        kept = [x[i]]\n        kept.append(s)",
            "alloc new([x[i]]) over i: own\nwrite kept over i: own\nresize kept over i: own\n");
    py_loop("        a.append(x[i])", ""); /* nothing says that a is a list */
}

/* ---- accumulations ---- */

static void every_spelling_of_an_accumulation_is_one(void **state)
{
    (void)state;
    static const struct {
        const char *body, *op, *target;
    } forms[] = {
        {"s += a[i];", "+", "s"},
        {"s -= a[i];", "-", "s"},
        {"s *= a[i];", "*", "s"},
        {"s = s + a[i];", "+", "s"},
        {"s = a[i] + s;", "+", "s"},
        {"s = s - a[i];", "-", "s"},
        {"s = s + a[i] + 1;", "+", "s"},
        {"s = s * a[i];", "*", "s"},
        {"c++;", "+", "c"},
        {"--c;", "-", "c"},
        {"bits |= key[i];", "|", "bits"},
        {"bits = bits ^ key[i];", "^", "bits"},
        {"s = fmax(s, a[i]);", "max", "s"},
        {"s = fmin(a[i], s);", "min", "s"},
        {"s = (double)(s + a[i]);", "+", "s"},
        {"a[0] += a[i];", "+", "*a[0]"},
        {"a[0] = a[0] + a[i];", "+", "*a[0]"},
        {"*a += 1;", "+", "*a[0]"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        Text expected = {0};
        text_printf(&expected, "accumulate %s %s over i: shared\n", forms[i].op, forms[i].target);
        c_loop(forms[i].body, text_string(&expected));
        text_free(&expected);
    }
}

static void what_overwrites_the_old_value_is_a_plain_write(void **state)
{
    (void)state;
    c_loop("s = a[i];", "write s over i: shared\n");
    c_loop("s = m + a[i];", "write s over i: shared\n");
    c_loop("s = a[i] - s;", "write s over i: shared\n");
    c_loop("a[i] = a[i - 1] + 1;", "write *a[i] over i: shared\n");
}

static void a_question_for_the_larger_value_is_an_accumulation(void **state)
{
    (void)state;
    c_loop("m = a[i] > m ? a[i] : m;", "accumulate max m over i: shared\n");
    c_loop("m = a[i] > m ? a[i] : 0;", "write m over i: shared\n");
}

static void a_store_behind_a_comparison_with_itself_is_compared(void **state)
{
    (void)state;
    c_loop("if (a[i] > m) m = a[i];", "write m over i: shared compared\n");
    c_loop("if (m < a[i] && i > 3) m = a[i];", "write m over i: shared compared\n");
    c_loop("if (a[i] > m) s = a[i];", "write s over i: shared\n");
    c_loop("if (a[i] == m) m = 0;", "write m over i: shared\n");
}

static void pythons_forms_are_the_same(void **state)
{
    (void)state;
    py_loop("        s += x[i]", "accumulate + s over i: shared\n");
    py_loop("        s = s + x[i]", "accumulate + s over i: shared\n");
    py_loop("        s = max(s, x[i])", "accumulate max s over i: shared\n");
    py_loop("        a[key[i]] += 1", "accumulate + a[~i + ? loaded] over i: shared\n");
    py_loop("        if x[i] > m:\n            m = x[i]", "write m over i: shared compared\n");
}

static void a_whole_array_update_is_told_from_an_element(void **state)
{
    (void)state;
    py_loop("        a[:] += x[i]", "accumulate + a[:] over i: shared elementwise\n");
    py_loop("        a[0] += x[i]", "accumulate + a[0] over i: shared\n");
}

static void variables_of_the_iteration_are_its_own(void **state)
{
    (void)state;
    c_loop("double t = 0; t += a[i]; a[i] = t;",
           "accumulate + t over i: own\nwrite *a[i] over i: shared\n");
}

/* ---- atomics and locks ---- */

static void atomic_calls_of_every_spelling_are_atomic(void **state)
{
    (void)state;
    static const char *const calls[] = {"__sync_fetch_and_add(&c, 1);",
                                        "__atomic_fetch_add(&c, 1, __ATOMIC_RELAXED);",
                                        "__atomic_add_fetch(&c, 1, __ATOMIC_RELAXED);"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        c_loop(calls[i], "atomic c over i: shared\n");
}

static void what_stands_under_a_lock_or_in_a_guarded_region_is_locked(void **state)
{
    (void)state;
    c_loop("#pragma omp critical\ns += a[i];",
           "lock ? over i: perhaps\naccumulate + s over i: shared locked\n");
    c_loop("#pragma omp atomic\ns += a[i];", "accumulate + s over i: shared locked\n");
    c_loop("omp_set_lock(&lock); s += a[i]; omp_unset_lock(&lock); m += 1;",
           "lock lock over i: shared\naccumulate + s over i: shared locked\n"
           "accumulate + m over i: shared\n");
}

static void a_lock_taken_in_a_branch_holds_to_its_end_only(void **state)
{
    (void)state;
    c_loop("if (key[i]) { omp_set_lock(&lock); s += a[i]; } m += 1;",
           "lock lock over i: shared\naccumulate + s over i: shared locked\n"
           "accumulate + m over i: shared\n");
}

static void a_clock_or_a_block_is_no_lock(void **state)
{
    (void)state;
    c_loop("long clock_now(void); clock_now(); s += a[i];", "accumulate + s over i: shared\n");
    c_loop("void next_block(void); next_block(); s += a[i];", "accumulate + s over i: shared\n");
    c_loop("void init_lock(void *); init_lock(&lock); s += a[i];",
           "accumulate + s over i: shared\n");
}

static void an_unknown_function_named_like_a_lock_is_taken_for_one(void **state)
{
    (void)state;
    Text text = {0};
    text_puts(&text,
              "void table_lock(void); void table_unlock(void);\n"
              "void f(long n, long *c) {\n#pragma omp parallel for\n"
              "for (long i = 0; i < n; i++) { table_lock(); *c += 1; table_unlock(); }\n}\n");
    Lint lint = lint_c(text_string(&text));
    assert_non_null(strstr(lint_events(&lint), "accumulate + *c[0] over i: shared locked\n"));
    lint_free(&lint);
    text_free(&text);
}

static void a_lock_that_a_callee_takes_is_held_after_the_call(void **state)
{
    (void)state;
    Lint lint =
        lint_c("#include <pthread.h>\nstatic pthread_mutex_t door;\n"
               "static void enter(void) { pthread_mutex_lock(&door); }\n"
               "static void leave(void) { pthread_mutex_unlock(&door); }\n"
               "void f(long n, long *c) {\n#pragma omp parallel for\n"
               "for (long i = 0; i < n; i++) { enter(); *c += 1; leave(); c[1] += 1; }\n}\n");
    const char *events = lint_events(&lint);
    assert_non_null(strstr(events, "accumulate + *c[0] over i: shared locked\n"));
    assert_non_null(strstr(events, "accumulate + *c[1] over i: shared\n"));
    lint_free(&lint);
}

static void a_callee_that_locks_and_unlocks_locks_only_its_inside(void **state)
{
    (void)state;
    Lint lint = lint_c("#include <pthread.h>\nstatic pthread_mutex_t door;\n"
                       "static void add(long *c) { pthread_mutex_lock(&door); *c += 1;"
                       " pthread_mutex_unlock(&door); }\n"
                       "void f(long n, long *c) {\n#pragma omp parallel for\n"
                       "for (long i = 0; i < n; i++) { add(c); c[1] += 1; }\n}\n");
    const char *events = lint_events(&lint);
    assert_non_null(strstr(events, "accumulate + *c[0] over i: shared locked\n"));
    assert_non_null(strstr(events, "accumulate + *c[1] over i: shared\n"));
    lint_free(&lint);
}

static void a_call_under_a_lock_has_locked_effects(void **state)
{
    (void)state;
    Lint lint = lint_c("static void add(long *c) { *c += 1; }\n"
                       "void f(long n, long *c) {\n#pragma omp parallel for\n"
                       "for (long i = 0; i < n; i++) {\n#pragma omp critical\nadd(c);\n}\n}\n");
    assert_non_null(strstr(lint_events(&lint), "accumulate + *c[0] over i: shared locked\n"));
    lint_free(&lint);
}

/* ---- rare branches ---- */

static void branches_with_visible_evidence_are_rare(void **state)
{
    (void)state;
    static const char *const rare[] = {
        "if (a[i] < 0) { fprintf(stderr, \"bad\"); s += 1; }",
        "if (a[i] < 0) { s += 1; exit(1); }",
        "if (i % 1000 == 0) s += 1;",
        "if ((i & 1023) == 0) s += 1;",
        "if (!(i % 64)) s += 1;",
        "if (i % n == 0) s += 1;",
        "if (__builtin_expect(a[i] < 0, 0)) s += 1;",
        "if (omp_get_thread_num() == 0) s += 1;",
        "if (i % 1000 == 0 && a[i] > 0) s += 1;",
    };
    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++) {
        Text text = {0};
        text_printf(&text,
                    "#include <stdio.h>\n#include <stdlib.h>\n#include <omp.h>\n"
                    "void f(double *a, long n) { double s = 0;\n#pragma omp parallel for\n"
                    "for (long i = 0; i < n; i++) {\n%s\n}\na[0] = s; }\n",
                    rare[i]);
        Lint lint = lint_c(text_string(&text));
        if (strstr(lint_events(&lint), "accumulate + s over i: shared rare\n") == NULL)
            fail_msg("%s\nhas the events\n%s", rare[i], lint_events(&lint));
        lint_free(&lint);
        text_free(&text);
    }
}

static void branches_that_only_depend_on_data_are_not(void **state)
{
    (void)state;
    static const char *const usual[] = {
        "if (a[i] > 0) s += 1;",
        "if (i % 2 == 0) s += 1;",
        "if (i % 1000 != 0) s += 1;",
        "if (i > 3) s += 1;",
        "if (a[i] < 0) fprintf(stderr, \"bad\"); else s += 1;",
        "if (a[i] > 0) { s += 1; if (a[i] > 99) printf(\"far\"); }",
        "if (__builtin_expect(a[i] < 0, 1)) s += 1;",
        "if ((int)a[i] & 1) s += 1;",
        "if (a[i] > 0) { s += 1; continue; }",
    };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        Text text = {0};
        text_printf(
            &text,
            "#include <stdio.h>\nvoid f(double *a, long n) { double s = 0;\n"
            "#pragma omp parallel for\nfor (long i = 0; i < n; i++) {\n%s\n}\na[0] = s; }\n",
            usual[i]);
        Lint lint = lint_c(text_string(&text));
        if (strstr(lint_events(&lint), "accumulate + s over i: shared\n") == NULL)
            fail_msg("%s\nhas the events\n%s", usual[i], lint_events(&lint));
        lint_free(&lint);
        text_free(&text);
    }
}

static void a_raising_branch_is_rare_in_python(void **state)
{
    (void)state;
    Lint lint = lint_python("@njit(parallel=True)\ndef f(a, n):\n    for i in prange(n):\n"
                            "        if a[i] < 0:\n            a[0] += 1\n"
                            "            raise ValueError\n");
    assert_non_null(strstr(lint_events(&lint), "accumulate + a[0] over i: shared rare\n"));
    lint_free(&lint);
}

/* ---- allocations ---- */

static void allocations_and_releases_are_told_with_their_place(void **state)
{
    (void)state;
    c_loop("double *p = malloc(64); p[0] = a[i]; free(p);",
           "alloc new(malloc(64)) over i: own\nwrite new(malloc(64))[0] over i: own\n"
           "free new(malloc(64)) over i: own\n");
}

static void bytes_are_known_where_the_size_is(void **state)
{
    (void)state;
    static const struct {
        const char *call;
        int64_t bytes;
    } calls[] = {{"malloc(64)", 64},
                 {"calloc(8, 16)", 128},
                 {"malloc(n)", 0},
                 {"calloc(n, 16)", 0},
                 {"realloc(p, 4 * sizeof(double))", 32},
                 {"aligned_alloc(64, 256)", 256}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        Text text = {0};
        text_printf(&text,
                    "#include <stdlib.h>\nvoid keep(void *);\nvoid f(void *p, long n) {\n"
                    "#pragma omp parallel for\nfor (long i = 0; i < n; i++) keep(%s);\n}\n",
                    calls[i].call);
        Lint lint = lint_c(text_string(&text));
        assert_int_equal(facts_event_count(lint.facts), 1);
        assert_int_equal(facts_event(lint.facts, 0)->effect->bytes, calls[i].bytes);
        lint_free(&lint);
        text_free(&text);
    }
}

static void a_wrapper_that_only_forwards_allocates_at_its_call(void **state)
{
    (void)state;
    Lint lint =
        lint_c("#include <stdlib.h>\nvoid keep(void *);\n"
               "static void *must(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }\n"
               "void f(long n) {\n#pragma omp parallel for\n"
               "for (long i = 0; i < n; i++) keep(must(n));\n}\n");
    assert_string_equal(lint_events(&lint), "alloc new(must(n)) over i: own by-call\n");
    lint_free(&lint);
}

static void numba_moves_plain_allocations_out_of_the_prange_they_stand_in(void **state)
{
    (void)state;
    py_loop("        t = np.zeros(n)\n        a[i] = t[0]",
            "alloc new(np.zeros(n)) over i: own hoisted\nwrite t over i: own\nwrite a[i] over i: "
            "shared\n");
    py_loop("        t = np.empty((n, 4))\n        a[i] = t[0, 0]",
            "alloc new(np.empty((n, 4))) over i: own hoisted\nwrite t over i: own\nwrite a[i] over "
            "i: shared\n");
    py_loop("        for j in range(n):\n            t = np.ones(n)\n            a[i] = t[0]",
            "alloc new(np.ones(n)) over i j: own hoisted\nwrite t over i j: own\nwrite a[i] over i "
            "j: shared\n");
}

static void sizes_that_vary_and_other_constructors_stay_in_the_loop(void **state)
{
    (void)state;
    py_loop("        t = np.zeros(i)\n        a[i] = t[0]",
            "alloc new(np.zeros(i)) over i: own\nwrite t over i: own\nwrite a[i] over i: shared\n");
    py_loop("        k = key[i]\n        t = np.zeros(k)\n        a[i] = t[0]",
            "write k over i: own\nalloc new(np.zeros(k)) over i: own\nwrite t over i: own\nwrite "
            "a[i] over i: shared\n");
    py_loop(
        "        t = np.full(n, 1.0)\n        a[i] = t[0]",
        "alloc new(np.full(n, 1.0)) over i: own\nwrite t over i: own\nwrite a[i] over i: shared\n");
    py_loop("        t = a.copy()\n        a[i] = t[0]",
            "alloc new(a.copy()) over i: own\nwrite t over i: own\nwrite a[i] over i: shared\n");
}

static void an_allocation_in_a_callee_is_not_moved(void **state)
{
    (void)state;
    lint_expect_python("@njit\ndef g(n):\n    t = np.zeros(n)\n    return t[0]\n"
                       "@njit(parallel=True)\ndef f(a, n):\n    for i in prange(n):\n"
                       "        a[i] = g(n)\n",
                       "alloc new(np.zeros(n)) over i: own\nwrite a[i] over i: shared\n");
}

static void an_array_expression_makes_a_temporary_unless_it_is_fused(void **state)
{
    (void)state;
    py_loop("        t = x[i, :] * x[0, :]\n        a[i] = t[0]",
            "alloc new(x[i, :] * x[0, :]) over i: own\nwrite t over i: own\nwrite a[i] over i: "
            "shared\n");
    py_loop("        a[i] = np.sum(x[i, :] * x[0, :])", "write a[i] over i: shared\n");
    lint_expect_python("@njit\ndef g(x, i):\n    return np.sum(x[i, :] * x[0, :])\n"
                       "@njit(parallel=True)\ndef f(a, x, n):\n    for i in prange(n):\n"
                       "        a[i] = g(x, i)\n",
                       "alloc new(x[i, :] * x[0, :]) over i: own\nwrite a[i] over i: shared\n");
}

static void an_expression_of_temporaries_is_told_once(void **state)
{
    (void)state;
    py_loop("        t = x[i, :] * 2 + x[0, :] - 1\n        a[i] = t[0]",
            "alloc new(x[i, :] * 2 + x[0, :] - 1) over i: own\nwrite t over i: own\nwrite a[i] "
            "over i: shared\n");
}

static void lists_are_allocations_but_not_as_the_argument_of_a_constructor(void **state)
{
    (void)state;
    py_loop(
        "        t = [x[i, 0], 1.0]\n        a[i] = t[0]",
        "alloc new([x[i, 0], 1.0]) over i: own\nwrite t over i: own\nwrite a[i] over i: shared\n");
    py_loop("        t = np.array([x[i, 0], 1.0])\n        a[i] = t[0]",
            "alloc new(np.array([x[i, 0], 1.0])) over i: own\nwrite t over i: own\nwrite a[i] over "
            "i: shared\n");
    py_loop("        t = (x[i, 0], 1.0)\n        a[i] = t[0]",
            "write t over i: own\nwrite a[i] over i: shared\n");
}

/* ---- through calls ---- */

static void a_callees_effects_are_told_in_the_callers_terms(void **state)
{
    (void)state;
    Lint lint = lint_c("static void add(double *p, long k) { p[k] += 1; }\n"
                       "static void both(double *q, long k) { add(q, 2 * k); add(q, 2 * k + 1); }\n"
                       "void f(double *a, long n) {\n#pragma omp parallel for\n"
                       "for (long i = 0; i < n; i++) both(a, i);\n}\n");
    assert_string_equal(lint_effects(&lint, "f"), "launch ?\n"
                                                  "accumulate + *a[2*i] via both via add\n"
                                                  "accumulate + *a[2*i + 1] via both via add\n");
    assert_string_equal(lint_effects(&lint, "both"), "accumulate + *q[2*k] via add\n"
                                                     "accumulate + *q[2*k + 1] via add\n");
    lint_free(&lint);
}

static void the_callees_locals_are_its_own(void **state)
{
    (void)state;
    Lint lint =
        lint_c("static double sum(const double *p) { double t = 0; double u[2] = {0};\n"
               "for (int k = 0; k < 9; k++) { t += p[k]; u[k & 1] += 1; } return t + u[0]; }\n"
               "void f(double *a, long n) {\n#pragma omp parallel for\n"
               "for (long i = 0; i < n; i++) a[i] = sum(a);\n}\n");
    assert_string_equal(lint_events(&lint), "write *a[i] over i: shared\n");
    lint_free(&lint);
}

static void statics_and_globals_of_a_callee_are_shared(void **state)
{
    (void)state;
    Lint lint =
        lint_c("long hits;\nstatic void count(void) { static long calls; calls++; hits++; }\n"
               "void f(long n) {\n#pragma omp parallel for\n"
               "for (long i = 0; i < n; i++) count();\n}\n");
    assert_string_equal(lint_events(&lint), "accumulate + calls over i: shared\n"
                                            "accumulate + hits over i: shared\n");
    lint_free(&lint);
}

static void code_that_no_thread_reaches_has_no_effects(void **state)
{
    (void)state;
    Lint lint = lint_c("void g(double *a) { a[0] += 1; }\nvoid f(double *a, long n) {\n"
                       "for (long i = 0; i < n; i++) g(a);\n}\n");
    assert_string_equal(lint_effects(&lint, "g"), "");
    assert_string_equal(lint_events(&lint), "");
    lint_free(&lint);
}

static void recursion_ends(void **state)
{
    (void)state;
    Lint lint = lint_c("void g(long *c, long k);\n"
                       "void h(long *c, long k) { if (k > 0) g(c, k - 1); *c += 1; }\n"
                       "void g(long *c, long k) { if (k > 0) h(c, k - 1); *c += 1; g(c, k); }\n"
                       "void f(long *c, long n) {\n#pragma omp parallel for\n"
                       "for (long i = 0; i < n; i++) g(c, i);\n}\n");
    assert_non_null(strstr(lint_events(&lint), "accumulate + *c[0] over i: shared\n"));
    lint_free(&lint);
}

static void a_chain_that_doubles_at_every_call_is_bounded(void **state)
{
    (void)state;
    Text text = {0};
    text_puts(&text, "static void g0(long *c) { *c += 1; }\n");
    for (int i = 1; i <= 24; i++)
        text_printf(&text, "static void g%d(long *c) { g%d(c); g%d(c); }\n", i, i - 1, i - 1);
    text_puts(&text, "void f(long *c, long n) {\n#pragma omp parallel for\n"
                     "for (long i = 0; i < n; i++) g24(c);\n}\n");
    Lint lint = lint_c(text_string(&text));
    assert_true(facts_event_count(lint.facts) > 0);
    assert_true(facts_event_count(lint.facts) <= 4096);
    lint_free(&lint);
    text_free(&text);
}

static void functions_that_are_not_compiled_or_run_elsewhere_have_no_effects(void **state)
{
    (void)state;
    lint_expect_python("from numba import vectorize, cuda\n"
                       "def f(a, n):\n    for i in prange(n):\n        a[0] += 1\n",
                       "");
    lint_expect_python("from numba import cuda\n@cuda.jit\n"
                       "def f(a, n):\n    for i in range(n):\n        a[0] += 1\n",
                       "");
}

static void offloaded_code_is_left_alone(void **state)
{
    (void)state;
    lint_expect_c("void f(double *a, long n) { double s = 0;\n"
                  "#pragma omp target teams distribute parallel for\n"
                  "for (long i = 0; i < n; i++) s += a[i];\na[0] = s; }\n",
                  "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_changes_the_entries_of_a_container_resizes_it),
        cmocka_unit_test(every_spelling_of_an_accumulation_is_one),
        cmocka_unit_test(what_overwrites_the_old_value_is_a_plain_write),
        cmocka_unit_test(a_question_for_the_larger_value_is_an_accumulation),
        cmocka_unit_test(a_store_behind_a_comparison_with_itself_is_compared),
        cmocka_unit_test(pythons_forms_are_the_same),
        cmocka_unit_test(a_whole_array_update_is_told_from_an_element),
        cmocka_unit_test(variables_of_the_iteration_are_its_own),
        cmocka_unit_test(atomic_calls_of_every_spelling_are_atomic),
        cmocka_unit_test(what_stands_under_a_lock_or_in_a_guarded_region_is_locked),
        cmocka_unit_test(a_lock_taken_in_a_branch_holds_to_its_end_only),
        cmocka_unit_test(a_clock_or_a_block_is_no_lock),
        cmocka_unit_test(an_unknown_function_named_like_a_lock_is_taken_for_one),
        cmocka_unit_test(a_lock_that_a_callee_takes_is_held_after_the_call),
        cmocka_unit_test(a_callee_that_locks_and_unlocks_locks_only_its_inside),
        cmocka_unit_test(a_call_under_a_lock_has_locked_effects),
        cmocka_unit_test(branches_with_visible_evidence_are_rare),
        cmocka_unit_test(branches_that_only_depend_on_data_are_not),
        cmocka_unit_test(a_raising_branch_is_rare_in_python),
        cmocka_unit_test(allocations_and_releases_are_told_with_their_place),
        cmocka_unit_test(bytes_are_known_where_the_size_is),
        cmocka_unit_test(a_wrapper_that_only_forwards_allocates_at_its_call),
        cmocka_unit_test(numba_moves_plain_allocations_out_of_the_prange_they_stand_in),
        cmocka_unit_test(sizes_that_vary_and_other_constructors_stay_in_the_loop),
        cmocka_unit_test(an_allocation_in_a_callee_is_not_moved),
        cmocka_unit_test(an_array_expression_makes_a_temporary_unless_it_is_fused),
        cmocka_unit_test(an_expression_of_temporaries_is_told_once),
        cmocka_unit_test(lists_are_allocations_but_not_as_the_argument_of_a_constructor),
        cmocka_unit_test(a_callees_effects_are_told_in_the_callers_terms),
        cmocka_unit_test(the_callees_locals_are_its_own),
        cmocka_unit_test(statics_and_globals_of_a_callee_are_shared),
        cmocka_unit_test(code_that_no_thread_reaches_has_no_effects),
        cmocka_unit_test(recursion_ends),
        cmocka_unit_test(a_chain_that_doubles_at_every_call_is_bounded),
        cmocka_unit_test(functions_that_are_not_compiled_or_run_elsewhere_have_no_effects),
        cmocka_unit_test(offloaded_code_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
