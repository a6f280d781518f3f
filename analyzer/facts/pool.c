/* Python: pools of processes and threads whose workers start teams of their own, and two runtimes
 * in one process that both take every core. */
#include "analyzer/facts/library.h"
#include "analyzer/facts/threads.h"

#include <string.h>

/* What runs on threads of its own, and what limits it. */
enum {
    TEAM_NUMBA = 1,
    TEAM_BLAS = 2,
    TEAM_TORCH = 4,
    TEAM_ONNX = 8,
    TEAM_OPENVINO = 16,
    TEAM_NUMEXPR = 32,
    TEAM_FFT = 64,
    TEAM_ALL = 127
};

enum { MOST_FUNCTIONS = 64, DEEPEST_WORK = 6 };

/* What a worker does, callees included. */
typedef struct Work {
    const Facts *facts;
    FunctionId seen[MOST_FUNCTIONS];
    uint32_t count;
    uint32_t teams, limits;
    struct {
        const Unit *unit;
        AstNode node;
        const char *what;
        uint32_t team;
    } found[8];
    uint32_t found_count;
} Work;

static const char *text_of(const Facts *facts, const Unit *unit, AstNode node)
{
    return intern_text(facts->program->names, ast_at(unit->ast, node)->name);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_in(const char *name, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* ---- what starts a team ---- */

static bool is_matrix_routine(const char *name)
{
    static const char *const routines[] = {
        "svd",       "svdvals",     "eig",       "eigh",
        "eigvals",   "eigvalsh",    "solve",     "inv",
        "pinv",      "pinvh",       "lstsq",     "qr",
        "cholesky",  "det",         "slogdet",   "matrix_power",
        "multi_dot", "matrix_rank", "lu",        "lu_factor",
        "lu_solve",  "cho_factor",  "cho_solve", "expm",
        "sqrtm",     "logm",        "schur",     "solve_triangular",
        "polar",     "hessenberg",  NULL};
    static const char *const products[] = {"numpy.matmul", "numpy.dot", "numpy.tensordot", NULL};
    if (is_in(name, products))
        return true;
    const char *last = strrchr(name, '.');
    return (starts_with(name, "numpy.linalg.") || starts_with(name, "scipy.linalg.")) &&
           is_in(last + 1, routines);
}

static bool is_torch_work(const char *name)
{
    static const char *const work[] = {"torch.matmul",
                                       "torch.mm",
                                       "torch.bmm",
                                       "torch.einsum",
                                       "torch.softmax",
                                       "torch.cdist",
                                       "torch.addmm",
                                       "torch.conv1d",
                                       "torch.conv2d",
                                       "torch.conv3d",
                                       "torch.svd",
                                       "torch.qr",
                                       "torch.exp",
                                       "torch.log",
                                       "torch.relu",
                                       "torch.sigmoid",
                                       "torch.tanh",
                                       "torch.sort",
                                       "torch.topk",
                                       "torch.sum",
                                       "torch.mean",
                                       "torch.norm",
                                       "torch.inverse",
                                       "torch.mul",
                                       "torch.add",
                                       "torch.argmax",
                                       "torch.max",
                                       "torch.min",
                                       "torch.sqrt",
                                       "torch.stft",
                                       NULL};
    size_t length = strlen(name);
    bool made = length > 2 && strcmp(name + length - 2, "()") == 0; /* model(x) */
    return is_in(name, work) || starts_with(name, "torch.nn.functional.") ||
           starts_with(name, "torch.linalg.") || starts_with(name, "torch.fft.") ||
           (made && (starts_with(name, "torch.jit.load") || starts_with(name, "torch.load") ||
                     starts_with(name, "torch.hub.load") || starts_with(name, "torch.nn.") ||
                     starts_with(name, "torchvision.models.")));
}

/* Transforms of SciPy run on one thread unless `workers` says more. */
static bool is_threaded_transform(const Facts *facts, const Unit *unit, AstNode call,
                                  const char *name)
{
    int64_t value;
    if (!starts_with(name, "scipy.fft."))
        return false;
    AstNode workers = threads_argument(facts, unit, call, "workers", 99);
    return workers != 0 && !(ast_constant(unit->ast, workers, &value) && value == 1);
}

static bool is_openvino_session(const char *name)
{
    const char *last = strrchr(name, '.');
    return starts_with(name, "openvino") && last != NULL && strcmp(last, ".compile_model") == 0;
}

static uint32_t team_of_call(const Facts *facts, const Unit *unit, AstNode call, const char *name)
{
    if (is_matrix_routine(name))
        return threads_small_matrix(facts, unit, ast_child(unit->ast, call, 1)) ? 0 : TEAM_BLAS;
    if (is_torch_work(name))
        return TEAM_TORCH;
    if (starts_with(name, "onnxruntime.InferenceSession"))
        return TEAM_ONNX;
    if (is_openvino_session(name))
        return TEAM_OPENVINO;
    if (strcmp(name, "numexpr.evaluate") == 0)
        return TEAM_NUMEXPR;
    return is_threaded_transform(facts, unit, call, name) ? TEAM_FFT : 0;
}

static bool runs_prange(const Facts *facts, FunctionId function)
{
    const AstFunctionData *data = program_function_data(facts->program, function);
    const Ast *ast = program_function_unit(facts->program, function)->ast;
    if ((data->flags & FN_PARALLEL) == 0 || (data->flags & FN_PARALLEL_CHOICE) != 0)
        return false;
    FOR_EACH_NODE (ast, node, data->node)
        if (ast_kind(ast, node) == AST_LOOP && ast_at(ast, node)->value.loop.run == RUN_PARALLEL)
            return true;
    return false;
}

/* ---- what limits one ---- */

static uint32_t limit_of_name(const char *name)
{
    static const struct {
        const char *name;
        uint32_t teams;
    } limits[] = {{"numba.set_num_threads", TEAM_NUMBA},
                  {"torch.set_num_threads", TEAM_TORCH},
                  {"mkl.set_num_threads", TEAM_BLAS | TEAM_TORCH},
                  {"numexpr.set_num_threads", TEAM_NUMEXPR},
                  {"threadpoolctl.threadpool_limits", TEAM_BLAS | TEAM_TORCH | TEAM_FFT},
                  {"threadpoolctl.ThreadpoolController().limit", TEAM_BLAS | TEAM_TORCH},
                  {"threadpoolctl.ThreadpoolController().wrap", TEAM_BLAS | TEAM_TORCH}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(name, limits[i].name) == 0)
            return limits[i].teams;
    return 0;
}

static uint32_t limit_of_variable(const char *variable)
{
    if (starts_with(variable, "OMP_NUM_THREADS") || starts_with(variable, "OMP_THREAD_LIMIT"))
        return TEAM_BLAS | TEAM_TORCH;
    if (starts_with(variable, "MKL_NUM_THREADS"))
        return TEAM_BLAS | TEAM_TORCH;
    if (starts_with(variable, "NUMBA_NUM_THREADS"))
        return TEAM_NUMBA;
    if (starts_with(variable, "NUMEXPR_"))
        return TEAM_NUMEXPR;
    return starts_with(variable, "OPENBLAS_") || starts_with(variable, "BLIS_") ||
                   starts_with(variable, "VECLIB_")
               ? TEAM_BLAS
               : 0;
}

/* Any mention that limits: a call, a store of a variable or an option. */
static uint32_t limit_of_node(const Facts *facts, const Unit *unit, AstNode node)
{
    char name[THREADS_NAME];
    const char *text = text_of(facts, unit, node);
    int64_t value;
    switch (ast_kind(unit->ast, node)) {
    case AST_NAME:
    case AST_FIELD:
        if (strcmp(text, "intra_op_num_threads") == 0) {
            AstNode assign = ast_parent(unit->ast, node);
            bool zero = ast_kind(unit->ast, assign) == AST_ASSIGN &&
                        ast_constant(unit->ast, ast_child(unit->ast, assign, 1), &value) &&
                        value == 0;
            return zero ? 0 : TEAM_ONNX;
        }
        threads_named(facts, unit, node, name);
        return limit_of_name(name);
    case AST_STRING:
        if (strcmp(text, "INFERENCE_NUM_THREADS") == 0 || strcmp(text, "CPU_THREADS_NUM") == 0)
            return TEAM_OPENVINO;
        if (strcmp(text, "session.intra_op.allow_spinning") == 0)
            return TEAM_ONNX;
        return limit_of_variable(text);
    case AST_KEYWORD:
        return strcmp(text, "inner_max_num_threads") == 0 ? TEAM_ALL : limit_of_variable(text);
    default:
        return 0;
    }
}

/* ---- work of functions ---- */

static void note_team(Work *work, const Unit *unit, AstNode node, uint32_t team, const char *what)
{
    work->teams |= team;
    if (work->found_count < sizeof work->found / sizeof *work->found) {
        work->found[work->found_count].unit = unit;
        work->found[work->found_count].node = node;
        work->found[work->found_count].what = what;
        work->found[work->found_count++].team = team;
    }
}

static void read_function(Work *work, FunctionId function, int depth);

static void read_call(Work *work, const Unit *unit, AstNode call, int depth)
{
    const Facts *facts = work->facts;
    FunctionId callee = facts_callee(facts, unit, call);
    if (callee != 0 && runs_prange(facts, callee)) {
        note_team(work, unit, call, TEAM_NUMBA,
                  intern_text(facts->program->names,
                              program_function_data(facts->program, callee)->name));
    } else if (callee != 0) {
        read_function(work, callee, depth + 1);
    } else {
        char name[THREADS_NAME];
        threads_called(facts, unit, call, name);
        uint32_t team = team_of_call(facts, unit, call, name);
        if (team != 0)
            note_team(work, unit, call, team, arena_strdup(facts->arena, name));
    }
}

static void read_tree(Work *work, const Unit *unit, AstNode root, int depth)
{
    FOR_EACH_NODE (unit->ast, node, root) {
        AstKind kind = ast_kind(unit->ast, node);
        work->limits |= limit_of_node(work->facts, unit, node);
        if (kind == AST_CALL)
            read_call(work, unit, node, depth);
        else if (kind == AST_BINARY && ast_at(unit->ast, node)->op == OP_MATMUL)
            note_team(work, unit, node, TEAM_BLAS, "a product of matrices");
    }
}

static void read_function(Work *work, FunctionId function, int depth)
{
    const AstFunctionData *data = program_function_data(work->facts->program, function);
    for (uint32_t i = 0; i < work->count; i++)
        if (work->seen[i] == function)
            return;
    if (work->count == MOST_FUNCTIONS || depth > DEEPEST_WORK || (data->flags & FN_COMPILED) != 0)
        return;
    work->seen[work->count++] = function;
    read_tree(work, program_function_unit(work->facts->program, function), data->node, depth);
}

/* A function, a bound method, partial(f, …) or a lambda. */
static void read_worker(Work *work, const Unit *unit, AstNode worker)
{
    const Facts *facts = work->facts;
    if (worker == 0)
        return;
    if (ast_kind(unit->ast, worker) == AST_LAMBDA) {
        read_tree(work, unit, worker, 0);
        return;
    }
    FunctionId function = program_function_named(facts->program, unit, worker);
    char name[THREADS_NAME];
    threads_named(facts, unit, worker, name);
    uint32_t team = is_matrix_routine(name) ? TEAM_BLAS : 0;
    if (function != 0 && runs_prange(facts, function))
        note_team(work, unit, worker, TEAM_NUMBA, text_of(facts, unit, worker));
    else if (function != 0)
        read_function(work, function, 0);
    else if (team != 0)
        note_team(work, unit, worker, team, arena_strdup(facts->arena, name));
}

/* ---- pools ---- */

static bool is_pool(const char *name)
{
    static const char *const pools[] = {"concurrent.futures.ThreadPoolExecutor",
                                        "concurrent.futures.thread.ThreadPoolExecutor",
                                        "concurrent.futures.ProcessPoolExecutor",
                                        "concurrent.futures.process.ProcessPoolExecutor",
                                        "multiprocessing.Pool",
                                        "multiprocessing.pool.Pool",
                                        "multiprocessing.pool.ThreadPool",
                                        "multiprocessing.dummy.Pool",
                                        "multiprocessing.get_context().Pool",
                                        "torch.multiprocessing.Pool",
                                        "torch.multiprocessing.get_context().Pool",
                                        "multiprocess.Pool",
                                        "joblib.Parallel",
                                        NULL};
    return is_in(name, pools);
}

static bool is_thread_start(const char *name)
{
    static const char *const starts[] = {"multiprocessing.Process",
                                         "multiprocessing.get_context().Process",
                                         "torch.multiprocessing.Process", "threading.Thread", NULL};
    return is_in(name, starts);
}

/* Of joblib's backends only loky shares the cores out among its workers. */
static bool shares_cores(const Facts *facts, const Unit *unit, AstNode parallel)
{
    AstNode prefer = threads_argument(facts, unit, parallel, "prefer", 99);
    AstNode backend = threads_argument(facts, unit, parallel, "backend", 99);
    AstNode require = threads_argument(facts, unit, parallel, "require", 99);
    const char *text = backend != 0  ? text_of(facts, unit, backend)
                       : prefer != 0 ? text_of(facts, unit, prefer)
                                     : "";
    return require == 0 && strcmp(text, "threads") != 0 && strcmp(text, "threading") != 0 &&
           strcmp(text, "multiprocessing") != 0;
}

/* One worker, or (joblib) none beside the caller. */
static bool is_single(const Facts *facts, const Unit *unit, AstNode pool, const char *name)
{
    static const char *const keywords[] = {"max_workers", "processes", "n_jobs", NULL};
    AstNode size = 0;
    int64_t value;
    for (const char *const *keyword = keywords; *keyword != NULL && size == 0; keyword++)
        size = threads_argument(facts, unit, pool, *keyword, 0);
    if (size == 0 || ast_kind(unit->ast, size) == AST_CONSTANT)
        return strcmp(name, "joblib.Parallel") == 0;
    return ast_constant(unit->ast, size, &value) && value == 1;
}

/* The variable or field that holds the pool. */
typedef struct Holder {
    AstSymbol symbol;
    Name field;
} Holder;

static Holder holder_of(const Unit *unit, AstNode pool)
{
    AstNode assign = ast_parent(unit->ast, pool);
    if (ast_kind(unit->ast, assign) != AST_ASSIGN || ast_child(unit->ast, assign, 1) != pool)
        return (Holder){0, 0};
    AstNode target = ast_first(unit->ast, assign);
    if (ast_kind(unit->ast, target) == AST_NAME)
        return (Holder){ast_at(unit->ast, target)->symbol, 0};
    return (Holder){0,
                    ast_kind(unit->ast, target) == AST_FIELD ? ast_at(unit->ast, target)->name : 0};
}

static bool is_held(const Unit *unit, Holder holder, AstNode node)
{
    const AstNodeData *data = ast_at(unit->ast, node);
    return (holder.symbol != 0 && data->kind == AST_NAME && data->symbol == holder.symbol) ||
           (holder.field != 0 && data->kind == AST_FIELD && data->name == holder.field);
}

/* delayed(f)(…) anywhere in what Parallel is called with */
static void read_delayed(Work *work, const Unit *unit, AstNode call)
{
    FOR_EACH_NODE (unit->ast, node, call) {
        char name[THREADS_NAME];
        if (ast_kind(unit->ast, node) != AST_CALL)
            continue;
        threads_called(work->facts, unit, node, name);
        if (strcmp(name, "joblib.delayed") == 0)
            read_worker(work, unit, ast_child(unit->ast, node, 1));
    }
}

/* A call through the pool: pool.map(f, …), parallel(delayed(f)(x) …), run_in_executor(pool, f). */
static void read_use(Work *work, const Unit *unit, AstNode pool, Holder holder, AstNode call)
{
    static const char *const methods[] = {"map",           "imap",  "imap_unordered", "starmap",
                                          "submit",        "apply", "apply_async",    "map_async",
                                          "starmap_async", NULL};
    const Ast *ast = unit->ast;
    AstNode callee = ast_first(ast, call);
    if (callee == pool || is_held(unit, holder, callee)) {
        read_delayed(work, unit, call);
    } else if (ast_kind(ast, callee) == AST_FIELD) {
        AstNode base = ast_first(ast, callee);
        AstNode first = ast_child(ast, call, 1);
        if ((base == pool || is_held(unit, holder, base)) &&
            is_in(text_of(work->facts, unit, callee), methods))
            read_worker(work, unit, first);
        else if (first != 0 && is_held(unit, holder, first) &&
                 strcmp(text_of(work->facts, unit, callee), "run_in_executor") == 0)
            read_worker(work, unit, ast_next(ast, first));
    }
}

static void read_pool(Work *work, const Unit *unit, AstNode pool)
{
    Holder holder = holder_of(unit, pool);
    AstFunction function = ast_function_of(unit->ast, pool);
    for (AstNode node = 1; node < unit->ast->nodes.count; node++)
        if (ast_kind(unit->ast, node) == AST_CALL && node != pool &&
            (holder.field != 0 || holder.symbol == 0 || function == 0 ||
             ast_function_of(unit->ast, node) != 0))
            read_use(work, unit, pool, holder, node);
}

/* Limits in the code of the module, in the function that makes the pool, and in the initialiser.
 * An initialiser that is not known may do anything. */
static uint32_t limits_around(const Facts *facts, const Unit *unit, AstNode pool)
{
    const Ast *ast = unit->ast;
    AstFunction function = ast_function_of(ast, pool);
    uint32_t limits = 0;
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        AstFunction of = ast_function_of(ast, node);
        if (of == 0 || of == function)
            limits |= limit_of_node(facts, unit, node);
    }
    AstNode initializer = threads_argument(facts, unit, pool, "initializer", 99);
    if (initializer == 0)
        return limits;
    Work work = {.facts = facts};
    read_worker(&work, unit, initializer);
    return work.count == 0 && limit_of_node(facts, unit, initializer) == 0 ? TEAM_ALL
                                                                           : limits | work.limits;
}

static bool in_loop(const Ast *ast, AstNode node)
{
    for (AstNode up = ast_parent(ast, node); up != 0; up = ast_parent(ast, up)) {
        if (ast_kind(ast, up) == AST_LOOP || ast_kind(ast, up) == AST_COMPREHENSION)
            return true;
        if (ast_kind(ast, up) == AST_FUNCTION)
            return false;
    }
    return false;
}

bool threads_nested_pool(const Facts *facts, const Unit *unit, AstNode call, NestedTeam *nested)
{
    char name[THREADS_NAME];
    threads_called(facts, unit, call, name);
    Work work = {.facts = facts};
    if (is_pool(name)) {
        bool joblib = strcmp(name, "joblib.Parallel") == 0;
        if (is_single(facts, unit, call, name) || (joblib && shares_cores(facts, unit, call)))
            return false;
        read_pool(&work, unit, call);
    } else if (is_thread_start(name) && in_loop(unit->ast, call)) {
        read_worker(&work, unit, threads_argument(facts, unit, call, "target", 1));
    } else {
        return false;
    }
    uint32_t free = work.teams == 0 ? 0
                                    : work.teams & ~work.limits & ~limits_around(facts, unit, call);
    for (uint32_t i = 0; i < work.found_count; i++)
        if ((work.found[i].team & free) != 0) {
            *nested = (NestedTeam){work.found[i].unit, work.found[i].node, work.found[i].what,
                                   (work.found[i].team & TEAM_NUMBA) != 0};
            return true;
        }
    return false;
}

/* ---- two runtimes in one process ---- */

/* What a unit does with runtimes, outside what runs on another device. */
static void read_unit(Work *work, const Unit *unit)
{
    for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
        AstKind kind = ast_kind(unit->ast, node);
        const char *text = text_of(work->facts, unit, node);
        work->limits |= limit_of_node(work->facts, unit, node);
        if ((kind == AST_STRING || kind == AST_NAME || kind == AST_FIELD) &&
            (strstr(text, "cuda") != NULL || strstr(text, "CUDA") != NULL ||
             strstr(text, "TensorRT") != NULL || strstr(text, "torch.onnx") != NULL ||
             strcmp(text, "GPU") == 0 || strcmp(text, "mps") == 0))
            work->limits |= TEAM_TORCH | TEAM_ONNX | TEAM_OPENVINO;
        if (kind != AST_CALL || facts_callee(work->facts, unit, node) != 0)
            continue;
        char name[THREADS_NAME];
        threads_called(work->facts, unit, node, name);
        uint32_t team = team_of_call(work->facts, unit, node, name);
        if ((team & (TEAM_TORCH | TEAM_ONNX | TEAM_OPENVINO)) != 0)
            note_team(work, unit, node, team, arena_strdup(work->facts->arena, name));
    }
}

static bool imports_unit(const Facts *facts, const Unit *from, const Unit *to)
{
    for (AstNode node = 1; node < from->ast->nodes.count; node++) {
        if (ast_kind(from->ast, node) != AST_OTHER ||
            strcmp(text_of(facts, from, node), "import") != 0)
            continue;
        FOR_EACH_CHILD (from->ast, name, node) {
            char module[THREADS_NAME];
            const char *full = text_of(facts, from, name);
            if (strlen(full) >= sizeof module)
                continue;
            memcpy(module, full, strlen(full) + 1);
            char *dot = strrchr(module, '.');
            if (program_module(facts->program, from, module) == to)
                return true;
            if (dot == NULL)
                continue;
            *dot = '\0';
            if (program_module(facts->program, from, module) == to)
                return true;
        }
    }
    return false;
}

static bool makes_session(const char *name)
{
    return strcmp(name, "onnxruntime.InferenceSession") == 0 || is_openvino_session(name);
}

/* The call is the place of the second runtime: torch comes first wherever it is used, of two
 * sessions the one that stands first in the text. */
bool threads_second_runtime(const Facts *facts, const Unit *unit, AstNode call, NestedTeam *nested)
{
    char name[THREADS_NAME];
    threads_called(facts, unit, call, name);
    if (!makes_session(name))
        return false;
    uint32_t own = is_openvino_session(name) ? TEAM_OPENVINO : TEAM_ONNX;
    Work work = {.facts = facts};
    read_unit(&work, unit);
    if ((work.teams & TEAM_TORCH) == 0)
        for (uint32_t i = 0; i < facts->program->unit_count; i++) {
            const Unit *other = facts->program->units[i];
            if (other != unit && other->language == LANGUAGE_PYTHON &&
                (imports_unit(facts, unit, other) || imports_unit(facts, other, unit)))
                read_unit(&work, other);
        }
    for (uint32_t i = 0; i < work.found_count; i++) {
        uint32_t team = work.found[i].team;
        bool first = team == TEAM_TORCH ||
                     (work.found[i].unit == unit && team != own && work.found[i].node < call);
        if (first && team != own && (work.limits & (team | own)) == 0) {
            *nested =
                (NestedTeam){work.found[i].unit, work.found[i].node, work.found[i].what, false};
            return true;
        }
    }
    return false;
}
