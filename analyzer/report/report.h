/* A run's result, and the ways to print it. */
#ifndef ANALYZER_REPORT_REPORT_H
#define ANALYZER_REPORT_REPORT_H

#include "analyzer/base/text.h"
#include "analyzer/report/finding.h"

#include <stdio.h>

typedef struct RunReport {
    Findings
        findings; /* sorted; those below the shown severity and suppressed ones are still in it */
    Notifications notes; /* sorted by path and line */
    const char *machine_name, *machine_cpu;
    int machine_threads;
    int threads;      /* that predictions are for */
    uint32_t files;   /* analysed */
    uint32_t refuted; /* among the shown ones */
    uint32_t suppressed;
    uint32_t baselined; /* not among the suppressed ones */
    Severity shown;     /* lowest severity that is printed */
    double seconds;
    uint32_t measurable_left; /* findings not measured because the budget ended, or */
    bool interrupted;         /* because the user asked to stop */
    const Rule *const *rules; /* every rule there is, `rule_count` of them */
    const char *const *pages; /* the page of each */
    unsigned rule_count;
    const char *working; /* the current folder with a slash behind it, "" unknown: SARIF and GitHub
                            want relative paths */
} RunReport;

typedef struct ReportStyle {
    bool colour, links; /* terminal: SGR colours, OSC 8 links */
    int width;          /* columns of the terminal, 0 unknown */
} ReportStyle;

/* Every printer writes the whole report to `out`. Text that comes from analysed files is escaped
 * for its sink. */
void report_full(const RunReport *report, const ReportStyle *style, FILE *out);
void report_concise(const RunReport *report, const ReportStyle *style, FILE *out);
void report_json(const RunReport *report, FILE *out);
void report_sarif(const RunReport *report, FILE *out);
void report_github(const RunReport *report, FILE *out);

/* One self-contained page (html.c). */
void report_html(const RunReport *report, FILE *out);

/* A Markdown table of the findings, for $GITHUB_STEP_SUMMARY. */
void report_github_summary(const RunReport *report, FILE *out);

/* Whether a printer shows the finding: not suppressed, and at or above `shown`. A finding that was
 * refuted stays in sight as the note it has become where it was in sight before. */
bool report_shows(const RunReport *report, const Finding *finding);

/* Whether the finding asks for something to be done: shown, and not refuted. */
bool report_stands(const RunReport *report, const Finding *finding);

/* The shown findings, worst first: by severity, then by slowdown, measured where a measurement
 * decided; `*count` of them, freed by the caller. */
const Finding **report_rank(const RunReport *report, uint32_t *count);

/* The slowdown that a finding stands for: what was measured where that gave a verdict, else what
 * was predicted; 0 where there is neither. */
double report_slowdown(const Finding *finding);

/* A path below the current folder, relative to it; any other as it is. */
const char *report_relative(const RunReport *report, const char *path);

/* Notifications from `least` on, one a line: "ponglint: warning: a.c:3: header not found …". */
void report_notes(const RunReport *report, const ReportStyle *style, Severity least, FILE *out);

/* "3 findings (1 error, 2 warnings) in 12 files; 1 refuted, 2 suppressed". */
void report_summary(const RunReport *report, const ReportStyle *style, FILE *out);

/* Findings by rule, and the seconds of the run. */
void report_statistics(const RunReport *report, const ReportStyle *style, FILE *out);

/* "predicted 6.3x at 12 threads (generic); measured 2.9x [2.7, 3.1] at 2 threads here: confirmed";
 * `brief` is "predicted 6.3x, measured 2.9x". Nothing where there is neither. */
void report_numbers(const Finding *finding, bool brief, Text *out);

/* Suppression comments (`ponglint: allow(RULE) reason`, `allow-file`, NOLINT(ponglint-RULE),
 * NOLINTNEXTLINE): marks the findings they hide and adds an `unused-allow` finding (warning) for
 * each that hides nothing. `units` are searched for comments. Only rules in `selected` (NULL: all)
 * count as unused. */
void suppress(RunReport *report, Arena *arena, Unit *const *units, uint32_t unit_count,
              bool (*selected)(const Rule *rule, void *data), void *data);

/* The rule record behind `unused-allow` (has no check). */
extern const Rule rule_unused_allow;

#endif
