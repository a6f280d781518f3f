/* Places of different threads on one cache line, written again and again. */
#include "analyzer/pass.h"

#include <math.h>

enum { LINE = 64, WIDE_ROW = 4 * LINE };

static bool is_write(const Event *event)
{
    uint8_t kind = event->effect->kind;
    return (kind == EFFECT_ACCUMULATE || kind == EFFECT_WRITE || kind == EFFECT_ATOMIC) &&
           !event->rare && !event->once;
}

/* Runs more than once per thread: a loop inside what the thread is given. */
static bool is_repeated(const Event *event, bool by_id)
{
    return event->loop_count > (event->dealt.node != 0 && !by_id ? 1u : 0u);
}

static bool is_python(const Pass *pass, FunctionId function)
{
    return program_function_unit(pass->program, function)->language == LANGUAGE_PYTHON;
}

/* A slot that a thread writes in a loop, as seen by one event. */
static bool slot_of(const Pass *pass, const Event *event, Slot *slot)
{
    if (!is_write(event) || !event_slot(pass->facts, event, slot) ||
        !is_repeated(event, slot->by_id))
        return false;
    if (event_shared(pass->facts, event, &event->effect->place) == 0)
        return false;
    bool python = is_python(pass, event->origin->function);
    return !(python && slot->fixed && !slot->by_id); /* numba keeps it in a register: measured */
}

static bool same_array(const Event *left, const Event *right)
{
    const Place *a = &left->effect->place, *b = &right->effect->place;
    return left->root == right->root && left->construct == right->construct && a->base == b->base &&
           a->sym == b->sym && a->node == b->node;
}

/* Bytes from the first to the last byte that the threads of this construct write in their part; -1:
 * all of it. */
static int64_t span_of(const Pass *pass, const Event *event, uint32_t *first)
{
    int64_t low = INT64_MAX, high = 0;
    *first = facts_event_count(pass->facts);
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *other = facts_event(pass->facts, i);
        Slot slot;
        if (!same_array(event, other) || !slot_of(pass, other, &slot) ||
            other->effect->kind == EFFECT_WRITE)
            continue;
        *first = i < *first ? i : *first;
        if (slot.offset < 0)
            return -1;
        low = slot.offset < low ? slot.offset : low;
        high = slot.offset + slot.size > high ? slot.offset + slot.size : high;
    }
    return high > low ? high - low : 0;
}

static bool share_a_line(const Slot *slot, int64_t span)
{
    if (slot->aligned)
        return false;
    if (slot->stride < LINE)
        return true;
    if (span < 0)
        return slot->stride <
               WIDE_ROW; /* only the edges of a wide row meet, and data seldom falls there */
    return slot->stride < WIDE_ROW && slot->stride - span < LINE - 2 * slot->size;
}

/* What an index from data picks stays in memory. */
static Promotion promotion_of(const Pass *pass, const Event *event, const Slot *slot)
{
    return slot->fixed ? event_promotion(pass->facts, event) : (Promotion){0};
}

/* What would make it cost less than it is said to. */
static const char *unless_of(Promotion promotion)
{
    return promotion.whole ? "the compiler keeps the slot in a register" : NULL;
}

static const char *array_name(const Pass *pass, const Event *event)
{
    const Ast *ast = program_function_unit(pass->program, event->origin->function)->ast;
    AstNode node = event->origin->node, target = ast_first(ast, node);
    if (ast_kind(ast, node) == AST_CALL)
        target = ast_child(ast, node, 1);
    while (ast_kind(ast, target) == AST_ADDRESS || ast_kind(ast, target) == AST_CAST)
        target = ast_first(ast, target);
    return pass_text(pass, event->origin->function, target != 0 ? target : node);
}

static ExposureAccess access_of(const Event *event)
{
    switch (event->effect->kind) {
    case EFFECT_ATOMIC:
        return ACCESS_ATOMIC;
    case EFFECT_ACCUMULATE:
        return ACCESS_UPDATE;
    default:
        return ACCESS_STORE;
    }
}

/* `bytes` of a slot are written in turn. */
static void fill(const Pass *pass, const Event *event, Finding *finding, double stride,
                 double bytes)
{
    finding->shared = true;
    finding->exposure.access = access_of(event);
    finding->exposure.stride = stride;
    finding->exposure.bytes = bytes;
    finding->exposure.sharing = SHARING_PRIVATE;
    finding->note_only = pass_runs_unseen(pass, event);
    finding->what = arena_printf(pass->arena, "update of %s", array_name(pass, event));
}

/* double part[N], of the function that starts the threads: part[N][8]. Not where the array would
 * get too large for a stack. */
static bool offer_padding(const Pass *pass, const Event *event, const Slot *slot, Finding *finding)
{
    enum { MOST_ELEMENTS = 1024 };
    const Place *place = &event->effect->place;
    if (is_python(pass, event->root) || place->base != PLACE_VARIABLE || place->count != 1 ||
        slot->size <= 0 || slot->stride != slot->size || LINE % slot->size != 0)
        return false;
    const Unit *unit = program_function_unit(pass->program, event->root);
    AstSymbol symbol = (AstSymbol)(uint32_t)place->sym;
    const AstTypeData *type = &unit->ast->types.items[unit->ast->symbols.items[symbol].type];
    if (sym_unit(pass->facts, place->sym) != unit || type->kind != TYPE_ARRAY ||
        type->count > MOST_ELEMENTS || (type->count < 0 && !slot->by_id))
        return false;
    uint32_t columns = (uint32_t)(LINE / slot->size);
    Fix fix = {.description = arena_printf(pass->arena,
                                           "give every thread a cache line of its own: %s[...][%u]",
                                           sym_name(pass->facts, place->sym), (unsigned)columns)};
    fix.safe = edit_pad(pass_edits(pass, event->root), &fix, symbol, columns);
    if (fix.safe)
        LIST_PUSH(pass->arena, &finding->fixes, fix);
    return fix.safe;
}

static void offer_fixes(const Pass *pass, Finding *finding, bool padded)
{
    LIST_PUSH(
        pass->arena, &finding->fixes,
        (Fix){.description = "accumulate in a local variable and store it once, after the loop"});
    if (padded)
        return;
    LIST_PUSH(pass->arena, &finding->fixes,
              (Fix){.description = "give every thread a cache line of its own: pad the slots to 64 "
                                   "bytes, or use a reduction"});
}

static void report(Pass *pass, const Event *event, const Slot *slot)
{
    Finding finding = pass_finding(pass, event, event->origin->function, event->origin->node,
                                   event->origin->node);
    Promotion promotion = promotion_of(pass, event, slot);
    bool certain = !promotion.whole;
    /* wider parts that do not start on a line: two neighbours meet on the line at their border */
    double stride = slot->stride < LINE ? (double)slot->stride : LINE / 2.0;
    fill(pass, event, &finding, stride, slot->offset < 0 ? stride : 8);
    finding.only_stores = promotion.loads && finding.exposure.access == ACCESS_UPDATE;
    finding.message = arena_printf(pass->arena,
                                   "%s of neighbouring threads lie %lld bytes apart and are "
                                   "updated once per %s of %s: they share a cache line of "
                                   "%d bytes, which moves between cores with every update%s",
                                   array_name(pass, event), (long long)slot->stride, finding.per,
                                   pass_loops(pass, &finding), LINE,
                                   certain ? ""
                                           : ", where the compiler does not keep the slot in a "
                                             "register (clang stores it, gcc often does not)");
    finding.unless = unless_of(promotion);
    finding.portability = certain ? NULL
                                  : "compilers that store the slot in every turn: clang; gcc "
                                    "mostly keeps it in a register";
    offer_fixes(pass, &finding, offer_padding(pass, event, slot, &finding));
    pass_add(pass, &finding);
}

/* ---- two threads, two fields of one object ---- */

/* The same object but for the last field. */
static bool same_object(const Place *left, const Place *right, const PlaceStep **field,
                        const PlaceStep **other)
{
    if (left->base != right->base || left->sym != right->sym || left->count != right->count ||
        left->count == 0)
        return false;
    *field = &left->steps[left->count - 1];
    *other = &right->steps[right->count - 1];
    if ((*field)->kind != STEP_FIELD || (*other)->kind != STEP_FIELD ||
        (*field)->field == (*other)->field)
        return false;
    Place head = *left, tail = *right;
    head.count--;
    tail.count--;
    return place_same(&head, &tail);
}

static bool starts_a_thread(const Pass *pass, const Event *event)
{
    return ast_kind(program_function_unit(pass->program, event->root)->ast, event->construct) ==
           AST_CALL;
}

static bool is_field_update(const Pass *pass, const Event *event)
{
    return event->effect->kind != EFFECT_WRITE && is_write(event) && event->loop_count > 0 &&
           starts_a_thread(pass, event);
}

/* The two fields can lie on one line: near each other, and not each at the start of a line of its
 * own. */
static bool fields_meet(const PlaceStep *field, const PlaceStep *other)
{
    int64_t distance = field->offset > other->offset ? field->offset - other->offset
                                                     : other->offset - field->offset;
    return field->offset >= 0 && other->offset >= 0 && distance < LINE;
}

static void check_fields(Pass *pass, const Event *event)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *other = facts_event(pass->facts, i);
        const PlaceStep *field, *neighbour;
        if (other->root != event->root || other->construct <= event->construct ||
            !is_field_update(pass, other) ||
            !same_object(&event->effect->place, &other->effect->place, &field, &neighbour) ||
            !fields_meet(field, neighbour))
            continue;
        int64_t distance = field->offset > neighbour->offset ? field->offset - neighbour->offset
                                                             : neighbour->offset - field->offset;
        Finding finding = pass_finding(pass, event, event->origin->function, event->origin->node,
                                       event->origin->node);
        fill(pass, event, &finding, (double)distance, 8);
        finding.exposure.threads = 2;
        finding.message = arena_printf(
            pass->arena,
            "%s and %s are updated by two threads, once per %s each, and lie %lld bytes apart "
            "in one object: they share a cache line of %d bytes, which moves between the cores",
            array_name(pass, event), array_name(pass, other), finding.per, (long long)distance,
            LINE);
        offer_fixes(pass, &finding, false);
        pass_add(pass, &finding);
        return;
    }
}

/* ---- locks side by side ---- */

/* Locks that data picks keep threads apart, and lie on few lines all the same. Of `threads` that
 * each hold one of them, so many are at one line on the average. */
static double threads_a_line(int threads, int64_t bytes)
{
    return 1 + (threads - 1) / ceil((double)bytes / LINE);
}

static void check_locks(Pass *pass, const Event *event)
{
    int64_t stride = 0, bytes = event_lock_table(pass->facts, event, &stride);
    if (bytes <= 0 || stride >= LINE || bytes > (int64_t)2 * LINE * pass->threads || event->rare ||
        event->seldom || event->once || event->loop_count == 0)
        return;
    Finding finding = pass_finding(pass, event, event->origin->function, event->origin->node,
                                   event->origin->node);
    fill(pass, event, &finding, (double)stride, (double)stride);
    finding.exposure.access = ACCESS_ATOMIC;
    finding.exposure.threads = (int)fmax(2, round(threads_a_line(pass->threads, bytes)));
    finding.message = arena_printf(
        pass->arena,
        "%lld locks lie %lld bytes apart, on %.0f cache lines, and one is taken once per %s of %s: "
        "threads that hold different locks write to the same line",
        (long long)(bytes / stride), (long long)stride, ceil((double)bytes / LINE), finding.per,
        pass_loops(pass, &finding));
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = "pad the locks to a line each, or count into a table of the "
                                   "thread's own and add the tables up once (reduction)"});
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *event = facts_event(pass->facts, i);
        Slot slot;
        uint32_t first;
        if (is_field_update(pass, event))
            check_fields(pass, event);
        check_locks(pass, event);
        if (!slot_of(pass, event, &slot))
            continue;
        int64_t span = span_of(pass, event, &first);
        bool updates = event->effect->kind != EFFECT_WRITE;
        if (updates && first == i && share_a_line(&slot, span))
            report(pass, event, &slot);
    }
}

const Rule rule_adjacent_slots = {
    .id = "adjacent-slots",
    .summary = "per-thread slots share a cache line (false sharing)",
    .help = "Slots of different threads on one cache line make the line move between cores with "
            "every write, although no "
            "data is shared. Keep the value in a local, or give every thread a line of its own.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_slots,
};
