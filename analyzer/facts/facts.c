#include "analyzer/facts/library.h"
#include "analyzer/facts/path.h"

static void find_externals(Facts *facts)
{
    facts->external_of = map_new(facts->arena);
    for (uint32_t i = 0; i < facts->program->unit_count; i++) {
        const Unit *unit = facts->program->units[i];
        if (unit->language == LANGUAGE_PYTHON)
            continue;
        for (AstSymbol symbol = 1; symbol < unit->ast->symbols.count; symbol++) {
            const AstSymbolData *data = &unit->ast->symbols.items[symbol];
            if (data->kind != SYMBOL_GLOBAL || (data->flags & SYMBOL_INTERNAL) != 0 ||
                data->name == 0)
                continue;
            uint32_t at = map_get(&facts->external_of, data->name);
            if (at == 0) {
                LIST_PUSH(facts->arena, &facts->externals, sym_of(unit, symbol));
                map_set(&facts->external_of, data->name, facts->externals.count);
            } else if ((data->flags & SYMBOL_EXTERN) == 0) {
                facts->externals.items[at - 1] = sym_of(unit, symbol);
            }
        }
    }
}

Facts *facts_new(Arena *arena, const Program *program)
{
    Facts *facts = arena_alloc(arena, sizeof *facts);
    facts->arena = arena;
    facts->program = program;
    facts->functions = arena_alloc(arena, program->functions.count * sizeof *facts->functions);
    facts->paths = paths_new(arena);
    facts->seldom_behind = arena_alloc(arena, sizeof *facts->seldom_behind);
    *facts->seldom_behind = map_new(arena);
    library_prepare(facts);
    find_externals(facts);
    uses_collect(facts);
    callgraph_build(facts);
    uses_mark_threads(facts);
    shapes_infer(facts);
    for (uint32_t i = 0; i < facts->order.count; i++)
        effects_collect(facts, facts->order.items[i]);
    events_collect(facts);
    return facts;
}

const Program *facts_program(const Facts *facts)
{
    return facts->program;
}

FunctionId facts_call_target(const Facts *facts, FunctionId function, AstNode call)
{
    return facts_callee(facts, program_function_unit(facts->program, function), call);
}

AstNode facts_allocation(const Facts *facts, const Place *place, FunctionId *function)
{
    *function = place->function;
    if (place->base == PLACE_ALLOCATION)
        return place->node;
    const Unit *unit = sym_unit(facts, place->sym);
    if (unit == NULL || place->base == PLACE_UNKNOWN)
        return 0;
    AstSymbol symbol = (uint32_t)place->sym;
    const SymbolUse *use = &facts->uses[unit->id][symbol];
    AstNode value = use->value;
    value = ast_without_casts(unit->ast, value);
    if (value == 0 || ast_kind(unit->ast, value) != AST_CALL)
        return 0;
    *function = program_function(facts->program, unit, ast_function_of(unit->ast, value));
    return value;
}

bool facts_written_within(const Facts *facts, FunctionId function, AstNode within, AstSymbol symbol)
{
    const Ast *ast = program_function_unit(facts->program, function)->ast;
    FOR_EACH_NODE (ast, node, within) {
        AstKind kind = ast_kind(ast, node);
        if (kind == AST_DECL && ast_at(ast, node)->symbol == symbol)
            return true;
        if (kind != AST_ASSIGN && kind != AST_LOOP)
            continue;
        AstNode target = ast_first(ast, node);
        if (target == 0 ||
            (ast_kind(ast, target) != AST_NAME && ast_kind(ast, target) != AST_TUPLE))
            continue;
        FOR_EACH_NODE (ast, at, target)
            if (ast_kind(ast, at) == AST_NAME && ast_at(ast, at)->symbol == symbol)
                return true;
    }
    return false;
}

AstNode facts_loop_of(const Facts *facts, Sym sym)
{
    const Unit *unit = sym_unit(facts, sym);
    return unit == NULL ? 0 : facts->uses[unit->id][(uint32_t)sym].loop;
}

bool facts_is_stepped(const Facts *facts, Sym sym)
{
    const Unit *unit = sym_unit(facts, sym);
    return unit != NULL && facts->uses[unit->id][(uint32_t)sym].augmented;
}
