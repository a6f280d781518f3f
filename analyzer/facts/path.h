/* The paths of places, each kept once: most effects that callers repeat go the same way, and a step
 * takes some 200 bytes. Owner: the arena of the facts. */
#ifndef ANALYZER_FACTS_PATH_H
#define ANALYZER_FACTS_PATH_H

#include "analyzer/facts/model.h"

typedef struct Path {
    PlaceStep *steps;
    uint8_t count;
    uint32_t next; /* index + 1 of the next path with the same hash; 0 end */
} Path;

struct Paths {
    Map first_of; /* hash -> index + 1 into kept */
    LIST(Path) kept;
    Map actual_of; /* C: (calling function, argument) -> index + 1 into actuals */
    LIST(Place) actuals;
    Map given_of; /* (unit, expression) -> index + 2 into given; 1: no such number (given.h) */
    LIST(int64_t) given;
};

struct Paths *paths_new(Arena *arena);

/* The same steps, in the arena; NULL for none. */
PlaceStep *path_kept(const Facts *facts, const PlaceStep *steps, uint8_t count);

#endif
