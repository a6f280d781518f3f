/* Atomics, critical sections and locks around nothing but a sum, a maximum or the like. */
#include "analyzer/pass.h"

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

/* Which of max and min `if (x > m) m = x` is, by the side on which m stands. */
static const char *compared_operator(const Ast *ast, const Effect *origin)
{
    const Frame *frame = origin->frame;
    while (frame != NULL && frame->kind != FRAME_BRANCH)
        frame = frame->outer;
    AstNode condition = frame == NULL ? 0 : ast_first(ast, frame->node);
    if (condition == 0 || ast_kind(ast, condition) != AST_COMPARE)
        return NULL;
    AstOp op = (AstOp)ast_at(ast, condition)->op;
    bool greater = op == OP_GT || op == OP_GE;
    bool right = ast_same(ast, ast_child(ast, condition, 1), ast_first(ast, origin->node));
    return greater || op == OP_LT || op == OP_LE ? greater == right ? "max" : "min" : NULL;
}

static const char *clause_operator(const Ast *ast, const Effect *origin)
{
    if (origin->kind == EFFECT_WRITE)
        return compared_operator(ast, origin);
    switch (origin->op) {
    case OP_ADD:
    case OP_SUB:
        return "+";
    case OP_MUL:
        return "*";
    case OP_AND:
        return "&";
    case OP_OR:
        return "|";
    case OP_XOR:
        return "^";
    default: /* fmax(m, x) and m > x ? m : x do not say which in one place */
        return NULL;
    }
}

static bool is_named_in_clause(const Ast *ast, AstNode directive, AstSymbol symbol)
{
    FOR_EACH_CHILD (ast, clause, directive) {
        if (ast_kind(ast, clause) != AST_CLAUSE)
            continue;
        FOR_EACH_NODE (ast, node, clause)
            if (ast_kind(ast, node) == AST_NAME && ast_at(ast, node)->symbol == symbol)
                return true;
    }
    return false;
}

static bool is_updated_once(const Ast *ast, AstNode directive, AstSymbol symbol)
{
    int count = 0;
    FOR_EACH_NODE (ast, node, directive)
        count += ast_kind(ast, node) == AST_NAME && ast_at(ast, node)->symbol == symbol;
    return count <= 2; /* m twice in `if (x > m) m = x` */
}

/* From the start of the directive's line to the start of the next one. */
static void remove_line(const Pass *pass, Fix *fix, FunctionId function, AstNode region)
{
    const Unit *unit = program_function_unit(pass->program, function);
    const Source *source = unit_source(unit, region);
    uint32_t start = ast_at(unit->ast, region)->start, stop = ast_at(unit->ast, region)->stop;
    while (start > 0 && source->bytes[start - 1] != '\n')
        start--;
    while (stop < source->size && source->bytes[stop] != '\n')
        stop++;
    pass_edit(pass, fix, function, region, start, stop + (stop < source->size), "");
}

/* A scalar of the function that holds both directives. */
static bool is_mechanical(const Pass *pass, const Event *event, const Guard *guard)
{
    const Ast *ast = ast_of(pass, event->root);
    const Place *place = &guard->update->effect->place;
    AstNode directive = event->dealt.node;
    if (!guard->region || directive == 0 || event->dealt.function != event->root ||
        event->effect->via != NULL || place->base != PLACE_VARIABLE || place->count > 0 ||
        ((ast_at(ast, directive)->flags | ast_at(ast, guard->site)->flags) & AST_MACRO) != 0)
        return false;
    AstSymbol symbol = (AstSymbol)place->sym;
    AstNode target = ast_first(ast, guard->update->origin->node);
    return ast_kind(ast, target) == AST_NAME && ast_at(ast, target)->symbol == symbol &&
           !is_named_in_clause(ast, directive, symbol) &&
           !is_named_in_clause(ast, event->construct, symbol) &&
           is_updated_once(ast, directive, symbol);
}

static void offer_clause(const Pass *pass, const Event *event, const Guard *guard, Finding *finding)
{
    const Effect *origin = guard->update->origin;
    const char *op = clause_operator(ast_of(pass, origin->function), origin);
    const Place *place = &guard->update->effect->place;
    if (guard->own) {
        LIST_PUSH(pass->arena, &finding->fixes,
                  (Fix){.description = "remove the protection: no other thread sees the variable"});
        return;
    }
    if (op == NULL || place->base != PLACE_VARIABLE || place->count > 0) {
        LIST_PUSH(pass->arena, &finding->fixes,
                  (Fix){.description = "accumulate into a local of the thread and merge it once, "
                                       "after the loop, or use a reduction clause"});
        return;
    }
    const char *clause =
        arena_printf(pass->arena, " reduction(%s:%s)", op, sym_name(pass->facts, place->sym));
    Fix fix = {.description = arena_printf(pass->arena, "add%s to the directive, and remove %s",
                                           clause, guard_words(pass, guard)),
               .safe = is_mechanical(pass, event, guard)};
    if (fix.safe) {
        uint32_t stop = ast_at(ast_of(pass, event->root), event->dealt.node)->stop;
        pass_edit(pass, &fix, event->root, event->dealt.node, stop, stop, clause);
        remove_line(pass, &fix, event->root, guard->site);
    }
    LIST_PUSH(pass->arena, &finding->fixes, fix);
}

static void report(Pass *pass, const Event *event, const Guard *guard)
{
    Finding finding = pass_guard_finding(pass, event, guard);
    const char *target = target_text(pass, guard->update->origin);
    finding.what = arena_printf(pass->arena, "update of %s", target);
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
