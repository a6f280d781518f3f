/* A baseline: findings that were there before, which a run shall not show again. A JSON file that
 * is meant to be committed: sorted, one finding an entry, without line numbers, so that it changes
 * only when findings come or go. */
#ifndef ANALYZER_REPORT_BASELINE_H
#define ANALYZER_REPORT_BASELINE_H

#include "analyzer/base/text.h"
#include "analyzer/report/report.h"

/* Hides (`suppressed`, `baselined`) the findings that the file holds. false: `error` names file and
 * remedy. */
bool baseline_hide(RunReport *report, const char *path, Text *error)
    __attribute__((warn_unused_result));

/* The text of a baseline that holds every shown finding, but those that were refuted here: they may
 * hold elsewhere. */
void baseline_text(const RunReport *report, Text *out);

#endif
