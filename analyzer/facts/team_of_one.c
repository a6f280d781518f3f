/* omp_get_num_threads() where no team runs: the answer is 1, and what it sizes has one thread. */
#include "analyzer/facts/library.h"
#include "analyzer/facts/model.h"
#include "analyzer/facts/threads.h"

#include <string.h>

/* A worksharing loop, single or barrier that stands in no region of its function: a team calls it.
 */
static bool is_orphan(const Ast *ast, AstNode node)
{
    const AstNodeData *data = ast_at(ast, node);
    bool shares = (data->kind == AST_LOOP && data->value.loop.run == RUN_WORKSHARE) ||
                  (data->kind == AST_REGION && data->op != REGION_PARALLEL);
    for (AstNode up = node; shares && up != 0; up = ast_parent(ast, up))
        shares = !ast_starts_team(ast, up);
    return shares;
}

/* Clauses are evaluated by the thread that comes to the directive. */
static bool is_serial(const Facts *facts, const Unit *unit, AstNode call)
{
    const Ast *ast = unit->ast;
    FunctionId function = program_function(facts->program, unit, ast_function_of(ast, call));
    AstNode at = call;
    for (AstNode up = ast_parent(ast, at); up != 0; at = up, up = ast_parent(ast, up))
        if (ast_starts_team(ast, up) && ast_kind(ast, at) != AST_CLAUSE)
            return false;
    if (function == 0 || facts->functions[function].reached)
        return false;
    FOR_EACH_NODE (ast, node, program_function_data(facts->program, function)->node)
        if (is_orphan(ast, node))
            return false;
    return true;
}

/* What takes a value, casts aside. */
static AstNode taker_of(const Ast *ast, AstNode value)
{
    AstNode taker = ast_parent(ast, value);
    while (ast_kind(ast, taker) == AST_CAST)
        taker = ast_parent(ast, taker);
    return taker;
}

/* num_threads(value), omp_set_num_threads(value) */
static bool is_taken(const Facts *facts, const Unit *unit, AstNode value, TeamSize *use)
{
    const Ast *ast = unit->ast;
    char name[THREADS_NAME] = "";
    AstNode taker = taker_of(ast, value);
    if (ast_kind(ast, taker) == AST_CLAUSE && ast_at(ast, taker)->op == CLAUSE_NUM_THREADS) {
        *use = (TeamSize){.unit = unit, .node = ast_parent(ast, taker), .what = "this region"};
        return true;
    }
    if (ast_kind(ast, taker) == AST_CALL && ast_first(ast, taker) != value)
        threads_called(facts, unit, taker, name);
    *use = (TeamSize){.unit = unit, .node = taker, .what = "every region that follows"};
    return strcmp(name, "omp_set_num_threads") == 0;
}

/* The variable whose only value the call is. */
static AstSymbol holder_of(const Facts *facts, const Unit *unit, AstNode call)
{
    const Ast *ast = unit->ast;
    AstNode parent = taker_of(ast, call);
    AstSymbol symbol = 0;
    if (ast_kind(ast, parent) == AST_DECL)
        symbol = ast_at(ast, parent)->symbol;
    else if (ast_kind(ast, parent) == AST_ASSIGN)
        symbol = ast_at(ast, ast_first(ast, parent))->symbol;
    const SymbolUse *use = &facts->uses[unit->id][symbol];
    bool only = symbol != 0 && use->writes == 1 && use->value != 0 && !use->address_taken &&
                ast_holds(ast, use->value, call);
    return only && ast->symbols.items[symbol].kind == SYMBOL_LOCAL ? symbol : 0;
}

bool threads_team_of_one(const Facts *facts, const Unit *unit, AstNode call, TeamSize *use)
{
    char name[THREADS_NAME];
    if (unit->language == LANGUAGE_PYTHON)
        return false;
    threads_called(facts, unit, call, name);
    if (strcmp(name, "omp_get_num_threads") != 0 || !is_serial(facts, unit, call))
        return false;
    if (is_taken(facts, unit, call, use))
        return true;
    AstSymbol symbol = holder_of(facts, unit, call);
    for (AstNode node = call; symbol != 0 && node < unit->ast->nodes.count; node++) {
        const AstNodeData *data = ast_at(unit->ast, node);
        if (data->kind == AST_NAME && data->symbol == symbol && is_taken(facts, unit, node, use))
            return true;
    }
    return false;
}
