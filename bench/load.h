/* What others use of some processors: what the system counts as busy there, less what this process
 * used. Time that a hypervisor takes is not counted: nobody here can stop it, and runs in which it
 * happens show by their own clocks (team.h). */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include <stdbool.h>

typedef struct Load {
    double wall_ns, busy_ns, own_ns; /* busy: of all the processors together */
} Load;

/* Since some time in the past; all 0 where the system does not tell. */
Load load_now(const int *cpus, int count);

/* Adds what passed between two moments. */
void load_add(Load *sum, const Load *from, const Load *to);

/* Processors that others kept busy, on average: 0.5 is half of one. The system counts in ticks of
 * 10 ms, so that what was looked at for less than a tenth of a second tells nothing. */
double load_of_others(const Load *sum);

/* Whether others kept more than a quarter of a core busy. A process that wants a whole core gets a
 * third of it at least beside a team that sleeps between its runs, and its time must be told by the
 * clock of the system: a run fits between two of its slices, so that most look undisturbed. */
bool load_is_crowded(const Load *sum);

#endif
