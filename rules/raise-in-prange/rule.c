/* Ways out of a parallel iteration: straight in the body of a prange they keep the loop on one
 * thread; in a callee, or by a division by zero, the exception is lost. */
#include "analyzer/pass.h"

#include <string.h>

static const Ast *ast_of(const Pass *pass, FunctionId function)
{
    return program_function_unit(pass->program, function)->ast;
}

/* Kinds of code that is not run where it stands. */
static bool is_apart(AstKind kind)
{
    return kind == AST_FUNCTION || kind == AST_LAMBDA || kind == AST_CLASS;
}

/* The innermost loop around a break. */
static AstNode loop_around(const Ast *ast, AstNode node)
{
    AstNode up = ast_parent(ast, node);
    while (up != 0 && ast_kind(ast, up) != AST_LOOP)
        up = ast_parent(ast, up);
    return up;
}

static bool is_caught(const Ast *ast, AstNode node)
{
    for (AstNode up = ast_parent(ast, node); up != 0 && ast_kind(ast, up) != AST_FUNCTION;
         up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_TRY)
            return true;
    return false;
}

static bool asks_for_rank(const Ast *ast, const Intern *words, AstNode condition)
{
    FOR_EACH_NODE (ast, node, condition)
        if (ast_kind(ast, node) == AST_FIELD &&
            strcmp(intern_text(words, ast_at(ast, node)->name), "ndim") == 0)
            return true;
    return false;
}

/* if x.ndim == 1: return …; if x.ndim == 2: return …; raise: the types decide, when it is compiled.
 */
static bool is_decided_by_type(const Pass *pass, const Ast *ast, AstNode node)
{
    for (AstNode up = node; up != 0 && ast_kind(ast, up) != AST_FUNCTION;
         up = ast_parent(ast, up)) {
        AstNode parent = ast_parent(ast, up), before = parent;
        if (ast_kind(ast, parent) == AST_BLOCK)
            for (AstNode at = ast_first(ast, parent); at != 0 && at != up; at = ast_next(ast, at))
                before = at;
        if (ast_kind(ast, before) == AST_BRANCH)
            return asks_for_rank(ast, pass->program->names, ast_first(ast, before));
    }
    return false;
}

static bool leaves(const Ast *ast, AstNode loop, AstNode node)
{
    switch (ast_kind(ast, node)) {
    case AST_RAISE:
    case AST_ASSERT:
        return !is_caught(ast, node);
    case AST_RETURN:
        return true;
    case AST_BREAK:
        return loop_around(ast, node) == loop;
    default:
        return false;
    }
}

/* ---- what is found ---- */

static const char *word_of(const Ast *ast, AstNode node)
{
    switch (ast_kind(ast, node)) {
    case AST_RAISE:
        return "raise";
    case AST_ASSERT:
        return "assert";
    case AST_RETURN:
        return "return";
    case AST_BREAK:
        return "break";
    default:
        return "division by zero";
    }
}

static void add_fix(const Pass *pass, Finding *finding, const char *description)
{
    LIST_PUSH(pass->arena, &finding->fixes, (Fix){.description = description});
}

/* The loop stays serial: `node` is a way out of it. */
static void report_serial(Pass *pass, const Event *event, FunctionId function, AstNode node)
{
    const Ast *ast = ast_of(pass, event->root);
    Finding finding = pass_finding(pass, event, function, node, node);
    EventLoop loop = event->dealt;
    const Unit *unit = program_function_unit(pass->program, loop.function);
    bool known;
    double trips = work_trips(pass->work, unit, loop.node, &known);
    finding.exposure.work_ns = work_ns(pass->work, unit, loop_body(ast, loop.node));
    finding.assumed = "";
    pass_assume(pass, &finding, pass->work, unit, loop.node);
    finding.exposure.launches = 1 / (trips > 1 ? trips : 1);
    finding.what = "parallel loop that stays serial";
    finding.message = arena_printf(
        pass->arena,
        "%s leaves the body of the prange over %s: numba cannot leave a parallel loop, and runs "
        "all of it on one thread without a warning",
        word_of(ast_of(pass, function), node), finding.loops.items[0]);
    add_fix(pass, &finding,
            "check the input before the loop, or mark what is wrong in an array, go on with "
            "continue, and look at the marks after the loop");
    pass_add(pass, &finding);
}

/* The exception is lost. */
static void report_lost(Pass *pass, const Event *event, FunctionId function, AstNode node)
{
    const Ast *ast = ast_of(pass, function);
    Finding finding = pass_finding(pass, event, function, node, node);
    bool divides = ast_kind(ast, node) == AST_BINARY;
    finding.what = "lost exception";
    finding.message = arena_printf(
        pass->arena,
        "%s in an iteration of a parallel loop: the exception is lost or becomes a bare "
        "SystemError, and what the other iterations have not written yet stays unwritten",
        divides ? arena_printf(pass->arena, "%s can be 0, and division by zero raises",
                               pass_text(pass, function, ast_child(ast, node, 1)))
                : arena_printf(pass->arena, "this %s runs", word_of(ast, node)));
    for (uint32_t i = 1; i < finding.trace.count; i++)
        LIST_PUSH(pass->arena, &finding.related, finding.trace.items[i]);
    finding.note_only = is_decided_by_type(pass, ast, node);
    add_fix(pass, &finding,
            divides ? "test for 0 first, or compile with error_model='numpy', which gives inf "
                      "or nan"
                    : "return a code or a NaN instead, collect it in an array, and raise after the "
                      "loop; or check before it");
    pass_add(pass, &finding);
}

/* ---- divisions ---- */

static bool is_conditional(const Ast *ast, AstNode node, AstNode loop)
{
    for (AstNode up = ast_parent(ast, node); up != loop && up != 0; up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_BRANCH)
            return true;
    return false;
}

/* A count that begins at 0 in each iteration and grows only under conditions: it can still be 0. */
static bool may_be_zero(const Ast *ast, AstNode loop, AstSymbol symbol)
{
    bool zeroed = false, grown = false;
    FOR_EACH_NODE (ast, node, loop_body(ast, loop)) {
        AstKind kind = ast_kind(ast, node);
        bool tests = kind == AST_BRANCH || kind == AST_CONDITIONAL || kind == AST_LOGIC;
        if (tests && ast_mentions(ast, ast_first(ast, node), symbol))
            return false;
        if (kind != AST_ASSIGN || !ast_mentions(ast, ast_first(ast, node), symbol))
            continue;
        AstNode value = ast_child(ast, node, 1);
        int64_t constant = 1;
        bool zero = (ast_constant(ast, value, &constant) && constant == 0) ||
                    (ast_kind(ast, value) == AST_REAL && ast_at(ast, value)->value.real == 0);
        bool grows = ast_at(ast, node)->op == OP_ADD && is_conditional(ast, node, loop);
        if (!grows && !zero)
            return false;
        zeroed |= zero;
        grown |= grows;
    }
    return zeroed && grown;
}

static bool divides_by_zero(const Pass *pass, FunctionId function, AstNode loop, AstNode node)
{
    const Ast *ast = ast_of(pass, function);
    const AstNodeData *data = ast_at(ast, node);
    uint32_t flags = program_function_data(pass->program, function)->flags;
    if (data->kind != AST_BINARY || (flags & FN_ERROR_NUMPY) != 0 ||
        (data->op != OP_DIV && data->op != OP_FLOORDIV && data->op != OP_MOD))
        return false;
    AstNode divisor = ast_child(ast, node, 1);
    return ast_kind(ast, divisor) == AST_NAME &&
           may_be_zero(ast, loop, ast_at(ast, divisor)->symbol);
}

/* ---- the rule ---- */

/* The ways out in the body itself. */
static bool read_body(Pass *pass, const Event *event, AstNode loop, bool report)
{
    const Ast *ast = ast_of(pass, event->root);
    bool found = false;
    AstNode body = loop_body(ast, loop);
    for (AstNode node = body; node < ast_end(ast, body); node++) {
        if (is_apart(ast_kind(ast, node))) {
            node = ast_end(ast, node) - 1;
        } else if (leaves(ast, loop, node)) {
            found = true;
            if (report)
                report_serial(pass, event, event->root, node);
        }
    }
    return found;
}

static void check_loop(Pass *pass, FunctionId function, AstNode loop)
{
    const Ast *ast = ast_of(pass, function);
    Event event = event_of_loop(pass->facts, function, loop);
    if (read_body(pass, &event, loop, true))
        return;
    FOR_EACH_NODE (ast, node, loop_body(ast, loop))
        if (divides_by_zero(pass, function, loop, node))
            report_lost(pass, &event, function, node);
}

/* Every function between the loop and the place is written out by numba itself: it belongs to the
 * body. */
static bool is_written_out(const Pass *pass, const Event *event)
{
    for (const Effect *at = event->effect->via; at != NULL; at = at->via)
        if ((program_function_data(pass->program, at->function)->flags & FN_INLINE_ALWAYS) == 0)
            return false;
    return true;
}

static void check_event(Pass *pass, const Event *event)
{
    const Effect *origin = event->origin;
    if (origin->kind != EFFECT_RAISE || event->effect->via == NULL || event->dealt.node == 0 ||
        event->dealt.function != event->root ||
        is_caught(ast_of(pass, origin->function), origin->node))
        return;
    if (is_written_out(pass, event))
        report_serial(pass, event, origin->function, origin->node);
    else if (!read_body(pass, event, event->dealt.node, false))
        report_lost(pass, event, origin->function, origin->node);
}

static void check(Pass *pass)
{
    for (FunctionId id = 1; id < pass->program->functions.count; id++) {
        const Unit *unit = program_function_unit(pass->program, id);
        AstNode root = program_function_data(pass->program, id)->node;
        if (unit->language != LANGUAGE_PYTHON)
            continue;
        FOR_EACH_NODE (unit->ast, node, root)
            if (ast_kind(unit->ast, node) == AST_LOOP &&
                ast_at(unit->ast, node)->value.loop.run == RUN_PARALLEL &&
                program_function(pass->program, unit, ast_function_of(unit->ast, node)) == id)
                check_loop(pass, id, node);
    }
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++)
        check_event(pass, facts_event(pass->facts, i));
}

const Rule rule_raise_in_prange = {
    .id = "raise-in-prange",
    .summary = "a parallel iteration is left early or raises: the loop stays serial, or the "
               "exception is lost",
    .help = "numba runs a prange that raise, assert, return or break can leave on one thread. An "
            "exception of a function that an iteration calls does not reach the caller. Check "
            "before the loop, or collect marks and look at them after it.",
    .severity = SEVERITY_ERROR,
    .check = check,
    .predict = predict_lost_team,
};
