/* A loop with schedule(dynamic, chunk), whose chunks of 1 / events pieces are handed out by an
 * OpenMP runtime; each piece writes a result of `bytes` bytes beside that of the next one.
 * Relieved: each thread has its part of the pieces, as in a static schedule, and a part of the
 * results for itself. Both do the same pieces, so that the checksums of all threads together agree.
 * Without a runtime a chunk is an atomic addition to one counter of all threads, which it is at the
 * least. */
#include "bench/kernel.h"
#include "bench/omp_team.h"

#include <stdlib.h>
#include <string.h>

enum { APART = 128, ROOM = 1 << 16 /* bytes of results */ };

typedef struct Lane {
    _Alignas(APART) uint64_t sum;
} Lane;

struct KernelState {
    OmpTeam *team; /* NULL: no OpenMP runtime */
    int threads;
    uint64_t count;         /* pieces of one thread in the run */
    Lane *lanes;            /* one a thread */
    uint64_t *next;         /* without a team: the shared counter, on a line of its own */
    unsigned char *results; /* ROOM for all, and ROOM for each thread */
    size_t bytes;           /* of a result; 0: none is written */
    uint64_t chunk, work_steps;
};

static void release(KernelState *state)
{
    omp_team_free(state->team);
    free(state->lanes);
    free(state->next);
    free(state->results);
    free(state);
}

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    size_t threads = exposure->threads > 0 ? (size_t)exposure->threads : 1;
    state->threads = (int)threads;
    state->team = omp_team_new(state->threads, exposure->runtime);
    state->lanes = aligned_alloc(APART, threads * sizeof *state->lanes);
    state->next = aligned_alloc(APART, APART);
    state->results = aligned_alloc(APART, (threads + 1) * ROOM);
    if (state->lanes == NULL || state->next == NULL || state->results == NULL) {
        release(state);
        return NULL;
    }
    memset(state->lanes, 0, threads * sizeof *state->lanes);
    memset(state->results, 0, (threads + 1) * ROOM);
    state->bytes = exposure->bytes > 0 ? (size_t)exposure->bytes : 0;
    *state->next = 0;
    state->chunk =
        exposure->events > 0 && exposure->events < 1 ? (uint64_t)(1 / exposure->events + 0.5) : 1;
    state->work_steps = work_steps;
    return state;
}

/* One chunk, whose first piece has number `number`; the numbers only say where results go, since an
 * index may go to any thread. */
BENCH_LOOP uint64_t run_chunk(const KernelState *state, unsigned char *results, double *carried,
                              uint64_t number, uint64_t first, uint64_t stop, uint64_t steps)
{
    uint64_t sum = 0;
    for (uint64_t i = first; i < stop; i++) {
        *carried = bench_work(*carried, steps);
        sum += bench_whole(*carried) + i;
        if (state->bytes > 0)
            bench_put_result(results, ROOM, number + i - first, state->bytes);
    }
    return sum;
}

BENCH_LOOP uint64_t take_chunks(KernelState *state, uint64_t count, uint64_t steps, uint64_t each)
{
    (void)each;
    uint64_t sum = 0;
    double carried = 1;
    for (uint64_t i = 0; i < count; i += state->chunk) {
        uint64_t taken = __atomic_fetch_add(state->next, state->chunk, __ATOMIC_RELAXED);
        BENCH_KEEP(taken);
        uint64_t stop = i + state->chunk < count ? i + state->chunk : count;
        sum += run_chunk(state, state->results, &carried, taken, i, stop, steps);
    }
    return sum;
}

BENCH_LOOP uint64_t run_all(const KernelState *state, unsigned char *results, uint64_t count,
                            uint64_t steps, uint64_t each)
{
    (void)each;
    double carried = 1;
    return run_chunk(state, results, &carried, 0, 0, count, steps);
}

BENCH_LOOP uint64_t run_handed(const KernelState *state, uint64_t steps, uint64_t each)
{
    (void)each;
    uint64_t sum = 0;
    double carried = 1;
    long from, to, stop = (long)(state->count * (uint64_t)state->threads);
    bool any = omp_team_first_chunk(state->team, stop, (long)state->chunk, &from, &to);
    for (; any; any = omp_team_next_chunk(state->team, &from, &to))
        sum += run_chunk(state, state->results, &carried, (uint64_t)from, (uint64_t)from,
                         (uint64_t)to, steps);
    omp_team_end_loop(state->team);
    return sum;
}

/* As numbered in the whole loop. */
static uint64_t run_part(const KernelState *state, int thread)
{
    unsigned char *own = state->results + (size_t)(thread + 1) * ROOM;
    uint64_t before = (uint64_t)thread * state->count;
    return before * state->count +
           BENCH_BY_WORK(run_all, state->work_steps, 1, state, own, state->count);
}

static void dynamic_region(void *data)
{
    KernelState *state = data;
    state->lanes[omp_team_number(state->team)].sum =
        BENCH_BY_WORK(run_handed, state->work_steps, 1, state);
}

static void static_region(void *data)
{
    KernelState *state = data;
    int thread = omp_team_number(state->team);
    state->lanes[thread].sum = run_part(state, thread);
}

static uint64_t lead(KernelState *state, void (*region)(void *), uint64_t count)
{
    uint64_t sum = 0;
    state->count = count;
    omp_team_open(state->team, region, state);
    omp_team_rest(state->team);
    for (int i = 0; i < state->threads; i++)
        sum += state->lanes[i].sum;
    return sum;
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    if (state->team != NULL)
        return omp_team_leads(state->team, thread) ? lead(state, dynamic_region, count) : 0;
    return BENCH_BY_WORK(take_chunks, state->work_steps, 1, state, count);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    if (state->team != NULL)
        return omp_team_leads(state->team, thread) ? lead(state, static_region, count) : 0;
    unsigned char *own = state->results + (size_t)(thread + 1) * ROOM;
    return BENCH_BY_WORK(run_all, state->work_steps, 1, state, own, count);
}

const Kernel kernel_contended_schedule = {
    .name = "contended-schedule",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
};
