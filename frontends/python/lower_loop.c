/* Loops: which of them count, and by what name their range goes. */
#include "frontends/python/python.h"

#include <string.h>

enum { LONGEST_CHAIN = 6 /* aliases of a range that are followed inside a function */ };

/* A call of range, prange or one of their kin. */
typedef struct RangeCall {
    SyntaxId call;
    SyntaxId callee; /* what it is called by: an identifier or an attribute */
    bool choice;     /* prange or range, as a condition decides */
} RangeCall;

/* ---- names of ranges ---- */

static bool among(const char *text, size_t length, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strlen(*words) == length && memcmp(*words, text, length) == 0)
            return true;
    return false;
}

static const char *find(const char *text, size_t length, const char *word)
{
    return memmem(text, length, word, strlen(word));
}

/* range, prange, xrange, numpy.arange, tqdm's trange, _prange, parallel_range, prange_, … but not
 * date_range or get_range: these give anything. */
static bool names_range(const char *text, size_t length)
{
    static const char *const before[] = {"",        "x",      "a",       "t",  "parallel_", "par_",
                                         "serial_", "numba_", "nb_",     "p_", "n_",        "loop_",
                                         "jit_",    "my_",    "unroll_", NULL};
    if (find(text, length, "prange") != NULL)
        return true;
    const char *at = find(text, length, "range");
    if (at == NULL || (at[5 < length - (size_t)(at - text) ? 5 : 0] != 'r' &&
                       at + 5 < text + length && at[5] != '_'))
        return false;
    while (length > 0 && *text == '_' && text < at) {
        text++;
        length--;
    }
    return among(text, (size_t)(at - text), before);
}

static bool is_prange_name(const Lowering *l, SyntaxId node)
{
    const SyntaxNode *data = &l->nodes[node];
    return find(l->text + data->start, data->stop - data->start, "prange") != NULL;
}

static SyntaxId strip(const Lowering *l, SyntaxId node)
{
    while (node != 0 && syntax_kind(l, node) == SYNTAX_PARENTHESIZED)
        node = syntax_operand(l, node);
    return node;
}

static void split_conditional(const Lowering *l, SyntaxId node, SyntaxId *then, SyntaxId *otherwise)
{
    *then = syntax_operand(l, node);
    SyntaxId condition = *then == 0 ? 0 : syntax_next(l, node, *then);
    *otherwise = condition == 0 ? 0 : syntax_next(l, node, condition);
}

/* The values of a variable of this file that is assigned once or twice, under its name. */
static Binding *variable(Lowering *l, SyntaxId identifier)
{
    AstSymbol symbol = python_scope_find(l, syntax_name(l, identifier));
    AstSymbolKind kind = (AstSymbolKind)l->ast->symbols.items[symbol].kind;
    Binding *binding = symbol == 0 ? NULL : scope_binding(l, symbol);
    bool known = (kind == SYMBOL_LOCAL || kind == SYMBOL_GLOBAL) && binding->values[0] != 0 &&
                 binding->count == 1 + (binding->values[1] != 0);
    return known ? binding : NULL;
}

/* Of two, the one that is a prange: in front. True if they can be a choice between a prange and a
 * range. */
static bool order_choice(const Lowering *l, RangeCall *first, RangeCall *second)
{
    bool swap = !is_prange_name(l, first->callee) && is_prange_name(l, second->callee);
    if (swap) {
        RangeCall kept = *first;
        *first = *second;
        *second = kept;
    }
    return is_prange_name(l, first->callee);
}

static bool range_callee(Lowering *l, SyntaxId node, RangeCall *found, int depth);

static bool either_callee(Lowering *l, SyntaxId one, SyntaxId two, RangeCall *found, int depth)
{
    RangeCall other = {0};
    if (one == 0 || two == 0 || !range_callee(l, one, found, depth + 1) ||
        !range_callee(l, two, &other, depth + 1))
        return false;
    bool choice = order_choice(l, found, &other);
    found->choice |= choice;
    return true;
}

/* Whether an expression in the place of a callee names a range; sets found->callee. */
static bool range_callee(Lowering *l, SyntaxId node, RangeCall *found, int depth)
{
    node = strip(l, node);
    if (node == 0 || depth > LONGEST_CHAIN)
        return false;
    SyntaxKind kind = syntax_kind(l, node);
    SyntaxId one, two;
    if (kind == SYNTAX_CONDITIONAL) {
        split_conditional(l, node, &one, &two);
        return either_callee(l, one, two, found, depth);
    }
    Binding *binding = kind == SYNTAX_IDENTIFIER ? variable(l, node) : NULL;
    if (binding != NULL && binding->values[1] == 0 &&
        range_callee(l, binding->values[0], found, depth + 1))
        return true;
    if (binding != NULL && binding->values[1] != 0 &&
        either_callee(l, binding->values[0], binding->values[1], found, depth))
        return true;
    found->callee = node;
    Name qualified =
        kind == SYNTAX_IDENTIFIER || kind == SYNTAX_ATTRIBUTE ? imports_qualified(l, node) : 0;
    if (qualified != 0) {
        const char *text = intern_text(l->ast->names, qualified), *dot = strrchr(text, '.');
        text = dot == NULL ? text : dot + 1;
        return names_range(text, strlen(text));
    }
    if (kind == SYNTAX_ATTRIBUTE)
        return is_prange_name(l, node);
    const SyntaxNode *data = &l->nodes[node];
    return kind == SYNTAX_IDENTIFIER &&
           names_range(l->text + data->start, data->stop - data->start);
}

/* ---- calls of ranges ---- */

static uint32_t positional_arguments(const Lowering *l, SyntaxId call)
{
    SyntaxId arguments = syntax_labelled(l, call, LABEL_ARGUMENTS);
    uint32_t count = 0;
    if (arguments == 0 || syntax_kind(l, arguments) != SYNTAX_ARGUMENTS)
        return 0;
    FOR_EACH_PART(l, part, arguments)
    {
        SyntaxKind kind = syntax_kind(l, part);
        if (kind == SYNTAX_KEYWORD_ARGUMENT || kind == SYNTAX_LIST_SPLAT ||
            kind == SYNTAX_DICT_SPLAT)
            return 0;
        count += kind <= SYNTAX_OTHER;
    }
    return count;
}

static bool range_call(Lowering *l, SyntaxId node, RangeCall *found, int depth);

static bool either_call(Lowering *l, SyntaxId one, SyntaxId two, RangeCall *found, int depth)
{
    RangeCall other = {0};
    if (one == 0 || two == 0 || !range_call(l, one, found, depth + 1) ||
        !range_call(l, two, &other, depth + 1))
        return false;
    if (!order_choice(l, found, &other))
        return false; /* two ranges with limits of their own */
    found->choice = true;
    return true;
}

/* Whether what is looped over is a call of a range: prange(n); prange(n) if many else range(n); a
 * variable that holds one of these. */
static bool range_call(Lowering *l, SyntaxId node, RangeCall *found, int depth)
{
    node = strip(l, node);
    if (node == 0 || depth > LONGEST_CHAIN)
        return false;
    SyntaxId one, two;
    switch (syntax_kind(l, node)) {
    case SYNTAX_CALL: {
        uint32_t count = positional_arguments(l, node);
        found->call = node;
        return count >= 1 && count <= 3 &&
               range_callee(l, syntax_labelled(l, node, LABEL_FUNCTION), found, depth + 1);
    }
    case SYNTAX_CONDITIONAL:
        split_conditional(l, node, &one, &two);
        return either_call(l, one, two, found, depth);
    case SYNTAX_IDENTIFIER: {
        const Binding *binding = variable(l, node);
        if (binding == NULL)
            return false;
        SyntaxId first = binding->values[0], second = binding->values[1];
        return second == 0 ? range_call(l, first, found, depth + 1)
                           : either_call(l, first, second, found, depth);
    }
    default:
        return false;
    }
}

/* ---- lowering ---- */

static void name_loop(Lowering *l, AstNode loop, const RangeCall *range)
{
    Name qualified = imports_qualified(l, range->callee);
    bool plain = syntax_kind(l, range->callee) == SYNTAX_IDENTIFIER;
    Name name = qualified != 0 ? qualified : syntax_name(l, range->callee);
    AstSymbol symbol = qualified == 0 && plain ? python_scope_find(l, name) : 0;
    AstNodeData *data = ast_at(l->ast, loop);
    data->name = name;
    data->symbol = symbol;
    data->flags |= qualified != 0 ? AST_QUALIFIED : 0;
    data->value.loop.flags |= range->choice ? LOOP_RUNTIME_CHOICE : 0;
}

/* target, first, limit, step of `for target in iterable`. */
static void lower_header(Lowering *l, AstNode loop, SyntaxId target, SyntaxId iterable)
{
    RangeCall range = {0};
    bool counted = iterable != 0 && range_call(l, iterable, &range, 0);
    ast_at(l->ast, loop)->op = counted ? LOOP_COUNTED : LOOP_EACH;
    lower_target(l, target);
    if (!counted) {
        python_lower_expression(l, iterable);
        ast_none(l->ast);
        ast_none(l->ast);
        return;
    }
    name_loop(l, loop, &range);
    SyntaxId arguments[3] = {0};
    uint32_t count = 0;
    SyntaxId list = syntax_labelled(l, range.call, LABEL_ARGUMENTS);
    FOR_EACH_PART(l, part, list)
    if (syntax_kind(l, part) <= SYNTAX_OTHER)
        arguments[count++] = part;
    python_lower_expression(l, count == 1 ? 0 : arguments[0]);
    python_lower_expression(l, count == 1 ? arguments[0] : arguments[1]);
    python_lower_expression(l, arguments[2]);
}

static void mark(Lowering *l, AstNode loop, SyntaxId node)
{
    SyntaxId first = syntax_first(l, node);
    uint16_t flags = first != 0 && syntax_kind(l, first) == TOKEN_ASYNC ? AST_ASYNC : 0;
    flags |= (l->nodes[node].flags & SYNTAX_BROKEN) != 0 ? AST_DOUBTFUL : 0;
    ast_at(l->ast, loop)->flags |= flags;
}

static void lower_else(Lowering *l, SyntaxId node)
{
    SyntaxId otherwise = syntax_labelled(l, node, LABEL_ALTERNATIVE);
    SyntaxId body = otherwise == 0 ? 0 : syntax_labelled(l, otherwise, LABEL_BODY);
    if (body != 0)
        python_lower_body(l, body);
}

void python_lower_for(Lowering *l, SyntaxId node)
{
    AstNode loop = python_lower_open(l, AST_LOOP, node);
    mark(l, loop, node);
    lower_header(l, loop, syntax_labelled(l, node, LABEL_LEFT),
                 syntax_labelled(l, node, LABEL_RIGHT));
    python_lower_body(l, syntax_labelled(l, node, LABEL_BODY));
    ast_close(l->ast, loop);
    lower_else(l, node);
}

void lower_while(Lowering *l, SyntaxId node)
{
    AstNode loop = python_lower_open(l, AST_LOOP, node);
    ast_at(l->ast, loop)->op = LOOP_WHILE;
    mark(l, loop, node);
    ast_none(l->ast);
    ast_none(l->ast);
    python_lower_expression(l, syntax_labelled(l, node, LABEL_CONDITION));
    ast_none(l->ast);
    python_lower_body(l, syntax_labelled(l, node, LABEL_BODY));
    ast_close(l->ast, loop);
    lower_else(l, node);
}

static void lower_element(Lowering *l, SyntaxId body)
{
    if (body == 0 || syntax_kind(l, body) != SYNTAX_PAIR) {
        python_lower_expression(l, body);
        return;
    }
    AstNode pair = python_lower_open(l, AST_TUPLE, body);
    lower_parts(l, body);
    ast_close(l->ast, pair);
}

static void lower_comprehension_part(Lowering *l, SyntaxId part)
{
    if (syntax_kind(l, part) == SYNTAX_IF_CLAUSE) {
        python_lower_expression(l, part);
    } else if (syntax_kind(l, part) == SYNTAX_FOR_IN) {
        AstNode loop = python_lower_open(l, AST_LOOP, part);
        lower_header(l, loop, syntax_labelled(l, part, LABEL_LEFT),
                     syntax_labelled(l, part, LABEL_RIGHT));
        ast_none(l->ast);
        ast_close(l->ast, loop);
    }
}

void lower_comprehension(Lowering *l, SyntaxId node)
{
    SyntaxKind kind = syntax_kind(l, node);
    const char *word = kind == SYNTAX_LIST_COMPREHENSION   ? "list"
                       : kind == SYNTAX_SET_COMPREHENSION  ? "set"
                       : kind == SYNTAX_DICT_COMPREHENSION ? "dict"
                                                           : "generator";
    Scope scope;
    scope_enter(l, &scope, SCOPE_COMPREHENSION, l->scope->function, l->scope->prefix);
    FOR_EACH_PART(l, part, node)
    {
        SyntaxId left = syntax_kind(l, part) == SYNTAX_FOR_IN ? syntax_labelled(l, part, LABEL_LEFT)
                                                              : 0;
        if (left != 0)
            scope_collect_targets(l, left);
    }
    AstNode made = python_lower_open(l, AST_COMPREHENSION, node);
    Name name = intern(l->ast->names, word);
    ast_at(l->ast, made)->name = name;
    lower_element(l, syntax_labelled(l, node, LABEL_BODY));
    FOR_EACH_PART(l, part, node)
    lower_comprehension_part(l, part);
    ast_close(l->ast, made);
    scope_leave(l);
}
