/* Python: evidence of how many dimensions variables have and whether they are arrays or lists, from
 * construction, use, signatures, annotations and calls, to a fixed point over all functions that
 * are compiled or hand arguments to compiled ones. */
#include "analyzer/facts/library.h"
#include "analyzer/facts/shape.h"

#include <string.h>

enum { ROUNDS = 8, RETURNED = 4 /* items of a returned tuple that are followed */ };

typedef struct Inference {
    Facts *facts;
    Shape (*parts)[RETURNED]; /* by FunctionId: of a returned tuple */
    Shape **incoming;         /* by unit id, by symbol: what all calls of this round surely pass */
    bool **passed;
    bool changed;
} Inference;

static const Shape scalar = {.kinds = SHAPE_SCALAR};

static bool plain_name_is(const Ast *ast, AstNode node, const char *name)
{
    return ast_kind(ast, node) == AST_NAME &&
           strcmp(intern_text(ast->names, ast_at(ast, node)->name), name) == 0;
}

/* ---- evidence ---- */

static void merge(Inference *inference, Shape *into, Shape shape)
{
    Shape before = *into;
    into->kinds |= shape.kinds & ~(SHAPE_ARRAY_USE | SHAPE_RANK_TESTED);
    into->element_kinds |= shape.element_kinds;
    into->column |= shape.column;
    if (shape.record != 0)
        into->record = into->record == 0 || into->record == shape.record ? shape.record
                                                                         : SHAPE_MIXED;
    if (into->rank == 0)
        into->rank = shape.rank;
    uint8_t depth = shape.depth > into->depth ? shape.depth : into->depth;
    into->depth = depth > SHAPE_DEEPEST ? SHAPE_DEEPEST : depth;
    inference->changed |= memcmp(&before, into, sizeof before) != 0;
}

static void require_operands(Inference *inference, const Unit *unit, AstNode binary,
                             uint32_t depth);

static Shape *shape_kept(Facts *facts, uint64_t key)
{
    uint32_t at = map_get(&facts->field_of, key);
    if (at == 0) {
        LIST_PUSH(facts->arena, &facts->fields, (Shape){0});
        at = facts->fields.count;
        map_set(&facts->field_of, key, at);
    }
    return &facts->fields.items[at - 1];
}

static Shape *record_shape(Facts *facts, uint16_t record, Name field)
{
    return shape_kept(facts, shape_record_key(record, field));
}

/* What is sure of a variable without its callers: its uses and its construction. */
static uint8_t own_depth(const Shape *shape)
{
    return shape->used > shape->rank ? shape->used : shape->rank;
}

/* `expression` is used with `depth` further dimensions; kinds: habits seen at its outermost level.
 */
static void require(Inference *inference, const Unit *unit, AstNode expression, uint32_t depth,
                    uint8_t kinds)
{
    const Ast *ast = unit->ast;
    for (int steps = 0; expression != 0 && steps < SHAPE_DEEPEST; steps++) {
        const AstNodeData *data = ast_at(ast, expression);
        bool slices = false;
        AstNode narrowed = data->kind == AST_NAME && data->symbol != 0
                               ? shape_narrowed(inference->facts, unit, expression)
                               : 0;
        if (narrowed != 0) {
            expression = narrowed;
            continue;
        }
        if (data->kind == AST_NAME && data->symbol != 0) {
            Shape *shape = &inference->facts->shapes[unit->id][data->symbol];
            Shape grown = *shape;
            grown.kinds |= kinds;
            if ((shape->kinds & SHAPE_RANK_TESTED) != 0 && shape_rank_tested(ast, expression))
                return; /* says something about this branch only */
            depth = depth > SHAPE_DEEPEST ? SHAPE_DEEPEST : depth;
            if (depth > grown.depth && (grown.rank == 0 || depth <= grown.rank))
                grown.depth = (uint8_t)depth;
            if (depth > grown.used && depth <= grown.depth)
                grown.used = (uint8_t)depth;
            inference->changed |= memcmp(&grown, shape, sizeof grown) != 0;
            *shape = grown;
            return;
        }
        if (data->kind == AST_INDEX) {
            uint32_t count = shape_scalar_indices(ast, expression, &slices);
            if (shape_indexed_by_name(ast, expression))
                return;
            depth += count - shape_index_arrays(inference->facts, unit, expression);
            kinds = slices || count > 1 ? SHAPE_ARRAY_USE : 0;
        } else if (data->kind == AST_FIELD && !shape_field_is(ast, expression, "T")) {
            uint16_t record =
                shape_value(inference->facts, unit, ast_first(ast, expression)).record;
            bool known = record != 0 && record != SHAPE_MIXED;
            uint64_t key = shape_field_key(unit, record, expression);
            if (known && map_get(&inference->facts->field_of, key) == 0)
                return;
            Shape *shape = shape_kept(inference->facts, key);
            bool grows = depth > shape->depth && depth <= SHAPE_DEEPEST &&
                         (shape->rank == 0 || depth <= shape->rank);
            inference->changed |= grows;
            shape->depth = grows ? (uint8_t)depth : shape->depth;
            return;
        } else if (data->kind == AST_BINARY) {
            require_operands(inference, unit, expression, depth);
            return;
        } else if (!shape_field_is(ast, expression, "T")) {
            return;
        }
        expression = ast_first(ast, expression);
    }
}

/* A parameter with a number for its default: sigma=1.0. */
static bool is_number_by_default(const Ast *ast, AstNode name)
{
    const AstNodeData *data = ast_at(ast, name);
    if (data->kind != AST_NAME || ast->symbols.items[data->symbol].kind != SYMBOL_PARAM)
        return false;
    AstNode decl = ast->symbols.items[data->symbol].decl;
    AstKind kind = decl == 0 || ast_leafless(ast, decl) ? AST_NONE
                                                        : ast_kind(ast, ast_first(ast, decl));
    return kind == AST_INT || kind == AST_REAL;
}

/* np.sum(u * v): one of them is an array, and if nothing is known of either, both are taken for
 * one; but not what is divided by, which is a number as a rule. */
static void require_operands(Inference *inference, const Unit *unit, AstNode binary, uint32_t depth)
{
    AstNode left = ast_first(unit->ast, binary), right = ast_child(unit->ast, binary, 1);
    Shape one = shape_value(inference->facts, unit, left);
    Shape other = shape_value(inference->facts, unit, right);
    if (one.depth > 0 || other.depth > 0 || ((one.kinds | other.kinds) & SHAPE_SCALAR) != 0)
        return;
    AstOp op = (AstOp)ast_at(unit->ast, binary)->op;
    bool divides = op == OP_DIV || op == OP_FLOORDIV || op == OP_MOD || op == OP_POW;
    if (!is_number_by_default(unit->ast, left))
        require(inference, unit, left, depth, 0);
    if (!divides && !is_number_by_default(unit->ast, right))
        require(inference, unit, right, depth, 0);
}

static void note_index(Inference *inference, const Unit *unit, AstNode index)
{
    bool slices;
    const Ast *ast = unit->ast;
    uint32_t count = shape_scalar_indices(ast, index, &slices), all = 0;
    if (shape_indexed_by_name(ast, index))
        return;
    for (AstNode at = ast_child(ast, index, 1); at != 0; at = ast_next(ast, at))
        all += ast_kind(ast, at) != AST_CONSTANT;
    require(inference, unit, ast_first(ast, index), all, slices || count > 1 ? SHAPE_ARRAY_USE : 0);
}

/* x.shape[k] and x.shape alone */
static void note_field(Inference *inference, const Unit *unit, AstNode field)
{
    const Ast *ast = unit->ast;
    int64_t axis = 0;
    if (shape_field_is(ast, field, "shape")) {
        AstNode parent = ast_parent(ast, field);
        if (ast_kind(ast, parent) == AST_INDEX && ast_first(ast, parent) == field)
            (void)(ast_constant(ast, ast_child(ast, parent, 1), &axis) || (axis = 0));
        require(inference, unit, ast_first(ast, field),
                axis >= 0 && axis < SHAPE_DEEPEST ? (uint32_t)axis + 1 : 1, SHAPE_ARRAY_USE);
    } else if (shape_field_is(ast, field, "ndim") || shape_field_is(ast, field, "size") ||
               shape_field_is(ast, field, "T") || shape_field_is(ast, field, "dtype")) {
        bool tested = shape_field_is(ast, field, "ndim") &&
                      ast_kind(ast, ast_parent(ast, field)) == AST_COMPARE;
        require(inference, unit, ast_first(ast, field), tested ? 0 : 1,
                tested ? SHAPE_ARRAY_USE | SHAPE_RANK_TESTED : SHAPE_ARRAY_USE);
    }
}

/* The uses of a variable speak of its value only where it has no other: `bins = 10` may be followed
 * by `bins = edges(bins)`. */
static bool bound_once(const Inference *inference, const Unit *unit, AstSymbol symbol)
{
    return inference->facts->uses[unit->id][symbol].writes == 1 &&
           unit->ast->symbols.items[symbol].kind != SYMBOL_PARAM;
}

static void assign(Inference *inference, const Unit *unit, AstNode target, AstNode value)
{
    const Ast *ast = unit->ast;
    const AstNodeData *data = ast_at(ast, target);
    if (data->kind == AST_NAME && data->symbol != 0) {
        Shape *shape = &inference->facts->shapes[unit->id][data->symbol];
        merge(inference, shape, shape_value(inference->facts, unit, value));
        if (own_depth(shape) > 0 && bound_once(inference, unit, data->symbol) &&
            (ast_kind(ast, value) == AST_NAME || ast_kind(ast, value) == AST_INDEX))
            require(inference, unit, value, own_depth(shape),
                    ast_kind(ast, value) == AST_NAME ? shape->kinds & SHAPE_ARRAY_USE : 0);
        return;
    }
    if (data->kind == AST_FIELD) { /* self.rows = List(…) */
        uint16_t record = shape_value(inference->facts, unit, ast_first(ast, target)).record;
        if (record != 0 && record != SHAPE_MIXED)
            merge(inference, record_shape(inference->facts, record, data->name),
                  shape_value(inference->facts, unit, value));
        return;
    }
    if (data->kind != AST_TUPLE)
        return;
    uint32_t count = ast_child_count(ast, target);
    if (shape_field_is(ast, value, "shape")) /* rows, cols = img.shape */
        require(inference, unit, ast_first(ast, value), count, SHAPE_ARRAY_USE);
    FunctionId callee =
        ast_kind(ast, value) == AST_CALL ? facts_callee(inference->facts, unit, value) : 0;
    if (callee != 0) {
        uint32_t at = 0;
        FOR_EACH_CHILD (ast, item, target) {
            if (ast_kind(ast, item) == AST_NAME && ast_at(ast, item)->symbol != 0 && at < RETURNED)
                merge(inference, &inference->facts->shapes[unit->id][ast_at(ast, item)->symbol],
                      inference->parts[callee][at]);
            at++;
        }
    }
    if (ast_kind(ast, value) != AST_TUPLE || ast_child_count(ast, value) != count)
        return;
    AstNode part = ast_first(ast, value);
    FOR_EACH_CHILD (ast, item, target) {
        assign(inference, unit, item, part);
        part = ast_next(ast, part);
    }
}

/* What every call passes is sure; what only some pass (behind a test of the rank, say) is not. */
static void take_actual(Inference *inference, const Unit *target, AstSymbol parameter, Shape actual)
{
    Shape *incoming = &inference->incoming[target->id][parameter];
    bool *passed = &inference->passed[target->id][parameter];
    if (!*passed) {
        *incoming = actual;
    } else {
        incoming->kinds |= actual.kinds;
        incoming->element_kinds |= actual.element_kinds;
        incoming->column |= actual.column;
        incoming->record = incoming->record == actual.record ? actual.record : SHAPE_MIXED;
        incoming->depth = actual.depth < incoming->depth ? actual.depth : incoming->depth;
        incoming->rank = actual.rank == incoming->rank ? actual.rank : 0;
    }
    *passed = true;
}

/* The end of a round: parameters get what all calls agree on. */
static void settle(Inference *inference, const Unit *unit)
{
    for (AstSymbol symbol = 1; symbol < unit->ast->symbols.count; symbol++) {
        if (!inference->passed[unit->id][symbol])
            continue;
        Shape incoming = inference->incoming[unit->id][symbol];
        const Shape *own = &inference->facts->shapes[unit->id][symbol];
        if (own->rank != 0 || ((own->kinds & SHAPE_ARRAY_USE) != 0 && own->depth > 1)) {
            incoming.depth = 0; /* its own uses say more than what callers seem to pass */
            incoming.rank = 0;
        }
        merge(inference, &inference->facts->shapes[unit->id][symbol], incoming);
        inference->passed[unit->id][symbol] = false;
    }
}

/* Types flow to the callee's parameters, and what the callee does with them flows back: not what
 * other callers pass, since each call compiles a variant of its own. */
static void pass_arguments(Inference *inference, const Unit *unit, AstNode call, FunctionId callee)
{
    const Ast *ast = unit->ast;
    const Unit *target = program_function_unit(inference->facts->program, callee);
    const AstFunctionData *function = program_function_data(inference->facts->program, callee);
    if (inference->facts->shapes[target->id] == NULL)
        return;
    uint32_t index = facts_first_parameter(inference->facts, unit, call, callee);
    for (AstNode argument = ast_child(ast, call, 1); argument != 0;
         argument = ast_next(ast, argument), index++) {
        AstKind kind = ast_kind(ast, argument);
        if (kind == AST_SPREAD || (kind != AST_KEYWORD && index >= function->params.count))
            return;
        AstNode value = kind == AST_KEYWORD ? ast_first(ast, argument) : argument;
        AstSymbol parameter = 0;
        for (uint32_t i = 0; kind == AST_KEYWORD && i < function->params.count; i++)
            if (target->ast->symbols.items[function->params.items[i]].name ==
                ast_at(ast, argument)->name)
                parameter = function->params.items[i];
        if (kind != AST_KEYWORD)
            parameter = function->params.items[index];
        if (parameter == 0)
            continue;
        Shape *shape = &inference->facts->shapes[target->id][parameter];
        take_actual(inference, target, parameter, shape_value(inference->facts, unit, value));
        if (own_depth(shape) > 0)
            require(inference, unit, value, own_depth(shape), shape->kinds & SHAPE_ARRAY_USE);
    }
}

static uint16_t record_number(Facts *facts, Sym class)
{
    uint32_t number = map_get(&facts->record_of, class);
    if (number == 0 && facts->record_of.count < SHAPE_MIXED - 1u) {
        number = facts->record_of.count + 1;
        map_set(&facts->record_of, class, number);
    }
    return (uint16_t)number;
}

/* Choir = namedtuple("Choir", ["voices", "gains"]); Choir(a, b): the fields in order, as far as
 * they are listed. */
static void note_record(Inference *inference, const Unit *unit, AstNode call)
{
    const Ast *ast = unit->ast;
    AstNode callee = ast_first(ast, call);
    if (ast_kind(ast, callee) != AST_NAME || ast_at(ast, callee)->symbol == 0)
        return;
    AstNode made = inference->facts->uses[unit->id][ast_at(ast, callee)->symbol].value;
    if (made == 0 || ast_kind(ast, made) != AST_CALL ||
        strstr(intern_text(ast->names, ast_at(ast, ast_first(ast, made))->name), "amed") == NULL)
        return; /* namedtuple, NamedTuple */
    AstNode listed = ast_child(ast, made, 2);
    uint16_t record = record_number(inference->facts, sym_of(unit, ast_at(ast, callee)->symbol));
    if (listed == 0 || (ast_kind(ast, listed) != AST_LIST && ast_kind(ast, listed) != AST_TUPLE))
        return;
    AstNode argument = ast_child(ast, call, 1);
    FOR_EACH_CHILD (ast, item, listed) {
        AstNode name = ast_kind(ast, item) == AST_TUPLE ? ast_first(ast, item) : item;
        if (argument == 0 || ast_kind(ast, argument) == AST_KEYWORD ||
            ast_kind(ast, argument) == AST_SPREAD)
            break;
        if (ast_kind(ast, name) == AST_STRING)
            merge(inference, record_shape(inference->facts, record, ast_at(ast, name)->name),
                  shape_value(inference->facts, unit, argument));
        argument = ast_next(ast, argument);
    }
    for (; argument != 0; argument = ast_next(ast, argument))
        if (ast_kind(ast, argument) == AST_KEYWORD)
            merge(inference, record_shape(inference->facts, record, ast_at(ast, argument)->name),
                  shape_value(inference->facts, unit, ast_first(ast, argument)));
}

/* @jitclass([("voices", types.ListType(…)), ("table", float64[:, ::1])]) */
static void note_jitclass_field(Inference *inference, const Unit *unit, AstNode pair,
                                uint16_t record)
{
    const Ast *ast = unit->ast;
    AstNode name = ast_first(ast, pair), type = name == 0 ? 0 : ast_child(ast, pair, 1);
    if (type == 0 || ast_kind(ast, name) != AST_STRING)
        return;
    Name field = ast_at(ast, name)->name;
    Shape *shape = record_shape(inference->facts, record, field);
    map_set(&inference->facts->counted_fields, field, 1);
    if (ast_kind(ast, type) == AST_CALL &&
        strstr(intern_text(ast->names, ast_at(ast, ast_first(ast, type))->name), "ListType") !=
            NULL)
        merge(inference, shape,
              (Shape){.kinds = SHAPE_TYPED_LIST, .depth = 1, .element_kinds = SHAPE_ARRAY});
    if (ast_kind(ast, type) == AST_INDEX) {
        uint8_t rank = (uint8_t)(ast_child_count(ast, type) - 1);
        merge(inference, shape, (Shape){.kinds = SHAPE_ARRAY, .rank = rank, .depth = rank});
    }
}

static void note_jitclass(Inference *inference, const Unit *unit, AstNode call)
{
    const Ast *ast = unit->ast;
    AstNode callee = ast_first(ast, call), spec = ast_child(ast, call, 1);
    if (spec == 0 || ast_kind(ast, callee) != AST_NAME ||
        strstr(intern_text(ast->names, ast_at(ast, callee)->name), "jitclass") == NULL)
        return;
    if (ast_kind(ast, spec) == AST_NAME && ast_at(ast, spec)->symbol != 0)
        spec = inference->facts->uses[unit->id][ast_at(ast, spec)->symbol].value;
    AstNode class = ast_parent(ast, ast_parent(ast, call));
    if (spec == 0 || ast_kind(ast, class) != AST_CLASS)
        return;
    uint16_t record = record_number(inference->facts, sym_of(unit, ast_at(ast, class)->symbol));
    FOR_EACH_CHILD (ast, pair, spec)
        if (ast_kind(ast, pair) == AST_TUPLE)
            note_jitclass_field(inference, unit, pair, record);
}

static void note_call(Inference *inference, const Unit *unit, AstNode call)
{
    const Ast *ast = unit->ast;
    AstNode callee = ast_first(ast, call), argument = ast_child(ast, call, 1);
    FunctionId function = facts_callee(inference->facts, unit, call);
    const LibraryEntry *entry = function == 0 ? library_call(inference->facts, unit, call) : NULL;
    if (function == 0 && entry == NULL) {
        note_record(inference, unit, call);
        note_jitclass(inference, unit, call);
    }
    for (uint32_t at = callgraph_candidates(inference->facts, unit, call); at != 0 && function == 0;
         at = inference->facts->candidates.items[at].next)
        pass_arguments(inference, unit, call, inference->facts->candidates.items[at].function);
    if (function != 0)
        pass_arguments(inference, unit, call, function);
    else if (argument != 0 && entry != NULL &&
             (entry->flags & (LIB_KEEPS_COUNT | LIB_REDUCES)) != 0 && entry->name[0] == 'n')
        require(inference, unit, argument, 1, 0);
    else if (argument != 0 && plain_name_is(ast, callee, "len"))
        require(inference, unit, argument, 1, 0);
    else if (argument != 0 && shape_field_is(ast, callee, "append") &&
             ast_kind(ast, callee + 1) == AST_NAME) {
        Shape element = shape_value(inference->facts, unit, argument);
        Shape *list = &inference->facts->shapes[unit->id][ast_at(ast, callee + 1)->symbol];
        uint8_t kinds = element.kinds | (element.element_kinds & SHAPE_ARRAY);
        merge(inference, list, (Shape){.depth = element.depth + 1, .element_kinds = kinds});
    }
}

static void note_return(Inference *inference, const Unit *unit, FunctionId id, AstNode value)
{
    const Ast *ast = unit->ast;
    uint32_t at = 0;
    merge(inference, &inference->facts->returns[id], shape_value(inference->facts, unit, value));
    if (ast_kind(ast, value) != AST_TUPLE)
        return;
    FOR_EACH_CHILD (ast, item, value) {
        if (at < RETURNED)
            merge(inference, &inference->parts[id][at], shape_value(inference->facts, unit, item));
        at++;
    }
}

static void note_node(Inference *inference, const Unit *unit, AstNode node)
{
    const Ast *ast = unit->ast;
    switch (ast_kind(ast, node)) {
    case AST_INDEX:
        note_index(inference, unit, node);
        break;
    case AST_FIELD:
        note_field(inference, unit, node);
        break;
    case AST_CALL:
        note_call(inference, unit, node);
        break;
    case AST_BINARY:
        for (uint32_t side = 0; side < 2 && ast_at(ast, node)->op == OP_MATMUL; side++)
            require(inference, unit, ast_child(ast, node, side), 1, SHAPE_ARRAY_USE);
        break;
    case AST_ASSIGN:
        if (ast_at(ast, node)->op == OP_NONE)
            assign(inference, unit, node + 1, ast_child(ast, node, 1));
        break;
    case AST_LOOP:
        if (ast_at(ast, node)->op == LOOP_COUNTED && ast_kind(ast, node + 1) == AST_NAME)
            merge(inference, &inference->facts->shapes[unit->id][ast_at(ast, node + 1)->symbol],
                  scalar);
        if (ast_at(ast, node)->op == LOOP_EACH)
            require(inference, unit, loop_start(ast, node), 1, 0);
        if (ast_at(ast, node)->op == LOOP_EACH && ast_kind(ast, node + 1) == AST_NAME)
            merge(inference, &inference->facts->shapes[unit->id][ast_at(ast, node + 1)->symbol],
                  shape_element(shape_value(inference->facts, unit, loop_start(ast, node))));
        break;
    case AST_RETURN: {
        AstFunction function = ast_function_of(ast, node);
        FunctionId id = program_function(inference->facts->program, unit, function);
        if (id != 0 && !ast_leafless(ast, node))
            note_return(inference, unit, id, node + 1);
        break;
    }
    default:
        break;
    }
}

/* The module-level import behind a word of an annotation: NumbaList -> "numba.typed.List". */
static const char *imported_as(const Unit *unit, const char *word, size_t length)
{
    const Ast *ast = unit->ast;
    for (AstSymbol symbol = 1; symbol < ast->symbols.count; symbol++) {
        const AstSymbolData *data = &ast->symbols.items[symbol];
        if (data->kind == SYMBOL_MODULE && intern_length(ast->names, data->name) == length &&
            strncmp(intern_text(ast->names, data->name), word, length) == 0)
            return intern_text(ast->names, data->qualified);
    }
    return "";
}

/* x: np.ndarray, bank: List[np.ndarray] */
static Shape of_annotation(const Unit *unit, const char *text)
{
    size_t head = strcspn(text, "[. ");
    const char *import = imported_as(unit, text, head);
    bool array = strstr(text, "ndarray") != NULL || strstr(text, "NDArray") != NULL;
    if (strstr(text, "|") != NULL || strncmp(text, "Optional", 8) == 0 ||
        strncmp(text, "Union", 5) == 0)
        return (Shape){0};
    if (strncmp(import, "numba.typed", 11) == 0 && strstr(import, "ist") != NULL)
        return (Shape){.kinds = SHAPE_TYPED_LIST,
                       .depth = array ? 2 : 1,
                       .element_kinds = array ? SHAPE_ARRAY : 0};
    if (array && (text[head] != '[' || strncmp(text, "NDArray", head) == 0))
        return (Shape){.kinds = SHAPE_ARRAY, .depth = 1};
    if (strcmp(text, "int") == 0 || strcmp(text, "float") == 0 || strcmp(text, "bool") == 0)
        return scalar;
    return (Shape){0};
}

static void take_annotation(Facts *facts, const Unit *unit, AstSymbol symbol)
{
    const Ast *ast = unit->ast;
    AstNode decl = ast->symbols.items[symbol].decl;
    AstNode annotation = decl != 0 && ast_kind(ast, decl) == AST_PARAM ? ast_child(ast, decl, 1)
                                                                       : 0;
    if (annotation != 0 && ast_at(ast, annotation)->name != 0)
        facts->shapes[unit->id][symbol] =
            of_annotation(unit, intern_text(ast->names, ast_at(ast, annotation)->name));
}

/* `self` is an instance of the class around its method; a call of a class makes one. */
static void take_classes(Facts *facts, const Unit *unit)
{
    const Ast *ast = unit->ast;
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        if (ast_kind(ast, node) != AST_CLASS || ast_at(ast, node)->symbol == 0)
            continue;
        uint16_t record = record_number(facts, sym_of(unit, ast_at(ast, node)->symbol));
        FOR_EACH_CHILD (ast, item, node) {
            if (ast_kind(ast, item) != AST_FUNCTION)
                continue;
            const AstFunctionData *method =
                &ast->functions.items[ast_at(ast, item)->value.function];
            if (method->params.count > 0)
                facts->shapes[unit->id][method->params.items[0]].record = record;
        }
    }
}

static void take_signature(Facts *facts, const Unit *unit)
{
    const Ast *ast = unit->ast;
    take_classes(facts, unit);
    for (AstSymbol symbol = 1; symbol < ast->symbols.count; symbol++) {
        const AstTypeData *type = &ast->types.items[ast->symbols.items[symbol].type];
        Shape *shape = &facts->shapes[unit->id][symbol];
        take_annotation(facts, unit, symbol);
        if (type->kind == TYPE_NDARRAY)
            *shape = (Shape){.kinds = SHAPE_ARRAY, .rank = type->rank, .depth = type->rank};
        else if (type->kind == TYPE_TYPED_LIST || type->kind == TYPE_LIST)
            *shape = (Shape){.kinds = type->kind == TYPE_LIST ? SHAPE_LIST : SHAPE_TYPED_LIST,
                             .depth = (uint8_t)(1 + ast->types.items[type->element].rank)};
        else if (type->kind == TYPE_INT || type->kind == TYPE_REAL || type->kind == TYPE_BOOL)
            *shape = scalar;
    }
}

/* Compiled functions, and code that calls them, are what types are needed for: by unit id. */
static bool *concerned_units(const Facts *facts)
{
    const Program *program = facts->program;
    bool *concerned = arena_alloc(facts->arena, program->unit_count * sizeof *concerned);
    for (FunctionId id = 1; id < program->functions.count; id++) {
        const FunctionFacts *function = &facts->functions[id];
        if ((program_function_data(program, id)->flags & FN_COMPILED) == 0)
            continue;
        concerned[program_function_unit(program, id)->id] = true;
        for (uint32_t i = 0; i < function->callers.count; i++)
            concerned[function->callers.items[i].unit->id] = true;
    }
    return concerned;
}

void shapes_infer(Facts *facts)
{
    const Program *program = facts->program;
    Inference inference = {.facts = facts};
    const bool *concerned = concerned_units(facts);
    facts->record_of = facts->field_of = facts->counted_fields = map_new(facts->arena);
    facts->shapes = arena_alloc(facts->arena, program->unit_count * sizeof *facts->shapes);
    facts->returns = arena_alloc(facts->arena, program->functions.count * sizeof *facts->returns);
    inference.parts = arena_alloc(facts->arena, program->functions.count * sizeof *inference.parts);
    inference.incoming =
        arena_alloc(facts->arena, program->unit_count * sizeof *inference.incoming);
    inference.passed = arena_alloc(facts->arena, program->unit_count * sizeof *inference.passed);
    for (uint32_t i = 0; i < program->unit_count; i++) {
        const Unit *unit = program->units[i];
        if (unit->language != LANGUAGE_PYTHON || !concerned[i])
            continue;
        facts->shapes[i] = arena_alloc(facts->arena, unit->ast->symbols.count * sizeof(Shape));
        inference.incoming[i] = arena_alloc(facts->arena, unit->ast->symbols.count * sizeof(Shape));
        inference.passed[i] = arena_alloc(facts->arena, unit->ast->symbols.count * sizeof(bool));
        take_signature(facts, unit);
    }
    inference.changed = true;
    for (int round = 0; round < ROUNDS && inference.changed; round++) {
        inference.changed = false;
        for (uint32_t i = 0; i < program->unit_count; i++)
            for (AstNode node = 1;
                 facts->shapes[i] != NULL && node < program->units[i]->ast->nodes.count; node++)
                note_node(&inference, program->units[i], node);
        for (uint32_t i = 0; i < program->unit_count; i++)
            if (facts->shapes[i] != NULL)
                settle(&inference, program->units[i]);
    }
}
