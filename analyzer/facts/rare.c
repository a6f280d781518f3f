/* Whether a branch runs seldom, by what can be seen: error tests, every Nth turn, one thread only.
 * A condition that depends on data and nothing else is not rare. */
#include "analyzer/facts/library.h"

typedef struct Reader {
    const Facts *facts;
    const Unit *unit;
    FunctionId function;
} Reader;

bool branch_leaves(const Ast *ast, AstNode part)
{
    AstNode last = part;
    while (ast_kind(ast, last) == AST_BLOCK && !ast_leafless(ast, last)) {
        AstNode at = ast_first(ast, last);
        for (AstNode next; (next = ast_next(ast, at)) != 0;)
            at = next;
        last = at;
    }
    AstKind kind = ast_kind(ast, last);
    return kind == AST_RETURN || kind == AST_BREAK || kind == AST_CONTINUE || kind == AST_GOTO ||
           kind == AST_RAISE;
}

/* In the part itself, not under a further condition or in a loop: an exception is raised, the
 * program ended, a message printed or formatted, or (*words) a text is used. */
static bool complains(const Reader *reader, AstNode part, bool *words)
{
    *words = false;
    for (AstNode at = part; at < ast_end(reader->unit->ast, part); at++) {
        AstKind kind = ast_kind(reader->unit->ast, at);
        if (at != part && (kind == AST_BRANCH || kind == AST_LOOP || kind == AST_SWITCH)) {
            at = ast_end(reader->unit->ast, at) - 1;
            continue;
        }
        *words |= kind == AST_STRING;
        const LibraryEntry *entry = kind == AST_CALL ? library_call(reader->facts, reader->unit, at)
                                                     : NULL;
        if (kind == AST_RAISE || (entry != NULL && (entry->flags & (LIB_EXIT | LIB_MESSAGE)) != 0))
            return true;
    }
    return false;
}

/* i % 1000 == 0, (i & mask) == 0, tid == 0: true once in many times. */
static bool seldom_true(const Reader *reader, AstNode condition)
{
    const Ast *ast = reader->unit->ast;
    AstKind kind = ast_kind(ast, condition);
    if (kind == AST_LOGIC && ast_at(ast, condition)->op == OP_LOGIC_AND)
        return seldom_true(reader, ast_first(ast, condition)) ||
               seldom_true(reader, ast_child(ast, condition, 1));
    if (kind == AST_UNARY && ast_at(ast, condition)->op == OP_NOT)
        condition = ast_first(ast, condition);
    else if (kind != AST_COMPARE || ast_at(ast, condition)->op != OP_EQ)
        return false;
    AstNode left = kind == AST_COMPARE ? ast_first(ast, condition) : condition;
    AstOp op = ast_kind(ast, left) == AST_BINARY ? (AstOp)ast_at(ast, left)->op : OP_NONE;
    int64_t modulus;
    if ((op == OP_MOD || op == OP_AND) &&
        (!ast_constant(ast, ast_child(ast, left, 1), &modulus) || modulus >= 8))
        return true;
    Affine value = place_index(reader->facts, reader->function, left);
    return kind == AST_COMPARE && value.exact && value.count == 1 &&
           value.terms[0].sym == SYM_THREAD;
}

bool branch_is_rare(const Facts *facts, FunctionId function, AstNode branch, AstNode part)
{
    const Reader reader = {facts, program_function_unit(facts->program, function), function};
    const Ast *ast = reader.unit->ast;
    AstNode condition = ast_first(ast, branch);
    bool then = part == ast_child(ast, branch, 1);
    bool words, complaint = complains(&reader, part, &words);
    if (words && branch_leaves(ast, part))
        return true;
    if (then &&
        ((ast_at(ast, branch)->flags & AST_UNLIKELY) != 0 || seldom_true(&reader, condition)))
        return true;
    return then && complaint;
}
