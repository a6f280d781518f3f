/* An event as a question about pairs of iterations (polyhedral/iterations.h): the loops from the
 * dealt one inwards, the subscripts of its place, the conditions on its way. */
#ifndef ANALYZER_FACTS_PAIRS_H
#define ANALYZER_FACTS_PAIRS_H

#include "analyzer/facts/facts.h"
#include "analyzer/polyhedral/iterations.h"

/* Whether two iterations that different threads run use the same element of the event's place.
 * ANSWER_UNKNOWN where a bound, a subscript or a condition is no quasi-affine form. */
Answer pairs_meet(const Facts *facts, const Event *event, int64_t witness[2]);

/* The same about a cache line of `line` bytes, where the last subscript moves by `stride` bytes and
 * `chunk` iterations go to a thread together. */
Answer pairs_share_line(const Facts *facts, const Event *event, int64_t stride, int64_t chunk,
                        int64_t line, int64_t witness[2]);

#endif
