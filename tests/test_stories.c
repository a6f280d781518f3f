/* The tables of the stories in corpus/seeds against what is predicted for the machines they were
 * measured on: every row within a factor of two. The programs are the seeds themselves, read by the
 * real frontend; the profiles stand in corpus/seeds/machines, with their sources in the README. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/pass.h"
#include "tests/lint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS PONGLINT_SOURCE_DIR "/corpus/seeds/"

static const char *slurp(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static Machine machine_of(const char *path)
{
    Machine machine;
    char error[256];
    if (!machine_read(path, &machine, error, sizeof error))
        fail_msg("%s", error);
    return machine;
}

#define TWO_VCPUS machine_of(SEEDS "machines/two-vcpus.json")
#define STORY_A   machine_of(SEEDS "machines/story-a-12-cores.json")
#define STORY_C   machine_of(SEEDS "machines/story-c-12-threads.json")

/* ---- programs ---- */

static Lint seed(const char *path, const char *name)
{
    const char *text = slurp(path);
    Lint lint = lint_files(&(LintFile){name, text}, 1);
    free((char *)text);
    return lint;
}

/* The warping seed with one parallel loop: `kernel` of every series of `bank` against every query,
 * where `bank` and `queries` say how they are held. */
static Lint warping(const char *kernel, const char *bank, const char *queries)
{
    const char *elastic = slurp(SEEDS "warping/elastic.py"), *gaps = slurp(SEEDS "warping/gaps.py");
    char pairs[2048];
    snprintf(pairs, sizeof pairs,
             "import numpy as np\nfrom numba import njit, prange\nfrom numba.typed import List\n"
             "from .elastic import %s\n\n\n@njit(parallel=True)\ndef table(bank, queries):\n"
             "    out = np.empty((len(bank), len(queries)))\n"
             "    for p in prange(len(bank)):\n        for q in range(len(queries)):\n"
             "            out[p, q] = %s(bank[p], queries[q])\n    return out\n\n\n"
             "def run(series, probes):\n    return table(%s, %s)\n",
             kernel, kernel, bank, queries);
    Lint lint = LINT_FILES({"warping/__init__.py", "\n"}, {"warping/elastic.py", elastic},
                           {"warping/gaps.py", gaps}, {"warping/pairs.py", pairs});
    free((char *)elastic);
    free((char *)gaps);
    return lint;
}

#define SERIES  "List(series)"
#define PROBES  "List(probes)"
#define CUBE    "np.zeros((96, 1, 128))"
#define QUERIES "np.zeros((1, 1, 128))"

/* ---- what is predicted ---- */

typedef struct Bench {
    Lint *lint;
    Machine machine;
    Findings findings;
    Pass pass;
} Bench;

static void bench_init(Bench *bench, Lint *lint, Machine machine, int threads,
                       const char *const *assumed, uint32_t count)
{
    *bench = (Bench){.lint = lint, .machine = machine};
    WorkModel *work = work_new(lint->arena, lint->program, &bench->machine, assumed, count);
    work_use_facts(work, lint->facts);
    bench->pass = (Pass){.arena = lint->arena,
                         .program = lint->program,
                         .facts = lint->facts,
                         .work = work,
                         .machine = &bench->machine,
                         .threads = threads,
                         .findings = &bench->findings};
}

static void check(Bench *bench, const char *rule)
{
    bench->pass.rule = rule_find(rule);
    assert_non_null(bench->pass.rule);
    bench->pass.rule->check(&bench->pass);
    predict_findings(&bench->findings, bench->lint->arena, &bench->machine, bench->pass.threads,
                     1.2);
}

/* The innermost loop of a function that holds no further one of its own function, last in order. */
static AstNode cell_loop(const Unit *unit, AstNode function)
{
    AstNode found = 0;
    FOR_EACH_NODE (unit->ast, node, function)
        if (ast_kind(unit->ast, node) == AST_LOOP) {
            AstNode target = loop_target(unit->ast, node);
            bool cell =
                ast_kind(unit->ast, target) == AST_NAME &&
                strcmp(intern_text(unit->ast->names, ast_at(unit->ast, target)->name), "j") == 0;
            found = cell ? node : found;
        }
    return found;
}

/* ns in which the whole team of `threads` advances by one cell of `kernel`; *slowdown as predicted,
 * 1 where nothing is found. One channel, as in the story, and sizes as they are said. */
static double cell_ns(const char *kernel, const char *bank, const char *queries, Machine machine,
                      int threads, const char *count, const char *points, double *slowdown)
{
    Lint lint = warping(kernel, bank, queries);
    char many[64], x[64], y[64];
    snprintf(many, sizeof many, "len(queries)=%s", count);
    snprintf(x, sizeof x, "x.shape[1]=%s", points);
    snprintf(y, sizeof y, "y.shape[1]=%s", points);
    const char *assumed[] = {"u.shape[0]=1", "x.shape[0]=1", many, x, y};
    Bench bench;
    bench_init(&bench, &lint, machine, threads, assumed, 5);
    check(&bench, "view-per-cell");
    FunctionId id = lint_function(&lint, kernel);
    const Unit *unit = program_function_unit(lint.program, id);
    AstNode loop = cell_loop(unit, program_function_data(lint.program, id)->node);
    double work = work_ns(bench.pass.work, unit, loop_body(unit->ast, loop));
    *slowdown = 1;
    for (uint32_t i = 0; i < bench.findings.count; i++)
        if (strcmp(bench.findings.items[i].function, kernel) == 0) {
            *slowdown = bench.findings.items[i].predicted;
            work = bench.findings.items[i].exposure.work_ns;
        }
    lint_free(&lint);
    return *slowdown * work / threads;
}

static void within_two(const char *row, double predicted, double reported)
{
    if (predicted > 2 * reported || predicted < reported / 2)
        fail_msg("%s: predicted %.3g, reported %.3g", row, predicted, reported);
}

/* ---- story a: views per cell ---- */

typedef struct Row {
    const char *name, *kernel, *bank, *queries, *count;
    double one, two; /* ns a cell, on one thread and on two */
} Row;

static void the_table_of_the_warping_seed_is_predicted_within_a_factor_of_two(void **state)
{
    (void)state;
    static const Row rows[] = {
        {"A list x list", "warp_views", SERIES, PROBES, "1", 10.2, 22.0},
        {"A list x array", "warp_views", SERIES, QUERIES, "1", 10.4, 5.2},
        {"A array x list", "warp_views", CUBE, PROBES, "1", 10.9, 16.5},
        {"A array x array", "warp_views", CUBE, QUERIES, "1", 9.4, 4.7},
        {"B list x list", "warp_written_out", SERIES, PROBES, "1", 3.8, 1.9},
        {"C list x list", "warp_indices", SERIES, PROBES, "1", 8.3, 4.1},
        {"D list x list", "warp_inlined", SERIES, PROBES, "1", 3.9, 2.0},
        {"A list x list, eight queries", "warp_views", SERIES, PROBES, "8", 11.9, 5.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *row = &rows[i];
        double slowdown;
        for (int threads = 1; threads <= 2; threads++)
            within_two(row->name,
                       cell_ns(row->kernel, row->bank, row->queries, TWO_VCPUS, threads, row->count,
                               "128", &slowdown),
                       threads == 1 ? row->one : row->two);
    }
}

static void twelve_threads_take_28_ns_a_cell_whatever_the_length(void **state)
{
    (void)state;
    static const char *const lengths[] = {"32", "64", "128", "256", "1024"};
    double first = 0, slowdown;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        double cell =
            cell_ns("warp_views", SERIES, PROBES, STORY_A, 12, "1", lengths[i], &slowdown);
        within_two(lengths[i], cell, 28);
        first = i == 0 ? cell : first;
        assert_true(fabs(cell - first) < 0.05 * first);
    }
}

static void the_variants_without_views_are_79_times_faster_on_twelve_threads(void **state)
{
    (void)state;
    double slowdown, views, other;
    views = cell_ns("warp_views", SERIES, PROBES, STORY_A, 12, "1", "128", &slowdown);
    within_two("slowdown of A", slowdown, 79);
    other = cell_ns("warp_written_out", SERIES, PROBES, STORY_A, 12, "1", "128", &slowdown);
    assert_true(slowdown == 1);
    within_two("A over B", views / other, 79);
    other = cell_ns("warp_inlined", SERIES, PROBES, STORY_A, 12, "1", "128", &slowdown);
    assert_true(slowdown == 1);
    within_two("A over D", views / other, 79);
}

/* Speed-up of A on `threads` threads over one. */
static double speed_up(Machine machine, int threads, const char *queries)
{
    double slowdown, one, all;
    one = cell_ns("warp_views", SERIES, PROBES, machine, 1, queries, "128", &slowdown);
    all = cell_ns("warp_views", SERIES, PROBES, machine, threads, queries, "128", &slowdown);
    return one / all;
}

/* Normal scaling from two or three queries on is what two threads show. Twelve at two queries are
 * at least six at one of them, so that the line of each sets the pace; with as many queries as
 * threads everybody goes alone. */
static void more_queries_spread_the_threads(void **state)
{
    (void)state;
    assert_true(speed_up(TWO_VCPUS, 2, "1") < 1);
    within_two("2 threads, 2 queries", speed_up(TWO_VCPUS, 2, "2"), 2);
    within_two("2 threads, 3 queries", speed_up(TWO_VCPUS, 2, "3"), 2);
    double one = speed_up(STORY_A, 12, "1"), two = speed_up(STORY_A, 12, "2"),
           eight = speed_up(STORY_A, 12, "8"), fifty = speed_up(STORY_A, 12, "50");
    assert_true(one < 0.5 && two >= 2 * one && eight > 2 * two && fifty > eight);
    within_two("12 threads, 50 queries", fifty, 12);
}

/* ---- story c: launches and slots ---- */

/* Time of the parallel sum of story c over that of one thread, for `numbers` numbers; at least 1:
 * what is predicted is a slowdown. */
static double launched_over_serial(Machine machine, int threads, const char *numbers)
{
    Lint lint = seed(SEEDS "item_sums.py", "item_sums.py");
    char size[64];
    snprintf(size, sizeof size, "values.shape[0]=%s", numbers);
    const char *assumed[] = {size};
    Bench bench;
    bench_init(&bench, &lint, machine, threads, assumed, 1);
    check(&bench, "too-little-work");
    double slowdown = 1;
    for (uint32_t i = 0; i < bench.findings.count; i++)
        if (strcmp(bench.findings.items[i].function, "weight") == 0)
            slowdown = bench.findings.items[i].predicted;
    lint_free(&lint);
    return slowdown;
}

static void a_parallel_sum_breaks_even_where_the_reports_say(void **state)
{
    (void)state;
    assert_true(launched_over_serial(STORY_C, 12, "10000") > 1.1);
    assert_true(launched_over_serial(STORY_C, 12, "100000") <= 1);
    assert_true(launched_over_serial(TWO_VCPUS, 2, "1000") > 1);
    assert_true(launched_over_serial(TWO_VCPUS, 2, "10000") <= 1);
}

static double rows_slowdown(Machine machine, int threads, const char *function)
{
    Lint lint = seed(SEEDS "histogram_rows.py", "histogram_rows.py");
    Bench bench;
    bench_init(&bench, &lint, machine, threads, NULL, 0);
    check(&bench, "adjacent-slots");
    double slowdown = 1;
    for (uint32_t i = 0; i < bench.findings.count; i++)
        if (strcmp(bench.findings.items[i].function, function) == 0)
            slowdown = bench.findings.items[i].predicted;
    lint_free(&lint);
    return slowdown;
}

static void packed_rows_cost_three_times_padded_ones(void **state)
{
    (void)state;
    within_two("12 threads", rows_slowdown(STORY_C, 12, "counts_packed"), 3);
    within_two("2 threads", rows_slowdown(TWO_VCPUS, 2, "counts_packed"), 3);
    assert_true(rows_slowdown(STORY_C, 12, "counts_padded") == 1);
    assert_true(rows_slowdown(TWO_VCPUS, 1, "counts_packed") == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_the_warping_seed_is_predicted_within_a_factor_of_two),
        cmocka_unit_test(twelve_threads_take_28_ns_a_cell_whatever_the_length),
        cmocka_unit_test(the_variants_without_views_are_79_times_faster_on_twelve_threads),
        cmocka_unit_test(more_queries_spread_the_threads),
        cmocka_unit_test(a_parallel_sum_breaks_even_where_the_reports_say),
        cmocka_unit_test(packed_rows_cost_three_times_padded_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
