#include "analyzer/facts/given.h"

#include "analyzer/facts/path.h"

#include <string.h>

/* What threads read that one call starts, in the starter's terms. */
typedef struct Start {
    const Facts *facts;
    const Unit *unit;
    FunctionId starter;
    Sym turn; /* variable of the loop around the call; 0 none */
    Place seen;
} Start;

static Sym turn_of(const Unit *unit, AstNode call)
{
    const Ast *ast = unit->ast;
    for (AstNode up = ast_parent(ast, call); up != 0; up = ast_parent(ast, up)) {
        AstNode target = ast_kind(ast, up) == AST_LOOP ? loop_target(ast, up) : 0;
        if (target != 0 && ast_kind(ast, target) == AST_NAME && ast_at(ast, target)->symbol != 0)
            return sym_of(unit, ast_at(ast, target)->symbol);
    }
    return 0;
}

/* The only variable that the form grows with, and by how much. */
static bool grows_with(const Affine *form, Sym *variable, int64_t *coefficient)
{
    if (!form->exact || form->loaded || form->folded || form->count != 1 ||
        !form->terms[0].linear || form->terms[0].coefficient == 0)
        return false;
    *variable = form->terms[0].sym;
    *coefficient = form->terms[0].coefficient;
    return true;
}

/* ---- what an initialiser gives to a field ---- */

/* The name in front of a value, .number = t; *designated: whether there is any. */
static bool is_designated_by(const Unit *unit, AstNode value, const char *field, bool *designated)
{
    const Source *source = unit_source(unit, value);
    uint32_t at = ast_at(unit->ast, value)->start;
    size_t length = strlen(field);
    while (at > 0 && (source->bytes[at - 1] == ' ' || source->bytes[at - 1] == '\n'))
        at--;
    *designated = at > 0 && source->bytes[at - 1] == '=';
    while (*designated && at > 0 && (source->bytes[at - 1] == ' ' || source->bytes[at - 1] == '='))
        at--;
    return *designated && at > length && source->bytes[at - length - 1] == '.' &&
           memcmp(source->bytes + at - length, field, length) == 0;
}

static AstNode initial_value(const Start *start, AstNode initialiser, AstNode target, Name field)
{
    const Ast *ast = start->unit->ast;
    AstType type = ast_at(ast, target)->type;
    const AstTypeData *of = &ast->types.items[type];
    const char *name = intern_text(start->facts->program->names, field);
    bool any = false;
    FOR_EACH_CHILD (ast, value, initialiser) {
        bool designated;
        if (is_designated_by(start->unit, value, name, &designated))
            return value;
        any |= designated;
    }
    AstNode value = any ? 0 : ast_first(ast, initialiser);
    for (uint32_t i = 0; value != 0 && i < of->field_count; i++, value = ast_next(ast, value))
        if (ast->fields.items[of->first_field + i].name == field)
            return value;
    return 0;
}

/* ---- what the starter stores there ---- */

/* `stored` is the place that is read, but for indices; *index: which of its steps is the one that
 * turns pick, -1 if there is none. */
static bool fits(const Start *start, const Place *stored, uint8_t count, int *index)
{
    const Place *seen = &start->seen;
    *index = -1;
    if (stored->base != seen->base || stored->sym != seen->sym || stored->node != seen->node ||
        stored->function != seen->function || stored->count != count)
        return false;
    for (uint8_t i = 0; i < count; i++) {
        const PlaceStep *left = &stored->steps[i], *right = &seen->steps[i];
        if (left->kind != right->kind || left->kind == STEP_SLICE ||
            (left->kind == STEP_FIELD && left->field != right->field))
            return false;
        if (left->kind != STEP_INDEX ||
            (affine_fixed(&left->index) && affine_same(&left->index, &right->index)))
            continue;
        if (*index >= 0)
            return false;
        *index = i;
    }
    return true;
}

/* Growth from turn to turn of what is read, after `stored` = value. 0: the same for all, or not
 * known. */
static int64_t growth_by(const Start *start, const Place *stored, int index, AstNode value)
{
    Affine form = place_index(start->facts, start->starter, value);
    Sym variable, place, picked;
    int64_t growth, step, pick;
    if (!grows_with(&form, &variable, &growth))
        return 0;
    if (index < 0)
        return variable == start->turn ? growth : 0;
    if (!grows_with(&stored->steps[index].index, &place, &step) ||
        !grows_with(&start->seen.steps[index].index, &picked, &pick) || place != variable ||
        picked != start->turn || growth * pick % step != 0)
        return 0;
    return growth * pick / step;
}

/* The value that an assignment stores to what is read, itself or in an initialiser; 0 if it stores
 * elsewhere. */
static AstNode value_stored(const Start *start, AstNode assign, Place *stored, int *index)
{
    const Ast *ast = start->unit->ast;
    AstNode target = ast_first(ast, assign), value = ast_child(ast, assign, 1);
    const Place *seen = &start->seen;
    AstKind kind = ast_kind(ast, target);
    if (value == 0 || (kind != AST_INDEX && kind != AST_FIELD && kind != AST_DEREF))
        return 0;
    *stored = place_of(start->facts, start->starter, target);
    if (fits(start, stored, seen->count, index))
        return value;
    const PlaceStep *last = seen->count > 0 ? &seen->steps[seen->count - 1] : NULL;
    if (last == NULL || last->kind != STEP_FIELD || ast_kind(ast, value) != AST_INITIALIZER ||
        !fits(start, stored, (uint8_t)(seen->count - 1), index))
        return 0;
    return initial_value(start, value, target, last->field);
}

/* All that the starter stores there must grow by the same from turn to turn. */
static int64_t growth_at(const Start *start)
{
    const Ast *ast = start->unit->ast;
    int64_t growth = 0;
    FOR_EACH_NODE (ast, node, program_function_data(start->facts->program, start->starter)->node) {
        Place stored;
        int index;
        AstNode value =
            ast_kind(ast, node) == AST_ASSIGN ? value_stored(start, node, &stored, &index) : 0;
        if (value == 0)
            continue;
        int64_t by = ast_at(ast, node)->op == OP_NONE ? growth_by(start, &stored, index, value) : 0;
        if (by == 0 || (growth != 0 && by != growth))
            return 0;
        growth = by;
    }
    return growth;
}

static Start start_at(const Facts *facts, const Unit *unit, AstNode call)
{
    Start start = {.facts = facts, .unit = unit, .turn = turn_of(unit, call)};
    start.starter = program_function(facts->program, unit, ast_function_of(unit->ast, call));
    return start;
}

/* ---- pointers ---- */

static bool depends_on(const Place *place, const Affine *index)
{
    for (uint8_t i = 0; i < place->count; i++)
        for (uint8_t k = 0; place->steps[i].kind == STEP_INDEX && k < index->count; k++)
            if (affine_depends(&place->steps[i].index, index->terms[k].sym))
                return true;
    return false;
}

/* job[t].hits = calloc(…), in a loop: memory of its own for each. */
static bool is_made_in_loop(const Ast *ast, const Place *place)
{
    if (place->base != PLACE_ALLOCATION)
        return false;
    for (AstNode up = ast_parent(ast, place->node); up != 0; up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_LOOP)
            return true;
    return false;
}

Place given_pointer(const Facts *facts, const Unit *unit, AstNode call, const Place *seen)
{
    const Ast *ast = unit->ast;
    Start start = start_at(facts, unit, call);
    Place given = {0};
    start.seen = *seen;
    FOR_EACH_NODE (ast, node, program_function_data(facts->program, start.starter)->node) {
        Place stored;
        int index;
        AstNode value =
            ast_kind(ast, node) == AST_ASSIGN ? value_stored(&start, node, &stored, &index) : 0;
        if (value == 0)
            continue;
        Place to = place_behind(facts, start.starter, value);
        bool own = index >= 0 && depends_on(&to, &stored.steps[index].index) &&
                   !affine_same(&stored.steps[index].index, &seen->steps[index].index);
        if (own || to.base == PLACE_UNKNOWN || is_made_in_loop(ast, &to) ||
            (given.base != PLACE_UNKNOWN && !place_same(&given, &to)))
            return (Place){0};
        given = to;
    }
    return given;
}

/* ---- numbers ---- */

/* The place in terms of the function's parameters: a copy, struct job job = *(struct job *)p, is
 * what it was copied from. */
static Place place_read(const Facts *facts, FunctionId function, AstNode load)
{
    const Unit *unit = program_function_unit(facts->program, function);
    Place place = place_of(facts, function, load);
    if (place.base != PLACE_VARIABLE || sym_unit(facts, place.sym) != unit)
        return place;
    const SymbolUse *use = &facts->uses[unit->id][(AstSymbol)place.sym];
    AstKind kind = use->value != 0 ? (AstKind)ast_kind(unit->ast, use->value) : AST_NONE;
    if (use->writes != 1 || (kind != AST_DEREF && kind != AST_INDEX))
        return (Place){0};
    Place from = place_of(facts, function, use->value);
    for (uint8_t i = 0; i < place.count; i++)
        from = place_step(facts, from, place.steps[i]);
    return from;
}

static int64_t growth_of(const Facts *facts, FunctionId function, AstNode load)
{
    const FunctionFacts *started = &facts->functions[function];
    Place read = place_read(facts, function, load);
    int64_t growth = 0;
    if (read.base != PLACE_POINTEE || sym_data(facts, read.sym)->kind != SYMBOL_PARAM)
        return 0;
    for (uint32_t i = 0; i < started->starts.count; i++) {
        Caller from = started->starts.items[i];
        Start start = start_at(facts, from.unit, from.call);
        start.seen = place_at_call(facts, &read, function, start.starter, from.call);
        int64_t here = start.seen.base != PLACE_UNKNOWN && start.turn != 0 ? growth_at(&start) : 0;
        if (here == 0 || (growth != 0 && here != growth))
            return 0;
        growth = here;
    }
    return growth;
}

bool given_number(const Facts *facts, FunctionId function, AstNode load, int64_t *growth)
{
    if (facts->functions[function].starts.count == 0)
        return false;
    struct Paths *paths = facts->paths;
    const Unit *unit = program_function_unit(facts->program, function);
    uint64_t key = map_pair(unit->id, load);
    uint32_t known = map_get(&paths->given_of, key);
    if (known == 0) {
        map_set(&paths->given_of, key, 1); /* while it is looked for: x = *p; p = &job[x] */
        *growth = growth_of(facts, function, load);
        if (*growth == 0)
            return false;
        LIST_PUSH(facts->arena, &paths->given, *growth);
        known = paths->given.count + 1;
        map_set(&paths->given_of, key, known);
    }
    if (known == 1)
        return false;
    *growth = paths->given.items[known - 2];
    return true;
}
