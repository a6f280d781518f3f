#include "analyzer/number/work.h"

/* Nodes of a body that is still worth a vector; it also bounds what looking for carried values
 * costs. */
enum { BODY_LARGEST = 2000 };

typedef struct Body {
    const WorkModel *work;
    const Unit *unit;
    const Ast *ast;
    AstNode node;      /* of the loop's body */
    AstSymbol counter; /* its induction variable */
    bool fastmath;
} Body;

/* Whether `index` is the counter plus or minus something that stays: neighbours in memory. */
static bool is_unit_stride(const Body *body, AstNode index)
{
    const Ast *ast = body->ast;
    const AstNodeData *data = ast_at(ast, index);
    if (data->kind == AST_NAME)
        return true;
    if (data->kind == AST_CAST)
        return is_unit_stride(body, index + 1);
    if (data->kind != AST_BINARY || (data->op != OP_ADD && data->op != OP_SUB))
        return false;
    AstNode left = index + 1, right = ast_child(ast, index, 1);
    bool in_left = ast_mentions(ast, left, body->counter);
    if (in_left && ast_mentions(ast, right, body->counter))
        return false;
    return in_left ? is_unit_stride(body, left) : data->op == OP_ADD && is_unit_stride(body, right);
}

static AstNode last_child(const Ast *ast, AstNode node)
{
    return ast_child(ast, node, ast_child_count(ast, node) - 1);
}

/* Neighbouring elements, or one that stays: not strided, not gathered. */
static bool is_simple_access(const Body *body, AstNode index)
{
    const Ast *ast = body->ast;
    AstNode last = last_child(ast, index);
    for (AstNode child = ast_first(ast, index); child != last; child = ast_next(ast, child)) {
        if (ast_mentions(ast, child, body->counter))
            return false;
    }
    return !ast_mentions(ast, last, body->counter) || is_unit_stride(body, last);
}

/* Whether another element of the array that `target` writes is read: a value carried from iteration
 * to iteration. */
static bool is_carried(const Body *body, AstNode target)
{
    const Ast *ast = body->ast;
    AstNode base = ast_first(ast, target);
    FOR_EACH_NODE (ast, node, body->node) {
        if (ast_kind(ast, node) == AST_INDEX && same_expression(ast, ast_first(ast, node), base) &&
            !same_expression(ast, node, target))
            return true;
    }
    return false;
}

static bool is_simple_assignment(const Body *body, AstNode assign, bool *reduces)
{
    const Ast *ast = body->ast;
    AstNode target = ast_first(ast, assign), value = ast_child(ast, assign, 1);
    if (ast_kind(ast, target) == AST_INDEX)
        return ast_mentions(ast, target, body->counter) && !is_carried(body, target);
    if (ast_kind(ast, target) != AST_NAME)
        return false;
    AstSymbol symbol = ast_at(ast, target)->symbol;
    bool sums = ast_at(ast, assign)->op != OP_NONE ||
                (value != 0 && ast_mentions(ast, value, symbol));
    *reduces = *reduces || sums;
    return !sums || body->fastmath || ast_type_at(ast, target)->kind == TYPE_INT;
}

static bool is_simple(const Body *body, AstNode node, bool *reduces)
{
    switch (ast_kind(body->ast, node)) {
    case AST_LOOP:
    case AST_REGION:
    case AST_BRANCH:
    case AST_SWITCH:
    case AST_RETURN:
    case AST_RAISE:
    case AST_ASSERT:
    case AST_BREAK:
    case AST_CONTINUE:
    case AST_GOTO:
    case AST_WITH:
    case AST_TRY:
    case AST_LOGIC:
    case AST_DEREF:
    case AST_SLICE:
    case AST_COMPREHENSION:
    case AST_LAMBDA:
    case AST_OTHER:
        return false;
    case AST_CALL: {
        CallClass class = call_class(body->work, body->unit, node);
        return (class == CALL_OP || class == CALL_SQRT || class == CALL_FREE) &&
               program_callee(body->work->program, body->unit, node) == 0;
    }
    case AST_INDEX:
        return is_simple_access(body, node);
    case AST_ASSIGN:
        return is_simple_assignment(body, node, reduces);
    default:
        return true;
    }
}

bool loop_vectorises(const WorkModel *work, const Unit *unit, AstNode loop, bool *reduces)
{
    const Ast *ast = unit->ast;
    AstNode target = loop_target(ast, loop), step = loop_step(ast, loop);
    AstFunction function = ast_function_of(ast, loop);
    int64_t by = 1;
    *reduces = false;
    if (ast_at(ast, loop)->op != LOOP_COUNTED || ast_kind(ast, target) != AST_NAME ||
        ast_at(ast, target)->symbol == 0)
        return false;
    if (ast_kind(ast, step) != AST_NONE && (!ast_constant(ast, step, &by) || by != 1))
        return false;
    if (ast_end(ast, loop) - loop > BODY_LARGEST)
        return false;
    bool simd = ast_at(ast, loop)->value.loop.run == RUN_SIMD;
    Body body = {work,
                 unit,
                 ast,
                 loop_body(ast, loop),
                 ast_at(ast, target)->symbol,
                 simd || (ast->functions.items[function].flags & FN_FASTMATH) != 0};
    bool vector = true;
    FOR_EACH_NODE (ast, node, body.node)
        vector = is_simple(&body, node, reduces) && vector;
    return vector;
}

/* s += e, s = s + e, s = min(s, e): where s stands alone in one operation. */
static bool is_accumulation(const Ast *ast, AstNode assign)
{
    AstNode target = ast_first(ast, assign), value = ast_child(ast, assign, 1);
    AstSymbol symbol = ast_at(ast, target)->symbol;
    if (ast_at(ast, assign)->op != OP_NONE)
        return value == 0 || !ast_mentions(ast, value, symbol);
    AstKind kind = value == 0 ? AST_NONE : ast_kind(ast, value);
    if (kind != AST_BINARY && kind != AST_CALL && kind != AST_CONDITIONAL)
        return false;
    uint32_t alone = 0, times = 0;
    FOR_EACH_CHILD (ast, child, value)
        alone += ast_kind(ast, child) == AST_NAME && ast_at(ast, child)->symbol == symbol;
    FOR_EACH_NODE (ast, node, value)
        times += ast_kind(ast, node) == AST_NAME && ast_at(ast, node)->symbol == symbol;
    return alone == 1 && times == 1;
}

/* One element that every turn makes from what it was: x[c] += k * (y - x[c]). */
static bool is_kept(const Body *body, AstNode assign)
{
    const Ast *ast = body->ast;
    AstNode target = ast_first(ast, assign), value = ast_child(ast, assign, 1);
    if (value == 0 || body->counter == 0 || ast_mentions(ast, target, body->counter))
        return false;
    FOR_EACH_NODE (ast, node, value)
        if (ast_kind(ast, node) == AST_INDEX && same_expression(ast, node, target))
            return true;
    return false;
}

/* Read at or before the place where the loop sets it. */
static bool is_read_before(const Ast *ast, AstNode body, AstNode assign, AstSymbol symbol)
{
    AstNode target = ast_first(ast, assign);
    for (AstNode node = body; node < ast_end(ast, assign); node++) {
        if (ast_kind(ast, node) == AST_DECL && ast_at(ast, node)->symbol == symbol)
            return false; /* made anew in every turn */
        AstNode parent = ast_parent(ast, node);
        bool set = ast_kind(ast, parent) == AST_ASSIGN && ast_first(ast, parent) == node &&
                   ast_at(ast, parent)->op == OP_NONE;
        if (ast_kind(ast, node) == AST_NAME && ast_at(ast, node)->symbol == symbol) {
            if (set && node != target && ast_end(ast, parent) < assign)
                return false; /* set anew further up */
            if (!set)
                return true;
        }
    }
    return false;
}

bool loop_carries(const Unit *unit, AstNode loop)
{
    const Ast *ast = unit->ast;
    AstNode body = loop_body(ast, loop), counter = loop_target(ast, loop);
    if (ast_end(ast, loop) - loop > BODY_LARGEST)
        return false;
    Body whole = {.unit = unit, .ast = ast, .node = body};
    whole.counter = counter == 0 ? 0 : ast_at(ast, counter)->symbol;
    FOR_EACH_NODE (ast, node, body) {
        AstNode target = ast_kind(ast, node) == AST_ASSIGN ? ast_first(ast, node) : 0;
        if (target == 0)
            continue;
        if (ast_kind(ast, target) == AST_INDEX &&
            (is_carried(&whole, target) || is_kept(&whole, node)))
            return true;
        AstSymbol symbol = ast_kind(ast, target) == AST_NAME ? ast_at(ast, target)->symbol : 0;
        bool counts = counter != 0 && symbol == whole.counter;
        if (symbol != 0 && !counts && !is_accumulation(ast, node) &&
            is_read_before(ast, body, node, symbol))
            return true;
    }
    return false;
}

/* The counter plus a number. */
static bool offset_of(const Ast *ast, AstNode index, AstSymbol counter, int64_t *offset)
{
    AstNode right = ast_child(ast, index, 1);
    *offset = 0;
    switch (ast_kind(ast, index)) {
    case AST_NAME:
        return ast_at(ast, index)->symbol == counter;
    case AST_CAST:
        return offset_of(ast, index + 1, counter, offset);
    case AST_BINARY:
        if (ast_kind(ast, index + 1) != AST_NAME || ast_at(ast, index + 1)->symbol != counter ||
            !ast_constant(ast, right, offset))
            return false;
        *offset = ast_at(ast, index)->op == OP_SUB ? -*offset : *offset;
        return ast_at(ast, index)->op == OP_SUB || ast_at(ast, index)->op == OP_ADD;
    default:
        return false;
    }
}

/* Whether `read` is the element that the turn before wrote as `target`. */
static bool is_of_last_turn(const Ast *ast, AstNode read, AstNode target, AstSymbol counter)
{
    int64_t here, there;
    AstNode last = last_child(ast, target), of = last_child(ast, read);
    if (ast_child_count(ast, read) != ast_child_count(ast, target) ||
        !offset_of(ast, last, counter, &here) || !offset_of(ast, of, counter, &there) ||
        here - there != 1)
        return false;
    AstNode same = ast_first(ast, read);
    for (AstNode child = ast_first(ast, target); child != last; child = ast_next(ast, child)) {
        if (!same_expression(ast, child, same))
            return false;
        same = ast_next(ast, same);
    }
    return true;
}

static int operations_above(const Ast *ast, AstNode node, AstNode assign)
{
    int count = ast_at(ast, assign)->op != OP_NONE;
    for (AstNode up = ast_parent(ast, node); up != assign && up != 0; up = ast_parent(ast, up)) {
        AstKind kind = ast_kind(ast, up);
        count += kind == AST_BINARY || kind == AST_UNARY || kind == AST_CALL ||
                 kind == AST_CONDITIONAL;
    }
    return count;
}

int loop_chain(const Unit *unit, AstNode loop)
{
    const Ast *ast = unit->ast;
    AstNode target = loop_target(ast, loop);
    AstSymbol counter = target == 0 ? 0 : ast_at(ast, target)->symbol;
    int longest = -1;
    if (counter == 0 || ast_end(ast, loop) - loop > BODY_LARGEST)
        return longest;
    FOR_EACH_NODE (ast, assign, loop_body(ast, loop)) {
        AstNode value = ast_kind(ast, assign) == AST_ASSIGN ? ast_child(ast, assign, 1) : 0;
        if (value == 0 || ast_kind(ast, ast_first(ast, assign)) != AST_INDEX)
            continue;
        FOR_EACH_NODE (ast, read, value)
            if (ast_kind(ast, read) == AST_INDEX &&
                is_of_last_turn(ast, read, ast_first(ast, assign), counter)) {
                int count = operations_above(ast, read, assign);
                longest = count > longest ? count : longest;
            }
    }
    return longest;
}

/* What is set lies at the bottom of fields and indices. */
static AstSymbol set_symbol(const Ast *ast, AstNode assign)
{
    AstNode target = ast_first(ast, assign);
    while (target != 0 && ast_kind(ast, target) != AST_NAME)
        target = ast_first(ast, target);
    return target == 0 ? 0 : ast_at(ast, target)->symbol;
}

bool call_runs_ahead(const Unit *unit, AstNode loop, AstNode call)
{
    const Ast *ast = unit->ast;
    AstNode counter = loop_target(ast, loop);
    AstSymbol counts = counter == 0 ? 0 : ast_at(ast, counter)->symbol;
    if (ast_end(ast, loop) - loop > BODY_LARGEST)
        return false;
    FOR_EACH_NODE (ast, node, loop_body(ast, loop)) {
        AstSymbol set = ast_kind(ast, node) == AST_ASSIGN ? set_symbol(ast, node) : 0;
        if (ast_kind(ast, node) == AST_ASSIGN && set != counts &&
            (set == 0 || ast_mentions(ast, call, set)))
            return false;
    }
    return true;
}
