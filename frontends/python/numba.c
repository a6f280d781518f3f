/* The link step: how each function is compiled, and which loops over prange run in parallel. */
#include "frontends/python/numba.h"
#include "frontends/python/python.h"

#include <string.h>

/* Evaluations for one decorator or call; real code needs a few dozen. */
enum { BUDGET = 2000 };

/* What the builds of one function come to. */
typedef struct Builds {
    uint32_t flags;
    bool serial, parallel, maybe, compiled, overload;
} Builds;

/* ---- builds of functions ---- */

static void add_build(Linker *linker, Builds *builds, FunctionId function, Value build)
{
    Builds *of = &builds[function];
    of->flags |= build.flags;
    if (build.decorator == DECORATOR_OVERLOAD) {
        of->overload = true;
        of->parallel |= build.parallel == TRUTH_YES; /* jit_options, for what it returns */
        of->maybe |= build.parallel == TRUTH_MAYBE;
    } else if ((build.flags & (FN_COMPILED | FN_OFFLOAD)) != 0) {
        of->compiled = true;
        of->serial |= build.parallel == TRUTH_NO;
        of->parallel |= build.parallel == TRUTH_YES;
        of->maybe |= build.parallel == TRUTH_MAYBE;
    }
    if (build.signature.node != 0 && build.decorator == DECORATOR_COMPILES)
        numba_set_types(linker, function, build.signature);
}

static bool is_static_method(const Linker *linker, const Ast *ast, AstNode decorator)
{
    const AstNodeData *data = ast_at(ast, decorator + 1);
    return data->kind == AST_NAME && data->symbol == 0 &&
           strcmp(intern_text(linker->program->names, data->name), "staticmethod") == 0;
}

/* The one function in it that an overload returns; 0: several, which types choose from, or another
 * kind of value. */
static FunctionId returned_by(const Linker *linker, const Unit *unit, AstFunction function)
{
    const Ast *ast = unit->ast;
    FunctionId only = 0;
    FOR_EACH_NODE (ast, node, ast->functions.items[function].node) {
        if (ast_kind(ast, node) != AST_RETURN || ast_leafless(ast, node) ||
            ast_function_of(ast, node) != function)
            continue;
        AstNode value = ast_first(ast, node);
        FunctionId returned = ast_kind(ast, value) == AST_NAME
                                  ? program_function_named(linker->program, unit, value)
                                  : 0;
        if (returned == 0 || (only != 0 && only != returned))
            return 0;
        only = returned;
    }
    return only;
}

/* @overload(stub): compiled code that calls the stub runs what is returned here. */
static void add_overload(const Linker *linker, const Unit *unit, AstFunction function,
                         AstNode decorator)
{
    const Ast *ast = unit->ast;
    AstNode stub = ast_kind(ast, decorator) == AST_CALL ? ast_child(ast, decorator, 1) : 0;
    FunctionId replaced =
        stub != 0 && (ast_kind(ast, stub) == AST_NAME || ast_kind(ast, stub) == AST_FIELD)
            ? program_function_named(linker->program, unit, stub)
            : 0;
    if (replaced == 0)
        return;
    FunctionRef ref = linker->program->functions.items[replaced];
    AstFunctionData *data = &ref.unit->ast->functions.items[ref.function];
    if (data->overload == 0)
        data->overload = returned_by(linker, unit, function);
}

static void add_decorators(Linker *linker, Builds *builds, const Unit *unit, AstFunction function)
{
    const Ast *ast = unit->ast;
    AstNode node = ast->functions.items[function].node;
    FunctionId id = program_function(linker->program, unit, function);
    if (ast_kind(ast, node) != AST_FUNCTION)
        return;
    FOR_EACH_CHILD (ast, child, node) {
        if (ast_kind(ast, child) != AST_DECORATOR || ast_leafless(ast, child))
            continue;
        builds[id].flags |= is_static_method(linker, ast, child) ? FN_STATIC : 0;
        linker->budget = BUDGET;
        Value value = value_of(linker, (Expression){unit, child + 1, NULL}, 0);
        if (value.kind != VALUE_COMPILED)
            value = value_applied(linker, value, 0);
        if (value.kind == VALUE_COMPILED && value.decorator == DECORATOR_OVERLOAD)
            add_overload(linker, unit, function, child + 1);
        if (value.kind == VALUE_COMPILED)
            add_build(linker, builds, id, value);
        else if (value.kind == VALUE_UNKNOWN || value.kind == VALUE_USER)
            builds[id].flags |= FN_UNKNOWN_DECORATOR;
    }
}

static void add_class(Linker *linker, Builds *builds, const Unit *unit, AstNode class)
{
    const Ast *ast = unit->ast;
    bool compiled = false;
    FOR_EACH_CHILD (ast, child, class) {
        if (ast_kind(ast, child) != AST_DECORATOR || ast_leafless(ast, child))
            continue;
        linker->budget = BUDGET;
        Value value = value_of(linker, (Expression){unit, child + 1, NULL}, 0);
        compiled |= value.kind == VALUE_DECORATOR && value.decorator == DECORATOR_CLASS;
    }
    FOR_EACH_CHILD (ast, child, class) {
        if (!compiled || ast_kind(ast, child) != AST_FUNCTION)
            continue;
        FunctionId id = program_function(linker->program, unit, ast_at(ast, child)->value.function);
        add_build(linker, builds, id,
                  (Value){.kind = VALUE_COMPILED, .flags = FN_COMPILED | FN_METHOD});
    }
}

/* Whether a call can compile a function at all: f = njit(g), self.f = jit(**options)(self._g). */
static bool may_compile(const Ast *ast, AstNode call)
{
    AstNode callee = ast_first(ast, call), argument = ast_next(ast, callee);
    if (argument == 0)
        return false;
    AstKind kind = ast_kind(ast, callee), first = ast_kind(ast, argument);
    if (kind != AST_CALL &&
        (kind != AST_NAME ||
         (ast_at(ast, callee)->symbol == 0 && (ast_at(ast, callee)->flags & AST_QUALIFIED) == 0)))
        return false;
    return first == AST_NAME || first == AST_FIELD;
}

static void add_calls(Linker *linker, Builds *builds, const Unit *unit)
{
    const Ast *ast = unit->ast;
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        AstKind kind = ast_kind(ast, node);
        if (kind == AST_CLASS)
            add_class(linker, builds, unit, node);
        if (kind != AST_CALL || !may_compile(ast, node) ||
            ast_kind(ast, ast_parent(ast, node)) == AST_DECORATOR)
            continue;
        linker->budget = BUDGET;
        Value value = value_of(linker, (Expression){unit, node, NULL}, 0);
        if (value.kind == VALUE_COMPILED && value.function != 0)
            add_build(linker, builds, value.function, value);
    }
}

static uint32_t final_flags(const Builds *builds)
{
    uint32_t flags = builds->flags;
    if (builds->overload)
        flags &= ~(uint32_t)FN_COMPILED;
    if (builds->parallel || builds->maybe)
        flags |= FN_PARALLEL;
    if (builds->maybe || (builds->parallel && builds->serial))
        flags |= FN_PARALLEL_CHOICE;
    return flags;
}

/* Closures are compiled with the function that holds them; what an overload returns is compiled. */
static uint32_t inherited(const Linker *linker, const Builds *builds, const Unit *unit,
                          AstFunction outer)
{
    const Builds *of = &builds[program_function(linker->program, unit, outer)];
    uint32_t flags = unit->ast->functions.items[outer].flags;
    uint32_t kept = FN_FASTMATH | FN_ERROR_NUMPY | FN_NOGIL | FN_BOUNDSCHECK | FN_INLINE_ALWAYS;
    if (of->overload)
        return FN_COMPILED | (flags & (kept | FN_PARALLEL | FN_PARALLEL_CHOICE));
    if ((flags & FN_INTRINSIC) != 0)
        return 0;
    return flags & (kept | FN_COMPILED | FN_PARALLEL | FN_PARALLEL_CHOICE | FN_OFFLOAD | FN_UFUNC) &
           ~(uint32_t)FN_INLINE_ALWAYS;
}

static void set_flags(const Linker *linker, const Builds *builds, const Unit *unit)
{
    Ast *ast = unit->ast;
    for (AstFunction function = 1; function < ast->functions.count; function++) {
        const Builds *of = &builds[program_function(linker->program, unit, function)];
        AstFunctionData *data = &ast->functions.items[function];
        data->flags |= final_flags(of);
        if (!of->compiled && !of->overload && data->outer != 0)
            data->flags |= inherited(linker, builds, unit, data->outer);
    }
}

/* ---- loops ---- */

typedef struct RangeVisit {
    Linker *linker;
    Truth truth; /* NO, YES: prange; MAYBE: prange or range, as a condition decides */
    int depth;
} RangeVisit;

static Truth prange_of(Linker *linker, const Unit *unit, AstNode node, int depth);

static bool names_prange(const char *name)
{
    const char *dot = strrchr(name, '.');
    return strstr(dot == NULL ? name : dot, "prange") != NULL;
}

static void visit_range(void *context, const Unit *unit, AstNode node, Name outside)
{
    RangeVisit *visit = context;
    Truth truth = TRUTH_NO;
    if (outside != 0)
        truth = names_prange(intern_text(visit->linker->program->names, outside)) ? TRUTH_YES
                                                                                  : TRUTH_NO;
    else
        truth = prange_of(visit->linker, unit, node, visit->depth + 1);
    if (truth == TRUTH_YES || visit->truth == TRUTH_NO)
        visit->truth = truth;
}

static Truth prange_named(Linker *linker, const Unit *unit, Name qualified, int depth)
{
    uint64_t key = map_pair(linker->roots[unit->id], qualified);
    uint32_t known = map_get(&linker->ranges, key);
    if (known != 0)
        return (Truth)(known - 1);
    RangeVisit visit = {linker, TRUTH_NO, depth};
    map_set(&linker->ranges, key, TRUTH_NO + 1);
    numba_follow(linker, unit, qualified, visit_range, &visit, depth);
    map_set(&linker->ranges, key, (uint32_t)visit.truth + 1);
    return visit.truth;
}

/* Whether a name that is not imported is prange: a variable that holds it. */
static Truth prange_symbol(Linker *linker, const Unit *unit, Name name, AstSymbol symbol, int depth)
{
    const Ast *ast = unit->ast;
    const AstSymbolData *data = &ast->symbols.items[symbol];
    RangeVisit visit = {linker, TRUTH_NO, depth};
    if (symbol == 0 && name == linker->word_range)
        return TRUTH_NO;
    if (symbol == 0) { /* from numba import * */
        numba_follow_own(linker, unit, name, visit_range, &visit, depth);
        return visit.truth;
    }
    if (data->kind == SYMBOL_GLOBAL)
        numba_follow_own(linker, unit, data->name, visit_range, &visit, depth);
    if (data->kind == SYMBOL_LOCAL && data->decl != 0 &&
        ast_kind(ast, ast_parent(ast, data->decl)) == AST_ASSIGN)
        return prange_of(linker, unit, ast_child(ast, ast_parent(ast, data->decl), 1), depth + 1);
    return visit.truth;
}

static Truth prange_of(Linker *linker, const Unit *unit, AstNode node, int depth)
{
    const Ast *ast = unit->ast;
    const AstNodeData *data = ast_at(ast, node);
    if (depth >= NUMBA_DEEPEST || linker->budget == 0)
        return TRUTH_NO;
    linker->budget--;
    if (data->kind == AST_NAME && (data->flags & AST_QUALIFIED) != 0)
        return prange_named(linker, unit, data->name, depth + 1);
    if (data->kind == AST_NAME)
        return prange_symbol(linker, unit, data->name, data->symbol, depth + 1);
    if (data->kind != AST_CONDITIONAL)
        return TRUTH_NO;
    Truth one = prange_of(linker, unit, ast_child(ast, node, 1), depth + 1);
    Truth other = prange_of(linker, unit, ast_child(ast, node, 2), depth + 1);
    return one == other ? one : TRUTH_MAYBE;
}

static Truth is_prange(Linker *linker, const Unit *unit, const AstNodeData *loop)
{
    if (loop->op != LOOP_COUNTED || loop->name == 0)
        return TRUTH_NO;
    if ((loop->flags & AST_QUALIFIED) != 0)
        return prange_named(linker, unit, loop->name, 0);
    return prange_symbol(linker, unit, loop->name, loop->symbol, 0);
}

/* The function that decides how a loop in `node` runs: the innermost one that is not a lambda. */
static bool inside_prange(const Ast *ast, AstNode node)
{
    for (AstNode up = ast_parent(ast, node); up != 0; up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_LOOP && ast_at(ast, up)->value.loop.run != RUN_SERIAL)
            return true;
    return false;
}

static void set_run(Ast *ast, AstNode node, Truth prange)
{
    AstFunction function = ast_function_of(ast, node);
    uint32_t flags = ast->functions.items[function].flags;
    bool parallel = (flags & FN_PARALLEL) != 0 &&
                    ast_kind(ast, ast_parent(ast, node)) != AST_COMPREHENSION;
    AstLoopInfo *info = &ast_at(ast, node)->value.loop;
    info->run = parallel && !inside_prange(ast, node) ? RUN_PARALLEL : RUN_PRANGE_SERIAL;
    info->flags |= prange == TRUTH_MAYBE ? LOOP_RUNTIME_CHOICE : 0;
}

static void set_loops(Linker *linker, const Unit *unit)
{
    Ast *ast = unit->ast;
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        if (ast_kind(ast, node) != AST_LOOP)
            continue;
        linker->budget = BUDGET;
        Truth prange = is_prange(linker, unit, ast_at(ast, node));
        if (prange != TRUTH_NO)
            set_run(ast, node, prange);
    }
}

/* ---- constants of other modules ---- */

typedef struct ConstantVisit {
    int64_t value;
    int count;
    bool known;
} ConstantVisit;

static void visit_constant(void *context, const Unit *unit, AstNode node, Name outside)
{
    ConstantVisit *visit = context;
    visit->count++;
    if (outside != 0)
        return;
    const Ast *ast = unit->ast;
    AstNode target = ast_first(ast, ast_parent(ast, node));
    const AstSymbolData *symbol = &ast->symbols.items[ast_at(ast, target)->symbol];
    visit->known = symbol->kind == SYMBOL_GLOBAL && (symbol->flags & SYMBOL_KNOWN_VALUE) != 0;
    visit->value = symbol->value;
}

/* Index + 1 into linker->constants of what a qualified name is known to be; 1: nothing. */
static uint32_t constant_named(Linker *linker, const Unit *unit, Name qualified)
{
    uint64_t key = map_pair(linker->roots[unit->id], qualified);
    uint32_t known = map_get(&linker->constant_of, key);
    if (known != 0)
        return known;
    ConstantVisit visit = {0};
    linker->budget = BUDGET;
    numba_follow(linker, unit, qualified, visit_constant, &visit, 0);
    known = 1;
    if (visit.count == 1 && visit.known) {
        LIST_PUSH(linker->arena, &linker->constants, visit.value);
        known = linker->constants.count;
    }
    map_set(&linker->constant_of, key, known);
    return known;
}

static AstSymbol constant_symbol(Ast *ast, Name name, int64_t value)
{
    AstSymbol symbol = ast_symbol(ast, name, SYMBOL_GLOBAL, 0, 0);
    ast->symbols.items[symbol].qualified = name;
    ast->symbols.items[symbol].flags = SYMBOL_KNOWN_VALUE | SYMBOL_EXTERN;
    ast->symbols.items[symbol].value = value;
    return symbol;
}

/* A NAME that is imported and known to be an integer gets a symbol that says so. */
static void set_constants(Linker *linker, const Unit *unit)
{
    Ast *ast = unit->ast;
    Map symbols = map_new(linker->arena); /* of this unit, by name */
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        AstNodeData *data = ast_at(ast, node);
        if (data->kind != AST_NAME || (data->flags & AST_QUALIFIED) == 0 || data->symbol != 0)
            continue;
        uint32_t constant = constant_named(linker, unit, data->name);
        if (constant == 1)
            continue;
        AstSymbol symbol = map_get(&symbols, data->name);
        if (symbol == 0) {
            symbol = constant_symbol(ast, data->name, linker->constants.items[constant - 1]);
            map_set(&symbols, data->name, symbol);
        }
        data->symbol = symbol;
    }
}

/* ---- the step ---- */

static Linker make_linker(Program *program, Arena *arena)
{
    Linker linker = {.program = program,
                     .arena = arena,
                     .known = map_new(arena),
                     .ranges = map_new(arena),
                     .constant_of = map_new(arena),
                     .roots = arena_alloc(arena, (program->unit_count + 1) * sizeof(Name)),
                     .word_range = intern(program->names, "range"),
                     .word_star = intern(program->names, "*"),
                     .word_dict = intern(program->names, "dict")};
    LIST_PUSH(arena, &linker.values, (Value){0});
    LIST_PUSH(arena, &linker.constants, (int64_t)0);
    for (uint32_t i = 0; i < program->unit_count; i++)
        linker.roots[i] =
            program->units[i]->root == NULL ? 0 : intern(program->names, program->units[i]->root);
    return linker;
}

void numba_link(struct Program *program)
{
    Arena *arena = arena_new();
    Linker linker = make_linker(program, arena);
    Builds *builds = arena_alloc(arena, (program->functions.count + 1) * sizeof *builds);
    for (uint32_t i = 0; i < program->unit_count; i++) {
        const Unit *unit = program->units[i];
        if (unit->language != LANGUAGE_PYTHON)
            continue;
        for (AstFunction function = 1; function < unit->ast->functions.count; function++)
            add_decorators(&linker, builds, unit, function);
        add_calls(&linker, builds, unit);
    }
    for (uint32_t i = 0; i < program->unit_count; i++) {
        if (program->units[i]->language != LANGUAGE_PYTHON)
            continue;
        set_flags(&linker, builds, program->units[i]);
        set_loops(&linker, program->units[i]);
        set_constants(&linker, program->units[i]);
    }
    arena_free(arena);
}
