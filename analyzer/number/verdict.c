#include "analyzer/number/verdict.h"

#include "analyzer/number/store.h"
#include "bench/measure.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One measurement gets its part of the budget, but not less than what ten rounds need, nor more
 * than helps. */
#define SHORTEST_SECONDS 0.12
#define LONGEST_SECONDS  0.5

/* Prediction and measurement that differ by more are said to disagree. */
#define DISAGREE 1.5

/* What an interval needs to be trusted: rounds for its 95 %, and a width that still tells a size.
 */
enum { TRUSTED_ROUNDS = 6 };
#define TRUSTED_WIDTH  0.5
#define TRUSTED_RUN_NS 3e4 /* shorter runs measure the start of the team */

/* One kernel with one rounded exposure, for all findings that have it. */
typedef struct Task {
    const Kernel *kernel;
    Exposure exposure;
    const char *key;
    double worst; /* prediction among its findings */
    uint32_t order;
    bool present, stored;
    StoreResult result;
} Task;

typedef LIST(Task) Tasks;

typedef struct Run {
    Arena *arena;
    const VerdictOptions *options;
    Store *store;
    Tasks tasks;
    uint32_t *task_of; /* by finding: place in tasks + 1, 0 none */
    int cores;
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

static void add_finding(Run *run, const Finding *finding, uint32_t index, const char *machine)
{
    const Kernel *kernel = kernel_of(run, finding);
    int asked = asked_threads(run, finding);
    if (kernel == NULL || (asked > 1 && run->cores < 2))
        return;
    if (finding->rule->predict != NULL && finding->predicted <= 0)
        return; /* a fault that costs no time: nothing to measure */
    Task task = {.kernel = kernel, .order = run->tasks.count, .worst = finding->predicted};
    task.exposure = store_rounded(&finding->exposure, threads_here(run, asked));
    task.key = store_key(run->arena, kernel->name, machine, &task.exposure);
    for (uint32_t i = 0; i < run->tasks.count; i++) {
        Task *known = &run->tasks.items[i];
        if (strcmp(known->key, task.key) != 0)
            continue;
        known->worst = known->worst > task.worst ? known->worst : task.worst;
        run->task_of[index] = i + 1;
        return;
    }
    LIST_PUSH(run->arena, &run->tasks, task);
    run->task_of[index] = run->tasks.count;
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
    double width = measurement->high - measurement->low;
    return measurement->state == MEASURE_NOISY && !measurement->wrong &&
           measurement->rounds >= TRUSTED_ROUNDS &&
           2 * measurement->disturbed <= measurement->rounds &&
           width <= TRUSTED_WIDTH * measurement->ratio;
}

static void measure_task(Run *run, Task *task, double seconds)
{
    MeasureOptions options = {.threads = task->exposure.threads,
                              .seconds = seconds,
                              .step_ns = run->step_ns,
                              .stop = run->options->stop};
    Measurement seen = measure_kernel(task->kernel, &task->exposure, &options);
    bool ran = seen.state == MEASURE_DONE || seen.state == MEASURE_NOISY;
    if (!ran || seen.ratio <= 0)
        return;
    task->result = (StoreResult){.ratio = seen.ratio,
                                 .low = seen.low,
                                 .high = seen.high,
                                 .contended_ns = seen.contended_ns,
                                 .relieved_ns = seen.relieved_ns,
                                 .trusted = is_trusted(&seen)};
    task->present = true;
    if (!seen.wrong)
        store_put(run->store, task->key, &task->result);
}

/* Seconds for the next of `left` measurements; 0 when the budget is over. */
static double share_of_budget(const Run *run, double spent, unsigned left)
{
    double rest = run->options->budget_seconds - spent;
    double share = rest / left;
    if (share > LONGEST_SECONDS)
        return LONGEST_SECONDS;
    if (share >= SHORTEST_SECONDS)
        return share;
    bool always = run->options->mode == MEASURE_ALWAYS;
    return always || rest >= SHORTEST_SECONDS ? SHORTEST_SECONDS : 0;
}

/* Measures what is missing, and returns how much was left. */
static unsigned measure_missing(Run *run, Task **missing, unsigned count)
{
    const VerdictOptions *options = run->options;
    double start = now_seconds();
    qsort(missing, count, sizeof(Task *), worst_first);
    run->step_ns = measure_step_ns();
    for (unsigned i = 0; i < count; i++) {
        if (options->progress != NULL)
            options->progress(options->data, i, count);
        double seconds = share_of_budget(run, now_seconds() - start, count - i);
        if (seconds <= 0 || is_stopped(run))
            return count - i;
        measure_task(run, missing[i], seconds);
    }
    if (options->progress != NULL)
        options->progress(options->data, count, count);
    return 0;
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
    return finding->rule->predict(machine, &exposure);
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

static const char *why_inconclusive(const Run *run, const Task *task, int asked)
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
    if (!task->result.trusted)
        return "the times scattered too much: run again with --measure always on a quiet machine";
    return "the interval holds the line between a slowdown and none";
}

static void demote_refuted(Finding *finding)
{
    if (finding->severity > finding->rule->severity)
        finding->severity = finding->rule->severity;
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
    measured->disagrees = disagrees(run, finding);
    if (measured->verdict == VERDICT_INCONCLUSIVE)
        measured->why = why_inconclusive(run, task, asked);
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

unsigned verdict_measure(Findings *findings, Arena *arena, const VerdictOptions *options)
{
    if (options->mode == MEASURE_OFF || findings->count == 0)
        return 0;
    Run run = {.arena = arena, .options = options, .cores = measure_cores()};
    char machine[17];
    machine_key(machine);
    run.store = store_open(options->store_path);
    if (run.store == NULL)
        return 0;
    run.task_of = arena_alloc(arena, findings->count * sizeof *run.task_of);
    for (uint32_t i = 0; i < findings->count; i++)
        add_finding(&run, &findings->items[i], i, machine);
    unsigned left = run.tasks.count == 0 ? 0 : run_tasks(&run);
    for (uint32_t i = 0; i < findings->count; i++) {
        uint32_t task = run.task_of[i];
        if (task == 0)
            set_one_core(&run, &findings->items[i]);
        else if (run.tasks.items[task - 1].present)
            set_measured(&run, &findings->items[i], &run.tasks.items[task - 1]);
    }
    store_close(run.store);
    return left;
}
