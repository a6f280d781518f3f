/* What the machine is, by hwloc: sockets, memory nodes, caches, and what two cores share. */
#ifndef BENCH_TOPOLOGY_H
#define BENCH_TOPOLOGY_H

#include "bench/machine.h"

enum { TOPOLOGY_PAIRS_PER_LEVEL = 8 };

/* Fills sockets, numa_nodes, l3_cores and the sizes of line and caches; what hwloc does not know
 * stays. Returns the bytes of all last-level caches together. */
double topology_describe(Machine *machine);

typedef struct CorePair {
    int cpus[2];
    SharingLevel level;
} CorePair;

/* Pairs of the cores `cpus`, TOPOLOGY_PAIRS_PER_LEVEL at most of those that share a level, spread
 * evenly over them; returns how many were written. */
int topology_pairs(const int *cpus, int cores,
                   CorePair pairs[TOPOLOGY_PAIRS_PER_LEVEL * SHARED_LEVELS]);

#endif
