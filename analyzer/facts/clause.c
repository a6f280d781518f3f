#include "analyzer/facts/clause.h"

#include "analyzer/facts/library.h"

#include <string.h>

enum { DEEPEST_CALL = 4 };

/* What is asked about. */
typedef struct Question {
    const Facts *facts;
    const Unit *unit;
    const Ast *ast;
    FunctionId function;
    AstNode construct;
    AstSymbol symbol;
} Question;

static Question question_of(const Facts *facts, FunctionId function, AstNode construct,
                            AstSymbol symbol)
{
    const Unit *unit = program_function_unit(facts->program, function);
    return (Question){facts, unit, unit->ast, function, construct, symbol};
}

static bool is_variable(const Question *q, AstNode node)
{
    return node != 0 && ast_kind(q->ast, node) == AST_NAME &&
           ast_at(q->ast, node)->symbol == q->symbol;
}

static bool names(const Question *q, AstNode within)
{
    FOR_EACH_NODE (q->ast, node, within)
        if (is_variable(q, node))
            return true;
    return false;
}

/* Numbers in, a number out: sin, fabsf, llabs. */
static bool is_math(const Ast *ast, AstNode call)
{
    static const char words[] =
        " sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 expm1 log log2 log10 log1p pow "
        "sqrt cbrt hypot fabs abs labs llabs floor ceil round trunc rint fmod fmin fmax fma erf "
        "erfc isnan isinf isfinite ";
    const char *name = intern_text(ast->names, ast_at(ast, ast_first(ast, call))->name);
    size_t length = strlen(name);
    for (const char *at = words; length > 0 && (at = strstr(at, name)) != NULL; at++)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    bool suffix = length > 2 && (name[length - 1] == 'f' || name[length - 1] == 'l');
    for (const char *at = words; suffix && (at = strchr(at, name[0])) != NULL; at++)
        if (at[-1] == ' ' && strncmp(at, name, length - 1) == 0 && at[length - 1] == ' ')
            return true;
    return false;
}

/* What is called returns a number and does nothing else. */
static bool is_pure(const Question *q, AstNode within)
{
    FOR_EACH_NODE (q->ast, node, within)
        if (ast_kind(q->ast, node) == AST_CALL &&
            (facts_callee(q->facts, q->unit, node) != 0 || !is_math(q->ast, node)))
            return false;
    return true;
}

/* ---- the operator of one update ---- */

/* if (x > m) m = x: by the side on which m stands; NULL if it is no comparison with m. */
static const char *operator_of_test(const Ast *ast, AstNode condition, AstNode target)
{
    AstNode left = ast_first(ast, condition), right = left == 0 ? 0 : ast_child(ast, condition, 1);
    if (ast_kind(ast, condition) != AST_COMPARE || right == 0 || ast_next(ast, right) != 0)
        return NULL;
    AstOp op = (AstOp)ast_at(ast, condition)->op;
    bool greater = op == OP_GT || op == OP_GE, on_right = ast_same(ast, right, target);
    if ((!greater && op != OP_LT && op != OP_LE) || (!on_right && !ast_same(ast, left, target)))
        return NULL;
    return greater == on_right ? "max" : "min";
}

static const char *operator_word(AstOp op)
{
    switch (op) {
    case OP_ADD:
    case OP_SUB:
        return "+";
    case OP_MUL:
        return "*";
    case OP_AND:
        return "&";
    case OP_OR:
        return "|";
    case OP_XOR:
        return "^";
    default:
        return NULL;
    }
}

const char *clause_operator(const Facts *facts, const Effect *origin)
{
    const Ast *ast = program_function_unit(facts->program, origin->function)->ast;
    if (origin->kind == EFFECT_ACCUMULATE)
        return operator_word((AstOp)origin->op);
    const Frame *frame = origin->frame;
    while (frame != NULL && frame->kind == FRAME_REGION)
        frame = frame->outer;
    if (origin->kind != EFFECT_WRITE || frame == NULL || frame->kind != FRAME_BRANCH)
        return NULL;
    return operator_of_test(ast, ast_first(ast, frame->node), ast_first(ast, origin->node));
}

/* x > m ? x : m */
static const char *operator_of_choice(const Question *q, AstNode value)
{
    AstNode condition = ast_first(q->ast, value), yes = ast_child(q->ast, value, 1),
            no = ast_child(q->ast, value, 2);
    bool kept = is_variable(q, no); /* where the condition is false */
    AstNode own = kept ? no : yes, other = kept ? yes : no;
    const char *word = is_variable(q, own) ? operator_of_test(q->ast, condition, own) : NULL;
    if (word == NULL || names(q, other))
        return NULL;
    AstNode left = ast_first(q->ast, condition), right = ast_child(q->ast, condition, 1);
    if (!ast_same(q->ast, is_variable(q, left) ? right : left, other))
        return NULL;
    if (!kept) /* m > x ? m : x says the contrary of its test */
        word = strcmp(word, "max") == 0 ? "min" : "max";
    return word;
}

static const char *operator_of_call(const Question *q, AstNode call)
{
    const LibraryEntry *entry = library_call(q->facts, q->unit, call);
    AstNode one = ast_child(q->ast, call, 1), two = ast_child(q->ast, call, 2);
    if (entry == NULL || (entry->flags & (LIB_MIN | LIB_MAX)) == 0 || one == 0 || two == 0 ||
        ast_next(q->ast, two) != 0 || is_variable(q, one) == is_variable(q, two) ||
        names(q, is_variable(q, one) ? two : one))
        return NULL;
    return (entry->flags & LIB_MIN) != 0 ? "min" : "max";
}

/* && and || leave their right side out, so only what does nothing may stand there. */
static const char *operator_of_logic(const Question *q, AstNode value)
{
    AstNode left = ast_first(q->ast, value), right = ast_child(q->ast, value, 1);
    if (is_variable(q, left) == is_variable(q, right) ||
        names(q, is_variable(q, left) ? right : left) || !is_pure(q, value) ||
        ast_holds_kind(q->ast, value, AST_ASSIGN))
        return NULL;
    return ast_at(q->ast, value)->op == OP_LOGIC_AND ? "&&" : "||";
}

/* s + e, e + s, s + a - b: the operator by which the old value, which stands in it once, and is not
 * subtracted, is combined with all of the rest. */
static const char *operator_of_value(const Question *q, AstNode value)
{
    AstNode left = ast_first(q->ast, value);
    AstNode right = left == 0 ? 0 : ast_child(q->ast, value, 1);
    switch (ast_kind(q->ast, value)) {
    case AST_CALL:
        return operator_of_call(q, value);
    case AST_CONDITIONAL:
        return operator_of_choice(q, value);
    case AST_LOGIC:
        return operator_of_logic(q, value);
    case AST_BINARY:
        break;
    default:
        return NULL;
    }
    AstOp op = (AstOp)ast_at(q->ast, value)->op;
    const char *word = operator_word(op);
    AstNode inner = names(q, left) ? left : right, other = inner == left ? right : left;
    if (word == NULL || names(q, other) || (op == OP_SUB && inner == right))
        return NULL;
    if (is_variable(q, inner))
        return word;
    const char *deeper = ast_kind(q->ast, inner) == AST_BINARY ? operator_of_value(q, inner) : NULL;
    return deeper != NULL && strcmp(deeper, word) == 0 ? word : NULL;
}

/* The branch whose only statement is `assign`; 0 if there is none, or it has an else. */
static AstNode branch_of(const Question *q, AstNode assign)
{
    AstNode at = assign, up = ast_parent(q->ast, at);
    while (ast_kind(q->ast, up) == AST_EXPR ||
           (ast_kind(q->ast, up) == AST_BLOCK && ast_child_count(q->ast, up) == 1)) {
        at = up;
        up = ast_parent(q->ast, up);
    }
    bool then = ast_kind(q->ast, up) == AST_BRANCH && ast_child(q->ast, up, 1) == at;
    return then && ast_kind(q->ast, ast_child(q->ast, up, 2)) == AST_NONE ? up : 0;
}

/* m = x under if (x > m). */
static const char *operator_of_branch(const Question *q, AstNode assign)
{
    AstNode branch = branch_of(q, assign), value = ast_child(q->ast, assign, 1);
    AstNode condition = branch == 0 ? 0 : ast_first(q->ast, branch);
    const char *word = branch == 0 ? NULL
                                   : operator_of_test(q->ast, condition, ast_first(q->ast, assign));
    if (word == NULL || names(q, value) || !is_pure(q, branch))
        return NULL;
    AstNode left = ast_first(q->ast, condition), right = ast_child(q->ast, condition, 1);
    AstNode other = is_variable(q, left) ? right : left;
    return !names(q, other) && ast_same(q->ast, ast_without_casts(q->ast, other),
                                        ast_without_casts(q->ast, value))
               ? word
               : NULL;
}

/* ---- where a use stands ---- */

/* Between the use and the construct there are but serial loops, and regions of a kind in `allowed`
 * (bits by AstRegion); worksharing loops too if `shared_work`. */
static bool is_in_serial_code(const Question *q, AstNode use, uint32_t allowed, bool shared_work)
{
    for (AstNode up = ast_parent(q->ast, use); up != q->construct; up = ast_parent(q->ast, up)) {
        const AstNodeData *data = ast_at(q->ast, up);
        bool deals = data->value.loop.run == RUN_WORKSHARE &&
                     (data->value.loop.flags & LOOP_TASKLOOP) == 0;
        if (up == 0 || data->kind == AST_FUNCTION || data->kind == AST_LAMBDA ||
            data->kind == AST_CLAUSE ||
            (data->kind == AST_LOOP && data->value.loop.run != RUN_SERIAL &&
             !(deals && shared_work)) ||
            (data->kind == AST_REGION && (allowed & 1u << data->op) == 0))
            return false;
    }
    return true;
}

/* ---- other ways to the variable ---- */

static bool in_loop_around(const Question *q, AstNode node)
{
    for (AstNode up = ast_parent(q->ast, q->construct); up != 0; up = ast_parent(q->ast, up))
        if (ast_kind(q->ast, up) == AST_LOOP && ast_holds(q->ast, up, node))
            return true;
    return false;
}

/* double &r = s */
static bool binds(const Question *q, AstNode node)
{
    const AstNodeData *data = ast_at(q->ast, node);
    const AstTypeData *own = &q->ast->types.items[q->ast->symbols.items[q->symbol].type];
    return q->unit->language == LANGUAGE_CPP && data->kind == AST_DECL &&
           q->ast->types.items[q->ast->symbols.items[data->symbol].type].kind == TYPE_POINTER &&
           own->kind != TYPE_POINTER && ast_first(q->ast, node) != 0 &&
           is_variable(q, ast_without_casts(q->ast, ast_first(q->ast, node)));
}

/* In a function inside the function: a lambda is an OTHER with its block. */
static bool is_captured(const Question *q, AstNode name)
{
    if (ast_function_of(q->ast, name) != ast_function_of(q->ast, q->construct))
        return true;
    AstNode at = name;
    for (AstNode up = ast_parent(q->ast, at); up != 0 && ast_kind(q->ast, up) != AST_FUNCTION;
         at = up, up = ast_parent(q->ast, up))
        if (ast_kind(q->ast, up) == AST_OTHER && ast_kind(q->ast, at) == AST_BLOCK)
            return true;
    return false;
}

/* A pointer, a reference or a nested function leads to it while the construct runs: one that is
 * made only behind the construct does not. */
static bool has_alias(const Question *q)
{
    const AstSymbolData *data = &q->ast->symbols.items[q->symbol];
    bool local = data->kind == SYMBOL_LOCAL || data->kind == SYMBOL_PARAM;
    AstNode first = local ? program_function_data(q->facts->program, q->function)->node : 1;
    AstNode stop = local ? ast_end(q->ast, first) : q->ast->nodes.count;
    for (AstNode node = first; node < stop; node++) {
        bool taken =
            (ast_kind(q->ast, node) == AST_ADDRESS && is_variable(q, ast_first(q->ast, node))) ||
            binds(q, node);
        bool behind = local && node >= ast_end(q->ast, q->construct) && !in_loop_around(q, node);
        if (taken && !behind)
            return true;
        if (local && is_variable(q, node) && is_captured(q, node))
            return true;
    }
    return false;
}

static bool calls_may_use(const Question *q, const Unit *unit, AstNode root, int depth);

static bool callee_may_use(const Question *q, const Unit *unit, AstNode call, int depth)
{
    FunctionId callee = facts_callee(q->facts, unit, call);
    if (callee == 0)
        return library_call(q->facts, unit, call) == NULL && !is_math(unit->ast, call);
    if (depth >= DEEPEST_CALL)
        return true;
    const Unit *there = program_function_unit(q->facts->program, callee);
    AstNode root = program_function_data(q->facts->program, callee)->node;
    Sym sym = sym_global(q->facts, q->unit, q->symbol);
    FOR_EACH_NODE (there->ast, node, root) {
        AstSymbol symbol = ast_kind(there->ast, node) == AST_NAME ? ast_at(there->ast, node)->symbol
                                                                  : 0;
        if (symbol != 0 && sym_global(q->facts, there, symbol) == sym)
            return true;
    }
    return calls_may_use(q, there, root, depth + 1);
}

static bool calls_may_use(const Question *q, const Unit *unit, AstNode root, int depth)
{
    FOR_EACH_NODE (unit->ast, node, root)
        if (ast_kind(unit->ast, node) == AST_CALL && callee_may_use(q, unit, node, depth))
            return true;
    return false;
}

static bool is_reachable_otherwise(const Question *q)
{
    uint8_t kind = q->ast->symbols.items[q->symbol].kind;
    bool global = kind == SYMBOL_GLOBAL || kind == SYMBOL_STATIC;
    return has_alias(q) || (global && calls_may_use(q, q->unit, q->construct, 0));
}

/* ---- types ---- */

static const AstTypeData *type_of(const Question *q)
{
    return &q->ast->types.items[q->ast->symbols.items[q->symbol].type];
}

static bool is_plain(const Question *q)
{
    const AstSymbolData *data = &q->ast->symbols.items[q->symbol];
    bool variable = data->kind == SYMBOL_LOCAL || data->kind == SYMBOL_PARAM ||
                    data->kind == SYMBOL_STATIC || data->kind == SYMBOL_GLOBAL;
    return variable &&
           (data->flags &
            (SYMBOL_ATOMIC | SYMBOL_CONST | SYMBOL_THREADPRIVATE | SYMBOL_REGISTER)) == 0 &&
           (type_of(q)->flags & (TYPE_CONST | TYPE_VOLATILE | TYPE_ATOMIC)) == 0;
}

/* What is stored fits without a loss that depends on the partial result: s += 0.5 truncates an int
 * each time. */
static bool fits(const Question *q, AstNode value, const char *word)
{
    const AstTypeData *to = type_of(q), *from = &q->ast->types.items[ast_at(q->ast, value)->type];
    bool extreme = word[0] == 'm';
    if (ast_kind(q->ast, value) == AST_INT) /* also the 1 of ++, which has no type of its own */
        return to->kind != TYPE_BOOL || word[0] == '|' || word[0] == '&';
    if (to->kind == TYPE_REAL)
        return (from->kind == TYPE_REAL || from->kind == TYPE_INT) &&
               (!extreme || from->kind == TYPE_INT || from->size <= to->size);
    if (from->kind != TYPE_INT && from->kind != TYPE_BOOL && from->kind != TYPE_ENUM)
        return false;
    if (to->kind == TYPE_BOOL)
        return word[0] == '|' || word[0] == '&';
    bool sign = ((from->flags ^ to->flags) & TYPE_UNSIGNED) == 0;
    return !extreme || (sign && from->size <= to->size);
}

static bool reduces(const AstTypeData *type, const char *word)
{
    if (type->kind == TYPE_REAL)
        return word[0] == '+' || word[0] == '*' || word[0] == 'm';
    return type->kind == TYPE_INT ||
           (type->kind == TYPE_BOOL && (word[0] == '|' || word[0] == '&'));
}

/* ---- reductions ---- */

/* The value that is brought in by an update: of s = s + e all of it, which has the same type. */
static const char *operator_of_update(const Question *q, AstNode assign)
{
    AstNode value = ast_child(q->ast, assign, 1);
    AstOp op = (AstOp)ast_at(q->ast, assign)->op;
    const char *word = NULL;
    if (!ast_is_statement(q->ast, assign))
        return NULL;
    if (op != OP_NONE)
        word = names(q, value) ? NULL : operator_word(op);
    else if (names(q, value))
        word = operator_of_value(q, ast_without_casts(q->ast, value));
    else
        word = operator_of_branch(q, assign);
    return word != NULL && fits(q, value, word) && reduces(type_of(q), word) ? word : NULL;
}

/* The ASSIGN that a use of the variable is part of, as its target, its old value, or in the test of
 * the branch around; 0 none. */
static AstNode update_around(const Question *q, AstNode use)
{
    AstNode at = use;
    for (AstNode up = ast_parent(q->ast, at); up != q->construct; up = ast_parent(q->ast, up)) {
        AstKind kind = ast_kind(q->ast, up);
        if (kind == AST_ASSIGN)
            return is_variable(q, ast_first(q->ast, up)) ? up : 0;
        if (kind == AST_BRANCH && ast_first(q->ast, up) == at) {
            AstNode then = ast_child(q->ast, up, 1);
            FOR_EACH_NODE (q->ast, node, then)
                if (ast_kind(q->ast, node) == AST_ASSIGN && branch_of(q, node) == up)
                    return is_variable(q, ast_first(q->ast, node)) &&
                                   ast_at(q->ast, node)->op == OP_NONE &&
                                   operator_of_branch(q, node) != NULL
                               ? node
                               : 0;
            return 0;
        }
        at = up;
    }
    return 0;
}

const char *clause_reduction(const Facts *facts, FunctionId function, AstNode construct,
                             AstSymbol symbol)
{
    Question q = question_of(facts, function, construct, symbol);
    const char *word = NULL;
    if (symbol == 0 || !is_plain(&q) || is_reachable_otherwise(&q))
        return NULL;
    FOR_EACH_NODE (q.ast, node, construct) {
        if (ast_kind(q.ast, node) == AST_CLAUSE) {
            node = ast_end(q.ast, node) - 1;
            continue;
        }
        if (!is_variable(&q, node))
            continue;
        AstNode assign = update_around(&q, node);
        const char *own = assign == 0 ? NULL : operator_of_update(&q, assign);
        if (own == NULL || (word != NULL && strcmp(word, own) != 0) ||
            !is_in_serial_code(&q, node, 1u << REGION_ATOMIC | 1u << REGION_CRITICAL, false))
            return NULL;
        word = own;
    }
    return word;
}

/* ---- private ---- */

bool clause_private(const Facts *facts, FunctionId function, AstNode construct, AstSymbol symbol)
{
    Question q = question_of(facts, function, construct, symbol);
    uint8_t kind = type_of(&q)->kind;
    if (symbol == 0 || !is_plain(&q) ||
        (kind != TYPE_INT && kind != TYPE_REAL && kind != TYPE_BOOL && kind != TYPE_ENUM &&
         kind != TYPE_COMPLEX && (kind != TYPE_POINTER || q.unit->language == LANGUAGE_CPP)) ||
        is_reachable_otherwise(&q))
        return false;
    FOR_EACH_NODE (q.ast, node, construct)
        if (is_variable(&q, node) && ast_kind(q.ast, ast_parent(q.ast, node)) != AST_CLAUSE &&
            !is_in_serial_code(&q, node, 1u << REGION_CRITICAL, true))
            return false;
    return true;
}

/* ---- guards that a reduction makes needless ---- */

/* Nothing of what the region computes can be written by others meanwhile, as far as that region is
 * what prevents it. */
static bool is_only_one(const Question *q, AstNode region)
{
    for (uint32_t i = 0; i < q->facts->program->unit_count; i++) {
        const Unit *unit = q->facts->program->units[i];
        for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
            const AstNodeData *data = ast_at(unit->ast, node);
            if (data->kind != AST_REGION || data->op != REGION_CRITICAL ||
                data->name != ast_at(q->ast, region)->name || (unit == q->unit && node == region))
                continue;
            if (unit != q->unit || !ast_holds(q->ast, q->construct, node) || !names(q, node))
                return false;
        }
    }
    return true;
}

static uint32_t assignments(const Ast *ast, AstNode within)
{
    uint32_t count = 0;
    FOR_EACH_NODE (ast, node, within)
        count += ast_kind(ast, node) == AST_ASSIGN || ast_kind(ast, node) == AST_DECL;
    return count;
}

/* One statement, alone or in braces. */
static bool is_one_statement(const Ast *ast, AstNode body)
{
    while (ast_kind(ast, body) == AST_BLOCK) {
        if (ast_child_count(ast, body) != 1)
            return false;
        body = ast_first(ast, body);
    }
    return assignments(ast, body) == 1;
}

bool clause_guards(const Facts *facts, Arena *arena, FunctionId function, AstNode construct,
                   AstSymbol symbol, ClauseRegions *regions)
{
    Question q = question_of(facts, function, construct, symbol);
    FOR_EACH_NODE (q.ast, node, construct) {
        const AstNodeData *data = ast_at(q.ast, node);
        AstNode body = data->kind == AST_REGION ? ast_first(q.ast, node) : 0;
        if (data->kind != AST_REGION ||
            (data->op != REGION_ATOMIC && data->op != REGION_CRITICAL) || body == 0 ||
            !names(&q, body))
            continue;
        bool plain = ast_next(q.ast, body) == 0 && is_one_statement(q.ast, body);
        if (data->op == REGION_ATOMIC)
            plain = is_one_statement(q.ast, body) && data->value.integer == ATOMIC_UPDATE;
        else
            plain &= is_only_one(&q, node) && is_pure(&q, body);
        FOR_EACH_CHILD (q.ast, clause, node)
            plain &= clause == body ||
                     strcmp(intern_text(q.ast->names, ast_at(q.ast, clause)->name), "update") == 0;
        if (!plain)
            return false;
        LIST_PUSH(arena, regions, node);
    }
    return true;
}
