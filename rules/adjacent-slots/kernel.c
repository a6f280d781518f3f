/* Slots of threads: every piece of work ends in `events` writes to the thread's own slot.
 * Contended: the slots lie `stride` bytes apart; relieved: APART bytes. The word that is written
 * comes out of a table, so that the compiler must leave every access in memory, where a slot of one
 * known place would become a register. */
#include "bench/kernel.h"

#include <stdlib.h>
#include <string.h>

enum { APART = 256, PICKS = 1024 };

typedef struct Slots {
    unsigned char *bytes; /* aligned to APART */
    size_t stride;
} Slots;

struct KernelState {
    Slots near, far;
    ExposureAccess access;
    size_t word, words; /* bytes of a word: 1, 2, 4 or 8; words of a slot */
    uint64_t events, work_steps;
    uint32_t picks[PICKS]; /* word of the slot that is written next */
};

static bool slots_new(Slots *slots, size_t threads, size_t stride)
{
    size_t room = (threads * stride + APART - 1) / APART * APART;
    slots->stride = stride;
    slots->bytes = aligned_alloc(APART, room);
    if (slots->bytes == NULL)
        return false;
    memset(slots->bytes, 0, room);
    return true;
}

static void release(KernelState *state)
{
    free(state->near.bytes);
    free(state->far.bytes);
    free(state);
}

/* The largest word that stays aligned in slots `stride` bytes apart. */
static size_t word_of(size_t stride)
{
    size_t word = 8;
    while (stride % word != 0)
        word /= 2;
    return word;
}

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    size_t threads = exposure->threads > 0 ? (size_t)exposure->threads : 1;
    size_t stride = exposure->stride >= 1 ? (size_t)exposure->stride : 8;
    size_t bytes = exposure->bytes >= 1 ? (size_t)exposure->bytes : 8;
    bytes = bytes > stride ? stride : bytes;
    state->word = word_of(stride);
    state->words = bytes < state->word ? 1 : bytes / state->word;
    bool locks = exposure->access == ACCESS_CRITICAL; /* no lock here: what stands under it */
    bool atomic = exposure->access == ACCESS_EXCHANGE;
    state->access = locks ? ACCESS_UPDATE : atomic ? ACCESS_ATOMIC : exposure->access;
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    bench_picks(state->picks, PICKS, state->words);
    size_t far = (stride / APART + 1) * APART;
    if (!slots_new(&state->near, threads, stride) || !slots_new(&state->far, threads, far)) {
        release(state);
        return NULL;
    }
    return state;
}

/* Three ways to write and four widths of a word make twelve loops of one shape. */
#define WRITE_LOOP(NAME, WORD, WRITE)                                                              \
    BENCH_LOOP uint64_t NAME##_loop(const KernelState *state, WORD *slot, uint64_t count,          \
                                    uint64_t steps, uint64_t events)                               \
    {                                                                                              \
        double carried = 1; /* each piece of work waits for the last: it takes its whole time */   \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            carried = bench_work(carried, steps);                                                  \
            uint64_t value = bench_whole(carried) + i;                                             \
            for (uint64_t e = 0; e < events; e++) {                                                \
                WORD *place = &slot[state->picks[(i + e) % PICKS]];                                \
                WRITE;                                                                             \
            }                                                                                      \
        }                                                                                          \
        uint64_t sum = 0;                                                                          \
        for (size_t k = 0; k < state->words; k++)                                                  \
            sum += slot[k];                                                                        \
        return sum;                                                                                \
    }                                                                                              \
    static uint64_t NAME(const KernelState *state, unsigned char *own, uint64_t count)             \
    {                                                                                              \
        WORD *slot = (WORD *)(void *)own;                                                          \
        return BENCH_BY_WORK(NAME##_loop, state->work_steps, state->events, state, slot, count);   \
    }

#define WRITE_LOOPS(BITS)                                                                          \
    WRITE_LOOP(store_##BITS, uint##BITS##_t, *place = (uint##BITS##_t)(value + e))                 \
    WRITE_LOOP(update_##BITS, uint##BITS##_t, *place = (uint##BITS##_t)(*place + value + e))       \
    WRITE_LOOP(atomic_##BITS, uint##BITS##_t,                                                      \
               __atomic_fetch_add(place, (uint##BITS##_t)(value + e), __ATOMIC_RELAXED))

WRITE_LOOPS(8)
WRITE_LOOPS(16)
WRITE_LOOPS(32)
WRITE_LOOPS(64)

typedef uint64_t WriteLoop(const KernelState *state, unsigned char *own, uint64_t count);

static WriteLoop *loop_of(const KernelState *state)
{
    static WriteLoop *const loops[3][4] = {
        [ACCESS_STORE] = {store_8, store_16, store_32, store_64},
        [ACCESS_UPDATE] = {update_8, update_16, update_32, update_64},
        [ACCESS_ATOMIC] = {atomic_8, atomic_16, atomic_32, atomic_64},
    };
    int width = state->word == 8 ? 3 : state->word == 4 ? 2 : state->word == 2 ? 1 : 0;
    return loops[state->access][width];
}

static uint64_t write_slots(const KernelState *state, const Slots *slots, int thread,
                            uint64_t count)
{
    unsigned char *own = slots->bytes + (size_t)thread * slots->stride;
    memset(own, 0, state->words * state->word);
    BENCH_KEEP(own);
    return loop_of(state)(state, own, count);
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    return write_slots(state, &state->near, thread, count);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    return write_slots(state, &state->far, thread, count);
}

const Kernel kernel_adjacent_slots = {
    .name = "adjacent-slots",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
};
