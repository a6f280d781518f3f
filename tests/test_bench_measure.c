/* The team, the statistics and the measuring loop. Nothing here depends on how fast or how busy the
 * machine is: what a measurement says about time is not tested, only what must hold of any
 * measurement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/statistics.h"
#include "bench/team.h"

/* ---- statistics ---- */

static void the_median_of_an_even_count_is_between_the_middle_two(void **state)
{
    (void)state;
    double values[] = {4, 1, 3, 2};
    assert_true(statistics_median(values, 4) == 2.5);
    assert_true(statistics_median(values, 1) == 1);
    assert_true(statistics_median(values, 0) == 0);
}

static void the_interval_holds_its_median_whatever_the_count(void **state)
{
    (void)state;
    double values[1000];
    for (int count = 1; count <= 1000; count++) {
        for (int i = 0; i < count; i++)
            values[i] = (i * 7919) % 1009;
        Interval interval = statistics_interval(values, count);
        assert_true(interval.low <= interval.middle && interval.middle <= interval.high);
        assert_int_equal(interval.covered, count >= 6);
    }
}

/* Ranks from tables of the sign test. */
static void the_interval_takes_the_ranks_of_the_sign_test(void **state)
{
    (void)state;
    static const struct {
        int count, rank;
    } known[] = {{6, 1}, {8, 1}, {9, 2}, {10, 2}, {15, 4}, {20, 6}, {50, 18}, {100, 40}};
    double values[100];
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        for (int i = 0; i < known[k].count; i++)
            values[i] = i + 1;
        Interval interval = statistics_interval(values, known[k].count);
        assert_int_equal((int)interval.low, known[k].rank);
        assert_int_equal((int)interval.high, known[k].count + 1 - known[k].rank);
    }
}

/* Ranks from the exact distribution of exceedances, by integers of any size. */
static void the_interval_of_another_run_takes_the_ranks_of_exceedances(void **state)
{
    (void)state;
    static const struct {
        int count, rank;
    } known[] = {{8, 1}, {11, 1}, {12, 2}, {14, 3}, {15, 2}, {20, 5}, {40, 12}};
    double values[80];
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        for (int i = 0; i < known[k].count; i++)
            values[i] = i + 1;
        Interval interval = statistics_repeat_interval(values, known[k].count, known[k].count);
        assert_true(interval.covered);
        assert_int_equal((int)interval.low, known[k].rank);
        assert_int_equal((int)interval.high, known[k].count + 1 - known[k].rank);
    }
    for (int i = 0; i < 80; i++)
        values[i] = i + 1;
    assert_int_equal((int)statistics_repeat_interval(values, 80, 40).low, 12);
    Interval few = statistics_repeat_interval(values, 7, 3);
    assert_false(few.covered);
    assert_true(few.low == 1 && few.high == 7);
    assert_false(statistics_repeat_interval(values, 0, 0).covered);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed >> 11;
}

/* Two runs of twelve values each, from one long-tailed distribution, a thousand times over. */
static void the_interval_holds_the_median_of_another_run_in_95_of_100(void **state)
{
    (void)state;
    enum { VALUES = 12, TRIALS = 1000 };
    uint64_t seed = 88172645463325252u;
    int held = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double run[2][VALUES];
        for (int i = 0; i < 2 * VALUES; i++)
            run[i / VALUES][i % VALUES] = 1 / (1e-3 + (double)(next_random(&seed) % 1000));
        Interval interval = statistics_repeat_interval(run[0], VALUES, VALUES);
        double other = statistics_median(run[1], VALUES);
        held += interval.low <= other && other <= interval.high;
    }
    assert_in_range(held, 950, TRIALS);
}

static void no_values_give_an_interval_that_covers_nothing(void **state)
{
    (void)state;
    Interval interval = statistics_interval(NULL, 0);
    assert_false(interval.covered);
}

static void the_spread_of_equal_values_is_zero(void **state)
{
    (void)state;
    double equal[] = {3, 3, 3, 3, 3}, wide[] = {1, 2, 3, 4, 5};
    assert_true(statistics_spread(equal, 5) == 0);
    assert_true(statistics_spread(wide, 5) > 0.5);
}

/* ---- the team ---- */

enum { SOME_THREADS = 3 };

static uint64_t note_visit(void *state, int thread, uint64_t count)
{
    uint64_t *visits = state;
    visits[thread] += count;
    return (uint64_t)thread + 1;
}

static void every_thread_runs_once_with_its_own_number(void **state)
{
    (void)state;
    uint64_t visits[SOME_THREADS] = {0};
    Team *team = team_new(SOME_THREADS, NULL);
    assert_non_null(team);
    assert_int_equal(team_threads(team), SOME_THREADS);
    for (int run = 1; run <= 50; run++) {
        TeamRun result = team_run(team, note_visit, visits, 10);
        assert_int_equal(result.checksum, 1 + 2 + 3);
        for (int i = 0; i < SOME_THREADS; i++) {
            assert_int_equal(visits[i], 10 * run);
            assert_true(team_thread_ns(team, i) <= result.wall_ns);
            assert_true(team_thread_ns(team, i) >= result.fastest_ns);
        }
    }
    team_free(team);
}

static void a_team_on_the_cores_of_this_process_runs(void **state)
{
    (void)state;
    int cpus[4];
    int cores = team_cores(cpus, 4);
    uint64_t visits[4] = {0};
    assert_true(cores >= 1 && cores <= team_processors());
    assert_int_equal(measure_cores(), cores);
    Team *team = team_new(cores < 4 ? cores : 4, cpus);
    assert_non_null(team);
    team_run(team, note_visit, visits, 1);
    assert_int_equal(visits[0], 1);
    team_free(team);
}

static void pinning_to_a_processor_that_does_not_exist_is_let_go(void **state)
{
    (void)state;
    int nowhere[1] = {8191};
    uint64_t visits[1] = {0};
    Team *team = team_new(1, nowhere);
    assert_non_null(team);
    assert_false(team_pinned(team));
    team_run(team, note_visit, visits, 7);
    assert_int_equal(visits[0], 7);
    team_free(team);
}

static void a_team_that_never_ran_can_be_freed(void **state)
{
    (void)state;
    team_free(team_new(2, NULL));
    team_free(NULL);
}

static void a_team_of_no_or_too_many_threads_is_refused(void **state)
{
    (void)state;
    assert_null(team_new(0, NULL));
    assert_null(team_new(-1, NULL));
    assert_null(team_new(TEAM_MOST_THREADS + 1, NULL));
}

/* ---- a kernel to measure ---- */

struct KernelState {
    uint64_t steps;
};

/* prepare() gets no context, so what it and release() did is counted here. */
static int prepared, released;

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    (void)exposure;
    KernelState *state = malloc(sizeof *state);
    if (state == NULL)
        return NULL;
    state->steps = work_steps;
    prepared++;
    return state;
}

static KernelState *prepare_nothing(const Exposure *exposure, uint64_t work_steps)
{
    (void)exposure, (void)work_steps;
    return NULL;
}

static void release(KernelState *state)
{
    released++;
    free(state);
}

static uint64_t work(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    for (uint64_t i = 0; i < count; i++)
        BENCH_KEEP(bench_work(1.0, state->steps));
    return count;
}

static uint64_t work_and_lose_one(KernelState *state, int thread, uint64_t count)
{
    return work(state, thread, count) - 1;
}

static const Kernel EVEN = {
    .name = "even", .prepare = prepare, .contended = work, .relieved = work, .release = release};

static const Exposure SMALL = {.threads = 1, .work_ns = 20, .events = 1};

static Measurement measure(Kernel kernel, Exposure exposure, MeasureOptions options)
{
    prepared = released = 0;
    Measurement result = measure_kernel(&kernel, &exposure, &options);
    assert_int_equal(prepared, released);
    assert_non_null(result.why);
    assert_true((result.state == MEASURE_DONE) == (result.why[0] == '\0'));
    return result;
}

/* ---- measuring ---- */

static void the_interval_of_a_measurement_holds_its_ratio(void **state)
{
    (void)state;
    Measurement result = measure(EVEN, SMALL, (MeasureOptions){.seconds = 1});
    assert_true(result.state == MEASURE_DONE || result.state == MEASURE_NOISY);
    assert_int_equal(result.threads, 1);
    assert_false(result.wrong);
    assert_true(result.low <= result.ratio && result.ratio <= result.high);
    if (result.rounds > 0) {
        assert_true(result.low > 0 && result.contended_ns > 0 && result.relieved_ns > 0);
        assert_int_equal(result.contended_checksum, result.relieved_checksum);
    }
    if (result.state == MEASURE_DONE)
        assert_true(result.rounds >= 8 && !result.crowded);
}

static void all_cores_can_be_measured(void **state)
{
    (void)state;
    MeasureOptions options = {.threads = measure_cores(), .seconds = 0.3};
    Measurement result = measure(EVEN, SMALL, options);
    assert_true(result.state == MEASURE_DONE || result.state == MEASURE_NOISY);
    assert_int_equal(result.threads, options.threads);
    assert_true(result.low <= result.ratio && result.ratio <= result.high);
}

static void more_threads_than_cores_are_not_run(void **state)
{
    (void)state;
    MeasureOptions options = {.threads = measure_cores() + 1, .seconds = 1};
    Measurement result = measure(EVEN, SMALL, options);
    assert_int_equal(result.state, MEASURE_ONE_CORE);
    assert_int_equal(result.rounds, 0);
    assert_int_equal(prepared, 0);
    assert_string_equal(result.why, "fewer cores than threads");
}

static void a_tiny_budget_gives_noise_and_no_figures(void **state)
{
    (void)state;
    Exposure empty = SMALL;
    empty.work_ns = 0;
    Measurement result = measure(EVEN, empty, (MeasureOptions){.seconds = 1e-9, .step_ns = 1});
    assert_int_equal(result.state, MEASURE_NOISY);
    assert_int_equal(result.rounds, 0);
    assert_true(result.ratio == 0 && result.low == 0 && result.high == 0);
}

static void work_that_does_not_fit_the_budget_is_not_started(void **state)
{
    (void)state;
    Exposure endless = SMALL;
    endless.work_ns = 1e15;
    Measurement result = measure(EVEN, endless, (MeasureOptions){.seconds = 1});
    assert_int_equal(result.state, MEASURE_NOISY);
    assert_int_equal(prepared, 0);
}

static void forms_that_compute_different_results_are_a_fault(void **state)
{
    (void)state;
    Kernel wrong = EVEN;
    wrong.contended = work_and_lose_one;
    Measurement result = measure(wrong, SMALL, (MeasureOptions){.seconds = 1});
    assert_int_equal(result.state, MEASURE_NOISY);
    if (result.count > 0) /* it came to a round */
        assert_true(result.wrong);
}

static void a_race_may_compute_different_results(void **state)
{
    (void)state;
    Kernel race = EVEN;
    race.contended = work_and_lose_one;
    race.may_differ = true;
    Measurement result = measure(race, SMALL, (MeasureOptions){.seconds = 1});
    assert_false(result.wrong);
    if (result.count > 0)
        assert_int_equal(result.contended_checksum + 1, result.relieved_checksum);
}

static void a_stop_flag_ends_the_measurement(void **state)
{
    (void)state;
    atomic_bool stop = true;
    Measurement result = measure(EVEN, SMALL, (MeasureOptions){.seconds = 1, .stop = &stop});
    assert_int_equal(result.state, MEASURE_STOPPED);
}

static void a_kernel_without_memory_is_said_to_have_none(void **state)
{
    (void)state;
    Kernel poor = EVEN;
    poor.prepare = prepare_nothing;
    Measurement result = measure(poor, SMALL, (MeasureOptions){.seconds = 1});
    assert_int_equal(result.state, MEASURE_NO_MEMORY);
}

static void a_step_of_work_takes_time(void **state)
{
    (void)state;
    assert_true(measure_step_ns() > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_of_an_even_count_is_between_the_middle_two),
        cmocka_unit_test(the_interval_holds_its_median_whatever_the_count),
        cmocka_unit_test(the_interval_takes_the_ranks_of_the_sign_test),
        cmocka_unit_test(the_interval_of_another_run_takes_the_ranks_of_exceedances),
        cmocka_unit_test(the_interval_holds_the_median_of_another_run_in_95_of_100),
        cmocka_unit_test(no_values_give_an_interval_that_covers_nothing),
        cmocka_unit_test(the_spread_of_equal_values_is_zero),
        cmocka_unit_test(every_thread_runs_once_with_its_own_number),
        cmocka_unit_test(a_team_on_the_cores_of_this_process_runs),
        cmocka_unit_test(pinning_to_a_processor_that_does_not_exist_is_let_go),
        cmocka_unit_test(a_team_that_never_ran_can_be_freed),
        cmocka_unit_test(a_team_of_no_or_too_many_threads_is_refused),
        cmocka_unit_test(the_interval_of_a_measurement_holds_its_ratio),
        cmocka_unit_test(all_cores_can_be_measured),
        cmocka_unit_test(more_threads_than_cores_are_not_run),
        cmocka_unit_test(a_tiny_budget_gives_noise_and_no_figures),
        cmocka_unit_test(work_that_does_not_fit_the_budget_is_not_started),
        cmocka_unit_test(forms_that_compute_different_results_are_a_fault),
        cmocka_unit_test(a_race_may_compute_different_results),
        cmocka_unit_test(a_stop_flag_ends_the_measurement),
        cmocka_unit_test(a_kernel_without_memory_is_said_to_have_none),
        cmocka_unit_test(a_step_of_work_takes_time),
    };
    return cmocka_run_group_tests_name("bench measure", tests, NULL, NULL);
}
