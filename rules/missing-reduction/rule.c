/* Shared scalars and fixed elements that all threads accumulate into with nothing to protect them.
 */
#include "analyzer/pass.h"

static bool is_python(const Pass *pass, FunctionId function)
{
    return program_function_unit(pass->program, function)->language == LANGUAGE_PYTHON;
}

static const Ast *ast_of(const Pass *pass, FunctionId function)
{
    return program_function_unit(pass->program, function)->ast;
}

/* rand_r(&seed) */
static bool is_call(const Pass *pass, const Effect *origin)
{
    return ast_kind(ast_of(pass, origin->function), origin->node) == AST_CALL;
}

/* What the assignment stores to, or what the call is given to work on. */
static AstNode target_of(const Pass *pass, const Effect *origin)
{
    const Ast *ast = ast_of(pass, origin->function);
    if (!is_call(pass, origin))
        return ast_first(ast, origin->node);
    AstNode target = ast_child(ast, origin->node, 1);
    while (ast_kind(ast, target) == AST_CAST || ast_kind(ast, target) == AST_ADDRESS)
        target = ast_first(ast, target);
    return target;
}

static bool has_kind(const Place *place, StepKind kind)
{
    for (uint8_t i = 0; i < place->count; i++)
        if (place->steps[i].kind == kind)
            return true;
    return false;
}

/* hist[key]++: counting is done to meet; a[perm[i]] += x may be a permutation, and *cell -= 1 of a
 * real number shifts it. */
static bool is_counting(const Pass *pass, const Effect *origin)
{
    const Ast *ast = ast_of(pass, origin->function);
    int64_t value;
    AstNode added = ast_child(ast, origin->node, 1);
    if (ast_kind(ast, origin->node) != AST_ASSIGN || !ast_constant(ast, added, &value) ||
        value != 1)
        return false;
    const AstTypeData *type = &ast->types.items[ast_at(ast, target_of(pass, origin))->type];
    return ast_at(ast, origin->node)->op == OP_ADD || type->kind != TYPE_REAL;
}

/* One branch's arm holds both, so that where the second runs the first does too. */
static bool in_same_arm(const Ast *ast, AstNode branch, AstNode first, AstNode second)
{
    FOR_EACH_CHILD (ast, arm, branch)
        if (ast_holds(ast, arm, first))
            return ast_holds(ast, arm, second);
    return false;
}

/* The same variable, or, in front of `at`, the same element. */
static bool sets_target(const Ast *ast, AstNode assign, AstNode target, AstNode at)
{
    AstNode other = ast_first(ast, assign);
    if (ast_kind(ast, assign) != AST_ASSIGN || ast_at(ast, assign)->op != OP_NONE || assign == at)
        return false;
    if (ast_kind(ast, target) != AST_NAME)
        return assign < at && ast_same(ast, other, target);
    return ast_kind(ast, other) == AST_NAME &&
           ast_at(ast, other)->symbol == ast_at(ast, target)->symbol;
}

/* The variable is set anew in each iteration: a scratch variable, if anything, but no accumulator.
 * So is an element that data pick. */
static bool is_reset(const Pass *pass, const Event *event, bool element)
{
    const Effect *origin = event->origin;
    const Ast *ast = ast_of(pass, origin->function);
    AstNode part = event_part(pass->facts, event);
    AstNode body = event->dealt.node != 0 && event->dealt.function == origin->function
                       ? event->dealt.node
                   : event->root == origin->function ? (part != 0 ? part : event->construct)
                                                     : 0;
    AstNode target = target_of(pass, origin);
    if (body == 0 || target == 0 || ast_kind(ast, target) != (element ? AST_INDEX : AST_NAME))
        return false;
    FOR_EACH_NODE (ast, node, body) {
        if (!sets_target(ast, node, target, origin->node))
            continue;
        bool conditional = false, combines = false;
        for (AstNode up = ast_parent(ast, node); up > body; up = ast_parent(ast, up))
            conditional |= ast_kind(ast, up) == AST_BRANCH &&
                           !in_same_arm(ast, up, node, origin->node);
        FOR_EACH_NODE (ast, same, ast_child(ast, node, 1))
            combines |= ast_kind(ast, same) == ast_kind(ast, target) && ast_same(ast, same, target);
        if (!conditional && !combines)
            return true;
    }
    return false;
}

static bool is_loop_step(const Pass *pass, const Effect *origin)
{
    const Ast *ast = ast_of(pass, origin->function);
    AstNode parent = ast_parent(ast, origin->node);
    while (ast_kind(ast, parent) == AST_EXPR || ast_kind(ast, parent) == AST_COMMA)
        parent = ast_parent(ast, parent);
    return ast_kind(ast, parent) == AST_LOOP &&
           !ast_holds(ast, loop_body(ast, parent), origin->node);
}

static bool is_atomic_type(const Pass *pass, const Effect *origin)
{
    const Ast *ast = ast_of(pass, origin->function);
    AstNode target = target_of(pass, origin);
    const AstNodeData *data = ast_at(ast, target);
    return (ast->symbols.items[data->symbol].flags & SYMBOL_ATOMIC) != 0 ||
           (ast->types.items[data->type].flags & TYPE_ATOMIC) != 0;
}

/* numba recognises these itself: s += e, s = max(s, e), and a whole array a += e. */
static bool is_recognised(const Effect *origin, const Effect *effect)
{
    return effect->place.count == 0 && origin->kind == EFFECT_ACCUMULATE;
}

static bool holds_comparison(const Pass *pass, const Event *event, const Frame *branch)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *other = facts_event(pass->facts, i);
        if (other->root == event->root && other->effect->frame == branch &&
            (other->effect->flags & EFFECT_COMPARED) != 0)
            return true;
    }
    return false;
}

/* numba: found = True under a condition, with found = False in front of the loop and a use behind
 * it. Each iteration has a copy of its own, and the variable keeps what it had. The place of a
 * maximum is told at the maximum. */
static bool is_flag(const Pass *pass, const Event *event)
{
    const Effect *effect = event->effect;
    const Frame *branch = effect->frame;
    if (effect->kind != EFFECT_WRITE || effect->via != NULL || effect->place.count > 0 ||
        branch == NULL || branch->kind != FRAME_BRANCH || !is_python(pass, event->root))
        return false;
    const Ast *ast = ast_of(pass, event->root);
    AstNode target = target_of(pass, effect),
            function = program_function_data(pass->program, event->root)->node;
    if (target == 0 || ast_kind(ast, target) != AST_NAME || holds_comparison(pass, event, branch))
        return false;
    bool before = false, behind = false;
    FOR_EACH_NODE (ast, node, function) {
        if (ast_kind(ast, node) != AST_NAME ||
            ast_at(ast, node)->symbol != ast_at(ast, target)->symbol)
            continue;
        AstNode parent = ast_parent(ast, node);
        bool set = ast_kind(ast, parent) == AST_ASSIGN && ast_first(ast, parent) == node;
        before |= set && node < event->construct;
        behind |= !set && node >= ast_end(ast, event->construct);
        if (ast_holds(ast, event->construct, node) && !set)
            return false; /* also read in the loop: another kind of fault, or a scratch variable */
    }
    return before && behind;
}

/* A list or dict of all threads that grows or shrinks: no update, but the same fault. */
static bool resizes(const Pass *pass, const Event *event)
{
    const Effect *effect = event->effect;
    return effect->kind == EFFECT_RESIZE && !event->locked && !event->once &&
           event->dealt.node != 0 && !has_kind(&effect->place, STEP_FIELD) &&
           event_shared(pass->facts, event, &effect->place) == 1 &&
           event_meeting(pass->facts, event) == MEET_ALWAYS;
}

/* Tasks that a loop makes one after the other, with nothing that makes them wait for each other
 * (depend, if, taskwait), and with the variable in their shared clause. */
static bool is_raced_by_tasks(const Pass *pass, const Event *event)
{
    const Effect *effect = event->effect;
    const Ast *ast = ast_of(pass, effect->function);
    const Frame *task = effect->frame, *loop;
    while (task != NULL &&
           (task->kind != FRAME_REGION || ast_at(ast, task->node)->op != REGION_TASK))
        task = task->outer;
    if (task == NULL || effect->via != NULL || effect->place.count > 0)
        return false;
    bool shared = false;
    FOR_EACH_CHILD (ast, clause, task->node) {
        uint8_t kind = ast_at(ast, clause)->op;
        if (ast_kind(ast, clause) != AST_CLAUSE)
            continue;
        if (kind == CLAUSE_IF || kind == CLAUSE_OTHER)
            return false;
        FOR_EACH_NODE (ast, name, clause)
            shared |= kind == CLAUSE_SHARED && ast_kind(ast, name) == AST_NAME &&
                      ast_at(ast, name)->symbol == (AstSymbol)effect->place.sym;
    }
    for (loop = task->outer; loop != NULL && loop->kind != FRAME_LOOP; loop = loop->outer)
        if (loop->node == event->construct)
            return false;
    if (!shared || loop == NULL || !ast_holds(ast, event->construct, loop->node))
        return false;
    FOR_EACH_NODE (ast, node, loop->node)
        if (ast_kind(ast, node) == AST_REGION &&
            (ast_at(ast, node)->op == REGION_TASKWAIT || ast_at(ast, node)->op == REGION_BARRIER))
            return false;
    return true;
}

static bool meets_task(const Pass *pass, const Event *event)
{
    return is_raced_by_tasks(pass, event) || event_has_peer(pass->facts, event);
}

/* One thread runs it, and no other function that is started updates the same place. */
static bool is_unmatched(const Pass *pass, const Event *event)
{
    if (!event_alone(pass->facts, event))
        return false;
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *other = facts_event(pass->facts, i);
        bool writes = other->effect->kind == EFFECT_ACCUMULATE ||
                      other->effect->kind == EFFECT_WRITE || other->effect->kind == EFFECT_ATOMIC;
        bool apart = other->construct != event->construct ||
                     (other->effect->via != NULL &&
                      other->effect->via->function != event->effect->via->function);
        if (other->root == event->root && apart && writes &&
            place_same(&other->effect->place, &event->effect->place))
            return false;
    }
    return true;
}

/* flags |= DONE, mask &= ~BUSY: the same bits whoever sets them, and however often. Other bits of
 * the same place, or sums of it, make it an update that can be lost. */
static bool sets_same_bits(const Pass *pass, const Event *event)
{
    const Effect *origin = event->origin;
    const Ast *ast = ast_of(pass, origin->function);
    AstNode value = ast_child(ast, origin->node, 1);
    int64_t bits, others;
    if (origin->kind != EFFECT_ACCUMULATE || (origin->op != OP_OR && origin->op != OP_AND) ||
        ast_kind(ast, origin->node) != AST_ASSIGN || !ast_constant(ast, value, &bits))
        return false;
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *other = facts_event(pass->facts, i);
        const Effect *its = other->origin;
        if (other->root != event->root || other->construct != event->construct ||
            (its->kind != EFFECT_ACCUMULATE && its->kind != EFFECT_WRITE) ||
            !place_same(&other->effect->place, &event->effect->place))
            continue;
        const Ast *there = ast_of(pass, its->function);
        if (its->op != origin->op || ast_kind(there, its->node) != AST_ASSIGN ||
            !ast_constant(there, ast_child(there, its->node, 1), &others) || others != bits)
            return false;
    }
    return true;
}

/* The part of a[k] or a[k].x that picks the element; 0 none. */
static AstNode key_of(const Pass *pass, const Effect *origin)
{
    const Ast *ast = ast_of(pass, origin->function);
    AstNode target = ast_kind(ast, origin->node) == AST_ASSIGN ? ast_first(ast, origin->node) : 0;
    while (ast_kind(ast, target) == AST_FIELD)
        target = ast_first(ast, target);
    return ast_kind(ast, target) == AST_INDEX ? ast_child(ast, target, 1) : 0;
}

/* The same element, or one that the same key is part of the index of. */
static bool has_key(const Ast *ast, AstNode index, AstNode key)
{
    FOR_EACH_NODE (ast, node, index)
        if (ast_kind(ast, node) == ast_kind(ast, key) && ast_same(ast, node, key))
            return true;
    return false;
}

/* members[k]++ beside sum[k] += x: iterations are counted by what picks the element, so that they
 * meet there. So they do where another update of the element is atomic. */
static bool is_met_beside(const Pass *pass, const Event *event)
{
    const Effect *origin = event->origin;
    const Ast *ast = ast_of(pass, origin->function);
    AstNode own = key_of(pass, origin);
    for (uint32_t i = 0; own != 0 && i < facts_event_count(pass->facts); i++) {
        const Event *other = facts_event(pass->facts, i);
        const Effect *its = other->origin;
        if (other->root != event->root || other->construct != event->construct ||
            its->function != origin->function || its->node == origin->node ||
            (its->kind != EFFECT_ACCUMULATE && its->kind != EFFECT_ATOMIC))
            continue;
        AstNode key = key_of(pass, its);
        bool counts = key != 0 && is_counting(pass, its) && has_key(ast, own, key) &&
                      event_meeting(pass->facts, other) == MEET_SOMETIMES;
        if (counts || (key != 0 && other->locked &&
                       ast_same(ast, ast_first(ast, its->node), ast_first(ast, origin->node))))
            return true;
    }
    return false;
}

/* Data pick the element: may two iterations come to the same one? */
static bool meets_by_data(const Pass *pass, const Event *event)
{
    return is_python(pass, event->origin->function) || is_counting(pass, event->origin) ||
           event_crowded(pass->facts, event) || is_met_beside(pass, event);
}

static bool concerns(const Pass *pass, const Event *event)
{
    const Effect *effect = event->effect, *origin = event->origin;
    bool updates = effect->kind == EFFECT_ACCUMULATE ||
                   (effect->kind == EFFECT_WRITE &&
                    (origin->flags & (EFFECT_COMPARED | EFFECT_SETTLED)) == EFFECT_COMPARED) ||
                   is_flag(pass, event);
    if (!updates || event->locked || event->rare || (event->in_task && !meets_task(pass, event)) ||
        (event->once && !event_has_peer(pass->facts, event)))
        return false;
    if (event_shared(pass->facts, event, &effect->place) != 1 || is_loop_step(pass, origin) ||
        is_reset(pass, event, false) || is_unmatched(pass, event) || sets_same_bits(pass, event))
        return false;
    bool python = is_python(pass, origin->function);
    if (!python && is_atomic_type(pass, origin))
        return false;
    if ((program_function_data(pass->program, origin->function)->flags & FN_ATOMIC_UPDATES) != 0)
        return false;
    if (python && is_recognised(origin, effect))
        return false;
    if (python && event->dealt.node == 0)
        return false;
    Meeting meeting = event_meeting(pass->facts, event);
    return meeting == MEET_ALWAYS || (meeting == MEET_SOMETIMES && meets_by_data(pass, event) &&
                                      !is_reset(pass, event, true));
}

/* A scalar of the function that holds the directive: reduction(op:var) behind it. */
static void offer_clause(const Pass *pass, const Event *event, Finding *finding)
{
    bool dealt = event->dealt.node != 0;
    AstNode directive = dealt ? event->dealt.node : event->construct;
    FunctionId function = dealt ? event->dealt.function : event->root;
    const Place *place = &event->effect->place;
    if (place->count > 0 || place->base != PLACE_VARIABLE || function != event->root ||
        (!dealt && event_part(pass->facts, event) != 0) ||
        ast_kind(ast_of(pass, function), directive) == AST_CALL)
        return;
    AstSymbol symbol = (AstSymbol)(uint32_t)place->sym;
    bool here = event->effect->via == NULL &&
                sym_unit(pass->facts, place->sym) == program_function_unit(pass->program, function);
    const char *sure = here ? clause_reduction(pass->facts, function, directive, symbol) : NULL;
    const char *op = sure != NULL ? sure : clause_operator(pass->facts, event->origin);
    if (op == NULL)
        return;
    Fix fix = {.description = arena_printf(pass->arena, "add reduction(%s:%s) to the directive", op,
                                           sym_name(pass->facts, place->sym))};
    const char *open = arena_printf(pass->arena, "reduction(%s:", op);
    ClauseRegions guards = {0}; /* of other updates of it: what is protected needs no more of it */
    fix.safe = sure != NULL &&
               clause_guards(pass->facts, pass->arena, function, directive, symbol, &guards) &&
               edit_clause(pass_edits(pass, function), &fix, directive, open, symbol, true);
    for (uint32_t i = 0; fix.safe && i < guards.count; i++)
        fix.safe = edit_remove(pass_edits(pass, function), &fix, guards.items[i]);
    fix.edits.count = fix.safe ? fix.edits.count : 0;
    LIST_PUSH(pass->arena, &finding->fixes, fix);
}

static const char *target_text(const Pass *pass, const Event *event)
{
    AstNode target = target_of(pass, event->origin);
    return target == 0 ? "a shared variable" : pass_text(pass, event->origin->function, target);
}

/* What a function found, j, k = pair_of(i): only it knows whether others find the same. */
static bool is_found(const Pass *pass, const Affine *index)
{
    for (uint8_t i = 0; i < index->count; i++) {
        Sym sym = index->terms[i].sym;
        if (sym_data(pass->facts, sym)->kind == SYMBOL_LOCAL &&
            facts_loop_of(pass->facts, sym) == 0)
            return true;
    }
    return false;
}

/* rows[f, d] += x, f from an array of indices or found by a function: a race, unless they are all
 * different, which only their maker knows. */
static bool is_scatter(const Pass *pass, const Event *event)
{
    const Place *place = &event->effect->place;
    bool data = false, inner = false;
    for (uint8_t i = 0; i < place->count; i++) {
        const PlaceStep *step = &place->steps[i];
        bool found = step->kind == STEP_INDEX &&
                     (step->index.loaded || is_found(pass, &step->index));
        data |= found;
        inner |= !found && (step->kind == STEP_SLICE || step->kind == STEP_INDEX);
    }
    return data && inner && event_meeting(pass->facts, event) == MEET_SOMETIMES &&
           is_python(pass, event->origin->function) && !is_counting(pass, event->origin);
}

/* Bytes that the updates go to: of an array of unknown size as many as are said or assumed of one.
 */
static double bytes_of(const Pass *pass, const Event *event, Finding *finding)
{
    int64_t extent = event_extent(pass->facts, event);
    if (extent >= 0)
        return (double)extent;
    const Unit *unit = program_function_unit(pass->program, event->origin->function);
    AstNode array = ast_first(unit->ast, event->origin->node);
    while (ast_kind(unit->ast, array) == AST_INDEX)
        array = ast_first(unit->ast, array);
    return sizeof(double) * work_length(pass->work, pass->arena, unit, array, &finding->assumed);
}

/* Where else the updates stand that meet this one; NULL where that is the same code. */
static const char *in_parts(const Pass *pass, const Event *event)
{
    AstNode part = event_part(pass->facts, event);
    if (part == 0 || is_raced_by_tasks(pass, event) || event->dealt.node != 0)
        return NULL;
    return ast_at(ast_of(pass, event->root), part)->op == REGION_SECTION ? "in several sections"
                                                                         : "in several tasks";
}

static const char *message_of(const Pass *pass, const Event *event, const char *name,
                              const char *how_often)
{
    int64_t pair[2];
    if (event_witness(pass->facts, event, pair))
        return arena_printf(
            pass->arena,
            "%s is updated %s with no atomic or lock, and different threads come to the same "
            "element, %s %lld and %lld for example: updates are lost",
            name, how_often, event->dealt.node != 0 ? "iterations" : "threads", (long long)pair[0],
            (long long)pair[1]);
    if (is_call(pass, event->origin))
        return arena_printf(pass->arena,
                            "%s is shared, and all threads move it on %s: they get the same "
                            "numbers, and its cache line moves between them",
                            name, how_often);
    return arena_printf(pass->arena,
                        "%s is shared and updated %s with no reduction, atomic or lock%s: updates "
                        "are lost, and its cache line moves between the threads",
                        name, how_often,
                        is_python(pass, event->origin->function) ? " that numba would recognise"
                                                                 : "");
}

/* `parts`: what the team is divided into, where that is no iterations; NULL: iterations. */
static void offer_fixes(Pass *pass, const Event *event, const char *parts, Finding *finding)
{
    const char *advice = parts == NULL
                             ? "accumulate into a local of the thread and merge it once, or use a "
                               "reduction clause"
                             : "accumulate into a local and add it in one atomic update, or make "
                               "one wait for the other";
    if (is_python(pass, event->origin->function))
        advice = "use a form that numba recognises (s += e, s = max(s, e)), or a row of partial "
                 "results per chunk that is merged after the loop";
    else if (is_call(pass, event->origin))
        advice = "give every thread a state of its own, on a cache line of its own, that begins "
                 "with the thread's number";
    else
        offer_clause(pass, event, finding);
    if (finding->fixes.count == 0)
        LIST_PUSH(pass->arena, &finding->fixes, (Fix){.description = advice});
}

static void report(Pass *pass, const Event *event)
{
    const Effect *origin = event->origin;
    Finding finding = pass_finding(pass, event, origin->function, origin->node, origin->node);
    const char *name = target_text(pass, event);
    finding.shared = true;
    finding.exposure.sharing = SHARING_ALL;
    finding.exposure.bytes = bytes_of(pass, event, &finding);
    Promotion promotion = event_extent(pass->facts, event) == 0
                              ? event_promotion(pass->facts, event)
                              : (Promotion){0};
    finding.exposure.access = ACCESS_UPDATE;
    pass_promote(pass, promotion, &finding.exposure);
    finding.what = arena_printf(pass->arena, "update of %s", name);
    const char *loops = pass_loops(pass, &finding);
    const char *parts = in_parts(pass, event);
    const char *how_often = parts != NULL ? parts
                            : finding.loops.count > 0
                                ? arena_printf(pass->arena, "once per %s of %s", finding.per, loops)
                                : "once per thread";
    finding.message = message_of(pass, event, name, how_often);
    finding.portability = NULL;
    if (promotion.whole)
        finding.unless = arena_printf(pass->arena, "the compiler keeps %s in a register", name);
    finding.note_only = is_scatter(pass, event);
    pass_cause_statics(pass, event, name, &finding);
    finding.cause.follows = true;
    offer_fixes(pass, event, parts, &finding);
    pass_add(pass, &finding);
}

/* A put into a typed dict takes 35 ns on one thread. */
#define RESIZE_NS 35.0

static void report_resize(Pass *pass, const Event *event)
{
    const Effect *origin = event->origin;
    Finding finding = pass_finding(pass, event, origin->function, origin->node, origin->node);
    finding.shared = true;
    finding.exposure.sharing = SHARING_ALL;
    finding.exposure.access = ACCESS_UPDATE;
    finding.exposure.work_ns += RESIZE_NS;
    finding.what =
        arena_printf(pass->arena, "change of %s", sym_name(pass->facts, event->effect->place.sym));
    finding.message = arena_printf(
        pass->arena,
        "%s changes a container of all threads, once per %s of %s: numba's lists and dicts take no "
        "lock, so that entries are lost and the process crashes",
        pass_text(pass, origin->function, origin->node), finding.per, pass_loops(pass, &finding));
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = "write to an array by index, or give every chunk a container of "
                                   "its own and merge them after the loop; a change that is the "
                                   "same for all iterations goes in front of it"});
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *event = facts_event(pass->facts, i);
        if (concerns(pass, event))
            report(pass, event);
        else if (resizes(pass, event))
            report_resize(pass, event);
    }
}

const Rule rule_missing_reduction = {
    .id = "missing-reduction",
    .summary = "a shared accumulator is updated by several threads without a reduction",
    .help = "Two threads that read, add and write back the same variable lose each other's "
            "updates, and the cache line "
            "it lies in moves between cores each time. A reduction gives every thread its own copy "
            "and merges them once.",
    .severity = SEVERITY_ERROR,
    .check = check,
    .predict = predict_race,
};
