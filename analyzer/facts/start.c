#include "analyzer/facts/start.h"

#include "analyzer/facts/library.h"

#include <string.h>

typedef enum Form { FORM_NONE, FORM_PTHREAD, FORM_C11, FORM_SUBMIT, FORM_MAP, FORM_THREAD } Form;

static const char *word(const Ast *ast, AstNode node)
{
    return intern_text(ast->names, ast_at(ast, node)->name);
}

static AstNode keyword(const Ast *ast, AstNode call, const char *name)
{
    FOR_EACH_CHILD (ast, argument, call)
        if (ast_kind(ast, argument) == AST_KEYWORD && strcmp(word(ast, argument), name) == 0)
            return ast_first(ast, argument);
    return 0;
}

static Form python_form(const Ast *ast, AstNode call)
{
    AstNode callee = ast_first(ast, call);
    if (callee == 0)
        return FORM_NONE;
    if (ast_kind(ast, callee) == AST_NAME && strcmp(word(ast, callee), "threading.Thread") == 0)
        return FORM_THREAD;
    if (ast_kind(ast, callee) != AST_FIELD)
        return FORM_NONE;
    if (strcmp(word(ast, callee), "submit") == 0)
        return FORM_SUBMIT;
    return strcmp(word(ast, callee), "map") == 0 ? FORM_MAP : FORM_NONE;
}

static Form form_of(const Facts *facts, const Unit *unit, AstNode call)
{
    if (ast_kind(unit->ast, call) != AST_CALL)
        return FORM_NONE;
    if (unit->language == LANGUAGE_PYTHON)
        return python_form(unit->ast, call);
    if (!library_starts_threads(facts, unit, call))
        return FORM_NONE;
    return word(unit->ast, ast_first(unit->ast, call))[0] == 'p' ? FORM_PTHREAD : FORM_C11;
}

/* The expression that names the function. */
static AstNode started(const Ast *ast, AstNode call, Form form)
{
    switch (form) {
    case FORM_PTHREAD: /* pthread_create(id, attributes, f, argument) */
        return ast_child(ast, call, 3);
    case FORM_C11: /* thrd_create(id, f, argument) */
        return ast_child(ast, call, 2);
    case FORM_SUBMIT:
    case FORM_MAP:
        return ast_child(ast, call, 1);
    case FORM_THREAD:
        return keyword(ast, call, "target");
    default:
        return 0;
    }
}

/* The call that a lambda is: pool.map(lambda part: f(rows[part], table), …). 0 for anything else.
 */
static AstNode call_of_lambda(const Ast *ast, AstNode node)
{
    AstNode body = node != 0 && ast_kind(ast, node) == AST_LAMBDA ? ast_first(ast, node) : 0;
    return body != 0 && ast_kind(ast, body) == AST_CALL ? body : 0;
}

/* Whether an expression of a lambda is built from its own parameters: another one for each thread.
 */
static bool is_of_parameters(const Ast *ast, AstNode lambda, AstNode node)
{
    FOR_EACH_NODE (ast, at, node) {
        AstSymbol symbol = ast_kind(ast, at) == AST_NAME ? ast_at(ast, at)->symbol : 0;
        AstNode decl = symbol == 0 ? 0 : ast->symbols.items[symbol].decl;
        if (decl != 0 && ast_holds(ast, lambda, decl))
            return true;
    }
    return false;
}

static AstNode argument_in_lambda(const Ast *ast, AstNode lambda, uint32_t index)
{
    AstNode argument = ast_child(ast, call_of_lambda(ast, lambda), index + 1);
    bool named = argument != 0 && ast_kind(ast, argument) == AST_KEYWORD;
    return argument == 0 || named || is_of_parameters(ast, lambda, argument) ? 0 : argument;
}

FunctionId start_function(const Facts *facts, const Unit *unit, AstNode call)
{
    Form form = form_of(facts, unit, call);
    AstNode named = started(unit->ast, call, form);
    AstKind kind = ast_kind(unit->ast, named);
    if (named == 0 || kind == AST_KEYWORD || kind == AST_CALL)
        return 0;
    AstNode inner = call_of_lambda(unit->ast, named);
    FunctionId function = program_function_named(facts->program, unit,
                                                 inner != 0 ? ast_first(unit->ast, inner) : named);
    uint32_t wanted = FN_COMPILED | FN_NOGIL;
    if (function == 0 || unit->language != LANGUAGE_PYTHON)
        return function;
    return (program_function_data(facts->program, function)->flags & wanted) == wanted ? function
                                                                                       : 0;
}

AstSymbol start_parameter(const Facts *facts, const Unit *unit, AstNode call)
{
    const Ast *ast = unit->ast;
    if (unit->language == LANGUAGE_PYTHON)
        return 0;
    AstNode named = started(ast, call, form_of(facts, unit, call));
    named = ast_without_casts(ast, named);
    AstSymbol symbol = ast_kind(ast, named) == AST_NAME ? ast_at(ast, named)->symbol : 0;
    return symbol != 0 && ast->symbols.items[symbol].kind == SYMBOL_PARAM ? symbol : 0;
}

int start_functions(const Facts *facts, const Unit *unit, AstNode call, FunctionId *to)
{
    AstSymbol parameter = start_parameter(facts, unit, call);
    int count = 0;
    to[0] = start_function(facts, unit, call);
    if (to[0] != 0 || parameter == 0)
        return to[0] != 0;
    for (uint32_t at = map_get(&facts->candidate_of, sym_of(unit, parameter));
         at != 0 && count < CALLEES_MOST; at = facts->candidates.items[at].next)
        to[count++] = facts->candidates.items[at].function;
    return count;
}

bool start_is(const Facts *facts, const Unit *unit, AstNode call)
{
    if (unit->language == LANGUAGE_PYTHON)
        return start_function(facts, unit, call) != 0;
    return form_of(facts, unit, call) != FORM_NONE;
}

AstNode start_argument(const Facts *facts, const Unit *unit, AstNode call, uint32_t index)
{
    const Ast *ast = unit->ast;
    Form form = form_of(facts, unit, call);
    AstNode arguments, named = started(ast, call, form);
    if (call_of_lambda(ast, named) != 0)
        return argument_in_lambda(ast, named, index);
    switch (form) {
    case FORM_PTHREAD:
        return index == 0 ? ast_child(ast, call, 4) : 0;
    case FORM_C11:
        return index == 0 ? ast_child(ast, call, 3) : 0;
    case FORM_SUBMIT:
        arguments = ast_child(ast, call, index + 2);
        return arguments != 0 && ast_kind(ast, arguments) == AST_KEYWORD ? 0 : arguments;
    case FORM_THREAD:
        arguments = keyword(ast, call, "args");
        return arguments != 0 && ast_kind(ast, arguments) == AST_TUPLE
                   ? ast_child(ast, arguments, index)
                   : 0;
    default:
        return 0; /* map: each call gets other elements */
    }
}
