/* A finding: where, what, why, the number, the way there, the fix. Made by rules through the pass,
 * numbered by number/, filtered and printed by report/. Everything lives in the arena of the run.
 */
#ifndef ANALYZER_REPORT_FINDING_H
#define ANALYZER_REPORT_FINDING_H

#include "analyzer/base/target.h"
#include "analyzer/tree/unit.h"
#include "bench/kernel.h"

struct Machine;
typedef struct Pass Pass; /* analyzer/pass.h: what check() gets to look at */

typedef enum RuleStatus { RULE_ON, RULE_OFF_BY_DEFAULT } RuleStatus;

/* A rule is constant data with one function that looks at the facts of the whole program and
 * reports. */
typedef struct Rule {
    const char *id;      /* its folder's name */
    const char *summary; /* one line, for SARIF and `ponglint rule` */
    const char *help;    /* one or two sentences: why it is slow or wrong, and the fix */
    Severity severity;   /* the least severity that wrong results get; SEVERITY_NOTE: the predicted
                            slowdown decides */
    RuleStatus status;
    void (*check)(Pass *pass);

    /* Predicted slowdown (time as written over time of the relieved form) on a machine, from the
     * exposure. */
    double (*predict)(const struct Machine *machine, const Exposure *exposure);
} Rule;

typedef struct Region {
    const Source *source;
    uint32_t start, stop; /* byte offsets */
} Region;

typedef struct TraceStep {
    Region region;
    const char *message; /* "parallel loop over i", "calls dtw_distance" */
} TraceStep;

typedef struct Edit {
    Region region; /* replaced; empty: inserted before start */
    const char *text;
} Edit;

typedef struct Fix {
    const char *description; /* imperative, without a full stop */
    bool safe;        /* may be applied by --fix: edits are mechanical and keep the meaning */
    LIST(Edit) edits; /* may be empty: advice only */
} Fix;

typedef enum Verdict {
    VERDICT_NONE,
    VERDICT_CONFIRMED,
    VERDICT_REFUTED,
    VERDICT_INCONCLUSIVE
} Verdict;

typedef struct Measured {
    bool present;
    Verdict verdict;
    int threads;
    double slowdown, low, high; /* 0 where nothing could be run */
    double contended_ns, relieved_ns;
    const char *kernel;    /* id */
    const char *why;       /* inconclusive: the reason; else "" */
    bool disagrees;        /* with the prediction for the same threads, by more than 1.5 */
    bool stored;           /* came out of the store of results */
    Severity demoted_from; /* refuted: the severity that the finding had before */
} Measured;

/* One point of the curve over threads: what the rule's formula says, and what the kernel took. */
typedef struct ScalingPoint {
    int threads;
    double predicted;                 /* slowdown; 0: no prediction */
    double contended_ns, relieved_ns; /* wall ns per piece of work of one thread; 0: not measured */
    double slowdown, low, high;       /* measured; 0: not measured */
} ScalingPoint;

/* What one edit mends. Findings of one cause are told as one, at the first place (pass_add). */
typedef enum CauseKind {
    CAUSE_OWN,     /* nothing that another finding could have in common with it */
    CAUSE_STATICS, /* the static locals of `function` */
    CAUSE_CALLS,   /* library calls in the construct `node` of `function` */
} CauseKind;

typedef struct Cause {
    CauseKind kind;
    uint32_t function; /* FunctionId */
    AstNode node;      /* 0: none */
    bool follows;      /* joins one that names the same, and is a finding by itself elsewhere */
    const char *name;  /* what this finding is about, as the message of another one names it */
    LIST(const char *) names; /* of those that were joined to it, each once */
} Cause;

typedef struct Finding {
    const Rule *rule;
    Severity severity;
    Region region;
    const char *function;  /* "" outside functions */
    const char *message;   /* one sentence: what, how often, why it costs */
    LIST(TraceStep) trace; /* the parallel loop first, then the calls down to the place */
    LIST(TraceStep) related;
    Cause cause;

    /* event: where findings were joined, of the one that costs most */
    const char *what;         /* "view of y" */
    const char *per;          /* "cell", "iteration", "call" */
    LIST(const char *) loops; /* the loops whose product the event count is, outermost first */
    bool shared;
    Exposure exposure;
    const char *assumed; /* what was assumed about unknown sizes, "" if nothing */

    double predicted; /* slowdown, 0 where no prediction is made */
    int predicted_threads;
    const char *predicted_machine;
    Measured measured;
    LIST(ScalingPoint) scaling; /* by threads, rising; empty unless a report asked for it */

    const char *portability; /* "all" or the targets on which the cost stays; NULL where it does not
                                apply */
    CpuTargets targets;      /* those targets; 0 where it does not apply */
    bool only_stores; /* what compilers leave of the updates: so the kernel does; the prediction is
                         for code that updates memory, as without optimisation */
    const char *unless; /* under which no time is lost, though the kernel loses some; NULL none */
    LIST(Fix) fixes;
    bool note_only;       /* stays a note whatever the prediction says */
    bool doubtful;        /* in code that holds parse errors, or an unknown decides */
    uint64_t fingerprint; /* rule, path, function, normalised text, ordinal; no line numbers */
    bool suppressed;      /* not shown: by a comment, or */
    bool baselined;       /* by the baseline, or */
    bool unchanged;       /* because the change that was asked about does not touch it */
} Finding;

typedef LIST(Finding) Findings;

const char *severity_word(Severity severity); /* "note", "warning", "error" */
const char *verdict_word(Verdict verdict);

/* Sorts by path, line, column, rule; drops findings of one rule at one place twice; sets
 * fingerprints; makes edits of cells edits of their notebooks. */
void findings_finish(Findings *findings, Arena *arena);

#endif
