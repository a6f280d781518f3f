/* One Python file: tree-sitter's tree, what is wrong with it, and the way to our tree. */
#include "frontends/python/notebook.h"
#include "frontends/python/python.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const TSLanguage *tree_sitter_python(void);

/* Notes on syntax errors are for the user to see what is left out, not a compiler's list. */
enum { MOST_NOTES = 5 };

/* Error recovery can cost 4 microseconds a byte where ordinary code costs 0.08 (measured on two
 * million brackets that nobody closes), and steps of the parser do not show it; so a file gets this
 * much processor time. The parser reports every hundred steps; every 16th report looks at the
 * clock.
 */
enum { MOST_SECONDS = 5, REPORTS_PER_LOOK = 16, LARGEST_FILE = 16 * 1024 * 1024 };

enum { FARTHEST_BRACKET = 4096 };

typedef struct Clock {
    uint32_t reports;
    int64_t end; /* ns of this thread's processor time */
} Clock;

typedef struct Worker {
    TSParser *parser;
    Syntax syntax;
} Worker;

/* ---- the grammar's numbers ---- */

static const struct {
    const char *text;
    uint8_t kind;
} kind_words[] = {
#define SYNTAX(NAME, text)    {text, SYNTAX_##NAME},
#define TOKEN(NAME, text, op) {text, TOKEN_##NAME},
#define LABEL(NAME, text)
#include "frontends/python/grammar.def"
#undef SYNTAX
#undef TOKEN
#undef LABEL
};

static const char *const label_words[] = {
    "",
#define SYNTAX(NAME, text)
#define TOKEN(NAME, text, op)
#define LABEL(NAME, text) text,
#include "frontends/python/grammar.def"
#undef SYNTAX
#undef TOKEN
#undef LABEL
};

AstOp syntax_op(SyntaxKind token)
{
    static const uint8_t ops[SYNTAX_KIND_COUNT] = {
#define SYNTAX(NAME, text)
#define TOKEN(NAME, text, op) [TOKEN_##NAME] = op,
#define LABEL(NAME, text)
#include "frontends/python/grammar.def"
#undef SYNTAX
#undef TOKEN
#undef LABEL
    };
    return (AstOp)ops[token];
}

static uint8_t kind_of(const TSLanguage *language, TSSymbol symbol)
{
    const char *name = ts_language_symbol_name(language, symbol);
    bool named = ts_language_symbol_type(language, symbol) == TSSymbolTypeRegular;
    if (strcmp(name, "comment") == 0 || strcmp(name, "line_continuation") == 0)
        return SYNTAX_DROPPED;
    for (size_t i = 0; i < sizeof kind_words / sizeof *kind_words; i++)
        if (strcmp(name, kind_words[i].text) == 0 && named == (kind_words[i].kind < SYNTAX_OTHER))
            return kind_words[i].kind;
    return named ? SYNTAX_OTHER : SYNTAX_DROPPED;
}

static void *prepare(Arena *arena, const FrontendOptions *options)
{
    Grammar *grammar = arena_alloc(arena, sizeof *grammar);
    grammar->language = tree_sitter_python();
    grammar->options = options;
    grammar->symbol_count = ts_language_symbol_count(grammar->language);
    grammar->field_count = ts_language_field_count(grammar->language);
    grammar->kinds = arena_alloc(arena, grammar->symbol_count);
    grammar->labels = arena_alloc(arena, grammar->field_count + 1);
    for (uint32_t symbol = 0; symbol < grammar->symbol_count; symbol++)
        grammar->kinds[symbol] = kind_of(grammar->language, (TSSymbol)symbol);
    for (uint32_t field = 1; field <= grammar->field_count; field++)
        for (int label = 1; label < LABEL_COUNT; label++)
            if (strcmp(ts_language_field_name_for_id(grammar->language, (TSFieldId)field),
                       label_words[label]) == 0)
                grammar->labels[field] = (uint8_t)label;
    return grammar;
}

static void *worker_open(void *prepared)
{
    const Grammar *grammar = prepared;
    Worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL)
        abort();
    worker->parser = ts_parser_new();
    ts_parser_set_language(worker->parser, grammar->language);
    return worker;
}

static void worker_close(void *closing)
{
    Worker *worker = closing;
    if (worker == NULL)
        return;
    ts_parser_delete(worker->parser);
    free(worker->syntax.nodes);
    free(worker);
}

/* ---- parsing ---- */

/* A file as the parser is to see it. */
typedef struct View {
    const Source *source;
    LIST(uint32_t) hidden; /* bytes that are blanks to the parser, ascending */
} View;

/* Up to the next hidden byte, or that byte. */
static const char *read_source(void *payload, uint32_t at, TSPoint point, uint32_t *length)
{
    const View *view = payload;
    const Source *source = view->source;
    uint32_t low = 0, high = view->hidden.count;
    (void)point;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (view->hidden.items[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    size_t stop = low < view->hidden.count ? view->hidden.items[low] : source->size;
    if (at < source->size && stop == at) {
        *length = 1;
        return " ";
    }
    *length = at < source->size ? (uint32_t)(stop - at) : 0;
    return source->bytes + (at < source->size ? at : source->size);
}

static int64_t thread_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static bool spent(TSParseState *state)
{
    Clock *clock = state->payload;
    return ++clock->reports % REPORTS_PER_LOOK == 0 && thread_time() > clock->end;
}

static TSTree *parse_view(TSParser *parser, const View *view)
{
    Clock clock = {0, thread_time() + (int64_t)MOST_SECONDS * 1000000000};
    TSInput input = {.payload = (void *)view, .read = read_source, .encoding = TSInputEncodingUTF8};
    TSParseOptions options = {.payload = &clock, .progress_callback = spent};
    ts_parser_reset(parser);
    return ts_parser_parse_with_options(parser, NULL, input, options);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Whether the bracket at `at` opens a subscript: an operand stands before it. */
static bool opens_subscript(const char *text, uint32_t at)
{
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t'))
        at--;
    return at > 0 && (isalnum((unsigned char)text[at - 1]) || (text[at - 1] & 0x80) != 0 ||
                      strchr("_)]", text[at - 1]) != NULL);
}

/* Whether the star at `at` stands for an item of a subscript: `x[*(a)]`, `x[i, *[j]]`. */
static bool in_subscript(const char *text, uint32_t at)
{
    uint32_t first = at > FARTHEST_BRACKET ? at - FARTHEST_BRACKET : 0, before = at;
    while (before > first && is_blank(text[before - 1]))
        before--;
    if (before == first || (text[before - 1] != '[' && text[before - 1] != ','))
        return false;
    int depth = 0;
    for (; before > first; before--) {
        char c = text[before - 1];
        if (strchr(")]}", c) != NULL && c != '\0')
            depth++;
        else if (strchr("([{", c) != NULL && c != '\0' && depth-- == 0)
            return c == '[' && opens_subscript(text, before - 1);
    }
    return false;
}

/* The grammar knows a starred item of a subscript only where a name follows the star (Python 3.11
 * takes any expression): a file with errors is read once more without those stars. */
static TSTree *parse_source(TSParser *parser, const Source *source, Arena *scratch)
{
    View view = {.source = source};
    TSTree *tree = source->size > LARGEST_FILE ? NULL : parse_view(parser, &view);
    if (tree == NULL || !ts_node_has_error(ts_tree_root_node(tree)))
        return tree;
    for (const char *at = source->bytes, *end = at + source->size;
         (at = memchr(at, '*', (size_t)(end - at))) != NULL; at++)
        if (at[1] != '*' && in_subscript(source->bytes, (uint32_t)(at - source->bytes)))
            LIST_PUSH(scratch, &view.hidden, (uint32_t)(at - source->bytes));
    if (view.hidden.count == 0)
        return tree;
    ts_tree_delete(tree);
    return parse_view(parser, &view);
}

static SyntaxId add_node(Syntax *syntax, SyntaxNode node)
{
    if (syntax->count == syntax->capacity) {
        syntax->capacity = syntax->capacity == 0 ? 4096 : syntax->capacity * 2;
        syntax->nodes = realloc(syntax->nodes, syntax->capacity * sizeof *syntax->nodes);
        if (syntax->nodes == NULL)
            abort();
    }
    syntax->nodes[syntax->count] = node;
    return syntax->count++;
}

static SyntaxId copy_node(Syntax *syntax, const Grammar *grammar, const TSTreeCursor *cursor,
                          TSNode node, uint8_t kind)
{
    uint8_t flags = ts_node_has_error(node) ? SYNTAX_BROKEN : 0;
    if (flags != 0 && ts_node_is_missing(node))
        flags |= SYNTAX_MISSING;
    return add_node(syntax,
                    (SyntaxNode){.kind = kind,
                                 .label = grammar->labels[ts_tree_cursor_current_field_id(cursor)],
                                 .flags = flags,
                                 .start = ts_node_start_byte(node),
                                 .stop = ts_node_end_byte(node)});
}

/* A string's content is text to us; its escape sequences are not looked at. */
static bool opaque(uint8_t kind)
{
    return kind == SYNTAX_STRING_CONTENT || kind == SYNTAX_TYPE || kind >= SYNTAX_OTHER;
}

/* Copies the tree into the array, without recursion. */
static void flatten(Syntax *syntax, const Grammar *grammar, TSNode root, Arena *scratch)
{
    LIST(SyntaxId) open = {0};
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    syntax->count = 0;
    for (bool more = true; more;) {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        TSSymbol symbol = ts_node_symbol(node);
        uint8_t kind = symbol < grammar->symbol_count ? grammar->kinds[symbol] : SYNTAX_ERROR;
        if (kind != SYNTAX_DROPPED || syntax->count == 0) {
            SyntaxId id = copy_node(syntax, grammar, &cursor, node, kind);
            if (!(opaque(kind) && syntax->count > 1) && ts_tree_cursor_goto_first_child(&cursor)) {
                LIST_PUSH(scratch, &open, id);
                continue;
            }
            syntax->nodes[id].end = syntax->count;
        }
        while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
            if (open.count == 0 || !ts_tree_cursor_goto_parent(&cursor)) {
                more = false;
                break;
            }
            syntax->nodes[open.items[--open.count]].end = syntax->count;
        }
    }
    ts_tree_cursor_delete(&cursor);
}

/* ---- what is wrong ---- */

static void note_error(Unit *unit, const SyntaxNode *nodes, SyntaxId error, SyntaxId function)
{
    const Source *source = unit->files.items[0];
    SourcePlace place = source_place(source, nodes[error].start);
    char cell[48] = "";
    if (place.cell != 0)
        snprintf(cell, sizeof cell, "cell %u, line %u: ", (unsigned)place.cell,
                 (unsigned)place.in_cell.line);
    if (function != 0) {
        SyntaxId name = function + 1;
        while (nodes[name].kind != SYNTAX_IDENTIFIER && name + 1 < nodes[function].end)
            name++;
        unit_note(unit, SEVERITY_ERROR, source->path, place.file.line,
                  "%ssyntax error: function '%.*s' is not analysed; the rest of the file is", cell,
                  (int)(nodes[name].stop - nodes[name].start), source->bytes + nodes[name].start);
    } else {
        unit_note(unit, SEVERITY_ERROR, source->path, place.file.line,
                  "%ssyntax error: these lines are not analysed; the rest of the file is", cell);
    }
}

/* Where the parser made up a line end, which no node shows: the second of two statements on one
 * line. */
static SyntaxId missing_end(const Unit *unit, const Syntax *syntax)
{
    const char *text = unit->files.items[0]->bytes;
    SyntaxId broken = syntax->count;
    while (broken > 0 && (syntax->nodes[broken - 1].flags & SYNTAX_BROKEN) == 0)
        broken--;
    broken -= broken > 0;
    for (SyntaxId part = broken + 1, last = 0; part < syntax->nodes[broken].end;
         last = part, part = syntax->nodes[part].end) {
        uint32_t from = last > 0 ? syntax->nodes[last].stop : 0, to = syntax->nodes[part].start;
        if (last > 0 && (to <= from || (memchr(text + from, '\n', to - from) == NULL &&
                                        memchr(text + from, ';', to - from) == NULL)))
            return part;
    }
    return broken;
}

/* One note for each broken function, and one for each error outside functions. */
static void note_errors(Unit *unit, const Syntax *syntax)
{
    int notes = 0;
    SyntaxId function = 0, noted_until = 0;
    for (SyntaxId node = 0; node < syntax->count && notes < MOST_NOTES;) {
        const SyntaxNode *data = &syntax->nodes[node];
        if ((data->flags & SYNTAX_BROKEN) == 0) {
            node = data->end;
            continue;
        }
        if (data->kind == SYNTAX_FUNCTION && (function == 0 || node >= syntax->nodes[function].end))
            function = node;
        if ((data->kind == SYNTAX_ERROR || (data->flags & SYNTAX_MISSING) != 0) &&
            node >= noted_until) {
            bool inside = function != 0 && node < syntax->nodes[function].end;
            note_error(unit, syntax->nodes, node, inside ? function : 0);
            noted_until = inside ? syntax->nodes[function].end : data->end;
            notes++;
        }
        node++;
    }
    if (notes == 0)
        note_error(unit, syntax->nodes, missing_end(unit, syntax), 0);
}

/* ---- the frontend ---- */

static void empty_module(Unit *unit)
{
    ast_close(unit->ast,
              ast_open(unit->ast, AST_MODULE, 0, 0, (uint32_t)unit->files.items[0]->size));
}

/* Room for the nodes of ours that come of so many of the parser's: 0.61 for each in aeon's 949
 * files, 0.7 at most in 98 % of them. */
static void reserve(Ast *ast, uint32_t syntax_count)
{
    uint32_t capacity = syntax_count / 3 * 2 + syntax_count / 32 + 64;
    AstNodeData *items = arena_alloc(ast->arena, capacity * sizeof *items);
    memcpy(items, ast->nodes.items, ast->nodes.count * sizeof *items);
    ast->nodes.items = items;
    ast->nodes.capacity = capacity;
}

static void lower(const Grammar *grammar, Worker *worker, Unit *unit, Arena *scratch)
{
    Ast *ast = unit->ast;
    Lowering lowering = {.grammar = grammar,
                         .unit = unit,
                         .ast = ast,
                         .text = unit->files.items[0]->bytes,
                         .nodes = worker->syntax.nodes,
                         .scratch = scratch,
                         .symbols = map_new(scratch),
                         .name_true = intern(ast->names, "True"),
                         .name_false = intern(ast->names, "False"),
                         .name_none = intern(ast->names, "None"),
                         .name_star = intern(ast->names, "*"),
                         .name_range = intern(ast->names, "range")};
    reserve(ast, worker->syntax.count);
    lower_module(&lowering, 0);
}

static void parse(void *prepared, void *working, Unit *unit)
{
    const Grammar *grammar = prepared;
    Worker *worker = working;
    if (notebook_named(unit->files.items[0]->path))
        unit->files.items[0] = notebook_program(unit);
    const Source *source = unit->files.items[0];
    unit->ast = ast_new(unit->arena);
    imports_place(unit, grammar->options);
    Arena *scratch = arena_new();
    TSTree *tree = parse_source(worker->parser, source, scratch);
    if (tree == NULL) {
        arena_free(scratch);
        unit_note(
            unit, SEVERITY_ERROR, source->path, 0, "%s",
            source->size > LARGEST_FILE
                ? "not analysed: larger than 16 MiB; exclude it in the configuration"
                : "not analysed: reading it takes more than 5 s; exclude it in the configuration");
        empty_module(unit);
        return;
    }
    TSNode root = ts_tree_root_node(tree);
    flatten(&worker->syntax, grammar, root, scratch);
    if (ts_node_has_error(root))
        note_errors(unit, &worker->syntax);
    ts_tree_delete(tree);
    lower(grammar, worker, unit, scratch);
    arena_free(scratch);
}

static const char *const suffixes[] = {".py", ".pyw", ".ipynb", NULL};

const Frontend frontend_python = {
    .name = "python",
    .suffixes = suffixes,
    .prepare = prepare,
    .worker_open = worker_open,
    .worker_close = worker_close,
    .parse = parse,
    .link = numba_link,
};
