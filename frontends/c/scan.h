/* A file as text, before and beside clang: where its OpenMP pragmas stand (clang drops them when it
 * parses without -fopenmp), what its simple macros stand for, and which macros only switch pragmas
 * on. Knows lines, comments and strings, no grammar. Owner: the arena that is passed in. */
#ifndef FRONTENDS_C_SCAN_H
#define FRONTENDS_C_SCAN_H

#include "analyzer/tree/source.h"

#include <stdbool.h>

typedef struct ScanRange {
    uint32_t start, stop;
} ScanRange;

typedef struct ScanPragma {
    uint32_t start,
        stop;      /* from its '#' to the end of its last line, which the line end is no part of */
    uint32_t text; /* behind the word omp */
    uint32_t next; /* the first token behind it: what it speaks about starts here */
    bool used;     /* the lowering found that statement */
} ScanPragma;

typedef struct ScanMacro {
    const char *name, *body;
} ScanMacro;

typedef struct ScanInclude {
    const char *name; /* as written between the quotes or angle brackets */
    bool quoted;
    bool certain; /* it stands outside of every #if but the file's own include guard */
} ScanInclude;

typedef struct Scan {
    const Source *source;
    LIST(ScanPragma) pragmas; /* by position; those in skipped ranges left out */
    LIST(ScanMacro) macros;   /* object-like, with a body; the last definition is the last one */
    LIST(const char *)
    switches; /* macros tested by an #if that encloses nothing but OpenMP pragmas, or nothing but
                 macros of which one holds such a pragma, and those that stand for _OPENMP */
    LIST(const char *)
    features; /* macros that must be defined for loop directives in skipped ranges to be read; some
                 several times */
    LIST(ScanRange) undefs; /* lines `#undef _OPENMP` in an #if of their own, without pragmas */
    LIST(ScanInclude) includes;
    bool bodies;            /* a function is defined here, as it seems: "…) … {" */
    bool asks;              /* an #if asks for __has_include */
    bool conditional;       /* a pragma stands inside an #if */
    uint32_t longest_chain; /* most operators between two of `; , { }`: clang nests by them, until
                               its stack ends */
} Scan;

/* Reads `source`; pragmas inside `skipped` (ranges that the preprocessor left out, by position) do
 * not count. */
Scan *scan_source(Arena *arena, const Source *source, const ScanRange *skipped,
                  uint32_t skipped_count);

/* The first pragma whose `next` is `offset`, or NULL; the others follow it in the list as long as
 * their `next` is the same. */
ScanPragma *scan_before(Scan *scan, uint32_t offset);

/* One past the ranges that are blank, comment or preprocessor line, from `at`. */
uint32_t scan_trivia(const Source *source, uint32_t at, const ScanRange *skipped,
                     uint32_t skipped_count);

/* One past the string, character constant or comment that starts at `at`; `at` itself if none does.
 */
uint32_t scan_opaque(const Source *source, uint32_t at);

/* Whether a text has both _Pragma and the word omp. */
bool scan_has_omp_operator(const char *bytes, size_t size);

/* What an object-like macro stands for, or NULL. */
const char *scan_macro(const Scan *scan, const char *name, size_t length);

#endif
