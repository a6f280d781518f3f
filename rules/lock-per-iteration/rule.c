/* A lock or critical section in every iteration, around more than an accumulation. */
#include "analyzer/pass.h"

static const char *lock_words(const Pass *pass, const Guard *guard)
{
    const Ast *ast = program_function_unit(pass->program, guard->function)->ast;
    return ast_kind(ast, guard->site) == AST_REGION
               ? "a critical section"
               : arena_printf(pass->arena, "the lock that %s takes",
                              pass_text(pass, guard->function, guard->site));
}

static void report(Pass *pass, const Event *event, const Guard *guard)
{
    Finding finding = pass_guard_finding(pass, event, guard);
    double percent = 100 * finding.exposure.share;
    finding.what = "lock";
    finding.message =
        arena_printf(pass->arena,
                     "%s is entered once per %s of %s, with about %.0f %% of the work inside: the "
                     "threads take turns instead of working at the same time",
                     lock_words(pass, guard), finding.per, pass_loops(pass, &finding), percent);
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = "collect results in a copy or buffer of the thread's own and "
                                   "merge it under the lock once, after the loop"});
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = "lock parts of the data by locks of their own, or test without "
                                   "the lock first where most iterations change nothing"});
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *event = facts_event(pass->facts, i);
        Guard guard;
        if (event_guard(pass->facts, event, &guard) && guard.kind == GUARD_LOCK)
            report(pass, event, &guard);
    }
}

const Rule rule_lock_per_iteration = {
    .id = "lock-per-iteration",
    .summary = "a lock or critical section is entered in every iteration of a parallel loop",
    .help = "What stands under one lock runs on one thread at a time, and handing the lock over "
            "costs more than a short body. Keep results per thread and merge them once.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_lock,
};
