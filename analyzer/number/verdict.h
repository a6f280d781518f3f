/* Measuring findings with the reference kernels of their rules, and what that says. */
#ifndef ANALYZER_NUMBER_VERDICT_H
#define ANALYZER_NUMBER_VERDICT_H

#include "analyzer/report/finding.h"
#include "bench/machine.h"

#include <stdatomic.h>

typedef enum MeasureMode { MEASURE_AUTO, MEASURE_ALWAYS, MEASURE_CACHED, MEASURE_OFF } MeasureMode;

/* How far measuring is; `done` is `of` when it is over. */
typedef struct VerdictProgress {
    unsigned done, of;
    double spent, left; /* seconds; `left` follows from the pace so far, and ends with the budget */
} VerdictProgress;

typedef struct VerdictOptions {
    const Kernel *(*kernel_of)(
        const Rule *rule); /* rule_kernel(); NULL from it: the rule is not measured */
    MeasureMode mode;
    double budget_seconds;
    int threads;        /* the run asks about */
    bool threads_given; /* by the user, not by a profile: more than there are cores is a question
                           that nothing here can answer, and nothing is measured for it */
    const char *store_path; /* results of earlier runs; NULL: none is read or written */
    bool other_machine;     /* predictions are for a machine that is not this one */
    const char *target;     /* what numba compiles for here, by LLVM's name; "": unknown */
    const Machine
        *machine; /* profile of the predictions, to compare with; NULL: nothing is said to disagree
                     unless the prediction was for the thread count that measures */
    double min_slowdown;
    bool scaling; /* also fill the curves over threads of the findings from `shown` on, and measure
                     them with what is left of the budget */
    Severity shown;
    const atomic_bool *stop;
    void (*progress)(void *data, const VerdictProgress *progress); /* may be NULL */
    void *data;
} VerdictOptions;

#define VERDICT_CONFIRM 1.10
#define VERDICT_REFUTE  1.05

/* Measures the findings at or above note that have a kernel, worst prediction first, each distinct
 * rounded exposure once; sets `measured`. A refuted finding becomes a note that says so; one about
 * wrong results cannot be refuted by a time. Returns how many were left unmeasured for want of
 * time, or since *stop became true; what was measured until then is kept. */
unsigned verdict_measure(Findings *findings, Arena *arena, const VerdictOptions *options);

/* Pure part, tested on its own: the verdict an interval gives. `same_question`: the measurement
 * speaks about the machine and the number of threads that were asked about. */
Verdict verdict_of(double low, double high, bool noisy, bool same_question);

/* Default place of the store: $XDG_CACHE_HOME/ponglint/measured.json or ~/.cache/…; NULL if there
 * is no home. */
const char *verdict_store_path(Arena *arena);

/* `ponglint measure RULE [KEY=VALUE…]`: runs the kernel by hand over 1..N threads and one more key,
 * and prints the table and the law it follows. Returns the exit status. Keys: threads, work,
 * events, bytes, stride, share, launches, sharing (all, private, none), access (store, update,
 * atomic), seconds. */
int verdict_command(int argc, char **argv);

#endif
