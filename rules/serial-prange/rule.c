/* Loops over prange in functions that are compiled without parallel=True: range in disguise. */
#include "analyzer/pass.h"

static const AstFunctionData *function_of(const Unit *unit, AstNode loop)
{
    return &unit->ast->functions.items[ast_function_of(unit->ast, loop)];
}

/* Inside another loop over prange only the outer one counts. */
static bool is_nested(const Ast *ast, AstNode loop)
{
    for (AstNode up = ast_parent(ast, loop); up != 0; up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_LOOP && ast_at(ast, up)->value.loop.run != RUN_SERIAL)
            return true;
    return false;
}

/* A function that numba writes out in its callers runs as they are compiled (tried: a prange of an
 * inline='always' function is parallel in a parallel caller); an unknown decorator may do anything.
 */
static bool concerns(const Unit *unit, AstNode loop)
{
    const AstNodeData *data = ast_at(unit->ast, loop);
    if (data->kind != AST_LOOP || data->value.loop.run != RUN_PRANGE_SERIAL ||
        (data->value.loop.flags & LOOP_RUNTIME_CHOICE) != 0)
        return false;
    uint32_t flags = function_of(unit, loop)->flags;
    uint32_t silent = FN_PARALLEL | FN_PARALLEL_CHOICE | FN_INLINE_ALWAYS | FN_UFUNC | FN_OFFLOAD |
                      FN_INTRINSIC | FN_UNKNOWN_DECORATOR;
    bool comprehension = ast_kind(unit->ast, ast_parent(unit->ast, loop)) == AST_COMPREHENSION;
    return (flags & FN_COMPILED) != 0 && (flags & silent) == 0 && !comprehension &&
           !is_nested(unit->ast, loop);
}

/* FLAGS or conf.FLAGS, with FLAGS or conf imported. */
static bool is_imported(const Ast *ast, AstNode node)
{
    while (ast_kind(ast, node) == AST_FIELD)
        node = ast_first(ast, node);
    return ast_kind(ast, node) == AST_NAME && (ast_at(ast, node)->flags & AST_QUALIFIED) != 0;
}

/* @njit(**conf.FLAGS): a setting of another module decides for the whole project. */
static bool is_setting(const Ast *ast, AstNode function)
{
    FOR_EACH_CHILD (ast, child, function) {
        if (ast_kind(ast, child) != AST_DECORATOR)
            continue;
        FOR_EACH_NODE (ast, node, child) {
            AstKind parent = ast_kind(ast, ast_parent(ast, node));
            if ((parent == AST_SPREAD || parent == AST_DICT) && is_imported(ast, node))
                return true;
        }
    }
    return false;
}

static void report(Pass *pass, const Unit *unit, AstNode loop)
{
    const Ast *ast = unit->ast;
    FunctionId id = program_function(pass->program, unit, ast_function_of(ast, loop));
    Event event = event_of_loop(pass->facts, id, loop);
    Finding finding = pass_finding(pass, &event, id, loop, loop);
    finding.trace.count = 0; /* it is the place itself */
    bool known;
    double trips = work_trips(pass->work, unit, loop, &known);
    finding.exposure.launches = 1 / (trips > 1 ? trips : 1);
    finding.assumed = "";
    pass_assume(pass, &finding, pass->work, unit, loop);
    finding.what = "loop over prange that stays serial";
    finding.per = "call";
    bool method = (function_of(unit, loop)->flags & FN_METHOD) != 0;
    finding.message = arena_printf(
        pass->arena,
        "%s is compiled without parallel=True: this prange is a plain range, and one thread does "
        "all iterations over %s",
        pass_function_name(pass, id), pass_loops(pass, &finding));
    /* its callers share out the work, somebody has chosen, or a team would lose by it */
    finding.note_only = facts_reached(pass->facts, id) ||
                        is_setting(ast, function_of(unit, loop)->node) ||
                        (known && *finding.assumed == '\0' &&
                         predict_lost_team(pass->machine, &finding.exposure) <= 1);
    const char *advice = method ? "move the loop to a function that is compiled with parallel=True"
                                : "compile the function with parallel=True";
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = arena_printf(
                        pass->arena,
                        "%s, after a look for places that its iterations share: they may race once "
                        "it is parallel, and numba's workqueue layer aborts when several Python "
                        "threads enter it",
                        advice)});
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = "write range, if it is meant to be serial"});
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < pass->program->unit_count; i++) {
        const Unit *unit = pass->program->units[i];
        for (AstNode node = 1; unit->language == LANGUAGE_PYTHON && node < unit->ast->nodes.count;
             node++)
            if (concerns(unit, node))
                report(pass, unit, node);
    }
}

const Rule rule_serial_prange = {
    .id = "serial-prange",
    .summary = "a loop over prange runs on one thread, since its function is not compiled with "
               "parallel=True",
    .help = "Without parallel=True numba compiles prange as range, and says nothing. Compile the "
            "function with parallel=True, once its iterations are known to be independent.",
    .severity = SEVERITY_WARNING,
    .check = check,
    .predict = predict_lost_team,
};
