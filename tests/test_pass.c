/* An event in, a finding with its place, trace, loops and exposure out; which of two findings
 * stays. */
#include "analyzer/pass.h"
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static double half_of_work(const Machine *machine, const Exposure *exposure)
{
    (void)machine;
    return 1 + exposure->events / (1 + exposure->work_ns);
}

static const Rule rule = {.id = "some-rule",
                          .summary = "",
                          .help = "",
                          .severity = SEVERITY_NOTE,
                          .predict = half_of_work};
static const Rule other_rule = {.id = "other-rule",
                                .summary = "",
                                .help = "",
                                .severity = SEVERITY_ERROR,
                                .predict = half_of_work};

typedef struct Bench {
    Lint lint;
    Machine machine;
    Findings findings;
    Pass pass;
} Bench;

static Bench *bench_of(Lint lint)
{
    Bench *bench = arena_alloc(lint.arena, sizeof *bench);
    bench->lint = lint;
    bench->machine = machine_generic();
    bench->pass = (Pass){.arena = lint.arena,
                         .program = lint.program,
                         .facts = lint.facts,
                         .work = work_new(lint.arena, lint.program, &bench->machine, NULL, 0),
                         .machine = &bench->machine,
                         .threads = 12,
                         .rule = &rule,
                         .findings = &bench->findings};
    return bench;
}

static void drop(Bench *bench)
{
    Lint lint = bench->lint;
    lint_free(&lint);
}

/* The finding at the origin of event number `index`. */
static Finding finding_at(Bench *bench, uint32_t index)
{
    const Event *event = facts_event(bench->lint.facts, index);
    return pass_finding(&bench->pass, event, event->origin->function, event->origin->node,
                        event->origin->node);
}

static const char nested[] = "static void add(double *p) {\n    *p += 1;\n}\n"
                             "static void middle(double *q) {\n    for (int k = 0; k < 8; k++)\n"
                             "        add(q);\n}\n"
                             "void f(double *a, long n) {\n#pragma omp parallel for\n"
                             "    for (long i = 0; i < n; i++)\n        middle(a);\n}\n";

static void the_finding_stands_at_the_origin_and_names_its_function(void **state)
{
    (void)state;
    Bench *bench = bench_of(lint_c(nested));
    Finding finding = finding_at(bench, 0);
    assert_string_equal(finding.function, "add");
    assert_string_equal(finding.region.source->path, "m.c");
    assert_int_equal(source_position(finding.region.source, finding.region.start).line, 2);
    assert_ptr_equal(finding.rule, &rule);
    assert_false(finding.doubtful);
    drop(bench);
}

static void the_trace_leads_from_the_loop_through_the_calls(void **state)
{
    (void)state;
    Bench *bench = bench_of(lint_c(nested));
    Finding finding = finding_at(bench, 0);
    assert_int_equal(finding.trace.count, 3);
    assert_string_equal(finding.trace.items[0].message, "parallel loop over i");
    assert_string_equal(finding.trace.items[1].message, "calls middle");
    assert_string_equal(finding.trace.items[2].message, "calls add");
    assert_int_equal(
        source_position(finding.region.source, finding.trace.items[1].region.start).line, 11);
    assert_int_equal(
        source_position(finding.region.source, finding.trace.items[2].region.start).line, 6);
    drop(bench);
}

static void loops_are_named_and_say_what_the_event_is_once_per(void **state)
{
    (void)state;
    Bench *bench = bench_of(lint_c("void f(double *a, long n) {\n#pragma omp parallel\n{\n"
                                   "a[0] += 1;\n#pragma omp for\nfor (long i = 0; i < n; i++) {\n"
                                   "a[1] += 1;\nfor (long j = 0; j < n; j++) { a[2] += 1;\n"
                                   "while (a[9]) a[3] += 1; } } }\n}\n"));
    static const struct {
        const char *per, *loops;
    } expected[] = {
        {"thread", ""}, {"iteration", "i"}, {"cell", "i and j"}, {"cell", "i, j and while"}};
    assert_int_equal(facts_event_count(bench->lint.facts), 4);
    for (uint32_t i = 0; i < 4; i++) {
        Finding finding = finding_at(bench, i);
        assert_string_equal(finding.per, expected[i].per);
        assert_string_equal(pass_loops(&bench->pass, &finding), expected[i].loops);
    }
    Finding finding = finding_at(bench, 1);
    assert_int_equal(finding.trace.count, 2);
    assert_string_equal(finding.trace.items[0].message, "parallel region");
    assert_string_equal(finding.trace.items[1].message,
                        "iterations over i are dealt out to the threads");
    drop(bench);
}

static void the_exposure_is_the_work_of_the_innermost_loop(void **state)
{
    (void)state;
    Bench *bench =
        bench_of(lint_c("void f(double *a, long n) {\n#pragma omp parallel for\n"
                        "for (long i = 0; i < n; i++) { a[0] += 1;\n"
                        "for (long j = 0; j < 1000; j++) a[1] += a[j] * a[j + 1];\n} }\n"));
    Finding outer = finding_at(bench, 0), inner = finding_at(bench, 1);
    assert_int_equal(outer.exposure.threads, 12);
    assert_true(outer.exposure.events == 1);
    assert_true(inner.exposure.work_ns > 0);
    assert_true(outer.exposure.work_ns > 100 * inner.exposure.work_ns);
    assert_string_equal(outer.assumed, "");
    drop(bench);
}

static void assumed_trip_counts_are_told(void **state)
{
    (void)state;
    Bench *bench = bench_of(lint_c("void f(double *a, long n) {\n#pragma omp parallel for\n"
                                   "for (long i = 0; i < n; i++) { a[0] += 1;\n"
                                   "for (long j = 0; j < n; j++) a[j] = 1;\n} }\n"));
    Finding finding = finding_at(bench, 0);
    assert_non_null(strstr(finding.assumed, "j runs "));
    drop(bench);
}

static const char *assumed_of(const char *const *said, uint32_t count, Bench **bench)
{
    *bench = bench_of(lint_c("static double g(const double *b, long m) {\ndouble s = 0;\n"
                             "for (long k = 0; k < m; k++) s += b[k];\nreturn s; }\n"
                             "void f(double *a, long n, long m) {\n#pragma omp parallel for\n"
                             "for (long i = 0; i < n; i++) a[0] += g(a, m) + g(a, m);\n}\n"));
    Bench *made = *bench;
    made->pass.work = work_new(made->lint.arena, made->lint.program, &made->machine, said, count);
    return finding_at(made, 0).assumed;
}

static void a_size_in_a_callee_is_told_once_and_by_the_name_that_assume_takes(void **state)
{
    (void)state;
    Bench *bench;
    assert_string_equal(assumed_of(NULL, 0, &bench), "k runs 16 times (m)");
    drop(bench);
    const char *said[] = {"m=1000"};
    assert_string_equal(assumed_of(said, 1, &bench), "");
    drop(bench);
}

static void a_statement_of_several_lines_is_cut_to_its_first_expression(void **state)
{
    (void)state;
    Bench *bench =
        bench_of(lint_c("void f(double *a, long n) {\n#pragma omp parallel for\n"
                        "for (long i = 0; i < n; i++)\n    a[0] +=\n        a[i];\n}\n"));
    const Event *event = facts_event(bench->lint.facts, 0);
    const Ast *ast = bench->lint.program->units[0]->ast;
    AstNode target = ast_first(ast, event->origin->node),
            value = ast_child(ast, event->origin->node, 1);
    Finding two = pass_finding(&bench->pass, event, event->origin->function, target, value);
    assert_int_equal(two.region.stop - two.region.start, 4);
    Finding one = pass_finding(&bench->pass, event, event->origin->function, target, target);
    assert_int_equal(one.region.stop, two.region.stop);
    drop(bench);
}

static void a_thread_that_is_started_by_hand_begins_the_trace(void **state)
{
    (void)state;
    Bench *bench = bench_of(lint_c("#include <pthread.h>\nstatic long c;\n"
                                   "static void *work(void *p) { c++; return p; }\n"
                                   "void f(pthread_t *id) { pthread_create(id, 0, work, 0); }\n"));
    Finding finding = finding_at(bench, 0);
    assert_string_equal(finding.trace.items[0].message, "threads are started here");
    assert_string_equal(finding.trace.items[1].message, "calls work");
    drop(bench);
}

static void code_with_a_syntax_error_is_doubtful(void **state)
{
    (void)state;
    Bench *bench =
        bench_of(lint_c("void f(double *a, long n) {\n#pragma omp parallel for\n"
                        "for (long i = 0; i < n; i++) a[0] += 1;\nunknown_t x = ;\n}\n"));
    assert_true(facts_event_count(bench->lint.facts) > 0);
    assert_true(finding_at(bench, 0).doubtful);
    drop(bench);
}

/* ---- adding ---- */

static Bench *two_updates(void)
{
    return bench_of(lint_c("void f(double *a, long n) {\n#pragma omp parallel for\n"
                           "for (long i = 0; i < n; i++) { a[0] += 1; a[1] += 1; }\n}\n"));
}

static void an_added_finding_is_predicted(void **state)
{
    (void)state;
    Bench *bench = two_updates();
    Finding finding = finding_at(bench, 0);
    finding.exposure.events = 3;
    pass_add(&bench->pass, &finding);
    assert_int_equal(bench->findings.count, 1);
    assert_true(bench->findings.items[0].predicted > 1);
    drop(bench);
}

static void of_two_at_one_place_the_costlier_stays(void **state)
{
    (void)state;
    Bench *bench = two_updates();
    Finding cheap = finding_at(bench, 0), costly = cheap;
    cheap.message = "cheap";
    costly.message = "costly";
    costly.exposure.events = 5;
    pass_add(&bench->pass, &cheap);
    pass_add(&bench->pass, &costly);
    pass_add(&bench->pass, &cheap);
    assert_int_equal(bench->findings.count, 1);
    assert_string_equal(bench->findings.items[0].message, "costly");
    drop(bench);
}

static void one_that_is_more_than_a_note_outdoes_one_that_stays_a_note(void **state)
{
    (void)state;
    Bench *bench = two_updates();
    Finding note = finding_at(bench, 0), real = note;
    note.note_only = true;
    note.exposure.events = 9;
    real.message = "real";
    pass_add(&bench->pass, &note);
    pass_add(&bench->pass, &real);
    pass_add(&bench->pass, &note);
    assert_int_equal(bench->findings.count, 1);
    assert_string_equal(bench->findings.items[0].message, "real");
    drop(bench);
}

static void findings_of_other_rules_and_other_places_stay_beside_it(void **state)
{
    (void)state;
    Bench *bench = two_updates();
    Finding first = finding_at(bench, 0), second = finding_at(bench, 1);
    pass_add(&bench->pass, &first);
    pass_add(&bench->pass, &second);
    bench->pass.rule = &other_rule;
    Finding third = finding_at(bench, 0);
    pass_add(&bench->pass, &third);
    assert_int_equal(bench->findings.count, 3);
    drop(bench);
}

static void a_note_that_is_lost_in_its_work_is_not_added_but_an_error_is(void **state)
{
    (void)state;
    Bench *bench = two_updates();
    Finding finding = finding_at(bench, 0);
    finding.exposure.work_ns = 1e6;
    pass_add(&bench->pass, &finding);
    assert_int_equal(bench->findings.count, 0);
    bench->pass.rule = &other_rule;
    finding = finding_at(bench, 0);
    finding.exposure.work_ns = 1e6;
    pass_add(&bench->pass, &finding);
    assert_int_equal(bench->findings.count, 1);
    drop(bench);
}

static void texts_and_edits_are_of_the_nodes_own_file(void **state)
{
    (void)state;
    Bench *bench =
        bench_of(LINT_FILES({"add.h", "static inline void add(double *p) { *p += 1; }\n"},
                            {"m.c", "#include \"add.h\"\nvoid f(double *a, long n) {\n"
                                    "#pragma omp parallel for\n"
                                    "for (long i = 0; i < n; i++) add(a);\n}\n"}));
    const Event *event = facts_event(bench->lint.facts, 0);
    assert_string_equal(pass_text(&bench->pass, event->origin->function, event->origin->node),
                        "*p += 1");
    assert_string_equal(pass_function_name(&bench->pass, event->origin->function), "add");
    assert_string_equal(pass_function_name(&bench->pass, 0), "");
    Fix fix = {.description = ""};
    pass_edit(&bench->pass, &fix, event->origin->function, event->origin->node, 3, 5, "new");
    assert_int_equal(fix.edits.count, 1);
    assert_string_equal(fix.edits.items[0].text, "new");
    assert_string_equal(fix.edits.items[0].region.source->path, "add.h");
    assert_int_equal(fix.edits.items[0].region.start, 3);
    assert_int_equal(fix.edits.items[0].region.stop, 5);
    drop(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_finding_stands_at_the_origin_and_names_its_function),
        cmocka_unit_test(the_trace_leads_from_the_loop_through_the_calls),
        cmocka_unit_test(loops_are_named_and_say_what_the_event_is_once_per),
        cmocka_unit_test(the_exposure_is_the_work_of_the_innermost_loop),
        cmocka_unit_test(assumed_trip_counts_are_told),
        cmocka_unit_test(a_size_in_a_callee_is_told_once_and_by_the_name_that_assume_takes),
        cmocka_unit_test(a_statement_of_several_lines_is_cut_to_its_first_expression),
        cmocka_unit_test(a_thread_that_is_started_by_hand_begins_the_trace),
        cmocka_unit_test(code_with_a_syntax_error_is_doubtful),
        cmocka_unit_test(an_added_finding_is_predicted),
        cmocka_unit_test(of_two_at_one_place_the_costlier_stays),
        cmocka_unit_test(one_that_is_more_than_a_note_outdoes_one_that_stays_a_note),
        cmocka_unit_test(findings_of_other_rules_and_other_places_stay_beside_it),
        cmocka_unit_test(a_note_that_is_lost_in_its_work_is_not_added_but_an_error_is),
        cmocka_unit_test(texts_and_edits_are_of_the_nodes_own_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
