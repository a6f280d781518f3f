#include "analyzer/pass.h"

#include <math.h>
#include <string.h>

/* From here on what stands beside the cells is not worth a word. */
#define ALMOST_ALL 0.95

static Region region_of(const Unit *unit, AstNode first, AstNode last)
{
    const AstNodeData *from = ast_at(unit->ast, first), *to = ast_at(unit->ast, last);
    Region region = {unit_source(unit, first), from->start, to->stop};
    SourcePosition start = source_position(region.source, from->start);
    if (to->file != from->file || to->stop < from->stop ||
        source_position(region.source, to->stop).line != start.line)
        region.stop = from->stop;
    return region;
}

const char *pass_loop_name(const Pass *pass, const Unit *unit, AstNode loop)
{
    AstNode target = loop_target(unit->ast, loop);
    if (target != 0 && ast_kind(unit->ast, target) == AST_NAME)
        return intern_text(pass->program->names, ast_at(unit->ast, target)->name);
    return ast_at(unit->ast, loop)->op == LOOP_WHILE ? "while" : "loop";
}

static const char *loop_name(const Pass *pass, EventLoop loop)
{
    return pass_loop_name(pass, program_function_unit(pass->program, loop.function), loop.node);
}

bool pass_is_test(const Unit *unit)
{
    const char *path = unit->files.items[0]->path, *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    return strncmp(name, "test_", 5) == 0 || strcmp(name, "conftest.py") == 0 ||
           strncmp(path, "tests/", 6) == 0 || strstr(path, "/tests/") != NULL;
}

const char *pass_function_name(const Pass *pass, FunctionId function)
{
    return function == 0 ? ""
                         : intern_text(pass->program->names,
                                       program_function_data(pass->program, function)->name);
}

const char *pass_text(const Pass *pass, FunctionId function, AstNode node)
{
    enum { LONGEST = 60 };
    return unit_excerpt(program_function_unit(pass->program, function), node, pass->arena, LONGEST);
}

const char *pass_text_at(const Pass *pass, const Unit *unit, AstNode node)
{
    enum { LONGEST = 60 };
    return unit_excerpt(unit, node, pass->arena, LONGEST);
}

static const char *construct_message(const Pass *pass, const Event *event)
{
    const Ast *ast = program_function_unit(pass->program, event->root)->ast;
    switch (ast_kind(ast, event->construct)) {
    case AST_LOOP:
        return arena_printf(pass->arena, "parallel loop over %s",
                            loop_name(pass, (EventLoop){event->root, event->construct}));
    case AST_REGION:
        return "parallel region";
    default:
        return "threads are started here";
    }
}

static void trace_of(const Pass *pass, const Event *event, Finding *finding)
{
    const Unit *root = program_function_unit(pass->program, event->root);
    LIST_PUSH(pass->arena, &finding->trace,
              (TraceStep){region_of(root, event->construct, event->construct),
                          construct_message(pass, event)});
    if (event->dealt.node != 0 &&
        (event->dealt.function != event->root || event->dealt.node != event->construct))
        LIST_PUSH(
            pass->arena, &finding->trace,
            (TraceStep){region_of(program_function_unit(pass->program, event->dealt.function),
                                  event->dealt.node, event->dealt.node),
                        arena_printf(pass->arena, "iterations over %s are dealt out to the threads",
                                     loop_name(pass, event->dealt))});
    for (const Effect *at = event->effect; at->via != NULL; at = at->via) {
        const Unit *unit = program_function_unit(pass->program, at->function);
        LIST_PUSH(pass->arena, &finding->trace,
                  (TraceStep){region_of(unit, at->node, at->node),
                              arena_printf(pass->arena, "calls %s",
                                           pass_function_name(pass, at->via->function))});
    }
}

void pass_assume(const Pass *pass, Finding *finding, WorkModel *model, const Unit *unit,
                 AstNode root)
{
    const char *so_far = finding->assumed == NULL ? "" : finding->assumed;
    finding->assumed = work_assumed(model, pass->arena, unit, root, so_far);
}

ExposureRuntime pass_runtime(const Unit *unit)
{
    switch (unit->compiler) {
    case COMPILER_GNU:
        return RUNTIME_GNU;
    case COMPILER_LLVM:
        return RUNTIME_LLVM;
    case COMPILER_UNKNOWN:
        break;
    }
    return RUNTIME_ANY;
}

/* How much of its function an event's cells are: 1 where they are all of it. An event in the edges
 * of a matrix is beside the work of the whole matrix. From the cell outwards: what stands beside it
 * is added, loops multiply, and of a branch only the part that leads to the event counts. The walk
 * ends at the function, or at the construct that starts the team: what one thread does in front of
 * it is not beside it. */
static double share_of(const Pass *pass, const Event *event, EventLoop cell, double cell_ns)
{
    const Unit *unit = program_function_unit(pass->program, cell.function);
    const Ast *ast = unit->ast;
    double own = cell_ns, all = cell_ns;
    bool known;
    if (cell.node == event->dealt.node && cell.function == event->dealt.function)
        return 1;
    for (AstNode at = cell.node, up; ast_kind(ast, at) != AST_FUNCTION; at = up) {
        up = ast_parent(ast, at);
        if (at == event->construct && cell.function == event->root)
            break;
        if (ast_kind(ast, at) == AST_LOOP) {
            if (at == event->dealt.node && cell.function == event->dealt.function)
                break;
            double trips = work_trips(pass->work, unit, at, &known);
            own *= trips;
            all *= trips;
        }
        FOR_EACH_CHILD (ast, sibling, up)
            if (ast_kind(ast, up) == AST_BLOCK && sibling != at)
                all += work_ns(pass->work, unit, sibling);
    }
    return own <= 0 || own >= all ? 1 : own / all;
}

/* Where the cells are but a part of their function, the sizes of all of it count. */
double pass_work(const Pass *pass, const Event *event, WorkModel *model, Finding *finding)
{
    EventLoop cell = event_cell(event);
    finding->assumed = "";
    if (cell.node == 0)
        return 0;
    const Unit *unit = program_function_unit(pass->program, cell.function);
    AstNode body = loop_body(unit->ast, cell.node);
    double share = share_of(pass, event, cell, work_ns(pass->work, unit, body));
    pass_assume(pass, finding, model, unit, body);
    if (share < ALMOST_ALL)
        pass_assume(pass, finding, pass->work, unit,
                    program_function_data(pass->program, cell.function)->node);
    return work_ns(model, unit, body) / share;
}

static void exposure_of(const Pass *pass, const Event *event, Finding *finding)
{
    EventLoop cell = event_cell(event);
    finding->exposure = (Exposure){.threads = pass->threads, .events = 1, .launches = 0};
    finding->assumed = "";
    if (cell.node != 0)
        finding->exposure.work_ns = pass_work(pass, event, pass->work, finding);
}

static bool is_doubtful(const Pass *pass, const Event *event)
{
    for (const Effect *at = event->effect; at != NULL; at = at->via) {
        const AstFunctionData *function = program_function_data(pass->program, at->function);
        const Ast *ast = program_function_unit(pass->program, at->function)->ast;
        if ((ast_at(ast, function->node)->flags & AST_DOUBTFUL) != 0)
            return true;
    }
    return false;
}

Finding pass_finding(const Pass *pass, const Event *event, FunctionId function, AstNode first,
                     AstNode last)
{
    const Unit *unit = program_function_unit(pass->program, function);
    Finding finding = {
        .rule = pass->rule, .severity = pass->rule->severity, .message = "", .what = ""};
    finding.region = region_of(unit, first, last);
    finding.function = pass_function_name(pass, function);
    for (uint32_t i = 0; i < event->loop_count; i++)
        LIST_PUSH(pass->arena, &finding.loops, loop_name(pass, event->loops[i]));
    finding.per = event->loop_count > 1 ? "cell" : event->loop_count == 1 ? "iteration" : "thread";
    finding.doubtful = is_doubtful(pass, event);
    trace_of(pass, event, &finding);
    exposure_of(pass, event, &finding);
    return finding;
}

Finding pass_finding_at(const Pass *pass, const Unit *unit, AstNode first, AstNode last)
{
    FunctionId function = program_function(pass->program, unit, ast_function_of(unit->ast, first));
    Finding finding = {.rule = pass->rule,
                       .severity = pass->rule->severity,
                       .message = "",
                       .what = "",
                       .per = "call",
                       .assumed = ""};
    finding.region = region_of(unit, first, last);
    finding.function = pass_function_name(pass, function);
    finding.exposure = (Exposure){.threads = pass->threads, .events = 1};
    return finding;
}

TraceStep pass_step(const Unit *unit, AstNode node, const char *message)
{
    return (TraceStep){region_of(unit, node, node), message};
}

double pass_bound(const Pass *pass, const CallChain *chain, const Unit *unit, AstNode node)
{
    return work_bound(pass->work, pass->facts, chain, unit, node);
}

double pass_work_beside(const Pass *pass, const Event *event, Finding *finding)
{
    double cell_ns = finding->exposure.work_ns;
    for (uint32_t i = 0; i + 1 < event->loop_count; i++) {
        const Unit *outer = program_function_unit(pass->program, event->loops[i].function);
        const Unit *inner = program_function_unit(pass->program, event->loops[i + 1].function);
        double whole = work_ns(pass->work, outer, loop_body(outer->ast, event->loops[i].node));
        double part = work_ns(pass->work, inner, event->loops[i + 1].node);
        cell_ns *= part > 0 && whole > part ? whole / part : 1;
        pass_assume(pass, finding, pass->work, outer, loop_body(outer->ast, event->loops[i].node));
    }
    return cell_ns;
}

void pass_promote(const Pass *pass, Promotion promotion, Exposure *exposure)
{
    if (promotion.loads && exposure->access == ACCESS_UPDATE)
        exposure->access = ACCESS_STORE;
    if (promotion.waits)
        exposure->work_ns = fmax(exposure->work_ns, pass->machine->op_ns.value);
}

static double inside_ns(const Pass *pass, const Guard *guard)
{
    const Unit *unit = program_function_unit(pass->program, guard->within);
    double ns = 0;
    for (AstNode at = guard->first; at != 0; at = ast_next(unit->ast, at)) {
        ns += work_ns(pass->work, unit, at);
        if (at == guard->last)
            break;
    }
    return ns;
}

static bool is_callee_known(const Pass *pass, FunctionId callee, int depth);

/* Whether every call under `root` that is not between `first` and `last` (0: none), and not in a
 * branch that is seldom entered, is one whose work is known. */
static bool is_work_known(const Pass *pass, FunctionId function, AstNode root, AstNode first,
                          AstNode last, int depth)
{
    enum { DEEPEST = 4 };
    const Unit *unit = program_function_unit(pass->program, function);
    const Ast *ast = unit->ast;
    for (AstNode node = root; node < ast_end(ast, root); node++) {
        if (node == first) {
            node = ast_end(ast, last) - 1;
            continue;
        }
        if (ast_kind(ast, node) != AST_CALL)
            continue;
        FunctionId callee = facts_call_target(pass->facts, function, node);
        bool known = callee != 0 || work_knows_call(pass->work, unit, node);
        if (callee != 0 && depth < DEEPEST)
            known = is_callee_known(pass, callee, depth + 1);
        if (!known && !facts_runs_seldom(pass->facts, function, root, node))
            return false;
    }
    return true;
}

bool pass_runs_unseen(const Pass *pass, const Event *event)
{
    EventLoop cell = event_cell(event);
    if (cell.node == 0)
        return false;
    const Unit *unit = program_function_unit(pass->program, cell.function);
    const Ast *ast = unit->ast;
    FOR_EACH_NODE (ast, node, loop_body(ast, cell.node)) {
        AstNode callee = ast_kind(ast, node) == AST_CALL ? ast_first(ast, node) : 0;
        if (callee == 0 || facts_call_target(pass->facts, cell.function, node) != 0 ||
            work_knows_call(pass->work, unit, node))
            continue;
        AstKind kind = ast_kind(ast, callee);
        AstSymbol symbol = kind == AST_NAME ? ast_at(ast, callee)->symbol : 0;
        if (kind != AST_NAME || (symbol != 0 && ast->symbols.items[symbol].kind != SYMBOL_FUNCTION))
            return true;
    }
    return false;
}

static bool is_callee_known(const Pass *pass, FunctionId callee, int depth)
{
    const AstFunctionData *function = program_function_data(pass->program, callee);
    return (function->flags & FN_INTRINSIC) != 0 ||
           is_work_known(pass, callee, function->node, UINT32_MAX, 0, depth);
}

/* What does not run of a loop that the event ends, if (found) { lock(); …; break; }: where it comes
 * to the event at all, its bound says nothing, and it is as short as one whose bound nobody knows.
 */
static double unfinished_ns(const Pass *pass, const Event *event)
{
    EventLoop left = event->ended;
    if (left.node == 0)
        return 0;
    const Unit *unit = program_function_unit(pass->program, left.function);
    bool known;
    double trips = work_trips(pass->work, unit, left.node, &known);
    return trips > WORK_SHORT ? work_ns(pass->work, unit, left.node) * (1 - WORK_SHORT / trips) : 0;
}

/* A critical section, or omp_set_lock(): in libgomp the same lock. */
static bool is_runtime_lock(const Ast *ast, AstNode site)
{
    if (ast_kind(ast, site) != AST_CALL)
        return ast_kind(ast, site) == AST_REGION;
    Name name = ast_at(ast, ast_first(ast, site))->name;
    return strncmp(intern_text(ast->names, name), "omp_", strlen("omp_")) == 0;
}

static ExposureAccess access_of(const Pass *pass, const Guard *guard)
{
    if (!guard->locks)
        return ACCESS_ATOMIC;
    const Ast *ast = program_function_unit(pass->program, guard->function)->ast;
    return is_runtime_lock(ast, guard->site) ? ACCESS_CRITICAL : ACCESS_UPDATE;
}

Finding pass_guard_finding(const Pass *pass, const Event *event, const Guard *guard)
{
    Event seen = *event;
    seen.loop_count = guard->loop_count;
    Finding finding = pass_finding(pass, &seen, guard->function, guard->site, guard->site);
    Exposure *exposure = &finding.exposure;
    finding.shared = !guard->own && !guard->spread;
    exposure->sharing = finding.shared ? SHARING_ALL : SHARING_PRIVATE;
    exposure->access = access_of(pass, guard);
    if (exposure->access == ACCESS_CRITICAL)
        exposure->runtime = pass_runtime(program_function_unit(pass->program, guard->function));
    double inside = inside_ns(pass, guard);
    if (!guard->locks) { /* what stands there is the event itself */
        exposure->work_ns = inside < exposure->work_ns ? exposure->work_ns - inside : 0;
        inside = 0;
    }
    exposure->work_ns -= unfinished_ns(pass, event);
    exposure->work_ns = exposure->work_ns > inside ? exposure->work_ns : inside;
    exposure->work_ns = pass_work_beside(pass, &seen, &finding);
    exposure->share = exposure->work_ns > 0 ? inside / exposure->work_ns : 0;
    EventLoop outer = seen.loops[0];
    const Unit *unit = program_function_unit(pass->program, outer.function);
    bool here = outer.function == guard->within;
    if (!is_work_known(pass, outer.function, loop_body(unit->ast, outer.node),
                       here && guard->first != 0 ? guard->first : UINT32_MAX, guard->last, 0))
        finding.note_only = true;
    return finding;
}

double pass_likely(const Pass *pass, const CallChain *chain, const Unit *unit, AstNode node)
{
    return work_likely(pass->work, pass->facts, chain, unit, node);
}

double pass_launch_times(const Pass *pass, const Launch *launch)
{
    double times = 1;
    for (uint32_t i = 0; i < launch->loop_count; i++) {
        bool known;
        double trips = work_trips(pass->work, launch->unit, launch->loops[i], &known);
        if (!known)
            trips = extent_trips(pass->facts, launch->around, launch->unit, launch->loops[i]).high;
        times *= trips;
    }
    return isnan(times) ? 0 : times;
}

const char *pass_loops(const Pass *pass, const Finding *finding)
{
    Text text = {0};
    for (uint32_t i = 0; i < finding->loops.count; i++) {
        bool last = i + 1 == finding->loops.count;
        text_printf(&text, "%s%s", i == 0 ? "" : last ? " and " : ", ", finding->loops.items[i]);
    }
    const char *words = arena_strdup(pass->arena, text_string(&text));
    text_free(&text);
    return words;
}

EditContext pass_edits(const Pass *pass, FunctionId function)
{
    return (EditContext){pass->arena, pass->program, function};
}

void pass_edit(const Pass *pass, Fix *fix, FunctionId function, AstNode node, uint32_t start,
               uint32_t stop, const char *text)
{
    const Unit *unit = program_function_unit(pass->program, function);
    LIST_PUSH(pass->arena, &fix->edits,
              (Edit){{unit_source(unit, node), start, stop}, arena_strdup(pass->arena, text)});
}

void pass_edit_at(const Pass *pass, Fix *fix, const Unit *unit, AstNode node, const char *text)
{
    const AstNodeData *data = ast_at(unit->ast, node);
    LIST_PUSH(pass->arena, &fix->edits,
              (Edit){{unit_source(unit, node), data->start, data->stop},
                     arena_strdup(pass->arena, text)});
}
