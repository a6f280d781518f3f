/* Statements and definitions: Python's to ours. */
#include "frontends/python/python.h"

#include <string.h>

enum {
    LONGEST_ELIF = 200 /* branches that are nested; more than that stand one behind the other */
};

static AstNode open_named(Lowering *l, AstKind kind, SyntaxId node, const char *word)
{
    AstNode made = python_lower_open(l, kind, node);
    Name name = intern(l->ast->names, word);
    ast_at(l->ast, made)->name = name;
    return made;
}

static void lower_parts_as(Lowering *l, AstKind kind, SyntaxId node)
{
    AstNode made = python_lower_open(l, kind, node);
    lower_parts(l, node);
    ast_close(l->ast, made);
}

void python_lower_body(Lowering *l, SyntaxId block)
{
    if (block == 0) {
        ast_none(l->ast);
        return;
    }
    AstNode made = python_lower_open(l, AST_BLOCK, block);
    FOR_EACH_PART(l, part, block)
    lower_statement(l, part);
    ast_close(l->ast, made);
}

/* ---- assignments ---- */

static void lower_one_assignment(Lowering *l, SyntaxId node, SyntaxId target, SyntaxId value,
                                 AstOp op)
{
    AstNode made = ast_open(l->ast, AST_ASSIGN, 0, l->nodes[node].start, l->nodes[node].stop);
    ast_at(l->ast, made)->op = (uint8_t)op;
    AstNode left = l->ast->nodes.count;
    lower_target(l, target);
    AstNode right = l->ast->nodes.count;
    python_lower_expression(l, value);
    ast_close(l->ast, made);
    if (l->scope->kind == SCOPE_MODULE && op == OP_NONE)
        imports_export_value(l, left, right);
}

/* a = b = e becomes a = e, b = e. */
static void lower_assignment(Lowering *l, SyntaxId node)
{
    SyntaxId value = syntax_labelled(l, node, LABEL_RIGHT), inner = node;
    if (value == 0)
        return; /* `x: int` only says that x is an int */
    while (value != 0 && syntax_kind(l, value) == SYNTAX_ASSIGNMENT)
        value = syntax_labelled(l, value, LABEL_RIGHT);
    for (; inner != 0 && syntax_kind(l, inner) == SYNTAX_ASSIGNMENT;
         inner = syntax_labelled(l, inner, LABEL_RIGHT))
        lower_one_assignment(l, node, syntax_labelled(l, inner, LABEL_LEFT), value, OP_NONE);
}

static void lower_augmented(Lowering *l, SyntaxId node)
{
    AstOp op = OP_NONE;
    FOR_EACH_PART(l, part, node)
    if (syntax_kind(l, part) > SYNTAX_OTHER && op == OP_NONE)
        op = syntax_op(syntax_kind(l, part));
    lower_one_assignment(l, node, syntax_labelled(l, node, LABEL_LEFT),
                         syntax_labelled(l, node, LABEL_RIGHT), op);
}

static void lower_expression_statement(Lowering *l, SyntaxId node)
{
    SyntaxId first = syntax_operand(l, node);
    if (first == 0)
        return;
    if (syntax_kind(l, first) == SYNTAX_ASSIGNMENT) {
        lower_assignment(l, first);
    } else if (syntax_kind(l, first) == SYNTAX_AUGMENTED) {
        lower_augmented(l, first);
    } else {
        AstNode made = python_lower_open(l, AST_EXPR, node);
        bool several = syntax_next(l, node, first) != 0;
        AstNode tuple = several ? python_lower_open(l, AST_TUPLE, node) : 0;
        lower_parts(l, node);
        if (several)
            ast_close(l->ast, tuple);
        ast_close(l->ast, made);
    }
}

/* ---- compound statements ---- */

static SyntaxId next_clause(const Lowering *l, SyntaxId node, SyntaxId clause)
{
    while (clause != 0 && l->nodes[clause].label != LABEL_ALTERNATIVE)
        clause = syntax_next(l, node, clause);
    return clause;
}

/* if, elif …, else: each elif is the else of the one before it. No recursion: generated code has
 * thousands. */
static void lower_if(Lowering *l, SyntaxId node)
{
    AstNode open[LONGEST_ELIF];
    int depth = 0;
    SyntaxId clause = node;
    AstNode chain = 0;
    for (SyntaxId next = next_clause(l, node, syntax_first(l, node)); clause != 0;) {
        AstNode branch =
            ast_open(l->ast, AST_BRANCH, 0, l->nodes[clause].start, l->nodes[node].stop);
        python_lower_expression(l, syntax_labelled(l, clause, LABEL_CONDITION));
        python_lower_body(l, syntax_labelled(l, clause, LABEL_CONSEQUENCE));
        bool another = next != 0 && syntax_kind(l, next) == SYNTAX_ELIF;
        if (another && chain == 0) {
            open[depth++] = branch;
            if (depth == LONGEST_ELIF - 1)
                open[depth++] = chain = python_lower_open(l, AST_BLOCK, next);
        } else {
            python_lower_body(l, next != 0 && !another ? syntax_labelled(l, next, LABEL_BODY) : 0);
            ast_close(l->ast, branch);
        }
        clause = another ? next : 0;
        next = another ? next_clause(l, node, syntax_next(l, node, next)) : 0;
    }
    while (depth > 0)
        ast_close(l->ast, open[--depth]);
}

static void lower_clause_block(Lowering *l, SyntaxId clause, const char *word)
{
    AstNode made = open_named(l, AST_BLOCK, clause, word);
    FOR_EACH_PART(l, part, clause)
    {
        if (syntax_kind(l, part) == SYNTAX_BLOCK) {
            FOR_EACH_PART(l, statement, part)
            lower_statement(l, statement);
        }
    }
    ast_close(l->ast, made);
}

/* except:, except Exception as error: what no one expects; of a named error the program may be
 * made, as `except KeyError:` is the way to a table's new entry. */
static bool catches_all(Lowering *l, SyntaxId clause)
{
    SyntaxId caught = syntax_operand(l, clause);
    if (caught != 0 && syntax_kind(l, caught) == SYNTAX_AS_PATTERN)
        caught = syntax_operand(l, caught);
    if (caught == 0 || syntax_kind(l, caught) == SYNTAX_BLOCK)
        return true;
    if (syntax_kind(l, caught) != SYNTAX_IDENTIFIER)
        return false;
    const char *name = intern_text(l->ast->names, syntax_name(l, caught));
    return strcmp(name, "Exception") == 0 || strcmp(name, "BaseException") == 0;
}

static void lower_try(Lowering *l, SyntaxId node)
{
    AstNode made = python_lower_open(l, AST_TRY, node);
    python_lower_body(l, syntax_labelled(l, node, LABEL_BODY));
    FOR_EACH_PART(l, part, node)
    {
        switch (syntax_kind(l, part)) {
        case SYNTAX_EXCEPT:
        case SYNTAX_EXCEPT_GROUP:
            lower_clause_block(l, part, catches_all(l, part) ? "except" : "except for");
            break;
        case SYNTAX_ELSE:
            lower_clause_block(l, part, "else");
            break;
        case SYNTAX_FINALLY:
            lower_clause_block(l, part, "finally");
            break;
        default:
            break;
        }
    }
    ast_close(l->ast, made);
}

/* The context manager of a with-item, without its `as`. */
static SyntaxId manager(const Lowering *l, SyntaxId item)
{
    SyntaxId value = syntax_labelled(l, item, LABEL_VALUE);
    if (value != 0 && syntax_kind(l, value) == SYNTAX_AS_PATTERN)
        value = syntax_operand(l, value);
    return value;
}

static bool is_objmode(Lowering *l, SyntaxId item)
{
    SyntaxId value = manager(l, item);
    if (value != 0 && syntax_kind(l, value) == SYNTAX_CALL)
        value = syntax_labelled(l, value, LABEL_FUNCTION);
    if (value == 0 ||
        (syntax_kind(l, value) != SYNTAX_IDENTIFIER && syntax_kind(l, value) != SYNTAX_ATTRIBUTE))
        return false;
    Name qualified = imports_qualified(l, value);
    const char *text =
        intern_text(l->ast->names, qualified != 0 ? qualified : syntax_name(l, value));
    size_t length = strlen(text);
    return (length >= 7 && strcmp(text + length - 7, "objmode") == 0) ||
           (length >= 15 && strcmp(text + length - 15, "objmode_context") == 0);
}

/* An item with `as` is an assignment. */
static void lower_item(Lowering *l, SyntaxId item)
{
    SyntaxId value = syntax_labelled(l, item, LABEL_VALUE), target = 0;
    if (value != 0 && syntax_kind(l, value) == SYNTAX_AS_PATTERN)
        FOR_EACH_PART(l, part, value)
    if (syntax_kind(l, part) == SYNTAX_AS_TARGET)
        target = part;
    if (target == 0) {
        python_lower_expression(l, value);
        return;
    }
    lower_one_assignment(l, value, target, manager(l, item), OP_NONE);
}

static void lower_with(Lowering *l, SyntaxId node)
{
    SyntaxId items = 0;
    FOR_EACH_PART(l, part, node)
    if (syntax_kind(l, part) == SYNTAX_WITH_CLAUSE)
        items = part;
    SyntaxId first = items == 0 ? 0 : syntax_operand(l, items);
    bool objmode = first != 0 && is_objmode(l, first);
    AstNode made = python_lower_open(l, objmode ? AST_REGION : AST_WITH, node);
    ast_at(l->ast, made)->op = objmode ? REGION_OBJMODE : 0;
    python_lower_body(l, syntax_labelled(l, node, LABEL_BODY));
    for (SyntaxId item = first; item != 0; item = syntax_next(l, items, item)) {
        if (syntax_kind(l, item) != SYNTAX_WITH_ITEM)
            continue;
        AstNode clause = objmode ? python_lower_open(l, AST_CLAUSE, item) : 0;
        if (objmode)
            ast_at(l->ast, clause)->op = CLAUSE_OTHER;
        lower_item(l, item);
        if (objmode)
            ast_close(l->ast, clause);
    }
    ast_close(l->ast, made);
}

static void lower_match(Lowering *l, SyntaxId node)
{
    SyntaxId body = syntax_labelled(l, node, LABEL_BODY);
    AstNode made = python_lower_open(l, AST_SWITCH, node);
    python_lower_expression(l, syntax_labelled(l, node, LABEL_SUBJECT));
    AstNode block = python_lower_open(l, AST_BLOCK, body != 0 ? body : node);
    for (SyntaxId part = body == 0 ? 0 : syntax_first(l, body); part != 0;
         part = syntax_next(l, body, part)) {
        if (syntax_kind(l, part) != SYNTAX_CASE)
            continue;
        AstNode made_case = python_lower_open(l, AST_CASE, part);
        python_lower_body(l, syntax_labelled(l, part, LABEL_CONSEQUENCE));
        SyntaxId guard = syntax_labelled(l, part, LABEL_GUARD);
        if (guard != 0)
            python_lower_expression(l, guard);
        ast_close(l->ast, made_case);
    }
    ast_close(l->ast, block);
    ast_close(l->ast, made);
}

/* ---- definitions ---- */

static const char *qualify(Lowering *l, Name name)
{
    const char *prefix = l->scope->prefix;
    return arena_printf(l->scratch, "%s%s%s", prefix, prefix[0] != '\0' ? "." : "",
                        intern_text(l->ast->names, name));
}

/* The identifier of a parameter, its default (or 0) and SYMBOL_VARARGS. */
static SyntaxId parameter_name(const Lowering *l, SyntaxId node, SyntaxId *value, uint16_t *flags)
{
    *value = 0;
    *flags = 0;
    for (int steps = 0; node != 0 && steps < 4; steps++) {
        switch (syntax_kind(l, node)) {
        case SYNTAX_IDENTIFIER:
            return node;
        case SYNTAX_DEFAULT_PARAMETER:
        case SYNTAX_TYPED_DEFAULT_PARAMETER:
            *value = syntax_labelled(l, node, LABEL_VALUE);
            node = syntax_labelled(l, node, LABEL_NAME);
            break;
        case SYNTAX_LIST_SPLAT_PATTERN:
        case SYNTAX_DICT_SPLAT_PATTERN:
            *flags = SYMBOL_VARARGS; /* fallthrough */
        case SYNTAX_TYPED_PARAMETER:
            node = syntax_operand(l, node);
            break;
        default:
            return 0;
        }
    }
    return 0;
}

static void bind_params(Lowering *l, AstFunction function, SyntaxId list)
{
    uint32_t index = 0;
    for (SyntaxId part = list == 0 ? 0 : syntax_first(l, list); part != 0;
         part = syntax_next(l, list, part)) {
        SyntaxId value;
        uint16_t flags;
        SyntaxId name = parameter_name(l, part, &value, &flags);
        if (name == 0)
            continue;
        AstSymbol symbol = scope_bind_param(l, name, index++, flags);
        AstFunctionData *data = &l->ast->functions.items[function];
        data->flags |= (flags & SYMBOL_VARARGS) != 0 ? FN_VARARGS : 0;
        LIST_PUSH(l->ast->arena, &data->params, symbol);
    }
}

/* What a parameter is said to be, as text: "np.ndarray", "List[np.ndarray]". */
static void lower_annotation(Lowering *l, SyntaxId param)
{
    enum { LONGEST_ANNOTATION = 200 };
    for (SyntaxId part = syntax_first(l, param); part != 0; part = syntax_next(l, param, part)) {
        if (syntax_kind(l, part) != SYNTAX_TYPE)
            continue;
        AstNode made = python_lower_leaf(l, AST_STRING, part);
        const AstNodeData *data = ast_at(l->ast, made);
        if (data->stop - data->start <= LONGEST_ANNOTATION)
            ast_at(l->ast, made)->name = syntax_name(l, part);
    }
}

/* PARAM nodes; their defaults belong to the scope outside. */
static void lower_params(Lowering *l, AstFunction function, SyntaxId list)
{
    uint32_t index = 0;
    for (SyntaxId part = list == 0 ? 0 : syntax_first(l, list); part != 0;
         part = syntax_next(l, list, part)) {
        SyntaxId value;
        uint16_t flags;
        if (parameter_name(l, part, &value, &flags) == 0)
            continue;
        AstSymbol symbol = l->ast->functions.items[function].params.items[index++];
        AstNode made = python_lower_open(l, AST_PARAM, part);
        ast_at(l->ast, made)->symbol = symbol;
        ast_at(l->ast, made)->name = l->ast->symbols.items[symbol].name;
        l->ast->symbols.items[symbol].decl = made;
        python_lower_expression(l, value);
        lower_annotation(l, part);
        ast_close(l->ast, made);
    }
}

static void lower_decorators(Lowering *l, SyntaxId decorated)
{
    for (SyntaxId part = decorated == 0 ? 0 : syntax_first(l, decorated); part != 0;
         part = syntax_next(l, decorated, part))
        if (syntax_kind(l, part) == SYNTAX_DECORATOR)
            lower_parts_as(l, AST_DECORATOR, part);
}

static AstFunction open_function(Lowering *l, AstNode node, SyntaxId syntax, Name name)
{
    AstFunction function = ast_function(l->ast, node, name, l->scope->function);
    AstSymbol symbol = scope_own(l, name);
    Name qualified = intern(l->ast->names, qualify(l, name));
    bool counts = symbol != 0 && scope_binding(l, symbol)->definition == syntax &&
                  l->ast->symbols.items[symbol].kind == SYMBOL_FUNCTION;
    AstFunctionData *data = &l->ast->functions.items[function];
    data->qualified = qualified;
    data->flags = l->scope->kind == SCOPE_CLASS ? FN_METHOD : 0;
    data->symbol = counts ? symbol : 0;
    ast_at(l->ast, node)->name = name;
    ast_at(l->ast, node)->symbol = data->symbol;
    if (counts)
        l->ast->symbols.items[symbol].decl = node;
    return function;
}

void python_lower_function(Lowering *l, SyntaxId node, SyntaxId decorated)
{
    SyntaxId identifier = syntax_labelled(l, node, LABEL_NAME),
             body = syntax_labelled(l, node, LABEL_BODY);
    SyntaxId params = syntax_labelled(l, node, LABEL_PARAMETERS), first = syntax_first(l, node);
    Name name = identifier == 0 ? 0 : syntax_name(l, identifier);
    AstNode made = python_lower_open(l, AST_FUNCTION, node);
    AstFunction function = open_function(l, made, node, name);
    uint16_t flags = first != 0 && syntax_kind(l, first) == TOKEN_ASYNC ? AST_ASYNC : 0;
    flags |= (l->nodes[node].flags & SYNTAX_BROKEN) != 0 ? AST_DOUBTFUL : 0;
    ast_at(l->ast, made)->flags |= flags;
    if (l->scope->kind == SCOPE_MODULE && name != 0)
        imports_export_node(l, name, made);
    Scope scope;
    scope_enter(l, &scope, SCOPE_FUNCTION, function, qualify(l, name));
    bind_params(l, function, params);
    if (body != 0)
        scope_collect(l, body + 1, l->nodes[body].end);
    python_lower_body(l, body);
    scope_leave(l);
    lower_params(l, function, params);
    lower_decorators(l, decorated);
    ast_close(l->ast, made);
}

void lower_lambda(Lowering *l, SyntaxId node)
{
    SyntaxId body = syntax_labelled(l, node, LABEL_BODY),
             params = syntax_labelled(l, node, LABEL_PARAMETERS);
    Name name = intern(l->ast->names, "<lambda>");
    AstNode made = python_lower_open(l, AST_LAMBDA, node);
    AstFunction function = open_function(l, made, node, name);
    Scope scope;
    scope_enter(l, &scope, SCOPE_FUNCTION, function, qualify(l, name));
    bind_params(l, function, params);
    if (body != 0)
        scope_collect(l, body, l->nodes[body].end);
    python_lower_expression(l, body);
    scope_leave(l);
    lower_params(l, function, params);
    ast_close(l->ast, made);
}

static void lower_class(Lowering *l, SyntaxId node, SyntaxId decorated)
{
    SyntaxId identifier = syntax_labelled(l, node, LABEL_NAME),
             body = syntax_labelled(l, node, LABEL_BODY);
    Name name = identifier == 0 ? 0 : syntax_name(l, identifier);
    AstSymbol symbol = name == 0 ? 0 : scope_own(l, name);
    AstNode made = python_lower_open(l, AST_CLASS, node);
    ast_at(l->ast, made)->name = name;
    ast_at(l->ast, made)->symbol = symbol;
    if (symbol != 0)
        l->ast->symbols.items[symbol].decl = made;
    if (l->scope->kind == SCOPE_MODULE && name != 0)
        imports_export_node(l, name, made);
    Scope scope;
    scope_enter(l, &scope, SCOPE_CLASS, l->scope->function, qualify(l, name));
    if (body != 0)
        scope_collect(l, body + 1, l->nodes[body].end);
    for (SyntaxId part = body == 0 ? 0 : syntax_first(l, body); part != 0;
         part = syntax_next(l, body, part))
        lower_statement(l, part);
    scope_leave(l);
    lower_decorators(l, decorated);
    ast_close(l->ast, made);
}

static void lower_decorated(Lowering *l, SyntaxId node)
{
    SyntaxId definition = syntax_labelled(l, node, LABEL_DEFINITION);
    if (definition != 0 && syntax_kind(l, definition) == SYNTAX_FUNCTION)
        python_lower_function(l, definition, node);
    else if (definition != 0 && syntax_kind(l, definition) == SYNTAX_CLASS)
        lower_class(l, definition, node);
}

/* ---- all of them ---- */

/* What the parser could not make sense of: statements in it are still statements. */
static void lower_error(Lowering *l, SyntaxId node)
{
    AstNode made = python_lower_open(l, AST_OTHER, node);
    FOR_EACH_PART(l, part, node)
    if (syntax_kind(l, part) <= SYNTAX_OTHER)
        lower_statement(l, part);
    ast_close(l->ast, made);
}

static void lower_one(Lowering *l, AstKind kind, SyntaxId node)
{
    AstNode made = python_lower_open(l, kind, node);
    python_lower_expression(l, syntax_operand(l, node));
    ast_close(l->ast, made);
}

static bool lower_compound(Lowering *l, SyntaxId node)
{
    switch (syntax_kind(l, node)) {
    case SYNTAX_IF:
        lower_if(l, node);
        return true;
    case SYNTAX_FOR:
        python_lower_for(l, node);
        return true;
    case SYNTAX_WHILE:
        lower_while(l, node);
        return true;
    case SYNTAX_TRY:
        lower_try(l, node);
        return true;
    case SYNTAX_WITH:
        lower_with(l, node);
        return true;
    case SYNTAX_MATCH:
        lower_match(l, node);
        return true;
    case SYNTAX_FUNCTION:
        python_lower_function(l, node, 0);
        return true;
    case SYNTAX_CLASS:
        lower_class(l, node, 0);
        return true;
    case SYNTAX_DECORATED:
        lower_decorated(l, node);
        return true;
    case SYNTAX_BLOCK:
        python_lower_body(l, node);
        return true;
    case SYNTAX_ERROR:
        lower_error(l, node);
        return true;
    default:
        return false;
    }
}

static void lower_simple(Lowering *l, SyntaxId node)
{
    SyntaxId operand;
    switch (syntax_kind(l, node)) {
    case SYNTAX_EXPRESSION_STATEMENT:
        lower_expression_statement(l, node);
        return;
    case SYNTAX_ASSIGNMENT:
        lower_assignment(l, node);
        return;
    case SYNTAX_AUGMENTED:
        lower_augmented(l, node);
        return;
    case SYNTAX_RETURN:
        lower_one(l, AST_RETURN, node);
        return;
    case SYNTAX_RAISE:
        lower_one(l, AST_RAISE, node);
        return;
    case SYNTAX_ASSERT:
        lower_one(l, AST_ASSERT, node);
        return;
    case SYNTAX_BREAK:
        python_lower_leaf(l, AST_BREAK, node);
        return;
    case SYNTAX_CONTINUE:
        python_lower_leaf(l, AST_CONTINUE, node);
        return;
    case SYNTAX_DELETE:
        operand = syntax_operand(l, node);
        if (operand != 0 && syntax_kind(l, operand) == SYNTAX_EXPRESSION_LIST) {
            AstNode made = python_lower_open(l, AST_DELETE, node);
            lower_parts(l, operand);
            ast_close(l->ast, made);
        } else {
            lower_parts_as(l, AST_DELETE, node);
        }
        return;
    case SYNTAX_IMPORT:
    case SYNTAX_IMPORT_FROM:
        imports_lower(l, node);
        return;
    case SYNTAX_PASS:
    case SYNTAX_GLOBAL:
    case SYNTAX_NONLOCAL:
    case SYNTAX_IMPORT_FUTURE:
    case SYNTAX_TYPE_ALIAS:
        return;
    case SYNTAX_PRINT:
    case SYNTAX_EXEC:
        lower_parts_as(l, AST_OTHER, node);
        return;
    default:
        python_lower_expression(l, node);
        return;
    }
}

void lower_statement(Lowering *l, SyntaxId node)
{
    if (l->depth >= DEEPEST) {
        python_lower_leaf(l, AST_OTHER, node);
        return;
    }
    l->depth++;
    if (!lower_compound(l, node))
        lower_simple(l, node);
    l->depth--;
}

/* Module variables that are bound once, to an integer that is known. */
static void set_constants(Lowering *l)
{
    for (uint32_t i = 0; i < l->ast->exports.count; i++) {
        const AstExport *export = &l->ast->exports.items[i];
        AstSymbol symbol = export->node == 0 ? 0 : scope_own(l, export->name);
        AstSymbolData *data = &l->ast->symbols.items[symbol];
        int64_t value;
        if (symbol == 0 || data->kind != SYMBOL_GLOBAL || scope_binding(l, symbol)->count != 1 ||
            !ast_constant(l->ast, export->node, &value))
            continue;
        data->flags |= SYMBOL_KNOWN_VALUE;
        data->value = value;
    }
}

void lower_module(Lowering *l, SyntaxId root)
{
    Scope scope;
    AstNode made = ast_open(l->ast, AST_MODULE, 0, 0, (uint32_t)l->unit->files.items[0]->size);
    scope_enter(l, &scope, SCOPE_MODULE, 0, l->unit->module);
    scope_collect(l, root + 1, l->nodes[root].end);
    FOR_EACH_PART(l, part, root)
    if (syntax_kind(l, part) <= SYNTAX_OTHER)
        lower_statement(l, part);
    ast_close(l->ast, made);
    imports_prefer(l);
    set_constants(l);
    scope_leave(l);
}
