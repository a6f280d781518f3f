/* Which assignment a variable's value comes from, where it is used. */
#ifndef ANALYZER_FACTS_REACH_H
#define ANALYZER_FACTS_REACH_H

#include "analyzer/facts/facts.h"

typedef enum Reach {
    REACH_MANY,  /* one of several, or not known */
    REACH_ENTRY, /* what the function was called with, or the turn of the loop that counts with it
                  */
    REACH_VALUE, /* one plain assignment, on every path */
} Reach;

/* For a NAME that is read: *value is what it was set to (REACH_VALUE). Names in *value mean what
 * they mean there, which is asked again with their own nodes. */
Reach reach_of(const Facts *facts, const Unit *unit, AstNode name, AstNode *value);

#endif
