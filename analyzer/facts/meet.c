#include "analyzer/facts/meet.h"

/* An index that inner loops run through: their bounds must be the same for all threads, or the
 * elements may be apart. */
static bool bounds_differ(const Facts *facts, const Event *event, Sym sym)
{
    AstNode loop = facts_loop_of(facts, sym);
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
        Affine bound = place_index(facts, function, ends[i]);
        int64_t coefficient;
        if (bound.loaded || event_index_varies(facts, event, &bound, &coefficient))
            return true;
        for (uint8_t k = 0; k < bound.count;
             k++) /* an opaque local may hold anything, a parameter is fixed here */
            if (sym_data(facts, bound.terms[k].sym)->kind == SYMBOL_LOCAL &&
                facts_loop_of(facts, bound.terms[k].sym) == 0 &&
                event_covers(facts, event, function, sym_data(facts, bound.terms[k].sym)->decl))
                return true;
    }
    return false;
}

/* Whether iterations of different threads meet at the element one index picks. */
static Meeting meeting_of_index(const Facts *facts, const Event *event, const Affine *index)
{
    int64_t coefficient;
    bool varies = event_index_varies(facts, event, index, &coefficient);
    if (varies && (coefficient != 0 || (!index->loaded && !index->folded)))
        return MEET_NEVER; /* a block of its own, as far as can be seen */
    if (index->loaded || index->folded || !index->exact)
        return index->loaded || varies ? MEET_SOMETIMES
               : index->count == 0     ? MEET_NEVER
                                       : MEET_SOMETIMES;
    for (uint8_t i = 0; i < index->count; i++) {
        Sym sym = index->terms[i].sym;
        const AstSymbolData *data = sym_data(facts, sym);
        if (bounds_differ(facts, event, sym))
            return MEET_NEVER;
        if (facts_loop_of(facts, sym) != 0 || data->kind == SYMBOL_PARAM)
            continue;
        if (data->kind == SYMBOL_LOCAL && facts_is_stepped(facts, sym))
            return MEET_NEVER; /* a cursor of its own making: not known */
        return MEET_SOMETIMES;
    }
    return MEET_ALWAYS;
}

Meeting event_meeting(const Facts *facts, const Event *event)
{
    const Place *place = &event->effect->place;
    Meeting meeting = MEET_ALWAYS;
    for (uint8_t i = 0; i < place->count; i++) {
        if (place->steps[i].kind != STEP_INDEX)
            continue;
        Meeting one = meeting_of_index(facts, event, &place->steps[i].index);
        meeting = one < meeting ? one : meeting;
    }
    return meeting;
}
