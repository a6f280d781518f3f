/* Options of decorators: keywords, dictionaries of them, and whether a flag is set. */
#include "frontends/python/numba.h"

#include <string.h>

/* ---- arguments ---- */

static const AstNodeData *data_of(Expression e)
{
    return ast_at(e.unit->ast, e.node);
}

static AstKind kind_of(Expression e)
{
    return e.node == 0 ? AST_NONE : ast_kind(e.unit->ast, e.node);
}

static Expression at(Expression e, AstNode node)
{
    return (Expression){e.unit, node, e.env};
}

static const char *text_of(const Linker *linker, Name name)
{
    return intern_text(linker->program->names, name);
}

bool numba_is_double_star(Expression spread)
{
    const Source *source = spread.unit->files.items[0];
    uint32_t start = data_of(spread)->start;
    return start + 1 < source->size && source->bytes[start] == '*' &&
           source->bytes[start + 1] == '*';
}

/* The environment whose function has the parameter that a NAME means. */
static const Env *env_of(Expression name)
{
    const AstSymbolData *symbol = &name.unit->ast->symbols.items[data_of(name)->symbol];
    if (symbol->kind != SYMBOL_PARAM)
        return NULL;
    for (const Env *env = name.env; env != NULL; env = env->outer)
        if (env->unit == name.unit && env->function == symbol->function)
            return env;
    return NULL;
}

static Expression argument(const Linker *linker, const Env *env, const AstSymbolData *param)
{
    uint32_t position = env->token ? 1 : 0;
    if (env->call.node == 0)
        return (Expression){0};
    const Ast *ast = env->call.unit->ast;
    for (AstNode child = ast_next(ast, ast_first(ast, env->call.node)); child != 0;
         child = ast_next(ast, child)) {
        AstKind kind = ast_kind(ast, child);
        if (kind == AST_KEYWORD &&
            strcmp(text_of(linker, ast_at(ast, child)->name), text_of(linker, param->name)) == 0)
            return at(env->call, ast_first(ast, child));
        if (kind != AST_KEYWORD && kind != AST_SPREAD && position++ == param->index)
            return at(env->call, child);
    }
    return (Expression){0};
}

Expression numba_parameter(const Linker *linker, Expression name, bool *token, bool *bound)
{
    const Env *env = env_of(name);
    *token = *bound = false;
    if (env == NULL)
        return (Expression){0};
    const AstSymbolData *param = &name.unit->ast->symbols.items[data_of(name)->symbol];
    *bound = true;
    if (env->token && param->index == 0) {
        *token = true;
        return (Expression){0};
    }
    Expression given = argument(linker, env, param);
    AstNode fallback = param->decl == 0 ? 0 : ast_first(name.unit->ast, param->decl);
    if (given.node == 0 && fallback != 0 && ast_kind(name.unit->ast, fallback) != AST_NONE)
        given = (Expression){name.unit, fallback, env->outer};
    return given;
}

Expression numba_first_argument(const Linker *linker, Expression call, bool *token)
{
    const Ast *ast = call.unit->ast;
    *token = false;
    for (AstNode child = ast_next(ast, ast_first(ast, call.node)); child != 0;
         child = ast_next(ast, child)) {
        AstKind kind = ast_kind(ast, child);
        if (kind == AST_KEYWORD)
            continue;
        if (kind != AST_SPREAD)
            return at(call, child);
        Expression list = at(call, ast_first(ast, child));
        bool bound = false;
        if (!numba_is_double_star(at(call, child)) && kind_of(list) == AST_NAME) {
            Expression given = numba_parameter(linker, list, token, &bound);
            if (*token || given.node != 0)
                return given;
        }
    }
    return (Expression){0};
}

/* ---- whether a flag is set ---- */

typedef struct TruthVisit {
    Linker *linker;
    Truth truth;
    int count, depth;
} TruthVisit;

static void visit_truth(void *context, const Unit *unit, AstNode node, Name outside)
{
    TruthVisit *visit = context;
    Truth truth =
        outside != 0 ? TRUTH_MAYBE
                     : numba_truth(visit->linker, (Expression){unit, node, NULL}, visit->depth + 1);
    visit->truth = visit->count++ == 0 || visit->truth == truth ? truth : TRUTH_MAYBE;
}

static Truth truth_of_name(Linker *linker, Expression e, int depth)
{
    const AstNodeData *data = data_of(e);
    const AstSymbolData *symbol = &e.unit->ast->symbols.items[data->symbol];
    TruthVisit visit = {linker, TRUTH_MAYBE, 0, depth};
    if ((data->flags & AST_QUALIFIED) != 0) {
        numba_follow(linker, e.unit, data->name, visit_truth, &visit, depth);
    } else if (symbol->kind == SYMBOL_GLOBAL && (symbol->flags & SYMBOL_REASSIGNED) == 0) {
        numba_follow_own(linker, e.unit, data->name, visit_truth, &visit, depth);
    } else if (symbol->kind == SYMBOL_PARAM) {
        bool token, bound;
        Expression given = numba_parameter(linker, e, &token, &bound);
        return bound && given.node != 0 ? numba_truth(linker, given, depth + 1) : TRUTH_MAYBE;
    } else if (symbol->kind == SYMBOL_LOCAL && (symbol->flags & SYMBOL_REASSIGNED) == 0 &&
               symbol->decl != 0) {
        AstNode assign = ast_parent(e.unit->ast, symbol->decl);
        if (ast_kind(e.unit->ast, assign) == AST_ASSIGN)
            return numba_truth(linker, at(e, ast_child(e.unit->ast, assign, 1)), depth + 1);
    }
    return visit.truth;
}

static Truth negate(Truth truth)
{
    return truth == TRUTH_MAYBE ? truth : truth == TRUTH_YES ? TRUTH_NO : TRUTH_YES;
}

static Truth truth_of_logic(Linker *linker, Expression e, int depth)
{
    Truth decides = data_of(e)->op == OP_LOGIC_AND ? TRUTH_NO : TRUTH_YES;
    Truth left = numba_truth(linker, at(e, ast_first(e.unit->ast, e.node)), depth + 1);
    Truth right = numba_truth(linker, at(e, ast_child(e.unit->ast, e.node, 1)), depth + 1);
    if (left == decides || right == decides)
        return decides;
    return left == TRUTH_MAYBE ? left : right;
}

/* kwargs.get("parallel", False): the keyword of the call that gave kwargs, else the second
 * argument. */
static Truth truth_of_get(Linker *linker, Expression e, int depth)
{
    const Ast *ast = e.unit->ast;
    AstNode callee = ast_first(ast, e.node), key = ast_child(ast, e.node, 1),
            other = ast_child(ast, e.node, 2);
    if (ast_kind(ast, callee) != AST_FIELD || key == 0 || ast_kind(ast, key) != AST_STRING)
        return TRUTH_MAYBE;
    Expression holder = at(e, ast_first(ast, callee));
    const Env *env = kind_of(holder) == AST_NAME ? env_of(holder) : NULL;
    if (env == NULL || env->call.node == 0)
        return TRUTH_MAYBE;
    const Ast *caller = env->call.unit->ast;
    FOR_EACH_CHILD (caller, child, env->call.node) {
        if (ast_kind(caller, child) == AST_KEYWORD &&
            ast_at(caller, child)->name == ast_at(ast, key)->name)
            return numba_truth(linker, at(env->call, ast_first(caller, child)), depth + 1);
        if (ast_kind(caller, child) == AST_SPREAD)
            return TRUTH_MAYBE;
    }
    return other == 0 ? TRUTH_NO : numba_truth(linker, at(e, other), depth + 1);
}

Truth numba_truth(Linker *linker, Expression e, int depth)
{
    if (e.node == 0 || depth >= NUMBA_DEEPEST || linker->budget == 0)
        return TRUTH_MAYBE;
    linker->budget--;
    const AstNodeData *data = data_of(e);
    switch (data->kind) {
    case AST_CONSTANT:
        return strcmp(text_of(linker, data->name), "True") == 0 ? TRUTH_YES : TRUTH_NO;
    case AST_INT:
        return data->value.integer != 0 ? TRUTH_YES : TRUTH_NO;
    case AST_STRING:
    case AST_LIST:
    case AST_SET:
    case AST_TUPLE:
    case AST_DICT:
        return data->kind == AST_STRING            ? TRUTH_YES
               : ast_leafless(e.unit->ast, e.node) ? TRUTH_NO
                                                   : TRUTH_YES;
    case AST_UNARY:
        return data->op == OP_NOT ? negate(numba_truth(linker, at(e, e.node + 1), depth + 1))
                                  : TRUTH_MAYBE;
    case AST_LOGIC:
        return truth_of_logic(linker, e, depth);
    case AST_NAME:
        return truth_of_name(linker, e, depth);
    case AST_CALL:
        return truth_of_get(linker, e, depth);
    default:
        return TRUTH_MAYBE;
    }
}

/* ---- one option ---- */

static void set_flag(Value *value, uint32_t flag, bool on)
{
    value->flags = on ? value->flags | flag : value->flags & ~flag;
}

typedef struct StringVisit {
    const char *found;
    const Linker *linker;
} StringVisit;

static void visit_string(void *context, const Unit *unit, AstNode node, Name outside)
{
    StringVisit *visit = context;
    (void)outside;
    if (node != 0 && ast_kind(unit->ast, node) == AST_STRING)
        visit->found = text_of(visit->linker, ast_at(unit->ast, node)->name);
}

static const char *string_of(Linker *linker, Expression e)
{
    bool token, bound = false;
    for (int steps = 0; kind_of(e) == AST_NAME && steps < 4; steps++) {
        Expression given = numba_parameter(linker, e, &token, &bound);
        if (!bound)
            break;
        e = given;
    }
    StringVisit visit = {"", linker};
    if (kind_of(e) == AST_STRING)
        return text_of(linker, data_of(e)->name);
    if (kind_of(e) == AST_NAME && (data_of(e)->flags & AST_QUALIFIED) != 0)
        numba_follow(linker, e.unit, data_of(e)->name, visit_string, &visit, 0);
    else if (kind_of(e) == AST_NAME)
        numba_follow_own(linker, e.unit, data_of(e)->name, visit_string, &visit, 0);
    return visit.found;
}

static void add_dict(Linker *linker, Value *value, Expression dict, int depth);

static void add_option(Linker *linker, Value *value, const char *name, Expression e, int depth)
{
    if (strcmp(name, "parallel") == 0) {
        value->parallel = numba_truth(linker, e, depth + 1);
        value->chosen = true;
    } else if (strcmp(name, "fastmath") == 0) {
        set_flag(value, FN_FASTMATH, numba_truth(linker, e, depth + 1) != TRUTH_NO);
    } else if (strcmp(name, "nogil") == 0) {
        set_flag(value, FN_NOGIL, numba_truth(linker, e, depth + 1) != TRUTH_NO);
    } else if (strcmp(name, "boundscheck") == 0) {
        set_flag(value, FN_BOUNDSCHECK, numba_truth(linker, e, depth + 1) == TRUTH_YES);
    } else if (strcmp(name, "inline") == 0) {
        set_flag(value, FN_INLINE_ALWAYS, strcmp(string_of(linker, e), "always") == 0);
    } else if (strcmp(name, "error_model") == 0) {
        set_flag(value, FN_ERROR_NUMPY, strcmp(string_of(linker, e), "numpy") == 0);
    } else if (strcmp(name, "forceobj") == 0) {
        if (numba_truth(linker, e, depth + 1) == TRUTH_YES)
            set_flag(value, FN_COMPILED, false);
    } else if (strcmp(name, "target") == 0) {
        set_flag(value, FN_OFFLOAD, strcmp(string_of(linker, e), "cuda") == 0);
    } else if (strcmp(name, "jit_options") == 0) {
        add_dict(linker, value, e, depth + 1);
    } else if (strncmp(name, "signature", 9) == 0) {
        set_flag(value, FN_SIGNATURE, true);
        value->signature = e;
    }
}

/* ---- dictionaries of options ---- */

/* What cannot be read may set anything; only `parallel` matters enough to say so. */
static void add_unknown(Value *value)
{
    if (value->parallel == TRUTH_NO)
        value->parallel = TRUTH_MAYBE;
}

static void add_arguments(Linker *linker, Value *value, Expression call, bool positional, int depth)
{
    const Ast *ast = call.unit->ast;
    for (AstNode child = ast_next(ast, ast_first(ast, call.node)); child != 0;
         child = ast_next(ast, child)) {
        Expression inner = at(call, ast_first(ast, child));
        if (ast_kind(ast, child) == AST_KEYWORD)
            add_option(linker, value, text_of(linker, ast_at(ast, child)->name), inner, depth);
        else if (ast_kind(ast, child) == AST_SPREAD && numba_is_double_star(at(call, child)))
            add_dict(linker, value, inner, depth + 1);
        else if (positional)
            add_dict(linker, value, at(call, child), depth + 1);
    }
}

static void add_display(Linker *linker, Value *value, Expression dict, int depth)
{
    const Ast *ast = dict.unit->ast;
    for (AstNode key = ast_first(ast, dict.node); key != 0;) {
        AstNode item = ast_next(ast, key);
        if (item == 0)
            return;
        if (ast_kind(ast, key) == AST_STRING)
            add_option(linker, value, text_of(linker, ast_at(ast, key)->name), at(dict, item),
                       depth);
        else if (ast_kind(ast, item) == AST_SPREAD)
            add_dict(linker, value, at(dict, ast_first(ast, item)), depth + 1);
        key = ast_next(ast, item);
    }
}

typedef struct DictVisit {
    Linker *linker;
    Value *value;
    int count, depth;
} DictVisit;

static bool is_same_variable(const Ast *ast, AstNode node, Expression name)
{
    return node != 0 && ast_kind(ast, node) == AST_NAME &&
           ast_at(ast, node)->symbol == data_of(name)->symbol;
}

/* What is stored in a branch, or by another function, may be so or not. */
static bool is_certain(const Ast *ast, AstNode node, AstNode around)
{
    for (AstNode up = ast_parent(ast, node); up > around; up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_BRANCH || ast_kind(ast, up) == AST_FUNCTION)
            return false;
    return true;
}

/* options["parallel"] = item, or by setdefault, which leaves what is there. */
static void store_option(Linker *linker, Value *value, AstNode key, Expression item, bool replaces,
                         int depth)
{
    const Ast *ast = item.unit->ast;
    Value before = *value;
    if (item.node == 0 || key == 0 || ast_kind(ast, key) != AST_STRING)
        return;
    add_option(linker, value, text_of(linker, ast_at(ast, key)->name), item, depth + 1);
    if (!replaces && before.chosen)
        value->parallel = before.parallel;
}

/* options.update(parallel=…), options.setdefault("parallel", …) */
static void call_on_options(Linker *linker, Value *value, Expression name, AstNode call, int depth)
{
    const Ast *ast = name.unit->ast;
    AstNode method = ast_first(ast, call);
    if (ast_kind(ast, method) != AST_FIELD || !is_same_variable(ast, ast_first(ast, method), name))
        return;
    const char *word = text_of(linker, ast_at(ast, method)->name);
    if (strcmp(word, "update") == 0)
        add_arguments(linker, value, at(name, call), true, depth + 1);
    else if (strcmp(word, "setdefault") == 0)
        store_option(linker, value, ast_child(ast, call, 1), at(name, ast_child(ast, call, 2)),
                     false, depth);
}

/* What the code around a dictionary (the function that uses it, or the module) puts into it. */
static void add_stored(Linker *linker, Value *value, Expression name, AstNode around, int depth)
{
    const Ast *ast = name.unit->ast;
    FOR_EACH_NODE (ast, node, around) {
        Truth before = value->parallel;
        AstNode target = ast_kind(ast, node) == AST_ASSIGN ? ast_first(ast, node) : 0;
        if (target != 0 && ast_kind(ast, target) == AST_INDEX &&
            is_same_variable(ast, ast_first(ast, target), name))
            store_option(linker, value, ast_child(ast, target, 1),
                         at(name, ast_child(ast, node, 1)), true, depth);
        else if (ast_kind(ast, node) == AST_CALL && ast_first(ast, node) != 0)
            call_on_options(linker, value, name, node, depth);
        if (value->parallel != before && !is_certain(ast, node, around))
            value->parallel = TRUTH_MAYBE;
    }
}

static void visit_dict(void *context, const Unit *unit, AstNode node, Name outside)
{
    DictVisit *visit = context;
    visit->count++;
    if (outside != 0) {
        add_unknown(visit->value);
        return;
    }
    const Ast *ast = unit->ast;
    AstNode assign = ast_parent(ast, node);
    add_dict(visit->linker, visit->value, (Expression){unit, node, NULL}, visit->depth + 1);
    if (ast_kind(ast, assign) == AST_ASSIGN && ast_kind(ast, ast_first(ast, assign)) == AST_NAME)
        add_stored(visit->linker, visit->value, (Expression){unit, ast_first(ast, assign), NULL}, 1,
                   visit->depth);
}

/* **kwargs of the function that is evaluated: the keywords of the call that no parameter takes. */
static void add_kwargs(Linker *linker, Value *value, Expression name, const Env *env, int depth)
{
    const AstFunctionData *function = &name.unit->ast->functions.items[env->function];
    if (env->call.node == 0)
        return;
    const Ast *ast = env->call.unit->ast;
    FOR_EACH_CHILD (ast, child, env->call.node) {
        Expression inner = at(env->call, ast_first(ast, child));
        bool taken = false;
        for (uint32_t i = 0; i < function->params.count; i++)
            taken |= name.unit->ast->symbols.items[function->params.items[i]].name ==
                     ast_at(ast, child)->name;
        if (ast_kind(ast, child) == AST_KEYWORD && !taken)
            add_option(linker, value, text_of(linker, ast_at(ast, child)->name), inner, depth);
        else if (ast_kind(ast, child) == AST_SPREAD && numba_is_double_star(at(env->call, child)))
            add_dict(linker, value, inner, depth + 1);
    }
}

/* The function that a local is of: a closure uses what the one around it has put together. */
static AstNode function_around(Expression name)
{
    const Ast *ast = name.unit->ast;
    return ast->functions.items[ast->symbols.items[data_of(name)->symbol].function].node;
}

static void add_named_dict(Linker *linker, Value *value, Expression e, int depth)
{
    const AstNodeData *data = data_of(e);
    const AstSymbolData *symbol = &e.unit->ast->symbols.items[data->symbol];
    DictVisit visit = {linker, value, 0, depth};
    const Env *env = env_of(e);
    if (env != NULL && (symbol->flags & SYMBOL_VARARGS) != 0) {
        add_kwargs(linker, value, e, env, depth);
        add_stored(linker, value, e, function_around(e), depth);
        return;
    }
    if ((data->flags & AST_QUALIFIED) != 0) {
        numba_follow(linker, e.unit, data->name, visit_dict, &visit, depth);
    } else if (symbol->kind == SYMBOL_GLOBAL) {
        numba_follow_own(linker, e.unit, data->name, visit_dict, &visit, depth);
    } else if (env != NULL) {
        bool token, bound;
        Expression given = numba_parameter(linker, e, &token, &bound);
        visit.count = given.node != 0;
        add_dict(linker, value, given, depth + 1);
    } else if (symbol->kind == SYMBOL_LOCAL && symbol->decl != 0) {
        AstNode assign = ast_parent(e.unit->ast, symbol->decl);
        visit.count = ast_kind(e.unit->ast, assign) == AST_ASSIGN;
        if (visit.count != 0)
            add_dict(linker, value, at(e, ast_child(e.unit->ast, assign, 1)), depth + 1);
        add_stored(linker, value, e, function_around(e), depth);
    }
    if (visit.count == 0)
        add_unknown(value);
}

/* self.options, Class.options: what the file assigns to a field or class variable of that name. */
static void add_field_dict(Linker *linker, Value *value, Expression e, int depth)
{
    const Ast *ast = e.unit->ast;
    Name name = data_of(e)->name;
    FOR_EACH_NODE (ast, node, 1) {
        AstNode target = ast_kind(ast, node) == AST_ASSIGN ? node + 1 : 0;
        bool same = target != 0 && ast_at(ast, target)->name == name &&
                    (ast_kind(ast, target) == AST_FIELD ||
                     (ast_kind(ast, target) == AST_NAME &&
                      ast_kind(ast, ast_parent(ast, node)) == AST_CLASS));
        AstNode assigned = same ? ast_child(ast, node, 1) : 0;
        if (assigned != 0 &&
            (ast_kind(ast, assigned) == AST_DICT || ast_kind(ast, assigned) == AST_CALL)) {
            add_dict(linker, value, (Expression){e.unit, assigned, NULL}, depth + 1);
            return;
        }
    }
    add_unknown(value);
}

static bool is_dict_call(const Linker *linker, Expression e)
{
    const Ast *ast = e.unit->ast;
    AstNode callee = ast_first(ast, e.node);
    return ast_kind(ast, callee) == AST_NAME && ast_at(ast, callee)->symbol == 0 &&
           ast_at(ast, callee)->name == linker->word_dict;
}

static void add_dict(Linker *linker, Value *value, Expression dict, int depth)
{
    linker->budget -= linker->budget > 0;
    if (dict.node == 0 || depth >= NUMBA_DEEPEST || linker->budget == 0) {
        add_unknown(value);
        return;
    }
    const AstNodeData *data = data_of(dict);
    switch (data->kind) {
    case AST_DICT:
        add_display(linker, value, dict, depth);
        return;
    case AST_NAME:
        add_named_dict(linker, value, dict, depth);
        return;
    case AST_FIELD:
        add_field_dict(linker, value, dict, depth);
        return;
    case AST_BINARY:
        add_dict(linker, value, at(dict, dict.node + 1), depth + 1);
        add_dict(linker, value, at(dict, ast_child(dict.unit->ast, dict.node, 1)), depth + 1);
        return;
    case AST_CONSTANT:
        return;
    case AST_CALL:
        if (is_dict_call(linker, dict)) {
            add_arguments(linker, value, dict, true, depth);
            return;
        } /* fallthrough */
    default:
        add_unknown(value);
        return;
    }
}

void numba_add_options(Linker *linker, Value *value, Expression call, int depth)
{
    add_arguments(linker, value, call, false, depth);
}
