/* for statements. clang does not say which child of a ForStmt is what; a loop is counted if its
 * header reads like a range, else it stays a while loop with what it starts and steps with. */
#include "frontends/c/lower.h"

#include <string.h>

/* ---- the parts of the header ---- */

typedef struct Header {
    CXCursor init, condition, increment, body; /* null where absent */
} Header;

/* The two semicolons of `for (…;…;…)` that starts at `at`. */
static bool semicolons(const Source *source, uint32_t at, uint32_t found[2])
{
    uint32_t count = 0;
    int depth = 0;
    while (at < source->size && count < 2) {
        uint32_t past = scan_opaque(source, at);
        char c = source->bytes[at];
        if (past > at) {
            at = past;
            continue;
        }
        if (c == '(' || c == '{' || c == '[')
            depth++;
        else if ((c == ')' || c == '}' || c == ']') && --depth <= 0)
            break;
        else if (c == ';' && depth == 1)
            found[count++] = at;
        at++;
    }
    return count == 2;
}

static bool changes_something(Lower *l, CXCursor cursor)
{
    CXCursor plain = strip(l, cursor);
    enum CXCursorKind kind = clang_getCursorKind(plain);
    if (kind == CXCursor_UnaryOperator) {
        enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(plain);
        return op >= CXUnaryOperator_PostInc && op <= CXUnaryOperator_PreDec;
    }
    if (kind == CXCursor_BinaryOperator) {
        enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(plain);
        return op == CXBinaryOperator_Assign || op == CXBinaryOperator_Comma;
    }
    return kind == CXCursor_CompoundAssignOperator || kind == CXCursor_CallExpr;
}

/* In a macro there is no text to look at: a declaration or the first assignment is the init, what
 * changes something behind it the increment, anything else the condition. */
static void guess_parts(Lower *l, Kids kids, Header *header)
{
    for (uint32_t i = 0; i + 1 < kids.count; i++) {
        CXCursor part = kid(l, kids, i);
        bool nothing_yet = clang_Cursor_isNull(header->condition) &&
                           clang_Cursor_isNull(header->init);
        CXCursor plain = strip(l, part);
        bool plain_assign = clang_getCursorKind(plain) == CXCursor_BinaryOperator;
        if (clang_getCursorKind(part) == CXCursor_DeclStmt ||
            (nothing_yet && plain_assign && changes_something(l, part)))
            header->init = part;
        else if (changes_something(l, part))
            header->increment = part;
        else
            header->condition = part;
    }
}

static Header header_of(Lower *l, CXCursor cursor, Kids kids)
{
    CXCursor none = clang_getNullCursor();
    Header header = {none, none, none, none};
    Span span = lower_span(l, cursor);
    uint32_t semicolon[2] = {0, 0};
    const Source *source = l->unit->files.items[span.file];
    if (kids.count == 0)
        return header;
    header.body = kid(l, kids, kids.count - 1);
    if (kids.count == 4) {
        header = (Header){kid(l, kids, 0), kid(l, kids, 1), kid(l, kids, 2), header.body};
    } else if (!span.macro && semicolons(source, span.start, semicolon)) {
        for (uint32_t i = 0; i + 1 < kids.count; i++) {
            uint32_t at = lower_span(l, kid(l, kids, i)).start;
            *(at < semicolon[0]   ? &header.init
              : at < semicolon[1] ? &header.condition
                                  : &header.increment) = kid(l, kids, i);
        }
    } else {
        guess_parts(l, kids, &header);
    }
    return header;
}

/* ---- is it counted? ---- */

enum { PARTS_MOST = 8 };

/* The operands of commas, in order. */
static bool flatten(Lower *l, CXCursor cursor, CXCursor out[PARTS_MOST], uint32_t *count)
{
    if (clang_Cursor_isNull(cursor))
        return true;
    CXCursor plain = strip(l, cursor);
    bool comma = clang_getCursorKind(plain) == CXCursor_BinaryOperator &&
                 clang_getCursorBinaryOperatorKind(plain) == CXBinaryOperator_Comma;
    if (!comma) {
        if (*count >= PARTS_MOST)
            return false;
        out[(*count)++] = plain;
        return true;
    }
    Kids kids = kids_expressions(l, plain);
    bool fits = kids.count == 2 && flatten(l, kid(l, kids, 0), out, count) &&
                flatten(l, kid(l, kids, 1), out, count);
    kids_drop(l, kids);
    return fits;
}

/* The variable an expression is, or null. */
static CXCursor variable_of(Lower *l, CXCursor cursor)
{
    CXCursor plain = strip_casts(l, cursor);
    if (clang_getCursorKind(plain) != CXCursor_DeclRefExpr)
        return clang_getNullCursor();
    CXCursor variable = clang_getCursorReferenced(plain);
    enum CXCursorKind kind = clang_getCursorKind(variable);
    return kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl
               ? clang_getCanonicalCursor(variable)
               : clang_getNullCursor();
}

static bool same(CXCursor left, CXCursor right)
{
    return !clang_Cursor_isNull(left) && clang_equalCursors(left, right);
}

typedef struct Step {
    CXCursor variable;
    CXCursor amount; /* null: one */
    bool down;
} Step;

/* `i = i + c`, `i = c + i`, `i = i - c` */
static bool step_of_assignment(Lower *l, CXCursor value, Step *step)
{
    value = strip_casts(l, value);
    if (clang_getCursorKind(value) != CXCursor_BinaryOperator)
        return false;
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(value);
    Kids kids = kids_expressions(l, value);
    bool found = false;
    if (kids.count == 2 && (op == CXBinaryOperator_Add || op == CXBinaryOperator_Sub)) {
        CXCursor left = kid(l, kids, 0), right = kid(l, kids, 1);
        bool at_left = same(variable_of(l, left), step->variable);
        found = at_left ||
                (op == CXBinaryOperator_Add && same(variable_of(l, right), step->variable));
        step->amount = at_left ? right : left;
        step->down = op == CXBinaryOperator_Sub;
    }
    kids_drop(l, kids);
    return found;
}

static bool step_of(Lower *l, CXCursor cursor, Step *step)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    *step = (Step){clang_getNullCursor(), clang_getNullCursor(), false};
    if (kind != CXCursor_UnaryOperator && kind != CXCursor_CompoundAssignOperator &&
        kind != CXCursor_BinaryOperator)
        return false;
    Kids kids = kids_expressions(l, cursor);
    bool found = false;
    if (kids.count > 0)
        step->variable = variable_of(l, kid(l, kids, 0));
    if (clang_Cursor_isNull(step->variable)) {
        found = false;
    } else if (kind == CXCursor_UnaryOperator) {
        enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(cursor);
        found = op >= CXUnaryOperator_PostInc && op <= CXUnaryOperator_PreDec;
        step->down = op == CXUnaryOperator_PostDec || op == CXUnaryOperator_PreDec;
    } else if (kids.count == 2) {
        enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(cursor);
        step->amount = kid(l, kids, 1);
        step->down = op == CXBinaryOperator_SubAssign;
        found = op == CXBinaryOperator_AddAssign || op == CXBinaryOperator_SubAssign ||
                (op == CXBinaryOperator_Assign && step_of_assignment(l, kid(l, kids, 1), step));
    }
    kids_drop(l, kids);
    return found;
}

typedef struct Counted {
    CXCursor variable, name; /* declaration; the reference in the condition */
    CXCursor limit;
    int beyond; /* what is added to the limit: `<=` 1, `>=` -1 */
    Step step;
    uint32_t step_index;
} Counted;

/* `i < n` or `n > i`, with the operator as if i stood on the left. */
static bool read_condition(Lower *l, CXCursor condition, CXCursor variable,
                           enum CXBinaryOperatorKind *op, Counted *out)
{
    CXCursor plain = strip(l, condition);
    if (clang_getCursorKind(plain) != CXCursor_BinaryOperator)
        return false;
    *op = clang_getCursorBinaryOperatorKind(plain);
    Kids kids = kids_expressions(l, plain);
    bool found = false;
    if (kids.count == 2 && *op >= CXBinaryOperator_LT && *op <= CXBinaryOperator_NE) {
        CXCursor left = kid(l, kids, 0), right = kid(l, kids, 1);
        bool at_left = same(variable_of(l, left), variable),
             at_right = same(variable_of(l, right), variable);
        found = at_left != at_right;
        out->name = strip_casts(l, at_left ? left : right);
        out->limit = at_left ? right : left;
        if (at_right)
            *op = *op == CXBinaryOperator_LT   ? CXBinaryOperator_GT
                  : *op == CXBinaryOperator_GT ? CXBinaryOperator_LT
                  : *op == CXBinaryOperator_LE ? CXBinaryOperator_GE
                  : *op == CXBinaryOperator_GE ? CXBinaryOperator_LE
                                               : *op;
    }
    kids_drop(l, kids);
    return found;
}

/* Whether the steps lead to the limit; steps of unknown sign are believed. */
static bool direction_fits(Lower *l, enum CXBinaryOperatorKind op, const Step *step)
{
    int64_t amount = 1;
    bool known = clang_Cursor_isNull(step->amount) || constant_of(strip(l, step->amount), &amount);
    bool up = op == CXBinaryOperator_LT || op == CXBinaryOperator_LE;
    if (op == CXBinaryOperator_EQ || (known && amount == 0))
        return false;
    if (op == CXBinaryOperator_NE)
        return known && (amount == 1 || amount == -1);
    return known ? (amount > 0) == (step->down != up) : up != step->down || !up;
}

static bool is_counted(Lower *l, const Header *header, const CXCursor *steps, uint32_t step_count,
                       Counted *out)
{
    for (uint32_t i = 0; i < step_count && !clang_Cursor_isNull(header->condition); i++) {
        enum CXBinaryOperatorKind op;
        if (!step_of(l, steps[i], &out->step) ||
            !read_condition(l, header->condition, out->step.variable, &op, out) ||
            !direction_fits(l, op, &out->step))
            continue;
        out->variable = out->step.variable;
        out->beyond = op == CXBinaryOperator_LE ? 1 : op == CXBinaryOperator_GE ? -1 : 0;
        out->step_index = i;
        return true;
    }
    return false;
}

/* ---- the inits ---- */

typedef struct Init {
    CXCursor cursor;   /* VarDecl or assignment */
    CXCursor variable; /* null for anything else */
    CXCursor value;    /* null for none */
} Init;

static Init init_of(Lower *l, CXCursor cursor)
{
    CXCursor none = clang_getNullCursor();
    Init init = {cursor, none, none};
    if (clang_getCursorKind(cursor) == CXCursor_VarDecl) {
        init.variable = clang_getCanonicalCursor(cursor);
        init.value = clang_Cursor_getVarDeclInitializer(cursor);
        if (clang_isInvalid(clang_getCursorKind(init.value)))
            init.value = none;
    } else if (clang_getCursorKind(cursor) == CXCursor_BinaryOperator &&
               clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign) {
        Kids kids = kids_expressions(l, cursor);
        if (kids.count == 2) {
            init.variable = variable_of(l, kid(l, kids, 0));
            init.value = kid(l, kids, 1);
        }
        kids_drop(l, kids);
    }
    return init;
}

static bool inits_of(Lower *l, CXCursor cursor, Init out[PARTS_MOST], uint32_t *count)
{
    CXCursor parts[PARTS_MOST];
    uint32_t number = 0;
    bool fits = true;
    if (clang_getCursorKind(cursor) == CXCursor_DeclStmt) {
        Kids kids = kids_of(l, cursor);
        for (uint32_t i = 0; i < kids.count; i++) {
            if (clang_getCursorKind(kid(l, kids, i)) != CXCursor_VarDecl)
                continue;
            fits &= number < PARTS_MOST;
            if (fits)
                parts[number++] = kid(l, kids, i);
        }
        kids_drop(l, kids);
    } else {
        fits = flatten(l, cursor, parts, &number);
    }
    for (uint32_t i = 0; i < number; i++)
        out[(*count)++] = init_of(l, parts[i]);
    return fits;
}

/* ---- nodes ---- */

static AstNode open_loop(Lower *l, Span span, const Pragma *pragma, AstLoopForm form)
{
    AstNode node = lower_open(l, AST_LOOP, pragma != NULL && !pragma->inner ? pragma->span : span);
    ast_at(l->ast, node)->op = (uint8_t)form;
    if (pragma != NULL)
        ast_at(l->ast, node)->value.loop = pragma_loop(l, pragma);
    return node;
}

static void close_loop(Lower *l, AstNode node, Span span, const Pragma *pragma, uint32_t scope)
{
    l->scope.count = scope;
    if (pragma != NULL && !pragma->inner)
        pragma_clauses(l, pragma);
    ast_close(l->ast, node);
    lower_doubt(l, node, span);
}

static void lower_init(Lower *l, const Init *init)
{
    if (clang_getCursorKind(init->cursor) == CXCursor_VarDecl)
        lower_variable(l, init->cursor);
    else
        lower_plain(l, init->cursor);
}

/* Target: the name in the declaration or in the init, else in the condition. */
static void lower_target(Lower *l, const Counted *counted, const Init *init)
{
    bool declared = init != NULL && clang_getCursorKind(init->cursor) == CXCursor_VarDecl;
    AstSymbol symbol = symbol_of(l, counted->variable);
    Span span = lower_span(l, declared ? init->cursor : counted->name);
    if (declared && !span.macro) {
        Span place = span;
        unsigned at = 0;
        clang_getExpansionLocation(clang_getCursorLocation(init->cursor), NULL, NULL, NULL, &at);
        place.start = at;
        place.stop = at +
                     (uint32_t)intern_length(l->ast->names, l->ast->symbols.items[symbol].name);
        span = place;
    } else if (init != NULL && !declared) {
        span = lower_span(l, init->cursor);
        if (!span.macro)
            span.stop = span.start +
                        (uint32_t)intern_length(l->ast->names, l->ast->symbols.items[symbol].name);
    }
    AstNode node = lower_leaf(l, AST_NAME, span);
    AstSymbolData *data = &l->ast->symbols.items[symbol];
    ast_at(l->ast, node)->symbol = symbol;
    ast_at(l->ast, node)->name = data->name;
    ast_at(l->ast, node)->type = data->type;
    if (declared) {
        data->decl = node;
        scope_add(l, symbol);
    }
}

static void lower_limit(Lower *l, const Counted *counted)
{
    Span span = lower_span(l, counted->limit);
    if (counted->beyond == 0) {
        lower_expression(l, counted->limit);
        return;
    }
    AstNode node = lower_open(l, AST_BINARY, span);
    AstType type = type_of_cursor(l, counted->limit);
    ast_at(l->ast, node)->op = counted->beyond > 0 ? OP_ADD : OP_SUB;
    ast_at(l->ast, node)->type = type;
    lower_expression(l, counted->limit);
    AstNode one = lower_leaf(l, AST_INT, span);
    ast_at(l->ast, one)->value.integer = 1;
    ast_close(l->ast, node);
}

static void lower_step(Lower *l, const Step *step, CXCursor statement)
{
    int64_t amount = 1;
    Span span = lower_span(l, statement);
    if (clang_Cursor_isNull(step->amount) || constant_of(strip(l, step->amount), &amount)) {
        AstNode node = lower_leaf(l, AST_INT, span);
        ast_at(l->ast, node)->value.integer = step->down ? -amount : amount;
        return;
    }
    AstNode negative = step->down ? lower_open(l, AST_UNARY, span) : 0;
    if (step->down)
        ast_at(l->ast, negative)->op = OP_NEG;
    lower_expression(l, step->amount);
    if (step->down)
        ast_close(l->ast, negative);
}

/* Body, with what else the header does after each turn. */
static void lower_loop_body(Lower *l, CXCursor body, const CXCursor *steps, uint32_t count,
                            uint32_t own)
{
    if (count <= 1) {
        lower_body(l, body);
        return;
    }
    AstNode block = lower_open(l, AST_BLOCK, lower_span(l, body));
    lower_body(l, body);
    for (uint32_t i = 0; i < count; i++)
        if (i != own)
            lower_plain(l, steps[i]);
    ast_close(l->ast, block);
}

static void lower_counted(Lower *l, Span span, const Pragma *pragma, const Counted *counted,
                          const Init *init, CXCursor body, const CXCursor *steps,
                          uint32_t step_count, uint32_t scope)
{
    AstNode node = open_loop(l, span, pragma, LOOP_COUNTED);
    lower_target(l, counted, init);
    if (init != NULL && !clang_Cursor_isNull(init->value))
        lower_expression(l, init->value);
    else
        lower_expression(l, counted->name);
    lower_limit(l, counted);
    lower_step(l, &counted->step, steps[counted->step_index]);
    lower_loop_body(l, body, steps, step_count, counted->step_index);
    close_loop(l, node, span, pragma, scope);
}

/* A child that is one statement or, where there are several, a block of them. */
static void lower_statements(Lower *l, CXCursor whole, const CXCursor *items, uint32_t count)
{
    if (count == 0) {
        ast_none(l->ast);
        return;
    }
    AstNode block = count > 1 ? lower_open(l, AST_BLOCK, lower_span(l, whole)) : 0;
    for (uint32_t i = 0; i < count; i++) {
        Init one = {items[i], clang_getNullCursor(), clang_getNullCursor()};
        lower_init(l, &one);
    }
    if (count > 1)
        ast_close(l->ast, block);
}

static void lower_uncounted(Lower *l, Span span, const Pragma *pragma, const Header *header,
                            const Init *inits, uint32_t init_count, const CXCursor *steps,
                            uint32_t step_count, uint32_t scope)
{
    CXCursor cursors[PARTS_MOST];
    for (uint32_t i = 0; i < init_count; i++)
        cursors[i] = inits[i].cursor;
    AstNode node = open_loop(l, span, pragma, LOOP_WHILE);
    ast_none(l->ast);
    lower_statements(l, header->init, cursors, init_count);
    if (clang_Cursor_isNull(header->condition))
        ast_none(l->ast);
    else
        lower_expression(l, header->condition);
    lower_statements(l, header->increment, steps, step_count);
    lower_body(l, header->body);
    close_loop(l, node, span, pragma, scope);
}

void lower_for(Lower *l, CXCursor cursor, const Pragma *pragma)
{
    Span span = lower_span(l, cursor);
    Kids kids = kids_expressions(l, cursor);
    Header header = header_of(l, cursor, kids);
    Init inits[PARTS_MOST], *own = NULL;
    CXCursor steps[PARTS_MOST];
    uint32_t init_count = 0, step_count = 0, scope = l->scope.count;
    Counted counted = {.beyond = 0};
    bool readable = inits_of(l, header.init, inits, &init_count) &
                    flatten(l, header.increment, steps, &step_count);
    kids_drop(l, kids);
    if (clang_Cursor_isNull(header.body)) {
        lower_leaf(l, AST_OTHER, span);
        return;
    }
    if (!readable || !is_counted(l, &header, steps, step_count, &counted)) {
        lower_uncounted(l, span, pragma, &header, inits, init_count, steps, step_count, scope);
        return;
    }
    for (uint32_t i = 0; i < init_count; i++)
        if (same(inits[i].variable, counted.variable))
            own = &inits[i];
    bool others = init_count > (own != NULL);
    AstNode block = others ? lower_open(l, AST_BLOCK, span) : 0;
    for (uint32_t i = 0; i < init_count; i++)
        if (&inits[i] != own)
            lower_init(l, &inits[i]);
    lower_counted(l, span, pragma, &counted, own, header.body, steps, step_count, scope);
    if (others)
        ast_close(l->ast, block);
}

/* C++: for (auto &x : xs) */
void lower_range_for(Lower *l, CXCursor cursor, const Pragma *pragma)
{
    Span span = lower_span(l, cursor);
    uint32_t scope = l->scope.count;
    Kids kids = kids_of(l, cursor);
    CXCursor variable = clang_getNullCursor(), range = variable, body = variable;
    for (uint32_t i = 0; i < kids.count; i++) {
        CXCursor part = kid(l, kids, i);
        if (clang_getCursorKind(part) == CXCursor_VarDecl && clang_Cursor_isNull(variable))
            variable = part;
        else if (clang_isExpression(clang_getCursorKind(part)) && clang_Cursor_isNull(range))
            range = part;
        body = part;
    }
    AstNode node = open_loop(l, span, pragma, LOOP_EACH);
    AstNode target =
        lower_leaf(l, AST_NAME, clang_Cursor_isNull(variable) ? span : lower_span(l, variable));
    AstSymbol symbol = clang_Cursor_isNull(variable) ? 0 : symbol_of(l, variable);
    ast_at(l->ast, target)->symbol = symbol;
    ast_at(l->ast, target)->name = l->ast->symbols.items[symbol].name;
    ast_at(l->ast, target)->type = l->ast->symbols.items[symbol].type;
    if (symbol != 0)
        l->ast->symbols.items[symbol].decl = target;
    scope_add(l, symbol);
    if (clang_Cursor_isNull(range))
        ast_none(l->ast);
    else
        lower_expression(l, range);
    ast_none(l->ast);
    ast_none(l->ast);
    if (clang_Cursor_isNull(body))
        ast_none(l->ast);
    else
        lower_body(l, body);
    kids_drop(l, kids);
    close_loop(l, node, span, pragma, scope);
}
