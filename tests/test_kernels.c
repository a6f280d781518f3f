/* Both forms of a kernel compute the same, for many exposures; a race alone may not. Nothing here
 * looks at a clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/kernel.h"

#include <pthread.h>
#include <string.h>

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
        for (int access = ACCESS_STORE; access <= ACCESS_ATOMIC; access++)
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
    Exposure exposure = {.work_ns = 2, .events = 3, .sharing = SHARING_ALL};
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

extern const Kernel kernel_atomic_accumulate, kernel_lock_per_iteration, kernel_shared_atomic,
    kernel_hidden_lock, kernel_interleaved_writes;

static void protected_and_private_updates_give_the_same_sum(void **state)
{
    (void)state;
    for (int access = ACCESS_UPDATE; access <= ACCESS_ATOMIC; access++)
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
