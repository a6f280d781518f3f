/* Parallel loops that move more bytes an operation than the memory bus brings for all threads. */
#include "analyzer/pass.h"

#include <math.h>
#include <string.h>

enum { NEST = 4, ARRAYS = 16, ELEMENT = 8 /* bytes, where the type is not known */ };

/* A nest of loops with nothing between them, and the arrays its innermost body goes through. */
typedef struct Stream {
    const Unit *unit;
    FunctionId function;
    AstNode loops[NEST];
    uint32_t depth;
    AstNode arrays[ARRAYS]; /* one access of each */
    uint32_t count;
    double bytes; /* moved per iteration */
    bool stores;  /* one of the arrays at least */
} Stream;

/* The loop that is all a block holds; 0 if there is more, or none. */
static AstNode only_loop(const Ast *ast, AstNode body)
{
    if (ast_kind(ast, body) == AST_BLOCK)
        body = ast_child_count(ast, body) == 1 ? ast_first(ast, body) : 0;
    return body != 0 && ast_kind(ast, body) == AST_LOOP ? body : 0;
}

static bool read_nest(const Construct *construct, Stream *stream)
{
    const Ast *ast = construct->unit->ast;
    for (AstNode loop = construct->node; loop != 0; loop = only_loop(ast, loop_body(ast, loop))) {
        if (stream->depth == NEST || ast_at(ast, loop)->op != LOOP_COUNTED ||
            ast_kind(ast, loop_target(ast, loop)) != AST_NAME)
            return false;
        stream->loops[stream->depth++] = loop;
    }
    return true;
}

/* Each loop of the nest picks another element, and the innermost one the next. */
static bool is_streamed(const Pass *pass, const Stream *stream, AstNode access)
{
    const Ast *ast = stream->unit->ast;
    bool uses[NEST] = {false};
    FOR_EACH_NODE (ast, node, access) {
        for (uint32_t i = 0; i < stream->depth; i++)
            uses[i] |= ast_kind(ast, node) == AST_NAME &&
                       ast_at(ast, node)->symbol ==
                           ast_at(ast, loop_target(ast, stream->loops[i]))->symbol;
        if (node != access && ast_kind(ast, node) == AST_INDEX && node != ast_first(ast, access))
            return false; /* x[index[i]]: latency, not bandwidth */
    }
    for (uint32_t i = 0; i < stream->depth; i++)
        if (!uses[i])
            return false;
    AstNode last = 0;
    FOR_EACH_CHILD (ast, index, access)
        last = index;
    AstSymbol inner = ast_at(ast, loop_target(ast, stream->loops[stream->depth - 1]))->symbol;
    Affine form = place_index(pass->facts, stream->function, last);
    int64_t step = affine_coefficient(&form, map_pair(stream->unit->id, inner));
    return step == 1 || step == -1;
}

static double element_bytes(const Stream *stream, AstNode access)
{
    const Ast *ast = stream->unit->ast;
    int64_t size = ast->types.items[ast_at(ast, access)->type].size;
    return size > 0 ? (double)size : ELEMENT;
}

static bool same_array(const Ast *ast, AstNode left, AstNode right)
{
    return ast_same(ast, ast_first(ast, left), ast_first(ast, right));
}

static bool add_access(const Pass *pass, Stream *stream, AstNode access)
{
    const Ast *ast = stream->unit->ast;
    if (!is_streamed(pass, stream, access))
        return false;
    double bytes = element_bytes(stream, access);
    if (ast_is_target(ast, access)) { /* a store brings the line and takes it back */
        stream->bytes += bytes;
        stream->stores = true;
    }
    for (uint32_t i = 0; i < stream->count; i++)
        if (same_array(ast, stream->arrays[i], access))
            return true;
    if (stream->count == ARRAYS)
        return false;
    stream->arrays[stream->count++] = access;
    stream->bytes += bytes;
    return true;
}

static bool read_body(const Pass *pass, Stream *stream)
{
    const Ast *ast = stream->unit->ast;
    AstNode body = loop_body(ast, stream->loops[stream->depth - 1]);
    for (AstNode node = body; node < ast_end(ast, body);) {
        AstKind kind = ast_kind(ast, node);
        if (kind == AST_LOOP || kind == AST_CALL || kind == AST_REGION || kind == AST_DEREF)
            return false;
        if (kind == AST_INDEX && !add_access(pass, stream, node))
            return false;
        node = kind == AST_INDEX ? ast_end(ast, node) : node + 1;
    }
    return stream->count > 0;
}

/* Known to fit into the last cache. */
static bool fits(const Pass *pass, const Stream *stream)
{
    double cells = 1;
    for (uint32_t i = 0; i < stream->depth; i++)
        cells *= extent_trips(pass->facts, NULL, stream->unit, stream->loops[i]).high;
    return cells * stream->bytes < pass->machine->l3_bytes;
}

/* Threads from which on more of them add next to nothing. */
static int saturation(const Pass *pass)
{
    const Curve *curve = &pass->machine->bandwidth_gbs;
    int threads = 1;
    while (threads < pass->threads &&
           curve_at(curve, threads) < 0.95 * curve_at(curve, pass->threads))
        threads++;
    return threads;
}

static void report(Pass *pass, const Stream *stream)
{
    const Unit *unit = stream->unit;
    AstNode inner = stream->loops[stream->depth - 1];
    Finding finding = pass_finding_at(pass, unit, stream->loops[0], stream->loops[0]);
    for (uint32_t i = 0; i < stream->depth; i++)
        LIST_PUSH(pass->arena, &finding.loops, pass_loop_name(pass, unit, stream->loops[i]));
    finding.per = "iteration";
    finding.what = "memory traffic";
    finding.note_only = true;
    finding.exposure.work_ns = pass_bound(pass, NULL, unit, loop_body(unit->ast, inner));
    finding.exposure.bytes = stream->bytes;
    finding.exposure.access = stream->stores ? ACCESS_UPDATE : ACCESS_STORE;
    if (isinf(finding.exposure.work_ns))
        return;
    finding.message =
        arena_printf(pass->arena,
                     "each iteration of %s moves %.0f bytes for about %.2g ns of work: once the "
                     "arrays exceed the "
                     "cache, %d thread%s saturate the memory bus and more do not help",
                     pass_loops(pass, &finding), stream->bytes, finding.exposure.work_ns,
                     saturation(pass), saturation(pass) == 1 ? "" : "s");
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = "join it with the loops that use the same arrays, use a smaller "
                                   "element type, or limit the threads"});
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    LaunchIndex index = facts_launch_index(pass->facts, pass->arena);
    for (uint32_t i = 0; i < index.constructs.count; i++) {
        const Construct *construct = &index.constructs.items[i];
        Stream stream = {.unit = construct->unit, .function = construct->function};
        if (ast_kind(construct->unit->ast, construct->node) == AST_LOOP &&
            read_nest(construct, &stream) && read_body(pass, &stream) && !fits(pass, &stream))
            report(pass, &stream);
    }
}

const Rule rule_bandwidth_bound = {
    .id = "bandwidth-bound",
    .summary = "a parallel loop is limited by the memory bus, not by its cores",
    .help = "A loop that only passes over arrays waits for memory. A few threads saturate the bus, "
            "and more do not help. Join loops over the same data, or use fewer threads.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_stream,
};
