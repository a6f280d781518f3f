#include "analyzer/report/text.h"

#include <string.h>

static void add_finding(const Finding *finding, const ReportStyle *style, Text *out)
{
    text_puts(out, text_colour(style, TEXT_BOLD));
    text_place(out, &finding->region, true);
    text_printf(out, ":%s %s%s:%s ", text_colour(style, TEXT_RESET),
                text_colour(style, text_colour_of(finding->severity)),
                severity_word(finding->severity), text_colour(style, TEXT_RESET));
    text_escaped(out, finding->message);
    text_printf(out, " [%s]", finding->rule->id);
    Text numbers = {0};
    report_numbers(finding, true, &numbers);
    if (numbers.length > 0) {
        text_puts(out, " (");
        text_escaped(out, text_string(&numbers));
        text_putc(out, ')');
    }
    text_free(&numbers);
    text_putc(out, '\n');
}

void report_concise(const RunReport *report, const ReportStyle *style, FILE *out)
{
    Text text = {0};
    for (uint32_t i = 0; i < report->findings.count; i++)
        if (report_shows(report, &report->findings.items[i]))
            add_finding(&report->findings.items[i], style, &text);
    fwrite(text_string(&text), 1, text.length, out);
    text_free(&text);
}
