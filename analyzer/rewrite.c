#include "analyzer/rewrite.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t part = write(file, bytes, length);
        if (part < 0 && errno != EINTR)
            return false;
        bytes += part > 0 ? part : 0;
        length -= part > 0 ? (size_t)part : 0;
    }
    return true;
}

/* Writes a file beside `real` and moves it over it: a run that is killed leaves the old file or the
 * new one. */
static const char *replace(Arena *arena, const char *real, const char *bytes, size_t length)
{
    struct stat about;
    char *draft = arena_printf(arena, "%s.XXXXXX", real);
    if (stat(real, &about) != 0)
        return "fixes were not written: the file is gone";
    if (access(real, W_OK) != 0)
        return "fixes were not written: the file is read-only";
    int file = mkstemp(draft);
    if (file < 0)
        return "fixes were not written: its folder cannot be written to";
    bool good = write_all(file, bytes, length) && fchmod(file, about.st_mode & 07777) == 0;
    good = close(file) == 0 && good;
    if (good && rename(draft, real) == 0)
        return NULL;
    (void)unlink(draft);
    return "fixes were not written: the disk is full, or the folder is not writable";
}

const char *rewrite_file(Arena *arena, const Source *source, const char *bytes, size_t length)
{
    const char *why;
    const Source *now = source_read(arena, source->path, &why);
    if (now == NULL || now->size != source->size ||
        memcmp(now->bytes, source->bytes, now->size) != 0)
        return "fixes were not written: the file changed while it was analysed; run again";
    char *real = realpath(source->path, NULL);
    why = real != NULL ? replace(arena, real, bytes, length)
                       : "fixes were not written: the file is gone";
    free(real);
    return why;
}
