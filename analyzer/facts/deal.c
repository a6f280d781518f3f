#include "analyzer/facts/deal.h"

#include "analyzer/facts/model.h"
#include "analyzer/facts/pairs.h"
#include "analyzer/facts/shape.h"
#include "analyzer/facts/slot.h"

enum { LINE = 64, SEVERAL_LINES = 4 * LINE };

static const Ast *ast_of(const Facts *facts, FunctionId function)
{
    return program_function_unit(facts->program, function)->ast;
}

static const AstLoopInfo *info_of(const Facts *facts, EventLoop loop)
{
    return &ast_at(ast_of(facts, loop.function), loop.node)->value.loop;
}

static Sym variable_of(const Facts *facts, EventLoop loop)
{
    const Unit *unit = program_function_unit(facts->program, loop.function);
    AstNode target = loop_target(unit->ast, loop.node);
    if (target == 0 || ast_kind(unit->ast, target) != AST_NAME)
        return 0;
    return sym_of(unit, ast_at(unit->ast, target)->symbol);
}

/* Of loops that share their iteration space the innermost: its neighbours are dealt out in turn. */
static EventLoop fastest_of(const Facts *facts, EventLoop loop)
{
    const Ast *ast = ast_of(facts, loop.function);
    uint32_t levels = info_of(facts, loop)->collapse;
    AstNode found = loop.node;
    for (AstNode node = loop.node; levels > 1 && node < ast_end(ast, loop.node); node++)
        if (ast_kind(ast, node) == AST_LOOP && node != loop.node) {
            found = node;
            levels--;
        }
    return (EventLoop){loop.function, found};
}

/* The constant step of a counted loop; 0 unknown. */
static int64_t step_of(const Facts *facts, EventLoop loop)
{
    const Ast *ast = ast_of(facts, loop.function);
    AstNode step = loop_step(ast, loop.node);
    int64_t value = 1;
    if (ast_at(ast, loop.node)->op != LOOP_COUNTED)
        return 0;
    if (step != 0 && ast_kind(ast, step) != AST_NONE && !ast_constant(ast, step, &value))
        return 0;
    return value;
}

/* Bytes from the element of one value of `sym` to that of the next, where all indices are linear in
 * it; 0 unknown, or the same element. */
static int64_t stride_of(const Facts *facts, const Event *event, Sym sym)
{
    const Place *place = &event->effect->place;
    int64_t stride = 0;
    bool varies = false;
    for (uint8_t i = 0; i < place->count; i++) {
        const PlaceStep *step = &place->steps[i];
        if (step->kind == STEP_SLICE || (step->kind == STEP_LOAD && varies))
            return 0; /* rows behind pointers lie anywhere */
        if (step->kind != STEP_INDEX || !affine_depends(&step->index, sym))
            continue;
        int64_t coefficient = affine_coefficient(&step->index, sym);
        int64_t bytes = slot_step_bytes(facts, event, i);
        if (coefficient == 0 || bytes <= 0 || varies || step->index.loaded || step->index.folded)
            return 0;
        varies = true;
        stride = coefficient * bytes;
    }
    return stride < 0 ? -stride : stride;
}

static int64_t written_bytes(const Facts *facts, const Event *event)
{
    const Place *place = &event->effect->place;
    const PlaceStep *last = &place->steps[place->count - 1];
    int64_t bytes = last->kind == STEP_INDEX
                        ? slot_step_bytes(facts, event, (uint8_t)(place->count - 1))
                        : last->size;
    return bytes > 0 ? bytes : 8;
}

/* ---- by chunks
 * --------------------------------------------------------------------------------------------------
 */

/* Iterations in a chunk; 0: large, or not known. */
static int64_t chunk_of(const Facts *facts, EventLoop loop)
{
    const Ast *ast = ast_of(facts, loop.function);
    const AstLoopInfo *info = info_of(facts, loop);
    if (info->schedule != SCHEDULE_STATIC && info->schedule != SCHEDULE_DYNAMIC)
        return 0;
    if (info->chunk > 0)
        return info->chunk;
    FOR_EACH_CHILD (ast, clause, loop.node)
        if (ast_kind(ast, clause) == AST_CLAUSE && ast_at(ast, clause)->op == CLAUSE_SCHEDULE &&
            !ast_leafless(ast, clause))
            return 0;
    return info->schedule == SCHEDULE_DYNAMIC ? 1 : 0;
}

static bool deal_chunks(const Facts *facts, const Event *event, Deal *deal)
{
    if (event->dealt.node == 0 || event_is_over_threads(facts, event))
        return false; /* slots of threads are another matter */
    EventLoop loop = fastest_of(facts, event->dealt);
    int64_t step = step_of(facts, loop), chunk = chunk_of(facts, event->dealt);
    int64_t stride = stride_of(facts, event, variable_of(facts, loop));
    step = step < 0 ? -step : step;
    if (chunk == 0 || step == 0 || stride == 0 || stride * step >= LINE)
        return false;
    deal->form = DEAL_CHUNKS;
    deal->run = stride * step * chunk;
    return true;
}

/* ---- cyclic, by hand ---- */

/* What each thread was given, and no more is known of it: *(int *)arg, job->first. */
static bool is_given(const Facts *facts, const Event *event, const Affine *first)
{
    const Ast *root = ast_of(facts, event->root);
    return ast_kind(root, event->construct) == AST_CALL && first->loaded;
}

/* A block of iterations of a loop that is dealt out by the runtime is one thread's: it is no thread
 * that jumps over the shares of others in `for (k = i; k < n; k += planes)`. */
static bool is_dealt_in_blocks(const Facts *facts, const Event *event)
{
    return event->dealt.node != 0 && !event_is_over_threads(facts, event) &&
           ast_at(ast_of(facts, event->dealt.function), event->dealt.node)->op == LOOP_COUNTED &&
           chunk_of(facts, event->dealt) == 0;
}

/* By how much the starts of neighbouring threads differ in a loop that jumps over the others'
 * share; 0: no such loop. */
static int64_t distance_of(const Facts *facts, const Event *event, EventLoop loop)
{
    const Ast *ast = ast_of(facts, loop.function);
    AstNode start = loop_start(ast, loop.node), step = loop_step(ast, loop.node);
    int64_t coefficient = 0, jump = 0;
    if (ast_at(ast, loop.node)->op != LOOP_COUNTED || loop.node == event->dealt.node ||
        start == 0 || step == 0 || ast_kind(ast, start) == AST_NONE ||
        ast_kind(ast, step) == AST_NONE)
        return 0;
    Affine first = place_index(facts, loop.function, start);
    if (is_dealt_in_blocks(facts, event) && !affine_depends(&first, SYM_THREAD))
        return 0;
    bool varies = event_index_varies(facts, event, &first, &coefficient) && coefficient != 0;
    if (!varies && !is_given(facts, event, &first))
        return 0;
    coefficient = varies ? coefficient : 1;
    coefficient = coefficient < 0 ? -coefficient : coefficient;
    if (ast_constant(ast, step, &jump))
        return (jump < 0 ? -jump : jump) > coefficient ? coefficient : 0;
    return coefficient;
}

/* Runs of one thread that are cut into pieces are only as long as the innermost loop makes them:
 * for (b = tid * 8; …) for (k = 0; k < 8; k++) out[b + k]. */
static bool deal_cyclic(const Facts *facts, const Event *event, Deal *deal)
{
    for (uint32_t i = 0; i < event->loop_count; i++) {
        int64_t distance = distance_of(facts, event, event->loops[i]);
        int64_t stride =
            distance == 0 ? 0 : stride_of(facts, event, variable_of(facts, event->loops[i]));
        if (distance == 0 || stride == 0 || stride >= LINE)
            continue;
        deal->form = DEAL_CYCLIC;
        deal->run = stride * distance;
        return true;
    }
    return false;
}

/* ---- along the fastest axis ---- */

/* What a range runs over: as it is written in one function, and, where it is x.shape[axis], which
 * holds under another name in a function that x is passed to. */
typedef struct Range {
    AstNode limit; /* 0: only known as an extent */
    AstSymbol array;
    int64_t axis;
} Range;

static Range range_of(const Facts *facts, const Unit *unit, AstNode limit)
{
    const Ast *ast = unit->ast;
    Range range = {.limit = limit};
    AstNode value = limit;
    if (ast_kind(ast, value) == AST_NAME && ast_at(ast, value)->symbol != 0)
        value = facts->uses[unit->id][ast_at(ast, value)->symbol].value;
    if (value == 0 || ast_kind(ast, value) != AST_INDEX)
        return range;
    AstNode shape = ast_first(ast, value);
    if (shape_field_is(ast, shape, "shape") && ast_kind(ast, ast_first(ast, shape)) == AST_NAME &&
        ast_constant(ast, ast_child(ast, value, 1), &range.axis))
        range.array = ast_at(ast, ast_first(ast, shape))->symbol;
    return range;
}

static bool is_over(const Facts *facts, const Unit *unit, AstNode loop, const Range *range)
{
    AstNode limit = loop_limit(unit->ast, loop);
    if (range->limit != 0 && ast_same(unit->ast, limit, range->limit))
        return true;
    Range other = range_of(facts, unit, limit);
    return range->array != 0 && other.array == range->array && other.axis == range->axis;
}

/* An innermost loop over the range, inside a loop over something else. */
static bool runs_inside(const Facts *facts, const Unit *unit, AstNode function, AstNode node,
                        const Range *range)
{
    const Ast *ast = unit->ast;
    if (ast_kind(ast, node) != AST_LOOP || ast_at(ast, node)->value.loop.run == RUN_PARALLEL ||
        ast_at(ast, node)->op != LOOP_COUNTED || !is_over(facts, unit, node, range))
        return false;
    AstNode outer = ast_parent(ast, node);
    while (outer > function && ast_kind(ast, outer) != AST_LOOP)
        outer = ast_parent(ast, outer);
    FOR_EACH_NODE (ast, inner, loop_body(ast, node))
        if (ast_kind(ast, inner) == AST_LOOP)
            return false;
    return outer > function && !is_over(facts, unit, outer, range);
}

/* The range is run through inside another loop of the function, over another range, or in one that
 * the array is passed to: a short side. */
static bool is_short_side(const Facts *facts, FunctionId id, AstNode without, const Range *range,
                          int depth)
{
    const Unit *unit = program_function_unit(facts->program, id);
    const Ast *ast = unit->ast;
    AstNode function = program_function_data(facts->program, id)->node;
    FOR_EACH_NODE (ast, node, function) {
        if (without != 0 && ast_holds(ast, without, node))
            continue;
        if (runs_inside(facts, unit, function, node, range))
            return true;
        FunctionId callee = ast_kind(ast, node) == AST_CALL && range->array != 0 && depth == 0
                                ? facts_callee(facts, unit, node)
                                : 0;
        if (callee == 0)
            continue;
        const AstFunctionData *called = program_function_data(facts->program, callee);
        uint32_t at = 0;
        for (AstNode argument = ast_child(ast, node, 1); argument != 0 && at < called->params.count;
             argument = ast_next(ast, argument), at++) {
            Range passed = {.array = called->params.items[at], .axis = range->axis};
            if (ast_kind(ast, argument) == AST_NAME &&
                ast_at(ast, argument)->symbol == range->array &&
                is_short_side(facts, callee, 0, &passed, depth + 1))
                return true;
        }
    }
    return false;
}

/* Iterations of one thread; 0 unknown, or many. */
static int64_t share_of(const Facts *facts, EventLoop loop, int threads)
{
    enum { SHORT_SIDE = 16 };
    const Ast *ast = ast_of(facts, loop.function);
    AstNode start = loop_start(ast, loop.node);
    int64_t first = 0, limit;
    if (ast_at(ast, loop.node)->op != LOOP_COUNTED)
        return 0;
    bool from = start == 0 || ast_kind(ast, start) == AST_NONE || ast_constant(ast, start, &first);
    if (!from || !ast_constant(ast, loop_limit(ast, loop.node), &limit)) {
        Range range = range_of(facts, program_function_unit(facts->program, loop.function),
                               loop_limit(ast, loop.node));
        if (!is_short_side(facts, loop.function, loop.node, &range, 0))
            return 0;
        limit = first + SHORT_SIDE;
    }
    int64_t trips = limit - first;
    return trips > 1 ? (trips + threads - 1) / threads : 0;
}

/* A loop inside the dealt one that goes from row to row. */
static bool find_rows(const Facts *facts, const Event *event, int64_t stride, Deal *deal)
{
    const Place *place = &event->effect->place;
    for (uint32_t i = event->loop_count; i-- > 1;) {
        Sym sym = variable_of(facts, event->loops[i]);
        deal->around = event->loops[i];
        for (uint8_t k = 0; sym != 0 && k < place->count; k++)
            if (place->steps[k].kind == STEP_INDEX && affine_depends(&place->steps[k].index, sym)) {
                int64_t rows = stride_of(facts, event, sym);
                return rows == 0 || rows > stride;
            }
    }
    return false;
}

static bool deal_axis(const Facts *facts, const Event *event, int threads, Deal *deal)
{
    if (event->dealt.node == 0)
        return false;
    const AstLoopInfo *info = info_of(facts, event->dealt);
    if (info->collapse > 1 ||
        (info->schedule != SCHEDULE_DEFAULT && info->schedule != SCHEDULE_STATIC) ||
        info->chunk > 0)
        return false;
    int64_t stride = stride_of(facts, event, variable_of(facts, event->dealt));
    int64_t share = share_of(facts, event->dealt, threads);
    if (stride == 0 || stride >= LINE || share == 0 || !find_rows(facts, event, stride, deal))
        return false;
    deal->form = DEAL_AXIS;
    deal->run = stride * share;
    return true;
}

/* A row of a table, or a whole array, is stored. */
static bool is_row(const Facts *facts, const Event *event)
{
    const Effect *origin = event->origin;
    const Unit *unit = program_function_unit(facts->program, origin->function);
    AstNode target = ast_first(unit->ast, origin->node);
    return unit->language == LANGUAGE_PYTHON && target != 0 &&
           shape_of(facts, origin->function, target).depth > 0;
}

bool event_deal(const Facts *facts, const Event *event, int threads, Deal *deal)
{
    const Effect *effect = event->effect;
    *deal = (Deal){0};
    if ((effect->kind != EFFECT_WRITE && effect->kind != EFFECT_ACCUMULATE &&
         effect->kind != EFFECT_ATOMIC) ||
        event->rare || event->seldom || event->once || event->locked || event->loop_count == 0 ||
        effect->place.count == 0 || event_is_over_few(facts, event) ||
        (effect->flags & EFFECT_ELEMENTWISE) != 0 ||
        event_shared(facts, event, &effect->place) == 0)
        return false;
    if ((!deal_chunks(facts, event, deal) && !deal_cyclic(facts, event, deal) &&
         !deal_axis(facts, event, threads, deal)) ||
        is_row(facts, event))
        return false;
    deal->size = written_bytes(facts, event);
    return deal->run < SEVERAL_LINES;
}

bool deal_witness(const Facts *facts, const Event *event, const Deal *deal, int64_t values[2])
{
    if (deal->form != DEAL_CHUNKS)
        return false;
    EventLoop loop = fastest_of(facts, event->dealt);
    Sym sym = variable_of(facts, loop);
    const Place *place = &event->effect->place;
    int64_t stride = stride_of(facts, event, sym), factor = 0;
    for (uint8_t i = 0; i < place->count; i++)
        if (place->steps[i].kind == STEP_INDEX && affine_depends(&place->steps[i].index, sym))
            factor = affine_coefficient(&place->steps[i].index, sym);
    factor = factor < 0 ? -factor : factor;
    return factor > 0 &&
           pairs_share_line(facts, event, stride / factor, chunk_of(facts, event->dealt), LINE,
                            values) == ANSWER_MEET;
}
