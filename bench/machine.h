/* The machine profile: what events cost on a machine, in ns, by thread count where that matters.
 * One is built in
 * ("generic": 12 cores, one socket), others are written by `ponglint calibrate` as JSON and can be
 * committed. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MACHINE_SCHEMA = 1, MACHINE_CURVE = 16 };

/* A figure that depends on the number of threads (or on bytes): straight lines between points, flat
 * outside them. */
typedef struct Curve {
    int count;
    double at[MACHINE_CURVE];
    double value[MACHINE_CURVE];
} Curve;

/* A measured figure and its spread (interquartile range over median, 0 where unknown). */
typedef struct Figure {
    double value, spread;
} Figure;

typedef struct Machine {
    char name[128]; /* "generic", or the profile's name */
    char cpu[128];
    int threads; /* hardware threads this process may use */
    int cores, sockets;
    double line_bytes; /* cache line */
    double l1_bytes, l2_bytes, l3_bytes;

    Figure step_ns;      /* one step of bench_work() */
    Figure op_ns;        /* one dependent add or multiply, scalar */
    Figure vector_op_ns; /* one element of a vectorised loop: load, multiply, add */
    Figure divide_ns, sqrt_ns;
    Figure libm_ns;    /* exp, log, pow, sin: one call */
    Figure load_ns[4]; /* one dependent load that hits L1, L2, L3, memory */
    Figure branch_miss_ns;
    Figure call_ns; /* a call that is not inlined */

    Figure transfer_ns;     /* one cache line moved from core to core, as seen by one update */
    Figure atomic_ns;       /* uncontended atomic read-modify-write */
    Curve atomic_shared_ns; /* ns per update of one shared counter, per thread, by thread count */
    Figure lock_ns;         /* uncontended lock and unlock */
    Curve lock_shared_ns;
    Curve malloc_ns;      /* malloc, touch and free on one thread, by bytes */
    Curve malloc_threads; /* factor on malloc_ns, by thread count */
    Figure page_fault_ns;
    Curve page_fault_threads; /* factor on page_fault_ns, by thread count */
    Curve launch_ns;          /* parallel region, fork to join, by thread count */
    Curve barrier_ns;
    Curve bandwidth_gbs;   /* streaming bandwidth in GB/s by thread count */
    Figure view_ns;        /* building one strided view and handing it over, without its count */
    Figure numba_alloc_ns; /* one small NumPy array made and dropped inside a kernel */
    Figure denormal_ns;    /* added per operation on a denormal */
} Machine;

/* The built-in profile. Its figures and where they come from are listed in machine.c. */
Machine machine_generic(void);

double curve_at(const Curve *curve, double at);

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
