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

bool branch_holds(const Ast *ast, AstNode branch, AstNode part)
{
    return part == ast_child(ast, branch, 1) &&
           (ast_kind(ast, branch) != AST_LOGIC || ast_at(ast, branch)->op == OP_LOGIC_AND);
}

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

/* It raises, ends the program, or names what errors are told to. */
static bool is_error(const Reader *reader, AstNode node)
{
    const Ast *ast = reader->unit->ast;
    AstKind kind = ast_kind(ast, node);
    if (kind == AST_CALL) {
        const LibraryEntry *entry = library_call(reader->facts, reader->unit, node);
        return entry != NULL && (entry->flags & LIB_EXIT) != 0;
    }
    if (kind != AST_NAME)
        return kind == AST_RAISE;
    const char *name = intern_text(reader->facts->program->names, ast_at(ast, node)->name);
    return strcmp(name, "stderr") == 0 || strcmp(name, "perror") == 0;
}

/* One of the part's nodes does, not under a further condition or in a loop. */
static bool holds(const Reader *reader, AstNode part, bool (*does)(const Reader *, AstNode))
{
    const Ast *ast = reader->unit->ast;
    for (AstNode at = part; at < ast_end(ast, part); at++) {
        AstKind kind = ast_kind(ast, at);
        if (kind == AST_BRANCH || kind == AST_LOOP || kind == AST_SWITCH)
            at = ast_end(ast, at) - 1;
        else if (does(reader, at))
            return true;
    }
    return false;
}

/* warn(text, file, line): a function of the program that does little but tell an error. */
static bool calls_reporter(const Reader *reader, AstNode call)
{
    enum { FEW_NODES = 64 };
    if (ast_kind(reader->unit->ast, call) != AST_CALL)
        return false;
    FunctionId callee = facts_callee(reader->facts, reader->unit, call);
    if (callee == 0)
        return false;
    const Reader inner = {reader->facts, program_function_unit(reader->facts->program, callee),
                          callee};
    AstNode root = program_function_data(reader->facts->program, callee)->node;
    return ast_end(inner.unit->ast, root) - root <= FEW_NODES &&
           holds(&inner, ast_first(inner.unit->ast, root), is_error);
}

static bool tells_error(const Reader *reader, AstNode node)
{
    return is_error(reader, node) || calls_reporter(reader, node);
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
        if (kind == AST_RAISE ||
            (entry != NULL && (entry->flags & (LIB_EXIT | LIB_MESSAGE)) != 0) ||
            calls_reporter(reader, at))
            return true;
    }
    return false;
}

/* An else that is no second choice of the work: it raises, ends the program, or tells an error. */
static bool accuses(const Reader *reader, AstNode part)
{
    return holds(reader, part, tells_error);
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

static bool holds_same(const Ast *ast, AstNode value, AstNode expression)
{
    FOR_EACH_NODE (ast, node, value)
        if (ast_same(ast, node, expression))
            return true;
    return false;
}

/* The value is made of the limit, or of a variable that is: more = room * 2; …; room = more. */
static bool is_made_of(const Ast *ast, AstNode part, AstNode value, AstNode limit)
{
    if (holds_same(ast, value, limit))
        return true;
    FOR_EACH_NODE (ast, name, value) {
        AstSymbol symbol = ast_kind(ast, name) == AST_NAME ? ast_at(ast, name)->symbol : 0;
        AstNode decl = symbol == 0 ? 0 : ast->symbols.items[symbol].decl;
        if (decl != 0 && ast_kind(ast, decl) == AST_DECL && ast_holds(ast, part, decl) &&
            holds_same(ast, decl, limit))
            return true;
    }
    return false;
}

/* The side of a comparison that the other one has reached: room of used >= room. 0 if it is none.
 */
static AstNode limit_of(const Ast *ast, AstNode condition)
{
    if (ast_kind(ast, condition) != AST_COMPARE || ast_child_count(ast, condition) != 2)
        return 0;
    AstOp op = (AstOp)ast_at(ast, condition)->op;
    bool below = op == OP_LE || op == OP_LT;
    AstNode limit = below ? ast_first(ast, condition) : ast_child(ast, condition, 1);
    limit = ast_without_casts(ast, limit);
    AstKind kind = ast_kind(ast, limit);
    bool place = kind == AST_NAME || kind == AST_FIELD || kind == AST_DEREF || kind == AST_INDEX;
    return place && (below || op == OP_GE || op == OP_GT || op == OP_EQ) ? limit : 0;
}

/* due[i] <= now, due[i] += period[i]: what an element waits for comes again and again; nothing is
 * filled. */
static bool is_due_again(const Ast *ast, AstNode limit, AstNode assign)
{
    int64_t by;
    return ast_kind(ast, limit) == AST_INDEX && ast_at(ast, assign)->op == OP_ADD &&
           !ast_constant(ast, ast_child(ast, assign, 1), &by);
}

/* if used >= room: data = np.concatenate((data, np.empty_like(data))); room *= 2; in C also of
 * fields: if (list->used == list->room) { list->room *= 2; … } */
static bool raises_limit(const Ast *ast, AstNode condition, AstNode part)
{
    AstNode limit = limit_of(ast, condition);
    bool called = limit != 0 && ast_kind(ast, limit) == AST_NAME;
    for (AstNode at = part; !called && at < ast_end(ast, part); at++)
        called = ast_kind(ast, at) == AST_CALL; /* else: if (peak[t] < i) peak[t] += 2 */
    if (limit == 0 || !called)
        return false;
    FOR_EACH_NODE (ast, node, part) {
        int64_t by = 0;
        if (ast_kind(ast, node) != AST_ASSIGN || !ast_same(ast, ast_first(ast, node), limit) ||
            is_due_again(ast, limit, node))
            continue;
        AstNode value = ast_child(ast, node, 1);
        AstOp grows_by = (AstOp)ast_at(ast, node)->op;
        bool one = ast_constant(ast, value, &by) && by <= 1;
        bool anew = grows_by == OP_NONE && is_made_of(ast, part, value, limit);
        if (!one && (anew || grows_by == OP_MUL || grows_by == OP_ADD || grows_by == OP_SHL ||
                     grows_by == OP_OR))
            return true;
    }
    return false;
}

/* if (list->used == list->room) grow(list); two fields of what the call is given are compared. */
static bool hands_full_to_call(const Ast *ast, AstNode condition, AstNode part)
{
    AstNode limit = limit_of(ast, condition);
    AstNode sides[] = {limit == 0 ? 0 : ast_first(ast, condition),
                       limit == 0 ? 0 : ast_child(ast, condition, 1)};
    for (size_t i = 0; i < 2; i++) {
        sides[i] = ast_without_casts(ast, sides[i]);
        if (sides[i] == 0 || ast_kind(ast, sides[i]) != AST_FIELD)
            return false;
    }
    AstNode base = ast_first(ast, limit);
    if (!ast_same(ast, ast_first(ast, sides[0]), ast_first(ast, sides[1])))
        return false;
    FOR_EACH_NODE (ast, call, part)
        if (ast_kind(ast, call) == AST_CALL)
            FOR_EACH_CHILD (ast, argument, call)
                if (ast_same(ast, argument, base) ||
                    (ast_kind(ast, argument) == AST_ADDRESS &&
                     ast_same(ast, ast_first(ast, argument), base)))
                    return true;
    return false;
}

/* What the loop around doesn't change: a bound of it, say. */
static bool is_settled_in(const Reader *reader, AstNode loop, AstNode value)
{
    const Ast *ast = reader->unit->ast;
    FOR_EACH_NODE (ast, node, value) {
        AstKind kind = ast_kind(ast, node);
        if (kind != AST_NAME && kind != AST_BINARY && kind != AST_INT)
            return false;
        if (kind == AST_NAME &&
            facts_written_within(reader->facts, reader->function, loop, ast_at(ast, node)->symbol))
            return false;
    }
    return true;
}

/* Python: if i == 0:, if i == first: for i of a loop around it (also under another name, or with
 * `or`): one turn. */
static bool is_one_turn(const Reader *reader, AstNode condition)
{
    const Ast *ast = reader->unit->ast;
    int64_t turn;
    if (ast_kind(ast, condition) == AST_LOGIC && ast_at(ast, condition)->op == OP_LOGIC_OR)
        return is_one_turn(reader, ast_first(ast, condition)) &&
               is_one_turn(reader, ast_child(ast, condition, 1));
    if (reader->unit->language != LANGUAGE_PYTHON || ast_kind(ast, condition) != AST_COMPARE ||
        ast_at(ast, condition)->op != OP_EQ)
        return false;
    AstNode counter = ast_first(ast, condition), other = ast_child(ast, condition, 1);
    Affine value = place_index(reader->facts, reader->function, counter);
    for (uint8_t i = 0; i < value.count; i++) {
        AstNode loop = value.terms[i].direct ? facts_loop_of(reader->facts, value.terms[i].sym) : 0;
        if (loop != 0 && (ast_constant(ast, other, &turn) || (ast_kind(ast, counter) == AST_NAME &&
                                                              is_settled_in(reader, loop, other))))
            return true;
    }
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

/* What is returned, or stored to, when nothing is left: an allocation made for it. */
static bool stores_allocation(const Reader *reader, AstNode part, AstSymbol symbol)
{
    const Ast *ast = reader->unit->ast;
    FOR_EACH_NODE (ast, node, part) {
        if (ast_kind(ast, node) != AST_ASSIGN || ast_at(ast, node)->op != OP_NONE)
            continue;
        AstNode value = ast_child(ast, node, 1);
        while (ast_kind(ast, value) == AST_CAST || ast_kind(ast, value) == AST_ASSIGN)
            value = ast_kind(ast, value) == AST_CAST ? ast_first(ast, value)
                                                     : ast_child(ast, value, 1);
        const LibraryEntry *entry = ast_kind(ast, value) == AST_CALL
                                        ? library_call(reader->facts, reader->unit, value)
                                        : NULL;
        if (entry != NULL && (entry->flags & LIB_ALLOC) != 0 && ast_mentions(ast, node, symbol))
            return true;
    }
    return false;
}

/* n--, n -= 1, head = head->next: the stock that the condition asked for gets smaller. */
static bool takes_from(const Ast *ast, AstNode assign, AstNode stock)
{
    if (ast_kind(ast, assign) != AST_ASSIGN || !ast_same(ast, ast_first(ast, assign), stock))
        return false;
    AstNode value = ast_child(ast, assign, 1);
    if (ast_at(ast, assign)->op == OP_SUB)
        return true;
    return ast_at(ast, assign)->op == OP_NONE && ast_kind(ast, value) == AST_FIELD;
}

/* if (free_count > 0) { p = take(); free_count--; } else p = malloc(): only while the free list is
 * empty, which it no longer is once as many blocks as are in use at a time have been made. */
static bool is_stock_empty(const Reader *reader, AstNode condition, AstNode stocked, AstNode empty)
{
    const Ast *ast = reader->unit->ast;
    AstNode stock = ast_kind(ast, condition) == AST_COMPARE ? ast_first(ast, condition) : condition;
    if (ast_kind(ast, empty) == AST_NONE || ast_kind(ast, stocked) == AST_NONE)
        return false;
    bool takes = false, same = false;
    FOR_EACH_NODE (ast, node, stocked) {
        takes |= takes_from(ast, node, stock);
        AstNode target = ast_kind(ast, node) == AST_ASSIGN ? ast_first(ast, node) : 0;
        same |= target != 0 && ast_kind(ast, target) == AST_NAME &&
                stores_allocation(reader, empty, ast_at(ast, target)->symbol);
    }
    return takes && same;
}

bool branch_handles_error(const Ast *ast, AstNode branch, AstNode part)
{
    return ast_kind(ast, branch) == AST_TRY && part != ast_first(ast, branch) &&
           strcmp(intern_text(ast->names, ast_at(ast, part)->name), "except") == 0;
}

bool branch_is_rare(const Facts *facts, FunctionId function, AstNode branch, AstNode part)
{
    const Reader reader = {facts, program_function_unit(facts->program, function), function};
    const Ast *ast = reader.unit->ast;
    if (branch_handles_error(ast, branch, part))
        return true;
    AstNode condition = ast_first(ast, branch);
    bool then = branch_holds(ast, branch, part);
    bool words, complaint = complains(&reader, part, &words);
    if (words && branch_leaves(ast, part))
        return true;
    if (then ? sets_up(ast, condition, part) : is_first_thread(&reader, condition))
        return true;
    if (!then && ast_kind(ast, branch) == AST_BRANCH &&
        is_stock_empty(&reader, condition, ast_child(ast, branch, 1), part))
        return true;
    if (then && ((ast_at(ast, branch)->flags & AST_UNLIKELY) != 0 ||
                 seldom_true(&reader, condition) || grows(ast, condition, part) ||
                 is_one_turn(&reader, condition) || is_every_so_many(ast, condition, part) ||
                 raises_limit(ast, condition, part) || hands_full_to_call(ast, condition, part)))
        return true;
    return then ? complaint : accuses(&reader, part) || else_is_rare(facts, function, branch, part);
}

/* ---- what prints results ---- */

/* x == 0.0, exactly: a number that could not be used, and the message says so. */
static bool is_exact_zero(const Reader *reader, AstNode condition)
{
    const Ast *ast = reader->unit->ast;
    if (ast_kind(ast, condition) != AST_COMPARE || ast_at(ast, condition)->op != OP_EQ)
        return false;
    AstNode value = ast_child(ast, condition, 1);
    return ast_kind(ast, value) == AST_REAL && ast_at(ast, value)->value.real == 0;
}

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
        is_exact_zero(&reader, condition) || branch_is_seldom(facts, function, branch, part))
        return false;
    FOR_EACH_NODE (ast, node, part)
        if (tells_error(&reader, node) || text_warns(reader.unit, node))
            return false;
    return depends_on_turn(&reader, condition);
}
