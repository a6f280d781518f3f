/* What optimising compilers move from memory to a register. */
#ifndef ANALYZER_FACTS_PROMOTION_H
#define ANALYZER_FACTS_PROMOTION_H

#include "analyzer/facts/facts.h"

/* Of a place that stays the same in the innermost loop around an event, and that the loop writes
 * and reads. Neither: every turn reads and writes memory. */
typedef struct Promotion {
    bool loads; /* every compiler carries the value in a register: memory is only written */
    bool whole; /* some compilers write it once, behind the loop, and others at most every turn */
    bool waits; /* carried, and of fractions: each turn waits for the sum of the last one */
} Promotion;

Promotion event_promotion(const Facts *facts, const Event *event);

#endif
