/* One file on its way through libclang: what it is parsed with, and what each parse teaches for the
 * next one. Owner: the call of parse that holds it (Parse), the worker (Worker), the run
 * (Prepared). */
#ifndef FRONTENDS_C_PARSE_H
#define FRONTENDS_C_PARSE_H

#include "analyzer/frontend.h"
#include "frontends/c/flags.h"
#include "frontends/c/headers.h"
#include "frontends/c/lower.h"
#include "frontends/c/settle.h"

/* Files that exist in memory only. */
#define VIRTUAL         "/ponglint-virtual"
#define VIRTUAL_OMP     VIRTUAL "/openmp"
#define VIRTUAL_MISSING VIRTUAL "/missing"
#define VIRTUAL_STUBS   VIRTUAL "/stubs.h"

typedef struct Prepared {
    const FrontendOptions *options;
    const char *here; /* absolute path of the working folder */
    Flags folders;    /* of the roots, absolute */
    Headers *headers;
    Commands *commands;
    Flags extra;
    SourceShelf *shelf;
} Prepared;

typedef struct Stub {
    const char *name;
    bool value; /* a constant; else a type */
    bool wrong; /* it clashes with a declaration: never again */
} Stub;

/* What a worker keeps from file to file. That a header is missing holds for the whole tree, so that
 * to know it beforehand saves a parse and changes no result. */
typedef struct Includes Includes;

typedef struct Worker {
    CXIndex index;
    Arena *arena;
    Includes *includes;
    Flags missing;
} Worker;

/* One file on its way. */
typedef struct Parse {
    Prepared *prepared;
    Worker *worker;
    Unit *unit;
    Arena *arena;                /* goes when the file is lowered */
    const char *path, *absolute; /* as given to clang; absolute */
    Flags flags;                 /* from compile_commands.json and --extra-arg */
    Flags found;                 /* folders in which missing headers were found */
    Flags noted;                 /* missing headers that were told */
    Flags switches;              /* macros that only switch pragmas on */
    LIST(Stub) stubs;
    Scan *scan;
    bool pragma_operator; /* read _Pragma as _Static_assert */
    bool cpp_header;      /* a .h that holds C++ */
    uint32_t errors;      /* of the last parse */
    uint32_t first_line;  /* 0 where the first error lies in a header */
    const char *first_error;
    bool news; /* the last parse told something that helps the next one */
} Parse;

static inline bool parse_is_cpp(const Parse *p)
{
    return p->unit->language == LANGUAGE_CPP || p->cpp_header;
}

/* repair.c: reads the errors of a parse; sets errors, first_… and, if the next parse will know
 * more, news. */
void repair_read(Parse *p, CXTranslationUnit tu);

/* The text of the stubs: types and constants that nobody declares. */
const char *repair_stubs(Parse *p);

#endif
