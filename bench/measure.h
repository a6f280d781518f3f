/* Measuring one kernel: a team of pinned threads runs the contended and the relieved form in turn,
 * after a warm-up, until the interval of their ratio is narrow or the time is over. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/kernel.h"

#include <stdatomic.h>

typedef enum MeasureState {
    MEASURE_DONE,  /* ratio, low and high are good */
    MEASURE_NOISY, /* time ran out before the interval was narrow; the figures are what was seen */
    MEASURE_ONE_CORE, /* fewer cores than threads: nothing was run */
    MEASURE_NO_MEMORY,
    MEASURE_STOPPED, /* *stop became true */
} MeasureState;

typedef struct Measurement {
    MeasureState state;
    int threads;
    double ratio, low, high; /* contended over relieved time, with a 95 % interval of the median */
    double contended_ns, relieved_ns; /* wall ns per piece of work of one thread, medians */
    int rounds;                       /* rounds that the figures rest on; 0: there are no figures */
    int disturbed;  /* rounds in which another process took a core; left out of the figures, unless
                       fewer than six rounds were without */
    uint64_t count; /* pieces of work per thread in one run */
    uint64_t contended_checksum, relieved_checksum; /* of the last round, summed over threads */
    bool wrong; /* the checksums differ and the kernel does not allow it: a fault of the kernel */
    const char *why; /* static text: why not MEASURE_DONE, else "" */
} Measurement;

typedef struct MeasureOptions {
    int threads;    /* team size; each thread is pinned to a core of its own */
    double seconds; /* budget for this one measurement, warm-up and calibration of the count
                       included */
    double step_ns; /* ns of one bench_work step, 0: measure it first */
    const atomic_bool *stop; /* may be NULL; set by another thread */
} MeasureOptions;

Measurement measure_kernel(const Kernel *kernel, const Exposure *exposure,
                           const MeasureOptions *options);

/* Cores this process may run on (affinity mask and hwloc), at most one hardware thread each counted
 * as a core. */
int measure_cores(void);

/* ns of one bench_work step, now, on the calling thread. */
double measure_step_ns(void);

#endif
