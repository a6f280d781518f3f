#include "analyzer/facts/pairs.h"

#include "analyzer/facts/library.h"
#include "analyzer/facts/reach.h"

#include <string.h>

enum { DEEPEST = 32 };

typedef struct Pairs {
    const Facts *facts;
    const Event *event;
    const Unit *unit; /* of the function that holds the construct: all forms are in its terms */
    const Ast *ast;
    AstNode code;  /* what is dealt out: variables that nothing writes in it are fixed */
    AstNode inner; /* the effect's node in that function */
    AstNode nodes[ITERATION_LOOPS]; /* the loops; 0: the thread's id counts as one */
    Sym fixed[ITERATION_FIXED];     /* 0: a length, by its node */
    AstNode length_of[ITERATION_FIXED];
    Iterations question;
} Pairs;

static const Quasi *quasi_of(Pairs *pairs, AstNode node, int depth);

static const Quasi *number(const Pairs *pairs, int64_t value)
{
    return quasi_constant(pairs->facts->arena, value);
}

/* ---- variables ---- */

static Sym variable_of(const Pairs *pairs, AstNode loop)
{
    AstNode target = loop == 0 ? 0 : loop_target(pairs->ast, loop);
    return loop == 0 ? SYM_THREAD
           : ast_kind(pairs->ast, target) == AST_NAME
               ? sym_of(pairs->unit, ast_at(pairs->ast, target)->symbol)
               : 0;
}

/* Nothing changes it while the iterations run. */
static bool is_fixed(const Pairs *pairs, Sym sym)
{
    if (sym == SYM_TEAM)
        return true;
    const AstSymbolData *data = sym_data(pairs->facts, sym);
    const Unit *owner = sym_unit(pairs->facts, sym);
    if (sym == SYM_THREAD || owner == NULL)
        return false;
    bool global = data->kind == SYMBOL_GLOBAL || data->kind == SYMBOL_STATIC;
    if (owner != pairs->unit)
        return global;
    if (!global &&
        program_function(pairs->facts->program, owner, data->function) != pairs->event->root)
        return false;
    return !ast_holds(pairs->ast, pairs->code, data->decl) &&
           !facts_written_within(pairs->facts, pairs->event->root, pairs->code,
                                 (AstSymbol)(uint32_t)sym);
}

static const Quasi *quasi_of_sym(Pairs *pairs, Sym sym)
{
    Arena *arena = pairs->facts->arena;
    for (uint32_t i = 0; i < pairs->question.loop_count; i++)
        if (variable_of(pairs, pairs->nodes[i]) == sym)
            return quasi_loop(arena, i);
    for (uint32_t i = 0; i < pairs->question.fixed_count; i++)
        if (pairs->fixed[i] == sym)
            return quasi_fixed(arena, i);
    if (pairs->question.fixed_count == ITERATION_FIXED || !is_fixed(pairs, sym))
        return NULL;
    pairs->fixed[pairs->question.fixed_count] = sym;
    return quasi_fixed(arena, pairs->question.fixed_count++);
}

/* x.shape[0], len(x) of an array that nothing replaces while the iterations run. */
static bool is_length(const Pairs *pairs, AstNode node)
{
    const Ast *ast = pairs->ast;
    AstNode of = ast_first(ast, node);
    int64_t axis;
    if (pairs->unit->language != LANGUAGE_PYTHON || of == 0)
        return false;
    bool shape = ast_kind(ast, node) == AST_INDEX && ast_kind(ast, of) == AST_FIELD &&
                 strcmp(intern_text(ast->names, ast_at(ast, of)->name), "shape") == 0 &&
                 ast_constant(ast, ast_child(ast, node, 1), &axis);
    bool length = ast_kind(ast, node) == AST_CALL && ast_kind(ast, of) == AST_NAME &&
                  ast_at(ast, of)->symbol == 0 && ast_child_count(ast, node) == 2 &&
                  strcmp(intern_text(ast->names, ast_at(ast, of)->name), "len") == 0;
    AstNode array = shape ? ast_first(ast, of) : length ? ast_child(ast, node, 1) : 0;
    return array != 0 && ast_kind(ast, array) == AST_NAME && ast_at(ast, array)->symbol != 0 &&
           is_fixed(pairs, sym_of(pairs->unit, ast_at(ast, array)->symbol));
}

static const Quasi *quasi_of_length(Pairs *pairs, AstNode node)
{
    uint32_t *count = &pairs->question.fixed_count;
    for (uint32_t i = 0; i < *count; i++)
        if (pairs->fixed[i] == 0 && ast_same(pairs->ast, pairs->length_of[i], node))
            return quasi_fixed(pairs->facts->arena, i);
    if (*count == ITERATION_FIXED)
        return NULL;
    pairs->length_of[*count] = node;
    return quasi_fixed(pairs->facts->arena, (*count)++);
}

/* ---- forms ---- */

static bool is_natural(const Pairs *pairs, const Quasi *quasi)
{
    const Nested *loop;
    switch (quasi->kind) {
    case QUASI_CONSTANT:
        return quasi->value >= 0;
    case QUASI_LOOP:
        loop = &pairs->question.loops[quasi->value];
        return loop->first != NULL && loop->step > 0 && is_natural(pairs, loop->first);
    case QUASI_FIXED:
        return false;
    case QUASI_SUM:
        return quasi->value >= 0 && is_natural(pairs, quasi->left) &&
               is_natural(pairs, quasi->right);
    case QUASI_FLOOR:
        return is_natural(pairs, quasi->left);
    case QUASI_MODULO:
        return true;
    }
    return false;
}

/* C rounds to zero: a quotient is its floor, and % is the remainder of that, from 0 on only. */
static bool divides_down(const Pairs *pairs, const Quasi *left)
{
    return left != NULL && (pairs->unit->language == LANGUAGE_PYTHON || is_natural(pairs, left));
}

static const Quasi *quasi_of_binary(Pairs *pairs, AstNode node, int depth)
{
    Arena *arena = pairs->facts->arena;
    AstNode right_node = ast_child(pairs->ast, node, 1);
    const Quasi *left = quasi_of(pairs, ast_first(pairs->ast, node), depth + 1);
    const Quasi *right = quasi_of(pairs, right_node, depth + 1), *zero = number(pairs, 0);
    int64_t known = 0;
    bool constant = ast_constant(pairs->ast, right_node, &known);
    switch (ast_at(pairs->ast, node)->op) {
    case OP_ADD:
        return quasi_sum(arena, left, 1, right);
    case OP_SUB:
        return quasi_sum(arena, left, -1, right);
    case OP_MUL:
        if (!constant && ast_constant(pairs->ast, ast_first(pairs->ast, node), &known))
            return quasi_sum(arena, zero, known, right);
        return constant ? quasi_sum(arena, zero, known, left) : NULL;
    case OP_SHL:
        return constant && known >= 0 && known < 32
                   ? quasi_sum(arena, zero, (int64_t)1 << known, left)
                   : NULL;
    case OP_DIV:
        if (pairs->unit->language == LANGUAGE_PYTHON)
            return NULL;
        /* fall through */
    case OP_FLOORDIV:
        return constant && divides_down(pairs, left) ? quasi_floor(arena, left, known) : NULL;
    case OP_SHR:
        return constant && known >= 0 && known < 32 && divides_down(pairs, left)
                   ? quasi_floor(arena, left, (int64_t)1 << known)
                   : NULL;
    case OP_MOD:
        return constant && divides_down(pairs, left) ? quasi_modulo(arena, left, known) : NULL;
    case OP_AND: /* a mask of the low bits */
        return constant && known > 0 && known < INT32_MAX && (known & (known + 1)) == 0 &&
                       divides_down(pairs, left)
                   ? quasi_modulo(arena, left, known + 1)
                   : NULL;
    default:
        return NULL;
    }
}

static const Quasi *quasi_of_name(Pairs *pairs, AstNode node, int depth)
{
    AstSymbol symbol = ast_at(pairs->ast, node)->symbol;
    const SymbolUse *use = &pairs->facts->uses[pairs->unit->id][symbol];
    if (symbol == 0)
        return NULL;
    if (use->thread || use->team)
        return quasi_of_sym(pairs, use->thread ? SYM_THREAD : SYM_TEAM);
    bool single = use->writes == 1 && use->value != 0 && use->loop == 0 && !use->address_taken &&
                  !use->condition_value && pairs->ast->symbols.items[symbol].kind == SYMBOL_LOCAL;
    AstNode value = use->value;
    if (!single && use->writes > 1 &&
        reach_of(pairs->facts, pairs->unit, node, &value) == REACH_VALUE)
        single = true;
    return single ? quasi_of(pairs, value, depth + 1)
                  : quasi_of_sym(pairs, sym_global(pairs->facts, pairs->unit, symbol));
}

static const Quasi *quasi_of(Pairs *pairs, AstNode node, int depth)
{
    int64_t known;
    if (node == 0 || depth > DEEPEST)
        return NULL;
    if (ast_constant(pairs->ast, node, &known))
        return number(pairs, known);
    const AstNodeData *data = ast_at(pairs->ast, node);
    const AstTypeData *type = &pairs->ast->types.items[data->type];
    uint32_t thread;
    switch (data->kind) {
    case AST_NAME:
        return quasi_of_name(pairs, node, depth);
    case AST_BINARY:
        return quasi_of_binary(pairs, node, depth);
    case AST_CAST:
        return type->kind == TYPE_INT && type->size >= 4
                   ? quasi_of(pairs, ast_first(pairs->ast, node), depth + 1)
                   : NULL;
    case AST_UNARY:
        return data->op == OP_NEG
                   ? quasi_sum(pairs->facts->arena, number(pairs, 0), -1,
                               quasi_of(pairs, ast_first(pairs->ast, node), depth + 1))
                   : NULL;
    case AST_INDEX:
        return is_length(pairs, node) ? quasi_of_length(pairs, node) : NULL;
    case AST_CALL:
        if (is_length(pairs, node))
            return quasi_of_length(pairs, node);
        thread = library_thread_value(pairs->facts, pairs->unit, node);
        return thread == 0
                   ? NULL
                   : quasi_of_sym(pairs, (thread & LIB_THREAD_ID) != 0 ? SYM_THREAD : SYM_TEAM);
    default:
        return NULL;
    }
}

static const Quasi *quasi_of_affine(Pairs *pairs, const Affine *form)
{
    const Quasi *sum = form->exact ? number(pairs, form->constant) : NULL;
    for (uint8_t i = 0; i < form->count; i++)
        sum = quasi_sum(pairs->facts->arena, sum, form->terms[i].coefficient,
                        quasi_of_sym(pairs, form->terms[i].sym));
    return sum;
}

/* ---- loops ---- */

static bool add_loop(Pairs *pairs, AstNode node, bool dealt)
{
    Iterations *question = &pairs->question;
    int64_t step = 1;
    AstNode first = loop_start(pairs->ast, node), by = loop_step(pairs->ast, node);
    if (question->loop_count == ITERATION_LOOPS || ast_at(pairs->ast, node)->op != LOOP_COUNTED ||
        variable_of(pairs, node) == 0 ||
        (by != 0 && ast_kind(pairs->ast, by) != AST_NONE && !ast_constant(pairs->ast, by, &step)))
        return false;
    bool zero = first == 0 || ast_kind(pairs->ast, first) == AST_NONE;
    Nested loop = {.first = zero ? number(pairs, 0) : quasi_of(pairs, first, 0),
                   .limit = quasi_of(pairs, loop_limit(pairs->ast, node), 0),
                   .step = step,
                   .dealt = dealt};
    if (dealt && loop.limit == NULL) /* of an end that is not known no more is asked */
        loop.limit = quasi_of_sym(pairs, SYM_TEAM);
    pairs->nodes[question->loop_count] = node;
    question->loops[question->loop_count++] = loop;
    return loop.first != NULL && loop.limit != NULL;
}

static bool add_dealt(Pairs *pairs)
{
    const Event *event = pairs->event;
    if (event->dealt.node == 0) {
        pairs->question.loop_count = 1;
        pairs->question.loops[0] = (Nested){.first = number(pairs, 0), .step = 1, .dealt = true};
        pairs->question.loops[0].limit = quasi_of_sym(pairs, SYM_TEAM);
        return ast_kind(pairs->ast, event->construct) == AST_REGION;
    }
    uint32_t levels = ast_at(pairs->ast, event->dealt.node)->value.loop.collapse;
    bool good = event->dealt.function == event->root;
    for (AstNode node = event->dealt.node; good && node < ast_end(pairs->ast, event->dealt.node);
         node++) {
        if (ast_kind(pairs->ast, node) != AST_LOOP)
            continue;
        good = add_loop(pairs, node, true);
        if (levels <= 1)
            break;
        levels--;
    }
    return good;
}

static bool add_inner_loops(Pairs *pairs)
{
    const Event *event = pairs->event;
    for (uint32_t i = 0; i < event->loop_count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < pairs->question.loop_count; k++)
            known |= event->loops[i].function == event->root &&
                     pairs->nodes[k] == event->loops[i].node;
        if (!known && (event->loops[i].function != event->root ||
                       !add_loop(pairs, event->loops[i].node, false)))
            return false;
    }
    return true;
}

/* ---- conditions ---- */

/* It may tell the threads apart in a way that is not understood. */
static bool tells_apart(const Pairs *pairs, AstNode condition)
{
    FOR_EACH_NODE (pairs->ast, node, condition) {
        if (ast_kind(pairs->ast, node) == AST_CALL &&
            library_thread_value(pairs->facts, pairs->unit, node) != 0)
            return true;
        if (ast_kind(pairs->ast, node) != AST_NAME)
            continue;
        Affine value = place_index(pairs->facts, pairs->event->root, node);
        int64_t coefficient;
        if (event_index_varies(pairs->facts, pairs->event, &value, &coefficient))
            return true;
    }
    return false;
}

static const struct {
    uint8_t op;
    Relation holds, fails; /* of left and right */
    bool swap_holds, swap_fails;
} relations[] = {{OP_LT, RELATION_LT, RELATION_LE, false, true},
                 {OP_LE, RELATION_LE, RELATION_LT, false, true},
                 {OP_GT, RELATION_LT, RELATION_LE, true, false},
                 {OP_GE, RELATION_LE, RELATION_LT, true, false},
                 {OP_EQ, RELATION_EQ, RELATION_NE, false, false},
                 {OP_NE, RELATION_NE, RELATION_EQ, false, false}};

static bool add_comparison(Pairs *pairs, AstNode condition, bool holds)
{
    Iterations *question = &pairs->question;
    AstNode second = ast_child(pairs->ast, condition, 1);
    const Quasi *left = quasi_of(pairs, ast_first(pairs->ast, condition), 0);
    const Quasi *right = quasi_of(pairs, second, 0);
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        if (relations[i].op != ast_at(pairs->ast, condition)->op || left == NULL || right == NULL ||
            ast_next(pairs->ast, second) != 0 || question->condition_count == ITERATION_CONDITIONS)
            continue;
        bool swap = holds ? relations[i].swap_holds : relations[i].swap_fails;
        question->conditions[question->condition_count++] =
            (Condition){swap ? right : left, swap ? left : right,
                        holds ? relations[i].holds : relations[i].fails};
        return true;
    }
    return false;
}

/* False where the condition is not understood and may tell the threads apart. */
static bool add_condition(Pairs *pairs, AstNode condition, bool holds)
{
    const AstNodeData *data = ast_at(pairs->ast, condition);
    if (data->kind == AST_LOGIC && data->op == (holds ? OP_LOGIC_AND : OP_LOGIC_OR))
        return add_condition(pairs, ast_first(pairs->ast, condition), holds) &&
               add_condition(pairs, ast_child(pairs->ast, condition, 1), holds);
    if (data->kind == AST_COMPARE && add_comparison(pairs, condition, holds))
        return true;
    return !tells_apart(pairs, condition);
}

static bool leaves(const Ast *ast, AstNode part)
{
    FOR_EACH_NODE (ast, node, part) {
        AstKind kind = ast_kind(ast, node);
        if (kind == AST_CONTINUE || kind == AST_BREAK || kind == AST_RETURN || kind == AST_GOTO)
            return true;
    }
    return false;
}

/* if (i == j) continue; in front of it */
static bool add_ways_out(Pairs *pairs, AstNode block, AstNode at)
{
    bool good = true;
    FOR_EACH_CHILD (pairs->ast, before, block) {
        if (before >= at)
            break;
        if (!leaves(pairs->ast, before))
            continue;
        bool simple = ast_kind(pairs->ast, before) == AST_BRANCH &&
                      leaves(pairs->ast, ast_child(pairs->ast, before, 1)) &&
                      ast_kind(pairs->ast, ast_child(pairs->ast, before, 2)) == AST_NONE;
        good &= simple ? add_condition(pairs, ast_first(pairs->ast, before), false)
                       : !tells_apart(pairs, before);
    }
    return good;
}

static bool add_conditions(Pairs *pairs)
{
    for (const Effect *at = pairs->event->effect->via; at != NULL; at = at->via)
        for (const Frame *frame = at->frame; frame != NULL; frame = frame->outer)
            if (frame->kind == FRAME_BRANCH)
                return false;
    bool good = true;
    for (AstNode at = pairs->inner, up = ast_parent(pairs->ast, at); good && at > pairs->code;
         at = up, up = ast_parent(pairs->ast, up)) {
        AstKind kind = ast_kind(pairs->ast, up);
        if (kind == AST_SWITCH || kind == AST_CONDITIONAL || kind == AST_LOGIC)
            return false;
        if (kind == AST_BRANCH && at != ast_first(pairs->ast, up))
            good =
                add_condition(pairs, ast_first(pairs->ast, up), at == ast_child(pairs->ast, up, 1));
        if (kind == AST_BLOCK)
            good &= add_ways_out(pairs, up, at);
    }
    return good;
}

/* ---- questions ---- */

/* False where nothing can be asked; *whole: all subscripts are known. */
static bool ask(Pairs *pairs, const Facts *facts, const Event *event, bool *whole)
{
    const Place *place = &event->effect->place;
    *pairs = (Pairs){.facts = facts, .event = event, .inner = event->effect->node};
    pairs->unit = program_function_unit(facts->program, event->root);
    pairs->ast = pairs->unit->ast;
    pairs->code = event->dealt.node != 0 ? event->dealt.node : event->construct;
    *whole = true;
    if ((event->dealt.node != 0 && event->dealt.function != event->root) || !add_dealt(pairs) ||
        !add_inner_loops(pairs) || !add_conditions(pairs))
        return false;
    for (uint8_t i = 0; i < place->count; i++) {
        const PlaceStep *step = &place->steps[i];
        const Quasi *subscript;
        if (step->kind == STEP_SLICE)
            return false;
        if (step->kind != STEP_INDEX || affine_fixed(&step->index))
            continue;
        subscript = quasi_of_affine(pairs, &step->index);
        AstNode index = ast_kind(pairs->ast, step->node) == AST_INDEX ? step->node : 0;
        if (subscript == NULL && step->function == event->root && index != 0 &&
            ast_child_count(pairs->ast, index) == 2)
            subscript = quasi_of(pairs, ast_child(pairs->ast, index, 1), 0);
        *whole &= subscript != NULL;
        if (subscript == NULL)
            continue;
        if (pairs->question.subscript_count == ITERATION_SUBSCRIPTS)
            return false;
        pairs->question.subscripts[pairs->question.subscript_count++] = subscript;
    }
    return pairs->question.subscript_count > 0;
}

Answer pairs_meet(const Facts *facts, const Event *event, int64_t witness[2])
{
    Pairs pairs;
    bool whole;
    if (!ask(&pairs, facts, event, &whole))
        return ANSWER_UNKNOWN;
    Answer answer = iterations_meet(&pairs.question, witness);
    return answer == ANSWER_MEET && !whole ? ANSWER_UNKNOWN : answer;
}

Answer pairs_share_line(const Facts *facts, const Event *event, int64_t stride, int64_t chunk,
                        int64_t line, int64_t witness[2])
{
    Pairs pairs;
    bool whole;
    if (!ask(&pairs, facts, event, &whole) || !whole)
        return ANSWER_UNKNOWN;
    pairs.question.stride = stride;
    pairs.question.chunk = chunk;
    pairs.question.line = line;
    return iterations_meet(&pairs.question, witness);
}
