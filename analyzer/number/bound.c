#include "analyzer/number/bound.h"

#include "analyzer/facts/library.h"
#include "analyzer/number/work.h"

#include <math.h>

/* Text is formatted, and a stream is locked. */
#define MESSAGE_NS 300.0

enum { DEEPEST_CALLS = 6, MOST_NODES = 1 << 18 };

typedef struct Bound {
    WorkModel *work;
    const Facts *facts;
    const CallChain *chain;
    const Unit *unit;
    int depth;
    bool likely;     /* what is not known is as the work model assumes; else INFINITY */
    uint32_t *nodes; /* that may still be looked at: calls of calls multiply */
} Bound;

static double excess(Bound bound, AstNode node);

static double unknown(Bound bound)
{
    return bound.likely ? 0 : INFINITY;
}

/* Beyond what the work model takes a loop for. */
static double loop_excess(Bound bound, AstNode loop)
{
    const Ast *ast = bound.unit->ast;
    bool known;
    double modelled = work_ns(bound.work, bound.unit, loop);
    double trips = work_trips(bound.work, bound.unit, loop, &known), most = trips;
    if (!known)
        most = extent_trips(bound.facts, bound.chain, bound.unit, loop).high;
    if (isinf(most) && bound.likely)
        most = trips;
    double more = excess(bound, loop_body(ast, loop));
    if (isinf(most) || isinf(more))
        return INFINITY;
    double each = trips > 0 ? modelled / trips : 0;
    return most * fmax(0, each + more) - modelled;
}

/* Some library functions take as long as their arguments are long, or nobody knows how long. */
static double library_excess(Bound bound, AstNode call)
{
    CallClass class = call_class(bound.work, bound.unit, call);
    const LibraryEntry *entry = library_call(bound.facts, bound.unit, call);
    if (class == CALL_ARRAY || class == CALL_SORTING || (class == CALL_UNKNOWN && entry == NULL))
        return unknown(bound);
    return entry != NULL && (entry->flags & LIB_MESSAGE) != 0 ? MESSAGE_NS : 0;
}

static double call_excess(Bound bound, AstNode call)
{
    FunctionId callee = facts_callee(bound.facts, bound.unit, call);
    if (callee == 0)
        return library_excess(bound, call);
    if (bound.depth >= DEEPEST_CALLS)
        return unknown(bound);
    const Unit *unit = program_function_unit(bound.facts->program, callee);
    AstNode body = ast_first(unit->ast, program_function_data(bound.facts->program, callee)->node);
    if (body == 0 || ast_kind(unit->ast, body) == AST_NONE)
        return unknown(bound);
    CallChain step = {bound.chain, bound.unit, call, callee};
    return excess(
        (Bound){bound.work, bound.facts, &step, unit, bound.depth + 1, bound.likely, bound.nodes},
        body);
}

/* NumPy on whole arrays, whose lengths the model does not know. */
static bool is_array_work(Bound bound, AstNode node)
{
    const Ast *ast = bound.unit->ast;
    if (bound.unit->language != LANGUAGE_PYTHON)
        return false;
    AstNode target = ast_kind(ast, node) == AST_ASSIGN ? ast_first(ast, node) : 0;
    if (target != 0 && ast_kind(ast, target) == AST_INDEX)
        FOR_EACH_CHILD (ast, index, target)
            if (ast_kind(ast, index) == AST_SLICE)
                return true;
    FunctionId function =
        program_function(bound.facts->program, bound.unit, ast_function_of(ast, node));
    return ast_kind(ast, node) == AST_BINARY && shape_of(bound.facts, function, node).depth > 0;
}

/* The model takes the mean of two sides, or the larger one; where one of them is corrected, the
 * larger one stands for both. */
static double branch_excess(Bound bound, AstNode branch)
{
    const Ast *ast = bound.unit->ast;
    AstNode condition = ast_first(ast, branch);
    double sides = work_ns(bound.work, bound.unit, branch) -
                   work_ns(bound.work, bound.unit, condition);
    double corrected = 0, larger = 0;
    for (AstNode side = ast_next(ast, condition); side != 0; side = ast_next(ast, side)) {
        double more = excess(bound, side);
        if (isinf(more))
            return INFINITY;
        corrected += fabs(more);
        larger = fmax(larger, work_ns(bound.work, bound.unit, side) + more);
    }
    return excess(bound, condition) + (corrected > 0 ? larger - sides : 0);
}

/* Of everything in a subtree; nested functions run when they are called. */
static double excess(Bound bound, AstNode root)
{
    const Ast *ast = bound.unit->ast;
    double sum = 0;
    for (AstNode node = root; node != 0 && node < ast_end(ast, root);) {
        AstKind kind = ast_kind(ast, node);
        if (*bound.nodes == 0)
            return sum + unknown(bound);
        --*bound.nodes;
        if (kind == AST_LOOP)
            sum += loop_excess(bound, node);
        else if (kind == AST_BRANCH)
            sum += branch_excess(bound, node);
        else if (kind == AST_CALL)
            sum += call_excess(bound, node);
        else if (kind == AST_COMPREHENSION || is_array_work(bound, node))
            sum += unknown(bound);
        if (isinf(sum))
            return sum;
        bool skip = kind == AST_LOOP || kind == AST_BRANCH || kind == AST_FUNCTION ||
                    kind == AST_LAMBDA || kind == AST_CLAUSE;
        node = skip ? ast_end(ast, node) : node + 1;
    }
    return sum;
}

double work_bound(WorkModel *work, const Facts *facts, const CallChain *chain, const Unit *unit,
                  AstNode node)
{
    uint32_t nodes = MOST_NODES;
    double more = excess((Bound){work, facts, chain, unit, 0, false, &nodes}, node);
    double most = work_ns(work, unit, node) + more;
    return most > 0 ? most : INFINITY; /* nothing at all: it was not understood */
}

double work_likely(WorkModel *work, const Facts *facts, const CallChain *chain, const Unit *unit,
                   AstNode node)
{
    uint32_t nodes = MOST_NODES;
    double more = excess((Bound){work, facts, chain, unit, 0, true, &nodes}, node);
    return fmax(0, work_ns(work, unit, node) + more);
}
