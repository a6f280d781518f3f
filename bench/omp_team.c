#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getcpu */
#endif
#include "bench/omp_team.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "bench/openmp.h"
#include "bench/team.h"

/* LLVM's default: members of a region that ended spin for so long. */
enum { LLVM_BLOCKTIME_MS = 200 };

struct OmpTeam {
    OpenmpRuntime runtime;
    int threads;
    atomic_int arrived; /* threads whose processor is known */
    bool pinned;        /* the leader's: the members are at their places */
    int cpus[];
};

OmpTeam *omp_team_new(int threads, ExposureRuntime runtime)
{
    OpenmpRuntime found = openmp_find(runtime);
    OmpTeam *team = found.parallel == NULL
                        ? NULL
                        : calloc(1, sizeof *team + (size_t)threads * sizeof team->cpus[0]);
    if (team == NULL)
        return NULL;
    team->runtime = found;
    team->threads = threads;
    return team;
}

void omp_team_free(OmpTeam *team)
{
    free(team);
}

static void pin_member(void *data)
{
    OmpTeam *team = data;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(team->cpus[team->runtime.thread_num()], &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        return; /* let go: the figures show it */
}

bool omp_team_leads(OmpTeam *team, int thread)
{
    if (atomic_load(&team->arrived) < team->threads) { /* the first run */
        int cpu = sched_getcpu();
        team->cpus[thread] = cpu < 0 ? 0 : cpu;
        atomic_fetch_add(&team->arrived, 1);
    }
    if (thread != 0)
        return false;
    while (atomic_load(&team->arrived) < team->threads)
        team_pause();
    if (team->runtime.set_blocktime != NULL)
        team->runtime.set_blocktime(LLVM_BLOCKTIME_MS);
    if (!team->pinned)
        omp_team_open(team, pin_member, team);
    team->pinned = true;
    return true;
}

void omp_team_open(const OmpTeam *team, void (*work)(void *), void *data)
{
    team->runtime.parallel(work, data, (unsigned)team->threads, 0);
}

static void do_nothing(void *data)
{
    (void)data;
}

void omp_team_rest(const OmpTeam *team)
{
    if (team->runtime.set_blocktime == NULL)
        return;
    team->runtime.set_blocktime(0);
    omp_team_open(team, do_nothing, NULL);
}

int omp_team_number(const OmpTeam *team)
{
    return team->runtime.thread_num();
}

bool omp_team_first_chunk(const OmpTeam *team, long stop, long chunk, long *from, long *to)
{
    return team->runtime.loop_start(0, stop, 1, chunk, from, to);
}

bool omp_team_next_chunk(const OmpTeam *team, long *from, long *to)
{
    return team->runtime.loop_next(from, to);
}

void omp_team_end_loop(const OmpTeam *team)
{
    team->runtime.loop_end();
}
