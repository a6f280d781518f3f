/* What full and concise output share: colours, numbers, the lines around the findings. */
#include "analyzer/report/text.h"

#include "analyzer/report/escape.h"

#include <stdlib.h>
#include <string.h>

bool report_shows(const RunReport *report, const Finding *finding)
{
    const Measured *measured = &finding->measured;
    bool refuted = measured->verdict == VERDICT_REFUTED;
    Severity severity = refuted ? measured->demoted_from : finding->severity;
    return !finding->suppressed && severity >= report->shown;
}

bool report_stands(const RunReport *report, const Finding *finding)
{
    return report_shows(report, finding) && finding->measured.verdict != VERDICT_REFUTED;
}

const char *report_relative(const RunReport *report, const char *path)
{
    size_t length = report->working != NULL ? strlen(report->working) : 0;
    return length > 0 && strncmp(path, report->working, length) == 0 ? path + length : path;
}

const char *text_colour(const ReportStyle *style, TextColour colour)
{
    static const char *const codes[] = {"\x1b[0m",    "\x1b[1m",    "\x1b[2m", "\x1b[1;31m",
                                        "\x1b[1;33m", "\x1b[1;36m", "\x1b[32m"};
    return style->colour ? codes[colour] : "";
}

TextColour text_colour_of(Severity severity)
{
    return severity == SEVERITY_ERROR     ? TEXT_RED
           : severity == SEVERITY_WARNING ? TEXT_YELLOW
                                          : TEXT_CYAN;
}

void text_escaped(Text *out, const char *string)
{
    escape_terminal(out, string, strlen(string));
}

void text_place(Text *out, const Region *region, bool column)
{
    SourcePlace place = source_place(region->source, region->start);
    SourcePosition at = place.cell != 0 ? place.in_cell : place.file;
    text_escaped(out, region->source->path);
    if (place.cell != 0)
        text_printf(out, ":cell %u", (unsigned)place.cell);
    text_printf(out, ":%u", (unsigned)at.line);
    if (column)
        text_printf(out, ":%u", (unsigned)at.column);
}

void text_ratio(Text *out, double ratio)
{
    text_printf(out, "%.*f", ratio < 1.995 ? 2 : ratio < 9.95 ? 1 : 0, ratio);
}

static void add_measured(const Measured *measured, bool brief, Text *out)
{
    const char *why = measured->why != NULL ? measured->why : "";
    if (measured->slowdown <= 0) {
        if (!brief)
            text_printf(out, "not measured%s%s", *why != '\0' ? ": " : "", why);
        return;
    }
    text_puts(out, "measured ");
    text_ratio(out, measured->slowdown);
    text_putc(out, 'x');
    if (brief) {
        if (measured->verdict == VERDICT_REFUTED)
            text_puts(out, ", refuted");
        return;
    }
    text_puts(out, " [");
    text_ratio(out, measured->low);
    text_puts(out, ", ");
    text_ratio(out, measured->high);
    text_printf(out, "] at %d thread%s here: %s", measured->threads,
                measured->threads == 1 ? "" : "s", verdict_word(measured->verdict));
    if (measured->verdict == VERDICT_INCONCLUSIVE && *why != '\0')
        text_printf(out, " (%s)", why);
    if (measured->disagrees)
        text_puts(out, "; prediction and measurement disagree");
    if (measured->stored)
        text_puts(out, "; stored result");
}

void report_numbers(const Finding *finding, bool brief, Text *out)
{
    size_t before = out->length;
    if (finding->predicted > 0) {
        text_puts(out, "predicted ");
        text_ratio(out, finding->predicted);
        text_putc(out, 'x');
        if (!brief)
            text_printf(out, " at %d thread%s (%s)", finding->predicted_threads,
                        finding->predicted_threads == 1 ? "" : "s",
                        finding->predicted_machine != NULL ? finding->predicted_machine : "");
    }
    const Measured *measured = &finding->measured;
    bool silent = !measured->present && (measured->why == NULL || *measured->why == '\0');
    if (silent || (brief && measured->slowdown <= 0))
        return;
    if (out->length > before)
        text_puts(out, brief ? ", " : "; ");
    add_measured(measured, brief, out);
}

void report_notes(const RunReport *report, const ReportStyle *style, Severity least, FILE *out)
{
    Text text = {0};
    for (uint32_t i = 0; i < report->notes.count; i++) {
        const Notification *note = &report->notes.items[i];
        if (note->level < least)
            continue;
        text_printf(&text, "ponglint: %s%s%s: ", text_colour(style, text_colour_of(note->level)),
                    severity_word(note->level), text_colour(style, TEXT_RESET));
        text_escaped(&text, note->path);
        if (note->line > 0)
            text_printf(&text, ":%u", (unsigned)note->line);
        text_puts(&text, *note->path != '\0' ? ": " : "");
        text_escaped(&text, note->message);
        text_putc(&text, '\n');
    }
    fwrite(text_string(&text), 1, text.length, out);
    text_free(&text);
}

static void add_count(Text *text, unsigned count, const char *word, bool *first)
{
    if (count == 0)
        return;
    text_printf(text, "%s%u %s%s", *first ? "" : ", ", count, word, count == 1 ? "" : "s");
    *first = false;
}

static void add_hidden(const RunReport *report, Text *text)
{
    const char *separator = "; ";
    if (report->refuted > 0) {
        text_printf(text, "%s%u refuted", separator, (unsigned)report->refuted);
        separator = ", ";
    }
    if (report->suppressed > 0) {
        text_printf(text, "%s%u suppressed", separator, (unsigned)report->suppressed);
        separator = ", ";
    }
    if (report->baselined > 0)
        text_printf(text, "%s%u in the baseline", separator, (unsigned)report->baselined);
}

void report_summary(const RunReport *report, const ReportStyle *style, FILE *out)
{
    unsigned count[3] = {0}, all = 0;
    for (uint32_t i = 0; i < report->findings.count; i++)
        if (report_shows(report, &report->findings.items[i])) {
            count[report->findings.items[i].severity]++;
            all++;
        }
    Text text = {0};
    bool first = true;
    text_puts(&text, text_colour(style, TEXT_BOLD));
    if (all == 0)
        text_puts(&text, "no findings");
    else
        text_printf(&text, "%u finding%s (", all, all == 1 ? "" : "s");
    add_count(&text, count[SEVERITY_ERROR], "error", &first);
    add_count(&text, count[SEVERITY_WARNING], "warning", &first);
    add_count(&text, count[SEVERITY_NOTE], "note", &first);
    text_printf(&text, "%s%s in %u file%s", all > 0 ? ")" : "", text_colour(style, TEXT_RESET),
                (unsigned)report->files, report->files == 1 ? "" : "s");
    add_hidden(report, &text);
    if (report->measurable_left > 0)
        text_printf(&text, "; %u not measured %s", (unsigned)report->measurable_left,
                    report->interrupted ? "since it was interrupted" : "for want of time");
    fprintf(out, "%s\n", text_string(&text));
    text_free(&text);
}

typedef struct RuleCount {
    const Rule *rule;
    unsigned count;
} RuleCount;

static int compare_counts(const void *left, const void *right)
{
    const RuleCount *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->rule->id, b->rule->id);
}

static RuleCount *count_of(RuleCount *counts, unsigned *used, const Rule *rule)
{
    for (unsigned i = 0; i < *used; i++)
        if (counts[i].rule == rule)
            return &counts[i];
    counts[*used] = (RuleCount){rule, 0};
    return &counts[(*used)++];
}

void report_statistics(const RunReport *report, const ReportStyle *style, FILE *out)
{
    unsigned used = 0;
    RuleCount *counts = calloc(report->rule_count + 1, sizeof *counts);
    for (uint32_t i = 0; counts != NULL && i < report->findings.count; i++)
        if (report_shows(report, &report->findings.items[i]))
            count_of(counts, &used, report->findings.items[i].rule)->count++;
    if (used > 1)
        qsort(counts, used, sizeof *counts, compare_counts);
    for (unsigned i = 0; i < used; i++)
        fprintf(out, "%6u  %s%s%s\n", counts[i].count, text_colour(style, TEXT_BOLD),
                counts[i].rule->id, text_colour(style, TEXT_RESET));
    fprintf(out, "%.2f s\n", report->seconds);
    free(counts);
}
