/* Which lines a change touches, as git says: for runs that shall only speak about new code. */
#ifndef ANALYZER_CHANGED_H
#define ANALYZER_CHANGED_H

#include "analyzer/base/text.h"
#include "analyzer/report/report.h"

/* Hides (`suppressed`, `unchanged`) the findings no line of which changed: neither the expression
 * nor a step of the way to it, since a pragma that was added makes old lines race. `revision` NULL:
 * what is staged. `start` is a path in the repository. false: `error` says why git gave no answer.
 */
bool changed_only(RunReport *report, Arena *arena, const char *start, const char *revision,
                  Text *error) __attribute__((warn_unused_result));

#endif
