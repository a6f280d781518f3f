/* Whether a branch runs seldom, by what can be seen: error tests, every Nth turn, one thread only.
 * A condition that depends on data and nothing else is not rare. */
#include "analyzer/facts/guard.h"
#include "analyzer/facts/library.h"

#include <string.h>

typedef struct Reader {
    const Facts *facts;
    const Unit *unit;
    FunctionId function;
} Reader;

bool branch_leaves(const Ast *ast, AstNode part)
{
    AstNode last = part;
    while (ast_kind(ast, last) == AST_BLOCK && !ast_leafless(ast, last)) {
        AstNode at = ast_first(ast, last);
        for (AstNode next; (next = ast_next(ast, at)) != 0;)
            at = next;
        last = at;
    }
    AstKind kind = ast_kind(ast, last);
    return kind == AST_RETURN || kind == AST_BREAK || kind == AST_CONTINUE || kind == AST_GOTO ||
           kind == AST_RAISE;
}

/* In the part itself, not under a further condition or in a loop: an exception is raised, the
 * program ended, a message printed or formatted, or (*words) a text is used. */
static bool complains(const Reader *reader, AstNode part, bool *words)
{
    *words = false;
    for (AstNode at = part; at < ast_end(reader->unit->ast, part); at++) {
        AstKind kind = ast_kind(reader->unit->ast, at);
        if (at != part && (kind == AST_BRANCH || kind == AST_LOOP || kind == AST_SWITCH)) {
            at = ast_end(reader->unit->ast, at) - 1;
            continue;
        }
        *words |= kind == AST_STRING;
        const LibraryEntry *entry = kind == AST_CALL ? library_call(reader->facts, reader->unit, at)
                                                     : NULL;
        if (kind == AST_RAISE || (entry != NULL && (entry->flags & (LIB_EXIT | LIB_MESSAGE)) != 0))
            return true;
    }
    return false;
}

/* An else that is no second choice of the work: it raises, ends the program, or tells an error. */
static bool accuses(const Reader *reader, AstNode part)
{
    const Ast *ast = reader->unit->ast;
    for (AstNode at = part; at < ast_end(ast, part); at++) {
        AstKind kind = ast_kind(ast, at);
        if (kind == AST_BRANCH || kind == AST_LOOP || kind == AST_SWITCH) {
            at = ast_end(ast, at) - 1;
            continue;
        }
        const LibraryEntry *entry = kind == AST_CALL ? library_call(reader->facts, reader->unit, at)
                                                     : NULL;
        const char *name = kind == AST_NAME
                               ? intern_text(reader->facts->program->names, ast_at(ast, at)->name)
                               : "";
        if (kind == AST_RAISE || (entry != NULL && (entry->flags & LIB_EXIT) != 0) ||
            strcmp(name, "stderr") == 0 || strcmp(name, "perror") == 0)
            return true;
    }
    return false;
}

/* i % 1000 == 0, (i & mask) == 0, tid == 0: true once in many times. */
static bool seldom_true(const Reader *reader, AstNode condition)
{
    const Ast *ast = reader->unit->ast;
    AstKind kind = ast_kind(ast, condition);
    if (kind == AST_LOGIC && ast_at(ast, condition)->op == OP_LOGIC_AND)
        return seldom_true(reader, ast_first(ast, condition)) ||
               seldom_true(reader, ast_child(ast, condition, 1));
    if (kind == AST_UNARY && ast_at(ast, condition)->op == OP_NOT)
        condition = ast_first(ast, condition);
    else if (kind != AST_COMPARE || ast_at(ast, condition)->op != OP_EQ)
        return false;
    AstNode left = kind == AST_COMPARE ? ast_first(ast, condition) : condition;
    AstOp op = ast_kind(ast, left) == AST_BINARY ? (AstOp)ast_at(ast, left)->op : OP_NONE;
    int64_t modulus;
    if ((op == OP_MOD || op == OP_AND) &&
        (!ast_constant(ast, ast_child(ast, left, 1), &modulus) || modulus >= 8))
        return true;
    Affine value = place_index(reader->facts, reader->function, left);
    return kind == AST_COMPARE && value.exact && value.count == 1 &&
           value.terms[0].sym == SYM_THREAD;
}

/* The else of `if (id)`, `if (id > 0)`, `if (id != 0)`: one thread only. */
static bool is_first_thread(const Reader *reader, AstNode condition)
{
    const Ast *ast = reader->unit->ast;
    AstNode left = condition;
    if (ast_kind(ast, condition) == AST_COMPARE) {
        AstOp op = (AstOp)ast_at(ast, condition)->op;
        int64_t zero;
        if ((op != OP_NE && op != OP_GT) ||
            !ast_constant(ast, ast_child(ast, condition, 1), &zero) || zero != 0)
            return false;
        left = ast_first(ast, condition);
    }
    Affine value = place_index(reader->facts, reader->function, left);
    return value.exact && value.count == 1 && value.terms[0].sym == SYM_THREAD;
}

/* if (!ready) { …; ready = 1; }: once, and then never again. */
static bool sets_up(const Ast *ast, AstNode condition, AstNode part)
{
    int64_t value;
    AstNode flag = condition;
    if (ast_kind(ast, condition) == AST_UNARY && ast_at(ast, condition)->op == OP_NOT)
        flag = ast_first(ast, condition);
    else if (ast_kind(ast, condition) == AST_COMPARE && ast_at(ast, condition)->op == OP_EQ &&
             ast_constant(ast, ast_child(ast, condition, 1), &value) && value == 0)
        flag = ast_first(ast, condition);
    if (flag == condition)
        return false;
    FOR_EACH_NODE (ast, node, part)
        if (ast_kind(ast, node) == AST_ASSIGN && ast_at(ast, node)->op == OP_NONE &&
            ast_same(ast, ast_first(ast, node), flag) &&
            (ast_kind(ast, ast_child(ast, node, 1)) == AST_CONSTANT ||
             (ast_constant(ast, ast_child(ast, node, 1), &value) && value != 0)))
            return true;
    return false;
}

/* if size >= len(stack): stack = grow(stack): each time for twice as many elements, or so. */
static bool grows(const Ast *ast, AstNode condition, AstNode part)
{
    if (ast_kind(ast, condition) != AST_COMPARE || ast_child_count(ast, condition) != 2)
        return false;
    FOR_EACH_NODE (ast, node, part) {
        AstNode value = ast_kind(ast, node) == AST_ASSIGN ? ast_child(ast, node, 1) : 0;
        AstNode target = value == 0 ? 0 : ast_first(ast, node);
        bool sized = false, kept = false;
        if (value == 0 || ast_kind(ast, value) != AST_CALL || ast_kind(ast, target) != AST_NAME)
            continue;
        FOR_EACH_NODE (ast, at, condition)
            sized |= ast_kind(ast, at) == AST_NAME && ast_same(ast, at, target) &&
                     ast_kind(ast, ast_parent(ast, at)) != AST_COMPARE;
        for (AstNode argument = ast_child(ast, value, 1); argument != 0;
             argument = ast_next(ast, argument))
            kept |= ast_same(ast, argument, target);
        if (sized && kept)
            return true;
    }
    return false;
}

/* if used >= room: data = np.concatenate((data, np.empty_like(data))); room *= 2 */
static bool raises_limit(const Ast *ast, AstNode condition, AstNode part)
{
    if (ast_kind(ast, condition) != AST_COMPARE || ast_child_count(ast, condition) != 2)
        return false;
    AstOp op = (AstOp)ast_at(ast, condition)->op;
    bool below = op == OP_LE || op == OP_LT;
    AstNode limit = below ? ast_first(ast, condition) : ast_child(ast, condition, 1);
    if (ast_kind(ast, limit) != AST_NAME || (!below && op != OP_GE && op != OP_GT && op != OP_EQ))
        return false;
    FOR_EACH_NODE (ast, node, part) {
        int64_t by = 0;
        if (ast_kind(ast, node) != AST_ASSIGN || !ast_same(ast, ast_first(ast, node), limit))
            continue;
        AstNode value = ast_child(ast, node, 1);
        AstOp grows_by = (AstOp)ast_at(ast, node)->op;
        bool one = ast_constant(ast, value, &by) && by <= 1;
        bool anew = grows_by == OP_NONE && ast_mentions(ast, value, ast_at(ast, limit)->symbol);
        if (!one && (anew || grows_by == OP_MUL || grows_by == OP_ADD || grows_by == OP_SHL))
            return true;
    }
    return false;
}

/* Python: if i == 0: for i of a loop around it (also under another name, or with `or`): one turn.
 */
static bool is_one_turn(const Reader *reader, AstNode condition)
{
    const Ast *ast = reader->unit->ast;
    int64_t turn;
    if (ast_kind(ast, condition) == AST_LOGIC && ast_at(ast, condition)->op == OP_LOGIC_OR)
        return is_one_turn(reader, ast_first(ast, condition)) &&
               is_one_turn(reader, ast_child(ast, condition, 1));
    if (reader->unit->language != LANGUAGE_PYTHON || ast_kind(ast, condition) != AST_COMPARE ||
        ast_at(ast, condition)->op != OP_EQ ||
        !ast_constant(ast, ast_child(ast, condition, 1), &turn))
        return false;
    Affine value = place_index(reader->facts, reader->function, ast_first(ast, condition));
    for (uint8_t i = 0; i < value.count; i++)
        if (value.terms[i].direct && facts_loop_of(reader->facts, value.terms[i].sym) != 0)
            return true;
    return false;
}

/* n = 0, last = count: `target` begins anew. */
static bool begins_anew(const Ast *ast, AstNode part, AstNode target, AstNode value)
{
    int64_t zero;
    FOR_EACH_NODE (ast, node, part)
        if (ast_kind(ast, node) == AST_ASSIGN && ast_at(ast, node)->op == OP_NONE &&
            ast_same(ast, ast_first(ast, node), target) &&
            (value != 0 ? ast_same(ast, ast_child(ast, node, 1), value)
                        : ast_constant(ast, ast_child(ast, node, 1), &zero) && zero == 0))
            return true;
    return false;
}

/* if (done - told > 10000) { …; told = done; }, if (n > 1000) { …; n = 0; }: once in so many steps
 * of a counter. */
static bool is_every_so_many(const Ast *ast, AstNode condition, AstNode part)
{
    int64_t many;
    if (ast_kind(ast, condition) == AST_LOGIC && ast_at(ast, condition)->op == OP_LOGIC_AND)
        return is_every_so_many(ast, ast_first(ast, condition), part) ||
               is_every_so_many(ast, ast_child(ast, condition, 1), part);
    AstOp op = ast_kind(ast, condition) == AST_COMPARE ? (AstOp)ast_at(ast, condition)->op
                                                       : OP_NONE;
    if ((op != OP_GT && op != OP_GE) || !ast_constant(ast, ast_child(ast, condition, 1), &many) ||
        many < 8)
        return false;
    AstNode counter = ast_first(ast, condition);
    if (ast_kind(ast, counter) == AST_BINARY && ast_at(ast, counter)->op == OP_SUB)
        return begins_anew(ast, part, ast_child(ast, counter, 1), ast_first(ast, counter));
    return begins_anew(ast, part, counter, 0);
}

bool branch_is_rare(const Facts *facts, FunctionId function, AstNode branch, AstNode part)
{
    const Reader reader = {facts, program_function_unit(facts->program, function), function};
    const Ast *ast = reader.unit->ast;
    AstNode condition = ast_first(ast, branch);
    bool then = part == ast_child(ast, branch, 1);
    bool words, complaint = complains(&reader, part, &words);
    if (words && branch_leaves(ast, part))
        return true;
    if (then ? sets_up(ast, condition, part) : is_first_thread(&reader, condition))
        return true;
    if (then && ((ast_at(ast, branch)->flags & AST_UNLIKELY) != 0 ||
                 seldom_true(&reader, condition) || grows(ast, condition, part) ||
                 is_one_turn(&reader, condition) || is_every_so_many(ast, condition, part) ||
                 raises_limit(ast, condition, part)))
        return true;
    return then ? complaint : accuses(&reader, part);
}

/* ---- seldom: what the branch itself makes false ---- */

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
        AstKind kind = ast_kind(ast, node);
        AstNode value = 0;
        if (kind == AST_DECL && ast_at(ast, node)->symbol == symbol)
            value = ast_first(ast, node);
        else if (kind == AST_ASSIGN && ast_kind(ast, ast_first(ast, node)) == AST_NAME &&
                 ast_at(ast, ast_first(ast, node))->symbol == symbol)
            value = ast_child(ast, node, 1);
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

bool branch_is_seldom(const Facts *facts, FunctionId function, AstNode branch, AstNode part)
{
    const Reader reader = {facts, program_function_unit(facts->program, function), function};
    const Ast *ast = reader.unit->ast;
    AstNode condition = ast_first(ast, branch);
    bool then = part == ast_child(ast, branch, 1);
    if (!holds_guard(&reader, part))
        return false;
    return tests_number(&reader, condition, then) || (then && is_full(&reader, condition)) ||
           (then && settles_condition(&reader, condition, part, branch));
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

/* Does the rest of the block behind a branch that leaves run seldom? */
static bool rest_is_seldom(const Reader *reader, AstNode branch)
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

/* ---- what prints results ---- */

/* The condition depends on the turn: data, calls, variables that the loop or the caller gives. */
static bool depends_on_turn(const Reader *reader, AstNode condition)
{
    const Ast *ast = reader->unit->ast;
    AstNode loop = 0;
    for (AstNode up = ast_parent(ast, condition); up != 0; up = ast_parent(ast, up))
        loop = ast_kind(ast, up) == AST_LOOP ? up : loop;
    FOR_EACH_NODE (ast, node, condition) {
        AstKind kind = ast_kind(ast, node);
        AstSymbol symbol = kind == AST_NAME ? ast_at(ast, node)->symbol : 0;
        if (kind == AST_INDEX || kind == AST_DEREF || kind == AST_CALL)
            return true;
        if (symbol != 0 &&
            (loop == 0 ? ast->symbols.items[symbol].kind == SYMBOL_PARAM
                       : facts_written_within(reader->facts, reader->function, loop, symbol)))
            return true;
    }
    return false;
}

bool branch_only_prints(const Facts *facts, FunctionId function, AstNode branch, AstNode part)
{
    const Reader reader = {facts, program_function_unit(facts->program, function), function};
    const Ast *ast = reader.unit->ast;
    AstNode condition = ast_first(ast, branch);
    if (part != ast_child(ast, branch, 1) || branch_leaves(ast, part) ||
        (ast_at(ast, branch)->flags & AST_UNLIKELY) != 0 || seldom_true(&reader, condition) ||
        branch_is_seldom(facts, function, branch, part))
        return false;
    FOR_EACH_NODE (ast, node, part) {
        AstKind kind = ast_kind(ast, node);
        const LibraryEntry *entry = kind == AST_CALL ? library_call(facts, reader.unit, node)
                                                     : NULL;
        if (kind == AST_RAISE || (entry != NULL && (entry->flags & LIB_EXIT) != 0))
            return false;
        const char *name =
            kind == AST_NAME ? intern_text(facts->program->names, ast_at(ast, node)->name) : "";
        if (strcmp(name, "stderr") == 0 || strcmp(name, "perror") == 0)
            return false;
    }
    return depends_on_turn(&reader, condition);
}
