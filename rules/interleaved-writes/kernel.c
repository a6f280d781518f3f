/* Elements written by a team, each of `bytes`, by `access`. Contended: runs of `stride` bytes are
 * dealt out in turn, so that threads meet on the lines of the runs' ends; relieved: a block for
 * each thread. The array is a window that is written again and again, small enough for the second cache.
 */
#include "bench/kernel.h"

#include <stdlib.h>
#include <string.h>

enum { APART = 256, WINDOW = 1 << 18 /* bytes of each thread, a power of two */ };

struct KernelState {
    unsigned char *bytes;
    size_t threads, word, run, window; /* run, window: in words, of one thread */
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
    state->run = run < 1 ? 1 : run > (double)state->window ? state->window : (size_t)run;
    state->access = exposure->access;
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    /* a run that does not divide the window may reach behind its end */
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

/* Word number `at` of the thread's share, in words from the start of the array. */
static size_t dealt(const KernelState *state, size_t thread, size_t at)
{
    return (at / state->run * state->threads + thread) * state->run + at % state->run;
}

static size_t blocked(const KernelState *state, size_t thread, size_t at)
{
    return thread * 2 * state->window + at;
}

static void write_word(const KernelState *state, size_t at, uint64_t value)
{
    unsigned char *place = state->bytes + at * state->word;
    bool update = state->access != ACCESS_STORE;
    switch (state->word) {
    case 1:
        *(volatile uint8_t *)place = (uint8_t)(value + (update ? *(volatile uint8_t *)place : 0));
        break;
    case 2:
        *(volatile uint16_t *)(void *)place =
            (uint16_t)(value + (update ? *(volatile uint16_t *)(void *)place : 0));
        break;
    case 4:
        *(volatile uint32_t *)(void *)place =
            (uint32_t)(value + (update ? *(volatile uint32_t *)(void *)place : 0));
        break;
    default:
        *(volatile uint64_t *)(void *)place = value +
                                              (update ? *(volatile uint64_t *)(void *)place : 0);
        break;
    }
}

typedef size_t Layout(const KernelState *state, size_t thread, size_t at);

static inline uint64_t write_all(const KernelState *state, int thread, uint64_t count,
                                 Layout *layout)
{
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    uint64_t sum = 0;
    size_t at = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, state->work_steps);
        uint64_t value = (uint64_t)carried + i;
        for (uint64_t e = 0; e < state->events; e++) {
            write_word(state, layout(state, (size_t)thread, at), value);
            at = at + 1 < state->window ? at + 1 : 0;
            sum += value;
        }
    }
    return sum;
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    return write_all(state, thread, count, dealt);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    return write_all(state, thread, count, blocked);
}

const Kernel kernel_interleaved_writes = {
    .name = "interleaved-writes",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
};
