#include "frontends/c/includes.h"
#include "frontends/c/paths.h"

#include "analyzer/base/intern.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { ROUNDS_MOST = 12, PATH_LONGEST = 4096, NESTED_MOST = 200, UNRESOLVED_MOST = 512 };

/* What is known of a path that was looked for. */
typedef struct Seen {
    bool looked, regular; /* regular: there is such a file */
    bool read;
    bool omp_operator; /* it has _Pragma("omp …") */
    bool asks;         /* it has __has_include */
    uint32_t walk;     /* the last walk that came by */
    LIST(ScanInclude) includes;
    Flags switches;
} Seen;

struct Includes {
    Arena *arena;
    Intern *paths;
    LIST(Seen) seen; /* by Name in paths */
    uint32_t walk;
};

typedef struct Walk {
    Parse *parse;
    Includes *includes;
    Flags search; /* folders of -I and its kin, and those found; in the order of search */
    Flags unresolved;
    bool guess; /* follow what stands in an #if, too */
    bool asks;  /* __has_include was met */
} Walk;

Includes *includes_new(Arena *arena)
{
    Includes *includes = arena_alloc(arena, sizeof *includes);
    includes->arena = arena;
    includes->paths = intern_new(arena);
    return includes;
}

static Seen *seen(Includes *includes, Name path)
{
    while (includes->seen.count <= path)
        LIST_PUSH(includes->arena, &includes->seen, (Seen){0});
    return &includes->seen.items[path];
}

/* The number of the file `folder/name`, 0 if there is none. */
static Name file_at(Includes *includes, const char *folder, const char *name)
{
    char path[PATH_LONGEST];
    int length = name[0] == '/' ? snprintf(path, sizeof path, "%s", name)
                                : snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return 0;
    Name id = intern(includes->paths, path);
    Seen *about = seen(includes, id);
    struct stat file;
    if (!about->looked)
        about->regular = stat(path, &file) == 0 && S_ISREG(file.st_mode);
    about->looked = true;
    return about->regular ? id : 0;
}

static void read_includes(Includes *includes, Name path)
{
    if (seen(includes, path)->read)
        return;
    Arena *scratch = arena_new();
    const char *why;
    const Source *source = source_read(scratch, intern_text(includes->paths, path), &why);
    const Scan *scan = source != NULL ? scan_source(scratch, source, NULL, 0) : NULL;
    Seen *about = seen(includes, path);
    about->read = true;
    about->asks = scan != NULL && scan->asks;
    about->omp_operator = source != NULL && scan_has_omp_operator(source->bytes, source->size);
    for (uint32_t i = 0; scan != NULL && i < scan->includes.count; i++) {
        ScanInclude include = scan->includes.items[i];
        include.name = arena_strdup(includes->arena, include.name);
        LIST_PUSH(includes->arena, &about->includes, include);
    }
    for (uint32_t i = 0; scan != NULL && i < scan->switches.count; i++)
        if (!flags_hold(&about->switches, scan->switches.items[i]))
            LIST_PUSH(includes->arena, &about->switches,
                      arena_strdup(includes->arena, scan->switches.items[i]));
    arena_free(scratch);
}

/* ---- one walk along the includes ---- */

static Name locate(Walk *walk, const char *folder, const ScanInclude *include)
{
    static const char *const system[] = {PONGLINT_CLANG_RESOURCE_DIR "/include",
                                         "/usr/local/include", "/usr/include",
                                         "/usr/include/x86_64-linux-gnu"};
    Name found = include->quoted ? file_at(walk->includes, folder, include->name) : 0;
    for (uint32_t i = 0; found == 0 && i < walk->search.count; i++)
        found = file_at(walk->includes, walk->search.items[i], include->name);
    for (size_t i = 0; found == 0 && i < sizeof system / sizeof *system; i++)
        found = file_at(walk->includes, system[i], include->name);
    return found;
}

static bool in_tree(const Walk *walk, const char *path)
{
    const Flags *folders = &walk->parse->prepared->folders;
    for (uint32_t i = 0; i < folders->count; i++)
        if (path_inside(path, folders->items[i]))
            return true;
    return false;
}

static void walk_one(Walk *walk, const char *folder, const ScanInclude *include, int depth);

static void walk_file(Walk *walk, Name path, int depth)
{
    const char *text = intern_text(walk->includes->paths, path);
    Seen *about = seen(walk->includes, path);
    if (about->walk == walk->includes->walk || depth > NESTED_MOST)
        return;
    about->walk = walk->includes->walk;
    text = path_clean(walk->parse->arena, text);
    if (!in_tree(walk, text))
        return;
    read_includes(walk->includes, path);
    walk->parse->pragma_operator |= seen(walk->includes, path)->omp_operator;
    walk->asks |= seen(walk->includes, path)->asks;
    for (uint32_t i = 0; i < seen(walk->includes, path)->switches.count; i++)
        parse_switches_on(walk->parse, seen(walk->includes, path)->switches.items[i]);
    const char *folder = path_folder(walk->parse->arena, text);
    for (uint32_t i = 0; i < seen(walk->includes, path)->includes.count; i++) {
        ScanInclude include = seen(walk->includes, path)->includes.items[i];
        walk_one(walk, folder, &include, depth);
    }
}

static void walk_one(Walk *walk, const char *folder, const ScanInclude *include, int depth)
{
    if (!include->certain && !walk->guess)
        return;
    Name path = locate(walk, folder, include);
    if (path != 0)
        walk_file(walk, path, depth + 1);
    else if (strcmp(include->name, "omp.h") != 0 && walk->unresolved.count < UNRESOLVED_MOST &&
             !flags_hold(&walk->unresolved, include->name))
        LIST_PUSH(walk->parse->arena, &walk->unresolved, include->name);
}

static void search_folders(Walk *walk)
{
    static const char *const options[] = {"-iquote", "-I", "-isystem"};
    Parse *p = walk->parse;
    const char *folder = path_folder(p->arena, p->absolute);
    walk->search.count = walk->unresolved.count = 0;
    for (uint32_t i = 0; i < p->flags.count; i++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            if (strncmp(p->flags.items[i], options[k], strlen(options[k])) == 0) {
                LIST_PUSH(p->arena, &walk->search, p->flags.items[i] + strlen(options[k]));
                break;
            }
    LIST_PUSH(p->arena, &walk->search, folder);
    LIST_PUSH(p->arena, &walk->search, path_join(p->arena, folder, ".."));
    LIST_PUSH(p->arena, &walk->search, path_join(p->arena, folder, "../include"));
    for (uint32_t i = 0; i < p->found.count; i++)
        LIST_PUSH(p->arena, &walk->search, p->found.items[i]);
}

/* A folder with headers named as the system's (a port to another system) is searched only where
 * clang finds that it must be. */
static bool hides_system(Walk *walk, const char *folder)
{
    static const char *const names[] = {"stdio.h",    "stdlib.h", "stdint.h",   "string.h",
                                        "math.h",     "time.h",   "unistd.h",   "pthread.h",
                                        "sys/time.h", "assert.h", "inttypes.h", "dirent.h",
                                        "getopt.h",   "limits.h", "complex.h",  "stdbool.h"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (file_at(walk->includes, folder, names[i]) != 0)
            return true;
    return false;
}

static void walk_main(Walk *walk)
{
    Parse *p = walk->parse;
    search_folders(walk);
    walk->includes->walk++;
    for (uint32_t i = 0; i < p->scan->includes.count; i++)
        walk_one(walk, path_folder(p->arena, p->absolute), &p->scan->includes.items[i], 0);
}

/* What the tree does not have; clang looks in the system's folders first. Where something asks
 * whether a header is there, only what is included for certain: the answer must not change. */
static void note_missing(Walk *walk)
{
    Parse *p = walk->parse;
    if (walk->asks) {
        walk->guess = false;
        walk_main(walk);
    }
    for (uint32_t i = 0; i < walk->unresolved.count; i++)
        if (headers_folder_of(p->prepared->headers, p->arena, walk->unresolved.items[i],
                              p->absolute) == NULL)
            parse_lacks(p, walk->unresolved.items[i]);
}

/* As the rounds of parses do it: all that is missing is looked for, then all is read again. */
void includes_find(Parse *p)
{
    Walk walk = {.parse = p, .includes = p->worker->includes, .asks = p->scan->asks};
    const Source *source = p->unit->files.items[0];
    p->pragma_operator = scan_has_omp_operator(source->bytes, source->size);
    for (int round = 0; round < ROUNDS_MOST; round++) {
        uint32_t known = p->found.count;
        walk_main(&walk);
        for (uint32_t i = 0; i < walk.unresolved.count; i++) {
            const char *folder = headers_folder_of(p->prepared->headers, p->arena,
                                                   walk.unresolved.items[i], p->absolute);
            if (folder != NULL && !flags_hold(&p->found, folder) &&
                !(walk.guess && hides_system(&walk, folder)))
                LIST_PUSH(p->arena, &p->found, folder);
        }
        if (p->found.count == known && walk.guess)
            break;
        walk.guess |= p->found.count == known;
    }
    note_missing(&walk);
}
