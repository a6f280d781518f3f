/* Register promotion, as gcc 12 and clang 14 do it at -O2 and -O3, read off their machine code:
 *
 *     the place, in a loop                       without a condition     under one
 *     variable that no access may alias          gcc neither, clang      the same
 *                                                neither or a store
 *     variable, loads of its type beside it      a store                 local: as above;
 *                                                (gcc, local: neither)   global: load and store
 *     *p, s->f, a[t]                             a store; neither where  load and store
 *                                                no load has its type
 *     stores of its type beside it, or a call    load and store (gcc, local: neither)
 */
#include "analyzer/facts/promotion.h"

#include "analyzer/facts/model.h"

typedef struct Beside {
    bool calls, loads, stores; /* calls; accesses that may alias the place */
    bool leaves;               /* continue, break: what follows is conditional */
} Beside;

/* Objects of different types are different objects, but for characters, which may be any. */
static bool may_alias(const AstTypeData *left, const AstTypeData *right)
{
    bool scalars = (left->kind == TYPE_INT || left->kind == TYPE_REAL) &&
                   (right->kind == TYPE_INT || right->kind == TYPE_REAL);
    if (!scalars || left->size <= 1 || right->size <= 1)
        return left->kind == right->kind || !scalars;
    return left->kind == right->kind && left->size == right->size;
}

/* The array in x[i][j], the struct in s->f.g: an address, and no access of its own. */
static bool is_inner(const Ast *ast, AstNode node)
{
    AstKind up = ast_kind(ast, ast_parent(ast, node));
    return (up == AST_INDEX || up == AST_FIELD) && ast_first(ast, ast_parent(ast, node)) == node &&
           ast_type_at(ast, node)->kind != TYPE_POINTER;
}

static Beside look_beside(const Ast *ast, AstNode body, AstNode place)
{
    Beside beside = {0};
    FOR_EACH_NODE (ast, node, body) {
        AstKind kind = ast_kind(ast, node);
        beside.calls |= kind == AST_CALL || kind == AST_OTHER;
        beside.leaves |= kind == AST_CONTINUE || kind == AST_BREAK || kind == AST_GOTO ||
                         kind == AST_RETURN;
        if ((kind != AST_INDEX && kind != AST_FIELD && kind != AST_DEREF) ||
            ast_same(ast, node, place) || is_inner(ast, node) ||
            !may_alias(ast_type_at(ast, node), ast_type_at(ast, place)))
            continue;
        beside.stores |= ast_is_target(ast, node);
        beside.loads |= !ast_is_target(ast, node);
    }
    return beside;
}

static bool is_own(const AstSymbolData *data)
{
    return data->kind == SYMBOL_LOCAL || data->kind == SYMBOL_PARAM;
}

/* No pointer leads to it: of static storage, seen by this file only, and its address is not taken.
 */
static bool is_hidden(const Facts *facts, const Place *place, const AstSymbolData *data)
{
    const Unit *unit = sym_unit(facts, place->sym);
    bool inside = data->kind == SYMBOL_STATIC ||
                  (data->kind == SYMBOL_GLOBAL && (data->flags & SYMBOL_INTERNAL) != 0);
    return inside && unit != NULL &&
           !facts->uses[unit->id][(AstSymbol)(uint32_t)place->sym].address_taken;
}

static Promotion of_variable(const Facts *facts, const Place *place, Beside beside,
                             bool conditional)
{
    const AstSymbolData *data = sym_data(facts, place->sym);
    bool own = is_own(data);
    if (is_hidden(facts, place, data))
        return (Promotion){.loads = true, .whole = true};
    bool read = !conditional || own || !beside.loads;
    return (Promotion){.loads = !beside.stores && read,
                       .whole = own || (!beside.stores && !beside.loads)};
}

static Promotion of_memory(const Place *place, Beside beside, bool conditional)
{
    if (conditional)
        return (Promotion){0};
    /* Of a named array gcc often knows more than its type. */
    bool whole = place->base == PLACE_VARIABLE || (!beside.stores && !beside.loads);
    return (Promotion){.loads = !beside.stores, .whole = whole};
}

/* The innermost loop around an effect in its function; 0 if there is none. */
static AstNode loop_around(const Effect *origin, bool *conditional)
{
    for (const Frame *frame = origin->frame; frame != NULL; frame = frame->outer) {
        *conditional |= frame->kind == FRAME_BRANCH;
        if (frame->kind == FRAME_LOOP)
            return frame->node;
    }
    return 0;
}

/* A helper that is small enough to end in its caller's loop, where some compilers keep the place in
 * a register. */
static bool is_inlined(const Facts *facts, const Event *event)
{
    enum { MOST_NODES = 80 };
    const Unit *unit = program_function_unit(facts->program, event->origin->function);
    AstNode root = program_function_data(facts->program, event->origin->function)->node;
    if (event->effect->via == NULL || unit->language == LANGUAGE_PYTHON ||
        ast_end(unit->ast, root) - root > MOST_NODES)
        return false;
    FOR_EACH_NODE (unit->ast, node, root)
        if (ast_kind(unit->ast, node) == AST_CALL || ast_kind(unit->ast, node) == AST_LOOP)
            return false;
    return true;
}

Promotion event_promotion(const Facts *facts, const Event *event)
{
    const Effect *origin = event->origin;
    const Unit *unit = program_function_unit(facts->program, origin->function);
    const Ast *ast = unit->ast;
    bool conditional = false;
    AstNode loop = loop_around(origin, &conditional);
    if (loop == 0 && is_inlined(facts, event))
        return (Promotion){.whole = true};
    if (loop == 0 || unit->language == LANGUAGE_PYTHON ||
        ast_at(ast, loop)->value.loop.schedule == SCHEDULE_DYNAMIC)
        return (Promotion){0}; /* a turn may be all that a thread gets at once */
    bool assigns = ast_kind(ast, origin->node) == AST_ASSIGN;
    AstNode place = assigns ? ast_first(ast, origin->node) : origin->node;
    Beside beside = look_beside(ast, loop_body(ast, loop), place);
    if (beside.calls || (ast_type_at(ast, place)->flags & TYPE_VOLATILE) != 0)
        return (Promotion){0};
    conditional |= beside.leaves;
    bool waits = ast_type_at(ast, place)->kind == TYPE_REAL;
    bool variable = origin->place.base == PLACE_VARIABLE && origin->place.count == 0;
    Promotion promotion = variable ? of_variable(facts, &origin->place, beside, conditional)
                                   : of_memory(&origin->place, beside, conditional);
    promotion.waits = promotion.loads && waits;
    return promotion;
}
