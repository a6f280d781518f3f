#include "analyzer/git.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The environment without what a hook sets for its own repository; git must write nothing (no index
 * refresh). */
static char **git_environment(Arena *arena, GitIndex index)
{
    static const char *const dropped[] = {"GIT_DIR=", "GIT_WORK_TREE=", "GIT_PREFIX=",
                                          "GIT_INDEX_FILE="}; /* the last one is the index */
    size_t drops = sizeof dropped / sizeof *dropped - (index == GIT_INDEX_OF_HOOK);
    LIST(char *) kept = {0};
    for (char **at = environ; *at != NULL; at++) {
        bool drop = false;
        for (size_t i = 0; i < drops; i++)
            drop = drop || strncmp(*at, dropped[i], strlen(dropped[i])) == 0;
        if (!drop)
            LIST_PUSH(arena, &kept, *at);
    }
    LIST_PUSH(arena, &kept, arena_strdup(arena, "GIT_OPTIONAL_LOCKS=0"));
    LIST_PUSH(arena, &kept, NULL);
    return kept.items;
}

static bool read_pipe(int pipe_end, Text *out)
{
    char part[65536];
    for (;;) {
        ssize_t got = read(pipe_end, part, sizeof part);
        if (got > 0)
            text_add(out, part, (size_t)got);
        else if (got == 0)
            return true;
        else if (errno != EINTR)
            return false;
    }
}

/* `git`, what keeps it from harm, and the arguments. fsmonitor is off because it names a program of
 * the repository's. */
static const char *const *git_arguments(Arena *arena, const char *folder,
                                        const char *const *arguments)
{
    LIST(const char *) all = {0};
    const char *const first[] = {"git", "-c",  "core.fsmonitor=false", "-c", "core.quotePath=false",
                                 "-C",  folder};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        LIST_PUSH(arena, &all, first[i]);
    for (; *arguments != NULL; arguments++)
        LIST_PUSH(arena, &all, *arguments);
    LIST_PUSH(arena, &all, NULL);
    return all.items;
}

int git_run(Arena *arena, const char *folder, GitIndex index, const char *const *arguments,
            Text *out)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child;
    bool good = posix_spawnp(&child, "git", &actions, NULL,
                             (char *const *)git_arguments(arena, folder, arguments),
                             git_environment(arena, index)) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    bool whole = good && read_pipe(ends[0], out);
    close(ends[0]);
    int status = 0;
    if (good)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    return whole && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
