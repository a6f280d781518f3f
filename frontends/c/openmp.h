/* OpenMP directives from their text: `parallel for reduction(+: s) schedule(static, CHUNK)` to
 * words and clauses. Our own parser, since libclang shows neither. Unknown words are kept as
 * CLAUSE_OTHER; no directive is ever dropped for what its clauses hold. Object-like macros are
 * expanded through a callback. Everything lives in the arena passed in. */
#ifndef FRONTENDS_C_OPENMP_H
#define FRONTENDS_C_OPENMP_H

#include "analyzer/tree/ast.h"

typedef enum OmpTokenKind { OMP_END, OMP_WORD, OMP_NUMBER, OMP_STRING, OMP_MARK } OmpTokenKind;

typedef struct OmpToken {
    OmpTokenKind kind;
    const char *text;     /* NUL-terminated */
    uint32_t start, stop; /* byte offsets in the text that was given (of the macro's name, for what
                             came out of a macro) */
} OmpToken;

/* The words a directive is made of. */
enum {
    OMP_PARALLEL = 1 << 0,
    OMP_FOR = 1 << 1,
    OMP_SIMD = 1 << 2,
    OMP_SECTIONS = 1 << 3,
    OMP_SECTION = 1 << 4,
    OMP_SINGLE = 1 << 5,
    OMP_MASTER = 1 << 6,
    OMP_CRITICAL = 1 << 7,
    OMP_ATOMIC = 1 << 8,
    OMP_ORDERED = 1 << 9,
    OMP_TASK = 1 << 10,
    OMP_TASKLOOP = 1 << 11,
    OMP_BARRIER = 1 << 12,
    OMP_TASKWAIT = 1 << 13,
    OMP_FLUSH = 1 << 14,
    OMP_TARGET = 1 << 15,
    OMP_TEAMS = 1 << 16,
    OMP_DISTRIBUTE = 1 << 17,
    OMP_LOOP = 1 << 18,
    OMP_THREADPRIVATE = 1 << 19,
    OMP_SCOPED = 1 << 20,     /* scope, taskgroup, target data: a block that is run as it stands */
    OMP_IGNORED = 1 << 21,    /* says nothing about the next statement: declare …, scan, cancel,
                                 metadirective, … */
    OMP_STANDALONE = 1 << 22, /* has no statement of its own */
};

typedef struct OmpClause {
    AstClause kind;
    const char *word; /* as written: "reduction" */
    const char *
        name; /* reduction operator, schedule kind, default kind, word of CLAUSE_OTHER; else NULL */
    uint32_t first, count; /* its arguments: tokens [first, first + count), commas between;
                              modifiers left out */
} OmpClause;

typedef struct OmpDirective {
    uint32_t words;   /* OMP_… */
    const char *name; /* of a critical; NULL */
    AstAtomic atomic;
    LIST(OmpToken) tokens; /* an OMP_END at the end */
    LIST(OmpClause) clauses;
    uint32_t first, count; /* arguments of the directive itself: threadprivate(a, b), flush(x) */
} OmpDirective;

/* What a word stands for if it is an object-like macro, else NULL. */
typedef const char *OmpMacro(void *context, const char *word, size_t length);

/* Parses what stands behind `#pragma omp`. */
OmpDirective *omp_parse(Arena *arena, const char *text, size_t length, OmpMacro *macro,
                        void *context);

/* Cuts text into tokens; comments and continued lines are blanks. */
void omp_tokens(Arena *arena, OmpDirective *into, const char *text, size_t length, OmpMacro *macro,
                void *context);

#endif
