/* Expressions. */
#include "frontends/c/lower.h"

#include <stdlib.h>
#include <string.h>

bool constant_of(CXCursor cursor, int64_t *value)
{
    if (clang_Cursor_isNull(cursor))
        return false;
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    if (result == NULL)
        return false;
    bool integer = clang_EvalResult_getKind(result) == CXEval_Int;
    if (integer)
        *value = clang_EvalResult_isUnsignedInt(result)
                     ? (int64_t)clang_EvalResult_getAsUnsigned(result)
                     : clang_EvalResult_getAsLongLong(result);
    clang_EvalResult_dispose(result);
    return integer;
}

/* Parentheses and implicit casts have exactly one expression in them. */
static bool inner(Lower *l, CXCursor *cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(*cursor);
    if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr)
        return false;
    Kids kids = kids_expressions(l, *cursor);
    bool one = kids.count == 1;
    if (one)
        *cursor = kid(l, kids, 0);
    kids_drop(l, kids);
    return one;
}

CXCursor strip(Lower *l, CXCursor cursor)
{
    while (inner(l, &cursor))
        ;
    return cursor;
}

CXCursor strip_casts(Lower *l, CXCursor cursor)
{
    for (;;) {
        cursor = strip(l, cursor);
        if (clang_getCursorKind(cursor) != CXCursor_CStyleCastExpr)
            return cursor;
        Kids kids = kids_expressions(l, cursor);
        CXCursor next = kids.count > 0 ? kid(l, kids, kids.count - 1) : cursor;
        kids_drop(l, kids);
        if (kids.count == 0)
            return cursor;
        cursor = next;
    }
}

static AstNode open_typed(Lower *l, AstKind kind, CXCursor cursor, Span span)
{
    AstNode node = lower_open(l, kind, span);
    AstType type = type_of_cursor(l, cursor);
    ast_at(l->ast, node)->type = type;
    return node;
}

/* ---- leaves ---- */

static void lower_integer(Lower *l, CXCursor cursor, Span span)
{
    int64_t value = 0;
    bool known = constant_of(cursor, &value);
    AstNode node = open_typed(l, known ? AST_INT : AST_OTHER, cursor, span);
    ast_at(l->ast, node)->value.integer = value;
    ast_close(l->ast, node);
}

static void lower_real(Lower *l, CXCursor cursor, Span span)
{
    AstNode node = open_typed(l, AST_REAL, cursor, span);
    CXEvalResult result = clang_Cursor_Evaluate(cursor);
    if (result != NULL) {
        if (clang_EvalResult_getKind(result) == CXEval_Float)
            ast_at(l->ast, node)->value.real = clang_EvalResult_getAsDouble(result);
        clang_EvalResult_dispose(result);
    }
    ast_close(l->ast, node);
}

enum { STRING_MOST = 64 };

static void lower_string(Lower *l, CXCursor cursor, Span span)
{
    AstNode node = open_typed(l, AST_STRING, cursor, span);
    CXString spelling = clang_getCursorSpelling(cursor);
    const char *text = clang_getCString(spelling);
    size_t length = text != NULL ? strlen(text) : 0;
    if (length >= 2 && length <= STRING_MOST && text[0] == '"')
        ast_at(l->ast, node)->name = intern_add(l->ast->names, text + 1, length - 2);
    clang_disposeString(spelling);
    ast_close(l->ast, node);
}

static void lower_word(Lower *l, AstKind kind, const char *word, CXCursor cursor, Span span)
{
    AstNode node = open_typed(l, kind, cursor, span);
    ast_at(l->ast, node)->name = intern(l->ast->names, word);
    ast_close(l->ast, node);
}

/* clang resolves __sync_fetch_and_add to __sync_fetch_and_add_4: the program's word is the short
 * one. */
static Name plain_name(Lower *l, CXCursor cursor)
{
    Name name = lower_name(l, clang_getCursorSpelling(cursor));
    const char *text = intern_text(l->ast->names, name), *bar = strrchr(text, '_');
    if (strncmp(text, "__sync_", 7) != 0 || bar == NULL || bar[1] < '1' || bar[1] > '9')
        return name;
    return intern_add(l->ast->names, text, (size_t)(bar - text));
}

static void lower_reference(Lower *l, CXCursor cursor, Span span)
{
    AstNode node = open_typed(l, AST_NAME, cursor, span);
    Name name = plain_name(l, cursor);
    AstSymbol symbol = symbol_of(l, clang_getCursorReferenced(cursor));
    ast_at(l->ast, node)->name = name;
    ast_at(l->ast, node)->symbol = symbol;
    if (l->ast->symbols.items[symbol].kind == SYMBOL_PARAM)
        ast_at(l->ast, node)->type = l->ast->symbols.items[symbol].type;
    ast_close(l->ast, node);
}

static void lower_sizeof(Lower *l, CXCursor cursor, Span span)
{
    AstNode node = open_typed(l, AST_SIZEOF, cursor, span);
    int64_t value = 0;
    if (constant_of(cursor, &value))
        ast_at(l->ast, node)->value.integer = value;
    ast_close(l->ast, node);
}

/* ---- operators ---- */

static AstOp binary_op(enum CXBinaryOperatorKind kind, AstKind *node)
{
    static const struct {
        uint8_t op, node;
    } table[] = {
        [CXBinaryOperator_Mul] = {OP_MUL, AST_BINARY},
        [CXBinaryOperator_Div] = {OP_DIV, AST_BINARY},
        [CXBinaryOperator_Rem] = {OP_MOD, AST_BINARY},
        [CXBinaryOperator_Add] = {OP_ADD, AST_BINARY},
        [CXBinaryOperator_Sub] = {OP_SUB, AST_BINARY},
        [CXBinaryOperator_Shl] = {OP_SHL, AST_BINARY},
        [CXBinaryOperator_Shr] = {OP_SHR, AST_BINARY},
        [CXBinaryOperator_LT] = {OP_LT, AST_COMPARE},
        [CXBinaryOperator_GT] = {OP_GT, AST_COMPARE},
        [CXBinaryOperator_LE] = {OP_LE, AST_COMPARE},
        [CXBinaryOperator_GE] = {OP_GE, AST_COMPARE},
        [CXBinaryOperator_EQ] = {OP_EQ, AST_COMPARE},
        [CXBinaryOperator_NE] = {OP_NE, AST_COMPARE},
        [CXBinaryOperator_And] = {OP_AND, AST_BINARY},
        [CXBinaryOperator_Xor] = {OP_XOR, AST_BINARY},
        [CXBinaryOperator_Or] = {OP_OR, AST_BINARY},
        [CXBinaryOperator_LAnd] = {OP_LOGIC_AND, AST_LOGIC},
        [CXBinaryOperator_LOr] = {OP_LOGIC_OR, AST_LOGIC},
        [CXBinaryOperator_Assign] = {OP_NONE, AST_ASSIGN},
        [CXBinaryOperator_MulAssign] = {OP_MUL, AST_ASSIGN},
        [CXBinaryOperator_DivAssign] = {OP_DIV, AST_ASSIGN},
        [CXBinaryOperator_RemAssign] = {OP_MOD, AST_ASSIGN},
        [CXBinaryOperator_AddAssign] = {OP_ADD, AST_ASSIGN},
        [CXBinaryOperator_SubAssign] = {OP_SUB, AST_ASSIGN},
        [CXBinaryOperator_ShlAssign] = {OP_SHL, AST_ASSIGN},
        [CXBinaryOperator_ShrAssign] = {OP_SHR, AST_ASSIGN},
        [CXBinaryOperator_AndAssign] = {OP_AND, AST_ASSIGN},
        [CXBinaryOperator_XorAssign] = {OP_XOR, AST_ASSIGN},
        [CXBinaryOperator_OrAssign] = {OP_OR, AST_ASSIGN},
        [CXBinaryOperator_Comma] = {OP_NONE, AST_COMMA},
    };
    *node = (size_t)kind < sizeof table / sizeof *table && table[kind].node != 0
                ? (AstKind)table[kind].node
                : AST_OTHER;
    return *node != AST_OTHER ? (AstOp)table[kind].op : OP_NONE;
}

static void lower_parts(Lower *l, AstNode node, Kids kids, uint32_t from)
{
    for (uint32_t i = from; i < kids.count; i++) {
        CXCursor part = kid(l, kids, i);
        if (clang_isStatement(clang_getCursorKind(part)))
            lower_body(l, part);
        else
            lower_expression(l, part);
    }
    ast_close(l->ast, node);
}

static void lower_other(Lower *l, CXCursor cursor, Span span)
{
    Kids kids = kids_expressions(l, cursor);
    AstNode node = open_typed(l, AST_OTHER, cursor, span);
    lower_parts(l, node, kids, 0);
    kids_drop(l, kids);
}

static void lower_binary(Lower *l, CXCursor cursor, Span span)
{
    AstKind kind;
    AstOp op = binary_op(clang_getCursorBinaryOperatorKind(cursor), &kind);
    Kids kids = kids_expressions(l, cursor);
    AstNode node = open_typed(l, kids.count == 2 ? kind : AST_OTHER, cursor, span);
    ast_at(l->ast, node)->op = (uint8_t)op;
    lower_parts(l, node, kids, 0);
    kids_drop(l, kids);
}

void lower_increment(Lower *l, CXCursor cursor, enum CXUnaryOperatorKind kind)
{
    Span span = lower_span(l, cursor);
    Kids kids = kids_expressions(l, cursor);
    bool down = kind == CXUnaryOperator_PostDec || kind == CXUnaryOperator_PreDec;
    bool postfix = kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec;
    AstNode node = open_typed(l, AST_ASSIGN, cursor, span);
    ast_at(l->ast, node)->op = down ? OP_SUB : OP_ADD;
    ast_at(l->ast, node)->flags |= postfix ? AST_POSTFIX : 0;
    if (kids.count > 0)
        lower_expression(l, kid(l, kids, 0));
    else
        ast_none(l->ast);
    AstNode one = lower_leaf(l, AST_INT, span);
    ast_at(l->ast, one)->value.integer = 1;
    ast_close(l->ast, node);
    kids_drop(l, kids);
}

static void lower_unary(Lower *l, CXCursor cursor, Span span)
{
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
    AstKind shape = AST_UNARY;
    AstOp op = OP_NONE;
    switch (kind) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec:
        lower_increment(l, cursor, kind);
        return;
    case CXUnaryOperator_AddrOf:
        shape = AST_ADDRESS;
        break;
    case CXUnaryOperator_Deref:
        shape = AST_DEREF;
        break;
    case CXUnaryOperator_Plus:
        op = OP_PLUS;
        break;
    case CXUnaryOperator_Minus:
        op = OP_NEG;
        break;
    case CXUnaryOperator_Not:
        op = OP_INVERT;
        break;
    case CXUnaryOperator_LNot:
        op = OP_NOT;
        break;
    default:
        shape = AST_OTHER;
        break;
    }
    Kids kids = kids_expressions(l, cursor);
    if (kind == CXUnaryOperator_Extension && kids.count == 1) {
        lower_expression(l, kid(l, kids, 0));
    } else {
        AstNode node = open_typed(l, kids.count == 1 ? shape : AST_OTHER, cursor, span);
        ast_at(l->ast, node)->op = (uint8_t)op;
        lower_parts(l, node, kids, 0);
    }
    kids_drop(l, kids);
}

static void lower_conditional(Lower *l, CXCursor cursor, Span span)
{
    Kids kids = kids_expressions(l, cursor);
    AstNode node = open_typed(l, kids.count == 3 ? AST_CONDITIONAL : AST_OTHER, cursor, span);
    lower_parts(l, node, kids, 0);
    kids_drop(l, kids);
}

/* ---- access ---- */

static bool holds_elements(CXCursor cursor)
{
    enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorType(cursor)).kind;
    return kind == CXType_Pointer || kind == CXType_ConstantArray ||
           kind == CXType_IncompleteArray || kind == CXType_VariableArray ||
           kind == CXType_Vector || kind == CXType_ExtVector;
}

static void lower_subscript(Lower *l, CXCursor cursor, Span span)
{
    Kids kids = kids_expressions(l, cursor);
    AstNode node = open_typed(l, kids.count == 2 ? AST_INDEX : AST_OTHER, cursor, span);
    bool swapped = kids.count == 2 && !holds_elements(kid(l, kids, 0)) &&
                   holds_elements(kid(l, kids, 1));
    if (swapped) {
        lower_expression(l, kid(l, kids, 1));
        lower_expression(l, kid(l, kids, 0));
        ast_close(l->ast, node);
    } else {
        lower_parts(l, node, kids, 0);
    }
    kids_drop(l, kids);
}

static bool is_unnamed(CXCursor member)
{
    CXString spelling = clang_getCursorSpelling(member);
    const char *text = clang_getCString(spelling);
    bool empty = text == NULL || text[0] == '\0' || text[0] == '(';
    clang_disposeString(spelling);
    return empty;
}

/* `s.a` where a lies in an unnamed union of s: clang has a member reference without a name between.
 */
static CXCursor base_of(Lower *l, CXCursor cursor)
{
    for (;;) {
        Kids kids = kids_expressions(l, cursor);
        CXCursor base = kids.count > 0 ? strip(l, kid(l, kids, 0)) : clang_getNullCursor();
        kids_drop(l, kids);
        if (clang_getCursorKind(base) != CXCursor_MemberRefExpr || !is_unnamed(base))
            return base;
        cursor = base;
    }
}

static void lower_member(Lower *l, CXCursor cursor, Span span)
{
    CXCursor base = base_of(l, cursor);
    AstNode node = open_typed(l, AST_FIELD, cursor, span);
    Name name = lower_name(l, clang_getCursorSpelling(cursor));
    bool implicit = clang_Cursor_isNull(base);
    bool arrow = implicit ||
                 clang_getCanonicalType(clang_getCursorType(base)).kind == CXType_Pointer;
    ast_at(l->ast, node)->name = name;
    ast_at(l->ast, node)->flags |= arrow ? AST_ARROW : 0;
    if (implicit) {
        AstNode self = lower_leaf(l, AST_NAME, span);
        ast_at(l->ast, self)->name = intern(l->ast->names, "this");
    } else {
        lower_expression(l, base);
    }
    ast_close(l->ast, node);
}

/* ---- casts, calls ---- */

static void lower_cast(Lower *l, CXCursor cursor, Span span)
{
    Kids kids = kids_expressions(l, cursor);
    CXCursor operand = kids.count > 0 ? strip(l, kid(l, kids, kids.count - 1))
                                      : clang_getNullCursor();
    kids_drop(l, kids);
    int64_t value = 1;
    bool pointer = clang_getCanonicalType(clang_getCursorType(cursor)).kind == CXType_Pointer;
    if (pointer && clang_getCursorKind(operand) == CXCursor_IntegerLiteral &&
        constant_of(operand, &value) && value == 0) {
        lower_word(l, AST_CONSTANT, "NULL", cursor, span);
        return;
    }
    AstNode node = open_typed(l, AST_CAST, cursor, span);
    if (clang_Cursor_isNull(operand))
        ast_none(l->ast);
    else
        lower_expression(l, operand);
    ast_close(l->ast, node);
}

static bool calls_expect(Lower *l, CXCursor callee)
{
    callee = strip(l, callee);
    if (clang_getCursorKind(callee) != CXCursor_DeclRefExpr)
        return false;
    CXString spelling = clang_getCursorSpelling(callee);
    const char *text = clang_getCString(spelling);
    bool yes = text != NULL && strncmp(text, "__builtin_expect", 16) == 0;
    clang_disposeString(spelling);
    return yes;
}

static CXCursor negated(Lower *l, CXCursor cursor)
{
    cursor = strip(l, cursor);
    CXCursor operand = clang_getNullCursor();
    if (clang_getCursorKind(cursor) == CXCursor_UnaryOperator &&
        clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_LNot) {
        Kids kids = kids_expressions(l, cursor);
        operand = kids.count > 0 ? kid(l, kids, 0) : operand;
        kids_drop(l, kids);
    }
    return operand;
}

/* `__builtin_expect(!!(x), 0)` is x, unlikely. */
static void lower_expect(Lower *l, CXCursor value, CXCursor expected)
{
    int64_t likely = 1;
    CXCursor once = negated(l, value), twice = clang_Cursor_isNull(once) ? once : negated(l, once);
    lower_expression(l, clang_Cursor_isNull(twice) ? value : twice);
    l->unlikely = constant_of(strip(l, expected), &likely) && likely == 0;
}

static void lower_call(Lower *l, CXCursor cursor, Span span)
{
    Kids kids = kids_expressions(l, cursor);
    int arguments = clang_Cursor_getNumArguments(cursor);
    if (kids.count >= 3 && calls_expect(l, kid(l, kids, 0))) {
        lower_expect(l, kid(l, kids, 1), kid(l, kids, 2));
        kids_drop(l, kids);
        return;
    }
    AstNode node = open_typed(l, AST_CALL, cursor, span);
    bool no_callee = kids.count == 0 || (arguments >= 0 && kids.count == (uint32_t)arguments);
    if (no_callee) { /* a C++ constructor */
        AstNode name = lower_leaf(l, AST_NAME, span);
        Name spelling = lower_name(l, clang_getCursorSpelling(cursor));
        ast_at(l->ast, name)->name = spelling;
    }
    lower_parts(l, node, kids, 0);
    kids_drop(l, kids);
}

/* The word an expression starts with, as the source has it. */
static Name first_word(Lower *l, Span span)
{
    const Source *source = l->unit->files.items[span.file];
    uint32_t at = span.start;
    while (at < source->size &&
           (source->bytes[at] == '_' || (source->bytes[at] >= '0' && source->bytes[at] <= '9') ||
            ((source->bytes[at] | 32) >= 'a' && (source->bytes[at] | 32) <= 'z')))
        at++;
    return intern_add(l->ast->names, source->bytes + span.start, at - span.start);
}

/* __atomic_… and C11 atomic_… are no calls to clang. The parts come as pointer, order, value, order
 * on failure, value 2, weak; a reader expects pointer, values, orders. */
static void lower_atomic(Lower *l, CXCursor cursor, Span span, Kids kids, Name word)
{
    static const uint8_t order[] = {0, 2, 4, 5, 1, 3};
    AstNode node = open_typed(l, AST_CALL, cursor, span);
    AstNode callee = lower_leaf(l, AST_NAME, span);
    ast_at(l->ast, callee)->name = word;
    for (size_t i = 0; i < sizeof order; i++)
        if (order[i] < kids.count)
            lower_expression(l, kid(l, kids, order[i]));
    ast_close(l->ast, node);
}

static void lower_unexposed(Lower *l, CXCursor cursor, Span span)
{
    Kids kids = kids_expressions(l, cursor);
    Name word = kids.count > 1 ? first_word(l, span) : 0;
    const char *text = intern_text(l->ast->names, word);
    if (strstr(text, "atomic_") != NULL) {
        lower_atomic(l, cursor, span, kids, word);
    } else {
        AstNode node = open_typed(l, AST_OTHER, cursor, span);
        lower_parts(l, node, kids, 0);
    }
    kids_drop(l, kids);
}

static void lower_list(Lower *l, CXCursor cursor, Span span)
{
    Kids kids = kids_expressions(l, cursor);
    CXCursor only = kids.count == 1 ? strip(l, kid(l, kids, 0)) : clang_getNullCursor();
    if (clang_getCursorKind(cursor) == CXCursor_CompoundLiteralExpr &&
        clang_getCursorKind(only) == CXCursor_InitListExpr) {
        lower_list(l, only, span);
    } else {
        AstNode node = open_typed(l, AST_INITIALIZER, cursor, span);
        lower_parts(l, node, kids, 0);
    }
    kids_drop(l, kids);
}

static void lower_expression_inside(Lower *l, CXCursor cursor)
{
    cursor = strip(l, cursor);
    Span span = lower_span(l, cursor);
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
        lower_integer(l, cursor, span);
        break;
    case CXCursor_FloatingLiteral:
        lower_real(l, cursor, span);
        break;
    case CXCursor_StringLiteral:
        lower_string(l, cursor, span);
        break;
    case CXCursor_DeclRefExpr:
    case CXCursor_OverloadedDeclRef:
        lower_reference(l, cursor, span);
        break;
    case CXCursor_ArraySubscriptExpr:
        lower_subscript(l, cursor, span);
        break;
    case CXCursor_MemberRefExpr:
        lower_member(l, cursor, span);
        break;
    case CXCursor_CallExpr:
        lower_call(l, cursor, span);
        break;
    case CXCursor_UnaryOperator:
        lower_unary(l, cursor, span);
        break;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        lower_binary(l, cursor, span);
        break;
    case CXCursor_ConditionalOperator:
        lower_conditional(l, cursor, span);
        break;
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXDynamicCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
        lower_cast(l, cursor, span);
        break;
    case CXCursor_UnaryExpr:
        lower_sizeof(l, cursor, span);
        break;
    case CXCursor_CompoundLiteralExpr:
    case CXCursor_InitListExpr:
        lower_list(l, cursor, span);
        break;
    case CXCursor_CXXThisExpr:
        lower_word(l, AST_NAME, "this", cursor, span);
        break;
    case CXCursor_CXXNullPtrLiteralExpr:
    case CXCursor_GNUNullExpr:
        lower_word(l, AST_CONSTANT, "NULL", cursor, span);
        break;
    case CXCursor_UnexposedExpr:
        lower_unexposed(l, cursor, span);
        break;
    default:
        lower_other(l, cursor, span);
        break;
    }
}

void lower_expression(Lower *l, CXCursor cursor)
{
    l->unlikely = false;
    if (l->depth >= DEPTH_MOST) {
        lower_leaf(l, AST_OTHER, lower_span(l, cursor));
        return;
    }
    l->depth++;
    lower_expression_inside(l, cursor);
    l->depth--;
}
