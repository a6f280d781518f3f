/* What an interval says, and what verdict_measure makes of findings. The kernels here are toys
 * whose two forms differ by so much, or so little, that only the state of the measurement could be
 * in doubt; no time is asserted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/number/predict.h"
#include "analyzer/number/scaling.h"
#include "analyzer/number/store.h"
#include "analyzer/number/verdict.h"
#include "bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void an_interval_above_the_line_confirms(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(1.11, 3, false, true), VERDICT_CONFIRMED);
}

static void an_interval_below_the_line_refutes(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(0.9, 1.04, false, true), VERDICT_REFUTED);
}

static void an_interval_that_holds_a_line_is_inconclusive(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(1.0, 1.06, false, true), VERDICT_INCONCLUSIVE);
    assert_int_equal(verdict_of(1.06, 1.09, false, true), VERDICT_INCONCLUSIVE);
    assert_int_equal(verdict_of(1.09, 1.3, false, true), VERDICT_INCONCLUSIVE);
}

static void noise_is_inconclusive_on_either_side(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(2, 9, true, true), VERDICT_INCONCLUSIVE);
    assert_int_equal(verdict_of(0.5, 1, true, true), VERDICT_INCONCLUSIVE);
}

static void another_question_is_inconclusive_however_clear_the_answer(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(5, 5.1, false, false), VERDICT_INCONCLUSIVE);
    assert_int_equal(verdict_of(0.9, 1, false, false), VERDICT_INCONCLUSIVE);
}

/* ---- findings with results that are already stored ---- */

static KernelState *toy_prepare(const Exposure *exposure, uint64_t work_steps)
{
    (void)exposure;
    (void)work_steps;
    return calloc(1, 1);
}

static uint64_t toy_run(KernelState *state, int thread, uint64_t count)
{
    (void)state;
    (void)thread;
    return (uint64_t)(bench_work(1, count) > 0) * count;
}

static void toy_release(KernelState *state)
{
    free(state);
}

static const Kernel TOY = {.name = "toy",
                           .prepare = toy_prepare,
                           .contended = toy_run,
                           .relieved = toy_run,
                           .release = toy_release};

static double half_again(const Machine *machine, const Exposure *exposure)
{
    (void)machine;
    return exposure->work_ns / 10;
}

static const Rule SLOW = {.id = "slow", .severity = SEVERITY_NOTE, .predict = half_again};
static const Rule WRONG = {.id = "wrong", .severity = SEVERITY_ERROR, .predict = half_again};
static const Rule BARE = {.id = "bare", .severity = SEVERITY_NOTE, .predict = half_again};

static const Kernel *toy_of(const Rule *rule)
{
    return strcmp(rule->id, "bare") == 0 ? NULL : &TOY;
}

typedef struct Desk {
    Arena *arena;
    Findings findings;
    VerdictOptions options;
    char path[64];
    int cores;
} Desk;

/* A run that asks about this machine, with `mode`; skips where threads cannot meet. */
static Desk desk_new(MeasureMode mode)
{
    Desk desk = {.arena = arena_new(), .cores = measure_cores()};
    snprintf(desk.path, sizeof desk.path, "/tmp/ponglint-verdict-%ld.json", (long)getpid());
    if (desk.cores < 2) {
        arena_free(desk.arena);
        skip();
    }
    desk.options = (VerdictOptions){.target = "",
                                    .kernel_of = toy_of,
                                    .mode = mode,
                                    .budget_seconds = 1,
                                    .threads = 2,
                                    .min_slowdown = 1.2};
    return desk;
}

static void desk_free(Desk *desk)
{
    (void)unlink(desk->path);
    arena_free(desk->arena);
}

static void add(Desk *desk, const Rule *rule, double work)
{
    LIST_PUSH(
        desk->arena, &desk->findings,
        (Finding){.rule = rule,
                  .severity = SEVERITY_ERROR,
                  .predicted = work / 10,
                  .predicted_threads = desk->options.threads,
                  .exposure = {.threads = desk->options.threads, .work_ns = work, .events = 1}});
}

/* Puts a result for a finding into the store. */
static void know(Desk *desk, uint32_t finding, int threads, double low, double ratio, double high,
                 bool trusted)
{
    char machine[17];
    machine_key(machine);
    Exposure rounded = store_rounded(&desk->findings.items[finding].exposure, threads);
    StoreResult result = {ratio, low, high, ratio * 10, 10, trusted};
    Store *store = store_open(desk->path);
    store_put(store, store_key(desk->arena, "toy", machine, &rounded), &result);
    assert_true(store_save(store));
    store_close(store);
    desk->options.store_path = desk->path;
}

static const Measured *measured(Desk *desk, uint32_t finding)
{
    assert_int_equal(verdict_measure(&desk->findings, desk->arena, &desk->options), 0);
    return &desk->findings.items[finding].measured;
}

static void a_stored_result_confirms_without_measuring(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_CACHED);
    add(&desk, &SLOW, 25);
    know(&desk, 0, 2, 2.3, 2.4, 2.5, true);
    const Measured *seen = measured(&desk, 0);
    assert_true(seen->present && seen->stored);
    assert_int_equal(seen->verdict, VERDICT_CONFIRMED);
    assert_string_equal(seen->kernel, "toy");
    assert_string_equal(seen->why, "");
    assert_false(seen->disagrees);
    assert_int_equal(desk.findings.items[0].severity, SEVERITY_ERROR);
    desk_free(&desk);
}

static void a_refuted_finding_becomes_a_note_unless_results_are_wrong(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_CACHED);
    add(&desk, &SLOW, 25);
    add(&desk, &WRONG, 25);
    know(&desk, 0, 2, 0.99, 1, 1.01, true);
    assert_int_equal(measured(&desk, 0)->verdict, VERDICT_REFUTED);
    assert_int_equal(desk.findings.items[0].severity, SEVERITY_NOTE);
    assert_int_equal(desk.findings.items[0].measured.demoted_from, SEVERITY_ERROR);
    assert_int_equal(desk.findings.items[1].measured.verdict, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(desk.findings.items[1].measured.why, "wrong"));
    assert_int_equal(desk.findings.items[1].severity, SEVERITY_ERROR);
    desk_free(&desk);
}

static void prediction_and_measurement_apart_by_more_than_half_disagree(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_CACHED);
    add(&desk, &SLOW, 40);
    know(&desk, 0, 2, 2.3, 2.4, 2.5, true);
    assert_true(measured(&desk, 0)->disagrees);
    desk_free(&desk);
}

static void asking_about_more_threads_than_cores_shows_and_never_demotes(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_CACHED);
    desk.options.threads = desk.cores + 10;
    add(&desk, &SLOW, 25);
    know(&desk, 0, desk.cores, 0.99, 1, 1.01, true);
    const Measured *seen = measured(&desk, 0);
    assert_int_equal(seen->verdict, VERDICT_INCONCLUSIVE);
    assert_int_equal(seen->threads, desk.cores);
    assert_true(seen->slowdown == 1);
    assert_non_null(strstr(seen->why, "add --threads "));
    assert_int_equal(desk.findings.items[0].severity, SEVERITY_ERROR);
    desk_free(&desk);
}

static void nothing_is_measured_for_more_threads_than_cores_that_the_user_asked_about(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_CACHED);
    desk.options.threads = desk.cores + 10;
    desk.options.threads_given = true;
    add(&desk, &SLOW, 25);
    add(&desk, &SLOW, 25);
    desk.findings.items[1].exposure.threads = 2; /* a team of its own, which fits */
    know(&desk, 0, desk.cores, 0.99, 1, 1.01, true);
    know(&desk, 1, 2, 2.3, 2.4, 2.5, true);
    assert_false(measured(&desk, 0)->present);
    assert_non_null(strstr(desk.findings.items[0].measured.why, "asked about"));
    assert_int_equal(desk.findings.items[1].measured.verdict, VERDICT_CONFIRMED);
    desk_free(&desk);
}

static void what_this_processors_code_does_not_hold_is_not_measured_and_predicted_as_nothing(
    void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_CACHED);
    add(&desk, &SLOW, 25);
    know(&desk, 0, desk.cores, 2.3, 2.4, 2.5, true);
    desk.options.target = "generic"; /* a processor that is newer than numba's LLVM */
    Finding *finding = &desk.findings.items[0];
    finding->portability = "others";
    finding->targets = TARGET_ZEN3;
    assert_false(measured(&desk, 0)->present);
    assert_non_null(strstr(finding->measured.why, "(generic) keeps no count"));
    assert_non_null(strstr(finding->measured.why, "stays on others"));
    Machine here = machine_generic();
    assert_true(predict_stays_on(finding, target_from_word(here.target)));
    snprintf(here.target, sizeof here.target, "generic");
    assert_true(predict_slowdown(finding, &here, &finding->exposure) == 1);
    desk.options.target = "znver5";
    assert_true(measured(&desk, 0)->present);
    snprintf(here.target, sizeof here.target, "%s", desk.options.target);
    assert_true(predict_stays_on(finding, target_from_word(here.target)));
    desk_free(&desk);
}

static void a_measurement_that_is_stopped_leaves_the_rest_and_keeps_what_is_stored(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_AUTO);
    const atomic_bool stop = true;
    desk.options.stop = &stop;
    add(&desk, &SLOW, 25);
    know(&desk, 0, 2, 2.3, 2.4, 2.5, true);
    add(&desk, &SLOW, 50);
    assert_int_equal(verdict_measure(&desk.findings, desk.arena, &desk.options), 1);
    assert_int_equal(desk.findings.items[0].measured.verdict, VERDICT_CONFIRMED);
    assert_false(desk.findings.items[1].measured.present);
    desk_free(&desk);
}

/* Keeps the last two reports of the progress. */
static void keep_progress(void *data, const VerdictProgress *progress)
{
    VerdictProgress *kept = data;
    kept[0] = kept[1];
    kept[1] = *progress;
}

static void progress_counts_up_and_says_when_it_is_over(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_AUTO);
    VerdictProgress kept[2] = {{0}, {0}};
    desk.options.progress = keep_progress;
    desk.options.data = kept;
    add(&desk, &SLOW, 25);
    add(&desk, &SLOW, 50);
    (void)verdict_measure(&desk.findings, desk.arena, &desk.options);
    assert_int_equal(kept[1].done, kept[1].of);
    assert_int_equal(kept[1].of, 2);
    assert_true(kept[0].left >= 0 && kept[0].left <= desk.options.budget_seconds);
    desk_free(&desk);
}

static void a_curve_has_what_is_measured_on_each_number_of_threads(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_CACHED);
    Machine machine = machine_generic();
    desk.options.machine = &machine;
    desk.options.scaling = true;
    desk.options.shown = SEVERITY_WARNING;
    add(&desk, &SLOW, 25);
    add(&desk, &SLOW, 25);
    desk.findings.items[1].severity = SEVERITY_NOTE; /* not shown: no curve */
    know(&desk, 0, 1, 1.2, 1.3, 1.4, true);
    know(&desk, 0, 2, 2.3, 2.4, 2.5, false); /* scattered: the curve does without it */
    (void)measured(&desk, 0);
    const Finding *finding = &desk.findings.items[0];
    assert_int_equal(finding->scaling.count, 2);
    assert_true(finding->scaling.items[0].slowdown == 1.3);
    assert_true(finding->scaling.items[0].contended_ns == 13);
    assert_true(finding->scaling.items[1].threads == 2);
    assert_true(finding->scaling.items[1].predicted == 2.5);
    assert_true(finding->scaling.items[1].slowdown == 0);
    assert_int_equal(desk.findings.items[1].scaling.count, 0);
    desk.options.mode = MEASURE_OFF;
    (void)verdict_measure(&desk.findings, desk.arena, &desk.options);
    assert_int_equal(finding->scaling.count, 2);
    assert_true(finding->scaling.items[0].slowdown == 0);
    desk_free(&desk);
}

static void a_curve_has_two_points_an_octave_its_end_and_the_cores(void **state)
{
    (void)state;
    static const int wanted[][12] = {{1, 2, 3, 4, 6, 8, 10, 12, 16, 20}, {1, 2}, {1}, {0}};
    const int threads[] = {20, 2, 1, 0}, cores[] = {10, 64, 2, 2};
    Desk desk = {.arena = arena_new()};
    Machine machine = machine_generic();
    for (int i = 0; i < 4; i++) {
        Finding finding = {.rule = &SLOW,
                           .predicted = 2,
                           .exposure = {.work_ns = 20},
                           .predicted_threads = threads[i]};
        scaling_predict(&finding, desk.arena, &machine, cores[i]);
        for (uint32_t at = 0; at < finding.scaling.count; at++)
            assert_int_equal(finding.scaling.items[at].threads, wanted[i][at]);
        assert_int_equal(wanted[i][finding.scaling.count], 0);
    }
    arena_free(desk.arena);
}

static void asking_about_another_machine_shows_and_never_demotes(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_CACHED);
    desk.options.other_machine = true;
    add(&desk, &SLOW, 25);
    know(&desk, 0, 2, 0.99, 1, 1.01, true);
    assert_int_equal(measured(&desk, 0)->verdict, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(desk.findings.items[0].measured.why, "another"));
    assert_int_equal(desk.findings.items[0].severity, SEVERITY_ERROR);
    desk_free(&desk);
}

static void a_noisy_result_is_inconclusive_and_says_so(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_CACHED);
    add(&desk, &SLOW, 25);
    know(&desk, 0, 2, 1.5, 2.4, 5, false);
    assert_int_equal(measured(&desk, 0)->verdict, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(desk.findings.items[0].measured.why, "quiet"));
    desk_free(&desk);
}

static void cached_measures_nothing_that_is_not_stored(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_CACHED);
    add(&desk, &SLOW, 25);
    assert_false(measured(&desk, 0)->present);
    desk_free(&desk);
}

static void off_and_rules_without_kernels_and_suppressed_findings_stay_unmeasured(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_OFF);
    add(&desk, &SLOW, 25);
    add(&desk, &BARE, 25);
    know(&desk, 0, 2, 2.3, 2.4, 2.5, true);
    assert_false(measured(&desk, 0)->present);
    desk.options.mode = MEASURE_CACHED;
    desk.findings.items[0].suppressed = true;
    assert_false(measured(&desk, 0)->present);
    assert_false(desk.findings.items[1].measured.present);
    desk_free(&desk);
}

static void what_is_missing_is_measured_once_for_equal_exposures_and_stored(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_AUTO);
    add(&desk, &SLOW, 25.01);
    add(&desk, &SLOW, 24.99);
    desk.options.store_path = desk.path;
    /* a machine so busy that no round came to its end leaves nothing: that is not what is asked */
    for (int tries = 0; tries < 20 && !measured(&desk, 0)->present; tries++)
        continue;
    const Measured *seen = &desk.findings.items[0].measured;
    if (!seen->present) {
        desk_free(&desk);
        skip();
    }
    assert_false(seen->stored);
    assert_true(seen->slowdown == desk.findings.items[1].measured.slowdown);
    assert_true(measured(&desk, 1)->stored);
    desk_free(&desk);
}

static void without_time_findings_are_left_and_counted(void **state)
{
    (void)state;
    Desk desk = desk_new(MEASURE_AUTO);
    add(&desk, &SLOW, 25);
    add(&desk, &SLOW, 50);
    desk.options.budget_seconds = 0;
    assert_int_equal(verdict_measure(&desk.findings, desk.arena, &desk.options), 2);
    assert_false(desk.findings.items[0].measured.present);
    desk_free(&desk);
}

static void the_store_lies_in_the_cache_folder(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    setenv("XDG_CACHE_HOME", "/c", 1);
    assert_string_equal(verdict_store_path(arena), "/c/ponglint/measured.json");
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", "/h", 1);
    assert_string_equal(verdict_store_path(arena), "/h/.cache/ponglint/measured.json");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_null(verdict_store_path(arena));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_above_the_line_confirms),
        cmocka_unit_test(an_interval_below_the_line_refutes),
        cmocka_unit_test(an_interval_that_holds_a_line_is_inconclusive),
        cmocka_unit_test(noise_is_inconclusive_on_either_side),
        cmocka_unit_test(another_question_is_inconclusive_however_clear_the_answer),
        cmocka_unit_test(a_stored_result_confirms_without_measuring),
        cmocka_unit_test(a_refuted_finding_becomes_a_note_unless_results_are_wrong),
        cmocka_unit_test(prediction_and_measurement_apart_by_more_than_half_disagree),
        cmocka_unit_test(asking_about_more_threads_than_cores_shows_and_never_demotes),
        cmocka_unit_test(nothing_is_measured_for_more_threads_than_cores_that_the_user_asked_about),
        cmocka_unit_test(
            what_this_processors_code_does_not_hold_is_not_measured_and_predicted_as_nothing),
        cmocka_unit_test(a_measurement_that_is_stopped_leaves_the_rest_and_keeps_what_is_stored),
        cmocka_unit_test(progress_counts_up_and_says_when_it_is_over),
        cmocka_unit_test(a_curve_has_what_is_measured_on_each_number_of_threads),
        cmocka_unit_test(a_curve_has_two_points_an_octave_its_end_and_the_cores),
        cmocka_unit_test(asking_about_another_machine_shows_and_never_demotes),
        cmocka_unit_test(a_noisy_result_is_inconclusive_and_says_so),
        cmocka_unit_test(cached_measures_nothing_that_is_not_stored),
        cmocka_unit_test(off_and_rules_without_kernels_and_suppressed_findings_stay_unmeasured),
        cmocka_unit_test(what_is_missing_is_measured_once_for_equal_exposures_and_stored),
        cmocka_unit_test(without_time_findings_are_left_and_counted),
        cmocka_unit_test(the_store_lies_in_the_cache_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
