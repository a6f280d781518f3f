/* Statements. */
#include "frontends/c/lower.h"

/* ---- pieces ---- */

static AstNode empty_block(Lower *l, CXCursor cursor)
{
    return lower_leaf(l, AST_BLOCK, lower_span(l, cursor));
}

static bool is_standalone(const Pragma *pragma)
{
    return (pragma->directive->words & (OMP_STANDALONE | OMP_IGNORED)) != 0;
}

void lower_body(Lower *l, CXCursor cursor)
{
    Pragmas pragmas = {0};
    Span span = lower_span(l, cursor);
    pragmas_before(l, span.file, span.start, &pragmas);
    bool standalone = false;
    for (uint32_t i = 0; i < pragmas.count; i++)
        standalone |= is_standalone(&pragmas.items[i]);
    AstNode block = standalone ? lower_open(l, AST_BLOCK, span) : 0;
    lower_pragmas(l, &pragmas, 0, cursor);
    if (standalone)
        ast_close(l->ast, block);
}

static void lower_declarations(Lower *l, CXCursor cursor)
{
    Kids kids = kids_of(l, cursor);
    for (uint32_t i = 0; i < kids.count; i++) {
        CXCursor declaration = kid(l, kids, i);
        enum CXCursorKind kind = clang_getCursorKind(declaration);
        if (kind == CXCursor_VarDecl)
            lower_variable(l, declaration);
        else if (kind == CXCursor_EnumDecl) {
            Kids enumerators = kids_of(l, declaration);
            for (uint32_t k = 0; k < enumerators.count; k++)
                scope_add(l, symbol_of(l, kid(l, enumerators, k)));
            kids_drop(l, enumerators);
        }
    }
    kids_drop(l, kids);
}

static void lower_branch(Lower *l, CXCursor cursor, Span span)
{
    Kids kids = kids_expressions(l, cursor);
    uint32_t first = kids.count > 2 &&
                     clang_getCursorKind(kid(l, kids, 0)) == CXCursor_DeclStmt; /* C++17 */
    AstNode node = lower_open(l, AST_BRANCH, span);
    if (kids.count >= first + 2) {
        lower_expression(l, kid(l, kids, first));
        if (l->unlikely)
            ast_at(l->ast, node)->flags |= AST_UNLIKELY;
        lower_body(l, kid(l, kids, first + 1));
    } else {
        ast_none(l->ast);
        ast_none(l->ast);
    }
    if (kids.count > first + 2)
        lower_body(l, kid(l, kids, first + 2));
    else
        ast_none(l->ast);
    ast_close(l->ast, node);
    kids_drop(l, kids);
}

static void lower_while(Lower *l, CXCursor cursor, Span span, bool tested_last)
{
    Kids kids = kids_expressions(l, cursor);
    AstNode node = lower_open(l, AST_LOOP, span);
    ast_at(l->ast, node)->op = tested_last ? LOOP_DO : LOOP_WHILE;
    bool whole = kids.count >= 2;
    CXCursor first = whole ? kid(l, kids, kids.count - 2) : cursor,
             second = whole ? kid(l, kids, kids.count - 1) : cursor;
    ast_none(l->ast);
    ast_none(l->ast);
    if (whole)
        lower_expression(l, tested_last ? second : first);
    else
        ast_none(l->ast);
    ast_none(l->ast);
    if (whole)
        lower_body(l, tested_last ? first : second);
    else
        empty_block(l, cursor);
    ast_close(l->ast, node);
    lower_doubt(l, node, span);
    kids_drop(l, kids);
}

static enum CXChildVisitResult visit_leaving(CXCursor cursor, CXCursor parent, CXClientData data)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    (void)parent;
    if (kind == CXCursor_BreakStmt || kind == CXCursor_ContinueStmt)
        *(bool *)data = true;
    bool own = kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt ||
               kind == CXCursor_CXXForRangeStmt || kind == CXCursor_SwitchStmt;
    return *(bool *)data ? CXChildVisit_Break : own ? CXChildVisit_Continue : CXChildVisit_Recurse;
}

/* do { … } while (0), as macros have it, is no loop where nothing leaves it. */
static void lower_do(Lower *l, CXCursor cursor, Span span)
{
    Kids kids = kids_expressions(l, cursor);
    int64_t again = 1;
    bool leaves = false, whole = kids.count >= 2;
    CXCursor body = whole ? kid(l, kids, kids.count - 2) : cursor;
    bool once = whole && constant_of(kid(l, kids, kids.count - 1), &again) && again == 0;
    if (once)
        clang_visitChildren(body, visit_leaving, &leaves);
    kids_drop(l, kids);
    if (once && !leaves)
        lower_body(l, body);
    else
        lower_while(l, cursor, span, true);
}

static void lower_switch(Lower *l, CXCursor cursor, Span span)
{
    Kids kids = kids_expressions(l, cursor);
    AstNode node = lower_open(l, AST_SWITCH, span);
    CXCursor body = kids.count >= 2 ? kid(l, kids, kids.count - 1) : cursor;
    if (kids.count >= 2)
        lower_expression(l, kid(l, kids, kids.count - 2));
    else
        ast_none(l->ast);
    if (clang_getCursorKind(body) == CXCursor_CompoundStmt)
        lower_block(l, body, BLOCK_OF_SWITCH);
    else if (kids.count >= 2)
        lower_body(l, body);
    else
        empty_block(l, cursor);
    ast_close(l->ast, node);
    kids_drop(l, kids);
}

static bool is_case(CXCursor cursor)
{
    return clang_getCursorKind(cursor) == CXCursor_CaseStmt ||
           clang_getCursorKind(cursor) == CXCursor_DefaultStmt;
}

/* The statement behind `case 1: case 2:` or a label. */
static CXCursor behind_label(Lower *l, CXCursor cursor)
{
    while (is_case(cursor) || clang_getCursorKind(cursor) == CXCursor_LabelStmt) {
        Kids kids = kids_expressions(l, cursor);
        CXCursor last = kids.count > 0 ? kid(l, kids, kids.count - 1) : clang_getNullCursor();
        kids_drop(l, kids);
        cursor = last;
    }
    return cursor;
}

/* `default:` and nothing else. */
static void mark_default(Lower *l, AstNode node, CXCursor cursor)
{
    Kids kids = kids_expressions(l, cursor);
    if (clang_getCursorKind(cursor) == CXCursor_DefaultStmt && kids.count > 0 &&
        !is_case(kid(l, kids, kids.count - 1)))
        ast_at(l->ast, node)->flags |= AST_DEFAULT;
    kids_drop(l, kids);
}

static void lower_case(Lower *l, CXCursor cursor, Span span)
{
    AstNode node = lower_open(l, AST_CASE, span);
    CXCursor body = behind_label(l, cursor);
    mark_default(l, node, cursor);
    if (clang_Cursor_isNull(body))
        empty_block(l, cursor);
    else
        lower_body(l, body);
    ast_close(l->ast, node);
}

static void lower_goto(Lower *l, CXCursor cursor, Span span)
{
    Kids kids = kids_of(l, cursor);
    int64_t target = -1;
    for (uint32_t i = 0; i < kids.count; i++) {
        CXCursor label = kid(l, kids, i);
        if (clang_getCursorKind(label) == CXCursor_LabelRef)
            target = lower_span(l, clang_getCursorReferenced(label)).start;
    }
    kids_drop(l, kids);
    AstNode node = lower_leaf(l, AST_GOTO, span);
    ast_at(l->ast, node)->value.integer = target;
}

static void lower_with_value(Lower *l, AstKind kind, CXCursor cursor, Span span)
{
    Kids kids = kids_expressions(l, cursor);
    AstNode node = lower_open(l, kind, span);
    if (kids.count > 0)
        lower_expression(l, kid(l, kids, 0));
    else
        ast_none(l->ast);
    ast_close(l->ast, node);
    kids_drop(l, kids);
}

/* asm, C++ try: their parts. */
static void lower_parts(Lower *l, AstKind kind, CXCursor cursor, Span span)
{
    Kids kids = kids_expressions(l, cursor);
    AstNode node = lower_open(l, kind, span);
    for (uint32_t i = 0; i < kids.count; i++) {
        if (clang_isStatement(clang_getCursorKind(kid(l, kids, i))))
            lower_body(l, kid(l, kids, i));
        else
            lower_expression(l, kid(l, kids, i));
    }
    ast_close(l->ast, node);
    kids_drop(l, kids);
}

static bool is_assignment(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_UnaryOperator) {
        enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(cursor);
        return op >= CXUnaryOperator_PostInc && op <= CXUnaryOperator_PreDec;
    }
    return kind == CXCursor_CompoundAssignOperator ||
           (kind == CXCursor_BinaryOperator &&
            clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign);
}

static void lower_expression_statement(Lower *l, CXCursor cursor, Span span)
{
    CXCursor plain = strip(l, cursor);
    if (is_assignment(plain)) {
        lower_expression(l, plain);
        return;
    }
    AstNode node = lower_open(l, AST_EXPR, span);
    lower_expression(l, plain);
    ast_close(l->ast, node);
}

static void lower_declaration_statement(Lower *l, CXCursor cursor, Span span)
{
    AstNode node = lower_open(l, AST_BLOCK, span);
    lower_declarations(l, cursor);
    ast_close(l->ast, node);
}

/* ---- one statement ---- */

static void lower_statement(Lower *l, CXCursor cursor, Span span)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_CompoundStmt:
        lower_block(l, cursor, BLOCK_PLAIN);
        break;
    case CXCursor_IfStmt:
        lower_branch(l, cursor, span);
        break;
    case CXCursor_ForStmt:
        lower_for(l, cursor, NULL);
        break;
    case CXCursor_CXXForRangeStmt:
        lower_range_for(l, cursor, NULL);
        break;
    case CXCursor_WhileStmt:
        lower_while(l, cursor, span, false);
        break;
    case CXCursor_DoStmt:
        lower_do(l, cursor, span);
        break;
    case CXCursor_SwitchStmt:
        lower_switch(l, cursor, span);
        break;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        lower_case(l, cursor, span);
        break;
    case CXCursor_LabelStmt: {
        CXCursor inner = behind_label(l, cursor);
        if (clang_Cursor_isNull(inner))
            empty_block(l, cursor);
        else
            lower_body(l, inner);
        break;
    }
    case CXCursor_ReturnStmt:
        lower_with_value(l, AST_RETURN, cursor, span);
        break;
    case CXCursor_CXXThrowExpr:
        lower_with_value(l, AST_RAISE, cursor, span);
        break;
    case CXCursor_BreakStmt:
        lower_leaf(l, AST_BREAK, span);
        break;
    case CXCursor_ContinueStmt:
        lower_leaf(l, AST_CONTINUE, span);
        break;
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
        lower_goto(l, cursor, span);
        break;
    case CXCursor_DeclStmt:
        lower_declaration_statement(l, cursor, span);
        break;
    case CXCursor_NullStmt:
        empty_block(l, cursor);
        break;
    case CXCursor_CXXTryStmt:
        lower_parts(l, AST_TRY, cursor, span);
        break;
    default:
        if (clang_isExpression(clang_getCursorKind(cursor)))
            lower_expression_statement(l, cursor, span);
        else
            lower_parts(l, AST_OTHER, cursor, span);
        break;
    }
}

void lower_plain(Lower *l, CXCursor cursor)
{
    Span span = lower_span(l, cursor);
    if (l->depth >= DEPTH_MOST) {
        lower_leaf(l, AST_OTHER, span);
        return;
    }
    l->depth++;
    lower_statement(l, cursor, span);
    l->depth--;
}

/* ---- blocks ---- */

/* `a = 0, b = 1;` as two statements. */
static void lower_comma(Lower *l, CXCursor cursor)
{
    CXCursor plain = strip(l, cursor);
    if (clang_getCursorKind(plain) != CXCursor_BinaryOperator ||
        clang_getCursorBinaryOperatorKind(plain) != CXBinaryOperator_Comma ||
        l->depth >= DEPTH_MOST) {
        lower_plain(l, cursor);
        return;
    }
    l->depth++;
    Kids kids = kids_expressions(l, plain);
    for (uint32_t i = 0; i < kids.count; i++)
        lower_comma(l, kid(l, kids, i));
    kids_drop(l, kids);
    l->depth--;
}

/* A statement in a list, with the pragmas that stand in front of it: any number of nodes. */
static void lower_item(Lower *l, CXCursor cursor, Pragmas *pragmas)
{
    uint32_t from = 0;
    while (from < pragmas->count && is_standalone(&pragmas->items[from]))
        pragma_standalone(l, &pragmas->items[from++]);
    if (from < pragmas->count)
        lower_pragmas(l, pragmas, from, cursor);
    else if (clang_getCursorKind(cursor) == CXCursor_DeclStmt)
        lower_declarations(l, cursor);
    else if (clang_getCursorKind(cursor) != CXCursor_NullStmt)
        lower_comma(l, cursor);
    pragmas->count = 0;
}

/* Statements are gathered under the CASE or SECTION in front of them: `region` is its node, `block`
 * the block in it. */
typedef struct Gather {
    AstNode region, block;
} Gather;

static void gather_close(Lower *l, Gather *gather)
{
    if (gather->region == 0)
        return;
    uint32_t stop = ast_at(l->ast, l->ast->nodes.count - 1)->stop;
    AstNodeData *block = ast_at(l->ast, gather->block);
    if (stop > block->stop && ast_at(l->ast, l->ast->nodes.count - 1)->file == block->file)
        block->stop = stop;
    ast_close(l->ast, gather->block);
    ast_close(l->ast, gather->region);
    *gather = (Gather){0};
}

static CXCursor gather_case(Lower *l, Gather *gather, CXCursor cursor)
{
    gather_close(l, gather);
    Span span = lower_span(l, cursor);
    gather->region = lower_open(l, AST_CASE, span);
    mark_default(l, gather->region, cursor);
    gather->block = lower_open(l, AST_BLOCK, span);
    return behind_label(l, cursor);
}

/* The first section needs no pragma. */
static void gather_section(Lower *l, Gather *gather, CXCursor cursor, Pragmas *pragmas)
{
    bool named = pragmas->count > 0 && (pragmas->items[0].directive->words & OMP_SECTION) != 0;
    if (!named && gather->region != 0)
        return;
    gather_close(l, gather);
    gather->region =
        lower_open(l, AST_REGION, named ? pragmas->items[0].span : lower_span(l, cursor));
    ast_at(l->ast, gather->region)->op = REGION_SECTION;
    gather->block = lower_open(l, AST_BLOCK, lower_span(l, cursor));
    if (named) {
        for (uint32_t i = 1; i < pragmas->count; i++)
            pragmas->items[i - 1] = pragmas->items[i];
        pragmas->count--;
    }
}

static void lower_items(Lower *l, Kids kids, BlockOf of, Pragmas *pragmas)
{
    Gather gather = {0};
    for (uint32_t i = 0; i < kids.count; i++) {
        CXCursor item = kid(l, kids, i);
        if (pragma_from_assert(l, item, pragmas))
            continue;
        Span span = lower_span(l, item);
        pragmas_before(l, span.file, span.start, pragmas);
        if (of == BLOCK_OF_SWITCH && is_case(item)) {
            item = gather_case(l, &gather, item);
            if (clang_Cursor_isNull(item))
                continue;
            span = lower_span(l, item);
            pragmas_before(l, span.file, span.start, pragmas);
        } else if (of == BLOCK_OF_SECTIONS) {
            gather_section(l, &gather, item, pragmas);
        }
        lower_item(l, item, pragmas);
    }
    gather_close(l, &gather);
}

void lower_block(Lower *l, CXCursor cursor, BlockOf of)
{
    Span span = lower_span(l, cursor);
    AstNode node = lower_open(l, AST_BLOCK, span);
    uint32_t scope = l->scope.count;
    Pragmas pragmas = {0};
    Kids kids = kids_of(l, cursor);
    lower_items(l, kids, of, &pragmas);
    kids_drop(l, kids);
    if (span.stop > span.start)
        pragmas_before(l, span.file, span.stop - 1, &pragmas); /* in front of the '}' */
    for (uint32_t i = 0; i < pragmas.count; i++)
        if (is_standalone(&pragmas.items[i]))
            pragma_standalone(l, &pragmas.items[i]);
    l->scope.count = scope;
    ast_close(l->ast, node);
}
