/* The command line and the configuration file. */
#include "analyzer/config.h"
#include "analyzer/options.h"
#include "analyzer/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Try {
    Arena *arena;
    Options options;
    Text error;
    bool good;
} Try;

static Try try_arguments(const char *const *arguments)
{
    Try try = {.arena = arena_new()};
    int count = 0;
    while (arguments[count] != NULL)
        count++;
    try.good = options_parse(&try.options, try.arena, count, (char **)arguments, &try.error);
    return try;
}

#define TRY(...) try_arguments((const char *const[]){__VA_ARGS__, NULL})

static void try_end(Try *try)
{
    text_free(&try->error);
    arena_free(try->arena);
}

static void expect_refused(Try try, const char *words)
{
    assert_false(try.good);
    if (strstr(text_string(&try.error), words) == NULL)
        fail_msg("'%s' is not in '%s'", words, text_string(&try.error));
    try_end(&try);
}

static void defaults_are_those_of_the_manual(void **state)
{
    (void)state;
    Try try = TRY("--isolated", "a.c");
    assert_true(try.good);
    assert_int_equal(try.options.paths.count, 1);
    assert_string_equal(try.options.paths.items[0], "a.c");
    assert_int_equal(try.options.outputs.count, 0);
    assert_int_equal(try.options.shown, SEVERITY_WARNING);
    assert_int_equal(try.options.fail_on, SEVERITY_WARNING);
    assert_true(try.options.min_slowdown == 1.2);
    assert_int_equal(try.options.threads, 0);
    assert_null(try.options.machine);
    assert_int_equal(try.options.measure, MEASURE_AUTO);
    assert_true(try.options.measure_seconds == 3);
    assert_true(try.options.file_seconds == 60);
    assert_true(options_rule_on(&try.options, &rule_unused_allow));
    try_end(&try);
}

static void every_option_is_taken_in_both_forms(void **state)
{
    (void)state;
    Try try = TRY("--isolated", "--threads", "12", "--machine=generic", "--measure", "off",
                  "--measure-budget=1.5", "--file-limit=0.5", "--severity", "note", "--fail-on=never", "--min-slowdown",
                  "2", "-p", "out", "--extra-arg", "-DX", "--extra-arg=-DY", "--jobs=3", "--color",
                  "never", "--quiet", "--statistics", "--no-cache", "--assume", "n=1500",
                  "--output", "json", "--output", "sarif:o.sarif", "a.c", "b.c");
    assert_true(try.good);
    const Options *options = &try.options;
    assert_int_equal(options->threads, 12);
    assert_string_equal(options->machine, "generic");
    assert_int_equal(options->measure, MEASURE_OFF);
    assert_true(options->measure_seconds == 1.5);
    assert_true(options->file_seconds == 0.5);
    assert_int_equal(options->shown, SEVERITY_NOTE);
    assert_int_equal(options->fail_on, FAIL_NEVER);
    assert_true(options->min_slowdown == 2);
    assert_string_equal(options->compile_commands, "out");
    assert_int_equal(options->extra_args.count, 2);
    assert_string_equal(options->extra_args.items[1], "-DY");
    assert_int_equal(options->jobs, 3);
    assert_int_equal(options->colour, COLOUR_NEVER);
    assert_true(options->isolated && options->quiet && options->statistics && options->no_cache);
    assert_string_equal(options->assumed.items[0], "n=1500");
    assert_int_equal(options->outputs.count, 2);
    assert_int_equal(options->outputs.items[0].format, OUTPUT_JSON);
    assert_null(options->outputs.items[0].path);
    assert_string_equal(options->outputs.items[1].path, "o.sarif");
    assert_int_equal(options->paths.count, 2);
    try_end(&try);
}

static void paths_behind_two_dashes_may_start_with_one(void **state)
{
    (void)state;
    Try try = TRY("--isolated", "--", "--odd.c");
    assert_true(try.good);
    assert_string_equal(try.options.paths.items[0], "--odd.c");
    try_end(&try);
}

static void nonsense_is_refused_with_what_would_be_right(void **state)
{
    (void)state;
    expect_refused(TRY("--isolated"), "no path");
    expect_refused(TRY("--isolated", "--ouptut", "json", "a.c"), "did you mean --output?");
    expect_refused(TRY("--isolated", "-x", "a.c"), "there is no option -x");
    expect_refused(TRY("--isolated", "--output", "jsn", "a.c"), "not 'jsn'");
    expect_refused(TRY("--isolated", "--output", "json:", "a.c"), "no file");
    expect_refused(TRY("--isolated", "--threads", "0", "a.c"), "from 1 to");
    expect_refused(TRY("--isolated", "--threads", "many", "a.c"), "not 'many'");
    expect_refused(TRY("--isolated", "--threads", "4294967298", "a.c"), "from 1 to");
    expect_refused(TRY("--isolated", "--min-slowdown", "nan", "a.c"), "not 'nan'");
    expect_refused(TRY("--isolated", "--severity", "never", "a.c"), "note, warning or error");
    expect_refused(TRY("--isolated", "--measure", "some", "a.c"), "auto, always, cached or off");
    expect_refused(TRY("--isolated", "--assume", "n", "a.c"), "NAME=COUNT");
    expect_refused(TRY("--isolated", "--assume", "n=x", "a.c"), "not 'x'");
    expect_refused(TRY("--isolated", "--dump", "facts", "a.c"), "not 'facts'");
    expect_refused(TRY("--isolated", "a.c", "--jobs"), "needs a value");
    expect_refused(TRY("--isolated", "--quiet=yes", "a.c"), "takes no value");
}

static void what_is_not_there_yet_is_refused_by_name(void **state)
{
    (void)state;
    expect_refused(TRY("--isolated", "--output", "gitlab", "a.c"), "'gitlab' is not available yet");
    expect_refused(TRY("--isolated", "--output", "junit:a.xml", "a.c"),
                   "'junit' is not available yet");
}

static void options_that_exclude_each_other_are_refused(void **state)
{
    (void)state;
    expect_refused(TRY("--isolated", "--staged", "--diff-base", "HEAD", "a.c"), "one of the two");
    expect_refused(TRY("--isolated", "--staged", "--baseline", "b", "--update-baseline", "a.c"),
                   "takes all findings");
}

static void outputs_are_not_mixed_on_one_stream(void **state)
{
    (void)state;
    expect_refused(TRY("--isolated", "--output", "json", "--output", "sarif", "a.c"),
                   "mixed on standard output");
    expect_refused(TRY("--isolated", "--output", "full", "--output", "json", "a.c"),
                   "mixed on standard output");
    expect_refused(TRY("--isolated", "--output", "html", "--output", "concise", "a.c"),
                   "mixed on standard output");
    Try try = TRY("--isolated", "--output", "concise", "--output", "github", "--output",
                  "html:a.html", "a.c");
    assert_true(try.good);
    assert_int_equal(try.options.outputs.items[2].format, OUTPUT_HTML);
    assert_string_equal(try.options.outputs.items[2].path, "a.html");
    try_end(&try);
}

static void standard_input_needs_a_name(void **state)
{
    (void)state;
    expect_refused(TRY("--isolated", "-"), "--stdin-filename");
    expect_refused(TRY("--isolated", "--stdin-filename", "a.c", "-", "-"), "only once");
    expect_refused(TRY("--isolated", "--fix", "--stdin-filename", "a.c", "-"),
                   "cannot write standard input");
    expect_refused(TRY("--isolated", "--fix", "--diff", "a.c"), "one of the two");
    expect_refused(TRY("--isolated", "--update-baseline", "a.c"), "needs --baseline FILE");
    Try try = TRY("--isolated", "--stdin-filename", "a.c", "-");
    assert_true(try.good);
    try_end(&try);
}

static void rules_are_selected_and_ignored(void **state)
{
    (void)state;
    expect_refused(TRY("--isolated", "--select", "no-such-rule", "a.c"),
                   "there is no rule 'no-such-rule'");
    expect_refused(TRY("--isolated", "--ignore", "unused-alow", "a.c"),
                   "did you mean 'unused-allow'?");
    for (unsigned i = 0; i < rule_count; i++) {
        const Rule *rule = rule_table[i];
        Try try = TRY("--isolated", "--select", rule->id, "a.c");
        assert_true(try.good);
        assert_true(options_rule_on(&try.options, rule));
        assert_false(options_rule_on(&try.options, &rule_unused_allow));
        try_end(&try);
        try = TRY("--isolated", "--ignore", rule->id, "--select", "all", "a.c");
        assert_true(try.good);
        assert_false(options_rule_on(&try.options, rule));
        assert_true(options_rule_on(&try.options, &rule_unused_allow));
        try_end(&try);
    }
    Try try = TRY("--isolated", "--select", "unused-allow", "--select", rule_table[0]->id, "a.c");
    assert_true(try.good && options_rule_on(&try.options, &rule_unused_allow));
    assert_true(options_rule_on(&try.options, rule_table[0]));
    try_end(&try);
}

static void what_makes_the_run_fail_is_shown(void **state)
{
    (void)state;
    Try try = TRY("--isolated", "--fail-on", "note", "a.c");
    assert_int_equal(try.options.shown, SEVERITY_NOTE);
    try_end(&try);
    try = TRY("--isolated", "--fail-on", "note", "--severity", "error", "a.c");
    assert_int_equal(try.options.shown, SEVERITY_ERROR);
    try_end(&try);
}

/* ---- the configuration file ---- */

static char folder[64];
static char *before;

static int enter(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/ponglint-options-XXXXXX");
    before = realpath(".", NULL);
    return mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("sub", 0777) != 0;
}

static int leave(void **state)
{
    (void)state;
    unlink("ponglint.toml");
    unlink("pyproject.toml");
    unlink("sub/ponglint.toml");
    rmdir("sub");
    int status = chdir(before);
    free(before);
    return rmdir(folder) != 0 || status != 0;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void the_file_fills_what_the_command_line_leaves_open(void **state)
{
    (void)state;
    put("ponglint.toml", "# ours\nfail-on = \"error\"\nthreads = 8 # cores\nmin-slowdown = 1.5\n"
                         "exclude = [\n  \"generated\", # by hand\n  'x\\y',\n]\n"
                         "severity = 'note'\nmachine = \"ci/machine.json\"\n");
    Try try = TRY("--threads", "4", "sub");
    assert_string_equal(text_string(&try.error), "");
    assert_true(try.good);
    assert_int_equal(try.options.threads, 4);
    assert_int_equal(try.options.fail_on, SEVERITY_ERROR);
    assert_int_equal(try.options.shown, SEVERITY_NOTE);
    assert_true(try.options.min_slowdown == 1.5);
    assert_int_equal(try.options.excluded.count, 2);
    assert_string_equal(try.options.excluded.items[1], "x\\y");
    assert_non_null(strstr(try.options.machine, "/ci/machine.json"));
    assert_int_equal(strncmp(try.options.exclude_root, folder, strlen(folder)), 0);
    try_end(&try);

    try = TRY("--isolated", "sub");
    assert_int_equal(try.options.threads, 0);
    try_end(&try);
}

static void the_nearest_file_counts(void **state)
{
    (void)state;
    put("ponglint.toml", "threads = 8\n");
    put("sub/ponglint.toml", "threads = 2\n");
    Try try = TRY("sub/new.c");
    assert_int_equal(try.options.threads, 2);
    try_end(&try);
    try = TRY("new.c");
    assert_int_equal(try.options.threads, 8);
    try_end(&try);
}

static void pyproject_is_read_in_its_section_only(void **state)
{
    (void)state;
    put("pyproject.toml",
        "[project]\nname = \"x\"\nthreads = {a = 1, b = [\"]\", '}']}\ntext = \"\"\"\n"
        "[tool.ponglint]\nthreads = 3\n\"\"\"\nwhen = 1979-05-27T07:32:00Z\n[[tool.other]]\n"
        "a.b = 1\n[tool.ponglint]\nthreads = 8\n[tool.zzz]\nthreads = [1, [2]]\n");
    Try try = TRY("a.c");
    assert_string_equal(text_string(&try.error), "");
    assert_int_equal(try.options.threads, 8);
    try_end(&try);
}

static void a_pyproject_without_our_section_is_passed_over(void **state)
{
    (void)state;
    put("ponglint.toml", "threads = 8\n");
    put("sub/pyproject.toml", "[project]\nname = \"x\"\n");
    Try try = TRY("sub/a.c");
    assert_int_equal(try.options.threads, 8);
    try_end(&try);
    unlink("sub/pyproject.toml");
}

static void select_in_the_file_is_replaced_by_the_command_line(void **state)
{
    (void)state;
    char text[256];
    const char *id = rule_table[0]->id;
    snprintf(text, sizeof text, "ignore = [\"%s\"]\nselect = [\"all\"]\n", id);
    put("ponglint.toml", text);
    Try try = TRY("a.c");
    assert_true(try.good);
    assert_false(options_rule_on(&try.options, rule_table[0]));
    assert_true(options_rule_on(&try.options, &rule_unused_allow));
    try_end(&try);
    try = TRY("--select", id, "a.c");
    assert_true(options_rule_on(&try.options, rule_table[0]));
    assert_false(options_rule_on(&try.options, &rule_unused_allow));
    try_end(&try);
}

static void expect_bad_file(const char *text, const char *words)
{
    put("ponglint.toml", text);
    expect_refused(TRY("a.c"), words);
}

static void faults_in_the_file_name_line_and_remedy(void **state)
{
    (void)state;
    expect_bad_file("\nthreds = 8\n",
                    "ponglint.toml:2: there is no key 'threds'; did you mean 'threads'?");
    expect_bad_file("threads = 0\n", "ponglint.toml:1: threads must be a whole number from 1 to");
    expect_bad_file("select = \"x\"\n", "'select' takes a list");
    expect_bad_file("select = [1]\n", "list of texts in quotes");
    expect_bad_file("select = [\"a\" \"b\"]\n", "comma");
    expect_bad_file("threads = [\"8\"]\n", "one value, not a list");
    expect_bad_file("\n\nselect = [\"nope\"]\n", "ponglint.toml:3: there is no rule 'nope'");
    expect_bad_file("threads = 8 9\n", "one entry a line");
    expect_bad_file("threads = 8\nthreads = 9\n", "given twice, first on line 1");
    expect_bad_file("fail-on = \"error\n", "no closing \"");
    expect_bad_file("machine = \"a\\qb\"\n", "escape");
    expect_bad_file("threads\n", "expected 'key = value'");
    expect_bad_file("[rules]\n", "there is no section [rules]");
    expect_bad_file("threads =", "needs a text");
    expect_bad_file("select = [\"a\"", "comma or its closing ]");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_manual),
        cmocka_unit_test(every_option_is_taken_in_both_forms),
        cmocka_unit_test(paths_behind_two_dashes_may_start_with_one),
        cmocka_unit_test(nonsense_is_refused_with_what_would_be_right),
        cmocka_unit_test(what_is_not_there_yet_is_refused_by_name),
        cmocka_unit_test(options_that_exclude_each_other_are_refused),
        cmocka_unit_test(outputs_are_not_mixed_on_one_stream),
        cmocka_unit_test(standard_input_needs_a_name),
        cmocka_unit_test(rules_are_selected_and_ignored),
        cmocka_unit_test(what_makes_the_run_fail_is_shown),
        IN_FOLDER(the_file_fills_what_the_command_line_leaves_open),
        IN_FOLDER(the_nearest_file_counts),
        IN_FOLDER(pyproject_is_read_in_its_section_only),
        IN_FOLDER(a_pyproject_without_our_section_is_passed_over),
        IN_FOLDER(select_in_the_file_is_replaced_by_the_command_line),
        IN_FOLDER(faults_in_the_file_name_line_and_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
