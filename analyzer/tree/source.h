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
    const struct Notebook *notebook; /* where the bytes come from; NULL: they are the file */
} Source;

/* The code of one cell in the program that a notebook's cells form. */
typedef struct SourceCell {
    uint32_t number; /* from 1, cells of text count too */
    uint32_t start;  /* byte of the program at which it starts */
    uint32_t indent; /* columns that were taken from each of its lines */
} SourceCell;

/* How a program that was put together from the cells of a notebook lies in the notebook's file. */
typedef struct Notebook {
    const Source *file; /* as it is on the disk */
    const uint32_t *at; /* for each byte of the program, and its end: the byte of `file` at which it
                           is written; ascending */
    const SourceCell *cells;
    uint32_t cell_count;
} Notebook;

typedef struct SourcePosition {
    uint32_t line, column; /* both from 1; columns in bytes */
} SourcePosition;

/* Reads a file whole; NULL with the reason in `why` (static text) if it cannot be read, is a
 * folder, or is larger than SOURCE_LARGEST bytes. */
enum { SOURCE_LARGEST = 64 * 1024 * 1024 };
Source *source_read(Arena *arena, const char *path, const char **why);

/* A source from bytes that are already there (copied). */
Source *source_from(Arena *arena, const char *path, const char *bytes, size_t size);

/* The position of byte `offset` (clamped to the size). In a notebook, that in its program: what is
 * printed comes from source_place. */
SourcePosition source_position(const Source *source, uint32_t offset);

/* Where a reader finds byte `offset`: the position in the file; in a notebook, the cell and the
 * position in it too. */
typedef struct SourcePlace {
    SourcePosition file;
    uint32_t cell; /* 0: no notebook */
    SourcePosition in_cell;
} SourcePlace;
SourcePlace source_place(const Source *source, uint32_t offset);

/* What is on the disk: the notebook of a program of cells, else the source itself. */
const Source *source_file(const Source *source);

/* Line `line` (from 1) without its line end; NULL with length 0 past the end. */
const char *source_line(const Source *source, uint32_t line, size_t *length);

#endif
