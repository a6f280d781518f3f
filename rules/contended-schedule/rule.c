/* Iterations of next to no work that threads take one by one, or a few at a time, from one counter.
 */
#include "analyzer/pass.h"

#include <math.h>

enum { A_FEW = 16, CHUNKS_EACH = 4 };

/* The chunk that is written, 1 where none is; 0 where it is not a known number. */
static int64_t chunk_of(const Pass *pass, const Construct *construct)
{
    const Ast *ast = construct->unit->ast;
    FOR_EACH_CHILD (ast, clause, construct->node) {
        AstNode chunk = ast_kind(ast, clause) == AST_CLAUSE &&
                                ast_at(ast, clause)->op == CLAUSE_SCHEDULE
                            ? ast_first(ast, clause)
                            : 0;
        if (chunk == 0)
            continue;
        Extent size = extent_of(pass->facts, NULL, construct->unit, chunk);
        return size.low == size.high && size.low >= 1 && size.low < INT32_MAX ? (int64_t)size.low
                                                                              : 0;
    }
    int64_t chunk = ast_at(ast, construct->node)->value.loop.chunk;
    return chunk > 0 ? chunk : 1;
}

/* One turn of all loops that share the iteration space. */
static AstNode innermost(const Ast *ast, AstNode loop)
{
    for (int levels = ast_at(ast, loop)->value.loop.collapse; levels > 1; levels--) {
        AstNode inner = 0;
        FOR_EACH_NODE (ast, node, loop_body(ast, loop))
            if (inner == 0 && ast_kind(ast, node) == AST_LOOP)
                inner = node;
        if (inner == 0)
            return loop;
        loop = inner;
    }
    return loop;
}

/* Each thread gets a few chunks at most: a loop over threads or blocks of work. */
static bool is_short(const Pass *pass, const Construct *construct, int64_t chunk)
{
    Extent trips = extent_trips(pass->facts, NULL, construct->unit, construct->node);
    bool alone = ast_at(construct->unit->ast, construct->node)->value.loop.collapse < 2;
    return alone && trips.high <= (double)(chunk * CHUNKS_EACH * pass->threads);
}

static bool concerns(const Pass *pass, const Construct *construct, int64_t *chunk)
{
    const AstNodeData *data = ast_at(construct->unit->ast, construct->node);
    if (data->kind != AST_LOOP || construct->unit->language == LANGUAGE_PYTHON ||
        data->value.loop.schedule != SCHEDULE_DYNAMIC ||
        (data->value.loop.flags & (LOOP_TASKLOOP | LOOP_ORDERED)) != 0)
        return false;
    *chunk = chunk_of(pass, construct);
    return *chunk >= 1 && *chunk <= A_FEW && !is_short(pass, construct, *chunk);
}

/* Results of neighbouring iterations, which different threads write. */
static double bytes_of_results(const Ast *ast, AstNode loop)
{
    AstNode turn = innermost(ast, loop), target = loop_target(ast, turn);
    AstSymbol counter = target == 0 ? 0 : ast_at(ast, target)->symbol;
    return facts_bytes_written_at(ast, loop_body(ast, turn), counter);
}

static void report(Pass *pass, const Construct *construct, int64_t chunk, double each_ns)
{
    const Unit *unit = construct->unit;
    AstNode loop = construct->node;
    Finding finding = pass_finding_at(pass, unit, loop, loop);
    const char *name = pass_loop_name(pass, unit, loop);
    LIST_PUSH(pass->arena, &finding.loops, name);
    finding.per = "iteration";
    finding.what = "iterations taken from a shared counter";
    finding.shared = true;
    finding.exposure.work_ns = each_ns;
    finding.exposure.events = 1.0 / (double)chunk;
    finding.exposure.bytes = bytes_of_results(unit->ast, loop);
    finding.exposure.sharing = SHARING_ALL;
    finding.exposure.access = ACCESS_ATOMIC;
    finding.exposure.runtime = pass_runtime(unit);
    finding.portability = "all; with libomp (clang) far slower than with libgomp (gcc)";
    finding.message = arena_printf(
        pass->arena,
        "schedule(dynamic) hands out %s of %s at a time, and one takes about %.2g ns: the threads "
        "queue for the shared loop counter",
        chunk == 1 ? "one iteration"
                   : arena_printf(pass->arena, "%lld iterations", (long long)chunk),
        name, each_ns);
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = "leave the schedule out (static) where iterations take equally "
                                   "long, else use guided, or a chunk of some hundred iterations"});
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    LaunchIndex index = facts_launch_index(pass->facts, pass->arena);
    for (uint32_t i = 0; i < index.constructs.count; i++) {
        const Construct *construct = &index.constructs.items[i];
        int64_t chunk;
        if (!concerns(pass, construct, &chunk))
            continue;
        const Ast *ast = construct->unit->ast;
        AstNode body = loop_body(ast, innermost(ast, construct->node));
        double each_ns = pass_bound(pass, NULL, construct->unit, body);
        if (isfinite(each_ns))
            report(pass, construct, chunk, each_ns);
    }
}

const Rule rule_contended_schedule = {
    .id = "contended-schedule",
    .summary = "threads queue for the loop counter of schedule(dynamic)",
    .help = "Every chunk of schedule(dynamic) is an atomic update of one counter that all threads "
            "share. Beside a few operations that is most of the time. Use static, guided, or a "
            "large chunk.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_schedule,
};
