/* One file with libclang: parse, see what is missing, help, parse again; then lower. Most projects
 * come without build flags, so a missing header is the normal case: it is looked for in the linted
 * tree, else an empty one takes its place, and types that nobody declares become integers. */
#include "analyzer/frontend.h"
#include "frontends/c/apart.h"
#include "frontends/c/features.h"
#include "frontends/c/includes.h"
#include "frontends/c/parse.h"
#include "frontends/c/paths.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHAIN_MOST = 50000, FILE_SECONDS = 60 };
#define STACK_BYTES ((size_t)512 << 20)

/* A worker thread's: it hands its files to another process. */
typedef struct Hand {
    Arena *arena;
    Prepared *prepared;
    Apart *apart;   /* NULL: there is none */
    Worker *worker; /* for files that are read in this process; NULL as long as there was none */
} Hand;

/* ---- paths ---- */

const char *parse_report_path(void *context, Arena *arena, const char *path)
{
    const Parse *p = context;
    path = path_clean(arena, path);
    size_t length = strlen(p->prepared->here);
    bool relative = p->unit->files.items[0]->path[0] != '/';
    return relative && path_inside(path, p->prepared->here) && path[length] == '/'
               ? path + length + 1
               : path;
}

bool parse_path_linted(void *context, const char *reported)
{
    const Parse *p = context;
    const char *absolute = path_join(p->arena, p->prepared->here, reported);
    if (p->prepared->folders.count == 0)
        return path_inside(absolute, path_folder(p->arena, p->absolute));
    for (uint32_t i = 0; i < p->prepared->folders.count; i++)
        if (path_inside(absolute, p->prepared->folders.items[i]))
            return true;
    return false;
}

/* The empty headers that were really included, each where it was. */
static void visit_missing(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    Parse *p = data;
    CXString name = clang_getFileName(file);
    const char *path = clang_getCString(name);
    bool is_missing = path != NULL && depth > 0 &&
                      strncmp(path, VIRTUAL_MISSING "/", strlen(VIRTUAL_MISSING "/")) == 0;
    if (is_missing && !flags_hold(&p->noted, path)) {
        LIST_PUSH(p->arena, &p->noted, arena_strdup(p->arena, path));
        CXFile includer = NULL;
        unsigned line = 0;
        clang_getExpansionLocation(stack[0], &includer, &line, NULL, NULL);
        CXString where = clang_getFileName(includer);
        const char *place = clang_getCString(where) != NULL ? clang_getCString(where) : p->path;
        const char *shown = parse_report_path(p, p->arena, place);
        if (parse_path_linted(p,
                              shown)) /* what a system header misses is nothing its user can mend */
            unit_note(p->unit, SEVERITY_WARNING, shown, line,
                      "header not found: %s; results may be incomplete",
                      path + strlen(VIRTUAL_MISSING "/"));
        clang_disposeString(where);
    }
    clang_disposeString(name);
}

static void lower_parsed(Parse *p, CXTranslationUnit tu)
{
    Flags defines = {0};
    clang_getInclusions(tu, visit_missing, p);
    for (uint32_t i = 0; i < p->flags.count; i++)
        if (strncmp(p->flags.items[i], "-D", 2) == 0)
            LIST_PUSH(p->arena, &defines, p->flags.items[i] + 2);
    if (p->errors > 0)
        unit_note(
            p->unit, SEVERITY_WARNING, p->unit->files.items[0]->path, p->first_line,
            "%u parse errors (first: %s); findings in the functions that hold them are less sure; "
            "build flags help: -p FOLDER",
            p->errors, p->first_error);
    LowerPaths paths = {parse_report_path, parse_path_linted, p};
    bool guessed = false;
    for (uint32_t i = 0; i < p->stubs.count; i++)
        guessed |= p->stubs.items[i].value && !p->stubs.items[i].wrong;
    lower_unit(p->unit, tu, paths, defines.items, defines.count, guessed);
}

static void leave_empty(Unit *unit)
{
    AstNode module = ast_open(unit->ast, AST_MODULE, 0, 0, (uint32_t)unit->files.items[0]->size);
    ast_close(unit->ast, module);
}

static void refuse(Unit *unit, const char *why)
{
    unit_note(unit, SEVERITY_ERROR, unit->files.items[0]->path, 0, "%s; not analysed", why);
    leave_empty(unit);
}

/* A header without a function's body: nothing runs here, and what it declares is read with the
 * files that include it. Headers are often not made to be read alone, and some take minutes then.
 */
static bool is_declarations(const Parse *p)
{
    const char *dot = strrchr(p->unit->files.items[0]->path, '.');
    return dot != NULL && dot[1] == 'h' && !p->scan->bodies && p->scan->pragmas.count == 0;
}

static void start(Parse *p)
{
    const Source *source = p->unit->files.items[0];
    p->path = source->path[0] == '-' ? arena_printf(p->arena, "./%s", source->path) : source->path;
    p->absolute = path_join(p->arena, p->prepared->here, source->path);
    for (uint32_t i = 0; i < p->scan->switches.count; i++)
        parse_switches_on(p, p->scan->switches.items[i]);
    p->command =
        commands_of(p->prepared->commands, p->arena, p->absolute, &p->flags, &p->unit->compiler);
    if (!p->command)
        p->flags.count = 0;
    for (uint32_t i = 0; i < p->prepared->extra.count; i++)
        LIST_PUSH(p->arena, &p->flags, p->prepared->extra.items[i]);
    includes_find(p);
}

static void *parse_unit(void *context)
{
    Parse *p = context;
    const Source *source = p->unit->files.items[0];
    p->scan = scan_source(p->arena, source, NULL, 0);
    if (memchr(source->bytes, '\0', source->size) != NULL) {
        refuse(p->unit, "not a text file");
        return NULL;
    }
    if (p->scan->longest_chain > CHAIN_MOST) {
        refuse(p->unit, "an expression of more than 50000 operators");
        return NULL;
    }
    if (is_declarations(p)) {
        leave_empty(p->unit);
        return NULL;
    }
    start(p);
    CXTranslationUnit tu = parse_rounds(p);
    if (tu == NULL) {
        refuse(p->unit, "clang could not read this file");
        return NULL;
    }
    tu = with_features(p, without_pragma_operator(p, tu));
    lower_parsed(p, tu);
    clang_disposeTranslationUnit(tu);
    return NULL;
}

/* On a stack of its own: clang recurses along chains of operators, about 5 KB each. Only what is
 * touched takes memory. The tree is built in `arena`. */
static void read_unit(Worker *worker, Arena *arena, Unit *unit)
{
    Parse p = {.prepared = worker->prepared, .unit = unit, .arena = arena, .worker = worker};
    pthread_attr_t attributes;
    pthread_t thread;
    unit->ast = ast_new(arena);
    pthread_attr_init(&attributes);
    bool started = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                   pthread_create(&thread, &attributes, parse_unit, &p) == 0;
    pthread_attr_destroy(&attributes);
    if (started)
        pthread_join(thread, NULL);
    else
        parse_unit(&p);
}

static void *worker_here(void *prepared)
{
    Arena *arena = arena_new();
    Worker *worker = arena_alloc(arena, sizeof *worker);
    worker->arena = arena;
    worker->prepared = prepared;
    worker->index = clang_createIndex(0, 0);
    worker->includes = includes_new(arena);
    return worker;
}

static void read_apart(void *worker, Unit *unit)
{
    read_unit(worker, unit->arena, unit);
}

/* Where there can be no other process, the file is read in this one. */
static void read_here(Hand *hand, Unit *unit)
{
    Arena *arena = arena_new();
    if (hand->worker == NULL)
        hand->worker = worker_here(hand->prepared);
    read_unit(hand->worker, arena, unit);
    unit_settle(unit, hand->prepared->shelf);
    arena_free(arena);
}

static void c_parse(void *prepared, void *worker, Unit *unit)
{
    Hand *hand = worker;
    const char *why = NULL;
    (void)prepared;
    if (hand->apart != NULL && apart_parse(hand->apart, unit, &why)) {
        unit_settle(unit, hand->prepared->shelf);
        apart_clear(hand->apart);
    } else if (why != NULL) {
        unit->ast = ast_new(unit->arena);
        refuse(unit, why);
    } else {
        read_here(hand, unit);
    }
}

/* ---- the frontend ---- */

static const char *working_folder(Arena *arena)
{
    char *folder = getcwd(NULL, 0);
    const char *copy = arena_strdup(arena, folder != NULL ? folder : "/");
    if (folder != NULL)
        free(folder);
    return copy;
}

static void *c_prepare(Arena *arena, const FrontendOptions *options)
{
    Prepared *prepared = arena_alloc(arena, sizeof *prepared);
    Flags walked = {0};
    setenv("LIBCLANG_NOTHREADS", "1", 0); /* else libclang parses on threads with stacks of 8 MB */
    prepared->options = options;
    prepared->here = working_folder(arena);
    for (uint32_t i = 0; i < options->root_count; i++) {
        struct stat about;
        const char *root = path_join(arena, prepared->here, options->roots[i]);
        bool folder = stat(root, &about) == 0 && S_ISDIR(about.st_mode);
        LIST_PUSH(arena, &prepared->folders, folder ? root : path_folder(arena, root));
        if (folder)
            LIST_PUSH(arena, &walked, root);
    }
    prepared->headers = headers_new(arena, walked.items, walked.count);
    prepared->commands = commands_open(arena, options);
    prepared->shelf = shelf_new();
    flags_accept(arena, options->extra_args, options->extra_arg_count, prepared->here,
                 &prepared->extra);
    return prepared;
}

static void *c_worker_open(void *opened)
{
    Prepared *prepared = opened;
    Arena *arena = arena_new();
    Hand *hand = arena_alloc(arena, sizeof *hand);
    double seconds = prepared->options->file_seconds;
    ApartWork work = {.open = worker_here,
                      .parse = read_apart,
                      .prepared = prepared,
                      .seconds = seconds > 0 ? seconds : FILE_SECONDS};
    *hand = (Hand){.arena = arena, .prepared = prepared, .apart = apart_open(&work)};
    return hand;
}

static void c_worker_close(void *opened)
{
    Hand *hand = opened;
    apart_close(hand->apart);
    if (hand->worker != NULL) {
        clang_disposeIndex(hand->worker->index);
        arena_free(hand->worker->arena);
    }
    arena_free(hand->arena);
}

static void c_finish(void *prepared)
{
    commands_close(((Prepared *)prepared)->commands);
    shelf_free(((Prepared *)prepared)->shelf);
}

static const char *const c_suffixes[] = {".c",   ".h",  ".cc", ".cpp", ".cxx",
                                         ".hpp", ".hh", ".C",  NULL};

const Frontend frontend_c = {
    .name = "c",
    .suffixes = c_suffixes,
    .prepare = c_prepare,
    .worker_open = c_worker_open,
    .worker_close = c_worker_close,
    .parse = c_parse,
    .finish = c_finish,
};
