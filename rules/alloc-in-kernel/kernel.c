/* Allocation per piece of work: `events` times a block of `bytes` is allocated, touched on every
 * line and freed. Relieved: one buffer a thread, reused. With overhead_ns (numba's run time: a
 * header and statistics around malloc) the rest of that time is emulated by a longer chain of work;
 * with SHARING_ALL, each allocation then also counts itself four times in statistics that lie on
 * one line for all threads, as numba does up to 0.56. */
#include "bench/kernel.h"

#include <stdlib.h>
#include <string.h>

#define MALLOC_NS    5.0 /* of a small block, beside other work */
#define STEPS_PER_NS 1.2 /* where the exposure gives none */

enum { LINE = 64, APART = 128, NRT_HEADER = 96 };

typedef struct Statistics {
    _Alignas(APART) uint64_t allocated;
    uint64_t freed, headers_allocated, headers_freed;
} Statistics;

struct KernelState {
    Statistics *statistics;  /* NULL: not counted */
    unsigned char **buffers; /* one a thread */
    int threads;
    size_t bytes;                                /* that the loop touches */
    size_t header;                               /* bytes in front of them */
    uint64_t events, work_steps, overhead_steps; /* overhead_steps: for all events together */
};

static void release(KernelState *state)
{
    for (int i = 0; state->buffers != NULL && i < state->threads; i++)
        free(state->buffers[i]);
    free(state->buffers);
    free(state->statistics);
    free(state);
}

static bool buffers_new(KernelState *state)
{
    state->buffers = calloc((size_t)state->threads, sizeof *state->buffers);
    if (state->buffers == NULL)
        return false;
    size_t room = (state->header + state->bytes + APART - 1) / APART * APART;
    for (int i = 0; i < state->threads; i++) {
        state->buffers[i] = aligned_alloc(APART, room);
        if (state->buffers[i] == NULL)
            return false;
        memset(state->buffers[i], 0, room);
    }
    return true;
}

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->threads = exposure->threads > 0 ? exposure->threads : 1;
    state->bytes = exposure->bytes >= 1 ? (size_t)exposure->bytes : 64;
    state->header = exposure->overhead_ns > 0 ? NRT_HEADER : 0;
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    double per_ns = work_steps > 0 ? (double)work_steps / exposure->work_ns : STEPS_PER_NS;
    double rest = (exposure->overhead_ns - MALLOC_NS) * (double)state->events;
    if (rest > 0)
        state->overhead_steps = (uint64_t)(rest * per_ns + 0.5);
    bool counted = exposure->overhead_ns > 0 && exposure->sharing == SHARING_ALL;
    if (counted) {
        state->statistics = aligned_alloc(APART, sizeof *state->statistics);
        if (state->statistics != NULL)
            *state->statistics = (Statistics){0};
    }
    if ((counted && state->statistics == NULL) || !buffers_new(state)) {
        release(state);
        return NULL;
    }
    return state;
}

static void count_up(uint64_t *counter)
{
    __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

/* Writes one byte on every line of a block and reads the last one back. */
static uint64_t touch(unsigned char *block, size_t bytes, uint64_t value)
{
    size_t at = 0;
    for (size_t next = 0; next < bytes; next += LINE) {
        at = next;
        block[at] = (unsigned char)value;
    }
    BENCH_KEEP(block);
    return block[at];
}

static uint64_t allocate_and_touch(KernelState *state, int thread, uint64_t value)
{
    unsigned char *block = malloc(state->header + state->bytes);
    if (block == NULL) /* no memory: the figure is spoilt, the answer is not */
        return touch(state->buffers[thread] + state->header, state->bytes, value);
    Statistics *statistics = state->statistics;
    if (statistics != NULL) {
        count_up(&statistics->allocated);
        count_up(&statistics->headers_allocated);
    }
    uint64_t seen = touch(block + state->header, state->bytes, value);
    if (statistics != NULL) {
        count_up(&statistics->headers_freed);
        count_up(&statistics->freed);
    }
    free(block);
    return seen;
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t seen = 0;
        for (uint64_t e = 0; e < state->events; e++)
            seen += allocate_and_touch(state, thread, i + e);
        carried = bench_work(carried, state->work_steps + state->overhead_steps);
        sum += seen + (carried > 0);
    }
    return sum;
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    unsigned char *block = state->buffers[thread] + state->header;
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t seen = 0;
        for (uint64_t e = 0; e < state->events; e++)
            seen += touch(block, state->bytes, i + e);
        carried = bench_work(carried, state->work_steps);
        sum += seen + (carried > 0);
    }
    return sum;
}

const Kernel kernel_alloc_in_kernel = {
    .name = "alloc-in-kernel",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
};
