#include "tests/lint.h"

#include "analyzer/facts/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

const char lint_imports[] = "import numpy as np\n"
                            "from numba import njit, prange\n"
                            "from numba.typed import Dict, List\n";

/* ---- files to facts ---- */

static void make_folders(Arena *arena, const char *path)
{
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
        mkdir(arena_strndup(arena, path, (size_t)(slash - path)), 0777);
}

static void write_file(Arena *arena, const LintFile *given)
{
    make_folders(arena, given->path);
    FILE *file = fopen(given->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(given->text, 1, strlen(given->text), file), strlen(given->text));
    assert_int_equal(fclose(file), 0);
}

/* The file and those of its folders that are empty then. */
static void remove_file(Arena *arena, const char *path)
{
    char *rest = arena_strdup(arena, path);
    unlink(rest);
    for (char *slash; (slash = strrchr(rest, '/')) != NULL;) {
        *slash = '\0';
        rmdir(rest);
    }
}

/* Goes into a new folder; returns the one before. */
static char *enter(Arena *arena, char **folder)
{
    const char *build = getenv("PONGLINT_BUILD");
    char *before = realpath(".", NULL);
    *folder = arena_printf(arena, "%s/lint-XXXXXX", build != NULL ? build : "/tmp");
    assert_non_null(before);
    assert_non_null(mkdtemp(*folder));
    assert_int_equal(chdir(*folder), 0);
    return before;
}

static void leave(char *before, const char *folder)
{
    assert_int_equal(chdir(before), 0);
    free(before);
    rmdir(folder);
}

static int compare_paths(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

Lint lint_files(const LintFile *files, uint32_t count)
{
    Lint lint = {.arena = arena_new()};
    Options options = {.jobs = 1};
    const char **paths = arena_alloc(lint.arena, (count + 1) * sizeof *paths);
    char *folder, *before = enter(lint.arena, &folder);
    for (uint32_t i = 0; i < count; i++) {
        write_file(lint.arena, &files[i]);
        paths[i] = files[i].path;
    }
    qsort(paths, count, sizeof *paths, compare_paths);
    parse_all(&lint.parsed, lint.arena, &options, paths, count);
    for (uint32_t i = 0; i < count; i++)
        remove_file(lint.arena, paths[i]);
    leave(before, folder);
    lint.program = program_new(lint.arena, lint.parsed.units, lint.parsed.unit_count);
    parse_link(&lint.parsed, lint.program);
    lint.facts = facts_new(lint.arena, lint.program);
    return lint;
}

Lint lint_c(const char *text)
{
    return lint_files(&(LintFile){"m.c", text}, 1);
}

Lint lint_python(const char *text)
{
    Text whole = {0};
    text_printf(&whole, "%s%s", lint_imports, text);
    Lint lint = lint_files(&(LintFile){"m.py", text_string(&whole)}, 1);
    text_free(&whole);
    return lint;
}

void lint_free(Lint *lint)
{
    parse_free(&lint->parsed);
    arena_free(lint->arena);
    *lint = (Lint){0};
}

/* ---- looking up ---- */

FunctionId lint_function(const Lint *lint, const char *name)
{
    for (FunctionId id = 1; id < lint->program->functions.count; id++) {
        const AstFunctionData *data = program_function_data(lint->program, id);
        if (strcmp(intern_text(lint->program->names, data->qualified), name) == 0 ||
            strcmp(intern_text(lint->program->names, data->name), name) == 0)
            return id;
    }
    fail_msg("no function '%s'", name);
    return 0;
}

const Unit *lint_unit(const Lint *lint, const char *path)
{
    for (uint32_t i = 0; i < lint->program->unit_count; i++)
        if (strcmp(lint->program->units[i]->files.items[0]->path, path) == 0)
            return lint->program->units[i];
    fail_msg("no unit '%s'", path);
    return NULL;
}

AstNode lint_node(const Lint *lint, FunctionId function, const char *text)
{
    const Unit *unit = function == 0 ? lint->program->units[0]
                                     : program_function_unit(lint->program, function);
    const Ast *ast = unit->ast;
    AstNode root = function == 0 ? 1 : program_function_data(lint->program, function)->node;
    AstNode found = 0;
    FOR_EACH_NODE (ast, node, root) {
        const AstNodeData *data = ast_at(ast, node);
        if (data->kind == AST_NONE || (found != 0 && !ast_holds(ast, found, node)))
            continue;
        Arena *scratch = arena_new();
        if (strcmp(unit_excerpt(unit, node, scratch, 400), text) == 0)
            found = node;
        arena_free(scratch);
    }
    if (found == 0)
        fail_msg("no node '%s'", text);
    return found;
}

/* ---- facts as texts ---- */

/* Keeps the text in the arena. */
static const char *take(const Lint *lint, Text *text)
{
    const char *kept = arena_strdup(lint->arena, text_string(text));
    text_free(text);
    return kept;
}

static const char *variable_name(const Lint *lint, Sym sym)
{
    return sym == SYM_THREAD ? "thread" : sym == SYM_TEAM ? "team" : sym_name(lint->facts, sym);
}

const char *lint_affine(const Lint *lint, const Affine *form)
{
    Text text = {0};
    for (uint8_t i = 0; i < form->count; i++) {
        AffineTerm term = form->terms[i];
        const char *plus = i == 0 ? "" : " + ", *name = variable_name(lint, term.sym);
        if (!term.linear)
            text_printf(&text, "%s~%s", plus, name);
        else if (term.coefficient == 1)
            text_printf(&text, "%s%s", plus, name);
        else
            text_printf(&text, "%s%lld*%s", plus, (long long)term.coefficient, name);
    }
    if (form->exact && (form->constant != 0 || form->count == 0))
        text_printf(&text, "%s%lld", form->count > 0 ? " + " : "", (long long)form->constant);
    if (!form->exact)
        text_puts(&text, form->count > 0 ? " + ?" : "?");
    text_puts(&text, form->loaded ? " loaded" : "");
    text_puts(&text, form->folded ? " folded" : "");
    return take(lint, &text);
}

static void add_base(const Lint *lint, const Place *place, Text *text)
{
    switch (place->base) {
    case PLACE_UNKNOWN:
        text_puts(text, "?");
        break;
    case PLACE_VARIABLE:
        text_puts(text, variable_name(lint, place->sym));
        break;
    case PLACE_POINTEE:
        text_printf(text, "*%s", variable_name(lint, place->sym));
        break;
    case PLACE_ALLOCATION:
        text_printf(text, "new(%s)",
                    unit_excerpt(program_function_unit(lint->program, place->function), place->node,
                                 lint->arena, 40));
        break;
    default:
        fail_msg("base %d", place->base);
    }
}

const char *lint_place(const Lint *lint, const Place *place)
{
    Text text = {0};
    add_base(lint, place, &text);
    for (uint8_t i = 0; i < place->count; i++) {
        const PlaceStep *step = &place->steps[i];
        switch (step->kind) {
        case STEP_INDEX:
            text_printf(&text, "[%s]", lint_affine(lint, &step->index));
            break;
        case STEP_FIELD:
            text_printf(&text, ".%s", intern_text(lint->program->names, step->field));
            break;
        case STEP_SLICE:
            text_puts(&text, "[:]");
            break;
        default:
            text_puts(&text, "->");
        }
    }
    return take(lint, &text);
}

static void add_effect(const Lint *lint, const Effect *effect, Text *text)
{
    static const char *const kinds[] = {"write", "accumulate", "atomic", "alloc", "free",  "view",
                                        "raise", "resize",     "lock",   "call",  "launch"};
    text_puts(text, kinds[effect->kind]);
    if (effect->op != OP_NONE)
        text_printf(text, " %s", ast_op_word((AstOp)effect->op));
    text_printf(text, " %s", lint_place(lint, &effect->place));
}

static void add_flags(uint16_t flags, Text *text)
{
    static const struct {
        uint16_t flag;
        const char *word;
    } words[] = {{EFFECT_LOCKED, "locked"},     {EFFECT_BY_CALL, "by-call"},
                 {EFFECT_COMPARED, "compared"}, {EFFECT_ELEMENTWISE, "elementwise"},
                 {EFFECT_INIT, "init"},         {EFFECT_HOISTED, "hoisted"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((flags & words[i].flag) != 0)
            text_printf(text, " %s", words[i].word);
}

const char *lint_effects(const Lint *lint, const char *function)
{
    Text text = {0};
    const Effects *effects = &lint->facts->functions[lint_function(lint, function)].effects;
    for (uint32_t i = 0; i < effects->count; i++) {
        const Effect *effect = effects->items[i];
        add_effect(lint, effect, &text);
        add_flags(effect->flags, &text);
        for (const Effect *at = effect->via; at != NULL; at = at->via)
            text_printf(&text, " via %s",
                        intern_text(lint->program->names,
                                    program_function_data(lint->program, at->function)->name));
        text_putc(&text, '\n');
    }
    return take(lint, &text);
}

static const char *loop_word(const Lint *lint, EventLoop loop)
{
    const Ast *ast = program_function_unit(lint->program, loop.function)->ast;
    AstNode target = loop_target(ast, loop.node);
    if (ast_kind(ast, target) == AST_NAME)
        return intern_text(lint->program->names, ast_at(ast, target)->name);
    return "while";
}

static void add_event(const Lint *lint, const Event *event, Text *text)
{
    static const char *const shared[] = {"perhaps", "own", "shared"};
    const Place *place = &event->effect->place;
    add_effect(lint, event->effect, text);
    for (uint32_t i = 0; i < event->loop_count; i++)
        text_printf(text, "%s%s", i == 0 ? " over " : " ", loop_word(lint, event->loops[i]));
    text_printf(text, ": %s", shared[event_shared(lint->facts, event, place) + 1]);
    text_puts(text, event->rare ? " rare" : "");
    text_puts(text, event->once ? " once" : "");
    text_puts(text, event->locked ? " locked" : "");
    text_puts(text, event->in_task ? " task" : "");
    add_flags(event->effect->flags & (uint16_t)~EFFECT_LOCKED, text);
}

const char *lint_event(const Lint *lint, const Event *event)
{
    Text text = {0};
    add_event(lint, event, &text);
    return take(lint, &text);
}

const char *lint_events(const Lint *lint)
{
    Text text = {0};
    for (uint32_t i = 0; i < facts_event_count(lint->facts); i++) {
        add_event(lint, facts_event(lint->facts, i), &text);
        text_putc(&text, '\n');
    }
    return take(lint, &text);
}

static void expect(Lint lint, const char *expected)
{
    const char *events = lint_events(&lint);
    if (strcmp(events, expected) != 0)
        fail_msg("the events are\n%s", events);
    lint_free(&lint);
}

void lint_expect_c(const char *text, const char *expected)
{
    expect(lint_c(text), expected);
}

void lint_expect_python(const char *text, const char *expected)
{
    expect(lint_python(text), expected);
}
