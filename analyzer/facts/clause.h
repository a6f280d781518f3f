/* Which data-sharing clause would be right for a variable, by all of its uses in a construct.
 * Stricter than what finds the fault: the answers are what --fix writes, so every doubt is a no.
 * Nothing is said about text (macros, branches that the preprocessor left out): analyzer/edit.h. */
#ifndef ANALYZER_FACTS_CLAUSE_H
#define ANALYZER_FACTS_CLAUSE_H

#include "analyzer/facts/facts.h"

/* The operator of a reduction clause that an update belongs to, by its own form: "+", "max"; NULL:
 * none, or it does not show in one place. `origin` is the ASSIGN's effect. */
const char *clause_operator(const Facts *facts, const Effect *origin);

/* The operator of the reduction that all uses of a variable inside a construct belong to: each is
 * an update by it, in serial code (atomic and critical regions apart), of a type for which partial
 * results can be joined. NULL if there is none. */
const char *clause_reduction(const Facts *facts, FunctionId function, AstNode construct,
                             AstSymbol symbol);

/* Whether each thread may have the variable for itself throughout the construct: a number or
 * pointer that no pointer leads to, that no called function uses, and that no construct inside
 * hands from thread to thread. Whether its values flow in or out is access.h's question. */
bool clause_private(const Facts *facts, FunctionId function, AstNode construct, AstSymbol symbol);

/* The atomic and critical regions inside the construct that protect nothing but updates of the
 * variable, and are not needed once it is a reduction variable. False if one of those that hold it
 * does more than that: holds another statement, orders memory, has a name that is used elsewhere.
 */
typedef LIST(AstNode) ClauseRegions;
bool clause_guards(const Facts *facts, Arena *arena, FunctionId function, AstNode construct,
                   AstSymbol symbol, ClauseRegions *regions);

#endif
