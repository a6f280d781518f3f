/* Whether a branch runs seldom by what it asks: it makes its own condition false, tests for NaN,
 * for a full buffer, or searches; and what stands behind a branch that leaves. */
#include "analyzer/facts/guard.h"
#include "analyzer/facts/library.h"

#include <string.h>

typedef struct Reader {
    const Facts *facts;
    const Unit *unit;
    FunctionId function;
} Reader;

static bool is_place(AstKind kind)
{
    return kind == AST_NAME || kind == AST_INDEX || kind == AST_FIELD || kind == AST_DEREF;
}

/* A place that is the same one in every turn: no element that the loop picks, no local that each
 * turn has anew. */
static bool is_settled(const Reader *reader, const Place *place, AstNode branch)
{
    if (place->base == PLACE_UNKNOWN || place->base == PLACE_ALLOCATION)
        return false;
    for (uint8_t i = 0; i < place->count; i++)
        if (place->steps[i].kind == STEP_SLICE ||
            (place->steps[i].kind == STEP_INDEX && !affine_fixed(&place->steps[i].index)))
            return false;
    const AstSymbolData *data = sym_data(reader->facts, place->sym);
    if (data->kind != SYMBOL_LOCAL || sym_unit(reader->facts, place->sym) != reader->unit)
        return true;
    for (AstNode up = ast_parent(reader->unit->ast, branch); up != 0;
         up = ast_parent(reader->unit->ast, up))
        if (ast_kind(reader->unit->ast, up) == AST_LOOP)
            return !ast_holds(reader->unit->ast, up, data->decl);
    return true;
}

/* The assignment gives a new value that is not made from the old one: m = x, n = 0. */
static bool is_plain_store(const Reader *reader, AstNode assign, const Place *place)
{
    const Ast *ast = reader->unit->ast;
    if (ast_kind(ast, assign) != AST_ASSIGN || ast_at(ast, assign)->op != OP_NONE)
        return false;
    AstNode target = ast_first(ast, assign), value = ast_child(ast, assign, 1);
    Place stored = place_of(reader->facts, reader->function, target);
    if (!place_same(&stored, place))
        return false;
    if (value != 0 && (ast_kind(ast, value) == AST_CALL || ast_kind(ast, value) == AST_CONDITIONAL))
        return true; /* m = fmax(m, x) */
    FOR_EACH_NODE (ast, node, value)
        if (ast_kind(ast, node) == ast_kind(ast, target) && ast_same(ast, node, target))
            return false; /* head = head->next */
    return true;
}

/* A callee stores to the place: if (x > best) raise_best(x). Compare and exchange do, too. */
static bool call_stores(const Reader *reader, AstNode call, const Place *place)
{
    const Facts *facts = reader->facts;
    FunctionId callee = facts_callee(facts, reader->unit, call);
    const LibraryEntry *entry = callee == 0 ? library_call(facts, reader->unit, call) : NULL;
    if (entry != NULL && (entry->flags & LIB_ATOMIC) != 0) {
        const char *name =
            intern_text(facts->program->names,
                        ast_at(reader->unit->ast, ast_first(reader->unit->ast, call))->name);
        Place target = place_behind(facts, reader->function, ast_child(reader->unit->ast, call, 1));
        return (strstr(name, "compare") != NULL || strstr(name, "exchange") != NULL) &&
               place_same(&target, place);
    }
    for (uint32_t i = 0; callee != 0 && i < facts->functions[callee].effects.count; i++) {
        const Effect *effect = facts->functions[callee].effects.items[i];
        if (effect->kind != EFFECT_WRITE || effect->via != NULL)
            continue; /* what the callee stores itself: all that it reaches would be looked at for
                         every branch */
        Place there = place_at_call(facts, &effect->place, callee, reader->function, call);
        if (place_same(&there, place))
            return true;
    }
    return false;
}

static bool settles(const Reader *reader, AstNode part, const Place *place)
{
    FOR_EACH_NODE (reader->unit->ast, node, part) {
        AstKind kind = ast_kind(reader->unit->ast, node);
        if (kind == AST_ASSIGN ? is_plain_store(reader, node, place)
                               : kind == AST_CALL && call_stores(reader, node, place))
            return true;
    }
    return false;
}

/* seen = best, in front of the test: what a local was copied from; 0 if that is not one place. */
static AstNode copied_from(const Reader *reader, AstNode name, AstNode branch)
{
    const Ast *ast = reader->unit->ast;
    AstSymbol symbol = ast_at(ast, name)->symbol;
    AstNode source = 0;
    if (symbol == 0 || ast->symbols.items[symbol].kind != SYMBOL_LOCAL)
        return 0;
    AstNode function = program_function_data(reader->facts->program, reader->function)->node;
    for (AstNode node = function; node < branch; node++) {
        AstNode value = ast_value_set(ast, node, symbol);
        if (value != 0 && ast_kind(ast, value) == AST_CALL) /* atomic_load(&best) */
            value = ast_child(ast, value, 1);
        if (value != 0 && ast_kind(ast, value) == AST_ADDRESS)
            value = ast_first(ast, value);
        if (value != 0 && ast_kind(ast, value) != AST_NONE)
            source = is_place(ast_kind(ast, value)) ? value : 0;
    }
    return source;
}

/* The condition asks about a place that the part then stores to. */
static bool settles_condition(const Reader *reader, AstNode condition, AstNode part, AstNode branch)
{
    const Ast *ast = reader->unit->ast;
    FOR_EACH_NODE (ast, node, condition) {
        if (!is_place(ast_kind(ast, node)))
            continue;
        AstNode sources[] = {
            node, ast_kind(ast, node) == AST_NAME ? copied_from(reader, node, branch) : 0};
        for (size_t i = 0; i < 2; i++) {
            if (sources[i] == 0)
                continue;
            Place place = place_of(reader->facts, reader->function, sources[i]);
            if (is_settled(reader, &place, branch) && settles(reader, part, &place))
                return true;
        }
    }
    return false;
}

/* isnan(x), !isfinite(x), x != x. */
static bool tests_number(const Reader *reader, AstNode condition, bool holds)
{
    const Ast *ast = reader->unit->ast;
    AstKind kind = ast_kind(ast, condition);
    if (kind == AST_UNARY && ast_at(ast, condition)->op == OP_NOT)
        return tests_number(reader, ast_first(ast, condition), !holds);
    if (kind == AST_LOGIC) {
        bool left = tests_number(reader, ast_first(ast, condition), holds);
        bool both = ast_at(ast, condition)->op == OP_LOGIC_AND;
        /* isnan(x) && …, or !isfinite(x) || x < 0: the other half of an error test */
        return left || (both && tests_number(reader, ast_child(ast, condition, 1), holds));
    }
    if (kind == AST_COMPARE)
        return ast_same(ast, ast_first(ast, condition), ast_child(ast, condition, 1)) &&
               ast_at(ast, condition)->op == (holds ? OP_NE : OP_EQ);
    if (kind != AST_CALL)
        return false;
    const char *name =
        intern_text(reader->facts->program->names, ast_at(ast, ast_first(ast, condition))->name);
    if (strstr(name, "isfinite") != NULL || strstr(name, "isnormal") != NULL)
        return !holds;
    return holds && (strstr(name, "isnan") != NULL || strstr(name, "isinf") != NULL);
}

/* used == BATCH, ++used == 256: true once in many steps of a counter. */
static bool is_full(const Reader *reader, AstNode condition)
{
    const Ast *ast = reader->unit->ast;
    int64_t size;
    if (ast_kind(ast, condition) != AST_COMPARE || ast_at(ast, condition)->op != OP_EQ)
        return false;
    AstNode counter = ast_first(ast, condition);
    if (!ast_constant(ast, ast_child(ast, condition, 1), &size) || size < 8)
        return false;
    if (ast_kind(ast, counter) == AST_ASSIGN)
        return ast_at(ast, counter)->op == OP_ADD;
    AstNode function = program_function_data(reader->facts->program, reader->function)->node;
    FOR_EACH_NODE (ast, node, function)
        if (ast_kind(ast, node) == AST_ASSIGN && ast_at(ast, node)->op == OP_ADD &&
            ast_same(ast, ast_first(ast, node), counter))
            return true;
    return false;
}

/* Something in the part takes a lock or updates atomically: for what else would it matter? */
static bool holds_guard(const Reader *reader, AstNode part)
{
    const Ast *ast = reader->unit->ast;
    FOR_EACH_NODE (ast, node, part) {
        AstKind kind = ast_kind(ast, node);
        if (kind == AST_REGION)
            return true;
        if (kind != AST_CALL)
            continue;
        const LibraryEntry *entry = library_call(reader->facts, reader->unit, node);
        if (entry != NULL && (entry->flags & (LIB_LOCK | LIB_ATOMIC | LIB_HIDDEN_STATE)) != 0)
            return true;
        FunctionId callee = facts_callee(reader->facts, reader->unit, node);
        for (uint32_t i = 0; callee != 0 && i < reader->facts->functions[callee].effects.count;
             i++) {
            const Effect *effect = reader->facts->functions[callee].effects.items[i];
            if (effect->kind == EFFECT_LOCK || effect->kind == EFFECT_ATOMIC ||
                (effect->flags & EFFECT_LOCKED) != 0)
                return true;
        }
    }
    return false;
}

/* An element of data that each turn has its own of. */
static bool is_element(const Reader *reader, AstNode side)
{
    const Ast *ast = reader->unit->ast;
    side = ast_without_casts(ast, side);
    if (ast_kind(ast, side) != AST_INDEX && ast_kind(ast, side) != AST_FIELD)
        return false;
    Place place = place_of(reader->facts, reader->function, side);
    for (uint8_t i = 0; i < place.count; i++)
        if (place.steps[i].kind == STEP_INDEX && !affine_fixed(&place.steps[i].index))
            return true;
    return false;
}

/* x[i] == key, memcmp(key, x[i], 16) == 0, !strcmp(…): a search for one datum among many. A
 * comparison with a literal is none: many elements may be 0. */
static bool is_match(const Reader *reader, AstNode condition)
{
    const Ast *ast = reader->unit->ast;
    AstKind kind = ast_kind(ast, condition);
    if (kind == AST_LOGIC && ast_at(ast, condition)->op == OP_LOGIC_AND)
        return is_match(reader, ast_first(ast, condition)) ||
               is_match(reader, ast_child(ast, condition, 1));
    bool negated = kind == AST_UNARY && ast_at(ast, condition)->op == OP_NOT;
    if (!negated && (kind != AST_COMPARE || ast_at(ast, condition)->op != OP_EQ))
        return false;
    AstNode left = ast_first(ast, condition), right = negated ? 0 : ast_child(ast, condition, 1);
    int64_t value = 0;
    bool number = negated || ast_constant(ast, right, &value);
    if (ast_kind(ast, left) == AST_CALL && number && value == 0) {
        const char *name =
            intern_text(reader->facts->program->names, ast_at(ast, ast_first(ast, left))->name);
        return strcmp(name, "memcmp") == 0 || strcmp(name, "strcmp") == 0 ||
               strcmp(name, "strncmp") == 0;
    }
    return !number && ast_kind(ast, right) != AST_CONSTANT &&
           (is_element(reader, left) || is_element(reader, right));
}

/* found = 1, found |= 1, and nothing else: however often it is done, the first time is enough. */
static bool only_sets_flag(const Reader *reader, AstNode part, AstNode branch)
{
    const Ast *ast = reader->unit->ast;
    bool sets = false;
    FOR_EACH_NODE (ast, node, part) {
        AstKind kind = ast_kind(ast, node);
        int64_t value;
        if (kind == AST_CALL || kind == AST_LOOP)
            return false;
        if (kind != AST_ASSIGN)
            continue;
        AstOp op = (AstOp)ast_at(ast, node)->op;
        Place place = place_of(reader->facts, reader->function, ast_first(ast, node));
        if ((op != OP_NONE && op != OP_OR) || !ast_constant(ast, ast_child(ast, node, 1), &value) ||
            !is_settled(reader, &place, branch))
            return false;
        sets = true;
    }
    return sets;
}

bool branch_is_seldom(const Facts *facts, FunctionId function, AstNode branch, AstNode part)
{
    const Reader reader = {facts, program_function_unit(facts->program, function), function};
    const Ast *ast = reader.unit->ast;
    AstNode condition = ast_first(ast, branch);
    bool then = branch_holds(ast, branch, part);
    if (!holds_guard(&reader, part))
        return false;
    return tests_number(&reader, condition, then) || (then && is_full(&reader, condition)) ||
           (then && (settles_condition(&reader, condition, part, branch) ||
                     (is_match(&reader, condition) && only_sets_flag(&reader, part, branch))));
}

/* ---- what stands behind a branch that leaves ---- */

/* i % 1000 != 0, i % 1000: false once in many times. */
static bool seldom_false(const Reader *reader, AstNode condition)
{
    const Ast *ast = reader->unit->ast;
    AstNode left = condition;
    int64_t modulus;
    if (ast_kind(ast, condition) == AST_COMPARE && ast_at(ast, condition)->op == OP_NE)
        left = ast_first(ast, condition);
    if (ast_kind(ast, left) != AST_BINARY)
        return false;
    AstOp op = (AstOp)ast_at(ast, left)->op;
    return (op == OP_MOD || op == OP_AND) &&
           (!ast_constant(ast, ast_child(ast, left, 1), &modulus) || modulus >= 8);
}

static bool find_rest_seldom(const Reader *reader, AstNode branch)
{
    const Ast *ast = reader->unit->ast;
    AstNode condition = ast_first(ast, branch), block = ast_parent(ast, branch);
    if (tests_number(reader, condition, false) || seldom_false(reader, condition))
        return true;
    for (AstNode at = ast_next(ast, branch); at != 0 && ast_kind(ast, block) == AST_BLOCK;
         at = ast_next(ast, at))
        if (settles_condition(reader, condition, at, branch))
            return true;
    return false;
}

/* Does the rest of the block behind a branch that leaves run seldom? Asked for each event behind
 * the branch, so that the answer is kept: ImageMagick's rules took 12 s without. */
static bool rest_is_seldom(const Reader *reader, AstNode branch)
{
    enum { NO = 1, YES };
    Map *known = reader->facts->seldom_behind;
    uint64_t key = map_pair(reader->function, branch);
    if (map_get(known, key) == 0)
        map_set(known, key, find_rest_seldom(reader, branch) ? YES : NO);
    return map_get(known, key) == YES;
}

/* Told to stderr, or followed by return -1. */
static bool tells_failure(const Reader *reader, AstNode statement)
{
    const Ast *ast = reader->unit->ast;
    AstNode next = ast_next(ast, statement);
    int64_t value;
    FOR_EACH_NODE (ast, node, statement)
        if (ast_kind(ast, node) == AST_NAME &&
            strcmp(intern_text(reader->facts->program->names, ast_at(ast, node)->name), "stderr") ==
                0)
            return true;
    return next != 0 && ast_kind(ast, next) == AST_RETURN && ast_first(ast, next) != 0 &&
           ast_constant(ast, ast_first(ast, next), &value) && value < 0;
}

/* for (…) if (found) return i; fprintf(stderr, "none"); return -1; */
static bool is_failed_search(const Reader *reader, AstNode block, AstNode statement)
{
    const Ast *ast = reader->unit->ast;
    if (!tells_failure(reader, statement))
        return false;
    FOR_EACH_CHILD (ast, at, block) {
        if (at >= statement)
            break;
        if (ast_kind(ast, at) == AST_LOOP)
            FOR_EACH_NODE (ast, node, at)
                if (ast_kind(ast, node) == AST_RETURN)
                    return true;
    }
    return false;
}

bool is_seldom_reached(const Facts *facts, FunctionId function, AstNode node)
{
    const Reader reader = {facts, program_function_unit(facts->program, function), function};
    const Ast *ast = reader.unit->ast;
    for (AstNode up = node; up != 0 && ast_kind(ast, up) != AST_FUNCTION;
         up = ast_parent(ast, up)) {
        AstNode block = ast_parent(ast, up);
        if (ast_kind(ast, up) == AST_LOOP && up != node)
            return false; /* what happens outside decides about the whole loop */
        if (ast_kind(ast, block) != AST_BLOCK)
            continue;
        if (is_failed_search(&reader, block, up))
            return true;
        FOR_EACH_CHILD (ast, at, block) {
            if (at >= up)
                break;
            AstNode other = ast_kind(ast, at) == AST_BRANCH ? ast_child(ast, at, 2) : 0;
            if (ast_kind(ast, at) == AST_BRANCH && branch_leaves(ast, ast_child(ast, at, 1)) &&
                (other == 0 || ast_kind(ast, other) == AST_NONE) && rest_is_seldom(&reader, at))
                return true;
        }
    }
    return false;
}
