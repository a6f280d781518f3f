/* Teams that are started again and again by a serial loop, for little work each time. */
#include "analyzer/pass.h"

#include <math.h>

enum { AGAIN_AND_AGAIN = 8, ROW = 1000, NEIGHBOURS = 16 };

/* One iteration of a parallel loop that would have to run for tens of thousands of them. */
#define NEXT_TO_NOTHING_NS 20.0
#define LITTLE_NS          100.0

/* ns of one turn of the serial loop beside the construct. */
static double beside(const Pass *pass, const Construct *construct, const Launch *launch)
{
    AstNode body = loop_body(launch->unit->ast, launch->loops[0]);
    double all = body == 0 ? 0 : pass_likely(pass, launch->around, launch->unit, body);
    double own = pass_likely(pass, launch->chain, construct->unit, construct->node);
    return fmax(0, all - own);
}

/* Work of a launch whose length nobody knows, where the loops around it leave no doubt: one per
 * pair of items, per entry of a queue, per row of a sparse matrix. INFINITY elsewhere. */
static double assumed_work(const Pass *pass, const Construct *construct, const Launch *launch,
                           double *trips)
{
    const Ast *ast = construct->unit->ast;
    *trips = launch->ragged ? NEIGHBOURS : ROW;
    if (ast_kind(ast, construct->node) != AST_LOOP)
        return INFINITY;
    double most = launch->ragged || launch->worklist ? LITTLE_NS : NEXT_TO_NOTHING_NS;
    bool known;
    work_trips(pass->work, launch->unit, launch->loops[0], &known);
    if (!launch->ragged && !launch->worklist && (launch->item_loops < 2 || known))
        return INFINITY;
    double each = pass_bound(pass, launch->chain, construct->unit, loop_body(ast, construct->node));
    return each <= most ? *trips * each : INFINITY;
}

static bool is_python(const Unit *unit)
{
    return unit->language == LANGUAGE_PYTHON;
}

/* From the serial loop down to the construct. */
static void trace(const Pass *pass, const Construct *construct, const Launch *launch,
                  Finding *finding)
{
    AstNode loop = launch->loops[0];
    LIST_PUSH(pass->arena, &finding->trace,
              pass_step(launch->unit, loop,
                        arena_printf(pass->arena, "serial loop over %s",
                                     pass_loop_name(pass, launch->unit, loop))));
    const CallChain *steps[8];
    uint32_t count = 0;
    for (const CallChain *at = launch->chain; at != launch->around && count < 8; at = at->outer)
        steps[count++] = at;
    while (count-- > 0)
        LIST_PUSH(pass->arena, &finding->trace,
                  pass_step(steps[count]->unit, steps[count]->call,
                            arena_printf(pass->arena, "calls %s",
                                         pass_function_name(pass, steps[count]->callee))));
    if (is_python(construct->unit))
        LIST_PUSH(pass->arena, &finding->related,
                  pass_step(construct->unit, construct->node, "the prange that starts the team"));
}

static void describe(const Pass *pass, const Construct *construct, const Launch *launch, double ns,
                     Finding *finding)
{
    for (uint32_t i = launch->loop_count; i-- > 0;)
        LIST_PUSH(pass->arena, &finding->loops,
                  pass_loop_name(pass, launch->unit, launch->loops[i]));
    finding->per = launch->items ? "item" : "turn";
    finding->what = "launch of a team";
    finding->message = arena_printf(
        pass->arena,
        "%s starts a team of threads once per turn of the serial loop over %s, for at most %.3g ns "
        "of work: the launch takes about %.2g ns on %d threads",
        is_python(construct->unit)
            ? (launch->at == construct->node ? "this prange" : "this call")
            : (ast_kind(construct->unit->ast, construct->node) == AST_LOOP ? "this parallel loop"
                                                                           : "this region"),
        pass_loops(pass, finding), ns, curve_at(&pass->machine->launch_ns, pass->threads),
        pass->threads);
    LIST_PUSH(pass->arena, &finding->fixes,
              (Fix){.description = launch->items
                                       ? "make the outer loop the parallel one"
                                       : (is_python(construct->unit)
                                              ? "leave this loop serial, or choose by size"
                                              : "open one region around the serial loop, with a "
                                                "worksharing loop inside, or add an if clause")});
}

/* What a call of a parallel function of numba costs beside the OpenMP runtime's part: shares are
 * dealt out and a wrapper is called; from the interpreter arguments are looked at and unboxed
 * first. Measured with numba 0.56.4 on two virtual cores, where libgomp's launch takes 1.0 us: 1.9
 * us from compiled code, 2.3 to 2.6 from the interpreter. */
#define NUMBA_LAUNCH_NS   700
#define NUMBA_DISPATCH_NS 700

static double launch_overhead(const Pass *pass, const Construct *construct, const Launch *launch)
{
    if (!is_python(construct->unit))
        return 0;
    FunctionId caller = program_function(pass->program, launch->unit,
                                         ast_function_of(launch->unit->ast, launch->at));
    bool compiled = caller != 0 &&
                    (program_function_data(pass->program, caller)->flags & FN_COMPILED) != 0;
    return NUMBA_LAUNCH_NS + (compiled ? 0 : NUMBA_DISPATCH_NS);
}

/* Where each turn needs the last, one thread alone is faster than a team that meets after each
 * turn, if the work is little; a larger team loses more yet. */
static ExposureSharing sharing_of(const Pass *pass, const Launch *launch, double ns)
{
    if (launch->items)
        return SHARING_NONE;
    double meeting = curve_at(&pass->machine->barrier_ns, pass->threads);
    return ns <= ns / pass->threads + meeting ? SHARING_PRIVATE : SHARING_ALL;
}

static void report(Pass *pass, const Construct *construct, const Launch *launch, double ns,
                   const char *assumed)
{
    bool python = is_python(construct->unit);
    const Unit *unit = python ? launch->unit : construct->unit;
    AstNode place = python ? launch->at : construct->node;
    double rest = beside(pass, construct, launch);
    Finding finding = pass_finding_at(pass, unit, place, place);
    finding.assumed = assumed;
    pass_assume(pass, &finding, pass->work, launch->unit,
                loop_body(launch->unit->ast, launch->loops[0]));
    finding.exposure.work_ns = ns + rest;
    finding.exposure.share = ns / (ns + rest);
    finding.exposure.launches = 1;
    finding.exposure.overhead_ns = launch_overhead(pass, construct, launch);
    double times = pass_launch_times(pass, launch);
    finding.exposure.pieces = isfinite(times) ? times : 0;
    finding.exposure.sharing = sharing_of(pass, launch, ns);
    finding.exposure.runtime = pass_runtime(unit);
    trace(pass, construct, launch, &finding);
    describe(pass, construct, launch, ns, &finding);
    pass_add(pass, &finding);
}

static void check_launch(Pass *pass, const Construct *construct, const Launch *launch)
{
    double trips, ns = pass_bound(pass, launch->chain, construct->unit, construct->node);
    const char *assumed = "";
    bool torn = (ast_at(launch->unit->ast, launch->loops[0])->flags & AST_DOUBTFUL) != 0;
    if (torn || pass_launch_times(pass, launch) < AGAIN_AND_AGAIN)
        return; /* torn by parse errors: what runs beside the launch may be missing */
    if (isinf(ns)) {
        ns = assumed_work(pass, construct, launch, &trips);
        assumed = arena_printf(pass->arena, "%s runs %.0f times",
                               pass_loop_name(pass, construct->unit, construct->node), trips);
    }
    if (isfinite(ns))
        report(pass, construct, launch, ns, assumed);
}

static void check(Pass *pass)
{
    LaunchIndex index = facts_launch_index(pass->facts, pass->arena);
    for (uint32_t i = 0; i < index.constructs.count; i++) {
        const Construct *construct = &index.constructs.items[i];
        Launches launches = facts_launches(pass->facts, pass->arena, &index, construct);
        for (uint32_t k = 0; k < launches.count; k++)
            check_launch(pass, construct, &launches.items[k]);
    }
}

const Rule rule_region_in_hot_loop = {
    .id = "region-in-hot-loop",
    .summary = "a team is started once per item of a serial loop, for little work",
    .help =
        "Every launch of a team costs microseconds, whatever it does then. Put the parallel loop "
        "outside, open one region around the serial loop, or stay serial for small sizes.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_launch,
};
