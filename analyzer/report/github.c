/* Annotations of GitHub Actions. A step shows ten errors, ten warnings and ten notices and drops
 * the rest silently: so the worst come first, and what is left out is counted. */
#include "analyzer/report/escape.h"
#include "analyzer/report/report.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 10 };

static void add_annotation(const RunReport *report, const Finding *finding, Text *out)
{
    static const char *const words[] = {"notice", "warning", "error"};
    const Region *region = &finding->region;
    SourcePlace place = source_place(region->source, region->start);
    SourcePosition start = place.file, stop = source_place(region->source, region->stop).file;
    text_printf(out, "::%s file=", words[finding->severity]);
    escape_github_property(out, report_relative(report, region->source->path));
    text_printf(out, ",line=%u", (unsigned)start.line);
    if (stop.line == start.line) /* columns of a region of several lines are refused */
        text_printf(out, ",col=%u,endLine=%u,endColumn=%u", (unsigned)start.column,
                    (unsigned)stop.line, (unsigned)stop.column);
    else
        text_printf(out, ",endLine=%u", (unsigned)stop.line);
    text_puts(out, ",title=ponglint ");
    escape_github_property(out, finding->rule->id);
    text_puts(out, "::");
    if (place.cell != 0)
        text_printf(out, "cell %u, line %u: ", (unsigned)place.cell, (unsigned)place.in_cell.line);
    escape_github_message(out, finding->message);
    Text numbers = {0};
    report_numbers(finding, false, &numbers);
    if (numbers.length > 0) {
        text_puts(out, " (");
        escape_github_message(out, text_string(&numbers));
        text_putc(out, ')');
    }
    text_free(&numbers);
    text_putc(out, '\n');
}

void report_github(const RunReport *report, FILE *out)
{
    uint32_t count, shown[3] = {0, 0, 0}, left = 0;
    const Finding **ranked = report_rank(report, &count);
    Text text = {0};
    for (uint32_t i = 0; i < count; i++) {
        Severity severity = ranked[i]->severity;
        if (shown[severity] < MOST_SHOWN - (severity == SEVERITY_NOTE)) {
            add_annotation(report, ranked[i], &text);
            shown[severity]++;
        } else {
            left++;
        }
    }
    if (left > 0)
        text_printf(
            &text,
            "::notice title=ponglint::%u more finding%s not shown here, since GitHub shows ten "
            "of a kind; the log of another output has them all\n",
            (unsigned)left, left == 1 ? " is" : "s are");
    fwrite(text_string(&text), 1, text.length, out);
    text_free(&text);
    free(ranked);
}

void report_github_summary(const RunReport *report, FILE *out)
{
    uint32_t count;
    const Finding **ranked = report_rank(report, &count);
    Text text = {0};
    text_puts(&text, "### ponglint\n\n");
    if (count == 0)
        text_printf(&text, "No findings in %u files.\n", (unsigned)report->files);
    else
        text_puts(&text, "| | place | rule | what | slowdown |\n|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < count; i++) {
        const Finding *finding = ranked[i];
        Text numbers = {0};
        report_numbers(finding, true, &numbers);
        text_printf(&text, "| %s | ", severity_word(finding->severity));
        SourcePlace place = source_place(finding->region.source, finding->region.start);
        escape_markdown(&text, report_relative(report, finding->region.source->path));
        if (place.cell != 0)
            text_printf(&text, ":cell %u", (unsigned)place.cell);
        text_printf(&text, ":%u | %s | ",
                    (unsigned)(place.cell != 0 ? place.in_cell.line : place.file.line),
                    finding->rule->id);
        escape_markdown(&text, finding->message);
        text_printf(&text, " | %s |\n", text_string(&numbers));
        text_free(&numbers);
    }
    fwrite(text_string(&text), 1, text.length, out);
    text_free(&text);
    free(ranked);
}
