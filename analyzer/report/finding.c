#include "analyzer/report/finding.h"

#include "analyzer/base/text.h"
#include "analyzer/report/cell_edit.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

const char *severity_word(Severity severity)
{
    return severity == SEVERITY_ERROR ? "error" : severity == SEVERITY_WARNING ? "warning" : "note";
}

const char *verdict_word(Verdict verdict)
{
    switch (verdict) {
    case VERDICT_CONFIRMED:
        return "confirmed";
    case VERDICT_REFUTED:
        return "refuted";
    case VERDICT_INCONCLUSIVE:
        return "inconclusive";
    case VERDICT_NONE:
        break;
    }
    return "none";
}

static int compare(const void *left, const void *right)
{
    const Finding *a = left, *b = right;
    int order = strcmp(a->region.source->path, b->region.source->path);
    if (order == 0)
        order = (a->region.start > b->region.start) - (a->region.start < b->region.start);
    if (order == 0)
        order = strcmp(a->rule->id, b->rule->id);
    if (order == 0)
        order = (a->region.stop > b->region.stop) - (a->region.stop < b->region.stop);
    return order != 0 ? order : strcmp(a->message, b->message);
}

static bool same_place(const Finding *a, const Finding *b)
{
    return a->rule == b->rule && a->region.start == b->region.start &&
           strcmp(a->region.source->path, b->region.source->path) == 0;
}

/* Of two findings of one rule at one place the graver one stays; of equals, the first. */
static void drop_twins(Findings *findings)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < findings->count; i++) {
        Finding *finding = &findings->items[i];
        Finding *last = kept > 0 ? &findings->items[kept - 1] : NULL;
        if (last == NULL || !same_place(last, finding))
            findings->items[kept++] = *finding;
        else if (finding->predicted > last->predicted && finding->severity >= last->severity)
            *last = *finding;
    }
    findings->count = kept;
}

/* The text of the region's lines without white space: an indentation that changes is no new
 * finding. */
static void normalised_text(const Region *region, Text *out)
{
    const Source *source = region->source;
    uint32_t first = source_position(source, region->start).line;
    uint32_t last = source_position(source, region->stop).line;
    for (uint32_t line = first; line <= last; line++) {
        size_t length;
        const char *bytes = source_line(source, line, &length);
        for (size_t i = 0; i < length; i++)
            if ((unsigned char)bytes[i] > ' ')
                text_putc(out, bytes[i]);
    }
}

static uint64_t fingerprint(const Finding *finding, uint32_t ordinal)
{
    Text text = {0};
    text_printf(&text, "%s\n%s\n%s\n", finding->rule->id, finding->region.source->path,
                finding->function != NULL ? finding->function : "");
    normalised_text(&finding->region, &text);
    uint64_t hash = XXH64(text.bytes, text.length, ordinal);
    text_free(&text);
    return hash;
}

static int compare_prints(const void *left, const void *right)
{
    const Finding *a = *(Finding *const *)left, *b = *(Finding *const *)right;
    if (a->fingerprint != b->fingerprint)
        return a->fingerprint < b->fingerprint ? -1 : 1;
    return (a > b) - (a < b);
}

/* Findings that agree in everything the fingerprint is made of are told apart by their order in the
 * file. */
static void set_fingerprints(Findings *findings, Arena *arena)
{
    Finding **order = arena_alloc(arena, findings->count * sizeof(Finding *));
    for (uint32_t i = 0; i < findings->count; i++) {
        order[i] = &findings->items[i];
        order[i]->fingerprint = fingerprint(order[i], 0);
    }
    if (findings->count > 0)
        qsort(order, findings->count, sizeof *order, compare_prints);
    uint64_t last = 0;
    for (uint32_t i = 0, ordinal = 0; i < findings->count; i++) {
        uint64_t own = order[i]->fingerprint;
        ordinal = i > 0 && own == last ? ordinal + 1 : 0;
        last = own;
        if (ordinal > 0)
            order[i]->fingerprint = fingerprint(order[i], ordinal);
    }
}

void findings_finish(Findings *findings, Arena *arena)
{
    if (findings->count > 0)
        qsort(findings->items, findings->count, sizeof *findings->items, compare);
    drop_twins(findings);
    for (uint32_t i = 0; i < findings->count; i++)
        for (uint32_t j = 0; j < findings->items[i].fixes.count; j++)
            cell_edit_fix(arena, &findings->items[i].fixes.items[j]);
    set_fingerprints(findings, arena);
}
