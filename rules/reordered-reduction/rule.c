/* Floating-point reductions over threads: the order of the additions, and with it the last bits,
 * differs from run to run. Off unless asked for. */
#include "analyzer/pass.h"

#include <string.h>

static bool is_real(const Ast *ast, AstType type)
{
    const AstTypeData *data = &ast->types.items[type];
    while (data->kind == TYPE_ARRAY || data->kind == TYPE_POINTER)
        data = &ast->types.items[data->element];
    return data->kind == TYPE_REAL || data->kind == TYPE_COMPLEX;
}

static bool rounds(AstOp op)
{
    return op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_DIV;
}

static void add(Pass *pass, Finding *finding, const char *name, const char *how)
{
    finding->what = arena_printf(pass->arena, "order of the sum %s", name);
    finding->message = arena_printf(
        pass->arena,
        "%s is summed over the threads %s: floating-point addition depends on the order, so the "
        "last bits change from run to run and with the number of threads",
        name, how);
    LIST_PUSH(pass->arena, &finding->fixes,
              (Fix){.description = "one partial result for each block of a fixed size, merged in "
                                   "order after the loop"});
    pass_add(pass, finding);
}

/* ---- C: reduction clauses, and sums under an atomic or a lock -------------------------------- */

static void check_clause(Pass *pass, const Unit *unit, AstNode clause)
{
    const Ast *ast = unit->ast;
    AstNode construct = ast_parent(ast, clause);
    const AstNodeData *data = ast_at(ast, construct);
    const char *op = intern_text(pass->program->names, ast_at(ast, clause)->name);
    bool threads = (data->kind == AST_LOOP && (data->value.loop.run == RUN_PARALLEL ||
                                               data->value.loop.run == RUN_WORKSHARE)) ||
                   (data->kind == AST_REGION && data->op != REGION_OFFLOAD);
    if (!threads || (strcmp(op, "+") != 0 && strcmp(op, "-") != 0 && strcmp(op, "*") != 0))
        return;
    FOR_EACH_NODE (ast, node, clause) {
        const AstSymbolData *symbol = &ast->symbols.items[ast_at(ast, node)->symbol];
        if (ast_kind(ast, node) != AST_NAME || !is_real(ast, symbol->type))
            continue;
        Finding finding = pass_finding_at(pass, unit, construct, construct);
        add(pass, &finding, intern_text(pass->program->names, symbol->name),
            "by a reduction clause");
        return;
    }
}

/* numba: a variable that starts as a floating-point number. */
static bool starts_real(const Pass *pass, Sym sym)
{
    const Unit *unit = sym_unit(pass->facts, sym);
    if (unit == NULL)
        return false;
    const Ast *ast = unit->ast;
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        AstNode target = ast_kind(ast, node) == AST_ASSIGN ? ast_first(ast, node) : 0;
        if (target != 0 && ast_at(ast, node)->op == OP_NONE && ast_kind(ast, target) == AST_NAME &&
            sym_of(unit, ast_at(ast, target)->symbol) == sym &&
            ast_kind(ast, ast_child(ast, node, 1)) == AST_REAL)
            return true;
    }
    return false;
}

static void check_event(Pass *pass, const Event *event)
{
    const Effect *effect = event->effect, *origin = event->origin;
    const Unit *unit = program_function_unit(pass->program, origin->function);
    AstNode target = ast_first(unit->ast, origin->node);
    if ((effect->kind != EFFECT_ACCUMULATE && effect->kind != EFFECT_ATOMIC) ||
        !rounds((AstOp)effect->op) || event->once || event->in_task || target == 0 ||
        event_shared(pass->facts, event, &effect->place) != 1)
        return;
    bool python = unit->language == LANGUAGE_PYTHON;
    bool real = python ? effect->place.count == 0 && event->dealt.node != 0 &&
                             starts_real(pass, effect->place.sym)
                       : event->locked && is_real(unit->ast, ast_at(unit->ast, target)->type);
    if (!real || event_meeting(pass->facts, event) != MEET_ALWAYS)
        return;
    Finding finding = pass_finding(pass, event, origin->function, origin->node, origin->node);
    add(pass, &finding, pass_text(pass, origin->function, target),
        python ? "by a reduction of numba" : "in the order in which they arrive");
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++)
        check_event(pass, facts_event(pass->facts, i));
    for (uint32_t i = 0; i < pass->program->unit_count; i++) {
        const Unit *unit = pass->program->units[i];
        for (AstNode node = 1; node < unit->ast->nodes.count; node++)
            if (ast_kind(unit->ast, node) == AST_CLAUSE &&
                ast_at(unit->ast, node)->op == CLAUSE_REDUCTION)
                check_clause(pass, unit, node);
    }
}

const Rule rule_reordered_reduction = {
    .id = "reordered-reduction",
    .summary = "a floating-point reduction whose order changes the last bits from run to run",
    .help = "Threads add in the order in which they arrive, and floating-point addition is not "
            "associative. Where results have to be the same to the bit, merge partial results of "
            "fixed blocks in order.",
    .severity = SEVERITY_WARNING,
    .status = RULE_OFF_BY_DEFAULT,
    .check = check,
    .predict = predict_order,
};
