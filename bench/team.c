#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity, RUSAGE_THREAD, syscall */
#endif
#include "bench/team.h"

#include <hwloc.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE = 128,    /* two cache lines: the adjacent-line prefetcher pulls pairs */
    MASK_SETS = 8, /* 8 x 1024 processors in an affinity mask */
    SPINS_BEFORE_SLEEP =
        40000, /* about 1 ms: threads woken from a condition arrive within 0.1 ms */
    STACK_BYTES = 1 << 20,
};

/* A thread may be away from its core for 2 % of a run (timer ticks, interrupts), or start this
 * late, before the run counts as disturbed. */
static const double AWAY_SHARE = 0.02, LATE_NS = 20e3;

typedef struct Member {
    _Alignas(LINE) Team *team;
    pthread_t thread;
    int index, cpu;
    bool pinned, disturbed;
    double end_ns;
    uint64_t checksum;
} Member;

struct Team {
    int threads;
    bool pin;
    pthread_mutex_t lock;
    pthread_cond_t order, done;
    unsigned generation; /* of the order below; guarded by lock, as all up to the barrier */
    int running;
    bool quit;
    TeamWork *work;
    void *state;
    uint64_t count;
    double release_ns; /* written by the last to arrive, read after the release */
    _Alignas(LINE) atomic_int arrived;
    _Alignas(LINE) _Atomic uint32_t released; /* the generation that may run: a futex word */
    _Alignas(LINE) Member members[];
};

double team_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double thread_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The process's affinity mask; false where the system does not tell. */
static bool allowed_mask(cpu_set_t mask[MASK_SETS])
{
    memset(mask, 0, MASK_SETS * sizeof *mask);
    return sched_getaffinity(0, MASK_SETS * sizeof *mask, mask) == 0;
}

int team_processors(void)
{
    cpu_set_t mask[MASK_SETS];
    if (allowed_mask(mask))
        return CPU_COUNT_S(sizeof mask, mask);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

bool team_pin(int cpu)
{
    cpu_set_t mask[MASK_SETS];
    memset(mask, 0, sizeof mask);
    CPU_SET_S((size_t)cpu, sizeof mask, mask);
    return sched_setaffinity(0, sizeof mask, mask) == 0;
}

/* Only cores are asked for, from Linux alone: hwloc's x86 backend would bind us to every processor
 * in turn to ask it (0.5 ms against 1.2 ms here, and a wait for each busy core). */
static bool load_topology(hwloc_topology_t *topology)
{
    if (hwloc_topology_init(topology) != 0)
        return false;
    hwloc_topology_set_components(*topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    hwloc_topology_set_all_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(*topology, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(*topology) == 0)
        return true;
    hwloc_topology_destroy(*topology);
    return false;
}

/* The first allowed processor of a set, or -1. */
static int first_allowed(hwloc_const_cpuset_t set, const cpu_set_t *mask)
{
    for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
        if (CPU_ISSET_S((size_t)cpu, MASK_SETS * sizeof *mask, mask))
            return cpu;
    return -1;
}

static int cores_of_topology(hwloc_topology_t topology, const cpu_set_t *mask, int *cpus, int limit)
{
    int found = 0;
    int depth = hwloc_get_type_or_below_depth(topology, HWLOC_OBJ_CORE);
    int cores = (int)hwloc_get_nbobjs_by_depth(topology, depth);
    for (int i = 0; i < cores; i++) {
        hwloc_obj_t core = hwloc_get_obj_by_depth(topology, depth, (unsigned)i);
        int cpu = first_allowed(core->cpuset, mask);
        if (cpu >= 0 && found++ < limit)
            cpus[found - 1] = cpu;
    }
    return found;
}

static int cores_of_mask(const cpu_set_t *mask, int *cpus, int limit)
{
    int found = 0;
    for (int cpu = 0; cpu < MASK_SETS * CPU_SETSIZE; cpu++)
        if (CPU_ISSET_S((size_t)cpu, MASK_SETS * sizeof *mask, mask) && found++ < limit)
            cpus[found - 1] = cpu;
    return found;
}

int team_cores(int *cpus, int limit)
{
    cpu_set_t mask[MASK_SETS];
    if (!allowed_mask(mask)) {
        for (int i = 0; i < limit; i++)
            cpus[i] = i;
        return team_processors();
    }
    int found = 0;
    hwloc_topology_t topology;
    if (load_topology(&topology)) {
        found = cores_of_topology(topology, mask, cpus, limit);
        hwloc_topology_destroy(topology);
    }
    return found > 0 ? found : cores_of_mask(mask, cpus, limit);
}

static void futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
    syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

/* Spins, and sleeps when somebody else seems to hold the core of a team mate. */
static void wait_until(_Atomic uint32_t *word, uint32_t wanted)
{
    for (int spin = 0; spin < SPINS_BEFORE_SLEEP; spin++) {
        if (atomic_load_explicit(word, memory_order_acquire) == wanted)
            return;
        team_pause();
    }
    for (uint32_t seen; (seen = atomic_load_explicit(word, memory_order_acquire)) != wanted;)
        futex(word, FUTEX_WAIT_PRIVATE, seen);
}

static void meet(Team *team, uint32_t generation)
{
    int before = atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel);
    if (before + 1 < team->threads) {
        wait_until(&team->released, generation);
        return;
    }
    atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
    team->release_ns = team_now_ns();
    atomic_store_explicit(&team->released, generation, memory_order_release);
    futex(&team->released, FUTEX_WAKE_PRIVATE, INT_MAX);
}

/* What the system counted for this thread. */
typedef struct Usage {
    double wall_ns, cpu_ns;
    long preempted, slept;
} Usage;

static Usage usage_now(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_THREAD, &usage);
    return (Usage){.cpu_ns = thread_cpu_ns(),
                   .preempted = usage.ru_nivcsw,
                   .slept = usage.ru_nvcsw,
                   .wall_ns = team_now_ns()};
}

/* CPU time below wall time means that somebody took the core, unless the kernel under test went to
 * sleep by itself (a contended mutex, the address-space lock): then only being pushed off the core
 * counts. */
static bool was_disturbed(const Usage *from, const Usage *to, double release_ns)
{
    double wall = to->wall_ns - from->wall_ns;
    double away = wall - (to->cpu_ns - from->cpu_ns);
    bool late = from->wall_ns - release_ns > LATE_NS + AWAY_SHARE * wall;
    if (late)
        return true;
    bool missing = away > AWAY_SHARE * wall + 2e3;
    return missing && (to->slept == from->slept || to->preempted != from->preempted);
}

static void run_member(Team *team, Member *member, uint32_t generation)
{
    meet(team, generation);
    Usage from = usage_now();
    member->checksum = team->work(team->state, member->index, team->count);
    member->end_ns = team_now_ns();
    Usage to = usage_now();
    member->disturbed = was_disturbed(&from, &to, team->release_ns);
}

static void *member_main(void *argument)
{
    Member *member = argument;
    Team *team = member->team;
    bool pinned = team->pin && team_pin(member->cpu);
    pthread_mutex_lock(&team->lock);
    member->pinned = pinned;
    for (unsigned seen = 0;;) {
        if (--team->running == 0)
            pthread_cond_signal(&team->done);
        while (team->generation == seen && !team->quit)
            pthread_cond_wait(&team->order, &team->lock);
        if (team->quit)
            break;
        seen = team->generation;
        pthread_mutex_unlock(&team->lock);
        run_member(team, member, seen);
        pthread_mutex_lock(&team->lock);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

static void wait_for_all(Team *team)
{
    while (team->running > 0)
        pthread_cond_wait(&team->done, &team->lock);
}

/* Stops the first `started` threads and gives the team back. */
static void dismiss(Team *team, int started)
{
    pthread_mutex_lock(&team->lock);
    team->quit = true;
    pthread_cond_broadcast(&team->order);
    pthread_mutex_unlock(&team->lock);
    for (int i = 0; i < started; i++)
        pthread_join(team->members[i].thread, NULL);
    pthread_cond_destroy(&team->done);
    pthread_cond_destroy(&team->order);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

static int start_members(Team *team, const int *cpus)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int started = 0;
    for (; started < team->threads; started++) {
        Member *member = &team->members[started];
        member->team = team;
        member->index = started;
        member->cpu = cpus != NULL ? cpus[started] : -1;
        if (pthread_create(&member->thread, &attributes, member_main, member) != 0)
            break;
    }
    pthread_attr_destroy(&attributes);
    return started;
}

Team *team_new(int threads, const int *cpus)
{
    if (threads < 1 || threads > TEAM_MOST_THREADS)
        return NULL;
    size_t bytes = sizeof(Team) + (size_t)threads * sizeof(Member);
    Team *team = aligned_alloc(LINE, bytes);
    if (team == NULL)
        return NULL;
    memset(team, 0, bytes);
    team->threads = team->running = threads;
    team->pin = cpus != NULL;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->order, NULL);
    pthread_cond_init(&team->done, NULL);
    atomic_init(&team->arrived, 0);
    atomic_init(&team->released, 0);
    int started = start_members(team, cpus);
    if (started < threads) {
        dismiss(team, started);
        return NULL;
    }
    pthread_mutex_lock(&team->lock);
    wait_for_all(team);
    pthread_mutex_unlock(&team->lock);
    return team;
}

void team_free(Team *team)
{
    if (team != NULL)
        dismiss(team, team->threads);
}

int team_threads(const Team *team)
{
    return team->threads;
}

bool team_pinned(const Team *team)
{
    for (int i = 0; i < team->threads; i++)
        if (!team->members[i].pinned)
            return false;
    return true;
}

double team_thread_ns(const Team *team, int thread)
{
    return team->members[thread].end_ns - team->release_ns;
}

static TeamRun summarise(const Team *team)
{
    TeamRun run = {.fastest_ns = team_thread_ns(team, 0)};
    for (int i = 0; i < team->threads; i++) {
        double ns = team_thread_ns(team, i);
        run.wall_ns = ns > run.wall_ns ? ns : run.wall_ns;
        run.fastest_ns = ns < run.fastest_ns ? ns : run.fastest_ns;
        run.checksum += team->members[i].checksum;
        run.disturbed |= team->members[i].disturbed;
    }
    return run;
}

TeamRun team_run(Team *team, TeamWork *work, void *state, uint64_t count)
{
    pthread_mutex_lock(&team->lock);
    team->work = work;
    team->state = state;
    team->count = count;
    team->running = team->threads;
    team->generation++;
    pthread_cond_broadcast(&team->order);
    wait_for_all(team);
    pthread_mutex_unlock(&team->lock);
    return summarise(team);
}
