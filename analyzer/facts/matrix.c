/* Sizes of matrices, as far as the program spells them: np.ones((n, 2)) has two columns, so that
 * X.T @ X has two rows and two columns, and no routine starts a team for it. */
#include "analyzer/facts/library.h"
#include "analyzer/facts/reach.h"
#include "analyzer/facts/threads.h"

#include <string.h>

enum { SMALL = 32, DEEPEST = 8 };

/* Rows and columns; -1 where it is not known. */
typedef struct Extents {
    int64_t rows, columns;
} Extents;

static const Extents unknown = {-1, -1};

static Extents extents_of(const Facts *facts, const Unit *unit, AstNode node, int depth);

static bool is_word(const Facts *facts, const Unit *unit, AstNode field, const char *word)
{
    return ast_kind(unit->ast, field) == AST_FIELD &&
           strcmp(intern_text(facts->program->names, ast_at(unit->ast, field)->name), word) == 0;
}

static int64_t number(const Unit *unit, AstNode node)
{
    int64_t value;
    return node != 0 && ast_constant(unit->ast, node, &value) ? value : -1;
}

/* The shape (n, 2) that an array is made with. */
static Extents of_shape(const Unit *unit, AstNode shape)
{
    AstKind kind = shape == 0 ? AST_NONE : ast_kind(unit->ast, shape);
    if ((kind != AST_TUPLE && kind != AST_LIST) || ast_child_count(unit->ast, shape) != 2)
        return unknown;
    AstNode rows = ast_first(unit->ast, shape);
    return (Extents){number(unit, rows), number(unit, ast_next(unit->ast, rows))};
}

/* np.array([[a, b], [c, d]]) */
static Extents of_rows(const Unit *unit, AstNode list)
{
    AstNode row = list != 0 && ast_kind(unit->ast, list) == AST_LIST ? ast_first(unit->ast, list)
                                                                     : 0;
    if (row == 0 || ast_leafless(unit->ast, list) || ast_kind(unit->ast, row) != AST_LIST)
        return unknown;
    return (Extents){ast_child_count(unit->ast, list), ast_child_count(unit->ast, row)};
}

static bool makes(const char *name)
{
    static const char *const makers[] = {"numpy.ones", "numpy.zeros", "numpy.empty", "numpy.full"};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(name, makers[i]) == 0)
            return true;
    return false;
}

/* np.vstack((np.ones(n), x)): as many rows as vectors, where the first is seen to be one. */
static int64_t stacked(const Facts *facts, const Unit *unit, AstNode list)
{
    AstKind kind = list == 0 ? AST_NONE : ast_kind(unit->ast, list);
    AstNode first = (kind == AST_TUPLE || kind == AST_LIST) && !ast_leafless(unit->ast, list)
                        ? ast_first(unit->ast, list)
                        : 0;
    char name[THREADS_NAME];
    if (first == 0 || ast_kind(unit->ast, first) != AST_CALL)
        return -1;
    threads_called(facts, unit, first, name);
    AstNode size = ast_child(unit->ast, first, 1);
    bool vector = makes(name) && size != 0 && ast_kind(unit->ast, size) == AST_CALL &&
                  strcmp(intern_text(facts->program->names,
                                     ast_at(unit->ast, ast_first(unit->ast, size))->name),
                         "len") == 0;
    return vector ? (int64_t)ast_child_count(unit->ast, list) : -1;
}

static Extents of_product(const Facts *facts, const Unit *unit, AstNode left, AstNode right,
                          int depth)
{
    if (left == 0 || right == 0)
        return unknown;
    return (Extents){extents_of(facts, unit, left, depth).rows,
                     extents_of(facts, unit, right, depth).columns};
}

static Extents of_call(const Facts *facts, const Unit *unit, AstNode call, int depth)
{
    static const char *const kept[] = {"numpy.linalg.inv", "numpy.linalg.pinv",
                                       "numpy.linalg.cholesky"};
    AstNode callee = ast_first(unit->ast, call), first = ast_child(unit->ast, call, 1);
    char name[THREADS_NAME];
    threads_called(facts, unit, call, name);
    if (makes(name))
        return of_shape(unit, first);
    if (strcmp(name, "numpy.vstack") == 0)
        return (Extents){stacked(facts, unit, first), -1};
    if (strcmp(name, "numpy.column_stack") == 0)
        return (Extents){-1, stacked(facts, unit, first)};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strcmp(name, kept[i]) == 0 && first != 0)
            return extents_of(facts, unit, first, depth);
    if (strcmp(name, "numpy.array") == 0)
        return of_rows(unit, first);
    if (strcmp(name, "numpy.eye") == 0 || strcmp(name, "numpy.identity") == 0)
        return (Extents){number(unit, first), number(unit, first)};
    if (strcmp(name, "numpy.dot") == 0 || strcmp(name, "numpy.matmul") == 0)
        return of_product(facts, unit, first, ast_child(unit->ast, call, 2), depth);
    if (is_word(facts, unit, callee, "dot"))
        return of_product(facts, unit, ast_first(unit->ast, callee), first, depth);
    return unknown;
}

static Extents extents_of(const Facts *facts, const Unit *unit, AstNode node, int depth)
{
    AstNode value;
    if (depth++ > DEEPEST)
        return unknown;
    switch (ast_kind(unit->ast, node)) {
    case AST_NAME:
        if (ast_at(unit->ast, node)->symbol == 0 ||
            reach_of(facts, unit, node, &value) != REACH_VALUE)
            return unknown;
        return extents_of(facts, unit, value, depth);
    case AST_FIELD: {
        Extents of = is_word(facts, unit, node, "T")
                         ? extents_of(facts, unit, ast_first(unit->ast, node), depth)
                         : unknown;
        return (Extents){of.columns, of.rows};
    }
    case AST_BINARY:
        if (ast_at(unit->ast, node)->op != OP_MATMUL)
            return unknown;
        return of_product(facts, unit, ast_first(unit->ast, node), ast_child(unit->ast, node, 1),
                          depth);
    case AST_CALL:
        return of_call(facts, unit, node, depth);
    default:
        return unknown;
    }
}

bool threads_small_matrix(const Facts *facts, const Unit *unit, AstNode matrix)
{
    Extents of = matrix == 0 ? unknown : extents_of(facts, unit, matrix, 0);
    return of.rows >= 0 && of.rows <= SMALL && of.columns >= 0 && of.columns <= SMALL;
}
