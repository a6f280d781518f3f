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

#include <pthread.h>
#include <string.h>

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

typedef struct Includes Includes;

/* What a worker keeps from file to file; it changes no result. */ typedef struct Worker {
    CXIndex index;
    Arena *arena;
    Includes *includes;
    Prepared *prepared;
} Worker;

/* One file on its way. */
typedef struct Parse {
    Prepared *prepared;
    Worker *worker;
    Unit *unit;
    Arena *arena;                /* goes when the file is lowered */
    const char *path, *absolute; /* as given to clang; absolute */
    bool command;                /* compile_commands.json tells how the file is compiled */
    Flags flags;                 /* from compile_commands.json and --extra-arg */
    Flags found;                 /* folders in which missing headers were found */
    Flags missing;               /* headers that the tree does not have: empty ones stand in */
    Flags noted;                 /* missing headers that were told */
    Flags switches;              /* macros that only switch pragmas on */
    LIST(Stub) stubs;
    Scan *scan;
    bool pragma_operator; /* read _Pragma as _Static_assert */
    bool cpp_header;      /* a .h that holds C++ */
    uint32_t errors;      /* of the last parse */
    bool operator_errors; /* one of them points at what was put in _Pragma's place */
    uint32_t first_line;  /* 0 where the first error lies in a header */
    const char *first_error;
    bool news; /* the last parse told something that helps the next one */
} Parse;

static inline bool parse_is_cpp(const Parse *p)
{
    return p->unit->language == LANGUAGE_CPP || p->cpp_header;
}

/* An empty header stands in for `name` from now on; false if one does already. */
static inline bool parse_lacks(Parse *p, const char *name)
{
    bool new = !flags_hold(&p->missing, name) && strstr(name, "..") == NULL &&name[0] != '/';
    if (new)
        LIST_PUSH(p->arena, &p->missing, name);
    return new;
}

static inline void parse_switches_on(Parse *p, const char *macro)
{
    if (!flags_hold(&p->switches, macro))
        LIST_PUSH(p->arena, &p->switches, macro);
}

/* unit.c, of context Parse: a path of clang's as it is reported; whether what is reported so is
 * linted. */
const char *parse_report_path(void *context, Arena *arena, const char *path);
bool parse_path_linted(void *context, const char *reported);

/* repair.c: reads the errors of a parse; sets errors, first_… and, if the next parse will know
 * more, news. */
void repair_read(Parse *p, CXTranslationUnit tu);

/* The text of the stubs: types and constants that nobody declares. */
const char *repair_stubs(Parse *p);

#endif
