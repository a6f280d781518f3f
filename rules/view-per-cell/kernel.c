/* Views per cell: every cell takes `events` views of an array, works and drops them. A view is a
 * small struct that a function builds; where it is counted, taking it is one atomic increment of
 * the array's count and dropping it one atomic decrement, as numba's NRT_incref and NRT_decref do.
 * Relieved: the array and the index are used as they are. overhead_ns above what the struct itself
 * takes is emulated by a longer chain of work. */
#include "bench/kernel.h"

#include <stdlib.h>

/* ns that the building of one view adds here, beside other work. */
#define BUILD_NS     1.5
#define STEPS_PER_NS 1.2 /* where the exposure gives none */

enum { LINE = 128, ELEMENTS = 64, MOST_EVENTS = 32, MOST_PLACES = 1024 };

/* Cells at one element before the next one's turn: as in a comparison of two series. */
enum { STRETCH = 4096 };

typedef struct Count {
    _Alignas(LINE) uint64_t live;
} Count;

typedef struct View {
    Count *count; /* NULL: not counted */
    const uint32_t *data;
    int64_t items, stride;
} View;

struct KernelState {
    Count *counts; /* of one line each: as many as there are threads, or places */
    size_t places;
    uint64_t events, work_steps, view_steps; /* view_steps: for all views of a cell */
    ExposureSharing sharing;
    uint32_t data[ELEMENTS];
};

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    size_t threads = exposure->threads > 0 ? (size_t)exposure->threads : 1;
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->places = exposure->places > 1 ? (size_t)(exposure->places + 0.5) : 1;
    state->places = state->places > MOST_PLACES ? MOST_PLACES : state->places;
    size_t lines = threads > state->places ? threads : state->places;
    state->counts = aligned_alloc(LINE, lines * sizeof *state->counts);
    if (state->counts == NULL) {
        free(state);
        return NULL;
    }
    for (size_t i = 0; i < lines; i++)
        state->counts[i].live = 1; /* the array's owner */
    for (uint32_t i = 0; i < ELEMENTS; i++)
        state->data[i] = i * 7 + 1;
    double events = exposure->events < 1 ? 1 : exposure->events;
    state->events = events > MOST_EVENTS ? MOST_EVENTS : (uint64_t)(events + 0.5);
    state->work_steps = work_steps;
    double per_ns = work_steps > 0 ? (double)work_steps / exposure->work_ns : STEPS_PER_NS;
    if (exposure->overhead_ns > BUILD_NS)
        state->view_steps = (uint64_t)((exposure->overhead_ns - BUILD_NS) * events * per_ns + 0.5);
    state->sharing = exposure->sharing;
    return state;
}

static void release(KernelState *state)
{
    free(state->counts);
    free(state);
}

/* Threads that meet at an element fall out of step and then go round apart: here from the start.
 */
static Count *count_of(KernelState *state, int thread, uint64_t cell)
{
    switch (state->sharing) {
    case SHARING_NONE:
        return NULL;
    case SHARING_PRIVATE:
        return &state->counts[thread];
    case SHARING_ALL:
        break;
    }
    return &state->counts[((size_t)thread + cell / STRETCH) % state->places];
}

__attribute__((noinline)) static void view_take(View *view, Count *count, const uint32_t *data,
                                                uint64_t at)
{
    view->count = count;
    view->data = data + at;
    view->items = (int64_t)(ELEMENTS - at);
    view->stride = sizeof *data;
    if (count != NULL)
        __atomic_add_fetch(&count->live, 1, __ATOMIC_RELAXED);
}

static void view_drop(View *view)
{
    if (view->count != NULL && __atomic_sub_fetch(&view->count->live, 1, __ATOMIC_ACQ_REL) == 0)
        abort(); /* never: the owner still holds it; numba frees the array here */
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    View views[MOST_EVENTS];
    double cell;
    volatile double *result = &cell;
    double carried = 1; /* the work of a cell waits for that of the last: it takes its whole time */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = i % ELEMENTS;
        Count *live = count_of(state, thread, i);
        for (uint64_t e = 0; e < state->events; e++)
            view_take(&views[e], live, state->data, at);
        BENCH_KEEP(views);
        carried = bench_work(carried, state->work_steps + state->view_steps);
        *result = carried;
        sum += views[0].data[0] + (carried > 0);
        for (uint64_t e = 0; e < state->events; e++)
            view_drop(&views[e]);
    }
    return sum;
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    double cell;
    volatile double *result = &cell;
    double carried = 1;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        BENCH_KEEP(state);
        carried = bench_work(carried, state->work_steps);
        *result = carried;
        sum += state->data[i % ELEMENTS] + (carried > 0);
    }
    return sum;
}

const Kernel kernel_view_per_cell = {
    .name = "view-per-cell",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
};
