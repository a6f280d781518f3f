#include "analyzer/changed.h"

#include "analyzer/git.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Lines {
    const char *path; /* real path */
    uint32_t first, last;
} Lines;

typedef struct Changed {
    Arena *arena;
    LIST(Lines) lines;
    const char *last_path, *last_real; /* of the last look-up */
} Changed;

/* A name as a patch has it: up to the tab or line end, in quotes with escapes where it is odd. */
static const char *name_of(Arena *arena, const char *at, size_t length)
{
    static const char letters[] = "abtnvfr", meant[] = "\a\b\t\n\v\f\r";
    Text name = {0};
    bool quoted = length > 0 && at[0] == '"';
    for (size_t i = quoted ? 1 : 0; i < length && at[i] != '\t' && !(quoted && at[i] == '"'); i++) {
        char c = at[i];
        if (quoted && c == '\\' && i + 3 < length && at[i + 1] >= '0' && at[i + 1] <= '3') {
            c = (char)((at[i + 1] - '0') * 64 + (at[i + 2] - '0') * 8 + (at[i + 3] - '0'));
            i += 3;
        } else if (quoted && c == '\\' && i + 1 < length) {
            const char *letter = strchr(letters, at[++i]);
            c = letter != NULL && *letter != '\0' ? meant[letter - letters] : at[i];
        }
        text_putc(&name, c);
    }
    const char *kept = arena_strndup(arena, text_string(&name), name.length);
    text_free(&name);
    return kept;
}

/* "@@ -a,b +c,d @@": the lines [c, c + d) are new. */
static void take_hunk(Changed *changed, const char *path, const char *header)
{
    const char *plus = strchr(header, '+');
    char *end;
    if (path == NULL || plus == NULL)
        return;
    unsigned long first = strtoul(plus + 1, &end, 10), count = 1;
    if (*end == ',')
        count = strtoul(end + 1, NULL, 10);
    if (count > 0)
        LIST_PUSH(changed->arena, &changed->lines,
                  (Lines){path, (uint32_t)first, (uint32_t)(first + count - 1)});
}

/* With no context lines every line of a hunk starts with + or -: a header is not mistaken for one
 * while the counted lines of the hunk are passed over. */
static void read_patch(Changed *changed, const char *top, const char *patch)
{
    const char *path = NULL;
    unsigned long left = 0;
    for (const char *at = patch; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        if (left > 0 && (*at == '+' || *at == '-')) {
            left--;
        } else if (strncmp(at, "+++ ", 4) == 0) {
            path = arena_printf(changed->arena, "%s/%s", top,
                                name_of(changed->arena, at + 4, length - 4));
        } else if (strncmp(at, "@@ -", 4) == 0) {
            char *end;
            (void)strtoul(at + 4, &end, 10);
            left = *end == ',' ? strtoul(end + 1, &end, 10) : 1;
            (void)strtoul(end + 2, &end, 10);
            left += *end == ',' ? strtoul(end + 1, NULL, 10) : 1;
            take_hunk(changed, path, at);
        }
        at += length + (at[length] == '\n');
    }
}

static void read_untracked(Changed *changed, const char *top, const Text *listing)
{
    for (size_t at = 0; at < listing->length; at += strlen(listing->bytes + at) + 1)
        LIST_PUSH(changed->arena, &changed->lines,
                  (Lines){arena_printf(changed->arena, "%s/%s", top, listing->bytes + at), 1,
                          UINT32_MAX});
}

static bool touches(Changed *changed, const Region *region)
{
    const Source *source = region->source;
    if (changed->last_path == NULL || strcmp(changed->last_path, source->path) != 0) {
        char *real = realpath(source->path, NULL);
        changed->last_path = source->path;
        changed->last_real = arena_strdup(changed->arena, real != NULL ? real : source->path);
        free(real);
    }
    uint32_t first = source_place(source, region->start).file.line,
             last = source_place(source, region->stop).file.line;
    for (uint32_t i = 0; i < changed->lines.count; i++) {
        const Lines *lines = &changed->lines.items[i];
        if (first <= lines->last && last >= lines->first &&
            strcmp(lines->path, changed->last_real) == 0)
            return true;
    }
    return false;
}

/* The line a step of the way starts on: its loop goes on over lines that say nothing about it. */
static bool step_touches(Changed *changed, const Region *region)
{
    const Region start = {region->source, region->start, region->start};
    return touches(changed, &start);
}

static bool finding_touches(Changed *changed, const Finding *finding)
{
    bool found = touches(changed, &finding->region);
    for (uint32_t i = 0; !found && i < finding->trace.count; i++)
        found = step_touches(changed, &finding->trace.items[i].region);
    return found;
}

static const char *folder_of(Arena *arena, const char *start)
{
    struct stat about;
    const char *slash = strrchr(start, '/');
    if (stat(start, &about) == 0 && S_ISDIR(about.st_mode))
        return start;
    return slash == NULL ? "." : arena_strndup(arena, start, (size_t)(slash - start) + 1);
}

static bool ask_git(Changed *changed, const char *folder, const char *revision, Text *error)
{
    const char *const where[] = {"rev-parse", "--show-toplevel", NULL};
    const char *const what[] = {"diff",
                                "-U0",
                                "--no-color",
                                "--no-ext-diff",
                                "--no-textconv",
                                "--no-renames",
                                "--no-prefix",
                                revision != NULL ? revision : "--cached",
                                "--",
                                NULL};
    const char *const others[] = {"ls-files",           "-o", "-z", "--full-name",
                                  "--exclude-standard", ":/", NULL};
    Text top = {0}, patch = {0}, untracked = {0};
    bool good = git_run(changed->arena, folder, GIT_INDEX_OF_FOLDER, where, &top) == 0;
    if (!good)
        text_puts(error,
                  "--staged and --diff-base need the files to be in a git repository, and git");
    while (top.length > 0 && top.bytes[top.length - 1] == '\n')
        top.bytes[--top.length] = '\0';
    if (good && git_run(changed->arena, text_string(&top), GIT_INDEX_OF_HOOK, what, &patch) != 0) {
        text_printf(error, "git knows no revision '%s' to compare with",
                    revision != NULL ? revision : "HEAD");
        good = false;
    }
    const char *root = arena_strdup(changed->arena, text_string(&top));
    if (good)
        read_patch(changed, root, text_string(&patch));
    if (good && revision != NULL &&
        git_run(changed->arena, root, GIT_INDEX_OF_FOLDER, others, &untracked) == 0)
        read_untracked(changed, root, &untracked);
    text_free(&top);
    text_free(&patch);
    text_free(&untracked);
    return good;
}

bool changed_only(RunReport *report, Arena *arena, const char *start, const char *revision,
                  Text *error)
{
    Changed changed = {.arena = arena};
    if (revision != NULL && revision[0] == '-') {
        text_printf(error, "'%s' is no revision", revision);
        return false;
    }
    if (!ask_git(&changed, folder_of(arena, start), revision, error))
        return false;
    for (uint32_t i = 0; i < report->findings.count; i++) {
        Finding *finding = &report->findings.items[i];
        if (!finding->suppressed && !finding_touches(&changed, finding))
            finding->suppressed = finding->unchanged = true;
    }
    return true;
}
