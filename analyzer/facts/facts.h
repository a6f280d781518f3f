/* What the code does to memory, locks and time, as found from its parallel loops down through all calls. */
#ifndef ANALYZER_FACTS_FACTS_H
#define ANALYZER_FACTS_FACTS_H

#include "analyzer/tree/program.h"

typedef struct Facts Facts;

/* Computes everything: types, call graph, contexts, effects, summaries. Lives in `arena`. */
Facts *facts_new(Arena *arena, const Program *program);

#endif
