/* What a turn of a loop that is dealt out has to bring from the last cache or from memory, where it
 * is known that the loop walks along more than a core's own caches hold. */
#include "analyzer/number/work.h"

enum { MOST_ACCESSES = 16, ELEMENT = 8 /* bytes, where the type does not say */ };

/* x[i], x[i + 1], p[i].x for the loop's variable i. */
static bool is_next_element(const Ast *ast, AstNode access, AstSymbol counter)
{
    AstNode last = ast_child(ast, access, ast_child_count(ast, access) - 1);
    const AstNodeData *data = ast_at(ast, last);
    bool beside = data->kind == AST_BINARY && (data->op == OP_ADD || data->op == OP_SUB) &&
                  ast_kind(ast, last + 1) == AST_NAME;
    AstNode name = beside ? last + 1 : last;
    return ast_kind(ast, name) == AST_NAME && ast_at(ast, name)->symbol == counter &&
           !ast_mentions(ast, ast_first(ast, access), counter);
}

static bool is_new(const Ast *ast, const AstNode *seen, uint32_t count, AstNode access)
{
    for (uint32_t i = 0; i < count; i++)
        if (ast_same(ast, ast_first(ast, seen[i]), ast_first(ast, access)))
            return false;
    return true;
}

double stream_bytes(const Ast *ast, AstNode loop)
{
    AstNode target = loop_target(ast, loop), body = loop_body(ast, loop);
    AstSymbol counter = ast_kind(ast, target) == AST_NAME ? ast_at(ast, target)->symbol : 0;
    AstNode seen[MOST_ACCESSES];
    uint32_t count = 0;
    double bytes = 0;
    if (counter == 0)
        return 0;
    for (AstNode node = body; node < ast_end(ast, body) && count < MOST_ACCESSES; node++) {
        if (ast_kind(ast, node) == AST_LOOP) { /* rows and the like: the loop's own work */
            node = ast_end(ast, node) - 1;
            continue;
        }
        if (ast_kind(ast, node) != AST_INDEX || !is_next_element(ast, node, counter) ||
            !is_new(ast, seen, count, node))
            continue;
        int64_t size = ast->types.items[ast_at(ast, node)->type].size;
        bytes += size > 0 ? (double)size : ELEMENT;
        seen[count++] = node;
    }
    return bytes;
}

double stream_ns(WorkModel *work, const Unit *unit, AstNode loop)
{
    uint8_t run = ast_at(unit->ast, loop)->value.loop.run;
    const Machine *machine = work->machine;
    const LoopRecord *record = loop_record(unit_table(work, unit), loop);
    double bytes = stream_bytes(unit->ast, loop);
    bool dealt = run == RUN_PARALLEL || run == RUN_WORKSHARE;
    if (!dealt || !record->known || record->trips * bytes <= machine->l2_bytes)
        return 0;
    double rate = curve_at(&machine->bandwidth_gbs, machine->threads) / machine->threads;
    if (record->trips * bytes <= machine->l3_bytes)
        rate *= CACHE_OVER_MEMORY;
    return rate > 0 ? bytes / rate : 0;
}
