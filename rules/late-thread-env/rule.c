/* Variables of thread libraries that are set in the environment after these have read it. */
#include "analyzer/pass.h"

#include <string.h>

/* The team stays as large as the machine where it was to be smaller: as in host-cpu-count. */
#define WORKERS_PER_CORE 2
#define MEETING_NS       100e3

static const char *message_of(const Pass *pass, const LateSetting *late)
{
    if (late->loaded)
        return arena_printf(pass->arena,
                            "%s is set by the program itself: libgomp reads the environment when "
                            "it is loaded, before main, and does not see it; libomp does, up to "
                            "the first region",
                            late->variable);
    if (late->reader_unit->language != LANGUAGE_PYTHON)
        return arena_printf(pass->arena,
                            "%s is set after a parallel region has run: the runtime has read the "
                            "environment long before, and keeps its team",
                            late->variable);
    const Ast *ast = late->reader_unit->ast;
    const char *module =
        intern_text(pass->program->names, ast_at(ast, ast_first(ast, late->reader))->name);
    if (late->raises)
        return arena_printf(pass->arena,
                            "%s is set after %s was imported: numba has sized its pool by then, "
                            "and the next compilation raises once the pool runs",
                            late->variable, module);
    return arena_printf(pass->arena,
                        "%s is set after %s was imported, which has read the environment by then: "
                        "it has no effect in this process",
                        late->variable, module);
}

static Fix fix_of(const LateSetting *late, bool python)
{
    if (python && late->raises)
        return (Fix){.description = "set it before the import, or call numba.set_num_threads"};
    if (python)
        return (Fix){.description = "set it before the import, or limit the pools that run with "
                                    "threadpoolctl.threadpool_limits, torch.set_num_threads"};
    if (strcmp(late->variable, "OMP_NUM_THREADS") == 0)
        return (Fix){.description = "call omp_set_num_threads, or use a num_threads clause"};
    return (Fix){.description = "set it in the script that starts the program"};
}

static void report(Pass *pass, const Unit *unit, AstNode node, const LateSetting *late)
{
    bool python = unit->language == LANGUAGE_PYTHON;
    Finding finding = pass_finding_at(pass, unit, node, node);
    finding.what = arena_printf(pass->arena, "late %s", late->variable);
    finding.message = message_of(pass, late);
    finding.note_only = late->loaded;
    finding.assumed = "the team was to be half as large, and meets every 100 us";
    finding.exposure.events = WORKERS_PER_CORE;
    finding.exposure.work_ns = MEETING_NS;
    if (late->reader != 0)
        LIST_PUSH(pass->arena, &finding.related,
                  pass_step(late->reader_unit, late->reader,
                            python ? "imported here" : "a parallel region runs here"));
    LIST_PUSH(pass->arena, &finding.fixes, fix_of(late, python));
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < pass->program->unit_count; i++) {
        const Unit *unit = pass->program->units[i];
        for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
            LateSetting late;
            AstKind kind = ast_kind(unit->ast, node);
            if ((kind == AST_CALL || kind == AST_ASSIGN) &&
                threads_late_setting(pass->facts, unit, node, &late))
                report(pass, unit, node, &late);
        }
    }
}

const Rule rule_late_thread_env = {
    .id = "late-thread-env",
    .summary = "a thread variable is set in the environment after the library has read it",
    .help =
        "Thread libraries read OMP_NUM_THREADS and its kin once, when they are loaded. Set "
        "later, it has no effect, and the team stays as large as the machine. Set it before the "
        "import, or call the library's own function.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_oversubscription,
};
