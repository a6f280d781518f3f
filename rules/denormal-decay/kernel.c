/* `events` steps of m += c * (g - m) per piece of work: the state a denormal that no step changes
 * any more (g is 0), against one (g is 1). Both do the same operations; only the values differ. One
 * state, so that each step waits for the last, or (`places` above 1) a table of them. */
#include "bench/kernel.h"

#include <stdlib.h>

enum { APART = 128, STATES = 512 /* a power of two; in the first cache */ };

typedef struct Values {
    double state, target;
} Values;

struct KernelState {
    Values decayed, lively;
    bool many;
    uint64_t events, work_steps;
};

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = aligned_alloc(APART, (sizeof *state + APART - 1) / APART * APART);
    if (state == NULL)
        return NULL;
    *state = (KernelState){.decayed = {4 * 4.9406564584124654e-324, 0}, .lively = {1, 1}};
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->many = exposure->places > 1;
    state->work_steps = work_steps;
    return state;
}

static void release(KernelState *state)
{
    free(state);
}

static double step_one(const KernelState *state, const Values *values, uint64_t count)
{
    double carried = 1, m = values->state;
    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t e = 0; e < state->events; e++) {
            m += 0.1 * (values->target - m);
            BENCH_HOLD(m);
        }
        carried = bench_work(carried, state->work_steps);
    }
    return carried > 0 ? m : 0;
}

static double step_many(const KernelState *state, const Values *values, uint64_t count)
{
    double carried = 1, table[STATES];
    for (size_t at = 0; at < STATES; at++)
        table[at] = values->state;
    for (uint64_t i = 0, at = 0; i < count; i++) {
        for (uint64_t e = 0; e < state->events; e++, at = (at + 1) & (STATES - 1)) {
            double m = table[at] + 0.1 * (values->target - table[at]);
            BENCH_HOLD(m);
            table[at] = m;
        }
        carried = bench_work(carried, state->work_steps);
    }
    return carried > 0 ? table[0] : 0;
}

/* Only at the end: a comparison with a denormal takes longer than the step. */
static uint64_t run(const KernelState *state, const Values *values, uint64_t count)
{
    double left = state->many ? step_many(state, values, count) : step_one(state, values, count);
    return count + (left > 0);
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    return run(state, &state->decayed, count);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    return run(state, &state->lively, count);
}

const Kernel kernel_denormal_decay = {
    .name = "denormal-decay",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
    .sweep = "events=1..16",
};
