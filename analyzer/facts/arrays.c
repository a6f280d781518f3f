#include "analyzer/facts/arrays.h"

#include "analyzer/facts/library.h"
#include "analyzer/facts/threads.h"
#include "analyzer/facts/walker.h"

#include <string.h>

enum {
    DIMENSIONS = 4,
    DEEPEST = 10,
    DOUBLE = 8,
    FEW_TURNS = 16,
    MOST_STEPS = 400,
    SCAN = 20 /* steps that a walk over the unit counts for */
};

/* rank 0: not known */
typedef struct Size {
    uint8_t rank;
    int64_t dims[DIMENSIONS]; /* 0 not known */
    int64_t item;             /* bytes of an element */
} Size;

typedef struct Reader {
    const Facts *facts;
    uint32_t steps;
} Reader;

static Size size_of(Reader *reader, const Unit *unit, AstNode node, int depth);

static int64_t bytes_of(const Size *size)
{
    int64_t bytes = size->item;
    if (size->rank == 0)
        return 0;
    for (uint8_t i = 0; i < size->rank; i++)
        if (size->dims[i] <= 0 || __builtin_mul_overflow(bytes, size->dims[i], &bytes))
            return 0;
    return bytes;
}

static bool spent(Reader *reader, int depth)
{
    return depth > DEEPEST || reader->steps++ > MOST_STEPS;
}

/* ---- numbers and shapes ------------------------------------------------------------------------
 */

/* What callers hand over for a parameter, if it is the same everywhere: the first one that says
 * something; its default otherwise. `read` looks at one value and tells whether it does. */
typedef bool ReadValue(Reader *reader, const Unit *unit, AstNode value, int depth, void *result);

static bool read_parameter(Reader *reader, const Unit *unit, AstSymbol symbol, int depth,
                           ReadValue *read, void *result)
{
    const Facts *facts = reader->facts;
    const AstSymbolData *data = &unit->ast->symbols.items[symbol];
    AstNode fallback = data->decl == 0 ? 0 : ast_first(unit->ast, data->decl);
    if (fallback != 0 && ast_kind(unit->ast, fallback) != AST_NONE &&
        read(reader, unit, fallback, depth, result))
        return true;
    FunctionId function = program_function(facts->program, unit, data->function);
    const char *name = intern_text(facts->program->names, data->name);
    for (uint32_t i = 0; i < facts->functions[function].callers.count; i++) {
        const Caller *caller = &facts->functions[function].callers.items[i];
        AstNode given = threads_argument(facts, caller->unit, caller->call, name, data->index);
        if (given != 0 && !spent(reader, depth) && read(reader, caller->unit, given, depth, result))
            return true;
    }
    return false;
}

static bool read_number(Reader *reader, const Unit *unit, AstNode node, int depth, void *result);

static bool number_of_binary(Reader *reader, const Unit *unit, AstNode node, int depth,
                             int64_t *value)
{
    int64_t left, right;
    if (!read_number(reader, unit, ast_first(unit->ast, node), depth, &left) ||
        !read_number(reader, unit, ast_child(unit->ast, node, 1), depth, &right))
        return false;
    switch (ast_at(unit->ast, node)->op) {
    case OP_ADD:
        return !__builtin_add_overflow(left, right, value);
    case OP_SUB:
        return !__builtin_sub_overflow(left, right, value);
    case OP_MUL:
        return !__builtin_mul_overflow(left, right, value);
    case OP_FLOORDIV:
        *value = right != 0 ? left / right : 0;
        return right > 0 && left >= 0;
    case OP_SHL:
        *value = right >= 0 && right < 40 && left >= 0 && left < 1 << 20 ? left << right : 0;
        return *value > 0;
    case OP_POW:
        *value = left == 2 && right >= 0 && right < 40 ? (int64_t)1 << right
                 : right == 2 && left < 1 << 20        ? left * left
                                                       : 0;
        return *value > 0;
    default:
        return false;
    }
}

/* x.shape[k] and len(x) */
static bool number_of_shape(Reader *reader, const Unit *unit, AstNode array, int64_t axis,
                            int depth, int64_t *value)
{
    Size size = size_of(reader, unit, array, depth);
    if (axis < 0 || axis >= size.rank || size.dims[axis] <= 0)
        return false;
    *value = size.dims[axis];
    return true;
}

static bool is_shape(const Facts *facts, const Unit *unit, AstNode node)
{
    return ast_kind(unit->ast, node) == AST_FIELD &&
           strcmp(intern_text(facts->program->names, ast_at(unit->ast, node)->name), "shape") == 0;
}

static bool read_number(Reader *reader, const Unit *unit, AstNode node, int depth, void *result)
{
    const Ast *ast = unit->ast;
    int64_t *value = result, axis;
    if (node == 0 || spent(reader, depth))
        return false;
    if (ast_constant(ast, node, value))
        return true;
    const AstNodeData *data = ast_at(ast, node);
    switch (data->kind) {
    case AST_NAME:
        if (data->symbol == 0)
            return false;
        if (ast->symbols.items[data->symbol].kind == SYMBOL_PARAM)
            return read_parameter(reader, unit, data->symbol, depth + 1, read_number, result);
        return read_number(reader, unit, reader->facts->uses[unit->id][data->symbol].value,
                           depth + 1, result);
    case AST_BINARY:
        return number_of_binary(reader, unit, node, depth + 1, value);
    case AST_INDEX:
        return is_shape(reader->facts, unit, node + 1) &&
               ast_constant(ast, ast_child(ast, node, 1), &axis) &&
               number_of_shape(reader, unit, ast_first(ast, node + 1), axis, depth + 1, value);
    case AST_CALL: {
        char name[THREADS_NAME];
        threads_called(reader->facts, unit, node, name);
        AstNode first = ast_child(ast, node, 1);
        return first != 0 && strcmp(name, "len") == 0 &&
               number_of_shape(reader, unit, first, 0, depth + 1, value);
    }
    default:
        return false;
    }
}

static bool read_shape(Reader *reader, const Unit *unit, AstNode node, int depth, void *result)
{
    const Ast *ast = unit->ast;
    Size *size = result;
    if (node == 0 || spent(reader, depth))
        return false;
    const AstNodeData *data = ast_at(ast, node);
    if (data->kind == AST_TUPLE || data->kind == AST_LIST) {
        size->rank = 0;
        FOR_EACH_CHILD (ast, item, node) {
            int64_t value = 0;
            if (size->rank == DIMENSIONS)
                return false;
            read_number(reader, unit, item, depth + 1, &value);
            size->dims[size->rank++] = value;
        }
        return size->rank > 0;
    }
    int64_t value;
    if (read_number(reader, unit, node, depth + 1, &value)) {
        *size = (Size){.rank = 1, .dims = {value}, .item = size->item};
        return true;
    }
    if (data->kind == AST_NAME && data->symbol != 0) {
        if (ast->symbols.items[data->symbol].kind == SYMBOL_PARAM)
            return read_parameter(reader, unit, data->symbol, depth + 1, read_shape, result);
        return read_shape(reader, unit, reader->facts->uses[unit->id][data->symbol].value,
                          depth + 1, result);
    }
    if (is_shape(reader->facts, unit, node)) {
        Size whole = size_of(reader, unit, ast_first(ast, node), depth + 1);
        whole.item = size->item;
        *size = whole;
        return whole.rank > 0;
    }
    return false;
}

static int64_t item_bytes(const Facts *facts, const Unit *unit, AstNode dtype)
{
    static const struct {
        const char *sign;
        int64_t bytes;
    } types[] = {{"complex128", 16}, {"complex64", 8}, {"float32", 4}, {"float16", 2}, {"int32", 4},
                 {"uint32", 4},      {"int16", 2},     {"uint16", 2},  {"uint8", 1},   {"int8", 1},
                 {"bool", 1},        {"single", 4},    {"complex", 16}};
    char name[THREADS_NAME] = "";
    if (dtype == 0)
        return DOUBLE;
    if (ast_kind(unit->ast, dtype) == AST_STRING) {
        const char *text = intern_text(facts->program->names, ast_at(unit->ast, dtype)->name);
        if (strcmp(text, "f4") == 0 || strcmp(text, "i4") == 0)
            return 4;
        if (strcmp(text, "u1") == 0 || strcmp(text, "i1") == 0)
            return 1;
        memcpy(name, text, strlen(text) < sizeof name ? strlen(text) + 1 : 1);
    } else {
        threads_named(facts, unit, dtype, name);
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strstr(name, types[i].sign) != NULL)
            return types[i].bytes;
    return DOUBLE;
}

/* ---- arrays ------------------------------------------------------------------------------------
 */

static bool read_array(Reader *reader, const Unit *unit, AstNode node, int depth, void *result)
{
    Size size = size_of(reader, unit, node, depth);
    if (bytes_of(&size) == 0)
        return false;
    *(Size *)result = size;
    return true;
}

static Size larger(Size left, Size right)
{
    Size size = bytes_of(&right) > bytes_of(&left) ? right : left;
    if (bytes_of(&left) == 0 && bytes_of(&right) == 0 && left.rank == 0)
        size = right;
    if (left.rank > 0 && right.rank > 0 && right.item > size.item)
        size.item = right.item;
    return size;
}

static Size without_first(Size size, uint8_t count)
{
    if (count >= size.rank)
        return (Size){0};
    for (uint8_t i = 0; i + count < size.rank; i++)
        size.dims[i] = size.dims[i + count];
    size.rank -= count;
    return size;
}

/* A number takes a dimension away, a whole slice keeps it, a part of one has some size. */
static Size size_of_index(Reader *reader, const Unit *unit, AstNode node, int depth)
{
    const Ast *ast = unit->ast;
    Size whole = size_of(reader, unit, ast_first(ast, node), depth), left = {.item = whole.item};
    uint8_t axis = 0;
    for (AstNode index = ast_child(ast, node, 1); index != 0 && axis < whole.rank;
         index = ast_next(ast, index), axis++) {
        if (ast_kind(ast, index) != AST_SLICE)
            continue;
        bool all = true;
        FOR_EACH_CHILD (ast, bound, index)
            all &= ast_kind(ast, bound) == AST_NONE;
        left.dims[left.rank++] = all ? whole.dims[axis] : 0;
    }
    for (; axis < whole.rank; axis++)
        left.dims[left.rank++] = whole.dims[axis];
    return left;
}

/* The values a variable gets; several: the first one whose size is known. */
static Size size_of_variable(Reader *reader, const Unit *unit, AstSymbol symbol, int depth)
{
    const Ast *ast = unit->ast;
    const SymbolUse *use = &reader->facts->uses[unit->id][symbol];
    Size size = {0};
    if (ast->symbols.items[symbol].kind == SYMBOL_PARAM) {
        read_parameter(reader, unit, symbol, depth, read_array, &size);
        return size;
    }
    if (use->loop != 0) {
        if (ast_at(ast, use->loop)->op != LOOP_EACH)
            return size;
        return without_first(size_of(reader, unit, loop_start(ast, use->loop), depth), 1);
    }
    if (use->value != 0)
        return size_of(reader, unit, use->value, depth);
    reader->steps += SCAN;
    for (AstNode node = 1; node < ast->nodes.count && bytes_of(&size) == 0; node++)
        if (ast_kind(ast, node) == AST_ASSIGN && ast_at(ast, node)->op == OP_NONE &&
            ast_kind(ast, ast_first(ast, node)) == AST_NAME &&
            ast_at(ast, ast_first(ast, node))->symbol == symbol)
            size = size_of(reader, unit, ast_child(ast, node, 1), depth);
    return size;
}

/* self.x: what the unit stores to a field of that name. */
static Size size_of_field(Reader *reader, const Unit *unit, AstNode field, int depth)
{
    const Ast *ast = unit->ast;
    Name name = ast_at(ast, field)->name;
    Size size = {0};
    if (strcmp(intern_text(reader->facts->program->names, name), "T") == 0)
        return size_of(reader, unit, ast_first(ast, field), depth);
    reader->steps += SCAN;
    for (AstNode node = 1; node < ast->nodes.count && bytes_of(&size) == 0; node++)
        if (ast_kind(ast, node) == AST_ASSIGN && ast_at(ast, node)->op == OP_NONE &&
            ast_kind(ast, ast_first(ast, node)) == AST_FIELD &&
            ast_at(ast, ast_first(ast, node))->name == name)
            size = size_of(reader, unit, ast_child(ast, node, 1), depth);
    return size;
}

/* Generators: rng.random(shape), numpy.random.rand(n, m), rng.normal(size=shape). */
static Size size_of_random(Reader *reader, const Unit *unit, AstNode call, const char *last,
                           int depth)
{
    static const char *const by_shape[] = {"random", "standard_normal", "random_sample", "rand",
                                           "randn"};
    Size size = {.item = DOUBLE};
    AstNode shape = threads_argument(reader->facts, unit, call, "size", 99);
    bool known = shape != 0;
    for (size_t i = 0; i < sizeof by_shape / sizeof *by_shape; i++)
        known |= strcmp(last, by_shape[i]) == 0;
    if (!known)
        return (Size){0};
    if (shape == 0 && strncmp(last, "rand", 4) == 0 && strncmp(last, "random", 6) != 0) {
        for (AstNode argument = ast_child(unit->ast, call, 1);
             argument != 0 && size.rank < DIMENSIONS; argument = ast_next(unit->ast, argument))
            read_number(reader, unit, argument, depth, &size.dims[size.rank++]);
        return size;
    }
    shape = shape != 0 ? shape : ast_child(unit->ast, call, 1);
    return read_shape(reader, unit, shape, depth, &size) ? size : (Size){0};
}

static Size size_of_call(Reader *reader, const Unit *unit, AstNode call, int depth)
{
    const Facts *facts = reader->facts;
    const Ast *ast = unit->ast;
    char name[THREADS_NAME];
    threads_called(facts, unit, call, name);
    const char *dot = strrchr(name, '.'), *last = dot == NULL ? name : dot + 1;
    const LibraryEntry *entry = library_call(facts, unit, call);
    AstNode first = ast_child(ast, call, 1);
    uint32_t flags = entry == NULL ? 0 : entry->flags;
    AstNode dtype = threads_argument(facts, unit, call, "dtype", strcmp(last, "full") == 0 ? 2 : 1);
    Size size = {.item = item_bytes(facts, unit, dtype)};
    if ((flags & LIB_SHAPE_FIRST) != 0)
        return read_shape(reader, unit, first, depth, &size) ? size : (Size){0};
    if ((flags & LIB_ARRAY) != 0) {
        size = (Size){0};
        for (AstNode argument = first; argument != 0; argument = ast_next(ast, argument))
            if (ast_kind(ast, argument) != AST_KEYWORD)
                size = larger(size, size_of(reader, unit, argument, depth));
        return size;
    }
    if ((flags & LIB_LIKE) != 0) {
        bool method = ast_kind(ast, ast_first(ast, call)) == AST_FIELD;
        AstNode of = method ? ast_first(ast, ast_first(ast, call)) : first;
        Size like = of == 0 ? (Size){0} : size_of(reader, unit, of, depth);
        AstNode type =
            strcmp(last, "astype") == 0 ? first : threads_argument(facts, unit, call, "dtype", 99);
        like.item = type != 0 && like.rank > 0 ? item_bytes(facts, unit, type) : like.item;
        return like;
    }
    if (strcmp(name, "numpy.arange") == 0 && first != 0 && ast_next(ast, first) == 0) {
        int64_t count;
        return read_number(reader, unit, first, depth, &count)
                   ? (Size){.rank = 1, .dims = {count}, .item = DOUBLE}
                   : (Size){0};
    }
    if (strstr(name, "random") != NULL || strncmp(name, "numpy.random", 12) == 0)
        return size_of_random(reader, unit, call, last, depth);
    return (Size){0};
}

static Size size_of(Reader *reader, const Unit *unit, AstNode node, int depth)
{
    const Ast *ast = unit->ast;
    if (node == 0 || spent(reader, depth))
        return (Size){0};
    const AstNodeData *data = ast_at(ast, node);
    switch (data->kind) {
    case AST_NAME:
        return data->symbol == 0 ? (Size){0}
                                 : size_of_variable(reader, unit, data->symbol, depth + 1);
    case AST_FIELD:
        return size_of_field(reader, unit, node, depth + 1);
    case AST_CALL:
        return size_of_call(reader, unit, node, depth + 1);
    case AST_INDEX:
        return size_of_index(reader, unit, node, depth + 1);
    case AST_UNARY:
        return size_of(reader, unit, ast_first(ast, node), depth + 1);
    case AST_BINARY:
        if (data->op == OP_MATMUL)
            return (Size){0};
        return larger(size_of(reader, unit, ast_first(ast, node), depth + 1),
                      size_of(reader, unit, ast_child(ast, node, 1), depth + 1));
    default:
        return (Size){0};
    }
}

int64_t arrays_bytes(const Facts *facts, const Unit *unit, AstNode expression)
{
    Reader reader = {.facts = facts};
    Size size = size_of(&reader, unit, expression, 0);
    return bytes_of(&size);
}

/* ---- loops that make arrays --------------------------------------------------------------------
 */

static bool has_out(const Facts *facts, const Unit *unit, AstNode call)
{
    return threads_argument(facts, unit, call, "out", 99) != 0;
}

static bool makes_array(const Facts *facts, const Unit *unit, AstNode node)
{
    const AstNodeData *data = ast_at(unit->ast, node);
    if (data->kind == AST_BINARY)
        return data->op != OP_MATMUL;
    if (data->kind != AST_CALL || has_out(facts, unit, node))
        return false;
    const LibraryEntry *entry = library_call(facts, unit, node);
    return entry != NULL && ((entry->flags & LIB_ARRAY) != 0 ||
                             ((entry->flags & LIB_ALLOC) != 0 &&
                              (entry->flags & (LIB_SHAPE_FIRST | LIB_LIKE)) != 0));
}

/* A part of a larger expression that makes an array of it: that one counts. */
static bool is_part(const Facts *facts, const Unit *unit, AstNode node)
{
    AstNode parent = ast_parent(unit->ast, node);
    while (ast_kind(unit->ast, parent) == AST_UNARY)
        parent = ast_parent(unit->ast, parent);
    return makes_array(facts, unit, parent) && arrays_bytes(facts, unit, parent) > 0;
}

static AstNode loop_around(const Ast *ast, AstNode node)
{
    for (AstNode up = ast_parent(ast, node), part = node; up != 0;
         part = up, up = ast_parent(ast, up)) {
        AstKind kind = ast_kind(ast, up);
        if (kind == AST_FUNCTION || kind == AST_LAMBDA || kind == AST_COMPREHENSION)
            return 0;
        if (kind == AST_LOOP && part == loop_body(ast, up))
            return up;
    }
    return 0;
}

/* if buffer is None: buffer = …, made once */
static bool is_made_once(const Facts *facts, const Unit *unit, AstNode node, AstNode loop)
{
    for (AstNode up = ast_parent(unit->ast, node); up != loop && up != 0;
         up = ast_parent(unit->ast, up)) {
        if (ast_kind(unit->ast, up) != AST_BRANCH)
            continue;
        FOR_EACH_NODE (unit->ast, at, ast_first(unit->ast, up))
            if (ast_kind(unit->ast, at) == AST_CONSTANT &&
                strcmp(intern_text(facts->program->names, ast_at(unit->ast, at)->name), "None") ==
                    0)
                return true;
    }
    return false;
}

/* A dict or list display, or a call of dict() and the like, is what the variable is. */
static bool is_collection(const Facts *facts, const Unit *unit, AstNode base)
{
    const AstNodeData *data = ast_at(unit->ast, base);
    AstNode value = 0;
    if (data->kind == AST_NAME && data->symbol != 0)
        value = facts->uses[unit->id][data->symbol].value;
    for (AstNode node = 1; data->kind == AST_FIELD && node < unit->ast->nodes.count && value == 0;
         node++)
        if (ast_kind(unit->ast, node) == AST_ASSIGN && ast_kind(unit->ast, node + 1) == AST_FIELD &&
            ast_at(unit->ast, node + 1)->name == data->name)
            value = ast_child(unit->ast, node, 1);
    if (value == 0)
        return false;
    AstKind kind = ast_kind(unit->ast, value);
    char name[THREADS_NAME] = "";
    if (kind == AST_CALL)
        threads_called(facts, unit, value, name);
    return kind == AST_DICT || (kind == AST_LIST && ast_leafless(unit->ast, value)) ||
           strcmp(name, "dict") == 0 || strcmp(name, "list") == 0 ||
           strcmp(name, "collections.OrderedDict") == 0 ||
           strcmp(name, "collections.defaultdict") == 0;
}

/* slots[2] = …, in every turn: what was there before goes. */
static bool is_replaced(const Ast *ast, AstNode target, AstNode loop)
{
    for (AstNode key = loop == 0 ? 0 : ast_child(ast, target, 1); key != 0;
         key = ast_next(ast, key))
        FOR_EACH_NODE (ast, node, key)
            if (ast_kind(ast, node) == AST_CALL ||
                (ast_kind(ast, node) == AST_NAME &&
                 walker_assigned_within(ast, loop, ast_at(ast, node)->symbol)))
                return false;
    return loop != 0;
}

/* The value goes into a collection that was there before the loop. */
static bool is_put_away(const Facts *facts, const Unit *unit, AstNode value, AstNode loop)
{
    const Ast *ast = unit->ast;
    AstNode parent = ast_parent(ast, value), base = 0;
    if (ast_kind(ast, parent) == AST_ASSIGN && ast_child(ast, parent, 1) == value &&
        ast_kind(ast, ast_first(ast, parent)) == AST_INDEX)
        base = is_replaced(ast, ast_first(ast, parent), loop)
                   ? 0
                   : ast_first(ast, ast_first(ast, parent));
    if (ast_kind(ast, parent) == AST_CALL && ast_first(ast, parent) != value &&
        ast_kind(ast, ast_first(ast, parent)) == AST_FIELD) {
        const char *method =
            intern_text(facts->program->names, ast_at(ast, ast_first(ast, parent))->name);
        if (strcmp(method, "append") == 0 || strcmp(method, "setdefault") == 0)
            base = ast_first(ast, ast_first(ast, parent));
    }
    if (base == 0 || !is_collection(facts, unit, base))
        return false;
    AstSymbol symbol = ast_kind(ast, base) == AST_NAME ? ast_at(ast, base)->symbol : 0;
    if (loop == 0) /* of an object, or of the module: it outlives the call */
        return symbol == 0 || ast->symbols.items[symbol].kind == SYMBOL_GLOBAL;
    AstNode made = facts->uses[unit->id][symbol].value;
    return symbol == 0 || made == 0 || !ast_holds(ast, loop, made);
}

/* A handful of turns: for dtype in ("f4", "f8"). */
static bool is_short(const Facts *facts, const Unit *unit, AstNode loop)
{
    const Ast *ast = unit->ast;
    int64_t limit;
    if (ast_at(ast, loop)->op == LOOP_COUNTED)
        return ast_constant(ast, loop_limit(ast, loop), &limit) && limit < FEW_TURNS;
    AstNode items = loop_start(ast, loop);
    if (items != 0 && ast_kind(ast, items) == AST_NAME && ast_at(ast, items)->symbol != 0)
        items = facts->uses[unit->id][ast_at(ast, items)->symbol].value;
    return items != 0 && (ast_kind(ast, items) == AST_TUPLE || ast_kind(ast, items) == AST_LIST) &&
           ast_child_count(ast, items) < FEW_TURNS;
}

/* It, or the variable it is assigned to, is put away in the same loop. */
static bool is_kept(const Facts *facts, const Unit *unit, const LoopArray *made)
{
    if (made->loop != 0 && is_short(facts, unit, made->loop))
        return false;
    if (is_put_away(facts, unit, made->node, made->loop))
        return true;
    AstNode around = made->loop;
    for (AstNode up = made->node; around == 0; up = ast_parent(unit->ast, up))
        around = ast_kind(unit->ast, up) == AST_FUNCTION || ast_parent(unit->ast, up) == 0 ? up : 0;
    FOR_EACH_NODE (unit->ast, node, around)
        if (made->name != 0 && ast_kind(unit->ast, node) == AST_NAME &&
            ast_at(unit->ast, node)->symbol == made->name &&
            is_put_away(facts, unit, node, made->loop))
            return true;
    return false;
}

static bool is_in_loop(const Ast *ast, AstNode node)
{
    for (AstNode up = ast_parent(ast, node); up != 0 && ast_kind(ast, up) != AST_FUNCTION;
         up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_LOOP || ast_kind(ast, up) == AST_COMPREHENSION)
            return true;
    return false;
}

static bool is_called_in_loop(const Facts *facts, FunctionId function)
{
    for (uint32_t i = 0; i < facts->functions[function].callers.count; i++) {
        const Caller *caller = &facts->functions[function].callers.items[i];
        if (is_in_loop(caller->unit->ast, caller->call))
            return true;
    }
    return false;
}

/* except Exception: picture = np.zeros(shape) */
static bool is_for_errors(const Ast *ast, AstNode expression)
{
    for (AstNode at = expression; at != 0 && ast_kind(ast, at) != AST_LOOP;
         at = ast_parent(ast, at))
        if (branch_handles_error(ast, ast_parent(ast, at), at))
            return true;
    return false;
}

bool arrays_in_loop(const Facts *facts, const Unit *unit, AstNode expression, LoopArray *made)
{
    const Ast *ast = unit->ast;
    AstFunction own = ast_function_of(ast, expression);
    FunctionId function = program_function(facts->program, unit, own);
    if (function != 0 && (ast->functions.items[own].flags & FN_COMPILED) != 0)
        return false;
    if (!makes_array(facts, unit, expression))
        return false;
    *made = (LoopArray){.loop = loop_around(ast, expression), .node = expression};
    if (made->loop == 0 && !is_called_in_loop(facts, function))
        return false;
    if (is_made_once(facts, unit, expression, made->loop) || is_for_errors(ast, expression))
        return false;
    made->bytes = arrays_bytes(facts, unit, expression);
    if (made->bytes <= 0 || is_part(facts, unit, expression))
        return false;
    AstNode parent = ast_parent(ast, expression);
    if (ast_kind(ast, parent) == AST_ASSIGN && ast_at(ast, parent)->op == OP_NONE &&
        ast_kind(ast, ast_first(ast, parent)) == AST_NAME)
        made->name = ast_at(ast, ast_first(ast, parent))->symbol;
    made->fate = is_kept(facts, unit, made) ? ARRAY_KEPT : ARRAY_PASSING;
    return true;
}
