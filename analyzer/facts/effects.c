/* The effects of one function: its own, found by a walk in source order, and those of its callees,
 * in its own terms. */
#include "analyzer/facts/library.h"
#include "analyzer/facts/start.h"

#include <string.h>

enum {
    MOST_EFFECTS = 65536,
    MOST_FOLDED = 8192,
    MOST_COPIES = 6 /* of one effect, by different calls */,
    DEEPEST_TREE = 600
};

typedef struct Walker {
    Facts *facts;
    const Unit *unit;
    const Ast *ast;
    FunctionId function;
    FunctionFacts *result;
    const Frame *frame;
    bool parallel; /* a frame of this function starts threads or deals out iterations */
    int held;      /* locks held here */
    int spins;     /* of them, those made of atomics: a plain atomic store gives them back */
    int depth;
    AstNode target; /* of the assignment that is looked at */
    bool plain;     /* not compiled: only what it starts on threads is looked at */
    bool folding;   /* repeating a callee's effects: they must not crowd out the function's own */
    uint32_t folded;
    Map copies;   /* origin of a repeated effect -> how often it is here */
    Effect spare; /* takes what is written to an effect past MOST_EFFECTS */
} Walker;

static void walk(Walker *walker, AstNode node);
static void walk_each(Walker *walker, AstNode loop);

/* ---- frames
 * ---------------------------------------------------------------------------------------- */

static const Frame *push(Walker *walker, FrameKind kind, AstNode node)
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

/* ---- branches ---------------------------------------------------------------------------------
 */

static void walk_part(Walker *walker, AstNode branch, AstNode part)
{
    if (part == 0 || ast_kind(walker->ast, part) == AST_NONE)
        return;
    const Frame *outer = push(walker, FRAME_BRANCH, branch);
    Frame *frame = (Frame *)walker->frame;
    int held = walker->held;
    frame->part = part;
    frame->leaves = branch_leaves(walker->ast, part);
    frame->rare = branch_is_rare(walker->facts, walker->function, branch, part);
    frame->seldom = frame->rare || branch_is_seldom(walker->facts, walker->function, branch, part);
    walk(walker, part);
    walker->frame = outer;
    walker->held = held;
}

/* ---- emitting
 * ------------------------------------------------------------------------------------------ */

static Effect *emit(Walker *walker, EffectKind kind, AstNode node)
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

/* Own locals that no thread but the running one can see: not worth an effect. */
static bool is_own_local(const Walker *walker, const Place *place)
{
    if (place->base == PLACE_UNKNOWN)
        return true;
    if (walker->parallel)
        return false;
    if (place->base == PLACE_ALLOCATION)
        return place->function == walker->function;
    const AstSymbolData *data = sym_data(walker->facts, place->sym);
    bool global = data->kind == SYMBOL_GLOBAL || data->kind == SYMBOL_STATIC;
    bool through = place->base == PLACE_POINTEE ||
                   (walker->unit->language == LANGUAGE_PYTHON && place->count > 0);
    return !global && !(through && data->kind == SYMBOL_PARAM);
}

static AstOp compared_op(const Walker *walker, AstNode compare)
{
    AstOp op = (AstOp)ast_at(walker->ast, compare)->op;
    return op == OP_GT || op == OP_GE || op == OP_LT || op == OP_LE ? op : OP_NONE;
}

/* if (x > m) m = x: the branch around compares what is stored to. */
static bool is_compared(const Walker *walker, const Place *target)
{
    for (const Frame *frame = walker->frame; frame != NULL && frame->kind == FRAME_BRANCH;
         frame = frame->outer) {
        AstNode condition = ast_first(walker->ast, frame->node);
        FOR_EACH_NODE (walker->ast, at, condition) {
            if (ast_kind(walker->ast, at) != AST_COMPARE || compared_op(walker, at) == OP_NONE)
                continue;
            FOR_EACH_CHILD (walker->ast, side, at) {
                Place place = place_of(walker->facts, walker->function, side);
                if (place_same(&place, target))
                    return true;
            }
        }
    }
    return false;
}

static bool names_place(const Walker *walker, AstNode node, const Place *target)
{
    AstKind kind = ast_kind(walker->ast, node);
    if (kind != AST_NAME && kind != AST_INDEX && kind != AST_FIELD && kind != AST_DEREF)
        return false;
    Place place = place_of(walker->facts, walker->function, node);
    return place_same(&place, target) ||
           (walker->target != 0 && ast_same(walker->ast, node, walker->target));
}

/* s + e, e * s, max(s, e), s > e ? s : e: the operator that combines the old value, or OP_NONE. */
static AstOp combining_op(const Walker *walker, AstNode value, const Place *target)
{
    const Ast *ast = walker->ast;
    AstNode first = ast_first(ast, value), second = first == 0 ? 0 : ast_child(ast, value, 1);
    switch (ast_kind(ast, value)) {
    case AST_CAST:
        return combining_op(walker, first, target);
    case AST_BINARY: {
        AstOp op = (AstOp)ast_at(ast, value)->op;
        bool right = op == OP_ADD || op == OP_MUL || op == OP_AND || op == OP_OR || op == OP_XOR;
        if (names_place(walker, first, target) || (right && names_place(walker, second, target)))
            return op;
        if ((op == OP_ADD || op == OP_SUB) && ast_kind(ast, first) == AST_BINARY) /* s + a + b */
            return combining_op(walker, first, target) == OP_NONE ? OP_NONE : op;
        return OP_NONE;
    }
    case AST_CALL: {
        const LibraryEntry *entry = library_call(walker->facts, walker->unit, value);
        if (entry == NULL || (entry->flags & (LIB_MIN | LIB_MAX)) == 0)
            return OP_NONE;
        for (AstNode at = second; at != 0; at = ast_next(ast, at))
            if (names_place(walker, at, target))
                return (entry->flags & LIB_MIN) != 0 ? OP_MIN : OP_MAX;
        return OP_NONE;
    }
    case AST_CONDITIONAL: {
        AstNode third = ast_child(ast, value, 2);
        bool old = names_place(walker, second, target) || names_place(walker, third, target);
        return old && ast_kind(ast, first) == AST_COMPARE ? OP_MAX : OP_NONE;
    }
    case AST_LOGIC: /* numba knows no such reduction */
        return walker->unit->language != LANGUAGE_PYTHON && names_place(walker, first, target)
                   ? (AstOp)ast_at(ast, value)->op
                   : OP_NONE;
    default:
        return OP_NONE;
    }
}

static bool has_slice_step(const Place *place)
{
    for (uint8_t i = 0; i < place->count; i++)
        if (place->steps[i].kind == STEP_SLICE)
            return true;
    return false;
}

static void emit_store(Walker *walker, AstNode target, AstNode value, AstOp op, AstNode node)
{
    Place place = place_of(walker->facts, walker->function, target);
    walker->target = target;
    if (is_own_local(walker, &place))
        return;
    AstOp combined = op != OP_NONE ? op
                     : value != 0  ? combining_op(walker, value, &place)
                                   : OP_NONE;
    Effect *effect = emit(walker, combined != OP_NONE ? EFFECT_ACCUMULATE : EFFECT_WRITE, node);
    effect->op = (uint8_t)combined;
    effect->place = place;
    if (has_slice_step(&place) || (walker->unit->language == LANGUAGE_PYTHON && op != OP_NONE &&
                                   shape_of(walker->facts, walker->function, target).depth > 0))
        effect->flags |= EFFECT_ELEMENTWISE;
    if (combined == OP_NONE && is_compared(walker, &place))
        effect->flags |= EFFECT_COMPARED;
}

/* ---- allocations
 * ------------------------------------------------------------------------------------------ */

static const Frame *prange_frame(const Walker *walker)
{
    const Frame *found = NULL;
    for (const Frame *frame = walker->frame; frame != NULL; frame = frame->outer)
        if (frame->kind == FRAME_LOOP &&
            ast_at(walker->ast, frame->node)->value.loop.run == RUN_PARALLEL)
            found = frame;
    return found;
}

/* Whether a variable gets a value anywhere inside `within`. */
static bool is_assigned_within(const Ast *ast, AstNode within, AstSymbol symbol)
{
    FOR_EACH_NODE (ast, node, within) {
        AstKind kind = ast_kind(ast, node);
        AstNode target = kind == AST_ASSIGN || kind == AST_LOOP ? ast_first(ast, node) : 0;
        if (target == 0)
            continue;
        FOR_EACH_NODE (ast, at, target)
            if (ast_kind(ast, at) == AST_NAME && ast_at(ast, at)->symbol == symbol &&
                (at == target || ast_kind(ast, target) == AST_TUPLE))
                return true;
    }
    return false;
}

/* numba moves np.zeros, np.empty and np.ones of a loop-invariant shape out of the body of a prange
 * they stand in. */
static bool is_hoisted(const Walker *walker, const LibraryEntry *entry, AstNode call)
{
    const Frame *prange = prange_frame(walker);
    AstNode shape = ast_child(walker->ast, call, 1);
    if (prange == NULL || shape == 0 || (entry->flags & LIB_HOISTABLE) == 0)
        return false;
    FOR_EACH_NODE (walker->ast, at, shape) {
        AstSymbol symbol = ast_kind(walker->ast, at) == AST_NAME ? ast_at(walker->ast, at)->symbol
                                                                 : 0;
        if (symbol != 0 && is_assigned_within(walker->ast, prange->node, symbol))
            return false;
    }
    return true;
}

static int64_t bytes_of(const Walker *walker, const LibraryEntry *entry, AstNode call)
{
    int64_t bytes = 0, count = 0;
    if (entry->shape_argument > 0 &&
        ast_constant(walker->ast, ast_child(walker->ast, call, entry->shape_argument), &bytes)) {
        bool counted = strcmp(entry->name, "calloc") == 0;
        return counted && ast_constant(walker->ast, ast_child(walker->ast, call, 1), &count)
                   ? bytes * count
               : counted ? 0
                         : bytes;
    }
    AstNode shape = ast_child(walker->ast, call, 1);
    if ((entry->flags & LIB_SHAPE_FIRST) == 0 || shape == 0)
        return 0;
    if (ast_kind(walker->ast, shape) != AST_TUPLE)
        return ast_constant(walker->ast, shape, &bytes) ? bytes * 8 : 0;
    bytes = 8;
    FOR_EACH_CHILD (walker->ast, dimension, shape) {
        if (!ast_constant(walker->ast, dimension, &count))
            return 0;
        bytes *= count;
    }
    return bytes;
}

static void emit_allocation(Walker *walker, const LibraryEntry *entry, AstNode call)
{
    Effect *effect = emit(walker, EFFECT_ALLOC, call);
    effect->place = (Place){.base = PLACE_ALLOCATION, .function = walker->function, .node = call};
    effect->bytes = bytes_of(walker, entry, call);
    if (is_hoisted(walker, entry, call))
        effect->flags |= EFFECT_HOISTED;
}

static bool is_array_value(const Walker *walker, AstNode node)
{
    return shape_of(walker->facts, walker->function, node).depth > 0;
}

/* An array expression makes a temporary, unless numba fuses it into the reduction around it (in a
 * prange function). */
static void note_array_expression(Walker *walker, AstNode node)
{
    const Ast *ast = walker->ast;
    AstNode parent = ast_parent(ast, node);
    AstKind kind = ast_kind(ast, parent);
    if (!is_array_value(walker, node) || (kind == AST_BINARY && is_array_value(walker, parent)) ||
        (kind == AST_UNARY && is_array_value(walker, parent)) || kind == AST_COMPARE)
        return;
    const LibraryEntry *entry = kind == AST_CALL ? library_call(walker->facts, walker->unit, parent)
                                                 : NULL;
    if (entry != NULL && (entry->flags & LIB_ARRAY) != 0)
        return; /* counted there */
    if (entry != NULL && (entry->flags & LIB_REDUCES) != 0 && prange_frame(walker) != NULL)
        return;
    Effect *effect = emit(walker, EFFECT_ALLOC, node);
    effect->place = (Place){.base = PLACE_ALLOCATION, .function = walker->function, .node = node};
}

/* A list, set or dict display, unless it is only the argument of a library call (np.array([…]), a
 * shape). */
static void note_display(Walker *walker, AstNode node)
{
    const Ast *ast = walker->ast;
    AstNode parent = ast_parent(ast, node);
    while (ast_kind(ast, parent) == AST_LIST)
        parent = ast_parent(ast, parent);
    if (ast_kind(ast, parent) == AST_CALL || ast_kind(ast, parent) == AST_KEYWORD ||
        (ast_kind(ast, ast_parent(ast, node)) == AST_LIST))
        return;
    if (ast_kind(ast, parent) == AST_LOOP || ast_kind(ast, parent) == AST_COMPARE)
        return; /* for x in [a, b], x in [a, b] */
    if (ast_kind(ast, parent) == AST_ASSIGN && ast_first(ast, parent) == node)
        return;
    emit(walker, EFFECT_ALLOC, node)->place =
        (Place){.base = PLACE_ALLOCATION, .function = walker->function, .node = node};
}

/* ---- calls
 * --------------------------------------------------------------------------------------------------
 */

static bool is_private_to_callee(const Walker *walker, const Effect *effect, const Place *place)
{
    if (effect->kind != EFFECT_WRITE && effect->kind != EFFECT_ACCUMULATE &&
        effect->kind != EFFECT_ATOMIC)
        return false;
    if (place->base == PLACE_UNKNOWN)
        return true;
    if (place->base == PLACE_ALLOCATION)
        return place->function != walker->function;
    const AstSymbolData *data = sym_data(walker->facts, place->sym);
    if (data->kind == SYMBOL_GLOBAL || data->kind == SYMBOL_STATIC)
        return false;
    return sym_unit(walker->facts, place->sym) != walker->unit ||
           data->function != walker->facts->program->functions.items[walker->function].function;
}

/* Repeats the callee's effects in the caller's terms. */
static void fold(Walker *walker, FunctionId callee, AstNode call, bool forwards)
{
    const FunctionFacts *other = &walker->facts->functions[callee];
    uint32_t count = callee == walker->function ? 0 : other->effects.count;
    for (uint32_t i = 0; i < count; i++) {
        const Effect *theirs = other->effects.items[i];
        uint64_t origin = (uint64_t)(uintptr_t)effect_origin(theirs);
        uint32_t copies = map_get(&walker->copies, origin);
        if ((forwards && theirs->kind == EFFECT_ALLOC) || copies >= MOST_COPIES)
            continue;
        Place place = place_at_call(walker->facts, &theirs->place, callee, walker->function, call);
        if (is_private_to_callee(walker, theirs, &place))
            continue;
        map_set(&walker->copies, origin, copies + 1);
        walker->folding = true;
        Effect *effect = emit(walker, (EffectKind)theirs->kind, call);
        walker->folding = false;
        effect->op = theirs->op;
        effect->flags |= theirs->flags;
        effect->place = place;
        effect->via = theirs;
        effect->view = theirs->view;
        effect->bytes = theirs->bytes;
    }
    walker->held += other->lock_balance;
}

/* What an intrinsic emits stands in its body, or in a helper that this calls. */
static bool emits_atomic(const Walker *walker, FunctionId function, int depth)
{
    const Unit *unit = program_function_unit(walker->facts->program, function);
    FOR_EACH_NODE (unit->ast, node, program_function_data(walker->facts->program, function)->node) {
        if (ast_kind(unit->ast, node) != AST_CALL)
            continue;
        AstNode callee = ast_first(unit->ast, node);
        const char *name =
            intern_text(walker->facts->program->names, ast_at(unit->ast, callee)->name);
        if (ast_kind(unit->ast, callee) == AST_FIELD &&
            (strcmp(name, "atomic_rmw") == 0 || strcmp(name, "cmpxchg") == 0))
            return true;
        FunctionId helper = program_callee(walker->facts->program, unit, node);
        if (helper != 0 && helper != function && depth < 3 &&
            emits_atomic(walker, helper, depth + 1))
            return true;
    }
    return false;
}

/* Generates code when it is called: an intrinsic, or a function whose decorator registers an atomic
 * lowering for it. */
static bool generates_code(const Walker *walker, FunctionId callee)
{
    const AstFunctionData *function = program_function_data(walker->facts->program, callee);
    const Unit *unit = program_function_unit(walker->facts->program, callee);
    if ((function->flags & FN_INTRINSIC) != 0)
        return true;
    if (unit->language != LANGUAGE_PYTHON || (function->flags & FN_COMPILED) != 0)
        return false;
    FOR_EACH_CHILD (unit->ast, child, function->node) {
        if (ast_kind(unit->ast, child) != AST_DECORATOR)
            continue;
        AstNode made = ast_first(unit->ast, child);
        FunctionId maker = ast_kind(unit->ast, made) == AST_CALL
                               ? program_callee(walker->facts->program, unit, made)
                               : program_function_named(walker->facts->program, unit, made);
        if (maker != 0 && emits_atomic(walker, maker, 0))
            return true;
    }
    return false;
}

/* An atomic update made by code generation: of arr[idx], as fetch_add(arr, idx, value) has it, or
 * of what the first argument refers to. */
static void walk_generated(Walker *walker, FunctionId callee, AstNode call)
{
    AstNode array = ast_child(walker->ast, call, 1), index = ast_child(walker->ast, call, 2);
    bool intrinsic =
        (program_function_data(walker->facts->program, callee)->flags & FN_INTRINSIC) != 0;
    if (array == 0 || (intrinsic && !emits_atomic(walker, callee, 0)))
        return;
    Place place = place_behind(walker->facts, walker->function, array);
    PlaceStep step = {.kind = STEP_INDEX, .function = walker->function, .node = call};
    if (index != 0 && ast_next(walker->ast, index) != 0) {
        bool tuple = ast_kind(walker->ast, index) == AST_TUPLE;
        for (AstNode at = tuple ? ast_first(walker->ast, index) : index; at != 0;
             at = tuple ? ast_next(walker->ast, at) : 0) {
            step.index = place_index(walker->facts, walker->function, at);
            place = place_step(walker->facts, place, step);
        }
    }
    emit(walker, EFFECT_ATOMIC, call)->place = place;
}

static void walk_known_call(Walker *walker, FunctionId callee, AstNode call)
{
    const Traits *traits = traits_of(walker->facts, callee);
    if (generates_code(walker, callee)) {
        walk_generated(walker, callee, call);
        return;
    }
    if (traits->forwards_allocation) {
        Effect *effect = emit(walker, EFFECT_ALLOC, call);
        effect->flags |= EFFECT_BY_CALL;
        effect->place =
            (Place){.base = PLACE_ALLOCATION, .function = walker->function, .node = call};
    }
    if (walker->parallel || walker->result->reached)
        fold(walker, callee, call, traits->forwards_allocation);
    else
        walker->held += walker->facts->functions[callee].lock_balance;
}

static void walk_thread_start(Walker *walker, AstNode call)
{
    FunctionId started = start_function(walker->facts, walker->unit, call);
    if (started == 0)
        return;
    const Frame *outer = push(walker, FRAME_THREADS, call);
    bool parallel = walker->parallel;
    walker->parallel = true;
    fold(walker, started, call, false);
    walker->parallel = parallel;
    walker->frame = outer;
}

/* The stream that a call of stdio works on; unknown where it takes none. */
static Place stream_of(const Walker *walker, const LibraryEntry *entry, AstNode call)
{
    uint32_t last = ast_child_count(walker->ast, call) - 1;
    bool first = (entry->flags & LIB_STREAM_FIRST) != 0;
    if (!first && (entry->flags & LIB_STREAM_LAST) == 0)
        return (Place){0};
    return place_behind(walker->facts, walker->function,
                        ast_child(walker->ast, call, first ? 1 : last));
}

static void walk_library_call(Walker *walker, AstNode call, const LibraryEntry *entry)
{
    bool compiled = walker->unit->language == LANGUAGE_PYTHON;
    if ((entry->flags & LIB_HIDDEN_STATE) != 0)
        emit(walker, EFFECT_CALL, call)->place = stream_of(walker, entry, call);
    if ((entry->flags & LIB_ALLOC) != 0)
        emit_allocation(walker, entry, call);
    else if ((entry->flags & LIB_FREE) != 0)
        emit(walker, EFFECT_FREE, call)->place =
            place_behind(walker->facts, walker->function, ast_child(walker->ast, call, 1));
    else if ((entry->flags & LIB_ATOMIC) != 0)
        emit(walker, EFFECT_ATOMIC, call)->place =
            place_behind(walker->facts, walker->function, ast_child(walker->ast, call, 1));
    else if (compiled && (entry->flags & LIB_ARRAY) != 0)
        note_array_expression(walker, call);
    else if ((entry->flags & LIB_LOCK) != 0) {
        Effect *effect = emit(walker, EFFECT_LOCK, call); /* not held yet where it is taken */
        effect->place =
            place_behind(walker->facts, walker->function, ast_child(walker->ast, call, 1));
        walker->held++;
    } else if ((entry->flags & LIB_UNLOCK) != 0) {
        bool clears = (entry->flags & LIB_SPIN) != 0;
        walker->held -= !clears || walker->spins > 0;
        walker->spins -= clears && walker->spins > 0;
    } else if ((entry->flags & LIB_THREADS) != 0)
        walk_thread_start(walker, call);
}

static bool is_threaded_library(const Walker *walker, AstNode call)
{
    AstNode callee = ast_first(walker->ast, call);
    if (walker->unit->language == LANGUAGE_PYTHON || callee == 0 ||
        ast_kind(walker->ast, callee) != AST_NAME)
        return false;
    const char *name =
        intern_text(walker->facts->program->names, ast_at(walker->ast, callee)->name);
    return library_is_blas(name) || library_is_fft(name);
}

static void walk_call(Walker *walker, AstNode call)
{
    for (AstNode child = ast_first(walker->ast, call); child != 0;
         child = ast_next(walker->ast, child))
        walk(walker, child);
    FunctionId callee = facts_callee(walker->facts, walker->unit, call);
    if (callee != 0) {
        walk_known_call(walker, callee, call);
        return;
    }
    const LibraryEntry *entry = library_call(walker->facts, walker->unit, call);
    if (walker->unit->language == LANGUAGE_PYTHON && start_is(walker->facts, walker->unit, call)) {
        walk_thread_start(walker, call);
        return;
    }
    if (entry != NULL)
        walk_library_call(walker, call, entry);
    if (entry != NULL)
        return;
    if (is_threaded_library(walker, call)) {
        emit(walker, EFFECT_LAUNCH, call);
        return;
    }
    /* through a parameter: all functions that are passed for it anywhere */
    uint32_t at = callgraph_candidates(walker->facts, walker->unit, call);
    for (int most = 0; at != 0 && most < 4; at = walker->facts->candidates.items[at].next, most++)
        walk_known_call(walker, walker->facts->candidates.items[at].function, call);
}

/* ---- the walk
 * ---------------------------------------------------------------------------------------------------
 */

static void walk_children(Walker *walker, AstNode node)
{
    FOR_EACH_CHILD (walker->ast, child, node)
        walk(walker, child);
}

static bool starts_or_deals(const Ast *ast, AstNode node)
{
    const AstNodeData *data = ast_at(ast, node);
    if (data->kind == AST_LOOP)
        return data->value.loop.run == RUN_PARALLEL || data->value.loop.run == RUN_WORKSHARE;
    return data->kind == AST_REGION && data->op == REGION_PARALLEL;
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
        emit_store(walker, target, 0, OP_NONE, target);
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
    Effect *effect = emit(walker, EFFECT_LOCK, call);
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
        emit(walker, EFFECT_LAUNCH, loop);
    walk(walker, loop_start(walker->ast, loop));
    if (data->op == LOOP_COUNTED)
        walk(walker, loop_limit(walker->ast, loop));
    note_loop_variable(walker, loop);
    const Frame *outer = push(walker, FRAME_LOOP, loop);
    bool parallel = walker->parallel;
    int held = walker->held;
    walker->parallel |= starts_or_deals(walker->ast, loop);
    if (data->op == LOOP_EACH)
        walk_each(walker, loop);
    if (data->op != LOOP_COUNTED) {
        walk(walker, loop_limit(walker->ast, loop));
        walk(walker, loop_step(walker->ast, loop));
    }
    walk(walker, loop_body(walker->ast, loop));
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
        emit(walker, EFFECT_LOCK, region);
    if (kind == REGION_PARALLEL)
        emit(walker, EFFECT_LAUNCH, region);
    const Frame *outer = push(walker, FRAME_REGION, region);
    bool parallel = walker->parallel;
    walker->parallel |= starts_or_deals(walker->ast, region);
    AstNode body = ast_first(walker->ast, region);
    if (body != 0)
        walk(walker, body);
    walker->parallel = parallel;
    walker->frame = outer;
}

static void walk_assign(Walker *walker, AstNode assign)
{
    const Ast *ast = walker->ast;
    AstNode target = ast_first(ast, assign), value = ast_child(ast, assign, 1);
    AstOp op = (AstOp)ast_at(ast, assign)->op;
    walk(walker, value);
    if (ast_kind(ast, target) == AST_TUPLE || ast_kind(ast, target) == AST_LIST) {
        FOR_EACH_CHILD (ast, item, target)
            emit_store(walker, item, 0, OP_NONE, assign);
        return;
    }
    if (ast_kind(ast, target) ==
        AST_INDEX) /* what it is indexed with, not the view that it would be */
        walk_children(walker, target);
    else if (ast_kind(ast, target) != AST_NAME)
        walk_children(walker, target);
    emit_store(walker, target, value, op, assign);
}

static void emit_view(Walker *walker, AstNode node, Place place, ViewUse use)
{
    ViewUse *kept = arena_alloc(walker->facts->arena, sizeof *kept);
    *kept = use;
    Effect *effect = emit(walker, EFFECT_VIEW, node);
    effect->place = place;
    effect->view = kept;
}

/* Nothing in the index, nor the list, changes inside the prange loop that this function holds. */
static bool is_hoisted_index(const Walker *walker, AstNode index)
{
    const Frame *prange = prange_frame(walker);
    if (prange == NULL)
        return false;
    FOR_EACH_NODE (walker->ast, at, index) {
        AstSymbol symbol = ast_kind(walker->ast, at) == AST_NAME ? ast_at(walker->ast, at)->symbol
                                                                 : 0;
        if (symbol != 0 && is_assigned_within(walker->ast, prange->node, symbol))
            return false;
    }
    return true;
}

static void walk_index(Walker *walker, AstNode index)
{
    ViewUse use;
    walk_children(walker, index);
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
                   .targets = "all",
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
        walk(walker, ast_first(ast, node));
        walk_part(walker, node, ast_child(ast, node, 1));
        walk_part(walker, node, ast_child(ast, node, 2));
        return;
    case AST_CALL:
        walk_call(walker, node);
        return;
    case AST_RAISE:
    case AST_ASSERT:
        walk_children(walker, node);
        if (python)
            emit(walker, EFFECT_RAISE, node);
        return;
    case AST_ASSIGN:
        walk_assign(walker, node);
        return;
    case AST_INDEX:
        walk_index(walker, node);
        return;
    case AST_BINARY:
        walk_children(walker, node);
        if (python)
            note_array_expression(walker, node);
        return;
    case AST_LIST:
    case AST_DICT:
    case AST_SET:
    case AST_COMPREHENSION:
        walk_children(walker, node);
        if (python)
            note_display(walker, node);
        return;
    default:
        walk_children(walker, node);
    }
}

static void walk(Walker *walker, AstNode node)
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
    walk(&walker, ast_first(unit->ast, data->node));
    walker.result->lock_balance = walker.held;
}
