/* `events` steps of m += c * (g - m) per piece of work: the state a denormal that no step changes
 * any more (g is 0), against one (g is 1). Both do the same operations; only the values differ. */
#include "bench/kernel.h"

#include <stdlib.h>

enum { APART = 128 };

typedef struct Values {
    _Alignas(APART) double state, target;
} Values;

struct KernelState {
    Values decayed, lively;
    uint64_t events, work_steps;
};

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = aligned_alloc(APART, (sizeof *state + APART - 1) / APART * APART);
    if (state == NULL)
        return NULL;
    *state = (KernelState){.decayed = {4 * 4.9406564584124654e-324, 0}, .lively = {1, 1}};
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    return state;
}

static void release(KernelState *state)
{
    free(state);
}

static uint64_t run(const KernelState *state, const Values *values, uint64_t count)
{
    double carried = 1, m = values->state, target = values->target;
    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t e = 0; e < state->events; e++) {
            m += 0.1 * (target - m);
            BENCH_HOLD(m);
        }
        carried = bench_work(carried, state->work_steps);
    }
    /* Only here: a comparison with a denormal takes longer than the step. */
    return count + (m > 0) + (carried > 0);
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
