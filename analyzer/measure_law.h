/* The fitted law of a sweep, in words. */
#ifndef ANALYZER_MEASURE_LAW_H
#define ANALYZER_MEASURE_LAW_H

#include "analyzer/base/text.h"
#include "bench/law.h"

/* What is swept, in words: "work", "ns of work". */
typedef struct LawSubject {
    const char *name, *unit;
    double from, to; /* the range that was swept */
} LawSubject;

/* "28 ns more a piece, whatever work (4 to 64 ns of work); within 6 %", or that no law fits and by
 * how much each is off. */
void law_words(const Law *law, const LawSubject *subject, Text *out);

#endif
