/* What the expressions around decorators are worth. */
#include "frontends/python/numba.h"

#include <string.h>

static Expression at(Expression e, AstNode node)
{
    return (Expression){e.unit, node, e.env};
}

static const char *text_of(const Linker *linker, Name name)
{
    return intern_text(linker->program->names, name);
}

/* Of two values the higher one; of two builds the one that may be parallel. */
static Value better(Value one, Value other)
{
    if (one.kind != other.kind)
        return one.kind > other.kind ? one : other;
    return other.parallel > one.parallel ? other : one;
}

/* ---- names ---- */

typedef struct ValueVisit {
    Linker *linker;
    Value best;
    int depth;
    const Env *env;
} ValueVisit;

static Value user_function(Linker *linker, const Unit *unit, AstFunction function, const Env *env)
{
    Value known;
    const AstFunctionData *data = &unit->ast->functions.items[function];
    if (strncmp(text_of(linker, data->qualified), "numba.", 6) == 0 &&
        numba_known(text_of(linker, data->qualified), &known) && known.kind == VALUE_DECORATOR)
        return known; /* numba itself is linted */
    return (Value){.kind = VALUE_USER,
                   .function = program_function(linker->program, unit, function),
                   .env = env};
}

static void visit_value(void *context, const Unit *unit, AstNode node, Name outside)
{
    ValueVisit *visit = context;
    Value value = {0};
    if (outside != 0)
        numba_known(text_of(visit->linker, outside), &value);
    else
        value = value_of(visit->linker, (Expression){unit, node, NULL}, visit->depth + 1);
    visit->best = better(visit->best, value);
}

Value value_of_name(Linker *linker, const Unit *from, Name qualified, int depth)
{
    uint64_t key = map_pair(linker->roots[from->id], qualified);
    uint32_t known = map_get(&linker->known, key);
    if (known != 0)
        return linker->values.items[known];
    ValueVisit visit = {linker, {0}, depth, NULL};
    LIST_PUSH(linker->arena, &linker->values, (Value){0});
    uint32_t index = linker->values.count - 1;
    map_set(&linker->known, key, index); /* a name that stands for itself is unknown */
    numba_follow(linker, from, qualified, visit_value, &visit, 0);
    linker->values.items[index] = visit.best;
    return visit.best;
}

/* A variable of the module stands for all that is assigned to it; but in `njit = partial(njit, …)`
 * the inner name is what stood before. */
static Value module_variable(Linker *linker, Expression e, int depth)
{
    const Ast *ast = e.unit->ast;
    Name name = ast_at(ast, e.node)->name;
    Value best = {0};
    for (uint32_t i = 0; i < ast->exports.count; i++) {
        const AstExport *export = &ast->exports.items[i];
        if (export->name != name || (export->node != 0 && ast_holds(ast, export->node, e.node)))
            continue;
        if (export->target != 0)
            best = better(best, value_of_name(linker, e.unit, export->target, depth + 1));
        else if (export->node != 0 &&
                 (export->node < e.node || ast_kind(ast, export->node) != AST_CALL ||
                  ast_function_of(ast, e.node) != 0))
            best =
                better(best, value_of(linker, (Expression){e.unit, export->node, NULL}, depth + 1));
    }
    return best;
}

static void visit_star(void *context, const Unit *unit, AstNode node, Name outside)
{
    ValueVisit *visit = context;
    if (outside != 0 || node != 0)
        visit_value(visit, unit, node, outside);
}

static Value unbound_name(Linker *linker, Expression e)
{
    Value value = {0};
    Name name = ast_at(e.unit->ast, e.node)->name;
    if (numba_known(text_of(linker, name), &value))
        return value;
    ValueVisit visit = {linker, {0}, 0, NULL};
    numba_follow_own(linker, e.unit, name, visit_star, &visit, 0); /* from numba import * */
    return visit.best;
}

static Value local_variable(Linker *linker, Expression e, const AstSymbolData *symbol, int depth)
{
    const Ast *ast = e.unit->ast;
    AstNode assign = symbol->decl == 0 ? 0 : ast_parent(ast, symbol->decl);
    if (assign == 0 || ast_kind(ast, assign) != AST_ASSIGN || ast_holds(ast, assign, e.node))
        return (Value){0};
    return value_of(linker, at(e, ast_child(ast, assign, 1)), depth + 1);
}

static Value value_of_symbol(Linker *linker, Expression e, int depth)
{
    const Ast *ast = e.unit->ast;
    const AstNodeData *data = ast_at(ast, e.node);
    const AstSymbolData *symbol = &ast->symbols.items[data->symbol];
    bool token, bound;
    switch (symbol->kind) {
    case SYMBOL_PARAM: {
        Expression given = numba_parameter(linker, e, &token, &bound);
        if (token)
            return (Value){.kind = VALUE_TOKEN};
        return given.node != 0 ? value_of(linker, given, depth + 1) : (Value){0};
    }
    case SYMBOL_FUNCTION:
        if (symbol->function == 0)
            return module_variable(linker, e, depth);
        if (symbol->decl == 0 || ast_kind(ast, symbol->decl) != AST_FUNCTION)
            return (Value){0};
        return user_function(linker, e.unit, ast_at(ast, symbol->decl)->value.function, e.env);
    case SYMBOL_GLOBAL:
        return module_variable(linker, e, depth);
    case SYMBOL_LOCAL:
        return local_variable(linker, e, symbol, depth);
    default:
        return (Value){0};
    }
}

/* ---- calls ---- */

FunctionId value_function(Linker *linker, Expression argument)
{
    for (int steps = 0; argument.node != 0 && steps < 8; steps++) {
        bool token, bound;
        if (ast_kind(argument.unit->ast, argument.node) != AST_NAME)
            break;
        Expression given = numba_parameter(linker, argument, &token, &bound);
        if (!bound)
            break;
        argument = given;
    }
    if (argument.node == 0 || ast_kind(argument.unit->ast, argument.node) == AST_STRING)
        return 0;
    return program_function_named(linker->program, argument.unit, argument.node);
}

/* The builds of the decorated function within the decorator, which returns a function of its own
 * that calls one of them. */
static Value built_inside(Linker *linker, const Env *env, int depth)
{
    const Ast *ast = env->unit->ast;
    Value best = {0};
    FOR_EACH_NODE (ast, node, ast->functions.items[env->function].node) {
        AstNode callee = ast_kind(ast, node) == AST_CALL ? ast_first(ast, node) : 0;
        if (callee == 0 || ast_next(ast, callee) == 0 || ast_kind(ast, callee) == AST_FIELD)
            continue;
        Value built = value_of(linker, (Expression){env->unit, node, env}, depth + 1);
        if (built.kind != VALUE_COMPILED || built.function != 0)
            continue;
        if (best.kind == VALUE_COMPILED && best.parallel != built.parallel)
            built.parallel = TRUTH_MAYBE;
        best = built;
    }
    return best;
}

/* Whether the function that is decorated is a parameter here. */
static bool has_token(Linker *linker, const Env *env, int depth)
{
    if (env->token)
        return true;
    AstNode argument = env->call.node == 0 ? 0 : ast_child(env->call.unit->ast, env->call.node, 1);
    return argument != 0 && ast_kind(env->call.unit->ast, argument) == AST_NAME &&
           value_of(linker, at(env->call, argument), depth + 1).kind == VALUE_TOKEN;
}

/* What a function of the program returns; of several returns the best counts. */
static Value returned(Linker *linker, FunctionId function, const Env *env, int depth)
{
    const Unit *unit = env->unit;
    const Ast *ast = unit->ast;
    AstNode root = ast->functions.items[env->function].node;
    Value best = {0};
    (void)function;
    if (ast_kind(ast, root) == AST_LAMBDA)
        return value_of(linker, (Expression){unit, ast_first(ast, root), env}, depth + 1);
    for (AstNode node = root + 1; node < ast_end(ast, root);) {
        AstKind kind = ast_kind(ast, node);
        if (kind == AST_FUNCTION || kind == AST_LAMBDA || kind == AST_CLASS) {
            node = ast_end(ast, node);
            continue;
        }
        if (kind == AST_RETURN && !ast_leafless(ast, node))
            best = better(best, value_of(linker, (Expression){unit, node + 1, env}, depth + 1));
        node++;
    }
    if (best.kind == VALUE_USER && has_token(linker, env, depth))
        best = better(best, built_inside(linker, env, depth));
    return best;
}

static Value call_user(Linker *linker, Value callee, Expression call, bool token, int depth)
{
    const AstFunctionData *data = program_function_data(linker->program, callee.function);
    const Unit *unit = program_function_unit(linker->program, callee.function);
    Env *env = arena_alloc(linker->arena, sizeof *env);
    *env = (Env){unit, ast_at(unit->ast, data->node)->value.function, call, token, callee.env};
    return returned(linker, callee.function, env, depth);
}

/* njit(f), njit("f8(f8)"), njit(parallel=True), njit(**options)(f). */
static Value call_decorator(Linker *linker, Value callee, Expression call, int depth)
{
    bool token;
    Value made = callee;
    numba_add_options(linker, &made, call, depth);
    Expression first = numba_first_argument(linker, call, &token);
    if (first.node == 0 && !token)
        return made;
    Value argument = token ? (Value){.kind = VALUE_TOKEN} : value_of(linker, first, depth + 1);
    if (callee.decorator != DECORATOR_COMPILES) { /* generated_jit(f); overload(g), to be applied */
        made.kind = argument.kind == VALUE_TOKEN ? VALUE_COMPILED : made.kind;
        return made;
    }
    FunctionId function = token ? 0 : value_function(linker, first);
    if (argument.kind == VALUE_TOKEN || argument.kind == VALUE_COMPILED || function != 0) {
        made.kind = VALUE_COMPILED;
        made.function = argument.kind == VALUE_TOKEN ? 0
                        : function != 0              ? function
                                                     : argument.function;
        return made;
    }
    AstKind kind = ast_kind(first.unit->ast, first.node);
    if (kind != AST_CONSTANT) {
        made.flags |= FN_SIGNATURE;
        made.signature = first;
    }
    return made;
}

static bool is_partial(const Linker *linker, Expression e)
{
    const AstNodeData *callee = ast_at(e.unit->ast, ast_first(e.unit->ast, e.node));
    const char *name = text_of(linker, callee->name);
    return callee->kind == AST_NAME && (callee->flags & AST_QUALIFIED) != 0 &&
           (strcmp(name, "functools.partial") == 0 || strcmp(name, "toolz.curry") == 0);
}

static Value value_of_partial(Linker *linker, Expression e, int depth)
{
    AstNode first = ast_child(e.unit->ast, e.node, 1);
    Value made = first == 0 ? (Value){0} : value_of(linker, at(e, first), depth + 1);
    if (made.kind == VALUE_DECORATOR)
        numba_add_options(linker, &made, e, depth);
    return made;
}

static Value value_of_call(Linker *linker, Expression e, int depth)
{
    if (is_partial(linker, e))
        return value_of_partial(linker, e, depth);
    Value callee = value_of(linker, at(e, ast_first(e.unit->ast, e.node)), depth + 1);
    switch (callee.kind) {
    case VALUE_DECORATOR:
        return call_decorator(linker, callee, e, depth);
    case VALUE_USER:
        return call_user(linker, callee, e, false, depth);
    case VALUE_PLAIN:
        return callee;
    default:
        return (Value){0};
    }
}

Value value_applied(Linker *linker, Value decorator, int depth)
{
    if (decorator.kind == VALUE_DECORATOR) {
        decorator.kind = VALUE_COMPILED;
        decorator.function = 0;
        return decorator;
    }
    if (decorator.kind == VALUE_USER)
        return call_user(linker, decorator, (Expression){0}, true, depth);
    return decorator;
}

/* ---- all of them ---- */

static bool leaves_alone(const Linker *linker, Name field)
{
    static const char *const words[] = {"setter", "getter", "deleter", "register", NULL};
    for (const char *const *word = words; *word != NULL; word++)
        if (strcmp(*word, text_of(linker, field)) == 0)
            return true;
    return false;
}

Value value_of(Linker *linker, Expression e, int depth)
{
    const Ast *ast = e.unit->ast;
    if (e.node == 0 || depth >= NUMBA_DEEPEST || linker->budget == 0)
        return (Value){0};
    linker->budget--;
    const AstNodeData *data = ast_at(ast, e.node);
    switch (data->kind) {
    case AST_NAME:
        if ((data->flags & AST_QUALIFIED) != 0)
            return value_of_name(linker, e.unit, data->name, depth);
        return data->symbol == 0 ? unbound_name(linker, e) : value_of_symbol(linker, e, depth);
    case AST_CALL:
        return value_of_call(linker, e, depth);
    case AST_CONDITIONAL:
        return better(value_of(linker, at(e, ast_child(ast, e.node, 1)), depth + 1),
                      value_of(linker, at(e, ast_child(ast, e.node, 2)), depth + 1));
    case AST_LOGIC:
        return better(value_of(linker, at(e, e.node + 1), depth + 1),
                      value_of(linker, at(e, ast_child(ast, e.node, 1)), depth + 1));
    case AST_FUNCTION:
    case AST_LAMBDA:
        return user_function(linker, e.unit, data->value.function, e.env);
    case AST_FIELD:
        return (Value){.kind = leaves_alone(linker, data->name) ? VALUE_PLAIN : VALUE_UNKNOWN};
    default:
        return (Value){0};
    }
}
