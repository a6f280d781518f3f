/* A sum without a reduction: all threads read, add to and write one shared total `events` times per
 * piece of work, and lose the updates that others make in between. Relieved: a private sum each.
 * Loads and stores of the total are relaxed atomics, which compile to the plain ones of the racing
 * program and are defined. */
#include "bench/kernel.h"

#include <stdlib.h>

enum { APART = 128 };

struct KernelState {
    uint64_t *total;     /* on lines of its own */
    uint64_t *published; /* the total that finished threads have accounted for */
    uint64_t events, work_steps;
};

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->total = aligned_alloc(APART, 2 * APART);
    if (state->total == NULL) {
        free(state);
        return NULL;
    }
    state->published = state->total + APART / sizeof *state->total;
    *state->total = *state->published = 0;
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    return state;
}

static void release(KernelState *state)
{
    free(state->total);
    free(state);
}

/* What the total has grown by since the last thread that finished looked. The sum of this over the
 * threads of a run is what the run has added: the last one to exchange has seen the updates of all.
 */
static uint64_t account(KernelState *state)
{
    uint64_t before = __atomic_load_n(state->published, __ATOMIC_ACQUIRE), now;
    do {
        now = __atomic_load_n(state->total, __ATOMIC_ACQUIRE);
    } while (!__atomic_compare_exchange_n(state->published, &before, now, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    return now - before;
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, state->work_steps);
        uint64_t value = (uint64_t)carried + i;
        for (uint64_t e = 0; e < state->events; e++) {
            uint64_t seen = __atomic_load_n(state->total, __ATOMIC_RELAXED);
            __atomic_store_n(state->total, seen + value, __ATOMIC_RELAXED);
        }
    }
    return account(state);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    double carried = 1;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, state->work_steps);
        uint64_t value = (uint64_t)carried + i;
        for (uint64_t e = 0; e < state->events; e++)
            sum += value;
    }
    return sum;
}

const Kernel kernel_missing_reduction = {
    .name = "missing-reduction",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
    .may_differ = true,
};
