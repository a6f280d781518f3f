#include "analyzer/collect.h"

#include "analyzer/base/text.h"
#include "analyzer/frontend.h"
#include "analyzer/git.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST_FOLDER = 128, DEEPEST_REPOSITORY = 8 };

typedef struct Walk {
    Arena *arena;
    const CollectOptions *options;
    Collected *collected;
    const char *root;    /* of the named folder: its real path, with a slash behind it */
    const char *working; /* the current folder, with a slash behind it */
    uint32_t taken;      /* sources found, excluded ones too */
    int repositories;    /* nested ones that are open */
} Walk;

static void note(Walk *walk, Severity level, const char *path, const char *message)
{
    LIST_PUSH(walk->arena, &walk->collected->notes, (Notification){level, path, 0, message});
}

const char *collect_tidy(Arena *arena, const char *path)
{
    char *tidy = arena_alloc(arena, strlen(path) + 2), *out = tidy;
    const char *at = path;
    if (*at == '/')
        *out++ = '/';
    while (*at != '\0') {
        at += strspn(at, "/");
        size_t length = strcspn(at, "/");
        if (length > 0 && !(length == 1 && at[0] == '.')) {
            if (out > tidy && out[-1] != '/')
                *out++ = '/';
            memcpy(out, at, length);
            out += length;
        }
        at += length;
    }
    if (out == tidy)
        *out++ = '.';
    *out = '\0';
    return tidy;
}

/* ---- what is left out ---- */

static bool any_part_matches(const char *pattern, size_t length, const char *path)
{
    char part[NAME_MAX + 1], name[NAME_MAX + 1];
    if (length > NAME_MAX)
        return false;
    memcpy(name, pattern, length);
    name[length] = '\0';
    for (const char *at = path; *at != '\0';) {
        at += strspn(at, "/");
        size_t size = strcspn(at, "/");
        if (size > 0 && size <= NAME_MAX) {
            memcpy(part, at, size);
            part[size] = '\0';
            if (fnmatch(name, part, 0) == 0)
                return true;
        }
        at += size;
    }
    return false;
}

/* A pattern with a slash inside stands for a path from the root, or for everything below it; one
 * without for a name anywhere. `*` crosses slashes, so `**` needs no care but in front. */
static bool pattern_matches(Arena *arena, const char *pattern, const char *path)
{
    while (pattern[0] == '.' && pattern[1] == '/')
        pattern += 2;
    size_t length = strlen(pattern);
    while (length > 0 && pattern[length - 1] == '/')
        length--;
    if (memchr(pattern, '/', length) == NULL)
        return any_part_matches(pattern, length, path);
    const char *whole = arena_strndup(arena, pattern, length);
    whole += *whole == '/';
    if (fnmatch(whole, path, 0) == 0 || fnmatch(arena_printf(arena, "%s/*", whole), path, 0) == 0)
        return true;
    return strncmp(whole, "**/", 3) == 0 && pattern_matches(arena, whole + 3, path);
}

static bool is_excluded(Walk *walk, const char *path)
{
    const CollectOptions *options = walk->options;
    if (options->excluded_count == 0)
        return false;
    const char *whole = path[0] == '/' ? path
                                       : arena_printf(walk->arena, "%s%s", walk->working, path);
    size_t root = strlen(options->exclude_root);
    if (root > 0 && strncmp(whole, options->exclude_root, root) == 0)
        whole += root;
    else if (root == 0)
        whole = path;
    for (uint32_t i = 0; i < options->excluded_count; i++)
        if (pattern_matches(walk->arena, options->excluded[i], whole))
            return true;
    return false;
}

static bool starts_with(const char *name, size_t length, const char *prefix)
{
    size_t size = strlen(prefix);
    return length >= size && memcmp(name, prefix, size) == 0;
}

static bool is_named(const char *name, size_t length, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strlen(*names) == length && memcmp(name, *names, length) == 0)
            return true;
    return false;
}

/* A folder that nobody writes by hand. What git tracks is written by hand even in a folder called
 * "build". */
static bool name_is_left_out(const char *name, size_t length, bool tracked)
{
    static const char *const always[] = {"node_modules", "__pycache__", "site-packages", NULL};
    static const char *const built[] = {"build", "_build", "dist", "target", NULL};
    if (name[0] == '.' || is_named(name, length, always))
        return true;
    return !tracked &&
           (is_named(name, length, built) || starts_with(name, length, "build-") ||
            starts_with(name, length, "build_") || starts_with(name, length, "cmake-build"));
}

static bool holds(Walk *walk, const char *folder, const char *file)
{
    return access(arena_printf(walk->arena, "%s/%s", folder, file), F_OK) == 0;
}

static bool content_is_left_out(Walk *walk, const char *folder, bool tracked)
{
    return holds(walk, folder, "pyvenv.cfg") || (!tracked && holds(walk, folder, "CMakeCache.txt"));
}

/* ---- taking files ---- */

/* A link inside a folder is not followed: what it leads to is either in the folder anyway or was
 * not named. */
static void note_link(Walk *walk, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        if (frontend_for(path) != NULL)
            note(walk, SEVERITY_WARNING, path,
                 "a link that leads nowhere or in a circle; not read");
        return;
    }
    if (!S_ISDIR(about.st_mode) && frontend_for(path) == NULL)
        return;
    char *real = realpath(path, NULL);
    if (real == NULL || strncmp(real, walk->root, strlen(walk->root)) != 0)
        note(walk, SEVERITY_NOTE, path,
             "a link that leads out of the folder; name it to have it read");
    free(real);
}

static void take_file(Walk *walk, const char *path)
{
    walk->taken++;
    if (!is_excluded(walk, path))
        LIST_PUSH(walk->arena, &walk->collected->files, path);
}

static const char *joined(Arena *arena, const char *folder, const char *name)
{
    size_t length = strlen(folder);
    if (strcmp(folder, ".") == 0)
        return arena_strdup(arena, name);
    return arena_printf(arena, folder[length - 1] == '/' ? "%s%s" : "%s/%s", folder, name);
}

static void walk_folder(Walk *walk, const char *folder, int depth);
static bool list_by_git(Walk *walk, const char *folder);

static void walk_entry(Walk *walk, const char *folder, const char *name, int depth)
{
    struct stat about;
    const char *path = joined(walk->arena, folder, name);
    if (lstat(path, &about) != 0)
        return;
    if (S_ISLNK(about.st_mode)) {
        note_link(walk, path);
    } else if (S_ISREG(about.st_mode)) {
        if (frontend_for(path) != NULL)
            take_file(walk, path);
    } else if (S_ISDIR(about.st_mode) && !name_is_left_out(name, strlen(name), false) &&
               !content_is_left_out(walk, path, false) && !is_excluded(walk, path)) {
        if (!holds(walk, path, ".git") || !list_by_git(walk, path))
            walk_folder(walk, path, depth + 1);
    }
}

static void walk_folder(Walk *walk, const char *folder, int depth)
{
    if (depth > DEEPEST_FOLDER) {
        note(walk, SEVERITY_WARNING, folder,
             "folders are nested deeper than 128; not read from here on");
        return;
    }
    DIR *listing = opendir(folder);
    if (listing == NULL) {
        note(walk, SEVERITY_ERROR, folder,
             errno == EACCES ? "permission denied" : "the folder cannot be read");
        return;
    }
    /* Names first: an open folder on each level would run out of descriptors. */
    LIST(const char *) names = {0};
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            LIST_PUSH(walk->arena, &names, arena_strdup(walk->arena, entry->d_name));
    closedir(listing);
    for (uint32_t i = 0; i < names.count; i++)
        walk_entry(walk, folder, names.items[i], depth);
}

/* ---- git ---- */

/* Whether the folder lies in a work tree: looked up here, since asking git costs a process. */
static bool in_work_tree(Walk *walk, const char *folder)
{
    char *real = realpath(folder, NULL);
    bool found = false;
    while (real != NULL && !found) {
        found = holds(walk, real, ".git");
        char *slash = strrchr(real, '/');
        if (slash == NULL || real[1] == '\0')
            break;
        slash[slash == real ? 1 : 0] = '\0';
    }
    free(real);
    return found;
}

static bool git_lists(Walk *walk, const char *folder, Text *out)
{
    const char *const arguments[] = {"ls-files", "-co", "-t", "-z", "--exclude-standard", NULL};
    return git_run(walk->arena, folder, GIT_INDEX_OF_FOLDER, arguments, out) == 0;
}

static bool git_ignores(Walk *walk, const char *folder)
{
    const char *const arguments[] = {"check-ignore", "-q", ".", NULL};
    Text nothing = {0};
    bool ignored = git_run(walk->arena, folder, GIT_INDEX_OF_FOLDER, arguments, &nothing) == 0;
    text_free(&nothing);
    return ignored;
}

/* The folders of a listed file below the named one: whether one of them is left out. */
static bool folders_are_left_out(Walk *walk, const char *folder, const char *name, bool tracked)
{
    for (const char *at = name, *slash; (slash = strchr(at, '/')) != NULL; at = slash + 1) {
        if (name_is_left_out(at, (size_t)(slash - at), tracked))
            return true;
        const char *part = arena_strndup(walk->arena, name, (size_t)(slash - name));
        if (content_is_left_out(walk, joined(walk->arena, folder, part), tracked))
            return true;
    }
    return false;
}

/* Whether the folders of `name` are left out, remembered for the next name: listings come folder by
 * folder. */
typedef struct LastFolder {
    const char *name; /* up to the last slash */
    size_t length;
    bool tracked, left_out;
} LastFolder;

static bool listed_is_left_out(Walk *walk, const char *folder, const char *name, bool tracked,
                               LastFolder *last)
{
    const char *slash = strrchr(name, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - name) + 1;
    if (last->name == NULL || last->length != length || last->tracked != tracked ||
        memcmp(last->name, name, length) != 0)
        *last =
            (LastFolder){name, length, tracked, folders_are_left_out(walk, folder, name, tracked)};
    return last->left_out;
}

static void take_listed(Walk *walk, const char *folder, const char *name, bool tracked,
                        LastFolder *last)
{
    struct stat about;
    const char *path = collect_tidy(walk->arena, joined(walk->arena, folder, name));
    if (lstat(path, &about) != 0 || listed_is_left_out(walk, folder, name, tracked, last))
        return;
    if (S_ISLNK(about.st_mode))
        note_link(walk, path);
    else if (S_ISREG(about.st_mode) && frontend_for(path) != NULL)
        take_file(walk, path);
    else if (S_ISDIR(about.st_mode) && !is_excluded(walk, path) && !list_by_git(walk, path))
        walk_folder(walk, path, 0);
}

/* Lists a folder of a work tree by git. false: git does not know it, or ignores it as a whole: walk
 * it instead. */
static bool list_by_git(Walk *walk, const char *folder)
{
    Text listing = {0};
    bool good = walk->repositories < DEEPEST_REPOSITORY && git_lists(walk, folder, &listing);
    LastFolder last = {0};
    walk->repositories++;
    for (size_t at = 0; good && at < listing.length; at += strlen(listing.bytes + at) + 1) {
        const char *entry = listing.bytes + at;
        if (strlen(entry) > 2)
            take_listed(walk, folder, entry + 2, entry[0] != '?', &last);
    }
    walk->repositories--;
    good = good && (listing.length > 0 || !git_ignores(walk, folder));
    text_free(&listing);
    return good;
}

/* ---- the paths that were named ---- */

static void collect_folder(Walk *walk, const char *folder)
{
    char *real = realpath(folder, NULL);
    walk->root = real != NULL ? arena_printf(walk->arena, "%s/", real) : "/";
    free(real);
    walk->taken = 0;
    if (!in_work_tree(walk, folder) || !list_by_git(walk, folder))
        walk_folder(walk, folder, 0);
    if (walk->taken == 0)
        note(walk, SEVERITY_WARNING, folder, "no C or Python files in this folder");
}

static void collect_path(Walk *walk, const char *named)
{
    struct stat about;
    const char *path = collect_tidy(walk->arena, named);
    if (strcmp(named, "-") == 0)
        LIST_PUSH(walk->arena, &walk->collected->files, named);
    else if (*named == '\0' || stat(named, &about) != 0)
        note(walk, SEVERITY_ERROR, *named == '\0' ? "''" : path,
             errno == EACCES  ? "permission denied"
             : errno == ELOOP ? "a link that leads in a circle"
                              : "no such file or folder");
    else if (S_ISDIR(about.st_mode))
        collect_folder(walk, path);
    else
        take_file(walk, path);
}

static int compare_paths(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void collect(Arena *arena, const char *const *paths, uint32_t path_count,
             const CollectOptions *options, Collected *collected)
{
    char *working = realpath(".", NULL);
    Walk walk = {
        .arena = arena,
        .options = options,
        .collected = collected,
        .working = working != NULL ? arena_printf(arena, "%s/", working) : "",
    };
    free(working);
    for (uint32_t i = 0; i < path_count; i++)
        collect_path(&walk, paths[i]);
    if (collected->files.count > 0)
        qsort(collected->files.items, collected->files.count, sizeof(const char *), compare_paths);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < collected->files.count; i++)
        if (kept == 0 || strcmp(collected->files.items[kept - 1], collected->files.items[i]) != 0)
            collected->files.items[kept++] = collected->files.items[i];
    collected->files.count = kept;
}
