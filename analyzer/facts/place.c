#include "analyzer/facts/given.h"
#include "analyzer/facts/library.h"
#include "analyzer/facts/path.h"
#include "analyzer/facts/reach.h"
#include "analyzer/facts/start.h"

#include <string.h>

enum { DEPTH = 16 };

/* ---- variables ---- */

Sym sym_of(const Unit *unit, AstSymbol symbol)
{
    return map_pair(unit->id, symbol);
}

Sym sym_global(const Facts *facts, const Unit *unit, AstSymbol symbol)
{
    const AstSymbolData *data = &unit->ast->symbols.items[symbol];
    if (unit->language == LANGUAGE_PYTHON || data->kind != SYMBOL_GLOBAL ||
        (data->flags & SYMBOL_INTERNAL) != 0 || (data->flags & SYMBOL_EXTERN) == 0)
        return sym_of(unit, symbol); /* defined here: another program may have one of that name */
    uint32_t at = map_get(&facts->external_of, data->name);
    return at == 0 ? sym_of(unit, symbol) : facts->externals.items[at - 1];
}

const Unit *sym_unit(const Facts *facts, Sym sym)
{
    return sym <= SYM_TEAM ? NULL : facts->program->units[(sym >> 32) - 1];
}

const AstSymbolData *sym_data(const Facts *facts, Sym sym)
{
    static const AstSymbolData none;
    const Unit *unit = sym_unit(facts, sym);
    return unit == NULL ? &none : &unit->ast->symbols.items[(uint32_t)sym];
}

const char *sym_name(const Facts *facts, Sym sym)
{
    if (sym == SYM_THREAD)
        return "the thread id";
    return sym == SYM_TEAM ? "the team size"
                           : intern_text(facts->program->names, sym_data(facts, sym)->name);
}

static const SymbolUse *use_of(const Facts *facts, const Unit *unit, AstSymbol symbol)
{
    return &facts->uses[unit->id][symbol];
}

static const AstTypeData *type_of(const Unit *unit, AstNode node)
{
    const AstNodeData *data = ast_at(unit->ast, node);
    AstType type = data->type;
    if (type == 0 && data->kind == AST_NAME)
        type = unit->ast->symbols.items[data->symbol].type;
    return &unit->ast->types.items[type];
}

/* ---- steps ---- */

/* One more step; where that changes the path, it moves to `buffer` (PLACE_STEPS long). */
static void add_step(Place *place, PlaceStep *buffer, PlaceStep step)
{
    bool element = place->element, joins = false;
    place->element = false;
    if (step.kind == STEP_INDEX && element) {
        joins = place->count > 0 && place->steps[place->count - 1].kind == STEP_INDEX;
        if (!joins && affine_fixed(&step.index) && step.index.constant == 0)
            return;
    }
    if (place->base == PLACE_UNKNOWN || (!joins && place->count == PLACE_STEPS)) {
        *place = (Place){0};
        return;
    }
    if (place->count > 0 && place->steps != buffer)
        memcpy(buffer, place->steps, place->count * sizeof *buffer);
    place->steps = buffer;
    if (joins)
        buffer[place->count - 1].index = affine_add(buffer[place->count - 1].index, step.index, 1);
    else
        buffer[place->count++] = step;
}

Place place_step(const Facts *facts, Place place, PlaceStep step)
{
    PlaceStep buffer[PLACE_STEPS];
    add_step(&place, buffer, step);
    if (place.steps == buffer)
        place.steps = path_kept(facts, buffer, place.count);
    return place;
}

static int64_t size_of(const Unit *unit, AstNode node, int64_t *align)
{
    const AstTypeData *type = type_of(unit, node);
    *align = type->align;
    return type->size;
}

static PlaceStep index_step(const Unit *unit, FunctionId function, AstNode node, Affine index)
{
    PlaceStep step = {.kind = STEP_INDEX, .index = index, .function = function, .node = node};
    step.size = size_of(unit, node, &step.align);
    return step;
}

static Place behind(const Facts *facts, FunctionId function, AstNode node, int depth);
static Place lvalue(const Facts *facts, FunctionId function, AstNode node, int depth);
static Affine value_of(const Facts *facts, FunctionId function, AstNode node, int depth);

static Place step_field(const Facts *facts, Place base, const Unit *unit, FunctionId function,
                        AstNode node)
{
    PlaceStep step = {.kind = STEP_FIELD, .function = function, .node = node, .offset = -1};
    step.field = ast_at(unit->ast, node)->name;
    step.size = size_of(unit, node, &step.align);
    step.counted = map_get(&facts->counted_fields, step.field) != 0;
    const AstTypeData *type = type_of(unit, ast_first(unit->ast, node));
    if (type->kind == TYPE_POINTER)
        type = &unit->ast->types.items[type->element];
    for (uint32_t i = 0; i < type->field_count; i++)
        if (unit->ast->fields.items[type->first_field + i].name == step.field)
            step.offset = unit->ast->fields.items[type->first_field + i].offset;
    return place_step(facts, base, step);
}

AstNode place_slice(const Facts *facts, const Unit *unit, AstNode index)
{
    const Ast *ast = unit->ast;
    if (ast_kind(ast, index) == AST_NAME && ast_at(ast, index)->symbol != 0)
        index = use_of(facts, unit, ast_at(ast, index)->symbol)->value;
    if (index == 0 || ast_kind(ast, index) == AST_SLICE)
        return index;
    AstNode callee = ast_kind(ast, index) == AST_CALL ? ast_first(ast, index) : 0;
    bool built_in =
        callee != 0 && ast_kind(ast, callee) == AST_NAME && ast_at(ast, callee)->symbol == 0 &&
        strcmp(intern_text(facts->program->names, ast_at(ast, callee)->name), "slice") == 0;
    return built_in ? index : 0;
}

/* x[i], x[i, j], x[:, i] */
static Place step_indices(const Facts *facts, Place base, FunctionId function, AstNode node,
                          int depth)
{
    const Unit *unit = program_function_unit(facts->program, function);
    const Ast *ast = unit->ast;
    bool python = unit->language == LANGUAGE_PYTHON, likely = false;
    Container container =
        python ? shape_container(shape_of(facts, function, ast_first(ast, node)), &likely)
               : CONTAINER_ANY;
    for (AstNode at = ast_child(ast, node, 1); at != 0; at = ast_next(ast, at)) {
        PlaceStep step = index_step(unit, function, node, affine_unknown());
        step.container = (uint8_t)container;
        step.likely = likely;
        if (ast_kind(ast, at) == AST_CONSTANT)
            continue;
        if (ast_kind(ast, at) == AST_SLICE || ast_kind(ast, at) == AST_OTHER ||
            (python && place_slice(facts, unit, at) != 0))
            step.kind = STEP_SLICE;
        else
            step.index = value_of(facts, function, at, depth + 1);
        base = place_step(facts, base, step);
    }
    return base;
}

/* ---- what a reference refers to ---- */

static Place variable(PlaceBase base, Sym sym)
{
    return (Place){.base = (uint8_t)base, .sym = sym};
}

static Place behind_name(const Facts *facts, FunctionId function, AstNode node, int depth)
{
    const Unit *unit = program_function_unit(facts->program, function);
    AstSymbol symbol = ast_at(unit->ast, node)->symbol;
    if (symbol == 0)
        return (Place){0};
    const AstSymbolData *data = &unit->ast->symbols.items[symbol];
    const SymbolUse *use = use_of(facts, unit, symbol);
    bool python = unit->language == LANGUAGE_PYTHON;
    const AstTypeData *type = type_of(unit, node);
    if (!python && type->kind != TYPE_POINTER)
        return variable(PLACE_VARIABLE, sym_global(facts, unit, symbol));
    PlaceBase kind = python ? PLACE_VARIABLE : PLACE_POINTEE;
    if (data->kind == SYMBOL_GLOBAL || data->kind == SYMBOL_STATIC)
        return variable(kind, sym_global(facts, unit, symbol));
    if (python && use->loop != 0 && ast_at(unit->ast, use->loop)->op == LOOP_EACH) {
        AstNode iterable = loop_start(unit->ast, use->loop);
        PlaceStep step =
            index_step(unit, function, iterable, affine_variable(sym_of(unit, symbol)));
        bool likely;
        step.container = (uint8_t)shape_container(shape_of(facts, function, iterable), &likely);
        step.likely = likely;
        return place_step(facts, behind(facts, function, iterable, depth + 1), step);
    }
    if (python && data->kind == SYMBOL_PARAM && use->writes == use->swaps)
        return variable(kind,
                        sym_of(unit, symbol)); /* swapped with another, maybe: either is its like */
    if (use->writes == (data->kind == SYMBOL_PARAM ? 0u : 1u) || (use->writes == 0)) {
        Place value = use->value != 0 ? behind(facts, function, use->value, depth + 1) : (Place){0};
        return value.base != PLACE_UNKNOWN ? value : variable(kind, sym_of(unit, symbol));
    }
    AstNode reached;
    if (python && reach_of(facts, unit, node, &reached) == REACH_VALUE) {
        Place value = behind(facts, function, reached, depth + 1);
        if (value.base != PLACE_UNKNOWN)
            return value;
    }
    /* several values: a Python name still names its own arrays; a C pointer may point anywhere */
    return python && data->kind != SYMBOL_PARAM ? variable(kind, sym_of(unit, symbol)) : (Place){0};
}

static Place behind_call(const Facts *facts, FunctionId function, AstNode node)
{
    const Unit *unit = program_function_unit(facts->program, function);
    const LibraryEntry *entry = library_call(facts, unit, node);
    FunctionId callee = facts_callee(facts, unit, node);
    bool fresh = (entry != NULL && (entry->flags & LIB_ALLOC) != 0) ||
                 (callee != 0 && traits_of(facts, callee)->forwards_allocation);
    return fresh ? (Place){.base = PLACE_ALLOCATION, .function = function, .node = node}
                 : (Place){0};
}

static bool is_array(const Unit *unit, AstNode node)
{
    return unit->language == LANGUAGE_PYTHON || type_of(unit, node)->kind == TYPE_ARRAY;
}

/* p + k, p - k */
static Place behind_sum(const Facts *facts, FunctionId function, AstNode node, int depth)
{
    const Unit *unit = program_function_unit(facts->program, function);
    const Ast *ast = unit->ast;
    AstNode left = ast_first(ast, node), right = ast_child(ast, node, 1);
    AstOp op = (AstOp)ast_at(ast, node)->op;
    AstTypeKind kind = (AstTypeKind)type_of(unit, left)->kind;
    if (unit->language == LANGUAGE_PYTHON || (op != OP_ADD && op != OP_SUB))
        return (Place){0};
    AstNode pointer = kind == TYPE_POINTER || kind == TYPE_ARRAY ? left : right;
    AstNode offset = pointer == left ? right : left;
    Affine index = value_of(facts, function, offset, depth + 1);
    if (op == OP_SUB)
        index = affine_add(affine_constant(0), index, -1);
    const AstTypeData *type = type_of(unit, pointer);
    PlaceStep step = {.kind = STEP_INDEX, .index = index, .function = function, .node = node};
    step.size = unit->ast->types.items[type->element].size;
    step.align = unit->ast->types.items[type->element].align;
    Place place = place_step(facts, behind(facts, function, pointer, depth + 1), step);
    place.element = true;
    return place;
}

static Place behind(const Facts *facts, FunctionId function, AstNode node, int depth)
{
    const Unit *unit = program_function_unit(facts->program, function);
    const Ast *ast = unit->ast;
    if (node == 0 || depth > DEPTH)
        return (Place){0};
    Place place;
    switch (ast_kind(ast, node)) {
    case AST_NAME:
        return behind_name(facts, function, node, depth);
    case AST_CALL:
        return behind_call(facts, function, node);
    case AST_BINARY:
        return behind_sum(facts, function, node, depth);
    case AST_CAST:
        return behind(facts, function, ast_first(ast, node), depth + 1);
    case AST_LIST:
    case AST_COMPREHENSION:
        return (Place){.base = PLACE_ALLOCATION, .function = function, .node = node};
    case AST_ADDRESS:
        place = lvalue(facts, function, ast_first(ast, node), depth + 1);
        place.element = true;
        return place;
    case AST_INDEX:
        if (facts_copies(facts, unit, node))
            return (Place){.base = PLACE_ALLOCATION, .function = function, .node = node};
        /* fall through */
    case AST_FIELD:
    case AST_DEREF:
        place = lvalue(facts, function, node, depth + 1);
        if (is_array(unit, node))
            return place;
        return place_step(facts, place,
                          (PlaceStep){.kind = STEP_LOAD, .function = function, .node = node});
    default:
        return (Place){0};
    }
}

static Place lvalue(const Facts *facts, FunctionId function, AstNode node, int depth)
{
    const Unit *unit = program_function_unit(facts->program, function);
    const Ast *ast = unit->ast;
    if (node == 0 || depth > DEPTH)
        return (Place){0};
    const AstNodeData *data = ast_at(ast, node);
    AstNode base = ast_first(ast, node);
    switch (data->kind) {
    case AST_NAME:
        return data->symbol == 0 ? (Place){0}
                                 : variable(PLACE_VARIABLE, sym_global(facts, unit, data->symbol));
    case AST_INDEX:
        return step_indices(facts, behind(facts, function, base, depth + 1), function, node, depth);
    case AST_DEREF:
        return place_step(facts, behind(facts, function, base, depth + 1),
                          index_step(unit, function, node, affine_constant(0)));
    case AST_FIELD: {
        if (unit->language == LANGUAGE_PYTHON)
            return step_field(facts, behind(facts, function, base, depth + 1), unit, function,
                              node);
        if ((data->flags & AST_ARROW) == 0)
            return step_field(facts, lvalue(facts, function, base, depth + 1), unit, function,
                              node);
        const AstTypeData *pointer = type_of(unit, base);
        PlaceStep step = {
            .kind = STEP_INDEX, .index = affine_constant(0), .function = function, .node = node};
        step.size = ast->types.items[pointer->element].size;
        step.align = ast->types.items[pointer->element].align;
        return step_field(facts, place_step(facts, behind(facts, function, base, depth + 1), step),
                          unit, function, node);
    }
    case AST_CAST:
        return lvalue(facts, function, base, depth + 1);
    default:
        return (Place){0};
    }
}

Place place_of(const Facts *facts, FunctionId function, AstNode expression)
{
    return lvalue(facts, function, expression, 0);
}

Place place_behind(const Facts *facts, FunctionId function, AstNode expression)
{
    return behind(facts, function, expression, 0);
}

/* ---- values of indices ---- */

static Affine value_of_name(const Facts *facts, FunctionId function, AstNode node, int depth)
{
    const Unit *unit = program_function_unit(facts->program, function);
    int64_t known;
    AstSymbol symbol = ast_at(unit->ast, node)->symbol;
    if (ast_constant(unit->ast, node, &known))
        return affine_constant(known);
    if (symbol == 0)
        return affine_unknown();
    const SymbolUse *use = use_of(facts, unit, symbol);
    Sym sym = sym_global(facts, unit, symbol);
    if (sym != sym_of(unit, symbol)) /* extern: what it is set to stands in another file */
        use = use_of(facts, sym_unit(facts, sym), (AstSymbol)sym);
    if (use->thread)
        return affine_variable(SYM_THREAD);
    if (use->team)
        return affine_variable(SYM_TEAM);
    if (use->writes == 1 && use->value != 0 && use->loop == 0 && !use->address_taken &&
        sym == sym_of(unit, symbol) && unit->ast->symbols.items[symbol].kind != SYMBOL_PARAM)
        return value_of(facts, function, use->value, depth + 1);
    AstNode value;
    uint32_t first = unit->ast->symbols.items[symbol].kind == SYMBOL_PARAM ? 0 : 1;
    if (sym == sym_of(unit, symbol) && use->writes > first &&
        reach_of(facts, unit, node, &value) == REACH_VALUE)
        return value_of(facts, function, value, depth + 1);
    return affine_variable(sym);
}

static Affine value_of_call(const Facts *facts, FunctionId function, AstNode node, int depth)
{
    const Unit *unit = program_function_unit(facts->program, function);
    uint32_t thread = library_thread_value(facts, unit, node);
    if (thread != 0)
        return affine_variable((thread & LIB_THREAD_ID) != 0 ? SYM_THREAD : SYM_TEAM);
    Affine all = affine_unknown();
    for (AstNode at = ast_child(unit->ast, node, 1); at != 0; at = ast_next(unit->ast, at))
        all = affine_mix(all, value_of(facts, function, at, depth + 1));
    const LibraryEntry *entry = library_call(facts, unit, node);
    /* int(i), np.uint64(i): a conversion keeps its argument apart; anything else may map two onto
     * one */
    bool one = ast_child_count(unit->ast, node) == 2 && facts_callee(facts, unit, node) == 0 &&
               entry == NULL && unit->language == LANGUAGE_PYTHON;
    all.folded |= !one;
    return one ? all : affine_hidden(all);
}

static Affine value_of_binary(const Facts *facts, FunctionId function, AstNode node, int depth)
{
    const Ast *ast = program_function_unit(facts->program, function)->ast;
    Affine left = value_of(facts, function, ast_first(ast, node), depth + 1);
    Affine right = value_of(facts, function, ast_child(ast, node, 1), depth + 1);
    switch (ast_at(ast, node)->op) {
    case OP_ADD:
        return affine_add(left, right, 1);
    case OP_SUB:
        return affine_add(left, right, -1);
    case OP_MUL:
        return affine_multiply(left, right);
    case OP_SHL:
        if (affine_fixed(&right) && right.constant >= 0 && right.constant < 62)
            return affine_multiply(left, affine_constant((int64_t)1 << right.constant));
        return affine_mix(left, right);
    case OP_OR:
        return affine_mix(left, right);
    default:
        break;
    }
    Affine mixed = affine_hidden(affine_mix(left, right));
    mixed.folded = true;
    return mixed;
}

/* order[i], perm[i]: named as a permutation, which sends no two to one place. Used for silence
 * only. */
static bool is_permutation(const Ast *ast, AstNode base)
{
    static const char *const words[] = {"perm", "order", "argsort", "shuffle", "rank", "unique"};
    if (ast_kind(ast, base) != AST_NAME && ast_kind(ast, base) != AST_FIELD)
        return false;
    const char *name = intern_text(ast->names, ast_at(ast, base)->name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(name, words[i]) != NULL)
            return true;
    return false;
}

static Affine value_of_load(const Facts *facts, FunctionId function, AstNode node, int depth)
{
    const Ast *ast = program_function_unit(facts->program, function)->ast;
    Affine all = affine_unknown();
    for (AstNode at = ast_child(ast, node, 1); at != 0; at = ast_next(ast, at))
        all = affine_mix(all, value_of(facts, function, at, depth + 1));
    AstNode base = ast_first(ast, node);
    if (ast_kind(ast, base) == AST_INDEX)
        all = affine_mix(all, value_of_load(facts, function, base, depth + 1));
    /* x.shape[0] is a constant of the loop, not data */
    bool shape = ast_kind(ast, base) == AST_FIELD &&
                 strcmp(intern_text(ast->names, ast_at(ast, base)->name), "shape") == 0;
    all.loaded = !shape && !is_permutation(ast, base);
    all.exact = false;
    return all.loaded ? affine_hidden(all) : all;
}

/* x[i], *p, p->x: data, or the number that a thread was given when it was started. */
static Affine value_of_memory(const Facts *facts, FunctionId function, AstNode node, int depth)
{
    const Ast *ast = program_function_unit(facts->program, function)->ast;
    int64_t growth;
    if (given_number(facts, function, node, &growth))
        return affine_multiply(affine_variable(SYM_THREAD), affine_constant(growth));
    if (ast_kind(ast, node) == AST_INDEX)
        return value_of_load(facts, function, node, depth);
    Affine loaded = affine_unknown();
    loaded.loaded = true;
    return loaded;
}

static Affine value_of(const Facts *facts, FunctionId function, AstNode node, int depth)
{
    const Ast *ast = program_function_unit(facts->program, function)->ast;
    int64_t known;
    if (node == 0 || depth > DEPTH)
        return affine_unknown();
    if (ast_constant(ast, node, &known))
        return affine_constant(known);
    switch (ast_kind(ast, node)) {
    case AST_NAME:
        return value_of_name(facts, function, node, depth);
    case AST_CALL:
        return value_of_call(facts, function, node, depth);
    case AST_BINARY:
        return value_of_binary(facts, function, node, depth);
    case AST_CAST:
        return value_of(facts, function, ast_first(ast, node), depth + 1);
    case AST_ASSIGN: /* table[n++] */
        return value_of(facts, function, ast_first(ast, node), depth + 1);
    case AST_UNARY:
        if (ast_at(ast, node)->op == OP_NEG)
            return affine_add(affine_constant(0),
                              value_of(facts, function, ast_first(ast, node), depth + 1), -1);
        return value_of_load(facts, function, node, depth);
    case AST_INDEX:
    case AST_FIELD:
    case AST_DEREF:
        return value_of_memory(facts, function, node, depth);
    default: {
        Affine all = affine_unknown();
        FOR_EACH_CHILD (ast, child, node)
            all = affine_mix(all, value_of(facts, function, child, depth + 1));
        all.folded = true;
        return all;
    }
    }
}

Affine place_index(const Facts *facts, FunctionId function, AstNode expression)
{
    return value_of(facts, function, expression, 0);
}

/* ---- through a call ---- */

AstNode place_argument(const Facts *facts, FunctionId callee, const Unit *caller, AstNode call,
                       uint32_t index)
{
    const Ast *ast = caller->ast;
    if (facts_callee(facts, caller, call) == 0 && start_is(facts, caller, call))
        return start_argument(facts, caller, call, index);
    const AstFunctionData *function = program_function_data(facts->program, callee);
    const Ast *target = program_function_unit(facts->program, callee)->ast;
    uint32_t place = facts_first_parameter(facts, caller, call, callee);
    Name name = target->symbols.items[function->params.items[index]].name;
    if (place > index)
        return ast_first(ast, ast_first(ast, call));
    for (AstNode at = ast_child(ast, call, 1); at != 0; at = ast_next(ast, at), place++) {
        if (ast_kind(ast, at) == AST_SPREAD)
            return 0;
        if (ast_kind(ast, at) == AST_KEYWORD ? ast_at(ast, at)->name == name : place == index)
            return ast_kind(ast, at) == AST_KEYWORD ? ast_first(ast, at) : at;
    }
    return 0;
}

/* The actual behind a symbol, if that is a parameter of `callee`; *parameter tells whether it is
 * one. */
static AstNode actual_of(const Facts *facts, Sym sym, FunctionId callee, const Unit *caller,
                         AstNode call, bool *parameter)
{
    const Unit *unit = program_function_unit(facts->program, callee);
    const AstSymbolData *data = sym_data(facts, sym);
    *parameter = sym > SYM_TEAM && data->kind == SYMBOL_PARAM && sym_unit(facts, sym) == unit &&
                 data->function == facts->program->functions.items[callee].function;
    return *parameter ? place_argument(facts, callee, caller, call, data->index) : 0;
}

Affine affine_at_call(const Facts *facts, Affine form, FunctionId callee, FunctionId caller,
                      AstNode call)
{
    const Unit *unit = program_function_unit(facts->program, caller);
    Affine result = form;
    for (uint8_t i = 0; i < form.count; i++) {
        bool parameter;
        AstNode actual = actual_of(facts, form.terms[i].sym, callee, unit, call, &parameter);
        if (parameter)
            result =
                affine_replace(result, form.terms[i].sym,
                               actual != 0 ? place_index(facts, caller, actual) : affine_unknown());
    }
    return result;
}

/* Whether any index of the place depends on a parameter of `callee`. */
static bool has_formals(const Facts *facts, const Place *place, FunctionId callee)
{
    const Unit *unit = program_function_unit(facts->program, callee);
    AstFunction function = facts->program->functions.items[callee].function;
    for (uint8_t i = 0; i < place->count; i++)
        for (uint8_t k = 0; k < place->steps[i].index.count; k++) {
            Sym sym = place->steps[i].index.terms[k].sym;
            const AstSymbolData *data = sym_data(facts, sym);
            if (sym > SYM_TEAM && data->kind == SYMBOL_PARAM && sym_unit(facts, sym) == unit &&
                data->function == function)
                return true;
        }
    return false;
}

/* What a pointer handed to a call refers to: asked for once per effect of the callee. */
static Place behind_actual(const Facts *facts, FunctionId caller, AstNode actual)
{
    const Unit *unit = program_function_unit(facts->program, caller);
    if (unit->language == LANGUAGE_PYTHON)
        return place_behind(facts, caller, actual);
    uint64_t key = map_pair(caller, actual);
    uint32_t known = map_get(&facts->paths->actual_of, key);
    if (known == 0) {
        LIST_PUSH(facts->arena, &facts->paths->actuals, place_behind(facts, caller, actual));
        known = facts->paths->actuals.count;
        map_set(&facts->paths->actual_of, key, known);
    }
    return facts->paths->actuals.items[known - 1];
}

Place place_at_call(const Facts *facts, const Place *place, FunctionId callee, FunctionId caller,
                    AstNode call)
{
    const Unit *unit = program_function_unit(facts->program, caller);
    PlaceStep buffer[PLACE_STEPS];
    Place result = *place;
    result.count = 0;
    bool parameter = false;
    bool python = unit->language == LANGUAGE_PYTHON;
    AstNode actual = 0;
    if (place->base == PLACE_POINTEE || (place->base == PLACE_VARIABLE && python))
        actual = actual_of(facts, place->sym, callee, unit, call, &parameter);
    if (!parameter && !has_formals(facts, place, callee))
        return *place; /* a global, or its own memory: nothing to put in, and nothing to copy */
    if (parameter)
        result = actual != 0 ? behind_actual(facts, caller, actual) : (Place){0};
    bool element = place->element;
    bool starts = parameter && !python && facts_callee(facts, unit, call) == 0 &&
                  start_is(facts, unit, call);
    for (uint8_t i = 0; i < place->count && result.base != PLACE_UNKNOWN; i++) {
        PlaceStep step = place->steps[i];
        Place given = starts && step.kind == STEP_LOAD ? given_pointer(facts, unit, call, &result)
                                                       : (Place){0};
        if (given.base != PLACE_UNKNOWN) {
            result = given;
            continue;
        }
        step.index = affine_at_call(facts, step.index, callee, caller, call);
        add_step(&result, buffer, step);
    }
    if (result.steps == buffer)
        result.steps = path_kept(facts, buffer, result.count);
    result.element |= element && place->count > 0;
    return result;
}

bool place_fixed(const Place *place)
{
    for (uint8_t i = 0; i < place->count; i++)
        if (place->steps[i].kind != STEP_FIELD &&
            (place->steps[i].kind != STEP_INDEX || !affine_fixed(&place->steps[i].index)))
            return false;
    return true;
}

bool place_same(const Place *left, const Place *right)
{
    if (left->base != right->base || left->base == PLACE_UNKNOWN || left->count != right->count ||
        left->sym != right->sym || left->node != right->node || left->function != right->function)
        return false;
    for (uint8_t i = 0; i < left->count; i++) {
        const PlaceStep *a = &left->steps[i], *b = &right->steps[i];
        if (a->kind != b->kind || a->field != b->field)
            return false;
        if (a->kind == STEP_INDEX && !affine_same(&a->index, &b->index))
            return false;
    }
    return true;
}
