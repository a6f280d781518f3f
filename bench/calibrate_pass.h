/* One pass of calibrate over the machine, between its two files: calibrate.c has the order and what
 * one thread measures, calibrate_team.c what several do. */
#ifndef BENCH_CALIBRATE_PASS_H
#define BENCH_CALIBRATE_PASS_H

#include "bench/machine.h"
#include "bench/openmp.h"
#include "bench/probe.h"
#include "bench/sampler.h"
#include "bench/team.h"
#include "bench/topology.h"

typedef struct Pass {
    int number, of;   /* this pass, from 0, and how many there are */
    Machine *machine; /* a figure that is not measured stays NaN */
    Sampler sampler;
    void (*progress)(const char *stage);
    const int *cpus;
    int cores;
    const ProbeRing *ring; /* far larger than the last cache; lines NULL if memory is short */
    const OpenmpRuntime *openmp;
    const CorePair *pairs;
    int pair_count;
    bool lacks_threads; /* a team could not be started */
} Pass;

void calibrate_stage(const Pass *pass, const char *name);

/* All figures by thread count, and between pairs of cores; for a machine of two cores at least. */
void calibrate_teams(Pass *pass);

#endif
