/* Whether a view's reference count survives optimisation: the table was counted at run time with
 * numba 0.56.4 on five CPU targets (the page of view-per-cell has it). What decides is how the view
 * is used and what its helper is like. */
#include "analyzer/facts/library.h"

#include <string.h>

static const Portability everywhere = {"all", TARGETS_ALL};
static const Portability most = {"most targets", TARGETS_ALL};
static const Portability zen_only = {"Zen 3; gone on most others", TARGET_ZEN3};
static const Portability zen_haswell = {
    "Zen 3, Zen 2 and Haswell; gone on Skylake and generic x86-64",
    TARGET_ZEN3 | TARGET_ZEN2 | TARGET_HASWELL};

static bool is_field(const Ast *ast, AstNode node, const char *name)
{
    return ast_kind(ast, node) == AST_FIELD &&
           strcmp(intern_text(ast->names, ast_at(ast, node)->name), name) == 0;
}

static void set(ViewUse *use, Survival survival, const Portability *stays, const char *reason)
{
    if (survival <= use->survival)
        return;
    use->survival = (uint8_t)survival;
    use->stays = *stays;
    use->reason = reason;
}

static void handed_to_function(const Facts *facts, FunctionId helper, ViewUse *use)
{
    const Traits *traits = traits_of(facts, helper);
    uint32_t flags = program_function_data(facts->program, helper)->flags;
    use->raises |= traits->raises || traits->raises_length;
    if (traits->raises && traits->divides)
        set(use, SURVIVES_EVERYWHERE, &everywhere,
            "the helper divides, and a division can raise under the default error model");
    else if (traits->raises)
        set(use, SURVIVES_EVERYWHERE, &everywhere, "the helper can raise");
    else if (traits->raises_length && use->strided)
        set(use, SURVIVES_SOMEWHERE, &most,
            "the helper tests the lengths of strided views and can raise");
    else if ((flags & FN_INLINE_ALWAYS) != 0)
        return;
    else if (traits->allocates)
        set(use, SURVIVES_EVERYWHERE, &everywhere, "the helper allocates");
    else if (traits->reductions > 1 || traits->heavy_library)
        set(use, SURVIVES_SOMEWHERE, &most, "the helper is too large to be inlined");
    else if (traits->loops && use->strided)
        set(use, SURVIVES_SOMEWHERE, &zen_haswell, "the helper loops over a strided view");
    else if (traits->nested || traits->several)
        set(use, SURVIVES_SOMEWHERE, &zen_only, "the helper is too large to be inlined");
    else if (traits->writes)
        set(use, SURVIVES_SOMEWHERE, &zen_only, "the helper writes in its loop");
    else if (traits->loops && (flags & FN_FASTMATH) != 0)
        set(use, SURVIVES_SOMEWHERE, &zen_only,
            "the helper's loop is vectorised into code too large to be inlined");
    else if (traits->wraps)
        set(use, SURVIVES_SOMEWHERE, &zen_only,
            "the helper hands it on to another function with a loop");
    else if (traits->loops)
        set(use, SURVIVES_SELDOM, &zen_only, "the helper has a loop");
    use->helper = helper;
}

static bool has_fixed_bounds(const Ast *ast, AstNode index)
{
    int64_t value;
    FOR_EACH_NODE (ast, at, index) {
        if (ast_kind(ast, at) != AST_SLICE)
            continue;
        FOR_EACH_CHILD (ast, bound, at)
            if (ast_kind(ast, bound) != AST_NONE && !ast_constant(ast, bound, &value))
                return false;
    }
    return true;
}

static void handed_to_library(const Facts *facts, const Unit *unit, AstNode call, AstNode index,
                              ViewUse *use)
{
    const LibraryEntry *entry = library_call(facts, unit, call);
    if (entry == NULL)
        return;
    bool mean = strcmp(entry->name, "numpy.mean") == 0 || strcmp(entry->name, ".mean") == 0;
    if ((entry->flags & LIB_KEEPS_COUNT) != 0)
        set(use, SURVIVES_SOMEWHERE, &most, "the library routine is not inlined");
    else if (mean && !has_fixed_bounds(unit->ast, index))
        set(use, SURVIVES_SOMEWHERE, &zen_only, "the library routine is not inlined");
}

static void handed_to_call(const Facts *facts, const Unit *unit, AstNode call, AstNode index,
                           ViewUse *use)
{
    const Ast *ast = unit->ast;
    AstNode callee = ast_first(ast, call);
    FunctionId helper = facts_callee(facts, unit, call);
    use->consumer = call;
    if (helper != 0) {
        handed_to_function(facts, helper, use);
        return;
    }
    if (ast_kind(ast, callee) == AST_INDEX) {
        set(use, SURVIVES_EVERYWHERE, &everywhere,
            "it goes to a function that is picked at run time");
        return;
    }
    const AstNodeData *name = ast_at(ast, callee);
    bool parameter = name->kind == AST_NAME &&
                     ast->symbols.items[name->symbol].kind == SYMBOL_PARAM;
    if (!parameter) {
        handed_to_library(facts, unit, call, index, use);
        return;
    }
    uint32_t at = callgraph_candidates(facts, unit, call);
    if (at == 0)
        set(use, SURVIVES_SOMEWHERE, &zen_only, "it goes to a function that is handed in");
    for (; at != 0; at = facts->candidates.items[at].next)
        handed_to_function(facts, facts->candidates.items[at].function, use);
}

static AstNode innermost_loop(const Ast *ast, AstNode node)
{
    for (node = ast_parent(ast, node); node != 0 && ast_kind(ast, node) != AST_FUNCTION;
         node = ast_parent(ast, node))
        if (ast_kind(ast, node) == AST_LOOP)
            return node;
    return 0;
}

/* `loop` is left by a break (or a return) of its own. */
static bool is_broken_out_of(const Ast *ast, AstNode loop)
{
    AstNode body = loop_body(ast, loop);
    FOR_EACH_NODE (ast, node, body) {
        if (ast_kind(ast, node) == AST_RETURN)
            return true;
        if (ast_kind(ast, node) == AST_BREAK && innermost_loop(ast, node) == loop)
            return true;
    }
    return false;
}

/* x[i] … for v in x[i], steps[k] in a loop: no count is left, unless the loop is left early. */
static void used_in_place(const Ast *ast, AstNode at, AstNode defined_in, ViewUse *use)
{
    AstNode loop = innermost_loop(ast, at);
    if (loop != 0 && loop != defined_in && is_broken_out_of(ast, loop)) {
        use->consumer = loop;
        set(use, SURVIVES_SOMEWHERE, &most, "a loop over it is left by break");
    }
}

static void classify_use(const Facts *facts, const Unit *unit, AstNode at, AstNode view,
                         AstNode defined_in, ViewUse *use);

/* Every use of the variable the view is bound to, at the level of the loop in which it is made. */
static void bound_to(const Facts *facts, const Unit *unit, AstNode name, AstNode view, ViewUse *use)
{
    const Ast *ast = unit->ast;
    AstSymbol symbol = ast_at(ast, name)->symbol;
    AstNode loop = innermost_loop(ast, name);
    AstNode root = ast->functions.items[ast_function_of(ast, name)].node;
    FOR_EACH_NODE (ast, at, root) {
        if (ast_kind(ast, at) != AST_NAME || ast_at(ast, at)->symbol != symbol || at == name)
            continue;
        AstNode parent = ast_parent(ast, at);
        bool in_place = ast_kind(ast, parent) == AST_INDEX && ast_first(ast, parent) == at;
        if (in_place || innermost_loop(ast, at) == loop)
            classify_use(facts, unit, at, view, loop, use);
    }
}

/* The item of a tuple target that takes item `at` of a tuple value. */
static AstNode matching_target(const Ast *ast, AstNode target, AstNode value, AstNode at)
{
    AstNode item = ast_kind(ast, target) == AST_TUPLE ? ast_first(ast, target) : 0;
    FOR_EACH_CHILD (ast, part, value) {
        if (part == at)
            return item;
        item = item != 0 ? ast_next(ast, item) : 0;
    }
    return 0;
}

static bool has_slice(const Ast *ast, AstNode index)
{
    FOR_EACH_CHILD (ast, at, index)
        if (ast_kind(ast, at) == AST_SLICE)
            return true;
    return false;
}

static void classify_assigned(const Facts *facts, const Unit *unit, AstNode at, AstNode assign,
                              AstNode target, AstNode view, ViewUse *use)
{
    const Ast *ast = unit->ast;
    (void)at;
    switch (ast_kind(ast, target)) {
    case AST_NAME:
        if (use->consumer == 0)
            bound_to(facts, unit, target, view, use);
        break;
    case AST_TUPLE:
        use->consumer = assign;
        set(use, SURVIVES_SOMEWHERE, &most, "it is unpacked into variables");
        break;
    case AST_INDEX:
        if (ast_at(ast, assign)->op == OP_NONE && has_slice(ast, target)) {
            use->consumer = assign;
            set(use, SURVIVES_SOMEWHERE, &most, "it is copied by slice assignment");
        }
        break;
    default:
        break;
    }
}

static void classify_use(const Facts *facts, const Unit *unit, AstNode at, AstNode view,
                         AstNode defined_in, ViewUse *use)
{
    const Ast *ast = unit->ast;
    AstNode parent = ast_parent(ast, at);
    while (ast_kind(ast, parent) == AST_KEYWORD || is_field(ast, parent, "T")) {
        use->strided |= ast_kind(ast, parent) == AST_FIELD;
        at = parent;
        parent = ast_parent(ast, parent);
    }
    switch (ast_kind(ast, parent)) {
    case AST_CALL:
        if (ast_first(ast, parent) != at)
            handed_to_call(facts, unit, parent, view, use);
        break;
    case AST_FIELD:
        if (ast_kind(ast, ast_parent(ast, parent)) == AST_CALL)
            handed_to_library(facts, unit, ast_parent(ast, parent), view, use);
        break;
    case AST_INDEX:
        if (ast_first(ast, parent) == at)
            used_in_place(ast, at, defined_in, use);
        break;
    case AST_LOOP:
        if (ast_at(ast, parent)->op == LOOP_EACH && is_broken_out_of(ast, parent)) {
            use->consumer = parent;
            set(use, SURVIVES_SOMEWHERE, &most, "a loop over it is left by break");
        }
        break;
    case AST_ASSIGN:
        if (ast_first(ast, parent) != at)
            classify_assigned(facts, unit, at, parent, ast_first(ast, parent), view, use);
        break;
    case AST_TUPLE: {
        AstNode assign = ast_parent(ast, parent);
        AstNode target = ast_kind(ast, assign) == AST_ASSIGN && ast_first(ast, assign) != parent
                             ? matching_target(ast, ast_first(ast, assign), parent, at)
                             : 0;
        if (target != 0)
            classify_assigned(facts, unit, at, assign, target, view, use);
        break;
    }
    default:
        break;
    }
}

/* The last axis is taken away while an earlier one is kept: elements of the view lie apart. */
static bool is_strided(const Ast *ast, AstNode index)
{
    bool slice = false, strided = is_field(ast, ast_first(ast, index), "T");
    for (AstNode at = ast_child(ast, index, 1); at != 0; at = ast_next(ast, at)) {
        bool is_slice = ast_kind(ast, at) == AST_SLICE;
        strided |= slice && !is_slice && ast_kind(ast, at) != AST_CONSTANT;
        slice |= is_slice;
    }
    return strided;
}

bool view_classify(const Facts *facts, FunctionId function, AstNode index, ViewUse *use)
{
    const Unit *unit = program_function_unit(facts->program, function);
    const Ast *ast = unit->ast;
    Shape base = shape_of(facts, function, ast_first(ast, index));
    uint32_t scalars = 0;
    bool slices = false, likely;
    for (AstNode at = ast_child(ast, index, 1); at != 0; at = ast_next(ast, at)) {
        bool keeps = ast_kind(ast, at) == AST_SLICE || ast_kind(ast, at) == AST_OTHER;
        slices |= keeps;
        scalars += !keeps && ast_kind(ast, at) != AST_CONSTANT;
    }
    Container container = shape_container(base, &likely);
    bool listed = (container == CONTAINER_TYPED_LIST || container == CONTAINER_DICT) && !likely &&
                  scalars == 1 && !slices;
    uint32_t depth = base.rank != 0 ? base.rank : base.depth;
    bool reflected = container == CONTAINER_LIST && scalars == 1 && !slices;
    bool array = listed && (base.depth > 1 || (base.element_kinds & SHAPE_ARRAY) != 0);
    bool numbers = (base.element_kinds & SHAPE_TUPLE) != 0 &&
                   (base.element_kinds & SHAPE_ARRAY) == 0 && scalars == 1 && !slices;
    *use = (ViewUse){.pairs = 1, .reason = "", .stays = {"", 0}};
    if (facts_copies(facts, unit, index))
        return false;
    if (numbers) /* a list of tuples of numbers: nothing in it is counted */
        return false;
    if (slices && (base.kinds & (SHAPE_TUPLE | SHAPE_ARRAY)) == SHAPE_TUPLE)
        return false; /* a, b, c = point[:] of a tuple: its items are taken one by one */
    if (!array && !slices && depth <= scalars)
        return false;
    use->strided = is_strided(ast, index);
    classify_use(facts, unit, index, index, innermost_loop(ast, index), use);
    use->pairs = 1;
    if (reflected && use->survival < SURVIVES_EVERYWHERE)
        return false; /* elements of a reflected list: only where the helper can raise */
    if (array) {
        use->element = true;
        use->pairs = 2;
        set(use, SURVIVES_EVERYWHERE, &everywhere,
            "every access to an element of a typed list counts it");
        use->survival = SURVIVES_EVERYWHERE;
        use->stays = everywhere;
        if (use->consumer == 0)
            use->consumer = index;
    }
    return use->survival > SURVIVES_NOWHERE;
}
