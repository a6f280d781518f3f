/* Measuring one kernel: teams of pinned threads run the contended and the relieved form in turn,
 * after a warm-up, in one placement after the other (memory and team made anew), until the interval
 * of their ratio is narrow or the time is over. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/kernel.h"

#include <stdatomic.h>

typedef enum MeasureState {
    MEASURE_DONE,  /* ratio, low and high are good */
    MEASURE_NOISY, /* time ran out before the interval was narrow; the figures are what was seen */
    MEASURE_ONE_CORE, /* fewer cores than threads: nothing was run */
    MEASURE_NO_MEMORY,
    MEASURE_STOPPED, /* *stop became true before the first round */
} MeasureState;

typedef struct Measurement {
    MeasureState state;
    int threads;
    double ratio, low, high; /* contended over relieved time: the median over placements, and the
                                interval that holds what another measurement says with 95 % */
    double contended_ns, relieved_ns; /* wall ns per piece of work of one thread, medians */
    int rounds;                       /* rounds that the figures rest on; 0: there are no figures */
    int disturbed;  /* rounds in which another process took a core; left out of the figures, unless
                       fewer than six rounds were without */
    bool crowded;   /* another process kept a core busy meanwhile: no figure is to be trusted */
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

/* An exposure as it is run: one piece of work cannot be interrupted, so what would take long or
 * much memory is scaled down, the work with it, which leaves the ratio. At most 10,000 events and
 * 64 MiB touched in a piece, 1 GiB for all threads, a mebibyte between two places; no figure that
 * is negative or not finite, and 10,000 launches or places. */
Exposure measure_bounded(const Exposure *exposure);

Measurement measure_kernel(const Kernel *kernel, const Exposure *exposure,
                           const MeasureOptions *options);

/* The same in parts, with other work in between: what a virtual machine does to its cores changes
 * within seconds, and an interval that was looked at for a quarter of one does not know. Each part
 * takes `seconds` at most and makes `placements` at least, more until the interval is narrow.
 * measure_begin gives NULL where memory is short, which measure_end takes. */
typedef struct MeasureSession MeasureSession;

MeasureSession *measure_begin(const Kernel *kernel, const Exposure *exposure,
                              const MeasureOptions *options);
void measure_continue(MeasureSession *session, double seconds, int placements);

/* Whether enough undisturbed placements were seen for an interval, or nothing more can be. */
bool measure_is_settled(const MeasureSession *session);

Measurement measure_end(MeasureSession *session);

/* Cores this process may run on (affinity mask and hwloc), at most one hardware thread each counted
 * as a core. */
int measure_cores(void);

/* ns of one bench_work step, now, on the calling thread. */
double measure_step_ns(void);

#endif
