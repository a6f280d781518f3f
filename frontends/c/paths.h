/* Paths as text: clean, absolute, reported. Nothing here looks at the file system but
 * paths_folder_of_root. */
#ifndef FRONTENDS_C_PATHS_H
#define FRONTENDS_C_PATHS_H

#include "analyzer/base/arena.h"

#include <stdbool.h>

/* Without "." and "x/.." parts and double slashes; "." for nothing. */
const char *path_clean(Arena *arena, const char *path);

/* `path` seen from `folder`, cleaned; absolute paths stay. */
const char *path_join(Arena *arena, const char *folder, const char *path);

/* What stands in front of the last '/'; "." if there is none. */
const char *path_folder(Arena *arena, const char *path);

const char *path_base(const char *path);

/* Whether `path` lies in `folder` or is it; both absolute and clean. */
bool path_inside(const char *path, const char *folder);

#endif
