/* The loop counter of schedule(dynamic): every chunk of 1 / events pieces is taken by an atomic
 * addition to one counter of all threads, and each piece writes a result of `bytes` bytes beside
 * that of the next one. Relieved: each thread counts for itself, as in a static schedule, and has a
 * part of the results for itself. Both run the same number of pieces on each thread, so that the
 * checksums agree. */
#include "bench/kernel.h"

#include <stdlib.h>
#include <string.h>

enum { APART = 128, ROOM = 1 << 16 /* bytes of results */ };

struct KernelState {
    uint64_t *next;         /* the shared counter, on a line of its own */
    unsigned char *results; /* ROOM for all, and ROOM for each thread */
    size_t bytes;           /* of a result; 0: none is written */
    uint64_t chunk, work_steps;
};

static void release(KernelState *state)
{
    free(state->next);
    free(state->results);
    free(state);
}

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    size_t threads = exposure->threads > 0 ? (size_t)exposure->threads : 1;
    state->next = aligned_alloc(APART, APART);
    state->results = aligned_alloc(APART, (threads + 1) * ROOM);
    if (state->next == NULL || state->results == NULL) {
        release(state);
        return NULL;
    }
    memset(state->results, 0, (threads + 1) * ROOM);
    state->bytes = exposure->bytes > 0 ? (size_t)exposure->bytes : 0;
    *state->next = 0;
    state->chunk =
        exposure->events > 0 && exposure->events < 1 ? (uint64_t)(1 / exposure->events + 0.5) : 1;
    state->work_steps = work_steps;
    return state;
}

/* One chunk, whose first piece has number `number`; the numbers only say where results go, since an
 * index may go to any thread. */
BENCH_LOOP uint64_t run_chunk(const KernelState *state, unsigned char *results, double *carried,
                              uint64_t number, uint64_t first, uint64_t stop, uint64_t steps)
{
    uint64_t sum = 0;
    for (uint64_t i = first; i < stop; i++) {
        *carried = bench_work(*carried, steps);
        sum += bench_whole(*carried) + i;
        if (state->bytes > 0)
            bench_put_result(results, ROOM, number + i - first, state->bytes);
    }
    return sum;
}

BENCH_LOOP uint64_t take_chunks(KernelState *state, uint64_t count, uint64_t steps, uint64_t each)
{
    (void)each;
    uint64_t sum = 0;
    double carried = 1;
    for (uint64_t i = 0; i < count; i += state->chunk) {
        uint64_t taken = __atomic_fetch_add(state->next, state->chunk, __ATOMIC_RELAXED);
        BENCH_KEEP(taken);
        uint64_t stop = i + state->chunk < count ? i + state->chunk : count;
        sum += run_chunk(state, state->results, &carried, taken, i, stop, steps);
    }
    return sum;
}

BENCH_LOOP uint64_t run_all(const KernelState *state, unsigned char *results, uint64_t count,
                            uint64_t steps, uint64_t each)
{
    (void)each;
    double carried = 1;
    return run_chunk(state, results, &carried, 0, 0, count, steps);
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    return BENCH_BY_WORK(take_chunks, state->work_steps, 1, state, count);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    unsigned char *own = state->results + (size_t)(thread + 1) * ROOM;
    return BENCH_BY_WORK(run_all, state->work_steps, 1, state, own, count);
}

const Kernel kernel_contended_schedule = {
    .name = "contended-schedule",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
};
