#include "bench/measure.h"

#include <math.h>
#include <stdlib.h>

#include "bench/statistics.h"
#include "bench/team.h"

/* A round is a pair of runs; the order within changes from round to round (contended, relieved,
 * relieved, contended, ...), so that a drift of the clock frequency cancels in the median. Rounds
 * of four runs were tried: on a busy machine too few of them are undisturbed. */
enum {
    FEWEST_ROUNDS = 10,
    MOST_ROUNDS = 1024,
    STEP_BATCHES = 9,
    TRIES = 6,
    ROUNDS_BEFORE_SHORTER = 8
};

/* A pair is made to take PAIR_NS: ten rounds are then 60 ms, and a run is shorter than a time
 * slice, so that most rounds of a lightly loaded machine are undisturbed; on a busy one the runs
 * become shorter, down to SHORTEST_NS a pair. The relieved run, which may be much the shorter,
 * still gets RELIEVED_NS: 0.1 ms is a thousand times the skew of the start barrier. PAIR_MOST_NS
 * bounds what that may cost. */
static const double PAIR_NS = 6e6, SHORTEST_NS = 6e5, RELIEVED_NS = 1e5, PAIR_MOST_NS = 50e6;
static const double NARROW = 0.05;
static const double DISTURBED_MOST = 0.75; /* share of rounds from which on no state but NOISY */

typedef struct Form {
    uint64_t (*run)(KernelState *state, int thread, uint64_t count);
    KernelState *state;
} Form;

typedef struct Rounds {
    int count, disturbed; /* of all rounds in the table; of these the disturbed ones */
    double ratio[MOST_ROUNDS], contended_ns[MOST_ROUNDS], relieved_ns[MOST_ROUNDS];
    bool bad[MOST_ROUNDS];
} Rounds;

typedef struct Session {
    const MeasureOptions *options;
    Team *team;
    Form contended, relieved;
    double deadline_ns;
    uint64_t count;
    Measurement *result;
    Rounds rounds;
    double sorted[MOST_ROUNDS];
} Session;

int measure_cores(void)
{
    int unused;
    return team_cores(&unused, 0);
}

/* The least of some batches: a chain of dependent steps has no luck, only disturbances. */
double measure_step_ns(void)
{
    const uint64_t steps = 50000;
    double least = INFINITY;
    for (int i = 0; i < STEP_BATCHES; i++) {
        double start = team_now_ns();
        BENCH_KEEP(bench_work(1.0, steps));
        double ns = (team_now_ns() - start) / (double)steps;
        least = ns < least ? ns : least;
    }
    return least > 0 ? least : 1;
}

static uint64_t run_form(void *form, int thread, uint64_t count)
{
    const Form *which = form;
    return which->run(which->state, thread, count);
}

static bool is_stopped(const Session *session)
{
    return session->options->stop != NULL && *session->options->stop;
}

static bool is_over(const Session *session)
{
    return is_stopped(session) || team_now_ns() >= session->deadline_ns;
}

/* The least of the first two undisturbed runs, or of all where there are none in some tries: a run
 * that is cold or disturbed must not decide the count. */
static double least_ns(Session *session, Form *form)
{
    double least = INFINITY, least_clean = INFINITY;
    int clean = 0;
    for (int i = 0; i < TRIES && clean < 2; i++) {
        TeamRun run = team_run(session->team, run_form, form, session->count);
        least = fmin(least, run.wall_ns);
        if (!run.disturbed) {
            least_clean = fmin(least_clean, run.wall_ns);
            clean++;
        }
        if (least > PAIR_NS || is_over(session))
            break;
    }
    return fmax(clean > 0 ? least_clean : least, 1);
}

/* The factor that brings a pair of `contended` and `relieved` ns to the wanted length. */
static double scale_to(double pair, double contended, double relieved)
{
    double scale = pair / (contended + relieved);
    if (relieved * scale < RELIEVED_NS)
        scale = RELIEVED_NS / relieved;
    return fmin(scale, fmax(pair, PAIR_MOST_NS) / (contended + relieved));
}

/* The pieces of work per run, raised by eight at most a step until a pair of that very length was
 * seen. Scaling up from a short run in one go was tried: with four busy loops beside it, twelve
 * pieces were taken for a whole run, and the cost of the barrier came out as a narrow ratio of 1.
 */
static bool choose_count(Session *session)
{
    double pair = fmin(PAIR_NS, session->options->seconds * 1e9 / (2.0 * FEWEST_ROUNDS));
    session->count = 1;
    while (!is_over(session)) {
        double contended = least_ns(session, &session->contended);
        double relieved = least_ns(session, &session->relieved);
        double scale = scale_to(pair, contended, relieved);
        double count = (double)session->count * fmin(scale, 8);
        session->count = count > 1 ? (uint64_t)ceil(count) : 1;
        if (scale <= 2)
            return true;
    }
    return false;
}

static void run_round(Session *session)
{
    Rounds *rounds = &session->rounds;
    int at = rounds->count++;
    bool relieved_first = at % 2 != 0;
    Form *first = relieved_first ? &session->relieved : &session->contended;
    Form *second = relieved_first ? &session->contended : &session->relieved;
    TeamRun one = team_run(session->team, run_form, first, session->count);
    TeamRun two = team_run(session->team, run_form, second, session->count);
    TeamRun contended = relieved_first ? two : one, relieved = relieved_first ? one : two;
    rounds->bad[at] = contended.disturbed || relieved.disturbed;
    rounds->disturbed += rounds->bad[at];
    rounds->ratio[at] = contended.wall_ns / (relieved.wall_ns > 1 ? relieved.wall_ns : 1);
    rounds->contended_ns[at] = contended.wall_ns / (double)session->count;
    rounds->relieved_ns[at] = relieved.wall_ns / (double)session->count;
    session->result->contended_checksum = contended.checksum;
    session->result->relieved_checksum = relieved.checksum;
}

/* Halves the runs when most of the rounds so far were disturbed. Begins anew with longer ones when
 * an undisturbed round turns out too short to be timed, since every try at it was disturbed while
 * the count was chosen. */
static void adapt(Session *session)
{
    Rounds *rounds = &session->rounds;
    int last = rounds->count - 1;
    double relieved = rounds->relieved_ns[last] * (double)session->count;
    double pair = relieved + rounds->contended_ns[last] * (double)session->count;
    if (!rounds->bad[last] && relieved < RELIEVED_NS / 2 && pair < PAIR_MOST_NS / 8) {
        session->count *= 4;
        rounds->count = rounds->disturbed = 0;
        return;
    }
    if (rounds->count % ROUNDS_BEFORE_SHORTER != 0 || 2 * rounds->disturbed < rounds->count)
        return;
    if (pair > 2 * SHORTEST_NS && relieved > 2 * RELIEVED_NS)
        session->count /= 2;
}

/* Copies the figures of the clean rounds (of all, where `all`) to session->sorted. */
static int pick(Session *session, const double *figures, bool all)
{
    int picked = 0;
    for (int i = 0; i < session->rounds.count; i++)
        if (all || !session->rounds.bad[i])
            session->sorted[picked++] = figures[i];
    return picked;
}

/* Figures from the clean rounds; from all of them while there are too few clean ones for an
 * interval, since a wide interval says more than none. */
static bool summarise(Session *session)
{
    Measurement *result = session->result;
    const Rounds *rounds = &session->rounds;
    bool all = rounds->count - rounds->disturbed < 6;
    result->rounds = pick(session, rounds->ratio, all);
    result->disturbed = rounds->disturbed;
    Interval interval = statistics_interval(session->sorted, result->rounds);
    result->ratio = interval.middle;
    result->low = interval.low;
    result->high = interval.high;
    int picked = pick(session, rounds->contended_ns, all);
    result->contended_ns = statistics_median(session->sorted, picked);
    picked = pick(session, rounds->relieved_ns, all);
    result->relieved_ns = statistics_median(session->sorted, picked);
    bool long_enough = result->relieved_ns * (double)session->count >= RELIEVED_NS / 4 ||
                       result->contended_ns * (double)session->count >= PAIR_MOST_NS / 2;
    return !all && interval.covered && result->rounds >= FEWEST_ROUNDS && long_enough &&
           interval.high - interval.low < NARROW * interval.middle;
}

static void finish(Measurement *result, MeasureState state, const char *why)
{
    result->state = state;
    result->why = why;
}

static bool mostly_disturbed(const Rounds *rounds)
{
    return rounds->disturbed > DISTURBED_MOST * rounds->count;
}

static const char *why_noisy(const Session *session)
{
    const Rounds *rounds = &session->rounds;
    if (rounds->count == 0)
        return "the time was over before the first round";
    if (mostly_disturbed(rounds))
        return "another process took a core in most rounds";
    if (rounds->count - rounds->disturbed < FEWEST_ROUNDS)
        return "the time was over before ten undisturbed rounds";
    if (session->result->relieved_ns * (double)session->count < RELIEVED_NS / 4)
        return "the runs were too short to be timed";
    return "the times still scattered when the budget was over";
}

static bool is_wrong(const Session *session, const Kernel *kernel)
{
    const Measurement *result = session->result;
    return !kernel->may_differ && result->contended_checksum != result->relieved_checksum;
}

/* Looking at the interval after every round and stopping when it pleases covers a little less than
 * 95 %; asking for ten rounds and 5 % of width keeps that small against the verdict's margins. */
static void run_rounds(Session *session, const Kernel *kernel)
{
    Measurement *result = session->result;
    run_round(session); /* warm-up */
    session->rounds.count = session->rounds.disturbed = 0;
    bool narrow = false;
    while (!narrow && !is_over(session) && session->rounds.count < MOST_ROUNDS) {
        run_round(session);
        if (is_wrong(session, kernel))
            break;
        adapt(session);
        narrow = summarise(session) && !mostly_disturbed(&session->rounds);
    }
    result->count = session->count;
    result->wrong = is_wrong(session, kernel);
    if (result->wrong)
        finish(result, MEASURE_NOISY, "the two forms of the kernel computed different results");
    else if (narrow)
        finish(result, MEASURE_DONE, "");
    else if (is_stopped(session))
        finish(result, MEASURE_STOPPED, "stopped");
    else
        finish(result, MEASURE_NOISY, why_noisy(session));
}

static void run_session(Session *session, const Kernel *kernel)
{
    if (choose_count(session))
        run_rounds(session, kernel);
    else if (is_stopped(session))
        finish(session->result, MEASURE_STOPPED, "stopped");
    else
        finish(session->result, MEASURE_NOISY, "the time was over before the first round");
}

/* One piece of work must fit the budget some times over: it cannot be interrupted. */
static bool fits_budget(const Exposure *exposure, const MeasureOptions *options)
{
    return exposure->work_ns * 8 <= options->seconds * 1e9;
}

static void measure_with(Session *session, const Kernel *kernel, const Exposure *exposure,
                         const int *cpus)
{
    const MeasureOptions *options = session->options;
    double step = options->step_ns > 0 ? options->step_ns : measure_step_ns();
    KernelState *state = kernel->prepare(exposure, (uint64_t)(exposure->work_ns / step + 0.5));
    if (state == NULL) {
        finish(session->result, MEASURE_NO_MEMORY, "too little memory for the kernel");
        return;
    }
    session->contended = (Form){kernel->contended, state};
    session->relieved = (Form){kernel->relieved, state};
    session->team = team_new(exposure->threads, cpus);
    if (session->team == NULL)
        finish(session->result, MEASURE_NO_MEMORY, "the threads could not be started");
    else
        run_session(session, kernel);
    team_free(session->team);
    kernel->release(state);
}

Measurement measure_kernel(const Kernel *kernel, const Exposure *exposure,
                           const MeasureOptions *options)
{
    double start = team_now_ns();
    Exposure asked = *exposure;
    asked.threads = options->threads > 0 ? options->threads : exposure->threads;
    asked.work_ns = asked.work_ns > 0 ? asked.work_ns : 0;
    Measurement result = {.threads = asked.threads, .why = ""};
    int cpus[TEAM_MOST_THREADS];
    Session *session = calloc(1, sizeof *session);
    if (session == NULL) {
        finish(&result, MEASURE_NO_MEMORY, "too little memory");
    } else if (asked.threads < 1 || asked.threads > team_cores(cpus, TEAM_MOST_THREADS)) {
        finish(&result, MEASURE_ONE_CORE, "fewer cores than threads");
    } else if (!fits_budget(&asked, options)) {
        finish(&result, MEASURE_NOISY, "one run takes longer than the budget");
    } else {
        session->options = options;
        session->result = &result;
        session->deadline_ns = start + options->seconds * 1e9;
        measure_with(session, kernel, &asked, cpus);
    }
    free(session);
    return result;
}
