#include "analyzer/facts/peers.h"

#include <string.h>

enum { MOST_TASKS = 64 };

static const Unit *root_unit(const Facts *facts, const Event *event)
{
    return program_function_unit(facts->program, event->root);
}

static bool is_region(const Ast *ast, const Frame *frame, AstRegion kind)
{
    return frame->kind == FRAME_REGION && ast_at(ast, frame->node)->op == kind;
}

static const Frame *part_of(const Facts *facts, const Event *event)
{
    const Ast *ast = root_unit(facts, event)->ast;
    const Frame *part = NULL;
    for (const Frame *at = event->effect->frame; at != NULL; at = at->outer)
        if (at->node > event->construct &&
            (is_region(ast, at, REGION_SECTION) || is_region(ast, at, REGION_TASK)))
            part = at;
    return part;
}

AstNode event_part(const Facts *facts, const Event *event)
{
    const Frame *part = part_of(facts, event);
    return part == NULL ? 0 : part->node;
}

/* ---- order of tasks ---- */

static bool is_depend(const Facts *facts, const Ast *ast, AstNode clause)
{
    return ast_kind(ast, clause) == AST_CLAUSE && ast_at(ast, clause)->op == CLAUSE_OTHER &&
           strcmp(intern_text(facts->program->names, ast_at(ast, clause)->name), "depend") == 0;
}

/* Both name one variable in depend clauses. Two that only read it are taken for ordered too. */
static bool depend_on_one(const Facts *facts, const Ast *ast, AstNode one, AstNode other)
{
    FOR_EACH_CHILD (ast, clause, one) {
        if (!is_depend(facts, ast, clause))
            continue;
        FOR_EACH_NODE (ast, name, clause)
            if (ast_kind(ast, name) == AST_NAME)
                FOR_EACH_CHILD (ast, theirs, other)
                    if (is_depend(facts, ast, theirs) &&
                        ast_mentions(ast, theirs, ast_at(ast, name)->symbol))
                        return true;
    }
    return false;
}

/* Clauses by which the task may run at once (if, final, mergeable), or that are not known here. */
static bool may_run_at_once(const Facts *facts, const Ast *ast, AstNode task)
{
    FOR_EACH_CHILD (ast, clause, task) {
        if (ast_kind(ast, clause) != AST_CLAUSE)
            continue;
        uint8_t kind = ast_at(ast, clause)->op;
        if (kind == CLAUSE_IF || kind == CLAUSE_REDUCTION ||
            (kind == CLAUSE_OTHER && !is_depend(facts, ast, clause)))
            return true;
    }
    return false;
}

static bool waits(const Ast *ast, AstNode statement)
{
    FOR_EACH_NODE (ast, node, statement) {
        uint8_t kind = ast_at(ast, node)->op;
        if (ast_kind(ast, node) == AST_REGION &&
            (kind == REGION_TASKWAIT || kind == REGION_BARRIER || kind == REGION_OTHER))
            return true;
    }
    return false;
}

static bool is_task(const Ast *ast, AstNode node)
{
    return ast_kind(ast, node) == AST_REGION && ast_at(ast, node)->op == REGION_TASK;
}

/* The event lies in a task that the part makes and does not wait for: who waits for the part does
 * not wait for it. */
static bool outlives(const Facts *facts, const Event *event, AstNode part)
{
    const Ast *ast = root_unit(facts, event)->ast;
    for (const Frame *at = event->effect->frame; at != NULL && at->node != part; at = at->outer)
        if (is_region(ast, at, REGION_TASK))
            return !waits(ast, ast_first(ast, part));
    return false;
}

/* Two tasks of one block, with nothing between them that makes the later one wait for what is in
 * the first. */
static bool are_unordered_tasks(const Facts *facts, const Ast *ast, AstNode first, AstNode last,
                                bool outlived)
{
    AstNode tasks[MOST_TASKS];
    uint32_t count = 0;
    tasks[count++] = first; /* and those that wait for it */
    if (ast_kind(ast, ast_parent(ast, first)) != AST_BLOCK || may_run_at_once(facts, ast, first) ||
        may_run_at_once(facts, ast, last))
        return false;
    for (AstNode at = ast_next(ast, first); at != 0; at = ast_next(ast, at)) {
        bool later = false;
        if (!is_task(ast, at) && waits(ast, at))
            return false;
        for (uint32_t i = 0; is_task(ast, at) && i < count; i++)
            later |= depend_on_one(facts, ast, tasks[i], at);
        if (at == last)
            return outlived || !later;
        if (later && count == MOST_TASKS)
            return false;
        if (later)
            tasks[count++] = at;
    }
    return false;
}

/* Made by each thread of the team: no clause makes the tasks of different threads wait. */
static bool is_made_by_all(const Facts *facts, const Event *event, const Frame *task)
{
    const Ast *ast = root_unit(facts, event)->ast;
    if (!is_task(ast, task->node) || may_run_at_once(facts, ast, task->node))
        return false;
    for (const Frame *at = task->outer; at != NULL && at->node > event->construct; at = at->outer)
        if (at->kind != FRAME_LOOP)
            return false;
    return ast_kind(ast, event->construct) == AST_REGION;
}

/* ---- the question ---- */

static bool are_peers(const Facts *facts, const Event *event, const Event *other)
{
    const Ast *ast = root_unit(facts, event)->ast;
    AstNode one = event_part(facts, event), two = event_part(facts, other);
    if (one == two || two == 0 || ast_parent(ast, one) != ast_parent(ast, two) ||
        ast_at(ast, one)->op != ast_at(ast, two)->op)
        return false;
    return ast_at(ast, one)->op == REGION_SECTION ||
           (one < two ? are_unordered_tasks(facts, ast, one, two, outlives(facts, event, one))
                      : are_unordered_tasks(facts, ast, two, one, outlives(facts, other, two)));
}

bool event_has_peer(const Facts *facts, const Event *event)
{
    const Frame *part = part_of(facts, event);
    if (part == NULL || root_unit(facts, event)->language == LANGUAGE_PYTHON ||
        !place_fixed(&event->effect->place))
        return false;
    if (is_made_by_all(facts, event, part))
        return true;
    for (uint32_t i = 0; i < facts_event_count(facts); i++) {
        const Event *other = facts_event(facts, i);
        uint8_t kind = other->effect->kind;
        if (other->root == event->root && other->construct == event->construct && !other->rare &&
            (kind == EFFECT_WRITE || kind == EFFECT_ACCUMULATE || kind == EFFECT_ATOMIC) &&
            place_same(&event->effect->place, &other->effect->place) &&
            are_peers(facts, event, other))
            return true;
    }
    return false;
}
