/* What is left where no case fits: the `default:` of a switch, the last else of a chain of
 * `if (kind == 1) … else if (kind == 2) …`. Where it tells of it, or fails, it is rare. And what a
 * message says of itself. */
#include "analyzer/facts/library.h"
#include "analyzer/facts/model.h"

#include <ctype.h>
#include <string.h>

/* In the statement, not under a further condition: the program ended, a message printed or
 * formatted. */
static bool prints(const Facts *facts, const Unit *unit, AstNode part)
{
    const Ast *ast = unit->ast;
    for (AstNode at = part; at < ast_end(ast, part); at++) {
        AstKind kind = ast_kind(ast, at);
        if (kind == AST_BRANCH || kind == AST_LOOP || kind == AST_SWITCH) {
            at = ast_end(ast, at) - 1;
            continue;
        }
        const LibraryEntry *entry = kind == AST_CALL ? library_call(facts, unit, at) : NULL;
        if (kind == AST_RAISE || (entry != NULL && (entry->flags & (LIB_EXIT | LIB_MESSAGE)) != 0))
            return true;
    }
    return false;
}

/* ---- default: ---- */

/* return -1, return E_ORDER, goto failed, an exception. */
static bool gives_up(const Ast *ast, AstNode statement)
{
    FOR_EACH_NODE (ast, node, statement) {
        AstKind kind = ast_kind(ast, node);
        int64_t value = 0;
        AstNode result = kind == AST_RETURN ? ast_first(ast, node) : 0;
        bool code = result != 0 && ast_constant(ast, result, &value) && value != 0;
        if (code || kind == AST_GOTO || kind == AST_RAISE)
            return true;
    }
    return false;
}

/* Any way out but break. */
static bool returns(const Ast *ast, AstNode statement)
{
    return ast_holds_kind(ast, statement, AST_RETURN) || ast_holds_kind(ast, statement, AST_GOTO) ||
           ast_holds_kind(ast, statement, AST_RAISE);
}

bool default_is_rare(const Facts *facts, FunctionId function, AstNode choice, AstNode label)
{
    enum { FEW_CASES = 2 };
    const Unit *unit = program_function_unit(facts->program, function);
    const Ast *ast = unit->ast;
    bool printed = false, returned = false;
    uint32_t others = 0;
    AstNode before = 0;
    if (ast_kind(ast, label) != AST_CASE || (ast_at(ast, label)->flags & AST_DEFAULT) == 0)
        return false;
    FOR_EACH_CHILD (ast, part, ast_child(ast, choice, 1)) {
        if (part == label) {
            if (before != 0 && !branch_leaves(ast, ast_first(ast, before)))
                return false; /* the case in front runs into it */
        } else {
            others += ast_kind(ast, part) == AST_CASE;
            printed |= prints(facts, unit, part);
            returned |= returns(ast, part);
        }
        before = part;
    }
    return others >= FEW_CASES &&
           ((prints(facts, unit, label) && !printed) || (gives_up(ast, label) && !returned));
}

/* ---- the last else ---- */

/* kind == 1, kind == 1 || kind == 3: what is compared; 0 if it is none of these. */
static AstNode chosen_by(const Ast *ast, AstNode condition)
{
    int64_t value;
    if (ast_kind(ast, condition) == AST_LOGIC) {
        AstNode left = chosen_by(ast, ast_first(ast, condition)),
                right = chosen_by(ast, ast_child(ast, condition, 1));
        bool either = ast_at(ast, condition)->op == OP_LOGIC_OR;
        return either && left != 0 && right != 0 && ast_same(ast, left, right) ? left : 0;
    }
    bool equal = ast_kind(ast, condition) == AST_COMPARE && ast_at(ast, condition)->op == OP_EQ;
    AstNode right = equal ? ast_child(ast, condition, 1) : 0;
    return equal && (ast_constant(ast, right, &value) || ast_kind(ast, right) == AST_CONSTANT)
               ? ast_first(ast, condition)
               : 0;
}

bool else_is_rare(const Facts *facts, FunctionId function, AstNode branch, AstNode part)
{
    enum { FEW_CASES = 2 };
    const Unit *unit = program_function_unit(facts->program, function);
    const Ast *ast = unit->ast;
    AstNode subject = ast_kind(ast, branch) == AST_BRANCH ? chosen_by(ast, ast_first(ast, branch))
                                                          : 0;
    uint32_t cases = 0;
    if (subject == 0 || part != ast_child(ast, branch, 2) || !prints(facts, unit, part))
        return false;
    for (AstNode up = branch, inner = part; ast_kind(ast, up) == AST_BRANCH;
         inner = up, up = ast_parent(ast, up)) {
        if (inner != ast_child(ast, up, 2))
            break;
        AstNode chosen = chosen_by(ast, ast_first(ast, up));
        if (chosen == 0 || !ast_same(ast, chosen, subject) ||
            prints(facts, unit, ast_child(ast, up, 1)))
            return false;
        cases++;
    }
    return cases >= FEW_CASES;
}

/* ---- what a message says of itself ---- */

/* "*** WARNING in …", "error: %d", "Error opening …"; not "error = %g", which is a result. */
bool text_warns(const Unit *unit, AstNode node)
{
    static const char *const words[] = {"warning", "error", "fatal"};
    const AstNodeData *data = ast_at(unit->ast, node);
    const Source *source = unit_source(unit, node);
    if (data->kind != AST_STRING || data->stop > source->size || (data->flags & AST_MACRO) != 0)
        return false;
    uint32_t at = data->start;
    while (at < data->stop && !isalpha((unsigned char)source->bytes[at]) &&
           source->bytes[at] != '%')
        at += source->bytes[at] == '\\' ? 2 : 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (at + length > data->stop ||
            strncasecmp((const char *)source->bytes + at, words[i], length) != 0)
            continue;
        uint32_t next = at + (uint32_t)length;
        if (next < data->stop && isalpha((unsigned char)source->bytes[next]))
            return false;
        bool told = next < data->stop && strchr(":!", source->bytes[next]) != NULL;
        while (next < data->stop && strchr(" :!", source->bytes[next]) != NULL)
            next++;
        return told || (next < data->stop && isalpha((unsigned char)source->bytes[next]));
    }
    return false;
}
