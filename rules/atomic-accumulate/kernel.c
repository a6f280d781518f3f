/* A sum that is protected each time: every piece of work ends in `events` updates of one total, by
 * an atomic addition (of a floating-point number where access is ACCESS_EXCHANGE) or, where it is
 * ACCESS_UPDATE or ACCESS_CRITICAL, under a lock. Relieved: a private sum, added to the total once.
 */
#include "bench/kernel.h"

#include <stdlib.h>

enum { APART = 128 };

struct KernelState {
    uint64_t *total; /* on a line of its own */
    BenchLock lock;
    bool locks, exchanges;
    bool alone; /* nobody else updates it; each thread has a total of its own */
    uint64_t events, work_steps;
};

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    size_t threads = exposure->threads > 0 ? (size_t)exposure->threads : 1;
    state->total = aligned_alloc(APART, threads * APART);
    if (state->total == NULL ||
        !bench_lock_init(&state->lock, exposure->access, exposure->runtime)) {
        free(state->total);
        free(state);
        return NULL;
    }
    state->locks = exposure->access == ACCESS_UPDATE || exposure->access == ACCESS_CRITICAL;
    state->exchanges = exposure->access == ACCESS_EXCHANGE;
    state->alone = exposure->sharing != SHARING_ALL;
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    return state;
}

static void release(KernelState *state)
{
    bench_lock_end(&state->lock);
    free(state->total);
    free(state);
}

static void add(KernelState *state, uint64_t *total, uint64_t value)
{
    if (state->exchanges) {
        bench_add_real((double *)(void *)total, (double)value);
        return;
    }
    if (!state->locks) {
        __atomic_fetch_add(total, value, __ATOMIC_RELAXED);
        return;
    }
    bench_lock(&state->lock);
    bench_add_locked(total, value);
    bench_unlock(&state->lock);
}

BENCH_LOOP uint64_t add_each(KernelState *state, uint64_t *total, uint64_t count, uint64_t steps,
                             uint64_t events)
{
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, steps);
        uint64_t value = bench_whole(carried) + i;
        for (uint64_t e = 0; e < events; e++) {
            add(state, total, value);
            sum += value;
        }
    }
    return sum;
}

/* The sum that a thread has added is what both forms return. */
static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    uint64_t *total = state->total + (state->alone ? (size_t)thread * APART / sizeof *total : 0);
    return BENCH_BY_WORK(add_each, state->work_steps, state->events, state, total, count);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    uint64_t sum = BENCH_BY_WORK(bench_sum, state->work_steps, state->events, count);
    __atomic_fetch_add(state->total, sum, __ATOMIC_RELAXED);
    return sum;
}

const Kernel kernel_atomic_accumulate = {
    .name = "atomic-accumulate",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
};
