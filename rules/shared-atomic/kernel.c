/* A reference that is taken and dropped in every piece of work: `events` atomic operations, up and
 * down in turn. Contended: one count for all threads, or a count for each thread where the exposure
 * says private. Relieved: one reference around the whole share. */
#include "bench/kernel.h"

#include <stdlib.h>

enum { APART = 128 };

typedef struct Object {
    uint64_t references;
    uint64_t payload[APART / sizeof(uint64_t) - 1];
} Object;

struct KernelState {
    Object *objects; /* one for all, or one for each thread */
    bool shared;
    uint64_t events, work_steps;
};

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    size_t threads = exposure->threads > 0 ? (size_t)exposure->threads : 1;
    state->objects = aligned_alloc(APART, threads * sizeof *state->objects);
    if (state->objects == NULL) {
        free(state);
        return NULL;
    }
    for (size_t i = 0; i < threads; i++)
        state->objects[i] = (Object){.references = 1, .payload = {7}};
    state->shared = exposure->sharing == SHARING_ALL;
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    return state;
}

static void release(KernelState *state)
{
    free(state->objects);
    free(state);
}

static Object *object_of(KernelState *state, int thread)
{
    return &state->objects[state->shared ? 0 : thread];
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    Object *object = object_of(state, thread);
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, state->work_steps);
        for (uint64_t e = 0; e < state->events; e++) {
            __atomic_fetch_add(&object->references, e % 2 == 0 ? 1 : UINT64_MAX, __ATOMIC_RELAXED);
        }
        sum += object->payload[0] + bench_whole(carried);
    }
    return sum;
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    Object *object = object_of(state, thread);
    double carried = 1;
    uint64_t sum = 0;
    __atomic_fetch_add(&object->references, 1, __ATOMIC_RELAXED);
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, state->work_steps);
        sum += object->payload[0] + bench_whole(carried);
    }
    __atomic_fetch_sub(&object->references, 1, __ATOMIC_RELAXED);
    return sum;
}

const Kernel kernel_shared_atomic = {
    .name = "shared-atomic",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
};
