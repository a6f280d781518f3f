/* A team with more threads than cores, whose members meet at a spinning barrier after every piece
 * of work, against one with a thread a core; the work is the same. With `launches` the crowded team
 * is started and ended for every piece of work, as OpenMP runtimes do with teams inside teams. A
 * team may also be too small: with `events` below 1 it has one member, which does the work of all
 * cores. A
 * harness thread stands for a core: it starts the members that share its core (they inherit its
 * place) and sleeps until they are through, so that what it is pushed off the core for is not taken
 * for a disturbance. */
#include "bench/kernel.h"
#include "bench/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/* A member spins that long before it gives its core away: between the few us of libgomp where it
 * sees too many threads of its own and the time slice of 4 ms where it does not. */
#define PATIENCE_NS 50e3

enum { APART = 128, MOST_PER_CORE = 8, PAUSES = 32 };

typedef struct Barrier {
    _Alignas(APART) uint64_t arrived;
    _Alignas(APART) uint64_t generation;
} Barrier;

struct KernelState {
    Barrier barrier;
    int cores, per_core;
    bool restarts; /* the crowded team is made anew for each piece of work */
    bool alone;    /* no crowd, but one member for all cores */
    uint64_t work_steps;
    bool broken; /* a member could not be started: nobody waits any more */
};

typedef struct Crew {
    KernelState *state;
    int members; /* of the whole team */
    uint64_t phases, steps, done;
} Crew;

static void meet(Crew *crew)
{
    Barrier *barrier = &crew->state->barrier;
    uint64_t generation = __atomic_load_n(&barrier->generation, __ATOMIC_ACQUIRE);
    uint64_t place = __atomic_add_fetch(&barrier->arrived, 1, __ATOMIC_ACQ_REL);
    if (place == (uint64_t)crew->members) {
        __atomic_store_n(&barrier->arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&barrier->generation, generation + 1, __ATOMIC_RELEASE);
        return;
    }
    double start = team_now_ns();
    while (__atomic_load_n(&barrier->generation, __ATOMIC_ACQUIRE) == generation &&
           !__atomic_load_n(&crew->state->broken, __ATOMIC_RELAXED)) {
        for (int i = 0; i < PAUSES; i++)
            team_pause();
        if (team_now_ns() - start > PATIENCE_NS)
            sched_yield();
    }
}

static void *member_main(void *argument)
{
    Crew *crew = argument;
    double carried = 1;
    for (uint64_t i = 0; i < crew->phases; i++) {
        carried = bench_work(carried, crew->steps);
        meet(crew);
    }
    crew->done = crew->phases + (carried < 0);
    return NULL;
}

/* The work of all cores, on one of them. */
static uint64_t run_alone(KernelState *state, int thread, uint64_t phases)
{
    Crew crew = {.state = state,
                 .members = 1,
                 .phases = thread == 0 ? phases * (uint64_t)state->cores : 0,
                 .steps = state->work_steps};
    member_main(&crew);
    return crew.done;
}

/* `members` of the team on the calling thread's core; what they did. */
static uint64_t run_members(KernelState *state, int members, uint64_t phases)
{
    pthread_t threads[MOST_PER_CORE];
    Crew crews[MOST_PER_CORE];
    int started = 0;
    uint64_t done = 0, share = (uint64_t)members;
    for (; started < members; started++) {
        uint64_t extra = started == 0 ? state->work_steps % share : 0;
        crews[started] = (Crew){.state = state,
                                .members = members * state->cores,
                                .phases = phases,
                                .steps = state->work_steps / share + extra};
        if (pthread_create(&threads[started], NULL, member_main, &crews[started]) != 0)
            break;
    }
    if (started < members) /* the figure is spoilt, the answer is not */
        __atomic_store_n(&state->broken, true, __ATOMIC_RELAXED);
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        done += crews[i].done;
    }
    return started < members ? phases : done / share;
}

KernelState *oversubscribed_prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = aligned_alloc(APART, (sizeof *state + APART - 1) / APART * APART);
    if (state == NULL)
        return NULL;
    *state = (KernelState){.cores = exposure->threads > 0 ? exposure->threads : 1,
                           .work_steps = work_steps};
    state->per_core = exposure->events < 2 ? 2 : (int)exposure->events;
    state->restarts = exposure->launches > 0;
    state->alone = exposure->events > 0 && exposure->events < 1;
    state->per_core = state->per_core > MOST_PER_CORE ? MOST_PER_CORE : state->per_core;
    return state;
}

uint64_t oversubscribed_contended(KernelState *state, int thread, uint64_t count)
{
    if (state->alone)
        return run_alone(state, thread, count);
    if (!state->restarts)
        return run_members(state, state->per_core, count);
    uint64_t done = 0;
    for (uint64_t i = 0; i < count; i++)
        done += run_members(state, state->per_core, 1);
    return done;
}

uint64_t oversubscribed_relieved(KernelState *state, int thread, uint64_t count)
{
    (void)thread;
    return run_members(state, 1, count);
}

void oversubscribed_release(KernelState *state)
{
    free(state);
}
