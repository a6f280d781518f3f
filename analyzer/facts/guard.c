#include "analyzer/facts/guard.h"

#include "analyzer/facts/library.h"
#include "analyzer/facts/slot.h"

#include <stdio.h>
#include <string.h>

/* ---- does it run every iteration? ---- */

static const Ast *ast_of(const Facts *facts, FunctionId function)
{
    return program_function_unit(facts->program, function)->ast;
}

bool facts_runs_seldom(const Facts *facts, FunctionId function, AstNode within, AstNode node)
{
    const Ast *ast = ast_of(facts, function);
    for (AstNode part = node; part > within; part = ast_parent(ast, part)) {
        AstNode branch = ast_parent(ast, part);
        if (branch_handles_error(ast, branch, part))
            return true;
        if (ast_kind(ast, branch) == AST_BRANCH && part != ast_first(ast, branch) &&
            (branch_is_rare(facts, function, branch, part) ||
             branch_is_seldom(facts, function, branch, part)))
            return true;
    }
    return false;
}

/* A branch whose rareness is told by nothing but that it prints says nothing about printing. */
static bool is_print_only(const Facts *facts, const Event *event)
{
    if (event->effect->kind != EFFECT_CALL)
        return false;
    for (const Effect *at = event->effect; at != NULL; at = at->via)
        for (const Frame *frame = at->frame; frame != NULL; frame = frame->outer)
            if (frame->kind == FRAME_BRANCH && frame->seldom &&
                !branch_only_prints(facts, frame->function, frame->node, frame->part))
                return false;
    return true;
}

static bool runs_often(const Facts *facts, const Event *event)
{
    if (event->once || event->loop_count == 0)
        return false;
    if ((event->rare || event->seldom) && !is_print_only(facts, event))
        return false;
    for (const Effect *at = event->effect; at != NULL; at = at->via)
        if (is_seldom_reached(facts, at->function, at->node))
            return false;
    return true;
}

/* ---- which storage ---- */

static bool is_loop_variable(const Facts *facts, const Event *event, Sym sym)
{
    AstNode loop = facts_loop_of(facts, sym);
    const Unit *unit = sym_unit(facts, sym);
    for (uint32_t i = 0; loop != 0 && i < event->loop_count; i++)
        if (event->loops[i].node == loop &&
            program_function_unit(facts->program, event->loops[i].function) == unit)
            return true;
    return false;
}

/* The variable may change from turn to turn: an induction variable, or a local of the loops. */
static bool changes(const Facts *facts, const Event *event, Sym sym)
{
    const Unit *unit = sym_unit(facts, sym);
    if (unit == NULL)
        return false; /* the thread's id: the same in every turn */
    if (event_distinguishes(facts, event, sym) || is_loop_variable(facts, event, sym))
        return true;
    const AstSymbolData *data = sym_data(facts, sym);
    EventLoop outer = event->loops[0];
    FunctionId owner = program_function(facts->program, unit, data->function);
    if (data->kind != SYMBOL_LOCAL)
        return data->kind == SYMBOL_PARAM && owner == event->root &&
               facts_written_within(facts, owner, event->construct, (AstSymbol)sym);
    if (owner != outer.function)
        return owner != event->root;
    return ast_holds(unit->ast, outer.node, data->decl) ||
           facts_written_within(facts, owner, outer.node, (AstSymbol)sym);
}

static bool index_changes(const Facts *facts, const Event *event, const Affine *index)
{
    if (index->loaded || index->folded)
        return true;
    for (uint8_t i = 0; i < index->count; i++)
        if (index->terms[i].sym == SYM_THREAD || changes(facts, event, index->terms[i].sym))
            return true;
    return !index->exact && index->count == 0;
}

/* A pointer that the loop moves, or an element it picks. What the threads were given, job[t].queue,
 * leads to something common where it goes on through a pointer. */
static bool is_spread(const Facts *facts, const Event *event, const Place *place)
{
    if (place->base == PLACE_POINTEE && changes(facts, event, place->sym))
        return true;
    for (uint8_t i = 0; i < place->count; i++) {
        const PlaceStep *step = &place->steps[i];
        if (step->kind == STEP_SLICE)
            return true;
        if (step->kind != STEP_INDEX || !index_changes(facts, event, &step->index))
            continue;
        bool thread_only = event->dealt.node == 0 && !step->index.loaded;
        for (uint8_t k = 0; k < step->index.count; k++)
            thread_only &= !is_loop_variable(facts, event, step->index.terms[k].sym);
        bool leads_on = false;
        for (uint8_t k = (uint8_t)(i + 1); k < place->count; k++)
            leads_on |= place->steps[k].kind == STEP_LOAD;
        if (!thread_only || !leads_on)
            return true;
    }
    return false;
}

/* ---- atomic operations ---- */

static const char *callee_name(const Facts *facts, const Effect *origin)
{
    const Ast *ast = ast_of(facts, origin->function);
    if (ast_kind(ast, origin->node) != AST_CALL)
        return "";
    return intern_text(facts->program->names, ast_at(ast, ast_first(ast, origin->node))->name);
}

/* What a function as __sync_fetch_and_add or atomic_fetch_sub_explicit does; OP_NONE: exchange,
 * compare, test and set. */
static AstOp atomic_op(const char *name)
{
    static const struct {
        const char *word;
        AstOp op;
    } ops[] = {{"add", OP_ADD}, {"sub", OP_SUB}, {"xor", OP_XOR}, {"or", OP_OR},
               {"and", OP_AND}, {"min", OP_MIN}, {"max", OP_MAX}};
    static const char *const forms[] = {"fetch_and_%s", "%s_and_fetch", "fetch_%s", "%s_fetch"};
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++)
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
            char text[32];
            snprintf(text, sizeof text, forms[form], ops[i].word);
            if (strstr(name, text) != NULL)
                return ops[i].op;
        }
    return OP_NONE;
}

static AstNode atomic_region(const Facts *facts, const Effect *origin)
{
    const Ast *ast = ast_of(facts, origin->function);
    for (const Frame *frame = origin->frame; frame != NULL; frame = frame->outer) {
        if (frame->kind != FRAME_REGION)
            continue;
        return ast_at(ast, frame->node)->op == REGION_ATOMIC ? frame->node : 0;
    }
    return 0;
}

static bool is_atomic_type(const Facts *facts, const Effect *origin)
{
    const Ast *ast = ast_of(facts, origin->function);
    if (ast_kind(ast, origin->node) != AST_ASSIGN)
        return false;
    const AstNodeData *target = ast_at(ast, ast_first(ast, origin->node));
    const AstNodeData *assign = ast_at(ast, origin->node);
    return assign->op != OP_NONE && /* x = x + 1 is a load and a store */
           ((ast->symbols.items[target->symbol].flags & SYMBOL_ATOMIC) != 0 ||
            (ast->types.items[target->type].flags & TYPE_ATOMIC) != 0);
}

/* Nothing takes the value of the expression. */
static bool is_statement(const Ast *ast, AstNode node)
{
    AstNode parent = ast_parent(ast, node);
    while (ast_kind(ast, parent) == AST_CAST) {
        node = parent;
        parent = ast_parent(ast, parent);
    }
    return ast_is_statement(ast, node) ||
           (ast_kind(ast, parent) == AST_LOOP && loop_step(ast, parent) == node);
}

static bool is_reduction_op(AstOp op)
{
    return op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_AND || op == OP_OR ||
           op == OP_XOR || op == OP_MIN || op == OP_MAX || op == OP_LOGIC_AND || op == OP_LOGIC_OR;
}

/* ---- whose value is read elsewhere in the loop ---- */

static AstNode target_of(const Ast *ast, AstNode node)
{
    if (ast_kind(ast, node) == AST_ASSIGN)
        return ast_first(ast, node);
    AstNode argument = ast_kind(ast, node) == AST_CALL ? ast_child(ast, node, 1) : 0;
    return argument != 0 && ast_kind(ast, argument) == AST_ADDRESS ? ast_first(ast, argument)
                                                                   : argument;
}

/* Another use of the variable inside the construct that is no update of the same kind. */
static bool is_read_elsewhere(const Facts *facts, const Event *event, const Guard *guard,
                              const Effect *origin)
{
    const Ast *ast = ast_of(facts, origin->function);
    AstNode target = target_of(ast, origin->node);
    AstNode within = event->dealt.node != 0 && event->dealt.function == origin->function
                         ? event->dealt.node
                     : event->root == origin->function ? event->construct
                                                       : 0;
    if (within == 0 || target == 0)
        return false;
    FOR_EACH_NODE (ast, node, within) {
        if (ast_kind(ast, node) == AST_CLAUSE) {
            node = ast_end(ast, node) - 1;
            continue;
        }
        bool inside = node >= guard->first && node < ast_end(ast, guard->last);
        if (inside || ast_kind(ast, node) != ast_kind(ast, target) || !ast_same(ast, node, target))
            continue;
        AstNode parent = ast_parent(ast, node);
        bool updated = ast_kind(ast, parent) == AST_ASSIGN && ast_first(ast, parent) == node &&
                       is_reduction_op((AstOp)ast_at(ast, parent)->op);
        bool atomically = ast_kind(ast, parent) == AST_ADDRESS &&
                          ast_kind(ast, ast_parent(ast, parent)) == AST_CALL &&
                          ast_kind(ast, ast_parent(ast, ast_parent(ast, parent))) == AST_EXPR;
        if (!updated && !atomically)
            return true;
    }
    return false;
}

/* ---- references
 * -------------------------------------------------------------------------------------------------
 */

static AstOp effect_op(const Facts *facts, const Effect *effect)
{
    const Effect *origin = effect_origin(effect);
    return origin->kind == EFFECT_ATOMIC ? atomic_op(callee_name(facts, origin))
                                         : (AstOp)origin->op;
}

/* Counted up and down again at one place: nothing is summed up. */
static bool has_opposite(const Facts *facts, const Event *event)
{
    AstOp op = effect_op(facts, event->effect);
    AstOp opposite = op == OP_ADD ? OP_SUB : op == OP_SUB ? OP_ADD : OP_NONE;
    for (uint32_t i = 0; opposite != OP_NONE && i < facts->events.count; i++) {
        const Event *other = &facts->events.items[i];
        if (other->root == event->root && other->construct == event->construct &&
            (other->effect->kind == EFFECT_ATOMIC || other->effect->kind == EFFECT_ACCUMULATE) &&
            effect_op(facts, other->effect) == opposite &&
            place_same(&other->effect->place, &event->effect->place))
            return true;
    }
    return false;
}

static bool sounds_like_reference(const char *name)
{
    static const char *const words[] = {"ref", "retain", "release", "acquire", "grab", "hold"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(name, words[i]) != NULL)
            return true;
    return false;
}

/* The function does little else than this update of what its parameter points to. */
static bool is_wrapper(const Facts *facts, const Effect *effect)
{
    enum { SMALL = 90 };
    const Place *place = &effect->place;
    const AstFunctionData *function = program_function_data(facts->program, effect->function);
    const Ast *ast = ast_of(facts, effect->function);
    if (place->base != PLACE_POINTEE || sym_data(facts, place->sym)->kind != SYMBOL_PARAM ||
        ast_end(ast, function->node) - function->node > SMALL)
        return false;
    FOR_EACH_NODE (ast, node, function->node)
        if (ast_kind(ast, node) == AST_LOOP)
            return false;
    return true;
}

/* object_ref(o): the call in the loop is what the reader knows. False if it is no such call. */
static bool climb_reference(const Facts *facts, const Event *event, Guard *guard)
{
    const Effect *site = NULL;
    bool named = false;
    for (const Effect *at = event->effect; at->via != NULL; at = at->via) {
        if (!is_wrapper(facts, at->via)) {
            site = NULL;
            continue;
        }
        named |= sounds_like_reference(intern_text(
            facts->program->names, program_function_data(facts->program, at->via->function)->name));
        site = site == NULL ? at : site;
    }
    if (site == NULL || (!named && !has_opposite(facts, event)))
        return false;
    guard->function = site->function;
    guard->site = site->node;
    return true;
}

static bool is_counter_call(const Facts *facts, const Effect *origin)
{
    const Unit *unit = program_function_unit(facts->program, origin->function);
    if (origin->kind != EFFECT_ATOMIC || ast_kind(unit->ast, origin->node) != AST_CALL)
        return false;
    const LibraryEntry *entry = library_call(facts, unit, origin->node);
    return entry == NULL || (entry->flags & LIB_REFCOUNT) != 0;
}

/* Compare and exchange: behind a test, x > seen && !exchange(…), it runs seldom; in the condition
 * of a loop it is tried until it succeeds, once per turn of the loop around. */
static bool read_exchange(const Facts *facts, const Event *event, Guard *guard)
{
    const Effect *origin = event->origin;
    const Ast *ast = ast_of(facts, origin->function);
    if (strstr(callee_name(facts, origin), "compare") == NULL)
        return true;
    for (AstNode up = origin->node; up != 0; up = ast_parent(ast, up)) {
        AstNode parent = ast_parent(ast, up);
        if (ast_kind(ast, parent) == AST_LOGIC && ast_first(ast, parent) != up)
            return false;
        if (ast_kind(ast, parent) == AST_LOOP)
            guard->first = loop_limit(ast, parent) == up ? parent : 0;
        if (ast_kind(ast, parent) == AST_LOOP || ast_kind(ast, parent) == AST_BLOCK)
            break;
    }
    guard->loop_count -= guard->first != 0;
    return guard->loop_count > 0;
}

static bool read_atomic(const Facts *facts, const Event *event, Guard *guard)
{
    const Effect *origin = event->origin;
    const Ast *ast = ast_of(facts, origin->function);
    AstNode region = atomic_region(facts, origin);
    int64_t form = region == 0 ? ATOMIC_UPDATE : ast_at(ast, region)->value.integer;
    bool compared = origin->kind == EFFECT_WRITE && (origin->flags & EFFECT_COMPARED) != 0;
    if (region != 0 ? (origin->kind != EFFECT_ACCUMULATE && !compared) || form == ATOMIC_READ ||
                          form == ATOMIC_WRITE
                    : origin->kind != EFFECT_ATOMIC &&
                          (origin->kind != EFFECT_ACCUMULATE || !is_atomic_type(facts, origin)))
        return false;
    AstOp op = effect_op(facts, event->effect);
    if (!read_exchange(facts, event, guard))
        return false;
    guard->site = region != 0 ? region : origin->node;
    guard->region = region != 0;
    guard->first = guard->last = guard->first != 0 ? guard->first : guard->site;
    guard->op = (uint8_t)op;
    guard->spread = is_spread(facts, event, &event->effect->place);
    guard->own = event_shared(facts, event, &event->effect->place) == 0;
    guard->update = event;
    bool counts = climb_reference(facts, event, guard) || is_counter_call(facts, origin);
    guard->needed = form == ATOMIC_CAPTURE ||
                    (region == 0 && !is_statement(ast_of(facts, guard->function), guard->site));
    bool sums = !counts && !guard->needed && !guard->spread && (is_reduction_op(op) || compared) &&
                !has_opposite(facts, event) && !is_read_elsewhere(facts, event, guard, origin);
    guard->kind = sums ? GUARD_SUM : GUARD_COUNT;
    return !guard->own || (guard->kind == GUARD_SUM && event->effect->place.count == 0);
}

/* ---- locks and critical sections ---- */

static bool releases(const Facts *facts, const Unit *unit, AstNode statement)
{
    FOR_EACH_NODE (unit->ast, node, statement) {
        if (ast_kind(unit->ast, node) != AST_CALL)
            continue;
        FunctionId callee = facts_callee(facts, unit, node);
        const LibraryEntry *entry = callee == 0 ? library_call(facts, unit, node) : NULL;
        if ((entry != NULL && (entry->flags & LIB_UNLOCK) != 0) ||
            (callee != 0 && facts->functions[callee].lock_balance < 0))
            return true;
    }
    return false;
}

/* The statements from behind the call that takes the lock to before the one that releases it. */
static void span_of_lock(const Facts *facts, const Effect *taker, Guard *guard)
{
    const Unit *unit = program_function_unit(facts->program, taker->function);
    AstNode statement = taker->node;
    while (statement != 0 && ast_kind(unit->ast, ast_parent(unit->ast, statement)) != AST_BLOCK &&
           ast_kind(unit->ast, statement) != AST_FUNCTION)
        statement = ast_parent(unit->ast, statement);
    if (ast_kind(unit->ast, statement) == AST_FUNCTION)
        return;
    for (AstNode at = ast_next(unit->ast, statement); at != 0; at = ast_next(unit->ast, at)) {
        if (releases(facts, unit, at) && ast_kind(unit->ast, at) != AST_BRANCH)
            return;
        guard->first = guard->first == 0 ? at : guard->first;
        guard->last = at;
    }
}

/* Where the lock is held when the function has returned, the call stands for it: my_lock(). */
static const Effect *taker_of(const Facts *facts, const Event *event)
{
    const Effect *taker = event->origin;
    for (const Effect *at = event->effect; at->via != NULL; at = at->via)
        if (facts->functions[at->via->function].lock_balance > 0)
            return at;
    return taker;
}

/* s = s * f + x is no sum: the old value comes out of a product. */
static bool is_scaled(const Ast *ast, AstNode assign)
{
    if (ast_kind(ast, assign) != AST_ASSIGN || ast_at(ast, assign)->op != OP_NONE)
        return false;
    AstNode target = ast_first(ast, assign), value = ast_child(ast, assign, 1);
    for (; ast_kind(ast, value) == AST_BINARY; value = ast_first(ast, value)) {
        AstOp op = (AstOp)ast_at(ast, value)->op;
        AstNode right = ast_child(ast, value, 1);
        if (value != ast_child(ast, assign, 1) && op != OP_ADD && op != OP_SUB)
            return true;
        if (ast_same(ast, right, target) || ast_same(ast, ast_first(ast, value), target))
            return false;
    }
    return false;
}

static bool is_accumulation(const Facts *facts, const Event *event)
{
    const Effect *effect = event->effect;
    bool compared = effect->kind == EFFECT_WRITE && (effect->flags & EFFECT_COMPARED) != 0;
    bool sum = effect->kind == EFFECT_ACCUMULATE && is_reduction_op((AstOp)effect->op) &&
               !is_scaled(ast_of(facts, event->origin->function), event->origin->node);
    return sum || compared;
}

/* Every assignment inside is one that the events tell of, and nothing takes its value. */
static bool is_seen(const Facts *facts, const Event *event, AstNode assign)
{
    if (!is_statement(ast_of(facts, event->origin->function), assign))
        return false;
    for (uint32_t i = 0; i < facts->events.count; i++) {
        const Event *other = &facts->events.items[i];
        if (other->root == event->root && other->construct == event->construct &&
            other->origin->function == event->origin->function && other->origin->node == assign)
            return true;
    }
    return false;
}

/* Nothing inside but accumulations into fixed places. */
static bool sums_only(const Facts *facts, const Event *event, Guard *guard)
{
    const Ast *ast = ast_of(facts, event->origin->function);
    const Event *update = NULL;
    for (AstNode node = guard->first; node != 0 && node < ast_end(ast, guard->last); node++) {
        AstKind kind = ast_kind(ast, node);
        if (kind == AST_LOOP || kind == AST_RETURN || kind == AST_BREAK || kind == AST_DECL ||
            (kind == AST_ASSIGN && !is_seen(facts, event, node)) ||
            (kind == AST_REGION && ast_at(ast, node)->op != REGION_ATOMIC))
            return false;
    }
    for (uint32_t i = 0; i < facts->events.count; i++) {
        const Event *other = &facts->events.items[i];
        if (other->root != event->root || other->construct != event->construct ||
            other->origin->function != event->origin->function || guard->first == 0 ||
            other->origin->node < guard->first ||
            other->origin->node >= ast_end(ast, guard->last) || other->origin == event->origin)
            continue;
        if (!is_accumulation(facts, other) || is_spread(facts, event, &other->effect->place) ||
            is_read_elsewhere(facts, event, guard, other->origin))
            return false;
        update = update == NULL ? other : update;
    }
    guard->update = update;
    guard->op = update == NULL ? (uint8_t)OP_NONE : update->origin->op;
    guard->own = update != NULL && event_shared(facts, event, &update->effect->place) == 0;
    return update != NULL;
}

/* while (!done) { lock; if (ready) done = 1; unlock; }: the loop waits, there is no work to do at
 * the same time. */
static bool is_polling(const Facts *facts, const Event *event, const Guard *guard)
{
    const Effect *origin = event->origin;
    const Ast *ast = ast_of(facts, origin->function);
    AstNode body = ast_parent(ast, guard->first), loop = body;
    while (loop != 0 && ast_kind(ast, loop) != AST_LOOP)
        loop = ast_parent(ast, loop);
    if (loop == 0 || guard->first == 0 || ast_at(ast, loop)->op == LOOP_COUNTED ||
        ast_at(ast, loop)->op == LOOP_EACH)
        return false;
    AstNode statement = guard->region ? origin->node : guard->first;
    for (AstNode up = statement; up != loop; up = ast_parent(ast, up))
        if (ast_kind(ast, ast_parent(ast, up)) == AST_BLOCK &&
            ast_child_count(ast, ast_parent(ast, up)) > (guard->region ? 1u : 3u))
            return false; /* something is done beside it */
    FOR_EACH_NODE (ast, node, loop_limit(ast, loop)) {
        if (ast_kind(ast, node) != AST_NAME)
            continue;
        if (facts_written_within(facts, origin->function, guard->first, ast_at(ast, node)->symbol))
            return true;
    }
    return false;
}

static bool read_lock(const Facts *facts, const Event *event, Guard *guard)
{
    const Effect *origin = event->origin;
    const Unit *unit = program_function_unit(facts->program, origin->function);
    guard->locks = true;
    guard->region = ast_kind(unit->ast, origin->node) == AST_REGION;
    if (guard->region) {
        AstNode body = ast_first(unit->ast, origin->node);
        if (ast_at(unit->ast, origin->node)->op != REGION_CRITICAL || body == 0)
            return false;
        guard->first = guard->last = body;
    } else {
        const LibraryEntry *entry = library_call(facts, unit, origin->node);
        const Effect *taker = taker_of(facts, event);
        if (entry == NULL || (entry->flags & LIB_BY_HABIT) != 0 ||
            event_shared(facts, event, &event->effect->place) == 0)
            return false;
        guard->function = guard->within = taker->function;
        guard->site = taker->node;
        bool spins = (entry->flags & LIB_ATOMIC) != 0;
        if (!spins && !is_statement(ast_of(facts, taker->function), taker->node))
            return false; /* a try: what happens depends on its answer */
        span_of_lock(facts, taker, guard);
        if (guard->first == 0)
            return false; /* nothing inside: a signal between threads */
        guard->spread = is_spread(facts, event, &event->effect->place);
    }
    bool here = guard->function == origin->function;
    bool sums = here && sums_only(facts, event, guard) && !guard->own;
    guard->kind = sums ? GUARD_SUM : GUARD_LOCK;
    guard->own = false; /* what the span writes may be the thread's own, what it reads is not */
    return !guard->spread && !(here && is_polling(facts, event, guard));
}

/* ---- calls of the library ---- */

/* A stream that the thread opened itself takes its own lock. */
static bool is_own_stream(const Facts *facts, const Event *event)
{
    const Place *place = &event->effect->place;
    if (place->base == PLACE_UNKNOWN)
        return false;
    return event_shared(facts, event, place) != 1 || is_spread(facts, event, place);
}

static bool read_library(const Facts *facts, const Event *event, Guard *guard)
{
    guard->kind = GUARD_LIBRARY;
    guard->first = guard->last = guard->site;
    return !event->locked && !is_own_stream(facts, event) &&
           ast_kind(ast_of(facts, guard->function), guard->site) == AST_CALL;
}

bool event_guard(const Facts *facts, const Event *event, Guard *guard)
{
    *guard = (Guard){.function = event->origin->function,
                     .site = event->origin->node,
                     .within = event->origin->function};
    guard->loop_count = event->loop_count;
    if (guard->loop_count == 0 || !runs_often(facts, event))
        return false;
    if (event_is_over_few(facts, event))
        return false; /* once per thread */
    switch (event->effect->kind) {
    case EFFECT_LOCK:
        return read_lock(facts, event, guard);
    case EFFECT_ATOMIC:
    case EFFECT_ACCUMULATE:
    case EFFECT_WRITE:
        return read_atomic(facts, event, guard);
    case EFFECT_CALL:
        return read_library(facts, event, guard);
    default:
        return false;
    }
}
