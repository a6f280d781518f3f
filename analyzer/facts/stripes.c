#include "analyzer/facts/stripes.h"

#include "analyzer/facts/model.h"

/* The stripes that one iteration i of a loop works on: stride * i + low to stride * i + high, plus
 * a phase that is told from outside. */
typedef struct Stripes {
    int64_t stride; /* 0: the variable is used in other ways */
    int64_t low, high;
    bool phase; /* a parameter, or the variable of a loop around, is part of them */
} Stripes;

static bool is_dealt(const Ast *ast, AstNode node)
{
    if (ast_kind(ast, node) != AST_LOOP || ast_at(ast, node)->op != LOOP_COUNTED)
        return false;
    uint8_t run = ast_at(ast, node)->value.loop.run;
    return run == RUN_PARALLEL || run == RUN_WORKSHARE;
}

/* The sum or product that a name is part of. */
static AstNode whole_form(const Ast *ast, AstNode name)
{
    AstNode form = name;
    for (AstNode up = ast_parent(ast, form); ast_kind(ast, up) == AST_BINARY;
         form = up, up = ast_parent(ast, up)) {
        AstOp op = (AstOp)ast_at(ast, up)->op;
        if (op != OP_ADD && op != OP_SUB && op != OP_MUL)
            break;
    }
    return form;
}

/* A parameter, or what a loop around counts with. */
static bool is_phase(const Facts *facts, const Unit *unit, AstNode loop, Sym sym)
{
    AstNode counts = facts_loop_of(facts, sym);
    return sym_unit(facts, sym) == unit &&
           (sym_data(facts, sym)->kind == SYMBOL_PARAM ||
            (counts != 0 && counts != loop && ast_holds(unit->ast, counts, loop)));
}

/* `form` is one more stripe of the iteration, `step` apart from that of the next where the variable
 * counts in steps. */
static void add_form(const Facts *facts, const Unit *unit, AstNode loop, Sym sym,
                     const Affine *form, int64_t step, Stripes *stripes)
{
    int64_t stride = affine_coefficient(form, sym) * step;
    bool first = stripes->stride == 0;
    if (!form->exact || stride < 2 || (!first && stride != stripes->stride)) {
        stripes->stride = -1;
        return;
    }
    for (uint8_t i = 0; i < form->count; i++)
        stripes->phase |= form->terms[i].sym != sym &&
                          is_phase(facts, unit, loop, form->terms[i].sym);
    stripes->low = first || form->constant < stripes->low ? form->constant : stripes->low;
    stripes->high = first || form->constant > stripes->high ? form->constant : stripes->high;
    stripes->stride = stride;
}

static Stripes stripes_of(const Facts *facts, FunctionId function, AstNode loop)
{
    const Unit *unit = program_function_unit(facts->program, function);
    const Ast *ast = unit->ast;
    AstNode target = loop_target(ast, loop), start = loop_start(ast, loop),
            by = loop_step(ast, loop), body = loop_body(ast, loop);
    Stripes stripes = {0};
    int64_t step = 1;
    if (target == 0 || ast_kind(ast, target) != AST_NAME ||
        (by != 0 && ast_kind(ast, by) != AST_NONE && !ast_constant(ast, by, &step)))
        return stripes;
    AstSymbol symbol = ast_at(ast, target)->symbol;
    FOR_EACH_NODE (ast, node, body) {
        if (ast_kind(ast, node) != AST_NAME || ast_at(ast, node)->symbol != symbol)
            continue;
        Affine form = place_index(facts, function, whole_form(ast, node));
        add_form(facts, unit, loop, sym_of(unit, symbol), &form, step, &stripes);
        if (stripes.stride < 0)
            return (Stripes){0};
    }
    if (stripes.stride != 0 && start != 0 && ast_kind(ast, start) != AST_NONE) {
        Affine from = place_index(facts, function, start);
        for (uint8_t i = 0; i < from.count; i++)
            stripes.phase |= is_phase(facts, unit, loop, from.terms[i].sym);
        stripes.low += from.constant;
        stripes.high += from.constant;
    }
    return stripes;
}

/* The same stripes, so many further on. */
static bool is_other_phase(const Stripes *one, const Stripes *other)
{
    int64_t apart = other->low - one->low;
    return other->stride == one->stride && other->high - other->low == one->high - one->low &&
           apart % one->stride != 0;
}

bool stripes_in_phases(const Facts *facts, const Event *event)
{
    FunctionId function = event->dealt.function;
    if (event->dealt.node == 0)
        return false;
    const Ast *ast = program_function_unit(facts->program, function)->ast;
    if (!is_dealt(ast, event->dealt.node))
        return false;
    Stripes mine = stripes_of(facts, function, event->dealt.node);
    if (mine.stride == 0 || mine.phase)
        return mine.stride != 0;
    FOR_EACH_NODE (ast, node, program_function_data(facts->program, function)->node) {
        if (node == event->dealt.node || !is_dealt(ast, node))
            continue;
        Stripes other = stripes_of(facts, function, node);
        if (is_other_phase(&mine, &other))
            return true;
    }
    return false;
}
