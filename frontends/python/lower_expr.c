/* Expressions: Python's to ours. */
#include "frontends/python/python.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 4096 /* bytes of a string that are kept */ };

/* ---- parts of syntax ---- */

SyntaxId syntax_labelled(const Lowering *l, SyntaxId node, Label label)
{
    FOR_EACH_PART(l, part, node)
    if (l->nodes[part].label == label)
        return part;
    return 0;
}

SyntaxId syntax_operand(const Lowering *l, SyntaxId node)
{
    FOR_EACH_PART(l, part, node)
    if (syntax_kind(l, part) <= SYNTAX_OTHER)
        return part;
    return 0;
}

Name syntax_name(Lowering *l, SyntaxId node)
{
    const SyntaxNode *data = &l->nodes[node];
    return intern_add(l->ast->names, l->text + data->start, data->stop - data->start);
}

AstNode python_lower_open(Lowering *l, AstKind kind, SyntaxId node)
{
    return ast_open(l->ast, kind, 0, l->nodes[node].start, l->nodes[node].stop);
}

AstNode python_lower_leaf(Lowering *l, AstKind kind, SyntaxId node)
{
    return ast_leaf(l->ast, kind, 0, l->nodes[node].start, l->nodes[node].stop);
}

void lower_parts(Lowering *l, SyntaxId node)
{
    FOR_EACH_PART(l, part, node)
    if (syntax_kind(l, part) <= SYNTAX_OTHER)
        python_lower_expression(l, part);
}

static void lower_many(Lowering *l, AstKind kind, SyntaxId node)
{
    AstNode made = python_lower_open(l, kind, node);
    lower_parts(l, node);
    ast_close(l->ast, made);
}

/* ---- leaves ---- */

static void lower_constant(Lowering *l, SyntaxId node, Name text)
{
    ast_at(l->ast, python_lower_leaf(l, AST_CONSTANT, node))->name = text;
}

/* The number's text without underscores; false if it is too long for a number. */
static bool number_text(const Lowering *l, SyntaxId node, char *text, size_t size)
{
    size_t length = 0;
    for (uint32_t at = l->nodes[node].start; at < l->nodes[node].stop; at++) {
        if (l->text[at] == '_')
            continue;
        if (length + 1 >= size)
            return false;
        text[length++] = l->text[at];
    }
    text[length] = '\0';
    return length > 0;
}

static bool parse_integer(const char *text, int64_t *value)
{
    int base = 10;
    if (text[0] == '0' && text[1] != '\0' && strchr("xXoObB", text[1]) != NULL) {
        base = text[1] == 'x' || text[1] == 'X' ? 16 : text[1] == 'o' || text[1] == 'O' ? 8 : 2;
        text += 2;
    }
    uint64_t sum = 0;
    for (; *text != '\0'; text++) {
        int digit = *text >= '0' && *text <= '9' ? *text - '0'
                    : (*text | 32) >= 'a'        ? (*text | 32) - 'a' + 10
                                                 : 99;
        if (digit >= base || sum > ((uint64_t)INT64_MAX - (uint64_t)digit) / (uint64_t)base)
            return false;
        sum = sum * (uint64_t)base + (uint64_t)digit;
    }
    *value = (int64_t)sum;
    return true;
}

static void lower_number(Lowering *l, SyntaxId node)
{
    char text[64];
    int64_t integer;
    bool whole = syntax_kind(l, node) == SYNTAX_INTEGER;
    if (!number_text(l, node, text, sizeof text) || strpbrk(text, "jJ") != NULL) {
        lower_constant(l, node, syntax_name(l, node)); /* imaginary, or of absurd length */
    } else if (whole && parse_integer(text, &integer)) {
        ast_at(l->ast, python_lower_leaf(l, AST_INT, node))->value.integer = integer;
    } else {
        double real = strtod(text, NULL);
        ast_at(l->ast, python_lower_leaf(l, AST_REAL, node))->value.real = real;
    }
}

static void lower_name(Lowering *l, SyntaxId node)
{
    Name name = syntax_name(l, node);
    AstSymbol symbol = python_scope_find(l, name);
    const AstSymbolData *known = &l->ast->symbols.items[symbol];
    AstNodeData *data = ast_at(l->ast, python_lower_leaf(l, AST_NAME, node));
    data->name = name;
    if (symbol != 0 && known->kind == SYMBOL_MODULE) {
        data->name = known->qualified;
        data->flags |= AST_QUALIFIED;
    } else {
        data->symbol = symbol;
    }
}

static void add_interpolations(Lowering *l, SyntaxId node)
{
    for (SyntaxId part = node + 1; part < l->nodes[node].end;) {
        SyntaxKind kind = syntax_kind(l, part);
        if (kind != SYNTAX_INTERPOLATION && kind != SYNTAX_FORMAT_EXPRESSION) {
            part++;
            continue;
        }
        SyntaxId value = syntax_labelled(l, part, LABEL_EXPRESSION);
        if (value != 0)
            python_lower_expression(l, value);
        part = value != 0 ? l->nodes[value].end
                          : l->nodes[part].end; /* the format may hold more of them */
    }
}

/* The text between the quotes, escapes as written; pieces of a concatenation are joined. */
static Name string_text(Lowering *l, SyntaxId node)
{
    char text[LONGEST_TEXT];
    size_t length = 0;
    const char *only = NULL;
    for (SyntaxId part = node; part < l->nodes[node].end; part++) {
        if (syntax_kind(l, part) != SYNTAX_STRING_CONTENT)
            continue;
        size_t more = l->nodes[part].stop - l->nodes[part].start;
        if (length + more > sizeof text)
            return 0;
        only = length == 0 ? l->text + l->nodes[part].start : NULL;
        memcpy(text + length, l->text + l->nodes[part].start, more);
        length += more;
    }
    return intern_add(l->ast->names, only != NULL ? only : text, length);
}

static void lower_string(Lowering *l, SyntaxId node)
{
    AstNode made = python_lower_open(l, AST_STRING, node);
    Name text = string_text(l, node);
    ast_at(l->ast, made)->name = text;
    add_interpolations(l, node);
    ast_close(l->ast, made);
}

/* ---- operators ---- */

static AstOp op_of(const Lowering *l, SyntaxId node)
{
    FOR_EACH_PART(l, part, node)
    if (syntax_kind(l, part) > SYNTAX_OTHER)
        return syntax_op(syntax_kind(l, part));
    return OP_NONE;
}

static void lower_operator(Lowering *l, AstKind kind, SyntaxId node, AstOp op)
{
    AstNode made = python_lower_open(l, kind, node);
    ast_at(l->ast, made)->op = (uint8_t)op;
    lower_parts(l, node);
    ast_close(l->ast, made);
}

/* `a not in b`, `a is not b`: there is no operator for these, so it is not (a in b). */
static void lower_comparison(Lowering *l, SyntaxId node)
{
    uint32_t negated = 0, operators = 0;
    FOR_EACH_PART(l, part, node)
    {
        SyntaxKind kind = syntax_kind(l, part);
        operators += kind > SYNTAX_OTHER;
        negated += kind == TOKEN_NOT_IN || kind == TOKEN_IS_NOT;
    }
    bool wrap = negated == 1 && operators == 1;
    AstNode outer = wrap ? python_lower_open(l, AST_UNARY, node) : 0;
    if (wrap)
        ast_at(l->ast, outer)->op = OP_NOT;
    lower_operator(l, AST_COMPARE, node, op_of(l, node));
    if (wrap)
        ast_close(l->ast, outer);
}

static void lower_unary(Lowering *l, SyntaxId node)
{
    AstOp op = op_of(l, node);
    lower_operator(l, AST_UNARY, node, op == OP_SUB ? OP_NEG : op == OP_ADD ? OP_PLUS : op);
}

static void lower_conditional(Lowering *l, SyntaxId node)
{
    SyntaxId then = syntax_operand(l, node);
    SyntaxId condition = then == 0 ? 0 : syntax_next(l, node, then);
    SyntaxId otherwise = condition == 0 ? 0 : syntax_next(l, node, condition);
    AstNode made = python_lower_open(l, AST_CONDITIONAL, node);
    python_lower_expression(l, condition);
    python_lower_expression(l, then);
    python_lower_expression(l, otherwise);
    ast_close(l->ast, made);
}

static void lower_walrus(Lowering *l, SyntaxId node)
{
    AstNode made = python_lower_open(l, AST_ASSIGN, node);
    lower_target(l, syntax_labelled(l, node, LABEL_NAME));
    python_lower_expression(l, syntax_labelled(l, node, LABEL_VALUE));
    ast_close(l->ast, made);
}

/* ---- accesses and calls ---- */

static void lower_attribute(Lowering *l, SyntaxId node)
{
    Name qualified = imports_qualified(l, node);
    if (qualified != 0) {
        bool newaxis = strcmp(intern_text(l->ast->names, qualified), "numpy.newaxis") == 0;
        AstNodeData *data =
            ast_at(l->ast, python_lower_leaf(l, newaxis ? AST_CONSTANT : AST_NAME, node));
        data->name = newaxis ? l->name_none : qualified;
        data->flags |= newaxis ? 0 : AST_QUALIFIED;
        return;
    }
    SyntaxId attribute = syntax_labelled(l, node, LABEL_ATTRIBUTE);
    AstNode made = python_lower_open(l, AST_FIELD, node);
    Name name = attribute == 0 ? 0 : syntax_name(l, attribute);
    ast_at(l->ast, made)->name = name;
    python_lower_expression(l, syntax_labelled(l, node, LABEL_OBJECT));
    ast_close(l->ast, made);
}

/* The parts of a slice stand between its colons. */
static void lower_slice(Lowering *l, SyntaxId node)
{
    SyntaxId parts[3] = {0};
    int at = 0;
    FOR_EACH_PART(l, part, node)
    {
        if (syntax_kind(l, part) == TOKEN_COLON)
            at += at < 2;
        else
            parts[at] = part;
    }
    AstNode made = python_lower_open(l, AST_SLICE, node);
    for (int i = 0; i < 3; i++)
        python_lower_expression(l, parts[i]);
    ast_close(l->ast, made);
}

static void lower_subscript(Lowering *l, SyntaxId node)
{
    AstNode made = python_lower_open(l, AST_INDEX, node);
    python_lower_expression(l, syntax_labelled(l, node, LABEL_VALUE));
    SyntaxId first = syntax_labelled(l, node, LABEL_SUBSCRIPT);
    bool single = first != 0 && syntax_next(l, node, first) == 0;
    if (single && syntax_kind(l, first) == SYNTAX_TUPLE)
        lower_parts(l, first); /* x[(i, j)] is x[i, j] */
    else
        for (SyntaxId part = first; part != 0; part = syntax_next(l, node, part))
            if (syntax_kind(l, part) <= SYNTAX_OTHER)
                python_lower_expression(l, part);
    ast_close(l->ast, made);
}

static void lower_keyword(Lowering *l, SyntaxId node)
{
    SyntaxId name = syntax_labelled(l, node, LABEL_NAME);
    AstNode made = python_lower_open(l, AST_KEYWORD, node);
    Name text = name == 0 ? 0 : syntax_name(l, name);
    ast_at(l->ast, made)->name = text;
    python_lower_expression(l, syntax_labelled(l, node, LABEL_VALUE));
    ast_close(l->ast, made);
}

static void lower_call(Lowering *l, SyntaxId node)
{
    SyntaxId arguments = syntax_labelled(l, node, LABEL_ARGUMENTS);
    AstNode made = python_lower_open(l, AST_CALL, node);
    python_lower_expression(l, syntax_labelled(l, node, LABEL_FUNCTION));
    if (arguments != 0 && syntax_kind(l, arguments) == SYNTAX_ARGUMENTS)
        lower_parts(l, arguments);
    else if (arguments != 0)
        python_lower_expression(l, arguments); /* sum(x for x in y) */
    ast_close(l->ast, made);
}

/* ---- displays ---- */

/* Keys and values alternate; `**other` has NONE for its key. */
static void lower_dictionary(Lowering *l, SyntaxId node)
{
    AstNode made = python_lower_open(l, AST_DICT, node);
    FOR_EACH_PART(l, part, node)
    {
        if (syntax_kind(l, part) == SYNTAX_PAIR) {
            SyntaxId key = syntax_operand(l, part);
            SyntaxId value = syntax_labelled(l, part, LABEL_VALUE);
            python_lower_expression(l, key != value ? key : 0);
            python_lower_expression(l, value);
        } else if (syntax_kind(l, part) <= SYNTAX_OTHER) {
            ast_none(l->ast);
            python_lower_expression(l, part);
        }
    }
    ast_close(l->ast, made);
}

static void lower_named_parts(Lowering *l, SyntaxId node, const char *word)
{
    AstNode made = python_lower_open(l, AST_OTHER, node);
    Name name = intern(l->ast->names, word);
    ast_at(l->ast, made)->name = name;
    lower_parts(l, node);
    ast_close(l->ast, made);
}

static void lower_parenthesized(Lowering *l, SyntaxId node)
{
    SyntaxId inner = syntax_operand(l, node);
    if (inner != 0)
        python_lower_expression(l, inner);
    else
        python_lower_leaf(l, AST_OTHER, node);
}

/* ---- all of them ---- */

static void dispatch(Lowering *l, SyntaxId node)
{
    switch (syntax_kind(l, node)) {
    case SYNTAX_IDENTIFIER:
        lower_name(l, node);
        return;
    case SYNTAX_INTEGER:
    case SYNTAX_FLOAT:
        lower_number(l, node);
        return;
    case SYNTAX_TRUE:
        lower_constant(l, node, l->name_true);
        return;
    case SYNTAX_FALSE:
        lower_constant(l, node, l->name_false);
        return;
    case SYNTAX_NONE:
        lower_constant(l, node, l->name_none);
        return;
    case SYNTAX_ELLIPSIS:
        lower_constant(l, node, syntax_name(l, node));
        return;
    case SYNTAX_STRING:
    case SYNTAX_CONCATENATED:
        lower_string(l, node);
        return;
    case SYNTAX_ATTRIBUTE:
        lower_attribute(l, node);
        return;
    case SYNTAX_SUBSCRIPT:
        lower_subscript(l, node);
        return;
    case SYNTAX_SLICE:
        lower_slice(l, node);
        return;
    case SYNTAX_CALL:
        lower_call(l, node);
        return;
    case SYNTAX_KEYWORD_ARGUMENT:
        lower_keyword(l, node);
        return;
    case SYNTAX_BINARY:
        lower_operator(l, AST_BINARY, node, op_of(l, node));
        return;
    case SYNTAX_BOOLEAN:
        lower_operator(l, AST_LOGIC, node, op_of(l, node));
        return;
    case SYNTAX_NOT:
        lower_operator(l, AST_UNARY, node, OP_NOT);
        return;
    case SYNTAX_UNARY:
        lower_unary(l, node);
        return;
    case SYNTAX_COMPARISON:
        lower_comparison(l, node);
        return;
    case SYNTAX_CONDITIONAL:
        lower_conditional(l, node);
        return;
    case SYNTAX_NAMED_EXPRESSION:
        lower_walrus(l, node);
        return;
    case SYNTAX_LAMBDA:
        lower_lambda(l, node);
        return;
    case SYNTAX_LIST_SPLAT:
    case SYNTAX_DICT_SPLAT:
    case SYNTAX_LIST_SPLAT_PATTERN:
    case SYNTAX_DICT_SPLAT_PATTERN:
        lower_many(l, AST_SPREAD, node);
        return;
    case SYNTAX_PARENTHESIZED:
    case SYNTAX_PARENTHESIZED_SPLAT:
    case SYNTAX_AS_TARGET:
    case SYNTAX_IF_CLAUSE:
        lower_parenthesized(l, node);
        return;
    case SYNTAX_TUPLE:
    case SYNTAX_EXPRESSION_LIST:
    case SYNTAX_PATTERN_LIST:
    case SYNTAX_TUPLE_PATTERN:
    case SYNTAX_LIST_PATTERN:
        lower_many(l, AST_TUPLE, node);
        return;
    case SYNTAX_LIST:
        lower_many(l, AST_LIST, node);
        return;
    case SYNTAX_SET:
        lower_many(l, AST_SET, node);
        return;
    case SYNTAX_DICTIONARY:
        lower_dictionary(l, node);
        return;
    case SYNTAX_LIST_COMPREHENSION:
    case SYNTAX_SET_COMPREHENSION:
    case SYNTAX_DICT_COMPREHENSION:
    case SYNTAX_GENERATOR:
        lower_comprehension(l, node);
        return;
    case SYNTAX_AWAIT:
        lower_named_parts(l, node, "await");
        return;
    case SYNTAX_YIELD:
        lower_named_parts(l, node, "yield");
        return;
    default:
        lower_many(l, AST_OTHER, node);
        return;
    }
}

void python_lower_expression(Lowering *l, SyntaxId node)
{
    if (node == 0) {
        ast_none(l->ast);
        return;
    }
    if (l->depth >= DEEPEST) {
        python_lower_leaf(l, AST_OTHER, node);
        return;
    }
    l->depth++;
    dispatch(l, node);
    l->depth--;
}

/* ---- targets ---- */

static void lower_target_name(Lowering *l, SyntaxId node)
{
    Name name = syntax_name(l, node);
    AstSymbol symbol = python_scope_find(l, name);
    AstNode made = python_lower_leaf(l, AST_NAME, node);
    ast_at(l->ast, made)->name = name;
    ast_at(l->ast, made)->symbol = symbol;
    if (symbol != 0 && l->ast->symbols.items[symbol].decl == 0)
        l->ast->symbols.items[symbol].decl = made;
}

void lower_target(Lowering *l, SyntaxId node)
{
    SyntaxKind kind = node == 0 ? SYNTAX_OTHER : syntax_kind(l, node);
    SyntaxId inner = node == 0 ? 0 : syntax_operand(l, node);
    bool many = kind == SYNTAX_PATTERN_LIST || kind == SYNTAX_TUPLE_PATTERN ||
                kind == SYNTAX_LIST_PATTERN || kind == SYNTAX_TUPLE ||
                kind == SYNTAX_EXPRESSION_LIST;
    bool one = kind == SYNTAX_AS_TARGET || kind == SYNTAX_PARENTHESIZED ||
               kind == SYNTAX_TUPLE_PATTERN;
    /* `for (i) in x`: the grammar calls (i) a tuple */
    bool single = kind == SYNTAX_TUPLE_PATTERN && inner != 0 && syntax_next(l, node, inner) == 0 &&
                  memchr(l->text + l->nodes[node].start, ',',
                         l->nodes[node].stop - l->nodes[node].start) == NULL;
    if (node == 0 || l->depth >= DEEPEST) {
        python_lower_expression(l, node);
        return;
    }
    l->depth++;
    if (kind == SYNTAX_IDENTIFIER) {
        lower_target_name(l, node);
    } else if (inner != 0 && one && (single || !many)) {
        lower_target(l, inner);
    } else if (many || kind == SYNTAX_LIST_SPLAT_PATTERN) {
        AstNode made = python_lower_open(l, many ? AST_TUPLE : AST_SPREAD, node);
        FOR_EACH_PART(l, part, node)
        if (syntax_kind(l, part) <= SYNTAX_OTHER)
            lower_target(l, part);
        ast_close(l->ast, made);
    } else {
        dispatch(l, node);
    }
    l->depth--;
}
