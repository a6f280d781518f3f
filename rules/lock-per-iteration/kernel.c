/* A lock around part of every piece of work: `share` of the steps is done under it, with an update
 * of a small table. Contended: one lock and one table for all threads. Relieved: a table for each
 * thread, without a lock, added to the common one once. */
#include "bench/kernel.h"

#include <stdlib.h>
#include <string.h>

enum { APART = 128, SLOTS = 64 };

typedef struct Table {
    uint64_t slots[SLOTS];
} Table;

struct KernelState {
    Table *common, *own; /* own: one for each thread */
    BenchLock lock;
    uint64_t outside, inside; /* steps of a piece of work */
    uint64_t events;
};

static void release(KernelState *state)
{
    bench_lock_end(&state->lock);
    free(state->common);
    free(state->own);
    free(state);
}

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    if (!bench_lock_init(&state->lock, exposure->access, exposure->runtime)) {
        free(state);
        return NULL;
    }
    size_t threads = exposure->threads > 0 ? (size_t)exposure->threads : 1;
    state->common = aligned_alloc(APART, sizeof *state->common);
    state->own = aligned_alloc(APART, threads * sizeof *state->own);
    if (state->common == NULL || state->own == NULL) {
        release(state);
        return NULL;
    }
    double share = exposure->share < 0 ? 0 : exposure->share > 1 ? 1 : exposure->share;
    memset(state->common, 0, sizeof *state->common);
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->inside = (uint64_t)((double)work_steps * share / (double)state->events);
    uint64_t locked = state->inside * state->events;
    state->outside = work_steps > locked ? work_steps - locked : 0;
    return state;
}

static uint64_t update(Table *table, double *carried, uint64_t steps, uint64_t i)
{
    *carried = bench_work(*carried, steps);
    uint64_t value = (uint64_t)*carried + i;
    bench_add_locked(&table->slots[value % SLOTS], value);
    BENCH_KEEP(table);
    return value;
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, state->outside);
        for (uint64_t e = 0; e < state->events; e++) {
            bench_lock(&state->lock);
            sum += update(state->common, &carried, state->inside, i);
            bench_unlock(&state->lock);
        }
    }
    return sum;
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    Table *own = &state->own[thread];
    double carried = 1;
    uint64_t sum = 0;
    memset(own, 0, sizeof *own);
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, state->outside);
        for (uint64_t e = 0; e < state->events; e++)
            sum += update(own, &carried, state->inside, i);
    }
    bench_lock(&state->lock);
    for (size_t k = 0; k < SLOTS; k++)
        bench_add_locked(&state->common->slots[k], own->slots[k]);
    bench_unlock(&state->lock);
    return sum;
}

const Kernel kernel_lock_per_iteration = {
    .name = "lock-per-iteration",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
};
