#include "analyzer/facts/extent.h"

#include "analyzer/facts/library.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 24 };

typedef struct Reader {
    const Facts *facts;
    const CallChain *chain;
    const Unit *unit;
    int depth;
} Reader;

static const Extent UNKNOWN = {-INFINITY, INFINITY};
/* What counts something cannot be negative. */
static const Extent COUNT = {0, INFINITY};

static Extent value_of(Reader reader, AstNode node);
static Extent size_of(Reader reader, AstNode array, uint32_t axis);

static const char *word_of(const Ast *ast, AstNode node)
{
    return intern_text(ast->names, ast_at(ast, node)->name);
}

static Extent exactly(double value)
{
    return (Extent){value, value};
}

static bool is_known(Extent extent)
{
    return isfinite(extent.low) && isfinite(extent.high);
}

static Extent united(Extent a, Extent b)
{
    return (Extent){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static Reader deeper(Reader reader)
{
    reader.depth++;
    return reader;
}

/* The reader at the caller, and what it hands over for a parameter; 0 if that is not known. */
static AstNode argument_for(Reader *reader, const AstSymbolData *parameter)
{
    const CallChain *chain = reader->chain;
    if (chain == NULL || program_function(reader->facts->program, reader->unit,
                                          parameter->function) != chain->callee)
        return 0;
    AstNode argument =
        place_argument(reader->facts, chain->callee, chain->unit, chain->call, parameter->index);
    const Ast *ast = chain->unit->ast;
    if (argument != 0 && ast_kind(ast, argument) == AST_KEYWORD)
        argument = ast_first(ast, argument);
    *reader = (Reader){reader->facts, chain->outer, chain->unit, reader->depth};
    return argument;
}

/* What a variable stands for: its only value, or the argument behind a parameter; the reader moves
 * along. 0 if there is no such thing. */
static AstNode behind_name(Reader *reader, AstNode name)
{
    const Ast *ast = reader->unit->ast;
    AstSymbol symbol = ast_at(ast, name)->symbol;
    const AstSymbolData *data = &ast->symbols.items[symbol];
    const SymbolUse *use = &reader->facts->uses[reader->unit->id][symbol];
    if (symbol == 0 || use->address_taken || use->augmented)
        return 0;
    if (data->kind == SYMBOL_PARAM)
        return use->writes == 0 ? argument_for(reader, data) : 0;
    bool own = data->kind == SYMBOL_LOCAL || data->kind == SYMBOL_STATIC ||
               (data->kind == SYMBOL_GLOBAL && (reader->unit->language == LANGUAGE_PYTHON ||
                                                (data->flags & SYMBOL_INTERNAL) != 0));
    return own && use->writes == 1 && use->loop == 0 && !use->condition_value ? use->value : 0;
}

/* n of `n, m = x.shape` */
static bool unpacked_axis(const Ast *ast, AstSymbol symbol, AstNode *array, uint32_t *axis)
{
    AstNode decl = ast->symbols.items[symbol].decl;
    AstNode tuple = decl == 0 ? 0 : ast_parent(ast, decl);
    if (tuple == 0 || ast_kind(ast, tuple) != AST_TUPLE ||
        ast_kind(ast, ast_parent(ast, tuple)) != AST_ASSIGN)
        return false;
    AstNode value = ast_child(ast, ast_parent(ast, tuple), 1);
    if (value == 0 || ast_kind(ast, value) != AST_FIELD ||
        strcmp(word_of(ast, value), "shape") != 0)
        return false;
    *axis = 0;
    for (AstNode item = ast_first(ast, tuple); item != 0 && item != decl;
         item = ast_next(ast, item))
        (*axis)++;
    *array = ast_first(ast, value);
    return true;
}

/* The variable of a loop lies between its first and its last value. */
static Extent induction_of(Reader reader, AstNode loop)
{
    const Ast *ast = reader.unit->ast;
    if (ast_at(ast, loop)->op != LOOP_COUNTED)
        return UNKNOWN;
    int64_t step = 1;
    AstNode by = loop_step(ast, loop);
    if (ast_kind(ast, by) != AST_NONE && !ast_constant(ast, by, &step))
        return UNKNOWN;
    Extent first = ast_kind(ast, loop_start(ast, loop)) == AST_NONE
                       ? exactly(0)
                       : value_of(reader, loop_start(ast, loop));
    Extent limit = value_of(reader, loop_limit(ast, loop));
    return step > 0 ? (Extent){first.low, limit.high - 1} : (Extent){limit.low + 1, first.high};
}

/* The union of all values that a local is plainly set to; nothing where it is set in another way.
 */
static Extent of_values(Reader reader, AstSymbol symbol)
{
    enum { MOST_VALUES = 4 };
    const Ast *ast = reader.unit->ast;
    const AstSymbolData *data = &ast->symbols.items[symbol];
    const SymbolUse *use = &reader.facts->uses[reader.unit->id][symbol];
    if (data->kind != SYMBOL_LOCAL || use->augmented || use->address_taken || use->loop != 0 ||
        use->writes < 2 || use->writes > MOST_VALUES)
        return UNKNOWN;
    Extent all = {INFINITY, -INFINITY};
    uint32_t seen = 0;
    FOR_EACH_NODE (ast, node, ast->functions.items[data->function].node) {
        AstNode value = ast_value_set(ast, node, symbol);
        if (value == 0 || ast_kind(ast, value) == AST_NONE)
            continue;
        seen++;
        all = united(all, value_of(reader, value));
    }
    return seen == use->writes ? all : UNKNOWN;
}

static Extent of_name(Reader reader, AstNode node)
{
    const Ast *ast = reader.unit->ast;
    AstSymbol symbol = ast_at(ast, node)->symbol;
    AstNode array;
    uint32_t axis;
    if (symbol == 0)
        return UNKNOWN;
    const SymbolUse *use = &reader.facts->uses[reader.unit->id][symbol];
    if (use->loop != 0 && use->writes == 1 && !use->augmented && !use->address_taken)
        return induction_of(reader, use->loop);
    if (use->writes == 1 && unpacked_axis(ast, symbol, &array, &axis))
        return size_of(reader, array, axis);
    AstNode value = behind_name(&reader, node);
    return value == 0 ? of_values(reader, symbol) : value_of(reader, value);
}

static Extent product(Extent a, Extent b)
{
    if (a.low >= 0 && b.low >= 0) {
        double high = a.high == 0 || b.high == 0 ? 0 : a.high * b.high;
        return (Extent){a.low * b.low, high};
    }
    if (!is_known(a) || !is_known(b))
        return UNKNOWN;
    double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
    return (Extent){fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s))};
}

static Extent of_binary(Reader reader, AstNode node)
{
    const Ast *ast = reader.unit->ast;
    Extent a = value_of(reader, ast_first(ast, node));
    Extent b = value_of(reader, ast_child(ast, node, 1));
    switch (ast_at(ast, node)->op) {
    case OP_ADD:
        return (Extent){a.low + b.low, a.high + b.high};
    case OP_SUB:
        return (Extent){a.low - b.high, a.high - b.low};
    case OP_MUL:
        return product(a, b);
    case OP_DIV:
    case OP_FLOORDIV:
        return a.low >= 0 && b.low >= 1 ? (Extent){0, a.high / b.low} : UNKNOWN;
    case OP_MOD:
        return b.low >= 1 ? (Extent){0, b.high - 1} : UNKNOWN;
    case OP_AND:
        return b.low >= 0 ? (Extent){0, b.high} : a.low >= 0 ? (Extent){0, a.high} : UNKNOWN;
    case OP_SHR:
        return a.low >= 0 ? (Extent){0, a.high} : UNKNOWN;
    default:
        return UNKNOWN;
    }
}

static bool is_called(const Ast *ast, const char *name, const char *word)
{
    (void)ast;
    const char *dot = strrchr(name, '.');
    return strcmp(dot == NULL ? name : dot + 1, word) == 0;
}

static Extent of_call(Reader reader, AstNode call)
{
    const Ast *ast = reader.unit->ast;
    Name qualified = program_qualified(reader.facts->program, reader.unit, ast_first(ast, call));
    const char *name = qualified != 0 ? intern_text(ast->names, qualified)
                                      : word_of(ast, ast_first(ast, call));
    AstNode first = ast_child(ast, call, 1), second = first == 0 ? 0 : ast_next(ast, first);
    if (first == 0)
        return UNKNOWN;
    if (strcmp(name, "len") == 0)
        return size_of(reader, first, 0);
    if (is_called(ast, name, "int") || is_called(ast, name, "int64") ||
        is_called(ast, name, "int32") || is_called(ast, name, "intp"))
        return value_of(reader, first);
    if (second != 0 && (strcmp(name, "min") == 0 || strcmp(name, "max") == 0)) {
        Extent a = value_of(reader, first), b = value_of(reader, second);
        return name[1] == 'i' ? (Extent){fmin(a.low, b.low), fmin(a.high, b.high)}
                              : (Extent){fmax(a.low, b.low), fmax(a.high, b.high)};
    }
    if (strcmp(name, "fread") == 0 && ast_child(ast, call, 3) != 0)
        return (Extent){0, value_of(reader, ast_child(ast, call, 3)).high};
    return UNKNOWN;
}

/* x.shape[0], and x.size of what has one axis. */
static Extent of_shape(Reader reader, AstNode node)
{
    const Ast *ast = reader.unit->ast;
    AstNode base = ast_first(ast, node);
    int64_t axis;
    if (ast_kind(ast, node) == AST_FIELD)
        return strcmp(word_of(ast, node), "size") == 0 ? size_of(reader, base, UINT32_MAX)
                                                       : UNKNOWN;
    if (ast_kind(ast, base) != AST_FIELD || strcmp(word_of(ast, base), "shape") != 0 ||
        !ast_constant(ast, ast_child(ast, node, 1), &axis) || axis < 0)
        return UNKNOWN;
    return size_of(reader, ast_first(ast, base), (uint32_t)axis);
}

static Extent value_of(Reader reader, AstNode node)
{
    const Ast *ast = reader.unit->ast;
    int64_t whole;
    if (node == 0 || reader.depth > DEEPEST)
        return UNKNOWN;
    if (ast_constant(ast, node, &whole))
        return exactly((double)whole);
    reader = deeper(reader);
    switch (ast_kind(ast, node)) {
    case AST_NAME:
        return of_name(reader, node);
    case AST_CAST:
        return value_of(reader, ast_first(ast, node));
    case AST_BINARY:
        return of_binary(reader, node);
    case AST_CONDITIONAL:
        return united(value_of(reader, ast_child(ast, node, 1)),
                      value_of(reader, ast_child(ast, node, 2)));
    case AST_CALL:
        return of_call(reader, node);
    case AST_FIELD:
    case AST_INDEX:
        return of_shape(reader, node);
    case AST_UNARY:
        if (ast_at(ast, node)->op == OP_NEG) {
            Extent value = value_of(reader, ast_first(ast, node));
            return (Extent){-value.high, -value.low};
        }
        return UNKNOWN;
    default:
        return UNKNOWN;
    }
}

/* ---- sizes of arrays (Python) ---- */

/* One axis of a shape expression: (n, 3), n, or x.shape. UINT32_MAX: all of them. */
static Extent axis_of(Reader reader, AstNode shape, uint32_t axis)
{
    const Ast *ast = reader.unit->ast;
    AstKind kind = ast_kind(ast, shape);
    if (kind == AST_TUPLE || kind == AST_LIST) {
        if (axis != UINT32_MAX)
            return axis < ast_child_count(ast, shape)
                       ? value_of(reader, ast_child(ast, shape, axis))
                       : UNKNOWN;
        Extent all = exactly(1);
        FOR_EACH_CHILD (ast, item, shape)
            all = product(all, value_of(reader, item));
        return all;
    }
    if (kind == AST_FIELD && strcmp(word_of(ast, shape), "shape") == 0)
        return size_of(reader, ast_first(ast, shape), axis);
    return axis == 0 || axis == UINT32_MAX ? value_of(reader, shape) : UNKNOWN;
}

static AstNode keyword_of(const Ast *ast, AstNode call, const char *word)
{
    FOR_EACH_CHILD (ast, child, call)
        if (ast_kind(ast, child) == AST_KEYWORD && strcmp(word_of(ast, child), word) == 0)
            return ast_first(ast, child);
    return 0;
}

/* Whether an expression is a generator of random numbers: numpy.random itself, or what
 * default_rng() gave. */
static bool is_generator(Reader reader, AstNode node)
{
    for (int step = 0; node != 0 && step < DEEPEST; step++) {
        const Ast *ast = reader.unit->ast;
        bool made = ast_kind(ast, node) == AST_CALL;
        Name name = program_qualified(reader.facts->program, reader.unit,
                                      made ? ast_first(ast, node) : node);
        const char *text = name == 0 ? "" : intern_text(ast->names, name);
        if (strcmp(text, made ? "numpy.random.default_rng" : "numpy.random") == 0 ||
            (made && strcmp(text, "numpy.random.RandomState") == 0))
            return true;
        node = ast_kind(ast, node) == AST_NAME ? behind_name(&reader, node) : 0;
    }
    return false;
}

/* rng.random((n, m)), rng.normal(size=(n, m)), numpy.random.rand(n, m). */
static Extent size_of_draw(Reader reader, AstNode call, uint32_t axis)
{
    const Ast *ast = reader.unit->ast;
    AstNode callee = ast_first(ast, call), first = ast_child(ast, call, 1);
    if (ast_kind(ast, callee) != AST_FIELD || first == 0 ||
        !is_generator(reader, ast_first(ast, callee)))
        return COUNT;
    AstNode size = keyword_of(ast, call, "size");
    if (size != 0)
        return axis_of(reader, size, axis);
    const char *word = word_of(ast, callee);
    if (strcmp(word, "rand") == 0 || strcmp(word, "randn") == 0) /* each axis is an argument */
        return axis != UINT32_MAX && axis + 1 < ast_child_count(ast, call)
                   ? value_of(reader, ast_child(ast, call, axis + 1))
                   : COUNT;
    static const char *const shaped[] = {"random", "random_sample", "standard_normal",
                                         "standard_exponential"};
    for (size_t i = 0; i < sizeof shaped / sizeof *shaped; i++)
        if (strcmp(word, shaped[i]) == 0 && ast_kind(ast, first) != AST_KEYWORD)
            return axis_of(reader, first, axis);
    return COUNT;
}

static Extent size_of_call(Reader reader, AstNode call, uint32_t axis)
{
    const Ast *ast = reader.unit->ast;
    Name qualified = program_qualified(reader.facts->program, reader.unit, ast_first(ast, call));
    const char *name = qualified != 0 ? intern_text(ast->names, qualified) : "";
    const LibraryEntry *entry = library_call(reader.facts, reader.unit, call);
    AstNode first = ast_child(ast, call, 1);
    if (first == 0)
        return COUNT;
    if (strncmp(name, "numpy.", 6) != 0 || strncmp(name, "numpy.random.", 13) == 0)
        return size_of_draw(reader, call, axis);
    if (strcmp(name, "numpy.arange") == 0 && ast_next(ast, first) == 0)
        return value_of(reader, first);
    bool copies = strstr("numpy.array numpy.asarray numpy.ascontiguousarray numpy.copy", name) !=
                  NULL;
    if (copies || (entry != NULL && (entry->flags & LIB_LIKE) != 0))
        return size_of(reader, first, axis);
    bool shape_first = entry != NULL && (entry->flags & LIB_SHAPE_FIRST) != 0;
    return shape_first ? axis_of(reader, first, axis) : COUNT;
}

/* Items along an axis of an array or list; UINT32_MAX: all elements. */
static Extent size_of(Reader reader, AstNode array, uint32_t axis)
{
    const Ast *ast = reader.unit->ast;
    if (array == 0 || reader.depth > DEEPEST)
        return COUNT;
    reader = deeper(reader);
    switch (ast_kind(ast, array)) {
    case AST_NAME: {
        AstNode value = behind_name(&reader, array);
        return value == 0 ? COUNT : size_of(reader, value, axis);
    }
    case AST_CALL:
        return size_of_call(reader, array, axis);
    case AST_LIST:
    case AST_TUPLE:
        return axis == 0 ? exactly(ast_child_count(ast, array)) : COUNT;
    case AST_INDEX: /* x[i]: the next axis, unless a slice keeps this one */
        for (AstNode index = ast_child(ast, array, 1); index != 0; index = ast_next(ast, index))
            if (ast_kind(ast, index) == AST_SLICE || ast_kind(ast, index) == AST_TUPLE)
                return COUNT;
        return axis == UINT32_MAX
                   ? COUNT
                   : size_of(reader, ast_first(ast, array), axis + ast_child_count(ast, array) - 1);
    default:
        return COUNT;
    }
}

/* ---- loops ---- */

static bool is_conditional(const Ast *ast, AstNode node, AstNode within)
{
    for (AstNode up = ast_parent(ast, node); up != 0 && up != within; up = ast_parent(ast, up)) {
        AstKind kind = ast_kind(ast, up);
        if (kind == AST_BRANCH || kind == AST_CONDITIONAL || kind == AST_LOGIC ||
            kind == AST_SWITCH)
            return true;
    }
    return false;
}

/* Elements of the shortest declared array that the body indexes with the loop's variable alone. */
static double declared_elements(const Unit *unit, AstNode loop)
{
    const Ast *ast = unit->ast;
    AstNode target = loop_target(ast, loop);
    double least = INFINITY;
    if (target == 0 || ast_kind(ast, target) != AST_NAME || unit->language == LANGUAGE_PYTHON)
        return least;
    AstSymbol symbol = ast_at(ast, target)->symbol;
    FOR_EACH_NODE (ast, node, loop_body(ast, loop)) {
        AstNode index = ast_kind(ast, node) == AST_INDEX ? ast_child(ast, node, 1) : 0;
        if (index == 0 || ast_kind(ast, index) != AST_NAME ||
            ast_at(ast, index)->symbol != symbol || is_conditional(ast, node, loop))
            continue;
        const AstTypeData *type = &ast->types.items[ast_at(ast, ast_first(ast, node))->type];
        if (type->kind == TYPE_ARRAY && type->count > 1)
            least = fmin(least, (double)type->count);
    }
    return least;
}

/* limit - first where both name the same thing: start and start + 8. */
static bool offset_from(const Ast *ast, AstNode first, AstNode limit, double *distance)
{
    int64_t whole;
    if (ast_kind(ast, limit) != AST_BINARY || ast_at(ast, limit)->op != OP_ADD ||
        !ast_constant(ast, ast_child(ast, limit, 1), &whole))
        return false;
    AstNode base = ast_first(ast, limit);
    double inner;
    if (ast_same(ast, base, first)) {
        *distance = (double)whole;
        return true;
    }
    if (!offset_from(ast, first, base, &inner))
        return false;
    *distance = inner + (double)whole;
    return true;
}

static Extent counted_trips(Reader reader, AstNode loop)
{
    const Ast *ast = reader.unit->ast;
    AstNode start = loop_start(ast, loop), limit = loop_limit(ast, loop), by = loop_step(ast, loop);
    double distance;
    int64_t step = 1;
    if (ast_kind(ast, by) != AST_NONE && (!ast_constant(ast, by, &step) || step == 0))
        return COUNT;
    if (ast_kind(ast, start) != AST_NONE && offset_from(ast, start, limit, &distance))
        return exactly(ceil(distance / (double)step));
    Extent first = ast_kind(ast, start) == AST_NONE ? exactly(0) : value_of(reader, start);
    Extent last = value_of(reader, limit);
    Extent span = step > 0 ? (Extent){last.low - first.high, last.high - first.low}
                           : (Extent){first.low - last.high, first.high - last.low};
    double size = step > 0 ? (double)step : -(double)step;
    return (Extent){fmax(0, ceil(span.low / size)), fmax(0, ceil(span.high / size))};
}

Extent extent_of(const Facts *facts, const CallChain *chain, const Unit *unit, AstNode expression)
{
    return value_of((Reader){facts, chain, unit, 0}, expression);
}

Extent extent_trips(const Facts *facts, const CallChain *chain, const Unit *unit, AstNode loop)
{
    const Ast *ast = unit->ast;
    Reader reader = {facts, chain, unit, 0};
    Extent trips = COUNT;
    switch (ast_at(ast, loop)->op) {
    case LOOP_COUNTED:
        trips = counted_trips(reader, loop);
        trips.high = fmin(trips.high, declared_elements(unit, loop));
        trips.low = fmin(trips.low, trips.high);
        return trips;
    case LOOP_EACH:
        return size_of(reader, loop_start(ast, loop), 0);
    default:
        return COUNT;
    }
}

bool extent_reads(const Facts *facts, const CallChain *chain, const Unit *unit, AstNode expression,
                  const Unit *owner, AstSymbol symbol)
{
    enum { MOST_STEPS = 8 };
    FOR_EACH_NODE (unit->ast, node, expression) {
        Reader reader = {facts, chain, unit, 0};
        AstNode at = node;
        for (int step = 0; step < MOST_STEPS && at != 0; step++) {
            if (ast_kind(reader.unit->ast, at) != AST_NAME)
                break;
            if (reader.unit == owner && ast_at(reader.unit->ast, at)->symbol == symbol)
                return true;
            at = behind_name(&reader, at);
        }
        if (at != 0 && reader.unit == owner)
            FOR_EACH_NODE (owner->ast, inner, at)
                if (ast_kind(owner->ast, inner) == AST_NAME &&
                    ast_at(owner->ast, inner)->symbol == symbol)
                    return true;
    }
    return false;
}
