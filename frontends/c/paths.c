#include "frontends/c/paths.h"

#include <string.h>

const char *path_clean(Arena *arena, const char *path)
{
    size_t length = strlen(path), out = 0, kept = 0; /* kept: parts that ".." can take away */
    char *clean = arena_alloc(arena, length + 2);
    bool absolute = path[0] == '/';
    if (absolute)
        clean[out++] = '/';
    for (size_t at = 0; at < length;) {
        size_t part = strcspn(path + at, "/");
        bool up = part == 2 && path[at] == '.' && path[at + 1] == '.';
        if (up && kept > 0) {
            while (out > 0 && clean[out - 1] != '/')
                out--;
            if (out > 1)
                out--;
            kept--;
        } else if (part > 0 && !(part == 1 && path[at] == '.') && !(up && absolute)) {
            if (out > 0 && clean[out - 1] != '/')
                clean[out++] = '/';
            memcpy(clean + out, path + at, part);
            out += part;
            kept += !up;
        }
        at += part + 1;
    }
    /* "a/.." leaves nothing, or the slash in front of what went */
    if (out == 0)
        clean[out++] = '.';
    clean[out] = '\0';
    return clean;
}

const char *path_join(Arena *arena, const char *folder, const char *path)
{
    return path[0] == '/' ? path_clean(arena, path)
                          : path_clean(arena, arena_printf(arena, "%s/%s", folder, path));
}

const char *path_folder(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return ".";
    return slash == path ? "/" : arena_strndup(arena, path, (size_t)(slash - path));
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool path_inside(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    if (length == 1 && folder[0] == '/')
        return path[0] == '/';
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}
