/* Files, functions and declarations. */
#include "frontends/c/lower.h"

#include <string.h>

/* ---- files and places ---- */

enum { SKIPPED_MOST = 4096 };

Scan *lower_scan(Arena *arena, CXTranslationUnit tu, CXFile file, const Source *source)
{
    CXSourceRangeList *ranges = clang_getSkippedRanges(tu, file);
    uint32_t count = ranges != NULL && ranges->count < SKIPPED_MOST ? ranges->count : 0;
    ScanRange *skipped = arena_alloc(arena, (count + 1) * sizeof *skipped);
    for (uint32_t i = 0; i < count; i++) {
        clang_getExpansionLocation(clang_getRangeStart(ranges->ranges[i]), NULL, NULL, NULL,
                                   &skipped[i].start);
        clang_getExpansionLocation(clang_getRangeEnd(ranges->ranges[i]), NULL, NULL, NULL,
                                   &skipped[i].stop);
    }
    if (ranges != NULL)
        clang_disposeSourceRangeList(ranges);
    return scan_source(arena, source, skipped, count);
}

/* The file's index in the unit; it gets one when something in the tree stands in it. */
static uint32_t use_file(Lower *l, uint32_t file)
{
    LowerFile *entry = &l->files.items[file];
    if (entry->index != NOWHERE)
        return entry->index;
    size_t size = 0;
    const char *bytes = clang_getFileContents(l->tu, entry->file, &size);
    Source *source =
        source_from(l->arena, entry->path, bytes != NULL ? bytes : "", bytes != NULL ? size : 0);
    entry->index = l->unit->files.count;
    LIST_PUSH(l->arena, &l->unit->files, source);
    return entry->index;
}

uint32_t lower_file(Lower *l, CXFile file)
{
    if (l->last_file < l->files.count && l->files.items[l->last_file].file == file)
        return l->last_file;
    for (uint32_t i = 0; i < l->files.count; i++)
        if (l->files.items[i].file == file || clang_File_isEqual(l->files.items[i].file, file))
            return l->last_file = i;
    CXString name = clang_getFileName(file);
    const char *path = l->paths.report(
        l->paths.context, l->arena, clang_getCString(name) != NULL ? clang_getCString(name) : "");
    clang_disposeString(name);
    LowerFile entry = {.file = file,
                       .path = path,
                       .index = NOWHERE,
                       .inside = l->paths.inside(l->paths.context, path)};
    LIST_PUSH(l->arena, &l->files, entry);
    l->last_file = l->files.count - 1;
    if (entry.inside) {
        uint32_t index = use_file(l, l->last_file);
        l->files.items[l->last_file].scan =
            lower_scan(l->arena, l->tu, file, l->unit->files.items[index]);
    }
    return l->last_file;
}

LowerFile *lower_file_of(Lower *l, uint32_t unit_file)
{
    if (l->last_file < l->files.count && l->files.items[l->last_file].index == unit_file)
        return &l->files.items[l->last_file];
    for (uint32_t i = 0; i < l->files.count; i++)
        if (l->files.items[i].index == unit_file)
            return &l->files.items[i];
    return NULL;
}

static bool word_char(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Where the use of a macro ends: behind its name, or behind the parentheses that follow. */
static uint32_t macro_stop(const Source *source, uint32_t at)
{
    while (at < source->size && word_char(source->bytes[at]))
        at++;
    uint32_t open = scan_trivia(source, at, NULL, 0), depth = 0;
    if (open >= source->size || source->bytes[open] != '(')
        return at;
    for (uint32_t i = open; i < source->size;) {
        uint32_t past = scan_opaque(source, i);
        if (past > i) {
            i = past;
            continue;
        }
        depth += source->bytes[i] == '(';
        if (source->bytes[i++] == ')' && --depth == 0)
            return i;
    }
    return at;
}

Span lower_span(Lower *l, CXCursor cursor)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    CXSourceLocation start = clang_getRangeStart(range);
    CXFile file = NULL, end_file = NULL, spelling_file = NULL;
    unsigned from = 0, to = 0, spelled = 0;
    clang_getExpansionLocation(start, &file, NULL, NULL, &from);
    clang_getExpansionLocation(clang_getRangeEnd(range), &end_file, NULL, NULL, &to);
    if (file == NULL)
        return (Span){0};
    clang_getSpellingLocation(start, &spelling_file, NULL, NULL, &spelled);
    uint32_t index = use_file(l, lower_file(l, file));
    Span span = {index, from, to, spelled != from || spelling_file != file};
    if (span.macro && (to <= from || end_file != file))
        span.stop = macro_stop(l->unit->files.items[index], from);
    else if (to < from || end_file != file)
        span.stop = from;
    return span;
}

AstNode lower_open(Lower *l, AstKind kind, Span span)
{
    AstNode node = ast_open(l->ast, kind, span.file, span.start, span.stop);
    if (span.macro)
        ast_at(l->ast, node)->flags |= AST_MACRO;
    return node;
}

AstNode lower_leaf(Lower *l, AstKind kind, Span span)
{
    AstNode node = lower_open(l, kind, span);
    ast_close(l->ast, node);
    return node;
}

void lower_doubt(Lower *l, AstNode node, Span span)
{
    for (uint32_t i = 0; i < l->errors.count; i++) {
        ErrorPlace error = l->errors.items[i];
        if (error.file == span.file && error.offset >= span.start && error.offset < span.stop)
            ast_at(l->ast, node)->flags |= AST_DOUBTFUL;
    }
}

Name lower_name(Lower *l, CXString text)
{
    const char *string = clang_getCString(text);
    Name name = string != NULL && string[0] != '\0' ? intern(l->ast->names, string) : 0;
    clang_disposeString(text);
    return name;
}

/* ---- children ---- */

static enum CXChildVisitResult push_any(CXCursor cursor, CXCursor parent, CXClientData data)
{
    Lower *l = data;
    (void)parent;
    LIST_PUSH(l->arena, &l->kids, cursor);
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult push_expression(CXCursor cursor, CXCursor parent, CXClientData data)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    return clang_isExpression(kind) || clang_isStatement(kind) ? push_any(cursor, parent, data)
                                                               : CXChildVisit_Continue;
}

Kids kids_of(Lower *l, CXCursor cursor)
{
    uint32_t first = l->kids.count;
    clang_visitChildren(cursor, push_any, l);
    return (Kids){first, l->kids.count - first};
}

Kids kids_expressions(Lower *l, CXCursor cursor)
{
    uint32_t first = l->kids.count;
    clang_visitChildren(cursor, push_expression, l);
    return (Kids){first, l->kids.count - first};
}

/* ---- variables and functions ---- */

void lower_variable(Lower *l, CXCursor cursor)
{
    AstSymbol symbol = symbol_of(l, cursor);
    AstNode node = lower_open(l, AST_DECL, lower_span(l, cursor));
    AstType type = type_of_cursor(l, cursor);
    AstNodeData *data = ast_at(l->ast, node);
    AstSymbolData *about = &l->ast->symbols.items[symbol];
    data->symbol = symbol;
    data->name = about->name;
    data->type = type;
    if (symbol != 0 && about->decl == 0)
        about->decl = node;
    scope_add(l, symbol);
    CXCursor initializer = clang_Cursor_getVarDeclInitializer(cursor);
    if (clang_Cursor_isNull(initializer) || clang_isInvalid(clang_getCursorKind(initializer)))
        ast_none(l->ast);
    else
        lower_expression(l, initializer);
    ast_close(l->ast, node);
}

static void lower_parameter(Lower *l, CXCursor cursor, AstSymbol symbol)
{
    AstNode node = lower_open(l, AST_PARAM, lower_span(l, cursor));
    ast_at(l->ast, node)->symbol = symbol;
    ast_at(l->ast, node)->name = l->ast->symbols.items[symbol].name;
    ast_at(l->ast, node)->type = l->ast->symbols.items[symbol].type;
    l->ast->symbols.items[symbol].decl = node;
    ast_none(l->ast);
    ast_close(l->ast, node);
}

static uint32_t function_flags(CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    uint32_t flags = clang_Cursor_isVariadic(cursor) ? FN_VARARGS : 0;
    if (clang_getCursorLinkage(cursor) == CXLinkage_Internal)
        flags |= FN_INTERNAL;
    if (kind == CXCursor_CXXMethod || kind == CXCursor_Constructor || kind == CXCursor_Destructor)
        flags |= FN_METHOD;
    return flags;
}

static AstFunction new_function(Lower *l, CXCursor cursor, AstNode node)
{
    AstSymbol symbol = symbol_of(l, cursor);
    Name name = lower_name(l, clang_getCursorSpelling(cursor));
    AstType returns = type_of(l, clang_getCursorResultType(cursor));
    AstFunction function = ast_function(l->ast, node, name, l->function);
    AstFunctionData *data = &l->ast->functions.items[function];
    data->qualified = name;
    data->symbol = symbol;
    data->flags = function_flags(cursor);
    data->returns = returns;
    ast_at(l->ast, node)->name = name;
    ast_at(l->ast, node)->symbol = symbol;
    l->ast->symbols.items[symbol].decl = node;
    l->ast->symbols.items[symbol].flags &= (uint16_t)~SYMBOL_EXTERN;
    return function;
}

static void add_parameters(Lower *l, Kids kids)
{
    for (uint32_t i = 0; i < kids.count; i++) {
        if (clang_getCursorKind(kid(l, kids, i)) != CXCursor_ParmDecl)
            continue;
        AstSymbol symbol = symbol_of(l, kid(l, kids, i));
        AstFunctionData *data = &l->ast->functions.items[l->function];
        l->ast->symbols.items[symbol].index =
            (uint8_t)(data->params.count < UINT8_MAX ? data->params.count : UINT8_MAX);
        LIST_PUSH(l->arena, &data->params, symbol);
        scope_add(l, symbol);
    }
}

void lower_function(Lower *l, CXCursor cursor)
{
    Span span = lower_span(l, cursor);
    AstNode node = lower_open(l, AST_FUNCTION, span);
    AstFunction outer = l->function;
    uint32_t scope = l->scope.count;
    l->function = new_function(l, cursor, node);
    Kids kids = kids_of(l, cursor);
    add_parameters(l, kids);
    CXCursor body = kids.count > 0 ? kid(l, kids, kids.count - 1) : clang_getNullCursor();
    if (clang_getCursorKind(body) == CXCursor_CompoundStmt)
        lower_block(l, body, BLOCK_PLAIN);
    else
        ast_none(l->ast);
    for (uint32_t i = 0, number = 0; i < kids.count; i++)
        if (clang_getCursorKind(kid(l, kids, i)) == CXCursor_ParmDecl)
            lower_parameter(l, kid(l, kids, i),
                            l->ast->functions.items[l->function].params.items[number++]);
    kids_drop(l, kids);
    ast_close(l->ast, node);
    lower_doubt(l, node, span);
    l->scope.count = scope;
    l->function = outer;
}

/* ---- top level ---- */

static enum CXChildVisitResult visit_declaration(CXCursor cursor, CXCursor parent,
                                                 CXClientData data);

static enum CXChildVisitResult visit_enumerator(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_EnumConstantDecl)
        scope_add(data, symbol_of(data, cursor));
    return CXChildVisit_Continue;
}

/* A header brings hundreds of inline functions into every file that includes it; those that are not
 * used here are analysed with the header itself. */
static void lower_or_wait(Lower *l, CXCursor cursor)
{
    bool internal = clang_getCursorLinkage(cursor) == CXLinkage_Internal;
    if (internal && !clang_Location_isFromMainFile(clang_getCursorLocation(cursor)))
        LIST_PUSH(l->arena, &l->waiting, cursor);
    else
        lower_function(l, cursor);
}

/* Until no more of them is used: a function may use others that stand in front of it. */
static void lower_waiting(Lower *l)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < l->waiting.count; i++) {
            CXCursor cursor = l->waiting.items[i];
            if (clang_Cursor_isNull(cursor) || symbol_known(l, cursor) == 0)
                continue;
            l->waiting.items[i] = clang_getNullCursor();
            lower_function(l, cursor);
            again = true;
        }
    }
}

static void lower_declaration(Lower *l, CXCursor cursor, bool inside)
{
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
    case CXCursor_FunctionTemplate:
        if (inside && clang_isCursorDefinition(cursor))
            lower_or_wait(l, cursor);
        break;
    case CXCursor_VarDecl:
        if (inside)
            lower_variable(l, cursor);
        else
            scope_add(l, symbol_of(l, cursor));
        break;
    case CXCursor_EnumDecl:
        clang_visitChildren(cursor, visit_enumerator, l);
        break;
    case CXCursor_Namespace:
    case CXCursor_LinkageSpec:
    case CXCursor_UnexposedDecl:
    case CXCursor_ClassDecl:
    case CXCursor_ClassTemplate:
    case CXCursor_StructDecl:
        clang_visitChildren(cursor, visit_declaration, l);
        break;
    default:
        break;
    }
}

static enum CXChildVisitResult visit_declaration(CXCursor cursor, CXCursor parent,
                                                 CXClientData data)
{
    Lower *l = data;
    (void)parent;
    if (clang_isPreprocessing(clang_getCursorKind(cursor)) ||
        !clang_isDeclaration(clang_getCursorKind(cursor)))
        return CXChildVisit_Continue;
    CXSourceLocation place = clang_getCursorLocation(cursor);
    CXFile file = NULL;
    clang_getExpansionLocation(place, &file, NULL, NULL, NULL);
    if (file == NULL || clang_Location_isInSystemHeader(place) || l->depth >= DEPTH_MOST)
        return CXChildVisit_Continue;
    uint32_t index = lower_file(l, file);
    l->depth++;
    lower_declaration(l, cursor, l->files.items[index].inside);
    l->depth--;
    return CXChildVisit_Continue;
}

static void collect_errors(Lower *l)
{
    unsigned count = clang_getNumDiagnostics(l->tu);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(l->tu, i);
        CXFile file = NULL;
        unsigned offset = 0;
        clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), &file, NULL, NULL,
                                   &offset);
        if (clang_getDiagnosticSeverity(diagnostic) == CXDiagnostic_Error && file != NULL) {
            uint32_t index = lower_file(l, file);
            if (l->files.items[index].inside)
                LIST_PUSH(l->arena, &l->errors, (ErrorPlace){l->files.items[index].index, offset});
        }
        clang_disposeDiagnostic(diagnostic);
    }
}

/* threadprivate stands beside the declaration, outside functions. What else waits for a statement
 * that did not come is said, for its loop is missing from the tree. */
static void leftover_pragmas(Lower *l)
{
    for (uint32_t f = 0; f < l->files.count; f++) {
        Scan *scan = l->files.items[f].scan;
        for (uint32_t i = 0; scan != NULL && i < scan->pragmas.count; i++) {
            ScanPragma *waiting = &scan->pragmas.items[i];
            Pragmas found = {0};
            if (waiting->used)
                continue;
            pragmas_before(l, l->files.items[f].index, waiting->next, &found);
            for (uint32_t k = 0; k < found.count; k++) {
                uint32_t words = found.items[k].directive->words;
                SourcePosition place = source_position(scan->source, found.items[k].span.start);
                if ((words & OMP_THREADPRIVATE) != 0)
                    pragma_threadprivate(l, &found.items[k]);
                else if (f == 0 && (words & (OMP_IGNORED | OMP_STANDALONE)) == 0)
                    unit_note(l->unit, SEVERITY_WARNING, scan->source->path, place.line,
                              "the statement of this OpenMP directive could not be read; it is not "
                              "analysed");
            }
        }
    }
}

void lower_unit(Unit *unit, CXTranslationUnit tu, LowerPaths paths, const char *const *defines,
                uint32_t define_count, bool guessed)
{
    Lower l = {.unit = unit,
               .ast = unit->ast,
               .arena = unit->ast->arena,
               .tu = tu,
               .paths = paths,
               .guessed = guessed};
    for (uint32_t i = 0; i < define_count; i++)
        LIST_PUSH(l.arena, &l.defines, defines[i]);
    CXString main_path = clang_getTranslationUnitSpelling(tu);
    CXFile main_file = clang_getFile(tu, clang_getCString(main_path));
    clang_disposeString(main_path);
    LowerFile first = {.file = main_file, .path = unit->files.items[0]->path, .inside = true};
    first.scan = lower_scan(l.arena, tu, main_file, unit->files.items[0]);
    LIST_PUSH(l.arena, &l.files, first);
    collect_errors(&l);
    const Source *source = unit->files.items[0];
    AstNode module = ast_open(unit->ast, AST_MODULE, 0, 0, (uint32_t)source->size);
    clang_visitChildren(clang_getTranslationUnitCursor(tu), visit_declaration, &l);
    lower_waiting(&l);
    leftover_pragmas(&l);
    ast_close(unit->ast, module);
}
