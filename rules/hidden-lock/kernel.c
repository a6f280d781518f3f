/* The library call itself: rand() against rand_r() with a seed of the thread's own, and where a
 * call takes long (formatted output) fprintf to one stream against one stream for each thread.
 * Nobody reads what is drawn or written, so that both forms give the same sum. A call that is only
 * slow, as getenv, is against none. */
#include "bench/kernel.h"

#include <stdio.h>
#include <stdlib.h>

enum { LONG_CALL_NS = 35 };

struct KernelState {
    FILE **streams; /* [0] for all, [1 + thread] each its own; NULL: numbers are drawn */
    size_t stream_count;
    bool scans; /* getenv */
    uint64_t events, work_steps;
};

static void release(KernelState *state)
{
    for (size_t i = 0; state->streams != NULL && i < state->stream_count; i++)
        if (state->streams[i] != NULL)
            fclose(state->streams[i]);
    free(state->streams);
    free(state);
}

static bool open_streams(KernelState *state, size_t count)
{
    state->streams = calloc(count, sizeof *state->streams);
    state->stream_count = count;
    for (size_t i = 0; state->streams != NULL && i < count; i++) {
        state->streams[i] = fopen("/dev/null", "w");
        if (state->streams[i] == NULL)
            return false;
    }
    return state->streams != NULL;
}

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    size_t threads = exposure->threads > 0 ? (size_t)exposure->threads : 1;
    state->scans = exposure->sharing == SHARING_NONE;
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    if (exposure->overhead_ns >= LONG_CALL_NS && !state->scans &&
        !open_streams(state, threads + 1)) {
        release(state);
        return NULL;
    }
    return state;
}

static void call(const KernelState *state, FILE *stream, unsigned *seed, uint64_t value)
{
    if (state->scans)
        BENCH_KEEP(getenv("PONGLINT_NO_SUCH_NAME"));
    else if (stream != NULL)
        fprintf(stream, "%llu\n", (unsigned long long)value);
    else
        BENCH_KEEP(seed == NULL ? rand() : rand_r(seed));
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    FILE *stream = state->streams == NULL ? NULL : state->streams[0];
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, state->work_steps);
        uint64_t value = bench_whole(carried) + i;
        for (uint64_t e = 0; e < state->events; e++)
            call(state, stream, NULL, value);
        sum += value;
    }
    return sum;
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    FILE *stream = state->streams == NULL ? NULL : state->streams[1 + thread];
    unsigned seed = 1u + (unsigned)thread;
    double carried = 1;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, state->work_steps);
        uint64_t value = bench_whole(carried) + i;
        for (uint64_t e = 0; e < state->events && !state->scans; e++)
            call(state, stream, &seed, value);
        sum += value;
    }
    return sum;
}

const Kernel kernel_hidden_lock = {
    .name = "hidden-lock",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
};
