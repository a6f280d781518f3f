/* The team of an OpenMP runtime in a kernel, for what the runtime itself takes time for: launches,
 * and chunks of loops. The harness's threads say where they are pinned and are done; the first of
 * them leads: it opens the regions, on members that are pinned to the same places. A team belongs
 * to the state of one kernel. */
#ifndef BENCH_OMP_TEAM_H
#define BENCH_OMP_TEAM_H

#include <stdbool.h>

#include "bench/kernel.h"

typedef struct OmpTeam OmpTeam;

/* NULL where the machine has no OpenMP runtime, or memory is short. */
OmpTeam *omp_team_new(int threads, ExposureRuntime runtime);
void omp_team_free(OmpTeam *team); /* NULL: nothing */

/* For every thread of the harness at the start of a run: whether it is the one that leads. */
bool omp_team_leads(OmpTeam *team, int thread);

/* ---- for the one that leads ---- */

/* A region: work(data) on every member. */
void omp_team_open(const OmpTeam *team, void (*work)(void *), void *data);

/* At the end of a run: idle members sleep, and do not spin beside what is measured next. */
void omp_team_rest(const OmpTeam *team);

/* ---- for every member, in a region ---- */

int omp_team_number(const OmpTeam *team);

/* The share of a loop over 0 .. stop with schedule(dynamic, chunk), from the first chunk on; false
 * when nothing is left. Then omp_team_end_loop, at whose barrier all meet. */
bool omp_team_first_chunk(const OmpTeam *team, long stop, long chunk, long *from, long *to);
bool omp_team_next_chunk(const OmpTeam *team, long *from, long *to);
void omp_team_end_loop(const OmpTeam *team);

#endif
