/* Allocations that run once per cell or iteration of a parallel loop and are not dwarfed by the
 * work beside them. */
#include "analyzer/pass.h"

/* Every thread of a region runs the whole loop: the buffers it makes for itself, not the work that
 * is shared out. */
static bool is_setup(const Pass *pass, const Event *event)
{
    const Ast *ast = program_function_unit(pass->program, event->root)->ast;
    if (event->dealt.node != 0 || ast_kind(ast, event->construct) != AST_REGION)
        return false;
    for (uint32_t i = 0; i < event->loop_count; i++) {
        EventLoop loop = event->loops[i];
        const Ast *own = program_function_unit(pass->program, loop.function)->ast;
        AstNode bounds[] = {loop_start(own, loop.node), loop_limit(own, loop.node),
                            loop_step(own, loop.node)};
        if (ast_at(own, loop.node)->op != LOOP_COUNTED)
            return false;
        for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
            int64_t coefficient;
            Affine bound = place_index(pass->facts, loop.function, bounds[k]);
            if (event_index_varies(pass->facts, event, &bound, &coefficient) ||
                affine_depends(&bound, SYM_TEAM))
                return false;
        }
    }
    return true;
}

enum { DEEP = 4 };

static bool concerns(const Pass *pass, const Event *event)
{
    return event->effect->kind == EFFECT_ALLOC && !event->rare && !event->once &&
           event->loop_count > 0 && (event->origin->flags & EFFECT_HOISTED) == 0 &&
           !is_setup(pass, event);
}

static bool is_python(const Pass *pass, FunctionId function)
{
    return program_function_unit(pass->program, function)->language == LANGUAGE_PYTHON;
}

static const char *what(const Pass *pass, const Effect *origin)
{
    const Ast *ast = program_function_unit(pass->program, origin->function)->ast;
    switch (ast_kind(ast, origin->node)) {
    case AST_BINARY:
    case AST_COMPARE:
        return "temporary array";
    case AST_INDEX:
        return pass_text(pass, origin->function, origin->node);
    case AST_LIST:
        return "list";
    case AST_DICT:
        return "dict";
    case AST_SET:
        return "set";
    case AST_COMPREHENSION:
        return "list comprehension";
    default:
        return pass_text(pass, origin->function, ast_first(ast, origin->node));
    }
}

/* Allocations of the same cell go together: relieving one of ten is no relief. */
static uint32_t count_beside(const Pass *pass, const Event *event)
{
    EventLoop cell = event_cell(event);
    uint32_t count = 0;
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *other = facts_event(pass->facts, i);
        EventLoop its = event_cell(other);
        count += other->root == event->root && other->construct == event->construct &&
                 its.node == cell.node && its.function == cell.function &&
                 other->effect->node == event->effect->node && concerns(pass, other);
        if (other->effect->via == NULL && event->effect->via == NULL && other != event &&
            other->root == event->root && its.node == cell.node && its.function == cell.function)
            count += concerns(pass, other);
    }
    return count > 0 ? count : 1;
}

/* A constructor, called from the loop: what it keeps is being built, and no buffer could be reused
 * for it; nor is its loop over the rows of what it returns the place to look at. */
static bool builds(const Pass *pass, const Event *event)
{
    const Effect *origin = event->origin;
    if (origin->function == event->root)
        return false;
    BlockFate fate = facts_block_fate(pass->facts, origin->function, origin->node);
    return fate == BLOCK_KEPT ||
           (fate == BLOCK_HANDED_UP && event_cell(event).function == origin->function);
}

static void report(Pass *pass, const Event *event)
{
    const Effect *origin = event->origin;
    bool python = is_python(pass, origin->function);
    Finding finding = pass_finding(pass, event, origin->function, origin->node, origin->node);
    finding.exposure.bytes = origin->bytes > 0 ? (double)origin->bytes : 64;
    finding.exposure.overhead_ns = python ? pass->machine->numba_alloc_ns.value : 0;
    bool counted = python && numba_counts_allocations(pass->machine->numba);
    finding.exposure.sharing = counted ? SHARING_ALL : SHARING_PRIVATE;
    finding.exposure.events = count_beside(pass, event);
    /* a helper of cells, or a cell deep inside a nest, works on the short side of the data */
    bool helper = event->loop_count >= 2 && event_cell(event).function != origin->function;
    if (helper || event->loop_count >= DEEP)
        finding.exposure.work_ns = pass_work(pass, event, work_cells(pass->work), &finding);
    finding.what = arena_printf(pass->arena, "allocation by %s", what(pass, origin));
    const char *made = arena_printf(pass->arena, "%s takes fresh memory", what(pass, origin));
    finding.message =
        arena_printf(pass->arena, "%s once per %s of %s, beside %.3g ns of other work: %s", made,
                     finding.per, pass_loops(pass, &finding), finding.exposure.work_ns,
                     python ? "each array goes through the allocator and its counters"
                            : "the allocator takes a large part of the time");
    finding.shared = counted;
    finding.portability = "all";
    finding.note_only = builds(pass, event);
    LIST_PUSH(
        pass->arena, &finding.fixes,
        (Fix){.description =
                  python ? "use scalars or a tuple, or a buffer made outside the loop and passed in"
                         : "allocate once per thread, before the loop, and reuse the buffer"});
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++)
        if (concerns(pass, facts_event(pass->facts, i)))
            report(pass, facts_event(pass->facts, i));
}

const Rule rule_alloc_in_kernel = {
    .id = "alloc-in-kernel",
    .summary = "memory is allocated in every iteration of a parallel kernel",
    .help = "An allocation costs 10 to 40 ns and, in some allocators, a shared counter or lock. "
            "Beside a few operations "
            "it is most of the time. Allocate once per thread, or use scalars.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_allocation,
};
