/* State that decays towards zero: x *= 0.95, m += (1 - b) * (g - m), m = b * m + e. */
#ifndef ANALYZER_FACTS_DECAY_H
#define ANALYZER_FACTS_DECAY_H

#include "analyzer/facts/facts.h"

typedef struct Decay {
    AstNode state; /* what decays */
    AstNode loop;  /* the innermost one around the update; 0: its function is called in one */
    double factor; /* per step, 0 not known */
    bool apart;    /* each step is on another state than the last: none waits for another */
} Decay;

/* Whether an assignment is one step of such a decay of array elements or whole arrays, by more than
 * a half each step (below, rounding reaches zero), in a loop or in a function that is called in
 * one. */
bool decay_step(const Facts *facts, const Unit *unit, AstNode assign, Decay *decay);

/* Whether the program switches denormals off somewhere. */
bool decay_is_flushed(const Facts *facts);

#endif
