/* Both forms of a kernel compute the same, for many exposures; a race alone may not. Nothing here
 * looks at a clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/rule.h"
#include "bench/kernel.h"
#include "bench/measure.h"
#include "bench/team.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const Kernel kernel_view_per_cell, kernel_alloc_in_kernel, kernel_adjacent_slots,
    kernel_missing_reduction;

typedef uint64_t Form(KernelState *state, int thread, uint64_t count);

typedef struct Member {
    pthread_t id;
    Form *form;
    KernelState *state;
    int thread;
    uint64_t count, checksum;
} Member;

static void *run_member(void *data)
{
    Member *member = data;
    member->checksum = member->form(member->state, member->thread, member->count);
    return NULL;
}

enum { MOST_THREADS = 4 };

/* Sum over the threads of a team. */
static uint64_t run_team(Form *form, KernelState *state, int threads, uint64_t count)
{
    Member members[MOST_THREADS];
    uint64_t sum = 0;
    for (int i = 0; i < threads; i++) {
        members[i] = (Member){.form = form, .state = state, .thread = i, .count = count};
        assert_int_equal(pthread_create(&members[i].id, NULL, run_member, &members[i]), 0);
    }
    for (int i = 0; i < threads; i++) {
        assert_int_equal(pthread_join(members[i].id, NULL), 0);
        sum += members[i].checksum;
    }
    return sum;
}

static void agree(const Kernel *kernel, Exposure exposure, uint64_t steps)
{
    for (exposure.threads = 1; exposure.threads <= MOST_THREADS; exposure.threads++) {
        KernelState *state = kernel->prepare(&exposure, steps);
        assert_non_null(state);
        for (uint64_t count = 0; count <= 1000; count = count * 10 + 1) {
            uint64_t relieved = run_team(kernel->relieved, state, exposure.threads, count);
            uint64_t contended = run_team(kernel->contended, state, exposure.threads, count);
            uint64_t again = run_team(kernel->contended, state, exposure.threads, count);
            if (kernel->may_differ && exposure.threads > 1)
                continue;
            assert_int_equal(contended, relieved);
            assert_int_equal(again, relieved);
        }
        kernel->release(state);
    }
}

static void views_shared_private_or_uncounted_give_the_same_sum(void **state)
{
    (void)state;
    for (int sharing = SHARING_NONE; sharing <= SHARING_ALL; sharing++) {
        for (int events = 0; events <= 100; events = events * 3 + 1)
            agree(&kernel_view_per_cell,
                  (Exposure){.work_ns = 4,
                             .events = events,
                             .overhead_ns = events % 2 * 2.3,
                             .sharing = (ExposureSharing)sharing},
                  3);
    }
}

static void a_view_kernel_runs_without_any_work(void **state)
{
    (void)state;
    agree(&kernel_view_per_cell, (Exposure){.events = 1, .sharing = SHARING_ALL}, 0);
}

static void allocating_and_reusing_give_the_same_sum_for_every_size(void **state)
{
    (void)state;
    for (int bytes = 0; bytes <= 100000; bytes = bytes * 7 + 1)
        agree(&kernel_alloc_in_kernel, (Exposure){.work_ns = 4, .events = 2, .bytes = bytes}, 3);
}

static void an_allocator_that_counts_gives_the_same_sum(void **state)
{
    (void)state;
    Exposure exposure = {.work_ns = 7.6, .events = 1, .overhead_ns = 37, .sharing = SHARING_ALL};
    agree(&kernel_alloc_in_kernel, exposure, 5);
    exposure.bytes = 1;
    agree(&kernel_alloc_in_kernel, exposure, 0);
}

static void near_and_far_slots_give_the_same_sum_for_every_stride_and_access(void **state)
{
    (void)state;
    static const double strides[] = {0, 1, 2, 4, 6, 8, 12, 40, 64, 256, 300};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        for (int access = ACCESS_STORE; access <= ACCESS_EXCHANGE; access++)
            agree(&kernel_adjacent_slots,
                  (Exposure){.work_ns = 2,
                             .events = 1 + (double)(i % 3),
                             .bytes = 24,
                             .stride = strides[i],
                             .access = (ExposureAccess)access},
                  2);
    }
}

static void a_race_is_right_on_one_thread_and_never_counts_more_than_all(void **state)
{
    (void)state;
    assert_true(kernel_missing_reduction.may_differ);
    for (int bytes = 0; bytes <= 512; bytes += 256) {
        Exposure exposure = {.work_ns = 2, .events = 3, .bytes = bytes, .sharing = SHARING_ALL};
        agree(&kernel_missing_reduction, exposure, 2);
        exposure.threads = 2;
        KernelState *kernel = kernel_missing_reduction.prepare(&exposure, 0);
        assert_non_null(kernel);
        uint64_t right = run_team(kernel_missing_reduction.relieved, kernel, 2, 100000);
        for (int i = 0; i < 5; i++) {
            uint64_t raced = run_team(kernel_missing_reduction.contended, kernel, 2, 100000);
            assert_true(raced > 0 && raced <= right);
        }
        kernel_missing_reduction.release(kernel);
    }
}

extern const Kernel kernel_atomic_accumulate, kernel_lock_per_iteration, kernel_shared_atomic,
    kernel_hidden_lock, kernel_interleaved_writes;

static void protected_and_private_updates_give_the_same_sum(void **state)
{
    (void)state;
    for (int access = ACCESS_UPDATE; access <= ACCESS_EXCHANGE; access++)
        for (int sharing = SHARING_PRIVATE; sharing <= SHARING_ALL; sharing++)
            for (int events = 1; events <= 3; events++) {
                Exposure exposure = {.work_ns = 4,
                                     .events = events,
                                     .share = 0.4,
                                     .sharing = (ExposureSharing)sharing,
                                     .access = (ExposureAccess)access};
                agree(&kernel_atomic_accumulate, exposure, 3);
                agree(&kernel_shared_atomic, exposure, 3);
                agree(&kernel_lock_per_iteration, exposure, 10);
                exposure.bytes = 4;
                agree(&kernel_shared_atomic, exposure, 3);
            }
}

static void library_calls_and_their_own_forms_give_the_same_sum(void **state)
{
    (void)state;
    for (int sharing = SHARING_NONE; sharing <= SHARING_ALL; sharing += 2)
        for (int ns = 0; ns <= 150; ns += 75)
            agree(&kernel_hidden_lock,
                  (Exposure){.work_ns = 4,
                             .events = 2,
                             .overhead_ns = ns,
                             .sharing = (ExposureSharing)sharing},
                  3);
}

static void writes_in_turn_and_in_blocks_give_the_same_sum(void **state)
{
    (void)state;
    static const double runs[] = {0, 1, 8, 24, 60, 128, 1e9};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (int bytes = 1; bytes <= 16; bytes *= 2)
            agree(&kernel_interleaved_writes,
                  (Exposure){.work_ns = 2,
                             .events = 3,
                             .bytes = bytes,
                             .stride = runs[i],
                             .access = i % 2 == 0 ? ACCESS_STORE : ACCESS_UPDATE},
                  2);
}

static void kernels_carry_the_names_of_their_rules(void **state)
{
    (void)state;
    assert_string_equal(kernel_view_per_cell.name, "view-per-cell");
    assert_string_equal(kernel_alloc_in_kernel.name, "alloc-in-kernel");
    assert_string_equal(kernel_adjacent_slots.name, "adjacent-slots");
    assert_string_equal(kernel_missing_reduction.name, "missing-reduction");
}

/* ---- every kernel there is ---- */

/* Figures of the sizes that findings have, without a pattern. */
static double draw(unsigned *seed, double most)
{
    *seed = *seed * 1103515245u + 12345u;
    return floor((double)(*seed >> 16 & 0x7fff) / 0x8000 * (most + 1));
}

static Exposure draw_exposure(unsigned *seed)
{
    return (Exposure){.work_ns = draw(seed, 40),
                      .events = 1 + draw(seed, 4),
                      .overhead_ns = draw(seed, 2) * 37,
                      .bytes = pow(2, draw(seed, 14)),
                      .stride = 8 * draw(seed, 40),
                      .share = draw(seed, 4) / 4,
                      .launches = draw(seed, 2),
                      .places = 1 + draw(seed, 3),
                      .sharing = (ExposureSharing)draw(seed, SHARING_ALL),
                      .access = (ExposureAccess)draw(seed, ACCESS_EXCHANGE)};
}

typedef struct Run {
    Form *form;
    KernelState *state;
} Run;

static uint64_t run_form(void *data, int thread, uint64_t count)
{
    const Run *run = data;
    return run->form(run->state, thread, count);
}

/* On pinned threads, as they are measured: some forms spin until all of the team are there. */
static void agree_on(const Kernel *kernel, Exposure exposure, int threads)
{
    int cpus[TEAM_MOST_THREADS];
    (void)team_cores(cpus, TEAM_MOST_THREADS);
    Team *team = team_new(threads, cpus);
    exposure.threads = threads;
    KernelState *state = kernel->prepare(&exposure, (uint64_t)exposure.work_ns);
    assert_non_null(state);
    assert_non_null(team);
    for (uint64_t count = 1; count <= 100; count *= 10) {
        Run by_relieved = {kernel->relieved, state}, by_contended = {kernel->contended, state};
        uint64_t relieved = team_run(team, run_form, &by_relieved, count).checksum;
        uint64_t contended = team_run(team, run_form, &by_contended, count).checksum;
        if (contended != relieved && !kernel->may_differ)
            fail_msg("%s: %llu, and %llu when relieved", kernel->name,
                     (unsigned long long)contended, (unsigned long long)relieved);
    }
    team_free(team);
    kernel->release(state);
}

static void both_forms_of_every_kernel_give_the_same_sum(void **state)
{
    (void)state;
    enum { DRAWS = 8 };
    unsigned seed = 1, kernels = 0;
    int cores = measure_cores() < MOST_THREADS ? measure_cores() : MOST_THREADS;
    for (unsigned i = 0; i < rule_count; i++) {
        if (kernel_table[i] == NULL)
            continue;
        kernels++;
        assert_string_equal(kernel_table[i]->name, rule_table[i]->id);
        for (int drawn = 0; drawn < DRAWS; drawn++)
            agree_on(kernel_table[i], draw_exposure(&seed), 1 + drawn % cores);
    }
    assert_true(kernels >= 22);
}

static double resident_bytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* As measure_kernel() hands them over, whatever a finding says. */
static void no_kernel_takes_more_than_2_gib_or_an_endless_piece(void **state)
{
    (void)state;
    static const double huge[] = {1e6, 1e12, 1e300};
    for (unsigned i = 0; i < rule_count; i++)
        for (size_t k = 0; kernel_table[i] != NULL && k < sizeof huge / sizeof *huge; k++) {
            double figure = huge[k];
            Exposure exposure = {.threads = 1, .work_ns = 10, .events = figure, .bytes = figure};
            exposure.stride = exposure.places = figure;
            exposure.overhead_ns = 40;
            exposure.sharing = SHARING_ALL;
            exposure = measure_bounded(&exposure);
            double before = resident_bytes();
            KernelState *kernel = kernel_table[i]->prepare(&exposure, (uint64_t)exposure.work_ns);
            assert_true(resident_bytes() - before < 2048.0 * 1024 * 1024);
            if (kernel == NULL)
                continue; /* no memory for it: that is said, and nothing is run */
            (void)run_team(kernel_table[i]->contended, kernel, 1, 1);
            (void)run_team(kernel_table[i]->relieved, kernel, 1, 1);
            kernel_table[i]->release(kernel);
        }
}

static void bounds_scale_the_work_with_what_they_cut(void **state)
{
    (void)state;
    Exposure exposure = {.threads = 2, .work_ns = 1e6, .events = 1e6};
    Exposure bounded = measure_bounded(&exposure);
    assert_true(bounded.events == 1e4 && fabs(bounded.work_ns - 1e4) < 1e-6);
    exposure = (Exposure){.threads = 2, .work_ns = 64, .events = 4, .bytes = 1 << 28};
    bounded = measure_bounded(&exposure);
    assert_true(bounded.events == 1 && bounded.bytes == 1 << 26 && bounded.work_ns == 4);
    exposure = (Exposure){.threads = 2, .work_ns = (double)NAN, .bytes = -1, .share = 7};
    bounded = measure_bounded(&exposure);
    assert_true(bounded.work_ns == 0 && bounded.bytes == 0 && bounded.share == 1);
    exposure = (Exposure){.threads = 2, .work_ns = 4, .events = 3, .bytes = 64, .stride = 8};
    bounded = measure_bounded(&exposure);
    assert_true(bounded.work_ns == 4 && bounded.events == 3);
    assert_true(bounded.bytes == 64 && bounded.stride == 8);
}

static void no_kernel_runs_on_more_threads_than_cores(void **state)
{
    (void)state;
    MeasureOptions options = {.threads = measure_cores() + 1, .seconds = 0.1, .step_ns = 1};
    const Exposure exposure = {.work_ns = 4, .events = 2, .bytes = 64};
    for (unsigned i = 0; i < rule_count; i++) {
        if (kernel_table[i] == NULL)
            continue;
        Measurement seen = measure_kernel(kernel_table[i], &exposure, &options);
        assert_int_equal(seen.state, MEASURE_ONE_CORE);
        assert_int_equal(seen.rounds, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_shared_private_or_uncounted_give_the_same_sum),
        cmocka_unit_test(a_view_kernel_runs_without_any_work),
        cmocka_unit_test(allocating_and_reusing_give_the_same_sum_for_every_size),
        cmocka_unit_test(an_allocator_that_counts_gives_the_same_sum),
        cmocka_unit_test(near_and_far_slots_give_the_same_sum_for_every_stride_and_access),
        cmocka_unit_test(a_race_is_right_on_one_thread_and_never_counts_more_than_all),
        cmocka_unit_test(protected_and_private_updates_give_the_same_sum),
        cmocka_unit_test(library_calls_and_their_own_forms_give_the_same_sum),
        cmocka_unit_test(writes_in_turn_and_in_blocks_give_the_same_sum),
        cmocka_unit_test(kernels_carry_the_names_of_their_rules),
        cmocka_unit_test(both_forms_of_every_kernel_give_the_same_sum),
        cmocka_unit_test(no_kernel_takes_more_than_2_gib_or_an_endless_piece),
        cmocka_unit_test(bounds_scale_the_work_with_what_they_cut),
        cmocka_unit_test(no_kernel_runs_on_more_threads_than_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
