/* What calibrate measures with several threads. */
#include "bench/calibrate_pass.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "bench/kernel.h"
#include "bench/statistics.h"

/* Shares of a pass: all teams; all pairs of cores; all launches; the oversubscribed team. */
static const double SHARE_TEAMS = 0.32, SHARE_TRANSFER = 0.04, SHARE_OPENMP = 0.06,
                    SHARE_OVERSUBSCRIBED = 0.03;

/* A time slice of the system's scheduler, within which no barrier of a crowded team need end. */
static const double SLICE_NS = 4e6;

enum { MOST_PAIRS = TOPOLOGY_PAIRS_PER_LEVEL * SHARED_LEVELS };

/* ---- teams ---- */

/* A factor on what one thread needs. */
static Figure factor_of(int threads, Figure now, Figure *alone)
{
    if (threads == 1)
        *alone = now;
    if (!(alone->value > 0))
        return sampler_nothing();
    return (Figure){now.value / alone->value, now.spread + (threads > 1 ? alone->spread : 0)};
}

/* ns that an update under the lock becomes longer by for each ns that the lock is held longer. */
static Figure held_factor(const Machine *machine, Figure lock, Figure held)
{
    double longer = PROBE_HELD * machine->step_ns.value, between = held.value - lock.value;
    if (!(longer > 0) || isnan(between))
        return sampler_nothing();
    double off = held.value * held.spread + lock.value * lock.spread;
    return (Figure){fmax(between / longer, 1), between > 0 ? off / between : 0};
}

/* GB/s, which is bytes per ns. Each pass reads a part of its own of the large memory: which pages
 * it gets makes a quarter of difference here. */
static Figure bandwidth(Pass *pass, Team *team, double share)
{
    if (pass->ring->lines == NULL)
        return sampler_nothing();
    size_t part = pass->ring->bytes / (size_t)pass->of / PROBE_BLOCK * PROBE_BLOCK;
    if (part == 0)
        part = pass->ring->bytes;
    size_t offset = part * (size_t)pass->number % pass->ring->bytes;
    ProbeStream stream = {.memory = (const char *)pass->ring->lines + offset, .bytes = part};
    Figure block = sampler_time(&pass->sampler, team, probe_stream, &stream, share);
    double bytes = (double)team_threads(team) * PROBE_BLOCK;
    return (Figure){bytes / block.value, block.spread};
}

/* On one thread, measured as the curves are. */
typedef struct Alone {
    Figure plain_ns, malloc_ns, malloc_large_ns, page_fault_ns;
} Alone;

static void calibrate_team(Pass *pass, int threads, double share, Alone *alone)
{
    Machine *machine = pass->machine;
    Sampler *sampler = &pass->sampler;
    Team *team = team_new(threads, pass->cpus);
    ProbeShared shared;
    if (team == NULL) {
        pass->lacks_threads = true;
        return;
    }
    probe_shared_init(&shared, threads);
    curve_add(&machine->atomic_shared_ns, threads,
              sampler_time(sampler, team, probe_atomic, &shared, share));
    curve_add(&machine->exchange_shared_ns, threads,
              sampler_time(sampler, team, probe_exchange, &shared, share));
    curve_add(&machine->plain_shared_ns, threads,
              sampler_time(sampler, team, probe_plain, &shared, share));
    Figure own = sampler_time(sampler, team, probe_plain_own, &shared, share);
    curve_add(&machine->plain_own_threads, threads, factor_of(threads, own, &alone->plain_ns));
    Figure lock = sampler_time(sampler, team, probe_lock, &shared, share);
    curve_add(&machine->lock_shared_ns, threads, lock);
    curve_add(
        &machine->lock_held_threads, threads,
        held_factor(machine, lock, sampler_time(sampler, team, probe_lock_held, &shared, share)));
    curve_add(&machine->critical_shared_ns, threads,
              sampler_time(sampler, team, probe_critical, &shared, share));
    curve_add(&machine->barrier_ns, threads,
              sampler_time(sampler, team, probe_barrier, &shared, share));
    shared.bytes = 64;
    Figure small = sampler_time(sampler, team, probe_malloc, &shared, share);
    curve_add(&machine->malloc_threads, threads, factor_of(threads, small, &alone->malloc_ns));
    shared.bytes = 4096;
    Figure large = sampler_time(sampler, team, probe_malloc, &shared, share);
    curve_add(&machine->malloc_large_threads, threads,
              factor_of(threads, large, &alone->malloc_large_ns));
    Figure pages = sampler_time(sampler, team, probe_page_fault, &shared, share);
    curve_add(&machine->page_fault_threads, threads,
              factor_of(threads, pages, &alone->page_fault_ns));
    curve_add(&machine->bandwidth_gbs, threads, bandwidth(pass, team, share));
    probe_shared_end(&shared);
    team_free(team);
}

/* ---- from core to core ---- */

/* ns of one transfer between two cores. */
static Figure transfer_between(Pass *pass, const CorePair *pair)
{
    Team *team = team_new(2, pair->cpus);
    ProbeShared shared;
    if (team == NULL)
        return sampler_nothing();
    probe_shared_init(&shared, 2);
    Figure both = sampler_time(&pass->sampler, team, probe_hand_over, &shared,
                               SHARE_TRANSFER / pass->pair_count);
    probe_shared_end(&shared);
    team_free(team);
    return (Figure){both.value / 2, both.spread};
}

/* The median over pairs, and the larger of their own spread and of that between them. */
static Figure median_pair(const Figure *pairs, int count)
{
    double values[MOST_PAIRS], spread = 0;
    int found = 0;
    for (int i = 0; i < count; i++) {
        if (isnan(pairs[i].value))
            continue;
        values[found++] = pairs[i].value;
        spread = fmax(spread, pairs[i].spread);
    }
    if (found == 0)
        return sampler_nothing();
    spread = fmax(spread, statistics_spread(values, found));
    return (Figure){statistics_median(values, found), spread};
}

static void calibrate_transfer(Pass *pass)
{
    Figure all[MOST_PAIRS], same[MOST_PAIRS];
    for (int i = 0; i < pass->pair_count; i++)
        all[i] = transfer_between(pass, &pass->pairs[i]);
    pass->machine->transfer_ns = median_pair(all, pass->pair_count);
    for (int level = 0; level < SHARED_LEVELS; level++) {
        int count = 0;
        for (int i = 0; i < pass->pair_count; i++)
            if ((int)pass->pairs[i].level == level)
                same[count++] = all[i];
        pass->machine->transfer_by_ns[level] = count > 0 ? median_pair(same, count) : (Figure){0};
    }
}

/* ---- the OpenMP runtime ---- */

typedef struct Region {
    const OpenmpRuntime *openmp;
    const int *cpus;
    int threads;
    atomic_int tickets;
    uint64_t barriers;
} Region;

static void empty_region(void *data)
{
    (void)data;
}

/* (ThreadSanitizer does not see how the runtime starts a region.) */
__attribute__((no_sanitize("thread"))) static void barrier_region(void *data)
{
    const Region *region = data;
    for (uint64_t i = 0; i < region->barriers; i++)
        region->openmp->barrier();
}

/* Every thread of the runtime's team on a core of its own: left alone, two of them shared one while
 * the machine was busy, and a region took 8 ms. */
__attribute__((no_sanitize("thread"))) static void pinning_region(void *data)
{
    Region *region = data;
    int ticket = atomic_fetch_add(&region->tickets, 1);
    if (ticket < region->threads)
        team_pin(region->cpus[ticket]);
}

static uint64_t pin_runtime(void *state, int thread, uint64_t count)
{
    (void)thread, (void)count;
    Region *region = state;
    region->openmp->parallel(pinning_region, region, (unsigned)region->threads, 0);
    return 0;
}

static uint64_t launch_regions(void *state, int thread, uint64_t count)
{
    (void)thread;
    const Region *region = state;
    for (uint64_t i = 0; i < count; i++)
        region->openmp->parallel(empty_region, NULL, (unsigned)region->threads, 0);
    return 0;
}

static uint64_t meet_in_region(void *state, int thread, uint64_t count)
{
    (void)thread;
    Region *region = state;
    region->barriers = count;
    region->openmp->parallel(barrier_region, region, (unsigned)region->threads, 0);
    return 0;
}

/* On a thread of our own, with which the runtime's team goes. A fork and a join are two barriers of
 * a waiting team: what stands in where there is no runtime. */
static void calibrate_openmp(Pass *pass, int threads, double share)
{
    Machine *machine = pass->machine;
    Region region = {.openmp = pass->openmp, .cpus = pass->cpus, .threads = threads};
    Team *master = pass->openmp->parallel != NULL ? team_new(1, pass->cpus) : NULL;
    double barrier = curve_at(&machine->barrier_ns, threads);
    Figure launch = {2 * barrier, 0}, meeting = {barrier, 0};
    if (master != NULL) {
        team_run(master, pin_runtime, &region, 1);
        launch = sampler_time(&pass->sampler, master, launch_regions, &region, share);
        meeting = sampler_time(&pass->sampler, master, meet_in_region, &region, share);
    }
    curve_add(&machine->launch_ns, threads, launch);
    curve_add(&machine->omp_barrier_ns, threads, meeting);
    team_free(master);
}

/* ---- more threads than cores ---- */

static uint64_t crowded_barriers(void *state, int thread, uint64_t count)
{
    return oversubscribed_contended(state, thread, count);
}

static void calibrate_oversubscribed(Pass *pass)
{
    const Exposure crowded = {.threads = pass->cores, .events = 2};
    KernelState *state = oversubscribed_prepare(&crowded, 0);
    Team *team = state != NULL ? team_new(pass->cores, pass->cpus) : NULL;
    if (team != NULL)
        pass->machine->oversubscribed_barrier_ns = sampler_time_long(
            &pass->sampler, team, crowded_barriers, state, SHARE_OVERSUBSCRIBED, SLICE_NS);
    team_free(team);
    if (state != NULL)
        oversubscribed_release(state);
}

/* ---- all of it ---- */

/* 1, 2, 4, ... and all cores: the points of the curves. */
static int thread_counts(int cores, int counts[MACHINE_CURVE])
{
    int count = 0;
    for (int threads = 1; threads < cores && count < MACHINE_CURVE - 1; threads *= 2)
        counts[count++] = threads;
    counts[count++] = cores;
    return count;
}

void calibrate_teams(Pass *pass)
{
    enum { PROBES_PER_TEAM = 11, PROBES_PER_REGION = 2 };
    int counts[MACHINE_CURVE];
    int teams = thread_counts(pass->cores, counts);
    Alone alone = {.malloc_ns = {0}};
    calibrate_stage(pass, "line transfer");
    calibrate_transfer(pass);
    calibrate_stage(pass, "teams");
    for (int i = 0; i < teams; i++)
        calibrate_team(pass, counts[i], SHARE_TEAMS / (teams * PROBES_PER_TEAM), &alone);
    calibrate_stage(pass, "launches");
    for (int i = 0; i < teams; i++)
        calibrate_openmp(pass, counts[i], SHARE_OPENMP / (teams * PROBES_PER_REGION));
    calibrate_oversubscribed(pass);
}
