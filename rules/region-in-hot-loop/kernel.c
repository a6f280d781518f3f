/* A team that is launched for every piece of work, against one launch around all pieces.
 *
 * The team is that of an OpenMP runtime, since that is what the code we judge pays. Without one the
 * harness's threads meet at two barriers, which is what a launch is at the least.
 *
 * Where a launch costs more than the runtime's own part of it (numba's call of a parallel
 * function), the first thread spends overhead_ns on each. `share` of a piece is split among the
 * threads, the first one does the rest. Relieved, with sharing none: nobody waits between pieces;
 * all: the team meets at a barrier after each; private: one thread does everything by itself. */
#include "bench/kernel.h"
#include "bench/omp_team.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, MOST_THREADS = 1024 };

typedef struct Lane {
    _Alignas(LINE) uint64_t sum;
    double carried; /* each piece of work waits for the last: it takes its whole time */
} Lane;

struct KernelState {
    OmpTeam *team; /* NULL: no OpenMP runtime */
    int threads;
    ExposureSharing sharing;
    uint64_t part_steps, rest_steps; /* of one thread; of the first one beside it */
    uint64_t launch_steps;           /* of the first one, for each launch */
    uint64_t pieces;                 /* that one region goes around when relieved */
    uint64_t count;
    _Alignas(LINE) atomic_uint waiting;
    _Alignas(LINE) atomic_uint generation;
    Lane lanes[];
};

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    int threads = exposure->threads > 0 ? exposure->threads : 1;
    if (threads > MOST_THREADS)
        return NULL;
    size_t bytes = sizeof(KernelState) + (size_t)threads * sizeof(Lane);
    KernelState *state = aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
    if (state == NULL)
        return NULL;
    memset(state, 0, bytes);
    double share = exposure->share > 0 && exposure->share < 1 ? exposure->share : 1;
    double part = share * (double)work_steps;
    state->team = omp_team_new(threads, exposure->runtime);
    state->threads = threads;
    state->sharing = exposure->sharing;
    state->pieces = exposure->pieces >= 1 ? (uint64_t)exposure->pieces : UINT64_MAX;
    state->part_steps = (uint64_t)(part / threads + 0.5);
    state->rest_steps = (uint64_t)((double)work_steps - part + 0.5);
    if (exposure->work_ns > 0)
        state->launch_steps =
            (uint64_t)(exposure->overhead_ns * (double)work_steps / exposure->work_ns);
    for (int i = 0; i < threads; i++)
        state->lanes[i].carried = 1;
    return state;
}

static void release(KernelState *state)
{
    omp_team_free(state->team);
    free(state);
}

static void pause_here(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* All threads of the team arrive before one goes on. */
static void meet(KernelState *state)
{
    unsigned seen = atomic_load(&state->generation);
    if (atomic_fetch_add(&state->waiting, 1) + 1 == (unsigned)state->threads) {
        atomic_store(&state->waiting, 0);
        atomic_store(&state->generation, seen + 1);
        return;
    }
    while (atomic_load(&state->generation) == seen)
        pause_here();
}

/* What a launch costs beside the runtime's part of it. */
static void do_launch(const KernelState *state)
{
    BENCH_KEEP(bench_work(1, state->launch_steps));
}

/* A thread's part of one piece. */
static void do_part(KernelState *state, int thread)
{
    Lane *lane = &state->lanes[thread];
    lane->carried = bench_work(lane->carried, state->part_steps);
    lane->sum += (uint64_t)lane->carried + 1;
}

static void do_rest(KernelState *state)
{
    Lane *lane = &state->lanes[0];
    lane->carried = bench_work(lane->carried, state->rest_steps);
}

/* Pieces that nobody waits for: what a thread carries stays in registers, as in the loop that the
 * region went around. */
BENCH_LOOP void do_in_line(KernelState *state, int thread, uint64_t count, uint64_t rest,
                           uint64_t steps, uint64_t each)
{
    Lane *lane = &state->lanes[thread];
    double carried = lane->carried;
    uint64_t sum = lane->sum;
    (void)each;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(bench_work(carried, rest), steps);
        BENCH_HOLD(carried);
        sum += bench_whole(carried) + 1;
    }
    lane->carried = carried;
    lane->sum = sum;
}

static void do_all_pieces(KernelState *state, int thread)
{
    if (state->sharing != SHARING_ALL) {
        uint64_t rest = thread == 0 ? state->rest_steps : 0;
        BENCH_BY_WORK(do_in_line, state->part_steps, 1, state, thread, state->count, rest);
        return;
    }
    for (uint64_t i = 0; i < state->count; i++) {
        if (thread == 0)
            do_rest(state);
        do_part(state, thread);
        meet(state);
    }
}

/* ---- in a runtime's team ---- */

static void part_region(void *data)
{
    KernelState *state = data;
    do_part(state, omp_team_number(state->team));
}

static void whole_region(void *data)
{
    KernelState *state = data;
    do_all_pieces(state, omp_team_number(state->team));
}

/* ---- both forms ---- */

static uint64_t collect(KernelState *state, int first, int stop)
{
    uint64_t sum = 0;
    for (int i = first; i < stop; i++) {
        sum += state->lanes[i].sum;
        state->lanes[i].sum = 0;
        state->lanes[i].carried = 1;
    }
    return sum;
}

static uint64_t alone(KernelState *state, int thread, uint64_t count)
{
    if (thread != 0)
        return 0;
    state->count = count;
    for (int t = 0; t < state->threads; t++)
        do_all_pieces(state, t);
    return collect(state, 0, state->threads);
}

static void launch_each(KernelState *state, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        do_rest(state);
        do_launch(state);
        omp_team_open(state->team, part_region, state);
    }
}

static void launch_once(KernelState *state, uint64_t count)
{
    for (uint64_t done = 0; done < count; done += state->count) {
        state->count = count - done < state->pieces ? count - done : state->pieces;
        do_launch(state);
        omp_team_open(state->team, whole_region, state);
    }
}

static uint64_t finish(KernelState *state)
{
    omp_team_rest(state->team);
    return collect(state, 0, state->threads);
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    if (state->team != NULL) {
        if (!omp_team_leads(state->team, thread))
            return 0;
        launch_each(state, count);
        return finish(state);
    }
    for (uint64_t i = 0; i < count; i++) {
        if (thread == 0) {
            do_rest(state);
            do_launch(state);
        }
        meet(state);
        do_part(state, thread);
        meet(state);
    }
    return collect(state, thread, thread + 1);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    if (state->sharing == SHARING_PRIVATE)
        return alone(state, thread, count);
    if (state->team != NULL) {
        if (!omp_team_leads(state->team, thread))
            return 0;
        launch_once(state, count);
        return finish(state);
    }
    if (thread == 0)
        state->count = count;
    meet(state);
    do_all_pieces(state, thread);
    meet(state);
    return collect(state, thread, thread + 1);
}

const Kernel kernel_region_in_hot_loop = {
    .name = "region-in-hot-loop",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
    .sweep = "work=500..16000",
};
