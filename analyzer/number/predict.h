/* Predicted slowdowns, and the severity that follows from them. */
#ifndef ANALYZER_NUMBER_PREDICT_H
#define ANALYZER_NUMBER_PREDICT_H

#include "analyzer/report/finding.h"
#include "bench/machine.h"

/* Fills predicted, predicted_threads, predicted_machine of every finding by its rule's formula, and raises or lowers the
 * severity: error at PREDICT_ERROR or above, warning from `min_slowdown`, else note; never below the rule's own least
 * severity (results that can be wrong). */
#define PREDICT_ERROR 2.0
void predict_findings(Findings *findings, Arena *arena, const Machine *machine, int threads, double min_slowdown);

/* Parts that formulas share; sources of the formulas in predict.c. Times in ns.
 * Time per piece of work when `threads` threads update one location `events` times beside `work_ns` of work: the slower
 * of the own work with its uncontended updates, and of the line going round. */
double predict_shared_line(const Machine *machine, int threads, double work_ns, double events);

#endif
