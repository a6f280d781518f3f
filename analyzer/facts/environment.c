/* Variables of thread libraries in the environment: where a program sets them, and what has read
 * them by then. A library reads them once, when it is loaded (Python: imported) or when its first
 * region starts. */
#include "analyzer/facts/library.h"
#include "analyzer/facts/threads.h"

#include <string.h>

enum { MOST_MODULES = 32, DEEPEST_CALLERS = 4, LONGEST_MODULE = 256 };

/* What a library reads when it is imported. */
enum {
    READS_OMP = 1,
    READS_BLAS = 2,
    READS_NUMBA = 4,
    READS_NUMEXPR = 8,
    READS_TENSORFLOW = 16,
    READS_POLARS = 32
};

static const char *text_of(const Facts *facts, const Unit *unit, AstNode node)
{
    return intern_text(facts->program->names, ast_at(unit->ast, node)->name);
}

/* ---- variables ---- */

static uint32_t readers_of(const char *variable)
{
    static const struct {
        const char *name;
        uint32_t readers;
    } variables[] = {{"OMP_NUM_THREADS", READS_OMP | READS_BLAS},
                     {"OMP_WAIT_POLICY", READS_OMP},
                     {"OMP_PROC_BIND", READS_OMP},
                     {"OMP_PLACES", READS_OMP},
                     {"OMP_DYNAMIC", READS_OMP},
                     {"OMP_SCHEDULE", READS_OMP},
                     {"OMP_STACKSIZE", READS_OMP},
                     {"OMP_NESTED", READS_OMP},
                     {"OMP_THREAD_LIMIT", READS_OMP},
                     {"OMP_MAX_ACTIVE_LEVELS", READS_OMP},
                     {"GOMP_SPINCOUNT", READS_OMP},
                     {"GOMP_CPU_AFFINITY", READS_OMP},
                     {"KMP_BLOCKTIME", READS_OMP},
                     {"KMP_AFFINITY", READS_OMP},
                     {"OPENBLAS_NUM_THREADS", READS_BLAS},
                     {"GOTO_NUM_THREADS", READS_BLAS},
                     {"MKL_NUM_THREADS", READS_BLAS},
                     {"MKL_DYNAMIC", READS_BLAS},
                     {"BLIS_NUM_THREADS", READS_BLAS},
                     {"VECLIB_MAXIMUM_THREADS", READS_BLAS},
                     {"NUMBA_NUM_THREADS", READS_NUMBA},
                     {"NUMBA_THREADING_LAYER", READS_NUMBA},
                     {"NUMBA_THREADING_LAYER_PRIORITY", READS_NUMBA},
                     {"NUMEXPR_NUM_THREADS", READS_NUMEXPR},
                     {"NUMEXPR_MAX_THREADS", READS_NUMEXPR},
                     {"TF_NUM_INTRAOP_THREADS", READS_TENSORFLOW},
                     {"TF_NUM_INTEROP_THREADS", READS_TENSORFLOW},
                     {"POLARS_MAX_THREADS", READS_POLARS}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (strcmp(variables[i].name, variable) == 0)
            return variables[i].readers;
    return 0;
}

static uint32_t library_reads(const char *module)
{
    enum { NUMPY = READS_OMP | READS_BLAS };
    static const struct {
        const char *module;
        uint32_t reads;
    } libraries[] = {{"numpy", NUMPY},
                     {"scipy", NUMPY},
                     {"sklearn", NUMPY},
                     {"skimage", NUMPY},
                     {"statsmodels", NUMPY},
                     {"matplotlib", NUMPY},
                     {"torch", NUMPY},
                     {"torchvision", NUMPY},
                     {"cv2", NUMPY},
                     {"faiss", NUMPY},
                     {"xgboost", NUMPY},
                     {"lightgbm", NUMPY},
                     {"jax", NUMPY},
                     {"onnxruntime", NUMPY},
                     {"openvino", NUMPY},
                     {"mkl", NUMPY},
                     {"transformers", NUMPY},
                     {"seaborn", NUMPY},
                     {"networkit", NUMPY},
                     {"xarray", NUMPY | READS_NUMEXPR},
                     {"pandas", NUMPY | READS_NUMEXPR},
                     {"numexpr", NUMPY | READS_NUMEXPR},
                     {"tables", NUMPY | READS_NUMEXPR},
                     {"numba", NUMPY | READS_NUMBA},
                     {"umap", NUMPY | READS_NUMBA},
                     {"pynndescent", NUMPY | READS_NUMBA},
                     {"stumpy", NUMPY | READS_NUMBA},
                     {"datashader", NUMPY | READS_NUMBA},
                     {"tensorflow", NUMPY | READS_TENSORFLOW},
                     {"keras", NUMPY | READS_TENSORFLOW},
                     {"polars", READS_POLARS}};
    size_t length = strcspn(module, ".");
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strlen(libraries[i].module) == length &&
            strncmp(libraries[i].module, module, length) == 0)
            return libraries[i].reads;
    return 0;
}

/* ---- imports ---- */

static bool is_import(const Facts *facts, const Unit *unit, AstNode node)
{
    return ast_kind(unit->ast, node) == AST_OTHER &&
           strcmp(text_of(facts, unit, node), "import") == 0;
}

/* if TYPE_CHECKING: read by type checkers only */
static bool is_for_types(const Facts *facts, const Unit *unit, AstNode node)
{
    for (AstNode up = ast_parent(unit->ast, node); up != 0; up = ast_parent(unit->ast, up)) {
        if (ast_kind(unit->ast, up) != AST_BRANCH)
            continue;
        FOR_EACH_NODE (unit->ast, at, ast_first(unit->ast, up))
            if (strstr(text_of(facts, unit, at), "TYPE_CHECKING") != NULL)
                return true;
    }
    return false;
}

typedef struct Modules {
    const Unit *seen[MOST_MODULES];
    uint32_t count;
} Modules;

static uint32_t unit_reads(const Facts *facts, const Unit *unit, Modules *modules);

/* What importing "pkg.mod.name" has read: a library of the table, or a module of the program with
 * the packages it lies in. */
static uint32_t import_reads(const Facts *facts, const Unit *unit, const char *full,
                             Modules *modules)
{
    char module[LONGEST_MODULE];
    uint32_t reads = library_reads(full);
    size_t length = strlen(full);
    if (reads != 0 || length >= sizeof module)
        return reads;
    memcpy(module, full, length + 1);
    for (;;) {
        const Unit *imported = program_module(facts->program, unit, module);
        if (imported != NULL && imported != unit)
            reads |= unit_reads(facts, imported, modules);
        char *dot = strrchr(module, '.');
        if (dot == NULL)
            return reads;
        *dot = '\0';
    }
}

static uint32_t statement_reads(const Facts *facts, const Unit *unit, AstNode statement,
                                Modules *modules)
{
    uint32_t reads = 0;
    FOR_EACH_CHILD (unit->ast, name, statement)
        reads |= import_reads(facts, unit, text_of(facts, unit, name), modules);
    return reads;
}

static uint32_t unit_reads(const Facts *facts, const Unit *unit, Modules *modules)
{
    uint32_t reads = 0;
    for (uint32_t i = 0; i < modules->count; i++)
        if (modules->seen[i] == unit)
            return 0;
    if (modules->count == MOST_MODULES)
        return 0;
    modules->seen[modules->count++] = unit;
    for (AstNode node = 1; node < unit->ast->nodes.count; node++)
        if (is_import(facts, unit, node) && ast_function_of(unit->ast, node) == 0 &&
            !is_for_types(facts, unit, node))
            reads |= statement_reads(facts, unit, node, modules);
    return reads;
}

/* The function is handed on, as a worker, an initialiser or a target: it runs elsewhere. */
static bool is_handed_on(const Facts *facts, const Unit *unit, FunctionId function)
{
    for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
        AstNode parent = ast_parent(unit->ast, node);
        AstKind around = ast_kind(unit->ast, parent);
        if (ast_kind(unit->ast, node) == AST_NAME &&
            (around == AST_KEYWORD || around == AST_CALL) &&
            !(around == AST_CALL && ast_first(unit->ast, parent) == node) &&
            program_function_named(facts->program, unit, node) == function)
            return true;
    }
    return false;
}

/* The first call of the function by the module itself: its place in the text; UINT32_MAX none. */
static uint32_t called_by_module(const Facts *facts, const Unit *unit, FunctionId function)
{
    for (AstNode node = 1; node < unit->ast->nodes.count; node++)
        if (ast_kind(unit->ast, node) == AST_CALL && ast_function_of(unit->ast, node) == 0 &&
            facts_callee(facts, unit, node) == function)
            return ast_at(unit->ast, node)->start;
    return UINT32_MAX;
}

/* Both stand under one branch, on different sides. */
static bool is_alternative(const Ast *ast, AstNode left, AstNode right)
{
    AstNode part = left;
    for (AstNode up = ast_parent(ast, left); up != 0; part = up, up = ast_parent(ast, up))
        if (ast_holds(ast, up, right))
            return ast_kind(ast, up) == AST_BRANCH && part != ast_first(ast, up) &&
                   !ast_holds(ast, ast_first(ast, up), right);
    return false;
}

/* The import in front of a setting that has read the variable. Module code runs from top to bottom;
 * a function runs after it, unless the module calls it. */
static AstNode reading_import(const Facts *facts, const Unit *unit, AstNode setting,
                              uint32_t readers)
{
    const Ast *ast = unit->ast;
    AstFunction function = ast_function_of(ast, setting);
    FunctionId id = program_function(facts->program, unit, function);
    uint32_t start = ast_at(ast, setting)->start;
    uint32_t module_runs = function == 0 ? start : called_by_module(facts, unit, id);
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        if (!is_import(facts, unit, node) || is_for_types(facts, unit, node))
            continue;
        AstFunction of = ast_function_of(ast, node);
        uint32_t limit = of == 0 ? module_runs : start;
        Modules modules = {.seen = {unit}, .count = 1};
        if ((of == 0 || of == function) && ast_at(ast, node)->start < limit &&
            !is_alternative(ast, node, setting) &&
            (statement_reads(facts, unit, node, &modules) & readers) != 0)
            return node;
    }
    return 0;
}

/* ---- settings ---- */

static bool is_environment(const Facts *facts, const Unit *unit, AstNode node)
{
    char name[THREADS_NAME];
    threads_named(facts, unit, node, name);
    return strcmp(name, "os.environ") == 0;
}

/* The first thread variable among the strings of an expression; a name stands for the strings it
 * runs through or was set to. */
static const char *variable_in(const Facts *facts, const Unit *unit, AstNode key, int depth)
{
    const Ast *ast = unit->ast;
    if (key == 0 || depth > 3)
        return NULL;
    const AstNodeData *data = ast_at(ast, key);
    const SymbolUse *use = &facts->uses[unit->id][data->symbol];
    switch (data->kind) {
    case AST_STRING: {
        const char *text = text_of(facts, unit, key);
        return readers_of(text) != 0 ? text : NULL;
    }
    case AST_NAME:
        if (data->symbol != 0 && use->loop != 0)
            return variable_in(facts, unit, loop_start(ast, use->loop), depth + 1);
        return data->symbol == 0 ? NULL : variable_in(facts, unit, use->value, depth + 1);
    case AST_TUPLE:
    case AST_LIST:
    case AST_SET:
    case AST_DICT:
    case AST_CALL:
    case AST_FIELD:
        FOR_EACH_CHILD (ast, item, key) {
            const char *variable = variable_in(facts, unit, item, depth + 1);
            if (variable != NULL)
                return variable;
        }
        return NULL;
    default:
        return NULL;
    }
}

/* os.environ.update({…}) or update(OMP_NUM_THREADS="4") */
static const char *updated_variable(const Facts *facts, const Unit *unit, AstNode call)
{
    for (AstNode argument = ast_child(unit->ast, call, 1); argument != 0;
         argument = ast_next(unit->ast, argument)) {
        bool keyword = ast_kind(unit->ast, argument) == AST_KEYWORD;
        const char *name = text_of(facts, unit, argument);
        if (keyword && readers_of(name) != 0)
            return name;
        const char *variable = keyword ? NULL : variable_in(facts, unit, argument, 0);
        if (variable != NULL)
            return variable;
    }
    return NULL;
}

/* putenv("OMP_NUM_THREADS=4") */
static const char *put_variable(const Facts *facts, const Unit *unit, AstNode argument)
{
    if (argument == 0 || ast_kind(unit->ast, argument) != AST_STRING)
        return NULL;
    const char *text = text_of(facts, unit, argument);
    size_t length = strcspn(text, "=");
    const char *name = arena_strndup(facts->arena, text, length);
    return text[length] == '=' && readers_of(name) != 0 ? name : NULL;
}

static const char *set_by_call(const Facts *facts, const Unit *unit, AstNode call)
{
    char name[THREADS_NAME];
    threads_called(facts, unit, call, name);
    AstNode first = ast_child(unit->ast, call, 1);
    bool python = unit->language == LANGUAGE_PYTHON;
    if (strcmp(name, "os.environ.update") == 0)
        return updated_variable(facts, unit, call);
    if (strcmp(name, "os.environ.setdefault") == 0 || strcmp(name, "os.putenv") == 0 ||
        (!python && strcmp(name, "setenv") == 0))
        return variable_in(facts, unit, first, 0);
    return !python && strcmp(name, "putenv") == 0 ? put_variable(facts, unit, first) : NULL;
}

/* The thread variable that a statement or call sets; NULL if it sets none. */
static const char *set_variable(const Facts *facts, const Unit *unit, AstNode node)
{
    const Ast *ast = unit->ast;
    if (ast_kind(ast, node) == AST_CALL)
        return set_by_call(facts, unit, node);
    if (ast_kind(ast, node) != AST_ASSIGN || unit->language != LANGUAGE_PYTHON)
        return NULL;
    AstNode target = ast_first(ast, node);
    if (ast_kind(ast, target) == AST_INDEX && is_environment(facts, unit, ast_first(ast, target)))
        return variable_in(facts, unit, ast_child(ast, target, 1), 0);
    if (ast_at(ast, node)->op == OP_OR && is_environment(facts, unit, target))
        return variable_in(facts, unit, ast_child(ast, node, 1), 0);
    return NULL;
}

/* ---- who else reads it ---- */

/* subprocess32.check_output(…), sh.Popen(…): whose ever it is, a process starts. */
static bool is_named_for_it(const Facts *facts, Name word)
{
    static const char *const words[] = {"check_output", "check_call", "Popen"};
    const char *name = intern_text(facts->program->names, word);
    const char *dot = strrchr(name, '.');
    name = dot == NULL ? name : dot + 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}

static bool starts_child(const Facts *facts, const Unit *unit, AstNode call)
{
    static const char *const starts[] = {"subprocess.",
                                         "os.system",
                                         "os.popen",
                                         "os.exec",
                                         "os.spawn",
                                         "os.posix_spawn",
                                         "asyncio.create_subprocess",
                                         "multiprocessing.",
                                         "concurrent.futures.Process",
                                         "concurrent.futures.process.",
                                         "torch.multiprocessing.",
                                         "joblib.Parallel",
                                         "ray.",
                                         "dask.",
                                         "pexpect."};
    static const char *const calls[] = {
        "fork",   "vfork",  "system", "popen",  "posix_spawn", "posix_spawnp", "execl",
        "execlp", "execle", "execv",  "execve", "execvp",      "execvpe",      "fexecve"};
    char name[THREADS_NAME];
    threads_called(facts, unit, call, name);
    if (unit->language != LANGUAGE_PYTHON) {
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
            if (strcmp(name, calls[i]) == 0)
                return true;
        return false;
    }
    AstNode callee = ast_first(unit->ast, call);
    if (callee != 0 && is_named_for_it(facts, ast_at(unit->ast, callee)->name))
        return true;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return strstr(name, "cpu_count") == NULL && strstr(name, "freeze_support") == NULL;
    return false;
}

/* A process that is started later inherits the environment and reads it anew: any in the unit that
 * does not stand in front of the setting in the same function. */
static bool has_later_child(const Facts *facts, const Unit *unit, AstNode setting)
{
    const Ast *ast = unit->ast;
    AstFunction function = ast_function_of(ast, setting);
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        bool before = ast_function_of(ast, node) == function &&
                      ast_at(ast, node)->start < ast_at(ast, setting)->start;
        if (ast_kind(ast, node) == AST_CALL && !before && starts_child(facts, unit, node))
            return true;
    }
    return false;
}

/* Another function of the program asks for the variable itself. */
static bool program_reads(const Facts *facts, const Unit *setter, AstNode setting,
                          const char *variable)
{
    AstFunction own = ast_function_of(setter->ast, setting);
    for (uint32_t i = 0; i < facts->program->unit_count; i++) {
        const Unit *unit = facts->program->units[i];
        for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
            if (ast_kind(unit->ast, node) != AST_CALL ||
                (unit == setter && ast_function_of(unit->ast, node) == own))
                continue;
            AstNode key = ast_child(unit->ast, node, 1);
            if (key == 0 || ast_kind(unit->ast, key) != AST_STRING ||
                strcmp(text_of(facts, unit, key), variable) != 0)
                continue;
            char name[THREADS_NAME];
            threads_called(facts, unit, node, name);
            if (strcmp(name, "os.environ.get") == 0 || strcmp(name, "os.getenv") == 0 ||
                strcmp(name, "getenv") == 0)
                return true;
        }
    }
    return false;
}

static bool reloads_numba(const Facts *facts, const Unit *unit)
{
    for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
        AstKind kind = ast_kind(unit->ast, node);
        if ((kind == AST_NAME || kind == AST_FIELD) &&
            strstr(text_of(facts, unit, node), "reload_config") != NULL)
            return true;
    }
    return false;
}

static bool late_in_python(const Facts *facts, const Unit *unit, AstNode node, LateSetting *late)
{
    uint32_t readers = readers_of(late->variable);
    FunctionId function = program_function(facts->program, unit, ast_function_of(unit->ast, node));
    AstNode import = reading_import(facts, unit, node, readers);
    if (import == 0 || program_reads(facts, unit, node, late->variable))
        return false;
    if ((readers & READS_NUMBA) != 0 && reloads_numba(facts, unit))
        return false;
    bool worker = function != 0 && is_handed_on(facts, unit, function);
    if (!worker && has_later_child(facts, unit, node))
        return false;
    late->reader_unit = unit;
    late->reader = import;
    late->raises = strcmp(late->variable, "NUMBA_NUM_THREADS") == 0;
    return true;
}

/* ---- C: regions in front of a setting ---- */

static bool runs_team(const Facts *facts, FunctionId function, Map *seen)
{
    const FunctionFacts *own = &facts->functions[function];
    const Unit *unit = program_function_unit(facts->program, function);
    if (map_get(seen, function) != 0)
        return false;
    map_set(seen, function, 1);
    if (own->parallel)
        FOR_EACH_NODE (unit->ast, node, program_function_data(facts->program, function)->node)
            if (ast_starts_team(unit->ast, node))
                return true;
    for (uint32_t i = 0; i < own->callees.count; i++)
        if (runs_team(facts, own->callees.items[i], seen))
            return true;
    return false;
}

/* A region, or a call that runs one, before `node` in its function or in a loop around both. */
static AstNode team_before(const Facts *facts, const Unit *unit, AstNode node)
{
    const Ast *ast = unit->ast;
    AstNode function = node, loop = 0;
    for (; function != 0 && ast_kind(ast, function) != AST_FUNCTION;
         function = ast_parent(ast, function))
        loop = ast_kind(ast, function) == AST_LOOP ? function : loop;
    if (function == 0)
        return 0;
    Map seen = map_new(facts->arena); /* functions that run none, so far */
    FOR_EACH_NODE (ast, at, function) {
        bool before = at < node || (loop != 0 && ast_holds(ast, loop, at));
        FunctionId callee = ast_kind(ast, at) == AST_CALL ? facts_callee(facts, unit, at) : 0;
        bool team = ast_starts_team(unit->ast, at) ||
                    (callee != 0 && runs_team(facts, callee, &seen));
        if (before && team && !ast_holds(ast, at, node) && !is_alternative(ast, at, node))
            return at;
    }
    return 0;
}

static bool ran_before(const Facts *facts, const Unit *unit, AstNode node, int depth,
                       LateSetting *late)
{
    AstNode team = team_before(facts, unit, node);
    if (team != 0) {
        late->reader_unit = unit;
        late->reader = team;
        return true;
    }
    FunctionId function = program_function(facts->program, unit, ast_function_of(unit->ast, node));
    for (uint32_t i = 0; depth < DEEPEST_CALLERS && i < facts->functions[function].callers.count;
         i++) {
        const Caller *caller = &facts->functions[function].callers.items[i];
        if (ran_before(facts, caller->unit, caller->call, depth + 1, late))
            return true;
    }
    return false;
}

/* The setting, or a call of its function, is followed by the start of another program. */
static bool is_for_child(const Facts *facts, const Unit *unit, AstNode node, int depth)
{
    const Ast *ast = unit->ast;
    AstFunction function = ast_function_of(ast, node);
    for (AstNode at = node + 1; at < ast->nodes.count && ast_function_of(ast, at) == function; at++)
        if (ast_kind(ast, at) == AST_CALL && starts_child(facts, unit, at))
            return true;
    FunctionId id = program_function(facts->program, unit, function);
    for (uint32_t i = 0; depth < 2 && i < facts->functions[id].callers.count; i++) {
        const Caller *caller = &facts->functions[id].callers.items[i];
        if (is_for_child(facts, caller->unit, caller->call, depth + 1))
            return true;
    }
    return false;
}

static bool late_in_c(const Facts *facts, const Unit *unit, AstNode node, LateSetting *late)
{
    FunctionId function = program_function(facts->program, unit, ast_function_of(unit->ast, node));
    if (function == 0 || (readers_of(late->variable) & READS_OMP) == 0 ||
        is_for_child(facts, unit, node, 0) || program_reads(facts, unit, node, late->variable))
        return false;
    if (ran_before(facts, unit, node, 0, late))
        return true;
    for (uint32_t i = 0; i < facts->program->unit_count; i++) {
        const Unit *other = facts->program->units[i];
        for (AstNode at = 1; at < other->ast->nodes.count; at++)
            if (ast_starts_team(other->ast, at)) {
                late->loaded = true;
                return true;
            }
    }
    return false;
}

bool threads_late_setting(const Facts *facts, const Unit *unit, AstNode node, LateSetting *late)
{
    *late = (LateSetting){.variable = set_variable(facts, unit, node)};
    if (late->variable == NULL)
        return false;
    return unit->language == LANGUAGE_PYTHON ? late_in_python(facts, unit, node, late)
                                             : late_in_c(facts, unit, node, late);
}
