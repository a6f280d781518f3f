/* A stream: every piece of work moves the next `bytes` of an array far larger than the caches,
 * reading them, or with ACCESS_UPDATE reading and writing half as many. Relieved: of a block that
 * stays in the first one. All elements are 1, so that both forms sum up the same. Each thread has
 * an array of its own, and goes on where its last run ended. */
#include "bench/kernel.h"

#include <stdlib.h>

enum {
    MEBI = 1 << 20,
    EACH = 48 * MEBI,    /* bytes of a thread's array, */
    IN_ALL = 512 * MEBI, /* but not more than this for all */
    BLOCK = 8 * 1024,    /* bytes that stay in the cache */
    MOST_BYTES = 1024,
    STRETCH = 64, /* words that are moved in one go; their work is done behind them */
};

#define MOVING_NS 0.2 /* of a word that is in the cache */

typedef struct Lane {
    _Alignas(64) double *large, *small;
    size_t at;
} Lane;

struct KernelState {
    int threads;
    double words;       /* of a piece: one that is small has a part of one */
    size_t large_words; /* of an array */
    bool updates;
    uint64_t stretch_steps; /* of work beside STRETCH words */
    Lane lanes[];
};

static void release(KernelState *state)
{
    for (int i = 0; i < state->threads; i++) {
        free(state->lanes[i].large);
        free(state->lanes[i].small);
    }
    free(state);
}

static double *ones(size_t words)
{
    double *array = malloc(words * sizeof *array);
    for (size_t i = 0; array != NULL && i < words; i++)
        array[i] = 1;
    return array;
}

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    int threads = exposure->threads > 0 ? exposure->threads : 1;
    KernelState *state =
        aligned_alloc(64, sizeof *state + (size_t)threads * sizeof(Lane) + 64 -
                              (sizeof *state + (size_t)threads * sizeof(Lane)) % 64);
    if (state == NULL)
        return NULL;
    double bytes = exposure->bytes < 8 ? 8 : exposure->bytes;
    size_t each = (size_t)threads * EACH > IN_ALL ? IN_ALL / (size_t)threads : EACH;
    state->threads = threads;
    state->updates = exposure->access != ACCESS_STORE;
    state->words = (bytes > MOST_BYTES ? MOST_BYTES : bytes) / sizeof(double);
    if (state->updates)
        state->words /= 2;
    state->large_words = each / sizeof(double);
    double per_step = work_steps > 0 ? (double)work_steps / exposure->work_ns : 0;
    double ns = exposure->work_ns - MOVING_NS * state->words;
    state->stretch_steps = ns > 0 ? (uint64_t)(ns * per_step * STRETCH / state->words) : 0;
    bool whole = true;
    for (int i = 0; i < threads; i++) {
        state->lanes[i] = (Lane){ones(state->large_words), ones(BLOCK / sizeof(double)), 0};
        whole &= state->lanes[i].large != NULL && state->lanes[i].small != NULL;
    }
    if (whole)
        return state;
    release(state);
    return NULL;
}

/* Four sums side by side: one would wait for itself, not for memory. */
static double sum_of(const double *array, size_t words)
{
    double a = 0, b = 0, c = 0, d = 0;
    size_t i = 0;
    for (; i + 4 <= words; i += 4) {
        a += array[i];
        b += array[i + 1];
        c += array[i + 2];
        d += array[i + 3];
    }
    for (; i < words; i++)
        a += array[i];
    return a + b + c + d;
}

/* Writes back what it reads; `one` is not known to be 1. */
static double update(double *array, size_t words, double one)
{
    for (size_t i = 0; i < words; i++)
        array[i] *= one;
    return (double)words;
}

static uint64_t pass_over(const KernelState *state, double *array, size_t size, size_t *place,
                          uint64_t count)
{
    double sum = 0, carried = 1, one = 1;
    BENCH_HOLD(one);
    uint64_t words = (uint64_t)((double)count * state->words);
    size_t at = *place;
    while (words > 0) {
        size_t now = words < STRETCH ? (size_t)words : STRETCH;
        now = now < size - at ? now : size - at;
        sum += state->updates ? update(array + at, now, one) : sum_of(array + at, now);
        words -= now;
        at = at + now == size ? 0 : at + now;
        carried = bench_work(carried, state->stretch_steps);
    }
    *place = at;
    BENCH_KEEP(carried);
    return (uint64_t)sum;
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    Lane *lane = &state->lanes[thread];
    return pass_over(state, lane->large, state->large_words, &lane->at, count);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    size_t at = 0;
    return pass_over(state, state->lanes[thread].small, BLOCK / sizeof(double), &at, count);
}

const Kernel kernel_bandwidth_bound = {
    .name = "bandwidth-bound",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
    .sweep = "bytes=16..512",
};
