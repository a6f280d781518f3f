#include "bench/sampler.h"

#include <math.h>

#include "bench/statistics.h"

enum { MOST_SAMPLES = 128, FEWEST_SAMPLES = 5, MOST_TRIES = 20, MOST_RUNS = 512 };

/* A run is short against a time slice and long against the start of a team. */
static const double RUN_NS = 2e5;

typedef struct Samples {
    double clean[MOST_SAMPLES], all[MOST_RUNS];
    int clean_count, count;
} Samples;

/* The least of a few runs, undisturbed ones if there are any: a first run that is cold or disturbed
 * would leave samples of a single event (libm came out at 291 ns instead of 15). */
static double least_ns(Team *team, TeamWork *work, void *state, uint64_t count, double run_ns)
{
    double least = INFINITY, clean = INFINITY;
    for (int i = 0; i < 3; i++) {
        TeamRun run = team_run(team, work, state, count);
        least = fmin(least, run.wall_ns);
        clean = run.disturbed ? clean : fmin(clean, run.wall_ns);
        if (least < run_ns / 8)
            break;
    }
    return clean < INFINITY ? clean : least;
}

/* Events per run, so that one takes about run_ns. */
static uint64_t run_count(Team *team, TeamWork *work, void *state, double run_ns)
{
    for (uint64_t count = 1;; count *= 4) {
        double ns = least_ns(team, work, state, count, run_ns);
        if (ns >= run_ns)
            return count;
        if (ns >= run_ns / 8)
            return (uint64_t)((double)count * run_ns / ns);
    }
}

static void take(Samples *samples, const TeamRun *run, uint64_t count)
{
    double ns = run->wall_ns / (double)count;
    samples->all[samples->count++] = ns;
    if (!run->disturbed && samples->clean_count < MOST_SAMPLES)
        samples->clean[samples->clean_count++] = ns;
}

static void take_runs(Samples *samples, Team *team, TeamWork *work, void *state, double deadline,
                      double run_ns)
{
    uint64_t count = run_count(team, work, state, run_ns);
    while (samples->count < MOST_RUNS && samples->clean_count < MOST_SAMPLES) {
        TeamRun run = team_run(team, work, state, count);
        if (run.wall_ns < run_ns / 16) {
            count *= 4; /* every try was held up while the count was chosen: begin anew */
            samples->count = samples->clean_count = 0;
            continue;
        }
        take(samples, &run, count);
        bool enough = samples->clean_count >= FEWEST_SAMPLES || samples->count >= MOST_TRIES;
        if (enough && team_now_ns() >= deadline)
            break;
    }
}

Figure sampler_time_long(Sampler *sampler, Team *team, TeamWork *work, void *state, double share,
                         double run_ns)
{
    Samples samples;
    samples.count = samples.clean_count = 0;
    double deadline = team_now_ns() + share * sampler->seconds * 1e9;
    take_runs(&samples, team, work, state, deadline, run_ns);
    sampler->probes++;
    if (samples.clean_count >= FEWEST_SAMPLES) {
        double spread = statistics_spread(samples.clean, samples.clean_count);
        return (Figure){statistics_median(samples.clean, samples.clean_count), spread};
    }
    sampler->disturbed++;
    double median = statistics_median(samples.all, samples.count);
    double quartile = samples.all[(samples.count - 1) / 4];
    return (Figure){quartile, (median - quartile) / quartile};
}

Figure sampler_time(Sampler *sampler, Team *team, TeamWork *work, void *state, double share)
{
    return sampler_time_long(sampler, team, work, state, share, RUN_NS);
}

Figure sampler_nothing(void)
{
    return (Figure){(double)NAN, 0};
}
