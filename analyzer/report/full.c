/* The output for people at a terminal: the place with its source, the reason, the number, the way
 * there, the fix. */
#include "analyzer/report/escape.h"
#include "analyzer/report/text.h"

#include <string.h>

enum { WIDEST = 160, NARROWEST = 40, TAB = 4, BEFORE_WINDOW = 30 };

/* One line of source as shown: a window of `most` columns that holds the marked bytes. */
typedef struct View {
    Text line, marks;
} View;

typedef struct Span {
    size_t from, to; /* bytes of the line; equal: nothing is marked */
} Span;

/* One character on its way to the view; returns its columns and leaves what is shown in `out`. */
static int show_character(const char *bytes, size_t size, uint32_t code, bool valid, int column,
                          Text *out)
{
    out->length = 0;
    if (code != '\t' || !valid)
        return escape_terminal_character(out, bytes, size, code, valid);
    int columns = TAB - column % TAB;
    text_add(out, "        ", (size_t)columns);
    return columns;
}

/* The column at which byte `offset` of the line starts. */
static int column_of(const char *bytes, size_t length, size_t offset)
{
    Text shown = {0};
    int column = 0;
    for (size_t at = 0; at < length && at < offset;) {
        uint32_t code;
        bool valid;
        size_t size = utf8_next(bytes + at, length - at, &code, &valid);
        column += show_character(bytes + at, size, code, valid, column, &shown);
        at += size;
    }
    text_free(&shown);
    return column;
}

static void add_columns(Text *text, char c, int columns)
{
    for (int i = 0; i < columns; i++)
        text_putc(text, c);
}

static void view_line(View *view, const char *bytes, size_t length, Span marked, int most)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    Text shown = {0};
    int from = column_of(bytes, length, marked.from), first = 0, column = 0;
    if (column_of(bytes, length, marked.to) >= most)
        first = from > BEFORE_WINDOW ? from - BEFORE_WINDOW : 0;
    if (first > 0) {
        text_puts(&view->line, ellipsis);
        text_putc(&view->marks, ' ');
    }
    for (size_t at = 0; at < length;) {
        uint32_t code;
        bool valid;
        size_t size = utf8_next(bytes + at, length - at, &code, &valid);
        int columns = show_character(bytes + at, size, code, valid, column, &shown);
        if (column >= first + most) {
            text_puts(&view->line, ellipsis);
            break;
        }
        if (column >= first) {
            text_add(&view->line, text_string(&shown), shown.length);
            add_columns(&view->marks, at >= marked.from && at < marked.to ? '^' : ' ', columns);
        }
        column += columns;
        at += size;
    }
    if (marked.from >= length && marked.from < marked.to)
        text_putc(&view->marks, '^');
    text_free(&shown);
    while (view->marks.length > 0 && view->marks.bytes[view->marks.length - 1] == ' ')
        view->marks.bytes[--view->marks.length] = '\0';
}

enum { RELATED_SHOWN = 4 }; /* of the places beside a finding's own */

typedef struct Sheet {
    const ReportStyle *style;
    int gutter, most; /* columns of the line numbers; columns of source that are shown */
    Text *out;
} Sheet;

static const char *in(const Sheet *sheet, TextColour colour)
{
    return text_colour(sheet->style, colour);
}

static void add_gutter(const Sheet *sheet, uint32_t line)
{
    char number[16] = "";
    if (line > 0)
        snprintf(number, sizeof number, "%u", (unsigned)line);
    text_printf(sheet->out, "%s%*s |%s", in(sheet, TEXT_DIM), sheet->gutter, number,
                in(sheet, TEXT_RESET));
}

/* The number of the line at which a region starts, as a reader counts: in a notebook by cell. */
static uint32_t shown_line(const Region *region)
{
    SourcePlace place = source_place(region->source, region->start);
    return place.cell != 0 ? place.in_cell.line : place.file.line;
}

/* Line `line` of the region's file; the part of the region on it is underlined. */
static void add_source_line(const Sheet *sheet, const Region *region, TextColour colour, bool mark)
{
    const Source *source = region->source;
    SourcePosition start = source_position(source, region->start),
                   stop = source_position(source, region->stop);
    size_t length;
    const char *bytes = source_line(source, start.line, &length);
    if (bytes == NULL)
        return;
    size_t from = start.column - 1, to = stop.line > start.line ? length : stop.column - 1;
    from = from > length ? length : from;
    to = to <= from ? from + 1 : to;
    View view = {0};
    view_line(&view, bytes, length, (Span){from, to}, sheet->most);
    add_gutter(sheet, shown_line(region));
    text_printf(sheet->out, " %s\n", text_string(&view.line));
    if (mark) {
        add_gutter(sheet, 0);
        text_printf(sheet->out, " %s%s%s%s\n", in(sheet, colour), text_string(&view.marks),
                    stop.line > start.line ? " ..." : "", in(sheet, TEXT_RESET));
    }
    text_free(&view.line);
    text_free(&view.marks);
}

static void add_head(const Sheet *sheet, const Finding *finding)
{
    text_puts(sheet->out, in(sheet, TEXT_BOLD));
    text_place(sheet->out, &finding->region, true);
    text_printf(sheet->out, ":%s %s%s[%s]%s ", in(sheet, TEXT_RESET),
                in(sheet, text_colour_of(finding->severity)), severity_word(finding->severity),
                finding->rule->id, in(sheet, TEXT_RESET));
    text_escaped(sheet->out, finding->message);
    text_putc(sheet->out, '\n');
}

static void add_label(const Sheet *sheet, const char *label)
{
    text_printf(sheet->out, "%*s %s=%s %s%s:%s ", sheet->gutter, "", in(sheet, TEXT_DIM),
                in(sheet, TEXT_RESET), in(sheet, TEXT_BOLD), label, in(sheet, TEXT_RESET));
}

static void add_labelled(const Sheet *sheet, const char *label, const char *text)
{
    if (text == NULL || *text == '\0')
        return;
    add_label(sheet, label);
    text_escaped(sheet->out, text);
    text_putc(sheet->out, '\n');
}

/* At most `most` of them; the other formats have all. */
static void add_steps(const Sheet *sheet, const char *label, const TraceStep *steps, uint32_t count,
                      uint32_t most)
{
    uint32_t shown = count > most ? most : count;
    for (uint32_t i = 0; i < shown; i++) {
        add_label(sheet, label);
        text_place(sheet->out, &steps[i].region, false);
        text_puts(sheet->out, ": ");
        text_escaped(sheet->out, steps[i].message);
        text_putc(sheet->out, '\n');
        add_source_line(sheet, &steps[i].region, TEXT_CYAN, false);
    }
    if (shown < count) {
        add_label(sheet, label);
        text_printf(sheet->out, "and %u more places\n", (unsigned)(count - shown));
    }
}

static void add_fixes(const Sheet *sheet, const Finding *finding)
{
    for (uint32_t i = 0; i < finding->fixes.count; i++)
        add_labelled(sheet, "fix", finding->fixes.items[i].description);
}

/* Digits of the greatest line number that is shown. */
static int gutter_of(const Finding *finding)
{
    uint32_t most = shown_line(&finding->region);
    for (uint32_t i = 0; i < finding->trace.count; i++) {
        uint32_t line = shown_line(&finding->trace.items[i].region);
        most = line > most ? line : most;
    }
    int digits = 1;
    for (; most >= 10; most /= 10)
        digits++;
    return digits + 1;
}

static void add_finding(const Finding *finding, const ReportStyle *style, Text *out)
{
    Sheet sheet = {style, gutter_of(finding), WIDEST, out};
    int room = style->width - sheet.gutter - 4;
    if (style->width > 0)
        sheet.most = room < NARROWEST ? NARROWEST : room > WIDEST ? WIDEST : room;
    Text numbers = {0};
    report_numbers(finding, false, &numbers);
    add_head(&sheet, finding);
    add_source_line(&sheet, &finding->region, text_colour_of(finding->severity), true);
    add_labelled(&sheet, "cost", text_string(&numbers));
    add_labelled(&sheet, "assumed", finding->assumed);
    add_steps(&sheet, "trace", finding->trace.items, finding->trace.count, finding->trace.count);
    add_steps(&sheet, "see", finding->related.items, finding->related.count, RELATED_SHOWN);
    add_fixes(&sheet, finding);
    if (finding->portability != NULL && strcmp(finding->portability, "all") != 0)
        add_labelled(&sheet, "targets", finding->portability);
    text_putc(out, '\n');
    text_free(&numbers);
}

void report_full(const RunReport *report, const ReportStyle *style, FILE *out)
{
    Text text = {0};
    for (uint32_t i = 0; i < report->findings.count; i++)
        if (report_shows(report, &report->findings.items[i]))
            add_finding(&report->findings.items[i], style, &text);
    fwrite(text_string(&text), 1, text.length, out);
    text_free(&text);
}
