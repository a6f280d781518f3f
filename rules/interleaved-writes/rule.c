/* Neighbouring elements of one line, written by different threads in turn. */
#include "analyzer/pass.h"

static bool same_array(const Event *left, const Event *right)
{
    const Place *a = &left->effect->place, *b = &right->effect->place;
    return left->root == right->root && left->construct == right->construct &&
           left->dealt.node == right->dealt.node && a->base == b->base && a->sym == b->sym &&
           a->node == b->node;
}

static bool same_fields(const Event *left, const Event *right)
{
    const Place *a = &left->effect->place, *b = &right->effect->place;
    for (uint8_t i = 0; i < a->count && i < b->count; i++)
        if (a->steps[i].kind == STEP_FIELD && b->steps[i].kind == STEP_FIELD &&
            a->steps[i].field != b->steps[i].field && i + 1 < a->count)
            return false; /* p->red[i] and p->green[i] */
    return true;
}

/* An earlier write of the same construct to the same array tells of it already. */
static bool is_told(const Pass *pass, const Event *event, uint32_t index)
{
    Deal deal;
    for (uint32_t i = index; i-- > 0;) {
        const Event *other = facts_event(pass->facts, i);
        if (other->root != event->root)
            return false;
        if (same_array(event, other) && same_fields(event, other) &&
            event_deal(pass->facts, other, pass->threads, &deal))
            return true;
    }
    return false;
}

/* The element is read where it is written: phase[v] = phase[v] + … */
static bool is_update(const Pass *pass, const Event *event)
{
    if (event->effect->kind != EFFECT_WRITE)
        return true;
    const Effect *origin = event->origin;
    const Ast *ast = program_function_unit(pass->program, origin->function)->ast;
    AstNode target = ast_first(ast, origin->node);
    AstNode within = origin->node;
    while (within != 0 && ast_kind(ast, within) != AST_LOOP &&
           ast_kind(ast, within) != AST_FUNCTION)
        within = ast_parent(ast, within);
    FOR_EACH_NODE (ast, node, within)
        if (node != target && ast_kind(ast, node) == ast_kind(ast, target) &&
            ast_same(ast, node, target) && ast_first(ast, ast_parent(ast, node)) != node)
            return true;
    return false;
}

static const char *how_of(const Pass *pass, const Event *event, const Deal *deal)
{
    const Unit *unit = program_function_unit(pass->program, event->dealt.function);
    switch (deal->form) {
    case DEAL_CHUNKS:
        return "its iterations are dealt out in small chunks";
    case DEAL_AXIS:
        return arena_printf(pass->arena,
                            "the threads share the short fastest axis, %s, and each runs over all "
                            "rows",
                            pass_loop_name(pass, unit, event->dealt.node));
    default:
        return "every thread jumps over the shares of the others";
    }
}

static const char *advice_of(const Deal *deal)
{
    switch (deal->form) {
    case DEAL_CHUNKS:
        return "use schedule(static), or chunks that write several whole cache lines";
    case DEAL_AXIS:
        return "make the loop over the rows the parallel one, with the fastest axis inside";
    default:
        return "give every thread a block: from t * n / threads to (t + 1) * n / threads";
    }
}

static void report(Pass *pass, const Event *event, const Deal *deal)
{
    const Effect *origin = event->origin;
    const Ast *ast = program_function_unit(pass->program, origin->function)->ast;
    Finding finding = pass_finding(pass, event, origin->function, origin->node, origin->node);
    AstNode target = ast_kind(ast, origin->node) == AST_CALL ? ast_child(ast, origin->node, 1)
                                                             : ast_first(ast, origin->node);
    const char *text = pass_text(pass, origin->function, target != 0 ? target : origin->node);
    finding.shared = true;
    finding.what = arena_printf(pass->arena, "write of %s", text);
    finding.note_only = (event->effect->flags & EFFECT_COMPARED) != 0; /* clamped here and there */
    finding.exposure.sharing = SHARING_PRIVATE;
    finding.exposure.work_ns = pass_work_beside(pass, event, &finding);
    finding.exposure.access = is_update(pass, event) ? ACCESS_UPDATE : ACCESS_STORE;
    finding.exposure.bytes = (double)deal->size;
    finding.exposure.stride = (double)deal->run;
    if (deal->form == DEAL_AXIS) /* one element of a row in each pass */
        finding.exposure.places = (double)deal->run / (double)deal->size;
    finding.message = arena_printf(
        pass->arena,
        "%s, written once per %s of %s: %s, so that a thread writes %lld bytes before those of "
        "another begin, and cache lines move between the cores",
        text, finding.per, pass_loops(pass, &finding), how_of(pass, event, deal),
        (long long)deal->run);
    int64_t pair[2];
    if (deal_witness(pass->facts, event, deal, pair))
        finding.message = arena_printf(pass->arena, "%s (iterations %lld and %lld, for example)",
                                       finding.message, (long long)pair[0], (long long)pair[1]);
    LIST_PUSH(pass->arena, &finding.fixes, (Fix){.description = advice_of(deal)});
    pass_add(pass, &finding);
}

static void check(Pass *pass)
{
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *event = facts_event(pass->facts, i);
        Deal deal;
        if (event_deal(pass->facts, event, pass->threads, &deal) && !is_told(pass, event, i))
            report(pass, event, &deal);
    }
}

const Rule rule_interleaved_writes = {
    .id = "interleaved-writes",
    .summary = "neighbouring elements of one cache line are written by different threads",
    .help = "Where iterations are dealt out one by one, every cache line of the result is written "
            "by many threads and moves between their cores. Give each thread a block of its own.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_interleaved,
};
