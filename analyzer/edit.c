#include "analyzer/edit.h"

#include <ctype.h>
#include <string.h>

/* The file that is edited. */
typedef struct Ground {
    const Unit *unit;
    const Ast *ast;
    const Source *source;
    Arena *arena;
} Ground;

static Ground ground_of(const EditContext *context)
{
    const Unit *unit = program_function_unit(context->program, context->function);
    return (Ground){unit, unit->ast, unit->files.items[0], context->arena};
}

static void add(const Ground *g, Fix *fix, uint32_t start, uint32_t stop, const char *text)
{
    LIST_PUSH(g->arena, &fix->edits,
              (Edit){{g->source, start, stop}, arena_strdup(g->arena, text)});
}

/* ---- whether the text may be touched ---- */

/* What several files include means something else in each, perhaps. */
static bool is_included(const EditContext *context, const Source *source)
{
    for (uint32_t i = 0; i < context->program->unit_count; i++) {
        const Unit *unit = context->program->units[i];
        for (uint32_t k = 1; k < unit->files.count; k++)
            if (strcmp(unit->files.items[k]->path, source->path) == 0)
                return true;
    }
    return false;
}

static bool is_editable(const EditContext *context, const Ground *g)
{
    AstNode root = program_function_data(context->program, context->function)->node;
    const AstNodeData *data = ast_at(g->ast, root);
    return g->unit->language != LANGUAGE_PYTHON && data->file == 0 &&
           (data->flags & (AST_DOUBTFUL | AST_MACRO)) == 0 && !is_included(context, g->source);
}

/* The node's text is a directive that stands in the file. */
static bool is_directive(const Ground *g, AstNode node)
{
    const AstNodeData *data = ast_at(g->ast, node);
    return (data->flags & AST_MACRO) == 0 && data->file == 0 && data->start < data->stop &&
           data->stop <= g->source->size && g->source->bytes[data->start] == '#';
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* One past a comment or a text at `at`; `at` if none starts there. */
static uint32_t past_opaque(const Source *source, uint32_t at)
{
    const char *bytes = source->bytes + at;
    uint32_t size = (uint32_t)source->size;
    if (bytes[0] == '/' && bytes[1] == '/') {
        while (at < size && (source->bytes[at] != '\n' || source->bytes[at - 1] == '\\'))
            at++;
        return at;
    }
    if (bytes[0] == '/' && bytes[1] == '*') {
        const char *end = strstr(bytes + 2, "*/");
        return end != NULL ? (uint32_t)(end + 2 - source->bytes) : size;
    }
    if (bytes[0] != '"' && bytes[0] != '\'')
        return at;
    for (uint32_t to = at + 1; to < size && source->bytes[to] != '\n'; to++) {
        if (source->bytes[to] == '\\')
            to++;
        else if (source->bytes[to] == bytes[0])
            return to + 1;
    }
    return at + 1;
}

/* `for (j = 0; j < n; j++)`: the tree holds the variable of a counted loop once. */
static bool is_in_header(const Ground *g, AstNode loop, AstSymbol variable, uint32_t start)
{
    AstNode target = loop_target(g->ast, loop), body = loop_body(g->ast, loop);
    return ast_kind(g->ast, target) == AST_NAME && ast_at(g->ast, target)->symbol == variable &&
           ast_at(g->ast, target)->start <= start && start < ast_at(g->ast, body)->start;
}

/* A node of the variable, or a field or critical section of that name, stands for the word at
 * `start`. */
static bool is_known_word(const Ground *g, AstNode root, AstSymbol variable, uint32_t start)
{
    const AstSymbolData *symbol = &g->ast->symbols.items[variable];
    FOR_EACH_NODE (g->ast, node, root) {
        const AstNodeData *data = ast_at(g->ast, node);
        if (data->file != 0)
            continue;
        if (data->kind == AST_NAME && data->symbol == variable &&
            (data->start == start ||
             ((data->flags & AST_MACRO) != 0 && data->start <= start && start < data->stop)))
            return true;
        if (data->kind == AST_FIELD && data->name == symbol->name &&
            start + strlen(intern_text(g->ast->names, symbol->name)) == data->stop)
            return true;
        if (data->kind == AST_REGION && data->name == symbol->name && data->start < start &&
            start < data->stop)
            return true;
        if (data->kind == AST_LOOP && is_in_header(g, node, variable, start))
            return true;
        if ((data->kind == AST_DECL || data->kind == AST_PARAM) && data->symbol == variable &&
            data->start <= start && start < data->stop)
            return true;
    }
    return false;
}

/* Every word in the text of `root` that is the variable's name is one in the tree: none in what the
 * preprocessor left out, in sizeof, or where a name means something else. */
static bool is_seen_whole(const Ground *g, AstNode root, AstSymbol variable)
{
    const char *name = intern_text(g->ast->names, g->ast->symbols.items[variable].name);
    size_t length = strlen(name);
    uint32_t stop = 0;
    FOR_EACH_NODE (g->ast, node, root) {
        const AstNodeData *data = ast_at(g->ast, node);
        stop = data->file == 0 && data->stop > stop ? data->stop : stop;
    }
    for (uint32_t at = ast_at(g->ast, root)->start; at < stop;) {
        uint32_t past = past_opaque(g->source, at);
        if (past == at && is_word(g->source->bytes[at])) {
            while (past < stop && is_word(g->source->bytes[past]))
                past++;
            if (past - at == length && memcmp(g->source->bytes + at, name, length) == 0 &&
                !is_known_word(g, root, variable, at))
                return false;
        }
        at = past > at ? past : at + 1;
    }
    return true;
}

/* ---- clauses ---- */

/* Of a combined directive the clauses stand at its outermost part. */
static AstNode outermost(const Ground *g, AstNode directive)
{
    for (AstNode up = ast_parent(g->ast, directive); up != 0; up = ast_parent(g->ast, up)) {
        AstKind kind = ast_kind(g->ast, up);
        if ((kind != AST_REGION && kind != AST_LOOP) ||
            ast_at(g->ast, up)->start != ast_at(g->ast, directive)->start)
            break;
        directive = up;
    }
    return directive;
}

/* The NAME by which a clause of the directive has the variable; *plain: the clause is shared(…),
 * written out. 0 if no clause has it. */
static AstNode named_by(const Ground *g, AstNode directive, AstSymbol variable, bool *plain)
{
    const AstNodeData *own = ast_at(g->ast, directive);
    const char *word = intern_text(g->ast->names, g->ast->symbols.items[variable].name);
    FOR_EACH_CHILD (g->ast, clause, directive) {
        if (ast_kind(g->ast, clause) != AST_CLAUSE)
            continue;
        FOR_EACH_NODE (g->ast, node, clause) {
            const AstNodeData *data = ast_at(g->ast, node);
            if (data->kind != AST_NAME || data->symbol != variable)
                continue;
            *plain = ast_at(g->ast, clause)->op == CLAUSE_SHARED &&
                     ast_parent(g->ast, node) == clause && data->start > own->start &&
                     data->stop <= own->stop && data->stop - data->start == strlen(word) &&
                     memcmp(g->source->bytes + data->start, word, strlen(word)) == 0;
            return node;
        }
    }
    return 0;
}

/* Where `shared (` of a list that starts at `first` begins; 0 unknown. */
static uint32_t start_of_clause(const Source *source, uint32_t first)
{
    static const char word[] = "shared";
    const size_t length = sizeof word - 1;
    uint32_t at = first;
    while (at > 0 && isspace((unsigned char)source->bytes[at - 1]))
        at--;
    if (at == 0 || source->bytes[at - 1] != '(')
        return 0;
    for (at--; at > 0 && isspace((unsigned char)source->bytes[at - 1]);)
        at--;
    return at > length && memcmp(source->bytes + at - length, word, length) == 0 &&
                   !is_word(source->bytes[at - length - 1])
               ? at - (uint32_t)length
               : 0;
}

/* The variable leaves its shared(…); where it is the only one there, `text` takes the place of that
 * clause, and *placed is set. */
static bool leave_shared(const Ground *g, Fix *fix, AstNode name, const char *text, bool *placed)
{
    AstNode clause = ast_parent(g->ast, name), before = 0;
    const AstNodeData *data = ast_at(g->ast, name);
    FOR_EACH_CHILD (g->ast, child, clause)
        before = child < name ? child : before;
    AstNode behind = ast_next(g->ast, name);
    if (before != 0) {
        add(g, fix, ast_at(g->ast, before)->stop, data->stop, "");
    } else if (behind != 0) {
        add(g, fix, data->start, ast_at(g->ast, behind)->start, "");
    } else {
        uint32_t start = start_of_clause(g->source, data->start), stop = data->stop;
        while (isspace((unsigned char)g->source->bytes[stop]))
            stop++;
        if (start == 0 || g->source->bytes[stop] != ')')
            return false;
        add(g, fix, start, stop + 1, text);
        *placed = true;
    }
    return true;
}

bool edit_clause(EditContext context, Fix *fix, AstNode directive, const char *open,
                 AstSymbol variable, bool joined)
{
    Ground g = ground_of(&context);
    const AstNodeData *data = ast_at(g.ast, directive);
    const char *text = arena_printf(g.arena, "%s%s)", open,
                                    intern_text(g.ast->names, g.ast->symbols.items[variable].name));
    bool plain = false, placed = false, loop = data->kind == AST_LOOP;
    uint8_t flags = loop ? data->value.loop.flags : 0;
    if ((!loop && (data->kind != AST_REGION || data->op != REGION_PARALLEL)) ||
        !is_editable(&context, &g) || !is_directive(&g, directive) ||
        (flags & LOOP_TASKLOOP) != 0 || (joined && (flags & LOOP_NOWAIT) != 0) ||
        !is_seen_whole(&g, directive, variable))
        return false;
    AstNode name = named_by(&g, outermost(&g, directive), variable, &plain);
    if (name != 0 && (!plain || !leave_shared(&g, fix, name, text, &placed)))
        return false;
    if (!placed)
        add(&g, fix, data->stop, data->stop, arena_printf(g.arena, " %s", text));
    return true;
}

/* ---- a directive goes ---- */

bool edit_remove(EditContext context, Fix *fix, AstNode region)
{
    Ground g = ground_of(&context);
    const char *bytes = g.source->bytes;
    uint32_t start = ast_at(g.ast, region)->start, stop = ast_at(g.ast, region)->stop;
    if (!is_editable(&context, &g) || !is_directive(&g, region))
        return false;
    uint32_t line = start, end = stop;
    while (line > 0 && (bytes[line - 1] == ' ' || bytes[line - 1] == '\t'))
        line--;
    while (end < g.source->size && bytes[end] != '\n' &&
           (isspace((unsigned char)bytes[end]) || bytes[end] == '\\'))
        end += bytes[end] == '\\' && bytes[end + 1] == '\n' ? 2 : 1;
    bool alone = (line == 0 || bytes[line - 1] == '\n') &&
                 (end == g.source->size || bytes[end] == '\n');
    if (alone)
        add(&g, fix, line, end + (end < g.source->size), "");
    else /* a comment beside it stays */
        add(&g, fix, start, bytes[end] == '/' ? end : stop, "");
    return true;
}

/* ---- padding ---- */

static bool is_zero(const Ast *ast, AstNode value)
{
    int64_t known;
    return (ast_kind(ast, value) == AST_REAL && ast_at(ast, value)->value.real == 0) ||
           (ast_constant(ast, value, &known) && known == 0);
}

/* part[N] in its declaration: behind the bracket that closes; 0 where it is written otherwise. */
static uint32_t behind_length(const Ground *g, AstNode declaration, const char *name)
{
    const AstNodeData *data = ast_at(g->ast, declaration);
    size_t length = strlen(name);
    uint32_t at = data->start;
    for (; at + length < data->stop; at++) {
        bool before = at == data->start || !is_word(g->source->bytes[at - 1]);
        if (before && memcmp(g->source->bytes + at, name, length) == 0 &&
            !is_word(g->source->bytes[at + length]))
            break;
    }
    at += (uint32_t)length;
    if (at >= data->stop || g->source->bytes[at] != '[')
        return 0;
    int depth = 0;
    for (; at < data->stop; at++) {
        depth += g->source->bytes[at] == '[';
        if (g->source->bytes[at] == ']' && --depth == 0)
            break;
    }
    at++;
    uint32_t next = at;
    while (next < g->source->size && isspace((unsigned char)g->source->bytes[next]))
        next++;
    return at <= data->stop && g->source->bytes[next] != '[' ? at : 0;
}

/* part[i], not &part[i], no part of a macro. */
static bool is_plain_use(const Ground *g, AstNode name)
{
    AstNode index = ast_parent(g->ast, name);
    const AstNodeData *data = ast_at(g->ast, index);
    if (data->kind == AST_CLAUSE)
        return data->op == CLAUSE_SHARED;
    AstKind outer = ast_kind(g->ast, ast_parent(g->ast, index));
    return data->kind == AST_INDEX && ast_first(g->ast, index) == name && outer != AST_ADDRESS &&
           outer != AST_FIELD && data->file == 0 &&
           ((data->flags | ast_at(g->ast, name)->flags) & AST_MACRO) == 0 &&
           data->stop <= g->source->size && g->source->bytes[data->stop - 1] == ']';
}

static bool pad_declaration(const Ground *g, Fix *fix, AstNode declaration, const char *name,
                            uint32_t columns)
{
    AstNode init = ast_first(g->ast, declaration);
    uint32_t at = behind_length(g, declaration, name);
    if (at == 0 || (ast_at(g->ast, declaration)->flags & AST_MACRO) != 0)
        return false;
    if (init != 0 && ast_kind(g->ast, init) == AST_INITIALIZER) {
        AstNode only = ast_first(g->ast, init);
        if (only != 0 && (ast_next(g->ast, only) != 0 || !is_zero(g->ast, only)))
            return false;
        if (only != 0) /* {0.0} would want braces inside, and so would {0} in C++ */
            add(g, fix, ast_at(g->ast, only)->start, ast_at(g->ast, only)->stop,
                g->unit->language == LANGUAGE_CPP ? "" : "0");
    } else if (init != 0 && ast_kind(g->ast, init) != AST_NONE) {
        return false;
    }
    add(g, fix, at, at, arena_printf(g->arena, "[%u]", (unsigned)columns));
    return true;
}

bool edit_pad(EditContext context, Fix *fix, AstSymbol array, uint32_t columns)
{
    Ground g = ground_of(&context);
    const AstSymbolData *symbol = &g.ast->symbols.items[array];
    const char *name = intern_text(g.ast->names, symbol->name);
    AstNode root = program_function_data(context.program, context.function)->node;
    if ((symbol->kind != SYMBOL_LOCAL && symbol->kind != SYMBOL_STATIC) ||
        !is_editable(&context, &g) || !ast_holds(g.ast, root, symbol->decl) ||
        ast_kind(g.ast, symbol->decl) != AST_DECL || !is_seen_whole(&g, root, array))
        return false;
    FOR_EACH_NODE (g.ast, node, root)
        if (ast_kind(g.ast, node) == AST_NAME && ast_at(g.ast, node)->symbol == array &&
            !is_plain_use(&g, node))
            return false;
    if (!pad_declaration(&g, fix, symbol->decl, name, columns)) {
        fix->edits.count = 0;
        return false;
    }
    FOR_EACH_NODE (g.ast, node, root)
        if (ast_kind(g.ast, node) == AST_NAME && ast_at(g.ast, node)->symbol == array &&
            ast_kind(g.ast, ast_parent(g.ast, node)) == AST_INDEX) {
            uint32_t stop = ast_at(g.ast, ast_parent(g.ast, node))->stop;
            add(&g, fix, stop, stop, "[0]");
        }
    return true;
}
