/* What threads are given through memory: the argument of pthread_create points to numbers and
 * pointers that the function which starts them has stored there. */
#ifndef ANALYZER_FACTS_GIVEN_H
#define ANALYZER_FACTS_GIVEN_H

#include "analyzer/facts/model.h"

/* Whether `load`, an expression of `function` as *id or job->number, reads a number that grows from
 * one thread that runs the function to the next: job[t].number = 2 * t + 1;
 * pthread_create(…, &job[t]). *growth: by how much (never 0). */
bool given_number(const Facts *facts, FunctionId function, AstNode load, int64_t *growth);

/* What the pointer at `seen`, in terms of the function around `call`, which starts threads, points
 * to: job[t].hits = hits. Unknown where several are stored there. */
Place given_pointer(const Facts *facts, const Unit *unit, AstNode call, const Place *seen);

#endif
