/* Expressions in clauses, from tokens: `n > 1000`, `a[0:n]`, `omp_get_num_procs() / 2`. The tree is
 * built in pre-order, so a range of tokens is cut at its loosest operator first. What is not
 * understood becomes OTHER. */
#include "frontends/c/lower.h"

#include <stdlib.h>
#include <string.h>

typedef struct Cut {
    Lower *l;
    const Pragma *pragma;
    const OmpToken *tokens;
} Cut;

static void expression(Cut *c, uint32_t first, uint32_t stop);

static bool is(const Cut *c, uint32_t at, const char *text)
{
    return strcmp(c->tokens[at].text, text) == 0;
}

static Span span_of(const Cut *c, uint32_t first, uint32_t stop)
{
    Span span = c->pragma->span;
    if (c->pragma->text != NOWHERE && stop > first) {
        span.start = c->pragma->text + c->tokens[first].start;
        span.stop = c->pragma->text + c->tokens[stop - 1].stop;
    }
    return span;
}

static AstNode open(Cut *c, AstKind kind, uint32_t first, uint32_t stop)
{
    return lower_open(c->l, kind, span_of(c, first, stop));
}

static void shut(Cut *c, AstNode node)
{
    ast_close(c->l->ast, node);
}

static bool opens(const Cut *c, uint32_t at)
{
    return is(c, at, "(") || is(c, at, "[");
}

static bool closes(const Cut *c, uint32_t at)
{
    return is(c, at, ")") || is(c, at, "]");
}

/* The bracket that closes the one at `at`, or stop. */
static uint32_t closing(const Cut *c, uint32_t at, uint32_t stop)
{
    for (int depth = 0; at < stop; at++) {
        depth += opens(c, at);
        if (closes(c, at) && --depth == 0)
            return at;
    }
    return stop;
}

/* The bracket that the one at `stop - 1` closes, or stop. */
static uint32_t opening(const Cut *c, uint32_t first, uint32_t stop)
{
    int depth = 0;
    for (uint32_t at = stop; at-- > first;) {
        depth += closes(c, at);
        if (opens(c, at) && --depth == 0)
            return at;
    }
    return stop;
}

/* The first `mark` outside brackets, or stop. */
static uint32_t find(const Cut *c, uint32_t first, uint32_t stop, const char *mark)
{
    int depth = 0;
    for (uint32_t at = first; at < stop; at++) {
        depth += opens(c, at);
        depth -= closes(c, at);
        if (depth == 0 && is(c, at, mark))
            return at;
    }
    return stop;
}

static const struct Operator {
    const char *text;
    uint8_t level; /* 0 binds loosest */
    AstKind kind;
    AstOp op;
} operators[] = {
    {"||", 0, AST_LOGIC, OP_LOGIC_OR}, {"&&", 1, AST_LOGIC, OP_LOGIC_AND},
    {"|", 2, AST_BINARY, OP_OR},       {"^", 3, AST_BINARY, OP_XOR},
    {"&", 4, AST_BINARY, OP_AND},      {"==", 5, AST_COMPARE, OP_EQ},
    {"!=", 5, AST_COMPARE, OP_NE},     {"<", 6, AST_COMPARE, OP_LT},
    {">", 6, AST_COMPARE, OP_GT},      {"<=", 6, AST_COMPARE, OP_LE},
    {">=", 6, AST_COMPARE, OP_GE},     {"<<", 7, AST_BINARY, OP_SHL},
    {">>", 7, AST_BINARY, OP_SHR},     {"+", 8, AST_BINARY, OP_ADD},
    {"-", 8, AST_BINARY, OP_SUB},      {"*", 9, AST_BINARY, OP_MUL},
    {"/", 9, AST_BINARY, OP_DIV},      {"%", 9, AST_BINARY, OP_MOD},
};

static const struct Operator *operator_at(const Cut *c, uint32_t at)
{
    for (size_t i = 0; c->tokens[at].kind == OMP_MARK && i < sizeof operators / sizeof *operators;
         i++)
        if (is(c, at, operators[i].text))
            return &operators[i];
    return NULL;
}

static bool ends_operand(const Cut *c, uint32_t at)
{
    return c->tokens[at].kind != OMP_MARK || closes(c, at);
}

/* The loosest binary operator, the last of its level; stop if there is none. */
static uint32_t loosest(const Cut *c, uint32_t first, uint32_t stop)
{
    uint32_t best = stop;
    int depth = 0;
    for (uint32_t at = first; at < stop; at++) {
        depth += opens(c, at);
        depth -= closes(c, at);
        const struct Operator *here =
            depth == 0 && at > first && ends_operand(c, at - 1) ? operator_at(c, at) : NULL;
        if (here != NULL && (best == stop || here->level <= operator_at(c, best)->level))
            best = at;
    }
    return best;
}

static void name(Cut *c, uint32_t at)
{
    Ast *ast = c->l->ast;
    Name text = intern(ast->names, c->tokens[at].text);
    AstSymbol symbol = scope_find(c->l, text);
    AstNode node = open(c, AST_NAME, at, at + 1);
    ast_at(ast, node)->name = text;
    ast_at(ast, node)->symbol = symbol;
    ast_at(ast, node)->type = ast->symbols.items[symbol].type;
    shut(c, node);
}

static void number(Cut *c, uint32_t at)
{
    char *end = NULL;
    const char *text = c->tokens[at].text;
    bool real = strpbrk(text, ".eEpP") != NULL && !(text[0] == '0' && (text[1] | 32) == 'x');
    AstNode node = open(c, real ? AST_REAL : AST_INT, at, at + 1);
    if (real)
        ast_at(c->l->ast, node)->value.real = strtod(text, &end);
    else
        ast_at(c->l->ast, node)->value.integer = strtoll(text, &end, 0);
    shut(c, node);
}

/* OpenMP writes `low : length`; the tree writes low and high. */
static void section(Cut *c, uint32_t first, uint32_t stop)
{
    uint32_t colon = find(c, first, stop, ":"),
             second = colon + 1 < stop ? find(c, colon + 1, stop, ":") : stop;
    bool from_zero = colon == first || (colon == first + 1 && is(c, first, "0"));
    AstNode node = open(c, AST_SLICE, first, stop);
    expression(c, first, colon);
    if (from_zero || colon + 1 >= second) {
        expression(c, colon + 1, second);
    } else {
        AstNode high = open(c, AST_BINARY, first, second);
        ast_at(c->l->ast, high)->op = OP_ADD;
        expression(c, first, colon);
        expression(c, colon + 1, second);
        shut(c, high);
    }
    expression(c, second + 1, stop);
    shut(c, node);
}

static void index_or_call(Cut *c, uint32_t first, uint32_t stop)
{
    uint32_t at = opening(c, first, stop);
    bool is_index = is(c, at, "[");
    AstNode node = open(c, is_index ? AST_INDEX : AST_CALL, first, stop);
    expression(c, first, at);
    if (is_index && find(c, at + 1, stop - 1, ":") < stop - 1) {
        section(c, at + 1, stop - 1);
    } else {
        for (uint32_t from = at + 1; from < stop - 1;) {
            uint32_t comma = find(c, from, stop - 1, ",");
            expression(c, from, comma);
            from = comma + 1;
        }
    }
    shut(c, node);
}

static void field(Cut *c, uint32_t first, uint32_t stop)
{
    AstNode node = open(c, AST_FIELD, first, stop);
    ast_at(c->l->ast, node)->name = intern(c->l->ast->names, c->tokens[stop - 1].text);
    if (is(c, stop - 2, "->"))
        ast_at(c->l->ast, node)->flags |= AST_ARROW;
    expression(c, first, stop - 2);
    shut(c, node);
}

static void postfix(Cut *c, uint32_t first, uint32_t stop)
{
    bool bracket = closes(c, stop - 1) && opening(c, first, stop) > first &&
                   opening(c, first, stop) < stop;
    bool member = stop - first > 2 && c->tokens[stop - 1].kind == OMP_WORD &&
                  (is(c, stop - 2, "->") || is(c, stop - 2, "."));
    if (bracket)
        index_or_call(c, first, stop);
    else if (member)
        field(c, first, stop);
    else
        shut(c, open(c, AST_OTHER, first, stop));
}

static bool prefix(Cut *c, uint32_t first, uint32_t stop)
{
    static const struct {
        const char *text;
        AstKind kind;
        AstOp op;
    } table[] = {{"!", AST_UNARY, OP_NOT},  {"~", AST_UNARY, OP_INVERT}, {"-", AST_UNARY, OP_NEG},
                 {"+", AST_UNARY, OP_PLUS}, {"&", AST_ADDRESS, OP_NONE}, {"*", AST_DEREF, OP_NONE}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (c->tokens[first].kind != OMP_MARK || !is(c, first, table[i].text))
            continue;
        AstNode node = open(c, table[i].kind, first, stop);
        ast_at(c->l->ast, node)->op = (uint8_t)table[i].op;
        expression(c, first + 1, stop);
        shut(c, node);
        return true;
    }
    return false;
}

static void conditional(Cut *c, uint32_t first, uint32_t question, uint32_t stop)
{
    uint32_t colon = find(c, question + 1, stop, ":");
    AstNode node = open(c, AST_CONDITIONAL, first, stop);
    expression(c, first, question);
    expression(c, question + 1, colon);
    expression(c, colon + 1, stop);
    shut(c, node);
}

static void binary(Cut *c, uint32_t first, uint32_t at, uint32_t stop)
{
    const struct Operator *op = operator_at(c, at);
    AstNode node = open(c, op->kind, first, stop);
    ast_at(c->l->ast, node)->op = (uint8_t)op->op;
    expression(c, first, at);
    expression(c, at + 1, stop);
    shut(c, node);
}

static void single(Cut *c, uint32_t at)
{
    if (c->tokens[at].kind == OMP_WORD)
        name(c, at);
    else if (c->tokens[at].kind == OMP_NUMBER)
        number(c, at);
    else
        shut(c, open(c, c->tokens[at].kind == OMP_STRING ? AST_STRING : AST_OTHER, at, at + 1));
}

static void expression_inside(Cut *c, uint32_t first, uint32_t stop)
{
    uint32_t question = find(c, first, stop, "?"), at = loosest(c, first, stop);
    bool parenthesis = is(c, first, "(");
    uint32_t close = parenthesis ? closing(c, first, stop) : stop;
    if (stop - first == 1)
        single(c, first);
    else if (parenthesis && close == stop - 1 && stop - first > 2)
        expression(c, first + 1, stop - 1);
    else if (question < stop)
        conditional(c, first, question, stop);
    else if (at < stop)
        binary(c, first, at, stop);
    else if (prefix(c, first, stop))
        return;
    else if (is(c, first, "sizeof"))
        shut(c, open(c, AST_SIZEOF, first, stop));
    else if (parenthesis && close + 1 < stop &&
             (c->tokens[close + 1].kind != OMP_MARK || is(c, close + 1, "(")))
        expression(c, close + 1, stop); /* a cast */
    else
        postfix(c, first, stop);
}

static void expression(Cut *c, uint32_t first, uint32_t stop)
{
    if (first >= stop) {
        ast_none(c->l->ast);
        return;
    }
    if (c->l->depth >= DEPTH_MOST) {
        shut(c, open(c, AST_OTHER, first, stop));
        return;
    }
    c->l->depth++;
    expression_inside(c, first, stop);
    c->l->depth--;
}

void clause_expression(Lower *l, const Pragma *pragma, uint32_t first, uint32_t count)
{
    Cut cut = {l, pragma, pragma->directive->tokens.items};
    expression(&cut, first, first + count);
}
