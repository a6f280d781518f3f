/* Where a count of processors goes: followed from the call that asks for it through expressions,
 * variables, fields, parameters and returned values to what starts threads with it. A count that
 * is only printed, compared or used as an index goes nowhere. */
#include "analyzer/facts/library.h"
#include "analyzer/facts/threads.h"

#include <string.h>

enum { DEEPEST_FLOW = 24, MOST_STEPS = 4000 };

typedef struct Flow {
    const Facts *facts;
    Map seen; /* variables that were followed */
    uint32_t steps;
    TeamSize *use;
    int64_t most; /* of a min() that was passed through */
} Flow;

static bool value_goes(Flow *flow, const Unit *unit, AstNode value, int depth);

/* ---- words ---- */

static bool is_one_of(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}
#define IS_ONE_OF(name, words) is_one_of(name, words, sizeof(words) / sizeof *(words))

static bool is_count_query(const char *name)
{
    static const char *const queries[] = {"os.cpu_count",
                                          "multiprocessing.cpu_count",
                                          "multiprocessing.get_context().cpu_count",
                                          "multiprocess.cpu_count",
                                          "torch.multiprocessing.cpu_count",
                                          "psutil.cpu_count",
                                          "get_nprocs",
                                          "get_nprocs_conf"};
    return IS_ONE_OF(name, queries);
}

/* sysconf(_SC_NPROCESSORS_ONLN), os.sysconf("SC_NPROCESSORS_ONLN") */
static bool is_sysconf_query(const Facts *facts, const Unit *unit, AstNode call, const char *name)
{
    AstNode what = ast_child(unit->ast, call, 1);
    if (what == 0 || (strcmp(name, "sysconf") != 0 && strcmp(name, "os.sysconf") != 0))
        return false;
    return strstr(intern_text(facts->program->names, ast_at(unit->ast, what)->name),
                  "SC_NPROCESSORS_") != NULL;
}

/* Names that only a number of workers has. */
static bool is_worker_word(const char *name)
{
    static const char *const words[] = {"max_workers",
                                        "num_workers",
                                        "n_workers",
                                        "nworkers",
                                        "workers",
                                        "worker_count",
                                        "n_jobs",
                                        "num_jobs",
                                        "njobs",
                                        "nthreads",
                                        "n_threads",
                                        "num_threads",
                                        "max_threads",
                                        "thread_count",
                                        "threads_count",
                                        "processes",
                                        "num_processes",
                                        "n_processes",
                                        "nprocs",
                                        "n_procs",
                                        "num_procs",
                                        "max_processes",
                                        "intra_op_num_threads",
                                        "inter_op_num_threads",
                                        "intra_op_threads",
                                        "max_num_threads",
                                        "numThreads",
                                        "nbThreads",
                                        "numWorkers",
                                        "threadCount"};
    while (*name == '_')
        name++;
    return IS_ONE_OF(name, words);
}

bool threads_is_variable(const char *name)
{
    static const char *const ends[] = {"_NUM_THREADS",  "_MAX_THREADS",     "_MAXIMUM_THREADS",
                                       "_THREAD_LIMIT", "_INTRAOP_THREADS", "_INTEROP_THREADS"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);
        if (length > end && strcmp(name + length - end, ends[i]) == 0)
            return true;
    }
    return false;
}

/* ---- what takes a number of threads ---- */

typedef struct Taker {
    const char *name;
    int place;
    const char *keyword;
    const char *what;
} Taker;

static const Taker takers[] = {
    {"concurrent.futures.ThreadPoolExecutor", 0, "max_workers", "ThreadPoolExecutor"},
    {"concurrent.futures.thread.ThreadPoolExecutor", 0, "max_workers", "ThreadPoolExecutor"},
    {"concurrent.futures.ProcessPoolExecutor", 0, "max_workers", "ProcessPoolExecutor"},
    {"concurrent.futures.process.ProcessPoolExecutor", 0, "max_workers", "ProcessPoolExecutor"},
    {"concurrent.futures.InterpreterPoolExecutor", 0, "max_workers", "InterpreterPoolExecutor"},
    {"multiprocessing.Pool", 0, "processes", "multiprocessing.Pool"},
    {"multiprocessing.pool.Pool", 0, "processes", "multiprocessing.Pool"},
    {"multiprocessing.pool.ThreadPool", 0, "processes", "ThreadPool"},
    {"multiprocessing.dummy.Pool", 0, "processes", "ThreadPool"},
    {"multiprocessing.get_context().Pool", 0, "processes", "multiprocessing.Pool"},
    {"torch.multiprocessing.Pool", 0, "processes", "multiprocessing.Pool"},
    {"torch.multiprocessing.get_context().Pool", 0, "processes", "multiprocessing.Pool"},
    {"multiprocess.Pool", 0, "processes", "Pool"},
    {"joblib.Parallel", 0, "n_jobs", "joblib.Parallel"},
    {"torch.set_num_threads", 0, "num", "torch.set_num_threads"},
    {"torch.set_num_interop_threads", 0, "num", "torch.set_num_interop_threads"},
    {"numba.set_num_threads", 0, "n", "numba.set_num_threads"},
    {"mkl.set_num_threads", 0, NULL, "mkl.set_num_threads"},
    {"numexpr.set_num_threads", 0, "nthreads", "numexpr.set_num_threads"},
    {"cv2.setNumThreads", 0, NULL, "cv2.setNumThreads"},
    {"faiss.omp_set_num_threads", 0, NULL, "faiss.omp_set_num_threads"},
    {"threadpoolctl.threadpool_limits", 0, "limits", "threadpool_limits"},
    {"omp_set_num_threads", 0, NULL, "omp_set_num_threads"},
    {"openblas_set_num_threads", 0, NULL, "openblas_set_num_threads"},
    {"goto_set_num_threads", 0, NULL, "goto_set_num_threads"},
    {"mkl_set_num_threads", 0, NULL, "mkl_set_num_threads"},
    {"MKL_Set_Num_Threads", 0, NULL, "MKL_Set_Num_Threads"},
    {"fftw_plan_with_nthreads", 0, NULL, "fftw_plan_with_nthreads"},
    {"fftwf_plan_with_nthreads", 0, NULL, "fftwf_plan_with_nthreads"},
    {"g_thread_pool_new", 2, NULL, "g_thread_pool_new"},
    {"thpool_init", 0, NULL, "thpool_init"},
    {"pthread_setconcurrency", 0, NULL, "pthread_setconcurrency"},
};

static const Taker *taker_of(const char *name)
{
    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
        if (strcmp(takers[i].name, name) == 0)
            return &takers[i];
    return NULL;
}

/* The value comes out of the call as it went in, or as a part of it. */
static bool passes_through(const char *name)
{
    static const char *const names[] = {
        "max",       "min",           "int",           "float",         "str",  "round",
        "abs",       "math.floor",    "math.ceil",     "math.sqrt",     "repr", "os.environ.get",
        "os.getenv", "numpy.clip",    "numpy.minimum", "numpy.maximum", "MIN",  "MAX",
        "getattr",   "operator.index"};
    const char *last = strrchr(name, '.');
    return IS_ONE_OF(name, names) || (last != NULL && strcmp(last, ".get") == 0);
}

static bool found(Flow *flow, const Unit *unit, AstNode node, const char *what)
{
    *flow->use = (TeamSize){unit, node, what, flow->most};
    return true;
}

/* ---- loops that start threads ---- */

static bool starts_thread(const Facts *facts, const Unit *unit, AstNode call)
{
    static const char *const names[] = {"threading.Thread",
                                        "multiprocessing.Process",
                                        "multiprocessing.context.Process",
                                        "multiprocessing.get_context().Process",
                                        "torch.multiprocessing.Process",
                                        "pthread_create",
                                        "thrd_create",
                                        "fork",
                                        "g_thread_new",
                                        "CreateThread",
                                        "_beginthreadex"};
    char name[THREADS_NAME];
    threads_called(facts, unit, call, name);
    if (IS_ONE_OF(name, names))
        return true;
    if (unit->language == LANGUAGE_PYTHON)
        return false;
    FunctionId callee = facts_callee(facts, unit, call);
    if (callee == 0)
        return false;
    const Unit *where = program_function_unit(facts->program, callee);
    FOR_EACH_NODE (where->ast, node, program_function_data(facts->program, callee)->node) {
        if (ast_kind(where->ast, node) != AST_CALL || facts_callee(facts, where, node) != 0)
            continue;
        threads_called(facts, where, node, name);
        if (IS_ONE_OF(name, names))
            return true;
    }
    return false;
}

/* Of a comprehension, its loops stand beside what is made in each turn. */
static bool loop_starts_threads(const Facts *facts, const Unit *unit, AstNode loop)
{
    AstNode parent = ast_parent(unit->ast, loop);
    AstNode around = ast_kind(unit->ast, parent) == AST_COMPREHENSION ? parent : loop;
    FOR_EACH_NODE (unit->ast, node, around)
        if (ast_kind(unit->ast, node) == AST_CALL && starts_thread(facts, unit, node))
            return true;
    return false;
}

/* ---- following ---- */

static bool is_target(const Ast *ast, AstNode node)
{
    return ast_is_target(ast, node) && ast_at(ast, ast_parent(ast, node))->op == OP_NONE;
}

static bool uses_go(Flow *flow, const Unit *unit, AstSymbol symbol, int depth)
{
    for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
        const AstNodeData *data = ast_at(unit->ast, node);
        if (data->kind == AST_NAME && data->symbol == symbol && !is_target(unit->ast, node) &&
            value_goes(flow, unit, node, depth))
            return true;
    }
    return false;
}

/* A global of a module, under its full name in other modules. */
static bool imports_go(Flow *flow, const Unit *unit, AstSymbol symbol, int depth)
{
    const Facts *facts = flow->facts;
    const char *name = intern_text(facts->program->names, unit->ast->symbols.items[symbol].name);
    Name full =
        intern_find(facts->program->names, arena_printf(facts->arena, "%s.%s", unit->module, name));
    for (uint32_t i = 0; full != 0 && i < facts->program->unit_count; i++) {
        const Unit *other = facts->program->units[i];
        if (other == unit || other->language != LANGUAGE_PYTHON)
            continue;
        for (AstNode node = 1; node < other->ast->nodes.count; node++) {
            const AstNodeData *data = ast_at(other->ast, node);
            if (data->kind == AST_NAME && data->name == full &&
                (data->flags & AST_QUALIFIED) != 0 && value_goes(flow, other, node, depth))
                return true;
        }
    }
    return false;
}

static bool symbol_goes(Flow *flow, const Unit *unit, AstSymbol symbol, int depth)
{
    uint64_t key = map_pair(unit->id, symbol);
    if (symbol == 0 || map_get(&flow->seen, key) != 0)
        return false;
    map_set(&flow->seen, key, 1);
    if (uses_go(flow, unit, symbol, depth))
        return true;
    const AstSymbolData *data = &unit->ast->symbols.items[symbol];
    return unit->language == LANGUAGE_PYTHON && data->kind == SYMBOL_GLOBAL &&
           imports_go(flow, unit, symbol, depth);
}

/* self.workers, pool->threads: wherever the unit reads a field of that name. */
static bool field_goes(Flow *flow, const Unit *unit, AstNode field, int depth)
{
    Name name = ast_at(unit->ast, field)->name;
    if (is_worker_word(intern_text(flow->facts->program->names, name)) &&
        unit->language == LANGUAGE_PYTHON)
        return found(flow, unit, field, intern_text(flow->facts->program->names, name));
    uint64_t key = map_pair(unit->id, 0) ^ ((uint64_t)name << 33 | 1);
    if (map_get(&flow->seen, key) != 0)
        return false;
    map_set(&flow->seen, key, 1);
    for (AstNode node = 1; node < unit->ast->nodes.count; node++)
        if (ast_kind(unit->ast, node) == AST_FIELD && ast_at(unit->ast, node)->name == name &&
            !is_target(unit->ast, node) && value_goes(flow, unit, node, depth))
            return true;
    return false;
}

/* os.environ["OMP_NUM_THREADS"] = …, options["max_workers"] = … */
static bool key_goes(Flow *flow, const Unit *unit, AstNode node, AstNode key)
{
    const char *text = key != 0 && ast_kind(unit->ast, key) == AST_STRING
                           ? intern_text(flow->facts->program->names, ast_at(unit->ast, key)->name)
                           : "";
    if (threads_is_variable(text) || is_worker_word(text))
        return found(flow, unit, node, text);
    return false;
}

static bool target_goes(Flow *flow, const Unit *unit, AstNode target, int depth)
{
    const Ast *ast = unit->ast;
    switch (ast_kind(ast, target)) {
    case AST_NAME:
        return symbol_goes(flow, unit, ast_at(ast, target)->symbol, depth);
    case AST_FIELD:
        return field_goes(flow, unit, target, depth);
    case AST_INDEX:
        return key_goes(flow, unit, target, ast_child(ast, target, 1));
    default:
        return false;
    }
}

static bool parameter_goes(Flow *flow, const Unit *caller, AstNode call, AstNode argument,
                           FunctionId callee, int depth)
{
    const Unit *unit = program_function_unit(flow->facts->program, callee);
    const AstFunctionData *function = program_function_data(flow->facts->program, callee);
    uint32_t index = 0;
    for (AstNode at = ast_child(caller->ast, call, 1); at != 0 && at != argument;
         at = ast_next(caller->ast, at))
        index++;
    if (ast_kind(caller->ast, argument) == AST_KEYWORD) {
        Name keyword = ast_at(caller->ast, argument)->name;
        for (index = 0; index < function->params.count; index++)
            if (unit->ast->symbols.items[function->params.items[index]].name == keyword)
                break;
    }
    return index < function->params.count &&
           symbol_goes(flow, unit, function->params.items[index], depth);
}

/* set_num_threads(n), worker_pool_create(n): undefined in the program, and named like it. */
static bool is_taker_by_habit(const Unit *unit, const char *name)
{
    static const char *const verbs[] = {"set", "init", "create", "new", "start", "spawn", "launch"};
    static const char *const nouns[] = {"threads", "pool", "workers"};
    if (unit->language == LANGUAGE_PYTHON || strncmp(name, "pthread_", 8) == 0)
        return false;
    bool verb = false, noun = false;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        verb |= strcasestr(name, verbs[i]) != NULL;
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        noun |= strcasestr(name, nouns[i]) != NULL;
    return verb && noun;
}

/* Through the call, and out of it with a bound where it is min(…, 4). */
static bool bounded_goes(Flow *flow, const Unit *unit, AstNode call, const char *name, int depth)
{
    int64_t outer = flow->most, bound;
    bool least = strcmp(name, "min") == 0 || strcmp(name, "MIN") == 0;
    for (AstNode at = least ? ast_child(unit->ast, call, 1) : 0; at != 0;
         at = ast_next(unit->ast, at))
        if (ast_constant(unit->ast, at, &bound) && bound > 0 &&
            (flow->most == 0 || bound < flow->most))
            flow->most = bound;
    bool goes = value_goes(flow, unit, call, depth);
    flow->most = outer;
    return goes;
}

static bool argument_goes(Flow *flow, const Unit *unit, AstNode call, AstNode argument, int depth)
{
    const Ast *ast = unit->ast;
    const Facts *facts = flow->facts;
    char name[THREADS_NAME];
    if (ast_first(ast, call) == argument)
        return false;
    threads_called(facts, unit, call, name);
    const Taker *taker = taker_of(name);
    AstNode value = ast_kind(ast, argument) == AST_KEYWORD ? ast_first(ast, argument) : argument;
    if (taker != NULL && threads_argument(facts, unit, call, taker->keyword, taker->place) == value)
        return found(flow, unit, call, taker->what);
    if (passes_through(name))
        return bounded_goes(flow, unit, call, name, depth);
    AstNode first = ast_child(ast, call, 1);
    if (strcmp(name, "os.environ.setdefault") == 0 || strcmp(name, "os.putenv") == 0 ||
        strcmp(name, "setenv") == 0)
        return key_goes(flow, unit, call, first);
    const char *keyword = ast_kind(ast, argument) == AST_KEYWORD
                              ? intern_text(facts->program->names, ast_at(ast, argument)->name)
                              : "";
    if (is_worker_word(keyword))
        return found(flow, unit, call, keyword);
    FunctionId callee = facts_callee(facts, unit, call);
    if (callee != 0)
        return parameter_goes(flow, unit, call, argument, callee, depth);
    return is_taker_by_habit(unit, name) && found(flow, unit, call, "a pool of threads");
}

/* What a function returns goes where its calls stand. */
static bool returned_goes(Flow *flow, const Unit *unit, AstNode value, int depth)
{
    const Facts *facts = flow->facts;
    FunctionId function = program_function(facts->program, unit, ast_function_of(unit->ast, value));
    if (function == 0 || map_get(&flow->seen, map_pair(UINT32_MAX - 1, function)) != 0)
        return false;
    map_set(&flow->seen, map_pair(UINT32_MAX - 1, function), 1);
    for (uint32_t i = 0; i < facts->functions[function].callers.count; i++) {
        const Caller *caller = &facts->functions[function].callers.items[i];
        if (value_goes(flow, caller->unit, caller->call, depth))
            return true;
    }
    return false;
}

static bool binary_goes(Flow *flow, const Unit *unit, AstNode binary, AstNode value, int depth)
{
    AstOp op = (AstOp)ast_at(unit->ast, binary)->op;
    bool divisor = op == OP_DIV || op == OP_FLOORDIV || op == OP_MOD;
    if (divisor && ast_first(unit->ast, binary) != value)
        return false; /* items per worker */
    return value_goes(flow, unit, binary, depth);
}

static bool keyed_goes(Flow *flow, const Unit *unit, AstNode dict, AstNode value)
{
    AstNode key = 0;
    bool is_value = false;
    FOR_EACH_CHILD (unit->ast, item, dict) {
        if (is_value && item == value)
            return key_goes(flow, unit, dict, key);
        key = item;
        is_value = !is_value;
    }
    return false;
}

static bool value_goes(Flow *flow, const Unit *unit, AstNode value, int depth)
{
    const Ast *ast = unit->ast;
    AstNode parent = ast_parent(ast, value);
    if (depth > DEEPEST_FLOW || flow->steps++ > MOST_STEPS)
        return false;
    depth++;
    switch (ast_kind(ast, parent)) {
    case AST_BINARY:
        return binary_goes(flow, unit, parent, value, depth);
    case AST_UNARY:
        return ast_at(ast, parent)->op != OP_NOT && value_goes(flow, unit, parent, depth);
    case AST_CAST:
    case AST_LOGIC:
    case AST_KEYWORD:
        return value_goes(flow, unit, parent, depth);
    case AST_CONDITIONAL:
        return ast_first(ast, parent) != value && value_goes(flow, unit, parent, depth);
    case AST_CALL:
        return argument_goes(flow, unit, parent, value, depth);
    case AST_ASSIGN:
        return ast_child(ast, parent, 1) == value &&
               target_goes(flow, unit, ast_first(ast, parent), depth);
    case AST_DECL:
    case AST_PARAM:
        return symbol_goes(flow, unit, ast_at(ast, parent)->symbol, depth);
    case AST_RETURN:
        return returned_goes(flow, unit, value, depth);
    case AST_DICT:
        return keyed_goes(flow, unit, parent, value);
    case AST_CLAUSE:
        return ast_at(ast, parent)->op == CLAUSE_NUM_THREADS &&
               found(flow, unit, parent, "num_threads");
    case AST_COMPARE: { /* while (started < cpus) pthread_create(…) */
        AstNode loop = ast_parent(ast, parent);
        return ast_kind(ast, loop) == AST_LOOP && loop_limit(ast, loop) == parent &&
               loop_starts_threads(flow->facts, unit, loop) &&
               found(flow, unit, loop, "a loop that starts threads");
    }
    case AST_LOOP:
        return loop_limit(ast, parent) == value && loop_starts_threads(flow->facts, unit, parent) &&
               found(flow, unit, parent, "a loop that starts threads");
    default:
        return false;
    }
}

/* Code that also asks for the usable processors takes the others as a fall-back. */
static bool knows_affinity(const Facts *facts, const Unit *unit, AstNode call)
{
    static const char *const signs[] = {"sched_getaffinity",
                                        "process_cpu_count",
                                        "cpu_affinity",
                                        "pthread_getaffinity",
                                        "cgroup",
                                        "SLURM_",
                                        "PBS_",
                                        "NSLOTS",
                                        "LSB_"};
    const Ast *ast = unit->ast;
    AstNode around = call;
    while (ast_kind(ast, ast_parent(ast, around)) != AST_MODULE &&
           ast_kind(ast, around) != AST_FUNCTION && ast_parent(ast, around) != 0)
        around = ast_parent(ast, around);
    FOR_EACH_NODE (ast, node, around) {
        AstKind kind = ast_kind(ast, node);
        if (kind != AST_NAME && kind != AST_FIELD && kind != AST_STRING)
            continue;
        const char *text = intern_text(facts->program->names, ast_at(ast, node)->name);
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            if (strstr(text, signs[i]) != NULL)
                return true;
    }
    return false;
}

bool threads_host_count(const Facts *facts, const Unit *unit, AstNode call, TeamSize *use)
{
    char name[THREADS_NAME];
    threads_called(facts, unit, call, name);
    if ((!is_count_query(name) && !is_sysconf_query(facts, unit, call, name)) ||
        knows_affinity(facts, unit, call))
        return false;
    Flow flow = {.facts = facts, .seen = map_new(facts->arena), .use = use};
    return value_goes(&flow, unit, call, 0);
}
