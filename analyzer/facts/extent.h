/* Extents: between which bounds the value of a whole-number expression lies, and how often a loop
 * runs at most, as far as constants, the sizes of arrays and the arguments of the calls on the way
 * tell. */
#ifndef ANALYZER_FACTS_EXTENT_H
#define ANALYZER_FACTS_EXTENT_H

#include "analyzer/facts/facts.h"

/* How code of a function was reached: `call` of `unit` calls it; `outer` says how that call was
 * reached, NULL where nothing is known of it. Code that is looked at for itself has no chain. */
typedef struct CallChain {
    const struct CallChain *outer;
    const Unit *unit;
    AstNode call;
    FunctionId callee;
} CallChain;

/* -INFINITY and INFINITY where nothing is known. */
typedef struct Extent {
    double low, high;
} Extent;

Extent extent_of(const Facts *facts, const CallChain *chain, const Unit *unit, AstNode expression);

/* Iterations of a loop (of a comprehension too): low is never negative. A loop over the elements of
 * an array that is declared with n of them runs at most n times. */
Extent extent_trips(const Facts *facts, const CallChain *chain, const Unit *unit, AstNode loop);

/* Whether a name in `expression` is read, or what it is set to, or what is handed over for it, from
 * the variable `symbol` of `owner`: as far as the chain goes. */
bool extent_reads(const Facts *facts, const CallChain *chain, const Unit *unit, AstNode expression,
                  const Unit *owner, AstSymbol symbol);

#endif
