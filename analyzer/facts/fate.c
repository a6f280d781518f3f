/* C: what becomes of a block that is allocated: given back before the function, or the one that it
 * is handed to, ends; or kept in something that lives on. */
#include "analyzer/facts/library.h"

#include <string.h>

enum { CALLERS_DEEP = 4 };

typedef struct Site {
    const Facts *facts;
    const Unit *unit;
    const Ast *ast;
    AstNode function; /* node of the FUNCTION around */
    FunctionId id;
} Site;

static BlockFate fate_of(const Facts *facts, const Unit *unit, AstNode value, int depth);

/* The variable at the root of s.rows, rows, (*p).x, with whether what is stored there is the
 * variable's own: not behind a pointer or an index. */
static AstSymbol root_of(const Ast *ast, AstNode target, bool *own)
{
    *own = true;
    while (ast_kind(ast, target) == AST_FIELD || ast_kind(ast, target) == AST_INDEX ||
           ast_kind(ast, target) == AST_DEREF || ast_kind(ast, target) == AST_CAST) {
        AstKind kind = ast_kind(ast, target);
        *own &= kind == AST_CAST ||
                (kind == AST_FIELD && (ast_at(ast, target)->flags & AST_ARROW) == 0);
        target = ast_first(ast, target);
    }
    return ast_kind(ast, target) == AST_NAME ? ast_at(ast, target)->symbol : 0;
}

static bool is_local(const Site *site, AstSymbol symbol)
{
    AstNode decl = symbol == 0 ? 0 : site->ast->symbols.items[symbol].decl;
    return decl != 0 && ast_kind(site->ast, decl) == AST_DECL &&
           ast_holds(site->ast, site->function, decl) &&
           site->ast->symbols.items[symbol].kind == SYMBOL_LOCAL;
}

/* free(x), and what projects call theirs: matrix_free(m), destroy_queue(q). */
static bool releases(const Site *site, AstNode call)
{
    static const char *const words[] = {"free",    "Free",    "FREE",   "destroy", "Destroy",
                                        "release", "Release", "delete", "Delete",  NULL};
    const Ast *ast = site->ast;
    const LibraryEntry *entry = library_call(site->facts, site->unit, call);
    if (entry != NULL && (entry->flags & LIB_FREE) != 0)
        return true;
    AstNode callee = ast_first(ast, call);
    if (callee == 0 || ast_kind(ast, callee) != AST_NAME)
        return false;
    const char *name = intern_text(site->facts->program->names, ast_at(ast, callee)->name);
    for (uint32_t i = 0; words[i] != NULL; i++)
        if (strstr(name, words[i]) != NULL)
            return true;
    return false;
}

/* free(p->rows) */
static bool is_target_released(const Site *site, AstNode target)
{
    FOR_EACH_NODE (site->ast, node, site->function) {
        if (ast_kind(site->ast, node) != AST_CALL || !releases(site, node))
            continue;
        FOR_EACH_NODE (site->ast, part, node)
            if (ast_kind(site->ast, part) == ast_kind(site->ast, target) &&
                ast_same(site->ast, part, target))
                return true;
    }
    return false;
}

static bool is_released(const Site *site, AstSymbol symbol, AstNode made)
{
    FOR_EACH_NODE (site->ast, node, site->function)
        if (ast_kind(site->ast, node) == AST_CALL && node != made && releases(site, node) &&
            ast_mentions(site->ast, node, symbol))
            return true;
    return false;
}

static bool is_returned(const Site *site, AstSymbol symbol)
{
    FOR_EACH_NODE (site->ast, node, site->function) {
        AstNode value = ast_kind(site->ast, node) == AST_RETURN ? ast_first(site->ast, node) : 0;
        value = ast_without_casts(site->ast, value);
        if (value != 0 && ast_kind(site->ast, value) == AST_NAME &&
            ast_at(site->ast, value)->symbol == symbol)
            return true;
    }
    return false;
}

/* What the callers do with what this function gives back. */
static BlockFate fate_at_callers(const Site *site, int depth)
{
    BlockFate fate = BLOCK_UNKNOWN;
    if (site->id == 0 || depth >= CALLERS_DEEP)
        return fate;
    const FunctionFacts *own = &site->facts->functions[site->id];
    for (uint32_t i = 0; i < own->callers.count; i++) {
        const Caller *caller = &own->callers.items[i];
        BlockFate there = fate_of(site->facts, caller->unit, caller->call, depth + 1);
        if (there == BLOCK_RELEASED || there == BLOCK_HANDED_UP)
            return BLOCK_HANDED_UP;
        fate = there != BLOCK_UNKNOWN ? there : fate;
    }
    return fate;
}

/* A variable of the function holds it: freed there, returned, put into something else, or let go.
 */
static BlockFate fate_of_local(const Site *site, AstSymbol symbol, AstNode made, int depth)
{
    const Ast *ast = site->ast;
    BlockFate fate = BLOCK_UNKNOWN;
    if (is_released(site, symbol, made) && !is_returned(site, symbol))
        return BLOCK_RELEASED; /* a constructor frees what it returns where it fails */
    FOR_EACH_NODE (ast, node, site->function) {
        AstKind kind = ast_kind(ast, node);
        AstNode value = kind == AST_RETURN   ? ast_first(ast, node)
                        : kind == AST_ASSIGN ? ast_child(ast, node, 1)
                                             : 0;
        value = ast_without_casts(ast, value);
        if (value == 0 || ast_kind(ast, value) != AST_NAME || ast_at(ast, value)->symbol != symbol)
            continue;
        bool own = false;
        AstSymbol root = kind == AST_ASSIGN ? root_of(ast, ast_first(ast, node), &own) : 0;
        if (kind == AST_RETURN)
            fate = fate_at_callers(site, depth);
        else if (root != symbol && is_released(site, root, made))
            return BLOCK_RELEASED;
        else if (root != symbol && (!own || !is_local(site, root)))
            fate = BLOCK_KEPT;
    }
    return fate;
}

static BlockFate fate_of(const Facts *facts, const Unit *unit, AstNode value, int depth)
{
    const Ast *ast = unit->ast;
    Site site = {.facts = facts, .unit = unit, .ast = ast};
    AstFunction function = ast_function_of(ast, value);
    site.id = program_function(facts->program, unit, function);
    if (site.id == 0)
        return BLOCK_UNKNOWN;
    /* A header's function has a copy in each unit that reads it; value is a node of this one. */
    site.function = ast->functions.items[function].node;
    AstNode made = value, parent = ast_parent(ast, value);
    while (ast_kind(ast, parent) == AST_CAST || ast_kind(ast, parent) == AST_COMPARE ||
           (ast_kind(ast, parent) == AST_ASSIGN && ast_child(ast, parent, 1) != value)) {
        value = parent;
        parent = ast_parent(ast, parent);
    }
    if (ast_kind(ast, parent) == AST_RETURN)
        return fate_at_callers(&site, depth);
    if (ast_kind(ast, parent) == AST_DECL)
        return fate_of_local(&site, ast_at(ast, parent)->symbol, made, depth);
    if (ast_kind(ast, parent) != AST_ASSIGN)
        return BLOCK_UNKNOWN;
    bool own;
    AstSymbol root = root_of(ast, ast_first(ast, parent), &own);
    if (own && is_local(&site, root))
        return fate_of_local(&site, root, made, depth);
    if (is_target_released(&site, ast_first(ast, parent)))
        return BLOCK_RELEASED;
    if (is_local(&site, root)) {
        BlockFate held = fate_of_local(&site, root, made, depth); /* rows[i] = malloc(…) */
        return held == BLOCK_UNKNOWN ? BLOCK_KEPT : held;
    }
    return BLOCK_KEPT;
}

BlockFate facts_block_fate(const Facts *facts, FunctionId function, AstNode allocation)
{
    const Unit *unit = program_function_unit(facts->program, function);
    return unit->language == LANGUAGE_PYTHON ? BLOCK_UNKNOWN : fate_of(facts, unit, allocation, 0);
}
