#include "analyzer/report/fix.h"

#include <string.h>

enum { CONTEXT = 3 };

/* ---- choosing ---- */

static const Source *source_of_run(Unit *const *units, uint32_t unit_count, const char *path)
{
    uint32_t low = 0, high = unit_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(units[middle]->files.items[0]->path, path);
        if (order == 0)
            return source_file(units[middle]->files.items[0]);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static FixedFile *file_for(Arena *arena, FixedFiles *files, const Source *source)
{
    for (uint32_t i = 0; i < files->count; i++)
        if (files->items[i].source == source)
            return &files->items[i];
    LIST_PUSH(arena, files, (FixedFile){.source = source});
    return &files->items[files->count - 1];
}

static bool same_edit(const Edit *a, const Edit *b)
{
    return a->region.start == b->region.start && a->region.stop == b->region.stop &&
           strcmp(a->text, b->text) == 0;
}

/* Two insertions at one place follow each other; anything else that meets is a conflict. */
static bool conflict(const Edit *a, const Edit *b)
{
    if (a->region.start == a->region.stop && b->region.start == b->region.stop)
        return false;
    if (a->region.start == b->region.start)
        return true;
    return a->region.start < b->region.start ? a->region.stop > b->region.start
                                             : b->region.stop > a->region.start;
}

/* Whether the edit can be made; `*known` if it is made already. */
static bool fits(const FixedFile *file, const Edit *edit, bool *known)
{
    *known = false;
    if (edit->region.stop < edit->region.start || edit->region.stop > file->source->size)
        return false;
    for (uint32_t i = 0; i < file->edits.count; i++) {
        *known = *known || same_edit(&file->edits.items[i], edit);
        if (!same_edit(&file->edits.items[i], edit) && conflict(&file->edits.items[i], edit))
            return false;
    }
    return true;
}

static void insert(Arena *arena, FixedFile *file, Edit edit)
{
    LIST_PUSH(arena, &file->edits, edit);
    uint32_t at = file->edits.count - 1;
    for (; at > 0 && file->edits.items[at - 1].region.start > edit.region.start; at--)
        file->edits.items[at] = file->edits.items[at - 1];
    file->edits.items[at] = edit;
}

typedef struct Choice {
    Arena *arena;
    Unit *const *units;
    uint32_t unit_count;
    FixedFiles *files;
} Choice;

/* All edits of a fix, or none of them. */
static bool take_fix(const Choice *choice, const Fix *fix)
{
    bool known;
    for (uint32_t i = 0; i < fix->edits.count; i++) {
        const Edit *edit = &fix->edits.items[i];
        const Source *source =
            source_of_run(choice->units, choice->unit_count, edit->region.source->path);
        if (source == NULL || !fits(file_for(choice->arena, choice->files, source), edit, &known))
            return false;
    }
    for (uint32_t i = 0; i < fix->edits.count; i++) {
        const Edit *edit = &fix->edits.items[i];
        const Source *source =
            source_of_run(choice->units, choice->unit_count, edit->region.source->path);
        FixedFile *file = file_for(choice->arena, choice->files, source);
        if (fits(file, edit, &known) && !known)
            insert(choice->arena, file, *edit);
    }
    return true;
}

uint32_t fix_choose(const RunReport *report, Arena *arena, Unit *const *units, uint32_t unit_count,
                    FixedFiles *files)
{
    const Choice choice = {arena, units, unit_count, files};
    uint32_t fixed = 0, kept = 0;
    for (uint32_t i = 0; i < report->findings.count; i++) {
        const Finding *finding = &report->findings.items[i];
        for (uint32_t j = 0; report_stands(report, finding) && j < finding->fixes.count; j++) {
            const Fix *fix = &finding->fixes.items[j];
            if (!fix->safe || fix->edits.count == 0)
                continue;
            fixed += take_fix(&choice, fix);
            break;
        }
    }
    for (uint32_t i = 0; i < files->count; i++)
        if (files->items[i].edits.count > 0)
            files->items[kept++] = files->items[i];
    files->count = kept;
    return fixed;
}

void fix_alone(const Fix *fix, Arena *arena, FixedFiles *files)
{
    bool known;
    for (uint32_t i = 0; i < fix->edits.count; i++) {
        const Edit *edit = &fix->edits.items[i];
        FixedFile *file = file_for(arena, files, edit->region.source);
        if (fits(file, edit, &known) && !known)
            insert(arena, file, *edit);
    }
}

/* ---- applying ---- */

/* Bytes [from, to) of the file with the edits [first, last) made. */
static void add_edited(const FixedFile *file, uint32_t from, uint32_t to, uint32_t first,
                       uint32_t last, Text *out)
{
    const char *bytes = file->source->bytes;
    for (uint32_t i = first; i < last; i++) {
        const Edit *edit = &file->edits.items[i];
        text_add(out, bytes + from, edit->region.start - from);
        text_puts(out, edit->text);
        from = edit->region.stop;
    }
    text_add(out, bytes + from, to - from);
}

void fix_apply(const FixedFile *file, Text *out)
{
    add_edited(file, 0, (uint32_t)file->source->size, 0, file->edits.count, out);
}

/* ---- a patch ---- */

/* Lines that really hold something: what stands behind the last line end is no line when it is
 * empty. */
static uint32_t lines_of(const Source *source)
{
    uint32_t count = source->line_count;
    return count > 0 && source->line_start[count - 1] == source->size ? count - 1 : count;
}

static uint32_t line_at(const Source *source, uint32_t offset)
{
    uint32_t line = source_position(source, offset).line, most = lines_of(source);
    return line > most && most > 0 ? most : line;
}

/* Where line `line` (from 1, one past the last too) starts. */
static uint32_t start_of(const Source *source, uint32_t line)
{
    return line <= source->line_count ? source->line_start[line - 1] : (uint32_t)source->size;
}

/* The lines of a text, each with a sign in front. Returns how many. */
static uint32_t add_signed(Text *out, char sign, const char *bytes, size_t length)
{
    uint32_t count = 0;
    while (length > 0) {
        const char *end = memchr(bytes, '\n', length);
        size_t size = end != NULL ? (size_t)(end - bytes) + 1 : length;
        text_putc(out, sign);
        text_add(out, bytes, size);
        if (end == NULL)
            text_puts(out, "\n\\ No newline at end of file\n");
        bytes += size;
        length -= size;
        count++;
    }
    return count;
}

typedef struct Hunk {
    uint32_t first, last; /* lines that are shown */
    uint32_t old_count, new_count;
    Text body;
} Hunk;

static void add_kept(const Source *source, uint32_t from, uint32_t to, Hunk *hunk)
{
    uint32_t start = start_of(source, from), stop = start_of(source, to);
    uint32_t count = from < to ? add_signed(&hunk->body, ' ', source->bytes + start, stop - start)
                               : 0;
    hunk->old_count += count;
    hunk->new_count += count;
}

/* The line behind the last one that an edit changes: what ends at the start of a line, and leaves
 * one there, does not touch it. */
static uint32_t line_behind(const Source *source, const Edit *edit)
{
    uint32_t start = edit->region.start, stop = edit->region.stop;
    size_t length = strlen(edit->text);
    bool whole = stop > start && source->bytes[stop - 1] == '\n' &&
                 (length > 0 ? edit->text[length - 1] == '\n'
                             : start == 0 || source->bytes[start - 1] == '\n');
    return line_at(source, whole ? stop - 1 : stop) + 1;
}

/* One run of lines that are replaced, with the edits [i, result) that touch them. */
static uint32_t add_change(const FixedFile *file, uint32_t i, uint32_t *from, uint32_t *to,
                           Hunk *hunk)
{
    const Source *source = file->source;
    *from = line_at(source, file->edits.items[i].region.start);
    *to = *from + 1;
    uint32_t last = i;
    for (; last < file->edits.count && line_at(source, file->edits.items[last].region.start) < *to;
         last++) {
        uint32_t end = line_behind(source, &file->edits.items[last]);
        *to = end > *to ? end : *to;
    }
    uint32_t start = start_of(source, *from), stop = start_of(source, *to);
    Text edited = {0};
    add_kept(source, hunk->last + 1, *from, hunk);
    hunk->old_count += add_signed(&hunk->body, '-', source->bytes + start, stop - start);
    add_edited(file, start, stop, i, last, &edited);
    hunk->new_count += add_signed(&hunk->body, '+', text_string(&edited), edited.length);
    hunk->last = *to - 1;
    text_free(&edited);
    return last;
}

/* A line that names the file; odd names are quoted as git quotes them. */
static void add_name(Text *out, const char *signs, const char *side, const char *path)
{
    bool odd = false;
    for (const char *at = path; *at != '\0'; at++)
        odd = odd || (unsigned char)*at < ' ' || *at == '"' || *at == '\\' || *at == 0x7F;
    text_printf(out, "%s %s%s%s", signs, odd ? "\"" : "", side, path[0] == '/' ? "" : "/");
    for (const char *at = path; *at != '\0'; at++)
        if (odd && ((unsigned char)*at < ' ' || *at == '"' || *at == '\\' || *at == 0x7F))
            text_printf(out, "\\%03o", (unsigned char)*at);
        else
            text_putc(out, *at);
    text_puts(out, odd ? "\"\n" : "\n");
}

void fix_diff(const FixedFile *file, Text *out)
{
    const Source *source = file->source;
    uint32_t lines = lines_of(source);
    long moved = 0;
    add_name(out, "---", "a", source->path);
    add_name(out, "+++", "b", source->path);
    for (uint32_t i = 0; i < file->edits.count;) {
        uint32_t from, to, line = line_at(source, file->edits.items[i].region.start);
        Hunk hunk = {.first = line > CONTEXT ? line - CONTEXT : 1};
        hunk.last = hunk.first - 1;
        do {
            i = add_change(file, i, &from, &to, &hunk);
        } while (i < file->edits.count &&
                 line_at(source, file->edits.items[i].region.start) <= hunk.last + 2 * CONTEXT);
        uint32_t end = hunk.last + CONTEXT < lines ? hunk.last + CONTEXT : lines;
        add_kept(source, hunk.last + 1, end + 1, &hunk);
        text_printf(out, "@@ -%u,%u +%u,%u @@\n", (unsigned)hunk.first, (unsigned)hunk.old_count,
                    (unsigned)(hunk.first + moved), (unsigned)hunk.new_count);
        text_add(out, text_string(&hunk.body), hunk.body.length);
        moved += (long)hunk.new_count - (long)hunk.old_count;
        text_free(&hunk.body);
    }
}
