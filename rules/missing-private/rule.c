/* Scalars that each iteration, or each thread, uses for itself, and that all threads share. */
#include "analyzer/pass.h"

static const Ast *ast_of(const Pass *pass, FunctionId function)
{
    return program_function_unit(pass->program, function)->ast;
}

/* The name of what a call of the C library fills. */
static AstNode filled_by(const Ast *ast, const Effect *origin)
{
    FOR_EACH_NODE (ast, node, origin->node)
        if (ast_kind(ast, node) == AST_NAME && node != ast_first(ast, origin->node) &&
            ast_at(ast, node)->symbol == (AstSymbol)(uint32_t)origin->place.sym)
            return node;
    return 0;
}

/* The expression that is stored to: the target of an assignment, the variable of a loop. */
static AstNode scalar_of(const Ast *ast, const Effect *origin)
{
    AstKind kind = ast_kind(ast, origin->node);
    if (kind == AST_CALL && origin->kind == EFFECT_WRITE)
        return filled_by(ast, origin);
    return kind == AST_ASSIGN ? ast_first(ast, origin->node) : kind == AST_NAME ? origin->node : 0;
}

/* What is run once per iteration, or per thread: the part of the parallel construct that stands in
 * the function of the store, or that whole function. */
static AstNode code_of(const Pass *pass, const Event *event, bool *inside)
{
    FunctionId function = event->origin->function;
    const Ast *ast = ast_of(pass, function);
    *inside = true;
    if (event->dealt.node != 0 && event->dealt.function == function &&
        ast_holds(ast, event->dealt.node, event->origin->node))
        return loop_body(ast, event->dealt.node);
    AstNode part = event_part(pass->facts, event);
    if (event->root == function && part != 0)
        return ast_first(ast, part);
    if (event->root == function && ast_kind(ast, event->construct) == AST_REGION)
        return ast_first(ast, event->construct);
    *inside = false;
    return ast_first(ast, program_function_data(pass->program, function)->node);
}

static bool is_plain_scalar(const Pass *pass, const Event *event, AstNode scalar)
{
    if (!place_fixed(&event->effect->place) || !place_fixed(&event->origin->place))
        return false;
    const Ast *ast = ast_of(pass, event->origin->function);
    const AstNodeData *data = ast_at(ast, scalar);
    return (ast->symbols.items[data->symbol].flags & SYMBOL_ATOMIC) == 0 &&
           (ast->types.items[data->type].flags & TYPE_ATOMIC) == 0 &&
           (data->kind == AST_NAME || data->kind == AST_DEREF || data->kind == AST_FIELD);
}

/* A thread that is started once writes alone. */
static bool is_one_thread(const Pass *pass, const Event *event)
{
    const Ast *ast = ast_of(pass, event->root);
    if (ast_kind(ast, event->construct) != AST_CALL)
        return false;
    for (AstNode up = ast_parent(ast, event->construct); up != 0; up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_LOOP)
            return false;
    return true;
}

/* if (!ready) set_up(): what is called under a condition may run once in all. */
static bool is_called_conditionally(const Event *event)
{
    for (const Effect *at = event->effect; at->via != NULL; at = at->via)
        for (const Frame *frame = at->frame; frame != NULL; frame = frame->outer)
            if (frame->kind == FRAME_BRANCH)
                return true;
    return false;
}

static bool concerns(const Pass *pass, const Event *event)
{
    const Effect *origin = event->origin;
    if ((origin->kind != EFFECT_WRITE && origin->kind != EFFECT_ACCUMULATE) || event->locked ||
        (event->once && !event_has_peer(pass->facts, event)) || event->rare || event->in_task ||
        is_called_conditionally(event) ||
        program_function_unit(pass->program, origin->function)->language == LANGUAGE_PYTHON)
        return false;
    AstNode scalar = scalar_of(ast_of(pass, origin->function), origin);
    return scalar != 0 && is_plain_scalar(pass, event, scalar) && !is_one_thread(pass, event) &&
           event_shared(pass->facts, event, &event->effect->place) == 1;
}

typedef enum Fault { FAULT_NONE, FAULT_SCRATCH, FAULT_LAST, FAULT_CARRIED } Fault;

/* What a local begins with; any other expression as it is. */
static AstNode behind_local(const Ast *ast, AstNode value)
{
    value = ast_without_casts(ast, value);
    if (ast_kind(ast, value) != AST_NAME)
        return value;
    AstNode decl = ast->symbols.items[ast_at(ast, value)->symbol].decl;
    AstNode first = ast_kind(ast, decl) == AST_DECL ? ast_first(ast, decl) : 0;
    return first != 0 ? first : value;
}

static bool is_value_of(const Ast *ast, AstNode assign, AstNode place)
{
    AstNode value = behind_local(ast, ast_child(ast, assign, 1));
    return ast_kind(ast, value) == ast_kind(ast, place) && ast_same(ast, value, place);
}

/* x = *across; y = *down; …; *across = y; *down = x: two shared places change their values, so that
 * what is read is another one each time. */
static bool is_exchanged(const Pass *pass, const Event *event)
{
    const Effect *origin = event->origin;
    const Ast *ast = ast_of(pass, origin->function);
    if (ast_kind(ast, origin->node) != AST_ASSIGN)
        return false;
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *other = facts_event(pass->facts, i);
        const Effect *its = other->origin;
        if (other->root == event->root && other->construct == event->construct &&
            its->function == origin->function && its->kind == EFFECT_WRITE &&
            ast_kind(ast, its->node) == AST_ASSIGN &&
            is_value_of(ast, origin->node, ast_first(ast, its->node)) &&
            is_value_of(ast, its->node, ast_first(ast, origin->node)) &&
            event_shared(pass->facts, other, &other->effect->place) == 1)
            return true;
    }
    return false;
}

static Fault fault_of(const Pass *pass, const Event *event, AstNode scalar, AstNode *first)
{
    bool inside;
    AstNode code = code_of(pass, event, &inside);
    FunctionId function = event->origin->function;
    Access access = access_order(pass->facts, event, function, code, scalar);
    *first = access.first_write;
    if (access.opaque || access.constant || access.reads_perhaps || access.first_write == 0 ||
        (event->dealt.node == 0 && !access.varies && event_part(pass->facts, event) == 0))
        return FAULT_NONE;
    bool plain = event->origin->kind == EFFECT_WRITE &&
                 (event->origin->flags & EFFECT_COMPARED) == 0;
    bool carried = plain && access.always && event->dealt.node != 0 &&
                   (inside || is_exchanged(pass, event));
    if (access.reads_before)
        return carried && !access.updated ? FAULT_CARRIED : FAULT_NONE;
    if (access.reads_own)
        return FAULT_SCRATCH;
    bool last = inside && access.always && event->dealt.node != 0 &&
                access_used_after(pass->facts, event, function, event->dealt.node, scalar);
    return last ? FAULT_LAST : FAULT_NONE;
}

/* Every value that is read in the construct was written in the same turn of it, whatever the loops
 * in it do; and no value leaves it, or surely the last one. */
static bool is_surely(const Pass *pass, const Event *event, AstNode scalar, Fault fault)
{
    bool inside;
    FunctionId function = event->origin->function;
    AstNode code = code_of(pass, event, &inside);
    Access access = access_order_surely(pass->facts, event, function, code, scalar);
    AstNode construct = event->dealt.node != 0 ? event->dealt.node : event->construct;
    if (!inside || access.opaque || access.reads_before || access.reads_perhaps)
        return false;
    if (fault == FAULT_LAST)
        return access.always;
    return !access_used_after(pass->facts, event, function, construct, scalar);
}

/* A variable of the function that holds the directive: the clause behind it. */
static void offer_clause(const Pass *pass, const Event *event, AstNode scalar, Fault fault,
                         Finding *finding)
{
    FunctionId function = event->dealt.node != 0 ? event->dealt.function : event->root;
    AstNode directive = event->dealt.node != 0 ? event->dealt.node : event->construct;
    const Ast *ast = ast_of(pass, function);
    const char *name = pass_text(pass, event->origin->function, scalar);
    if (function != event->origin->function || ast_kind(ast, directive) == AST_CALL ||
        ast_kind(ast, scalar) != AST_NAME)
        return;
    const char *open = fault == FAULT_LAST ? "lastprivate(" : "private(";
    AstSymbol symbol = ast_at(ast, scalar)->symbol;
    Fix fix = {.description = arena_printf(pass->arena, "add %s%s) to the directive", open, name)};
    fix.safe =
        ast_kind(ast, event->origin->node) != AST_CALL &&
        (event->dealt.node != 0 || event_part(pass->facts, event) == 0) &&
        is_surely(pass, event, scalar, fault) &&
        clause_private(pass->facts, function, directive, symbol) &&
        edit_clause(pass_edits(pass, function), &fix, directive, open, symbol, fault == FAULT_LAST);
    fix.edits.count = fix.safe ? fix.edits.count : 0;
    LIST_PUSH(pass->arena, &finding->fixes, fix);
}

static const char *message_of(const Pass *pass, const Event *event, const Finding *finding,
                              const char *name, Fault fault)
{
    const char *is = finding->cause.kind == CAUSE_STATICS ? "is static, and so shared"
                                                          : "is shared";
    const char *turn = event->dealt.node != 0                ? "iteration"
                       : event_part(pass->facts, event) != 0 ? "section"
                                                             : "thread";
    if (fault == FAULT_LAST)
        return arena_printf(
            pass->arena,
            "%s %s and every iteration writes it: what the code after the loop reads is the value "
            "of whichever thread came last",
            name, is);
    if (fault == FAULT_CARRIED)
        return arena_printf(
            pass->arena,
            "%s %s, and each iteration reads what another has left there before it writes its own "
            "value: which other one depends on the threads",
            name, is);
    return arena_printf(
        pass->arena,
        "%s %s, and each %s writes it and reads it back: between the two another thread writes its "
        "own value",
        name, is, turn);
}

static void report(Pass *pass, const Event *event, Fault fault, AstNode first)
{
    FunctionId function = event->origin->function;
    AstNode scalar = scalar_of(ast_of(pass, function), event->origin);
    Finding finding = pass_finding(pass, event, function, first, first);
    const char *name = pass_text(pass, function, scalar);
    finding.shared = true;
    finding.exposure.sharing = SHARING_ALL;
    Promotion promotion = event_promotion(pass->facts, event);
    finding.exposure.access = promotion.loads ? ACCESS_STORE : ACCESS_UPDATE;
    if (promotion.whole)
        finding.unless =
            arena_printf(pass->arena, "the compiler reads %s back from a register", name);
    finding.what = arena_printf(pass->arena, "write of %s", name);
    pass_cause_statics(pass, event, name, &finding);
    finding.message = message_of(pass, event, &finding, name, fault);
    if (finding.cause.kind == CAUSE_STATICS)
        LIST_PUSH(pass->arena, &finding.fixes,
                  (Fix){.description = "drop `static` from its declaration, where no call needs "
                                       "what the last one left"});
    if (fault != FAULT_CARRIED)
        offer_clause(pass, event, scalar, fault, &finding);
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = fault == FAULT_LAST ? "compute the last value after the loop"
                                   : fault == FAULT_CARRIED
                                       ? "compute the value from the loop variable; if "
                                         "it has to come from the iteration before, the "
                                         "loop is serial"
                                       : "declare it where it is first written"});
    pass_add(pass, &finding);
}

/* Whether an event in front of this one, in the same function, is told and `same` as it. */
static bool is_told(const Pass *pass, const Event *event,
                    bool (*same)(const Pass *, const Event *other, const Event *event))
{
    for (uint32_t i = 0; facts_event(pass->facts, i) != event; i++) {
        const Event *other = facts_event(pass->facts, i);
        if (other->root == event->root && same(pass, other, event))
            return true;
    }
    return false;
}

/* All threads store to `name` at `place` of the loop's function. */
static Finding race_finding(const Pass *pass, const Event *event, AstNode place, const char *name)
{
    Finding finding = pass_finding(pass, event, event->root, place, place);
    finding.shared = true;
    finding.exposure.sharing = SHARING_ALL;
    finding.exposure.access = ACCESS_STORE;
    finding.what = arena_printf(pass->arena, "write of %s", name);
    return finding;
}

/* ---- what a called function fills: divide(x[i], &whole); y[i] = whole ---- */

/* The variable of the loop's function whose address the call is given; 0 where it is another
 * thing. */
static AstNode handed_over(const Pass *pass, const Event *event)
{
    const Effect *effect = event->effect;
    const Ast *ast = ast_of(pass, event->root);
    if (effect->via == NULL || event->dealt.node == 0 || event->dealt.function != event->root ||
        effect->function != event->root || effect->place.base != PLACE_VARIABLE ||
        effect->place.count > 0 || ast_kind(ast, effect->node) != AST_CALL)
        return 0;
    FOR_EACH_CHILD (ast, argument, effect->node) {
        AstNode name = ast_kind(ast, argument) == AST_ADDRESS ? ast_first(ast, argument) : 0;
        if (name != 0 && ast_kind(ast, name) == AST_NAME &&
            ast_at(ast, name)->symbol == (AstSymbol)(uint32_t)effect->place.sym)
            return name;
    }
    return 0;
}

/* Something else that the call is given belongs to the iteration. */
static bool is_given_other(const Pass *pass, const Event *event)
{
    const Unit *unit = program_function_unit(pass->program, event->root);
    const Ast *ast = unit->ast;
    FOR_EACH_CHILD (ast, argument, event->effect->node) {
        if (argument == ast_first(ast, event->effect->node))
            continue;
        FOR_EACH_NODE (ast, node, argument) {
            AstSymbol symbol = ast_kind(ast, node) == AST_NAME ? ast_at(ast, node)->symbol : 0;
            if (symbol != 0 &&
                (event_distinguishes(pass->facts, event, sym_of(unit, symbol)) ||
                 (ast->symbols.items[symbol].kind == SYMBOL_LOCAL &&
                  ast_holds(ast, event->dealt.node, ast->symbols.items[symbol].decl))))
                return true;
        }
    }
    return false;
}

/* The stores behind one call to one variable are one finding. */
static bool is_of_call(const Pass *pass, const Event *other, const Event *event)
{
    return other->construct == event->construct && other->effect->node == event->effect->node &&
           place_same(&other->effect->place, &event->effect->place) && concerns(pass, other);
}

static Fault fault_of_call(const Pass *pass, const Event *event, AstNode name)
{
    const Ast *ast = ast_of(pass, event->root);
    Access access =
        access_order(pass->facts, event, event->root, loop_body(ast, event->dealt.node), name);
    if (access.opaque || access.reads_before || access.reads_perhaps || access.updated ||
        access.first_write != event->effect->node || !is_given_other(pass, event))
        return FAULT_NONE;
    return access.reads_own ? FAULT_SCRATCH : FAULT_NONE;
}

static void report_call(Pass *pass, const Event *event, AstNode name)
{
    if (fault_of_call(pass, event, name) == FAULT_NONE || is_told(pass, event, is_of_call))
        return;
    AstNode place = ast_parent(ast_of(pass, event->root), name);
    const char *text = pass_text(pass, event->root, name);
    Finding finding = race_finding(pass, event, place, text);
    finding.message = message_of(pass, event, &finding, text, FAULT_SCRATCH);
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = arena_printf(
                        pass->arena, "declare %s inside the loop, or name it in private", text)});
    pass_add(pass, &finding);
}

static void check_scalar(Pass *pass, const Event *event)
{
    FunctionId function = event->origin->function;
    AstNode scalar = scalar_of(ast_of(pass, function), event->origin), first;
    Fault fault = fault_of(pass, event, scalar, &first);
    AstNode name = handed_over(pass, event);
    if (fault != FAULT_NONE)
        report(pass, event, fault, first);
    else if (name != 0)
        report_call(pass, event, name);
}

/* ---- scratch arrays ---- */

/* The variable at the bottom of a[k][l] or a[k].x. */
static AstNode array_of(const Ast *ast, AstNode target)
{
    bool element = false;
    for (; ast_kind(ast, target) == AST_INDEX || ast_kind(ast, target) == AST_FIELD;
         target = ast_first(ast, target))
        element |= ast_kind(ast, target) == AST_INDEX;
    return element && ast_kind(ast, target) == AST_NAME ? target : 0;
}

/* Something that the iterations write themselves, or that tells them apart, is part of it. */
static bool differs(const Pass *pass, const Event *event, AstNode value)
{
    const Unit *unit = program_function_unit(pass->program, event->root);
    FOR_EACH_NODE (unit->ast, node, value) {
        AstSymbol symbol = ast_kind(unit->ast, node) == AST_NAME ? ast_at(unit->ast, node)->symbol
                                                                 : 0;
        if (symbol != 0 && event_distinguishes(pass->facts, event, sym_of(unit, symbol)))
            return true;
    }
    return false;
}

/* Nothing but loops whose turns all run stands between the store and the dealt loop. */
static bool is_always_run(const Event *event)
{
    for (const Frame *frame = event->effect->frame; frame != NULL; frame = frame->outer) {
        if (frame->kind == FRAME_LOOP && frame->node == event->dealt.node)
            return true;
        if (frame->kind != FRAME_LOOP)
            return false;
    }
    return false;
}

/* c[1], not c[k] */
static bool is_fixed_element(const Ast *ast, AstNode element)
{
    int64_t known;
    return ast_kind(ast, element) == AST_INDEX && ast_child_count(ast, element) == 2 &&
           ast_kind(ast, ast_first(ast, element)) == AST_NAME &&
           ast_constant(ast, ast_child(ast, element, 1), &known);
}

/* Every iteration fills elements that all iterations fill, with values of its own. */
static bool fills(const Pass *pass, const Event *event)
{
    const Effect *effect = event->effect;
    const Ast *ast = ast_of(pass, event->root);
    AstNode assign = effect->node;
    return effect->kind == EFFECT_WRITE && effect->via == NULL &&
           (effect->flags & EFFECT_COMPARED) == 0 && event->dealt.node != 0 &&
           event->dealt.function == event->root &&
           (event->loop_count > 1 || is_fixed_element(ast, ast_first(ast, assign))) &&
           !event->locked && !event->once && !event->rare && !event->in_task &&
           is_always_run(event) && ast_kind(ast, assign) == AST_ASSIGN &&
           ast_at(ast, assign)->op == OP_NONE && array_of(ast, ast_first(ast, assign)) != 0 &&
           event_shared(pass->facts, event, &effect->place) == 1 &&
           event_meeting(pass->facts, event) == MEET_ALWAYS &&
           differs(pass, event, ast_child(ast, assign, 1));
}

/* A name of the array that is no target of a plain store. */
static bool reads_array(const Ast *ast, AstNode node, AstSymbol symbol)
{
    if (ast_kind(ast, node) != AST_NAME || ast_at(ast, node)->symbol != symbol)
        return false;
    AstNode top = node, parent = ast_parent(ast, top);
    for (; (ast_kind(ast, parent) == AST_INDEX && ast_first(ast, parent) == top) ||
           ast_kind(ast, parent) == AST_FIELD;
         parent = ast_parent(ast, top))
        top = parent;
    return ast_kind(ast, parent) != AST_ASSIGN || ast_first(ast, parent) != top ||
           ast_at(ast, parent)->op != OP_NONE;
}

/* A name of the array that stands in another element than the fixed one. */
static bool is_other_element(const Ast *ast, AstNode name, AstNode element)
{
    AstNode own = ast_parent(ast, name);
    return is_fixed_element(ast, element) && is_fixed_element(ast, own) &&
           ast_first(ast, own) == name && !ast_same(ast, own, element);
}

/* Read behind the store, in the same iteration or after the loop, and nowhere in front of it. */
static Fault fault_of_array(const Pass *pass, const Event *event, AstNode assign, AstSymbol symbol)
{
    const Ast *ast = ast_of(pass, event->root);
    AstNode function = program_function_data(pass->program, event->root)->node;
    Fault fault = FAULT_NONE;
    for (AstNode node = event->dealt.node; node < ast_end(ast, function); node++) {
        if (!reads_array(ast, node, symbol) || is_other_element(ast, node, ast_first(ast, assign)))
            continue;
        if (node < ast_end(ast, assign))
            return FAULT_NONE;
        if (ast_holds(ast, event->dealt.node, node))
            return FAULT_SCRATCH;
        fault = FAULT_LAST;
    }
    return fault;
}

/* The elements of one array are one finding: one edit mends them all. */
static bool is_of_array(const Pass *pass, const Event *other, const Event *event)
{
    const Ast *ast = ast_of(pass, event->root);
    AstNode element = ast_first(ast, event->effect->node);
    return is_fixed_element(ast, element) && other->construct == event->construct &&
           other->effect->place.sym == event->effect->place.sym && fills(pass, other) &&
           fault_of_array(pass, other, other->effect->node,
                          ast_at(ast, array_of(ast, element))->symbol) != FAULT_NONE;
}

static void report_array_race(Pass *pass, const Event *event, AstNode place, AstNode array,
                              Fault fault)
{
    const char *name = pass_text(pass, event->root, array);
    Finding finding = race_finding(pass, event, place, name);
    finding.message = arena_printf(
        pass->arena,
        fault == FAULT_LAST
            ? "%s is shared and every iteration fills it: what the code after the loop reads was "
              "written by whichever threads came last"
            : "%s is shared, and each iteration fills it and reads it back: between the two "
              "another thread writes its own values",
        name);
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = fault == FAULT_LAST
                                       ? "compute the last values after the loop"
                                       : "declare it inside the loop, or give every thread one"});
    pass_add(pass, &finding);
}

static void report_array(Pass *pass, const Event *event)
{
    const Ast *ast = ast_of(pass, event->root);
    AstNode assign = event->effect->node, array = array_of(ast, ast_first(ast, assign));
    Fault fault = fault_of_array(pass, event, assign, ast_at(ast, array)->symbol);
    if (fault != FAULT_NONE && !is_told(pass, event, is_of_array))
        report_array_race(pass, event, assign, array, fault);
}

/* ---- arrays that a called function fills: cross(a[i], b[i], c); y[i] = c[0] + c[1] ---- */

/* Loops whose turns all run, and nothing else, around the store in the function that is called. */
static bool is_always_run_there(const Effect *via)
{
    for (const Frame *frame = via->frame; frame != NULL; frame = frame->outer)
        if (frame->kind != FRAME_LOOP)
            return false;
    return true;
}

static bool has_indices_only(const Place *place)
{
    for (uint8_t i = 0; i < place->count; i++)
        if (place->steps[i].kind != STEP_INDEX)
            return false;
    return place->count > 0;
}

/* The function stores to what it is given, and has not looked at it before. */
static bool only_fills(const Pass *pass, const Effect *origin)
{
    const Ast *ast = ast_of(pass, origin->function);
    AstNode assign = origin->node, array = array_of(ast, ast_first(ast, assign));
    AstSymbol symbol = array == 0 ? 0 : ast_at(ast, array)->symbol;
    if (symbol == 0 || ast_at(ast, assign)->op != OP_NONE ||
        ast->symbols.items[symbol].kind != SYMBOL_PARAM)
        return false;
    AstNode function = program_function_data(pass->program, origin->function)->node;
    for (AstNode node = function; node < ast_end(ast, assign); node++)
        if (reads_array(ast, node, symbol))
            return false;
    return true;
}

static bool fills_by_call(const Pass *pass, const Event *event)
{
    const Effect *effect = event->effect, *origin = event->origin;
    const Ast *ast = ast_of(pass, event->root);
    if (effect->via == NULL || effect->via != origin || effect->kind != EFFECT_WRITE ||
        (origin->flags & EFFECT_COMPARED) != 0 || effect->function != event->root ||
        event->dealt.node == 0 || event->dealt.function != event->root || event->locked ||
        event->once || event->rare || event->in_task || effect->place.base != PLACE_VARIABLE ||
        !has_indices_only(&effect->place) || ast_kind(ast, effect->node) != AST_CALL ||
        ast_kind(ast_of(pass, origin->function), origin->node) != AST_ASSIGN)
        return false;
    AstSymbol symbol = (AstSymbol)(uint32_t)effect->place.sym;
    return ast->types.items[ast->symbols.items[symbol].type].kind == TYPE_ARRAY &&
           is_always_run(event) && is_always_run_there(origin) && only_fills(pass, origin) &&
           event_shared(pass->facts, event, &effect->place) == 1 &&
           event_meeting(pass->facts, event) == MEET_ALWAYS && is_given_other(pass, event);
}

/* Its only name in the call; 0 where the loop looks at it before, or does not behind it. */
static AstNode filled_and_read(const Pass *pass, const Event *event)
{
    const Ast *ast = ast_of(pass, event->root);
    AstSymbol symbol = (AstSymbol)(uint32_t)event->effect->place.sym;
    AstNode call = event->effect->node, given = 0;
    bool read = false;
    FOR_EACH_NODE (ast, node, event->dealt.node) {
        if (ast_kind(ast, node) != AST_NAME || ast_at(ast, node)->symbol != symbol)
            continue;
        bool here = ast_holds(ast, call, node);
        if (here ? given != 0 || ast_parent(ast, node) != call
                 : node < call && reads_array(ast, node, symbol))
            return 0;
        given = here ? node : given;
        read |= node > call && !here && reads_array(ast, node, symbol);
    }
    return read ? given : 0;
}

static bool is_filled_by_call(const Pass *pass, const Event *other, const Event *event)
{
    return other->effect->node == event->effect->node &&
           other->effect->place.sym == event->effect->place.sym && fills_by_call(pass, other);
}

static void report_filled(Pass *pass, const Event *event)
{
    AstNode name = filled_and_read(pass, event);
    if (name != 0 && !is_told(pass, event, is_filled_by_call))
        report_array_race(pass, event, name, name, FAULT_SCRATCH);
}

/* ---- private, and never set ---- */

/* update 0: it is only read */
static void report_unset(Pass *pass, const Event *event, AstNode name, AstNode update)
{
    AstNode place = update != 0 ? update : name;
    Finding finding = pass_finding(pass, event, event->root, place, place);
    const char *text = pass_text(pass, event->root, name);
    finding.what = arena_printf(pass->arena, "update of %s", text);
    finding.message = arena_printf(
        pass->arena,
        "%s is private here and is %s it is set: every thread begins with an undefined value%s",
        text, update != 0 ? "updated before" : "read, but nowhere",
        update != 0 ? ", and what it adds up is lost" : "");
    finding.exposure.sharing = SHARING_NONE;
    LIST_PUSH(pass->arena, &finding.fixes,
              (Fix){.description = update != 0
                                       ? "use a reduction if the sum is wanted after the loop, "
                                         "firstprivate if only the value from before it is"
                                       : "name it in shared, or in firstprivate"});
    pass_add(pass, &finding);
}

/* Of arrays and structs the parts are set, which is not followed here. */
static bool has_simple_type(const Ast *ast, AstSymbol symbol)
{
    uint8_t kind = ast->types.items[ast->symbols.items[symbol].type].kind;
    return symbol != 0 && (kind == TYPE_INT || kind == TYPE_REAL || kind == TYPE_POINTER);
}

/* private(n) and n++: the copy of a thread has no value that it could be added to. */
static void check_private(Pass *pass, FunctionId function, AstNode construct)
{
    const Ast *ast = ast_of(pass, function);
    bool loop = ast_kind(ast, construct) == AST_LOOP;
    Event event = event_of_loop(pass->facts, function, construct);
    FOR_EACH_CHILD (ast, clause, construct) {
        if (ast_kind(ast, clause) != AST_CLAUSE || ast_at(ast, clause)->op != CLAUSE_PRIVATE)
            continue;
        FOR_EACH_CHILD (ast, name, clause) {
            if (ast_kind(ast, name) != AST_NAME ||
                !has_simple_type(ast, ast_at(ast, name)->symbol) ||
                event_distinguishes(pass->facts, &event,
                                    sym_of(program_function_unit(pass->program, function),
                                           ast_at(ast, name)->symbol)))
                continue; /* the loop's own variable may be named too */
            AstNode code = loop ? loop_body(ast, construct) : ast_first(ast, construct);
            Access access = access_order(pass->facts, &event, function, code, name);
            AstNode first = access.first_write;
            bool update = ast_kind(ast, first) == AST_ASSIGN && ast_at(ast, first)->op != OP_NONE;
            if (!access.opaque && access.reads_before && (first == 0 || update))
                report_unset(pass, &event, name, first);
        }
    }
}

static void check_constructs(Pass *pass, FunctionId function)
{
    const Ast *ast = ast_of(pass, function);
    AstNode root = program_function_data(pass->program, function)->node;
    if ((ast_at(ast, root)->flags & AST_DOUBTFUL) != 0)
        return; /* what sets it may be what could not be read */
    FOR_EACH_NODE (ast, node, root)
        if (ast_is_construct(ast, node))
            check_private(pass, function, node);
}

static void check(Pass *pass)
{
    for (FunctionId id = 1; id < pass->program->functions.count; id++)
        if (program_function_unit(pass->program, id)->language != LANGUAGE_PYTHON)
            check_constructs(pass, id);
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *event = facts_event(pass->facts, i);
        if (concerns(pass, event))
            check_scalar(pass, event);
        else if (fills(pass, event))
            report_array(pass, event);
        else if (fills_by_call(pass, event))
            report_filled(pass, event);
    }
}

const Rule rule_missing_private = {
    .id = "missing-private",
    .summary = "a scratch variable of each iteration is shared by all threads",
    .help = "A variable that is declared outside a parallel loop is shared, whatever it is used "
            "for: threads overwrite each other's scratch values. Declare it inside, or name it in "
            "private or lastprivate.",
    .severity = SEVERITY_ERROR,
    .check = check,
    .predict = predict_race,
};
