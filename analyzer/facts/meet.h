/* May iterations that different threads run meet at one element? */
#ifndef ANALYZER_FACTS_MEET_H
#define ANALYZER_FACTS_MEET_H

#include "analyzer/facts/facts.h"

typedef enum Meeting {
    MEET_NEVER,     /* each has elements of its own, or nothing is known */
    MEET_SOMETIMES, /* data picks the element */
    MEET_ALWAYS,    /* all use the same, or all run through the same ones */
} Meeting;

/* About the place of the event's effect; whether the storage is shared at all is event_shared()'s
 * question. */
Meeting event_meeting(const Facts *facts, const Event *event);

/* Data pick the element, anew in each iteration, of an array with fewer elements than iterations:
 * some of them meet, sum[kind[i]] += x of a few kinds. */
bool event_crowded(const Facts *facts, const Event *event);

/* Two values of the outermost dealt variable whose iterations meet at one element, or, of the
 * threads' ids where nothing is dealt out; false where no pair is known for sure. */
bool event_witness(const Facts *facts, const Event *event, int64_t values[2]);

#endif
