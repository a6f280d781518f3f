/* From clang's cursors to the tree, one file at a time. What the files of this lowering share:
 * where we are, which cursor is which symbol, which clang type is which type, what is in scope,
 * which pragmas wait for their statement. Owner: lower_unit's caller; all of it lives in the unit's
 * arena. */
#ifndef FRONTENDS_C_LOWER_H
#define FRONTENDS_C_LOWER_H

#include "analyzer/tree/unit.h"
#include "frontends/c/openmp.h"
#include "frontends/c/scan.h"

#include <clang-c/Index.h>

enum { DEPTH_MOST = 400 }; /* deeper code becomes OTHER */

/* The value of constants that nobody declares; array lengths from GUESSED_LEAST on are then
 * unknown. */
enum { GUESSED_VALUE = 10007, GUESSED_LEAST = 9000 };
#define NOWHERE UINT32_MAX

/* A file that clang read. */
typedef struct LowerFile {
    CXFile file;
    const char *path; /* as reported */
    uint32_t index;   /* into unit->files; NOWHERE as long as no node stands in it */
    bool inside;      /* lies in the linted paths: its functions are lowered */
    Scan *scan;
} LowerFile;

/* Where a cursor stands; for code out of a macro, where the macro is used. */
typedef struct Span {
    uint32_t file, start, stop;
    bool macro;
} Span;

typedef struct CursorSlot {
    CXCursor cursor;
    AstSymbol symbol; /* 0: free */
} CursorSlot;

typedef struct TypeSlot {
    const void *key; /* clang's own type; NULL: free */
    AstType type;
} TypeSlot;

typedef struct ErrorPlace {
    uint32_t file, offset;
} ErrorPlace;

/* Decides whether the file clang calls `path` is linted, and how it is reported. */
typedef struct LowerPaths {
    const char *(*report)(void *context, Arena *arena, const char *path);
    bool (*inside)(void *context, const char *reported);
    void *context;
} LowerPaths;

typedef struct Lower {
    Unit *unit;
    Ast *ast;
    Arena *arena;
    CXTranslationUnit tu;
    LowerPaths paths;
    LIST(LowerFile) files;
    uint32_t last_file;
    struct {
        CursorSlot *slots;
        uint32_t size, count;
    } symbols;
    struct {
        TypeSlot *slots;
        uint32_t size, count;
    } types;
    LIST(CXCursor) kids;   /* stack of child lists */
    LIST(AstSymbol) scope; /* innermost last */
    LIST(ErrorPlace) errors;
    LIST(CXCursor) waiting;     /* static functions of headers: lowered if something uses them */
    LIST(const char *) defines; /* -D macros, "NAME=body" */
    AstFunction function;
    uint32_t depth;
    bool guessed; /* undeclared constants were given GUESSED_VALUE so that the file could be read */
    bool unlikely; /* the expression just lowered was in a __builtin_expect(…, 0) */
} Lower;

/* Children of a cursor: kids.items[first .. first + count) until kids_drop. */
typedef struct Kids {
    uint32_t first, count;
} Kids;

/* lower.c: files, functions, declarations */
void lower_unit(Unit *unit, CXTranslationUnit tu, LowerPaths paths, const char *const *defines,
                uint32_t define_count, bool guessed);
/* A file's pragmas but those that the preprocessor left out. */
Scan *lower_scan(Arena *arena, CXTranslationUnit tu, CXFile file, const Source *source);
uint32_t lower_file(Lower *l, CXFile file); /* index into l->files */
Span lower_span(Lower *l, CXCursor cursor);
AstNode lower_open(Lower *l, AstKind kind, Span span); /* ast_open with AST_MACRO set where so */
AstNode lower_leaf(Lower *l, AstKind kind, Span span);
void lower_doubt(Lower *l, AstNode node,
                 Span span); /* AST_DOUBTFUL where an error lies in the span */
LowerFile *lower_file_of(Lower *l, uint32_t unit_file);
Name lower_name(Lower *l, CXString text); /* disposes of text */
void lower_function(Lower *l, CXCursor cursor);
void lower_variable(Lower *l, CXCursor cursor); /* DECL with its symbol */

Kids kids_of(Lower *l, CXCursor cursor);          /* all children */
Kids kids_expressions(Lower *l, CXCursor cursor); /* expressions and statements only */
static inline CXCursor kid(const Lower *l, Kids kids, uint32_t index)
{
    return l->kids.items[kids.first + index];
}
static inline void kids_drop(Lower *l, Kids kids)
{
    l->kids.count = kids.first;
}

/* names.c: cursors and names to symbols */
AstSymbol symbol_known(Lower *l, CXCursor declaration); /* 0 if nothing asked for it yet */
AstSymbol symbol_of(Lower *l,
                    CXCursor declaration); /* 0 if it is no variable, function or enumerator */
void scope_add(Lower *l, AstSymbol symbol);
AstSymbol scope_find(const Lower *l, Name name);

/* types.c */
AstType type_of(Lower *l, CXType type);
AstType type_of_cursor(Lower *l, CXCursor cursor);

/* expression.c: one node each */
void lower_expression(Lower *l, CXCursor cursor);
CXCursor strip(Lower *l, CXCursor cursor);       /* without parentheses and implicit casts */
CXCursor strip_casts(Lower *l, CXCursor cursor); /* nor written casts */
void lower_increment(Lower *l, CXCursor cursor, enum CXUnaryOperatorKind kind);
bool constant_of(CXCursor cursor, int64_t *value);

/* statement.c */
void lower_body(Lower *l, CXCursor cursor); /* exactly one node */
void lower_plain(Lower *l,
                 CXCursor cursor); /* one node, pragmas in front of it already dealt with */
typedef enum BlockOf { BLOCK_PLAIN, BLOCK_OF_SWITCH, BLOCK_OF_SECTIONS } BlockOf;
void lower_block(Lower *l, CXCursor cursor, BlockOf of);

/* pragma.c: directives to nodes */
typedef struct Pragma {
    OmpDirective *directive;
    Span span;     /* '#' to the last token */
    uint32_t text; /* offset of the directive's text in the file, to which its tokens are relative;
                      NOWHERE: in a macro */
    bool inner; /* the innermost part of a combined directive, whose clauses stand at the outermost
                 */
} Pragma;
typedef LIST(Pragma) Pragmas;

void pragmas_before(Lower *l, uint32_t file, uint32_t offset,
                    Pragmas *out); /* appends; marks them used */
bool pragma_from_assert(Lower *l, CXCursor cursor,
                        Pragmas *out); /* _Pragma, read as _Static_assert(1, "omp …") */
void lower_pragmas(Lower *l, const Pragmas *pragmas, uint32_t from, CXCursor cursor);
void pragma_standalone(Lower *l, const Pragma *pragma); /* a node, or nothing for what is ignored */
void pragma_clauses(Lower *l, const Pragma *pragma);
AstLoopInfo pragma_loop(
    Lower *l, const Pragma *pragma); /* run and flags; the numbers come with pragma_clauses */
void pragma_threadprivate(Lower *l, const Pragma *pragma);

/* loop.c: a for statement; `pragma` says how it is run, or is NULL. */
void lower_for(Lower *l, CXCursor cursor, const Pragma *pragma);
void lower_range_for(Lower *l, CXCursor cursor, const Pragma *pragma);

/* clause.c: an expression from tokens; exactly one node, OTHER for what is not understood */
void clause_expression(Lower *l, const Pragma *pragma, uint32_t first, uint32_t count);

#endif
