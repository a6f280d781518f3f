/* Source and diffs on the page. Lines wrap instead of scrolling, so that nothing needs a pointer to
 * be read; what is very long is shown around the place that counts. */
#include "analyzer/report/escape.h"
#include "analyzer/report/fix.h"
#include "analyzer/report/html.h"

#include <string.h>

enum { MOST_BYTES = 400, BEFORE_MARK = 80, MOST_LINES = 12 };

void html_text(Text *out, const char *string)
{
    escape_html(out, string, strlen(string));
}

void html_place(Text *out, const RunReport *report, const Region *region)
{
    SourcePlace place = source_place(region->source, region->start);
    html_text(out, report_relative(report, region->source->path));
    if (place.cell != 0)
        text_printf(out, ":cell %u", (unsigned)place.cell);
    text_printf(out, ":%u", (unsigned)(place.cell != 0 ? place.in_cell : place.file).line);
}

/* The number that a reader knows a line by: in a notebook, that in its cell. */
static uint32_t shown_number(const Source *source, const char *bytes, uint32_t line)
{
    SourcePlace place = source_place(source, (uint32_t)(bytes - source->bytes));
    return place.cell != 0 ? place.in_cell.line : line;
}

typedef struct Span {
    size_t from, to; /* bytes of the line that are marked; equal: none */
} Span;

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

static void add_bytes(Text *out, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t code;
        bool valid;
        size_t size = utf8_next(bytes + at, length - at, &code, &valid);
        if (valid && code == '\t')
            text_putc(out, '\t');
        else
            escape_html_character(out, bytes + at, size, code, valid);
        at += size;
    }
}

/* Moves a cut to the start of a character. */
static size_t whole_character(const char *bytes, size_t length, size_t at)
{
    for (int i = 0; i < 3 && at < length && is_continuation(bytes[at]); i++)
        at++;
    return at;
}

/* A line, or the part of it around the span; the span is marked. */
static void add_window(Text *out, const char *bytes, size_t length, Span span)
{
    size_t first = 0, last = length;
    if (span.to > MOST_BYTES && span.from > BEFORE_MARK)
        first = whole_character(bytes, length, span.from - BEFORE_MARK);
    if (last > first + MOST_BYTES)
        last = whole_character(bytes, length, first + MOST_BYTES);
    size_t from = span.from < last ? span.from : last, to = span.to < last ? span.to : last;
    text_puts(out, first > 0 ? "\xe2\x80\xa6" : "");
    if (from < to) {
        add_bytes(out, bytes + first, from - first);
        text_puts(out, "<mark>");
        add_bytes(out, bytes + from, to - from);
        text_puts(out, "</mark>");
        first = to;
    }
    add_bytes(out, bytes + first, last - first);
    text_puts(out, last < length ? "\xe2\x80\xa6" : "");
}

/* The part of the region that lies on a line, without its indentation. */
static Span span_on(SourcePosition start, SourcePosition stop, uint32_t line, const char *bytes,
                    size_t length)
{
    Span span = {0, length};
    if (line < start.line || line > stop.line)
        return (Span){0, 0};
    if (line == start.line)
        span.from = start.column - 1;
    if (line == stop.line)
        span.to = stop.column - 1;
    span.to = span.to < length ? span.to : length;
    while (line > start.line && span.from < span.to && strchr(" \t", bytes[span.from]) != NULL)
        span.from++;
    return span.from < span.to ? span : (Span){0, 0};
}

static void add_line(Text *out, const Region *region, uint32_t line, const char *class)
{
    const Source *source = region->source;
    SourcePosition start = source_position(source, region->start),
                   stop = source_position(source, region->stop);
    size_t length;
    const char *bytes = source_line(source, line, &length);
    if (bytes == NULL)
        return;
    text_printf(out, "<span class=\"%s\"><span>%u</span><code>", class,
                (unsigned)shown_number(source, bytes, line));
    add_window(out, bytes, length, span_on(start, stop, line, bytes, length));
    text_puts(out, "</code></span>");
}

/* Whether there is such a line: what stands behind the last line end is none when it is empty. */
static bool has_line(const Source *source, uint32_t line)
{
    size_t length;
    const char *bytes = source_line(source, line, &length);
    return bytes != NULL && (length > 0 || line < source->line_count);
}

void html_excerpt(Text *out, const Region *region)
{
    enum { CONTEXT = 2 };
    uint32_t start = source_position(region->source, region->start).line,
             stop = source_position(region->source, region->stop).line;
    stop = stop < start + MOST_LINES ? stop : start + MOST_LINES;
    text_puts(out, "<pre>");
    for (uint32_t line = start > CONTEXT ? start - CONTEXT : 1; line <= stop + CONTEXT; line++)
        if (has_line(region->source, line))
            add_line(out, region, line, line >= start && line <= stop ? "l hit" : "l");
    text_puts(out, "</pre>\n");
}

void html_first_line(Text *out, const Region *region)
{
    text_puts(out, "<pre>");
    add_line(out, region, source_position(region->source, region->start).line, "l");
    text_puts(out, "</pre>\n");
}

/* ---- diffs ---- */

static void add_diff_line(Text *out, const char *line, size_t length, bool head)
{
    const char *element = line[0] == '+' ? "ins" : line[0] == '-' ? "del" : "span";
    if (head || line[0] == '@' || line[0] == '\\') {
        text_puts(out, "<span class=\"l head\"><span></span><code>");
        add_window(out, line, length, (Span){0, 0});
        text_puts(out, "</code></span>");
        return;
    }
    text_printf(out, "<%s class=\"l\"><span>%c</span><code>", element, line[0]);
    add_window(out, line + 1, length - 1, (Span){0, 0});
    text_printf(out, "</code></%s>", element);
}

void html_diff(Text *out, Arena *arena, const Fix *fix)
{
    FixedFiles files = {0};
    if (fix->edits.count == 0)
        return;
    fix_alone(fix, arena, &files);
    text_puts(out, "<pre class=\"diff\">");
    for (uint32_t i = 0; i < files.count; i++) {
        Text diff = {0};
        fix_diff(&files.items[i], &diff);
        const char *line = text_string(&diff);
        for (unsigned number = 0; *line != '\0'; number++) {
            size_t length = strcspn(line, "\n");
            size_t shown = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
            if (shown > 0)
                add_diff_line(out, line, shown, number < 2);
            line += length + (line[length] == '\n');
        }
        text_free(&diff);
    }
    text_puts(out, "</pre>\n");
}
