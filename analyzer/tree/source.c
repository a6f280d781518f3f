#include "analyzer/tree/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void find_lines(Arena *arena, Source *source)
{
    uint32_t count = 1;
    for (const char *at = source->bytes, *end = at + source->size;
         (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        count++;
    source->line_start = arena_alloc(arena, (size_t)count * sizeof *source->line_start);
    source->line_count = 1;
    for (const char *at = source->bytes, *end = at + source->size;
         (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        source->line_start[source->line_count++] = (uint32_t)(at + 1 - source->bytes);
}

static Source *source_over(Arena *arena, const char *path, const char *bytes, size_t size)
{
    Source *source = arena_alloc(arena, sizeof *source);
    source->path = arena_strdup(arena, path);
    source->bytes = bytes;
    source->size = size;
    find_lines(arena, source);
    return source;
}

Source *source_from(Arena *arena, const char *path, const char *bytes, size_t size)
{
    return source_over(arena, path, arena_strndup(arena, bytes, size), size);
}

/* All of an open file; its size may differ from what stat said (a file that grows, /proc). */
static const char *read_all(Arena *arena, int file, size_t size, size_t *got)
{
    char *bytes = arena_alloc(arena, size + 1);
    *got = 0;
    while (*got < size) {
        ssize_t part = read(file, bytes + *got, size - *got);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return NULL;
        if (part == 0)
            break;
        *got += (size_t)part;
    }
    bytes[*got] = '\0';
    return bytes;
}

Source *source_read(Arena *arena, const char *path, const char **why)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *why = NULL;
    if (file < 0) {
        *why = errno == ENOENT   ? "no such file"
               : errno == EACCES ? "permission denied"
                                 : "cannot be opened";
        return NULL;
    }
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        *why = S_ISDIR(about.st_mode) ? "is a folder" : "is not a regular file";
    else if (about.st_size > SOURCE_LARGEST)
        *why = "is larger than 64 MiB";
    size_t size = 0;
    const char *bytes = *why == NULL ? read_all(arena, file, (size_t)about.st_size, &size) : NULL;
    close(file);
    if (*why == NULL && bytes == NULL)
        *why = "cannot be read";
    return *why == NULL ? source_over(arena, path, bytes, size) : NULL;
}

SourcePosition source_position(const Source *source, uint32_t offset)
{
    if (offset > source->size)
        offset = (uint32_t)source->size;
    uint32_t low = 0, high = source->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->line_start[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return (SourcePosition){low + 1, offset - source->line_start[low] + 1};
}

/* The cell that holds byte `offset`; NULL in front of the first. */
static const SourceCell *cell_of(const Notebook *notebook, uint32_t offset)
{
    uint32_t low = 0, high = notebook->cell_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (notebook->cells[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &notebook->cells[low - 1] : NULL;
}

const Source *source_file(const Source *source)
{
    return source->notebook != NULL ? source->notebook->file : source;
}

SourcePlace source_place(const Source *source, uint32_t offset)
{
    const Notebook *notebook = source->notebook;
    if (offset > source->size)
        offset = (uint32_t)source->size;
    if (notebook == NULL)
        return (SourcePlace){.file = source_position(source, offset)};
    SourcePlace place = {.file = source_position(notebook->file, notebook->at[offset])};
    const SourceCell *cell = cell_of(notebook, offset);
    if (cell != NULL) {
        SourcePosition at = source_position(source, offset);
        place.cell = cell->number;
        place.in_cell.line = at.line - source_position(source, cell->start).line + 1;
        place.in_cell.column = at.column + cell->indent;
    }
    return place;
}

const char *source_line(const Source *source, uint32_t line, size_t *length)
{
    *length = 0;
    if (line == 0 || line > source->line_count)
        return NULL;
    uint32_t start = source->line_start[line - 1];
    uint32_t stop = line < source->line_count ? source->line_start[line] - 1
                                              : (uint32_t)source->size;
    if (stop > start && source->bytes[stop - 1] == '\r')
        stop--;
    *length = stop - start;
    return source->bytes + start;
}
