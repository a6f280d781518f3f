/* A team of threads that start together: the harness's own, since the analyser links no threading
 * runtime. Each thread may be pinned to a processor of its own. The caller sleeps while the team
 * runs, so that it takes no core from it. A team belongs to the thread that made it; runs of one
 * team do not overlap. */
#ifndef BENCH_TEAM_H
#define BENCH_TEAM_H

#include <stdbool.h>
#include <stdint.h>

enum { TEAM_MOST_THREADS = 1024 };

typedef struct Team Team;

/* What one thread of the team does; the return value is a checksum. */
typedef uint64_t TeamWork(void *state, int thread, uint64_t count);

typedef struct TeamRun {
    double wall_ns;    /* from the release of the start barrier to the last arrival */
    double fastest_ns; /* the same up to the first arrival */
    uint64_t checksum; /* sum over the threads, modulo 2^64 */
    bool disturbed;    /* a thread lost its core to somebody else, or started late */
} TeamRun;

/* A team of `threads` threads, asleep; thread i is pinned to processor cpus[i], or none is when
 * `cpus` is NULL. NULL if the threads cannot be started. Pinning that the system refuses is let go.
 */
Team *team_new(int threads, const int *cpus);
void team_free(Team *team);

int team_threads(const Team *team);

/* Whether every thread sits on the processor it was given. */
bool team_pinned(const Team *team);

/* Runs work(state, thread, count) on every thread and waits for all of them. */
TeamRun team_run(Team *team, TeamWork *work, void *state, uint64_t count);

/* ns that `thread` spent in the last run. */
double team_thread_ns(const Team *team, int thread);

/* Writes the numbers of up to `limit` processors, one per physical core that this process may run
 * on, neighbours in the topology next to each other; returns how many such cores there are. */
int team_cores(int *cpus, int limit);

/* Hardware threads that this process may run on. */
int team_processors(void);

/* Pins the calling thread to a processor; false if the system refuses. */
bool team_pin(int cpu);

/* CLOCK_MONOTONIC in ns. */
double team_now_ns(void);

/* Tells the processor that this is a spin loop. */
static inline void team_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

#endif
