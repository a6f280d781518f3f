/* Reduction variables that are used inside their loop for more than the one operation: each thread
 * sees a part of its own, which is no value of the serial program. */
#include "analyzer/pass.h"

#include <string.h>

typedef struct Reduction {
    FunctionId function;
    AstNode loop;
    AstSymbol symbol;
    AstOp op;
} Reduction;

static const Unit *unit_of(const Pass *pass, FunctionId function)
{
    return program_function_unit(pass->program, function);
}

/* ---- the report ---- */

static const char *message_of(const Pass *pass, const char *name, const char *loop, MisuseKind kind)
{
    static const char *const what[] = {
        [MISUSE_READ] = "reads it",
        [MISUSE_INDEX] = "uses it as an index",
        [MISUSE_OVERWRITE] = "overwrites it",
        [MISUSE_OPERATOR] = "updates it with another operator",
    };
    return arena_printf(pass->arena,
                        "%s is a reduction of the parallel loop over %s, and an iteration %s: "
                        "inside the loop it is only the running thread's own part, so the result "
                        "depends on how the iterations are dealt out",
                        name, loop, what[kind]);
}

static const char *advice_of(MisuseKind kind)
{
    switch (kind) {
    case MISUSE_INDEX:
        return "count first, then give every chunk of iterations its place by a prefix sum, or "
               "take places with an atomic capture";
    case MISUSE_OVERWRITE:
        return "use a variable that is declared inside the loop, and add it to the reduction once "
               "per iteration";
    case MISUSE_OPERATOR:
        return "one operator per reduction: keep the other in a variable of its own";
    default:
        return "read it after the loop; for running totals use a scan";
    }
}

static void report(Pass *pass, const Reduction *reduction)
{
    const Unit *unit = unit_of(pass, reduction->function);
    MisuseKind kind;
    AstNode use = access_misuse(pass->facts, reduction->function, reduction->loop,
                                reduction->symbol, reduction->op, &kind);
    if (use == 0)
        return;
    Event event = event_of_loop(pass->facts, reduction->function, reduction->loop);
    Finding finding = pass_finding(pass, &event, reduction->function, use, use);
    const char *name =
        intern_text(pass->program->names, unit->ast->symbols.items[reduction->symbol].name);
    finding.shared = true;
    finding.what = arena_printf(pass->arena, "use of the reduction %s", name);
    finding.message = message_of(pass, name, finding.loops.items[0], kind);
    LIST_PUSH(pass->arena, &finding.fixes, (Fix){.description = advice_of(kind)});
    pass_add(pass, &finding);
}

/* ---- C: the clauses ---- */

/* reduction(inscan, + : s) may be read, by the rules of scan; user-defined operators may do
 * anything. */
static bool is_simple(const Unit *unit, AstNode clause)
{
    const AstNodeData *data = ast_at(unit->ast, clause);
    const Source *source = unit_source(unit, clause);
    uint32_t start = data->start;
    while (start > 0 && source->bytes[start - 1] != '(' && data->start - start < 40)
        start--;
    static const char word[] = "inscan";
    for (uint32_t at = start; at + sizeof word - 1 <= data->start; at++)
        if (memcmp(source->bytes + at, word, sizeof word - 1) == 0)
            return false;
    return data->value.integer != OP_NONE && data->value.integer != OP_USER;
}

/* ---- C: set without a barrier behind it ---- */

static bool has_nowait(const Ast *ast, AstNode construct)
{
    FOR_EACH_CHILD (ast, clause, construct)
        if (ast_kind(ast, clause) == AST_CLAUSE && ast_at(ast, clause)->op == CLAUSE_NOWAIT)
            return true;
    return ast_kind(ast, construct) == AST_LOOP &&
           (ast_at(ast, construct)->value.loop.flags & LOOP_NOWAIT) != 0;
}

/* All threads wait for one another in the statement, or may: it calls something. */
static bool may_wait(const Pass *pass, const Unit *unit, AstNode statement)
{
    const Ast *ast = unit->ast;
    FOR_EACH_NODE (ast, node, statement) {
        uint8_t op = ast_at(ast, node)->op;
        bool region = ast_kind(ast, node) == AST_REGION;
        bool shares =
            (region && (op == REGION_SINGLE || op == REGION_SECTIONS)) ||
            (ast_kind(ast, node) == AST_LOOP && ast_at(ast, node)->value.loop.run == RUN_WORKSHARE);
        if ((region && (op == REGION_BARRIER || op == REGION_CRITICAL || op == REGION_OTHER)) ||
            (shares && !has_nowait(ast, node)) ||
            (ast_kind(ast, node) == AST_CALL && facts_callee(pass->facts, unit, node) != 0))
            return true;
    }
    return false;
}

static AstNode assignment_to(const Ast *ast, AstNode statement, AstSymbol symbol)
{
    FOR_EACH_NODE (ast, node, statement)
        if (ast_kind(ast, node) == AST_ASSIGN && ast_kind(ast, ast_first(ast, node)) == AST_NAME &&
            ast_at(ast, ast_first(ast, node))->symbol == symbol)
            return node;
    return 0;
}

/* The last assignment in front of the loop, in its block, that no barrier parts from the loop. */
static AstNode set_in_front(const Pass *pass, const Unit *unit, AstNode loop, AstSymbol symbol)
{
    const Ast *ast = unit->ast;
    AstNode set = 0, block = ast_parent(ast, loop), up = block;
    while (up != 0 && (ast_kind(ast, up) != AST_REGION || ast_at(ast, up)->op != REGION_PARALLEL))
        up = ast_parent(ast, up);
    if (up == 0 || ast_kind(ast, block) != AST_BLOCK)
        return 0; /* the region is not here, or nothing stands in front */
    FOR_EACH_CHILD (ast, statement, block) {
        if (statement == loop)
            return set;
        AstNode here = assignment_to(ast, statement, symbol);
        set = may_wait(pass, unit, statement) ? 0 : here != 0 ? here : set;
    }
    return 0;
}

static void check_set(Pass *pass, FunctionId function, AstNode loop, AstSymbol symbol)
{
    const Unit *unit = unit_of(pass, function);
    AstNode set = set_in_front(pass, unit, loop, symbol);
    if (set == 0)
        return;
    Event event = event_of_loop(pass->facts, function, loop);
    Finding finding = pass_finding(pass, &event, function, set, set);
    const char *name = intern_text(pass->program->names, unit->ast->symbols.items[symbol].name);
    finding.shared = true;
    finding.what = arena_printf(pass->arena, "write of %s", name);
    finding.message = arena_printf(
        pass->arena,
        "%s is set with no barrier between it and the loop over %s that it is a reduction of: a "
        "thread that comes late sets it when others have added their parts",
        name, finding.loops.items[0]);
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = "set it in front of the region, or in a single construct, which "
                                   "ends with a barrier"});
    pass_add(pass, &finding);
}

/* ---- C: what is checked ---- */

static void check_clause(Pass *pass, FunctionId function, AstNode loop, AstNode clause)
{
    const Unit *unit = unit_of(pass, function);
    const Ast *ast = unit->ast;
    if (ast_kind(ast, clause) != AST_CLAUSE || ast_at(ast, clause)->op != CLAUSE_REDUCTION ||
        !is_simple(unit, clause))
        return;
    FOR_EACH_CHILD (ast, item, clause) {
        AstSymbol symbol = ast_kind(ast, item) == AST_NAME ? ast_at(ast, item)->symbol : 0;
        uint8_t type = ast->types.items[ast->symbols.items[symbol].type].kind;
        Reduction reduction = {function, loop, symbol, (AstOp)ast_at(ast, clause)->value.integer};
        if (symbol == 0 || type == TYPE_ARRAY || type == TYPE_POINTER)
            continue;
        report(pass, &reduction);
        if (ast_parent(ast, clause) == loop && ast_at(ast, loop)->value.loop.run == RUN_WORKSHARE)
            check_set(pass, function, loop, symbol);
    }
}

/* The clauses of a loop that is dealt out, and of the regions around it. */
static void check_loop(Pass *pass, FunctionId function, AstNode loop)
{
    const Ast *ast = unit_of(pass, function)->ast;
    for (AstNode at = loop; at != 0 && ast_kind(ast, at) != AST_FUNCTION; at = ast_parent(ast, at))
        if (at == loop || ast_kind(ast, at) == AST_REGION)
            FOR_EACH_CHILD (ast, clause, at)
                check_clause(pass, function, loop, clause);
}

/* ---- numba: what it takes for a reduction ---- */

/* s += e in the body of a prange, where s comes from before the loop. */
static bool is_reduction(const Pass *pass, const Event *event, Reduction *reduction)
{
    const Effect *effect = event->effect;
    const Unit *unit = unit_of(pass, event->root);
    const Ast *ast = unit->ast;
    if (unit->language != LANGUAGE_PYTHON || effect->via != NULL ||
        effect->kind != EFFECT_ACCUMULATE || effect->place.count > 0 || event->dealt.node == 0 ||
        event->dealt.function != event->root || ast_kind(ast, effect->node) != AST_ASSIGN ||
        event_shared(pass->facts, event, &effect->place) != 1) /* i = i % 4, of the loop over i */
        return false;
    AstNode target = ast_first(ast, effect->node);
    if (ast_kind(ast, target) != AST_NAME)
        return false;
    Access access =
        access_order(pass->facts, event, event->root, loop_body(ast, event->dealt.node), target);
    *reduction =
        (Reduction){event->root, event->dealt.node, ast_at(ast, target)->symbol, (AstOp)effect->op};
    return access.reads_before && !access.opaque;
}

static void check(Pass *pass)
{
    for (FunctionId id = 1; id < pass->program->functions.count; id++) {
        const Ast *ast = unit_of(pass, id)->ast;
        if (unit_of(pass, id)->language == LANGUAGE_PYTHON)
            continue;
        FOR_EACH_NODE (ast, node, program_function_data(pass->program, id)->node) {
            uint8_t run = ast_kind(ast, node) == AST_LOOP ? ast_at(ast, node)->value.loop.run
                                                          : RUN_SERIAL;
            if (run == RUN_PARALLEL || run == RUN_WORKSHARE)
                check_loop(pass, id, node);
        }
    }
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        Reduction reduction;
        if (is_reduction(pass, facts_event(pass->facts, i), &reduction))
            report(pass, &reduction);
    }
}

const Rule rule_reduction_as_scratch = {
    .id = "reduction-as-scratch",
    .summary = "a reduction variable is read, indexed with or overwritten inside its loop",
    .help = "In a reduction every thread works on a part of its own, and the parts are joined "
            "after the loop. Inside the loop its value means nothing: use a variable of the "
            "iteration, a scan, or an atomic capture.",
    .severity = SEVERITY_ERROR,
    .check = check,
    .predict = predict_lost_team, /* none: a private part costs nothing */
};
