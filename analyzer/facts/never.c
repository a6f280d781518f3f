/* Code that the literals which calls pass keep from running: `if mode not in ("low", "high"):
 * raise`, where every way to it passes "low". */
#include "analyzer/facts/library.h"
#include "analyzer/facts/reach.h"

#include <string.h>

enum { WAY = 32, DEEPEST = 16 };

/* How an effect is reached from the function that holds the construct: at[k]'s call leads to the
 * function of at[k + 1]. */
typedef struct Way {
    const Facts *facts;
    const Effect *at[WAY];
    uint32_t count;
} Way;

typedef struct Literal {
    enum { UNKNOWN, NUMBER, TEXT, WORD /* None, True, False */ } kind;
    int64_t number;
    Name name;
} Literal;

static Literal literal_of(const Way *way, uint32_t level, AstNode node, int depth);

static const Unit *unit_of(const Way *way, uint32_t level)
{
    return program_function_unit(way->facts->program, way->at[level]->function);
}

/* What a call hands over for a parameter, or else its default. */
static Literal passed_for(const Way *way, uint32_t level, AstSymbol symbol, int depth)
{
    const Unit *unit = unit_of(way, level);
    const AstSymbolData *data = &unit->ast->symbols.items[symbol];
    FunctionId function = way->at[level]->function;
    if (level == 0 || data->function != way->facts->program->functions.items[function].function)
        return (Literal){0};
    const Unit *caller = unit_of(way, level - 1);
    AstNode call = way->at[level - 1]->node;
    if (ast_kind(caller->ast, call) != AST_CALL)
        return (Literal){0};
    for (AstNode at = ast_child(caller->ast, call, 1); at != 0; at = ast_next(caller->ast, at))
        if (ast_kind(caller->ast, at) == AST_SPREAD)
            return (Literal){0};
    AstNode actual = place_argument(way->facts, function, caller, call, data->index);
    if (actual != 0)
        return literal_of(way, level - 1, actual, depth + 1);
    bool given = data->decl != 0 && ast_kind(unit->ast, data->decl) == AST_PARAM &&
                 !ast_leafless(unit->ast, data->decl);
    return given ? literal_of(way, level, ast_first(unit->ast, data->decl), depth + 1)
                 : (Literal){0};
}

static Literal literal_of_name(const Way *way, uint32_t level, AstNode name, int depth)
{
    const Unit *unit = unit_of(way, level);
    AstSymbol symbol = ast_at(unit->ast, name)->symbol;
    AstNode value;
    if (symbol == 0)
        return (Literal){0};
    switch (reach_of(way->facts, unit, name, &value)) {
    case REACH_VALUE:
        return literal_of(way, level, value, depth + 1);
    case REACH_ENTRY:
        return unit->ast->symbols.items[symbol].kind == SYMBOL_PARAM
                   ? passed_for(way, level, symbol, depth)
                   : (Literal){0};
    default:
        return (Literal){0};
    }
}

static Literal literal_of(const Way *way, uint32_t level, AstNode node, int depth)
{
    const Ast *ast = unit_of(way, level)->ast;
    const AstNodeData *data = ast_at(ast, node);
    int64_t number;
    if (node == 0 || depth > DEEPEST)
        return (Literal){0};
    if (ast_constant(ast, node, &number))
        return (Literal){.kind = NUMBER, .number = number};
    switch (data->kind) {
    case AST_STRING:
        return (Literal){.kind = data->name != 0 ? TEXT : UNKNOWN, .name = data->name};
    case AST_CONSTANT:
        return (Literal){.kind = data->name != 0 ? WORD : UNKNOWN, .name = data->name};
    case AST_NAME:
        return literal_of_name(way, level, node, depth);
    default:
        return (Literal){0};
    }
}

/* ---- conditions ---- */

typedef enum Truth { NO, YES, OPEN } Truth;

static Truth truth_of(const Way *way, uint32_t level, AstNode node, int depth);

static Truth opposite(Truth truth)
{
    return truth == OPEN ? OPEN : truth == YES ? NO : YES;
}

static Truth equal(const Literal *left, const Literal *right)
{
    if (left->kind == UNKNOWN || right->kind == UNKNOWN)
        return OPEN;
    if (left->kind != right->kind) /* True == 1, but None is no number and no text */
        return left->kind == TEXT || right->kind == TEXT ? NO : OPEN;
    bool same = left->kind == NUMBER ? left->number == right->number : left->name == right->name;
    return same ? YES : NO;
}

static Truth truth_of_comparison(const Way *way, uint32_t level, AstNode node, int depth)
{
    const Ast *ast = unit_of(way, level)->ast;
    AstNode second = ast_child(ast, node, 1);
    if (ast_child_count(ast, node) != 2)
        return OPEN;
    Literal left = literal_of(way, level, ast_first(ast, node), depth + 1);
    AstOp op = (AstOp)ast_at(ast, node)->op;
    if (op == OP_IN && (ast_kind(ast, second) == AST_TUPLE || ast_kind(ast, second) == AST_LIST)) {
        Truth any = NO;
        FOR_EACH_CHILD (ast, item, second) {
            Literal other = literal_of(way, level, item, depth + 1);
            Truth one = equal(&left, &other);
            any = one == YES || any == YES ? YES : one == OPEN ? OPEN : any;
        }
        return any;
    }
    Literal right = literal_of(way, level, second, depth + 1);
    bool numbers = left.kind == NUMBER && right.kind == NUMBER;
    switch (op) {
    case OP_EQ:
    case OP_IS:
        return equal(&left, &right);
    case OP_NE:
        return opposite(equal(&left, &right));
    case OP_LT:
        return !numbers ? OPEN : left.number < right.number ? YES : NO;
    case OP_LE:
        return !numbers ? OPEN : left.number <= right.number ? YES : NO;
    case OP_GT:
        return !numbers ? OPEN : left.number > right.number ? YES : NO;
    case OP_GE:
        return !numbers ? OPEN : left.number >= right.number ? YES : NO;
    default:
        return OPEN;
    }
}

static Truth truth_of(const Way *way, uint32_t level, AstNode node, int depth)
{
    const Ast *ast = unit_of(way, level)->ast;
    const AstNodeData *data = ast_at(ast, node);
    if (depth > DEEPEST)
        return OPEN;
    if (data->kind == AST_COMPARE)
        return truth_of_comparison(way, level, node, depth);
    if (data->kind == AST_UNARY && data->op == OP_NOT)
        return opposite(truth_of(way, level, ast_first(ast, node), depth + 1));
    if (data->kind == AST_LOGIC) {
        Truth left = truth_of(way, level, ast_first(ast, node), depth + 1);
        Truth right = truth_of(way, level, ast_child(ast, node, 1), depth + 1);
        Truth settles = data->op == OP_LOGIC_AND ? NO : YES;
        return left == settles || right == settles ? settles
               : left == OPEN || right == OPEN     ? OPEN
                                                   : opposite(settles);
    }
    Literal literal = literal_of(way, level, node, depth + 1);
    const char *word = literal.name == 0 ? "" : intern_text(ast->names, literal.name);
    switch (literal.kind) {
    case NUMBER:
        return literal.number != 0 ? YES : NO;
    case WORD:
        return strcmp(word, "True") == 0 ? YES : NO;
    default:
        return OPEN;
    }
}

/* The branch of a frame is not taken. */
static bool is_barred(const Way *way, uint32_t level, const Frame *frame)
{
    const Ast *ast = unit_of(way, level)->ast;
    if (frame->kind != FRAME_BRANCH || ast_kind(ast, frame->node) != AST_BRANCH)
        return false;
    Truth truth = truth_of(way, level, ast_first(ast, frame->node), 0);
    return truth == (frame->part == ast_child(ast, frame->node, 1) ? NO : YES);
}

/* In front of it the function has been left: `if mode == 1: return …`, then what is for the others.
 */
static bool is_left_before(const Way *way, uint32_t level)
{
    const Ast *ast = unit_of(way, level)->ast;
    for (AstNode at = way->at[level]->node, up = ast_parent(ast, at);
         up != 0 && ast_kind(ast, at) != AST_FUNCTION; at = up, up = ast_parent(ast, up)) {
        if (ast_kind(ast, up) != AST_BLOCK)
            continue;
        for (AstNode before = ast_first(ast, up); before < at; before = ast_next(ast, before)) {
            if (ast_kind(ast, before) != AST_BRANCH)
                continue;
            AstNode then = ast_child(ast, before, 1), other = ast_child(ast, before, 2);
            bool decided = branch_leaves(ast, then) || branch_leaves(ast, other);
            Truth truth = decided ? truth_of(way, level, ast_first(ast, before), 0) : OPEN;
            if ((truth == YES && branch_leaves(ast, then)) ||
                (truth == NO && branch_leaves(ast, other)))
                return true;
        }
    }
    return false;
}

/* assert axis in (0, 1, 2), where every way to it passes 2. */
static bool is_assured(const Way *way, uint32_t level)
{
    const Effect *effect = way->at[level];
    const Ast *ast = unit_of(way, level)->ast;
    return effect->kind == EFFECT_RAISE && ast_kind(ast, effect->node) == AST_ASSERT &&
           truth_of(way, level, ast_first(ast, effect->node), 0) == YES;
}

bool effect_never_runs(const Facts *facts, const Effect *effect)
{
    Way way = {.facts = facts};
    for (const Effect *at = effect; at != NULL && way.count < WAY; at = at->via)
        way.at[way.count++] = at;
    for (uint32_t level = 1; level < way.count; level++) {
        for (const Frame *frame = way.at[level]->frame; frame != NULL; frame = frame->outer)
            if (is_barred(&way, level, frame))
                return true;
        if (is_left_before(&way, level) || is_assured(&way, level))
            return true;
    }
    return false;
}
