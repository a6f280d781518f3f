/* OpenMP directives to regions and loops. */
#include "frontends/c/lower.h"

#include <stdlib.h>
#include <string.h>

/* ---- finding them ---- */

/* Object-like macros of the linted files and of the command line. */
static const char *macro_body(void *context, const char *word, size_t length)
{
    Lower *l = context;
    for (uint32_t i = 0; i < l->files.count; i++) {
        const char *body = l->files.items[i].scan != NULL
                               ? scan_macro(l->files.items[i].scan, word, length)
                               : NULL;
        if (body != NULL)
            return body;
    }
    for (uint32_t i = l->defines.count; i-- > 0;) {
        const char *define = l->defines.items[i], *equals = strchr(define, '=');
        if (equals != NULL && (size_t)(equals - define) == length &&
            memcmp(define, word, length) == 0)
            return equals + 1;
    }
    return NULL;
}

static Pragma read_pragma(Lower *l, Span span, uint32_t text, const char *bytes, size_t length)
{
    Pragma pragma = {
        .directive = omp_parse(l->arena, bytes, length, macro_body, l), .span = span, .text = text};
    uint32_t count = pragma.directive->tokens.count;
    if (text != NOWHERE && count > 1)
        pragma.span.stop = text + pragma.directive->tokens.items[count - 2].stop;
    return pragma;
}

void pragmas_before(Lower *l, uint32_t file, uint32_t offset, Pragmas *out)
{
    LowerFile *where = lower_file_of(l, file);
    Scan *scan = where != NULL ? where->scan : NULL;
    ScanPragma *found = scan != NULL ? scan_before(scan, offset) : NULL;
    for (; found != NULL && found < scan->pragmas.items + scan->pragmas.count &&
           found->next == offset;
         found++) {
        Span span = {file, found->start, found->stop, false};
        Pragma pragma = read_pragma(l, span, found->text, scan->source->bytes + found->text,
                                    found->stop - found->text);
        found->used = true;
        LIST_PUSH(l->arena, out, pragma);
    }
}

static bool assert_text(Lower *l, CXCursor cursor, Span span, Pragmas *out)
{
    CXString spelling = clang_getCursorSpelling(cursor);
    const char *text = clang_getCString(spelling);
    size_t length = text != NULL ? strlen(text) : 0;
    bool is_pragma = length > 2 && text[0] == '"' && span.macro;
    if (is_pragma && strncmp(text + 1, "omp ", 4) == 0) {
        const char *copy = arena_strndup(l->arena, text + 5, length - 6);
        LIST_PUSH(l->arena, out, read_pragma(l, span, NOWHERE, copy, length - 6));
    }
    clang_disposeString(spelling);
    return is_pragma;
}

bool pragma_from_assert(Lower *l, CXCursor cursor, Pragmas *out)
{
    if (clang_getCursorKind(cursor) != CXCursor_DeclStmt)
        return false;
    bool found = false;
    Kids kids = kids_of(l, cursor);
    if (kids.count == 1 && clang_getCursorKind(kid(l, kids, 0)) == CXCursor_StaticAssert) {
        Kids parts = kids_expressions(l, kid(l, kids, 0));
        for (uint32_t i = 0; i < parts.count; i++)
            if (clang_getCursorKind(kid(l, parts, i)) == CXCursor_StringLiteral)
                found = assert_text(l, kid(l, parts, i), lower_span(l, cursor), out);
        kids_drop(l, parts);
    }
    kids_drop(l, kids);
    return found;
}

/* ---- clauses ---- */

static Span token_span(const Pragma *pragma, uint32_t first, uint32_t stop)
{
    const OmpToken *tokens = pragma->directive->tokens.items;
    Span span = pragma->span;
    if (pragma->text != NOWHERE && stop > first) {
        span.start = pragma->text + tokens[first].start;
        span.stop = pragma->text + tokens[stop - 1].stop;
    }
    return span;
}

static bool is_mark(const OmpToken *token, const char *mark)
{
    return token->kind == OMP_MARK && strcmp(token->text, mark) == 0;
}

/* Comma-separated expressions. */
static void lower_arguments(Lower *l, const Pragma *pragma, uint32_t first, uint32_t count)
{
    const OmpToken *tokens = pragma->directive->tokens.items;
    uint32_t start = first, stop = first + count;
    int depth = 0;
    for (uint32_t i = first; i < stop; i++) {
        depth += is_mark(&tokens[i], "(") || is_mark(&tokens[i], "[");
        depth -= is_mark(&tokens[i], ")") || is_mark(&tokens[i], "]");
        if (depth == 0 && is_mark(&tokens[i], ",")) {
            clause_expression(l, pragma, start, i - start);
            start = i + 1;
        }
    }
    if (start < stop)
        clause_expression(l, pragma, start, stop - start);
}

static AstOp reduction_op(const char *name)
{
    static const struct {
        const char *text;
        AstOp op;
    } table[] = {{"+", OP_ADD},   {"-", OP_SUB},  {"*", OP_MUL},        {"&", OP_AND},
                 {"|", OP_OR},    {"^", OP_XOR},  {"&&", OP_LOGIC_AND}, {"||", OP_LOGIC_OR},
                 {"min", OP_MIN}, {"max", OP_MAX}};
    for (size_t i = 0; name != NULL && i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].text, name) == 0)
            return table[i].op;
    return OP_USER;
}

/* Numbers that only a constant expression gives go into the loop's record. */
static void complete_loop(Lower *l, AstNode loop, AstClause kind, AstNode clause)
{
    AstNode argument = ast_first(l->ast, clause);
    int64_t value = 0;
    if (ast_kind(l->ast, loop) != AST_LOOP || argument == 0 ||
        !ast_constant(l->ast, argument, &value) || value <= 0)
        return;
    AstLoopInfo *info = &ast_at(l->ast, loop)->value.loop;
    if (kind == CLAUSE_SCHEDULE && value <= UINT32_MAX)
        info->chunk = (uint32_t)value;
    if ((kind == CLAUSE_COLLAPSE || kind == CLAUSE_ORDERED) && value <= 32 &&
        value > info->collapse)
        info->collapse = (uint8_t)value;
}

void pragma_clauses(Lower *l, const Pragma *pragma)
{
    const OmpDirective *directive = pragma->directive;
    AstNode owner = l->ast->open.items[l->ast->open.count - 1];
    for (uint32_t i = 0; i < directive->clauses.count; i++) {
        const OmpClause *clause = &directive->clauses.items[i];
        Span span = token_span(pragma, clause->first, clause->first + clause->count);
        AstNode node = lower_open(l, AST_CLAUSE, span);
        ast_at(l->ast, node)->op = (uint8_t)clause->kind;
        ast_at(l->ast, node)->name = clause->name != NULL ? intern(l->ast->names, clause->name) : 0;
        if (clause->kind == CLAUSE_REDUCTION)
            ast_at(l->ast, node)->value.integer = reduction_op(clause->name);
        lower_arguments(l, pragma, clause->first, clause->count);
        ast_close(l->ast, node);
        complete_loop(l, owner, clause->kind, node);
    }
}

void pragma_threadprivate(Lower *l, const Pragma *pragma)
{
    for (uint32_t i = 0; i < pragma->directive->count; i++) {
        const OmpToken *token = &pragma->directive->tokens.items[pragma->directive->first + i];
        AstSymbol symbol =
            token->kind == OMP_WORD ? scope_find(l, intern(l->ast->names, token->text)) : 0;
        if (symbol != 0)
            l->ast->symbols.items[symbol].flags |= SYMBOL_THREADPRIVATE;
    }
}

/* ---- loops ---- */

static AstSchedule schedule_of(const char *name)
{
    static const char *const names[] = {"", "static", "dynamic", "guided", "auto", "runtime"};
    for (AstSchedule kind = SCHEDULE_STATIC; kind <= SCHEDULE_RUNTIME; kind++)
        if (strcmp(names[kind], name) == 0)
            return kind;
    return SCHEDULE_DEFAULT;
}

static uint8_t run_of(uint32_t words)
{
    if ((words & (OMP_TARGET | OMP_TEAMS | OMP_DISTRIBUTE)) != 0)
        return RUN_OFFLOAD;
    if ((words & (OMP_FOR | OMP_LOOP)) != 0)
        return (words & OMP_PARALLEL) != 0 ? RUN_PARALLEL : RUN_WORKSHARE;
    if ((words & OMP_TASKLOOP) != 0)
        return RUN_WORKSHARE;
    return RUN_SIMD;
}

AstLoopInfo pragma_loop(Lower *l, const Pragma *pragma)
{
    const OmpDirective *directive = pragma->directive;
    AstLoopInfo info = {.run = run_of(directive->words)};
    (void)l;
    if (pragma->inner)
        info.flags |= LOOP_IN_REGION;
    if ((directive->words & OMP_TASKLOOP) != 0)
        info.flags |= LOOP_TASKLOOP;
    for (uint32_t i = 0; i < directive->clauses.count; i++) {
        const OmpClause *clause = &directive->clauses.items[i];
        const OmpToken *argument = &directive->tokens.items[clause->first];
        long value = clause->count == 1 && argument->kind == OMP_NUMBER
                         ? strtol(argument->text, NULL, 0)
                         : 0;
        if (clause->kind == CLAUSE_NOWAIT)
            info.flags |= LOOP_NOWAIT;
        if (clause->kind == CLAUSE_ORDERED)
            info.flags |= LOOP_ORDERED;
        if (clause->kind == CLAUSE_SCHEDULE) {
            info.schedule = (uint8_t)schedule_of(clause->name);
            info.chunk = value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
        }
        if ((clause->kind == CLAUSE_COLLAPSE || clause->kind == CLAUSE_ORDERED) &&
            value > info.collapse && value <= 32)
            info.collapse = (uint8_t)value;
    }
    return info;
}

/* ---- regions ---- */

static const struct {
    uint32_t word;
    AstRegion region;
} regions[] = {
    {OMP_PARALLEL, REGION_PARALLEL}, {OMP_MASTER, REGION_MASTER},   {OMP_SECTIONS, REGION_SECTIONS},
    {OMP_SECTION, REGION_SECTION},   {OMP_SINGLE, REGION_SINGLE},   {OMP_CRITICAL, REGION_CRITICAL},
    {OMP_ATOMIC, REGION_ATOMIC},     {OMP_ORDERED, REGION_ORDERED}, {OMP_TASK, REGION_TASK},
    {OMP_SCOPED, REGION_OTHER},      {OMP_BARRIER, REGION_BARRIER}, {OMP_TASKWAIT, REGION_TASKWAIT},
    {OMP_FLUSH, REGION_FLUSH},
};

static AstNode open_region(Lower *l, const Pragma *pragma, AstRegion region)
{
    AstNode node = lower_open(l, AST_REGION, pragma->span);
    ast_at(l->ast, node)->op = (uint8_t)region;
    if (region == REGION_ATOMIC)
        ast_at(l->ast, node)->value.integer = pragma->directive->atomic;
    if (region == REGION_CRITICAL && pragma->directive->name != NULL)
        ast_at(l->ast, node)->name = intern(l->ast->names, pragma->directive->name);
    return node;
}

void pragma_standalone(Lower *l, const Pragma *pragma)
{
    uint32_t words = pragma->directive->words;
    if ((words & OMP_THREADPRIVATE) != 0)
        pragma_threadprivate(l, pragma);
    if ((words & OMP_IGNORED) != 0)
        return;
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        if ((words & regions[i].word) == 0)
            continue;
        AstNode node = open_region(l, pragma, regions[i].region);
        ast_none(l->ast);
        pragma_clauses(l, pragma);
        ast_close(l->ast, node);
        return;
    }
}

static CXCursor behind_labels(Lower *l, CXCursor cursor)
{
    while (clang_getCursorKind(cursor) == CXCursor_LabelStmt) {
        Kids kids = kids_expressions(l, cursor);
        CXCursor inner = kids.count > 0 ? kid(l, kids, 0) : clang_getNullCursor();
        kids_drop(l, kids);
        if (clang_Cursor_isNull(inner))
            break;
        cursor = inner;
    }
    return cursor;
}

static bool is_for(CXCursor cursor)
{
    return clang_getCursorKind(cursor) == CXCursor_ForStmt ||
           clang_getCursorKind(cursor) == CXCursor_CXXForRangeStmt;
}

static void lower_loop(Lower *l, CXCursor cursor, const Pragma *pragma)
{
    if (clang_getCursorKind(cursor) == CXCursor_ForStmt)
        lower_for(l, cursor, pragma);
    else
        lower_range_for(l, cursor, pragma);
}

enum {
    LOOP_WORDS = OMP_FOR | OMP_SIMD | OMP_TASKLOOP | OMP_LOOP | OMP_DISTRIBUTE,
    OFFLOAD_WORDS = OMP_TARGET | OMP_TEAMS | OMP_DISTRIBUTE
};

/* The regions that stand around the statement, outermost first; `parallel for` itself is a loop. */
static uint32_t regions_of(uint32_t words, bool loop, AstRegion out[8])
{
    uint32_t count = 0;
    if ((words & OFFLOAD_WORDS) != 0) {
        out[0] = REGION_OFFLOAD;
        return loop && (words & LOOP_WORDS) != 0 ? 0 : 1;
    }
    bool in_loop = loop && (words & (OMP_FOR | OMP_LOOP)) != 0;
    for (size_t i = 0; i < sizeof regions / sizeof *regions && count < 8; i++)
        if ((words & regions[i].word) != 0 && !(in_loop && regions[i].word == OMP_PARALLEL))
            out[count++] = regions[i].region;
    if (count == 0 && !loop)
        out[count++] = REGION_OTHER;
    return count;
}

static void lower_inside(Lower *l, const Pragmas *pragmas, uint32_t from, CXCursor cursor,
                         bool loop)
{
    const Pragma *pragma = &pragmas->items[from];
    if (loop) {
        lower_loop(l, cursor, pragma);
    } else if ((pragma->directive->words & OMP_SECTIONS) != 0 &&
               clang_getCursorKind(cursor) == CXCursor_CompoundStmt) {
        lower_block(l, cursor, BLOCK_OF_SECTIONS);
    } else {
        lower_pragmas(l, pragmas, from + 1, cursor);
    }
}

void lower_pragmas(Lower *l, const Pragmas *pragmas, uint32_t from, CXCursor cursor)
{
    while (from < pragmas->count &&
           (pragmas->items[from].directive->words & (OMP_IGNORED | OMP_STANDALONE)) != 0)
        pragma_standalone(l, &pragmas->items[from++]);
    if (from >= pragmas->count) {
        lower_plain(l, cursor);
        return;
    }
    Pragma pragma = pragmas->items[from];
    CXCursor target = behind_labels(l, cursor);
    bool loop = (pragma.directive->words & LOOP_WORDS) != 0 && is_for(target);
    AstRegion around[8];
    AstNode nodes[8];
    uint32_t count = regions_of(pragma.directive->words, loop, around);
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = open_region(l, &pragma, around[i]);
    pragmas->items[from].inner = count > 0;
    lower_inside(l, pragmas, from, loop ? target : cursor, loop);
    for (uint32_t i = count; i-- > 0;) {
        if (i == 0)
            pragma_clauses(l, &pragma);
        ast_close(l->ast, nodes[i]);
    }
}
