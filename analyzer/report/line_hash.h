/* GitHub's primaryLocationLineHash: what its code scanning tells alerts apart by when lines move. A
 * value that is not the one its own uploader computes draws a warning for each result. */
#ifndef ANALYZER_REPORT_LINE_HASH_H
#define ANALYZER_REPORT_LINE_HASH_H

#include "analyzer/tree/source.h"

typedef struct LineHash {
    uint64_t hash;
    uint32_t count; /* how often this hash came up to this line */
} LineHash;

/* The hash of each line, [0 .. *line_count), in `arena`. Lines end at LF, CRLF and CR here, as they
 * do there. */
LineHash *line_hashes(Arena *arena, const Source *source, uint32_t *line_count);

#endif
