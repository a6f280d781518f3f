#include "bench/machine.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "bench/machine_fields.h"
#include "bench/statistics.h"
#include "bench/team.h"

/* ---- the built-in profile ---- */

/* A server of 12 cores and one socket: the machine of the story that ponglint grew from. "Here" is
 * a virtual AMD EPYC of the Zen 4 generation, two vCPUs in one cache complex. Figures that nobody
 * measured say "estimate" and have a spread of a half or more. */
static const Machine GENERIC = {
    .name = "generic",
    .cpu = "x86-64 server, 12 cores, one socket",
    .threads = 12,
    .cores = 12,
    .sockets = 1,
    .numa_nodes = 1,
    .l3_cores = 12,
    .openmp = "libgomp",
    .line_bytes = 64,
    .l1_bytes = 32 * 1024, /* per core: 32 KiB on Zen 1-4, 48 KiB on Intel from Ice Lake on */
    .l2_bytes = 1024 * 1024,
    .l3_bytes = 32 * 1024 * 1024,

    /* Dependent chains: cycles of latency in the vendors' tables, at 3.5 GHz. */
    .step_ns = {1.1, 0.2},      /* an addition */
    .op_ns = {1.1, 0.2},        /* 3-4 cycles */
    .vector_op_ns = {0.2, 0.5}, /* two to four doubles a vector, one load each, data in L1 */
    .divide_ns = {4, 0.2},      /* 13-15 cycles */
    .sqrt_ns = {5.5, 0.2},      /* 18-21 cycles */
    .libm_ns = {12, 0.5},       /* glibc exp 5, log 6, sin 10, pow 17, rounded up for old ones */
    .forward_ns = {1.6, 0.5},   /* 5 cycles; 9 for floating-point numbers on Zen 4 */
    .load_ns = {{1.3, 0.2}, {4, 0.2}, {15, 0.4}, {95, 0.3}}, /* 4-5, 14, 50 cycles; DDR4/5 */
    .branch_miss_ns = {5, 0.3},                              /* 13-20 cycles */
    .call_ns = {1.5, 0.3},

    /* 28 ns a cell for the whole team of 12, whatever the size of the problem, where each cell
     * counts a shared array up and down: the story's own measurement. Published core-to-core tables
     * have 18-25 ns within a Zen cache complex and 45-60 ns across an Intel mesh. */
    .transfer_ns = {28, 0.5},
    .transfer_by_ns = {[SHARED_L3] = {28, 0.5}},
    .atomic_ns = {1.8, 0.3}, /* here an increment and decrement take 3.6; 18-20 cycles on Intel */
    /* One thread waits for the others' turns. A count up and down is two updates in one visit of
     * the line: 12 threads x 28 ns / 2 = 168 ns. Two threads: 9.8 here. The points between are
     * interpolated in ns per visit, which grows from 12 to 28 as neighbours get farther away. */
    /* The line is taken twice, to read and to own it. From slots on two vCPUs of one cache complex:
     * the loop advances once per 12.4 ns where an atomic takes 9.8, so 1.25 times the curve above
     * it. */
    .plain_shared_ns = {.count = 5, .at = {1, 2, 4, 8, 12}, .value = {1.3, 15, 50, 130, 210}},
    /* 3.0 on the same two vCPUs; as much for each thread, an estimate, for more. */
    .plain_own_threads = {.count = 5, .at = {1, 2, 4, 8, 12}, .value = {1, 3, 6, 12, 18}},
    .atomic_shared_ns = {.count = 5, .at = {1, 2, 4, 8, 12}, .value = {1.8, 12, 40, 104, 168}},
    /* Each that came too late is tried again: 2.5 times as long on two cores. As much for more, an
     * estimate. */
    .exchange_shared_ns = {.count = 5, .at = {1, 2, 4, 8, 12}, .value = {4.5, 30, 100, 260, 420}},
    .lock_ns = {10, 0.5}, /* two atomics and the calls around them; here 6-9 */
    /* glibc's mutex under load: about 75 ns a turn with sleeping and waking. Estimate. */
    .lock_shared_ns = {.count = 5, .at = {1, 2, 4, 8, 12}, .value = {10, 90, 260, 580, 900}},
    /* One after the other, and no more: what a lock that is handed over at once would give. */
    .lock_held_threads = {.count = 5, .at = {1, 2, 4, 8, 12}, .value = {1, 2, 4, 8, 12}},
    /* As a mutex; an estimate. On two virtual cores libgomp's takes twice as long. */
    .critical_shared_ns = {.count = 5, .at = {1, 2, 4, 8, 12}, .value = {10, 90, 260, 580, 900}},
    /* glibc: 7-13 ns a pair up to 1032 bytes (the per-thread cache), here; above it the arena's
       lists. */
    .malloc_ns = {.count = 6,
                  .at = {16, 64, 1024, 4096, 65536, 1048576},
                  .value = {8, 9, 13, 60, 100, 500}},
    .malloc_threads = {.count = 2,
                       .at = {1, 12},
                       .value = {1, 1.15}}, /* an arena for each thread: scales */
    /* Above 1032 bytes: an arena's lists and its lock, which its own thread takes alone. */
    .malloc_large_threads = {.count = 2, .at = {1, 12}, .value = {1, 1.15}},
    .page_fault_ns = {250, 0.5}, /* 100-250 for 4 KiB, zeroing included */
    /* The address-space lock: estimate; kernels from 6.4 on take faults under smaller locks. */
    .page_fault_threads = {.count = 5, .at = {1, 2, 4, 8, 12}, .value = {1, 1.3, 1.9, 3.2, 4.5}},
    /* numba and libgomp: 1.2 us with two threads here; a few us with 12. */
    .launch_ns = {.count = 5, .at = {1, 2, 4, 8, 12}, .value = {100, 1200, 1700, 2700, 3500}},
    .barrier_ns = {.count = 5,
                   .at = {1, 2, 4, 8, 12},
                   .value = {10, 150, 350, 800, 1200}}, /* T visits of two lines */
    /* libgomp's own, a little above ours: a call and a generation that all watch. Estimate. */
    .omp_barrier_ns = {.count = 5, .at = {1, 2, 4, 8, 12}, .value = {15, 200, 450, 900, 1400}},
    /* Who waits spins for some us before it gives its core to the one it waits for. Estimate; a
       runtime that spins for its whole time slice takes 4 ms. */
    .oversubscribed_barrier_ns = {60000, 1},
    /* One core fills 12-14 GB/s of its own; six to eight channels saturate with about eight. */
    .bandwidth_gbs = {.count = 5, .at = {1, 2, 4, 8, 12}, .value = {13, 26, 48, 80, 88}},
    .view_ns = {2.3, 0.2}, /* numba: (8.8 - 4.1) ns a cell of two views that are not counted */
    .numba_alloc_ns = {37, 0.3}, /* numba 0.56: np.empty of a few elements in a kernel */
    .denormal_ns = {35, 1},      /* nothing on Zen 4, 124-200 cycles on many Intel parts */
    .denormal_ftz_ns = {0, 0},   /* what is flushed is a zero like any other */
};

Machine machine_generic(void)
{
    return GENERIC;
}

double curve_at(const Curve *curve, double at)
{
    if (curve->count < 1)
        return 0;
    int last = curve->count - 1;
    if (!(at > curve->at[0]))
        return curve->value[0];
    if (at >= curve->at[last])
        return curve->value[last];
    int right = 1;
    while (curve->at[right] < at)
        right++;
    double from = curve->at[right - 1], to = curve->at[right];
    double share = (at - from) / (to - from);
    return curve->value[right - 1] + share * (curve->value[right] - curve->value[right - 1]);
}

void curve_add(Curve *curve, double at, Figure figure)
{
    if (curve->count >= MACHINE_CURVE)
        return;
    curve->at[curve->count] = at;
    curve->value[curve->count] = figure.value;
    curve->spread[curve->count++] = figure.spread;
}

int machine_saturated_threads(const Machine *machine)
{
    const Curve *curve = &machine->bandwidth_gbs;
    double most = 0;
    for (int i = 0; i < curve->count; i++)
        most = fmax(most, curve->value[i]);
    for (int i = 0; i < curve->count; i++)
        if (curve->value[i] >= 0.9 * most)
            return (int)curve->at[i];
    return 0;
}

/* ---- the table of what a profile holds ---- */

#define FIELD(kind, name)                                                                          \
    {                                                                                              \
#name, kind, offsetof(Machine, name)                                                       \
    }
#define ITEM(name, index, key)                                                                     \
    {                                                                                              \
        key, FIELD_FIGURE, offsetof(Machine, name) + (index) * sizeof(Figure)                      \
    }

const MachineField machine_fields[] = {
    FIELD(FIELD_TEXT, name),
    FIELD(FIELD_TEXT, cpu),
    FIELD(FIELD_TEXT, target),
    FIELD(FIELD_COUNT, threads),
    FIELD(FIELD_COUNT, cores),
    FIELD(FIELD_COUNT, sockets),
    FIELD(FIELD_COUNT, numa_nodes),
    FIELD(FIELD_COUNT, l3_cores),
    FIELD(FIELD_TEXT, openmp),
    FIELD(FIELD_TEXT, numba),
    FIELD(FIELD_BYTES, line_bytes),
    FIELD(FIELD_BYTES, l1_bytes),
    FIELD(FIELD_BYTES, l2_bytes),
    FIELD(FIELD_BYTES, l3_bytes),
    FIELD(FIELD_FIGURE, step_ns),
    FIELD(FIELD_FIGURE, op_ns),
    FIELD(FIELD_FIGURE, vector_op_ns),
    FIELD(FIELD_FIGURE, divide_ns),
    FIELD(FIELD_FIGURE, sqrt_ns),
    FIELD(FIELD_FIGURE, libm_ns),
    ITEM(load_ns, 0, "load_l1_ns"),
    ITEM(load_ns, 1, "load_l2_ns"),
    ITEM(load_ns, 2, "load_l3_ns"),
    ITEM(load_ns, 3, "load_memory_ns"),
    FIELD(FIELD_FIGURE, forward_ns),
    FIELD(FIELD_FIGURE, branch_miss_ns),
    FIELD(FIELD_FIGURE, call_ns),
    FIELD(FIELD_FIGURE, transfer_ns),
    ITEM(transfer_by_ns, SHARED_L2, "transfer_l2_ns"),
    ITEM(transfer_by_ns, SHARED_L3, "transfer_l3_ns"),
    ITEM(transfer_by_ns, SHARED_SOCKET, "transfer_socket_ns"),
    ITEM(transfer_by_ns, SHARED_MACHINE, "transfer_machine_ns"),
    FIELD(FIELD_FIGURE, atomic_ns),
    FIELD(FIELD_CURVE, atomic_shared_ns),
    FIELD(FIELD_CURVE, exchange_shared_ns),
    FIELD(FIELD_CURVE, plain_shared_ns),
    FIELD(FIELD_CURVE, plain_own_threads),
    FIELD(FIELD_FIGURE, lock_ns),
    FIELD(FIELD_CURVE, lock_shared_ns),
    FIELD(FIELD_CURVE, lock_held_threads),
    FIELD(FIELD_CURVE, critical_shared_ns),
    FIELD(FIELD_CURVE, malloc_ns),
    FIELD(FIELD_CURVE, malloc_threads),
    FIELD(FIELD_CURVE, malloc_large_threads),
    FIELD(FIELD_FIGURE, page_fault_ns),
    FIELD(FIELD_CURVE, page_fault_threads),
    FIELD(FIELD_CURVE, launch_ns),
    FIELD(FIELD_CURVE, barrier_ns),
    FIELD(FIELD_CURVE, omp_barrier_ns),
    FIELD(FIELD_FIGURE, oversubscribed_barrier_ns),
    FIELD(FIELD_CURVE, bandwidth_gbs),
    FIELD(FIELD_FIGURE, view_ns),
    FIELD(FIELD_FIGURE, numba_alloc_ns),
    FIELD(FIELD_FIGURE, denormal_ns),
    FIELD(FIELD_FIGURE, denormal_ftz_ns),
};

const size_t machine_field_count = sizeof machine_fields / sizeof *machine_fields;

/* ---- combining passes ---- */

/* Three significant digits: more would be noise in a file that is committed. */
static double rounded(double value)
{
    if (!(value > 0) || !isfinite(value))
        return 0;
    double unit = pow(10, floor(log10(value)) - 2);
    return unit >= 1 ? round(value / unit) * unit : round(value / unit) / (1 / unit);
}

/* The median of the figures that are numbers, and the larger of the median of their own spreads and
 * of the range between them. NaN if there is none. */
static Figure combine_figures(const Figure *figures, int count)
{
    double values[MACHINE_MOST_PASSES], spreads[MACHINE_MOST_PASSES];
    int found = 0;
    for (int i = 0; i < count && found < MACHINE_MOST_PASSES; i++) {
        if (isnan(figures[i].value))
            continue;
        values[found] = figures[i].value;
        spreads[found++] = figures[i].spread;
    }
    if (found == 0)
        return (Figure){NAN, 0};
    double middle = statistics_median(values, found);
    double range = middle > 0 ? (values[found - 1] - values[0]) / middle : 0;
    double within = statistics_median(spreads, found);
    return (Figure){rounded(middle), rounded(within > range ? within : range)};
}

/* What nobody measured may be anything: the spread says so. */
static Figure or_fallback(Figure figure, Figure fallback, int *left)
{
    if (!isnan(figure.value))
        return figure;
    (*left)++;
    return (Figure){fallback.value, fmax(fallback.spread, 1)};
}

static Figure combine_point(const Machine *passes, int count, size_t offset, int point,
                            const Curve *fallback, int *left)
{
    Figure figures[MACHINE_MOST_PASSES];
    double at = 0;
    for (int i = 0; i < count; i++) {
        const Curve *curve = (const void *)((const char *)&passes[i] + offset);
        figures[i] = (Figure){curve->value[point], curve->spread[point]};
        at = curve->at[point];
    }
    return or_fallback(combine_figures(figures, count), (Figure){curve_at(fallback, at), 0}, left);
}

/* Point by point: all passes look at the same thread counts. A curve without any is the fallback's.
 */
static void combine_curve(Curve *into, const Machine *passes, int count, size_t offset,
                          const Curve *fallback, int *left)
{
    const Curve *first = (const void *)((const char *)&passes[0] + offset);
    *into = first->count > 0 ? *first : *fallback;
    for (int point = 0; point < first->count; point++) {
        Figure figure = combine_point(passes, count, offset, point, fallback, left);
        into->value[point] = figure.value;
        into->spread[point] = figure.spread;
    }
}

static void combine_figure(Figure *into, const Machine *passes, int count, size_t offset,
                           Figure fallback, int *left)
{
    Figure figures[MACHINE_MOST_PASSES];
    for (int i = 0; i < count; i++)
        figures[i] = *(const Figure *)(const void *)((const char *)&passes[i] + offset);
    *into = or_fallback(combine_figures(figures, count), fallback, left);
}

Machine machine_combine(const Machine *passes, int count, const Machine *fallback, int *left)
{
    Machine machine = passes[0];
    count = count < MACHINE_MOST_PASSES ? count : MACHINE_MOST_PASSES;
    for (size_t i = 0; i < machine_field_count; i++) {
        size_t offset = machine_fields[i].offset;
        void *into = (char *)&machine + offset;
        const void *spare = (const char *)fallback + offset;
        if (machine_fields[i].kind == FIELD_CURVE)
            combine_curve(into, passes, count, offset, spare, left);
        else if (machine_fields[i].kind == FIELD_FIGURE)
            combine_figure(into, passes, count, offset, *(const Figure *)spare, left);
    }
    return machine;
}

/* ---- which machine this is ---- */

/* The text behind "key : " in the first block of /proc/cpuinfo (that of one processor). */
static bool cpuinfo_line(const char *cpuinfo, const char *key, char *text, size_t text_bytes)
{
    const char *line = strstr(cpuinfo, key);
    const char *colon = line != NULL ? strchr(line, ':') : NULL;
    if (colon == NULL)
        return false;
    colon++;
    colon += strspn(colon, " \t");
    snprintf(text, text_bytes, "%.*s", (int)strcspn(colon, "\n"), colon);
    return text[0] != '\0';
}

void machine_cpu(char *text, size_t text_bytes)
{
    char cpuinfo[4096] = "";
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (file != NULL) {
        cpuinfo[fread(cpuinfo, 1, sizeof cpuinfo - 1, file)] = '\0';
        fclose(file);
    }
    struct utsname system;
    if (cpuinfo_line(cpuinfo, "model name", text, text_bytes) ||
        cpuinfo_line(cpuinfo, "CPU part", text, text_bytes))
        return;
    snprintf(text, text_bytes, "%s", uname(&system) == 0 ? system.machine : "unknown");
}

double machine_line_bytes(void)
{
    long bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
    return bytes > 0 ? (double)bytes : GENERIC.line_bytes;
}

/* Read from /proc and the affinity mask rather than from hwloc: this is asked in every run. */
void machine_key(char key[17])
{
    char cpu[128], text[256];
    machine_cpu(cpu, sizeof cpu);
    int length =
        snprintf(text, sizeof text, "%s|%d|%.0f", cpu, team_processors(), machine_line_bytes());
    snprintf(key, 17, "%016" PRIx64, (uint64_t)XXH3_64bits(text, (size_t)length));
}
