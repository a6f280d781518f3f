/* The curve of a finding over threads, for reports that draw it. */
#ifndef ANALYZER_NUMBER_SCALING_H
#define ANALYZER_NUMBER_SCALING_H

#include "analyzer/report/finding.h"
#include "bench/machine.h"

/* Fills `scaling` with a point for 1, 2, 3, 4, 6, 8, 12, 16, ... threads up to the finding's own
 * (predicted_threads), for `cores` where that lies below, and for the finding's own; each with the
 * slowdown that the rule's formula gives. Leaves it empty where nothing is predicted. */
void scaling_predict(Finding *finding, Arena *arena, const Machine *machine, int cores);

#endif
