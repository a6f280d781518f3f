#include "analyzer/facts/access.h"

#include "analyzer/facts/library.h"

enum { DEEPEST_CALL = 4, DEEPEST_TREE = 600 };

/* What the paths to a place have done to the scalar. */
typedef enum State { UNTOUCHED, PERHAPS, WRITTEN, GONE /* no path gets here */ } State;

typedef struct Reader {
    const Facts *facts;
    const Event *event;
    const Unit *unit;
    const Ast *ast;
    FunctionId function;
    AstNode scalar;
    AstSymbol symbol; /* the variable that the scalar's expression starts from */
    bool global;
    bool sure; /* loops may run not at all */
    int depth, calls;
    bool atomic;  /* inside an atomic construct */
    bool pending; /* a plain write that no barrier has parted from what follows */
    State state;
    State at_break, at_continue; /* paths that left the innermost loop, or its turn */
    AstNode literal;             /* the first that was written */
    uint32_t writes;
    Access access;
} Reader;

static void read_node(Reader *reader, AstNode node);

static State join(State left, State right)
{
    if (left == GONE || right == GONE)
        return left == GONE ? right : left;
    return left == right ? left : PERHAPS;
}

static AstSymbol root_symbol(const Ast *ast, AstNode scalar)
{
    while (ast_kind(ast, scalar) == AST_FIELD || ast_kind(ast, scalar) == AST_DEREF)
        scalar = ast_first(ast, scalar);
    return ast_kind(ast, scalar) == AST_NAME ? ast_at(ast, scalar)->symbol : 0;
}

/* ---- single accesses ---- */

static bool is_scalar(const Reader *reader, AstNode node)
{
    return ast_kind(reader->ast, node) == ast_kind(reader->ast, reader->scalar) &&
           ast_same(reader->ast, node, reader->scalar);
}

static void note_read(Reader *reader)
{
    reader->access.reads_before |= reader->state == UNTOUCHED;
    reader->access.reads_perhaps |= reader->state == PERHAPS;
    reader->access.reads_own |= reader->state == WRITTEN;
}

static bool is_literal(const Ast *ast, AstNode value)
{
    int64_t known;
    while (ast_kind(ast, value) == AST_CAST ||
           (ast_kind(ast, value) == AST_UNARY && ast_at(ast, value)->op == OP_NEG))
        value = ast_first(ast, value);
    AstKind kind = ast_kind(ast, value);
    return kind == AST_REAL || kind == AST_CONSTANT || kind == AST_STRING ||
           ast_constant(ast, value, &known);
}

/* Whether a name can mean another value in another thread: its id, the variable of an inner or the
 * dealt loop, a variable that the construct itself declares. */
static bool name_varies(const Reader *reader, AstNode name)
{
    AstSymbol symbol = ast_at(reader->ast, name)->symbol;
    Sym sym = sym_of(reader->unit, symbol);
    const SymbolUse *use = &reader->facts->uses[reader->unit->id][symbol];
    const AstSymbolData *data = &reader->ast->symbols.items[symbol];
    if (symbol == 0)
        return false;
    if (event_distinguishes(reader->facts, reader->event, sym) || use->thread)
        return true;
    Place place = {.base = PLACE_VARIABLE, .sym = sym};
    return (data->kind == SYMBOL_LOCAL || data->kind == SYMBOL_PARAM) &&
           event_shared(reader->facts, reader->event, &place) == 0;
}

static bool value_varies(const Reader *reader, AstNode value)
{
    FOR_EACH_NODE (reader->ast, node, value) {
        AstKind kind = ast_kind(reader->ast, node);
        if ((kind == AST_NAME && name_varies(reader, node)) ||
            (kind == AST_CALL &&
             (library_thread_value(reader->facts, reader->unit, node) & LIB_THREAD_ID) != 0))
            return true;
    }
    return false;
}

/* value 0: not known, or the turns of a loop */
static void note_write(Reader *reader, AstNode node, AstNode value, bool loop)
{
    if (reader->state == GONE)
        return;
    reader->state = WRITTEN;
    reader->access.first_write = reader->access.first_write == 0 ? node
                                                                 : reader->access.first_write;
    if (reader->atomic && !reader->pending)
        return; /* all threads do it to one value, as they are meant to */
    bool literal = value != 0 && is_literal(reader->ast, value);
    reader->pending |= !reader->atomic;
    if (reader->writes++ == 0) {
        reader->literal = value;
        reader->access.constant = literal;
    } else if (!literal || !reader->access.constant ||
               !ast_same(reader->ast, value, reader->literal)) {
        reader->access.constant = false;
    }
    reader->access.varies |= loop || (value != 0 && !literal && value_varies(reader, value));
}

/* ---- calls ---- */

/* A function that names the variable, or calls one that does. */
static bool callee_names(const Reader *reader, FunctionId callee, int depth)
{
    const Unit *unit = program_function_unit(reader->facts->program, callee);
    const FunctionFacts *facts = &reader->facts->functions[callee];
    AstNode root = program_function_data(reader->facts->program, callee)->node;
    Sym sym = sym_global(reader->facts, reader->unit, reader->symbol);
    FOR_EACH_NODE (unit->ast, node, root) {
        AstSymbol symbol = ast_kind(unit->ast, node) == AST_NAME ? ast_at(unit->ast, node)->symbol
                                                                 : 0;
        if (symbol != 0 && sym_global(reader->facts, unit, symbol) == sym)
            return true;
    }
    for (uint32_t i = 0; depth < DEEPEST_CALL && i < facts->callees.count; i++)
        if (callee_names(reader, facts->callees.items[i], depth + 1))
            return true;
    return false;
}

/* f(&x): what the function does to its parameter. */
static void read_out_argument(Reader *reader, AstNode call, AstNode argument, uint32_t index)
{
    FunctionId callee = facts_callee(reader->facts, reader->unit, call);
    const AstFunctionData *data =
        callee == 0 ? NULL : program_function_data(reader->facts->program, callee);
    (void)argument;
    reader->access.opaque = true; /* unless the function is known */
    if (data == NULL || index >= data->params.count || reader->calls >= DEEPEST_CALL)
        return;
    const Unit *unit = program_function_unit(reader->facts->program, callee);
    AstSymbol parameter = data->params.items[index];
    AstNode scalar = 0;
    FOR_EACH_NODE (unit->ast, node, ast_first(unit->ast, data->node))
        if (scalar == 0 && ast_kind(unit->ast, node) == AST_DEREF &&
            root_symbol(unit->ast, node) == parameter &&
            ast_kind(unit->ast, ast_first(unit->ast, node)) == AST_NAME)
            scalar = node;
    if (scalar == 0)
        return;
    Reader inner = {.facts = reader->facts,
                    .event = reader->event,
                    .unit = unit,
                    .ast = unit->ast,
                    .function = callee,
                    .scalar = scalar,
                    .symbol = parameter,
                    .sure = reader->sure,
                    .calls = reader->calls + 1,
                    .at_break = GONE,
                    .at_continue = GONE};
    read_node(&inner, ast_first(unit->ast, data->node));
    reader->access.opaque = inner.access.opaque;
    if (inner.access.reads_before || inner.access.reads_perhaps)
        note_read(reader);
    if (inner.writes > 0 && reader->state != GONE) {
        note_write(reader, call, 0, true);
        reader->state = inner.state == WRITTEN || inner.state == GONE ? WRITTEN : PERHAPS;
    }
}

static void read_call(Reader *reader, AstNode call)
{
    const Ast *ast = reader->ast;
    uint32_t index = 0;
    AstNode callee = ast_first(ast, call);
    bool filled = false;
    read_node(reader, callee);
    for (AstNode at = ast_next(ast, callee); at != 0; at = ast_next(ast, at), index++) {
        AstNode output = library_output(reader->facts, reader->unit, call, at);
        if (output != 0 && is_scalar(reader, output))
            filled = true;
        else if (ast_kind(ast, at) == AST_ADDRESS && is_scalar(reader, ast_first(ast, at)))
            read_out_argument(reader, call, at, index);
        else
            read_node(reader, at);
    }
    if (filled)
        note_write(reader, call, call, false);
    reader->access.opaque |= filled && !value_varies(reader, call); /* the same for all, perhaps */
    FunctionId known = reader->global ? facts_callee(reader->facts, reader->unit, call) : 0;
    if (known != 0 && callee_names(reader, known, 0))
        reader->access.opaque = true;
}

/* ---- statements ---- */

static void read_target(Reader *reader, AstNode target, AstNode assign, AstNode value)
{
    const Ast *ast = reader->ast;
    AstKind kind = ast_kind(ast, target);
    if (is_scalar(reader, target)) {
        note_write(reader, assign, value, false);
    } else if (kind == AST_TUPLE || kind == AST_LIST) {
        FOR_EACH_CHILD (ast, item, target)
            read_target(reader, item, assign, 0);
    } else if (kind == AST_NAME && ast_at(ast, target)->symbol == reader->symbol &&
               ast_kind(ast, reader->scalar) == AST_FIELD) {
        note_write(reader, assign, value, false); /* the whole struct */
    } else if (kind == AST_NAME && ast_at(ast, target)->symbol == reader->symbol) {
        reader->access.opaque = true; /* the pointer moves */
    } else {
        FOR_EACH_CHILD (ast, part, target)
            read_node(reader, part);
    }
}

static void read_assign(Reader *reader, AstNode assign)
{
    AstNode target = ast_first(reader->ast, assign), value = ast_child(reader->ast, assign, 1);
    read_node(reader, value);
    if (ast_at(reader->ast, assign)->op != OP_NONE && is_scalar(reader, target))
        note_read(reader);
    bool plain = ast_at(reader->ast, assign)->op == OP_NONE;
    reader->access.updated |= !plain && is_scalar(reader, target);
    read_target(reader, target, assign, plain ? value : assign);
}

static void read_either(Reader *reader, AstNode one, AstNode other)
{
    State before = reader->state;
    read_node(reader, one);
    State after = reader->state;
    reader->state = before;
    read_node(reader, other);
    reader->state = join(after, reader->state);
}

/* Names that a clause of a construct inside makes other variables of. */
static bool is_hidden(Reader *reader, AstNode construct)
{
    const Ast *ast = reader->ast;
    FOR_EACH_CHILD (ast, clause, construct) {
        if (ast_kind(ast, clause) != AST_CLAUSE)
            continue;
        AstClause kind = (AstClause)ast_at(ast, clause)->op;
        bool own = kind == CLAUSE_PRIVATE || kind == CLAUSE_FIRSTPRIVATE ||
                   kind == CLAUSE_LASTPRIVATE || kind == CLAUSE_LINEAR || kind == CLAUSE_REDUCTION;
        bool named = false;
        FOR_EACH_NODE (ast, node, clause)
            named |= ast_kind(ast, node) == AST_NAME && ast_at(ast, node)->symbol == reader->symbol;
        if (!own || !named)
            continue;
        if (kind == CLAUSE_FIRSTPRIVATE || kind == CLAUSE_LINEAR || kind == CLAUSE_REDUCTION)
            note_read(reader);
        if (kind == CLAUSE_LASTPRIVATE || kind == CLAUSE_REDUCTION)
            reader->state = WRITTEN;
        return true;
    }
    return false;
}

static bool is_own_variable(const Reader *reader, AstNode loop)
{
    const AstNodeData *data = ast_at(reader->ast, loop);
    uint32_t levels = data->value.loop.collapse > 1 ? data->value.loop.collapse : 1;
    if (data->value.loop.run == RUN_SERIAL || data->value.loop.run == RUN_PRANGE_SERIAL)
        return false;
    FOR_EACH_NODE (reader->ast, node, loop) {
        if (ast_kind(reader->ast, node) != AST_LOOP)
            continue;
        if (is_scalar(reader, loop_target(reader->ast, node)))
            return true;
        if (--levels == 0)
            return false;
    }
    return false;
}

/* By its bounds the loop runs at least once. */
static bool runs_surely(const Ast *ast, AstNode loop)
{
    int64_t first = 0, limit, step = 1;
    AstNode nodes[] = {loop_start(ast, loop), loop_step(ast, loop)};
    int64_t *values[] = {&first, &step};
    if (ast_at(ast, loop)->op == LOOP_DO)
        return true;
    if (ast_at(ast, loop)->op != LOOP_COUNTED || !ast_constant(ast, loop_limit(ast, loop), &limit))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (nodes[i] != 0 && ast_kind(ast, nodes[i]) != AST_NONE &&
            !ast_constant(ast, nodes[i], values[i]))
            return false;
    return step > 0 ? first < limit : first > limit;
}

static void read_turns(Reader *reader, AstNode loop)
{
    const Ast *ast = reader->ast;
    State entry = reader->state;
    State at_break = reader->at_break, at_continue = reader->at_continue;
    bool endless = ast_kind(ast, loop_limit(ast, loop)) == AST_NONE;
    reader->at_break = reader->at_continue = GONE;
    if (ast_at(ast, loop)->op == LOOP_WHILE)
        read_node(reader, loop_limit(ast, loop));
    read_node(reader, loop_body(ast, loop));
    reader->state = join(reader->state, reader->at_continue);
    read_node(reader, loop_step(ast, loop));
    if (ast_at(ast, loop)->op == LOOP_DO)
        read_node(reader, loop_limit(ast, loop));
    if (endless)
        reader->state = GONE;
    else if (reader->sure && !runs_surely(ast, loop))
        reader->state = join(reader->state, entry);
    reader->state = join(reader->state, reader->at_break);
    reader->at_break = at_break;
    reader->at_continue = at_continue;
}

static void read_loop(Reader *reader, AstNode loop)
{
    const Ast *ast = reader->ast;
    const AstNodeData *data = ast_at(ast, loop);
    if (data->value.loop.run == RUN_OFFLOAD || is_own_variable(reader, loop) ||
        is_hidden(reader, loop))
        return;
    AstNode target = loop_target(ast, loop);
    read_node(reader, loop_start(ast, loop));
    if (data->op == LOOP_COUNTED)
        read_node(reader, loop_limit(ast, loop));
    if (is_scalar(reader, target)) {
        note_write(reader, target, 0, true);
        note_read(reader);
    } else if (data->op == LOOP_EACH && target != 0 && ast_kind(ast, target) == AST_TUPLE) {
        read_target(reader, target, loop, 0);
    }
    read_turns(reader, loop);
}

static void read_switch(Reader *reader, AstNode node)
{
    State at_break = reader->at_break;
    read_node(reader, ast_first(reader->ast, node));
    State entry = reader->state;
    reader->at_break = GONE;
    FOR_EACH_CHILD (reader->ast, part, ast_child(reader->ast, node, 1)) {
        if (ast_kind(reader->ast, part) == AST_CASE)
            reader->state = join(reader->state, entry);
        read_node(reader, part);
    }
    reader->state = join(join(reader->state, reader->at_break), entry);
    reader->at_break = at_break;
}

static void read_children(Reader *reader, AstNode node)
{
    FOR_EACH_CHILD (reader->ast, child, node)
        read_node(reader, child);
}

static void read_region(Reader *reader, AstNode region)
{
    AstRegion kind = (AstRegion)ast_at(reader->ast, region)->op;
    if (kind == REGION_OFFLOAD || is_hidden(reader, region))
        return;
    bool atomic = reader->atomic;
    reader->atomic |= kind == REGION_ATOMIC;
    reader->pending &= kind != REGION_BARRIER;
    read_children(reader, region);
    reader->atomic = atomic;
}

/* All fields are the same bytes. */
static bool is_of_union(const Reader *reader, AstNode name)
{
    return ast_type_at(reader->ast, name)->kind == TYPE_UNION;
}

/* An occurrence of the variable that is not the scalar itself. */
static void read_name(Reader *reader, AstNode name)
{
    AstKind whole = ast_kind(reader->ast, reader->scalar);
    AstNode parent = ast_parent(reader->ast, name);
    if (ast_at(reader->ast, name)->symbol != reader->symbol || whole == AST_NAME)
        return;
    AstKind kind = ast_kind(reader->ast, parent);
    if (kind == AST_FIELD && whole == AST_FIELD && !is_of_union(reader, name))
        return; /* another field */
    if (whole == AST_FIELD && kind != AST_ADDRESS)
        note_read(reader);
    else if (kind != AST_COMPARE && kind != AST_LOGIC)
        reader->access.opaque = true; /* the pointer goes elsewhere */
}

static void leave(Reader *reader, AstNode node)
{
    read_children(reader, node);
    switch (ast_kind(reader->ast, node)) {
    case AST_BREAK:
        reader->at_break = join(reader->at_break, reader->state);
        break;
    case AST_CONTINUE:
        reader->at_continue = join(reader->at_continue, reader->state);
        break;
    case AST_GOTO:
        reader->access.opaque = true;
        break;
    default:
        break;
    }
    reader->state = GONE;
}

static void read_kind(Reader *reader, AstNode node)
{
    const Ast *ast = reader->ast;
    switch (ast_kind(ast, node)) {
    case AST_NONE:
    case AST_FUNCTION:
    case AST_LAMBDA:
    case AST_CLASS:
    case AST_CLAUSE:
    case AST_SIZEOF:
        return;
    case AST_NAME:
        read_name(reader, node);
        return;
    case AST_ASSIGN:
        read_assign(reader, node);
        return;
    case AST_BRANCH:
    case AST_CONDITIONAL:
        read_node(reader, ast_first(ast, node));
        read_either(reader, ast_child(ast, node, 1), ast_child(ast, node, 2));
        return;
    case AST_LOGIC:
        read_node(reader, ast_first(ast, node));
        read_either(reader, ast_child(ast, node, 1), 0);
        return;
    case AST_LOOP:
        read_loop(reader, node);
        return;
    case AST_REGION:
        read_region(reader, node);
        return;
    case AST_SWITCH:
        read_switch(reader, node);
        return;
    case AST_CALL:
        read_call(reader, node);
        return;
    case AST_ADDRESS:
        reader->access.opaque |= is_scalar(reader, ast_first(ast, node)) ||
                                 root_symbol(ast, ast_first(ast, node)) == reader->symbol;
        if (!reader->access.opaque)
            read_children(reader, node);
        return;
    case AST_BREAK:
    case AST_CONTINUE:
    case AST_GOTO:
    case AST_RETURN:
    case AST_RAISE:
        leave(reader, node);
        return;
    default:
        read_children(reader, node);
    }
}

static void read_node(Reader *reader, AstNode node)
{
    if (node == 0 || reader->depth >= DEEPEST_TREE)
        return;
    reader->depth++;
    if (is_scalar(reader, node))
        note_read(reader);
    else
        read_kind(reader, node);
    reader->depth--;
}

/* ---- questions ---- */

static Reader reader_of(const Facts *facts, const Event *event, FunctionId function, AstNode scalar)
{
    const Unit *unit = program_function_unit(facts->program, function);
    Reader reader = {.facts = facts,
                     .event = event,
                     .unit = unit,
                     .ast = unit->ast,
                     .function = function,
                     .scalar = scalar,
                     .at_break = GONE,
                     .at_continue = GONE};
    reader.symbol = root_symbol(unit->ast, scalar);
    uint8_t kind = unit->ast->symbols.items[reader.symbol].kind;
    reader.global = kind == SYMBOL_GLOBAL || kind == SYMBOL_STATIC;
    reader.access.opaque = reader.symbol == 0;
    return reader;
}

static Access order_of(const Facts *facts, const Event *event, FunctionId function, AstNode code,
                       AstNode scalar, bool sure)
{
    Reader reader = reader_of(facts, event, function, scalar);
    reader.sure = sure;
    read_node(&reader, code);
    State end = join(join(reader.state, reader.at_continue), reader.at_break);
    reader.access.always = end == WRITTEN || end == GONE;
    return reader.access;
}

Access access_order(const Facts *facts, const Event *event, FunctionId function, AstNode code,
                    AstNode scalar)
{
    return order_of(facts, event, function, code, scalar, false);
}

Access access_order_surely(const Facts *facts, const Event *event, FunctionId function,
                           AstNode code, AstNode scalar)
{
    return order_of(facts, event, function, code, scalar, true);
}

/* Another function of the file names the variable. */
static bool is_named_elsewhere(const Reader *reader)
{
    AstNode own = program_function_data(reader->facts->program, reader->function)->node;
    for (AstNode node = 1; node < reader->ast->nodes.count; node++)
        if (ast_kind(reader->ast, node) == AST_NAME &&
            ast_at(reader->ast, node)->symbol == reader->symbol &&
            !ast_holds(reader->ast, own, node))
            return true;
    return false;
}

bool access_used_after(const Facts *facts, const Event *event, FunctionId function,
                       AstNode construct, AstNode scalar)
{
    Reader reader = reader_of(facts, event, function, scalar);
    const Ast *ast = reader.ast;
    for (AstNode at = construct; at != 0 && ast_kind(ast, at) != AST_FUNCTION;
         at = ast_parent(ast, at)) {
        AstKind kind = ast_kind(ast, ast_parent(ast, at));
        if (kind != AST_BRANCH && kind != AST_FUNCTION)
            for (AstNode next = ast_next(ast, at); next != 0; next = ast_next(ast, next))
                read_node(&reader, next);
        if (kind == AST_LOOP) /* and around again */
            read_node(&reader, loop_body(ast, ast_parent(ast, at)));
        if (reader.access.reads_before || reader.access.reads_perhaps || reader.access.opaque)
            return true;
        if (reader.state == WRITTEN)
            return false;
    }
    return ast_kind(ast, scalar) == AST_DEREF || (reader.global && is_named_elsewhere(&reader));
}

/* ---- reductions ---- */

static bool is_symbol(const Ast *ast, AstNode node, AstSymbol symbol)
{
    return node != 0 && ast_kind(ast, node) == AST_NAME && ast_at(ast, node)->symbol == symbol;
}

/* Whether an update by `used` belongs to a reduction by `op`. */
static bool op_fits(AstOp op, AstOp used)
{
    switch (op) {
    case OP_ADD:
    case OP_SUB:
        return used == OP_ADD || used == OP_SUB;
    case OP_MUL:
    case OP_DIV:
        return used == OP_MUL || used == OP_DIV;
    case OP_LOGIC_AND:
        return used == OP_LOGIC_AND || used == OP_AND || used == OP_MUL;
    case OP_LOGIC_OR:
        return used == OP_LOGIC_OR || used == OP_OR || used == OP_ADD;
    default:
        return used == op;
    }
}

/* s + e, e + s, s + a + b, fmax(s, e), s && e, e > s ? e : s: the operand that is the old value is
 * the only one. OP_NONE where the value is something else. */
static AstOp combined_by(const Facts *facts, const Unit *unit, AstNode value, AstSymbol symbol)
{
    const Ast *ast = unit->ast;
    const AstNodeData *data = ast_at(ast, value);
    AstNode first = ast_first(ast, value), second = first == 0 ? 0 : ast_child(ast, value, 1);
    if (data->kind == AST_CAST)
        return combined_by(facts, unit, first, symbol);
    if (data->kind == AST_CONDITIONAL)
        return OP_MAX;
    if (data->kind == AST_CALL)
        return library_is_extreme(facts, unit, value) ? OP_MAX : OP_NONE;
    if (data->kind != AST_BINARY && data->kind != AST_LOGIC)
        return OP_NONE;
    AstOp op = (AstOp)data->op;
    if (is_symbol(ast, first, symbol))
        return ast_mentions(ast, second, symbol) ? OP_NONE : op;
    if (is_symbol(ast, second, symbol))
        return ast_mentions(ast, first, symbol) ? OP_NONE : op;
    bool chain = ast_mentions(ast, first, symbol) != ast_mentions(ast, second, symbol);
    AstNode inner = ast_mentions(ast, first, symbol) ? first : second;
    AstOp deeper = chain ? combined_by(facts, unit, inner, symbol) : OP_NONE;
    return deeper != OP_NONE && op_fits(op, deeper) ? op : OP_NONE;
}

static bool is_extreme(AstOp op)
{
    return op == OP_MIN || op == OP_MAX;
}

/* if (x > m) m = x, or any test of it around. */
static bool is_tested(const Ast *ast, AstNode loop, AstNode node, AstSymbol symbol)
{
    for (AstNode up = ast_parent(ast, node); up > loop; up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_BRANCH && ast_mentions(ast, ast_first(ast, up), symbol))
            return true;
    return false;
}

static bool is_conditional(const Ast *ast, AstNode loop, AstNode node)
{
    for (AstNode up = ast_parent(ast, node); up > loop; up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_BRANCH)
            return true;
    return false;
}

/* found = 1 under a condition: a flag, whatever joins the copies keeps it. */
static bool is_flag(const Ast *ast, AstNode loop, AstNode assign, AstOp op)
{
    AstNode value = ast_child(ast, assign, 1);
    int64_t known = 1;
    bool zero = (ast_constant(ast, value, &known) && known == 0) ||
                (ast_kind(ast, value) == AST_REAL && ast_at(ast, value)->value.real == 0);
    bool sum = op == OP_ADD || op == OP_SUB;
    return is_literal(ast, value) && is_conditional(ast, loop, assign) && !(sum && zero);
}

static bool is_statement(const Ast *ast, AstNode assign)
{
    AstKind kind = ast_kind(ast, ast_parent(ast, assign));
    return kind == AST_EXPR || kind == AST_BLOCK || kind == AST_BRANCH || kind == AST_LOOP ||
           kind == AST_COMMA || kind == AST_REGION || kind == AST_CASE || kind == AST_WITH;
}

typedef struct Search {
    const Facts *facts;
    const Unit *unit;
    FunctionId function;
    AstNode loop;
    AstSymbol symbol;
    AstOp op;
} Search;

/* last = i, in a reduction by max over i that counts up: of a thread's iterations, which come in
 * order, the last is the largest. */
static bool is_last_turn(const Search *search, AstNode value)
{
    const Ast *ast = search->unit->ast;
    AstNode target = loop_target(ast, search->loop), step = loop_step(ast, search->loop);
    uint8_t schedule = ast_at(ast, search->loop)->value.loop.schedule;
    int64_t by = 1;
    if (ast_at(ast, search->loop)->op != LOOP_COUNTED || !is_extreme(search->op) ||
        (schedule != SCHEDULE_DEFAULT && schedule != SCHEDULE_STATIC) ||
        ast_kind(ast, target) != AST_NAME ||
        !is_symbol(ast, ast_without_casts(ast, value), ast_at(ast, target)->symbol))
        return false;
    bool known = step == 0 || ast_kind(ast, step) == AST_NONE || ast_constant(ast, step, &by);
    return known && (search->op == OP_MAX ? by > 0 : by < 0);
}

/* What an assignment to the variable does wrong. */
static MisuseKind misuse_by_assign(const Search *search, AstNode assign)
{
    const Ast *ast = search->unit->ast;
    AstNode value = ast_child(ast, assign, 1);
    AstOp used = (AstOp)ast_at(ast, assign)->op;
    if (!is_statement(ast, assign))
        return ast_kind(ast, ast_parent(ast, assign)) == AST_INDEX ? MISUSE_INDEX : MISUSE_READ;
    if (used == OP_NONE && !ast_mentions(ast, value, search->symbol)) {
        bool chosen = is_extreme(search->op) &&
                      is_tested(ast, search->loop, assign, search->symbol);
        return chosen || is_flag(ast, search->loop, assign, search->op) ||
                       is_last_turn(search, value)
                   ? MISUSE_NONE
                   : MISUSE_OVERWRITE;
    }
    if (used != OP_NONE && ast_mentions(ast, value, search->symbol))
        return MISUSE_READ;
    used = used != OP_NONE ? used : combined_by(search->facts, search->unit, value, search->symbol);
    bool either = is_extreme(search->op) && is_extreme(used);
    return used == OP_NONE                       ? MISUSE_OVERWRITE
           : either || op_fits(search->op, used) ? MISUSE_NONE
                                                 : MISUSE_OPERATOR;
}

/* `if (!found)`, `if (errors > 0)`, and any test of a minimum, a maximum or a flag: an early way
 * out that each thread may take by its own part. */
static bool is_harmless_test(const Search *search, AstNode name)
{
    const Ast *ast = search->unit->ast;
    bool sum = search->op == OP_ADD || search->op == OP_SUB || search->op == OP_MUL;
    bool python = search->unit->language == LANGUAGE_PYTHON;
    bool zero = true;
    for (AstNode at = name, up = ast_parent(ast, at); up > search->loop;
         at = up, up = ast_parent(ast, up)) {
        AstKind kind = ast_kind(ast, up);
        int64_t known;
        if (kind == AST_COMPARE)
            FOR_EACH_CHILD (ast, side, up)
                zero &= side == at || (ast_constant(ast, side, &known) && known == 0);
        if (kind == AST_BRANCH || kind == AST_CONDITIONAL ||
            (kind == AST_LOOP && at == loop_limit(ast, up)))
            return ast_kind(ast, at) != AST_BLOCK && at != ast_child(ast, up, 1) &&
                   (kind == AST_LOOP || at == ast_first(ast, up)) && !python && (zero || !sum);
        if (kind != AST_COMPARE && kind != AST_LOGIC && kind != AST_UNARY)
            return false;
    }
    return false;
}

static bool is_in_rare_branch(const Search *search, AstNode node)
{
    const Ast *ast = search->unit->ast;
    for (AstNode at = node, up = ast_parent(ast, at); up > search->loop;
         at = up, up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_BRANCH && at != ast_first(ast, up) &&
            branch_is_rare(search->facts, search->function, up, at))
            return true;
    return false;
}

static MisuseKind misuse_by_read(const Search *search, AstNode name)
{
    const Ast *ast = search->unit->ast;
    AstNode parent = ast_parent(ast, name);
    if (ast_kind(ast, parent) == AST_ADDRESS || is_harmless_test(search, name) ||
        is_in_rare_branch(search, name))
        return MISUSE_NONE;
    for (AstNode at = name, up = parent; up > search->loop; at = up, up = ast_parent(ast, up)) {
        if (ast_kind(ast, up) == AST_INDEX && at != ast_first(ast, up))
            return MISUSE_INDEX;
        if (ast_kind(ast, up) == AST_ASSIGN || ast_kind(ast, up) == AST_CALL)
            break;
    }
    return MISUSE_READ;
}

AstNode access_misuse(const Facts *facts, FunctionId function, AstNode loop, AstSymbol symbol,
                      AstOp op, MisuseKind *kind)
{
    const Unit *unit = program_function_unit(facts->program, function);
    const Ast *ast = unit->ast;
    const Search search = {facts, unit, function, loop, symbol, op};
    AstNode body = loop_body(ast, loop);
    for (AstNode node = body; node < ast_end(ast, body); node++) {
        AstKind here = ast_kind(ast, node);
        *kind = MISUSE_NONE;
        if (here == AST_FUNCTION || here == AST_LAMBDA || here == AST_CLAUSE) {
            node = ast_end(ast, node) - 1;
        } else if (here == AST_ASSIGN && is_symbol(ast, ast_first(ast, node), symbol)) {
            *kind = misuse_by_assign(&search, node);
            if (*kind != MISUSE_NONE)
                return node;
            node = ast_end(ast, node) - 1; /* its own old value */
        } else if (is_symbol(ast, node, symbol)) {
            *kind = misuse_by_read(&search, node);
            if (*kind != MISUSE_NONE)
                return node;
        }
    }
    *kind = MISUSE_NONE;
    return 0;
}
