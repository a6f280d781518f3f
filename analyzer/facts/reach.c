#include "analyzer/facts/reach.h"

#include "analyzer/facts/model.h"

/* sym = value, T sym = value, (sym, …) = (value, …); 0: another form, which may write it as well.
 */
static AstNode plain_value(const Ast *ast, AstNode statement, AstSymbol symbol)
{
    const AstNodeData *data = ast_at(ast, statement);
    if (data->kind == AST_EXPR)
        return ast_leafless(ast, statement) ? 0
                                            : plain_value(ast, ast_first(ast, statement), symbol);
    if (data->kind == AST_DECL && data->symbol == symbol)
        return ast_leafless(ast, statement) ? 0 : ast_first(ast, statement);
    if (data->kind != AST_ASSIGN || data->op != OP_NONE)
        return 0;
    AstNode target = ast_first(ast, statement), value = ast_child(ast, statement, 1);
    if (ast_kind(ast, target) == AST_NAME)
        return ast_at(ast, target)->symbol == symbol ? value : 0;
    if (ast_kind(ast, target) != AST_TUPLE || ast_kind(ast, value) != AST_TUPLE ||
        ast_child_count(ast, target) != ast_child_count(ast, value))
        return 0;
    AstNode part = ast_first(ast, value), found = 0;
    FOR_EACH_CHILD (ast, item, target) {
        if (ast_kind(ast, item) == AST_NAME && ast_at(ast, item)->symbol == symbol)
            found = part;
        part = ast_next(ast, part);
    }
    return found;
}

/* Of the statements of a block in front of `at` the last that writes the variable; 0: none does. */
static AstNode writer_before(const Facts *facts, FunctionId function, const Ast *ast, AstNode block,
                             AstNode at, AstSymbol symbol)
{
    AstNode writer = 0;
    FOR_EACH_CHILD (ast, statement, block) {
        if (statement >= at)
            break;
        if (facts_written_within(facts, function, statement, symbol))
            writer = statement;
    }
    return writer;
}

/* Another path leads from a write inside `around` to its part `inside`, or to a variable of the
 * same name that a clause makes. */
static bool mixes(const Facts *facts, FunctionId function, const Ast *ast, AstNode around,
                  AstNode inside, AstSymbol symbol)
{
    AstKind kind = ast_kind(ast, around);
    if (kind == AST_REGION || kind == AST_LOOP)
        FOR_EACH_CHILD (ast, clause, around)
            if (ast_kind(ast, clause) == AST_CLAUSE && ast_mentions(ast, clause, symbol))
                return true;
    bool again = kind == AST_LOOP && inside != loop_start(ast, around);
    return (again || kind == AST_SWITCH || kind == AST_TRY || kind == AST_COMPREHENSION) &&
           facts_written_within(facts, function, around, symbol);
}

static bool is_turn(const Unit *unit, AstNode around, AstNode inside, AstSymbol symbol)
{
    const Ast *ast = unit->ast;
    if (ast_kind(ast, around) != AST_LOOP || unit->language != LANGUAGE_PYTHON)
        return false;
    AstNode target = loop_target(ast, around);
    return target != 0 && inside == loop_body(ast, around) && ast_kind(ast, target) == AST_NAME &&
           ast_at(ast, target)->symbol == symbol;
}

Reach reach_of(const Facts *facts, const Unit *unit, AstNode name, AstNode *value)
{
    const Ast *ast = unit->ast;
    AstSymbol symbol = ast_at(ast, name)->symbol;
    const AstSymbolData *data = &ast->symbols.items[symbol];
    FunctionId function = program_function(facts->program, unit, ast_function_of(ast, name));
    bool parameter = data->kind == SYMBOL_PARAM;
    *value = 0;
    if (symbol == 0 || (!parameter && data->kind != SYMBOL_LOCAL) || function == 0 ||
        facts->uses[unit->id][symbol].address_taken)
        return REACH_MANY;
    for (AstNode at = name, up = ast_parent(ast, at); up != 0; at = up, up = ast_parent(ast, up)) {
        AstKind kind = ast_kind(ast, up);
        AstNode writer = kind == AST_BLOCK ? writer_before(facts, function, ast, up, at, symbol)
                                           : 0;
        if (writer != 0) {
            *value = plain_value(ast, writer, symbol);
            return *value != 0 ? REACH_VALUE : REACH_MANY;
        }
        if (is_turn(unit, up, at, symbol))
            return REACH_ENTRY;
        if (kind == AST_FUNCTION || kind == AST_LAMBDA)
            return parameter && kind == AST_FUNCTION ? REACH_ENTRY : REACH_MANY;
        if (mixes(facts, function, ast, up, at, symbol))
            return REACH_MANY;
    }
    return REACH_MANY;
}
