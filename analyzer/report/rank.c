#include "analyzer/report/report.h"

#include <stdlib.h>

double report_slowdown(const Finding *finding)
{
    const Measured *measured = &finding->measured;
    bool decided = measured->verdict == VERDICT_CONFIRMED || measured->verdict == VERDICT_REFUTED;
    return decided && measured->slowdown > 0 ? measured->slowdown : finding->predicted;
}

/* Findings stand in one array, sorted by place: their addresses are their order. */
static int compare(const void *left, const void *right)
{
    const Finding *a = *(const Finding *const *)left, *b = *(const Finding *const *)right;
    if (a->severity != b->severity)
        return a->severity > b->severity ? -1 : 1;
    double slowdown_a = report_slowdown(a), slowdown_b = report_slowdown(b);
    if (slowdown_a != slowdown_b)
        return slowdown_a > slowdown_b ? -1 : 1;
    return (a > b) - (a < b);
}

const Finding **report_rank(const RunReport *report, uint32_t *count)
{
    const Finding **ranked = calloc(report->findings.count + 1, sizeof *ranked);
    *count = 0;
    for (uint32_t i = 0; ranked != NULL && i < report->findings.count; i++)
        if (report_shows(report, &report->findings.items[i]))
            ranked[(*count)++] = &report->findings.items[i];
    if (*count > 1)
        qsort(ranked, *count, sizeof *ranked, compare);
    return ranked;
}
