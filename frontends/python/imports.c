/* Module names, imports, what a dotted name stands for, and what a module gives to others. */
#include "frontends/python/notebook.h"
#include "frontends/python/python.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_NAME = 512 };

/* ---- where a file stands ---- */

static int compare_paths(const void *key, const void *item)
{
    return strcmp(key, *(const char *const *)item);
}

static bool is_package(const FrontendOptions *options, Arena *arena, const char *folder,
                       size_t length)
{
    const char *init = arena_printf(arena, "%.*s/__init__.py", (int)length, folder);
    if (options != NULL && options->path_count > 0 &&
        bsearch(init, options->paths, options->path_count, sizeof *options->paths, compare_paths) !=
            NULL)
        return true;
    return access(init, F_OK) == 0;
}

static size_t parent_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? length - 1 : 0;
}

static bool is_init(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    return strncmp(base, "__init__.", 9) == 0;
}

void imports_place(Unit *unit, const FrontendOptions *options)
{
    const char *path = unit->files.items[0]->path;
    size_t folder = parent_length(path, strlen(path)), root = folder;
    Arena *scratch = arena_new();
    while (root > 0 && is_package(options, scratch, path, root))
        root = parent_length(path, root);
    arena_free(scratch);
    size_t start = root > 0 || path[0] == '/' ? root + 1 : 0, stop = strlen(path);
    /* A notebook keeps its suffix: nothing can import it. */
    while (!notebook_named(path) && stop > start && path[stop - 1] != '.' && path[stop - 1] != '/')
        stop--;
    stop -= stop > start && path[stop - 1] == '.';
    if (is_init(path))
        stop = folder > start ? folder : start;
    char *module = arena_strndup(unit->arena, path + start, stop - start);
    for (char *at = module; *at != '\0'; at++)
        if (*at == '/')
            *at = '.';
    unit->module = module;
    unit->root = arena_strndup(unit->arena, path, root);
}

/* ---- import statements ---- */

typedef struct Imported {
    Name local;     /* the name that is bound; 0 for a star */
    Name qualified; /* what it stands for; for a star the module */
    Name source; /* the module or name as imported, whole: "a.b" of `import a.b`, which binds `a` */
    SyntaxId node;
} Imported;

typedef void ImportSink(Lowering *l, const Imported *imported, bool conditional);

/* The absolute name of what stands behind `from`: ".x" and "..x" count up from the file's package.
 */
static Name absolute(Lowering *l, SyntaxId module)
{
    char text[LONGEST_NAME];
    size_t length = 0, dots = 0;
    SyntaxId dotted = module;
    if (syntax_kind(l, module) == SYNTAX_RELATIVE_IMPORT) {
        const SyntaxNode *data = &l->nodes[module];
        for (uint32_t at = data->start;
             at < data->stop && strchr(". \t\\\r\n", l->text[at]) != NULL; at++)
            dots += l->text[at] == '.';
        dotted = 0;
        FOR_EACH_PART(l, part, module)
        if (syntax_kind(l, part) == SYNTAX_DOTTED_NAME)
            dotted = part;
        length = strlen(l->unit->module);
        dots -= dots > 0 && is_init(l->unit->files.items[0]->path);
        for (; dots > 0; dots--)
            while (length > 0 && l->unit->module[--length] != '.')
                ;
    }
    size_t more = dotted == 0 ? 0 : l->nodes[dotted].stop - l->nodes[dotted].start;
    if (length + more + 2 > sizeof text)
        return 0;
    memcpy(text, l->unit->module, length);
    if (length > 0 && more > 0)
        text[length++] = '.';
    if (more > 0)
        memcpy(text + length, l->text + l->nodes[dotted].start, more);
    return intern_add(l->ast->names, text, length + more);
}

static Name join(Lowering *l, Name head, Name tail)
{
    char text[LONGEST_NAME];
    size_t head_length = intern_length(l->ast->names, head),
           tail_length = intern_length(l->ast->names, tail);
    if (head_length + tail_length + 2 > sizeof text)
        return 0;
    memcpy(text, intern_text(l->ast->names, head), head_length);
    size_t length = head_length;
    if (length > 0)
        text[length++] = '.';
    memcpy(text + length, intern_text(l->ast->names, tail), tail_length);
    return intern_add(l->ast->names, text, length + tail_length);
}

/* `name`, or `name as alias`. */
static void split_alias(Lowering *l, SyntaxId part, SyntaxId *name, SyntaxId *alias)
{
    *name = part;
    *alias = 0;
    if (syntax_kind(l, part) == SYNTAX_ALIASED_IMPORT) {
        *name = syntax_labelled(l, part, LABEL_NAME);
        *alias = syntax_labelled(l, part, LABEL_ALIAS);
    }
}

static void each_import(Lowering *l, SyntaxId statement, ImportSink *sink, bool conditional)
{
    bool from = syntax_kind(l, statement) == SYNTAX_IMPORT_FROM;
    SyntaxId module = from ? syntax_labelled(l, statement, LABEL_MODULE_NAME) : 0;
    Name base = module == 0 ? 0 : absolute(l, module);
    if (from && module == 0)
        return;
    FOR_EACH_PART(l, part, statement)
    {
        if (syntax_kind(l, part) == SYNTAX_WILDCARD)
            sink(l, &(Imported){0, base, base, part}, conditional);
        if (l->nodes[part].label != LABEL_NAME)
            continue;
        SyntaxId name, alias;
        split_alias(l, part, &name, &alias);
        if (name == 0)
            continue;
        Name source = from ? join(l, base, syntax_name(l, name)) : syntax_name(l, name);
        SyntaxId first = from ? name : syntax_first(l, name); /* `import a.b` binds a */
        Name local = syntax_name(l, alias != 0 ? alias : first != 0 ? first : name);
        sink(l, &(Imported){local, from || alias != 0 ? source : local, source, part}, conditional);
    }
}

static void bind_imported(Lowering *l, const Imported *imported, bool conditional)
{
    if (imported->local != 0)
        scope_bind_import(l, imported->local, imported->qualified, conditional);
}

void imports_bind(Lowering *l, SyntaxId statement, bool conditional)
{
    each_import(l, statement, bind_imported, conditional);
}

static void lower_imported(Lowering *l, const Imported *imported, bool at_module)
{
    AstNode name = python_lower_leaf(l, AST_NAME, imported->node);
    AstSymbol symbol = imported->local == 0 ? 0 : scope_own(l, imported->local);
    AstNodeData *data = ast_at(l->ast, name);
    data->name = imported->source;
    data->flags |= AST_QUALIFIED;
    data->symbol = symbol;
    if (symbol != 0 && l->ast->symbols.items[symbol].decl == 0)
        l->ast->symbols.items[symbol].decl = name;
    if (at_module)
        LIST_PUSH(l->ast->arena, &l->ast->exports,
                  (AstExport){imported->local != 0 ? imported->local : l->name_star,
                              imported->qualified, 0});
}

void imports_lower(Lowering *l, SyntaxId statement)
{
    AstNode node = python_lower_open(l, AST_OTHER, statement);
    ast_at(l->ast, node)->name = intern(l->ast->names, "import");
    each_import(l, statement, lower_imported, l->scope->kind == SCOPE_MODULE);
    ast_close(l->ast, node);
}

/* ---- qualified names ---- */

static Name imported_head(Lowering *l, SyntaxId node)
{
    if (syntax_kind(l, node) != SYNTAX_IDENTIFIER)
        return 0;
    AstSymbol symbol = python_scope_find(l, syntax_name(l, node));
    const AstSymbolData *data = &l->ast->symbols.items[symbol];
    return symbol != 0 && data->kind == SYMBOL_MODULE ? data->qualified : 0;
}

Name imports_qualified(Lowering *l, SyntaxId node)
{
    SyntaxId head = node;
    while (syntax_kind(l, head) == SYNTAX_ATTRIBUTE && head + 1 < l->nodes[head].end)
        head++; /* the object of an attribute comes right behind it */
    Name name = imported_head(l, head);
    if (name == 0 || head == node)
        return name;
    char text[LONGEST_NAME];
    size_t length = intern_length(l->ast->names, name);
    if (length >= sizeof text)
        return 0;
    memcpy(text, intern_text(l->ast->names, name), length);
    for (SyntaxId at = head; at > node; at--) {
        SyntaxId attribute = l->nodes[at].end; /* of the chain's link at - 1 */
        if (attribute >= l->nodes[at - 1].end)
            return 0;
        size_t more = l->nodes[attribute].stop - l->nodes[attribute].start;
        if (length + more + 2 > sizeof text)
            return 0;
        text[length++] = '.';
        memcpy(text + length, l->text + l->nodes[attribute].start, more);
        length += more;
    }
    return intern_add(l->ast->names, text, length);
}

/* ---- exports ---- */

void imports_export_node(Lowering *l, Name name, AstNode node)
{
    LIST_PUSH(l->ast->arena, &l->ast->exports, (AstExport){name, 0, node});
}

void imports_export_value(Lowering *l, AstNode target, AstNode value)
{
    const Ast *ast = l->ast;
    AstKind kind = ast_kind(ast, target);
    if (kind == AST_NAME)
        imports_export_node(l, ast_at(ast, target)->name, value);
    if (kind != AST_TUPLE && kind != AST_LIST)
        return;
    bool matched = value != 0 &&
                   (ast_kind(ast, value) == AST_TUPLE || ast_kind(ast, value) == AST_LIST) &&
                   ast_child_count(ast, value) == ast_child_count(ast, target);
    AstNode item = matched ? ast_first(ast, value) : 0;
    FOR_EACH_CHILD (ast, part, target) {
        imports_export_value(l, part, item);
        item = item == 0 ? 0 : ast_next(ast, item);
    }
}

/* The import or definition that counts where several branches bind one name is exported once more,
 * at the end, where a look-up finds it first. */
void imports_prefer(Lowering *l)
{
    Ast *ast = l->ast;
    uint32_t count = ast->exports.count;
    for (uint32_t i = 0; i < count; i++) {
        AstExport export = ast->exports.items[i];
        AstSymbol symbol = export.name == l->name_star ? 0 : scope_own(l, export.name);
        const AstSymbolData *data = &ast->symbols.items[symbol];
        if (symbol == 0 || scope_binding(l, symbol)->count < 2)
            continue;
        bool counts = export.target != 0
                          ? data->kind == SYMBOL_MODULE && data->qualified == export.target
                          : data->kind == SYMBOL_FUNCTION && data->decl == export.node;
        if (counts)
            LIST_PUSH(ast->arena, &ast->exports, export);
    }
}
