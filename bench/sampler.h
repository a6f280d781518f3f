/* Timing one probe: short runs of a team until its share of the time is over, and what they come
 * to. */
#ifndef BENCH_SAMPLER_H
#define BENCH_SAMPLER_H

#include "bench/machine.h"
#include "bench/team.h"

typedef struct Sampler {
    double seconds;        /* the whole that shares are parts of */
    int probes, disturbed; /* done so far; of these the ones that other processes disturbed */
} Sampler;

/* Wall ns of one event of `work` as each thread of the team sees it: the median and the
 * interquartile range of the runs in which nobody took a core. Where there are too few of them, the
 * lower quartile of all runs, since being disturbed only adds time, with a spread up to their
 * median. */
Figure sampler_time(Sampler *sampler, Team *team, TeamWork *work, void *state, double share);

/* The same for events that take longer than a short run: each run takes `run_ns` at least. */
Figure sampler_time_long(Sampler *sampler, Team *team, TeamWork *work, void *state, double share,
                         double run_ns);

/* What was not measured. */
Figure sampler_nothing(void);

#endif
