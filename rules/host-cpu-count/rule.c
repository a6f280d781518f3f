/* Teams and pools that are sized by the processors of the machine instead of those that the
 * process may use. */
#include "analyzer/pass.h"

#include <string.h>

/* Half of the machine, as a container or an affinity mask gives it: two workers a core, which meet
 * every 100 us. */
#define WORKERS_PER_CORE 2
#define MEETING_NS       100e3

/* The name under which the module has `os`, if it is its own. */
static bool imports_os(const Pass *pass, const Unit *unit)
{
    for (AstSymbol symbol = 1; symbol < unit->ast->symbols.count; symbol++) {
        const AstSymbolData *data = &unit->ast->symbols.items[symbol];
        if (data->function == 0 && data->qualified != 0 &&
            strcmp(intern_text(pass->program->names, data->name), "os") == 0 &&
            strcmp(intern_text(pass->program->names, data->qualified), "os") == 0)
            return true;
    }
    return false;
}

/* sched_getaffinity is there on Linux only. */
static bool names_platforms(const Pass *pass, const Unit *unit)
{
    static const char *const signs[] = {"sys.platform", "os.name",         "darwin", "win32",
                                        "Windows",      "platform.system", "nt"};
    for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
        const AstNodeData *data = ast_at(unit->ast, node);
        if (data->kind != AST_NAME && data->kind != AST_STRING)
            continue;
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
            if (strcmp(intern_text(pass->program->names, data->name), signs[i]) == 0)
                return true;
    }
    return false;
}

static Fix fix_of(const Pass *pass, const Unit *unit, AstNode call)
{
    if (unit->language != LANGUAGE_PYTHON)
        return (Fix){.description = "count the processors of the mask: sched_getaffinity(0, sizeof "
                                    "mask, &mask), then CPU_COUNT(&mask)"};
    bool os = imports_os(pass, unit);
    Fix fix = {.description = "count the processors this process may use: "
                              "len(os.sched_getaffinity(0)); from Python 3.13 on, "
                              "os.process_cpu_count()",
               .safe = os && !names_platforms(pass, unit)};
    if (os)
        pass_edit_at(pass, &fix, unit, call, "len(os.sched_getaffinity(0))");
    return fix;
}

static void report(Pass *pass, const Unit *unit, AstNode call, const TeamSize *use)
{
    Finding finding = pass_finding_at(pass, unit, call, call);
    const char *query = pass_text_at(pass, unit, call);
    finding.what = arena_printf(pass->arena, "%s as a number of threads", query);
    finding.message = arena_printf(
        pass->arena,
        "%s counts the processors of the machine and sizes %s: under an affinity mask or in a "
        "container that gives fewer, the workers outnumber the cores and wait for each other",
        query, use->what);
    finding.assumed = "half of the machine's cores can be used, and the threads meet every 100 us";
    finding.note_only = pass_is_test(unit); /* compares with the count, or nobody waits for it */
    finding.exposure.events = WORKERS_PER_CORE;
    finding.exposure.work_ns = MEETING_NS;
    if (use->unit != unit || use->node != call)
        LIST_PUSH(pass->arena, &finding.related,
                  pass_step(use->unit, use->node, "the count arrives here"));
    LIST_PUSH(pass->arena, &finding.fixes, fix_of(pass, unit, call));
    pass_add(pass, &finding);
}

/* One member of a team that fits does its part of what one thread does here. */
static void report_alone(Pass *pass, const Unit *unit, AstNode call, const TeamSize *use)
{
    Finding finding = pass_finding_at(pass, unit, call, call);
    bool construct = ast_kind(use->unit->ast, use->node) != AST_CALL;
    finding.what = "team of one";
    finding.message =
        arena_printf(pass->arena,
                     "omp_get_num_threads() tells the size of the team that runs, which is 1 "
                     "outside of every region: %s gets one thread",
                     use->what);
    finding.exposure.events = 1.0 / pass->threads;
    finding.exposure.work_ns = MEETING_NS;
    if (construct) {
        finding.exposure.work_ns = work_ns(pass->work, use->unit, use->node) / pass->threads;
        pass_assume(pass, &finding, pass->work, use->unit, use->node);
    } else {
        finding.assumed = "the threads of those regions meet every 100 us";
    }
    LIST_PUSH(pass->arena, &finding.related, pass_step(use->unit, use->node, "its size is set"));
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = "leave the size alone, which is then all processors that the "
                                   "process may use, or ask omp_get_max_threads()"});
    pass_add(pass, &finding);
}

/* min(os.cpu_count(), 4): no more than the half of the machine that is assumed to be left. */
static bool is_bounded(const Pass *pass, const TeamSize *use)
{
    return use->most > 0 && use->most * WORKERS_PER_CORE <= pass->threads;
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < pass->program->unit_count; i++) {
        const Unit *unit = pass->program->units[i];
        for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
            TeamSize use;
            if (ast_kind(unit->ast, node) != AST_CALL)
                continue;
            if (threads_host_count(pass->facts, unit, node, &use) && !is_bounded(pass, &use))
                report(pass, unit, node, &use);
            else if (threads_team_of_one(pass->facts, unit, node, &use))
                report_alone(pass, unit, node, &use);
        }
    }
}

const Rule rule_host_cpu_count = {
    .id = "host-cpu-count",
    .summary = "a team or pool is sized by the processors of the machine, not by those it may use",
    .help = "os.cpu_count(), sysconf and get_nprocs ignore affinity masks and container limits. "
            "Where those give fewer cores, threads outnumber them and wait for each other. Ask for "
            "the processors of the mask.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_oversubscription,
};
