#include "analyzer/facts/launch.h"

#include "analyzer/facts/library.h"

#include <string.h>

enum { MOST_CALLS = 4, MOST_PATHS = 64, SMALL_NUMBER = 8 };

/* ---- constructs ---- */

static bool is_team_loop(const AstNodeData *data)
{
    return data->kind == AST_LOOP &&
           (data->value.loop.run == RUN_PARALLEL || data->value.loop.run == RUN_WORKSHARE);
}

/* Inside another construct, offloaded code, or a task. */
static bool is_inside_construct(const Ast *ast, AstNode node, bool *offload)
{
    bool inside = false;
    for (AstNode up = ast_parent(ast, node); up != 0; up = ast_parent(ast, up)) {
        const AstNodeData *data = ast_at(ast, up);
        if (data->kind == AST_FUNCTION)
            break;
        inside |= ast_is_construct(ast, up);
        *offload |= (data->kind == AST_REGION && data->op == REGION_OFFLOAD) ||
                    (data->kind == AST_LOOP && data->value.loop.run == RUN_OFFLOAD);
    }
    return inside;
}

static bool runs_parallel(const Unit *unit, const AstFunctionData *function)
{
    uint32_t wrong = FN_PARALLEL_CHOICE | FN_OFFLOAD | FN_INTRINSIC;
    return unit->language != LANGUAGE_PYTHON ||
           ((function->flags & FN_PARALLEL) != 0 && (function->flags & wrong) == 0);
}

static void add_constructs(const Facts *facts, Arena *arena, FunctionId id, Constructs *out)
{
    const Unit *unit = program_function_unit(facts->program, id);
    const AstFunctionData *function = program_function_data(facts->program, id);
    const Ast *ast = unit->ast;
    if (!runs_parallel(unit, function))
        return;
    FOR_EACH_NODE (ast, node, function->node) {
        const AstNodeData *data = ast_at(ast, node);
        bool offload = false;
        if (!ast_is_construct(ast, node) || (data->flags & AST_DOUBTFUL) != 0 ||
            (data->kind == AST_LOOP && (data->value.loop.flags & LOOP_RUNTIME_CHOICE) != 0))
            continue;
        bool nested = is_inside_construct(ast, node, &offload);
        bool own = program_function(facts->program, unit, ast_function_of(ast, node)) == id;
        bool starts = data->kind == AST_REGION || data->value.loop.run == RUN_PARALLEL;
        if (own && !offload)
            LIST_PUSH(arena, out, (Construct){unit, id, node, starts, nested});
    }
}

/* A header's function stands in every unit that includes it, and counts once. */
static void add_callers(const Facts *facts, Arena *arena, const Unit *unit, CallSites *callers)
{
    for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
        if (ast_kind(unit->ast, node) != AST_CALL)
            continue;
        FunctionId callee = facts_callee(facts, unit, node);
        FunctionId caller =
            callee == 0 ? 0
                        : program_function(facts->program, unit, ast_function_of(unit->ast, node));
        if (callee != 0 && (caller == 0 || program_function_unit(facts->program, caller) == unit))
            LIST_PUSH(arena, &callers[callee], (CallSite){unit, node});
    }
}

LaunchIndex facts_launch_index(const Facts *facts, Arena *arena)
{
    const Program *program = facts->program;
    LaunchIndex index = {.callers = NULL};
    for (FunctionId id = 1; id < program->functions.count; id++)
        add_constructs(facts, arena, id, &index.constructs);
    index.callers = arena_alloc(arena, (program->functions.count + 1) * sizeof *index.callers);
    for (uint32_t i = 0; i < program->unit_count && index.constructs.count > 0; i++)
        add_callers(facts, arena, program->units[i], index.callers);
    return index;
}

/* ---- what chooses a serial variant ---- */

/* A number of threads that somebody worked out for this size; not a fixed one, nor that of the
 * machine. */
static bool is_chosen_count(const Facts *facts, const Unit *unit, AstNode count)
{
    int64_t whole;
    const Ast *ast = unit->ast;
    if (count == 0 || ast_constant(ast, count, &whole))
        return false;
    if (ast_kind(ast, count) == AST_NAME) {
        AstSymbol symbol = ast_at(ast, count)->symbol;
        AstNode value = facts->uses[unit->id][symbol].value;
        AstSymbolKind kind = (AstSymbolKind)ast->symbols.items[symbol].kind;
        if (value != 0)
            return is_chosen_count(facts, unit, value);
        return kind == SYMBOL_LOCAL || kind == SYMBOL_PARAM;
    }
    return ast_kind(ast, count) != AST_CALL || library_call(facts, unit, count) == NULL;
}

static bool has_guarding_clause(const Facts *facts, const Unit *unit, AstNode construct)
{
    const Ast *ast = unit->ast;
    FOR_EACH_CHILD (ast, clause, construct) {
        if (ast_kind(ast, clause) != AST_CLAUSE)
            continue;
        int64_t whole;
        AstNode argument = ast_first(ast, clause);
        bool one = argument != 0 && ast_constant(ast, argument, &whole) && whole <= 1;
        if (ast_at(ast, clause)->op == CLAUSE_IF)
            return true;
        if (ast_at(ast, clause)->op == CLAUSE_NUM_THREADS &&
            (one || is_chosen_count(facts, unit, argument)))
            return true;
    }
    return false;
}

static bool names_a_size(const Ast *ast, AstNode node)
{
    const char *word = intern_text(ast->names, ast_at(ast, node)->name);
    AstKind kind = ast_kind(ast, node);
    return (kind == AST_FIELD && (strcmp(word, "shape") == 0 || strcmp(word, "size") == 0)) ||
           (kind == AST_NAME && strcmp(word, "len") == 0);
}

typedef struct Climb {
    const Facts *facts;
    const Construct *construct;
    const CallChain *chain; /* from the construct's function to the one that is climbed now */
} Climb;

/* What the construct's trip count is made of also stands in this comparison. */
static bool concerns_trips(const Climb *climb, const Unit *unit, AstNode comparison)
{
    const Ast *own = climb->construct->unit->ast;
    FOR_EACH_NODE (own, loop, climb->construct->node) {
        if (!is_team_loop(ast_at(own, loop)))
            continue;
        FOR_EACH_NODE (unit->ast, node, comparison) {
            AstSymbol symbol =
                ast_kind(unit->ast, node) == AST_NAME ? ast_at(unit->ast, node)->symbol : 0;
            if (symbol != 0 && extent_reads(climb->facts, climb->chain, climb->construct->unit,
                                            ast_kind(own, loop_limit(own, loop)) == AST_NONE
                                                ? loop_start(own, loop)
                                                : loop_limit(own, loop),
                                            unit, symbol))
                return true;
        }
    }
    return false;
}

/* n > 1000, x.shape[0] < SMALL; n > 0 is no test of a size. */
static bool tests_size(const Climb *climb, const Unit *unit, AstNode condition)
{
    const Ast *ast = unit->ast;
    FOR_EACH_NODE (ast, node, condition) {
        AstOp op = (AstOp)ast_at(ast, node)->op;
        if (ast_kind(ast, node) != AST_COMPARE ||
            (op != OP_LT && op != OP_LE && op != OP_GT && op != OP_GE))
            continue;
        bool small = false, large = false, size = false;
        FOR_EACH_CHILD (ast, operand, node) {
            int64_t whole;
            bool constant = ast_constant(ast, operand, &whole);
            small |= constant && whole <= SMALL_NUMBER;
            large |= constant && whole > SMALL_NUMBER;
            FOR_EACH_NODE (ast, inner, operand)
                size |= names_a_size(ast, inner);
        }
        if (!small && (large || size || concerns_trips(climb, unit, node)))
            return true;
    }
    return false;
}

/* Loops, itself or in what it calls, and starts no team: the same work on one thread. */
static bool is_serial_variant(const Facts *facts, const Unit *unit, AstNode part)
{
    const Ast *ast = unit->ast;
    bool works = false;
    FOR_EACH_NODE (ast, node, part) {
        if (ast_is_construct(ast, node))
            return false;
        FunctionId callee = ast_kind(ast, node) == AST_CALL ? facts_callee(facts, unit, node) : 0;
        works |= ast_kind(ast, node) == AST_LOOP;
        if (callee == 0)
            continue;
        const Ast *other = program_function_unit(facts->program, callee)->ast;
        FOR_EACH_NODE (other, inner, program_function_data(facts->program, callee)->node) {
            if (ast_is_construct(other, inner))
                return false;
            works |= ast_kind(other, inner) == AST_LOOP;
        }
    }
    return works;
}

/* `at` lies in one arm of a branch: is the other one its serial twin, or is a size tested? */
static bool branch_guards(const Climb *climb, const Unit *unit, AstNode branch, AstNode at)
{
    const Ast *ast = unit->ast;
    AstNode condition = ast_first(ast, branch);
    if (ast_holds(ast, condition, at))
        return false;
    AstNode then = ast_child(ast, branch, 1), other = ast_child(ast, branch, 2);
    AstNode twin = ast_holds(ast, then, at) ? other : then;
    return tests_size(climb, unit, condition) ||
           (twin != 0 && is_serial_variant(climb->facts, unit, twin));
}

/* if (n < SMALL) return serial(x); somewhere before `at` in the same block. */
static bool earlier_guards(const Climb *climb, const Unit *unit, AstNode block, AstNode at)
{
    const Ast *ast = unit->ast;
    FOR_EACH_CHILD (ast, child, block) {
        if (ast_holds(ast, child, at))
            return false;
        AstNode then = ast_kind(ast, child) == AST_BRANCH ? ast_child(ast, child, 1) : 0;
        if (then != 0 && branch_leaves(ast, then) &&
            (tests_size(climb, unit, ast_first(ast, child)) ||
             is_serial_variant(climb->facts, unit, then)))
            return true;
    }
    return false;
}

/* Whether one node above `at` keeps it from small sizes. */
static bool guards(const Climb *climb, const Unit *unit, AstNode up, AstNode at)
{
    switch (ast_kind(unit->ast, up)) {
    case AST_BRANCH:
    case AST_CONDITIONAL:
        return branch_guards(climb, unit, up, at);
    case AST_BLOCK:
    case AST_MODULE:
        return earlier_guards(climb, unit, up, at);
    default:
        return false;
    }
}

bool facts_is_guarded(const Facts *facts, const Construct *construct)
{
    const Ast *ast = construct->unit->ast;
    Climb climb = {facts, construct, NULL};
    if (has_guarding_clause(facts, construct->unit, construct->node))
        return true;
    for (AstNode up = ast_parent(ast, construct->node); up != 0; up = ast_parent(ast, up)) {
        if (ast_kind(ast, up) == AST_FUNCTION)
            return false;
        bool region = ast_is_construct(ast, up);
        if ((region && has_guarding_clause(facts, construct->unit, up)) ||
            guards(&climb, construct->unit, up, construct->node))
            return true;
    }
    return false;
}

/* ---- serial loops around ---- */

/* Each turn of the loop runs `at` again. */
static bool repeats(const Ast *ast, AstNode loop, AstNode at)
{
    const AstNodeData *data = ast_at(ast, loop);
    int64_t whole;
    if (data->op == LOOP_DO && ast_constant(ast, loop_limit(ast, loop), &whole) && whole == 0)
        return false; /* do { … } while (0) */
    bool once = ast_holds(ast, loop_start(ast, loop), at) ||
                (data->op == LOOP_COUNTED && ast_holds(ast, loop_limit(ast, loop), at));
    return !once;
}

/* The first loop of a comprehension that evaluates `at` for each of its items; 0 if none. */
static AstNode comprehension_loop(const Ast *ast, AstNode comprehension, AstNode at)
{
    AstNode first = 0;
    FOR_EACH_CHILD (ast, child, comprehension) {
        if (ast_kind(ast, child) != AST_LOOP)
            continue;
        if (first == 0 && ast_holds(ast, child, at))
            return 0;
        first = first == 0 ? child : first;
    }
    return first;
}

/* The serial loop that a node above `at` is; 0 if it is none. */
static AstNode loop_above(const Ast *ast, AstNode up, AstNode at)
{
    if (ast_kind(ast, up) == AST_COMPREHENSION)
        return comprehension_loop(ast, up, at);
    return ast_kind(ast, up) == AST_LOOP && repeats(ast, up, at) ? up : 0;
}

/* The loop's own variable, or what its body takes out of an array: at = queue[head++]. */
static bool is_item(const Facts *facts, const Unit *unit, AstNode loop, AstSymbol symbol)
{
    const Ast *ast = unit->ast;
    if (ast_mentions(ast, loop_target(ast, loop), symbol))
        return true;
    AstNode value = facts->uses[unit->id][symbol].value;
    if (value == 0 || !ast_holds(ast, loop, value))
        return false;
    FOR_EACH_NODE (ast, node, value) {
        AstSymbol inner = ast_kind(ast, node) == AST_NAME ? ast_at(ast, node)->symbol : 0;
        if (inner != 0 && ast_mentions(ast, loop_target(ast, loop), inner))
            return true;
    }
    return false;
}

/* rod[s % 2]: the same few come round again, so that none is the item's own. */
static bool comes_round(const Ast *ast, AstNode node, AstNode at)
{
    for (AstNode up = ast_parent(ast, node); up != at; up = ast_parent(ast, up)) {
        AstOp op = (AstOp)ast_at(ast, up)->op;
        if (ast_kind(ast, up) == AST_BINARY && (op == OP_MOD || op == OP_AND))
            return true;
    }
    return false;
}

/* The construct writes to an element of the item's own, or the call is handed the item. */
static bool works_on_item(const Facts *facts, const Unit *unit, AstNode loop, AstNode at)
{
    const Ast *ast = unit->ast;
    bool call = ast_kind(ast, at) == AST_CALL;
    FOR_EACH_NODE (ast, node, at) {
        AstSymbol symbol = ast_kind(ast, node) == AST_NAME ? ast_at(ast, node)->symbol : 0;
        if (symbol == 0 || !is_item(facts, unit, loop, symbol) || comes_round(ast, node, at))
            continue;
        if (call)
            return true;
        for (AstNode up = ast_parent(ast, node); up != at; up = ast_parent(ast, up))
            if (ast_kind(ast, up) == AST_ASSIGN && ast_holds(ast, ast_first(ast, up), node))
                return true;
    }
    return false;
}

/* The loop's item picks an element somewhere in the construct, or is handed to the call. */
static bool picks(const Facts *facts, const Unit *unit, AstNode loop, AstNode at)
{
    const Ast *ast = unit->ast;
    FOR_EACH_NODE (ast, node, at) {
        AstSymbol symbol = ast_kind(ast, node) == AST_NAME ? ast_at(ast, node)->symbol : 0;
        if (symbol == 0 || !is_item(facts, unit, loop, symbol))
            continue;
        if (ast_kind(ast, at) == AST_CALL)
            return true;
        for (AstNode up = ast_parent(ast, node); up != at; up = ast_parent(ast, up))
            if (ast_kind(ast, up) == AST_INDEX)
                return true;
    }
    return false;
}

/* at = queue[head++], or the same in two statements. */
static bool takes_from_queue(const Facts *facts, const Unit *unit, AstNode loop)
{
    const Ast *ast = unit->ast;
    if (ast_at(ast, loop)->op != LOOP_WHILE)
        return false;
    FOR_EACH_NODE (ast, node, loop_body(ast, loop)) {
        AstKind kind = ast_kind(ast, node);
        AstNode value = kind == AST_ASSIGN ? ast_child(ast, node, 1)
                        : kind == AST_DECL ? ast_first(ast, node)
                                           : 0;
        if (value == 0 || ast_kind(ast, value) != AST_INDEX)
            continue;
        FOR_EACH_NODE (ast, index, ast_child(ast, value, 1)) {
            AstSymbol symbol = ast_kind(ast, index) == AST_NAME ? ast_at(ast, index)->symbol : 0;
            if (symbol != 0 && facts->uses[unit->id][symbol].augmented &&
                ast_mentions(ast, loop_limit(ast, loop), symbol))
                return true;
        }
    }
    return false;
}

/* The limit of the parallel loop is an element that the item picks. */
static bool is_ragged(const Facts *facts, const Unit *unit, AstNode loop, AstNode at)
{
    const Ast *ast = unit->ast;
    if (ast_kind(ast, at) != AST_LOOP || ast_at(ast, at)->op != LOOP_COUNTED)
        return false;
    AstNode limit = loop_limit(ast, at), start = loop_start(ast, at);
    return ast_kind(ast, limit) == AST_INDEX && ast_kind(ast, start) == AST_INDEX &&
           ast_same(ast, ast_first(ast, limit), ast_first(ast, start)) &&
           picks(facts, unit, loop, at);
}

typedef struct Search {
    const Facts *facts;
    Arena *arena;
    const LaunchIndex *index;
    const Construct *construct;
    Launches *out;
    uint32_t paths;
    CallChain calls[MOST_CALLS + 1]; /* innermost first, not yet linked */
    uint32_t depth;
    Launch launch;  /* loop_count 0: no loop yet */
    uint32_t level; /* calls below the loop's function */
} Search;

/* The chain of the calls so far, in the arena, outermost without an outer one. */
static const CallChain *linked(const Search *search, uint32_t from)
{
    const CallChain *outer = NULL;
    for (uint32_t i = search->depth; i > from; i--) {
        CallChain *step = arena_alloc(search->arena, sizeof *step);
        *step = search->calls[i - 1];
        step->outer = outer;
        outer = step;
    }
    return outer;
}

static void climb_callers(Search *search, FunctionId function);

static void read_items(const Facts *facts, Launch *launch)
{
    const Unit *unit = launch->unit;
    AstNode inner = launch->loops[0];
    launch->items = works_on_item(facts, unit, inner, launch->at);
    launch->worklist = takes_from_queue(facts, unit, inner);
    launch->ragged = is_ragged(facts, unit, inner, launch->at);
    launch->item_loops = 0;
    while (launch->item_loops < launch->loop_count &&
           picks(facts, unit, launch->loops[launch->item_loops], launch->at))
        launch->item_loops++;
}

/* From `at` up to its function; false where the way is not one of a launch on one thread. */
static bool climb_function(Search *search, const Unit *unit, AstNode at)
{
    const Ast *ast = unit->ast;
    Climb climb = {search->facts, search->construct, linked(search, 0)};
    Launch *launch = &search->launch;
    bool found = launch->loop_count > 0;
    for (AstNode up = ast_parent(ast, at); up != 0; up = ast_parent(ast, up)) {
        const AstNodeData *data = ast_at(ast, up);
        if (data->kind == AST_FUNCTION || data->kind == AST_LAMBDA)
            break;
        if (ast_is_construct(ast, up) || (data->kind == AST_REGION && data->op == REGION_TASK))
            return false;
        if (guards(&climb, unit, up, at))
            return false;
        AstNode loop = found ? 0 : loop_above(ast, up, at);
        if (loop != 0 && launch->loop_count < LAUNCH_LOOPS)
            launch->loops[launch->loop_count++] = loop;
    }
    if (!found && launch->loop_count > 0) {
        launch->unit = unit;
        launch->at = at;
        read_items(search->facts, launch);
        search->level = search->depth;
    }
    return true;
}

static void emit(Search *search)
{
    Launch launch = search->launch;
    if (launch.loop_count == 0)
        return;
    launch.chain = linked(search, 0);
    launch.around = launch.chain;
    for (uint32_t i = 0; i < search->level; i++)
        launch.around = launch.around->outer;
    LIST_PUSH(search->arena, search->out, launch);
}

static bool is_on_path(const Search *search, FunctionId function)
{
    for (uint32_t i = 0; i < search->depth; i++)
        if (search->calls[i].callee == function)
            return true;
    return false;
}

static void climb_call(Search *search, const Unit *unit, AstNode call, FunctionId callee)
{
    Launch before = search->launch;
    uint32_t level = search->level;
    search->calls[search->depth++] = (CallChain){NULL, unit, call, callee};
    if (climb_function(search, unit, call))
        climb_callers(search, program_function(search->facts->program, unit,
                                               ast_function_of(unit->ast, call)));
    search->depth--;
    search->launch = before;
    search->level = level;
}

/* Every call of a function continues the way; where none is known it ends. */
static void climb_callers(Search *search, FunctionId function)
{
    const CallSites *sites = &search->index->callers[function];
    bool deep = function == 0 || search->depth >= MOST_CALLS || is_on_path(search, function);
    for (uint32_t i = 0; i < sites->count && !deep && search->paths < MOST_PATHS; i++) {
        const CallSite *site = &sites->items[i];
        search->paths++;
        climb_call(search, site->unit, site->call, function);
    }
    if (deep || sites->count == 0)
        emit(search);
}

Launches facts_launches(const Facts *facts, Arena *arena, const LaunchIndex *index,
                        const Construct *construct)
{
    Launches all = {0};
    Search search = {
        .facts = facts, .arena = arena, .index = index, .construct = construct, .out = &all};
    if (!construct->starts || construct->nested ||
        has_guarding_clause(facts, construct->unit, construct->node) ||
        !climb_function(&search, construct->unit, construct->node))
        return all;
    climb_callers(&search, construct->function);
    return all;
}
