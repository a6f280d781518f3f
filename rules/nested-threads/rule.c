/* Two layers that each start a team for the whole machine: regions in regions, threaded libraries
 * in regions, pools whose workers do threaded work, two runtimes in one process. */
#include "analyzer/pass.h"

#include <math.h>
#include <string.h>

/* Threads a core that are said to meet: the inner teams run one beside the other as well as the
 * outer one; two is the least that it comes to. Teams of BLAS and of kernels meet every 20 us. */
#define THREADS_PER_CORE 2
#define MEETING_NS       20e3

/* How often they meet is known of a region, whose end is a meeting, and said to be so often of
 * teams that live on. */
static void add(Pass *pass, Finding *finding, const char *fix)
{
    bool region = finding->exposure.launches > 0;
    finding->exposure.events = THREADS_PER_CORE;
    if (!region)
        finding->exposure.work_ns = MEETING_NS;
    finding->exposure.threads = pass->threads;
    finding->assumed = region ? "two threads a core, which are started for every inner region"
                              : "two threads a core, which meet every 20 us";
    LIST_PUSH(pass->arena, &finding->fixes, (Fix){.description = fix});
    pass_add(pass, finding);
}

/* ---- C: inside parallel constructs ---- */

static bool concerns(const Pass *pass, const Event *event)
{
    const Effect *origin = event->origin;
    const Unit *unit = program_function_unit(pass->program, origin->function);
    if (event->effect->kind != EFFECT_LAUNCH || event->once || event->rare)
        return false;
    if (ast_kind(unit->ast, origin->node) == AST_CALL)
        return threads_library_team(pass->facts, unit, origin->node);
    const AstNode body = program_function_data(pass->program, origin->function)->node;
    return threads_nesting_on(pass->facts, event->root, origin->function) &&
           !threads_team_is_sized(pass->facts, unit, origin->node) &&
           !threads_sets_team(pass->facts, event->root, event->construct) &&
           (origin->function == event->root ||
            !threads_sets_team(pass->facts, origin->function, body));
}

/* MKL, and OpenBLAS and FFTW on OpenMP threads, see the region around them and stay on one thread;
 * on pthreads they see nothing. Threads that the program started itself are seen by neither. */
static void say_which_library(const Pass *pass, const Event *event, Finding *finding)
{
    const Ast *ast = program_function_unit(pass->program, event->root)->ast;
    if (ast_kind(ast, event->construct) == AST_CALL)
        return;
    finding->message = arena_printf(
        pass->arena, "%s, unless the library is MKL or built with OpenMP", finding->message);
    finding->unless = "the library is MKL or built with OpenMP";
}

/* Behind a macro too, whose use is no name for it. */
static const char *called(const Pass *pass, const Unit *unit, AstNode call)
{
    AstNode callee = ast_first(unit->ast, call);
    Name name = ast_at(unit->ast, callee)->name;
    return name != 0 ? intern_text(pass->program->names, name) : pass_text_at(pass, unit, callee);
}

static void report_event(Pass *pass, const Event *event)
{
    const Effect *origin = event->origin;
    const Unit *unit = program_function_unit(pass->program, origin->function);
    bool library = ast_kind(unit->ast, origin->node) == AST_CALL;
    Finding finding = pass_finding(pass, event, origin->function, origin->node, origin->node);
    const char *name = library ? called(pass, unit, origin->node) : "the inner region";
    finding.what = arena_printf(pass->arena, "team of %s", name);
    finding.message = arena_printf(
        pass->arena,
        "%s starts a team for the whole machine %s, on every thread of a team that already has "
        "it: the threads outnumber the cores and wait for each other",
        name,
        finding.loops.count > 0
            ? arena_printf(pass->arena, "in every iteration of %s", pass_loops(pass, &finding))
            : "in every thread");
    if (library) {
        say_which_library(pass, event, &finding);
        pass_cause_calls(event, name, &finding);
    } else {
        finding.exposure.launches = 1;
        finding.exposure.work_ns = fmin(work_ns(pass->work, unit, origin->node), MEETING_NS);
    }
    add(pass, &finding,
        library ? "limit the library to one thread in there (openblas_set_num_threads, "
                  "mkl_set_num_threads_local), or let it alone be parallel"
                : "leave nesting off, or size both teams: num_threads on either, their product the "
                  "number of cores");
}

/* ---- Python ---- */

static void report_pool(Pass *pass, const Unit *unit, AstNode call, const NestedTeam *nested)
{
    Finding finding = pass_finding_at(pass, unit, call, call);
    const char *pool = pass_text_at(pass, unit, ast_first(unit->ast, call));
    finding.what = arena_printf(pass->arena, "%s in workers", nested->what);
    finding.message = arena_printf(pass->arena,
                                   "every worker of this %s runs %s, which starts a team for the "
                                   "whole machine: workers times cores threads share the cores",
                                   pool, nested->what);
    LIST_PUSH(pass->arena, &finding.related,
              pass_step(nested->unit, nested->node, "a worker starts its team here"));
    add(pass, &finding,
        nested->numba ? "share the cores out: numba.set_num_threads(cores // workers) in the "
                        "initializer of the workers"
                      : "share the cores out in the workers: threadpoolctl.threadpool_limits or "
                        "torch.set_num_threads(cores // workers)");
}

static void report_session(Pass *pass, const Unit *unit, AstNode call, const NestedTeam *nested)
{
    Finding finding = pass_finding_at(pass, unit, call, call);
    const char *name = pass_text_at(pass, unit, ast_first(unit->ast, call));
    finding.what = arena_printf(pass->arena, "%s beside %s", name, nested->what);
    finding.message = arena_printf(pass->arena,
                                   "%s starts threads for every core, and so does %s in the same "
                                   "process; whichever waits spins on the cores the other needs",
                                   name, nested->what);
    LIST_PUSH(pass->arena, &finding.related,
              pass_step(nested->unit, nested->node, "the other team runs here"));
    add(pass, &finding,
        "give each its share: SessionOptions.intra_op_num_threads (openvino: "
        "INFERENCE_NUM_THREADS) and torch.set_num_threads, together the number of cores");
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++)
        if (concerns(pass, facts_event(pass->facts, i)))
            report_event(pass, facts_event(pass->facts, i));
    for (uint32_t i = 0; i < pass->program->unit_count; i++) {
        const Unit *unit = pass->program->units[i];
        for (AstNode node = 1; node < unit->ast->nodes.count; node++) {
            NestedTeam nested;
            if (ast_kind(unit->ast, node) != AST_CALL || unit->language != LANGUAGE_PYTHON)
                continue;
            if (threads_nested_pool(pass->facts, unit, node, &nested))
                report_pool(pass, unit, node, &nested);
            else if (threads_second_runtime(pass->facts, unit, node, &nested))
                report_session(pass, unit, node, &nested);
        }
    }
}

const Rule rule_nested_threads = {
    .id = "nested-threads",
    .summary = "two layers each start a team for the whole machine",
    .help = "A pool or a region runs work that starts a team for every core itself: threads "
            "outnumber the cores, and those that wait at a barrier hold the cores the others need. "
            "Share the cores out between the layers.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_oversubscription,
};
