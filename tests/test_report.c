/* What the printers make of a report, and how text from linted files is escaped on its way. */
#include "analyzer/report/escape.h"
#include "analyzer/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

static const Rule view = {.id = "view-per-cell", .summary = "short", .help = "long."};
static const Rule race = {
    .id = "missing-reduction", .summary = "short", .help = "long.", .severity = SEVERITY_ERROR};
static const Rule *const rules[] = {&race, &view};
static const char *const pages[] = {"# page\n", ""};

typedef struct Stage {
    Arena *arena;
    const Source *source;
    RunReport report;
} Stage;

static Stage stage_on(const char *path, const char *text, size_t size)
{
    Stage stage = {.arena = arena_new()};
    stage.source = source_from(stage.arena, path, text, size);
    stage.report = (RunReport){
        .machine_name = "generic",
        .machine_cpu = "a cpu",
        .machine_threads = 12,
        .threads = 12,
        .files = 1,
        .shown = SEVERITY_WARNING,
        .rules = rules,
        .pages = pages,
        .rule_count = 2,
        .working = "/home/me/",
    };
    return stage;
}

static Region region_of(const Stage *stage, const char *word)
{
    const char *at = memmem(stage->source->bytes, stage->source->size, word, strlen(word));
    assert_non_null(at);
    uint32_t start = (uint32_t)(at - stage->source->bytes);
    return (Region){stage->source, start, start + (uint32_t)strlen(word)};
}

static Finding *add(Stage *stage, const char *word, const char *message)
{
    Finding finding = {.rule = &view,
                       .severity = SEVERITY_WARNING,
                       .region = region_of(stage, word),
                       .function = "f",
                       .message = message,
                       .predicted = 6.3,
                       .predicted_threads = 12,
                       .predicted_machine = "generic"};
    LIST_PUSH(stage->arena, &stage->report.findings, finding);
    return &stage->report.findings.items[stage->report.findings.count - 1];
}

typedef enum Kind { FULL, CONCISE, JSON, SARIF, GITHUB, GITHUB_SUMMARY, HTML, SUMMARY, NOTES } Kind;

/* What a printer writes; freed by the caller. (Inlined, gcc 12 takes the stream's buffer for a
 * dangling pointer.) */
__attribute__((noinline)) static char *print(const Stage *stage, Kind kind)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const ReportStyle plain = {0};
    switch (kind) {
    case FULL:
        report_full(&stage->report, &plain, out);
        break;
    case CONCISE:
        report_concise(&stage->report, &plain, out);
        break;
    case JSON:
        report_json(&stage->report, out);
        break;
    case SARIF:
        report_sarif(&stage->report, out);
        break;
    case GITHUB:
        report_github(&stage->report, out);
        break;
    case GITHUB_SUMMARY:
        report_github_summary(&stage->report, out);
        break;
    case HTML:
        report_html(&stage->report, out);
        break;
    case SUMMARY:
        report_summary(&stage->report, &plain, out);
        break;
    case NOTES:
        report_notes(&stage->report, &plain, SEVERITY_WARNING, out);
        break;
    }
    fclose(out);
    return text;
}

static void expect_text(Stage *stage, Kind kind, const char *wanted)
{
    char *text = print(stage, kind);
    assert_string_equal(text, wanted);
    free(text);
}

static void expect_words(Stage *stage, Kind kind, const char *words)
{
    char *text = print(stage, kind);
    if (strstr(text, words) == NULL)
        fail_msg("'%s' is not in '%s'", words, text);
    free(text);
}

static void stage_end(Stage *stage)
{
    arena_free(stage->arena);
}

#define STAGE(path, text) stage_on(path, text, sizeof(text) - 1)

/* ---- escaping ---- */

static void expect_escaped(void (*escape)(Text *, const char *, size_t), const char *text,
                           size_t size, const char *wanted)
{
    Text out = {0};
    escape(&out, text, size);
    assert_string_equal(text_string(&out), wanted);
    text_free(&out);
}

#define TERMINAL(text, wanted) expect_escaped(escape_terminal, text, sizeof(text) - 1, wanted)
#define AS_JSON(text, wanted)  expect_escaped(escape_json, text, sizeof(text) - 1, wanted)

static void control_bytes_do_not_reach_the_terminal(void **state)
{
    (void)state;
    TERMINAL("a\x1b[31mb", "a\\x1b[31mb");
    TERMINAL("\x9b"
             "31m",
             "\\x9b31m");
    TERMINAL("\xc2\x9b"
             "31m",
             "\\x9b31m");
    TERMINAL("a\r\nb\0c\x7f", "a\\x0d\\x0ab\\x00c\\x7f");
    TERMINAL("\xe2\x80\xae"
             "abc",
             "\\u202eabc");
    TERMINAL("gr\xc3\xbc\xc3\x9f \xe6\x97\xa5", "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5");
    TERMINAL("\xff\xc3", "\\xff\\xc3");
}

static void json_text_is_always_valid(void **state)
{
    (void)state;
    AS_JSON("\"\\\n\t\x01", "\\\"\\\\\\n\\t\\u0001");
    AS_JSON("a\xff"
            "b",
            "a\xef\xbf\xbd"
            "b");
    AS_JSON("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
    AS_JSON("\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd");                 /* overlong */
    AS_JSON("\xf0\x9f\x98", "\xef\xbf\xbd");                         /* cut short */
    AS_JSON("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    AS_JSON("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
}

#define AS_HTML(text, wanted) expect_escaped(escape_html, text, sizeof(text) - 1, wanted)

static void html_text_opens_nothing_and_closes_nothing(void **state)
{
    (void)state;
    AS_HTML("<a b='c' d=\"e\">&amp;", "&#60;a b=&#39;c&#39; d=&#34;e&#34;&#62;&#38;amp;");
    AS_HTML("a\x1b\t\0b\xff", "a\\x1b\\x09\\x00b\\xff");
    AS_HTML("\xe2\x80\xae \xef\xbf\xbf \xf0\x9f\xbf\xbe", "\\u202e \\xef\\xbf\\xbf "
                                                          "\\xf0\\x9f\\xbf\\xbe");
    AS_HTML("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
}

static void uris_are_percent_encoded(void **state)
{
    (void)state;
    Text out = {0};
    escape_uri(&out, "a b/%41 \"<\xc3\xbc>.c");
    assert_string_equal(text_string(&out), "a%20b/%2541%20%22%3C%C3%BC%3E.c");
    text_free(&out);
    escape_uri(&out, "c:x.c");
    assert_string_equal(text_string(&out), "./c:x.c");
    text_free(&out);
    escape_uri(&out, "/x/a.c");
    assert_string_equal(text_string(&out), "file:///x/a.c");
    text_free(&out);
}

static void utf16_counts_pairs_twice(void **state)
{
    (void)state;
    assert_int_equal(utf16_units("a\xc3\xbc\xe6\x97\xa5\xf0\x9f\x98\x80", 10), 5);
    assert_int_equal(utf16_units("\xff\xff", 2), 2);
}

/* ---- text ---- */

static void concise_is_one_line_a_finding(void **state)
{
    (void)state;
    Stage stage = STAGE("a.py", "x = y[:, i]\n");
    Finding *finding = add(&stage, "y[:, i]", "view of y once per cell");
    expect_text(&stage, CONCISE,
                "a.py:1:5: warning: view of y once per cell [view-per-cell] (predicted 6.3x)\n");
    finding->measured =
        (Measured){.present = true, .verdict = VERDICT_CONFIRMED, .threads = 2, .slowdown = 2.9};
    expect_text(&stage, CONCISE,
                "a.py:1:5: warning: view of y once per cell [view-per-cell] (predicted 6.3x, "
                "measured 2.9x)\n");
    finding->message = "two\nlines\x1b[2J";
    expect_words(&stage, CONCISE, "two\\x0alines\\x1b[2J");
    stage_end(&stage);
}

static void full_underlines_the_expression(void **state)
{
    (void)state;
    Stage stage = STAGE("a.py", "\tz = \"\xe6\x97\xa5\xc3\xbc\" + y[:, i]\n");
    add(&stage, "y[:, i]", "m");
    expect_words(&stage, FULL,
                 "a.py:1:16: warning[view-per-cell] m\n"
                 " 1 |     z = \"\xe6\x97\xa5\xc3\xbc\" + y[:, i]\n"
                 "   |                 ^^^^^^^\n"
                 "   = cost: predicted 6.3x at 12 threads (generic)\n");
    stage_end(&stage);
}

static void full_shows_number_way_and_fix(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "for (i)\n  y[i];\n");
    Finding *finding = add(&stage, "y[i]", "m");
    finding->measured = (Measured){.present = true,
                                   .verdict = VERDICT_CONFIRMED,
                                   .threads = 2,
                                   .slowdown = 2.9,
                                   .low = 2.7,
                                   .high = 3.1,
                                   .kernel = "view-per-cell"};
    finding->portability = "znver3";
    LIST_PUSH(stage.arena, &finding->trace,
              (TraceStep){region_of(&stage, "for (i)"), "parallel loop over i"});
    LIST_PUSH(stage.arena, &finding->fixes, (Fix){.description = "write it out"});
    expect_text(
        &stage, FULL,
        "a.c:2:3: warning[view-per-cell] m\n"
        " 2 |   y[i];\n"
        "   |   ^^^^\n"
        "   = cost: predicted 6.3x at 12 threads (generic); measured 2.9x [2.7, 3.1] at 2 threads "
        "here: confirmed\n"
        "   = trace: a.c:1: parallel loop over i\n"
        " 1 | for (i)\n"
        "   = fix: write it out\n"
        "   = targets: znver3\n\n");
    stage_end(&stage);
}

static void a_region_of_several_lines_is_marked_on_its_first(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "x = f(a,\n      b);\n");
    add(&stage, "f(a,\n      b)", "m");
    expect_words(&stage, FULL, " 1 | x = f(a,\n   |     ^^^^ ...\n");
    stage_end(&stage);
}

static void long_lines_are_windowed_around_the_expression(void **state)
{
    (void)state;
    char text[1001];
    memset(text, 'x', 1000);
    memcpy(text + 700, " HERE ", 6);
    text[1000] = '\0';
    Stage stage = stage_on("a.c", text, 1000);
    add(&stage, "HERE", "m");
    char *full = print(&stage, FULL);
    char *line = strchr(full, '\n') + 1, *marks = strchr(line, '\n') + 1;
    assert_true(strchr(line, '\n') - line < 180);
    const char *here = strstr(line, "HERE");
    assert_non_null(here);
    /* the ellipsis in front is three bytes and one column */
    assert_int_equal(here - line - 2, strstr(marks, "^^^^") - marks);
    free(full);
    stage_end(&stage);
}

static void escapes_in_a_source_line_keep_the_marks_in_place(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "\x1b\xff y\n");
    add(&stage, "y", "m");
    expect_words(&stage, FULL, " 1 | \\x1b\\xff y\n   |          ^\n");
    stage_end(&stage);
}

static void odd_regions_do_no_harm(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "");
    Finding finding = {
        .rule = &view, .severity = SEVERITY_ERROR, .region = {stage.source, 0, 0}, .message = "m"};
    LIST_PUSH(stage.arena, &stage.report.findings, finding);
    finding.region = (Region){stage.source, 90, 99};
    LIST_PUSH(stage.arena, &stage.report.findings, finding);
    for (Kind kind = FULL; kind <= NOTES; kind++)
        free(print(&stage, kind));
    findings_finish(&stage.report.findings, stage.arena);
    stage_end(&stage);
}

static void colours_are_asked_for(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "y\n");
    add(&stage, "y", "m");
    char *text = print(&stage, FULL);
    assert_null(strchr(text, '\x1b'));
    free(text);
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const ReportStyle style = {.colour = true};
    report_full(&stage.report, &style, out);
    fclose(out);
    assert_non_null(strstr(text, "\x1b[1;33mwarning[view-per-cell]\x1b[0m"));
    free(text);
    stage_end(&stage);
}

static void the_summary_counts_what_is_shown(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "y z w v\n");
    expect_text(&stage, SUMMARY, "no findings in 1 file\n");
    add(&stage, "y", "m")->severity = SEVERITY_ERROR;
    add(&stage, "z", "m");
    add(&stage, "w", "m")->severity = SEVERITY_NOTE;
    add(&stage, "v", "m")->suppressed = true;
    stage.report.refuted = 1;
    stage.report.suppressed = 1;
    expect_text(&stage, SUMMARY,
                "2 findings (1 error, 1 warning) in 1 file; 1 refuted, 1 suppressed\n");
    stage_end(&stage);
}

static void notes_name_path_and_line(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "");
    LIST_PUSH(stage.arena, &stage.report.notes,
              (Notification){SEVERITY_WARNING, "a.c", 3, "header not found: x.h"});
    LIST_PUSH(stage.arena, &stage.report.notes,
              (Notification){SEVERITY_ERROR, "b\n.c", 0, "no such file or folder"});
    LIST_PUSH(stage.arena, &stage.report.notes, (Notification){SEVERITY_NOTE, "c.c", 0, "a link"});
    expect_text(&stage, NOTES,
                "ponglint: warning: a.c:3: header not found: x.h\n"
                "ponglint: error: b\\x0a.c: no such file or folder\n");
    stage_end(&stage);
}

static Finding *add_refuted(Stage *stage, const char *word)
{
    Finding *finding = add(stage, word, "m");
    finding->severity = SEVERITY_NOTE;
    finding->measured = (Measured){.present = true,
                                   .verdict = VERDICT_REFUTED,
                                   .threads = 2,
                                   .slowdown = 1,
                                   .low = 0.99,
                                   .high = 1.01,
                                   .kernel = "view-per-cell",
                                   .demoted_from = SEVERITY_WARNING};
    return finding;
}

static void a_refuted_finding_stays_in_sight_as_a_note(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "y z\n");
    Finding *finding = add_refuted(&stage, "y");
    add(&stage, "z", "m")->severity = SEVERITY_NOTE; /* a plain note is not shown */
    assert_true(report_shows(&stage.report, finding) && !report_stands(&stage.report, finding));
    expect_text(&stage, CONCISE,
                "a.c:1:1: note: m [view-per-cell] (predicted 6.3x, measured 1.00x, refuted)\n");
    expect_words(&stage, FULL, "measured 1.00x [0.99, 1.01] at 2 threads here: refuted");
    expect_words(&stage, JSON, "\"verdict\": \"refuted\"");
    expect_words(&stage, SARIF, "\"verdict\": \"refuted\"");
    expect_words(&stage, GITHUB, "::notice file=a.c");
    expect_words(&stage, HTML, "refuted by a measurement here");
    expect_words(&stage, SUMMARY, "1 finding (1 note) in 1 file");
    stage.report.findings.items[0].measured.demoted_from = SEVERITY_NOTE;
    expect_text(&stage, CONCISE, "");
    stage_end(&stage);
}

/* ---- the page ---- */

static void the_page_puts_the_worst_first(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "y z w v\n");
    add(&stage, "y", "the third")->predicted = 3;
    add(&stage, "z", "the second")->predicted = 4;
    Finding *finding = add(&stage, "w", "the first");
    finding->predicted = 2; /* measured more */
    finding->measured = (Measured){
        .present = true, .verdict = VERDICT_CONFIRMED, .threads = 2, .slowdown = 5, .why = ""};
    add(&stage, "v", "and a worse one")->severity = SEVERITY_ERROR;
    char *text = print(&stage, HTML);
    const char *last = text;
    const char *const order[] = {"and a worse one", "the first", "the second", "the third"};
    for (int i = 0; i < 4; i++) {
        const char *next = strstr(text, order[i]);
        assert_non_null(next);
        assert_true(next > last);
        last = next;
    }
    free(text);
    stage_end(&stage);
}

static void add_curve_point(Stage *stage, Finding *finding, ScalingPoint point)
{
    LIST_PUSH(stage->arena, &finding->scaling, point);
}

static void the_page_says_whether_a_curve_was_measured(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "y\n");
    Finding *finding = add(&stage, "y", "m");
    add_curve_point(&stage, finding, (ScalingPoint){.threads = 1, .predicted = 1.5});
    expect_words(&stage, HTML, "1 finding in 1 file");
    add_curve_point(&stage, finding, (ScalingPoint){.threads = 4, .predicted = 6.3});
    expect_words(&stage, HTML, "Not measured at several thread counts, but predicted for generic");
    expect_words(&stage, HTML, "<th scope=\"row\">4</th><td>6.3\xc3\x97</td></tr>");
    ScalingPoint *points = finding->scaling.items;
    points[0] = (ScalingPoint){1, 1.5, 30, 20, 1.5, 1.4, 1.6};
    points[1] = (ScalingPoint){4, 6.3, 100, 25, 4, 3.9, 4.1};
    expect_words(&stage, HTML, "Measured here at 1 and 4 threads");
    expect_words(&stage, HTML,
                 "<th scope=\"row\">4</th><td>6.3\xc3\x97</td><td>4.0\xc3\x97</td><td>100 "
                 "ns</td><td>25 ns</td></tr>");
    /* five times the relieved form on one thread at the end, which itself takes a quarter more */
    expect_words(&stage, HTML, ">5.0\xc3\x97</text>");
    expect_words(&stage, HTML, ">1.25\xc3\x97</text>");
    stage_end(&stage);
}

static void the_page_shows_a_fix_as_a_diff(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "a\ny <z\nb\n");
    Finding *finding = add(&stage, "y", "m");
    Fix fix = {.description = "say x", .safe = true};
    LIST_PUSH(stage.arena, &fix.edits, (Edit){finding->region, "x"});
    LIST_PUSH(stage.arena, &finding->fixes, fix);
    expect_words(&stage, HTML,
                 "<del class=\"l\"><span>-</span><code>y &#60;z</code></del>"
                 "<ins class=\"l\"><span>+</span><code>x &#60;z</code></ins>");
    expect_words(&stage, HTML, "<code>--fix</code> makes it");
    stage_end(&stage);
}

/* ---- JSON ---- */

static json_t *parsed(const Stage *stage, Kind kind)
{
    char *text = print(stage, kind);
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
        fail_msg("line %d: %s in %s", error.line, error.text, text);
    free(text);
    return json;
}

static const json_t *at(const json_t *json, const char *key)
{
    const json_t *value = json_is_array(json) ? json_array_get(json, (size_t)atoi(key))
                                              : json_object_get(json, key);
    if (value == NULL)
        fail_msg("there is no '%s'", key);
    return value;
}

static void json_has_the_keys_of_the_manual(void **state)
{
    (void)state;
    Stage stage = STAGE("d\xff.py", "i\n\"\xc3\xbc\" + y[j]\n");
    Finding *finding = add(&stage, "y[j]", "m \x1b \xfe");
    finding->what = "view of y";
    finding->per = "cell";
    finding->exposure.work_ns = 2.1;
    LIST_PUSH(stage.arena, &finding->loops, "i");
    LIST_PUSH(stage.arena, &finding->trace,
              (TraceStep){region_of(&stage, "i"), "parallel loop over i"});
    Fix fix = {.description = "d", .safe = true};
    LIST_PUSH(stage.arena, &fix.edits, (Edit){finding->region, "z"});
    LIST_PUSH(stage.arena, &finding->fixes, fix);
    json_t *json = parsed(&stage, JSON);
    assert_int_equal(json_integer_value(at(json, "schema")), 1);
    assert_string_equal(json_string_value(at(at(json, "tool"), "name")), "ponglint");
    assert_string_equal(json_string_value(at(at(json, "machine"), "name")), "generic");
    const json_t *first = at(at(json, "findings"), "0");
    assert_string_equal(json_string_value(at(first, "rule")), "view-per-cell");
    assert_string_equal(json_string_value(at(first, "path")), "d\xef\xbf\xbd.py");
    assert_int_equal(json_integer_value(at(first, "line")), 2);
    assert_int_equal(json_integer_value(at(first, "column")), 8);
    assert_int_equal(json_integer_value(at(first, "endColumn")), 12);
    assert_string_equal(json_string_value(at(at(at(first, "trace"), "0"), "message")),
                        "parallel loop over i");
    assert_true(json_is_false(at(at(first, "event"), "shared")));
    assert_int_equal(json_integer_value(at(at(first, "predicted"), "threads")), 12);
    assert_null(json_object_get(first, "measured"));
    assert_null(json_object_get(first, "portability"));
    const json_t *edit = at(at(at(at(first, "fixes"), "0"), "edits"), "0");
    assert_string_equal(json_string_value(at(edit, "text")), "z");
    assert_int_equal(strlen(json_string_value(at(first, "fingerprint"))), 16);
    assert_int_equal(json_integer_value(at(at(json, "summary"), "findings")), 1);
    assert_true(json_is_array(at(json, "notifications")));
    json_decref(json);
    stage_end(&stage);
}

static void suppressed_and_small_findings_are_left_out(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "y z\n");
    add(&stage, "y", "m")->suppressed = true;
    add(&stage, "z", "m")->severity = SEVERITY_NOTE;
    json_t *json = parsed(&stage, JSON);
    assert_int_equal(json_array_size(at(json, "findings")), 0);
    json_decref(json);
    json = parsed(&stage, SARIF);
    assert_true(json_is_array(at(at(at(json, "runs"), "0"), "results")));
    assert_int_equal(json_array_size(at(at(at(json, "runs"), "0"), "results")), 0);
    json_decref(json);
    expect_text(&stage, CONCISE, "");
    stage_end(&stage);
}

/* ---- SARIF ---- */

static void sarif_counts_columns_in_utf16_and_links_the_way(void **state)
{
    (void)state;
    Stage stage = STAGE("/home/me/a b.py", "loop\n\"\xf0\x9f\x98\x80\" + y[j]\n");
    Finding *finding = add(&stage, "y[j]", "view y[j](1) per cell");
    LIST_PUSH(stage.arena, &finding->trace,
              (TraceStep){region_of(&stage, "loop"), "loop over x[i]"});
    json_t *json = parsed(&stage, SARIF);
    const json_t *run = at(at(json, "runs"), "0"), *result = at(at(run, "results"), "0");
    const json_t *rule = at(at(at(at(run, "tool"), "driver"), "rules"), "1");
    assert_string_equal(json_string_value(at(rule, "id")), "view-per-cell");
    assert_int_equal(json_integer_value(at(result, "ruleIndex")), 1);
    const json_t *place = at(at(at(result, "locations"), "0"), "physicalLocation"),
                 *region = at(place, "region");
    assert_string_equal(json_string_value(at(at(place, "artifactLocation"), "uri")), "a%20b.py");
    assert_int_equal(json_integer_value(at(region, "startColumn")), 8);
    assert_int_equal(json_integer_value(at(region, "endColumn")), 12);
    assert_string_equal(json_string_value(at(at(result, "message"), "text")),
                        "view y[j] (1) per cell (predicted 6.3x at 12 threads (generic)). "
                        "See [loop over x\\[i\\]](1).");
    assert_int_equal(json_integer_value(at(at(at(result, "relatedLocations"), "0"), "id")), 1);
    const json_t *flow = at(at(at(at(result, "codeFlows"), "0"), "threadFlows"), "0");
    assert_int_equal(json_array_size(at(flow, "locations")), 2);
    assert_non_null(strchr(
        json_string_value(at(at(result, "partialFingerprints"), "primaryLocationLineHash")), ':'));
    json_decref(json);
    stage_end(&stage);
}

static void sarif_tells_of_trouble(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "");
    LIST_PUSH(stage.arena, &stage.report.notes,
              (Notification){SEVERITY_ERROR, "a.c", 3, "syntax error"});
    json_t *json = parsed(&stage, SARIF);
    const json_t *invocation = at(at(at(at(json, "runs"), "0"), "invocations"), "0");
    assert_true(json_is_false(at(invocation, "executionSuccessful")));
    assert_int_equal(json_array_size(at(invocation, "toolExecutionNotifications")), 1);
    json_decref(json);
    stage_end(&stage);
}

/* ---- GitHub ---- */

static void github_commands_cannot_be_broken_out_of(void **state)
{
    (void)state;
    Stage stage = STAGE("a,b:c%.py", "y\n");
    Finding *finding = add(&stage, "y", "50% of\n::error::x");
    finding->predicted = 0;
    expect_text(&stage, GITHUB,
                "::warning file=a%2Cb%3Ac%25.py,line=1,col=1,endLine=1,endColumn=2,"
                "title=ponglint view-per-cell::50%25 of%0A::error::x\n");
    expect_words(&stage, GITHUB_SUMMARY,
                 "| warning | a,b:c%.py:1 | view-per-cell | 50% of ::error::x |  |");
    stage_end(&stage);
}

static void github_shows_the_worst_and_counts_the_rest(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "y\n");
    for (int i = 0; i < 13; i++)
        add(&stage, "y", "m")->predicted = 1.5 + i;
    add(&stage, "y", "worst")->severity = SEVERITY_ERROR;
    char *text = print(&stage, GITHUB);
    assert_int_equal(strncmp(text, "::error ", 8), 0);
    assert_non_null(strstr(text, "predicted 14x"));
    assert_null(strstr(text, "predicted 1.50x"));
    assert_non_null(strstr(text, "::notice title=ponglint::3 more findings are not shown"));
    unsigned warnings = 0;
    for (const char *line = text; (line = strstr(line, "::warning ")) != NULL; line++)
        warnings++;
    assert_int_equal(warnings, 10);
    free(text);
    stage_end(&stage);
}

/* ---- findings ---- */

static void findings_are_sorted_and_said_once(void **state)
{
    (void)state;
    Stage stage = STAGE("a.c", "a b c\n");
    add(&stage, "c", "m");
    add(&stage, "b", "second");
    add(&stage, "b", "first")->predicted = 9;
    add(&stage, "b", "another rule")->rule = &race;
    add(&stage, "a", "m");
    findings_finish(&stage.report.findings, stage.arena);
    const Findings *findings = &stage.report.findings;
    assert_int_equal(findings->count, 4);
    assert_int_equal(findings->items[0].region.start, 0);
    assert_ptr_equal(findings->items[1].rule, &race);
    assert_string_equal(findings->items[2].message, "first");
    assert_int_equal(findings->items[3].region.start, 4);
    stage_end(&stage);
}

static uint64_t print_of(const char *text, unsigned which)
{
    Stage stage = stage_on("a.c", text, strlen(text));
    for (const char *word = text; (word = strstr(word, "y")) != NULL; word++) {
        Finding *finding = add(&stage, "y", "m");
        finding->region.start = (uint32_t)(word - text);
        finding->region.stop = finding->region.start + 1;
    }
    findings_finish(&stage.report.findings, stage.arena);
    assert_true(which < stage.report.findings.count);
    uint64_t print = stage.report.findings.items[which].fingerprint;
    stage_end(&stage);
    return print;
}

static void fingerprints_survive_moves_and_tell_equals_apart(void **state)
{
    (void)state;
    uint64_t print = print_of("x = y;\n", 0);
    assert_true(print == print_of("\n\nint more;\n    x  =  y;\n", 0));
    assert_true(print != print_of("z = y;\n", 0));
    assert_true(print == print_of("x = y;\nx = y;\n", 0));
    assert_true(print != print_of("x = y;\nx = y;\n", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_bytes_do_not_reach_the_terminal),
        cmocka_unit_test(json_text_is_always_valid),
        cmocka_unit_test(html_text_opens_nothing_and_closes_nothing),
        cmocka_unit_test(a_refuted_finding_stays_in_sight_as_a_note),
        cmocka_unit_test(the_page_puts_the_worst_first),
        cmocka_unit_test(the_page_says_whether_a_curve_was_measured),
        cmocka_unit_test(the_page_shows_a_fix_as_a_diff),
        cmocka_unit_test(uris_are_percent_encoded),
        cmocka_unit_test(utf16_counts_pairs_twice),
        cmocka_unit_test(concise_is_one_line_a_finding),
        cmocka_unit_test(full_underlines_the_expression),
        cmocka_unit_test(full_shows_number_way_and_fix),
        cmocka_unit_test(a_region_of_several_lines_is_marked_on_its_first),
        cmocka_unit_test(long_lines_are_windowed_around_the_expression),
        cmocka_unit_test(escapes_in_a_source_line_keep_the_marks_in_place),
        cmocka_unit_test(odd_regions_do_no_harm),
        cmocka_unit_test(colours_are_asked_for),
        cmocka_unit_test(the_summary_counts_what_is_shown),
        cmocka_unit_test(notes_name_path_and_line),
        cmocka_unit_test(json_has_the_keys_of_the_manual),
        cmocka_unit_test(suppressed_and_small_findings_are_left_out),
        cmocka_unit_test(sarif_counts_columns_in_utf16_and_links_the_way),
        cmocka_unit_test(sarif_tells_of_trouble),
        cmocka_unit_test(github_commands_cannot_be_broken_out_of),
        cmocka_unit_test(github_shows_the_worst_and_counts_the_rest),
        cmocka_unit_test(findings_are_sorted_and_said_once),
        cmocka_unit_test(fingerprints_survive_moves_and_tell_equals_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
