/* libclang in a process of its own, one for each worker: it can be neither interrupted nor trusted
 * with every file. What it makes of a file lies in memory that both processes share; a file that
 * takes too long, or that it breaks on, costs that process and nothing else. */
#ifndef FRONTENDS_C_APART_H
#define FRONTENDS_C_APART_H

#include "analyzer/tree/unit.h"

#include <stdbool.h>

typedef struct Apart Apart;

/* What runs there. `parse` fills ast, files and notes of a unit that has path, source and language;
 * `context` is what `open` returned. */
typedef struct ApartWork {
    void *(*open)(void *prepared);
    void (*parse)(void *context, Unit *unit);
    void *prepared;
    double seconds; /* processor time that one file may take */
} ApartWork;

/* NULL where the system has no memory for it. To be called before there is a second thread. */
Apart *apart_open(const ApartWork *work);
void apart_close(Apart *apart);

/* Fills unit->ast, unit->files and unit->notes as `parse` did. ast and files[1 …] lie in the shared
 * memory, until apart_clear. False where there is no result: *why tells the reason (static text, or
 * in unit's arena), NULL that no process could be made. */
bool apart_parse(Apart *apart, Unit *unit, const char **why);
void apart_clear(Apart *apart);

#endif
