/* Which name is which: the scopes of Python, and what is bound in each. All names that a scope
 * binds are collected before its body is lowered, as Python itself does. */
#include "frontends/python/python.h"

#include <string.h>

/* ---- the table: (scope, name) to symbol ---- */

static uint64_t key_of(const Scope *scope, Name name)
{
    return map_pair(scope->id, name);
}

static void put(Lowering *l, const Scope *scope, Name name, AstSymbol symbol)
{
    map_set(&l->symbols, key_of(scope, name), symbol);
}

static AstSymbol get(const Lowering *l, const Scope *scope, Name name)
{
    return map_get(&l->symbols, key_of(scope, name));
}

AstSymbol scope_own(const Lowering *l, Name name)
{
    return get(l, l->scope, name);
}

AstSymbol python_scope_find(const Lowering *l, Name name)
{
    bool inner = false; /* a function stands between: names of a class are not seen through it */
    for (const Scope *scope = l->scope; scope != NULL; scope = scope->outer) {
        AstSymbol symbol = scope->kind == SCOPE_CLASS && inner ? 0 : get(l, scope, name);
        if (symbol != 0)
            return symbol;
        inner |= scope->kind == SCOPE_FUNCTION;
    }
    return 0;
}

void scope_enter(Lowering *l, Scope *scope, ScopeKind kind, AstFunction function,
                 const char *prefix)
{
    *scope = (Scope){l->scope, l->scope_count++, kind, function, prefix};
    l->scope = scope;
}

void scope_leave(Lowering *l)
{
    l->scope = l->scope->outer;
}

Binding *scope_binding(Lowering *l, AstSymbol symbol)
{
    while (l->bindings.count <= symbol)
        LIST_PUSH(l->scratch, &l->bindings, (Binding){0});
    return &l->bindings.items[symbol];
}

/* ---- binding ---- */

static AstSymbol new_symbol(Lowering *l, const Scope *scope, Name name, AstSymbolKind kind)
{
    AstSymbol symbol = ast_symbol(l->ast, name, kind, scope->function, 0);
    put(l, scope, name, symbol);
    return symbol;
}

/* An imported name that is bound again: in an `except ImportError` or under an `if` that is the
 * fall-back, and the import is what counts; else the later statement does. */
static bool keeps_import(const Binding *binding, bool conditional)
{
    return binding->imported && (conditional || binding->conditional);
}

static AstSymbol bind(Lowering *l, Name name, AstSymbolKind kind, bool conditional)
{
    AstSymbolKind variable = l->scope->function == 0 ? SYMBOL_GLOBAL : SYMBOL_LOCAL;
    AstSymbol symbol = get(l, l->scope, name);
    if (symbol == 0)
        symbol = new_symbol(l, l->scope, name, kind != SYMBOL_NONE ? kind : variable);
    Binding *binding = scope_binding(l, symbol);
    AstSymbolData *data = &l->ast->symbols.items[symbol];
    if (binding->count > 0 || data->kind == SYMBOL_PARAM)
        data->flags |= SYMBOL_REASSIGNED;
    if (data->function != l->scope->function)
        kind = SYMBOL_NONE; /* `global`, `nonlocal`: what it is was decided in its own scope */
    else if (data->kind == SYMBOL_MODULE && !keeps_import(binding, conditional)) {
        data->kind = (uint8_t)(kind != SYMBOL_NONE ? kind : variable);
        data->qualified = 0;
        binding->imported = false;
    } else if (kind != SYMBOL_NONE && data->kind != SYMBOL_MODULE && data->kind != SYMBOL_PARAM) {
        data->kind = (uint8_t)kind;
    }
    binding->count += binding->count < UINT16_MAX;
    binding->conditional |= conditional;
    return symbol;
}

static bool from_numba(const Lowering *l, Name qualified)
{
    const char *text = intern_text(l->ast->names, qualified);
    return strncmp(text, "numba", 5) == 0 && (text[5] == '.' || text[5] == '\0');
}

void scope_bind_import(Lowering *l, Name name, Name qualified, bool conditional)
{
    AstSymbol symbol = get(l, l->scope, name);
    if (symbol == 0)
        symbol = new_symbol(l, l->scope, name, SYMBOL_MODULE);
    Binding *binding = scope_binding(l, symbol);
    AstSymbolData *data = &l->ast->symbols.items[symbol];
    if (data->kind == SYMBOL_PARAM)
        return;
    bool keep = binding->imported && conditional && !from_numba(l, qualified);
    if (!keep && !(binding->imported && conditional && from_numba(l, data->qualified)))
        data->qualified = qualified;
    data->kind = SYMBOL_MODULE;
    if (binding->count > 0)
        data->flags |= SYMBOL_REASSIGNED;
    binding->imported = true;
    binding->conditional |= conditional;
    binding->count += binding->count < UINT16_MAX;
}

AstSymbol scope_bind_param(Lowering *l, SyntaxId identifier, uint32_t index, uint16_t flags)
{
    AstSymbol symbol = new_symbol(l, l->scope, syntax_name(l, identifier), SYMBOL_PARAM);
    AstSymbolData *data = &l->ast->symbols.items[symbol];
    data->index = (uint8_t)(index < UINT8_MAX ? index : UINT8_MAX);
    data->flags = flags;
    return symbol;
}

/* ---- collecting ---- */

/* Where a scan stands: what lies before `conditional_until` may not run. */
typedef struct Scan {
    SyntaxId conditional_until, decorated_until;
} Scan;

static void add_value(Lowering *l, AstSymbol symbol, SyntaxId value)
{
    Binding *binding = scope_binding(l, symbol);
    for (int i = 0; i < 2 && value != 0; i++)
        if (binding->values[i] == 0) {
            binding->values[i] = value;
            return;
        }
}

/* Binds the names of an assignment's target; `value` is what a plain name gets. */
static void bind_targets(Lowering *l, SyntaxId target, SyntaxId value, bool conditional)
{
    if (syntax_kind(l, target) == SYNTAX_IDENTIFIER) {
        add_value(l, bind(l, syntax_name(l, target), SYMBOL_NONE, conditional), value);
        return;
    }
    for (SyntaxId node = target, end = l->nodes[target].end; node < end;) {
        SyntaxKind kind = syntax_kind(l, node);
        if (kind == SYNTAX_ATTRIBUTE || kind == SYNTAX_SUBSCRIPT || kind == SYNTAX_CALL) {
            node = l->nodes[node].end;
            continue;
        }
        if (kind == SYNTAX_IDENTIFIER)
            bind(l, syntax_name(l, node), SYMBOL_NONE, conditional);
        node++;
    }
}

void scope_collect_targets(Lowering *l, SyntaxId target)
{
    bind_targets(l, target, 0, true);
}

static void bind_assignment(Lowering *l, SyntaxId node, bool conditional)
{
    SyntaxId left = syntax_labelled(l, node, LABEL_LEFT);
    SyntaxId value = syntax_labelled(l, node, LABEL_RIGHT);
    while (value != 0 && syntax_kind(l, value) == SYNTAX_ASSIGNMENT)
        value = syntax_labelled(l, value, LABEL_RIGHT);
    if (left == 0)
        return;
    bind_targets(l, left, value, conditional);
    if (syntax_kind(l, node) == SYNTAX_AUGMENTED && syntax_kind(l, left) == SYNTAX_IDENTIFIER)
        bind_targets(l, left, 0, conditional); /* counts twice: it is no constant */
}

/* Of several definitions of one name the last counts; where a condition decides, the first, or the
 * first with a decorator (numba's branch, as against the plain fall-back). */
static void bind_function(Lowering *l, SyntaxId node, bool decorated, bool conditional)
{
    SyntaxId name = syntax_labelled(l, node, LABEL_NAME);
    if (name == 0)
        return;
    AstSymbol symbol = bind(l, syntax_name(l, name), SYMBOL_FUNCTION, conditional);
    Binding *binding = scope_binding(l, symbol);
    if (binding->definition == 0 || !binding->conditional || (decorated && !binding->defined)) {
        binding->definition = node;
        binding->defined = decorated;
    }
}

static void bind_outer(Lowering *l, SyntaxId node)
{
    bool global = syntax_kind(l, node) == SYNTAX_GLOBAL;
    FOR_EACH_PART(l, part, node)
    {
        Name name = syntax_name(l, part);
        AstSymbol symbol = 0;
        Scope *scope = l->scope->outer;
        for (; scope != NULL && symbol == 0; scope = scope->outer)
            if (global ? scope->outer == NULL : scope->kind != SCOPE_CLASS)
                symbol = get(l, scope, name);
        if (symbol == 0 && global) {
            for (scope = l->scope; scope->outer != NULL;)
                scope = scope->outer;
            symbol = new_symbol(l, scope, name, SYMBOL_GLOBAL);
        }
        if (symbol != 0)
            put(l, l->scope, name, symbol);
        if (symbol != 0)
            scope_binding(l, symbol)->count++; /* written from elsewhere: no constant */
    }
}

/* `case name:`, `case *rest:`, `case … as name:` */
static void bind_case(Lowering *l, SyntaxId pattern)
{
    SyntaxKind before = SYNTAX_DROPPED;
    FOR_EACH_PART(l, part, pattern)
    {
        SyntaxKind kind = syntax_kind(l, part);
        bool capture = kind == SYNTAX_DOTTED_NAME && l->nodes[part].end == part + 2;
        if (kind == SYNTAX_IDENTIFIER &&
            (before == SYNTAX_CASE_PATTERN || syntax_kind(l, pattern) == SYNTAX_SPLAT_PATTERN))
            bind(l, syntax_name(l, part), SYMBOL_NONE, true);
        if (capture && syntax_kind(l, pattern) == SYNTAX_CASE_PATTERN)
            bind(l, syntax_name(l, part + 1), SYMBOL_NONE, true);
        before = kind;
    }
}

static void bind_loop_target(Lowering *l, SyntaxId node)
{
    SyntaxId left = syntax_labelled(l, node, LABEL_LEFT);
    if (left != 0)
        bind_targets(l, left, 0, true);
}

/* Binds what the node itself binds; returns where the scan goes on. */
static SyntaxId collect(Lowering *l, Scan *scan, SyntaxId node)
{
    SyntaxId end = l->nodes[node].end, name = 0;
    bool conditional = node < scan->conditional_until;
    switch (syntax_kind(l, node)) {
    case SYNTAX_FUNCTION:
        bind_function(l, node, node < scan->decorated_until, conditional);
        return end;
    case SYNTAX_CLASS:
        if ((name = syntax_labelled(l, node, LABEL_NAME)) != 0)
            bind(l, syntax_name(l, name), SYMBOL_CLASS, conditional);
        return end;
    case SYNTAX_DECORATED:
        scan->decorated_until = end;
        return node + 1;
    case SYNTAX_LAMBDA:
        return end;
    case SYNTAX_ASSIGNMENT:
    case SYNTAX_AUGMENTED:
        bind_assignment(l, node, conditional);
        return node + 1;
    case SYNTAX_NAMED_EXPRESSION:
        if ((name = syntax_labelled(l, node, LABEL_NAME)) != 0)
            bind_targets(l, name, syntax_labelled(l, node, LABEL_VALUE), conditional);
        return node + 1;
    case SYNTAX_AS_TARGET:
        bind_targets(l, node, 0, conditional);
        return end;
    case SYNTAX_AS_PATTERN:
    case SYNTAX_CASE_PATTERN:
    case SYNTAX_SPLAT_PATTERN:
        bind_case(l, node);
        return node + 1;
    case SYNTAX_IMPORT:
    case SYNTAX_IMPORT_FROM:
        imports_bind(l, node, conditional);
        return end;
    case SYNTAX_GLOBAL:
    case SYNTAX_NONLOCAL:
        bind_outer(l, node);
        return end;
    case SYNTAX_FOR:
        bind_loop_target(l, node);
        break;
    case SYNTAX_IF:
    case SYNTAX_TRY:
    case SYNTAX_WHILE:
    case SYNTAX_MATCH:
        break;
    default:
        return node + 1;
    }
    if (end > scan->conditional_until)
        scan->conditional_until = end;
    return node + 1;
}

void scope_collect(Lowering *l, SyntaxId from, SyntaxId to)
{
    Scan scan = {0};
    for (SyntaxId node = from; node < to;)
        node = collect(l, &scan, node);
}
