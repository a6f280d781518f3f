/* A running total that is stored in every iteration, `events` times beside its work. Contended: the
 * total is a reduction, so that each thread stores its own part, which depends on where its share
 * begins. Relieved: what an iteration stores is of its own making, and the total is only added to.
 * Both cost the same; the stored values differ. */
#include "bench/kernel.h"

#include <stdlib.h>

enum { APART = 128, RING = 64 };

struct KernelState {
    uint64_t *stored; /* RING places per thread */
    uint64_t events, work_steps;
};

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    size_t threads = exposure->threads < 1 ? 1 : (size_t)exposure->threads;
    if (state == NULL)
        return NULL;
    state->stored = aligned_alloc(APART, threads * RING * sizeof *state->stored);
    if (state->stored == NULL) {
        free(state);
        return NULL;
    }
    for (size_t i = 0; i < threads * RING; i++)
        state->stored[i] = 0;
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    return state;
}

static void release(KernelState *state)
{
    free(state->stored);
    free(state);
}

static uint64_t run(const KernelState *state, int thread, uint64_t count, bool running)
{
    uint64_t *stored = state->stored + (size_t)thread * RING;
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    uint64_t total = 0, sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, state->work_steps);
        for (uint64_t e = 0; e < state->events; e++) {
            uint64_t value = bench_whole(carried) + i + e;
            total += value;
            stored[i % RING] = running ? total : value;
            BENCH_KEEP(stored);
            sum += stored[i % RING];
        }
    }
    return running ? sum : total;
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    return run(state, thread, count, true);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    return run(state, thread, count, false);
}

const Kernel kernel_reduction_as_scratch = {
    .name = "reduction-as-scratch",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
    .may_differ = true,
};
