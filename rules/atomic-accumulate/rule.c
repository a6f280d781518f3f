/* Atomics, critical sections and locks around nothing but a sum, a maximum or the like. */
#include "analyzer/pass.h"

#include <math.h>

static const Ast *ast_of(const Pass *pass, FunctionId function)
{
    return program_function_unit(pass->program, function)->ast;
}

static const char *guard_words(const Pass *pass, const Guard *guard)
{
    const Ast *ast = ast_of(pass, guard->function);
    if (!guard->locks)
        return guard->region ? "omp atomic" : "an atomic operation";
    return guard->region && ast_kind(ast, guard->site) == AST_REGION ? "omp critical" : "a lock";
}

static const char *target_text(const Pass *pass, const Effect *origin)
{
    const Ast *ast = ast_of(pass, origin->function);
    AstNode target = ast_kind(ast, origin->node) == AST_ASSIGN ? ast_first(ast, origin->node)
                                                               : ast_child(ast, origin->node, 1);
    if (target != 0 && ast_kind(ast, target) == AST_ADDRESS)
        target = ast_first(ast, target);
    return target == 0 ? "a shared variable" : pass_text(pass, origin->function, target);
}

/* The directive of the function that holds the update: of the loop that is dealt out, else of the
 * region. */
static AstNode directive_of(const Pass *pass, const Event *event)
{
    const Ast *ast = ast_of(pass, event->root);
    AstNode directive = event->dealt.node != 0 ? event->dealt.node : event->construct;
    bool here = event->dealt.node == 0 || event->dealt.function == event->root;
    return here && ast_kind(ast, directive) != AST_CALL ? directive : 0;
}

/* The clause, and all guards of that variable go with it. */
static bool exchange(const Pass *pass, const Event *event, const Guard *guard, AstSymbol symbol,
                     const char *op, Fix *fix)
{
    AstNode directive = directive_of(pass, event);
    EditContext context = pass_edits(pass, event->root);
    ClauseRegions guards = {0};
    if (!clause_guards(pass->facts, pass->arena, event->root, directive, symbol, &guards) ||
        !edit_clause(context, fix, directive, arena_printf(pass->arena, "reduction(%s:", op),
                     symbol, true))
        return false;
    bool own = false;
    for (uint32_t i = 0; i < guards.count; i++) {
        own |= guards.items[i] == guard->site;
        if (!edit_remove(context, fix, guards.items[i]))
            return false;
    }
    return own;
}

static void advise(const Pass *pass, Finding *finding, const char *text)
{
    LIST_PUSH(pass->arena, &finding->fixes, (Fix){.description = text});
}

/* Nobody else sees the variable: an atomic protects nothing. (What stands in a critical section may
 * read what others write.) */
static void offer_removal(const Pass *pass, const Guard *guard, Finding *finding)
{
    Fix fix = {.description = "remove the protection: no other thread sees the variable"};
    const Ast *ast = ast_of(pass, guard->function);
    if (guard->region && ast_at(ast, guard->site)->op == REGION_ATOMIC &&
        ast_at(ast, guard->site)->value.integer == ATOMIC_UPDATE)
        fix.safe = edit_remove(pass_edits(pass, guard->function), &fix, guard->site);
    LIST_PUSH(pass->arena, &finding->fixes, fix);
}

static void offer_clause(const Pass *pass, const Event *event, const Guard *guard, Finding *finding)
{
    const Effect *origin = guard->update->origin;
    const Place *place = &guard->update->effect->place;
    AstSymbol symbol = (AstSymbol)(uint32_t)place->sym;
    if (guard->own) {
        offer_removal(pass, guard, finding);
        return;
    }
    bool variable = place->base == PLACE_VARIABLE && place->count == 0;
    bool here = variable && guard->region && directive_of(pass, event) != 0 &&
                event->effect->via == NULL && guard->update->effect->via == NULL &&
                sym_unit(pass->facts, place->sym) ==
                    program_function_unit(pass->program, event->root);
    const char *sure =
        here ? clause_reduction(pass->facts, event->root, directive_of(pass, event), symbol) : NULL;
    const char *op = sure != NULL ? sure : clause_operator(pass->facts, origin);
    if (op == NULL || !variable) {
        advise(pass, finding,
               "accumulate into a local of the thread and merge it once, after the loop, or use a "
               "reduction clause");
        return;
    }
    Fix fix = {.description =
                   arena_printf(pass->arena, "add reduction(%s:%s) to the directive, and remove %s",
                                op, sym_name(pass->facts, place->sym), guard_words(pass, guard))};
    fix.safe = sure != NULL && exchange(pass, event, guard, symbol, op, &fix);
    fix.edits.count = fix.safe ? fix.edits.count : 0;
    LIST_PUSH(pass->arena, &finding->fixes, fix);
}

/* No processor adds floating-point numbers atomically in one instruction. */
static bool is_exchanged(const Pass *pass, const Guard *guard)
{
    const Effect *origin = guard->update->origin;
    const Ast *ast = ast_of(pass, origin->function);
    return !guard->locks && ast_kind(ast, origin->node) == AST_ASSIGN &&
           ast_type_at(ast, ast_first(ast, origin->node))->kind == TYPE_REAL;
}

static void report(Pass *pass, const Event *event, const Guard *guard)
{
    Finding finding = pass_guard_finding(pass, event, guard);
    if (is_exchanged(pass, guard))
        finding.exposure.access = ACCESS_EXCHANGE;
    const char *target = target_text(pass, guard->update->origin);
    finding.what = arena_printf(pass->arena, "update of %s", target);
    /* What relieves it still adds: one addition waits for the last. */
    finding.exposure.work_ns = fmax(finding.exposure.work_ns, pass->machine->op_ns.value);
    finding.message = arena_printf(
        pass->arena,
        guard->own ? "%s protects %s, which belongs to the thread, once per %s of %s: nobody else "
                     "comes, and every update pays for it"
                   : "%s around the accumulation into %s, once per %s of %s: its cache line moves "
                     "between the threads each time, and they wait for one another",
        guard_words(pass, guard), target, finding.per, pass_loops(pass, &finding));
    offer_clause(pass, event, guard, &finding);
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *event = facts_event(pass->facts, i);
        Guard guard;
        if (event_guard(pass->facts, event, &guard) && guard.kind == GUARD_SUM)
            report(pass, event, &guard);
    }
}

const Rule rule_atomic_accumulate = {
    .id = "atomic-accumulate",
    .summary = "a sum or maximum is protected once per iteration where a reduction would do",
    .help = "Atomics, critical sections and locks around an accumulation make all threads take "
            "turns at one cache line. A reduction gives every thread its own copy and merges them "
            "once.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_update,
};
