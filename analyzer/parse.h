/* All files of a run through their frontends, several at a time. */
#ifndef ANALYZER_PARSE_H
#define ANALYZER_PARSE_H

#include "analyzer/frontend.h"
#include "analyzer/options.h"
#include "analyzer/tree/program.h"

typedef struct FrontendInUse {
    const Frontend *frontend;
    void *prepared;
} FrontendInUse;

typedef struct Parsed {
    Unit **units; /* sorted by path, ids set */
    uint32_t unit_count;
    LIST(FrontendInUse) frontends;
    Notifications notes; /* files that could not be read */
} Parsed;

/* Reads and parses the files ("-" is standard input) on options->jobs threads, each unit in an
 * arena of its own. What is found does not depend on the number of threads. */
void parse_all(Parsed *parsed, Arena *arena, const Options *options, const char *const *paths,
               uint32_t path_count);

/* The frontends' second step, once the program is put together. */
void parse_link(Parsed *parsed, Program *program);

/* Ends the frontends and frees the units' arenas. */
void parse_free(Parsed *parsed);

#endif
