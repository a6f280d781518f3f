/* What a file is parsed with, one parse after the other. */
#include "frontends/c/rounds.h"

#include "frontends/c/paths.h"

#ifndef PONGLINT_CLANG_RESOURCE_DIR
#error "PONGLINT_CLANG_RESOURCE_DIR: the folder of clang's own headers (…/lib/clang/19)"
#endif

enum { PARSES_MOST = 6 };

/* ---- arguments ---- */

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
                                        "-idirafter",
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
            parse_is_cpp(p) ? "-D_Pragma(x)=static_assert(1,x);"
                            : "-D_Pragma(x)=_Static_assert(1,x);");
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
    add(p, &arguments, parse_is_cpp(p) ? "c++" : "c");
    if (!mentions(&p->flags, "-std="))
        add(p, &arguments, parse_is_cpp(p) ? "-std=gnu++17" : "-std=gnu17");
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

/* ---- files in memory ---- */

typedef LIST(struct CXUnsavedFile) Unsaved;

static void add_file(Parse *p, Unsaved *files, const char *path, const char *bytes, size_t size)
{
    LIST_PUSH(p->arena, files, (struct CXUnsavedFile){path, bytes, size});
}

/* The file without its `#undef _OPENMP` that a configuration decides about; offsets stay. */
static const char *with_openmp(Parse *p, const Source *source)
{
    if (p->scan->undefs.count == 0)
        return source->bytes;
    char *copy = arena_strndup(p->arena, source->bytes, source->size);
    for (uint32_t i = 0; i < p->scan->undefs.count; i++)
        for (uint32_t at = p->scan->undefs.items[i].start; at < p->scan->undefs.items[i].stop; at++)
            copy[at] = ' ';
    return copy;
}

static CXTranslationUnit parse_once(Parse *p)
{
    Unsaved files = {0};
    Flags arguments = arguments_of(p);
    const Source *source = p->unit->files.items[0];
    add_file(p, &files, p->path, with_openmp(p, source), source->size);
    add_file(p, &files, VIRTUAL_OMP "/omp.h", omp_header, strlen(omp_header));
    for (uint32_t i = 0; i < p->missing.count; i++)
        add_file(p, &files, arena_printf(p->arena, VIRTUAL_MISSING "/%s", p->missing.items[i]),
                 "\n", 1);
    const char *stubs = repair_stubs(p);
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

/* ---- rounds ---- */

typedef struct Inclusions {
    Parse *parse;
    CXTranslationUnit tu;
    bool found;
} Inclusions;

static void visit_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    Inclusions *all = data;
    (void)stack;
    (void)depth;
    CXString name = clang_getFileName(file);
    const char *path = clang_getCString(name);
    if (!all->found && path != NULL &&
        parse_path_linted(all->parse, parse_report_path(all->parse, all->parse->arena, path))) {
        size_t size = 0;
        const char *bytes = clang_getFileContents(all->tu, file, &size);
        all->found = scan_has_omp_operator(bytes, size);
    }
    clang_disposeString(name);
}

static bool includes_omp_operator(Parse *p, CXTranslationUnit tu)
{
    Inclusions all = {p, tu, false};
    clang_getInclusions(tu, visit_inclusion, &all);
    return all.found;
}

CXTranslationUnit parse_rounds(Parse *p)
{
    CXTranslationUnit tu = NULL;
    for (int round = 0; round < PARSES_MOST; round++) {
        CXTranslationUnit next = parse_once(p);
        if (next == NULL)
            break;
        if (tu != NULL)
            clang_disposeTranslationUnit(tu);
        tu = next;
        repair_read(p, tu);
        if (!p->pragma_operator && includes_omp_operator(p, tu))
            p->news = p->pragma_operator = true;
        if (!p->news)
            break;
    }
    return tu;
}

/* In C++ a declaration may be all that an `if` holds, so that the error lies behind it. */
CXTranslationUnit without_pragma_operator(Parse *p, CXTranslationUnit tu)
{
    uint32_t errors = p->errors, line = p->first_line;
    const char *message = p->first_error;
    if (!p->pragma_operator || errors == 0 || !(p->operator_errors || parse_is_cpp(p)))
        return tu;
    p->pragma_operator = false;
    CXTranslationUnit other = parse_once(p);
    if (other != NULL) {
        repair_read(p, other);
        if (p->errors < errors) {
            clang_disposeTranslationUnit(tu);
            return other;
        }
        clang_disposeTranslationUnit(other);
    }
    p->pragma_operator = true;
    p->errors = errors;
    p->first_line = line;
    p->first_error = message;
    return tu;
}
