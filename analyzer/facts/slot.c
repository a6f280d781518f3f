#include "analyzer/facts/slot.h"

#include "analyzer/facts/library.h"

#include <string.h>

enum { LINE = 64, MOST_THREADS = 256 };

/* TEAM, NUM_WORKERS: as it stands in the source, macro or not. */
static bool is_named_for_threads(const Unit *unit, AstNode limit)
{
    static const char *const words[] = {"thread", "team", "worker", "proc", "core", "nt", "lanes"};
    const AstNodeData *data = ast_at(unit->ast, limit);
    const Source *source = unit_source(unit, limit);
    char text[64];
    size_t length = data->stop - data->start < sizeof text - 1 ? data->stop - data->start
                                                               : sizeof text - 1;
    if (data->stop > source->size || data->stop < data->start)
        return false;
    memcpy(text, source->bytes + data->start, length);
    text[length] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(text, words[i]) != NULL)
            return true;
    return false;
}

bool event_is_over_threads(const Facts *facts, const Event *event)
{
    const Unit *unit = program_function_unit(facts->program, event->dealt.function);
    AstNode limit = loop_limit(unit->ast, event->dealt.node);
    int64_t known;
    if (ast_at(unit->ast, event->dealt.node)->op != LOOP_COUNTED)
        return false;
    if (ast_constant(unit->ast, limit, &known))
        return known > 1 && known <= MOST_THREADS && is_named_for_threads(unit, limit);
    Affine value = place_index(facts, event->dealt.function, limit);
    return affine_depends(&value, SYM_TEAM);
}

/* Over a few whole pieces, as it seems, but a serial loop in its function deals them out anew in
 * each of its turns. */
static bool is_repeated(const Ast *ast, AstNode dealt)
{
    for (AstNode up = ast_parent(ast, dealt); up != 0; up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_LOOP)
            return true;
    return false;
}

bool event_is_over_few(const Facts *facts, const Event *event)
{
    int64_t known;
    if (event->loop_count != 1 || event->dealt.node == 0 ||
        event->loops[0].node != event->dealt.node)
        return false;
    const Ast *ast = program_function_unit(facts->program, event->dealt.function)->ast;
    return event_is_over_threads(facts, event) ||
           (ast_at(ast, event->dealt.node)->op == LOOP_COUNTED &&
            ast_constant(ast, loop_limit(ast, event->dealt.node), &known) &&
            known <= MOST_THREADS && !is_repeated(ast, event->dealt.node));
}

/* The loop inside runs over a part that the dealt variable picks: range(start[t], start[t + 1]), t
 * * n / threads. */
static bool is_over_parts(const Facts *facts, const Event *event)
{
    for (uint32_t i = 1; i < event->loop_count; i++) {
        EventLoop loop = event->loops[i];
        const Ast *ast = program_function_unit(facts->program, loop.function)->ast;
        if (ast_at(ast, loop.node)->op != LOOP_COUNTED || loop.function != event->dealt.function)
            continue;
        Affine first = place_index(facts, loop.function, loop_start(ast, loop.node));
        Affine limit = place_index(facts, loop.function, loop_limit(ast, loop.node));
        int64_t coefficient;
        if (event_index_varies(facts, event, &first, &coefficient) &&
            event_index_varies(facts, event, &limit, &coefficient))
            return true;
    }
    return false;
}

static bool owns(const Facts *facts, const Event *event, const Affine *index, Slot *slot,
                 int64_t *coefficient)
{
    if (!event_index_varies(facts, event, index, coefficient) || *coefficient == 0)
        return false;
    slot->by_id = affine_depends(index, SYM_THREAD);
    if (slot->by_id || event->dealt.node == 0)
        return true;
    return event_is_over_threads(facts, event) || is_over_parts(facts, event);
}

/* ---- Python: the shape that the array was made with ---- */

static int64_t bytes_of_dtype(const char *name)
{
    static const struct {
        const char *word;
        int64_t bytes;
    } sizes[] = {{"complex128", 16}, {"int8", 1},      {"bool", 1}, {"16", 2},
                 {"32", 4},          {"complex64", 8}, {"64", 8}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strstr(name, sizes[i].word) != NULL)
            return sizes[i].bytes;
    return 8;
}

static int64_t element_bytes(const Facts *facts, const Unit *unit, AstNode call)
{
    const Ast *ast = unit->ast;
    AstNode dtype = ast_child(ast, call, 2);
    FOR_EACH_CHILD (ast, argument, call)
        if (ast_kind(ast, argument) == AST_KEYWORD &&
            strcmp(intern_text(ast->names, ast_at(ast, argument)->name), "dtype") == 0)
            dtype = ast_first(ast, argument);
    if (dtype != 0 && ast_kind(ast, dtype) == AST_KEYWORD)
        return 8;
    return dtype == 0
               ? 8
               : bytes_of_dtype(intern_text(facts->program->names, ast_at(ast, dtype)->name));
}

/* Bytes between neighbours along axis `axis` of the array that `call` makes; 0 unknown. */
static int64_t bytes_along(const Facts *facts, const Unit *unit, AstNode call, uint32_t axis)
{
    const Ast *ast = unit->ast;
    const LibraryEntry *entry = library_call(facts, unit, call);
    if (entry == NULL || (entry->flags & LIB_SHAPE_FIRST) == 0)
        return 0;
    AstNode shape = ast_child(ast, call, 1);
    if (shape != 0 && ast_kind(ast, shape) == AST_KEYWORD)
        shape = ast_first(ast, shape);
    int64_t bytes = element_bytes(facts, unit, call);
    if (shape == 0 || ast_kind(ast, shape) != AST_TUPLE)
        return axis == 0 ? bytes : 0;
    uint32_t at = 0;
    FOR_EACH_CHILD (ast, dimension, shape) {
        int64_t count;
        if (at++ <= axis)
            continue;
        if (!ast_constant(ast, dimension, &count) || count <= 0)
            return 0;
        bytes *= count;
    }
    return at > axis ? bytes : 0;
}

static int64_t python_stride(const Facts *facts, const Place *place, uint8_t step)
{
    FunctionId function;
    AstNode call = facts_allocation(facts, place, &function);
    uint32_t axis = 0;
    if (call == 0 || function == 0)
        return 0;
    for (uint8_t i = 0; i < step; i++)
        if (place->steps[i].kind == STEP_INDEX || place->steps[i].kind == STEP_SLICE)
            axis++;
    return bytes_along(facts, program_function_unit(facts->program, function), call, axis);
}

/* ---- what is written within a thread's part ---- */

static void read_rest(const Place *place, uint8_t owner, Slot *slot)
{
    slot->offset = 0;
    slot->size = place->steps[place->count - 1].size;
    for (uint8_t i = (uint8_t)(owner + 1); i < place->count; i++) {
        const PlaceStep *step = &place->steps[i];
        if (step->kind == STEP_FIELD && step->offset >= 0 && slot->offset >= 0)
            slot->offset += step->offset;
        else if (step->kind == STEP_INDEX && affine_fixed(&step->index) && slot->offset >= 0)
            slot->offset += step->index.constant * step->size;
        else
            slot->offset = -1;
    }
}

/* The place does not change from turn to turn of the innermost loop, so that a register can hold
 * it. */
static bool is_fixed(const Facts *facts, const Event *event, const Place *place)
{
    for (uint8_t i = 0; i < place->count; i++) {
        const Affine *index = &place->steps[i].index;
        if (place->steps[i].kind != STEP_INDEX)
            continue;
        if (index->loaded)
            return false;
        for (uint8_t k = 0; k < index->count; k++)
            if (!event_distinguishes(facts, event, index->terms[k].sym) &&
                sym_data(facts, index->terms[k].sym)->kind == SYMBOL_LOCAL)
                return false;
    }
    return true;
}

static bool is_memory(const Facts *facts, const Place *place)
{
    FunctionId function;
    if (place->base != PLACE_VARIABLE)
        return true;
    for (uint8_t i = 0; i < place->count; i++)
        if (place->steps[i].kind == STEP_FIELD || place->steps[i].kind == STEP_LOAD)
            return true;
    return facts_allocation(facts, place, &function) != 0;
}

/* weight[d][t], with d from a loop inside: the threads share the fastest axis of a table, and none
 * has a slot. */
static bool is_column(const Facts *facts, const Event *event, uint8_t owner)
{
    const Place *place = &event->effect->place;
    for (uint8_t i = 0; i < owner; i++)
        for (uint32_t k = 1; place->steps[i].kind == STEP_INDEX && !place->steps[i].index.loaded &&
                             k < event->loop_count;
             k++) {
            EventLoop loop = event->loops[k];
            const Unit *unit = program_function_unit(facts->program, loop.function);
            AstNode target = loop_target(unit->ast, loop.node);
            if (target != 0 && ast_kind(unit->ast, target) == AST_NAME &&
                affine_depends(&place->steps[i].index,
                               sym_of(unit, ast_at(unit->ast, target)->symbol)))
                return true;
        }
    return false;
}

bool event_slot(const Facts *facts, const Event *event, Slot *slot)
{
    const Place *place = &event->effect->place;
    bool python = program_function_unit(facts->program, event->root)->language == LANGUAGE_PYTHON;
    *slot = (Slot){0};
    for (uint8_t i = 0; i < place->count; i++) {
        const PlaceStep *step = &place->steps[i];
        int64_t coefficient;
        if (step->kind != STEP_INDEX || !owns(facts, event, &step->index, slot, &coefficient) ||
            (!slot->by_id && is_column(facts, event, i)))
            continue;
        for (uint8_t k = (uint8_t)(i + 1); k < place->count; k++)
            if (place->steps[k].kind == STEP_LOAD)
                return false; /* an array of pointers: what they point to lies anywhere */
        slot->stride = coefficient * (python ? python_stride(facts, place, i) : step->size);
        slot->stride = slot->stride < 0 ? -slot->stride : slot->stride;
        read_rest(place, i, slot);
        slot->fixed = is_fixed(facts, event, place);
        slot->memory = is_memory(facts, place);
        uint32_t declared = place->base == PLACE_VARIABLE ? sym_data(facts, place->sym)->align : 0;
        slot->aligned = slot->stride % LINE == 0 && (declared >= LINE || step->align >= LINE);
        return slot->stride > 0;
    }
    return false;
}

/* ---- arrays of locks ---- */

/* Bytes of the array that a place begins with, if it is declared with a number of elements: also by
 * all callers that hand it to the function. */
static int64_t table_bytes(const Facts *facts, FunctionId function, Place place, int depth)
{
    enum { DEEPEST = 3 };
    const AstSymbolData *data = sym_data(facts, place.sym);
    const Unit *unit = sym_unit(facts, place.sym);
    int64_t bytes = 0;
    if (unit == NULL || depth > DEEPEST)
        return 0;
    if (place.base == PLACE_VARIABLE) {
        const AstTypeData *type = &unit->ast->types.items[data->type];
        return type->kind == TYPE_ARRAY && type->count > 0 ? type->size : 0;
    }
    if (place.base != PLACE_POINTEE || data->kind != SYMBOL_PARAM)
        return 0;
    place.count = 0;
    for (uint32_t i = 0; i < facts->functions[function].callers.count; i++) {
        Caller caller = facts->functions[function].callers.items[i];
        FunctionId from = program_function(facts->program, caller.unit,
                                           ast_function_of(caller.unit->ast, caller.call));
        if (from == 0 || from == function)
            return 0;
        Place actual = place_at_call(facts, &place, function, from, caller.call);
        int64_t here = table_bytes(facts, from, actual, depth + 1);
        if (here == 0 || (bytes != 0 && here != bytes))
            return 0;
        bytes = here;
    }
    return bytes;
}

int64_t event_lock_table(const Facts *facts, const Event *event, int64_t *stride)
{
    const Place *place = &event->effect->place;
    const PlaceStep *pick = place->count > 0 ? &place->steps[0] : NULL;
    if (event->effect->kind != EFFECT_LOCK || pick == NULL || pick->kind != STEP_INDEX ||
        pick->size <= 0 || (!pick->index.loaded && !pick->index.folded) ||
        event_shared(facts, event, place) != 1)
        return 0;
    for (uint8_t i = 1; i < place->count; i++)
        if (place->steps[i].kind != STEP_FIELD)
            return 0; /* a table of rows, or of pointers */
    *stride = pick->size;
    return table_bytes(facts, event->root, *place, 0);
}

int64_t slot_step_bytes(const Facts *facts, const Event *event, uint8_t step)
{
    const Place *place = &event->effect->place;
    FunctionId function;
    if (program_function_unit(facts->program, event->root)->language != LANGUAGE_PYTHON)
        return place->steps[step].size;
    int64_t bytes = python_stride(facts, place, step);
    if (bytes > 0 || facts_allocation(facts, place, &function) != 0)
        return bytes;
    for (uint8_t i = 0; i < place->count; i++)
        if (place->steps[i].container != CONTAINER_ARRAY &&
            place->steps[i].container != CONTAINER_ANY)
            return 0;
    return step + 1 == place->count ? 8 : 0;
}

int64_t event_extent(const Facts *facts, const Event *event)
{
    const Place *place = &event->effect->place;
    for (uint8_t i = 0; i < place->count; i++) {
        const PlaceStep *step = &place->steps[i];
        if (step->kind == STEP_SLICE)
            return -1;
        if (step->kind != STEP_INDEX || (!step->index.loaded && step->index.count == 0))
            continue;
        int64_t whole = 0;
        if (i > 0)
            whole = place->steps[i - 1].size;
        else if (place->base == PLACE_VARIABLE && sym_unit(facts, place->sym) != NULL)
            whole = sym_unit(facts, place->sym)
                        ->ast->types.items[sym_data(facts, place->sym)->type]
                        .size;
        return whole > step->size ? whole : -1;
    }
    return 0;
}

/* x[symbol], as the target of an assignment. */
static bool writes_at(const Ast *ast, AstNode assign, AstSymbol symbol)
{
    AstNode target = ast_kind(ast, assign) == AST_ASSIGN ? ast_first(ast, assign) : 0;
    if (target == 0 || ast_kind(ast, target) != AST_INDEX)
        return false;
    AstNode index = ast_child(ast, target, ast_child_count(ast, target) - 1);
    return ast_kind(ast, index) == AST_NAME && ast_at(ast, index)->symbol == symbol;
}

double facts_bytes_written_at(const Ast *ast, AstNode root, AstSymbol symbol)
{
    double bytes = 0;
    FOR_EACH_NODE (ast, node, root) {
        if (symbol == 0 || !writes_at(ast, node, symbol))
            continue;
        int64_t size = ast->types.items[ast_at(ast, ast_first(ast, node))->type].size;
        bytes += size > 0 ? (double)size : sizeof(double);
    }
    return bytes;
}
