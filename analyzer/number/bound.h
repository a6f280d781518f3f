/* An upper bound for the time that code takes on one thread: the work model's figure with every
 * loop at the most iterations it can have. */
#ifndef ANALYZER_NUMBER_BOUND_H
#define ANALYZER_NUMBER_BOUND_H

#include "analyzer/facts/extent.h"
#include "analyzer/number/exposure.h"

/* ns that a subtree takes at most; INFINITY where a loop in it has no known bound, or what it calls
 * is not known. */
double work_bound(WorkModel *work, const Facts *facts, const CallChain *chain, const Unit *unit,
                  AstNode node);

/* The same, with what the work model assumes in the place of what is not known: never INFINITY. */
double work_likely(WorkModel *work, const Facts *facts, const CallChain *chain, const Unit *unit,
                   AstNode node);

#endif
