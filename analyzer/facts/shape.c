/* Python: how many dimensions variables have and whether they are arrays or lists, from
 * construction, use, signatures and calls, to a fixed point over all functions that are compiled or
 * hand arguments to compiled ones.
 *
 * `depth` only ever grows and says how many indices surely fit; `y[j]` is a view only where y is
 * deeper than one. */
#include "analyzer/facts/shape.h"

#include "analyzer/facts/library.h"
#include "analyzer/facts/reach.h"

#include <string.h>

enum { NO_ARRAY = SHAPE_TUPLE | SHAPE_LIST | SHAPE_TYPED_LIST | SHAPE_DICT };

static const Shape scalar = {.kinds = SHAPE_SCALAR};

bool shape_field_is(const Ast *ast, AstNode node, const char *name)
{
    return ast_kind(ast, node) == AST_FIELD &&
           strcmp(intern_text(ast->names, ast_at(ast, node)->name), name) == 0;
}

/* Indices that take a dimension away, and whether any keeps one (a slice, an ellipsis, an array).
 */
uint32_t shape_scalar_indices(const Ast *ast, AstNode index, bool *slices)
{
    uint32_t count = 0;
    *slices = false;
    for (AstNode at = ast_child(ast, index, 1); at != 0; at = ast_next(ast, at)) {
        AstKind kind = ast_kind(ast, at);
        if (kind == AST_SLICE || kind == AST_CONSTANT || kind == AST_OTHER)
            *slices = true;
        else
            count++;
    }
    return count;
}

bool shape_indexed_by_name(const Ast *ast, AstNode index)
{
    for (AstNode at = ast_child(ast, index, 1); at != 0; at = ast_next(ast, at))
        if (ast_kind(ast, at) == AST_STRING)
            return true;
    return false;
}

/* ---- what an expression is ---- */

static Shape of(const Facts *facts, const Unit *unit, AstNode node, int depth);

/* x[order], x[mask], x[x > 0]: an index that is an array keeps a dimension, and copies. */
static bool is_index_array(const Facts *facts, const Unit *unit, AstNode base, AstNode index,
                           int depth)
{
    const Ast *ast = unit->ast;
    AstKind kind = ast_kind(ast, index);
    if (kind == AST_SLICE || kind == AST_CONSTANT || kind == AST_OTHER)
        return false;
    if (kind == AST_COMPARE)
        FOR_EACH_CHILD (ast, operand, index)
            if (ast_same(ast, operand, base))
                return true;
    Shape shape = of(facts, unit, index, depth + 1);
    return shape.depth > 0 && (shape.kinds & NO_ARRAY) == 0;
}

static uint32_t index_arrays(const Facts *facts, const Unit *unit, AstNode index, int depth)
{
    AstNode base = ast_first(unit->ast, index);
    uint32_t count = 0;
    for (AstNode at = ast_next(unit->ast, base); at != 0; at = ast_next(unit->ast, at))
        count += is_index_array(facts, unit, base, at, depth);
    return count;
}

uint32_t shape_index_arrays(const Facts *facts, const Unit *unit, AstNode index)
{
    return index_arrays(facts, unit, index, 0);
}

static uint8_t literal_depth(const Ast *ast, AstNode node)
{
    uint8_t depth = 0;
    while ((ast_kind(ast, node) == AST_LIST || ast_kind(ast, node) == AST_TUPLE) &&
           depth < SHAPE_DEEPEST) {
        depth++;
        if (ast_leafless(ast, node))
            break;
        node = ast_first(ast, node);
    }
    return depth;
}

/* np.zeros((a, b)), np.zeros(n), np.zeros(x.shape) */
static Shape of_construction(const Facts *facts, const Unit *unit, AstNode call, int depth)
{
    const Ast *ast = unit->ast;
    AstNode shape = ast_child(ast, call, 1);
    Shape made = {.kinds = SHAPE_ARRAY, .depth = 1};
    if (shape != 0 && ast_kind(ast, shape) == AST_KEYWORD)
        shape = ast_first(ast, shape);
    if (shape == 0)
        return made;
    if (shape_field_is(ast, shape, "shape")) {
        made = of(facts, unit, ast_first(ast, shape), depth + 1);
        made.kinds = SHAPE_ARRAY;
        return made;
    }
    AstKind kind = ast_kind(ast, shape);
    if (kind == AST_TUPLE || kind == AST_LIST)
        made.rank = made.depth = (uint8_t)ast_child_count(ast, shape);
    else if (kind != AST_NAME && kind != AST_CALL)
        made.rank = 1;
    else if ((of(facts, unit, shape, depth + 1).kinds & SHAPE_TUPLE) == 0)
        made.rank = 1;
    return made;
}

/* x.ravel(), x.flatten(): one dimension; x.reshape(-1), x.reshape(a, b), np.reshape(x, (a, b)): as
 * many as are listed, whatever x has. 0: not told. */
static uint8_t new_rank(const Ast *ast, AstNode call, const LibraryEntry *entry)
{
    const char *name = strrchr(entry->name, '.');
    if (name == NULL)
        return 0;
    if (strcmp(name, ".ravel") == 0 || strcmp(name, ".flatten") == 0)
        return 1;
    AstNode lengths = ast_child(ast, call, entry->name[0] == '.' ? 1 : 2);
    if (strcmp(name, ".reshape") != 0 || lengths == 0)
        return 0;
    bool tuple = ast_kind(ast, lengths) == AST_TUPLE;
    uint32_t count = 0;
    int64_t length;
    for (AstNode at = tuple ? ast_first(ast, lengths) : lengths; at != 0; at = ast_next(ast, at)) {
        if (ast_kind(ast, at) == AST_SPREAD)
            return 0;
        count += ast_kind(ast, at) != AST_KEYWORD;
    }
    bool listed = tuple || count > 1 || ast_constant(ast, lengths, &length);
    return listed && count <= SHAPE_DEEPEST ? (uint8_t)count : 0;
}

/* np.array(rows), np.concatenate(rows): an array of what the rows are, or of what they hold. */
static Shape of_joined(const Facts *facts, const Unit *unit, AstNode list, bool flattens, int depth)
{
    Shape shape = of(facts, unit, list, depth + 1);
    uint8_t joined = (shape.kinds & SHAPE_TUPLE) != 0 ? 0 : shape.depth;
    joined -= flattens && joined > 0;
    return (Shape){.kinds = SHAPE_ARRAY, .depth = joined == 0 ? 1 : joined};
}

/* Of arithmetic; tuples and lists are joined or repeated by it, not turned into arrays. */
static Shape deeper(Shape left, Shape right)
{
    if (((left.kinds | right.kinds) & NO_ARRAY) != 0)
        return (Shape){0};
    Shape result = left.depth >= right.depth ? left : right;
    result.column = left.column | right.column;
    result.kinds = result.depth > 0 ? SHAPE_ARRAY : left.kinds & right.kinds & SHAPE_SCALAR;
    return result;
}

/* left @ right: one dimension of each goes. Depths are what is known at least, so that of two
 * vectors nothing follows: they may be matrices of which little is known. */
static Shape product(Shape left, Shape right)
{
    if (left.depth < 2 && right.depth < 2)
        return (Shape){0};
    uint8_t depth = left.depth < 2 || right.depth < 2 ? 1
                    : left.depth > right.depth        ? left.depth
                                                      : right.depth;
    return (Shape){.kinds = SHAPE_ARRAY, .depth = depth};
}

/* np.hypot(x, 0.5): as deep as the deepest of what it is given. */
static Shape of_elementwise(const Facts *facts, const Unit *unit, AstNode call, int depth)
{
    AstNode argument = ast_child(unit->ast, call, 1);
    Shape shape = of(facts, unit, argument, depth + 1);
    for (; argument != 0; argument = ast_next(unit->ast, argument))
        if (ast_kind(unit->ast, argument) != AST_KEYWORD)
            shape = deeper(shape, of(facts, unit, argument, depth + 1));
    return shape;
}

/* np.sum(x, axis=0), x.mean(1): an array with one dimension less. */
static bool reduces_axis(const Ast *ast, AstNode call, const LibraryEntry *entry)
{
    if ((entry->flags & LIB_REDUCES) == 0)
        return false;
    bool method = entry->name[0] == '.', fuses = (entry->flags & LIB_FUSES) != 0;
    AstNode axis = fuses ? ast_child(ast, call, method ? 1 : 2) : 0;
    int64_t number;
    if (axis != 0 && ast_constant(ast, axis, &number))
        return true;
    for (AstNode at = ast_child(ast, call, 1); at != 0; at = ast_next(ast, at))
        if (ast_kind(ast, at) == AST_KEYWORD &&
            strcmp(intern_text(ast->names, ast_at(ast, at)->name), "axis") == 0)
            return ast_kind(ast, ast_first(ast, at)) != AST_CONSTANT; /* axis=None */
    return false;
}

static Shape of_call(const Facts *facts, const Unit *unit, AstNode call, int depth)
{
    const Ast *ast = unit->ast;
    FunctionId callee = facts_callee(facts, unit, call);
    if (callee != 0) {
        bool intrinsic = (program_function_data(facts->program, callee)->flags & FN_INTRINSIC) != 0;
        return intrinsic ? (Shape){0} : facts->returns[callee];
    }
    const LibraryEntry *entry = library_call(facts, unit, call);
    AstNode argument = ast_child(ast, call, 1);
    AstNode self = ast_kind(ast, ast_first(ast, call)) == AST_FIELD
                       ? ast_first(ast, ast_first(ast, call))
                       : argument;
    if (entry == NULL) {
        AstNode name = ast_first(ast, call);
        Sym class = ast_kind(ast, name) == AST_NAME ? sym_of(unit, ast_at(ast, name)->symbol) : 0;
        uint32_t record = class == 0 ? 0 : map_get(&facts->record_of, class);
        return (Shape){.kinds = record != 0 ? SHAPE_TUPLE : 0, .record = (uint16_t)record};
    }
    if ((entry->flags & LIB_SHAPE_FIRST) != 0)
        return of_construction(facts, unit, call, depth);
    if ((entry->flags & (LIB_TYPED_LIST | LIB_LIST)) != 0) {
        Shape list = argument != 0 ? of(facts, unit, argument, depth + 1) : (Shape){.depth = 1};
        list.kinds = (entry->flags & LIB_LIST) != 0 ? SHAPE_LIST : SHAPE_TYPED_LIST;
        list.rank = 0;
        list.depth = list.depth == 0 ? 1 : list.depth;
        return list;
    }
    if ((entry->flags & LIB_TYPED_DICT) != 0)
        return (Shape){.kinds = SHAPE_DICT, .depth = 1};
    if (strcmp(entry->name, "numpy.array") == 0 && argument != 0) {
        uint8_t literal = literal_depth(ast, argument);
        return literal == 0 ? of_joined(facts, unit, argument, false, depth)
                            : (Shape){.kinds = SHAPE_ARRAY, .rank = literal, .depth = literal};
    }
    if (strcmp(entry->name, "numpy.concatenate") == 0 && argument != 0)
        return of_joined(facts, unit, argument, true, depth);
    uint8_t rank = new_rank(ast, call, entry);
    if (rank != 0)
        return (Shape){.kinds = SHAPE_ARRAY, .rank = rank, .depth = rank};
    if ((entry->flags & LIB_NUMBER) != 0)
        return scalar;
    if (strcmp(entry->name, "numpy.dot") == 0 && argument != 0)
        return product(of(facts, unit, argument, depth + 1),
                       of(facts, unit, ast_next(ast, argument), depth + 1));
    if ((entry->flags & LIB_ARRAY) != 0)
        return of_elementwise(facts, unit, call, depth);
    if ((entry->flags & LIB_LIKE) != 0 && self != 0) {
        Shape like = of(facts, unit, self, depth + 1);
        if (like.depth == 0)
            return like;
        like.kinds = SHAPE_ARRAY;
        return like;
    }
    if ((entry->flags & LIB_ALLOC) != 0)
        return (Shape){.kinds = SHAPE_ARRAY, .depth = 1};
    if (reduces_axis(ast, call, entry)) {
        uint8_t left = of(facts, unit, self, depth + 1).depth;
        return (Shape){.kinds = SHAPE_ARRAY, .depth = left > 1 ? left - 1 : 1};
    }
    if ((entry->flags & (LIB_REDUCES | LIB_THREAD_ID | LIB_TEAM_SIZE | LIB_MIN | LIB_MAX)) != 0)
        return scalar;
    return (Shape){0};
}

Shape shape_element(Shape container)
{
    Shape element = {.kinds = container.element_kinds};
    element.depth = container.depth > 0 ? container.depth - 1 : 0;
    if ((container.kinds & SHAPE_ARRAY) != 0 && container.rank > 0) {
        element.rank = container.rank - 1;
        element.depth = element.rank > element.depth ? element.rank : element.depth;
        element.kinds = element.rank > 0 ? SHAPE_ARRAY : SHAPE_SCALAR;
    }
    return element;
}

static Shape of_index(const Facts *facts, const Unit *unit, AstNode node, int depth)
{
    bool slices;
    uint32_t count = shape_scalar_indices(unit->ast, node, &slices);
    Shape shape = of(facts, unit, ast_first(unit->ast, node), depth + 1);
    uint8_t least = 0;
    if ((shape.kinds & SHAPE_DICT) == 0 && shape_indexed_by_name(unit->ast, node))
        return (Shape){0};
    for (AstNode at = ast_child(unit->ast, node, 1); slices && at != 0;
         at = ast_next(unit->ast, at))
        least += ast_kind(unit->ast, at) == AST_SLICE;
    if ((shape.kinds & NO_ARRAY) == 0 && shape.depth > 0 &&
        index_arrays(facts, unit, node, depth) > 0) {
        count -= count > 0; /* one may be an array */
        shape.kinds = SHAPE_ARRAY;
    }
    for (uint32_t i = 0; i < count; i++)
        shape = shape_element(shape);
    if (slices && (shape.kinds & (SHAPE_TUPLE | SHAPE_ARRAY)) != SHAPE_TUPLE) {
        shape.kinds = SHAPE_ARRAY;
        shape.depth = shape.depth < least ? least : shape.depth;
        bool before = false;
        for (AstNode at = ast_child(unit->ast, node, 1); at != 0; at = ast_next(unit->ast, at)) {
            bool slice = ast_kind(unit->ast, at) == AST_SLICE;
            shape.column |= before && !slice;
            before |= slice;
        }
    }
    return shape;
}

/* `x.ndim == k` around a use of x says k there: 0 if nothing does. */
uint8_t shape_tested_rank(const Ast *ast, AstNode name)
{
    AstNode part = name;
    for (AstNode up = ast_parent(ast, name); up != 0 && ast_kind(ast, up) != AST_FUNCTION;
         part = up, up = ast_parent(ast, up)) {
        if (ast_kind(ast, up) != AST_BRANCH || part != ast_child(ast, up, 1))
            continue;
        AstNode condition = ast_first(ast, up);
        FOR_EACH_NODE (ast, at, condition) {
            int64_t rank;
            if (ast_kind(ast, at) == AST_COMPARE && ast_at(ast, at)->op == OP_EQ &&
                shape_field_is(ast, at + 1, "ndim") && ast_kind(ast, at + 2) == AST_NAME &&
                ast_at(ast, at + 2)->symbol == ast_at(ast, name)->symbol &&
                ast_constant(ast, ast_child(ast, at, 1), &rank) && rank > 0 &&
                rank <= SHAPE_DEEPEST)
                return (uint8_t)rank;
        }
    }
    return 0;
}

bool shape_rank_tested(const Ast *ast, AstNode name)
{
    AstNode part = name;
    for (AstNode up = ast_parent(ast, name); up != 0 && ast_kind(ast, up) != AST_FUNCTION;
         part = up, up = ast_parent(ast, up)) {
        AstNode condition = ast_first(ast, up);
        if (ast_kind(ast, up) != AST_BRANCH || part == condition)
            continue;
        FOR_EACH_NODE (ast, at, condition)
            if (shape_field_is(ast, at, "ndim") &&
                ast_at(ast, at + 1)->symbol == ast_at(ast, name)->symbol)
                return true;
    }
    return false;
}

uint64_t shape_record_key(uint16_t record, Name field)
{
    return map_pair(record, field);
}

uint64_t shape_field_key(const Unit *unit, uint16_t record, AstNode field)
{
    const Ast *ast = unit->ast;
    if (record != 0 && record != SHAPE_MIXED)
        return shape_record_key(record, ast_at(ast, field)->name);
    uint64_t hash = unit->id + 1u;
    AstNode at = field;
    for (; ast_kind(ast, at) == AST_FIELD; at = ast_first(ast, at))
        hash = hash * 0x9e3779b97f4a7c15u + ast_at(ast, at)->name;
    hash = hash * 0x9e3779b97f4a7c15u +
           (ast_kind(ast, at) == AST_NAME ? ast_at(ast, at)->name : (uint64_t)at << 32);
    return hash | 1ull << 63; /* no record has such a number */
}

static Shape of_field(const Facts *facts, const Unit *unit, uint16_t record, AstNode field)
{
    uint32_t at = map_get(&facts->field_of, shape_field_key(unit, record, field));
    Shape shape = at == 0 ? (Shape){0} : facts->fields.items[at - 1];
    if ((shape.kinds & SHAPE_ARRAY) != 0 && (shape.kinds & SHAPE_TYPED_LIST) != 0)
        return (Shape){0};
    return shape;
}

/* The assignment that reaches a use of a variable that is bound several times. */
static AstNode reaching(const Facts *facts, const Unit *unit, AstNode name)
{
    AstSymbol symbol = ast_at(unit->ast, name)->symbol;
    bool parameter = unit->ast->symbols.items[symbol].kind == SYMBOL_PARAM;
    AstNode value;
    return facts->uses[unit->id][symbol].writes + parameter >= 2 &&
                   reach_of(facts, unit, name, &value) == REACH_VALUE
               ? value
               : 0;
}

static AstNode narrowed_to(const Facts *facts, const Unit *unit, AstNode name, int depth)
{
    const Ast *ast = unit->ast;
    AstSymbol symbol = ast_at(ast, name)->symbol;
    AstNode value = reaching(facts, unit, name);
    if (value == 0 || ast_kind(ast, value) != AST_INDEX)
        return 0;
    AstNode base = ast_first(ast, value);
    if (ast_kind(ast, base) != AST_NAME || ast_at(ast, base)->symbol != symbol)
        return 0;
    for (AstNode at = ast_next(ast, base); at != 0; at = ast_next(ast, at))
        if (ast_kind(ast, at) == AST_COMPARE || of(facts, unit, at, depth + 1).depth > 0)
            return 0; /* rows = rows[order], rows = rows[rows > 0] */
    return value;
}

/* The reduction whose result a use of a variable that is bound several times gets; 0: another
 * value, or not known. */
static AstNode reduction_to(const Facts *facts, const Unit *unit, AstNode name)
{
    AstNode value = reaching(facts, unit, name);
    const LibraryEntry *entry = value != 0 && ast_kind(unit->ast, value) == AST_CALL
                                    ? library_call(facts, unit, value)
                                    : NULL;
    return entry != NULL && (entry->flags & LIB_REDUCES) != 0 ? value : 0;
}

static Shape of_name(const Facts *facts, const Unit *unit, AstNode name, int depth)
{
    const Ast *ast = unit->ast;
    AstSymbol symbol = ast_at(ast, name)->symbol;
    if (facts->shapes[unit->id] == NULL || symbol == 0)
        return (Shape){0};
    AstNode narrowed = narrowed_to(facts, unit, name, depth);
    if (narrowed != 0)
        return of(facts, unit, narrowed, depth + 1);
    Shape shape = facts->shapes[unit->id][symbol];
    AstNode reduced = shape.depth > 0 ? reduction_to(facts, unit, name) : 0;
    if (reduced != 0) /* rows = np.sum(rows, axis=0) */
        return of(facts, unit, reduced, depth + 1);
    if ((shape.kinds & SHAPE_ARRAY) != 0 && (shape.kinds & (SHAPE_LIST | SHAPE_TYPED_LIST)) != 0) {
        AstNode value = reaching(facts, unit, name); /* rows = np.concatenate(rows) */
        if (value != 0 && ast_kind(ast, value) == AST_CALL)
            return of(facts, unit, value, depth + 1);
    }
    uint8_t rank = (shape.kinds & SHAPE_RANK_TESTED) != 0 ? shape_tested_rank(ast, name) : 0;
    if (rank != 0) {
        shape.rank = shape.depth = rank;
        shape.kinds |= SHAPE_ARRAY;
    }
    return shape;
}

static Shape of(const Facts *facts, const Unit *unit, AstNode node, int depth)
{
    const Ast *ast = unit->ast;
    if (node == 0 || depth > 12)
        return (Shape){0};
    const AstNodeData *data = ast_at(ast, node);
    switch (data->kind) {
    case AST_NAME:
        return of_name(facts, unit, node, depth);
    case AST_INDEX:
        return of_index(facts, unit, node, depth);
    case AST_CALL:
        return of_call(facts, unit, node, depth);
    case AST_BINARY: {
        Shape left = of(facts, unit, node + 1, depth + 1);
        Shape right = of(facts, unit, ast_child(ast, node, 1), depth + 1);
        return data->op == OP_MATMUL ? product(left, right) : deeper(left, right);
    }
    case AST_COMPARE: /* mask = x != 0.0 */
        return deeper(of(facts, unit, node + 1, depth + 1),
                      of(facts, unit, ast_child(ast, node, 1), depth + 1));
    case AST_UNARY:
        return of(facts, unit, node + 1, depth + 1);
    case AST_CONDITIONAL:
        return of(facts, unit, ast_child(ast, node, 1), depth + 1);
    case AST_FIELD:
        if (shape_field_is(ast, node, "T"))
            return of(facts, unit, node + 1, depth + 1);
        if (shape_field_is(ast, node, "shape"))
            return (Shape){.kinds = SHAPE_TUPLE, .depth = 1};
        return of_field(facts, unit, of(facts, unit, node + 1, depth + 1).record, node);
    case AST_INT:
    case AST_REAL:
        return scalar;
    case AST_TUPLE: {
        Shape tuple = {.kinds = SHAPE_TUPLE, .depth = 1};
        FOR_EACH_CHILD (ast, item, node)
            if (of(facts, unit, item, depth + 1).depth > 0)
                tuple.element_kinds |= SHAPE_ARRAY;
        return tuple;
    }
    case AST_LIST:
    case AST_COMPREHENSION: {
        if (data->kind == AST_COMPREHENSION &&
            strcmp(intern_text(ast->names, data->name), "dict") == 0)
            return (Shape){0}; /* its keys find something else than stands first in it */
        Shape element = ast_leafless(ast, node) ? (Shape){0} : of(facts, unit, node + 1, depth + 1);
        return (Shape){
            .kinds = SHAPE_LIST, .depth = element.depth + 1, .element_kinds = element.kinds};
    }
    default:
        return (Shape){0};
    }
}

bool facts_copies(const Facts *facts, const Unit *unit, AstNode index)
{
    if (unit->language != LANGUAGE_PYTHON || facts->shapes[unit->id] == NULL ||
        ast_kind(unit->ast, index) != AST_INDEX)
        return false;
    Shape base = of(facts, unit, ast_first(unit->ast, index), 0);
    return (base.kinds & NO_ARRAY) == 0 && index_arrays(facts, unit, index, 0) > 0;
}

AstNode shape_narrowed(const Facts *facts, const Unit *unit, AstNode name)
{
    return narrowed_to(facts, unit, name, 0);
}

Shape shape_value(const Facts *facts, const Unit *unit, AstNode expression)
{
    return of(facts, unit, expression, 0);
}

Shape shape_of(const Facts *facts, FunctionId function, AstNode expression)
{
    return of(facts, program_function_unit(facts->program, function), expression, 0);
}

Container shape_container(Shape shape, bool *likely)
{
    *likely = false;
    if ((shape.kinds & SHAPE_TYPED_LIST) != 0)
        return CONTAINER_TYPED_LIST;
    if ((shape.kinds & SHAPE_DICT) != 0)
        return CONTAINER_DICT;
    if ((shape.kinds & SHAPE_LIST) != 0)
        return CONTAINER_LIST;
    if ((shape.kinds & SHAPE_TUPLE) != 0)
        return CONTAINER_TUPLE;
    if (shape.rank > 0 || (shape.kinds & (SHAPE_ARRAY | SHAPE_ARRAY_USE)) != 0)
        return CONTAINER_ARRAY;
    if (shape.depth >= 3) {
        *likely = true; /* its items are matrices, and nobody ever asks for its .shape: a list as a
                           rule */
        return CONTAINER_TYPED_LIST;
    }
    return CONTAINER_ANY;
}

uint32_t facts_rank(const Facts *facts, const Unit *unit, AstNode expression, bool *column)
{
    Shape shape = facts->shapes[unit->id] == NULL ? (Shape){0}
                                                  : shape_value(facts, unit, expression);
    *column = shape.column != 0;
    return (shape.kinds & NO_ARRAY) != 0 ? 0 : shape.depth;
}
