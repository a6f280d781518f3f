/* Atomic updates of one shared place once per iteration that are no sum: references, tickets. */
#include "analyzer/pass.h"

static const char *advice(const Guard *guard)
{
    if (guard->spread)
        return "count into a copy of the table for each thread, and add the copies up after the "
               "loop, where the table is small";
    if (guard->needed)
        return "draw a block of numbers or places at a time, or compute them from the iteration";
    return "take one reference around the thread's whole share of the loop, or count in a local "
           "and publish it once";
}

/* The ticket is the index of what the thread writes next: neighbouring results lie on one line. */
static double bytes_of_results(const Pass *pass, const Guard *guard)
{
    const Ast *ast = program_function_unit(pass->program, guard->function)->ast;
    AstSymbol ticket = 0;
    for (AstNode at = guard->site; at != 0 && ast_kind(ast, at) != AST_FUNCTION;
         at = ast_parent(ast, at)) {
        AstKind kind = ast_kind(ast, at);
        bool named = kind == AST_ASSIGN && ast_kind(ast, ast_first(ast, at)) == AST_NAME;
        if (named || kind == AST_DECL)
            ticket = ast_at(ast, named ? ast_first(ast, at) : at)->symbol;
        if (kind == AST_LOOP)
            return facts_bytes_written_at(ast, at, ticket);
    }
    return 0;
}

static void report(Pass *pass, const Event *event, const Guard *guard)
{
    Finding finding = pass_guard_finding(pass, event, guard);
    const char *text = pass_text(pass, guard->function, guard->site);
    finding.note_only |= guard->spread;
    finding.exposure.bytes = guard->needed ? bytes_of_results(pass, guard) : 0;
    finding.what = arena_printf(pass->arena, "atomic update by %s", text);
    finding.message = arena_printf(
        pass->arena,
        guard->spread
            ? "%s updates an element atomically once per %s of %s: threads wait where they meet"
            : "%s updates one place that all threads share, once per %s of %s: its cache line "
              "moves "
              "between the cores each time",
        text, finding.per, pass_loops(pass, &finding));
    LIST_PUSH(pass->arena, &finding.fixes, (Fix){.description = advice(guard)});
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *event = facts_event(pass->facts, i);
        Guard guard;
        if (event_guard(pass->facts, event, &guard) && guard.kind == GUARD_COUNT)
            report(pass, event, &guard);
    }
}

const Rule rule_shared_atomic = {
    .id = "shared-atomic",
    .summary = "all threads update one place atomically in every iteration",
    .help = "An atomic read-modify-write owns its cache line: threads that share the place advance "
            "at the pace at which the line travels. Count per thread, or once per block of "
            "iterations.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_update,
};
