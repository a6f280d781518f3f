#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "bench/calibrate.h"

#include <dlfcn.h>
#include <hwloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/probe.h"
#include "bench/statistics.h"
#include "bench/team.h"

enum { MOST_SAMPLES = 128, FEWEST_SAMPLES = 5, MOST_TRIES = 40, MOST_RUNS = 512, MOST_PAIRS = 8 };

/* A sample is short against a time slice and long against the start of a team. */
static const double SAMPLE_NS = 2e5;
static const double LARGEST_MEMORY = 512.0 * 1024 * 1024;

/* A view that numba makes takes 2.35 ns where the model of it in C takes 1.64. */
static const double NUMBA_OVER_VIEW = 1.43;

/* Shares of the time that calibrate() was given; the rest goes to threads that start and memory
 * that is made. One probe on one thread gets SHARE_PROBE (there are about thirty). */
static const double SHARE_PROBE = 0.013, SHARE_TEAMS = 0.4, SHARE_TRANSFER = 0.03,
                    SHARE_LAUNCH = 0.06;

typedef struct Calibration {
    Machine *machine;
    double seconds;
    void (*progress)(const char *stage);
    char *note;
    size_t note_bytes;
    int cpus[TEAM_MOST_THREADS];
    int cores;
    int probes,
        failed;     /* the latter: disturbed by other processes, so that the generic figure stays */
    ProbeRing ring; /* far larger than the last cache; lines NULL if memory is short */
    double ring_bytes;
} Calibration;

static void stage(const Calibration *calibration, const char *name)
{
    if (calibration->progress != NULL)
        calibration->progress(name);
}

__attribute__((format(printf, 2, 3))) static void remark(Calibration *calibration,
                                                         const char *format, ...)
{
    size_t used = calibration->note_bytes > 0 ? strlen(calibration->note) : 0;
    if (used + 1 >= calibration->note_bytes)
        return;
    if (used > 0)
        used += (size_t)snprintf(calibration->note + used, calibration->note_bytes - used, "; ");
    if (used >= calibration->note_bytes)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(calibration->note + used, calibration->note_bytes - used, format, arguments);
    va_end(arguments);
}

/* Three significant digits: more would be noise in a file that is committed. */
static double rounded(double value)
{
    if (!(value > 0) || !isfinite(value))
        return 0;
    double unit = pow(10, floor(log10(value)) - 2);
    return unit >= 1 ? round(value / unit) * unit : round(value / unit) / (1 / unit);
}

static Figure figure_of(double value, double spread)
{
    return (Figure){rounded(value), rounded(spread)};
}

/* ---- sampling ---- */

/* The least of a few runs, undisturbed ones if there are any: a first run that is cold or disturbed
 * would leave samples of a single event (libm came out at 291 ns instead of 15). */
static double least_ns(Team *team, TeamWork *work, void *state, uint64_t count)
{
    double least = INFINITY, clean = INFINITY;
    for (int i = 0; i < 3; i++) {
        TeamRun run = team_run(team, work, state, count);
        least = fmin(least, run.wall_ns);
        clean = run.disturbed ? clean : fmin(clean, run.wall_ns);
        if (least < SAMPLE_NS / 8)
            break;
    }
    return clean < INFINITY ? clean : least;
}

/* Events per sample, so that one takes about SAMPLE_NS. */
static uint64_t sample_count(Team *team, TeamWork *work, void *state)
{
    for (uint64_t count = 1;; count *= 4) {
        double ns = least_ns(team, work, state, count);
        if (ns >= SAMPLE_NS)
            return count;
        if (ns >= SAMPLE_NS / 8)
            return (uint64_t)((double)count * SAMPLE_NS / ns);
    }
}

/* Wall ns of one event of `work` as each thread of the team sees it: median and spread of the
 * undisturbed samples. A value of 0 where there are too few of them; the caller then keeps the
 * generic figure. */
static Figure sample(Calibration *calibration, Team *team, TeamWork *work, void *state,
                     double share)
{
    double times[MOST_SAMPLES];
    int clean = 0, runs = 0;
    double deadline = team_now_ns() + share * calibration->seconds * 1e9;
    uint64_t count = sample_count(team, work, state);
    while (clean < MOST_SAMPLES && runs < MOST_RUNS &&
           (clean < FEWEST_SAMPLES || team_now_ns() < deadline)) {
        TeamRun run = team_run(team, work, state, count);
        runs++;
        if (!run.disturbed && run.wall_ns < SAMPLE_NS / 16) {
            count *= 4; /* every try was disturbed while it was chosen: begin anew */
            clean = 0;
        } else if (!run.disturbed) {
            times[clean++] = run.wall_ns / (double)count;
        }
        if (clean < FEWEST_SAMPLES && runs >= MOST_TRIES)
            break;
    }
    calibration->probes++;
    if (clean < FEWEST_SAMPLES) {
        calibration->failed++;
        return (Figure){0};
    }
    double spread = statistics_spread(times, clean);
    return figure_of(statistics_median(times, clean), spread);
}

static Figure probe(Calibration *calibration, Team *team, TeamWork *work, void *state)
{
    return sample(calibration, team, work, state, SHARE_PROBE);
}

/* What is measured replaces the generic figure; what is not (0) leaves it. */
static void keep(Figure *figure, Figure measured)
{
    if (measured.value > 0)
        *figure = measured;
}

/* `figure` becomes what `more` costs beyond `less`, times `factor`, with the spread of the former.
 */
static void keep_difference(Figure *figure, Figure more, Figure less, double factor)
{
    if (more.value > 0 && less.value > 0)
        *figure = figure_of(fmax(more.value - less.value, 0) * factor, more.spread);
}

/* A point; of the generic curve where nothing was measured (0), since a curve that ended before it
 * would say that more threads cost nothing. */
static void curve_add(Curve *curve, double at, double value, const Curve *generic)
{
    if (curve->count >= MACHINE_CURVE)
        return;
    curve->at[curve->count] = at;
    curve->value[curve->count++] = rounded(value > 0 ? value : curve_at(generic, at));
}

/* ---- what the machine is ---- */

/* Bytes of one cache of that level; 0 where hwloc does not know. `total`: of all of them. */
static double cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type, double *total)
{
    int caches = hwloc_get_nbobjs_by_type(topology, type);
    hwloc_obj_t cache = caches > 0 ? hwloc_get_obj_by_type(topology, type, 0) : NULL;
    double bytes = cache != NULL ? (double)cache->attr->cache.size : 0;
    *total = bytes * (caches > 0 ? caches : 0);
    return bytes;
}

static void set_bytes(double *bytes, double measured)
{
    if (measured >= 1)
        *bytes = measured;
}

static void describe_caches(Calibration *calibration)
{
    Machine *machine = calibration->machine;
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return;
    double total = 0;
    if (hwloc_topology_load(topology) == 0) {
        int sockets = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE);
        machine->sockets = sockets > 0 ? sockets : 1;
        set_bytes(&machine->l1_bytes, cache_bytes(topology, HWLOC_OBJ_L1CACHE, &total));
        set_bytes(&machine->l2_bytes, cache_bytes(topology, HWLOC_OBJ_L2CACHE, &total));
        set_bytes(&machine->l3_bytes, cache_bytes(topology, HWLOC_OBJ_L3CACHE, &total));
    }
    hwloc_topology_destroy(topology);
    calibration->ring_bytes = total > machine->l3_bytes ? total : machine->l3_bytes;
}

static void describe(Calibration *calibration)
{
    Machine *machine = calibration->machine;
    *machine = machine_generic();
    machine_cpu(machine->cpu, sizeof machine->cpu);
    calibration->cores = team_cores(calibration->cpus, TEAM_MOST_THREADS);
    if (calibration->cores > TEAM_MOST_THREADS)
        calibration->cores = TEAM_MOST_THREADS;
    machine->threads = team_processors();
    machine->cores = calibration->cores;
    machine->line_bytes = machine_line_bytes();
    snprintf(machine->name, sizeof machine->name, "%.100s, %d thread%s", machine->cpu,
             machine->threads, machine->threads == 1 ? "" : "s");
    describe_caches(calibration);
}

/* ---- one thread ---- */

static void calibrate_arithmetic(Calibration *c, Team *one)
{
    Machine *machine = c->machine;
    keep(&machine->step_ns, probe(c, one, probe_step, NULL));
    keep(&machine->op_ns, probe(c, one, probe_op, NULL));
    keep(&machine->vector_op_ns, probe(c, one, probe_vector_op, NULL));
    keep(&machine->divide_ns, probe(c, one, probe_divide, NULL));
    keep(&machine->sqrt_ns, probe(c, one, probe_sqrt, NULL));
    keep(&machine->libm_ns, probe(c, one, probe_libm, NULL));
    keep(&machine->call_ns, probe(c, one, probe_call, NULL));
    Figure normal = probe(c, one, probe_decay_normal, NULL);
    keep_difference(&machine->denormal_ns, probe(c, one, probe_decay_denormal, NULL), normal, 1);
    /* Every second of the random bits is predicted right. */
    unsigned char bits[PROBE_BITS];
    probe_bits_steady(bits);
    Figure steady = probe(c, one, probe_branch, bits);
    probe_bits_random(bits);
    keep_difference(&machine->branch_miss_ns, probe(c, one, probe_branch, bits), steady, 2);
}

static size_t power_of_two_below(double bytes)
{
    size_t power = 4096;
    while ((double)power * 2 <= bytes)
        power *= 2;
    return power;
}

/* Twice the last caches (a ring walked in order then finds nothing left of itself), an eighth of
 * the machine's memory at most. */
static void make_ring(Calibration *calibration)
{
    double wanted = fmin(4 * calibration->ring_bytes - 1, LARGEST_MEMORY);
    double pages = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    size_t bytes = power_of_two_below(fmin(wanted, pages > 0 ? pages / 8 : wanted));
    bytes = bytes > PROBE_BLOCK ? bytes : PROBE_BLOCK;
    void *memory = aligned_alloc(4096, bytes);
    if (memory == NULL)
        return;
    calibration->ring = probe_ring(memory, bytes);
}

/* A ring of its own walked once, so that it lies in the cache that it fits. */
static Figure chase(Calibration *calibration, Team *one, double bytes)
{
    const ProbeRing *ring = &calibration->ring;
    size_t part = power_of_two_below(fmin(bytes, (double)ring->bytes));
    ProbeRing small = probe_ring(ring->lines, part);
    team_run(one, probe_chase, &small, part / 64);
    return probe(calibration, one, probe_chase, &small);
}

/* The large ring first: the smaller ones are laid over its beginning. */
static void calibrate_memory(Calibration *c, Team *one)
{
    Machine *machine = c->machine;
    keep(&machine->load_ns[3], probe(c, one, probe_chase, &c->ring));
    keep(&machine->load_ns[0], chase(c, one, machine->l1_bytes / 2));
    keep(&machine->load_ns[1], chase(c, one, machine->l2_bytes / 2));
    /* Little of the last cache: others use it too, and a virtual machine may own a part (here 13 ns
     * in 2 MiB of 32, 15 in 4 on a quiet machine and 130 on a busy one, 118 in 8). */
    keep(&machine->load_ns[2], chase(c, one, fmin(machine->l3_bytes / 2, 2 * machine->l2_bytes)));
}

static void calibrate_views(Calibration *c, Team *one)
{
    Figure index = probe(c, one, probe_index, NULL);
    Figure model = {0};
    keep_difference(&model, probe(c, one, probe_view, NULL), index, NUMBA_OVER_VIEW);
    keep(&c->machine->view_ns, model);
}

/* numba is not here to be timed. Its runtime mallocs, and counts statistics and the array itself up
 * and down: the generic figure is scaled by what one malloc and six atomics cost here and cost
 * where it was measured. */
static Figure scaled_numba_alloc(const Machine *machine)
{
    const double there = 8.7 + 6 * 1.9;
    double here = curve_at(&machine->malloc_ns, 64) + 6 * machine->atomic_ns.value;
    Figure generic = machine_generic().numba_alloc_ns;
    return figure_of(generic.value * here / there, generic.spread);
}

/* Beyond 1 MiB the cost is that of pages, which page_fault_ns gives. */
static void calibrate_allocation(Calibration *c, Team *one, ProbeShared *shared)
{
    static const size_t sizes[] = {16, 64, 256, 1024, 4096, 65536, 1048576};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    const Curve generic = c->machine->malloc_ns;
    Curve *curve = &c->machine->malloc_ns;
    curve->count = 0;
    for (int i = 0; i < SIZES; i++) {
        shared->bytes = sizes[i];
        double ns = probe(c, one, probe_malloc, shared).value;
        curve_add(curve, (double)sizes[i], ns, &generic);
    }
    Figure pages = probe(c, one, probe_page_fault, shared);
    keep(&c->machine->page_fault_ns, figure_of(pages.value / PROBE_PAGES, pages.spread));
    c->machine->numba_alloc_ns = scaled_numba_alloc(c->machine);
}

static void calibrate_one(Calibration *c, Team *one, ProbeShared *shared)
{
    stage(c, "arithmetic");
    calibrate_arithmetic(c, one);
    calibrate_views(c, one);
    if (c->ring.lines != NULL) {
        stage(c, "memory");
        calibrate_memory(c, one);
    }
    stage(c, "atomics and locks");
    keep(&c->machine->atomic_ns, probe(c, one, probe_atomic, shared));
    keep(&c->machine->lock_ns, probe(c, one, probe_lock, shared));
    stage(c, "allocation");
    calibrate_allocation(c, one, shared);
}

/* ---- several threads ---- */

/* The curves that calibrate_team() fills, empty at first. */
static void clear_curves(Machine *machine)
{
    machine->atomic_shared_ns.count = machine->lock_shared_ns.count = 0;
    machine->malloc_threads.count = machine->page_fault_threads.count = 0;
    machine->launch_ns.count = machine->barrier_ns.count = machine->bandwidth_gbs.count = 0;
}

typedef struct Alone {
    Figure malloc_ns, page_fault_ns; /* on one thread, measured as the curves are */
} Alone;

/* A factor on what one thread needs; 0 where either was not measured. */
static double factor_of(int threads, Figure now, Figure *alone)
{
    if (threads == 1)
        *alone = now;
    return alone->value > 0 ? now.value / alone->value : 0;
}

/* GB/s, which is bytes per ns; 0 if not measured. */
static double bandwidth(Calibration *c, Team *team, double share)
{
    if (c->ring.lines == NULL)
        return 0;
    ProbeStream stream = {.memory = (const char *)c->ring.lines, .bytes = c->ring.bytes};
    Figure block = sample(c, team, probe_stream, &stream, share);
    double bytes = (double)team_threads(team) * PROBE_BLOCK;
    return block.value > 0 ? bytes / block.value : 0;
}

static void calibrate_team(Calibration *c, int threads, double share, Alone *alone)
{
    const Machine generic = machine_generic();
    Machine *machine = c->machine;
    Team *team = team_new(threads, c->cpus);
    ProbeShared shared;
    if (team == NULL) {
        remark(c, "a team of %d threads could not be started", threads);
        return;
    }
    probe_shared_init(&shared, threads);
    shared.bytes = 64;
    curve_add(&machine->atomic_shared_ns, threads,
              sample(c, team, probe_atomic, &shared, share).value, &generic.atomic_shared_ns);
    curve_add(&machine->lock_shared_ns, threads, sample(c, team, probe_lock, &shared, share).value,
              &generic.lock_shared_ns);
    curve_add(&machine->barrier_ns, threads, sample(c, team, probe_barrier, &shared, share).value,
              &generic.barrier_ns);
    Figure allocation = sample(c, team, probe_malloc, &shared, share);
    curve_add(&machine->malloc_threads, threads, factor_of(threads, allocation, &alone->malloc_ns),
              &generic.malloc_threads);
    Figure pages = sample(c, team, probe_page_fault, &shared, share);
    curve_add(&machine->page_fault_threads, threads,
              factor_of(threads, pages, &alone->page_fault_ns), &generic.page_fault_threads);
    curve_add(&machine->bandwidth_gbs, threads, bandwidth(c, team, share), &generic.bandwidth_gbs);
    probe_shared_end(&shared);
    team_free(team);
}

/* From the first core to up to eight others, spread over the machine: the median over the pairs. */
static void calibrate_transfer(Calibration *c)
{
    int others = c->cores - 1;
    int pairs = others < MOST_PAIRS ? others : MOST_PAIRS;
    double times[MOST_PAIRS], spread = 0;
    int measured = 0;
    for (int i = 0; i < pairs; i++) {
        int cpus[2] = {c->cpus[0], c->cpus[1 + i * others / pairs]};
        Team *pair = team_new(2, cpus);
        ProbeShared shared;
        if (pair == NULL)
            continue;
        probe_shared_init(&shared, 2);
        Figure both = sample(c, pair, probe_hand_over, &shared, SHARE_TRANSFER / pairs);
        probe_shared_end(&shared);
        team_free(pair);
        if (both.value <= 0)
            continue;
        times[measured++] = both.value / 2;
        spread = fmax(spread, both.spread);
    }
    if (measured == 0)
        return;
    spread = fmax(spread, statistics_spread(times, measured));
    c->machine->transfer_ns = figure_of(statistics_median(times, measured), spread);
}

/* ---- launching a team ---- */

typedef void GompParallel(void (*work)(void *), void *data, unsigned threads, unsigned flags);

/* libgomp's own fork and join where the machine has it, since that is what the code we judge pays.
 * It is loaded at run time and only here: the analyser does not link it. It obeys the OMP_
 * variables of the environment, as that code does. */
static GompParallel *find_gomp(void)
{
    void *library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, "GOMP_parallel") : NULL;
    GompParallel *parallel = NULL;
    memcpy(&parallel, &symbol, sizeof parallel); /* C has no cast from object to function */
    return parallel;
}

typedef struct Launch {
    GompParallel *parallel;
    const int *cpus;
    int threads;
    atomic_int tickets;
} Launch;

static void empty_region(void *data)
{
    (void)data;
}

/* Every thread of libgomp's team on a core of its own: left alone, two of them shared one while
 * the machine was busy, and a region took 8 ms. (ThreadSanitizer does not see how libgomp starts a
 * region.) */
__attribute__((no_sanitize("thread"))) static void pinning_region(void *data)
{
    Launch *launch = data;
    int ticket = atomic_fetch_add(&launch->tickets, 1);
    if (ticket < launch->threads)
        team_pin(launch->cpus[ticket]);
}

static uint64_t launch_first(void *state, int thread, uint64_t count)
{
    (void)thread, (void)count;
    Launch *launch = state;
    launch->parallel(pinning_region, launch, (unsigned)launch->threads, 0);
    return 0;
}

static uint64_t launch_regions(void *state, int thread, uint64_t count)
{
    (void)thread;
    const Launch *launch = state;
    for (uint64_t i = 0; i < count; i++)
        launch->parallel(empty_region, NULL, (unsigned)launch->threads, 0);
    return 0;
}

/* On a thread of our own, with which libgomp's team goes. */
static Figure launch_gomp(Calibration *c, GompParallel *parallel, int threads, double share)
{
    Launch launch = {.parallel = parallel, .cpus = c->cpus, .threads = threads};
    Team *master = team_new(1, c->cpus);
    if (master == NULL)
        return (Figure){0};
    team_run(master, launch_first, &launch, 1);
    Figure region = sample(c, master, launch_regions, &launch, share);
    team_free(master);
    return region;
}

/* A fork and a join are two barriers of a waiting team: what stands in where there is no libgomp.
 */
static void calibrate_launch(Calibration *c, GompParallel *parallel, int threads, double share)
{
    Figure region = {0};
    if (parallel != NULL)
        region = launch_gomp(c, parallel, threads, share);
    else
        region.value = 2 * curve_at(&c->machine->barrier_ns, threads);
    const Curve generic = machine_generic().launch_ns;
    curve_add(&c->machine->launch_ns, threads, region.value, &generic);
}

/* 1, 2, 4, ... and all cores: the points of the curves. */
static int thread_counts(int cores, int counts[MACHINE_CURVE])
{
    int count = 0;
    for (int threads = 1; threads < cores && count < MACHINE_CURVE - 1; threads *= 2)
        counts[count++] = threads;
    counts[count++] = cores;
    return count;
}

static void calibrate_teams(Calibration *c)
{
    enum { PROBES_PER_TEAM = 6 };
    int counts[MACHINE_CURVE];
    int teams = thread_counts(c->cores, counts);
    Alone alone = {0};
    stage(c, "line transfer");
    calibrate_transfer(c);
    clear_curves(c->machine);
    stage(c, "teams");
    for (int i = 0; i < teams; i++)
        calibrate_team(c, counts[i], SHARE_TEAMS / (teams * PROBES_PER_TEAM), &alone);
    stage(c, "launches");
    GompParallel *parallel = find_gomp();
    for (int i = 0; i < teams; i++)
        calibrate_launch(c, parallel, counts[i], SHARE_LAUNCH / teams);
    if (parallel == NULL)
        remark(c, "no libgomp here: launches are two barriers of our own team");
}

/* A curve that got no point (no memory, no threads) keeps the generic one. */
static void restore_empty(Machine *machine)
{
    const Machine generic = machine_generic();
    Curve *curves[] = {&machine->atomic_shared_ns, &machine->lock_shared_ns,
                       &machine->malloc_threads,   &machine->page_fault_threads,
                       &machine->launch_ns,        &machine->barrier_ns,
                       &machine->bandwidth_gbs};
    const Curve *spare[] = {&generic.atomic_shared_ns, &generic.lock_shared_ns,
                            &generic.malloc_threads,   &generic.page_fault_threads,
                            &generic.launch_ns,        &generic.barrier_ns,
                            &generic.bandwidth_gbs};
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        if (curves[i]->count == 0)
            *curves[i] = *spare[i];
}

static void conclude(Calibration *c)
{
    restore_empty(c->machine);
    if (c->ring.lines == NULL)
        remark(c, "too little memory: load and bandwidth figures are the generic ones");
    if (c->cores < 2)
        remark(c, "one core: line transfer and all figures by thread count are the generic ones");
    if (c->failed > 0)
        remark(c,
               "other processes took a core in %d of %d probes, whose figures are the generic "
               "ones: calibrate again when the machine is quiet",
               c->failed, c->probes);
    remark(c, "view_ns and numba_alloc_ns are estimated without numba, from what it does");
}

void calibrate(Machine *machine, double seconds, char *note, size_t note_bytes,
               void (*progress)(const char *stage))
{
    Calibration *c = calloc(1, sizeof *c);
    if (note_bytes > 0)
        note[0] = '\0';
    *machine = machine_generic();
    if (c == NULL)
        return;
    c->machine = machine;
    c->seconds = seconds > 0 ? seconds : 0;
    c->progress = progress;
    c->note = note;
    c->note_bytes = note_bytes;
    stage(c, "topology");
    describe(c);
    make_ring(c);
    Team *one = team_new(1, c->cpus);
    ProbeShared shared;
    probe_shared_init(&shared, 1);
    if (one != NULL)
        calibrate_one(c, one, &shared);
    else
        remark(c, "no thread could be started: the figures are the generic ones");
    probe_shared_end(&shared);
    team_free(one);
    if (one != NULL && c->cores > 1)
        calibrate_teams(c);
    conclude(c);
    free(c->ring.lines);
    free(c);
}
