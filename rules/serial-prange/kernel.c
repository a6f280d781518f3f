/* A loop of independent iterations with a team at hand. Contended: one thread does them all, as a
 * prange without parallel=True does. Relieved: every thread does its share, and the team meets once
 * per launch, `launches` times per iteration. */
#include "bench/kernel.h"

#include <sched.h>
#include <stdlib.h>

enum { APART = 128, SPINS = 2000 };

typedef struct Meeting {
    uint64_t arrived, round;
} Meeting;

struct KernelState {
    Meeting *meeting; /* on a line of its own */
    uint64_t threads, work_steps;
    uint64_t share; /* iterations of one thread between two meetings */
};

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->meeting = aligned_alloc(APART, APART);
    if (state->meeting == NULL) {
        free(state);
        return NULL;
    }
    *state->meeting = (Meeting){0, 0};
    state->threads = exposure->threads < 1 ? 1 : (uint64_t)exposure->threads;
    state->work_steps = work_steps;
    double share = exposure->launches > 0 ? 1 / (exposure->launches * (double)state->threads) + 0.5
                                          : 1e9;
    state->share = share < 1 ? 1 : share > 1e9 ? (uint64_t)1e9 : (uint64_t)share;
    return state;
}

static void release(KernelState *state)
{
    free(state->meeting);
    free(state);
}

/* The end of one parallel loop, and the start of the next. */
static void meet(KernelState *state)
{
    Meeting *meeting = state->meeting;
    uint64_t round = __atomic_load_n(&meeting->round, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&meeting->arrived, 1, __ATOMIC_ACQ_REL) == state->threads) {
        __atomic_store_n(&meeting->arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&meeting->round, round + 1, __ATOMIC_RELEASE);
        return;
    }
    for (int spins = 0; __atomic_load_n(&meeting->round, __ATOMIC_ACQUIRE) == round; spins++)
        if (spins >= SPINS)
            sched_yield();
}

/* Each iteration waits for the last, so that it takes its whole time. */
static uint64_t iterate(const KernelState *state, double *carried, uint64_t i)
{
    *carried = bench_work(*carried, state->work_steps);
    return (uint64_t)*carried + i;
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t part = 0; thread == 0 && part < state->threads; part++) {
        double carried = 1;
        for (uint64_t i = 0; i < count; i++) {
            sum += iterate(state, &carried, i);
            BENCH_KEEP(sum);
        }
    }
    return sum;
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    double carried = 1;
    uint64_t sum = 0, left = state->share;
    for (uint64_t i = 0; i < count; i++) {
        sum += iterate(state, &carried, i);
        BENCH_KEEP(sum);
        if (--left == 0) {
            meet(state);
            left = state->share;
        }
    }
    return sum;
}

const Kernel kernel_serial_prange = {
    .name = "serial-prange",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
    .sweep = "work=500..16000",
};
