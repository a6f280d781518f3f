#include "analyzer/report/line_hash.h"

#include "analyzer/report/escape.h"

#include <stdlib.h>

/* h = 37 h + c - 37^100 c_leaving modulo 2^64 over a window of 100 UTF-16 units that starts with
 * the line. Blanks and tabs do not count, CR and CRLF count as LF, 65535 ends the file and zeros
 * follow. */
enum { BLOCK = 100, FACTOR = 37, END_OF_FILE = 65535 };

typedef struct Rolling {
    Arena *arena;
    uint16_t window[BLOCK];
    uint32_t line_at[BLOCK]; /* line that starts at this place of the window, from 1; 0 none */
    uint32_t index, line;
    uint64_t hash, leaving_factor;
    bool line_start, after_cr;
    LIST(LineHash) lines;
} Rolling;

static void update(Rolling *rolling, uint16_t unit)
{
    uint16_t leaving = rolling->window[rolling->index];
    rolling->window[rolling->index] = unit;
    rolling->hash = FACTOR * rolling->hash + unit - rolling->leaving_factor * leaving;
    rolling->index = (rolling->index + 1) % BLOCK;
}

static void put_out(Rolling *rolling)
{
    if (rolling->line_at[rolling->index] == 0)
        return;
    rolling->line_at[rolling->index] = 0;
    LIST_PUSH(rolling->arena, &rolling->lines, (LineHash){rolling->hash, 0});
}

static void take(Rolling *rolling, uint16_t unit)
{
    if (unit == ' ' || unit == '\t' || (rolling->after_cr && unit == '\n')) {
        rolling->after_cr = false;
        return;
    }
    rolling->after_cr = unit == '\r';
    if (unit == '\r')
        unit = '\n';
    put_out(rolling);
    if (rolling->line_start)
        rolling->line_at[rolling->index] = ++rolling->line;
    rolling->line_start = unit == '\n';
    update(rolling, unit);
}

static void take_code(Rolling *rolling, uint32_t code)
{
    if (code >= 0x10000) {
        take(rolling, (uint16_t)(0xD800 + ((code - 0x10000) >> 10)));
        take(rolling, (uint16_t)(0xDC00 + ((code - 0x10000) & 0x3FF)));
    } else {
        take(rolling, (uint16_t)code);
    }
}

static int compare(const void *left, const void *right)
{
    const LineHash *a = *(LineHash *const *)left, *b = *(LineHash *const *)right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a > b) - (a < b);
}

static void count_equals(Rolling *rolling)
{
    uint32_t count = rolling->lines.count;
    LineHash **order = arena_alloc(rolling->arena, (count + 1) * sizeof(LineHash *));
    for (uint32_t i = 0; i < count; i++)
        order[i] = &rolling->lines.items[i];
    qsort(order, count, sizeof *order, compare);
    for (uint32_t i = 0; i < count; i++)
        order[i]->count = i > 0 && order[i - 1]->hash == order[i]->hash ? order[i - 1]->count + 1
                                                                        : 1;
}

LineHash *line_hashes(Arena *arena, const Source *source, uint32_t *line_count)
{
    Rolling rolling = {.arena = arena, .line_start = true, .leaving_factor = 1};
    for (int i = 0; i < BLOCK; i++)
        rolling.leaving_factor *= FACTOR;
    for (size_t at = 0; at < source->size;) {
        uint32_t code;
        bool valid;
        at += utf8_next(source->bytes + at, source->size - at, &code, &valid);
        take_code(&rolling, code);
    }
    take(&rolling, END_OF_FILE);
    for (int i = 0; i < BLOCK; i++) {
        put_out(&rolling);
        update(&rolling, 0);
    }
    count_equals(&rolling);
    *line_count = rolling.lines.count;
    return rolling.lines.items;
}
