/* The bytes of one file, its lines, and the path it is reported under. */
#ifndef ANALYZER_TREE_SOURCE_H
#define ANALYZER_TREE_SOURCE_H

#include "analyzer/base/arena.h"

typedef struct Source {
    const char *path;  /* as reported: what the user named, without "./" and with "/" */
    const char *bytes; /* NUL behind the last byte, which `size` does not count */
    size_t size;
    uint32_t *line_start; /* byte offset of each line, [0 .. line_count) */
    uint32_t line_count;
} Source;

typedef struct SourcePosition {
    uint32_t line, column; /* both from 1; columns in bytes */
} SourcePosition;

/* Reads a file whole; NULL with the reason in `why` (static text) if it cannot be read, is a
 * folder, or is larger than SOURCE_LARGEST bytes. */
enum { SOURCE_LARGEST = 64 * 1024 * 1024 };
Source *source_read(Arena *arena, const char *path, const char **why);

/* A source from bytes that are already there (copied). */
Source *source_from(Arena *arena, const char *path, const char *bytes, size_t size);

/* The position of byte `offset` (clamped to the size). */
SourcePosition source_position(const Source *source, uint32_t offset);

/* Line `line` (from 1) without its line end; NULL with length 0 past the end. */
const char *source_line(const Source *source, uint32_t line, size_t *length);

#endif
