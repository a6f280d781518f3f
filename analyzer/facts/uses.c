/* How often each variable is assigned, and what it is if it is assigned once. */
#include "analyzer/facts/library.h"

/* T *p = NULL; p = malloc(n); …; p = NULL: what it points to is what it gets besides. */
static bool is_null(const Ast *ast, AstSymbol symbol, AstNode value)
{
    int64_t zero;
    value = ast_without_casts(ast, value);
    return value != 0 && ast->types.items[ast->symbols.items[symbol].type].kind == TYPE_POINTER &&
           (ast_kind(ast, value) == AST_CONSTANT || (ast_constant(ast, value, &zero) && zero == 0));
}

static void write_symbol(const Ast *ast, SymbolUse *uses, AstSymbol symbol, AstNode value,
                         bool augmented)
{
    SymbolUse *use = &uses[symbol];
    if (is_null(ast, symbol, value))
        return;
    use->writes++;
    use->value = use->writes == 1 && !augmented ? value : 0;
    use->augmented |= augmented;
}

/* An assignment target: names, tuples of names (against a tuple of values or not). */
static void write_target(const Ast *ast, SymbolUse *uses, AstNode target, AstNode value,
                         bool augmented)
{
    if (target == 0)
        return;
    const AstNodeData *data = ast_at(ast, target);
    if (data->kind == AST_NAME && data->symbol != 0)
        write_symbol(ast, uses, data->symbol, value, augmented);
    if (data->kind != AST_TUPLE && data->kind != AST_LIST)
        return;
    bool pairwise = value != 0 && ast_kind(ast, value) == AST_TUPLE &&
                    ast_child_count(ast, value) == ast_child_count(ast, target);
    AstNode part = pairwise ? ast_first(ast, value) : 0;
    FOR_EACH_CHILD (ast, item, target) {
        if (part != 0 && ast_kind(ast, part) == AST_NAME && ast_kind(ast, item) == AST_NAME)
            uses[ast_at(ast, item)->symbol].swaps++;
        write_target(ast, uses, item, part, augmented);
        part = part != 0 ? ast_next(ast, part) : 0;
    }
}

/* NULL or a conditional place of assignment between a statement and its function. */
static bool is_conditional(const Ast *ast, AstNode node)
{
    for (AstNode up = ast_parent(ast, node); up != 0 && ast_kind(ast, up) != AST_FUNCTION;
         up = ast_parent(ast, up))
        if (ast_kind(ast, up) == AST_BRANCH || ast_kind(ast, up) == AST_SWITCH)
            return true;
    return false;
}

static void note_assign(const Ast *ast, SymbolUse *uses, AstNode assign)
{
    AstNode target = ast_first(ast, assign), value = ast_child(ast, assign, 1);
    write_target(ast, uses, target, value, ast_at(ast, assign)->op != OP_NONE);
    if (ast_kind(ast, target) == AST_NAME && is_conditional(ast, assign))
        uses[ast_at(ast, target)->symbol].condition_value = true;
}

static void note_loop(const Ast *ast, SymbolUse *uses, AstNode loop)
{
    AstNode target = loop_target(ast, loop);
    write_target(ast, uses, target, 0, false);
    if (ast_kind(ast, target) == AST_NAME)
        uses[ast_at(ast, target)->symbol].loop = loop;
}

static void collect_unit(Facts *facts, const Unit *unit)
{
    const Ast *ast = unit->ast;
    SymbolUse *uses = arena_alloc(facts->arena, ast->symbols.count * sizeof *uses);
    facts->uses[unit->id] = uses;
    for (AstNode node = 1; node < ast->nodes.count; node++) {
        const AstNodeData *data = ast_at(ast, node);
        switch (data->kind) {
        case AST_ASSIGN:
            note_assign(ast, uses, node);
            break;
        case AST_LOOP:
            note_loop(ast, uses, node);
            break;
        case AST_DECL:
            if (!ast_leafless(ast, node) && ast_kind(ast, node + 1) != AST_NONE)
                write_symbol(ast, uses, data->symbol, node + 1, false);
            break;
        case AST_ADDRESS:
            if (ast_kind(ast, node + 1) == AST_NAME)
                uses[ast_at(ast, node + 1)->symbol].address_taken = true;
            break;
        default:
            break;
        }
    }
}

void uses_collect(Facts *facts)
{
    const Program *program = facts->program;
    facts->uses = arena_alloc(facts->arena, program->unit_count * sizeof *facts->uses);
    for (uint32_t i = 0; i < program->unit_count; i++)
        collect_unit(facts, program->units[i]);
}

static void mark(const Facts *facts, const Unit *unit, AstSymbol symbol, AstNode value)
{
    uint32_t what = value == 0 || symbol == 0 ? 0 : library_thread_value(facts, unit, value);
    facts->uses[unit->id][symbol].thread |= (what & LIB_THREAD_ID) != 0;
    facts->uses[unit->id][symbol].team |= (what & LIB_TEAM_SIZE) != 0;
}

void uses_mark_threads(Facts *facts)
{
    for (uint32_t i = 0; i < facts->program->unit_count; i++) {
        const Unit *unit = facts->program->units[i];
        const Ast *ast = unit->ast;
        for (AstNode node = 1; node < ast->nodes.count; node++) {
            if (ast_kind(ast, node) == AST_DECL && !ast_leafless(ast, node))
                mark(facts, unit, ast_at(ast, node)->symbol, node + 1);
            if (ast_kind(ast, node) == AST_ASSIGN && ast_kind(ast, node + 1) == AST_NAME)
                mark(facts, unit, ast_at(ast, node + 1)->symbol, ast_child(ast, node, 1));
        }
    }
}
