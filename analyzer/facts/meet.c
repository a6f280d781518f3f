#include "analyzer/facts/meet.h"

#include "analyzer/facts/extent.h"
#include "analyzer/facts/model.h"
#include "analyzer/facts/pairs.h"
#include "analyzer/facts/reach.h"
#include "analyzer/facts/stripes.h"

#include <stdlib.h>

enum {
    DEEPEST_PATH = 32,
    FEW_ELEMENTS = 256, /* a histogram of bytes; larger arrays may be as long as the loop */
};

/* A local that gets several values inside the construct may hold anything; a parameter is fixed
 * here. */
static bool is_opaque(const Facts *facts, const Event *event, Sym sym)
{
    const AstSymbolData *data = sym_data(facts, sym);
    if (data->kind != SYMBOL_LOCAL || facts_loop_of(facts, sym) != 0)
        return false;
    FunctionId function =
        program_function(facts_program(facts), sym_unit(facts, sym), data->function);
    return function != event->root || event_covers(facts, event, function, data->decl) ||
           facts_written_within(facts, function, event->construct, (AstSymbol)(uint32_t)sym);
}

/* Of the loops that one variable runs through, the one around the event; any where none is. */
static AstNode loop_around(const Facts *facts, const Event *event, Sym sym)
{
    const Unit *unit = sym_unit(facts, sym);
    for (uint32_t i = event->loop_count; i-- > 0;) {
        const EventLoop *loop = &event->loops[i];
        if (program_function_unit(facts_program(facts), loop->function) != unit ||
            ast_kind(unit->ast, loop->node) != AST_LOOP)
            continue;
        AstNode target = loop_target(unit->ast, loop->node);
        if (target != 0 && ast_at(unit->ast, target)->symbol == (AstSymbol)(uint32_t)sym)
            return loop->node;
    }
    return facts_loop_of(facts, sym);
}

/* An expression of `function`, which the construct's function calls, directly or not, in that one's
 * terms: of add_all(x, i * size, size), whose loop runs from its second parameter, i * size. */
static Affine form_at_construct(const Facts *facts, const Event *event, FunctionId function,
                                AstNode expression)
{
    const Effect *path[DEEPEST_PATH];
    Affine form = place_index(facts, function, expression);
    uint32_t depth = 0, own = 0;
    for (const Effect *at = event->effect; at != NULL && depth < DEEPEST_PATH; at = at->via) {
        own = at->function == function ? depth : own;
        path[depth++] = at;
    }
    for (; own > 0; own--)
        form = affine_at_call(facts, form, path[own]->function, path[own - 1]->function,
                              path[own - 1]->node);
    return form;
}

/* Whether the number that an end of a loop or of a slice is may be another one in each iteration.
 */
static bool end_differs(const Facts *facts, const Event *event, const Affine *end)
{
    int64_t coefficient;
    if (end->loaded || event_index_varies(facts, event, end, &coefficient))
        return true;
    for (uint8_t i = 0; i < end->count; i++)
        if (is_opaque(facts, event, end->terms[i].sym))
            return true;
    return false;
}

/* An index that inner loops run through: their bounds must be the same for all threads, or the
 * elements may be apart. */
static bool bounds_differ(const Facts *facts, const Event *event, Sym sym)
{
    AstNode loop = loop_around(facts, event, sym);
    const Unit *unit = sym_unit(facts, sym);
    if (loop == 0)
        return false;
    FunctionId function =
        program_function(facts_program(facts), unit, ast_function_of(unit->ast, loop));
    AstNode ends[] = {loop_start(unit->ast, loop), loop_limit(unit->ast, loop)};
    if (ast_at(unit->ast, loop)->op != LOOP_COUNTED)
        return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (ends[i] == 0 || ast_kind(unit->ast, ends[i]) == AST_NONE)
            continue;
        Affine bound = form_at_construct(facts, event, function, ends[i]);
        if (end_differs(facts, event, &bound))
            return true;
    }
    return false;
}

/* What tells the threads apart is part of the index by arithmetic, or an inner loop through a part
 * that is the thread's own is: a block of its own, as far as can be seen. */
static bool is_owned(const Facts *facts, const Event *event, const Affine *index)
{
    for (uint8_t i = 0; i < index->count; i++)
        if (index->terms[i].direct && (event_distinguishes(facts, event, index->terms[i].sym) ||
                                       bounds_differ(facts, event, index->terms[i].sym)))
            return true;
    return false;
}

/* Where threads are started one by one, what comes out of memory may be the number that each was
 * given. */
static bool is_started(const Facts *facts, const Event *event)
{
    const Unit *unit = program_function_unit(facts_program(facts), event->root);
    return ast_kind(unit->ast, event->construct) == AST_CALL;
}

/* Whether iterations of different threads meet at the element one index picks. */
static Meeting meeting_of_index(const Facts *facts, const Event *event, const Affine *index)
{
    if (is_owned(facts, event, index))
        return MEET_NEVER;
    if (index->loaded)
        return is_started(facts, event) ? MEET_NEVER : MEET_SOMETIMES;
    if (index->folded || !index->exact)
        return index->count == 0 ? MEET_NEVER : MEET_SOMETIMES;
    for (uint8_t i = 0; i < index->count; i++) {
        Sym sym = index->terms[i].sym;
        const AstSymbolData *data = sym_data(facts, sym);
        if (facts_loop_of(facts, sym) != 0 || data->kind == SYMBOL_PARAM)
            continue;
        if (data->kind == SYMBOL_LOCAL && facts_is_stepped(facts, sym))
            return MEET_NEVER; /* a cursor of its own making: not known */
        return MEET_SOMETIMES;
    }
    return MEET_ALWAYS;
}

static bool is_common(const Facts *facts, const Event *event, FunctionId function, AstNode value,
                      int depth);

/* A variable that has one value for all threads, or runs through the same ones on each. */
static bool is_common_name(const Facts *facts, const Event *event, FunctionId function,
                           AstNode name, int depth)
{
    const Unit *unit = program_function_unit(facts_program(facts), function);
    AstSymbol symbol = ast_at(unit->ast, name)->symbol;
    Sym sym = sym_of(unit, symbol);
    const SymbolUse *use = &facts->uses[unit->id][symbol];
    const AstSymbolData *data = &unit->ast->symbols.items[symbol];
    if (symbol == 0 || use->address_taken || use->thread || event_distinguishes(facts, event, sym))
        return false;
    if (use->loop != 0)
        return use->writes == 1 && !use->augmented && !bounds_differ(facts, event, sym);
    if (data->kind == SYMBOL_LOCAL && use->writes == 1 && !use->augmented && use->value != 0)
        return is_common(facts, event, function, use->value, depth + 1);
    return (data->kind == SYMBOL_PARAM || data->kind == SYMBOL_GLOBAL ||
            data->kind == SYMBOL_STATIC) &&
           !facts_written_within(facts, function, event->construct, symbol);
}

/* row * width + column: nothing but arithmetic on such variables, of whatever degree. */
static bool is_common(const Facts *facts, const Event *event, FunctionId function, AstNode value,
                      int depth)
{
    enum { DEEPEST = 12 };
    const Ast *ast = program_function_unit(facts_program(facts), function)->ast;
    int64_t known;
    value = ast_without_casts(ast, value);
    if (value == 0 || depth > DEEPEST)
        return false;
    if (ast_constant(ast, value, &known))
        return true;
    switch (ast_kind(ast, value)) {
    case AST_NAME:
        return is_common_name(facts, event, function, value, depth);
    case AST_UNARY:
    case AST_BINARY:
        FOR_EACH_CHILD (ast, part, value)
            if (!is_common(facts, event, function, part, depth + 1))
                return false;
        return true;
    default:
        return false;
    }
}

/* sums[row * width + column] += x with loops over all rows and columns in each iteration: no linear
 * form, but the same elements for all threads. */
static bool is_common_index(const Facts *facts, const Event *event, const PlaceStep *step)
{
    const Unit *unit = program_function_unit(facts_program(facts), step->function);
    return unit->language != LANGUAGE_PYTHON && step->function == event->root &&
           ast_kind(unit->ast, step->node) == AST_INDEX && !step->index.loaded &&
           ast_child_count(unit->ast, step->node) == 2 &&
           is_common(facts, event, step->function, ast_child(unit->ast, step->node, 1), 0);
}

/* x[i:i + 3] of a loop that counts by less: the next iteration's window overlaps. */
static bool is_window(const Facts *facts, const Event *event, FunctionId function, AstNode slice)
{
    const Unit *unit = program_function_unit(facts_program(facts), function);
    const Ast *ast = unit->ast;
    const Unit *root = program_function_unit(facts_program(facts), event->dealt.function);
    AstNode ends[] = {ast_first(ast, slice), ast_child(ast, slice, 1)};
    AstNode by = event->dealt.node == 0 ? 0 : loop_step(root->ast, event->dealt.node);
    int64_t step = 1, moves;
    if (ast_kind(ast, slice) != AST_SLICE || ends[1] == 0 || event->dealt.node == 0 ||
        ast_kind(ast, ends[0]) == AST_NONE || ast_kind(ast, ends[1]) == AST_NONE ||
        ast_kind(ast, ast_child(ast, slice, 2)) != AST_NONE ||
        (by != 0 && ast_kind(root->ast, by) != AST_NONE && !ast_constant(root->ast, by, &step)))
        return false;
    Affine from = form_at_construct(facts, event, function, ends[0]);
    Affine width = affine_add(form_at_construct(facts, event, function, ends[1]), from, -1);
    return affine_fixed(&width) && from.exact && from.count == 1 &&
           event_index_varies(facts, event, &from, &moves) && moves != 0 &&
           width.constant > llabs(moves * step);
}

/* x[a:b] with ends that go along with the iteration: blocks of one's own (tiles, rows between
 * pointers), as a rule. */
static bool is_own_block(const Facts *facts, const Event *event, const PlaceStep *step)
{
    const Unit *unit = program_function_unit(facts_program(facts), step->function);
    const Ast *ast = unit->ast;
    for (AstNode at = ast_child(ast, step->node, 1); at != 0; at = ast_next(ast, at)) {
        AstNode slice = place_slice(facts, unit, at);
        if (slice == 0 || is_window(facts, event, step->function, slice))
            continue;
        FOR_EACH_CHILD (ast, end, slice) {
            if (ast_kind(ast, end) == AST_NONE)
                continue;
            Affine bound = form_at_construct(facts, event, step->function, end);
            int64_t coefficient;
            if (event_index_varies(facts, event, &bound, &coefficient))
                return true;
        }
    }
    return false;
}

/* scores[labels == label] with a label for each iteration: what its own mask picks, as a rule. */
static bool is_own_mask(const Facts *facts, const Event *event, const PlaceStep *step)
{
    const Unit *unit = program_function_unit(facts_program(facts), step->function);
    const Ast *ast = unit->ast;
    if (unit->language != LANGUAGE_PYTHON || ast_kind(ast, step->node) != AST_INDEX)
        return false;
    for (AstNode at = ast_child(ast, step->node, 1); at != 0; at = ast_next(ast, at)) {
        AstNode mask = at;
        if (ast_kind(ast, at) == AST_NAME && reach_of(facts, unit, at, &mask) != REACH_VALUE)
            continue;
        AstKind kind = ast_kind(ast, mask);
        if (kind != AST_COMPARE &&
            ((kind != AST_BINARY && kind != AST_UNARY) || !ast_holds_kind(ast, mask, AST_COMPARE)))
            continue;
        Affine form = form_at_construct(facts, event, step->function, mask);
        int64_t coefficient;
        if (event_index_varies(facts, event, &form, &coefficient))
            return true;
    }
    return false;
}

/* What a variable that is set once is set to. */
static AstNode spelled_out(const Facts *facts, const Unit *unit, AstNode size)
{
    const SymbolUse *use = ast_kind(unit->ast, size) == AST_NAME
                               ? &facts->uses[unit->id][ast_at(unit->ast, size)->symbol]
                               : NULL;
    return use != NULL && use->writes == 1 && use->value != 0 ? use->value : size;
}

/* x[(i + 1) % n] of a loop over n: the elements one on, each once. */
static bool is_rotation(const Facts *facts, const Event *event, const PlaceStep *step)
{
    const Unit *unit = program_function_unit(facts_program(facts), step->function);
    const Ast *ast = unit->ast;
    AstNode loop = event->dealt.node;
    if (loop == 0 || step->function != event->dealt.function ||
        ast_kind(ast, step->node) != AST_INDEX || ast_at(ast, loop)->op != LOOP_COUNTED)
        return false;
    AstNode first = loop_start(ast, loop), by = loop_step(ast, loop);
    int64_t start = 0, stride = 1, moves;
    bool whole = (first == 0 || ast_kind(ast, first) == AST_NONE ||
                  (ast_constant(ast, first, &start) && start == 0)) &&
                 (by == 0 || ast_kind(ast, by) == AST_NONE ||
                  (ast_constant(ast, by, &stride) && stride == 1));
    for (AstNode at = ast_child(ast, step->node, 1); whole && at != 0; at = ast_next(ast, at)) {
        AstNode value = at;
        if (ast_kind(ast, at) == AST_NAME && reach_of(facts, unit, at, &value) != REACH_VALUE)
            continue;
        if (ast_kind(ast, value) != AST_BINARY || ast_at(ast, value)->op != OP_MOD)
            continue;
        Affine form = place_index(facts, step->function, ast_first(ast, value));
        if (form.exact && event_index_varies(facts, event, &form, &moves) && llabs(moves) == 1 &&
            form.count == 1 &&
            ast_same(ast, spelled_out(facts, unit, ast_child(ast, value, 1)),
                     spelled_out(facts, unit, loop_limit(ast, loop))))
            return true;
    }
    return false;
}

/* The cheap test in front: a subscript in which the dealt variable is not alone, or goes through %,
 * /, & or >>. One by itself, a[i] or a[2 * i + 1], is never the same twice. */
static bool is_worth_asking(const Facts *facts, const Event *event, const Affine *index)
{
    bool varies = false, direct = false;
    for (uint8_t i = 0; i < index->count; i++) {
        varies |= event_distinguishes(facts, event, index->terms[i].sym) ||
                  bounds_differ(facts, event, index->terms[i].sym);
        direct |= index->terms[i].direct;
    }
    return varies && !index->loaded &&
           (index->exact ? index->count > 1 || bounds_differ(facts, event, index->terms[0].sym)
                         : index->folded && !direct);
}

/* Loops share an iteration space, and the place does not name all of their variables. */
static bool is_short_of_variables(const Facts *facts, const Event *event)
{
    const Place *place = &event->effect->place;
    const Unit *unit = program_function_unit(facts_program(facts), event->dealt.function);
    uint32_t levels =
        event->dealt.node == 0 ? 0 : ast_at(unit->ast, event->dealt.node)->value.loop.collapse;
    Sym seen[PLACE_STEPS * AFFINE_TERMS];
    uint32_t count = 0;
    for (uint8_t i = 0; i < place->count; i++)
        for (uint8_t k = 0; k < place->steps[i].index.count; k++) {
            Sym sym = place->steps[i].index.terms[k].sym;
            bool known = !event_distinguishes(facts, event, sym);
            for (uint32_t n = 0; n < count; n++)
                known |= seen[n] == sym;
            if (!known)
                seen[count++] = sym;
        }
    return levels > 1 && count < levels;
}

static Meeting cheap_meeting(const Facts *facts, const Event *event, bool *ask)
{
    const Place *place = &event->effect->place;
    Meeting meeting = MEET_ALWAYS;
    bool always = is_short_of_variables(facts, event);
    *ask = always;
    for (uint8_t i = 0; i < place->count; i++) {
        if (is_own_mask(facts, event, &place->steps[i]) ||
            is_rotation(facts, event, &place->steps[i]) ||
            (place->steps[i].kind == STEP_SLICE && is_own_block(facts, event, &place->steps[i]))) {
            *ask = false;
            return MEET_NEVER;
        }
        if (place->steps[i].kind != STEP_INDEX)
            continue;
        const Affine *index = &place->steps[i].index;
        Meeting one = meeting_of_index(facts, event, index);
        if (one == MEET_SOMETIMES && is_common_index(facts, event, &place->steps[i]))
            one = MEET_ALWAYS;
        bool worth = always || is_worth_asking(facts, event, index);
        if (one == MEET_NEVER && !worth) {
            *ask = false;
            return MEET_NEVER;
        }
        meeting = one < meeting ? one : meeting;
        *ask |= worth;
    }
    return meeting;
}

Meeting event_meeting(const Facts *facts, const Event *event)
{
    bool ask;
    int64_t witness[2];
    Meeting meeting = cheap_meeting(facts, event, &ask);
    Answer answer = ask ? pairs_meet(facts, event, witness) : ANSWER_UNKNOWN;
    if (answer != ANSWER_UNKNOWN)
        return answer == ANSWER_MEET ? MEET_ALWAYS : MEET_NEVER;
    return meeting == MEET_SOMETIMES && stripes_in_phases(facts, event) ? MEET_NEVER : meeting;
}

/* The variable of the dealt loop, or one that its body sets. */
static bool is_of_iteration(const Facts *facts, const Event *event, Sym sym)
{
    const Unit *unit = program_function_unit(facts_program(facts), event->dealt.function);
    if (sym == SYM_THREAD || sym_unit(facts, sym) != unit)
        return false;
    const AstSymbolData *data = sym_data(facts, sym);
    return event_distinguishes(facts, event, sym) ||
           (data->kind == SYMBOL_LOCAL && facts_loop_of(facts, sym) == 0 &&
            program_function(facts_program(facts), unit, data->function) == event->dealt.function &&
            facts_written_within(facts, event->dealt.function, event->dealt.node,
                                 (AstSymbol)(uint32_t)sym));
}

/* What picks the element is read or computed in the iteration: kind[i], x[i].kind, a local of the
 * body; nothing that the thread has for itself. */
static bool is_picked_anew(const Facts *facts, const Event *event, const PlaceStep *step)
{
    const Unit *unit = program_function_unit(facts_program(facts), step->function);
    bool anew = false;
    for (uint8_t i = 0; i < step->index.count; i++) {
        if (step->index.terms[i].sym == SYM_THREAD)
            return false;
        anew |= is_of_iteration(facts, event, step->index.terms[i].sym);
    }
    if (anew || step->function != event->dealt.function ||
        ast_kind(unit->ast, step->node) != AST_INDEX)
        return anew;
    FOR_EACH_NODE (unit->ast, node, ast_child(unit->ast, step->node, 1))
        if (ast_kind(unit->ast, node) == AST_NAME && ast_at(unit->ast, node)->symbol != 0 &&
            is_of_iteration(facts, event, sym_of(unit, ast_at(unit->ast, node)->symbol)))
            return true;
    return false;
}

static int64_t type_bytes(const Facts *facts, Sym sym)
{
    const Unit *unit = sym_unit(facts, sym);
    return unit == NULL ? 0 : unit->ast->types.items[sym_data(facts, sym)->type].size;
}

bool event_crowded(const Facts *facts, const Event *event)
{
    const Place *place = &event->effect->place;
    int64_t elements = 1;
    if (event->dealt.node == 0 || event_meeting(facts, event) != MEET_SOMETIMES)
        return false;
    for (uint8_t i = 0; i < place->count; i++) {
        const PlaceStep *step = &place->steps[i];
        if (step->kind == STEP_SLICE)
            return false;
        if (step->kind != STEP_INDEX || meeting_of_index(facts, event, &step->index) == MEET_ALWAYS)
            continue;
        int64_t whole = i > 0                           ? place->steps[i - 1].size
                        : place->base == PLACE_VARIABLE ? type_bytes(facts, place->sym)
                                                        : 0;
        if (!is_picked_anew(facts, event, step) || step->size <= 0 || whole <= step->size ||
            whole / step->size > FEW_ELEMENTS / elements)
            return false;
        elements *= whole / step->size;
    }
    const Unit *unit = program_function_unit(facts_program(facts), event->dealt.function);
    return elements > 1 &&
           extent_trips(facts, NULL, unit, event->dealt.node).high > (double)elements;
}

bool event_witness(const Facts *facts, const Event *event, int64_t values[2])
{
    bool ask;
    (void)cheap_meeting(facts, event, &ask);
    return ask && pairs_meet(facts, event, values) == ANSWER_MEET;
}
