#include "analyzer/driver.h"

#include "analyzer/changed.h"
#include "analyzer/collect.h"
#include "analyzer/frontend.h"
#include "analyzer/interrupt.h"
#include "analyzer/number/predict.h"
#include "analyzer/parse.h"
#include "analyzer/pass.h"
#include "analyzer/profile.h"
#include "analyzer/progress.h"
#include "analyzer/report/baseline.h"
#include "analyzer/report/escape.h"
#include "analyzer/report/fix.h"
#include "analyzer/report/report.h"
#include "analyzer/rewrite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum {
    EXIT_AGAIN = -1,
    EXIT_SIGNALLED = 128,
    /* and the signal, as shells have it */ MOST_FIX_ROUNDS = 8
};

typedef struct Run {
    Arena *arena;
    const Options *options;
    Collected collected;
    Parsed parsed;
    Profile profile;
    RunReport report;
    uint32_t fixed;
    bool trouble; /* exit status 2 */
    int signal;   /* that ended measuring; 0 none */
} Run;

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void complain(Run *run, const char *path, const char *what)
{
    Text text = {0};
    escape_terminal(&text, path, strlen(path));
    fprintf(stderr, "ponglint: error: %s: %s: %s\n", text_string(&text), what, strerror(errno));
    text_free(&text);
    run->trouble = true;
}

/* ---- the terminal ---- */

static bool environment_says(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0';
}

/* Whether a line can be written over: a terminal, and one that knows how. */
static bool moves_on(FILE *out)
{
    const char *kind = getenv("TERM");
    return isatty(fileno(out)) && kind != NULL && strcmp(kind, "dumb") != 0;
}

static ReportStyle style_for(const Options *options, FILE *out)
{
    ReportStyle style = {0};
    struct winsize size;
    bool terminal = isatty(fileno(out));
    if (terminal && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        style.width = size.ws_col;
    style.colour = options->colour == COLOUR_ALWAYS;
    if (options->colour == COLOUR_AUTO && !environment_says("NO_COLOR")) {
        const char *kind = getenv("TERM");
        style.colour = environment_says("FORCE_COLOR") ||
                       (terminal && (kind == NULL || strcmp(kind, "dumb") != 0));
    }
    style.links = terminal && style.colour;
    return style;
}

/* ---- facts, rules, numbers ---- */

static void check_rules(Run *run, const Program *program)
{
    const Options *options = run->options;
    WorkModel *work = work_new(run->arena, program, &run->profile.machine, options->assumed.items,
                               options->assumed.count);
    Pass pass = {
        .arena = run->arena,
        .program = program,
        .facts = facts_new(run->arena, program),
        .work = work,
        .machine = &run->profile.machine,
        .threads = run->report.threads,
        .findings = &run->report.findings,
    };
    work_use_facts(work, pass.facts);
    for (unsigned i = 0; i < rule_count; i++) {
        pass.rule = rule_table[i];
        if (options_rule_on(options, pass.rule) && pass.rule->check != NULL)
            pass.rule->check(&pass);
    }
    pass_close(&pass);
}

/* A file that is asked for as a page gets the curves that it draws. */
static bool wants_curves(const Options *options)
{
    for (uint32_t i = 0; i < options->outputs.count; i++)
        if (options->outputs.items[i].format == OUTPUT_HTML)
            return true;
    return false;
}

static void measure(Run *run)
{
    const Options *options = run->options;
    ReportStyle style = style_for(options, stderr);
    Progress progress = {.out = stderr, .width = style.width, .colour = style.colour};
    Interrupt interrupt;
    VerdictOptions verdict = {
        .kernel_of = rule_kernel,
        .machine = &run->profile.machine,
        .target = run->profile.target,
        .mode = options->measure,
        .budget_seconds = options->measure_seconds,
        .threads = run->report.threads,
        .threads_given = options->threads > 0,
        .store_path = options->isolated || options->no_cache ? NULL
                                                             : verdict_store_path(run->arena),
        .other_machine = run->profile.other_machine,
        .min_slowdown = options->min_slowdown,
        .scaling = wants_curves(options),
        .shown = options->shown,
        .stop = &interrupt.stop,
        .progress = moves_on(stderr) && !options->quiet ? progress_show : NULL,
        .data = &progress,
    };
    interrupt_begin(&interrupt);
    run->report.measurable_left = verdict_measure(&run->report.findings, run->arena, &verdict);
    interrupt_end(&interrupt);
    run->signal = atomic_load(&interrupt.signal);
    run->report.interrupted = run->signal != 0;
}

static bool rule_is_on(const Rule *rule, void *data)
{
    return options_rule_on(data, rule);
}

static void say_what_is_left(Run *run)
{
    RunReport *report = &run->report;
    unsigned left = report->measurable_left;
    const char *message = NULL;
    if (report->interrupted)
        message = arena_printf(run->arena,
                               "interrupted: %u measurement%s left out; those that were made are "
                               "kept",
                               left, left == 1 ? " was" : "s were");
    else if (left > 0)
        message = arena_printf(run->arena,
                               "%u findings were not measured for want of time; "
                               "--measure-budget gives more",
                               left);
    if (message != NULL)
        LIST_PUSH(
            run->arena, &report->notes,
            (Notification){report->interrupted ? SEVERITY_WARNING : SEVERITY_NOTE, "", 0, message});
}

static void count_up(Run *run)
{
    RunReport *report = &run->report;
    for (uint32_t i = 0; i < report->findings.count; i++) {
        const Finding *finding = &report->findings.items[i];
        report->suppressed += finding->suppressed && !finding->baselined && !finding->unchanged;
        report->baselined += finding->baselined;
        report->refuted += report_shows(report, finding) && !report_stands(report, finding);
    }
    say_what_is_left(run);
}

/* An error of the baseline is said at once and makes the run fail; nothing is hidden then. */
static void use_baseline(Run *run)
{
    const Options *options = run->options;
    Text text = {0};
    if (options->update_baseline) {
        baseline_text(&run->report, &text);
        FILE *file = fopen(options->baseline, "w");
        bool good = file != NULL && fwrite(text.bytes, 1, text.length, file) == text.length;
        if (file == NULL || fclose(file) != 0 || !good)
            complain(run, options->baseline, "cannot be written");
    }
    text.length = 0;
    if (options->baseline != NULL && !run->trouble &&
        !baseline_hide(&run->report, options->baseline, &text)) {
        fprintf(stderr, "ponglint: error: %s\n", text_string(&text));
        run->trouble = true;
    }
    text_free(&text);
}

static void use_change(Run *run)
{
    const Options *options = run->options;
    const char *start = options->paths.items[0];
    Text error = {0};
    if ((options->staged || options->diff_base != NULL) &&
        !changed_only(&run->report, run->arena,
                      strcmp(start, "-") == 0 ? options->stdin_name : start, options->diff_base,
                      &error)) {
        fprintf(stderr, "ponglint: error: %s\n", text_string(&error));
        run->trouble = true;
    }
    text_free(&error);
}

static void analyse(Run *run)
{
    RunReport *report = &run->report;
    Program *program = program_new(run->arena, run->parsed.units, run->parsed.unit_count);
    parse_link(&run->parsed, program);
    check_rules(run, program);
    findings_finish(&report->findings, run->arena);
    predict_findings(&report->findings, run->arena, &run->profile.machine, report->threads,
                     run->options->min_slowdown);
    measure(run);
    suppress(report, run->arena, run->parsed.units, run->parsed.unit_count, rule_is_on,
             (void *)run->options);
    use_change(run);
    use_baseline(run);
    count_up(run);
}

/* ---- notifications ---- */

static int compare_notes(const void *left, const void *right)
{
    const Notification *a = left, *b = right;
    int order = strcmp(a->path, b->path);
    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    return order != 0 ? order : strcmp(a->message, b->message);
}

static void take_notes(Run *run, const Notifications *notes)
{
    for (uint32_t i = 0; i < notes->count; i++) {
        LIST_PUSH(run->arena, &run->report.notes, notes->items[i]);
        run->trouble = run->trouble || notes->items[i].level == SEVERITY_ERROR;
    }
}

/* Sorts, and says what several files ran into (a header that is missing) once. */
static void gather_notes(Run *run)
{
    Notifications *notes = &run->report.notes;
    take_notes(run, &run->collected.notes);
    take_notes(run, &run->parsed.notes);
    for (uint32_t i = 0; i < run->parsed.unit_count; i++)
        take_notes(run, &run->parsed.units[i]->notes);
    if (notes->count > 0)
        qsort(notes->items, notes->count, sizeof *notes->items, compare_notes);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < notes->count; i++)
        if (kept == 0 || compare_notes(&notes->items[kept - 1], &notes->items[i]) != 0)
            notes->items[kept++] = notes->items[i];
    notes->count = kept;
}

/* ---- outputs ---- */

static void print_report(const Run *run, OutputFormat format, FILE *out)
{
    ReportStyle style = style_for(run->options, out);
    switch (format) {
    case OUTPUT_FULL:
        report_full(&run->report, &style, out);
        break;
    case OUTPUT_CONCISE:
        report_concise(&run->report, &style, out);
        break;
    case OUTPUT_JSON:
        report_json(&run->report, out);
        break;
    case OUTPUT_SARIF:
        report_sarif(&run->report, out);
        break;
    case OUTPUT_GITHUB:
        report_github(&run->report, out);
        break;
    case OUTPUT_HTML:
        report_html(&run->report, out);
        break;
    }
}

/* The table for the page of a GitHub Actions job, where the runner asks for it. */
static void write_step_summary(const Run *run)
{
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    FILE *file = path != NULL && *path != '\0' ? fopen(path, "a") : NULL;
    if (file == NULL)
        return;
    report_github_summary(&run->report, file);
    fclose(file);
}

static void write_output(Run *run, const Output *output)
{
    FILE *out = output->path != NULL ? fopen(output->path, "w") : stdout;
    if (out == NULL) {
        complain(run, output->path, "cannot be written");
        return;
    }
    print_report(run, output->format, out);
    if (output->format == OUTPUT_GITHUB)
        write_step_summary(run);
    bool failed = fflush(out) != 0 || ferror(out) != 0;
    if (output->path != NULL)
        failed = fclose(out) != 0 || failed;
    if (failed)
        complain(run, output->path != NULL ? output->path : "standard output", "cannot be written");
}

static void write_outputs(Run *run)
{
    const Options *options = run->options;
    const Output usual = {isatty(STDOUT_FILENO) ? OUTPUT_FULL : OUTPUT_CONCISE, NULL};
    if (options->outputs.count == 0)
        write_output(run, &usual);
    for (uint32_t i = 0; i < options->outputs.count; i++)
        write_output(run, &options->outputs.items[i]);
    ReportStyle style = style_for(options, stderr);
    report_notes(&run->report, &style, options->quiet ? SEVERITY_ERROR : SEVERITY_WARNING, stderr);
    if (options->statistics)
        report_statistics(&run->report, &style, stderr);
    if (!options->quiet)
        report_summary(&run->report, &style, stderr);
}

static int dump_units(Run *run)
{
    for (uint32_t i = 0; i < run->parsed.unit_count; i++) {
        Text text = {0};
        if (run->options->dump == DUMP_TREE)
            ast_dump(run->parsed.units[i], &text);
        else
            ast_dump_loops(run->parsed.units[i], &text);
        fwrite(text_string(&text), 1, text.length, stdout);
        text_free(&text);
    }
    gather_notes(run);
    ReportStyle style = style_for(run->options, stderr);
    report_notes(&run->report, &style, SEVERITY_NOTE, stderr);
    return run->trouble ? EXIT_TROUBLE : EXIT_CLEAN;
}

/* ---- fixes ---- */

static void choose_fixes(Run *run, FixedFiles *files)
{
    run->fixed =
        fix_choose(&run->report, run->arena, run->parsed.units, run->parsed.unit_count, files);
}

static int print_patch(Run *run)
{
    FixedFiles files = {0};
    Text patch = {0};
    choose_fixes(run, &files);
    for (uint32_t i = 0; i < files.count; i++)
        fix_diff(&files.items[i], &patch);
    if (fwrite(text_string(&patch), 1, patch.length, stdout) != patch.length || fflush(stdout) != 0)
        complain(run, "standard output", "cannot be written");
    text_free(&patch);
    gather_notes(run);
    ReportStyle style = style_for(run->options, stderr);
    report_notes(&run->report, &style, run->options->quiet ? SEVERITY_ERROR : SEVERITY_WARNING,
                 stderr);
    if (!run->options->quiet)
        fprintf(stderr, "%u finding%s would be fixed in %u file%s\n", (unsigned)run->fixed,
                run->fixed == 1 ? "" : "s", (unsigned)files.count, files.count == 1 ? "" : "s");
    if (run->signal != 0)
        return EXIT_SIGNALLED + run->signal;
    return run->trouble ? EXIT_TROUBLE : files.count > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
}

/* Makes the safe fixes in the files; whether any file was changed. */
static bool make_fixes(Run *run)
{
    FixedFiles files = {0};
    bool changed = false;
    choose_fixes(run, &files);
    for (uint32_t i = 0; i < files.count; i++) {
        Text text = {0};
        const Source *source = files.items[i].source;
        fix_apply(&files.items[i], &text);
        const char *why = rewrite_file(run->arena, source, text_string(&text), text.length);
        if (why != NULL)
            LIST_PUSH(run->arena, &run->report.notes,
                      (Notification){SEVERITY_ERROR, source->path, 0, why});
        run->trouble = run->trouble || why != NULL;
        changed = changed || why == NULL;
        text_free(&text);
    }
    return changed;
}

/* ---- the run ---- */

static int exit_status(const Run *run)
{
    const Findings *findings = &run->report.findings;
    if (run->signal != 0)
        return EXIT_SIGNALLED + run->signal;
    if (run->trouble)
        return EXIT_TROUBLE;
    for (uint32_t i = 0; i < findings->count; i++) {
        const Finding *finding = &findings->items[i];
        if (!finding->suppressed && finding->measured.verdict != VERDICT_REFUTED &&
            (int)finding->severity >= run->options->fail_on)
            return EXIT_FINDINGS;
    }
    return EXIT_CLEAN;
}

static bool set_machine(Run *run)
{
    Text error = {0};
    RunReport *report = &run->report;
    const Options *options = run->options;
    bool good =
        profile_choose(&run->profile, run->arena, options->machine, options->isolated, &error);
    if (!good)
        fprintf(stderr, "ponglint: error: %s\n", text_string(&error));
    text_free(&error);
    if (run->profile.stale != NULL)
        LIST_PUSH(run->arena, &report->notes,
                  (Notification){SEVERITY_NOTE, run->profile.stale, 0,
                                 "this profile is another processor's, so that predictions are for "
                                 "'generic': 'ponglint calibrate' measures this one"});
    report->machine_name = run->profile.machine.name;
    report->machine_cpu = run->profile.machine.cpu;
    report->machine_threads = run->profile.machine.threads;
    report->threads = options->threads > 0 ? options->threads : run->profile.machine.threads;
    return good;
}

/* One look at the files. EXIT_AGAIN: fixes were made, look again. */
static int check(Run *run, bool may_fix)
{
    const Options *options = run->options;
    CollectOptions collect_options = {options->excluded.items, options->excluded.count,
                                      options->exclude_root};
    double start = now_seconds();
    if (!set_machine(run))
        return EXIT_TROUBLE;
    collect(run->arena, options->paths.items, options->paths.count, &collect_options,
            &run->collected);
    parse_all(&run->parsed, run->arena, options, run->collected.files.items,
              run->collected.files.count);
    if (options->dump != DUMP_NOTHING)
        return dump_units(run);
    run->report.files = run->parsed.unit_count;
    analyse(run);
    if (options->diff)
        return print_patch(run);
    if (options->fix && may_fix && run->signal == 0 && make_fixes(run) && !run->trouble)
        return EXIT_AGAIN;
    gather_notes(run);
    run->report.seconds = now_seconds() - start;
    write_outputs(run);
    return exit_status(run);
}

static int run_once(const Options *options, bool may_fix, uint32_t *fixed)
{
    Run run = {
        .arena = arena_new(),
        .options = options,
        .report = {.shown = options->shown,
                   .rules = rule_table,
                   .pages = rule_pages,
                   .rule_count = rule_count},
    };
    char *working = realpath(".", NULL);
    run.report.working = working != NULL ? arena_printf(run.arena, "%s/", working) : "";
    free(working);
    int status = check(&run, may_fix);
    *fixed += status == EXIT_AGAIN ? run.fixed : 0;
    parse_free(&run.parsed);
    arena_free(run.arena);
    return status;
}

/* After a fix the files are looked at again: a fix may make room for another, and line numbers have
 * moved. */
int driver_run(const Options *options)
{
    uint32_t fixed = 0;
    int status = run_once(options, true, &fixed);
    for (int round = 1; status == EXIT_AGAIN; round++)
        status = run_once(options, round < MOST_FIX_ROUNDS, &fixed);
    if (options->fix && !options->quiet)
        fprintf(stderr, "%u finding%s fixed\n", (unsigned)fixed, fixed == 1 ? "" : "s");
    return status;
}
