#include "analyzer/number/work.h"

#include <math.h>
#include <string.h>

enum { FORM_TERMS = 6, FORM_DEEPEST = 24 };

/* constant + sum of coefficient * atom; an atom is an expression that is not taken apart. */
typedef struct Form {
    bool exact;
    double constant;
    int count;
    struct {
        AstNode atom;
        double coefficient;
    } terms[FORM_TERMS];
} Form;

typedef struct Reader {
    const WorkModel *work;
    const UnitTable *table;
    const Ast *ast;
} Reader;

static const char *text_of(const Ast *ast, AstNode node)
{
    return intern_text(ast->names, ast_at(ast, node)->name);
}

bool same_expression(const Ast *ast, AstNode left, AstNode right)
{
    uint32_t length = ast_end(ast, left) - left;
    if (ast_end(ast, right) - right != length)
        return false;
    for (uint32_t i = 0; i < length; i++) {
        const AstNodeData *a = ast_at(ast, left + i), *b = ast_at(ast, right + i);
        if (a->kind != b->kind || a->op != b->op || a->name != b->name || a->symbol != b->symbol ||
            a->end - left != b->end - right)
            return false;
        if (a->kind == AST_ASSIGN ||
            (a->kind == AST_CALL && strcmp(text_of(ast, left + i + 1), "len") != 0))
            return false;
        bool numbered = a->kind == AST_INT || a->kind == AST_REAL;
        if (numbered && a->value.integer != b->value.integer)
            return false;
    }
    return true;
}

static Form form_constant(double value)
{
    return (Form){.exact = true, .constant = value};
}

static Form form_atom(AstNode node)
{
    return (Form){.exact = true, .count = 1, .terms = {{node, 1}}};
}

static void add_term(const Ast *ast, Form *form, AstNode atom, double coefficient)
{
    for (int i = 0; i < form->count; i++) {
        if (!same_expression(ast, form->terms[i].atom, atom))
            continue;
        form->terms[i].coefficient += coefficient;
        if (form->terms[i].coefficient == 0)
            form->terms[i] = form->terms[--form->count];
        return;
    }
    if (form->count == FORM_TERMS) {
        form->exact = false;
        return;
    }
    form->terms[form->count].atom = atom;
    form->terms[form->count++].coefficient = coefficient;
}

static Form form_add(const Ast *ast, Form left, const Form *right, double sign)
{
    left.exact = left.exact && right->exact;
    left.constant += sign * right->constant;
    for (int i = 0; i < right->count; i++)
        add_term(ast, &left, right->terms[i].atom, sign * right->terms[i].coefficient);
    return left;
}

static Form form_scale(Form form, double factor)
{
    form.constant *= factor;
    for (int i = 0; i < form.count; i++)
        form.terms[i].coefficient *= factor;
    return form;
}

static Form form_of(const Reader *reader, AstNode node, int depth);

static Form form_binary(const Reader *reader, AstNode node, int depth)
{
    const Ast *ast = reader->ast;
    Form left = form_of(reader, node + 1, depth);
    Form right = form_of(reader, ast_child(ast, node, 1), depth);
    bool known_left = left.exact && left.count == 0, known_right = right.exact && right.count == 0;
    switch (ast_at(ast, node)->op) {
    case OP_ADD:
        return form_add(ast, left, &right, 1);
    case OP_SUB:
        return form_add(ast, left, &right, -1);
    case OP_MUL:
        if (known_right)
            return form_scale(left, right.constant);
        return known_left ? form_scale(right, left.constant) : form_atom(node);
    case OP_DIV:
    case OP_FLOORDIV:
        if (known_left && known_right && right.constant != 0)
            return form_constant(floor(left.constant / right.constant));
        return form_atom(node);
    default:
        return form_atom(node);
    }
}

/* A name stands for what it is set to, where that happens once. */
static Form form_name(const Reader *reader, AstNode node, int depth)
{
    AstNode value = reader->table->only_value[ast_at(reader->ast, node)->symbol];
    if (value == 0)
        return form_atom(node);
    Form form = form_of(reader, value, depth);
    return form.exact ? form : form_atom(node);
}

static Form form_call(const Reader *reader, AstNode node, int depth)
{
    const Ast *ast = reader->ast;
    const char *callee = text_of(ast, node + 1);
    AstNode argument = ast_child(ast, node, 1);
    bool cast = strcmp(callee, "int") == 0 || strstr(callee, "int64") != NULL;
    if (cast && argument != 0)
        return form_of(reader, argument, depth);
    return strcmp(callee, "len") == 0 ? form_atom(node) : (Form){0};
}

/* The linear form of an expression; not exact where it could change between two readings. */
static Form form_of(const Reader *reader, AstNode node, int depth)
{
    const Ast *ast = reader->ast;
    const AstNodeData *data = ast_at(ast, node);
    int64_t whole;
    double value;
    if (depth >= FORM_DEEPEST)
        return (Form){0};
    if (ast_constant(ast, node, &whole))
        return form_constant((double)whole);
    if (assume_value(reader->work, ast, node, &value))
        return form_constant(value);
    switch (data->kind) {
    case AST_REAL:
        return form_constant(data->value.real);
    case AST_CAST:
        return form_of(reader, node + 1, depth + 1);
    case AST_UNARY:
        if (data->op == OP_NEG)
            return form_scale(form_of(reader, node + 1, depth + 1), -1);
        return data->op == OP_PLUS ? form_of(reader, node + 1, depth + 1) : (Form){0};
    case AST_BINARY:
        return form_binary(reader, node, depth + 1);
    case AST_NAME:
        return form_name(reader, node, depth + 1);
    case AST_FIELD:
    case AST_INDEX:
        return form_atom(node);
    case AST_CALL:
        return form_call(reader, node, depth + 1);
    default:
        return (Form){0};
    }
}

static Form form_or(const Reader *reader, AstNode node, double absent)
{
    return ast_kind(reader->ast, node) == AST_NONE ? form_constant(absent)
                                                   : form_of(reader, node, 0);
}

static Form distance_of(const Reader *reader, AstNode loop)
{
    const Ast *ast = reader->ast;
    Form first = form_or(reader, loop_start(ast, loop), 0);
    return form_add(ast, form_of(reader, loop_limit(ast, loop), 0), &first, -1);
}

/* (limit - first) / step, rounded up, where all but cancelling parts are known; negative if they
 * are not. */
static double counted_trips(const Reader *reader, AstNode loop)
{
    const Ast *ast = reader->ast;
    Form step = form_or(reader, loop_step(ast, loop), 1), distance = distance_of(reader, loop);
    if (!distance.exact || distance.count > 0 || !step.exact || step.count > 0 ||
        step.constant == 0)
        return -1;
    double trips = ceil(distance.constant / step.constant);
    return trips > 0 ? trips : 0;
}

static double each_trips(const Reader *reader, AstNode loop)
{
    const Ast *ast = reader->ast;
    AstNode over = loop_start(ast, loop);
    AstKind kind = ast_kind(ast, over);
    if (kind == AST_TUPLE || kind == AST_LIST || kind == AST_SET)
        return ast_child_count(ast, over);
    double value;
    if (assume_value(reader->work, ast, over, &value))
        return value;
    return assume_length(reader->work, ast, over, &value) ? value : -1;
}

void trips_spell(WorkModel *work, const Unit *unit, AstNode loop, Text *out)
{
    Reader reader = {work, unit_table(work, unit), unit->ast};
    AstLoopForm form = (AstLoopForm)ast_at(unit->ast, loop)->op;
    Text word = {0};
    if (form == LOOP_EACH && assume_spell(unit->ast, loop_start(unit->ast, loop), &word))
        text_printf(out, "len(%s)", text_string(&word));
    Form distance = form == LOOP_COUNTED ? distance_of(&reader, loop) : (Form){0};
    for (int i = 0; i < distance.count && distance.exact; i++) {
        word.length = 0;
        if (assume_spell(unit->ast, distance.terms[i].atom, &word))
            text_printf(out, "%s%s", out->length > 0 ? ", " : "", text_string(&word));
    }
    text_free(&word);
}

static AstNode loop_around(const Ast *ast, AstNode node)
{
    for (AstNode at = ast_parent(ast, node); at != 0; at = ast_parent(ast, at)) {
        AstKind kind = ast_kind(ast, at);
        if (kind == AST_LOOP)
            return at;
        if (kind == AST_FUNCTION || kind == AST_LAMBDA || kind == AST_CLASS)
            return 0;
    }
    return 0;
}

static void add_loop(const Reader *reader, UnitTable *table, AstNode loop)
{
    const Ast *ast = reader->ast;
    LoopRecord record = {.ns = {-1, -1}, .trips = -1};
    AstLoopForm form = (AstLoopForm)ast_at(ast, loop)->op;
    if (form == LOOP_COUNTED)
        record.trips = counted_trips(reader, loop);
    else if (form == LOOP_EACH)
        record.trips = each_trips(reader, loop);
    record.known = record.trips >= 0;
    record.holder = loop_around(ast, loop);
    uint32_t place = table->records.count;
    LIST_PUSH(reader->work->arena, &table->records, record);
    map_set(&table->loops, loop, place);
    for (AstNode outer = record.holder; outer != 0 && !record.known;) {
        LoopRecord *holder = loop_record(table, outer);
        if (holder->holds_unknown)
            break;
        holder->holds_unknown = true;
        outer = holder->holder;
    }
}

static bool deals_out(const Ast *ast, AstNode loop)
{
    uint8_t run = ast_at(ast, loop)->value.loop.run;
    return run == RUN_PARALLEL || run == RUN_WORKSHARE;
}

/* A search that is left where it finds something. */
static bool is_left_early(const Ast *ast, AstNode loop)
{
    FOR_EACH_NODE (ast, node, loop_body(ast, loop)) {
        if (ast_kind(ast, node) == AST_BREAK && loop_around(ast, node) == loop)
            return true;
    }
    return false;
}

/* while (at > 0 && list[at - 1] > x): ends where data says so. */
static bool searches(const Ast *ast, AstNode loop)
{
    FOR_EACH_NODE (ast, node, loop_limit(ast, loop)) {
        if (ast_at(ast, loop)->op == LOOP_WHILE && ast_kind(ast, node) == AST_INDEX)
            return true;
    }
    return false;
}

/* while (pick == own || pick == other) pick = random(): draws again, which is seldom needed. */
static bool draws_again(const Ast *ast, AstNode loop)
{
    bool equal = false;
    if (ast_at(ast, loop)->op != LOOP_WHILE)
        return false;
    FOR_EACH_NODE (ast, node, loop_limit(ast, loop)) {
        const AstNodeData *data = ast_at(ast, node);
        bool compares = data->kind == AST_COMPARE;
        if ((compares && data->op != OP_EQ) || data->kind == AST_CONSTANT ||
            data->kind == AST_INT || (data->kind == AST_LOGIC && data->op != OP_LOGIC_OR))
            return false;
        equal = equal || compares;
    }
    FOR_EACH_NODE (ast, node, loop_body(ast, loop)) {
        AstKind kind = ast_kind(ast, node);
        if (kind == AST_LOOP || kind == AST_BREAK)
            return false;
    }
    return equal;
}

/* 2 * i, i << 1, (low + high) // 2, i >> 1 */
static bool doubles(const Ast *ast, AstNode node)
{
    const AstNodeData *data = ast_at(ast, node);
    int64_t by = 0;
    if (data->kind != AST_BINARY && data->kind != AST_ASSIGN)
        return false;
    AstNode right = ast_child(ast, node, 1);
    bool known = right != 0 && ast_constant(ast, right, &by);
    switch (data->op) {
    case OP_MUL:
        return (known && by == 2) || (data->kind == AST_BINARY &&
                                      ast_constant(ast, ast_first(ast, node), &by) && by == 2);
    case OP_DIV:
    case OP_FLOORDIV:
        return known && by == 2;
    case OP_SHL:
    case OP_SHR:
        return known && by == 1;
    default:
        return false;
    }
}

typedef struct Derived {
    AstSymbol names[8]; /* of what comes of a value that was doubled */
    uint32_t count;
} Derived;

static bool mentions_derived(const Ast *ast, AstNode root, const Derived *derived)
{
    for (uint32_t i = 0; i < derived->count; i++)
        if (ast_mentions(ast, root, derived->names[i]))
            return true;
    return false;
}

/* `target = value` in the loop: *again tells whether what was doubled is doubled once more; what
 * the target then is goes into `derived`. */
static void follow_doubling(const Ast *ast, AstNode assign, Derived *derived, bool *again)
{
    AstSymbol target = ast_at(ast, assign + 1)->symbol;
    AstNode value = ast_child(ast, assign, 1);
    bool doubled = false;
    *again = *again || doubles(ast, assign); /* i *= 2 */
    FOR_EACH_NODE (ast, part, value) {
        if (!doubles(ast, part))
            continue;
        doubled = true;
        *again = *again || ast_mentions(ast, part, target) || mentions_derived(ast, part, derived);
    }
    if ((doubled || mentions_derived(ast, value, derived)) &&
        derived->count < sizeof derived->names / sizeof *derived->names &&
        !mentions_derived(ast, assign + 1, derived))
        derived->names[derived->count++] = target;
}

/* From turn to turn a variable is doubled or halved, through other variables too: heaps, searches
 * by halving. */
static bool halves(const Ast *ast, AstNode loop)
{
    enum { ROUNDS = 3 };
    Derived derived = {.count = 0};
    bool again = false;
    if (ast_at(ast, loop)->op != LOOP_WHILE && ast_at(ast, loop)->op != LOOP_DO)
        return false;
    for (int round = 0; round < ROUNDS && !again; round++)
        FOR_EACH_NODE (ast, node, loop_body(ast, loop))
            if (ast_kind(ast, node) == AST_ASSIGN && ast_kind(ast, node + 1) == AST_NAME)
                follow_doubling(ast, node, &derived, &again);
    return again;
}

/* while (turns < 12 && …): no more turns than that, where the variable starts at nothing, and half
 * of them where the other condition may end it at any. 0: no bound. */
static double bound_in_condition(const Ast *ast, AstNode loop)
{
    AstNode condition = loop_limit(ast, loop);
    int64_t most;
    if (ast_at(ast, loop)->op != LOOP_WHILE || ast_kind(ast, condition) != AST_LOGIC ||
        ast_at(ast, condition)->op == OP_LOGIC_OR)
        return 0;
    FOR_EACH_CHILD (ast, part, condition) {
        AstOp op = (AstOp)ast_at(ast, part)->op;
        bool below = ast_kind(ast, part) == AST_COMPARE && (op == OP_LT || op == OP_LE);
        if (below && ast_kind(ast, ast_first(ast, part)) == AST_NAME &&
            ast_constant(ast, ast_child(ast, part, 1), &most) && most > 0)
            return ceil((double)most / 2);
    }
    return 0;
}

static void guess_trips(const Ast *ast, UnitTable *table, AstNode loop, bool short_sides)
{
    LoopRecord *record = loop_record(table, loop);
    if (record->known)
        return;
    bool held = record->holder != 0 && !loop_record(table, record->holder)->known;
    if (draws_again(ast, loop))
        record->trips = 1;
    else if (halves(ast, loop))
        record->trips = WORK_HALVINGS;
    else if (deals_out(ast, loop) && (record->holder == 0 || !deals_out(ast, record->holder)))
        record->trips = WORK_PARALLEL;
    else
        record->trips =
            searches(ast, loop) && record->holder != 0 &&
                    loop_record(table, record->holder)->known &&
                    loop_record(table, record->holder)->trips < WORK_SHORT
                ? loop_record(table, record->holder)->trips /* an insertion among a few */
            : !short_sides && (record->holds_unknown || (held && !is_left_early(ast, loop)))
                ? WORK_LONG
                : WORK_SHORT;
    double most = bound_in_condition(ast, loop);
    if (most > 0 && most < record->trips)
        record->trips = most;
}

static bool has_open_loop(const Ast *ast, AstNode root)
{
    int64_t limit;
    FOR_EACH_NODE (ast, node, root) {
        if (ast_kind(ast, node) == AST_LOOP && !ast_constant(ast, loop_limit(ast, node), &limit))
            return true;
    }
    return false;
}

/* A loop that calls a function which loops is nested as well. */
static bool calls_a_loop(const WorkModel *work, const Unit *unit, AstNode loop)
{
    FOR_EACH_NODE (unit->ast, node, loop) {
        FunctionId callee =
            ast_kind(unit->ast, node) == AST_CALL ? program_callee(work->program, unit, node) : 0;
        if (callee != 0 && has_open_loop(program_function_unit(work->program, callee)->ast,
                                         program_function_data(work->program, callee)->node))
            return true;
    }
    return false;
}

/* A slice is a loop that is not spelt out. */
static bool holds_slice(const Ast *ast, AstNode loop)
{
    FOR_EACH_NODE (ast, node, loop) {
        if (ast_kind(ast, node) == AST_SLICE)
            return true;
    }
    return false;
}

/* Loops of a function that works on matrices run over their long sides, the ones that stand alone
 * too: a pass over all samples in front of the loop over all pairs of them. */
static void lengthen_siblings(const Ast *ast, Arena *arena, UnitTable *table)
{
    bool *large = arena_alloc(arena, ast->functions.count * sizeof *large);
    for (int pass = 0; pass < 2; pass++) {
        for (AstNode node = 1; node < ast->nodes.count; node++) {
            if (ast_kind(ast, node) != AST_LOOP || loop_record(table, node)->known)
                continue;
            LoopRecord *record = loop_record(table, node);
            AstFunction function = ast_function_of(ast, node);
            if (pass == 0)
                large[function] |= record->holds_unknown || holds_slice(ast, node);
            else if (large[function] && record->holder == 0 && record->trips < WORK_LONG)
                record->trips = WORK_LONG;
        }
    }
}

/* Whether a name is set by an unpacking, a loop, or through its address. */
static bool is_set_elsewhere(const Ast *ast, AstNode name)
{
    AstNode at = name, parent = ast_parent(ast, at);
    if (ast_kind(ast, parent) == AST_ADDRESS)
        return true;
    while (ast_kind(ast, parent) == AST_TUPLE || ast_kind(ast, parent) == AST_LIST) {
        at = parent;
        parent = ast_parent(ast, at);
    }
    AstKind around = ast_kind(ast, parent);
    return (around == AST_ASSIGN || around == AST_LOOP) && ast_first(ast, parent) == at;
}

/* What a node sets, and to what: 0 for neither. */
static AstSymbol setting(const Ast *ast, AstNode node, AstNode *value)
{
    const AstNodeData *data = ast_at(ast, node);
    *value = 0;
    switch (data->kind) {
    case AST_DECL:
        *value = ast_first(ast, node);
        return *value != 0 && ast_kind(ast, *value) != AST_NONE ? data->symbol : 0;
    case AST_ASSIGN:
        if (ast_kind(ast, node + 1) != AST_NAME)
            return 0;
        if (data->op == OP_NONE)
            *value = ast_child(ast, node, 1);
        return ast_at(ast, node + 1)->symbol;
    case AST_NAME: {
        bool plain = ast_kind(ast, ast_parent(ast, node)) == AST_ASSIGN; /* seen at the ASSIGN */
        return !plain && is_set_elsewhere(ast, node) ? data->symbol : 0;
    }
    default:
        return 0;
    }
}

static void find_only_values(const Reader *reader, UnitTable *table)
{
    const Ast *ast = reader->ast;
    Arena *arena = reader->work->arena;
    uint8_t *times = arena_alloc(arena, ast->symbols.count);
    table->only_value = arena_alloc(arena, ast->symbols.count * sizeof *table->only_value);
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        AstNode value;
        AstSymbol symbol = setting(ast, node, &value);
        if (symbol == 0)
            continue;
        bool once = times[symbol] == 0 && ast->symbols.items[symbol].kind == SYMBOL_LOCAL;
        times[symbol] = 1;
        table->only_value[symbol] = once ? value : 0;
    }
}

void trips_prepare(WorkModel *work, UnitTable *table)
{
    const Ast *ast = table->unit->ast;
    Reader reader = {work, table, ast};
    LIST_PUSH(work->arena, &table->records, (LoopRecord){0});
    table->loops = map_new(work->arena);
    find_only_values(&reader, table);
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        if (ast_kind(ast, node) == AST_LOOP)
            add_loop(&reader, table, node);
    }
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        if (ast_kind(ast, node) == AST_LOOP && !loop_record(table, node)->known)
            loop_record(table, node)->holds_unknown |= calls_a_loop(work, table->unit, node);
    }
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        if (ast_kind(ast, node) == AST_LOOP)
            guess_trips(ast, table, node, work->short_sides);
    }
    if (!work->short_sides)
        lengthen_siblings(ast, work->arena, table);
}

LoopRecord *loop_record(UnitTable *table, AstNode loop)
{
    uint32_t place = map_get(&table->loops, loop);
    return &table->records.items[place];
}

double work_trips(WorkModel *work, const Unit *unit, AstNode loop, bool *known)
{
    const LoopRecord *record = loop_record(unit_table(work, unit), loop);
    if (known != NULL)
        *known = record->known;
    return record->trips;
}
