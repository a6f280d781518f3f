/* Suppression comments: what they hide, what they do not, and which of them hide nothing. In the
 * texts below BAD is a finding of view-per-cell and WORSE one of alloc-in-kernel. */
#include "analyzer/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const Rule view = {.id = "view-per-cell", .summary = "s", .help = "h"};
static const Rule alloc = {.id = "alloc-in-kernel", .summary = "s", .help = "h"};
static const Rule *const rules[] = {&alloc, &view};
static const char *const pages[] = {"", ""};

typedef struct Stage {
    Arena *arena;
    Unit unit;
    RunReport report;
} Stage;

static void stage_open(Stage *stage, Language language, const char *text)
{
    *stage =
        (Stage){.arena = arena_new(), .report = {.rules = rules, .pages = pages, .rule_count = 2}};
    Unit *unit = &stage->unit;
    unit->arena = stage->arena;
    unit->language = language;
    unit->ast = ast_new(stage->arena);
    LIST_PUSH(stage->arena, &unit->files, source_from(stage->arena, "a", text, strlen(text)));
}

static uint32_t place_of(const Stage *stage, const char *word)
{
    const char *bytes = stage->unit.files.items[0]->bytes, *at = strstr(bytes, word);
    assert_non_null(at);
    return (uint32_t)(at - bytes);
}

/* A function from the text `head` to the text `end`, with its body from `body`. */
static void stage_function(Stage *stage, const char *head, const char *body, const char *end)
{
    Ast *ast = stage->unit.ast;
    AstNode function = ast_open(ast, AST_FUNCTION, 0, place_of(stage, head), place_of(stage, end));
    ast_function(ast, function, intern(ast->names, "f"), 0);
    AstNode block = ast_open(ast, AST_BLOCK, 0, place_of(stage, body), place_of(stage, end));
    ast_close(ast, block);
    ast_close(ast, function);
}

static void add_findings(Stage *stage, const char *word, const Rule *rule)
{
    const Source *source = stage->unit.files.items[0];
    for (const char *at = source->bytes; (at = strstr(at, word)) != NULL; at++) {
        uint32_t start = (uint32_t)(at - source->bytes);
        Finding finding = {.rule = rule,
                           .severity = SEVERITY_WARNING,
                           .region = {source, start, start + (uint32_t)strlen(word)},
                           .function = "f",
                           .message = "m"};
        LIST_PUSH(stage->arena, &stage->report.findings, finding);
    }
}

static bool (*only)(const Rule *rule, void *data); /* which rules the next run selects; NULL: all */

static void stage_run(Stage *stage)
{
    Unit *units[] = {&stage->unit};
    add_findings(stage, "BAD", &view);
    add_findings(stage, "WORSE", &alloc);
    suppress(&stage->report, stage->arena, units, 1, only, NULL);
}

static unsigned count(const Stage *stage, const Rule *rule, bool suppressed)
{
    unsigned found = 0;
    for (uint32_t i = 0; i < stage->report.findings.count; i++) {
        const Finding *finding = &stage->report.findings.items[i];
        found += finding->rule == rule && finding->suppressed == suppressed;
    }
    return found;
}

/* Runs over `text` and expects so many findings of any rule left, hidden, and comments that hide
 * nothing. */
static void expect(Language language, const char *text, unsigned left, unsigned hidden,
                   unsigned unused)
{
    Stage stage;
    stage_open(&stage, language, text);
    stage_run(&stage);
    assert_int_equal(count(&stage, &view, false) + count(&stage, &alloc, false), left);
    assert_int_equal(count(&stage, &view, true) + count(&stage, &alloc, true), hidden);
    assert_int_equal(count(&stage, &rule_unused_allow, false), unused);
    arena_free(stage.arena);
}

static void a_comment_at_the_end_of_the_line_hides(void **state)
{
    (void)state;
    expect(LANGUAGE_PYTHON, "BAD  # ponglint: allow(view-per-cell) measured: no gain\nBAD\n", 1, 1,
           0);
    expect(LANGUAGE_C, "BAD; // ponglint: allow(view-per-cell)\nBAD\n", 1, 1, 0);
    expect(LANGUAGE_C, "BAD; /* ponglint: allow(view-per-cell) why */\nBAD\n", 1, 1, 0);
}

static void a_comment_alone_hides_on_the_line_below(void **state)
{
    (void)state;
    expect(LANGUAGE_PYTHON, "    # ponglint: allow(view-per-cell)\n    BAD\nBAD\n", 1, 1, 0);
    expect(LANGUAGE_C, "BAD\n// ponglint: allow(view-per-cell)\nBAD\n", 1, 1, 0);
}

static void comments_alone_may_be_stacked(void **state)
{
    (void)state;
    expect(LANGUAGE_PYTHON,
           "# ponglint: allow(view-per-cell)\n# ponglint: allow(alloc-in-kernel)\n# so it is\nBAD "
           "WORSE\n",
           0, 2, 0);
}

static void a_list_hides_each_of_its_rules(void **state)
{
    (void)state;
    expect(LANGUAGE_C, "BAD WORSE // ponglint: allow(view-per-cell, alloc-in-kernel) both\n", 0, 2,
           0);
}

static void another_rule_is_not_hidden(void **state)
{
    (void)state;
    expect(LANGUAGE_C, "BAD // ponglint: allow(alloc-in-kernel)\n", 1, 0, 1);
}

static void each_rule_of_a_list_that_hides_nothing_is_reported(void **state)
{
    (void)state;
    expect(LANGUAGE_C, "BAD // ponglint: allow(view-per-cell, alloc-in-kernel)\n", 0, 1, 1);
    expect(LANGUAGE_C, "int x; // ponglint: allow(view-per-cell, alloc-in-kernel)\n", 0, 0, 2);
}

static void an_unknown_rule_is_reported_with_the_nearest_one(void **state)
{
    (void)state;
    Stage stage;
    stage_open(&stage, LANGUAGE_C, "BAD // ponglint: allow(view-per-cel)\n");
    stage_run(&stage);
    assert_int_equal(count(&stage, &view, false), 1);
    assert_int_equal(count(&stage, &rule_unused_allow, false), 1);
    const Finding *unused = &stage.report.findings.items[1];
    assert_ptr_equal(unused->rule, &rule_unused_allow);
    assert_non_null(strstr(unused->message, "did you mean 'view-per-cell'?"));
    assert_int_equal(unused->severity, SEVERITY_WARNING);
    arena_free(stage.arena);
}

static void text_that_looks_like_a_comment_hides_nothing(void **state)
{
    (void)state;
    expect(LANGUAGE_PYTHON, "x = '# ponglint: allow(view-per-cell)'; BAD\n", 1, 0, 0);
    expect(LANGUAGE_PYTHON, "'''\n# ponglint: allow-file(view-per-cell)\n'''\nBAD\n", 1, 0, 0);
    expect(LANGUAGE_PYTHON, "x = 'it\\'s # ponglint: allow(view-per-cell)'; BAD\n", 1, 0, 0);
    expect(LANGUAGE_C, "x = \"// ponglint: allow(view-per-cell)\"; BAD\n", 1, 0, 0);
    expect(LANGUAGE_C, "x = \"\\\"// ponglint: allow(view-per-cell)\"; BAD\n", 1, 0, 0);
    expect(LANGUAGE_CPP, "x = R\"a(\" // ponglint: allow(view-per-cell) )a\"; BAD\n", 1, 0, 0);
}

static void a_quote_in_a_comment_or_a_character_opens_no_text(void **state)
{
    (void)state;
    expect(LANGUAGE_C, "/* don't */ c = '\"'; BAD // ponglint: allow(view-per-cell)\n", 0, 1, 0);
    expect(LANGUAGE_CPP, "n = 1'000; BAD // ponglint: allow(view-per-cell)\n", 0, 1, 0);
    expect(LANGUAGE_PYTHON, "# don't\nBAD # ponglint: allow(view-per-cell)\n", 0, 1, 0);
}

static void a_file_is_covered_as_a_whole(void **state)
{
    (void)state;
    expect(LANGUAGE_PYTHON,
           "BAD\n# ponglint: allow-file(view-per-cell) a demonstration\nBAD\nWORSE\n", 1, 2, 0);
    expect(LANGUAGE_C, "// ponglint: allow-file(view-per-cell)\nint x;\n", 0, 0, 1);
}

static void the_first_line_of_a_function_covers_it(void **state)
{
    (void)state;
    Stage stage;
    stage_open(&stage, LANGUAGE_PYTHON,
               "def f(a,\n      b):  # ponglint: allow(view-per-cell)\n    body\n    BAD\n    "
               "BAD\n#END\nBAD\n");
    stage_function(&stage, "def f", "body", "#END");
    stage_run(&stage);
    assert_int_equal(count(&stage, &view, true), 2);
    assert_int_equal(count(&stage, &view, false), 1);
    arena_free(stage.arena);

    stage_open(&stage, LANGUAGE_C,
               "// ponglint: allow(view-per-cell)\nvoid f(void)\n{\n BAD\n}\nBAD\n");
    stage_function(&stage, "void f", "{\n", "\nBAD");
    stage_run(&stage);
    assert_int_equal(count(&stage, &view, true), 1);
    assert_int_equal(count(&stage, &view, false), 1);
    arena_free(stage.arena);
}

static void a_line_inside_a_function_covers_only_itself(void **state)
{
    (void)state;
    Stage stage;
    stage_open(&stage, LANGUAGE_PYTHON,
               "def f():\n    BAD  # ponglint: allow(view-per-cell)\n    BAD\n#END\n");
    stage_function(&stage, "def f", "BAD", "#END");
    stage_run(&stage);
    assert_int_equal(count(&stage, &view, true), 1);
    assert_int_equal(count(&stage, &view, false), 1);
    arena_free(stage.arena);
}

static void nolint_works_in_c_with_our_prefix_only(void **state)
{
    (void)state;
    expect(LANGUAGE_C, "BAD // NOLINT(ponglint-view-per-cell)\n", 0, 1, 0);
    expect(LANGUAGE_C, "BAD // NOLINT(bugprone-x, ponglint-view-per-cell)\n", 0, 1, 0);
    expect(LANGUAGE_C, "// NOLINTNEXTLINE(ponglint-view-per-cell)\nBAD\n", 0, 1, 0);
    expect(LANGUAGE_C, "x; // NOLINTNEXTLINE(ponglint-view-per-cell)\nBAD\n", 0, 1, 0);
    expect(LANGUAGE_C, "BAD // NOLINT(ponglint-*)\n", 0, 1, 0);
    expect(LANGUAGE_C, "BAD // NOLINT\n", 1, 0, 0);
    expect(LANGUAGE_C, "BAD // NOLINT(view-per-cell)\n", 1, 0, 0);
    expect(LANGUAGE_C, "BAD // NOLINT(bugprone-x)\n", 1, 0, 0);
    expect(LANGUAGE_C, "x // NOLINT(ponglint-view-per-cell)\n", 0, 0, 1);
    expect(LANGUAGE_PYTHON, "BAD # NOLINT(ponglint-view-per-cell)\n", 1, 0, 0);
}

static bool not_view(const Rule *rule, void *data)
{
    (void)data;
    return rule != &view;
}

static bool not_unused(const Rule *rule, void *data)
{
    (void)data;
    return rule != &rule_unused_allow;
}

static void a_rule_that_did_not_run_is_not_called_unused(void **state)
{
    (void)state;
    only = not_view;
    expect(LANGUAGE_C, "x // ponglint: allow(view-per-cell)\n", 0, 0, 0);
    expect(LANGUAGE_C, "x // ponglint: allow(alloc-in-kernel)\n", 0, 0, 1);
    only = not_unused;
    expect(LANGUAGE_C, "x // ponglint: allow(view-per-cell)\n", 0, 0, 0);
    only = NULL;
}

static void unused_allow_can_be_allowed(void **state)
{
    (void)state;
    expect(LANGUAGE_C, "x // ponglint: allow(view-per-cell, unused-allow) seen with gcc only\n", 0,
           0, 0);
    expect(LANGUAGE_C, "x // ponglint: allow(unused-allow)\n", 0, 0, 1);
}

/* The finding at BAD stands for what is at LESS, too. */
static void a_comment_at_a_joined_place_is_of_use(void **state)
{
    (void)state;
    Stage stage;
    stage_open(&stage, LANGUAGE_C, "BAD\nLESS // ponglint: allow(view-per-cell)\n");
    Unit *units[] = {&stage.unit};
    const Source *source = stage.unit.files.items[0];
    uint32_t place = place_of(&stage, "LESS");
    add_findings(&stage, "BAD", &view);
    Finding *finding = &stage.report.findings.items[0];
    finding->cause = (Cause){.kind = CAUSE_CALLS, .name = "f"};
    LIST_PUSH(stage.arena, &finding->related, (TraceStep){{source, place, place + 4}, "m"});
    suppress(&stage.report, stage.arena, units, 1, NULL, NULL);
    assert_int_equal(count(&stage, &view, false), 1);
    assert_int_equal(count(&stage, &rule_unused_allow, false), 0);
    arena_free(stage.arena);
}

static void broken_comments_are_harmless(void **state)
{
    (void)state;
    expect(LANGUAGE_C, "BAD // ponglint: allow(\n", 1, 0, 0);
    expect(LANGUAGE_C, "BAD // ponglint: allow()\n", 1, 0, 0);
    expect(LANGUAGE_C, "BAD /* ponglint: allow(view-per-cell", 0, 1, 0);
    expect(LANGUAGE_C, "BAD \"ponglint: allow(view-per-cell)", 1, 0, 0);
    expect(LANGUAGE_CPP, "R\"ponglint: allow(view-per-cell", 0, 0, 0);
    expect(LANGUAGE_PYTHON, "'''ponglint: \\", 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_comment_at_the_end_of_the_line_hides),
        cmocka_unit_test(a_comment_alone_hides_on_the_line_below),
        cmocka_unit_test(comments_alone_may_be_stacked),
        cmocka_unit_test(a_list_hides_each_of_its_rules),
        cmocka_unit_test(another_rule_is_not_hidden),
        cmocka_unit_test(each_rule_of_a_list_that_hides_nothing_is_reported),
        cmocka_unit_test(an_unknown_rule_is_reported_with_the_nearest_one),
        cmocka_unit_test(text_that_looks_like_a_comment_hides_nothing),
        cmocka_unit_test(a_quote_in_a_comment_or_a_character_opens_no_text),
        cmocka_unit_test(a_file_is_covered_as_a_whole),
        cmocka_unit_test(the_first_line_of_a_function_covers_it),
        cmocka_unit_test(a_line_inside_a_function_covers_only_itself),
        cmocka_unit_test(nolint_works_in_c_with_our_prefix_only),
        cmocka_unit_test(a_rule_that_did_not_run_is_not_called_unused),
        cmocka_unit_test(unused_allow_can_be_allowed),
        cmocka_unit_test(a_comment_at_a_joined_place_is_of_use),
        cmocka_unit_test(broken_comments_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
