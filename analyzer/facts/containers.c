/* Python: what adds entries to a list, dict or set, or takes them away. Under numba none of them
 * may be changed by two threads at once: they grow, and rehash, without a lock. */
#include "analyzer/facts/walker.h"

#include <string.h>

/* `base` is what changes; an element of a list is a container of its own. */
static void emit_resize(Walker *walker, AstNode base, AstNode node)
{
    Place place = place_of(walker->facts, walker->function, base);
    if (place.base == PLACE_VARIABLE)
        walker_emit(walker, EFFECT_RESIZE, node)->place = place;
}

static Container container_of(const Walker *walker, AstNode base)
{
    bool likely;
    Container container = shape_container(shape_of(walker->facts, walker->function, base), &likely);
    return likely ? CONTAINER_ANY : container;
}

/* del words[0]: arrays know no such thing. */
void walker_delete(Walker *walker, AstNode statement)
{
    FOR_EACH_CHILD (walker->ast, target, statement)
        if (ast_kind(walker->ast, target) == AST_INDEX)
            emit_resize(walker, ast_first(walker->ast, target), statement);
}

/* seen[key] = value may be a new key. */
void walker_put(Walker *walker, AstNode target, AstNode node)
{
    if (ast_kind(walker->ast, target) == AST_INDEX &&
        container_of(walker, ast_first(walker->ast, target)) == CONTAINER_DICT)
        emit_resize(walker, ast_first(walker->ast, target), node);
}

/* kept.append(x), seen.pop(key). */
void walker_method(Walker *walker, AstNode call)
{
    static const char *const resizing[] = {"append",  "extend",     "insert", "pop",   "remove",
                                           "popitem", "setdefault", "update", "clear", NULL};
    const Ast *ast = walker->ast;
    AstNode callee = ast_first(ast, call);
    if (ast_kind(ast, callee) != AST_FIELD)
        return;
    const char *name = intern_text(walker->facts->program->names, ast_at(ast, callee)->name);
    Container container = container_of(walker, ast_first(ast, callee));
    for (uint32_t i = 0; resizing[i] != NULL; i++)
        if (strcmp(resizing[i], name) == 0 &&
            (container == CONTAINER_LIST || container == CONTAINER_TYPED_LIST ||
             container == CONTAINER_DICT))
            emit_resize(walker, ast_first(ast, callee), call);
}
