#include "analyzer/tree/ast.h"

#include <assert.h>
#include <string.h>

Ast *ast_new(Arena *arena)
{
    Ast *ast = arena_alloc(arena, sizeof *ast);
    ast->arena = arena;
    ast->names = intern_new(arena);
    LIST_PUSH(arena, &ast->nodes, (AstNodeData){.end = 1});
    LIST_PUSH(arena, &ast->symbols, (AstSymbolData){0});
    LIST_PUSH(arena, &ast->types, (AstTypeData){0});
    LIST_PUSH(arena, &ast->functions, (AstFunctionData){0});
    return ast;
}

/* Names are numbered as they come, so that the same order gives the same numbers. */
static Intern *copy_names(const Intern *names, Arena *arena)
{
    Intern *copy = intern_new(arena);
    for (Name name = 1; name <= intern_count(names); name++)
        intern_add(copy, intern_text(names, name), intern_length(names, name));
    return copy;
}

static void *copy_items(Arena *arena, const void *items, size_t bytes)
{
    return bytes > 0 ? memcpy(arena_alloc(arena, bytes), items, bytes) : NULL;
}

#define COPY_LIST(arena, to, from)                                                                 \
    ((to)->items = copy_items((arena), (from)->items, (from)->count * sizeof *(from)->items),      \
     (to)->count = (to)->capacity = (from)->count)

Ast *ast_copy(const Ast *ast, Arena *arena)
{
    Ast *copy = arena_alloc(arena, sizeof *copy);
    copy->arena = arena;
    copy->names = copy_names(ast->names, arena);
    COPY_LIST(arena, &copy->nodes, &ast->nodes);
    COPY_LIST(arena, &copy->symbols, &ast->symbols);
    COPY_LIST(arena, &copy->types, &ast->types);
    COPY_LIST(arena, &copy->fields, &ast->fields);
    COPY_LIST(arena, &copy->functions, &ast->functions);
    COPY_LIST(arena, &copy->exports, &ast->exports);
    for (AstFunction i = 0; i < copy->functions.count; i++)
        COPY_LIST(arena, &copy->functions.items[i].params, &ast->functions.items[i].params);
    return copy;
}

AstNode ast_open(Ast *ast, AstKind kind, uint32_t file, uint32_t start, uint32_t stop)
{
    AstNode node = ast->nodes.count;
    AstNode parent = ast->open.count > 0 ? ast->open.items[ast->open.count - 1] : 0;
    LIST_PUSH(ast->arena, &ast->nodes,
              (AstNodeData){.kind = (uint8_t)kind,
                            .end = node + 1,
                            .parent = parent,
                            .file = file,
                            .start = start,
                            .stop = stop});
    LIST_PUSH(ast->arena, &ast->open, node);
    return node;
}

void ast_close(Ast *ast, AstNode node)
{
    assert(ast->open.count > 0 && ast->open.items[ast->open.count - 1] == node);
    ast->open.count--;
    ast->nodes.items[node].end = ast->nodes.count;
}

AstNode ast_leaf(Ast *ast, AstKind kind, uint32_t file, uint32_t start, uint32_t stop)
{
    AstNode node = ast_open(ast, kind, file, start, stop);
    ast_close(ast, node);
    return node;
}

AstNode ast_none(Ast *ast)
{
    return ast_leaf(ast, AST_NONE, 0, 0, 0);
}

AstSymbol ast_symbol(Ast *ast, Name name, AstSymbolKind kind, AstFunction function, AstNode decl)
{
    LIST_PUSH(
        ast->arena, &ast->symbols,
        (AstSymbolData){.name = name, .kind = (uint8_t)kind, .function = function, .decl = decl});
    return ast->symbols.count - 1;
}

AstType ast_type(Ast *ast, AstTypeData type)
{
    bool plain = type.name == 0 && type.field_count == 0;
    for (AstType known = 1; plain && known < ast->types.count; known++) {
        const AstTypeData *other = &ast->types.items[known];
        if (other->kind == type.kind && other->rank == type.rank && other->flags == type.flags &&
            other->element == type.element && other->count == type.count &&
            other->size == type.size && other->align == type.align && other->name == 0 &&
            other->field_count == 0)
            return known;
    }
    LIST_PUSH(ast->arena, &ast->types, type);
    return ast->types.count - 1;
}

AstFunction ast_function(Ast *ast, AstNode node, Name name, AstFunction outer)
{
    LIST_PUSH(ast->arena, &ast->functions,
              (AstFunctionData){.node = node, .name = name, .outer = outer});
    ast_at(ast, node)->value.function = ast->functions.count - 1;
    return ast->functions.count - 1;
}

AstNode ast_child(const Ast *ast, AstNode node, uint32_t index)
{
    AstNode child = ast_first(ast, node);
    while (child != 0 && index-- > 0)
        child = ast_next(ast, child);
    return child;
}

uint32_t ast_child_count(const Ast *ast, AstNode node)
{
    uint32_t count = 0;
    FOR_EACH_CHILD (ast, child, node)
        count++;
    return count;
}

AstFunction ast_function_of(const Ast *ast, AstNode node)
{
    for (; node != 0; node = ast_parent(ast, node))
        if (ast_kind(ast, node) == AST_FUNCTION)
            return ast_at(ast, node)->value.function;
    return 0;
}

static bool fold(AstOp op, int64_t left, int64_t right, int64_t *value)
{
    switch (op) {
    case OP_ADD:
        return !__builtin_add_overflow(left, right, value);
    case OP_SUB:
        return !__builtin_sub_overflow(left, right, value);
    case OP_MUL:
        return !__builtin_mul_overflow(left, right, value);
    case OP_DIV:
    case OP_FLOORDIV:
        if (right == 0 || (left == INT64_MIN && right == -1))
            return false;
        *value = left / right -
                 (op == OP_FLOORDIV && left % right != 0 && (left < 0) != (right < 0));
        return true;
    case OP_MOD:
        if (right == 0 || (left == INT64_MIN && right == -1))
            return false;
        *value = left % right;
        return *value == 0 || (left < 0) == (right < 0); /* else the languages differ */
    case OP_SHL:
        if (left < 0 || right < 0 || right > 62 || left > (INT64_MAX >> right))
            return false;
        *value = left << right;
        return true;
    case OP_SHR:
        if (right < 0 || right > 63)
            return false;
        *value = left >> right;
        return true;
    case OP_AND:
        *value = left & right;
        return true;
    case OP_OR:
        *value = left | right;
        return true;
    case OP_XOR:
        *value = left ^ right;
        return true;
    default:
        return false;
    }
}

bool ast_constant(const Ast *ast, AstNode node, int64_t *value)
{
    const AstNodeData *data = ast_at(ast, node);
    int64_t left, right;
    switch (data->kind) {
    case AST_INT:
    case AST_SIZEOF:
        *value = data->value.integer;
        return data->kind == AST_INT || *value > 0;
    case AST_NAME: {
        const AstSymbolData *symbol = &ast->symbols.items[data->symbol];
        *value = symbol->value;
        return (symbol->flags & SYMBOL_KNOWN_VALUE) != 0;
    }
    case AST_CAST:
        return ast_constant(ast, node + 1, value);
    case AST_UNARY:
        if (data->op != OP_NEG || !ast_constant(ast, node + 1, &left) || left == INT64_MIN)
            return false;
        *value = -left;
        return true;
    case AST_BINARY:
        return ast_constant(ast, node + 1, &left) &&
               ast_constant(ast, ast_child(ast, node, 1), &right) &&
               fold((AstOp)data->op, left, right, value);
    default:
        return false;
    }
}

const char *ast_kind_word(AstKind kind)
{
    static const char *const words[] = {
#define NODE(KIND, word, children) word,
#include "analyzer/tree/kinds.def"
#undef NODE
    };
    return words[kind];
}

const char *ast_op_word(AstOp op)
{
    static const char *const words[OP_COUNT] = {"=",   "+",   "-",   "*",   "/",  "//",  "%",
                                                "**",  "@",   "&",   "|",   "^",  "<<",  ">>",
                                                "not", "~",   "neg", "pos", "<",  "<=",  ">",
                                                ">=",  "==",  "!=",  "in",  "is", "and", "or",
                                                "min", "max", "user"};
    return words[op];
}

bool ast_mentions(const Ast *ast, AstNode root, AstSymbol symbol)
{
    FOR_EACH_NODE (ast, node, root)
        if (ast_kind(ast, node) == AST_NAME && ast_at(ast, node)->symbol == symbol)
            return true;
    return false;
}

AstNode ast_value_set(const Ast *ast, AstNode node, AstSymbol symbol)
{
    if (ast_kind(ast, node) == AST_DECL)
        return ast_at(ast, node)->symbol == symbol ? ast_first(ast, node) : 0;
    if (ast_kind(ast, node) != AST_ASSIGN)
        return 0;
    AstNode target = ast_first(ast, node);
    bool sets = ast_kind(ast, target) == AST_NAME && ast_at(ast, target)->symbol == symbol;
    return sets ? ast_child(ast, node, 1) : 0;
}

bool ast_holds_kind(const Ast *ast, AstNode root, AstKind kind)
{
    FOR_EACH_NODE (ast, node, root)
        if (ast_kind(ast, node) == kind)
            return true;
    return false;
}

bool ast_is_target(const Ast *ast, AstNode node)
{
    AstNode parent = ast_parent(ast, node);
    return ast_kind(ast, parent) == AST_ASSIGN && ast_first(ast, parent) == node;
}

const AstTypeData *ast_type_at(const Ast *ast, AstNode node)
{
    const AstNodeData *data = ast_at(ast, node);
    AstType type = data->type;
    if (type == 0 && data->symbol != 0)
        type = ast->symbols.items[data->symbol].type;
    return &ast->types.items[type];
}

bool ast_starts_team(const Ast *ast, AstNode node)
{
    const AstNodeData *data = ast_at(ast, node);
    return (data->kind == AST_LOOP && data->value.loop.run == RUN_PARALLEL) ||
           (data->kind == AST_REGION && data->op == REGION_PARALLEL);
}

bool ast_is_construct(const Ast *ast, AstNode node)
{
    const AstNodeData *data = ast_at(ast, node);
    return ast_starts_team(ast, node) ||
           (data->kind == AST_LOOP && data->value.loop.run == RUN_WORKSHARE);
}

bool ast_leaves_loop(const Ast *ast, AstNode statement, AstNode loop)
{
    const AstNodeData *data = ast_at(ast, statement), *left = ast_at(ast, loop);
    AstNode around = ast_parent(ast, statement);
    if (data->kind == AST_RETURN)
        return true;
    if (data->kind == AST_GOTO && data->value.integer >= 0)
        return data->value.integer < left->start || data->value.integer >= left->stop;
    if (data->kind != AST_BREAK && data->kind != AST_GOTO)
        return false;
    while (around != 0 && ast_kind(ast, around) != AST_LOOP && ast_kind(ast, around) != AST_SWITCH)
        around = ast_parent(ast, around);
    return around == loop;
}

bool ast_is_statement(const Ast *ast, AstNode node)
{
    AstNode parent = ast_parent(ast, node);
    switch (ast_kind(ast, parent)) {
    case AST_EXPR:
    case AST_BLOCK:
    case AST_REGION:
    case AST_CASE:
        return true;
    case AST_BRANCH:
        return ast_first(ast, parent) != node;
    case AST_LOOP:
        return loop_body(ast, parent) == node;
    default:
        return false;
    }
}

bool ast_same(const Ast *ast, AstNode left, AstNode right)
{
    uint32_t length = ast_end(ast, left) - left;
    if (ast_end(ast, right) - right != length)
        return false;
    for (uint32_t i = 0; i < length; i++) {
        const AstNodeData *a = ast_at(ast, left + i), *b = ast_at(ast, right + i);
        if (a->kind != b->kind || a->op != b->op || a->name != b->name || a->symbol != b->symbol ||
            a->end - left != b->end - right ||
            ((a->kind == AST_INT || a->kind == AST_REAL) && a->value.integer != b->value.integer))
            return false;
    }
    return true;
}
