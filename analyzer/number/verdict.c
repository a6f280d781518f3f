#include "analyzer/number/verdict.h"

#include "analyzer/number/predict.h"
#include "analyzer/number/scaling.h"
#include "analyzer/number/store.h"
#include "bench/load.h"
#include "bench/measure.h"
#include "bench/team.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One measurement gets its part of the budget, but not less than what ten rounds need, nor more
 * than helps. */
#define SHORTEST_SECONDS 0.12
#define LONGEST_SECONDS  0.5

/* Prediction and measurement that differ by more are said to disagree. */
#define DISAGREE 1.5

/* What an interval needs to be trusted, however wide: what it holds decides the verdict. */
enum { TRUSTED_ROUNDS = 6 };
#define TRUSTED_RUN_NS 3e4 /* shorter runs measure the start of the team */

/* Tasks measured in turns; a batch of ten fills the usual budget, and Ctrl-C loses one at most. */
enum { BATCH = 10, TURNS = 3, PLACEMENTS_OF_TURN = 3 };
#define TRUSTED_WIDTH  1.0
#define TRUSTED_RUN_NS 3e4 /* shorter runs measure the start of the team */

/* One kernel with one rounded exposure, for all findings that have it. */
typedef struct Task {
    const Kernel *kernel;
    Exposure exposure;
    const char *key;
    double worst; /* prediction among its findings */
    uint32_t order;
    bool extra; /* only a point of a curve: measured when there is time left */
    bool present, stored;
    MeasureSession *session; /* while it is measured */
    StoreResult result;
} Task;

typedef LIST(Task) Tasks;

typedef struct Run {
    Arena *arena;
    const VerdictOptions *options;
    Store *store;
    Tasks tasks;
    uint32_t *task_of; /* by finding: place in tasks + 1, 0 none */
    char machine[17];
    int cores;
    CpuTarget target; /* of this processor */
    double step_ns;
} Run;

Verdict verdict_of(double low, double high, bool noisy, bool same_question)
{
    if (noisy || !same_question)
        return VERDICT_INCONCLUSIVE;
    if (low > VERDICT_CONFIRM)
        return VERDICT_CONFIRMED;
    return high < VERDICT_REFUTE ? VERDICT_REFUTED : VERDICT_INCONCLUSIVE;
}

const char *verdict_store_path(Arena *arena)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache != NULL && cache[0] == '/')
        return arena_printf(arena, "%s/ponglint/measured.json", cache);
    if (home == NULL || home[0] == '\0')
        return NULL;
    return arena_printf(arena, "%s/.cache/ponglint/measured.json", home);
}

static const Kernel *kernel_of(const Run *run, const Finding *finding)
{
    bool wanted = !finding->suppressed && run->options->kernel_of != NULL;
    return wanted ? run->options->kernel_of(finding->rule) : NULL;
}

/* Threads that a finding's question is about. */
static int asked_threads(const Run *run, const Finding *finding)
{
    int own = finding->exposure.threads, asked = run->options->threads;
    return own > 0 && own < asked ? own : asked;
}

static int threads_here(const Run *run, int asked)
{
    int threads = asked < run->cores ? asked : run->cores;
    return threads < 1 ? 1 : threads;
}

static bool is_out_of_reach(const Run *run, const Finding *finding)
{
    return run->options->threads_given && asked_threads(run, finding) > run->cores;
}

/* What the compiler takes away on this processor has no kernel here. */
static bool is_gone(const Run *run, const Finding *finding)
{
    return !predict_stays_on(finding, run->target);
}

static bool is_measurable(const Run *run, const Finding *finding)
{
    if (kernel_of(run, finding) == NULL || is_out_of_reach(run, finding) || is_gone(run, finding))
        return false;
    if (asked_threads(run, finding) > 1 && run->cores < 2)
        return false;
    /* a fault that costs no time: nothing to measure */
    return finding->rule->predict == NULL || finding->predicted > 0;
}

/* The task for the exposure of a finding at `threads`, added if need be: its place + 1. */
static uint32_t task_for(Run *run, const Finding *finding, int threads, bool extra)
{
    const Kernel *kernel = kernel_of(run, finding);
    Task task = {
        .kernel = kernel, .order = run->tasks.count, .worst = finding->predicted, .extra = extra};
    task.exposure = store_rounded(&finding->exposure, threads);
    if (finding->only_stores)
        task.exposure.access = ACCESS_STORE;
    task.key = store_key(run->arena, kernel->name, run->machine, &task.exposure);
    for (uint32_t i = 0; i < run->tasks.count; i++) {
        Task *known = &run->tasks.items[i];
        if (strcmp(known->key, task.key) != 0)
            continue;
        known->worst = known->worst > task.worst ? known->worst : task.worst;
        known->extra = known->extra && extra;
        return i + 1;
    }
    LIST_PUSH(run->arena, &run->tasks, task);
    return run->tasks.count;
}

static bool wants_curve(const Run *run, const Finding *finding)
{
    return run->options->scaling && run->options->machine != NULL && !finding->suppressed &&
           finding->severity >= run->options->shown;
}

static void add_finding(Run *run, Finding *finding, uint32_t index)
{
    if (wants_curve(run, finding))
        scaling_predict(finding, run->arena, run->options->machine, run->cores);
    if (!is_measurable(run, finding))
        return;
    run->task_of[index] =
        task_for(run, finding, threads_here(run, asked_threads(run, finding)), false);
    for (uint32_t i = 0; i < finding->scaling.count; i++)
        if (finding->scaling.items[i].threads <= run->cores)
            (void)task_for(run, finding, finding->scaling.items[i].threads, true);
}

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool is_stopped(const Run *run)
{
    return run->options->stop != NULL && *run->options->stop;
}

static int worst_first(const void *left, const void *right)
{
    const Task *a = *(Task *const *)left, *b = *(Task *const *)right;
    if (a->extra != b->extra)
        return a->extra ? 1 : -1;
    if (a->worst != b->worst)
        return a->worst < b->worst ? 1 : -1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool is_trusted(const Measurement *measurement)
{
    if (measurement->relieved_ns * (double)measurement->count < TRUSTED_RUN_NS)
        return false;
    if (measurement->state == MEASURE_DONE)
        return true;
    return measurement->state == MEASURE_NOISY && !measurement->wrong && !measurement->crowded &&
           measurement->rounds >= TRUSTED_ROUNDS;
}

static void take_result(Run *run, Task *task, bool crowded)
{
    Measurement seen = measure_end(task->session);
    task->session = NULL;
    bool ran = seen.state == MEASURE_DONE || seen.state == MEASURE_NOISY;
    if (!ran || seen.ratio <= 0)
        return;
    task->result = (StoreResult){.ratio = seen.ratio,
                                 .low = seen.low,
                                 .high = seen.high,
                                 .contended_ns = seen.contended_ns,
                                 .relieved_ns = seen.relieved_ns,
                                 .trusted = is_trusted(&seen) && !crowded};
    task->present = true;
    if (!seen.wrong)
        store_put(run->store, task->key, &task->result);
}

/* Seconds for the next of `left` measurements; 0 when the budget is over. */
static double share_of_budget(const Run *run, double spent, unsigned left, bool extra)
{
    double rest = run->options->budget_seconds - spent;
    double share = rest / left;
    if (share > LONGEST_SECONDS)
        return LONGEST_SECONDS;
    if (share >= SHORTEST_SECONDS)
        return share;
    bool always = run->options->mode == MEASURE_ALWAYS && !extra;
    return always || rest >= SHORTEST_SECONDS ? SHORTEST_SECONDS : 0;
}

static void show_progress(const Run *run, unsigned done, unsigned of, double spent)
{
    const VerdictOptions *options = run->options;
    double left = done > 0 ? spent / done * (of - done) : LONGEST_SECONDS * of;
    double rest = options->budget_seconds > spent ? options->budget_seconds - spent : 0;
    if (options->mode != MEASURE_ALWAYS && left > rest)
        left = rest;
    VerdictProgress progress = {done, of, spent, left};
    if (options->progress != NULL)
        options->progress(options->data, &progress);
}

static unsigned count_findings_of(Task *const *missing, unsigned count)
{
    unsigned own = 0;
    for (unsigned i = 0; i < count; i++)
        own += !missing[i]->extra;
    return own;
}

/* Some tasks that are measured in turns. */
typedef struct Batch {
    Task **tasks;
    double seconds[BATCH]; /* for each */
    double planned;        /* for all; what one leaves over the others get */
    unsigned count;
    unsigned first, of; /* place of the first among all tasks, and how many those are */
} Batch;

/* The tasks from `first` on that the budget allows for. */
static Batch next_batch(const Run *run, Task **missing, unsigned first, unsigned count,
                        double start)
{
    Batch batch = {.tasks = missing + first, .first = first, .of = count};
    unsigned own = count_findings_of(missing, count);
    double spent = now_seconds() - start;
    for (unsigned i = first; i < count && batch.count < BATCH; i++) {
        bool extra = missing[i]->extra;
        double seconds = share_of_budget(run, spent, (extra ? count : own) - i, extra);
        if (seconds <= 0)
            break;
        batch.seconds[batch.count++] = seconds;
        batch.planned += seconds;
        spent += seconds;
    }
    return batch;
}

/* The cores that the largest team of a batch sits on; how many. */
static int cores_of_batch(const Batch *batch, int cpus[TEAM_MOST_THREADS])
{
    int most = 0, cores = team_cores(cpus, TEAM_MOST_THREADS);
    for (unsigned i = 0; i < batch->count; i++)
        if (batch->tasks[i]->exposure.threads > most)
            most = batch->tasks[i]->exposure.threads;
    return most < cores ? most : cores;
}

/* More turns for those that were disturbed too often, where the user asks for a measurement and not
 * for a budget. */
static void measure_on(const Batch *batch)
{
    for (unsigned part = 0; part < TURNS * batch->count; part++) {
        unsigned i = part % batch->count;
        MeasureSession *session = batch->tasks[i]->session;
        if (session != NULL && !measure_is_settled(session))
            measure_continue(session, batch->seconds[i], PLACEMENTS_OF_TURN);
    }
}

/* Every task gets a part of its time in each of some turns, so that what changes in the meantime on
 * a virtual machine shows in its interval. */
static void measure_batch(Run *run, const Batch *batch, double start)
{
    for (unsigned i = 0; i < batch->count; i++) {
        Task *task = batch->tasks[i];
        MeasureOptions options = {.threads = task->exposure.threads,
                                  .seconds = batch->seconds[i],
                                  .step_ns = run->step_ns,
                                  .stop = run->options->stop};
        task->session = measure_begin(task->kernel, &task->exposure, &options);
    }
    int cpus[TEAM_MOST_THREADS], cores = cores_of_batch(batch, cpus);
    Load before = load_now(cpus, cores);
    double end = now_seconds() + batch->planned;
    unsigned parts = TURNS * batch->count;
    for (unsigned part = 0; part < parts && !is_stopped(run); part++) {
        show_progress(run, batch->first + part / TURNS, batch->of, now_seconds() - start);
        MeasureSession *session = batch->tasks[part % batch->count]->session;
        double seconds = (end - now_seconds()) / (parts - part);
        if (session != NULL && seconds > 0)
            measure_continue(session, seconds, PLACEMENTS_OF_TURN);
    }
    /* The clock of the system tells more of a batch than of one short measurement. */
    Load after = load_now(cpus, cores), passed = {0};
    load_add(&passed, &before, &after);
    bool crowded = load_is_crowded(&passed);
    if (run->options->mode == MEASURE_ALWAYS && !crowded)
        measure_on(batch);
    for (unsigned i = 0; i < batch->count; i++)
        take_result(run, batch->tasks[i], crowded);
}

static unsigned count_present(const Batch *batch)
{
    unsigned present = 0;
    for (unsigned i = 0; i < batch->count; i++)
        present += batch->tasks[i]->present;
    return present;
}

/* Measures what is missing, and returns how much was left, points of curves not counted. */
static unsigned measure_missing(Run *run, Task **missing, unsigned count)
{
    double start = now_seconds();
    unsigned own = count_findings_of(missing, count), done = 0;
    qsort(missing, count, sizeof(Task *), worst_first);
    run->step_ns = measure_step_ns();
    while (done < count && !is_stopped(run)) {
        Batch batch = next_batch(run, missing, done, count, start);
        if (batch.count == 0)
            break;
        measure_batch(run, &batch, start);
        done += is_stopped(run) ? count_present(&batch) : batch.count;
    }
    show_progress(run, count, count, now_seconds() - start);
    return done < own ? own - done : 0;
}

static unsigned run_tasks(Run *run)
{
    MeasureMode mode = run->options->mode;
    Task **missing = arena_alloc(run->arena, (run->tasks.count + 1) * sizeof(Task *));
    unsigned count = 0;
    for (uint32_t i = 0; i < run->tasks.count; i++) {
        Task *task = &run->tasks.items[i];
        task->stored = mode != MEASURE_ALWAYS && store_get(run->store, task->key, &task->result);
        task->present = task->stored;
        if (!task->present)
            missing[count++] = task;
    }
    if (count == 0 || mode == MEASURE_CACHED)
        return 0;
    unsigned left = measure_missing(run, missing, count);
    if (!store_save(run->store)) {
        /* A store that cannot be written costs the next run its time, and this one nothing. */
    }
    return left;
}

/* The prediction for the threads that measured, on the profile the run predicts with; 0 if there is
 * none. */
static double prediction_here(const Run *run, const Finding *finding, int threads)
{
    const Machine *machine = run->options->machine;
    if (finding->predicted > 0 && finding->predicted_threads == threads)
        return finding->predicted;
    if (machine == NULL || finding->rule->predict == NULL)
        return 0;
    Exposure exposure = finding->exposure;
    exposure.threads = threads;
    return predict_slowdown(finding, machine, &exposure);
}

static bool disagrees(const Run *run, const Finding *finding)
{
    const Measured *measured = &finding->measured;
    double predicted = prediction_here(run, finding, measured->threads);
    if (run->options->other_machine || predicted <= 0 || measured->slowdown <= 0)
        return false;
    double ratio = predicted / measured->slowdown;
    return ratio > DISAGREE || ratio < 1 / DISAGREE;
}

/* What makes results wrong is wrong however little time it takes. */
static bool is_wrong_result(const Finding *finding)
{
    return finding->rule->severity == SEVERITY_ERROR;
}

static const char *why_inconclusive(const Run *run, const Finding *finding, const Task *task,
                                    int asked)
{
    int threads = task->exposure.threads;
    if (run->options->other_machine)
        return "measured on this machine, asked about another: leave out --machine to ask about "
               "this one";
    if (asked != threads)
        return arena_printf(run->arena,
                            "measured at %d thread%s, asked about %d: add --threads %d to ask "
                            "about this machine",
                            threads, threads == 1 ? "" : "s", asked, threads);
    if (finding->unless != NULL && task->result.low > VERDICT_CONFIRM)
        return arena_printf(run->arena, "no time is lost where %s", finding->unless);
    if (is_wrong_result(finding) && task->result.high < VERDICT_REFUTE)
        return "no time is lost here; the results can be wrong all the same";
    if (!task->result.trusted)
        return "the times scattered too much: run again with --measure always on a quiet machine";
    return "the interval holds the line between a slowdown and none";
}

static void demote_refuted(Finding *finding)
{
    finding->measured.demoted_from = finding->severity;
    finding->severity = SEVERITY_NOTE;
}

static void set_measured(const Run *run, Finding *finding, const Task *task)
{
    int asked = asked_threads(run, finding);
    const StoreResult *result = &task->result;
    bool same = asked == task->exposure.threads && !run->options->other_machine;
    Measured *measured = &finding->measured;
    *measured = (Measured){.present = true,
                           .threads = task->exposure.threads,
                           .slowdown = result->ratio,
                           .low = result->low,
                           .high = result->high,
                           .contended_ns = result->contended_ns,
                           .relieved_ns = result->relieved_ns,
                           .kernel = task->kernel->name,
                           .why = "",
                           .stored = task->stored};
    measured->verdict = verdict_of(result->low, result->high, !result->trusted, same);
    if (measured->verdict == VERDICT_REFUTED && is_wrong_result(finding))
        measured->verdict = VERDICT_INCONCLUSIVE;
    if (measured->verdict == VERDICT_CONFIRMED && finding->unless != NULL)
        measured->verdict = VERDICT_INCONCLUSIVE;
    measured->disagrees = disagrees(run, finding);
    if (measured->verdict == VERDICT_INCONCLUSIVE)
        measured->why = why_inconclusive(run, finding, task, asked);
    if (measured->verdict == VERDICT_REFUTED)
        demote_refuted(finding);
}

static void set_one_core(const Run *run, Finding *finding)
{
    const Kernel *kernel = kernel_of(run, finding);
    if (kernel == NULL || asked_threads(run, finding) < 2 || run->cores >= 2)
        return;
    finding->measured =
        (Measured){.present = true,
                   .verdict = VERDICT_INCONCLUSIVE,
                   .threads = 1,
                   .kernel = kernel->name,
                   .why = "one core: threads cannot meet here; measure on a machine with more"};
}

/* A prediction is all there is for more threads than cores; the reason stands where a measurement
 * would. */
static void set_out_of_reach(const Run *run, Finding *finding)
{
    finding->measured.why =
        arena_printf(run->arena, "asked about %d threads, and there %s %d core%s here",
                     asked_threads(run, finding), run->cores == 1 ? "is" : "are", run->cores,
                     run->cores == 1 ? "" : "s");
}

static void set_gone(const Run *run, Finding *finding)
{
    finding->measured.why = arena_printf(
        run->arena,
        "what numba compiles for this processor (%s) keeps no count; the count stays on %s",
        run->options->target, finding->portability);
}

static void set_curve(Run *run, Finding *finding)
{
    if (!is_measurable(run, finding))
        return;
    for (uint32_t i = 0; i < finding->scaling.count; i++) {
        ScalingPoint *point = &finding->scaling.items[i];
        if (point->threads > run->cores)
            continue;
        const Task *task = &run->tasks.items[task_for(run, finding, point->threads, true) - 1];
        if (!task->present || !task->result.trusted)
            continue;
        point->contended_ns = task->result.contended_ns;
        point->relieved_ns = task->result.relieved_ns;
        point->slowdown = task->result.ratio;
        point->low = task->result.low;
        point->high = task->result.high;
    }
}

static void set_finding(Run *run, Finding *finding, uint32_t task)
{
    if (kernel_of(run, finding) != NULL && is_out_of_reach(run, finding))
        set_out_of_reach(run, finding);
    else if (kernel_of(run, finding) != NULL && is_gone(run, finding))
        set_gone(run, finding);
    else if (task == 0)
        set_one_core(run, finding);
    else if (run->tasks.items[task - 1].present)
        set_measured(run, finding, &run->tasks.items[task - 1]);
    set_curve(run, finding);
}

static void only_predict_curves(Findings *findings, Arena *arena, const VerdictOptions *options)
{
    const Run run = {.options = options};
    for (uint32_t i = 0; i < findings->count; i++)
        if (wants_curve(&run, &findings->items[i]))
            scaling_predict(&findings->items[i], arena, options->machine, 0);
}

unsigned verdict_measure(Findings *findings, Arena *arena, const VerdictOptions *options)
{
    Run run = {.arena = arena,
               .options = options,
               .cores = measure_cores(),
               .target = target_from_word(options->target)};
    if (options->mode == MEASURE_OFF)
        only_predict_curves(findings, arena, options);
    if (options->mode == MEASURE_OFF || findings->count == 0)
        return 0;
    machine_key(run.machine);
    run.store = store_open(options->store_path);
    if (run.store == NULL)
        return 0;
    run.task_of = arena_alloc(arena, findings->count * sizeof *run.task_of);
    for (uint32_t i = 0; i < findings->count; i++)
        add_finding(&run, &findings->items[i], i);
    unsigned left = run.tasks.count == 0 ? 0 : run_tasks(&run);
    for (uint32_t i = 0; i < findings->count; i++)
        set_finding(&run, &findings->items[i], run.task_of[i]);
    store_close(run.store);
    return left;
}
