/* The effects of one function: its own, found by a walk in source order, and those of its callees,
 * in its own terms. */
#include "analyzer/facts/walker.h"

#include <string.h>

enum { MOST_EFFECTS = 65536, DEEPEST_TREE = 600 };

/* ---- frames ---- */

static void walk_each(Walker *walker, AstNode loop);

const Frame *walker_push(Walker *walker, FrameKind kind, AstNode node)
{
    Frame *frame = arena_alloc(walker->facts->arena, sizeof *frame);
    *frame = (Frame){
        .outer = walker->frame, .kind = (uint8_t)kind, .function = walker->function, .node = node};
    walker->frame = frame;
    return frame->outer;
}

static bool is_locked(const Walker *walker)
{
    if (walker->held > 0)
        return true;
    for (const Frame *frame = walker->frame; frame != NULL; frame = frame->outer) {
        uint8_t region = ast_at(walker->ast, frame->node)->op;
        if (frame->kind == FRAME_REGION &&
            (region == REGION_CRITICAL || region == REGION_ATOMIC || region == REGION_ORDERED))
            return true;
    }
    return false;
}

/* ---- branches ---- */

static void walk_part(Walker *walker, AstNode branch, AstNode part)
{
    if (part == 0 || ast_kind(walker->ast, part) == AST_NONE)
        return;
    const Frame *outer = walker_push(walker, FRAME_BRANCH, branch);
    Frame *frame = (Frame *)walker->frame;
    int held = walker->held;
    frame->part = part;
    frame->leaves = branch_leaves(walker->ast, part);
    frame->rare = branch_is_rare(walker->facts, walker->function, branch, part);
    frame->seldom = frame->rare ||
                    ((walker->parallel || walker->result->reached) &&
                     branch_is_seldom(walker->facts, walker->function, branch, part));
    walker_walk(walker, part);
    walker->frame = outer;
    walker->held = held;
}

/* The cases of a switch one after the other; a `default:` that tells of it is rare. */
static void walk_cases(Walker *walker, AstNode node)
{
    const Frame *outer = walker->frame;
    walker_walk(walker, ast_first(walker->ast, node));
    FOR_EACH_CHILD (walker->ast, part, ast_child(walker->ast, node, 1)) {
        if (default_is_rare(walker->facts, walker->function, node, part)) {
            walker_push(walker, FRAME_BRANCH, node);
            Frame *frame = (Frame *)walker->frame;
            frame->part = part;
            frame->rare = frame->seldom = true;
        }
        walker_walk(walker, part);
        walker->frame = outer;
    }
}

/* ---- emitting ---- */

Effect *walker_emit(Walker *walker, EffectKind kind, AstNode node)
{
    if (walker->plain && !walker->folding)
        return &walker->spare;
    if (walker->folding ? walker->folded >= MOST_FOLDED
                        : walker->result->effects.count >= MOST_EFFECTS)
        return &walker->spare;
    walker->folded += walker->folding;
    Effect *effect = arena_alloc(walker->facts->arena, sizeof *effect);
    *effect = (Effect){
        .kind = (uint8_t)kind, .function = walker->function, .node = node, .frame = walker->frame};
    effect->flags = is_locked(walker) ? EFFECT_LOCKED : 0;
    LIST_PUSH(walker->facts->arena, &walker->result->effects, effect);
    return effect;
}

/* ---- the walk
 * ---------------------------------------------------------------------------------------------------
 */

static void walk_children(Walker *walker, AstNode node)
{
    FOR_EACH_CHILD (walker->ast, child, node)
        walker_walk(walker, child);
}

/* C: the variable of a serial loop, where it lives on outside of it; node: the loop's target. */
static void note_loop_variable(Walker *walker, AstNode loop)
{
    const AstNodeData *data = ast_at(walker->ast, loop);
    AstNode target = loop_target(walker->ast, loop);
    if (walker->unit->language == LANGUAGE_PYTHON || data->op != LOOP_COUNTED ||
        data->value.loop.run != RUN_SERIAL || ast_kind(walker->ast, target) != AST_NAME)
        return;
    AstNode decl = walker->ast->symbols.items[ast_at(walker->ast, target)->symbol].decl;
    if (decl == 0 || !ast_holds(walker->ast, loop, decl))
        walker_store(walker, target, 0, OP_NONE, target);
}

/* The call of while (atomic_flag_test_and_set(&busy)); with nothing in it but a pause: a lock made
 * of an atomic. 0 if it is no such loop. */
static AstNode spinning_call(const Walker *walker, AstNode loop)
{
    const Ast *ast = walker->ast;
    AstNode body = loop_body(ast, loop);
    AstLoopForm form = (AstLoopForm)ast_at(ast, loop)->op;
    if ((form != LOOP_WHILE && form != LOOP_DO) || walker->unit->language == LANGUAGE_PYTHON)
        return 0;
    FOR_EACH_NODE (ast, node, body) {
        AstKind kind = ast_kind(ast, node);
        if (kind == AST_ASSIGN || kind == AST_BRANCH || kind == AST_BREAK || kind == AST_RETURN ||
            kind == AST_DECL)
            return 0;
    }
    FOR_EACH_NODE (ast, node, loop_limit(ast, loop)) {
        if (ast_kind(ast, node) != AST_CALL)
            continue;
        const char *name =
            intern_text(walker->facts->program->names, ast_at(ast, ast_first(ast, node))->name);
        int64_t taken;
        AstNode value = ast_child(ast, node, 2);
        if (strstr(name, "test_and_set") != NULL ||
            (strstr(name, "atomic_exchange") != NULL && value != 0 &&
             ast_constant(ast, value, &taken)))
            return node;
    }
    return 0;
}

static void walk_spin(Walker *walker, AstNode call)
{
    Effect *effect = walker_emit(walker, EFFECT_LOCK, call);
    effect->place = place_behind(walker->facts, walker->function, ast_child(walker->ast, call, 1));
    walker->held++;
    walker->spins++;
}

static void walk_loop(Walker *walker, AstNode loop)
{
    const AstNodeData *data = ast_at(walker->ast, loop);
    AstNode spin = spinning_call(walker, loop);
    if (data->value.loop.run == RUN_OFFLOAD)
        return;
    if (spin != 0) {
        walk_spin(walker, spin);
        return;
    }
    if (data->value.loop.run == RUN_PARALLEL && walker->unit->language != LANGUAGE_PYTHON)
        walker_emit(walker, EFFECT_LAUNCH, loop);
    walker_walk(walker, loop_start(walker->ast, loop));
    if (data->op == LOOP_COUNTED)
        walker_walk(walker, loop_limit(walker->ast, loop));
    note_loop_variable(walker, loop);
    const Frame *outer = walker_push(walker, FRAME_LOOP, loop);
    bool parallel = walker->parallel;
    int held = walker->held;
    walker->parallel |= ast_is_construct(walker->ast, loop);
    if (data->op == LOOP_EACH)
        walk_each(walker, loop);
    if (data->op != LOOP_COUNTED) {
        walker_walk(walker, loop_limit(walker->ast, loop));
        walker_walk(walker, loop_step(walker->ast, loop));
    }
    walker_walk(walker, loop_body(walker->ast, loop));
    walker->parallel = parallel;
    walker->frame = outer;
    walker->held = held;
}

static void walk_region(Walker *walker, AstNode region)
{
    uint8_t kind = ast_at(walker->ast, region)->op;
    if (kind == REGION_OFFLOAD)
        return;
    if (kind == REGION_CRITICAL || kind == REGION_ORDERED)
        walker_emit(walker, EFFECT_LOCK, region);
    if (kind == REGION_PARALLEL)
        walker_emit(walker, EFFECT_LAUNCH, region);
    const Frame *outer = walker_push(walker, FRAME_REGION, region);
    bool parallel = walker->parallel;
    walker->parallel |= ast_is_construct(walker->ast, region);
    AstNode body = ast_first(walker->ast, region);
    if (body != 0)
        walker_walk(walker, body);
    walker->parallel = parallel;
    walker->frame = outer;
}

static void walk_assign(Walker *walker, AstNode assign)
{
    const Ast *ast = walker->ast;
    AstNode target = ast_first(ast, assign), value = ast_child(ast, assign, 1);
    AstOp op = (AstOp)ast_at(ast, assign)->op;
    walker_walk(walker, value);
    if (ast_kind(ast, target) == AST_TUPLE || ast_kind(ast, target) == AST_LIST) {
        FOR_EACH_CHILD (ast, item, target)
            walker_store(walker, item, 0, OP_NONE, assign);
        return;
    }
    if (ast_kind(ast, target) ==
        AST_INDEX) /* what it is indexed with, not the view that it would be */
        walk_children(walker, target);
    else if (ast_kind(ast, target) != AST_NAME)
        walk_children(walker, target);
    walker_store(walker, target, value, op, assign);
    if (walker->unit->language == LANGUAGE_PYTHON && op == OP_NONE)
        walker_put(walker, target, assign);
}

static void emit_view(Walker *walker, AstNode node, Place place, ViewUse use)
{
    if (walker_interpreted(walker))
        return;
    ViewUse *kept = arena_alloc(walker->facts->arena, sizeof *kept);
    *kept = use;
    Effect *effect = walker_emit(walker, EFFECT_VIEW, node);
    effect->place = place;
    effect->view = kept;
}

/* Nothing in the index, nor the list, changes inside the prange loop that this function holds. */
static bool is_hoisted_index(const Walker *walker, AstNode index)
{
    const Frame *prange = walker_prange(walker);
    if (prange == NULL)
        return false;
    FOR_EACH_NODE (walker->ast, at, index) {
        AstSymbol symbol = ast_kind(walker->ast, at) == AST_NAME ? ast_at(walker->ast, at)->symbol
                                                                 : 0;
        if (symbol != 0 && walker_assigned_within(walker->ast, prange->node, symbol))
            return false;
    }
    return true;
}

static void walk_index(Walker *walker, AstNode index)
{
    ViewUse use;
    walk_children(walker, index);
    if (facts_copies(walker->facts, walker->unit, index)) {
        walker_array_expression(walker, index);
        return;
    }
    if (walker->unit->language != LANGUAGE_PYTHON ||
        !view_classify(walker->facts, walker->function, index, &use))
        return;
    if (use.element && use.consumer == index && is_hoisted_index(walker, index))
        return; /* read in place with a fixed index: numba moves the element out of the loop that
                   stands here */
    emit_view(walker, index, place_behind(walker->facts, walker->function, index), use);
}

/* for row in rows: every turn fetches an element. */
static void walk_each(Walker *walker, AstNode loop)
{
    AstNode iterable = loop_start(walker->ast, loop);
    bool likely;
    Shape shape = shape_of(walker->facts, walker->function, iterable);
    if (walker->unit->language != LANGUAGE_PYTHON ||
        shape_container(shape, &likely) != CONTAINER_TYPED_LIST || likely ||
        (shape.depth < 2 && (shape.element_kinds & SHAPE_ARRAY) == 0))
        return;
    AstNode target = loop_target(walker->ast, loop);
    ViewUse use = {.survival = SURVIVES_EVERYWHERE,
                   .pairs = 2,
                   .consumer = loop,
                   .element = true,
                   .stays = {"all", TARGETS_ALL},
                   .reason = "every access to an element of a typed list counts it"};
    Place place = ast_kind(walker->ast, target) == AST_NAME
                      ? place_behind(walker->facts, walker->function, target)
                      : place_behind(walker->facts, walker->function, iterable);
    emit_view(walker, iterable, place, use);
}

static void walk_node(Walker *walker, AstNode node)
{
    const Ast *ast = walker->ast;
    bool python = walker->unit->language == LANGUAGE_PYTHON;
    switch (ast_kind(ast, node)) {
    case AST_NONE:
    case AST_FUNCTION:
    case AST_LAMBDA:
    case AST_CLASS:
    case AST_CLAUSE:
        return;
    case AST_LOOP:
        walk_loop(walker, node);
        return;
    case AST_REGION:
        walk_region(walker, node);
        return;
    case AST_BRANCH:
    case AST_CONDITIONAL:
        walker_walk(walker, ast_first(ast, node));
        walk_part(walker, node, ast_child(ast, node, 1));
        walk_part(walker, node, ast_child(ast, node, 2));
        return;
    case AST_SWITCH:
        if (ast_kind(walker->ast, ast_child(walker->ast, node, 1)) == AST_BLOCK)
            walk_cases(walker, node);
        else
            walk_children(walker, node);
        return;
    case AST_LOGIC: /* a && f(): f under the condition a */
        walker_walk(walker, ast_first(ast, node));
        walk_part(walker, node, ast_child(ast, node, 1));
        return;
    case AST_TRY:
        FOR_EACH_CHILD (ast, part, node)
            if (branch_handles_error(ast, node, part))
                walk_part(walker, node, part);
            else
                walker_walk(walker, part);
        return;
    case AST_CALL:
        walker_call(walker, node);
        return;
    case AST_RAISE:
    case AST_ASSERT:
        walk_children(walker, node);
        if (python)
            walker_emit(walker, EFFECT_RAISE, node);
        return;
    case AST_ASSIGN:
        walk_assign(walker, node);
        return;
    case AST_DELETE:
        walk_children(walker, node);
        if (python)
            walker_delete(walker, node);
        return;
    case AST_INDEX:
        walk_index(walker, node);
        return;
    case AST_BINARY:
    case AST_COMPARE:
        walk_children(walker, node);
        if (python)
            walker_array_expression(walker, node);
        return;
    case AST_LIST:
    case AST_DICT:
    case AST_SET:
    case AST_COMPREHENSION:
        walk_children(walker, node);
        if (python)
            walker_display(walker, node);
        return;
    default:
        walk_children(walker, node);
    }
}

void walker_walk(Walker *walker, AstNode node)
{
    if (node == 0 || walker->depth > DEEPEST_TREE)
        return;
    walker->depth++;
    walk_node(walker, node);
    walker->depth--;
}

void effects_collect(Facts *facts, FunctionId function)
{
    const Unit *unit = program_function_unit(facts->program, function);
    const AstFunctionData *data = program_function_data(facts->program, function);
    bool python = unit->language == LANGUAGE_PYTHON;
    bool plain = python && (data->flags & FN_COMPILED) == 0;
    if ((python && (data->flags & (FN_UFUNC | FN_OFFLOAD | FN_INTRINSIC)) != 0) ||
        (plain && !facts->functions[function].parallel))
        return;
    Walker walker = {.facts = facts, .unit = unit, .ast = unit->ast, .function = function};
    walker.plain = plain;
    walker.copies = map_new(facts->arena);
    walker.result = &facts->functions[function];
    walker_walk(&walker, ast_first(unit->ast, data->node));
    walker.result->lock_balance = walker.held;
}
