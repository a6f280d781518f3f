/* A sum without a reduction: all threads read, add to and write one shared total `events` times per
 * piece of work, and lose the updates that others make in between (ACCESS_STORE: each adds to a sum
 * in a register, and only writes it to the total). With more than one word (`bytes`
 * of them, a histogram) each update takes one at random, and they begin in the middle of a line, as
 * allocators and linkers leave them. Relieved: a private sum, or a private histogram, each. Loads
 * and stores of what is shared are relaxed atomics, which compile to the plain ones of the racing
 * program and are defined. */
#include "bench/kernel.h"

#include <stdlib.h>
#include <string.h>

enum { APART = 128, PICKS = 1024, MOST_WORDS = 4096 };

struct KernelState {
    uint64_t *shared, *own; /* `words` each; `own`: for each thread, `apart` words from the next */
    uint64_t *published;    /* the sum of `shared` that finished threads have accounted for */
    size_t words, apart;
    uint64_t events, work_steps;
    bool carried;          /* one word, and the sum goes on in a register */
    uint32_t picks[PICKS]; /* the word that is updated next */
};

static size_t words_of(const Exposure *exposure)
{
    double words = exposure->bytes / sizeof(uint64_t);
    return words < 2 ? 1 : words > MOST_WORDS ? MOST_WORDS : (size_t)words;
}

/* In the middle of a line that nobody else uses. */
static uint64_t *middle_of_line(size_t words)
{
    size_t bytes = (words * sizeof(uint64_t) / APART + 2) * APART;
    unsigned char *block = aligned_alloc(APART, bytes);
    if (block == NULL)
        return NULL;
    memset(block, 0, bytes);
    return (uint64_t *)(void *)(block + APART / 4);
}

static void free_middle(uint64_t *words)
{
    if (words != NULL)
        free((unsigned char *)words - APART / 4);
}

static void release(KernelState *state)
{
    free_middle(state->shared);
    free_middle(state->own);
    free_middle(state->published);
    free(state);
}

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    size_t threads = exposure->threads > 0 ? (size_t)exposure->threads : 1;
    state->words = words_of(exposure);
    state->apart = (state->words / APART + 1) * APART;
    state->shared = middle_of_line(state->words);
    state->own = middle_of_line(threads * state->apart);
    state->published = middle_of_line(1);
    if (state->shared == NULL || state->own == NULL || state->published == NULL) {
        release(state);
        return NULL;
    }
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    state->carried = state->words == 1 && exposure->access == ACCESS_STORE;
    bench_picks(state->picks, PICKS, state->words);
    return state;
}

static uint64_t sum_of(const uint64_t *words, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += __atomic_load_n(&words[i], __ATOMIC_RELAXED);
    return sum;
}

/* What the shared words have grown by since the last thread that finished looked. The sum of this
 * over the threads of a run is what the run has added: the last one to exchange has seen the
 * updates of all. */
static uint64_t account(KernelState *state)
{
    uint64_t before = __atomic_load_n(state->published, __ATOMIC_ACQUIRE), now;
    do {
        now = sum_of(state->shared, state->words);
    } while (!__atomic_compare_exchange_n(state->published, &before, now, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    return now - before;
}

static void update(uint64_t *word, uint64_t value)
{
    uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    __atomic_store_n(word, seen + value, __ATOMIC_RELAXED);
}

BENCH_LOOP uint64_t update_words(const KernelState *state, uint64_t *words, uint64_t count,
                                 uint64_t steps, uint64_t events)
{
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, steps);
        uint64_t value = bench_whole(carried) + i;
        for (uint64_t e = 0; e < events; e++)
            update(&words[state->picks[(i + e) % PICKS]], value);
    }
    return count;
}

BENCH_LOOP uint64_t update_one(uint64_t *word, uint64_t count, uint64_t steps, uint64_t events)
{
    double carried = 1;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, steps);
        uint64_t value = bench_whole(carried) + i;
        for (uint64_t e = 0; e < events; e++)
            update(word, value);
    }
    return count;
}

/* As compilers leave it where nothing in the loop can change the word: it is written only. */
BENCH_LOOP uint64_t store_one(uint64_t *word, uint64_t count, uint64_t steps, uint64_t events)
{
    double carried = 1;
    uint64_t sum = __atomic_load_n(word, __ATOMIC_RELAXED);
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, steps);
        uint64_t value = bench_whole(carried) + i;
        for (uint64_t e = 0; e < events; e++) {
            sum += value;
            __atomic_store_n(word, sum, __ATOMIC_RELAXED);
        }
    }
    return count;
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    uint64_t steps = state->work_steps, events = state->events;
    if (state->words > 1)
        BENCH_BY_WORK(update_words, steps, events, state, state->shared, count);
    else if (state->carried)
        BENCH_BY_WORK(store_one, steps, events, state->shared, count);
    else
        BENCH_BY_WORK(update_one, steps, events, state->shared, count);
    return account(state);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    uint64_t steps = state->work_steps, events = state->events;
    if (state->words == 1)
        return BENCH_BY_WORK(bench_sum, steps, events, count);
    uint64_t *own = state->own + (size_t)thread * state->apart;
    uint64_t before = sum_of(own, state->words);
    BENCH_BY_WORK(update_words, steps, events, state, own, count);
    return sum_of(own, state->words) - before;
}

const Kernel kernel_missing_reduction = {
    .name = "missing-reduction",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
    .may_differ = true,
};
