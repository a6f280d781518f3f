/* A scratch value that every iteration writes, `events` times beside its work, and reads back: out
 * of memory (ACCESS_UPDATE), or out of the register that it is still in (ACCESS_STORE).
 * Contended: one place for all threads, on whose line they meet; a thread may read back what
 * another has written. Relieved: a place each. Loads and stores are relaxed atomics, which compile
 * to the plain ones of the racing program and are defined. */
#include "bench/kernel.h"

#include <stdlib.h>

enum { APART = 128 };

struct KernelState {
    unsigned char *places; /* one per thread, APART bytes apart; the first is also the shared one */
    uint64_t events, work_steps;
    ExposureAccess access;
};

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    size_t threads = exposure->threads < 1 ? 1 : (size_t)exposure->threads;
    if (state == NULL)
        return NULL;
    state->places = aligned_alloc(APART, (threads + 1) * APART);
    if (state->places == NULL) {
        free(state);
        return NULL;
    }
    for (size_t i = 0; i < (threads + 1) * APART; i++)
        state->places[i] = 0;
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    state->access = exposure->access;
    return state;
}

static void release(KernelState *state)
{
    free(state->places);
    free(state);
}

static uint64_t write_only(const KernelState *state, uint64_t *scratch, uint64_t count)
{
    double carried = 1;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, state->work_steps);
        for (uint64_t e = 0; e < state->events; e++) {
            uint64_t value = bench_whole(carried) + i + e;
            __atomic_store_n(scratch, value, __ATOMIC_RELAXED);
            BENCH_KEEP(scratch);
            sum += value;
        }
    }
    return sum;
}

static uint64_t write_and_read(const KernelState *state, uint64_t *scratch, uint64_t count)
{
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, state->work_steps);
        for (uint64_t e = 0; e < state->events; e++) {
            __atomic_store_n(scratch, bench_whole(carried) + i + e, __ATOMIC_RELAXED);
            BENCH_KEEP(scratch);
            sum += __atomic_load_n(scratch, __ATOMIC_RELAXED);
        }
    }
    return sum;
}

static uint64_t run(const KernelState *state, unsigned char *place, uint64_t count)
{
    uint64_t *scratch = (uint64_t *)(void *)place;
    return state->access == ACCESS_STORE ? write_only(state, scratch, count)
                                         : write_and_read(state, scratch, count);
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    return run(state, state->places, count);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    return run(state, state->places + (size_t)(thread + 1) * APART, count);
}

const Kernel kernel_missing_private = {
    .name = "missing-private",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
    .may_differ = true,
};
