/* What an assignment does: a plain store, or an update that combines the old value. */
#include "analyzer/facts/walker.h"

#include <string.h>

/* Own locals that no thread but the running one can see: not worth an effect. */
static bool is_own_local(const Walker *walker, const Place *place)
{
    if (place->base == PLACE_UNKNOWN)
        return true;
    if (walker->parallel)
        return false;
    if (place->base == PLACE_ALLOCATION)
        return place->function == walker->function;
    const AstSymbolData *data = sym_data(walker->facts, place->sym);
    bool global = data->kind == SYMBOL_GLOBAL || data->kind == SYMBOL_STATIC;
    bool through = place->base == PLACE_POINTEE ||
                   (walker->unit->language == LANGUAGE_PYTHON && place->count > 0);
    return !global && !(through && data->kind == SYMBOL_PARAM);
}

static AstOp compared_op(const Walker *walker, AstNode compare)
{
    AstOp op = (AstOp)ast_at(walker->ast, compare)->op;
    return op == OP_GT || op == OP_GE || op == OP_LT || op == OP_LE ? op : OP_NONE;
}

/* if (x > m) m = x: the branch around compares what is stored to; 0, or what it is compared with.
 */
static AstNode compared_with(const Walker *walker, const Place *target)
{
    const Ast *ast = walker->ast;
    for (const Frame *frame = walker->frame; frame != NULL && frame->kind == FRAME_BRANCH;
         frame = frame->outer) {
        AstNode condition = ast_first(ast, frame->node);
        FOR_EACH_NODE (ast, at, condition) {
            if (ast_kind(ast, at) != AST_COMPARE || compared_op(walker, at) == OP_NONE)
                continue;
            FOR_EACH_CHILD (ast, side, at) {
                Place place = place_of(walker->facts, walker->function, side);
                bool same = place_same(&place, target) ||
                            (walker->unit->language != LANGUAGE_PYTHON &&
                             ast_kind(ast, side) == AST_INDEX && walker->target != 0 &&
                             ast_same(ast, side, walker->target));
                if (same)
                    return side == ast_first(ast, at) ? ast_child(ast, at, 1) : ast_first(ast, at);
            }
        }
    }
    return 0;
}

/* Enumerators, too, of which the value may not be known: constants of a header that is missing. */
static bool is_literal(const Ast *ast, AstNode node)
{
    int64_t value;
    node = ast_without_casts(ast, node);
    if (ast_kind(ast, node) == AST_NAME &&
        ast->symbols.items[ast_at(ast, node)->symbol].kind == SYMBOL_ENUM)
        return true;
    return ast_kind(ast, node) == AST_REAL || ast_kind(ast, node) == AST_CONSTANT ||
           ast_constant(ast, node, &value);
}

/* if (m > MOST) m = MOST, if (start < 0) start = now(): whoever does it first, the others find
 * nothing to do, or do the same; nothing is gathered, so that nothing can be lost. */
static bool is_settled(const Walker *walker, AstNode other, AstNode value)
{
    return walker->unit->language != LANGUAGE_PYTHON &&
           (is_literal(walker->ast, other) || is_literal(walker->ast, value));
}

static bool names_place(const Walker *walker, AstNode node, const Place *target)
{
    AstKind kind = ast_kind(walker->ast, node);
    if (kind != AST_NAME && kind != AST_INDEX && kind != AST_FIELD && kind != AST_DEREF)
        return false;
    Place place = place_of(walker->facts, walker->function, node);
    return place_same(&place, target) ||
           (walker->target != 0 && ast_same(walker->ast, node, walker->target));
}

/* s + e, e * s, max(s, e), s > e ? s : e: the operator that combines the old value, or OP_NONE. */
static AstOp combining_op(const Walker *walker, AstNode value, const Place *target)
{
    const Ast *ast = walker->ast;
    AstNode first = ast_first(ast, value), second = first == 0 ? 0 : ast_child(ast, value, 1);
    switch (ast_kind(ast, value)) {
    case AST_CAST:
        return combining_op(walker, first, target);
    case AST_BINARY: {
        AstOp op = (AstOp)ast_at(ast, value)->op;
        bool right = op == OP_ADD || op == OP_MUL || op == OP_AND || op == OP_OR || op == OP_XOR;
        if (names_place(walker, first, target) || (right && names_place(walker, second, target)))
            return op;
        if ((op == OP_ADD || op == OP_SUB) && ast_kind(ast, first) == AST_BINARY) /* s + a + b */
            return combining_op(walker, first, target) == OP_NONE ? OP_NONE : op;
        return OP_NONE;
    }
    case AST_CALL: {
        const LibraryEntry *entry = library_call(walker->facts, walker->unit, value);
        if (entry == NULL || (entry->flags & (LIB_MIN | LIB_MAX)) == 0)
            return OP_NONE;
        for (AstNode at = second; at != 0; at = ast_next(ast, at))
            if (names_place(walker, at, target))
                return (entry->flags & LIB_MIN) != 0 ? OP_MIN : OP_MAX;
        return OP_NONE;
    }
    case AST_CONDITIONAL: {
        AstNode third = ast_child(ast, value, 2);
        bool old = names_place(walker, second, target) || names_place(walker, third, target);
        return old && ast_kind(ast, first) == AST_COMPARE ? OP_MAX : OP_NONE;
    }
    case AST_LOGIC: /* numba knows no such reduction */
        return walker->unit->language != LANGUAGE_PYTHON && names_place(walker, first, target)
                   ? (AstOp)ast_at(ast, value)->op
                   : OP_NONE;
    default:
        return OP_NONE;
    }
}

/* What a local begins with, or is set to once; 0 where that is not known. */
static AstNode value_of_local(const Walker *walker, AstNode name)
{
    const Ast *ast = walker->ast;
    AstSymbol symbol = ast_at(ast, name)->symbol;
    const AstSymbolData *data = &ast->symbols.items[symbol];
    if (symbol == 0 || data->kind != SYMBOL_LOCAL || data->decl == 0 ||
        ast_kind(ast, data->decl) != AST_DECL)
        return 0;
    AstNode first = ast_first(ast, data->decl);
    const SymbolUse *use = &walker->facts->uses[walker->unit->id][symbol];
    if (first != 0 && ast_kind(ast, first) != AST_NONE)
        return first;
    return use->writes == 1 && use->loop == 0 ? use->value : 0;
}

/* x = *state; …; *state = x, seed = (seed * a + c) % m: the old value goes another way, through
 * variables and operators. */
static bool returns_old(const Walker *walker, AstNode value, const Place *target, int depth)
{
    enum { DEEPEST = 12 };
    const Ast *ast = walker->ast;
    value = ast_without_casts(ast, value);
    if (value == 0 || depth > DEEPEST)
        return false;
    if (depth > 0 && names_place(walker, value, target))
        return true;
    switch (ast_kind(ast, value)) {
    case AST_NAME:
        return returns_old(walker, value_of_local(walker, value), target, depth + 1);
    case AST_UNARY:
    case AST_BINARY:
        FOR_EACH_CHILD (ast, part, value) {
            bool told = depth == 0 && names_place(walker, part, target); /* x - s is no update */
            if (!told && returns_old(walker, part, target, depth + 1))
                return true;
        }
        return false;
    default:
        return false;
    }
}

static bool has_slice_step(const Place *place)
{
    for (uint8_t i = 0; i < place->count; i++)
        if (place->steps[i].kind == STEP_SLICE)
            return true;
    return false;
}

void walker_store(Walker *walker, AstNode target, AstNode value, AstOp op, AstNode node)
{
    Place place = place_of(walker->facts, walker->function, target);
    walker->target = target;
    if (is_own_local(walker, &place))
        return;
    AstOp combined = op != OP_NONE ? op
                     : value != 0  ? combining_op(walker, value, &place)
                                   : OP_NONE;
    bool updates = combined != OP_NONE || (walker->unit->language != LANGUAGE_PYTHON &&
                                           returns_old(walker, value, &place, 0));
    Effect *effect = walker_emit(walker, updates ? EFFECT_ACCUMULATE : EFFECT_WRITE, node);
    effect->op = (uint8_t)combined;
    effect->place = place;
    if (has_slice_step(&place) || (walker->unit->language == LANGUAGE_PYTHON && op != OP_NONE &&
                                   shape_of(walker->facts, walker->function, target).depth > 0))
        effect->flags |= EFFECT_ELEMENTWISE;
    AstNode other = !updates ? compared_with(walker, &place) : 0;
    if (other != 0)
        effect->flags |= EFFECT_COMPARED | (is_settled(walker, other, value) ? EFFECT_SETTLED : 0);
}

void walker_step(Walker *walker, AstNode call)
{
    Place place = place_behind(walker->facts, walker->function, ast_child(walker->ast, call, 1));
    if (!is_own_local(walker, &place))
        walker_emit(walker, EFFECT_ACCUMULATE, call)->place = place;
}

void walker_outputs(Walker *walker, AstNode call)
{
    AstNode callee = ast_first(walker->ast, call);
    for (AstNode at = ast_next(walker->ast, callee); at != 0; at = ast_next(walker->ast, at)) {
        AstNode filled = library_output(walker->facts, walker->unit, call, at);
        if (filled == 0)
            continue;
        Place place = place_of(walker->facts, walker->function, filled);
        if (!is_own_local(walker, &place))
            walker_emit(walker, EFFECT_WRITE, call)->place = place;
    }
}
