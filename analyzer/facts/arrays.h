/* NumPy arrays of plain and compiled Python: how large they are, as far as constants, default
 * values and the calls of a function tell; and loops that make new ones in every turn. Sizes are
 * lower bounds where an operand is not known (broadcasting only makes arrays larger). */
#ifndef ANALYZER_FACTS_ARRAYS_H
#define ANALYZER_FACTS_ARRAYS_H

#include "analyzer/facts/facts.h"

/* Bytes of the array that an expression makes or names; 0 not known. */
int64_t arrays_bytes(const Facts *facts, const Unit *unit, AstNode expression);

/* What becomes of an array that a turn of a loop makes. */
typedef enum ArrayFate {
    ARRAY_PASSING, /* a temporary, or a name that the next turn gives away */
    ARRAY_KEPT,    /* put into a dict or list that outlives the turn */
} ArrayFate;

typedef struct LoopArray {
    AstNode loop;
    AstNode node;   /* the expression that makes it */
    int64_t bytes;  /* > 0 */
    AstSymbol name; /* what it is assigned to; 0: a temporary */
    ArrayFate fate;
} LoopArray;

/* Whether an expression of a function that is not compiled makes a new array of known size in every
 * turn of the loop around it (of the one its function is called in, where it has none: then `loop`
 * is 0). */
bool arrays_in_loop(const Facts *facts, const Unit *unit, AstNode expression, LoopArray *made);

#endif
