/* Parallel loops that are known to do less than what starting a team takes. */
#include "analyzer/pass.h"

#include <math.h>
#include <string.h>

enum { AGAIN_AND_AGAIN = 8 };

/* The only loop that a region deals out; 0 if there is none, the region if there are several. */
static AstNode dealt_loop(const Ast *ast, AstNode region)
{
    AstNode found = 0;
    FOR_EACH_NODE (ast, node, region) {
        const AstNodeData *data = ast_at(ast, node);
        if (data->kind == AST_REGION && data->op == REGION_TASK)
            return 0;
        if (data->kind == AST_LOOP && data->value.loop.run == RUN_WORKSHARE)
            found = found == 0 ? node : region;
    }
    return found;
}

/* The place of the finding; 0 where the construct shares out no loop. */
static AstNode loop_place(const Construct *construct)
{
    const Ast *ast = construct->unit->ast;
    return ast_kind(ast, construct->node) == AST_LOOP ? construct->node
                                                      : dealt_loop(ast, construct->node);
}

/* region-in-hot-loop speaks of it. */
static bool is_in_loop(const Pass *pass, const LaunchIndex *index, const Construct *construct)
{
    Launches launches = facts_launches(pass->facts, pass->arena, index, construct);
    for (uint32_t i = 0; i < launches.count; i++) {
        const Launch *launch = &launches.items[i];
        if (launch->at == construct->node && launch->unit == construct->unit &&
            pass_launch_times(pass, launch) >= AGAIN_AND_AGAIN)
            return true;
    }
    return false;
}

/* Python: a function that is told nothing and fills nothing: the number that it returns is known,
 * so that it runs to see that threads start. */
static bool probes(const Pass *pass, const Construct *construct)
{
    const Ast *ast = construct->unit->ast;
    if (construct->function == 0 ||
        program_function_data(pass->program, construct->function)->params.count > 0)
        return false;
    FOR_EACH_NODE (ast, node, construct->node)
        if (ast_kind(ast, node) == AST_ASSIGN && ast_kind(ast, ast_first(ast, node)) == AST_INDEX)
            return false;
    return true;
}

/* Directly in main: once in the life of the program, some microseconds. */
static bool runs_once(const Pass *pass, const Construct *construct)
{
    return construct->unit->language == LANGUAGE_PYTHON
               ? probes(pass, construct)
               : strcmp(pass_function_name(pass, construct->function), "main") == 0;
}

static void report(Pass *pass, const Construct *construct, AstNode place, double ns)
{
    const Unit *unit = construct->unit;
    bool python = unit->language == LANGUAGE_PYTHON;
    bool loop = ast_kind(unit->ast, place) == AST_LOOP;
    Finding finding = pass_finding_at(pass, unit, place, place);
    const char *name = loop ? pass_loop_name(pass, unit, place) : "its loops";
    if (loop)
        LIST_PUSH(pass->arena, &finding.loops, name);
    finding.what = "launch of a team";
    finding.exposure.work_ns = ns;
    finding.exposure.launches = 1;
    finding.exposure.runtime = pass_runtime(unit);
    finding.note_only = runs_once(pass, construct) || pass_is_test(unit);
    finding.message = arena_printf(
        pass->arena,
        "the parallel loop over %s does at most %.3g ns of work in all, and starting %d threads "
        "takes about %.2g ns: one thread is faster",
        name, ns, pass->threads, curve_at(&pass->machine->launch_ns, pass->threads));
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description =
                        python ? "use range, or choose a serial twin for small sizes"
                               : "leave the directive out, or add an if clause for small sizes"});
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    LaunchIndex index = facts_launch_index(pass->facts, pass->arena);
    for (uint32_t i = 0; i < index.constructs.count; i++) {
        const Construct *construct = &index.constructs.items[i];
        if (!construct->starts || construct->nested || facts_is_guarded(pass->facts, construct))
            continue;
        AstNode place = loop_place(construct);
        double ns = place == 0 ? INFINITY
                               : pass_bound(pass, NULL, construct->unit, construct->node);
        if (isfinite(ns) && !is_in_loop(pass, &index, construct))
            report(pass, construct, place, ns);
    }
}

const Rule rule_too_little_work = {
    .id = "too-little-work",
    .summary = "a parallel loop does less than starting its team takes",
    .help =
        "Starting a team and waiting for it takes microseconds. A loop that is known to do less "
        "than that is faster on one thread. Leave it serial, or choose by size.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_little_work,
};
