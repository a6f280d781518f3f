/* The machine profile: what events cost on a machine, in ns, by thread count where that matters.
 * One is built in
 * ("generic": 12 cores, one socket), others are written by `ponglint calibrate` as JSON and can be
 * committed. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Schema 2 has a spread at the points of curves, and more keys; profiles of schema 1 are read. */
/* What stays in the last cache streams that much faster than what comes from memory (measured: 5x
 * and more for 3 MiB that are written; 55 GB/s for 4 MiB that are read, against 14 for 1 GiB). */
#define CACHE_OVER_MEMORY 4

enum { MACHINE_SCHEMA = 2, MACHINE_CURVE = 16, MACHINE_MOST_PASSES = 16 };

/* A measured figure and its spread: how far it may lie from what another measurement would say, as
 * a share of itself; 0 where unknown. What calibrate() gives is the larger of the interquartile
 * range within a pass and the range between passes, over the median. */
typedef struct Figure {
    double value, spread;
} Figure;

/* A figure that depends on the number of threads (or on bytes): straight lines between points, flat
 * outside them. */
typedef struct Curve {
    int count;
    double at[MACHINE_CURVE];
    double value[MACHINE_CURVE];
    double spread[MACHINE_CURVE];
} Curve;

/* What two cores have in common: the nearest level that both belong to. */
typedef enum SharingLevel {
    SHARED_L2,
    SHARED_L3,
    SHARED_SOCKET,
    SHARED_MACHINE,
    SHARED_LEVELS
} SharingLevel;

typedef struct Machine {
    char name[128]; /* "generic", or the profile's name */
    char cpu[128];
    char target[128]; /* what numba compiles for here, by LLVM's name; "": unknown */
    int threads;      /* hardware threads this process may use */
    int cores, sockets, numa_nodes;
    int l3_cores;      /* cores that share one last-level cache */
    char numba[128];   /* version of the numba that is there; "": none */
    char openmp[128];  /* the OpenMP runtime whose launches and barriers these are; "": none */
    double line_bytes; /* cache line */
    double l1_bytes, l2_bytes, l3_bytes;

    Figure step_ns;      /* one step of bench_work() */
    Figure op_ns;        /* one dependent add or multiply, scalar */
    Figure vector_op_ns; /* one element of a vectorised loop: load, multiply, add */
    Figure divide_ns, sqrt_ns;
    Figure libm_ns;    /* exp, log, pow, sin: one call */
    Figure load_ns[4]; /* one dependent load that hits L1, L2, L3, memory */
    Figure forward_ns; /* one that waits for what was just stored there */
    Figure branch_miss_ns;
    Figure call_ns; /* a call that is not inlined */

    /* One cache line moved from core to core, as seen by one update: over all pairs, and by what
     * the two cores share; 0 where no pair has just that in common. */
    Figure transfer_ns, transfer_by_ns[SHARED_LEVELS];
    Figure atomic_ns;         /* uncontended atomic read-modify-write */
    Curve atomic_shared_ns;   /* ns per update of one shared counter, per thread, by thread count */
    Curve exchange_shared_ns; /* the same of a floating-point number: by compare and exchange */
    /* ns per plain read, add and write of one of several shared lines, per thread, by thread count
     */
    Curve plain_shared_ns;
    Curve plain_own_threads; /* factor on one of an own word of one shared line, by thread count */
    Figure lock_ns;          /* uncontended lock and unlock */
    Curve lock_shared_ns;
    Curve lock_held_threads;  /* ns more for each ns that the lock is held, by thread count */
    Curve critical_shared_ns; /* a critical section of the OpenMP runtime, by thread count */
    Curve malloc_ns;          /* malloc, touch and free on one thread, by bytes */
    Curve malloc_threads;     /* factor on malloc_ns, by thread count, for 64 bytes and for 4 KiB */
    Curve malloc_large_threads;
    Figure page_fault_ns;
    Curve page_fault_threads;         /* factor on page_fault_ns, by thread count */
    Curve launch_ns;                  /* parallel region, fork to join, by thread count */
    Curve barrier_ns;                 /* a spinning barrier of our own */
    Curve omp_barrier_ns;             /* the OpenMP runtime's, inside one region */
    Figure oversubscribed_barrier_ns; /* one barrier of a team with two threads on each core */
    Curve bandwidth_gbs;              /* streaming bandwidth in GB/s by thread count */
    Figure view_ns;         /* building one strided view and handing it over, without its count */
    Figure numba_alloc_ns;  /* one small NumPy array made and dropped inside a kernel */
    Figure denormal_ns;     /* added per product that is a denormal */
    Figure denormal_ftz_ns; /* the same with flush-to-zero and denormals-are-zero */
} Machine;

/* The built-in profile. Its figures and where they come from are listed in machine.c. */
Machine machine_generic(void);

double curve_at(const Curve *curve, double at);

/* A point behind the last one; none beyond MACHINE_CURVE. */
void curve_add(Curve *curve, double at, Figure figure);

/* The fewest threads that get nine tenths of the most bandwidth; 0 without a curve. */
int machine_saturated_threads(const Machine *machine);

/* What several passes over one machine come to: the median of each figure that was measured (one
 * that was not is NaN there), and a spread that covers their differences. A figure that no pass
 * measured is `fallback`'s, with a spread of at least 1; `left` counts those. */
Machine machine_combine(const Machine *passes, int count, const Machine *fallback, int *left);

/* JSON text of a profile (caller frees with free()); reading one back. false with a message in
 * `error` (bounded by `error_bytes`) that names the file and the remedy. Unknown keys are ignored,
 * absent ones keep the generic value. */
char *machine_to_json(const Machine *machine);
bool machine_read(const char *path, Machine *machine, char *error, size_t error_bytes);

/* The CPU's model as the system names it, and the bytes of a cache line. */
void machine_cpu(char *text, size_t text_bytes);
double machine_line_bytes(void);

/* What identifies this machine in the store of results: CPU model, threads allowed, cache line.
 * 64-bit, as hex. */
void machine_key(char key[17]);

#endif
