#include "bench/measure.h"

#include <math.h>
#include <stdlib.h>

#include "bench/load.h"
#include "bench/statistics.h"
#include "bench/team.h"

/* A round is a pair of runs; the order within changes from round to round (contended, relieved,
 * relieved, contended, ...), so that a drift of the clock frequency cancels in the median. Rounds
 * of four runs were tried: on a busy machine too few of them are undisturbed.
 *
 * A placement is a kernel prepared afresh, on memory of its own, with a team of its own whose first
 * thread sits on the next core. Rounds of one placement agree to a percent where two placements
 * differ by a third, as two runs of the program do, so that the interval is that of placements. */
enum {
    FEWEST_ROUNDS = 6,
    MOST_ROUNDS = 256,
    MOST_PLACEMENTS = 64,
    ROUNDS_OF_PLACEMENT = 2, /* one in each order */
    STEP_BATCHES = 9,
    TRIES = 6,
    ROUNDS_BEFORE_SHORTER = 8
};

/* A pair is made to take PAIR_NS, or a part of the time there is: PAIRS_OF_BUDGET of them. A run is
 * then shorter than a time slice, so that most rounds of a lightly loaded machine are undisturbed;
 * on a busy one the runs become shorter, down to SHORTEST_NS a pair. The relieved run, which may be
 * much the shorter, still gets RELIEVED_NS: 0.1 ms is a thousand times the skew of the start
 * barrier. PAIR_MOST_NS bounds what that may cost. */
static const double PAIR_NS = 6e6, PAIRS_OF_BUDGET = 40, SHORTEST_NS = 6e5, RELIEVED_NS = 1e5,
                    PAIR_MOST_NS = 50e6;
static const double NARROW = 0.08;
static const double DISTURBED_MOST = 0.75; /* share of rounds from which on no state but NOISY */

/* How far the cost of an event lies apart in runs of the program, minutes apart, on a virtual
 * machine whose cores the host moves about; no run can see that in itself. */
static const double BETWEEN_RUNS = 0.2;

/* Small allocations of the next placement must not get the lines of the last one. */
enum { SHIFT_BYTES = 4160 };

/* Steps of work that the loop around a piece of work takes the time of, beside others: 0.3 ns. */
#define LOOP_STEPS 0.35

typedef struct Form {
    uint64_t (*run)(KernelState *state, int thread, uint64_t count);
    KernelState *state;
} Form;

typedef struct Rounds {
    int count, disturbed; /* of all rounds in the table; of these the disturbed ones */
    double ratio[MOST_ROUNDS], contended_ns[MOST_ROUNDS], relieved_ns[MOST_ROUNDS];
    bool bad[MOST_ROUNDS];
    int placement[MOST_ROUNDS];
} Rounds;

struct MeasureSession {
    MeasureOptions options;
    const Kernel *kernel;
    Exposure exposure;
    uint64_t work_steps;
    Team *team;
    Form contended, relieved;
    double deadline_ns;
    uint64_t count; /* pieces of work per run; 0: not chosen yet */
    Measurement result;
    bool refused;         /* result says why; nothing runs */
    bool covered, narrow; /* of the interval so far */
    const char *why;      /* no placement could be made any more; NULL: it could */
    Rounds rounds;
    int placements;
    Load load; /* while it ran */
    void *shift[MOST_PLACEMENTS];
    double sorted[MOST_ROUNDS], medians[MOST_PLACEMENTS];
    int cpus[TEAM_MOST_THREADS];
};

typedef MeasureSession Session;

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
    return session->options.stop != NULL && *session->options.stop;
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
    double pair = fmin(PAIR_NS, session->options.seconds * 1e9 / PAIRS_OF_BUDGET);
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
    session->count = 0;
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
    rounds->placement[at] = session->placements;
    rounds->bad[at] = contended.disturbed || relieved.disturbed;
    rounds->disturbed += rounds->bad[at];
    rounds->ratio[at] = contended.wall_ns / (relieved.wall_ns > 1 ? relieved.wall_ns : 1);
    rounds->contended_ns[at] = contended.wall_ns / (double)session->count;
    rounds->relieved_ns[at] = relieved.wall_ns / (double)session->count;
    session->result.contended_checksum = contended.checksum;
    session->result.relieved_checksum = relieved.checksum;
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

/* Copies the figures of the clean rounds (of all, where `all`) of a placement, or of every one
 * (-1), to session->sorted. */
static int pick(Session *session, const double *figures, bool all, int placement)
{
    const Rounds *rounds = &session->rounds;
    int picked = 0;
    for (int i = 0; i < rounds->count; i++)
        if ((all || !rounds->bad[i]) && (placement < 0 || rounds->placement[i] == placement))
            session->sorted[picked++] = figures[i];
    return picked;
}

/* The median ratio of each placement that has a clean round, to session->medians. */
static int medians_of_placements(Session *session)
{
    int count = 0;
    for (int placement = 0; placement < session->placements; placement++) {
        int picked = pick(session, session->rounds.ratio, false, placement);
        if (picked > 0)
            session->medians[count++] = statistics_median(session->sorted, picked);
    }
    return count;
}

/* The interval of what was seen, widened by what may differ in another run: a share of what the
 * contention costs, so that no cost at all stays none. */
static void set_interval(Measurement *result, const Interval *seen)
{
    double cost = fmax(seen->middle - 1, 0);
    result->ratio = seen->middle;
    result->low = fmin(seen->low, seen->middle - cost * BETWEEN_RUNS / (1 + BETWEEN_RUNS));
    result->high = fmax(seen->high, seen->middle + cost * BETWEEN_RUNS);
}

/* From the clean rounds of enough placements; while there are too few, all that was seen, clean or
 * not: a wide interval says more than none. */
static Interval interval_now(Session *session)
{
    int placements = medians_of_placements(session);
    /* Placements of one turn resemble each other: two are worth one. */
    Interval interval = statistics_repeat_interval(session->medians, placements, placements / 2);
    if (interval.covered)
        return interval;
    const Rounds *rounds = &session->rounds;
    bool all = rounds->count - rounds->disturbed < FEWEST_ROUNDS;
    int picked = pick(session, rounds->ratio, all, -1);
    interval.middle = statistics_median(session->sorted, picked);
    interval.low = picked > 0 ? session->sorted[0] : 0;
    interval.high = picked > 0 ? session->sorted[picked - 1] : 0;
    return interval;
}

/* Sets the figures; whether they are good enough to stop. */
static bool summarise(Session *session)
{
    Measurement *result = &session->result;
    const Rounds *rounds = &session->rounds;
    bool all = rounds->count - rounds->disturbed < FEWEST_ROUNDS;
    Interval interval = interval_now(session);
    result->disturbed = rounds->disturbed;
    set_interval(result, &interval);
    session->covered = interval.covered;
    result->rounds = pick(session, rounds->contended_ns, all, -1);
    result->contended_ns = statistics_median(session->sorted, result->rounds);
    result->relieved_ns =
        statistics_median(session->sorted, pick(session, rounds->relieved_ns, all, -1));
    bool long_enough = result->relieved_ns * (double)session->count >= RELIEVED_NS / 4 ||
                       result->contended_ns * (double)session->count >= PAIR_MOST_NS / 2;
    return interval.covered && long_enough &&
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
    if (is_stopped(session))
        return "stopped before the interval was narrow";
    if (rounds->count == 0)
        return "the time was over before the first round";
    if (session->result.crowded)
        return "another process kept a core busy";
    if (mostly_disturbed(rounds))
        return "another process took a core in most rounds";
    if (rounds->count - rounds->disturbed < FEWEST_ROUNDS)
        return "the time was over before six undisturbed rounds";
    if (session->result.relieved_ns * (double)session->count < RELIEVED_NS / 4)
        return "the runs were too short to be timed";
    return "the times still scattered when the budget was over";
}

static bool is_wrong(const Session *session)
{
    const Measurement *result = &session->result;
    return !session->kernel->may_differ && result->contended_checksum != result->relieved_checksum;
}

/* ---- placements ---- */

/* A kernel and a team of their own; NULL, or why there are none. */
static const char *place(Session *session)
{
    int threads = session->exposure.threads, cpus[TEAM_MOST_THREADS];
    for (int i = 0; i < threads; i++)
        cpus[i] = session->cpus[(i + session->placements) % threads];
    session->shift[session->placements] = malloc(SHIFT_BYTES * (size_t)(session->placements + 1));
    KernelState *state = session->kernel->prepare(&session->exposure, session->work_steps);
    if (state == NULL)
        return "too little memory for the kernel";
    session->contended = (Form){session->kernel->contended, state};
    session->relieved = (Form){session->kernel->relieved, state};
    session->team = team_new(threads, cpus);
    if (session->team != NULL)
        return NULL;
    session->kernel->release(state);
    return "the threads could not be started";
}

static void leave(Session *session)
{
    team_free(session->team);
    session->kernel->release(session->contended.state);
    session->placements++;
}

static void warm_up(Session *session)
{
    uint64_t some = session->count / 4 + 1;
    team_run(session->team, run_form, &session->contended, some);
    team_run(session->team, run_form, &session->relieved, some);
}

/* Rounds of this placement: more where making one took longer than they do, so that half of the
 * time at least is measured. */
static void run_rounds(Session *session, double made_ns)
{
    Rounds *rounds = &session->rounds;
    double start = team_now_ns();
    warm_up(session);
    for (int i = 0; i < ROUNDS_OF_PLACEMENT || team_now_ns() - start < made_ns; i++) {
        if (rounds->count == MOST_ROUNDS || is_over(session))
            return;
        run_round(session);
        if (is_wrong(session))
            return;
        adapt(session);
        if (rounds->count == 0)
            return;
    }
}

static bool may_go_on(const Session *session)
{
    return session->placements < MOST_PLACEMENTS && session->rounds.count < MOST_ROUNDS &&
           !is_wrong(session) && !is_over(session);
}

static void run_placement(Session *session)
{
    double start = team_now_ns();
    session->why = place(session);
    if (session->why != NULL)
        return;
    double made_ns = team_now_ns() - start;
    if (session->count > 0 || choose_count(session))
        run_rounds(session, made_ns);
    leave(session);
    session->narrow = summarise(session) && !mostly_disturbed(&session->rounds);
}

/* Looking at the interval after every placement and stopping when it pleases covers a little less
 * than 95 %; asking for eight placements and 8 % of width keeps that small against the verdict's
 * margins. */
void measure_continue(MeasureSession *session, double seconds, int placements)
{
    int cores = session->exposure.threads;
    Load before = load_now(session->cpus, cores);
    session->deadline_ns = team_now_ns() + seconds * 1e9;
    for (int i = 0; !session->refused && session->why == NULL && may_go_on(session); i++) {
        if (i >= placements && session->narrow)
            break;
        run_placement(session);
    }
    Load after = load_now(session->cpus, cores);
    load_add(&session->load, &before, &after);
}

bool measure_is_settled(const MeasureSession *session)
{
    bool full = session->placements == MOST_PLACEMENTS || session->rounds.count == MOST_ROUNDS;
    return session->refused || session->why != NULL || session->covered || full ||
           is_wrong(session) || is_stopped(session);
}

static void conclude(Session *session)
{
    Measurement *result = &session->result;
    result->count = session->rounds.count > 0 ? session->count : 0;
    result->wrong = is_wrong(session);
    result->crowded = load_is_crowded(&session->load);
    if (result->wrong)
        finish(result, MEASURE_NOISY, "the two forms of the kernel computed different results");
    else if (session->narrow && !result->crowded)
        finish(result, MEASURE_DONE, "");
    else if (is_stopped(session) && session->rounds.count == 0)
        finish(result, MEASURE_STOPPED, "stopped");
    else if (session->why != NULL && session->rounds.count == 0)
        finish(result, MEASURE_NO_MEMORY, session->why);
    else
        finish(result, MEASURE_NOISY, why_noisy(session));
}

Measurement measure_end(MeasureSession *session)
{
    Measurement result = {.state = MEASURE_NO_MEMORY, .why = "too little memory"};
    if (session == NULL)
        return result;
    if (!session->refused)
        conclude(session);
    result = session->result;
    for (int i = 0; i < MOST_PLACEMENTS; i++)
        free(session->shift[i]);
    free(session);
    return result;
}

/* ---- bounds ---- */

static const double MOST_EVENTS = 1e4, MOST_TOUCHED = 64.0 * 1024 * 1024,
                    MOST_BYTES = 1024.0 * 1024 * 1024, MOST_STRIDE = 1024.0 * 1024;

static double finite_from(double value, double least)
{
    return isfinite(value) && value > least ? value : least;
}

/* Brings `*figure` down to `most`, and the work in the same measure. */
static void scale_down(Exposure *exposure, double *figure, double most)
{
    if (*figure <= most)
        return;
    exposure->work_ns *= most / *figure;
    *figure = most;
}

Exposure measure_bounded(const Exposure *exposure)
{
    Exposure bounded = *exposure;
    bounded.work_ns = finite_from(exposure->work_ns, 0);
    bounded.events = finite_from(exposure->events, 0);
    bounded.overhead_ns = finite_from(exposure->overhead_ns, 0);
    bounded.bytes = finite_from(exposure->bytes, 0);
    bounded.stride = fmin(finite_from(exposure->stride, 0), MOST_STRIDE);
    bounded.share = fmin(finite_from(exposure->share, 0), 1);
    bounded.launches = fmin(finite_from(exposure->launches, 0), MOST_EVENTS);
    bounded.pieces = finite_from(exposure->pieces, 0);
    bounded.places = fmin(finite_from(exposure->places, 0), MOST_EVENTS);
    scale_down(&bounded, &bounded.events, MOST_EVENTS);
    if (bounded.bytes > 0)
        scale_down(&bounded, &bounded.events, fmax(1, MOST_TOUCHED / bounded.bytes));
    double threads = fmax(bounded.threads, 1);
    scale_down(&bounded, &bounded.bytes, fmin(MOST_TOUCHED, MOST_BYTES / threads));
    return bounded;
}

/* One piece of work must fit the budget some times over: it cannot be interrupted. */
static bool fits_budget(const Exposure *exposure, const MeasureOptions *options)
{
    double piece = exposure->work_ns + exposure->events * exposure->overhead_ns;
    return piece * 8 <= options->seconds * 1e9;
}

static void refuse(Session *session, MeasureState state, const char *why)
{
    session->refused = true;
    finish(&session->result, state, why);
}

MeasureSession *measure_begin(const Kernel *kernel, const Exposure *exposure,
                              const MeasureOptions *options)
{
    Session *session = calloc(1, sizeof *session);
    if (session == NULL)
        return NULL;
    Exposure *asked = &session->exposure;
    *asked = *exposure;
    asked->threads = options->threads > 0 ? options->threads : exposure->threads;
    *asked = measure_bounded(asked);
    session->options = *options;
    session->kernel = kernel;
    session->result = (Measurement){.threads = asked->threads, .why = ""};
    if (asked->threads < 1 || asked->threads > team_cores(session->cpus, TEAM_MOST_THREADS)) {
        refuse(session, MEASURE_ONE_CORE, "fewer cores than threads");
    } else if (!fits_budget(asked, options)) {
        refuse(session, MEASURE_NOISY, "one run takes longer than the budget");
    } else {
        double step = options->step_ns > 0 ? options->step_ns : measure_step_ns();
        session->work_steps = (uint64_t)(fmax(asked->work_ns / step - LOOP_STEPS, 0) + 0.5);
    }
    return session;
}

Measurement measure_kernel(const Kernel *kernel, const Exposure *exposure,
                           const MeasureOptions *options)
{
    MeasureSession *session = measure_begin(kernel, exposure, options);
    if (session != NULL)
        measure_continue(session, options->seconds, 1);
    return measure_end(session);
}
