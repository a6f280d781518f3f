/* Who calls whom: every call is resolved once; functions handed over as arguments are candidates
 * for calls through the parameter; order[] holds the functions that matter, callees first. */
#include "analyzer/facts/library.h"
#include "analyzer/facts/start.h"

FunctionId facts_callee(const Facts *facts, const Unit *unit, AstNode call)
{
    return map_get(&facts->callee_of, map_pair(unit->id, call));
}

static void add_candidate(Facts *facts, Sym parameter, FunctionId function)
{
    uint32_t first = map_get(&facts->candidate_of, parameter);
    for (uint32_t at = first; at != 0; at = facts->candidates.items[at].next)
        if (facts->candidates.items[at].function == function)
            return;
    LIST_PUSH(facts->arena, &facts->candidates, (Candidate){function, first});
    map_set(&facts->candidate_of, parameter, facts->candidates.count - 1);
}

/* Parameter number `index` of a function, or the one with the keyword's name; 0 if there is none.
 */
static AstSymbol parameter_for(const Ast *ast, const AstFunctionData *function, const Ast *caller,
                               AstNode argument, uint32_t index)
{
    if (ast_kind(caller, argument) != AST_KEYWORD)
        return index < function->params.count ? function->params.items[index] : 0;
    for (uint32_t i = 0; i < function->params.count; i++)
        if (ast->symbols.items[function->params.items[i]].name == ast_at(caller, argument)->name)
            return function->params.items[i];
    return 0;
}

/* Candidates of parameter `from` become candidates of `to`. */
static void copy_candidates(Facts *facts, Sym from, Sym to)
{
    for (uint32_t at = map_get(&facts->candidate_of, from); at != 0;
         at = facts->candidates.items[at].next)
        add_candidate(facts, to, facts->candidates.items[at].function);
}

/* A function, a table of functions, or a parameter that holds either is handed to `parameter`. */
static void note_passed(Facts *facts, const Unit *unit, AstNode value, Sym parameter)
{
    const Ast *ast = unit->ast;
    if (ast_kind(ast, value) == AST_TUPLE || ast_kind(ast, value) == AST_LIST) {
        FOR_EACH_CHILD (ast, item, value)
            if (ast_kind(ast, item) == AST_NAME)
                note_passed(facts, unit, item, parameter);
        return;
    }
    while (ast_kind(ast, value) == AST_CAST || ast_kind(ast, value) == AST_ADDRESS)
        value = ast_first(ast, value);
    if (ast_kind(ast, value) != AST_NAME)
        return;
    const AstNodeData *data = ast_at(ast, value);
    const AstSymbolData *symbol = &ast->symbols.items[data->symbol];
    if (symbol->kind == SYMBOL_PARAM) {
        copy_candidates(facts, sym_of(unit, data->symbol), parameter);
    } else if ((data->flags & AST_QUALIFIED) != 0 || symbol->kind == SYMBOL_FUNCTION) {
        FunctionId passed = program_function_named(facts->program, unit, value);
        if (passed != 0)
            add_candidate(facts, parameter, passed);
    } else if (data->symbol != 0) {
        AstNode only = facts->uses[unit->id][data->symbol].value;
        if (only != 0 && (ast_kind(ast, only) == AST_TUPLE || ast_kind(ast, only) == AST_LIST))
            note_passed(facts, unit, only, parameter);
    }
}

uint32_t facts_first_parameter(const Facts *facts, const Unit *unit, AstNode call,
                               FunctionId callee)
{
    uint32_t flags = program_function_data(facts->program, callee)->flags;
    return (flags & (FN_METHOD | FN_STATIC)) == FN_METHOD &&
                   ast_kind(unit->ast, ast_first(unit->ast, call)) == AST_FIELD
               ? 1
               : 0;
}

static void note_function_arguments(Facts *facts, const Unit *unit, AstNode call, FunctionId callee)
{
    const Ast *ast = unit->ast;
    const Unit *target = program_function_unit(facts->program, callee);
    const AstFunctionData *function = program_function_data(facts->program, callee);
    uint32_t index = facts_first_parameter(facts, unit, call, callee);
    for (AstNode argument = ast_child(ast, call, 1); argument != 0;
         argument = ast_next(ast, argument), index++) {
        AstNode value = ast_kind(ast, argument) == AST_KEYWORD ? ast_first(ast, argument)
                                                               : argument;
        AstSymbol parameter = parameter_for(target->ast, function, ast, argument, index);
        if (parameter != 0)
            note_passed(facts, unit, value, sym_of(target, parameter));
    }
}

uint32_t callgraph_candidates(const Facts *facts, const Unit *unit, AstNode call)
{
    const Ast *ast = unit->ast;
    AstNode callee = ast_first(ast, call);
    if (callee != 0 && ast_kind(ast, callee) == AST_INDEX)
        callee = ast_first(ast, callee);
    if (callee == 0 || ast_kind(ast, callee) != AST_NAME || ast_at(ast, callee)->symbol == 0)
        return 0;
    return map_get(&facts->candidate_of, sym_of(unit, ast_at(ast, callee)->symbol));
}

static void note_call(Facts *facts, const Unit *unit, AstNode call, FunctionId callee)
{
    map_set(&facts->callee_of, map_pair(unit->id, call), callee);
    LIST_PUSH(facts->arena, &facts->functions[callee].callers, ((Caller){unit, call}));
}

static void resolve_calls(Facts *facts, const Unit *unit)
{
    const Ast *ast = unit->ast;
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        if (ast_kind(ast, node) != AST_CALL)
            continue;
        FunctionId callee = program_callee(facts->program, unit, node);
        if (callee == 0 || library_starts_threads(facts, unit, node))
            continue; /* a project may define pthread_create itself, to watch it */
        note_call(facts, unit, node, callee);
    }
}

/* Functions handed on through several parameters need as many rounds. */
static void note_arguments(Facts *facts, FunctionId callee)
{
    const FunctionFacts *function = &facts->functions[callee];
    for (uint32_t i = 0; i < function->callers.count; i++)
        note_function_arguments(facts, function->callers.items[i].unit,
                                function->callers.items[i].call, callee);
}

/* A call through a parameter for which exactly one function is passed anywhere. */
static void resolve_parameters(Facts *facts, const Unit *unit)
{
    const Ast *ast = unit->ast;
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        if (ast_kind(ast, node) != AST_CALL || ast_kind(ast, ast_first(ast, node)) != AST_NAME)
            continue;
        const AstNodeData *callee = ast_at(ast, ast_first(ast, node));
        if (ast->symbols.items[callee->symbol].kind != SYMBOL_PARAM)
            continue;
        uint32_t first = map_get(&facts->candidate_of, sym_of(unit, callee->symbol));
        if (first != 0 && facts->candidates.items[first].next == 0)
            note_call(facts, unit, node, facts->candidates.items[first].function);
    }
}

static bool starts_threads(const Facts *facts, const Unit *unit, AstNode node)
{
    const AstNodeData *data = ast_at(unit->ast, node);
    if (data->kind == AST_LOOP)
        return data->value.loop.run == RUN_PARALLEL;
    if (data->kind == AST_REGION)
        return data->op == REGION_PARALLEL;
    return data->kind == AST_CALL && start_is(facts, unit, node);
}

/* What a call can lead to: the function it calls or starts, or those that are passed for the
 * parameter it goes through. Their number; `to` holds CALLEES_MOST. */
static int callees_of(const Facts *facts, const Unit *unit, AstNode call, FunctionId *to)
{
    to[0] = facts_callee(facts, unit, call);
    if (to[0] != 0)
        return 1;
    int count = start_functions(facts, unit, call, to);
    if (count > 0)
        return count;
    for (uint32_t at = callgraph_candidates(facts, unit, call); at != 0 && count < CALLEES_MOST;
         at = facts->candidates.items[at].next)
        to[count++] = facts->candidates.items[at].function;
    return count;
}

static void note_callees(Facts *facts, FunctionId id)
{
    const Unit *unit = program_function_unit(facts->program, id);
    const Ast *ast = unit->ast;
    FunctionFacts *function = &facts->functions[id];
    AstNode root = program_function_data(facts->program, id)->node;
    for (AstNode node = root + 1; node < ast_end(ast, root); node++) {
        function->parallel |= starts_threads(facts, unit, node);
        if (ast_kind(ast, node) != AST_CALL)
            continue;
        FunctionId to[CALLEES_MOST];
        int starts = unit->language == LANGUAGE_PYTHON ? 0 : start_functions(facts, unit, node, to);
        for (int i = 0; i < starts; i++)
            LIST_PUSH(facts->arena, &facts->functions[to[i]].starts, ((Caller){unit, node}));
        for (int i = 0, count = callees_of(facts, unit, node, to); i < count; i++)
            LIST_PUSH(facts->arena, &function->callees, to[i]);
    }
}

/* Everything called from inside the constructs of a root, and on from there. */
static void reach(Facts *facts, FunctionId id)
{
    if (facts->functions[id].reached)
        return;
    facts->functions[id].reached = true;
    for (uint32_t i = 0; i < facts->functions[id].callees.count; i++)
        reach(facts, facts->functions[id].callees.items[i]);
}

static void reach_from_constructs(Facts *facts, FunctionId id)
{
    const Unit *unit = program_function_unit(facts->program, id);
    const Ast *ast = unit->ast;
    AstNode root = program_function_data(facts->program, id)->node;
    for (AstNode node = root + 1; node < ast_end(ast, root); node++) {
        if (!starts_threads(facts, unit, node))
            continue;
        for (AstNode inside = node; inside < ast_end(ast, node); inside++) {
            FunctionId to[CALLEES_MOST];
            int count = ast_kind(ast, inside) == AST_CALL ? callees_of(facts, unit, inside, to) : 0;
            for (int i = 0; i < count; i++)
                reach(facts, to[i]);
        }
        node = ast_end(ast, node) - 1;
    }
}

static void visit(Facts *facts, FunctionId id)
{
    enum { FRESH, OPEN, DONE };
    FunctionFacts *function = &facts->functions[id];
    if (function->state == OPEN)
        function->recursive = true;
    if (function->state != FRESH)
        return;
    function->state = OPEN;
    for (uint32_t i = 0; i < function->callees.count; i++)
        visit(facts, function->callees.items[i]);
    function->state = DONE;
    LIST_PUSH(facts->arena, &facts->order, id);
}

void callgraph_build(Facts *facts)
{
    const Program *program = facts->program;
    facts->callee_of = facts->candidate_of = map_new(facts->arena);
    LIST_PUSH(facts->arena, &facts->candidates, (Candidate){0});
    for (uint32_t i = 0; i < program->unit_count; i++)
        resolve_calls(facts, program->units[i]);
    enum { ROUNDS = 3 };
    for (int round = 0; round < ROUNDS; round++)
        for (FunctionId id = 1; id < program->functions.count; id++)
            note_arguments(facts, id);
    for (uint32_t i = 0; i < program->unit_count; i++)
        resolve_parameters(facts, program->units[i]);
    for (FunctionId id = 1; id < program->functions.count; id++)
        note_callees(facts, id);
    for (FunctionId id = 1; id < program->functions.count; id++)
        if (facts->functions[id].parallel)
            reach_from_constructs(facts, id);
    for (FunctionId id = 1; id < program->functions.count; id++)
        if (facts->functions[id].reached || facts->functions[id].parallel)
            visit(facts, id);
}
