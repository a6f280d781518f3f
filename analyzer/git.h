/* git as a program: asked without a shell, told to write nothing and to start nothing of the
 * repository's. */
#ifndef ANALYZER_GIT_H
#define ANALYZER_GIT_H

#include "analyzer/base/arena.h"
#include "analyzer/base/text.h"

/* What a hook's environment says about its repository is dropped, since the folder may lie in
 * another; GIT_INDEX_OF_HOOK keeps the index that a commit of some of the paths is made from. */
typedef enum GitIndex { GIT_INDEX_OF_FOLDER, GIT_INDEX_OF_HOOK } GitIndex;

/* Runs `git -C folder arguments…` (NULL at the end) and appends what it writes to `out`. Returns
 * its exit status, -1 if it could not be run. */
int git_run(Arena *arena, const char *folder, GitIndex index, const char *const *arguments,
            Text *out);

#endif
