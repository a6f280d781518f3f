/* Explicit signatures: "f8(f8[:, ::1], i4[:])", float64(float64[:, ::1], int32), and lists of them,
 * of which the first is taken. */
#include "frontends/python/numba.h"

#include <ctype.h>
#include <string.h>

enum { MOST_PARAMS = 64, LONGEST_WORD = 64 };

/* ---- the names of types ---- */

static const struct {
    const char *name;
    uint8_t kind, size, flags;
} scalars[] = {
    {"f4", TYPE_REAL, 4, 0},
    {"f8", TYPE_REAL, 8, 0},
    {"f", TYPE_REAL, 4, 0},
    {"d", TYPE_REAL, 8, 0},
    {"float32", TYPE_REAL, 4, 0},
    {"float64", TYPE_REAL, 8, 0},
    {"float_", TYPE_REAL, 4, 0},
    {"double", TYPE_REAL, 8, 0},
    {"i1", TYPE_INT, 1, 0},
    {"i2", TYPE_INT, 2, 0},
    {"i4", TYPE_INT, 4, 0},
    {"i8", TYPE_INT, 8, 0},
    {"int8", TYPE_INT, 1, 0},
    {"int16", TYPE_INT, 2, 0},
    {"int32", TYPE_INT, 4, 0},
    {"int64", TYPE_INT, 8, 0},
    {"intp", TYPE_INT, 8, 0},
    {"intc", TYPE_INT, 4, 0},
    {"int_", TYPE_INT, 8, 0},
    {"long_", TYPE_INT, 8, 0},
    {"u1", TYPE_INT, 1, TYPE_UNSIGNED},
    {"u2", TYPE_INT, 2, TYPE_UNSIGNED},
    {"u4", TYPE_INT, 4, TYPE_UNSIGNED},
    {"u8", TYPE_INT, 8, TYPE_UNSIGNED},
    {"uint8", TYPE_INT, 1, TYPE_UNSIGNED},
    {"uint16", TYPE_INT, 2, TYPE_UNSIGNED},
    {"uint32", TYPE_INT, 4, TYPE_UNSIGNED},
    {"uint64", TYPE_INT, 8, TYPE_UNSIGNED},
    {"uintp", TYPE_INT, 8, TYPE_UNSIGNED},
    {"uintc", TYPE_INT, 4, TYPE_UNSIGNED},
    {"b1", TYPE_BOOL, 1, 0},
    {"bool_", TYPE_BOOL, 1, 0},
    {"boolean", TYPE_BOOL, 1, 0},
    {"c8", TYPE_COMPLEX, 8, 0},
    {"c16", TYPE_COMPLEX, 16, 0},
    {"complex64", TYPE_COMPLEX, 8, 0},
    {"complex128", TYPE_COMPLEX, 16, 0},
    {"void", TYPE_VOID, 0, 0},
    {"none", TYPE_VOID, 0, 0},
};

static AstType scalar(Ast *ast, const char *name)
{
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (strcmp(scalars[i].name, name) == 0)
            return ast_type(ast, (AstTypeData){.kind = scalars[i].kind,
                                               .size = scalars[i].size,
                                               .flags = scalars[i].flags});
    return 0;
}

static AstType container(Ast *ast, const char *name, AstType element)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } words[] = {{"ListType", TYPE_TYPED_LIST}, {"DictType", TYPE_TYPED_DICT},
                 {"List", TYPE_LIST},           {"UniTuple", TYPE_TUPLE},
                 {"Tuple", TYPE_TUPLE},         {"FunctionType", TYPE_FUNCTION_VALUE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].name, name) == 0)
            return ast_type(ast, (AstTypeData){.kind = words[i].kind, .element = element});
    return 0;
}

static AstType ndarray(Ast *ast, AstType element, int rank, bool contiguous)
{
    return ast_type(ast, (AstTypeData){.kind = TYPE_NDARRAY,
                                       .rank = (uint8_t)(rank < 255 ? rank : 255),
                                       .flags = contiguous ? TYPE_CONTIGUOUS : 0,
                                       .element = element});
}

/* ---- signatures in text ---- */

typedef struct Signature {
    AstType returns, params[MOST_PARAMS];
    uint32_t count;
} Signature;

typedef struct Reader {
    Ast *ast;
    const char *at;
    int depth;
} Reader;

static void skip_blanks(Reader *reader)
{
    while (isspace((unsigned char)*reader->at))
        reader->at++;
}

static bool accept(Reader *reader, char c)
{
    skip_blanks(reader);
    if (*reader->at != c)
        return false;
    reader->at++;
    return true;
}

static AstType read_type(Reader *reader);

/* Types up to the closing bracket; returns the first. */
static AstType read_list(Reader *reader, char close, AstType *params, uint32_t *count)
{
    AstType first = 0;
    for (uint32_t i = 0; *reader->at != '\0' && !accept(reader, close); i++) {
        const char *before = reader->at;
        AstType type = read_type(reader);
        first = i == 0 ? type : first;
        if (params != NULL && *count < MOST_PARAMS)
            params[(*count)++] = type;
        accept(reader, ',');
        if (reader->at == before)
            reader->at++; /* not a type: step over it */
    }
    return first;
}

/* [:, ::1] */
static AstType read_dimensions(Reader *reader, AstType element)
{
    int rank = 1;
    bool contiguous = false;
    for (; *reader->at != '\0' && *reader->at != ']'; reader->at++) {
        rank += *reader->at == ',';
        contiguous |= reader->at[0] == ':' && reader->at[1] == ':';
    }
    accept(reader, ']');
    return ndarray(reader->ast, element, rank, contiguous);
}

static AstType read_type(Reader *reader)
{
    char word[LONGEST_WORD];
    size_t length = 0;
    if (reader->depth > 16)
        return 0;
    reader->depth++;
    skip_blanks(reader);
    for (; isalnum((unsigned char)*reader->at) || *reader->at == '_' || *reader->at == '.';
         reader->at++) {
        if (*reader->at == '.')
            length = 0; /* types.float64 */
        else if (length + 1 < sizeof word)
            word[length++] = *reader->at;
    }
    word[length] = '\0';
    AstType type = scalar(reader->ast, word);
    if (length == 0 && accept(reader, '(')) {
        read_list(reader, ')', NULL, NULL);
        type = ast_type(reader->ast, (AstTypeData){.kind = TYPE_TUPLE});
    } else if (type == 0 && length > 0 && accept(reader, '(')) {
        type = container(reader->ast, word, read_list(reader, ')', NULL, NULL));
    }
    skip_blanks(reader);
    while (*reader->at == '[') {
        reader->at++;
        type = read_dimensions(reader, type);
        skip_blanks(reader);
    }
    reader->depth--;
    return type;
}

/* guvectorize and tuples give the parameters alone: "(f8[:], f8[:])". */
static bool read_signature(Ast *ast, const char *text, Signature *signature)
{
    Reader reader = {ast, text, 0};
    skip_blanks(&reader);
    if (*reader.at != '(')
        signature->returns = read_type(&reader);
    if (!accept(&reader, '('))
        return false;
    read_list(&reader, ')', signature->params, &signature->count);
    return signature->count > 0;
}

/* ---- signatures made of objects ---- */

static const char *last_word(const Linker *linker, const AstNodeData *data)
{
    const char *text = intern_text(linker->program->names, data->name), *dot = strrchr(text, '.');
    return dot == NULL ? text : dot + 1;
}

static AstType type_of(Linker *linker, Ast *ast, Expression e, int depth)
{
    if (e.node == 0 || depth > 16)
        return 0;
    const Ast *from = e.unit->ast;
    const AstNodeData *data = ast_at(from, e.node);
    AstNode first = ast_first(from, e.node);
    Expression inner = {e.unit, first, e.env};
    switch (data->kind) {
    case AST_NAME:
    case AST_FIELD:
        return scalar(ast, last_word(linker, data));
    case AST_INDEX: { /* float64[:, ::1]: a step of 1 says contiguous */
        bool contiguous = false;
        FOR_EACH_NODE (from, node, e.node)
            contiguous |= ast_kind(from, node) == AST_SLICE &&
                          ast_kind(from, ast_child(from, node, 2)) == AST_INT;
        return ndarray(ast, type_of(linker, ast, inner, depth + 1),
                       (int)ast_child_count(from, e.node) - 1, contiguous);
    }
    case AST_CALL: {
        Expression element = {e.unit, ast_next(from, first), e.env};
        return container(ast, last_word(linker, ast_at(from, first)),
                         type_of(linker, ast, element, depth + 1));
    }
    default:
        return 0;
    }
}

static bool object_signature(Linker *linker, Ast *ast, Expression e, Signature *signature)
{
    const Ast *from = e.unit->ast;
    bool call = ast_kind(from, e.node) == AST_CALL;
    AstNode first = ast_first(from, e.node);
    if (call)
        signature->returns = type_of(linker, ast, (Expression){e.unit, first, e.env}, 0);
    for (AstNode child = call ? ast_next(from, first) : first;
         child != 0 && signature->count < MOST_PARAMS; child = ast_next(from, child))
        signature->params[signature->count++] =
            type_of(linker, ast, (Expression){e.unit, child, e.env}, 0);
    return signature->count > 0;
}

/* ---- all forms ---- */

typedef struct Found {
    Linker *linker;
    Ast *ast;
    Signature signature;
    bool found;
    int depth;
} Found;

static void find_signature(Found *found, Expression e);

static void visit_signature(void *context, const Unit *unit, AstNode node, Name outside)
{
    if (outside == 0)
        find_signature(context, (Expression){unit, node, NULL});
}

static void find_named(Found *found, Expression e, const AstNodeData *data)
{
    bool token, bound;
    Expression given = numba_parameter(found->linker, e, &token, &bound);
    AstSymbolKind kind = e.unit->ast->symbols.items[data->symbol].kind;
    if (bound)
        find_signature(found, given);
    else if (data->symbol != 0 && kind == SYMBOL_PARAM)
        return; /* of a factory whose calls are not known: no module constant of that name */
    else if ((data->flags & AST_QUALIFIED) != 0)
        numba_follow(found->linker, e.unit, data->name, visit_signature, found, 0);
    else
        numba_follow_own(found->linker, e.unit, data->name, visit_signature, found, 0);
}

static void find_signature(Found *found, Expression e)
{
    if (found->found || e.node == 0 || found->depth > 8)
        return;
    const Ast *from = e.unit->ast;
    const AstNodeData *data = ast_at(from, e.node);
    const char *text = intern_text(found->linker->program->names, data->name);
    found->depth++;
    switch (data->kind) {
    case AST_STRING:
        found->found = read_signature(found->ast, text, &found->signature);
        break;
    case AST_LIST:
        find_signature(found, (Expression){e.unit, ast_first(from, e.node), e.env});
        break;
    case AST_CALL:
    case AST_TUPLE:
        found->found = object_signature(found->linker, found->ast, e, &found->signature);
        break;
    case AST_NAME:
        find_named(found, e, data);
        break;
    default:
        break;
    }
    found->depth--;
}

void numba_set_types(Linker *linker, FunctionId function, Expression signature)
{
    const Unit *unit = program_function_unit(linker->program, function);
    Ast *ast = unit->ast;
    const AstNodeData *node = ast_at(ast, program_function_data(linker->program, function)->node);
    Found found = {.linker = linker, .ast = ast};
    find_signature(&found, signature);
    if (!found.found)
        return;
    AstFunctionData *data = &ast->functions.items[node->value.function];
    data->returns = found.signature.returns;
    for (uint32_t i = 0; i < found.signature.count && i < data->params.count; i++)
        if (found.signature.params[i] != 0)
            ast->symbols.items[data->params.items[i]].type = found.signature.params[i];
}
