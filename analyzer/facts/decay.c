#include "analyzer/facts/decay.h"

#include "analyzer/facts/arrays.h"
#include "analyzer/facts/model.h"

#include <string.h>

enum { DEEPEST = 4 };

/* ---- numbers -------------------------------------------------------------------------------- */

/* A number, a variable that is one, or a parameter with one as its default; 1 - b of those. */
static bool number_of(const Facts *facts, const Unit *unit, AstNode node, int depth, double *value)
{
    const Ast *ast = unit->ast;
    const AstNodeData *data = ast_at(ast, node);
    double left, right;
    int64_t integer;
    if (node == 0 || depth > DEEPEST)
        return false;
    switch (data->kind) {
    case AST_REAL:
        *value = data->value.real;
        return true;
    case AST_CAST:
        return number_of(facts, unit, ast_first(ast, node), depth, value);
    case AST_NAME: {
        if (data->symbol == 0)
            return false;
        const AstSymbolData *symbol = &ast->symbols.items[data->symbol];
        AstNode only = symbol->kind == SYMBOL_PARAM && symbol->decl != 0
                           ? ast_first(ast, symbol->decl)
                           : facts->uses[unit->id][data->symbol].value;
        return number_of(facts, unit, only, depth + 1, value);
    }
    case AST_BINARY:
        if (data->op != OP_SUB || !number_of(facts, unit, ast_first(ast, node), depth + 1, &left) ||
            !number_of(facts, unit, ast_child(ast, node, 1), depth + 1, &right))
            return false;
        *value = left - right;
        return true;
    default:
        if (!ast_constant(ast, node, &integer))
            return false;
        *value = (double)integer;
        return true;
    }
}

/* ---- forms ---------------------------------------------------------------------------------- */

static AstNode side(const Ast *ast, AstNode binary, uint32_t index)
{
    AstNode node = ast_child(ast, binary, index);
    node = ast_without_casts(ast, node);
    return node;
}

static bool is_binary(const Ast *ast, AstNode node, AstOp op)
{
    return node != 0 && ast_kind(ast, node) == AST_BINARY && ast_at(ast, node)->op == op;
}

/* 1 - b: the complement of a factor near one, whatever b is. */
static bool is_complement(const Ast *ast, AstNode node)
{
    int64_t one;
    if (!is_binary(ast, node, OP_SUB))
        return false;
    AstNode left = side(ast, node, 0);
    return (ast_kind(ast, left) == AST_REAL && ast_at(ast, left)->value.real == 1.0) ||
           (ast_constant(ast, left, &one) && one == 1);
}

/* c * (g - m): moves m towards g by a part of the distance. */
static bool pulls(const Facts *facts, const Unit *unit, AstNode value, AstNode state,
                  double *factor)
{
    const Ast *ast = unit->ast;
    for (uint32_t i = 0; i < 2 && is_binary(ast, value, OP_MUL); i++) {
        AstNode rate = side(ast, value, i), distance = side(ast, value, 1 - i);
        double part;
        if (!is_binary(ast, distance, OP_SUB) || !ast_same(ast, side(ast, distance, 1), state))
            continue;
        if (number_of(facts, unit, rate, 0, &part))
            *factor = 1 - part;
        else if (!is_complement(ast, rate))
            return false;
        return true;
    }
    return false;
}

/* b * m, with b a number near one or (in a sum with its complement) any. */
static bool scales(const Facts *facts, const Unit *unit, AstNode value, AstNode state,
                   double *factor)
{
    const Ast *ast = unit->ast;
    for (uint32_t i = 0; i < 2 && is_binary(ast, value, OP_MUL); i++)
        if (ast_same(ast, side(ast, value, i), state))
            return number_of(facts, unit, side(ast, value, 1 - i), 0, factor);
    return false;
}

static bool is_decay(const Facts *facts, const Unit *unit, AstNode assign, Decay *decay)
{
    const Ast *ast = unit->ast;
    AstNode value = side(ast, assign, 1), state = decay->state;
    switch (ast_at(ast, assign)->op) {
    case OP_MUL:
        return number_of(facts, unit, value, 0, &decay->factor);
    case OP_ADD:
        return pulls(facts, unit, value, state, &decay->factor);
    case OP_NONE:
        break;
    default:
        return false;
    }
    if (scales(facts, unit, value, state, &decay->factor))
        return true;
    if (!is_binary(ast, value, OP_ADD) && !is_binary(ast, value, OP_SUB))
        return false;
    AstNode left = side(ast, value, 0), right = side(ast, value, 1);
    return scales(facts, unit, left, state, &decay->factor) ||
           (is_binary(ast, value, OP_ADD) &&
            (scales(facts, unit, right, state, &decay->factor) ||
             (ast_same(ast, left, state) && pulls(facts, unit, right, state, &decay->factor))));
}

/* ---- what and where ------------------------------------------------------------------------- */

/* Elements of floating-point arrays, and whole arrays of Python. A scalar is a rate or a total. */
static bool is_state(const Facts *facts, const Unit *unit, AstNode state, AstOp op)
{
    const Ast *ast = unit->ast;
    AstKind kind = ast_kind(ast, state);
    if (unit->language != LANGUAGE_PYTHON)
        return (kind == AST_INDEX || kind == AST_DEREF) &&
               ast->types.items[ast_at(ast, state)->type].kind == TYPE_REAL;
    if (kind == AST_INDEX)
        return true;
    bool array = (kind == AST_NAME || kind == AST_FIELD) && arrays_bytes(facts, unit, state) > 0;
    return array || (op == OP_ADD && (kind == AST_NAME || kind == AST_FIELD));
}

static AstNode base_of(const Ast *ast, AstNode state)
{
    while (ast_kind(ast, state) == AST_INDEX || ast_kind(ast, state) == AST_DEREF)
        state = ast_first(ast, state);
    return state;
}

/* What else the loop writes into the same array keeps it alive. */
static bool is_refilled(const Unit *unit, AstNode assign, const Decay *decay)
{
    const Ast *ast = unit->ast;
    AstNode around = decay->loop, base = base_of(ast, decay->state);
    for (AstNode up = around; up != 0 && ast_kind(ast, up) != AST_FUNCTION;
         up = ast_parent(ast, up))
        around = ast_kind(ast, up) == AST_LOOP ? up : around;
    if (around == 0)
        return false;
    FOR_EACH_NODE (ast, node, around)
        if (ast_kind(ast, node) == AST_ASSIGN && node != assign &&
            ast_same(ast, base_of(ast, ast_first(ast, node)), base))
            return true;
    return false;
}

static AstNode loop_around(const Ast *ast, AstNode node)
{
    for (AstNode up = ast_parent(ast, node); up != 0 && ast_kind(ast, up) != AST_FUNCTION;
         up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_LOOP)
            return up;
    return 0;
}

/* By methods too: step() of an optimiser, of which nobody knows the caller. */
static bool is_repeated(const Facts *facts, const Unit *unit, AstNode assign)
{
    AstFunction own = ast_function_of(unit->ast, assign);
    FunctionId function = program_function(facts->program, unit, own);
    if (function == 0)
        return false;
    const FunctionFacts *known = &facts->functions[function];
    for (uint32_t i = 0; i < known->callers.count; i++)
        if (loop_around(known->callers.items[i].unit->ast, known->callers.items[i].call) != 0)
            return true;
    return unit->language == LANGUAGE_PYTHON && known->callers.count == 0 &&
           (unit->ast->functions.items[own].flags & FN_METHOD) != 0;
}

/* Elements that the loop around takes in turn, or all of an array. */
static bool steps_apart(const Ast *ast, const Decay *decay)
{
    AstNode target = decay->loop != 0 ? loop_target(ast, decay->loop) : 0;
    if (ast_kind(ast, decay->state) != AST_INDEX && ast_kind(ast, decay->state) != AST_DEREF)
        return true;
    return target != 0 && ast_mentions(ast, decay->state, ast_at(ast, target)->symbol);
}

bool decay_step(const Facts *facts, const Unit *unit, AstNode assign, Decay *decay)
{
    const Ast *ast = unit->ast;
    AstOp op = (AstOp)ast_at(ast, assign)->op;
    *decay = (Decay){.state = ast_first(ast, assign), .loop = loop_around(ast, assign)};
    if (!is_decay(facts, unit, assign, decay))
        return false;
    bool known = decay->factor != 0;
    decay->apart = steps_apart(ast, decay);
    return (!known || (decay->factor > 0.5 && decay->factor < 1)) &&
           is_state(facts, unit, decay->state, op) && !is_refilled(unit, assign, decay) &&
           (decay->loop != 0 || is_repeated(facts, unit, assign));
}

bool decay_is_flushed(const Facts *facts)
{
    static const char *const signs[] = {"_MM_SET_FLUSH_ZERO_MODE",
                                        "_MM_SET_DENORMALS_ZERO_MODE",
                                        "_mm_setcsr",
                                        "__builtin_ia32_ldmxcsr",
                                        "fesetenv",
                                        "set_flush_denormal"};
    for (uint32_t i = 0; i < facts->program->unit_count; i++) {
        const Ast *ast = facts->program->units[i]->ast;
        for (AstNode node = 1; node < ast->nodes.count; node++) {
            AstKind kind = ast_kind(ast, node);
            if (kind != AST_NAME && kind != AST_FIELD)
                continue;
            const char *text = intern_text(facts->program->names, ast_at(ast, node)->name);
            const char *dot = strrchr(text, '.');
            for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
                if (strcmp(dot == NULL ? text : dot + 1, signs[k]) == 0)
                    return true;
        }
    }
    return false;
}
