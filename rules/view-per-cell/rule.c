/* Views whose reference count survives in the innermost loop. Which do is counted, not guessed:
 * facts/view.c; whose count it is, and so whether threads fight over it, follows from where the
 * array comes from: facts/event.c. */
#include "analyzer/pass.h"

#include <math.h>
#include <string.h>

/* All views that one consumer takes: helper(x[:, i], y[:, j]) is one finding. */
typedef struct Group {
    const Event *first;
    AstNode begin, end;
    uint32_t views, pairs, shared_pairs, private_pairs;
    const ViewUse *worst;
    const Event *shared; /* a view whose count is shared */
    CpuTargets targets;  /* on which the count of one of them stays */
    bool likely;
    bool hoisted; /* a list element that was fetched in front of the parallel loop: relieved by hand
                   */
} Group;

static bool same_group(const Event *left, const Event *right)
{
    return left->origin->function == right->origin->function && left->root == right->root &&
           left->construct == right->construct &&
           (left->effect->node == right->effect->node ||
            (left->effect == left->origin && right->effect == right->origin)) &&
           left->origin->view->consumer == right->origin->view->consumer;
}

/* Whether fetching the step's element counts references. */
static bool is_counted(const PlaceStep *step)
{
    return step->counted || step->container == CONTAINER_TYPED_LIST ||
           step->container == CONTAINER_LIST || step->container == CONTAINER_DICT;
}

static bool is_hoisted(const Pass *pass, const Event *event)
{
    const Place *place = &event->effect->place;
    for (uint8_t i = 0; i < place->count; i++) {
        const PlaceStep *step = &place->steps[i];
        bool list = step->container == CONTAINER_TYPED_LIST || step->container == CONTAINER_LIST;
        if (list && !event_covers(pass->facts, event, step->function, step->node))
            return true;
    }
    return false;
}

static void join(const Pass *pass, Group *group, const Event *event)
{
    group->hoisted |= is_hoisted(pass, event);
    const ViewUse *use = event->origin->view;
    bool likely;
    EventCount count = event_count(pass->facts, event, &likely);
    group->views++;
    group->pairs += use->pairs;
    group->targets |= use->stays.targets;
    if (count == EVENT_COUNT_SHARED) {
        group->shared_pairs += use->pairs;
        group->shared = event;
        group->likely |= likely;
    }
    if (count == EVENT_COUNT_PRIVATE)
        group->private_pairs += use->pairs;
    if (group->worst == NULL || use->survival > group->worst->survival)
        group->worst = use;
    if (group->begin == 0 || event->origin->node < group->begin)
        group->begin = event->origin->node;
    if (event->origin->node > group->end)
        group->end = event->origin->node;
}

static const char *base_name(const Pass *pass, const Event *event)
{
    const Place *place = &event->effect->place;
    return place->base == PLACE_VARIABLE ? sym_name(pass->facts, place->sym) : "an array";
}

static const char *views_in_words(const Pass *pass, const Group *group)
{
    const Unit *unit = program_function_unit(pass->program, group->first->origin->function);
    const char *begin = unit_excerpt(unit, group->begin, pass->arena, 40);
    if (group->views < 2 || group->begin == group->end)
        return begin;
    return arena_printf(pass->arena, group->views > 2 ? "%s … %s" : "%s and %s", begin,
                        unit_excerpt(unit, group->end, pass->arena, 40));
}

/* The list element whose count the threads share, as it is written where it is fetched:
 * "queries[0]". */
static const char *shared_element(const Pass *pass, const Event *event)
{
    const Place *place = &event->effect->place;
    const char *text = base_name(pass, event);
    for (uint8_t i = 0; i < place->count; i++) {
        const PlaceStep *step = &place->steps[i];
        if (is_counted(step))
            text = pass_text(pass, step->function, step->node);
    }
    return text;
}

static const char *whose_count(const Pass *pass, const Group *group)
{
    if (group->shared != NULL)
        return arena_printf(pass->arena,
                            "all threads count on %s%s, whose cache line moves from core to core",
                            shared_element(pass, group->shared),
                            group->likely ? " (an element of a list, as it seems)" : "");
    if (group->private_pairs > 0)
        return "each thread counts on elements of its own: time on every thread, but no contention";
    return "the array carries no live count here: time on every thread, but no contention";
}

static const char *message(const Pass *pass, const Group *group, const Finding *finding)
{
    bool many = group->views > 1 && group->begin != group->end;
    return arena_printf(pass->arena, "%s %s built and counted once per %s of %s, since %s; %s",
                        views_in_words(pass, group), many ? "are" : "is", finding->per,
                        pass_loops(pass, finding), group->worst->reason, whose_count(pass, group));
}

/* numba's own decorator: an alias is an object that takes no more options, a wrapper has its own.
 */
static bool is_of_numba(const Ast *ast, AstNode decorator)
{
    const AstNodeData *data = ast_at(ast, decorator);
    const char *name = intern_text(ast->names, data->name);
    const char *last = strrchr(name, '.');
    return data->kind == AST_NAME && strncmp(name, "numba.", 6) == 0 &&
           (strcmp(last, ".njit") == 0 || strcmp(last, ".jit") == 0);
}

/* inline= is given already, perhaps among **options. */
static bool has_inline(const Ast *ast, AstNode call)
{
    FOR_EACH_CHILD (ast, argument, call)
        if (ast_kind(ast, argument) == AST_SPREAD ||
            (ast_kind(ast, argument) == AST_KEYWORD &&
             strcmp(intern_text(ast->names, ast_at(ast, argument)->name), "inline") == 0))
            return true;
    return false;
}

/* @njit → @njit(inline="always"), behind the last argument: a comma or comment may follow it. */
static bool add_inline(const Pass *pass, Fix *fix, FunctionId helper, AstNode decorator)
{
    const Ast *ast = program_function_unit(pass->program, helper)->ast;
    const AstNodeData *data = ast_at(ast, decorator);
    if (data->kind != AST_CALL) {
        pass_edit(pass, fix, helper, decorator, data->stop, data->stop, "(inline=\"always\")");
        return is_of_numba(ast, decorator);
    }
    AstNode last = 0;
    FOR_EACH_CHILD (ast, part, decorator)
        last = part;
    bool empty = last == ast_first(ast, decorator);
    uint32_t at = empty ? data->stop - 1 : ast_at(ast, last)->stop;
    pass_edit(pass, fix, helper, decorator, at, at,
              empty ? "inline=\"always\"" : ", inline=\"always\"");
    return is_of_numba(ast, ast_first(ast, decorator)) && !has_inline(ast, decorator);
}

/* Only where the helper cannot raise. */
static void offer_inline(const Pass *pass, FunctionId helper, Finding *finding)
{
    const AstFunctionData *function = program_function_data(pass->program, helper);
    const Ast *ast = program_function_unit(pass->program, helper)->ast;
    AstNode decorator = 0;
    FOR_EACH_CHILD (ast, child, function->node) {
        if (ast_kind(ast, child) != AST_DECORATOR)
            continue;
        if (decorator != 0)
            return;
        decorator = child;
    }
    if (decorator == 0 || (function->flags & (FN_INLINE_ALWAYS | FN_PARALLEL)) != 0)
        return;
    Fix fix = {.description = arena_printf(pass->arena, "let numba inline %s: inline=\"always\"",
                                           pass_function_name(pass, helper))};
    fix.safe = add_inline(pass, &fix, helper, ast_first(ast, decorator));
    fix.edits.count = fix.safe ? fix.edits.count : 0;
    LIST_PUSH(pass->arena, &finding->fixes, fix);
}

static void advise(const Pass *pass, Finding *finding, const char *text)
{
    LIST_PUSH(pass->arena, &finding->fixes, (Fix){.description = text});
}

static void offer_fixes(const Pass *pass, const Group *group, Finding *finding)
{
    const ViewUse *use = group->worst;
    bool everywhere = use->survival == SURVIVES_EVERYWHERE;
    if (use->helper != 0 && !everywhere && !use->raises)
        offer_inline(pass, use->helper, finding);
    if (strstr(use->reason, "divides") != NULL)
        advise(pass, finding,
               "compile the helper with error_model=\"numpy\", where the division is its only way "
               "to raise");
    if (use->helper != 0)
        advise(pass, finding, "pass the arrays and the indices instead of views");
    advise(pass, finding, "write the loop out, element by element");
    if (group->shared != NULL) {
        advise(pass, finding, "fetch the list element before the parallel loop");
        advise(pass, finding, "use one array in place of the list");
    }
}

/* Elements of the list that every thread takes in turn, where the program or the user says how many
 * there are; else it is taken for one that all are at, and that is said. */
static void take_turns(const Pass *pass, const Event *event, Finding *finding)
{
    const Place *place = &event->effect->place;
    for (uint32_t i = 0; i < (uint32_t)place->count * AFFINE_TERMS; i++) {
        const PlaceStep *step = &place->steps[i / AFFINE_TERMS];
        uint32_t term = i % AFFINE_TERMS;
        bool known;
        if (!is_counted(step) || term >= step->index.count)
            continue;
        EventLoop loop = event_loop_over(pass->facts, event, step->index.terms[term].sym);
        if (loop.node == 0)
            continue;
        const Unit *unit = program_function_unit(pass->program, loop.function);
        double turns = work_trips(pass->work, unit, loop.node, &known);
        if (known)
            finding->exposure.places = fmax(1, finding->exposure.places) * turns;
        else
            finding->assumed = arena_printf(
                pass->arena, "%s%sall threads are at the same %s (%s)", finding->assumed,
                *finding->assumed == '\0' ? "" : "; ", shared_element(pass, event),
                work_size_name(pass->work, pass->arena, unit, loop.node));
    }
}

/* A helper that gets views from inside two loops or more works on the short side of the data. */
static void work_as_cell(const Pass *pass, const Event *event, const Group *group, Finding *finding)
{
    if (event->loop_count >= 3 && group->worst->helper != 0)
        finding->exposure.work_ns = pass_work(pass, event, work_cells(pass->work), finding);
}

/* A helper that keeps its counts is not inlined, and inlining is the fix: the call goes as well.
 * What a cell waits for from the last one stays. */
static void add_call(const Pass *pass, const Group *group, Exposure *exposure)
{
    double call = pass->machine->call_ns.value;
    if (group->worst->helper == 0 || group->worst->survival < SURVIVES_SOMEWHERE ||
        exposure->work_ns <= call)
        return;
    EventLoop cell = event_cell(group->first);
    const Unit *unit = cell.node == 0 ? NULL : program_function_unit(pass->program, cell.function);
    double wait = unit == NULL ? 0 : work_wait_ns(pass->work, unit, cell.node);
    exposure->work_ns = fmax(exposure->work_ns - call, wait);
    exposure->overhead_ns = pass->machine->view_ns.value + call / exposure->events;
}

static void report(Pass *pass, const Group *group)
{
    const Event *event = group->first;
    if (event->loop_count == 1 && group->shared == NULL && group->worst->element)
        return; /* an element of its own once per iteration */
    Finding finding = pass_finding(pass, event, event->origin->function, group->begin, group->end);
    Exposure *exposure = &finding.exposure;
    finding.shared = group->shared != NULL;
    exposure->sharing = group->shared != NULL      ? SHARING_ALL
                        : group->private_pairs > 0 ? SHARING_PRIVATE
                                                   : SHARING_NONE;
    exposure->access = ACCESS_ATOMIC;
    exposure->events = group->shared != NULL ? group->shared_pairs : group->pairs;
    work_as_cell(pass, event, group, &finding);
    add_call(pass, group, exposure);
    if (group->shared != NULL)
        take_turns(pass, group->shared, &finding);
    finding.what = arena_printf(pass->arena, "view of %s", base_name(pass, event));
    finding.portability = group->worst->stays.words;
    finding.targets = group->targets;
    bool kernel = event->loop_count == 1 &&
                  group->worst->helper != 0; /* a row each, to a function */
    finding.note_only = group->worst->survival == SURVIVES_SELDOM ||
                        (kernel && group->shared == NULL) ||
                        (group->hoisted && group->shared == NULL);
    finding.message = message(pass, group, &finding);
    offer_fixes(pass, group, &finding);
    pass_add(pass, &finding);
}

static bool concerns(const Event *event)
{
    return event->effect->kind == EFFECT_VIEW && !event->rare && !event->once &&
           event->loop_count > 0;
}

static void check(Pass *pass)
{
    uint32_t count = facts_event_count(pass->facts);
    for (uint32_t i = 0; i < count; i++) {
        const Event *event = facts_event(pass->facts, i);
        if (!concerns(event))
            continue;
        Group group = {.first = event};
        bool earlier = false;
        for (uint32_t k = i;
             k-- > 0 && facts_event(pass->facts, k)->root == event->root && !earlier;)
            earlier = concerns(facts_event(pass->facts, k)) &&
                      same_group(facts_event(pass->facts, k), event);
        for (uint32_t k = i;
             !earlier && k < count && facts_event(pass->facts, k)->root == event->root; k++)
            if (concerns(facts_event(pass->facts, k)) &&
                same_group(event, facts_event(pass->facts, k)))
                join(pass, &group, facts_event(pass->facts, k));
        if (!earlier)
            report(pass, &group);
    }
}

const Rule rule_view_per_cell = {
    .id = "view-per-cell",
    .summary = "a counted view of an array is made in every cell of a parallel computation",
    .help = "numba counts references to the memory of arrays with atomic operations. A view that "
            "is made per cell and "
            "handed to a helper that is not inlined counts up and down each time; where threads "
            "share the array's "
            "count, its cache line moves between cores with every cell. Inline the helper, or pass "
            "arrays and indices.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_view,
};
