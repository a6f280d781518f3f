/* A reference that is taken and dropped in every piece of work: `events` atomic operations, up and
 * down in turn; with `bytes`, a ticket that is drawn (`events` times), and the number of the result
 * that is written beside those of others. Contended: one count for all threads, or a count for each
 * thread where the exposure says private. Relieved: one reference around the whole share, or
 * results in a block for each thread. */
#include "bench/kernel.h"

#include <stdlib.h>
#include <string.h>

enum { APART = 128, ROOM = 1 << 16 /* bytes of results */ };

typedef struct Object {
    uint64_t references;
    uint64_t payload[APART / sizeof(uint64_t) - 1];
} Object;

struct KernelState {
    Object *objects;        /* one for all, or one for each thread */
    unsigned char *results; /* ROOM for all, and ROOM for each thread; NULL: none are written */
    size_t bytes;           /* of a result */
    bool shared;
    uint64_t events, work_steps;
};

static void release(KernelState *state)
{
    free(state->objects);
    free(state->results);
    free(state);
}

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    size_t threads = exposure->threads > 0 ? (size_t)exposure->threads : 1;
    state->bytes = exposure->bytes > 0 ? (size_t)exposure->bytes : 0;
    state->objects = aligned_alloc(APART, threads * sizeof *state->objects);
    if (state->bytes > 0)
        state->results = aligned_alloc(APART, (threads + 1) * ROOM);
    if (state->objects == NULL || (state->bytes > 0 && state->results == NULL)) {
        release(state);
        return NULL;
    }
    if (state->results != NULL)
        memset(state->results, 0, (threads + 1) * ROOM);
    for (size_t i = 0; i < threads; i++)
        state->objects[i] = (Object){.references = 1, .payload = {7}};
    state->shared = exposure->sharing == SHARING_ALL;
    state->events = exposure->events < 1 ? 1 : (uint64_t)(exposure->events + 0.5);
    state->work_steps = work_steps;
    return state;
}

static Object *object_of(KernelState *state, int thread)
{
    return &state->objects[state->shared ? 0 : thread];
}

BENCH_LOOP uint64_t count_each(Object *object, uint64_t count, uint64_t steps, uint64_t events)
{
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, steps);
        for (uint64_t e = 0; e < events; e++)
            __atomic_fetch_add(&object->references, e % 2 == 0 ? 1 : UINT64_MAX, __ATOMIC_RELAXED);
        sum += object->payload[0] + bench_whole(carried);
    }
    return sum;
}

BENCH_LOOP uint64_t draw_each(const KernelState *state, Object *object, uint64_t count,
                              uint64_t steps, uint64_t events)
{
    double carried = 1;
    uint64_t sum = 0, ticket = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, steps);
        for (uint64_t e = 0; e < events; e++)
            ticket = __atomic_fetch_add(&object->references, 1, __ATOMIC_RELAXED);
        bench_put_result(state->results, ROOM, ticket, state->bytes);
        sum += object->payload[0] + bench_whole(carried);
    }
    return sum;
}

BENCH_LOOP uint64_t only_work(const KernelState *state, const Object *object,
                              unsigned char *results, uint64_t count, uint64_t steps,
                              uint64_t events)
{
    (void)events;
    double carried = 1;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, steps);
        if (results != NULL)
            bench_put_result(results, ROOM, i, state->bytes);
        sum += object->payload[0] + bench_whole(carried);
    }
    return sum;
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    Object *object = object_of(state, thread);
    uint64_t steps = state->work_steps, events = state->events;
    return state->results == NULL ? BENCH_BY_WORK(count_each, steps, events, object, count)
                                  : BENCH_BY_WORK(draw_each, steps, events, state, object, count);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    Object *object = object_of(state, thread);
    unsigned char *own = state->results;
    own = own == NULL ? NULL : own + (size_t)(thread + 1) * ROOM;
    __atomic_fetch_add(&object->references, 1, __ATOMIC_RELAXED);
    uint64_t sum =
        BENCH_BY_WORK(only_work, state->work_steps, state->events, state, object, own, count);
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
