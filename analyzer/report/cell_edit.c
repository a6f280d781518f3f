#include "analyzer/report/cell_edit.h"

#include "analyzer/base/text.h"

#include <string.h>

/* The bytes [start, stop) of the program that come from one cell. */
typedef struct CellSpan {
    const SourceCell *cell;
    uint32_t start, stop;
} CellSpan;

static CellSpan span_at(const Source *program, uint32_t offset)
{
    const Notebook *notebook = program->notebook;
    CellSpan span = {0};
    for (uint32_t i = 0; i < notebook->cell_count && notebook->cells[i].start <= offset; i++)
        span = (CellSpan){&notebook->cells[i], notebook->cells[i].start,
                          i + 1 < notebook->cell_count ? notebook->cells[i + 1].start
                                                       : (uint32_t)program->size};
    return span;
}

/* Whether a byte of the program is what the file says; magics were made something else. */
static bool is_verbatim(const Source *program, uint32_t offset)
{
    static const char letters[] = "nrt\"\\/", meant[] = "\n\r\t\"\\/";
    const char *written = program->notebook->file->bytes + program->notebook->at[offset];
    char byte = program->bytes[offset];
    if (*written != '\\')
        return *written == byte;
    const char *letter = written[1] != '\0' ? strchr(letters, written[1]) : NULL;
    return letter != NULL ? meant[letter - letters] == byte : ((unsigned char)byte & 0x80) != 0;
}

/* A cell that starts with "%%": nothing may come in front of that line, and it is not Python. */
static bool in_cell_magic(const Source *program, const CellSpan *span, uint32_t offset)
{
    const Notebook *notebook = program->notebook;
    const char *file = notebook->file->bytes;
    uint32_t at = span->start;
    while (at < span->stop && program->bytes[at] <= ' ' &&
           (file[notebook->at[at]] == ' ' || program->bytes[at] == '\n'))
        at++;
    if (at >= span->stop || strncmp(file + notebook->at[at], "%%", 2) != 0)
        return false;
    const char *end = memchr(program->bytes + at, '\n', span->stop - at);
    return end == NULL || offset <= (uint32_t)(end - program->bytes);
}

static bool may_edit(const Source *program, const CellSpan *span, const Edit *edit)
{
    const Notebook *notebook = program->notebook;
    uint32_t start = edit->region.start, stop = edit->region.stop;
    /* the line end behind a cell is ours, and written nowhere */
    if (span->cell == NULL || stop < start || stop >= span->stop ||
        in_cell_magic(program, span, start) ||
        (span->cell->indent > 0 && strchr(edit->text, '\n') != NULL))
        return false;
    for (uint32_t at = start; at < stop; at++)
        if (!is_verbatim(program, at))
            return false;
    return stop + 1 < span->stop || notebook->file->bytes[notebook->at[stop]] == '"';
}

/* What stands in the file between a line end of the cell and its next line: `",` and a quote where
 * the lines are items of a list. */
static void add_separator(const Source *program, const CellSpan *span, Text *out)
{
    const Notebook *notebook = program->notebook;
    for (uint32_t at = span->start; at + 1 < span->stop; at++) {
        uint32_t end = notebook->at[at] + 2, next = notebook->at[at + 1]; /* behind \n */
        if (program->bytes[at] != '\n')
            continue;
        if (next > end)
            text_add(out, notebook->file->bytes + end, next - end);
        return;
    }
}

static const char *as_json(Arena *arena, const Source *program, const CellSpan *span,
                           const char *text)
{
    Text out = {0};
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            text_printf(&out, "\\%c", *text);
        else if (*text == '\t')
            text_puts(&out, "\\t");
        else if (*text != '\n')
            text_putc(&out, *text);
        if (*text != '\n')
            continue;
        text_puts(&out, "\\n");
        add_separator(program, span, &out);
    }
    const char *written = arena_strdup(arena, text_string(&out));
    text_free(&out);
    return written;
}

void cell_edit_fix(Arena *arena, Fix *fix)
{
    for (uint32_t i = 0; i < fix->edits.count; i++) {
        Edit *edit = &fix->edits.items[i];
        const Source *program = edit->region.source;
        if (program->notebook == NULL)
            continue;
        CellSpan span = span_at(program, edit->region.start);
        if (!may_edit(program, &span, edit)) {
            fix->edits.count = 0;
            fix->safe = false;
            return;
        }
        *edit = (Edit){{program->notebook->file, program->notebook->at[edit->region.start],
                        program->notebook->at[edit->region.stop]},
                       as_json(arena, program, &span, edit->text)};
    }
}
