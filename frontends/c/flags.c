#include "frontends/c/flags.h"

#include "frontends/c/paths.h"

#include <clang-c/CXCompilationDatabase.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

struct Commands {
    CXCompilationDatabase database;
    pthread_mutex_t mutex; /* libclang does not say that look-ups may overlap */
};

static const struct {
    const char *option;
    bool path;  /* its value is a path */
    bool apart; /* the value may be the next argument */
} accepted[] = {
    {"-isystem", true, true}, {"-iquote", true, true}, {"-include", true, true},
    {"-std=", false, false},  {"-I", true, true},      {"-D", false, true},
    {"-U", false, true},      {"-x", false, true},
};

void flags_accept(Arena *arena, const char *const *arguments, uint32_t count, const char *folder,
                  Flags *out)
{
    for (uint32_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof accepted / sizeof *accepted; k++) {
            const char *option = accepted[k].option, *argument = arguments[i];
            size_t length = strlen(option);
            if (strncmp(argument, option, length) != 0)
                continue;
            const char *value = argument + length;
            if (value[0] == '\0' && accepted[k].apart && i + 1 < count)
                value = arguments[++i];
            if (value[0] == '\0')
                break;
            if (accepted[k].path)
                value = path_join(arena, folder, value);
            LIST_PUSH(arena, out, arena_printf(arena, "%s%s", option, value));
            break;
        }
    }
}

bool flags_hold(const Flags *list, const char *text)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], text) == 0)
            return true;
    return false;
}

static bool has_commands(Arena *arena, const char *folder)
{
    return access(arena_printf(arena, "%s/compile_commands.json", folder), R_OK) == 0;
}

/* Beside the linted paths, or in a folder `build` there. */
static const char *find_folder(Arena *arena, const FrontendOptions *options)
{
    if (options->compile_commands != NULL)
        return has_commands(arena, options->compile_commands) ? options->compile_commands : NULL;
    for (uint32_t i = 0; i < options->root_count; i++) {
        const char *candidates[] = {options->roots[i],
                                    arena_printf(arena, "%s/build", options->roots[i]),
                                    path_folder(arena, options->roots[i])};
        for (size_t k = 0; k < sizeof candidates / sizeof *candidates; k++)
            if (has_commands(arena, candidates[k]))
                return candidates[k];
    }
    return NULL;
}

Commands *commands_open(Arena *arena, const FrontendOptions *options)
{
    const char *folder = find_folder(arena, options);
    CXCompilationDatabase_Error error = CXCompilationDatabase_NoError;
    CXCompilationDatabase database =
        folder != NULL ? clang_CompilationDatabase_fromDirectory(folder, &error) : NULL;
    if (database == NULL)
        return NULL;
    Commands *commands = arena_alloc(arena, sizeof *commands);
    commands->database = database;
    pthread_mutex_init(&commands->mutex, NULL);
    return commands;
}

void commands_close(Commands *commands)
{
    if (commands == NULL)
        return;
    pthread_mutex_destroy(&commands->mutex);
    clang_CompilationDatabase_dispose(commands->database);
}

Compiler compiler_named(const char *program)
{
    static const struct {
        const char *part;
        Compiler compiler;
    } known[] = {{"clang", COMPILER_LLVM},
                 {"icx", COMPILER_LLVM},
                 {"icpx", COMPILER_LLVM},
                 {"gcc", COMPILER_GNU},
                 {"g++", COMPILER_GNU}};
    const char *slash = strrchr(program, '/'), *name = slash == NULL ? program : slash + 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(name, known[i].part) != NULL)
            return known[i].compiler;
    return COMPILER_UNKNOWN;
}

/* The program, or the one behind a launcher: ccache gcc -c …. */
static Compiler compiler_of(CXCompileCommand command)
{
    enum { LAUNCHERS = 2 };
    Compiler compiler = COMPILER_UNKNOWN;
    unsigned count = clang_CompileCommand_getNumArgs(command);
    for (unsigned i = 0; i < count && i < LAUNCHERS && compiler == COMPILER_UNKNOWN; i++) {
        CXString word = clang_CompileCommand_getArg(command, i);
        compiler = compiler_named(clang_getCString(word));
        clang_disposeString(word);
    }
    return compiler;
}

static void read_command(Arena *arena, CXCompileCommand command, Flags *out)
{
    Flags arguments = {0};
    CXString folder = clang_CompileCommand_getDirectory(command);
    unsigned count = clang_CompileCommand_getNumArgs(command);
    for (unsigned i = 1; i < count; i++) {
        CXString argument = clang_CompileCommand_getArg(command, i);
        LIST_PUSH(arena, &arguments, arena_strdup(arena, clang_getCString(argument)));
        clang_disposeString(argument);
    }
    flags_accept(arena, arguments.items, arguments.count, clang_getCString(folder), out);
    clang_disposeString(folder);
}

bool commands_of(Commands *commands, Arena *arena, const char *path, Flags *out, Compiler *compiler)
{
    *compiler = COMPILER_UNKNOWN;
    if (commands == NULL)
        return false;
    pthread_mutex_lock(&commands->mutex);
    CXCompileCommands found =
        clang_CompilationDatabase_getCompileCommands(commands->database, path);
    bool any = found != NULL && clang_CompileCommands_getSize(found) > 0;
    if (any) {
        CXCompileCommand command = clang_CompileCommands_getCommand(found, 0);
        read_command(arena, command, out);
        *compiler = compiler_of(command);
    }
    if (found != NULL)
        clang_CompileCommands_dispose(found);
    pthread_mutex_unlock(&commands->mutex);
    return any;
}
