/* What a language gives to the analyser: files to trees. The table of frontends is in
 * frontends/frontends.c. */
#ifndef ANALYZER_FRONTEND_H
#define ANALYZER_FRONTEND_H

#include "analyzer/tree/unit.h"

/* What parsing may depend on beside the file. Read-only while files are parsed in parallel. */
typedef struct FrontendOptions {
    const char *compile_commands;  /* folder (-p), or NULL: look beside the linted paths */
    const char *const *extra_args; /* compiler arguments (--extra-arg) */
    uint32_t extra_arg_count;
    double file_seconds;      /* processor time that one file may take, where it can be bounded; 0: 60 */
    const char *const *paths; /* every file of the run, sorted */
    uint32_t path_count;
    const char *const *roots; /* the paths that were named on the command line */
    uint32_t root_count;
} FrontendOptions;

struct Program;

typedef struct Frontend {
    const char *name;
    const char *const *suffixes; /* ".py", …, NULL at the end */

    /* Once per run, before any file: an index of headers, say. May return NULL. Lives in `arena`.
     */
    void *(*prepare)(Arena *arena, const FrontendOptions *options);

    /* As many as files are parsed at a time, each before there is a second thread (a worker may be a
     * process); may be NULL. A worker parses one file at a time, on whichever thread. */
    void *(*worker_open)(void *prepared);
    void (*worker_close)(void *worker);

    /* Fills unit->ast (always a valid tree, if need be an empty MODULE) and unit->notes. `unit` has
     * arena, path's source in files[0] and language set. Never fails: what cannot be read is a
     * note. */
    void (*parse)(void *prepared, void *worker, Unit *unit);

    /* Once, after all files: what needs the whole program (Python: decorators through other
     * modules). May be NULL. */
    void (*link)(struct Program *program);

    void (*finish)(void *prepared);
} Frontend;

extern const Frontend frontend_c, frontend_python;

/* By suffix of the path, or NULL. */
const Frontend *frontend_for(const char *path);

#endif
