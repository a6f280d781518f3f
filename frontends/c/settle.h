/* What is left of a file once it is lowered: its tree, and the sources that the tree stands in. A
 * header's source is kept once for all files that include it. */
#ifndef FRONTENDS_C_SETTLE_H
#define FRONTENDS_C_SETTLE_H

#include "analyzer/tree/unit.h"

#include <stdbool.h>

typedef struct SourceShelf SourceShelf;

/* Safe to use from several threads. */
SourceShelf *shelf_new(void);
void shelf_free(SourceShelf *shelf);

/* For each of unit's files whether something in its tree stands there. */
bool *unit_used_files(const Unit *unit, Arena *arena);

/* Moves unit->ast and unit->files out of the arena they were built in: the tree to the unit's own,
 * sources but the first one to the shelf. */
void unit_settle(Unit *unit, SourceShelf *shelf);

#endif
