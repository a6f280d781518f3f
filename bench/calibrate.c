#include "bench/calibrate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/target.h"
#include "bench/calibrate_pass.h"
#include "bench/machine_fields.h"
#include "bench/numba.h"

static const double LARGEST_MEMORY = 512.0 * 1024 * 1024;

/* A view that numba makes takes 2.35 ns where the model of it in C takes 1.64. */
static const double NUMBA_OVER_VIEW = 1.43;

/* Share of a pass that one probe on one thread gets; there are about thirty. The teams get theirs,
 * and the rest goes to threads that start and memory that is made. */
static const double SHARE_PROBE = 0.012;

/* Passes over the machine: a figure that differs from pass to pass says so by its spread. */
enum { PASSES = 5, PASSES_FULL = 9 };
static const double FULL_FROM_SECONDS = 10;

typedef struct Calibration {
    Machine passes[PASSES_FULL];
    Pass pass;
    OpenmpRuntime openmp;
    int cpus[TEAM_MOST_THREADS];
    CorePair pairs[TOPOLOGY_PAIRS_PER_LEVEL * SHARED_LEVELS];
    ProbeRing ring;
    char *note;
    size_t note_bytes;
} Calibration;

void calibrate_stage(const Pass *pass, const char *name)
{
    if (pass->progress != NULL)
        pass->progress(name);
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

/* ---- one thread ---- */

static Figure probe(Pass *pass, Team *one, TeamWork *work, void *state)
{
    return sampler_time(&pass->sampler, one, work, state, SHARE_PROBE);
}

/* What `more` costs beyond `less`, times `factor`; both may be off by their spread. */
static Figure difference(Figure more, Figure less, double factor)
{
    double between = more.value - less.value;
    double off = more.value * more.spread + less.value * less.spread;
    return (Figure){fmax(between, 0) * factor, between > 0 ? off / between : 0};
}

static void calibrate_arithmetic(Pass *pass, Team *one)
{
    Machine *machine = pass->machine;
    machine->step_ns = probe(pass, one, probe_step, NULL);
    machine->op_ns = probe(pass, one, probe_op, NULL);
    machine->forward_ns = difference(probe(pass, one, probe_forward, NULL), machine->op_ns, 1);
    machine->vector_op_ns = probe(pass, one, probe_vector_op, NULL);
    machine->divide_ns = probe(pass, one, probe_divide, NULL);
    machine->sqrt_ns = probe(pass, one, probe_sqrt, NULL);
    machine->libm_ns = probe(pass, one, probe_libm, NULL);
    machine->call_ns = probe(pass, one, probe_call, NULL);
    Figure normal = probe(pass, one, probe_decay_normal, NULL);
    machine->denormal_ns = difference(probe(pass, one, probe_decay_denormal, NULL), normal, 1);
    machine->denormal_ftz_ns = difference(probe(pass, one, probe_decay_flushed, NULL), normal, 1);
}

static void calibrate_control(Pass *pass, Team *one)
{
    Machine *machine = pass->machine;
    unsigned char bits[PROBE_BITS];
    probe_bits_steady(bits);
    Figure steady = probe(pass, one, probe_branch, bits);
    probe_bits_random(bits);
    /* Every second of the random bits is predicted right. */
    machine->branch_miss_ns = difference(probe(pass, one, probe_branch, bits), steady, 2);
    Figure index = probe(pass, one, probe_index, NULL);
    machine->view_ns = difference(probe(pass, one, probe_view, NULL), index, NUMBA_OVER_VIEW);
}

static size_t power_of_two_below(double bytes)
{
    size_t power = 4096;
    while ((double)power * 2 <= bytes)
        power *= 2;
    return power;
}

/* A ring in memory of its own, made for this pass (which pages it gets decides which lines evict
 * each other) and walked once, so that it lies in the cache that it fits. */
static Figure chase(Pass *pass, Team *one, double bytes)
{
    size_t part = power_of_two_below(fmin(bytes, LARGEST_MEMORY));
    void *memory = aligned_alloc(4096, part);
    if (memory == NULL)
        return sampler_nothing();
    ProbeRing ring = probe_ring(memory, part);
    team_run(one, probe_chase, &ring, part / 64);
    Figure load = probe(pass, one, probe_chase, &ring);
    free(memory);
    return load;
}

static void calibrate_memory(Pass *pass, Team *one)
{
    Machine *machine = pass->machine;
    ProbeRing ring = *pass->ring;
    machine->load_ns[0] = chase(pass, one, machine->l1_bytes / 2);
    /* A quarter: half of it may be the other hardware thread's, whoever that works for. */
    machine->load_ns[1] = chase(pass, one, machine->l2_bytes / 4);
    /* Little of the last cache: others use it too, and a virtual machine may own a part (13 ns in
     * 2 MiB of 32, 15 in 4 on a quiet machine and 130 on a busy one, 118 in 8). */
    machine->load_ns[2] = chase(pass, one, fmin(machine->l3_bytes / 2, 2 * machine->l2_bytes));
    if (ring.lines != NULL)
        machine->load_ns[3] = probe(pass, one, probe_chase, &ring);
}

/* numba is not here to be timed. Its runtime mallocs, and counts statistics and the array itself up
 * and down: the generic figure is scaled by what one malloc and six atomics cost here and cost
 * where it was measured. */
static Figure scaled_numba_alloc(const Machine *machine)
{
    const double there = 8.7 + 6 * 1.9;
    double here = curve_at(&machine->malloc_ns, 64) + 6 * machine->atomic_ns.value;
    Figure generic = machine_generic().numba_alloc_ns;
    return (Figure){generic.value * here / there, generic.spread};
}

/* Beyond 1 MiB the cost is that of pages, which page_fault_ns gives. */
static void calibrate_allocation(Pass *pass, Team *one, ProbeShared *shared)
{
    static const size_t sizes[] = {16, 64, 256, 1024, 4096, 65536, 1048576};
    Curve *curve = &pass->machine->malloc_ns;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        shared->bytes = sizes[i];
        curve_add(curve, (double)sizes[i], probe(pass, one, probe_malloc, shared));
    }
    Figure pages = probe(pass, one, probe_page_fault, shared);
    pass->machine->page_fault_ns = (Figure){pages.value / PROBE_PAGES, pages.spread};
    pass->machine->numba_alloc_ns = scaled_numba_alloc(pass->machine);
}

static void calibrate_one(Pass *pass, Team *one)
{
    ProbeShared shared;
    probe_shared_init(&shared, 1);
    calibrate_stage(pass, "arithmetic");
    calibrate_arithmetic(pass, one);
    calibrate_control(pass, one);
    calibrate_stage(pass, "memory");
    calibrate_memory(pass, one);
    calibrate_stage(pass, "atomics and locks");
    pass->machine->atomic_ns = probe(pass, one, probe_atomic, &shared);
    pass->machine->lock_ns = probe(pass, one, probe_lock, &shared);
    calibrate_stage(pass, "allocation");
    calibrate_allocation(pass, one, &shared);
    probe_shared_end(&shared);
}

/* ---- passes ---- */

/* What the machine is, and nothing measured yet. */
static Machine blank_machine(void)
{
    Machine machine = machine_generic();
    for (size_t i = 0; i < machine_field_count; i++) {
        void *at = (char *)&machine + machine_fields[i].offset;
        if (machine_fields[i].kind == FIELD_FIGURE)
            *(Figure *)at = sampler_nothing();
        else if (machine_fields[i].kind == FIELD_CURVE)
            ((Curve *)at)->count = 0;
    }
    return machine;
}

/* Twice the last caches (a ring walked in order then finds nothing left of itself), an eighth of
 * the machine's memory at most. Made once: it takes long to write. */
static void make_ring(Calibration *calibration, double cache_bytes)
{
    double wanted = fmin(4 * cache_bytes - 1, LARGEST_MEMORY);
    double pages = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    size_t bytes = power_of_two_below(fmin(wanted, pages > 0 ? pages / 8 : wanted));
    bytes = bytes > PROBE_BLOCK ? bytes : PROBE_BLOCK;
    void *memory = aligned_alloc(4096, bytes);
    if (memory == NULL)
        remark(calibration, "too little memory: load_memory_ns and bandwidth are the generic ones");
    else
        calibration->ring = probe_ring(memory, bytes);
}

/* What does not change from pass to pass. */
static Machine describe(Calibration *c)
{
    Machine machine = blank_machine();
    Pass *pass = &c->pass;
    machine_cpu(machine.cpu, sizeof machine.cpu);
    pass->cpus = c->cpus;
    pass->cores = team_cores(c->cpus, TEAM_MOST_THREADS);
    if (pass->cores > TEAM_MOST_THREADS)
        pass->cores = TEAM_MOST_THREADS;
    machine.threads = team_processors();
    machine.cores = pass->cores;
    snprintf(machine.name, sizeof machine.name, "%.100s, %d thread%s", machine.cpu, machine.threads,
             machine.threads == 1 ? "" : "s");
    double cache_bytes = topology_describe(&machine);
    pass->pairs = c->pairs;
    pass->pair_count = topology_pairs(c->cpus, pass->cores, c->pairs);
    c->openmp = openmp_find(RUNTIME_ANY);
    pass->openmp = &c->openmp;
    const Numba numba = numba_find();
    snprintf(machine.numba, sizeof machine.numba, "%s", numba.version);
    snprintf(machine.target, sizeof machine.target, "%s",
             numba.target[0] != '\0' ? numba.target : target_word(target_of_processor()));
    snprintf(machine.openmp, sizeof machine.openmp, "%s", c->openmp.name);
    make_ring(c, cache_bytes);
    pass->ring = &c->ring;
    return machine;
}

static void run_pass(Pass *pass)
{
    Team *one = team_new(1, pass->cpus);
    if (one != NULL)
        calibrate_one(pass, one);
    pass->lacks_threads |= one == NULL;
    team_free(one);
    if (pass->cores > 1)
        calibrate_teams(pass);
}

static void conclude(Calibration *c, int left)
{
    const Pass *pass = &c->pass;
    if (pass->cores < 2)
        remark(c, "one core: line transfer and all figures by thread count are the generic ones");
    else if (left > 0)
        remark(c, "%d figures could not be measured here and are the generic ones", left);
    if (pass->lacks_threads)
        remark(c, "a team could not be started");
    if (c->openmp.parallel == NULL)
        remark(c, "no OpenMP runtime here: launches are two barriers of our own team");
    if (pass->sampler.disturbed > 0)
        remark(c,
               "other processes took a core in %d of %d probes, whose figures have a wide spread: "
               "calibrate again when the machine is quiet",
               pass->sampler.disturbed, pass->sampler.probes);
    remark(c, "view_ns and numba_alloc_ns are estimated without numba, from what it does");
}

void calibrate(Machine *machine, double seconds, char *note, size_t note_bytes,
               void (*progress)(const char *stage))
{
    Calibration *c = calloc(1, sizeof *c);
    const Machine generic = machine_generic();
    int passes = seconds >= FULL_FROM_SECONDS ? PASSES_FULL : PASSES, left = 0;
    if (note_bytes > 0)
        note[0] = '\0';
    *machine = generic;
    if (c == NULL)
        return;
    c->note = note;
    c->note_bytes = note_bytes;
    c->pass.progress = progress;
    c->pass.sampler.seconds = seconds > 0 ? seconds / passes : 0;
    calibrate_stage(&c->pass, "topology");
    const Machine blank = describe(c);
    for (int i = 0; i < passes; i++) {
        c->passes[i] = blank;
        c->pass.machine = &c->passes[i];
        c->pass.number = i;
        c->pass.of = passes;
        run_pass(&c->pass);
    }
    *machine = machine_combine(c->passes, passes, &generic, &left);
    conclude(c, left);
    free(c->ring.lines);
    free(c);
}
