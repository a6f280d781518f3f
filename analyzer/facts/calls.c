/* What a call does: its callee's effects in the caller's terms, or what the library is known for.
 */
#include "analyzer/facts/walker.h"

#include "analyzer/facts/start.h"

#include <string.h>

enum { MOST_COPIES = 6 /* of one effect, by different calls */ };

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

/* On threads that the callee starts: told there. Starting a thread costs more than what one does
 * once for each. What a callee of its own starts has not come this far. */
static bool runs_on_own_threads(const Effect *effect)
{
    for (const Frame *frame = effect->frame; frame != NULL; frame = frame->outer)
        if (frame->kind == FRAME_THREADS)
            return true;
    return false;
}

/* Repeats the callee's effects in the caller's terms. */
static void fold(Walker *walker, FunctionId callee, AstNode call, bool forwards)
{
    const FunctionFacts *other = &walker->facts->functions[callee];
    uint32_t count = callee == walker->function ? 0 : other->effects.count;
    for (uint32_t i = 0; i < count && walker->folded < MOST_FOLDED; i++) {
        const Effect *theirs = other->effects.items[i];
        uint64_t origin = (uint64_t)(uintptr_t)effect_origin(theirs);
        uint32_t copies = map_get(&walker->copies, origin);
        if ((forwards && theirs->kind == EFFECT_ALLOC) || copies >= MOST_COPIES ||
            runs_on_own_threads(theirs))
            continue;
        Place place = place_at_call(walker->facts, &theirs->place, callee, walker->function, call);
        if (is_private_to_callee(walker, theirs, &place))
            continue;
        map_set(&walker->copies, origin, copies + 1);
        walker->folding = true;
        Effect *effect = walker_emit(walker, (EffectKind)theirs->kind, call);
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
    walker_emit(walker, EFFECT_ATOMIC, call)->place = place;
}

static void walk_known_call(Walker *walker, FunctionId callee, AstNode call)
{
    const Traits *traits = traits_of(walker->facts, callee);
    if (traits->ends_program)
        return;
    if (generates_code(walker, callee)) {
        walk_generated(walker, callee, call);
        return;
    }
    if (traits->forwards_allocation) {
        Effect *effect = walker_emit(walker, EFFECT_ALLOC, call);
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
    FunctionId started[CALLEES_MOST];
    int count = start_functions(walker->facts, walker->unit, call, started);
    if (count == 0)
        return;
    const Frame *outer = walker_push(walker, FRAME_THREADS, call);
    bool parallel = walker->parallel;
    walker->parallel = true;
    for (int i = 0; i < count; i++)
        fold(walker, started[i], call, false);
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

/* np.linalg.norm(x, 1): a loop of its own, where the norm of order 2 takes the routine of BLAS, and
 * an array for what that returns. */
static bool is_plain_norm(const Walker *walker, const LibraryEntry *entry, AstNode call)
{
    return strcmp(entry->name, "numpy.linalg.norm") == 0 && ast_child(walker->ast, call, 2) != 0;
}

static void walk_library_call(Walker *walker, AstNode call, const LibraryEntry *entry)
{
    bool compiled = walker->unit->language == LANGUAGE_PYTHON;
    if ((entry->flags & LIB_HIDDEN_STATE) != 0)
        walker_emit(walker, EFFECT_CALL, call)->place = stream_of(walker, entry, call);
    if ((entry->flags & LIB_STEPS) != 0)
        walker_step(walker, call);
    if ((entry->flags & LIB_ALLOC) != 0 && !is_plain_norm(walker, entry, call))
        walker_allocation(walker, entry, call);
    else if ((entry->flags & LIB_FREE) != 0)
        walker_emit(walker, EFFECT_FREE, call)->place =
            place_behind(walker->facts, walker->function, ast_child(walker->ast, call, 1));
    else if ((entry->flags & LIB_ATOMIC) != 0)
        walker_emit(walker, EFFECT_ATOMIC, call)->place =
            place_behind(walker->facts, walker->function, ast_child(walker->ast, call, 1));
    else if (compiled && (entry->flags & LIB_LIKE) == 0 &&
             (entry->flags & (LIB_ARRAY | LIB_REDUCES | LIB_KEEPS_COUNT)) != 0)
        walker_array_expression(walker, call);
    else if ((entry->flags & LIB_LOCK) != 0) {
        Effect *effect =
            walker_emit(walker, EFFECT_LOCK, call); /* not held yet where it is taken */
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

void walker_call(Walker *walker, AstNode call)
{
    for (AstNode child = ast_first(walker->ast, call); child != 0;
         child = ast_next(walker->ast, child))
        walker_walk(walker, child);
    FunctionId callee = facts_callee(walker->facts, walker->unit, call);
    if (callee != 0) {
        walk_known_call(walker, callee, call);
        return;
    }
    const LibraryEntry *entry = library_call(walker->facts, walker->unit, call);
    if (walker->unit->language == LANGUAGE_PYTHON)
        walker_method(walker, call);
    else
        walker_outputs(walker, call);
    if (walker->unit->language == LANGUAGE_PYTHON && start_is(walker->facts, walker->unit, call)) {
        walk_thread_start(walker, call);
        return;
    }
    if (entry != NULL)
        walk_library_call(walker, call, entry);
    if (entry != NULL)
        return;
    if (is_threaded_library(walker, call)) {
        walker_emit(walker, EFFECT_LAUNCH, call);
        return;
    }
    /* through a parameter: all functions that are passed for it anywhere */
    uint32_t at = callgraph_candidates(walker->facts, walker->unit, call);
    for (int most = 0; at != 0 && most < CALLEES_MOST;
         at = walker->facts->candidates.items[at].next, most++)
        walk_known_call(walker, walker->facts->candidates.items[at].function, call);
}
