/* Domains that are cut into stripes, of which every second one is dealt out, and the others after
 * those: what is near a stripe's end never belongs to two of one phase. Particles on grids,
 * red-black sweeps and coloured meshes are written so, in order to do without atomics. */
#ifndef ANALYZER_FACTS_STRIPES_H
#define ANALYZER_FACTS_STRIPES_H

#include "analyzer/facts/facts.h"

/* Whether the event's dealt loop is such a phase: all that it does with its variable is take stripe
 * k * i + c of k or more, and a loop around it counts c, its caller passes it, or another parallel
 * loop of the function does the same with another one. */
bool stripes_in_phases(const Facts *facts, const Event *event);

#endif
