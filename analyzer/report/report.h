/* A run's result, and the ways to print it. */
#ifndef ANALYZER_REPORT_REPORT_H
#define ANALYZER_REPORT_REPORT_H

#include "analyzer/report/finding.h"

#include <stdio.h>

typedef struct RunReport {
    Findings findings;   /* sorted; those below the shown severity and suppressed ones are still in it */
    Notifications notes; /* sorted by path and line */
    const char *machine_name, *machine_cpu;
    int machine_threads;
    int threads;         /* that predictions are for */
    uint32_t files;      /* analysed */
    uint32_t refuted, suppressed;
    Severity shown;      /* lowest severity that is printed */
    double seconds;
    uint32_t measurable_left; /* findings not measured because the budget ended */
    const Rule *const *rules; /* every rule there is, `rule_count` of them */
    const char *const *pages; /* the page of each */
    unsigned rule_count;
} RunReport;

typedef struct ReportStyle {
    bool colour, links;  /* terminal: SGR colours, OSC 8 links */
    int width;           /* columns of the terminal, 0 unknown */
} ReportStyle;

/* Every printer writes the whole report to `out`. Text that comes from analysed files is escaped for its sink. */
void report_full(const RunReport *report, const ReportStyle *style, FILE *out);
void report_concise(const RunReport *report, const ReportStyle *style, FILE *out);
void report_json(const RunReport *report, FILE *out);
void report_sarif(const RunReport *report, FILE *out);
void report_github(const RunReport *report, FILE *out);

/* Suppression comments (`ponglint: allow(RULE) reason`, `allow-file`, NOLINT(ponglint-RULE), NOLINTNEXTLINE): marks the
 * findings they hide and adds an `unused-allow` finding (warning) for each that hides nothing. `units` are searched for
 * comments. Only rules in `selected` (NULL: all) count as unused. */
void suppress(RunReport *report, Arena *arena, Unit *const *units, uint32_t unit_count,
              bool (*selected)(const Rule *rule, void *data), void *data);

/* The rule record behind `unused-allow` (has no check). */
extern const Rule rule_unused_allow;

#endif
