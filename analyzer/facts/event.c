/* Effects as seen from the construct that runs them on several threads. */
#include "analyzer/facts/library.h"
#include "analyzer/facts/start.h"

#include <string.h>

enum { DEEPEST_CHAIN = 128 };

typedef struct Chain {
    const Frame *frames[DEEPEST_CHAIN];   /* outermost first */
    const Effect *effects[DEEPEST_CHAIN]; /* the effect of the frame's function that led there */
    uint32_t count;
} Chain;

/* The frames of one function, outermost first, behind those that are there. */
static void add_frames(Chain *chain, const Effect *effect)
{
    uint32_t depth = 0;
    for (const Frame *at = effect->frame; at != NULL; at = at->outer)
        depth++;
    if (chain->count + depth > DEEPEST_CHAIN)
        return;
    chain->count += depth;
    uint32_t place = chain->count;
    for (const Frame *at = effect->frame; at != NULL; at = at->outer) {
        chain->frames[--place] = at;
        chain->effects[place] = effect;
    }
}

static const AstNodeData *frame_node(const Facts *facts, const Frame *frame)
{
    return ast_at(program_function_unit(facts->program, frame->function)->ast, frame->node);
}

static bool starts_team(const Facts *facts, const Frame *frame)
{
    const AstNodeData *data = frame_node(facts, frame);
    if (frame->kind == FRAME_LOOP)
        return data->value.loop.run == RUN_PARALLEL;
    return frame->kind == FRAME_THREADS ||
           (frame->kind == FRAME_REGION && data->op == REGION_PARALLEL);
}

static bool deals_out(const Facts *facts, const Frame *frame)
{
    uint8_t run = frame_node(facts, frame)->value.loop.run;
    return frame->kind == FRAME_LOOP && (run == RUN_PARALLEL || run == RUN_WORKSHARE);
}

static void read_region(Event *event, const AstNodeData *region)
{
    switch (region->op) {
    case REGION_CRITICAL:
    case REGION_ATOMIC:
    case REGION_ORDERED:
        event->locked = true;
        break;
    case REGION_SINGLE:
    case REGION_MASTER:
    case REGION_SECTION:
        event->once = true;
        break;
    case REGION_TASK: /* whoever makes it, any thread may run it */
        event->in_task = true;
        event->once = false;
        break;
    default:
        break;
    }
}

/* if match: return np.array([i]), if (found) { n++; break; }: the loop is left with it, so that it
 * happens at most once for each turn of what is around. */
static bool is_left(const Facts *facts, const Effect *effect, const Frame *loop)
{
    const Ast *ast = program_function_unit(facts->program, effect->function)->ast;
    for (AstNode up = effect->node; up != 0 && up != loop->node; up = ast_parent(ast, up)) {
        AstNode last = ast_kind(ast, up) == AST_BLOCK && !ast_leafless(ast, up) ? ast_first(ast, up)
                                                                                : up;
        for (AstNode next = last; last != up && next != 0; next = ast_next(ast, next))
            last = next;
        if (ast_leaves_loop(ast, last, loop->node))
            return true;
    }
    return false;
}

static void read_frame(const Facts *facts, Event *event, const Effect *effect, const Frame *frame)
{
    if (frame->kind == FRAME_BRANCH) {
        event->rare |= frame->rare;
        event->seldom |= frame->seldom;
    }
    if (frame->kind == FRAME_REGION)
        read_region(event, frame_node(facts, frame));
    if (frame->kind != FRAME_LOOP)
        return;
    if ((frame_node(facts, frame)->value.loop.flags & LOOP_TASKLOOP) != 0)
        event->once = false;
    if (deals_out(facts, frame) && event->dealt.node == 0) {
        event->dealt = (EventLoop){frame->function, frame->node};
        event->loop_count = 0;
        /* One thread makes a taskloop's tasks, all run them. And where a worksharing loop stands in
         * a master region, which no compiler takes, the threads are meant to share it. */
        if ((frame_node(facts, frame)->value.loop.flags & LOOP_TASKLOOP) != 0 ||
            frame_node(facts, frame)->value.loop.run == RUN_WORKSHARE)
            event->once = false;
    }
    bool dealt = event->dealt.node == frame->node && event->dealt.function == frame->function;
    if (!dealt && frame->function == effect->function && is_left(facts, effect, frame)) {
        event->ended = event->ended.node == 0 ? (EventLoop){frame->function, frame->node}
                                              : event->ended;
        return;
    }
    event->ended = (EventLoop){0, 0};
    if (event->loop_count < EVENT_LOOPS)
        event->loops[event->loop_count++] = (EventLoop){frame->function, frame->node};
}

/* False if the effect is not inside a construct of `root` that starts threads. */
static bool make_event(const Facts *facts, FunctionId root, const Effect *effect, Event *event)
{
    Chain chain = {.count = 0};
    bool seen = false;
    bool locked = false;
    *event = (Event){.effect = effect, .origin = effect_origin(effect), .root = root};
    for (const Effect *at = effect; at != NULL; at = at->via) {
        add_frames(&chain, at);
        locked |= (at->flags & EFFECT_LOCKED) != 0;
    }
    for (uint32_t i = 0; i < chain.count; i++) {
        const Frame *frame = chain.frames[i];
        if (!seen && frame->function == root && starts_team(facts, frame)) {
            seen = true;
            event->construct = frame->node;
        }
        if (seen)
            read_frame(facts, event, chain.effects[i], frame);
    }
    event->locked |= locked;
    return seen;
}

void events_collect(Facts *facts)
{
    for (FunctionId id = 1; id < facts->program->functions.count; id++) {
        const FunctionFacts *function = &facts->functions[id];
        for (uint32_t i = 0; function->parallel && i < function->effects.count; i++) {
            Event event;
            if (make_event(facts, id, function->effects.items[i], &event) &&
                !effect_never_runs(facts, event.effect))
                LIST_PUSH(facts->arena, &facts->events, event);
        }
    }
}

uint32_t facts_event_count(const Facts *facts)
{
    return facts->events.count;
}

const Event *facts_event(const Facts *facts, uint32_t index)
{
    return &facts->events.items[index];
}

Event event_of_loop(const Facts *facts, FunctionId function, AstNode loop)
{
    Effect *effect = arena_alloc(facts->arena, sizeof *effect);
    *effect = (Effect){.kind = EFFECT_CALL, .function = function, .node = loop};
    EventLoop dealt = {function, loop};
    return (Event){.effect = effect,
                   .origin = effect,
                   .root = function,
                   .construct = loop,
                   .dealt = dealt,
                   .loops = {dealt},
                   .loop_count = 1};
}

bool facts_reached(const Facts *facts, FunctionId function)
{
    return facts->functions[function].reached;
}

EventLoop event_cell(const Event *event)
{
    return event->loop_count > 0 ? event->loops[event->loop_count - 1] : (EventLoop){0, 0};
}

EventLoop event_loop_over(const Facts *facts, const Event *event, Sym sym)
{
    for (uint32_t i = 0; i < event->loop_count; i++) {
        EventLoop loop = event->loops[i];
        const Unit *unit = program_function_unit(facts->program, loop.function);
        AstNode target = loop_target(unit->ast, loop.node);
        bool dealt = loop.node == event->dealt.node && loop.function == event->dealt.function;
        if (!dealt && target != 0 && ast_kind(unit->ast, target) == AST_NAME &&
            sym_of(unit, ast_at(unit->ast, target)->symbol) == sym)
            return loop;
    }
    return (EventLoop){0, 0};
}

/* ---- sharing ---- */

bool event_covers(const Facts *facts, const Event *event, FunctionId function, AstNode inside)
{
    const Unit *unit = program_function_unit(facts->program, event->root);
    return function != event->root || ast_holds(unit->ast, event->construct, inside);
}

static bool is_name_of(const Facts *facts, const Unit *unit, AstNode node, Sym sym)
{
    return ast_kind(unit->ast, node) == AST_NAME && ast_at(unit->ast, node)->symbol != 0 &&
           sym_global(facts, unit, ast_at(unit->ast, node)->symbol) == sym;
}

static bool clause_names(const Facts *facts, const Unit *unit, AstNode construct, Sym sym)
{
    const Ast *ast = unit->ast;
    FOR_EACH_CHILD (ast, clause, construct) {
        if (ast_kind(ast, clause) != AST_CLAUSE)
            continue;
        uint8_t kind = ast_at(ast, clause)->op;
        if (kind != CLAUSE_PRIVATE && kind != CLAUSE_FIRSTPRIVATE && kind != CLAUSE_LASTPRIVATE &&
            kind != CLAUSE_LINEAR && kind != CLAUSE_REDUCTION && kind != CLAUSE_COPYIN)
            continue;
        FOR_EACH_NODE (ast, at, clause)
            if (is_name_of(facts, unit, at, sym))
                return true;
    }
    return false;
}

/* Induction variables of a dealt loop and of those that share its iteration space. */
static bool is_induction(const Facts *facts, const Unit *unit, AstNode loop, Sym sym)
{
    const Ast *ast = unit->ast;
    uint32_t levels = ast_at(ast, loop)->value.loop.collapse;
    levels = levels == 0 ? 1 : levels;
    FOR_EACH_NODE (ast, node, loop) {
        if (ast_kind(ast, node) != AST_LOOP)
            continue;
        if (is_name_of(facts, unit, loop_target(ast, node), sym))
            return true;
        if (--levels == 0)
            break;
    }
    return false;
}

/* Private by a clause or as induction variable, of any construct around the event. The clause may
 * stand in another file than the variable: reduction(+:energy), of extern double energy. */
static bool is_privatised(const Facts *facts, const Event *event, Sym sym)
{
    for (const Effect *effect = event->effect; effect != NULL; effect = effect->via) {
        const Unit *unit = program_function_unit(facts->program, effect->function);
        for (const Frame *frame = effect->frame; frame != NULL; frame = frame->outer) {
            if (frame->kind != FRAME_LOOP && frame->kind != FRAME_REGION)
                continue;
            if (clause_names(facts, unit, frame->node, sym))
                return true;
            if (frame->kind == FRAME_LOOP && deals_out(facts, frame) &&
                is_induction(facts, unit, frame->node, sym))
                return true;
        }
    }
    return false;
}

/* The loop that starts a thread in each of its turns; 0 for other constructs. */
static AstNode starting_loop(const Facts *facts, const Event *event)
{
    const Ast *ast = program_function_unit(facts->program, event->root)->ast;
    AstNode up = ast_kind(ast, event->construct) == AST_CALL ? event->construct : 0;
    while (up != 0 && ast_kind(ast, up) != AST_LOOP)
        up = ast_parent(ast, up);
    return up;
}

/* The call that starts one thread, the only one that the function starts. */
static bool is_only_start(const Facts *facts, const Event *event)
{
    const Unit *unit = program_function_unit(facts->program, event->root);
    if (ast_kind(unit->ast, event->construct) != AST_CALL || starting_loop(facts, event) != 0)
        return false;
    FOR_EACH_NODE (unit->ast, node, program_function_data(facts->program, event->root)->node)
        if (node != event->construct && start_is(facts, unit, node))
            return false;
    return true;
}

static int variable_shared(const Facts *facts, const Event *event, const Place *place)
{
    const AstSymbolData *data = sym_data(facts, place->sym);
    const Unit *unit = sym_unit(facts, place->sym);
    if (unit == NULL || (data->flags & SYMBOL_THREADPRIVATE) != 0)
        return 0;
    bool pointee = place->base == PLACE_POINTEE;
    if (is_privatised(facts, event, place->sym))
        return pointee ? -1 : 0;
    if (data->kind == SYMBOL_GLOBAL || data->kind == SYMBOL_STATIC)
        return 1;
    FunctionId owner = program_function(facts->program, unit, data->function);
    const Unit *root = program_function_unit(facts->program, event->root);
    if (owner != event->root)
        return pointee ? -1 : 0;
    if (data->kind == SYMBOL_LOCAL && data->decl != 0 &&
        ast_holds(root->ast, event->construct, data->decl))
        return pointee ? -1 : 0;
    if (root->language == LANGUAGE_PYTHON && place->count > 0 &&
        facts_written_within(facts, event->root, event->construct, (AstSymbol)place->sym))
        return 0;
    AstNode loop = pointee ? starting_loop(facts, event) : 0;
    if (pointee && data->kind == SYMBOL_PARAM && is_only_start(facts, event))
        return -1; /* begin(job) { pthread_create(…, job); }: each caller has a job of its own */
    if (loop != 0 && facts_written_within(facts, event->root, loop, (AstSymbol)place->sym))
        return -1; /* job = next_job(); pthread_create(…, job) */
    return 1;
}

int event_shared(const Facts *facts, const Event *event, const Place *place)
{
    for (uint8_t i = 0; i < place->count; i++)
        if (place->steps[i].kind == STEP_LOAD && i + 1 < place->count)
            return -1; /* a pointer that lies in memory may lead anywhere */
    AstNode loop = starting_loop(facts, event);
    switch (place->base) {
    case PLACE_ALLOCATION:
        if (loop != 0 && place->function == event->root &&
            ast_holds(program_function_unit(facts->program, event->root)->ast, loop, place->node))
            return 0; /* job = malloc(…); pthread_create(…, job) */
        return !event_covers(facts, event, place->function, place->node);
    case PLACE_VARIABLE:
    case PLACE_POINTEE:
        return variable_shared(facts, event, place);
    default:
        return -1;
    }
}

static bool is_in_loop(const Ast *ast, AstNode node)
{
    for (AstNode up = ast_parent(ast, node); up != 0; up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_LOOP)
            return true;
    return false;
}

/* The only call that can lead to the start of `started` through the function that holds it: the
 * caller of that function, or the one of its callers that passes `started` for the parameter that
 * it starts. unit NULL where there is none, *several where there is not one. */
static Caller only_caller(const Facts *facts, const Event *event, FunctionId started, bool *several)
{
    const Unit *root = program_function_unit(facts->program, event->root);
    AstSymbol parameter = start_parameter(facts, root, event->construct);
    const FunctionFacts *starter = &facts->functions[event->root];
    Caller only = {0};
    *several = false;
    for (uint32_t i = 0; i < starter->callers.count; i++) {
        Caller caller = starter->callers.items[i];
        if (parameter != 0) {
            AstNode passed = place_argument(facts, event->root, caller.unit, caller.call,
                                            root->ast->symbols.items[parameter].index);
            FunctionId named =
                passed == 0 ? 0 : program_function_named(facts->program, caller.unit, passed);
            if (named != 0 && named != started)
                continue;
        }
        *several |= only.unit != NULL;
        only = caller;
    }
    return only;
}

bool event_alone(const Facts *facts, const Event *event)
{
    const Unit *root = program_function_unit(facts->program, event->root);
    if (ast_kind(root->ast, event->construct) != AST_CALL || event->effect->via == NULL ||
        facts->functions[event->effect->via->function].starts.count != 1 ||
        is_in_loop(root->ast, event->construct))
        return false;
    bool several;
    Caller only = only_caller(facts, event, event->effect->via->function, &several);
    /* Nobody is seen to call it: once, as far as is known. */
    return only.unit == NULL || (!several && !is_in_loop(only.unit->ast, only.call));
}

bool event_distinguishes(const Facts *facts, const Event *event, Sym sym)
{
    if (sym == SYM_THREAD)
        return true;
    const Unit *unit = sym_unit(facts, sym);
    if (unit == NULL)
        return false;
    if (event->dealt.node != 0) {
        const Unit *dealt = program_function_unit(facts->program, event->dealt.function);
        return dealt == unit && is_induction(facts, dealt, event->dealt.node, sym);
    }
    /* for (w = 0; …) pthread_create(…, &job[w]), while (n > 0) pthread_create(…, &job[--n]) */
    const Unit *root = program_function_unit(facts->program, event->root);
    if (unit != root || ast_kind(root->ast, event->construct) != AST_CALL)
        return false;
    for (AstNode up = ast_parent(root->ast, event->construct); up != 0;
         up = ast_parent(root->ast, up)) {
        if (ast_kind(root->ast, up) == AST_LOOP &&
            (is_name_of(facts, root, loop_target(root->ast, up), sym) ||
             facts_written_within(facts, event->root, up, (AstSymbol)(uint32_t)sym)))
            return true;
    }
    return false;
}

bool event_index_varies(const Facts *facts, const Event *event, const Affine *index,
                        int64_t *coefficient)
{
    bool varies = false, several = false;
    *coefficient = 0;
    for (uint8_t i = 0; i < index->count; i++) {
        if (!event_distinguishes(facts, event, index->terms[i].sym))
            continue;
        varies = true;
        if (!index->terms[i].linear)
            continue; /* data that also depends on it: lane[t * 4 + (key[i] & 3)] */
        several |= *coefficient != 0;
        *coefficient = index->terms[i].coefficient;
    }
    *coefficient = several ? 0 : *coefficient;
    return varies;
}

EventCount event_count(const Facts *facts, const Event *event, bool *likely)
{
    const Place *place = &event->effect->place;
    EventCount count = EVENT_COUNT_NONE;
    *likely = false;
    for (uint8_t i = 0; i < place->count; i++) {
        const PlaceStep *step = &place->steps[i];
        int64_t coefficient;
        bool counted = step->container == CONTAINER_TYPED_LIST ||
                       step->container == CONTAINER_DICT || step->container == CONTAINER_LIST ||
                       (step->kind == STEP_FIELD && step->counted);
        if (!counted || !event_covers(facts, event, step->function, step->node))
            continue;
        bool varies = step->kind == STEP_INDEX &&
                      event_index_varies(facts, event, &step->index, &coefficient);
        count = varies ? EVENT_COUNT_PRIVATE : EVENT_COUNT_SHARED;
        *likely = step->likely;
        if (varies)
            break; /* what a list of the thread's own holds is its own */
    }
    if (count == EVENT_COUNT_SHARED && event_shared(facts, event, place) == 0)
        count = EVENT_COUNT_PRIVATE;
    return count;
}
