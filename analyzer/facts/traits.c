/* What a function is like as the helper that gets a view or makes an allocation: found once per
 * function. */
#include "analyzer/facts/library.h"

#include <string.h>

enum { FORWARDER_NODES = 120 };

typedef struct Reading {
    const Facts *facts;
    const Unit *unit;
    FunctionId function;
    Traits *traits;
} Reading;

static bool is_shape_test(const Ast *ast, AstNode condition)
{
    FOR_EACH_NODE (ast, at, condition) {
        if (ast_kind(ast, at) != AST_INDEX)
            continue;
        AstNode base = ast_first(ast, at);
        if (ast_kind(ast, base) != AST_FIELD ||
            strcmp(intern_text(ast->names, ast_at(ast, base)->name), "shape") != 0)
            return false;
    }
    return true;
}

static void read_raise(Reading *reading, AstNode node)
{
    const Ast *ast = reading->unit->ast;
    AstNode condition = ast_kind(ast, node) == AST_ASSERT ? ast_first(ast, node) : 0;
    for (AstNode up = ast_parent(ast, node);
         up != 0 && condition == 0 && ast_kind(ast, up) != AST_FUNCTION; up = ast_parent(ast, up)) {
        if (ast_kind(ast, up) == AST_BRANCH)
            condition = ast_first(ast, up);
        else if (ast_kind(ast, up) == AST_LOOP)
            break;
    }
    if (condition != 0 && is_shape_test(ast, condition))
        reading->traits->raises_length = true;
    else
        reading->traits->raises = true;
}

/* Divisions can raise under numba's default error model, but by a constant other than zero. */
static void read_division(Reading *reading, AstNode node)
{
    const Ast *ast = reading->unit->ast;
    const AstNodeData *data = ast_at(ast, node);
    if (data->op != OP_DIV && data->op != OP_FLOORDIV && data->op != OP_MOD)
        return;
    AstNode divisor = ast_child(ast, node, 1);
    int64_t value;
    bool harmless = (ast_constant(ast, divisor, &value) && value != 0) ||
                    (ast_kind(ast, divisor) == AST_REAL && ast_at(ast, divisor)->value.real != 0.0);
    uint32_t flags = program_function_data(reading->facts->program, reading->function)->flags;
    if (harmless || (flags & FN_ERROR_NUMPY) != 0 ||
        shape_of(reading->facts, reading->function, node).depth > 0)
        return;
    reading->traits->raises = reading->traits->divides = true;
}

static void read_callee(Reading *reading, FunctionId callee)
{
    const Traits *other = traits_of(reading->facts, callee);
    Traits *traits = reading->traits;
    bool inlined =
        (program_function_data(reading->facts->program, callee)->flags & FN_INLINE_ALWAYS) != 0;
    traits->raises |= other->raises;
    traits->divides |= other->divides;
    traits->allocates |= other->allocates;
    if (inlined) {
        traits->several |= traits->loops && other->loops;
        traits->loops |= other->loops;
        traits->nested |= other->nested;
        traits->writes |= other->writes;
    }
    traits->wraps |= !inlined && (other->loops || other->wraps);
}

static void read_call(Reading *reading, AstNode call)
{
    const Facts *facts = reading->facts;
    FunctionId callee = facts_callee(facts, reading->unit, call);
    if (callee != 0 && callee != reading->function)
        read_callee(reading, callee);
    const LibraryEntry *entry = callee != 0 ? NULL : library_call(facts, reading->unit, call);
    if (entry == NULL)
        return;
    reading->traits->allocates |= (entry->flags & LIB_ALLOC) != 0;
    reading->traits->heavy_library |= (entry->flags & LIB_KEEPS_COUNT) != 0;
    if ((entry->flags & LIB_REDUCES) != 0 && strcmp(entry->name, "len") != 0)
        reading->traits->reductions++;
}

static uint32_t loop_depth(const Ast *ast, AstNode node)
{
    uint32_t depth = 0;
    for (AstNode up = ast_parent(ast, node); up != 0 && ast_kind(ast, up) != AST_FUNCTION;
         up = ast_parent(ast, up))
        depth += ast_kind(ast, up) == AST_LOOP;
    return depth;
}

static void read_node(Reading *reading, AstNode node)
{
    const Ast *ast = reading->unit->ast;
    Traits *traits = reading->traits;
    switch (ast_kind(ast, node)) {
    case AST_LOOP:
        traits->several |= traits->loops && loop_depth(ast, node) == 0;
        traits->nested |= loop_depth(ast, node) > 0;
        traits->loops = true;
        break;
    case AST_ASSIGN:
        if (ast_kind(ast, node + 1) == AST_INDEX && loop_depth(ast, node) > 0)
            traits->writes = true;
        break;
    case AST_RAISE:
    case AST_ASSERT:
        if (reading->unit->language == LANGUAGE_PYTHON)
            read_raise(reading, node);
        break;
    case AST_BINARY:
        if (reading->unit->language != LANGUAGE_PYTHON)
            break;
        read_division(reading, node);
        traits->allocates |= shape_of(reading->facts, reading->function, node).depth > 0;
        break;
    case AST_COMPREHENSION:
    case AST_DICT:
        traits->allocates |= reading->unit->language == LANGUAGE_PYTHON;
        break;
    case AST_CALL:
        read_call(reading, node);
        break;
    default:
        break;
    }
}

/* void *must_alloc(size_t n) { void *p = malloc(n); if (!p) die(); return p; } */
static bool forwards(const Facts *facts, FunctionId id)
{
    const Unit *unit = program_function_unit(facts->program, id);
    const Ast *ast = unit->ast;
    AstNode root = program_function_data(facts->program, id)->node;
    bool returned = false, pointer = true;
    if (unit->language == LANGUAGE_PYTHON || ast_end(ast, root) - root > FORWARDER_NODES)
        return false;
    FOR_EACH_NODE (ast, node, root) {
        if (ast_kind(ast, node) == AST_LOOP || ast_kind(ast, node) == AST_INDEX)
            return false;
        if (ast_kind(ast, node) != AST_RETURN || ast_leafless(ast, node))
            continue;
        Place place = place_behind(facts, id, node + 1);
        returned |= place.base == PLACE_ALLOCATION && place.count == 0;
        pointer &= place.base == PLACE_ALLOCATION || ast_kind(ast, node + 1) == AST_CONSTANT ||
                   ast_kind(ast, node + 1) == AST_CAST || ast_kind(ast, node + 1) == AST_INT;
    }
    return returned && pointer;
}

static bool exits(const Facts *facts, const Unit *unit, AstNode call)
{
    FunctionId callee = facts_callee(facts, unit, call);
    if (callee != 0)
        return traits_of(facts, callee)->ends_program;
    const LibraryEntry *entry = library_call(facts, unit, call);
    return entry != NULL && (entry->flags & LIB_EXIT) != 0 &&
           strcmp(entry->name, "pthread_exit") != 0 && strcmp(entry->name, "longjmp") != 0;
}

/* void die(const char *text) { fputs(text, stderr); exit(1); }: a statement of the body itself
 * ends the program, and no way leads out in front of it. */
static bool ends_program(const Facts *facts, const Unit *unit, AstNode root)
{
    const Ast *ast = unit->ast;
    AstNode body = ast_first(ast, root);
    if (unit->language == LANGUAGE_PYTHON || body == 0 || ast_kind(ast, body) != AST_BLOCK)
        return false;
    FOR_EACH_CHILD (ast, statement, body) {
        AstNode call = ast_kind(ast, statement) == AST_EXPR ? ast_first(ast, statement) : statement;
        if (ast_kind(ast, call) == AST_CALL && exits(facts, unit, call))
            return true;
        if (ast_holds_kind(ast, statement, AST_RETURN))
            return false;
    }
    return false;
}

const Traits *traits_of(const Facts *facts, FunctionId id)
{
    Traits *traits = &facts->functions[id].traits;
    if (traits->known || traits->busy)
        return traits;
    traits->busy = true;
    const Unit *unit = program_function_unit(facts->program, id);
    AstNode root = program_function_data(facts->program, id)->node;
    Reading reading = {facts, unit, id, traits};
    for (AstNode node = root + 1; node < ast_end(unit->ast, root); node++) {
        if (ast_kind(unit->ast, node) == AST_FUNCTION || ast_kind(unit->ast, node) == AST_DECORATOR)
            node = ast_end(unit->ast, node) - 1;
        else
            read_node(&reading, node);
    }
    traits->forwards_allocation = traits->allocates && forwards(facts, id);
    traits->ends_program = ends_program(facts, unit, root);
    traits->busy = false;
    traits->known = true;
    return traits;
}
