/* Sizes that the user has said (--assume), and what is assumed where nobody has. */
#include "analyzer/number/work.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const Ast *ast, AstNode node)
{
    return intern_text(ast->names, ast_at(ast, node)->name);
}

static bool spell_arguments(const Ast *ast, AstNode node, Text *out)
{
    bool index = ast_kind(ast, node) == AST_INDEX;
    bool good = assume_spell(ast, node + 1, out);
    text_putc(out, index ? '[' : '(');
    for (AstNode child = ast_next(ast, node + 1); child != 0; child = ast_next(ast, child)) {
        good = assume_spell(ast, child, out) && good;
        if (ast_next(ast, child) != 0)
            text_putc(out, ',');
    }
    text_putc(out, index ? ']' : ')');
    return good;
}

bool assume_spell(const Ast *ast, AstNode node, Text *out)
{
    const AstNodeData *data = ast_at(ast, node);
    bool good;
    switch (data->kind) {
    case AST_NAME:
        text_puts(out, text_of(ast, node));
        return true;
    case AST_INT:
        text_printf(out, "%lld", (long long)data->value.integer);
        return true;
    case AST_FIELD:
        good = assume_spell(ast, node + 1, out);
        text_puts(out, data->flags & AST_ARROW ? "->" : ".");
        text_puts(out, text_of(ast, node));
        return good;
    case AST_INDEX:
    case AST_CALL:
        return spell_arguments(ast, node, out);
    default:
        return false;
    }
}

/* The count that --assume gives for a name of `length` bytes; the last one wins. */
static bool said(const WorkModel *work, const char *name, size_t length, double *value)
{
    for (uint32_t i = work->assumed_count; i-- > 0;) {
        const char *word = work->assumed[i], *sign = strrchr(word, '=');
        if (sign == NULL || (size_t)(sign - word) != length || memcmp(word, name, length) != 0)
            continue;
        *value = strtod(sign + 1, NULL);
        return true;
    }
    return false;
}

bool assume_value(const WorkModel *work, const Ast *ast, AstNode node, double *value)
{
    if (work->assumed_count == 0)
        return false;
    Text spelt = {0};
    const char *own = text_of(ast, node);
    bool found =
        (assume_spell(ast, node, &spelt) && said(work, spelt.bytes, spelt.length, value)) ||
        (ast_kind(ast, node) == AST_FIELD && said(work, own, strlen(own), value));
    text_free(&spelt);
    return found;
}

bool assume_length(const WorkModel *work, const Ast *ast, AstNode node, double *value)
{
    Text name = {0}, call = {0};
    bool found = work->assumed_count > 0 && assume_spell(ast, node, &name);
    if (found) {
        text_printf(&call, "len(%s)", text_string(&name));
        text_puts(&name, ".size");
        found = said(work, call.bytes, call.length, value) ||
                said(work, name.bytes, name.length, value);
    }
    text_free(&name);
    text_free(&call);
    return found;
}

/* ---- saying what is assumed ---- */

enum { MOST_NODES = 1 << 16, MOST_WORDS = 12 };

#define BETWEEN "; " /* names of sizes stand with commas between them */

typedef struct Teller {
    WorkModel *work;
    Arena *arena;
    LIST(const char *) words;
    bool *seen; /* by FunctionId */
    uint32_t nodes;
} Teller;

static void tell(Teller *teller, const char *word)
{
    for (uint32_t i = 0; i < teller->words.count; i++)
        if (strcmp(teller->words.items[i], word) == 0)
            return;
    LIST_PUSH(teller->arena, &teller->words, word);
}

static const char *loop_word(const Ast *ast, AstNode loop)
{
    AstNode target = loop_target(ast, loop);
    if (target != 0 && ast_kind(ast, target) == AST_NAME)
        return text_of(ast, target);
    return ast_at(ast, loop)->op == LOOP_WHILE ? "while" : "loop";
}

static void tell_loop(Teller *teller, const Unit *unit, AstNode loop)
{
    bool known;
    double trips = work_trips(teller->work, unit, loop, &known);
    if (known || ast_at(unit->ast, loop)->value.loop.run == RUN_OFFLOAD)
        return;
    Text name = {0};
    const char *word = loop_word(unit->ast, loop);
    trips_spell(teller->work, unit, loop, &name);
    tell(teller, name.length == 0 ? arena_printf(teller->arena, "%s runs %.0f times", word, trips)
                                  : arena_printf(teller->arena, "%s runs %.0f times (%s)", word,
                                                 trips, text_string(&name)));
    text_free(&name);
}

const char *work_size_name(WorkModel *work, Arena *arena, const Unit *unit, AstNode loop)
{
    Text name = {0};
    trips_spell(work, unit, loop, &name);
    const char *words = arena_strdup(arena, text_string(&name));
    text_free(&name);
    return words;
}

/* An operation is told by its operands. */
static bool tell_elements(Teller *teller, const Unit *unit, AstNode node)
{
    const Ast *ast = unit->ast;
    bool known, told = false;
    double elements = work_elements(teller->work, unit, node, &known);
    if (elements <= 0 || known)
        return known;
    if (ast_kind(ast, node) == AST_BINARY || ast_kind(ast, node) == AST_UNARY)
        FOR_EACH_CHILD (ast, child, node)
            told = tell_elements(teller, unit, child) || told;
    if (told)
        return true;
    Text name = {0};
    bool named = assume_spell(ast, node, &name) && ast_kind(ast, node) != AST_CALL;
    tell(teller, named ? arena_printf(teller->arena, "%s has %.0f elements (len(%s))",
                                      text_string(&name), elements, text_string(&name))
                       : arena_printf(teller->arena, "arrays have %.0f elements", elements));
    text_free(&name);
    return true;
}

static void tell_tree(Teller *teller, const Unit *unit, AstNode root);

static void tell_call(Teller *teller, const Unit *unit, AstNode call)
{
    const Ast *ast = unit->ast;
    AstNode callee = ast_first(ast, call);
    if (callee == 0)
        return;
    FunctionId id = program_callee(teller->work->program, unit, call);
    if (id != 0) {
        const AstFunctionData *data = program_function_data(teller->work->program, id);
        const Unit *other = program_function_unit(teller->work->program, id);
        AstNode body = ast_first(other->ast, data->node);
        if (!teller->seen[id] && body != 0 && (data->flags & FN_INTRINSIC) == 0) {
            teller->seen[id] = true;
            tell_tree(teller, other, body);
        }
        return;
    }
    CallClass class = call_class(teller->work, unit, call);
    AstNode of = call_operand(ast, call);
    bool told = of != 0 && class != CALL_UNKNOWN && class != CALL_FREE &&
                tell_elements(teller, unit, of);
    if ((class == CALL_ARRAY || class == CALL_SORTING) && !told)
        tell(teller, arena_printf(teller->arena, "%s goes through %d elements",
                                  text_of(ast, callee), WORK_SHORT));
}

static void tell_copy(Teller *teller, const Unit *unit, AstNode assign)
{
    const Ast *ast = unit->ast;
    AstNode target = ast_first(ast, assign);
    bool slice = false;
    if (target == 0 || ast_kind(ast, target) != AST_INDEX)
        return;
    FOR_EACH_NODE (ast, node, target)
        slice |= ast_kind(ast, node) == AST_SLICE;
    if (slice && !tell_elements(teller, unit, target))
        tell(teller, arena_printf(teller->arena, "slices have %d elements", WORK_SHORT));
}

/* What is not run where it stands is not worked on there. */
static bool is_elsewhere(AstKind kind)
{
    return kind == AST_FUNCTION || kind == AST_LAMBDA || kind == AST_CLASS || kind == AST_CLAUSE ||
           kind == AST_SIZEOF;
}

static void tell_tree(Teller *teller, const Unit *unit, AstNode root)
{
    const Ast *ast = unit->ast;
    for (AstNode node = root; node < ast_end(ast, root) && teller->nodes > 0; teller->nodes--) {
        AstKind kind = ast_kind(ast, node);
        if (node != root && is_elsewhere(kind)) {
            node = ast_end(ast, node);
            continue;
        }
        if (kind == AST_LOOP)
            tell_loop(teller, unit, node);
        else if (kind == AST_CALL)
            tell_call(teller, unit, node);
        else if (kind == AST_BINARY)
            (void)tell_elements(teller, unit, node);
        else if (kind == AST_ASSIGN)
            tell_copy(teller, unit, node);
        node++;
    }
}

static void tell_again(Teller *teller, const char *words)
{
    while (*words != '\0') {
        const char *end = strstr(words, BETWEEN);
        size_t length = end == NULL ? strlen(words) : (size_t)(end - words);
        tell(teller, arena_strndup(teller->arena, words, length));
        words += length + (end == NULL ? 0 : strlen(BETWEEN));
    }
}

const char *work_assumed(WorkModel *work, Arena *arena, const Unit *unit, AstNode root,
                         const char *so_far)
{
    if (root == 0)
        return so_far;
    Teller teller = {.work = work, .arena = arena, .nodes = MOST_NODES};
    teller.seen = arena_alloc(arena, (work->program->functions.count + 1) * sizeof *teller.seen);
    tell_again(&teller, so_far);
    tell_tree(&teller, unit, root);
    Text text = {0};
    for (uint32_t i = 0; i < teller.words.count && i < MOST_WORDS; i++)
        text_printf(&text, "%s%s", i > 0 ? BETWEEN : "", teller.words.items[i]);
    if (teller.words.count > MOST_WORDS)
        text_printf(&text, BETWEEN "and %u more", (unsigned)(teller.words.count - MOST_WORDS));
    const char *words = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return words;
}

double work_length(const WorkModel *work, Arena *arena, const Unit *unit, AstNode array,
                   const char **assumed)
{
    double elements = WORK_ARRAY;
    if (assume_length(work, unit->ast, array, &elements))
        return elements;
    Text name = {0};
    bool named = assume_spell(unit->ast, array, &name);
    const char *so_far = *assumed == NULL ? "" : *assumed;
    if (named)
        *assumed = arena_printf(arena, "%s%s%s has %d elements (len(%s))", so_far,
                                *so_far == '\0' ? "" : BETWEEN, text_string(&name), WORK_ARRAY,
                                text_string(&name));
    text_free(&name);
    return elements;
}
