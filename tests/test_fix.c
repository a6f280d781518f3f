/* Fixes put together: which are taken, the new text, and the patch, which the real patch program
 * must accept. */
#include "analyzer/report/fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const Rule rule = {.id = "missing-reduction", .summary = "s", .help = "h"};

typedef struct Stage {
    Arena *arena;
    Unit unit;
    RunReport report;
    FixedFiles files;
} Stage;

static Stage stage_on(const char *text)
{
    Stage stage = {.arena = arena_new(), .report = {.shown = SEVERITY_WARNING}};
    LIST_PUSH(stage.arena, &stage.unit.files, source_from(stage.arena, "a.c", text, strlen(text)));
    return stage;
}

static Edit edit_at(Stage *stage, uint32_t start, uint32_t stop, const char *text)
{
    return (Edit){{stage->unit.files.items[0], start, stop}, text};
}

/* A finding with one fix of one edit: bytes [start, stop) become `text`. */
static Finding *add(Stage *stage, uint32_t start, uint32_t stop, const char *text)
{
    Fix fix = {.description = "d", .safe = true};
    Edit edit = edit_at(stage, start, stop, text);
    Finding finding = {
        .rule = &rule, .severity = SEVERITY_ERROR, .region = edit.region, .message = "m"};
    LIST_PUSH(stage->arena, &fix.edits, edit);
    LIST_PUSH(stage->arena, &finding.fixes, fix);
    LIST_PUSH(stage->arena, &stage->report.findings, finding);
    return &stage->report.findings.items[stage->report.findings.count - 1];
}

static uint32_t choose(Stage *stage)
{
    Unit *units[] = {&stage->unit};
    return fix_choose(&stage->report, stage->arena, units, 1, &stage->files);
}

static void expect_text(Stage *stage, uint32_t fixed, const char *wanted)
{
    Text text = {0};
    assert_int_equal(choose(stage), fixed);
    if (stage->files.count > 0)
        fix_apply(&stage->files.items[0], &text);
    assert_string_equal(text_string(&text), wanted);
    text_free(&text);
    arena_free(stage->arena);
}

static void edits_are_made_in_the_order_of_the_file(void **state)
{
    (void)state;
    Stage stage = stage_on("abcdef\n");
    add(&stage, 4, 5, "EE");
    add(&stage, 0, 0, "> ");
    add(&stage, 1, 3, "");
    expect_text(&stage, 3, "> adEEf\n");
}

static void the_same_edit_of_two_findings_is_made_once(void **state)
{
    (void)state;
    Stage stage = stage_on("abc\n");
    add(&stage, 1, 1, "X");
    add(&stage, 1, 1, "X");
    expect_text(&stage, 2, "aXbc\n");
}

static void insertions_at_one_place_follow_each_other(void **state)
{
    (void)state;
    Stage stage = stage_on("abc\n");
    add(&stage, 1, 1, "X");
    add(&stage, 1, 1, "Y");
    expect_text(&stage, 2, "aXYbc\n");
}

static void a_fix_that_overlaps_waits_as_a_whole(void **state)
{
    (void)state;
    Stage stage = stage_on("abcdef\n");
    add(&stage, 1, 3, "X");
    Finding *second = add(&stage, 5, 6, "Y");
    LIST_PUSH(stage.arena, &second->fixes.items[0].edits, edit_at(&stage, 2, 4, "Z"));
    expect_text(&stage, 1, "aXdef\n");
}

static void unsafe_hidden_and_foreign_fixes_are_not_taken(void **state)
{
    (void)state;
    Stage stage = stage_on("abc\n");
    add(&stage, 0, 1, "X")->fixes.items[0].safe = false;
    add(&stage, 0, 1, "X")->suppressed = true;
    add(&stage, 0, 1, "X")->severity = SEVERITY_NOTE;
    add(&stage, 0, 1, "X")->fixes.items[0].edits.items[0].region.source =
        source_from(stage.arena, "b.h", "abc", 3);
    expect_text(&stage, 0, "");
}

/* Runs `patch` over the file and compares with what fix_apply makes. */
static void expect_patch(const char *text, const Edit *edits, size_t count, unsigned hunks)
{
    char folder[] = "/tmp/ponglint-fix-XXXXXX", path[64], command[64];
    Stage stage = stage_on(text);
    for (size_t i = 0; i < count; i++)
        add(&stage, edits[i].region.start, edits[i].region.stop, edits[i].text);
    assert_int_equal(choose(&stage), count);
    Text patch = {0}, wanted = {0}, got = {0};
    fix_diff(&stage.files.items[0], &patch);
    fix_apply(&stage.files.items[0], &wanted);
    unsigned found = 0;
    for (const char *at = text_string(&patch); (at = strstr(at, "@@ -")) != NULL; at++)
        found++;
    assert_int_equal(found, hunks);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.c", folder);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    snprintf(command, sizeof command, "git -C %s apply -", folder);
    FILE *pipe = popen(command, "w");
    fwrite(patch.bytes, 1, patch.length, pipe);
    if (pclose(pipe) != 0)
        fail_msg("git apply refuses\n%s", text_string(&patch));
    file = fopen(path, "r");
    for (int c; (c = fgetc(file)) != EOF;)
        text_putc(&got, (char)c);
    fclose(file);
    assert_string_equal(text_string(&got), text_string(&wanted));
    unlink(path);
    rmdir(folder);
    text_free(&patch);
    text_free(&wanted);
    text_free(&got);
    arena_free(stage.arena);
}

#define PATCH(text, hunks, ...)                                                                    \
    expect_patch(text, (const Edit[]){__VA_ARGS__},                                                \
                 sizeof((const Edit[]){__VA_ARGS__}) / sizeof(Edit), hunks)
#define CHANGE(start, stop, text)                                                                  \
    {                                                                                              \
        {NULL, start, stop}, text                                                                  \
    }

static void patches_apply(void **state)
{
    (void)state;
    const char *text = "1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\nc\nd\n";
    PATCH(text, 1, CHANGE(0, 1, "one"));
    PATCH(text, 1, CHANGE(24, 25, "last"));
    PATCH(text, 1, CHANGE(4, 5, "x\ny\nz"), CHANGE(8, 10, ""));
    PATCH(text, 2, CHANGE(0, 0, "new\n"), CHANGE(22, 22, "c"));
    PATCH(text, 1, CHANGE(2, 9, "joined"));
    PATCH(text, 1, CHANGE(26, 26, "more\n"));
    PATCH("no line end", 1, CHANGE(0, 2, "a"));
    PATCH("a\nb", 1, CHANGE(3, 3, "c\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_made_in_the_order_of_the_file),
        cmocka_unit_test(the_same_edit_of_two_findings_is_made_once),
        cmocka_unit_test(insertions_at_one_place_follow_each_other),
        cmocka_unit_test(a_fix_that_overlaps_waits_as_a_whole),
        cmocka_unit_test(unsafe_hidden_and_foreign_fixes_are_not_taken),
        cmocka_unit_test(patches_apply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
