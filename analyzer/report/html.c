/* One page with everything in it: no request leaves it, and its Content-Security-Policy allows
 * nothing but its own style and script, by their hashes. Without script it shows all findings. */
#include "analyzer/report/html.h"
#include "analyzer/report/text.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>

#define TIMES "\xc3\x97"
#define DASH  "\xe2\x80\x93"

/* A racket and a ball: a favicon of its own, so that no browser asks a server for one. */
#define ICON                                                                                       \
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"          \
    "%3Ccircle cx='7' cy='7' r='6' fill='%23b0410d'/%3E%3Crect x='10' y='9' width='3' height='7' " \
    "rx='1' transform='rotate(-45 11 12)' fill='%23b0410d'/%3E%3Ccircle cx='14' cy='3' r='2' "     \
    "fill='%23888'/%3E%3C/svg%3E"

typedef struct Page {
    const RunReport *report;
    const Finding **ranked;
    uint32_t count;
    Arena *arena;
    Text *out;
} Page;

static void add(const Page *page, const char *html)
{
    text_puts(page->out, html);
}

static void add_times(const Page *page, double times)
{
    if (times > 0) {
        text_ratio(page->out, times);
        add(page, TIMES);
    } else {
        add(page, DASH);
    }
}

static const char *plural(unsigned count)
{
    return count == 1 ? "" : "s";
}

/* ---- head ---- */

static void add_head(const Page *page)
{
    text_printf(page->out,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action "
                "'none'\">\n",
                html_style_hash, html_script_hash);
    add(page, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n"
              "<meta name=\"generator\" content=\"ponglint " PONGLINT_VERSION "\">\n"
              "<link rel=\"icon\" href=\"" ICON "\">\n<title>");
    if (page->count == 0)
        add(page, "No findings");
    else
        text_printf(page->out, "%u finding%s", (unsigned)page->count, plural(page->count));
    add(page, " \xc2\xb7 ponglint</title>\n<style>");
    add(page, html_style);
    add(page, "</style>\n</head>\n");
}

static void add_tally_entry(const Page *page, unsigned count, const char *what, const char *more)
{
    text_printf(page->out, "<div><dt>%s%s</dt><dd>%u</dd></div>\n", what, count == 1 ? "" : more,
                count);
}

static void add_tally(const Page *page)
{
    const RunReport *report = page->report;
    unsigned of[3] = {0}, confirmed = 0;
    for (uint32_t i = 0; i < page->count; i++) {
        of[page->ranked[i]->severity]++;
        confirmed += page->ranked[i]->measured.verdict == VERDICT_CONFIRMED;
    }
    add(page, "<dl class=\"tally\">\n");
    add_tally_entry(page, of[SEVERITY_ERROR], "error", "s");
    add_tally_entry(page, of[SEVERITY_WARNING], "warning", "s");
    if (of[SEVERITY_NOTE] > 0)
        add_tally_entry(page, of[SEVERITY_NOTE], "note", "s");
    if (confirmed > 0)
        add_tally_entry(page, confirmed, "confirmed here", "");
    if (report->refuted > 0)
        add_tally_entry(page, report->refuted, "refuted here", "");
    if (report->suppressed > 0)
        add_tally_entry(page, report->suppressed, "suppressed", "");
    if (report->baselined > 0)
        add_tally_entry(page, report->baselined, "in the baseline", "");
    add(page, "</dl>\n");
}

static bool has_measured(const Page *page)
{
    for (uint32_t i = 0; i < page->count; i++)
        if (page->ranked[i]->measured.slowdown > 0)
            return true;
    return false;
}

static void add_lede(const Page *page)
{
    const RunReport *report = page->report;
    add(page, page->count > 1 ? "<p class=\"lede\">Worst first. " : "<p class=\"lede\">");
    text_printf(page->out, "Predicted for %d thread%s of ", report->threads,
                plural((unsigned)report->threads));
    html_text(page->out, report->machine_name);
    if (report->machine_cpu[0] != '\0' && strcmp(report->machine_cpu, report->machine_name) != 0) {
        add(page, " (");
        html_text(page->out, report->machine_cpu);
        add(page, ")");
    }
    add(page, !has_measured(page)
                  ? "."
                  : "; what says measured was measured with a kernel of the same shape on the "
                    "machine that made this page.");
    if (report->measurable_left > 0)
        text_printf(page->out, " %u measurement%s left out %s.", (unsigned)report->measurable_left,
                    report->measurable_left == 1 ? " was" : "s were",
                    report->interrupted ? "since the run was interrupted" : "for want of time");
    add(page, "</p>\n");
}

static void add_masthead(const Page *page)
{
    add(page, "<body>\n<a class=\"skip\" href=\"#findings\">Skip to the findings</a>\n"
              "<header class=\"masthead\">\n<p class=\"brand\">ponglint</p>\n<h1>");
    if (page->count == 0)
        add(page, "No findings");
    else
        text_printf(page->out, "%u finding%s", (unsigned)page->count, plural(page->count));
    text_printf(page->out, " in %u file%s</h1>\n", (unsigned)page->report->files,
                plural(page->report->files));
    add_lede(page);
    add_tally(page);
    add(page, "</header>\n");
}

/* ---- filters and index ---- */

/* data-rule and data-folder, by which the script filters; a file in the current folder lies in ".".
 */
static void add_filter_data(const Page *page, const Finding *finding)
{
    const char *path = report_relative(page->report, finding->region.source->path);
    const char *slash = strrchr(path, '/');
    const char *folder = slash == NULL   ? "."
                         : slash == path ? "/"
                                         : arena_strndup(page->arena, path, (size_t)(slash - path));
    add(page, " data-rule=\"");
    html_text(page->out, finding->rule->id);
    add(page, "\" data-folder=\"");
    html_text(page->out, folder);
    add(page, "\"");
}

/* A place that may be broken behind its slashes: the column is narrow. */
static void add_breakable_place(const Page *page, const Region *region)
{
    Text place = {0};
    html_place(&place, page->report, region);
    for (const char *at = text_string(&place); *at != '\0'; at++) {
        text_putc(page->out, *at);
        if (*at == '/')
            add(page, "<wbr>");
    }
    text_free(&place);
}

static void add_index_entry(const Page *page, uint32_t rank)
{
    const Finding *finding = page->ranked[rank];
    text_printf(page->out, "<li><a href=\"#finding-%u\"><span class=\"times\">",
                (unsigned)rank + 1);
    add_times(page, report_slowdown(finding));
    add(page, "</span> <span>");
    html_text(page->out, finding->rule->id);
    add(page, "</span> <span class=\"place\">");
    add_breakable_place(page, &finding->region);
    add(page, "</span></a></li>\n");
}

static void add_side(const Page *page)
{
    add(page, "<div class=\"side\">\n<form class=\"filters\" role=\"search\" aria-label=\"Filter "
              "the findings\" hidden>\n"
              "<div><label for=\"by-rule\">Rule</label><select id=\"by-rule\" name=\"rule\" "
              "autocomplete=\"off\"><option value=\"\">all rules</option></select></div>\n"
              "<div><label for=\"by-folder\">Folder</label><select id=\"by-folder\" "
              "name=\"folder\" autocomplete=\"off\"><option value=\"\">all folders</option>"
              "</select></div>\n"
              "<button type=\"reset\">Show all</button>\n<p role=\"status\"></p>\n</form>\n"
              "<nav class=\"index\" aria-label=\"Findings\"><details open><summary>All findings, "
              "worst first</summary>\n<ol>\n");
    for (uint32_t i = 0; i < page->count; i++)
        add_index_entry(page, i);
    add(page, "</ol></details></nav>\n</div>\n");
}

/* ---- one finding ---- */

static void add_title(const Page *page, const Finding *finding, const char *id)
{
    SourcePlace place = source_place(finding->region.source, finding->region.start);
    SourcePosition start = place.cell != 0 ? place.in_cell : place.file;
    text_printf(page->out, "<p class=\"kind\"><span class=\"severity %s\">%s</span>",
                severity_word(finding->severity), severity_word(finding->severity));
    if (finding->measured.verdict == VERDICT_REFUTED)
        add(page, " refuted by a measurement here");
    if (finding->function != NULL && *finding->function != '\0') {
        add(page, " in <code>");
        html_text(page->out, finding->function);
        add(page, "</code>");
    }
    text_printf(page->out, "</p>\n<h2 id=\"%s-title\">", id);
    html_text(page->out, finding->rule->id);
    add(page, " <span class=\"place\">");
    html_place(page->out, page->report, &finding->region);
    text_printf(page->out, ":%u</span></h2>\n<p class=\"reason\">", (unsigned)start.column);
    html_text(page->out, finding->message);
    add(page, "</p>\n");
}

static void add_fact(const Page *page, bool *first, const char *label, const char *text)
{
    if (text == NULL || *text == '\0')
        return;
    add(page, *first ? "<p class=\"facts\">" : " \xc2\xb7 ");
    add(page, label);
    html_text(page->out, text);
    *first = false;
}

/* How often, beside how much work, and what was assumed. */
static void add_facts(const Page *page, const Finding *finding)
{
    bool first = true;
    Text loops = {0}, work = {0};
    for (uint32_t i = 0; i < finding->loops.count; i++)
        text_printf(&loops, "%s%s", i == 0 ? "" : " " TIMES " ", finding->loops.items[i]);
    if (finding->what != NULL && *finding->what != '\0' && finding->exposure.work_ns > 0)
        text_printf(&work, "%.3g ns", finding->exposure.work_ns);
    add_fact(page, &first, "once per ", finding->per);
    add_fact(page, &first, "loops ", text_string(&loops));
    add_fact(page, &first, "work beside it ", text_string(&work));
    add_fact(page, &first, "assumed: ", finding->assumed);
    if (finding->portability != NULL && strcmp(finding->portability, "all") != 0)
        add_fact(page, &first, "targets: ", finding->portability);
    if (finding->doubtful)
        add_fact(page, &first, "", "beside code that could not be read");
    add(page, first ? "" : "</p>\n");
    text_free(&loops);
    text_free(&work);
}

static void add_predicted(const Page *page, const Finding *finding)
{
    add(page, "<tr><th scope=\"row\">Predicted</th><td class=\"slowdown\">");
    add_times(page, finding->predicted);
    text_printf(page->out, "</td><td>" DASH "</td><td>%d</td><td>", finding->predicted_threads);
    html_text(page->out, finding->predicted_machine != NULL ? finding->predicted_machine : "");
    add(page, "</td></tr>\n");
}

static void add_measured(const Page *page, const Measured *measured)
{
    add(page, "<tr><th scope=\"row\">Measured</th><td class=\"slowdown\">");
    add_times(page, measured->slowdown);
    add(page, "</td><td>");
    text_ratio(page->out, measured->low);
    add(page, DASH);
    text_ratio(page->out, measured->high);
    text_printf(page->out, "</td><td>%d</td><td>here</td></tr>\n", measured->threads);
}

static void add_verdict(const Page *page, const Measured *measured)
{
    const char *why = measured->why != NULL ? measured->why : "";
    if (measured->slowdown <= 0 && *why == '\0')
        return;
    add(page, "<p class=\"verdict\">");
    if (measured->slowdown > 0) {
        text_printf(page->out, "<strong>%s</strong>", verdict_word(measured->verdict));
        if (measured->contended_ns > 0 && measured->relieved_ns > 0)
            text_printf(page->out,
                        " at %.3g ns contended against %.3g ns relieved per piece of work",
                        measured->contended_ns, measured->relieved_ns);
        add(page, *why != '\0' ? ": " : "");
    } else {
        add(page, "Not measured: ");
    }
    html_text(page->out, why);
    if (measured->disagrees)
        add(page, "; prediction and measurement disagree");
    if (measured->stored)
        add(page, "; from the store of earlier results");
    add(page, "</p>\n");
}

static void add_cost(const Page *page, const Finding *finding, const char *id)
{
    const Measured *measured = &finding->measured;
    bool numbers = finding->predicted > 0 || measured->slowdown > 0;
    add(page, "<div class=\"cost\">\n<div>\n");
    if (numbers)
        add(page, "<h3>Slowdown</h3>\n<table class=\"numbers\"><caption class=\"visually-hidden\">"
                  "Slowdown, predicted and measured</caption><thead><tr><th scope=\"col\">"
                  "<span class=\"visually-hidden\">How it is known</span></th><th scope=\"col\">"
                  "Slowdown</th><th scope=\"col\">95 %</th><th scope=\"col\">Threads</th>"
                  "<th scope=\"col\">Machine</th></tr></thead><tbody>\n");
    if (finding->predicted > 0)
        add_predicted(page, finding);
    if (measured->slowdown > 0)
        add_measured(page, measured);
    add(page, numbers ? "</tbody></table>\n" : "");
    add_verdict(page, measured);
    add_facts(page, finding);
    add(page, "</div>\n");
    html_curve(page->out, finding, id);
    add(page, "</div>\n");
}

static void add_steps(const Page *page, const char *title, const TraceStep *steps, uint32_t count)
{
    if (count == 0)
        return;
    text_printf(page->out, "<h3>%s</h3>\n<ol class=\"trace\">\n", title);
    for (uint32_t i = 0; i < count; i++) {
        add(page, "<li>");
        html_text(page->out, steps[i].message);
        add(page, " <span class=\"place\">");
        html_place(page->out, page->report, &steps[i].region);
        add(page, "</span>\n");
        html_first_line(page->out, &steps[i].region);
        add(page, "</li>\n");
    }
    add(page, "</ol>\n");
}

static void add_fixes(const Page *page, const Finding *finding)
{
    if (finding->fixes.count == 0)
        return;
    text_printf(page->out, "<h3>Fix</h3>\n<%s class=\"fixes\">\n",
                finding->fixes.count > 1 ? "ol" : "ul");
    for (uint32_t i = 0; i < finding->fixes.count; i++) {
        const Fix *fix = &finding->fixes.items[i];
        add(page, "<li>");
        html_text(page->out, fix->description);
        if (fix->safe && fix->edits.count > 0)
            add(page, " <span class=\"safe\">(<code>--fix</code> makes it)</span>");
        add(page, "\n");
        html_diff(page->out, page->arena, fix);
        add(page, "</li>\n");
    }
    text_printf(page->out, "</%s>\n", finding->fixes.count > 1 ? "ol" : "ul");
}

static void add_finding(const Page *page, uint32_t rank)
{
    const Finding *finding = page->ranked[rank];
    char id[32];
    snprintf(id, sizeof id, "finding-%u", (unsigned)rank + 1);
    text_printf(page->out, "<article class=\"finding\" id=\"%s\" aria-labelledby=\"%s-title\"", id,
                id);
    add_filter_data(page, finding);
    add(page, ">\n");
    add_title(page, finding, id);
    html_excerpt(page->out, &finding->region);
    add_cost(page, finding, id);
    add_steps(page, "Trace", finding->trace.items, finding->trace.count);
    add_steps(page, "See also", finding->related.items, finding->related.count);
    add_fixes(page, finding);
    add(page, "</article>\n");
}

/* ---- behind the findings ---- */

static void add_rules(const Page *page)
{
    if (page->count == 0)
        return;
    add(page, "<section class=\"about\" aria-labelledby=\"rules\">\n<h2 id=\"rules\">The rules "
              "behind them</h2>\n<dl>\n");
    for (uint32_t i = 0; i < page->count; i++) {
        const Rule *rule = page->ranked[i]->rule;
        uint32_t first = 0;
        while (page->ranked[first]->rule != rule)
            first++;
        if (first < i)
            continue;
        add(page, "<dt>");
        html_text(page->out, rule->id);
        add(page, "</dt><dd>");
        html_text(page->out, rule->help);
        add(page, "</dd>\n");
    }
    add(page, "</dl>\n</section>\n");
}

static void add_notifications(const Page *page)
{
    const Notifications *notes = &page->report->notes;
    if (notes->count == 0)
        return;
    text_printf(page->out,
                "<section class=\"about\" aria-labelledby=\"notifications\">\n<h2 "
                "id=\"notifications\">What else was met</h2>\n<details%s><summary>%u "
                "notification%s</summary>\n<ul>\n",
                notes->count <= 8 ? " open" : "", (unsigned)notes->count, plural(notes->count));
    for (uint32_t i = 0; i < notes->count; i++) {
        const Notification *note = &notes->items[i];
        text_printf(page->out, "<li>%s: ", severity_word(note->level));
        html_text(page->out, report_relative(page->report, note->path));
        if (note->line > 0)
            text_printf(page->out, ":%u", (unsigned)note->line);
        add(page, *note->path != '\0' ? ": " : "");
        html_text(page->out, note->message);
        add(page, "</li>\n");
    }
    add(page, "</ul></details>\n</section>\n");
}

static void add_main(const Page *page)
{
    add(page, page->count > 1 ? "<div class=\"layout\">\n" : "");
    if (page->count > 1)
        add_side(page);
    add(page, "<main id=\"findings\" tabindex=\"-1\">\n");
    if (page->count == 0)
        text_printf(page->out, "<p class=\"reason\">Nothing was found at level %s%s.</p>\n",
                    severity_word(page->report->shown),
                    page->report->shown < SEVERITY_ERROR ? " or above" : "");
    for (uint32_t i = 0; i < page->count; i++)
        add_finding(page, i);
    add_rules(page);
    add_notifications(page);
    add(page, "</main>\n");
    add(page, page->count > 1 ? "</div>\n" : "");
}

void report_html(const RunReport *report, FILE *out)
{
    Text text = {0};
    Page page = {.report = report, .arena = arena_new(), .out = &text};
    page.ranked = report_rank(report, &page.count);
    add_head(&page);
    add_masthead(&page);
    add_main(&page);
    add(&page, "<footer>\n<p>Made by ponglint " PONGLINT_VERSION
               ". A kernel has the shape and the exposure of a finding and is not your program: "
               "its figure says what that one thing costs. <code>ponglint rule ID</code> prints "
               "the page of a rule.</p>\n</footer>\n<script>");
    add(&page, html_script);
    add(&page, "</script>\n</body>\n</html>\n");
    fwrite(text_string(&text), 1, text.length, out);
    free(page.ranked);
    arena_free(page.arena);
    text_free(&text);
}
