/* Elements written by a team, each of `bytes`, by `access`. Contended: runs of `stride` bytes (the
 * power of two below) are dealt out in turn, so that threads meet on the lines of the runs' ends;
 * relieved: a block for each thread. Where `places` passes go over the runs, each writes its part
 * of every run, and this kernel the first part in all of them. The array is a window that is
 * written again and again, small enough for the second cache.
 */
#include "bench/kernel.h"

#include <stdlib.h>
#include <string.h>

enum { APART = 256, WINDOW = 1 << 18 /* bytes of each thread, a power of two */ };

struct KernelState {
    unsigned char *bytes;
    size_t threads, word, run, window; /* run, window: in words, of one thread, powers of two */
    size_t left_out;                   /* words of a thread behind its run, of other passes */
    ExposureAccess access;
    uint64_t events, work_steps;
};

/* The largest power of two up to a word that is not wider than what is written. */
static size_t word_of(double bytes)
{
    size_t word = 8;
    while (word > 1 && (double)word > bytes)
        word /= 2;
    return word;
}

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->threads = exposure->threads > 0 ? (size_t)exposure->threads : 1;
    state->word = word_of(exposure->bytes >= 1 ? exposure->bytes : 8);
    state->window = WINDOW / state->word;
    double run = exposure->stride / (double)state->word;
    state->run = 1;
    while ((double)state->run * 2 <= run && state->run < state->window)
        state->run *= 2;
    for (double passes = exposure->places; passes >= 2 && state->run > 1; passes /= 2) {
        state->run /= 2;
        state->left_out += state->run;
        state->window /= 2; /* the same bytes */
    }
    state->access = exposure->access;
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    size_t room = state->threads * 2 * WINDOW;
    state->bytes = aligned_alloc(APART, room);
    if (state->bytes == NULL) {
        free(state);
        return NULL;
    }
    memset(state->bytes, 0, room);
    return state;
}

static void release(KernelState *state)
{
    free(state->bytes);
    free(state);
}

/* The words of one thread, in the order in which they are written: runs, each `skip` words behind
 * the end of the last. */
typedef struct Share {
    unsigned char *first;
    size_t skip;
} Share;

static Share dealt(const KernelState *state, int thread)
{
    size_t own = state->run + state->left_out, first = (size_t)thread * own;
    return (Share){state->bytes + first * state->word, state->threads * own - state->run};
}

static Share blocked(const KernelState *state, int thread)
{
    return (Share){state->bytes + (size_t)thread * 2 * WINDOW, 0};
}

/* Two ways to write and four widths of a word make eight loops of one shape. A place is found with
 * an addition: what the loop that was found does in half a nanosecond, this one may not do in one.
 */
#define WRITE_LOOP(NAME, WORD, WRITE)                                                              \
    BENCH_LOOP uint64_t NAME##_loop(const KernelState *state, Share share, size_t run,             \
                                    uint64_t count, uint64_t steps, uint64_t events)               \
    {                                                                                              \
        volatile WORD *place = (WORD *)(void *)share.first;                                        \
        size_t runs = state->window / run, runs_left = runs, words_left = run;                     \
        double carried = 1; /* each piece of work waits for the last: it takes its whole time */   \
        uint64_t sum = 0;                                                                          \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            carried = bench_work(carried, steps);                                                  \
            uint64_t value = bench_whole(carried) + i;                                             \
            for (uint64_t e = 0; e < events; e++) {                                                \
                WRITE;                                                                             \
                sum += value;                                                                      \
                place++;                                                                           \
                if (run > 1 && --words_left > 0)                                                   \
                    continue;                                                                      \
                words_left = run;                                                                  \
                place += share.skip;                                                               \
                if (--runs_left > 0)                                                               \
                    continue;                                                                      \
                runs_left = runs;                                                                  \
                place = (WORD *)(void *)share.first;                                               \
            }                                                                                      \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    static uint64_t NAME(const KernelState *state, Share share, uint64_t count)                    \
    {                                                                                              \
        return state->run == 1 ? BENCH_BY_WORK(NAME##_loop, state->work_steps, state->events,      \
                                               state, share, 1, count)                             \
                               : BENCH_BY_WORK(NAME##_loop, state->work_steps, state->events,      \
                                               state, share, state->run, count);                   \
    }

#define WRITE_LOOPS(BITS)                                                                          \
    WRITE_LOOP(store_##BITS, uint##BITS##_t, *place = (uint##BITS##_t)value)                       \
    WRITE_LOOP(update_##BITS, uint##BITS##_t, *place = (uint##BITS##_t)(*place + value))

WRITE_LOOPS(8)
WRITE_LOOPS(16)
WRITE_LOOPS(32)
WRITE_LOOPS(64)

typedef uint64_t WriteLoop(const KernelState *state, Share share, uint64_t count);

static WriteLoop *loop_of(const KernelState *state)
{
    static WriteLoop *const loops[2][4] = {{store_8, store_16, store_32, store_64},
                                           {update_8, update_16, update_32, update_64}};
    int width = state->word == 8 ? 3 : state->word == 4 ? 2 : state->word == 2 ? 1 : 0;
    return loops[state->access != ACCESS_STORE][width];
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    return loop_of(state)(state, dealt(state, thread), count);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    return loop_of(state)(state, blocked(state, thread), count);
}

const Kernel kernel_interleaved_writes = {
    .name = "interleaved-writes",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
};
