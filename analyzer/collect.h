/* From the paths that were named to the files that are read: sorted, each once, with folders
 * walked. */
#ifndef ANALYZER_COLLECT_H
#define ANALYZER_COLLECT_H

#include "analyzer/tree/unit.h"

typedef struct CollectOptions {
    const char *const
        *excluded; /* patterns as in .gitignore, without negation; they hold for named files too */
    uint32_t excluded_count;
    const char *exclude_root; /* folder that patterns with a slash are relative to: "" or "../" … */
} CollectOptions;

typedef struct Collected {
    LIST(const char *) files; /* sorted, as reported: without "./" */
    Notifications notes; /* paths that do not exist (SEVERITY_ERROR), folders without sources */
} Collected;

/* Everything lives in `arena`. Folders inside a git work tree are listed by git (which then must be
 * on the PATH), others are walked. A path "-" is passed through. */
void collect(Arena *arena, const char *const *paths, uint32_t path_count,
             const CollectOptions *options, Collected *collected);

/* Without "./", doubled and trailing slashes; "." for the current folder. */
const char *collect_tidy(Arena *arena, const char *path);

#endif
