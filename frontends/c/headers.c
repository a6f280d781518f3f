#include "frontends/c/headers.h"

#include "frontends/c/paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct Headers {
    Arena *arena;
    LIST(const char *) paths; /* sorted by base name, then path */
};

enum { FOLDERS_DEEP = 64 };

static bool is_header(const char *name)
{
    static const char *const suffixes[] = {".h", ".hpp", ".hh", ".hxx", ".inc", ".def", ".c"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot != NULL && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(dot, suffixes[i]) == 0)
            return true;
    return false;
}

static void walk(Headers *headers, const char *folder, int depth)
{
    DIR *open = depth < FOLDERS_DEEP ? opendir(folder) : NULL;
    if (open == NULL)
        return;
    for (struct dirent *entry;
         (entry = readdir(open)) != NULL && headers->paths.count < HEADERS_MOST;) {
        struct stat about;
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "node_modules") == 0 ||
            fstatat(dirfd(open), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        const char *path = arena_printf(headers->arena, "%s/%s",
                                        strcmp(folder, "/") == 0 ? "" : folder, entry->d_name);
        if (S_ISDIR(about.st_mode))
            walk(headers, path, depth + 1);
        else if (S_ISREG(about.st_mode) && is_header(entry->d_name))
            LIST_PUSH(headers->arena, &headers->paths, path);
    }
    closedir(open);
}

static int by_base(const void *left, const void *right)
{
    const char *a = *(const char *const *)left, *b = *(const char *const *)right;
    int order = strcmp(path_base(a), path_base(b));
    return order != 0 ? order : strcmp(a, b);
}

Headers *headers_new(Arena *arena, const char *const *folders, uint32_t count)
{
    Headers *headers = arena_alloc(arena, sizeof *headers);
    headers->arena = arena;
    for (uint32_t i = 0; i < count; i++) {
        bool again = false;
        for (uint32_t k = 0; k < count; k++)
            again |= path_inside(folders[i], folders[k]) &&
                     (strlen(folders[k]) < strlen(folders[i]) ||
                      (k < i && strcmp(folders[k], folders[i]) == 0));
        if (!again)
            walk(headers, folders[i], 0);
    }
    if (headers->paths.count > 1)
        qsort(headers->paths.items, headers->paths.count, sizeof *headers->paths.items, by_base);
    return headers;
}

static uint32_t first_of(const Headers *headers, const char *base)
{
    uint32_t low = 0, high = headers->paths.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(path_base(headers->paths.items[middle]), base) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Length of the folders both paths start with. */
static size_t common(const char *left, const char *right)
{
    size_t length = 0;
    for (size_t i = 0; left[i] != '\0' && left[i] == right[i]; i++)
        if (left[i] == '/')
            length = i + 1;
    return length;
}

static bool ends_with(const char *path, const char *name)
{
    size_t length = strlen(path), tail = strlen(name);
    return length > tail && path[length - tail - 1] == '/' &&
           strcmp(path + length - tail, name) == 0;
}

const char *headers_folder_of(const Headers *headers, Arena *arena, const char *name,
                              const char *from)
{
    const char *best = NULL;
    size_t best_common = 0;
    name = path_clean(arena, name);
    for (uint32_t i = first_of(headers, path_base(name));
         i < headers->paths.count &&
         strcmp(path_base(headers->paths.items[i]), path_base(name)) == 0;
         i++) {
        const char *path = headers->paths.items[i];
        size_t shared = common(path, from);
        bool nearer = best == NULL || shared > best_common ||
                      (shared == best_common && strlen(path) < strlen(best));
        if (ends_with(path, name) && nearer) {
            best = path;
            best_common = shared;
        }
    }
    return best != NULL ? arena_strndup(arena, best, strlen(best) - strlen(name) - 1) : NULL;
}
