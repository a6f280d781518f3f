/* Teams in teams, C: whether nesting is switched on, and what keeps an inner team small. */
#include "analyzer/facts/library.h"
#include "analyzer/facts/threads.h"

#include <string.h>

static const char *callee_name(const Facts *facts, const Unit *unit, AstNode call)
{
    AstNode callee = ast_first(unit->ast, call);
    return callee == 0 ? "" : intern_text(facts->program->names, ast_at(unit->ast, callee)->name);
}

static bool reaches(const Facts *facts, FunctionId from, FunctionId to, Map *seen)
{
    if (from == to)
        return true;
    if (map_get(seen, from) != 0)
        return false;
    map_set(seen, from, 1);
    const FunctionFacts *function = &facts->functions[from];
    for (uint32_t i = 0; i < function->callees.count; i++)
        if (reaches(facts, function->callees.items[i], to, seen))
            return true;
    return false;
}

/* omp_set_nested(1), omp_set_max_active_levels(2), setenv("OMP_NESTED", "true", 1) */
static bool enables_nesting(const Facts *facts, const Unit *unit, AstNode call)
{
    const char *name = callee_name(facts, unit, call);
    AstNode argument = ast_child(unit->ast, call, 1);
    int64_t value;
    if (argument == 0)
        return false;
    bool constant = ast_constant(unit->ast, argument, &value);
    if (strcmp(name, "omp_set_nested") == 0)
        return !constant || value != 0;
    if (strcmp(name, "omp_set_max_active_levels") == 0)
        return !constant || value > 1;
    if (strcmp(name, "setenv") != 0 && strcmp(name, "putenv") != 0)
        return false;
    const char *text = intern_text(facts->program->names, ast_at(unit->ast, argument)->name);
    return strncmp(text, "OMP_NESTED", 10) == 0 || strncmp(text, "OMP_MAX_ACTIVE_LEVELS", 21) == 0;
}

bool threads_nesting_on(const Facts *facts, FunctionId outer, FunctionId inner)
{
    const Program *program = facts->program;
    for (uint32_t i = 0; i < program->unit_count; i++) {
        const Unit *unit = program->units[i];
        if (unit->language == LANGUAGE_PYTHON)
            continue;
        for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
            if (ast_kind(unit->ast, node) != AST_CALL || !enables_nesting(facts, unit, node))
                continue;
            Map seen = map_new(facts->arena);
            FunctionId by = program_function(program, unit, ast_function_of(unit->ast, node));
            if (unit == program_function_unit(program, outer) ||
                unit == program_function_unit(program, inner) ||
                (by != 0 && reaches(facts, by, outer, &seen)))
                return true;
        }
    }
    return false;
}

/* Mentions of the level of nesting, or of a size, in the clauses of a directive. */
bool threads_team_is_sized(const Facts *facts, const Unit *unit, AstNode construct)
{
    const Ast *ast = unit->ast;
    FOR_EACH_CHILD (ast, clause, construct) {
        if (ast_kind(ast, clause) != AST_CLAUSE)
            continue;
        uint8_t kind = ast_at(ast, clause)->op;
        if (kind != CLAUSE_NUM_THREADS && kind != CLAUSE_IF)
            continue;
        int64_t value;
        AstNode argument = ast_first(ast, clause);
        bool whole = false, level = false;
        FOR_EACH_NODE (ast, node, clause) {
            const char *name = intern_text(facts->program->names, ast_at(ast, node)->name);
            whole |= strcmp(name, "omp_get_max_threads") == 0 ||
                     strcmp(name, "omp_get_num_procs") == 0;
            level |= strcmp(name, "omp_in_parallel") == 0 || strcmp(name, "omp_get_level") == 0 ||
                     strcmp(name, "omp_get_active_level") == 0;
        }
        if (kind == CLAUSE_NUM_THREADS && !whole)
            return true;
        if (kind == CLAUSE_IF &&
            (level || argument == 0 || (ast_constant(ast, argument, &value) && value == 0)))
            return true;
    }
    return false;
}

/* omp_set_num_threads inside the outer construct, or in the inner function: sized on purpose. */
bool threads_sets_team(const Facts *facts, FunctionId function, AstNode within)
{
    const Unit *unit = program_function_unit(facts->program, function);
    FOR_EACH_NODE (unit->ast, node, within)
        if (ast_kind(unit->ast, node) == AST_CALL &&
            strcmp(callee_name(facts, unit, node), "omp_set_num_threads") == 0)
            return true;
    return false;
}

static bool limits_blas(const Facts *facts, const Unit *unit, AstNode call)
{
    static const char *const limits[] = {
        "openblas_set_num_threads",   "openblas_set_num_threads_local",
        "goto_set_num_threads",       "mkl_set_num_threads",
        "MKL_Set_Num_Threads",        "mkl_set_num_threads_local",
        "mkl_domain_set_num_threads", "bli_thread_set_num_threads",
        "blas_set_num_threads",       "flexiblas_set_num_threads"};
    const char *name = callee_name(facts, unit, call);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(name, limits[i]) == 0)
            return true;
    AstNode argument = ast_child(unit->ast, call, 1);
    if (argument == 0 || (strcmp(name, "setenv") != 0 && strcmp(name, "putenv") != 0))
        return false;
    const char *text = intern_text(facts->program->names, ast_at(unit->ast, argument)->name);
    return strstr(text, "NUM_THREADS") != NULL;
}

static bool program_calls(const Facts *facts, bool (*is)(const Facts *, const Unit *, AstNode))
{
    for (uint32_t i = 0; i < facts->program->unit_count; i++) {
        const Unit *unit = facts->program->units[i];
        if (unit->language == LANGUAGE_PYTHON)
            continue;
        for (AstNode node = 1; node < unit->ast->nodes.count; node++)
            if (ast_kind(unit->ast, node) == AST_CALL && is(facts, unit, node))
                return true;
    }
    return false;
}

static bool plans_with_threads(const Facts *facts, const Unit *unit, AstNode call)
{
    AstNode argument = ast_child(unit->ast, call, 1);
    int64_t value;
    return strstr(callee_name(facts, unit, call), "_plan_with_nthreads") != NULL && argument != 0 &&
           !(ast_constant(unit->ast, argument, &value) && value <= 1);
}

/* Matrices of a few rows stay on one thread: all sizes, behind order and transposition, are given
 * and small. */
static bool is_small(const Unit *unit, AstNode call)
{
    enum { SMALL = 32, FIRST_SIZE = 4, SIZES = 3 };
    int sizes = 0;
    for (AstNode argument = ast_child(unit->ast, call, FIRST_SIZE); argument != 0;
         argument = ast_next(unit->ast, argument)) {
        int64_t value;
        if (!ast_constant(unit->ast, argument, &value))
            continue;
        if (value > SMALL)
            return false;
        sizes++;
    }
    return sizes >= SIZES;
}

bool threads_library_team(const Facts *facts, const Unit *unit, AstNode call)
{
    if (library_is_fft(callee_name(facts, unit, call)))
        return program_calls(facts, plans_with_threads);
    return !is_small(unit, call) && !program_calls(facts, limits_blas);
}
