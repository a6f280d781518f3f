/* From the bytes of a notebook to the program of its cells. */
#include "frontends/python/notebook.h"

#include "frontends/python/json.h"

#include <string.h>

typedef struct Cell {
    bool code, python;
    size_t text;   /* where its text is written: a text, or a list of texts, one a line; 0: none */
    uint32_t line; /* of the file */
} Cell;

typedef struct Reading {
    Unit *unit;
    Arena *scratch;
    const Source *file;
    Json json;
    LIST(Cell) cells;
    bool has_cells, python;
    /* the program */
    LIST(char) text;
    LIST(uint32_t) at;
    LIST(SourceCell) code;
} Reading;

bool notebook_named(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcmp(dot, ".ipynb") == 0;
}

static bool is_key(const char *key, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(key, word, length) == 0;
}

/* ---- what the file says ---- */

/* "python", "python3", "ipython": names that kernels give to the language. */
static bool says_python(Json *json)
{
    static const char *const names[] = {"python", "python3", "python2", "ipython", "ipython3"};
    if (json_peek(json) != '"') {
        json_skip(json);
        return true;
    }
    size_t at = json->at;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json->at = at;
        if (json_is(json, names[i]))
            return true;
    }
    return json->at - at == 2; /* an empty name says nothing */
}

/* The language that `outer.inner` names, if it names one. */
static void read_language(Json *json, const char *inner, bool *python)
{
    const char *key;
    size_t length;
    if (!json_open(json, '{'))
        return;
    for (bool first = true; json_member(json, &first, &key, &length);)
        if (is_key(key, length, inner))
            *python = says_python(json) && *python;
        else
            json_skip(json);
}

static void read_metadata(Json *json, bool *python)
{
    static const struct {
        const char *outer, *inner;
    } names[] = {{"kernelspec", "language"}, {"language_info", "name"}, {"vscode", "languageId"}};
    const char *key;
    size_t length;
    if (!json_open(json, '{'))
        return;
    for (bool first = true; json_member(json, &first, &key, &length);) {
        size_t i = 0;
        while (i < 3 && !is_key(key, length, names[i].outer))
            i++;
        if (i < 3)
            read_language(json, names[i].inner, python);
        else
            json_skip(json);
    }
}

/* A cell of any version: its text is `source`, in version 3 `input`. */
static void read_cell(Reading *reading)
{
    Json *json = &reading->json;
    Cell cell = {.python = true};
    const char *key;
    size_t length;
    (void)json_peek(json);
    cell.line = source_position(reading->file, (uint32_t)json->at).line;
    if (!json_open(json, '{'))
        return;
    for (bool first = true; json_member(json, &first, &key, &length);)
        if (is_key(key, length, "cell_type")) {
            cell.code = json_is(json, "code");
        } else if (is_key(key, length, "source") || is_key(key, length, "input")) {
            (void)json_peek(json);
            cell.text = json->at;
            json_skip(json);
        } else if (is_key(key, length, "language")) {
            cell.python = says_python(json) && cell.python;
        } else if (is_key(key, length, "metadata")) {
            read_metadata(json, &cell.python);
        } else {
            json_skip(json);
        }
    LIST_PUSH(reading->scratch, &reading->cells, cell);
}

static void read_cells(Reading *reading)
{
    reading->has_cells = true;
    if (json_open(&reading->json, '['))
        for (bool first = true; json_item(&reading->json, &first);)
            read_cell(reading);
}

/* Versions up to 3 keep the cells in worksheets, of which Jupyter shows the first. */
static void read_worksheets(Reading *reading)
{
    Json *json = &reading->json;
    const char *key;
    size_t length;
    if (!json_open(json, '['))
        return;
    for (bool first = true; json_item(json, &first);) {
        if (!json_open(json, '{'))
            continue;
        for (bool first_member = true; json_member(json, &first_member, &key, &length);)
            if (is_key(key, length, "cells"))
                read_cells(reading);
            else
                json_skip(json);
    }
}

static void read_notebook(Reading *reading)
{
    Json *json = &reading->json;
    const char *key;
    size_t length;
    reading->python = true;
    if (!json_open(json, '{'))
        return;
    for (bool first = true; json_member(json, &first, &key, &length);)
        if (is_key(key, length, "cells"))
            read_cells(reading);
        else if (is_key(key, length, "worksheets"))
            read_worksheets(reading);
        else if (is_key(key, length, "metadata"))
            read_metadata(json, &reading->python);
        else
            json_skip(json);
}

/* ---- the program ---- */

static void add_byte(Reading *reading, char byte, size_t at)
{
    LIST_PUSH(reading->scratch, &reading->text, byte);
    LIST_PUSH(reading->scratch, &reading->at, (uint32_t)at);
}

/* Returns the place of the closing quote. */
static size_t add_text(Reading *reading)
{
    JsonCharacter character;
    json_text_open(&reading->json);
    while (json_text_next(&reading->json, &character))
        for (int i = 0; i < character.size; i++)
            add_byte(reading, character.bytes[i], character.at);
    return character.at;
}

/* The text of a cell and a line end behind it, which is written at the end of its last line. */
static void add_cell_text(Reading *reading, const Cell *cell)
{
    Json *json = &reading->json;
    size_t end = cell->text;
    json->at = cell->text;
    if (json_peek(json) == '"') {
        end = add_text(reading);
    } else if (json_open(json, '[')) {
        for (bool first = true; json_item(json, &first);)
            if (json_peek(json) == '"')
                end = add_text(reading);
            else
                json_skip(json);
    }
    add_byte(reading, '\n', end);
}

static uint32_t blanks_at(const char *text, uint32_t at, uint32_t end)
{
    uint32_t start = at;
    while (at < end && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return at - start;
}

/* A cell may be indented as a whole. Takes the blanks of its first line of code from each of its
 * lines. */
static uint32_t dedent(Reading *reading, uint32_t start)
{
    char *text = reading->text.items;
    uint32_t count = reading->text.count, indent = 0, first = start, kept = start;
    while (first < count && text[first + (indent = blanks_at(text, first, count))] == '\n')
        first += indent + 1;
    if (first >= count || indent == 0)
        return 0;
    for (uint32_t at = start; at < count;) {
        uint32_t blanks = blanks_at(text, at, count);
        at += blanks < indent ? blanks : indent;
        for (bool more = true; more && at < count; at++, kept++) {
            more = text[at] != '\n';
            text[kept] = text[at];
            reading->at.items[kept] = reading->at.items[at];
        }
    }
    reading->text.count = reading->at.count = kept;
    return indent;
}

static void add_cell(Reading *reading, uint32_t number)
{
    const Cell *cell = &reading->cells.items[number - 1];
    uint32_t start = reading->text.count;
    if (!cell->code || !cell->python || cell->text == 0)
        return;
    add_cell_text(reading, cell);
    SourceCell code = {number, start, dedent(reading, start)};
    LIST_PUSH(reading->scratch, &reading->code, code);
    CellState state = magic_to_python(reading->text.items + start, reading->text.count - start);
    if (state == CELL_OPEN)
        unit_note(reading->unit, SEVERITY_ERROR, reading->file->path, cell->line,
                  "syntax error: cell %u is not analysed, since a bracket or a text in it is not "
                  "closed; the other cells are",
                  (unsigned)number);
}

static void *copied(Arena *arena, const void *items, size_t bytes)
{
    void *copy = arena_alloc(arena, bytes + 1);
    if (bytes > 0)
        memcpy(copy, items, bytes);
    return copy;
}

static Source *finish(Reading *reading)
{
    Arena *arena = reading->unit->arena;
    Notebook *notebook = arena_alloc(arena, sizeof *notebook);
    uint32_t last = reading->at.count > 0 ? reading->at.items[reading->at.count - 1] : 0;
    LIST_PUSH(reading->scratch, &reading->at, last);
    *notebook = (Notebook){
        .file = reading->file,
        .at = copied(arena, reading->at.items, reading->at.count * sizeof(uint32_t)),
        .cells = copied(arena, reading->code.items, reading->code.count * sizeof(SourceCell)),
        .cell_count = reading->code.count,
    };
    Source *program = source_from(arena, reading->file->path,
                                  reading->text.count > 0 ? reading->text.items : "",
                                  reading->text.count);
    program->notebook = notebook;
    return program;
}

static void note_broken(Reading *reading)
{
    const Json *json = &reading->json;
    SourcePosition at = source_position(reading->file, (uint32_t)json->at);
    if (json->wrong != NULL)
        unit_note(reading->unit, SEVERITY_ERROR, reading->file->path, at.line,
                  "not analysed: this notebook is broken: %s (column %u); save it anew from "
                  "Jupyter, or exclude it in the configuration",
                  json->wrong, (unsigned)at.column);
    else
        unit_note(reading->unit, SEVERITY_ERROR, reading->file->path, 0,
                  "not analysed: this is JSON, but no notebook: it has no cells; exclude it in the "
                  "configuration");
}

Source *notebook_program(Unit *unit)
{
    const Source *file = unit->files.items[0];
    Reading reading = {.unit = unit,
                       .scratch = arena_new(),
                       .file = file,
                       .json = {.bytes = file->bytes, .size = file->size}};
    Json *json = &reading.json;
    if (file->size >= 3 && memcmp(file->bytes, "\xEF\xBB\xBF", 3) == 0)
        json->at = 3;
    bool empty = json_peek(json) == '\0' && json->at >= json->size;
    if (!empty)
        read_notebook(&reading);
    if (!empty && json->wrong == NULL && json_peek(json) != '\0')
        json->wrong = "something stands behind its end";
    for (uint32_t i = 1; reading.python && json->wrong == NULL && i <= reading.cells.count; i++)
        add_cell(&reading, i);
    if (!empty && (json->wrong != NULL || !reading.has_cells)) {
        note_broken(&reading);
        reading.text.count = reading.at.count = reading.code.count = 0;
    }
    Source *program = finish(&reading);
    arena_free(reading.scratch);
    return program;
}
