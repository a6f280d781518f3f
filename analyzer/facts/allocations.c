/* What takes fresh memory, and what the compiler moves out of the loop. */
#include "analyzer/facts/walker.h"

#include <string.h>

const Frame *walker_prange(const Walker *walker)
{
    const Frame *found = NULL;
    for (const Frame *frame = walker->frame; frame != NULL; frame = frame->outer)
        if (frame->kind == FRAME_LOOP &&
            ast_at(walker->ast, frame->node)->value.loop.run == RUN_PARALLEL)
            found = frame;
    return found;
}

/* with objmode: the interpreter runs it, with memory and counts of its own. */
bool walker_interpreted(const Walker *walker)
{
    for (const Frame *frame = walker->frame; frame != NULL; frame = frame->outer)
        if (frame->kind == FRAME_REGION && ast_at(walker->ast, frame->node)->op == REGION_OBJMODE)
            return true;
    return false;
}

/* Whether a variable gets a value anywhere inside `within`. */
bool walker_assigned_within(const Ast *ast, AstNode within, AstSymbol symbol)
{
    FOR_EACH_NODE (ast, node, within) {
        AstKind kind = ast_kind(ast, node);
        AstNode target = kind == AST_ASSIGN || kind == AST_LOOP ? ast_first(ast, node) : 0;
        if (target == 0)
            continue;
        FOR_EACH_NODE (ast, at, target)
            if (ast_kind(ast, at) == AST_NAME && ast_at(ast, at)->symbol == symbol &&
                (at == target || ast_kind(ast, target) == AST_TUPLE))
                return true;
    }
    return false;
}

/* numba moves np.zeros, np.empty and np.ones of a loop-invariant shape out of the body of a prange
 * they stand in. */
static bool is_hoisted(const Walker *walker, const LibraryEntry *entry, AstNode call)
{
    const Frame *prange = walker_prange(walker);
    AstNode shape = ast_child(walker->ast, call, 1);
    if (prange == NULL || shape == 0 || (entry->flags & LIB_HOISTABLE) == 0)
        return false;
    FOR_EACH_NODE (walker->ast, at, shape) {
        AstSymbol symbol = ast_kind(walker->ast, at) == AST_NAME ? ast_at(walker->ast, at)->symbol
                                                                 : 0;
        if (symbol != 0 && walker_assigned_within(walker->ast, prange->node, symbol))
            return false;
    }
    return true;
}

static int64_t bytes_of(const Walker *walker, const LibraryEntry *entry, AstNode call)
{
    int64_t bytes = 0, count = 0;
    if (entry->shape_argument > 0 &&
        ast_constant(walker->ast, ast_child(walker->ast, call, entry->shape_argument), &bytes)) {
        bool counted = strcmp(entry->name, "calloc") == 0;
        return counted && ast_constant(walker->ast, ast_child(walker->ast, call, 1), &count)
                   ? bytes * count
               : counted ? 0
                         : bytes;
    }
    AstNode shape = ast_child(walker->ast, call, 1);
    if ((entry->flags & LIB_SHAPE_FIRST) == 0 || shape == 0)
        return 0;
    if (ast_kind(walker->ast, shape) != AST_TUPLE)
        return ast_constant(walker->ast, shape, &bytes) ? bytes * 8 : 0;
    bytes = 8;
    FOR_EACH_CHILD (walker->ast, dimension, shape) {
        if (!ast_constant(walker->ast, dimension, &count))
            return 0;
        bytes *= count;
    }
    return bytes;
}

void walker_allocation(Walker *walker, const LibraryEntry *entry, AstNode call)
{
    if (walker_interpreted(walker))
        return;
    Effect *effect = walker_emit(walker, EFFECT_ALLOC, call);
    effect->place = (Place){.base = PLACE_ALLOCATION, .function = walker->function, .node = call};
    effect->bytes = bytes_of(walker, entry, call);
    if (is_hoisted(walker, entry, call))
        effect->flags |= EFFECT_HOISTED;
}

/* What a product is, its operands often do not say, but the variable that takes it does. */
static bool is_array_value(const Walker *walker, AstNode node)
{
    const Ast *ast = walker->ast;
    AstNode parent = ast_parent(ast, node), value = node;
    if (ast_at(ast, node)->op == OP_MATMUL && ast_kind(ast, node) == AST_BINARY &&
        ast_kind(ast, parent) == AST_ASSIGN && ast_kind(ast, ast_first(ast, parent)) == AST_NAME)
        value = ast_first(ast, parent);
    return shape_of(walker->facts, walker->function, value).depth > 0;
}

/* out[:, i]: slices, and all of them whole. */
static bool is_whole(const Ast *ast, AstNode target)
{
    bool slices = false;
    if (ast_kind(ast, target) != AST_INDEX)
        return false;
    for (AstNode at = ast_child(ast, target, 1); at != 0; at = ast_next(ast, at)) {
        slices |= ast_kind(ast, at) == AST_SLICE;
        for (AstNode part = ast_kind(ast, at) == AST_SLICE ? ast_first(ast, at) : 0; part != 0;
             part = ast_next(ast, part))
            if (ast_kind(ast, part) != AST_NONE)
                return false;
    }
    return slices;
}

/* In the function that holds the prange, numba makes one loop of an array expression and of what
 * takes it: a reduction, a store to whole slices. Counted: out[i] = a * b, out[i] += a * b and
 * out[1:k] = a * b take memory. */
static bool is_fused(const Walker *walker, AstNode node)
{
    const Ast *ast = walker->ast;
    AstNode parent = ast_parent(ast, node);
    if (walker_prange(walker) == NULL)
        return false;
    if (ast_kind(ast, parent) == AST_ASSIGN && ast_first(ast, parent) != node)
        return ast_at(ast, parent)->op == OP_NONE && is_whole(ast, ast_first(ast, parent));
    if (ast_kind(ast, parent) == AST_FIELD)
        parent = ast_parent(ast, parent); /* (a - b).min() */
    const LibraryEntry *entry = ast_kind(ast, parent) == AST_CALL
                                    ? library_call(walker->facts, walker->unit, parent)
                                    : NULL;
    return entry != NULL && (entry->flags & LIB_FUSES) != 0;
}

/* A comparison that is kept, handed on or returned. As a condition it is one of numbers, whatever
 * is known of them, and as an index its mask is counted with the copy. */
static bool is_mask(const Ast *ast, AstNode compare)
{
    AstKind parent = ast_kind(ast, ast_parent(ast, compare));
    AstOp op = (AstOp)ast_at(ast, compare)->op;
    return op != OP_IN && op != OP_IS &&
           (parent == AST_ASSIGN || parent == AST_CALL || parent == AST_FIELD ||
            parent == AST_RETURN || parent == AST_BINARY || parent == AST_UNARY);
}

static bool is_part_of_larger(const Walker *walker, AstNode node)
{
    AstNode parent = ast_parent(walker->ast, node);
    AstKind kind = ast_kind(walker->ast, parent);
    return kind == AST_COMPARE ||
           ((kind == AST_BINARY || kind == AST_UNARY) && is_array_value(walker, parent));
}

/* x[order], np.sum(x, axis=0), np.dot(a, x): a loop of its own, whatever stands around it. */
static bool stands_alone(const Walker *walker, AstNode node)
{
    const LibraryEntry *entry = ast_kind(walker->ast, node) == AST_CALL
                                    ? library_call(walker->facts, walker->unit, node)
                                    : NULL;
    return ast_kind(walker->ast, node) == AST_INDEX ||
           (entry != NULL && (entry->flags & (LIB_REDUCES | LIB_KEEPS_COUNT)) != 0);
}

/* An array expression makes a temporary, unless it is a part of a larger one or fused. */
void walker_array_expression(Walker *walker, AstNode node)
{
    const Ast *ast = walker->ast;
    AstNode parent = ast_parent(ast, node);
    AstKind kind = ast_kind(ast, parent);
    bool alone = stands_alone(walker, node);
    if (walker_interpreted(walker) || !is_array_value(walker, node) ||
        (!alone && is_part_of_larger(walker, node)) ||
        (ast_kind(ast, node) == AST_COMPARE && !is_mask(ast, node)))
        return;
    const LibraryEntry *entry = kind == AST_CALL ? library_call(walker->facts, walker->unit, parent)
                                                 : NULL;
    if (!alone && entry != NULL && (entry->flags & LIB_ARRAY) != 0)
        return; /* counted there */
    if (!alone && is_fused(walker, node))
        return;
    Effect *effect = walker_emit(walker, EFFECT_ALLOC, node);
    effect->place = (Place){.base = PLACE_ALLOCATION, .function = walker->function, .node = node};
}

/* A list, set or dict display, unless it is only the argument of a library call (np.array([…]), a
 * shape). */
void walker_display(Walker *walker, AstNode node)
{
    const Ast *ast = walker->ast;
    AstNode parent = ast_parent(ast, node);
    while (ast_kind(ast, parent) == AST_LIST)
        parent = ast_parent(ast, parent);
    if (ast_kind(ast, parent) == AST_CALL || ast_kind(ast, parent) == AST_KEYWORD ||
        (ast_kind(ast, ast_parent(ast, node)) == AST_LIST))
        return;
    if (ast_kind(ast, parent) == AST_LOOP || ast_kind(ast, parent) == AST_COMPARE)
        return; /* for x in [a, b], x in [a, b] */
    if (ast_kind(ast, parent) == AST_ASSIGN && ast_first(ast, parent) == node)
        return;
    if (walker_interpreted(walker))
        return;
    walker_emit(walker, EFFECT_ALLOC, node)->place =
        (Place){.base = PLACE_ALLOCATION, .function = walker->function, .node = node};
}
