/* One file with libclang: parse, see what is missing, help, parse again; then lower. Most projects
 * come without build flags, so a missing header is the normal case: it is looked for in the linted
 * tree, else an empty one takes its place, and types that nobody declares become integers. */
#include "analyzer/frontend.h"
#include "frontends/c/flags.h"
#include "frontends/c/headers.h"
#include "frontends/c/lower.h"
#include "frontends/c/paths.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PONGLINT_CLANG_RESOURCE_DIR
#error "PONGLINT_CLANG_RESOURCE_DIR: the folder of clang's own headers (…/lib/clang/19)"
#endif

enum { PARSES_MOST = 6, STUBS_MOST = 2000, CHAIN_MOST = 50000 };
#define STACK_BYTES ((size_t)512 << 20)

/* Files that exist in memory only. */
#define VIRTUAL         "/ponglint-virtual"
#define VIRTUAL_OMP     VIRTUAL "/openmp"
#define VIRTUAL_MISSING VIRTUAL "/missing"
#define VIRTUAL_STUBS   VIRTUAL "/stubs.h"

typedef struct Prepared {
    const FrontendOptions *options;
    const char *here; /* absolute path of the working folder */
    Flags folders;    /* of the roots, absolute */
    Headers *headers;
    Commands *commands;
    Flags extra;
} Prepared;

typedef struct Stub {
    const char *name;
    bool value; /* a constant; else a type */
    bool wrong; /* it clashes with a declaration: never again */
} Stub;

/* What a worker keeps from file to file. That a header is missing holds for the whole tree, so that
 * to know it beforehand saves a parse and changes no result. */
typedef struct Worker {
    CXIndex index;
    Arena *arena;
    Flags missing;
} Worker;

/* One file on its way. */
typedef struct Parse {
    Prepared *prepared;
    Worker *worker;
    Unit *unit;
    Arena *arena;
    const char *path, *absolute; /* as given to clang; absolute */
    Flags flags;                 /* from compile_commands.json and --extra-arg */
    Flags found;                 /* folders in which missing headers were found */
    Flags noted;                 /* missing headers that were told */
    Flags switches;              /* macros that only switch pragmas on */
    LIST(Stub) stubs;
    Scan *scan;
    bool pragma_operator; /* read _Pragma as _Static_assert */
    bool cpp_header;      /* a .h that holds C++ */
    uint32_t errors,
        first_line; /* of the last parse; the line is 0 where the first lies in a header */
    const char *first_error;
    bool news; /* the last parse told something that helps the next one */
} Parse;

/* --- arguments
 * --------------------------------------------------------------------------------------------------
 */

static bool is_cpp(const Parse *p)
{
    return p->unit->language == LANGUAGE_CPP || p->cpp_header;
}

static void add(Parse *p, Flags *arguments, const char *argument)
{
    LIST_PUSH(p->arena, arguments, argument);
}

static void add_fixed(Parse *p, Flags *arguments)
{
    static const char *const fixed[] = {"-resource-dir",
                                        PONGLINT_CLANG_RESOURCE_DIR,
                                        "-isystem",
                                        VIRTUAL_OMP,
                                        "-isystem",
                                        VIRTUAL_MISSING,
                                        "-D_OPENMP=202011",
                                        "-ferror-limit=0",
                                        "-fno-spell-checking",
                                        "-w",
                                        "-Wno-builtin-macro-redefined",
                                        "-Wno-implicit-function-declaration",
                                        "-Wno-implicit-int",
                                        "-Wno-int-conversion",
                                        "-Wno-incompatible-function-pointer-types",
                                        "-Wno-return-type",
                                        "-Wno-incompatible-pointer-types",
                                        "-Wno-return-mismatch",
                                        "-Wno-address-of-packed-member",
                                        "-Wno-everything"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add(p, arguments, fixed[i]);
    if (p->pragma_operator)
        add(p, arguments,
            is_cpp(p) ? "-D_Pragma(x)=static_assert(1,x);" : "-D_Pragma(x)=_Static_assert(1,x);");
}

static bool mentions(const Flags *flags, const char *option)
{
    for (uint32_t i = 0; i < flags->count; i++)
        if (strncmp(flags->items[i], option, strlen(option)) == 0)
            return true;
    return false;
}

static Flags arguments_of(Parse *p)
{
    Flags arguments = {0};
    const char *folder = path_folder(p->arena, p->path);
    add(p, &arguments, "-x");
    add(p, &arguments, is_cpp(p) ? "c++" : "c");
    if (!mentions(&p->flags, "-std="))
        add(p, &arguments, is_cpp(p) ? "-std=gnu++17" : "-std=gnu17");
    for (uint32_t i = 0; i < p->flags.count; i++)
        if (strncmp(p->flags.items[i], "-x", 2) != 0)
            add(p, &arguments, p->flags.items[i]);
    add(p, &arguments, arena_printf(p->arena, "-I%s", folder));
    add(p, &arguments, arena_printf(p->arena, "-I%s", path_join(p->arena, folder, "..")));
    add(p, &arguments, arena_printf(p->arena, "-I%s", path_join(p->arena, folder, "../include")));
    for (uint32_t i = 0; i < p->found.count; i++)
        add(p, &arguments, arena_printf(p->arena, "-I%s", p->found.items[i]));
    add_fixed(p, &arguments);
    for (uint32_t i = 0; i < p->switches.count; i++)
        add(p, &arguments, arena_printf(p->arena, "-D%s=1", p->switches.items[i]));
    if (p->stubs.count > 0) {
        add(p, &arguments, "-include");
        add(p, &arguments, VIRTUAL_STUBS);
    }
    return arguments;
}

/* --- files in memory
 * -------------------------------------------------------------------------------------------- */

typedef LIST(struct CXUnsavedFile) Unsaved;

static void add_file(Parse *p, Unsaved *files, const char *path, const char *bytes, size_t size)
{
    LIST_PUSH(p->arena, files, (struct CXUnsavedFile){path, bytes, size});
}

static const char *stub_text(Parse *p, const char *name)
{
    static const struct {
        const char *name, *type;
    } known[] = {{"bool", "_Bool"},
                 {"int8_t", "signed char"},
                 {"uint8_t", "unsigned char"},
                 {"int16_t", "short"},
                 {"uint16_t", "unsigned short"},
                 {"int32_t", "int"},
                 {"uint32_t", "unsigned"},
                 {"int64_t", "long"},
                 {"uint64_t", "unsigned long"},
                 {"size_t", "unsigned long"},
                 {"ssize_t", "long"},
                 {"ptrdiff_t", "long"},
                 {"uint", "unsigned"},
                 {"ulong", "unsigned long"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return arena_printf(p->arena, "typedef %s %s;\n", known[i].type, name);
    return arena_printf(p->arena, "typedef int %s;\n", name);
}

/* Unknown values are enumerators: an assignment to one stays an error and the function doubtful,
 * and they may stand as the size of an array (NPB without its generated header: 1152 errors with
 * `extern const int`). */
static const char *stubs_text(Parse *p)
{
    Text text = {0};
    for (uint32_t i = 0; i < p->stubs.count; i++) {
        const Stub *stub = &p->stubs.items[i];
        if (!stub->wrong)
            text_puts(&text, stub->value ? arena_printf(p->arena, "enum { %s = %u };\n", stub->name,
                                                        GUESSED_VALUE + i)
                                         : stub_text(p, stub->name));
    }
    const char *copy = arena_strdup(p->arena, text_string(&text));
    text_free(&text);
    return copy;
}

static CXTranslationUnit parse_once(Parse *p)
{
    Unsaved files = {0};
    Flags arguments = arguments_of(p);
    const Source *source = p->unit->files.items[0];
    add_file(p, &files, p->path, source->bytes, source->size);
    add_file(p, &files, VIRTUAL_OMP "/omp.h", omp_header, strlen(omp_header));
    const Flags *missing = &p->worker->missing;
    for (uint32_t i = 0; i < missing->count; i++)
        add_file(p, &files, arena_printf(p->arena, VIRTUAL_MISSING "/%s", missing->items[i]), "\n",
                 1);
    const char *stubs = stubs_text(p);
    add_file(p, &files, VIRTUAL_STUBS, stubs, strlen(stubs));
    unsigned options = CXTranslationUnit_KeepGoing;
    if (p->scan->conditional) /* which branches were skipped is only recorded with this */
        options |= CXTranslationUnit_DetailedPreprocessingRecord;
    CXTranslationUnit tu = NULL;
    enum CXErrorCode error = clang_parseTranslationUnit2(p->worker->index, p->path, arguments.items,
                                                         (int)arguments.count, files.items,
                                                         files.count, options, &tu);
    return error == CXError_Success ? tu : NULL;
}

/* --- what the diagnostics tell
 * ---------------------------------------------------------------------------------- */

static const char *report_path(void *context, Arena *arena, const char *path)
{
    const Parse *p = context;
    path = path_clean(arena, path);
    size_t length = strlen(p->prepared->here);
    bool relative = p->unit->files.items[0]->path[0] != '/';
    return relative && path_inside(path, p->prepared->here) && path[length] == '/'
               ? path + length + 1
               : path;
}

static bool path_linted(void *context, const char *reported)
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

/* The text between the first two quotes of a message, or NULL. */
static const char *quoted(Parse *p, const char *message)
{
    const char *open = strchr(message, '\''), *close = open != NULL ? strchr(open + 1, '\'') : NULL;
    return close != NULL && close > open + 1
               ? arena_strndup(p->arena, open + 1, (size_t)(close - open - 1))
               : NULL;
}

static bool holds(const Flags *list, const char *text)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], text) == 0)
            return true;
    return false;
}

static void note_missing(Parse *p, const char *name)
{
    const char *folder = headers_folder_of(p->prepared->headers, p->arena, name, p->absolute);
    Worker *worker = p->worker;
    if (folder != NULL) {
        p->news |= !holds(&p->found, folder);
        if (!holds(&p->found, folder))
            add(p, &p->found, folder);
    } else if (!holds(&worker->missing, name) && strstr(name, "..") == NULL && name[0] != '/') {
        LIST_PUSH(worker->arena, &worker->missing, arena_strdup(worker->arena, name));
        p->news = true;
    }
}

static Stub *stub_named(Parse *p, const char *name)
{
    for (uint32_t i = 0; i < p->stubs.count; i++)
        if (strcmp(p->stubs.items[i].name, name) == 0)
            return &p->stubs.items[i];
    return NULL;
}

static bool is_identifier(const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if (*c != '_' && !(*c >= '0' && *c <= '9') && !((*c | 32) >= 'a' && (*c | 32) <= 'z'))
            return false;
    return name[0] != '\0' && !(name[0] >= '0' && name[0] <= '9');
}

static void note_unknown(Parse *p, const char *name, bool value)
{
    Stub *stub = stub_named(p, name);
    bool header = strcmp(strrchr(p->path, '.') != NULL ? strrchr(p->path, '.') : "", ".h") == 0;
    if (!is_cpp(p) && header &&
        (strcmp(name, "namespace") == 0 || strcmp(name, "class") == 0 ||
         strcmp(name, "template") == 0 || strcmp(name, "using") == 0)) {
        p->cpp_header = p->news = true;
        return;
    }
    if (stub != NULL) {
        if (stub->value && !value && !stub->wrong) {
            stub->value = false;
            p->news = true;
        }
        return;
    }
    if (!is_identifier(name) || p->stubs.count >= STUBS_MOST || is_cpp(p))
        return;
    LIST_PUSH(p->arena, &p->stubs, (Stub){name, value, false});
    p->news = true;
}

/* What stands behind an undeclared word tells a type from a value: `T x`, `T *x` at a statement's
 * start, `(T)`, `(T *)`. */
static bool looks_like_type(const char *bytes, size_t size, size_t at, size_t length)
{
    size_t before = at, after = at + length;
    while (before > 0 && (bytes[before - 1] == ' ' || bytes[before - 1] == '\t'))
        before--;
    while (after < size && (bytes[after] == ' ' || bytes[after] == '\t'))
        after++;
    char left = before > 0 ? bytes[before - 1] : '\n', right = after < size ? bytes[after] : '\n';
    bool statement = left == '\n' || left == ';' || left == '{' || left == '}';
    bool star = right == '*';
    while (after < size && (bytes[after] == ' ' || bytes[after] == '*'))
        after++;
    char next = after < size ? bytes[after] : '\n';
    bool word = next == '_' || ((next | 32) >= 'a' && (next | 32) <= 'z');
    return (word && !star) || (star && (statement || next == ')')) ||
           (left == '(' && right == ')' && statement);
}

/* Called like a function, an undeclared word needs no help. */
static void note_undeclared(Parse *p, const char *name, CXFile file, unsigned offset,
                            CXTranslationUnit tu)
{
    size_t size = 0, length = strlen(name);
    const char *bytes = clang_getFileContents(tu, file, &size);
    if (bytes == NULL || offset + length > size || memcmp(bytes + offset, name, length) != 0)
        return;
    size_t after = offset + length;
    while (after < size && bytes[after] == ' ')
        after++;
    if (after < size && bytes[after] != '(')
        note_unknown(p, name, !looks_like_type(bytes, size, offset, length));
}

static void note_clash(Parse *p, const char *name)
{
    Stub *stub = name != NULL ? stub_named(p, name) : NULL;
    if (stub != NULL && !stub->wrong)
        stub->wrong = p->news = true;
}

/* `typedef redefinition with different types` does not name the type: it stands where the message
 * points. */
static const char *word_at(Parse *p, CXTranslationUnit tu, CXFile file, unsigned offset)
{
    size_t size = 0, length = 0;
    const char *bytes = file != NULL ? clang_getFileContents(tu, file, &size) : NULL;
    while (bytes != NULL && offset + length < size &&
           (bytes[offset + length] == '_' ||
            (bytes[offset + length] >= '0' && bytes[offset + length] <= '9') ||
            ((bytes[offset + length] | 32) >= 'a' && (bytes[offset + length] | 32) <= 'z')))
        length++;
    return length > 0 ? arena_strndup(p->arena, bytes + offset, length) : NULL;
}

static void read_message(Parse *p, CXTranslationUnit tu, const char *message, CXFile file,
                         unsigned offset)
{
    const char *name = quoted(p, message);
    if (name == NULL)
        return;
    if (strstr(message, "' file not found") != NULL)
        note_missing(p, name);
    else if (strncmp(message, "unknown type name", 17) == 0)
        note_unknown(p, name, false);
    else if (strncmp(message, "use of undeclared identifier", 28) == 0 && file != NULL)
        note_undeclared(p, name, file, offset, tu);
    else if (strncmp(message, "redefinition of", 15) == 0)
        note_clash(p, name);
    else if (strncmp(message, "typedef redefinition", 20) == 0)
        note_clash(p, word_at(p, tu, file, offset));
}

static void read_diagnostics(Parse *p, CXTranslationUnit tu)
{
    unsigned count = clang_getNumDiagnostics(tu);
    p->news = false;
    p->errors = p->first_line = 0;
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(tu, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            CXFile file = NULL;
            unsigned line = 0, offset = 0;
            CXString message = clang_getDiagnosticSpelling(diagnostic);
            clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), &file, &line, NULL,
                                       &offset);
            if (p->errors++ == 0) {
                p->first_line =
                    file != NULL && clang_File_isEqual(file, clang_getFile(tu, p->path)) ? line : 0;
                p->first_error = arena_strdup(p->arena, clang_getCString(message));
            }
            read_message(p, tu, clang_getCString(message), file, offset);
            clang_disposeString(message);
        }
        clang_disposeDiagnostic(diagnostic);
    }
}

/* --- rounds
 * -----------------------------------------------------------------------------------------------------
 */

static CXTranslationUnit parse_rounds(Parse *p)
{
    CXTranslationUnit tu = NULL;
    for (int round = 0; round < PARSES_MOST; round++) {
        CXTranslationUnit next = parse_once(p);
        if (next == NULL)
            break;
        if (tu != NULL)
            clang_disposeTranslationUnit(tu);
        tu = next;
        read_diagnostics(p, tu);
        if (!p->news)
            break;
    }
    return tu;
}

typedef struct Inclusions {
    Parse *parse;
    CXTranslationUnit tu;
    bool found;
} Inclusions;

/* Whether a text has both _Pragma and the word omp. */
static bool has_omp_operator(const char *bytes, size_t size)
{
    if (bytes == NULL || memmem(bytes, size, "_Pragma", 7) == NULL)
        return false;
    const char *at = bytes, *end = bytes + size;
    while ((at = memmem(at, (size_t)(end - at), "omp ", 4)) != NULL) {
        if (at > bytes && strchr("\"( \t", at[-1]) != NULL)
            return true;
        at++;
    }
    return false;
}

static void visit_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    Inclusions *all = data;
    (void)stack;
    (void)depth;
    CXString name = clang_getFileName(file);
    const char *path = clang_getCString(name);
    if (!all->found && path != NULL &&
        path_linted(all->parse, report_path(all->parse, all->parse->arena, path))) {
        size_t size = 0;
        const char *bytes = clang_getFileContents(all->tu, file, &size);
        all->found = has_omp_operator(bytes, size);
    }
    clang_disposeString(name);
}

/* With _Pragma as an assertion, if that does not break more than it shows (it does where no
 * declaration may stand). */
static CXTranslationUnit with_pragma_operator(Parse *p, CXTranslationUnit tu)
{
    Inclusions all = {p, tu, false};
    clang_getInclusions(tu, visit_inclusion, &all);
    if (!all.found)
        return tu;
    uint32_t errors = p->errors, line = p->first_line;
    const char *message = p->first_error;
    p->pragma_operator = true;
    CXTranslationUnit other = parse_once(p);
    if (other != NULL) {
        read_diagnostics(p, other);
        if (p->errors <= errors) {
            clang_disposeTranslationUnit(tu);
            return other;
        }
        clang_disposeTranslationUnit(other);
    }
    p->pragma_operator = false;
    p->errors = errors;
    p->first_line = line;
    p->first_error = message;
    return tu;
}

/* The empty headers that were really included, each where it was. */
static void visit_missing(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    Parse *p = data;
    CXString name = clang_getFileName(file);
    const char *path = clang_getCString(name);
    bool is_missing = path != NULL && depth > 0 &&
                      strncmp(path, VIRTUAL_MISSING "/", strlen(VIRTUAL_MISSING "/")) == 0;
    if (is_missing && !holds(&p->noted, path)) {
        add(p, &p->noted, arena_strdup(p->arena, path));
        CXFile includer = NULL;
        unsigned line = 0;
        clang_getExpansionLocation(stack[0], &includer, &line, NULL, NULL);
        CXString where = clang_getFileName(includer);
        const char *place = clang_getCString(where) != NULL ? clang_getCString(where) : p->path;
        unit_note(p->unit, SEVERITY_WARNING, report_path(p, p->arena, place), line,
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
            add(p, &defines, p->flags.items[i] + 2);
    if (p->errors > 0)
        unit_note(
            p->unit, SEVERITY_WARNING, p->unit->files.items[0]->path, p->first_line,
            "%u parse errors (first: %s); findings in the functions that hold them are less sure; "
            "build flags help: -p FOLDER",
            p->errors, p->first_error);
    LowerPaths paths = {report_path, path_linted, p};
    bool guessed = false;
    for (uint32_t i = 0; i < p->stubs.count; i++)
        guessed |= p->stubs.items[i].value && !p->stubs.items[i].wrong;
    lower_unit(p->unit, tu, paths, defines.items, defines.count, guessed);
}

static void refuse(Unit *unit, const char *why)
{
    unit_note(unit, SEVERITY_ERROR, unit->files.items[0]->path, 0, "%s; not analysed", why);
    AstNode module = ast_open(unit->ast, AST_MODULE, 0, 0, (uint32_t)unit->files.items[0]->size);
    ast_close(unit->ast, module);
}

static void start(Parse *p)
{
    const Source *source = p->unit->files.items[0];
    p->path = source->path[0] == '-' ? arena_printf(p->arena, "./%s", source->path) : source->path;
    p->absolute = path_join(p->arena, p->prepared->here, source->path);
    for (uint32_t i = 0; i < p->scan->switches.count; i++)
        if (!holds(&p->switches, p->scan->switches.items[i]))
            add(p, &p->switches, p->scan->switches.items[i]);
    if (!commands_of(p->prepared->commands, p->arena, p->absolute, &p->flags))
        p->flags.count = 0;
    for (uint32_t i = 0; i < p->prepared->extra.count; i++)
        add(p, &p->flags, p->prepared->extra.items[i]);
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
    start(p);
    CXTranslationUnit tu = parse_rounds(p);
    if (tu == NULL) {
        refuse(p->unit, "clang could not read this file");
        return NULL;
    }
    tu = with_pragma_operator(p, tu);
    lower_parsed(p, tu);
    clang_disposeTranslationUnit(tu);
    return NULL;
}

/* On a stack of its own: clang recurses along chains of operators, about 5 KB each. Only what is
 * touched takes memory. */
static void c_parse(void *prepared, void *worker, Unit *unit)
{
    Parse p = {.prepared = prepared, .unit = unit, .arena = unit->arena, .worker = worker};
    pthread_attr_t attributes;
    pthread_t thread;
    unit->ast = ast_new(unit->arena);
    pthread_attr_init(&attributes);
    bool started = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                   pthread_create(&thread, &attributes, parse_unit, &p) == 0;
    pthread_attr_destroy(&attributes);
    if (started)
        pthread_join(thread, NULL);
    else
        parse_unit(&p);
}

/* --- the frontend
 * -----------------------------------------------------------------------------------------------
 */

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
    flags_accept(arena, options->extra_args, options->extra_arg_count, prepared->here,
                 &prepared->extra);
    return prepared;
}

static void *c_worker_open(void *prepared)
{
    Arena *arena = arena_new();
    Worker *worker = arena_alloc(arena, sizeof *worker);
    (void)prepared;
    worker->arena = arena;
    worker->index = clang_createIndex(0, 0);
    return worker;
}

static void c_worker_close(void *opened)
{
    Worker *worker = opened;
    clang_disposeIndex(worker->index);
    arena_free(worker->arena);
}

static void c_finish(void *prepared)
{
    commands_close(((Prepared *)prepared)->commands);
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
