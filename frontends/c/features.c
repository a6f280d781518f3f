#include "frontends/c/features.h"

enum { FEATURES_MOST = 6 };

/* ---- what a parse shows ---- */

/* Loops under directives, in functions of the file itself that were read without errors. */
typedef struct Shown {
    CXFile file;
    Scan *scan;
    LIST(unsigned) errors; /* offsets in the file */
    uint32_t loops;
} Shown;

static unsigned offset_of(CXSourceLocation place, CXFile file)
{
    CXFile where = NULL;
    unsigned offset = 0;
    clang_getExpansionLocation(place, &where, NULL, NULL, &offset);
    return where != NULL && clang_File_isEqual(where, file) ? offset : NOWHERE;
}

static enum CXChildVisitResult count_loops(CXCursor cursor, CXCursor parent, CXClientData data)
{
    Shown *shown = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    (void)parent;
    if (kind != CXCursor_ForStmt && kind != CXCursor_CXXForRangeStmt)
        return CXChildVisit_Recurse;
    unsigned start = offset_of(clang_getRangeStart(clang_getCursorExtent(cursor)), shown->file);
    shown->loops += start != NOWHERE && scan_before(shown->scan, start) != NULL;
    return CXChildVisit_Recurse;
}

static bool is_sound(const Shown *shown, CXCursor function)
{
    CXSourceRange range = clang_getCursorExtent(function);
    unsigned start = offset_of(clang_getRangeStart(range), shown->file);
    unsigned stop = offset_of(clang_getRangeEnd(range), shown->file);
    for (uint32_t i = 0; i < shown->errors.count; i++)
        if (shown->errors.items[i] >= start && shown->errors.items[i] < stop)
            return false;
    return start != NOWHERE;
}

static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
    Shown *shown = data;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    (void)parent;
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
        kind == CXCursor_UnexposedDecl || kind == CXCursor_ClassDecl ||
        kind == CXCursor_ClassTemplate)
        return CXChildVisit_Recurse;
    if (clang_isCursorDefinition(cursor) && is_sound(shown, cursor))
        clang_visitChildren(cursor, count_loops, shown);
    return CXChildVisit_Continue;
}

static Scan *scan_parsed(Parse *p, CXTranslationUnit tu)
{
    return lower_scan(p->arena, tu, clang_getFile(tu, p->path), p->unit->files.items[0]);
}

static uint32_t loops_shown(Parse *p, CXTranslationUnit tu)
{
    Shown shown = {.file = clang_getFile(tu, p->path), .scan = scan_parsed(p, tu)};
    for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
        unsigned offset = offset_of(clang_getDiagnosticLocation(diagnostic), shown.file);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error && offset != NOWHERE)
            LIST_PUSH(p->arena, &shown.errors, offset);
        clang_disposeDiagnostic(diagnostic);
    }
    clang_visitChildren(clang_getTranslationUnitCursor(tu), visit_function, &shown);
    return shown.loops;
}

/* ---- more macros ---- */

static bool is_decided(const Parse *p, const char *macro)
{
    size_t length = strlen(macro);
    for (uint32_t i = 0; i < p->flags.count; i++) {
        const char *flag = p->flags.items[i];
        if ((strncmp(flag, "-D", 2) == 0 || strncmp(flag, "-U", 2) == 0) &&
            strncmp(flag + 2, macro, length) == 0 &&
            (flag[2 + length] == '\0' || flag[2 + length] == '='))
            return true;
    }
    return flags_hold(&p->switches, macro);
}

/* If the parse shows no more loops, all that it taught is forgotten. */
static bool try_features(Parse *p, CXTranslationUnit *tu, uint32_t *loops, const Flags *features)
{
    Parse before = *p;
    before.stubs.items = arena_alloc(p->arena, p->stubs.capacity * sizeof *p->stubs.items + 1);
    for (uint32_t i = 0; i < p->stubs.count; i++)
        before.stubs.items[i] = p->stubs.items[i];
    for (uint32_t i = 0; i < features->count; i++)
        parse_switches_on(p, features->items[i]);
    CXTranslationUnit other = parse_rounds(p);
    uint32_t shown = other != NULL ? loops_shown(p, other) : 0;
    if (shown > *loops) {
        clang_disposeTranslationUnit(*tu);
        *tu = other;
        *loops = shown;
        return true;
    }
    if (other != NULL)
        clang_disposeTranslationUnit(other);
    *p = before;
    return false;
}

/* What a configure script would have found: each by itself, so that as little as possible changes;
 * all of it where none is enough. */
CXTranslationUnit with_features(Parse *p, CXTranslationUnit tu)
{
    const Scan *scan = p->scan->conditional && !p->command ? scan_parsed(p, tu) : NULL;
    Flags features = {0};
    for (uint32_t i = 0; scan != NULL && i < scan->features.count; i++)
        if (features.count < FEATURES_MOST && !is_decided(p, scan->features.items[i]) &&
            !flags_hold(&features, scan->features.items[i]))
            LIST_PUSH(p->arena, &features, scan->features.items[i]);
    if (features.count == 0)
        return tu;
    uint32_t loops = loops_shown(p, tu);
    bool any = false;
    for (uint32_t i = 0; i < features.count; i++)
        any |= try_features(p, &tu, &loops, &(Flags){.items = &features.items[i], .count = 1});
    if (!any && features.count > 1)
        try_features(p, &tu, &loops, &features);
    return tu;
}
