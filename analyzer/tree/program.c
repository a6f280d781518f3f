#include "analyzer/tree/program.h"

#include "analyzer/base/map.h"

#include <string.h>

enum { LONGEST_CHAIN = 24, LONGEST_NAME = 512, DEEPEST_STARS = 6 };

typedef struct Resolved {
    Name name;
    const Unit *unit;
    AstNode node;
} Resolved;

struct ProgramIndex {
    Map by_symbol; /* (unit, symbol) -> FunctionId defined under it */
    Map by_name; /* qualified name -> FunctionId, first of a chain; C: external functions by name */
    LIST(FunctionId) next; /* by FunctionId: the next of the same qualified name */
    Map modules;           /* module name -> unit id + 1, first of a chain */
    uint32_t *next_module; /* by unit id: the next unit id + 1 of the same module name */
    Map exports;           /* (unit, name) -> index + 1 of its last export of that name */
    FunctionId *ids;       /* by first_function + function - 1 */
    Map resolved;          /* (root of the unit that asks, name) -> index + 1 of the answer */
    LIST(struct Resolved) answers;
};

/* ---- putting units together ---- */

/* Where in the program's table each name of a unit's own table went. */
static Name *move_names(Program *program, const Ast *ast)
{
    uint32_t count = intern_count(ast->names);
    Name *moved = arena_alloc(program->arena, (count + 1) * sizeof *moved);
    for (Name name = 1; name <= count; name++)
        moved[name] = intern_add(program->names, intern_text(ast->names, name),
                                 intern_length(ast->names, name));
    return moved;
}

static void rename_unit(Program *program, Unit *unit)
{
    Ast *ast = unit->ast;
    const Name *moved = move_names(program, ast);
    for (uint32_t i = 1; i < ast->nodes.count; i++)
        ast->nodes.items[i].name = moved[ast->nodes.items[i].name];
    for (uint32_t i = 1; i < ast->symbols.count; i++) {
        ast->symbols.items[i].name = moved[ast->symbols.items[i].name];
        ast->symbols.items[i].qualified = moved[ast->symbols.items[i].qualified];
    }
    for (uint32_t i = 1; i < ast->types.count; i++)
        ast->types.items[i].name = moved[ast->types.items[i].name];
    for (uint32_t i = 0; i < ast->fields.count; i++)
        ast->fields.items[i].name = moved[ast->fields.items[i].name];
    for (uint32_t i = 1; i < ast->functions.count; i++) {
        ast->functions.items[i].name = moved[ast->functions.items[i].name];
        ast->functions.items[i].qualified = moved[ast->functions.items[i].qualified];
    }
    for (uint32_t i = 0; i < ast->exports.count; i++) {
        ast->exports.items[i].name = moved[ast->exports.items[i].name];
        ast->exports.items[i].target = moved[ast->exports.items[i].target];
    }
    ast->names = program->names;
}

/* A function of a header is the same function in every unit that includes the header. The name is
 * part of the key: all functions of one macro expansion stand at its place. */
static uint64_t place_key(const Program *program, const Unit *unit, AstFunction function)
{
    AstNode node = unit->ast->functions.items[function].node;
    const AstNodeData *data = ast_at(unit->ast, node);
    const char *path = unit->files.items[data->file]->path;
    const char *own = intern_text(program->names, unit->ast->functions.items[function].qualified);
    Name name = intern(program->names, arena_printf(program->arena, "%s:%s", path, own));
    return map_pair(name, data->start);
}

static bool is_doubtful(const Unit *unit, AstFunction function)
{
    AstNode node = unit->ast->functions.items[function].node;
    return (ast_at(unit->ast, node)->flags & AST_DOUBTFUL) != 0;
}

static void add_function(Program *program, Map *places, const Unit *unit, AstFunction function)
{
    struct ProgramIndex *index = program->index;
    const AstFunctionData *data = &unit->ast->functions.items[function];
    uint64_t place = place_key(program, unit, function);
    FunctionId id = unit->language == LANGUAGE_PYTHON ? 0 : map_get(places, place);
    if (id == 0) {
        id = program->functions.count;
        LIST_PUSH(program->arena, &program->functions, (FunctionRef){unit, function});
        LIST_PUSH(program->arena, &index->next, (FunctionId)0);
        map_set(places, place, id);
        if (data->qualified != 0 && (data->flags & FN_INTERNAL) == 0) {
            index->next.items[id] = map_get(&index->by_name, data->qualified);
            map_set(&index->by_name, data->qualified, id);
        }
    }
    FunctionRef *kept = &program->functions.items[id];
    if (is_doubtful(kept->unit, kept->function) && !is_doubtful(unit, function))
        *kept = (FunctionRef){unit, function}; /* a copy that parsed without errors knows more */
    index->ids[program->first_function[unit->id] + function - 1] = id;
    if (data->symbol != 0)
        map_set(&index->by_symbol, map_pair(unit->id, data->symbol), id);
}

static void index_unit(Program *program, Map *places, const Unit *unit)
{
    struct ProgramIndex *index = program->index;
    for (AstFunction function = 1; function < unit->ast->functions.count; function++)
        add_function(program, places, unit, function);
    for (uint32_t i = 0; i < unit->ast->exports.count; i++) {
        const AstExport *export = &unit->ast->exports.items[i];
        map_set(&index->exports, map_pair(unit->id, export->name), i + 1);
    }
    if (unit->module != NULL && unit->module[0] != '\0') {
        Name module = intern(program->names, unit->module);
        index->next_module[unit->id] = map_get(&index->modules, module);
        map_set(&index->modules, module, unit->id + 1);
    }
}

Program *program_new(Arena *arena, Unit **units, uint32_t unit_count)
{
    Program *program = arena_alloc(arena, sizeof *program);
    *program = (Program){
        .arena = arena, .names = intern_new(arena), .units = units, .unit_count = unit_count};
    struct ProgramIndex *index = arena_alloc(arena, sizeof *index);
    program->index = index;
    program->first_function =
        arena_alloc(arena, (unit_count + 1) * sizeof *program->first_function);
    index->next_module = arena_alloc(arena, (unit_count + 1) * sizeof *index->next_module);
    index->by_symbol = index->by_name = index->modules = index->exports = index->resolved =
        map_new(arena);
    uint32_t total = 1;
    for (uint32_t i = 0; i < unit_count; i++) {
        units[i]->id = i;
        rename_unit(program, units[i]);
        program->first_function[i] = total;
        total += units[i]->ast->functions.count - 1;
    }
    index->ids = arena_alloc(arena, (total + 1) * sizeof *index->ids);
    LIST_PUSH(arena, &program->functions, (FunctionRef){0});
    LIST_PUSH(arena, &index->next, (FunctionId)0);
    Map places = map_new(arena);
    for (uint32_t i = unit_count; i-- > 0;) /* backwards: chains then run by path order */
        index_unit(program, &places, units[i]);
    return program;
}

/* ---- looking up ---- */

FunctionId program_function(const Program *program, const Unit *unit, AstFunction function)
{
    return function == 0 ? 0
                         : program->index->ids[program->first_function[unit->id] + function - 1];
}

const AstFunctionData *program_function_data(const Program *program, FunctionId id)
{
    FunctionRef ref = program->functions.items[id];
    return &ref.unit->ast->functions.items[ref.function];
}

const Unit *program_function_unit(const Program *program, FunctionId id)
{
    return program->functions.items[id].unit;
}

const Unit *program_module(const Program *program, const Unit *from, const char *dotted)
{
    Name name = intern_find(program->names, dotted);
    const Unit *best = NULL;
    bool several = false;
    for (uint32_t unit = name == 0 ? 0 : map_get(&program->index->modules, name); unit != 0;
         unit = program->index->next_module[unit - 1]) {
        const Unit *candidate = program->units[unit - 1];
        if (from == NULL || (from->root != NULL && strcmp(candidate->root, from->root) == 0))
            return candidate;
        several = best != NULL;
        best = candidate;
    }
    /* elsewhere in the tree only a dotted name, or a package, says enough */
    bool package = best != NULL && strstr(best->files.items[0]->path, "__init__.py") != NULL;
    return !several && (strchr(dotted, '.') != NULL || package) ? best : NULL;
}

/* Of the functions with this qualified name: the one under `from`'s root, else the first. */
static FunctionId function_by_name(const Program *program, const Unit *from, Name qualified)
{
    FunctionId first = map_get(&program->index->by_name, qualified);
    if (from == NULL || from->root == NULL)
        return first;
    FunctionId best = 0;
    for (FunctionId id = first; id != 0; id = program->index->next.items[id]) {
        const Unit *unit = program_function_unit(program, id);
        bool near = unit->root != NULL && strcmp(unit->root, from->root) == 0;
        bool compiled = (program_function_data(program, id)->flags & FN_COMPILED) != 0;
        if (near && (compiled || best == 0))
            best = id;
    }
    const char *module = first == 0 ? NULL : program_function_unit(program, first)->module;
    if (best != 0 || module == NULL)
        return best;
    return program_module(program, from, module) != NULL ? first : 0; /* else who knows which */
}

/* How far two paths are the same, in bytes, up to a separator. */
static size_t shared_folders(const char *left, const char *right)
{
    size_t shared = 0;
    for (size_t i = 0; left[i] != '\0' && left[i] == right[i]; i++)
        shared = left[i] == '/' ? i + 1 : shared;
    return shared;
}

/* C: of several programs in one tree that define `name`, the function of the one whose file is
 * nearest. */
static FunctionId external_function(const Program *program, const Unit *from, Name name)
{
    FunctionId best = map_get(&program->index->by_name, name);
    size_t most = 0;
    for (FunctionId id = best; id != 0; id = program->index->next.items[id]) {
        const Unit *unit = program_function_unit(program, id);
        size_t shared = shared_folders(unit->files.items[0]->path, from->files.items[0]->path);
        if (shared > most) {
            best = id;
            most = shared;
        }
    }
    return best;
}

/* The unit that the longest prefix of `qualified` names, and what follows the prefix ("" if
 * nothing). */
static const Unit *split_module(const Program *program, const Unit *from, const char *qualified,
                                const char **rest)
{
    char prefix[LONGEST_NAME];
    size_t length = strlen(qualified);
    if (length >= sizeof prefix)
        return NULL;
    memcpy(prefix, qualified, length + 1);
    for (;;) {
        const Unit *unit = program_module(program, from, prefix);
        if (unit != NULL) {
            *rest = qualified + strlen(prefix) + (qualified[strlen(prefix)] == '.');
            return unit;
        }
        char *dot = strrchr(prefix, '.');
        if (dot == NULL)
            return NULL;
        *dot = '\0';
    }
}

static Name join(const Program *program, const char *head, const char *tail)
{
    char text[LONGEST_NAME];
    size_t head_length = strlen(head), tail_length = strlen(tail);
    if (head_length + tail_length + 2 > sizeof text)
        return 0;
    memcpy(text, head, head_length);
    if (tail_length > 0) {
        text[head_length] = '.';
        memcpy(text + head_length + 1, tail, tail_length + 1);
    } else {
        text[head_length] = '\0';
    }
    return intern(program->names, text);
}

static const AstExport *find_export(const Program *program, const Unit *unit, const char *name,
                                    size_t length)
{
    char text[LONGEST_NAME];
    if (length >= sizeof text)
        return NULL;
    memcpy(text, name, length);
    text[length] = '\0';
    Name known = intern_find(program->names, text);
    uint32_t at = known == 0 ? 0 : map_get(&program->index->exports, map_pair(unit->id, known));
    return at == 0 ? NULL : &unit->ast->exports.items[at - 1];
}

/* Whether a module has a name, of its own or through its `from x import *`; where that leads out of
 * what is linted, it may have any. */
static bool offers(const Program *program, const Unit *unit, const char *rest, size_t length,
                   int depth)
{
    if (find_export(program, unit, rest, length) != NULL)
        return true;
    for (uint32_t i = 0; i < unit->ast->exports.count && depth < DEEPEST_STARS; i++) {
        const AstExport *star = &unit->ast->exports.items[i];
        if (strcmp(intern_text(program->names, star->name), "*") != 0)
            continue;
        const Unit *other =
            program_module(program, unit, intern_text(program->names, star->target));
        if (other != NULL && offers(program, other, rest, length, depth + 1))
            return true;
    }
    return false;
}

/* Whether a star's target is the submodule of `unit` that `rest` starts with. */
static bool is_submodule(const Unit *unit, const char *target, const char *rest, size_t length)
{
    size_t module = strlen(unit->module);
    return strncmp(target, unit->module, module) == 0 && target[module] == '.' &&
           strncmp(target + module + 1, rest, length) == 0 && target[module + 1 + length] == '\0';
}

/* One step of a name that starts in a linted module; 0 when it ends there (then *node says at what,
 * or 0). *leaves: it leads out of what is linted, through a star. */
static Name follow(const Program *program, const Unit *unit, const char *rest, AstNode *node,
                   bool *leaves)
{
    size_t length = strcspn(rest, ".");
    const char *after = rest[length] == '.' ? rest + length + 1 : "";
    const AstExport *export = find_export(program, unit, rest, length);
    *node = 0;
    if (export != NULL && export->target != 0)
        return join(program, intern_text(program->names, export->target), after);
    if (export != NULL) {
        *node = export->node;
        const AstNodeData *data = ast_at(unit->ast, export->node);
        if (data->kind == AST_NAME && (data->flags & AST_QUALIFIED) != 0)
            return join(program, intern_text(program->names, data->name), after);
        if (data->kind == AST_NAME && data->name != export->name)
            return join(program, unit->module, intern_text(program->names, data->name));
        return 0;
    }
    for (uint32_t i = 0; i < unit->ast->exports.count; i++) { /* from x import * */
        const AstExport *star = &unit->ast->exports.items[i];
        if (strcmp(intern_text(program->names, star->name), "*") != 0)
            continue;
        const char *target = intern_text(program->names, star->target);
        const Unit *other = program_module(program, unit, target);
        if (other == NULL && is_submodule(unit, target, rest, length))
            return 0;
        *leaves = other == NULL;
        if (other == NULL || (other != unit && offers(program, other, rest, length, 0)))
            return join(program, target, rest);
    }
    return 0;
}

static Name resolve(const Program *program, const Unit *from, Name qualified, const Unit **unit,
                    AstNode *node)
{
    *unit = NULL;
    *node = 0;
    for (int steps = 0; steps < LONGEST_CHAIN && qualified != 0; steps++) {
        const char *rest;
        const Unit *module =
            split_module(program, from, intern_text(program->names, qualified), &rest);
        if (module == NULL || rest[0] == '\0')
            return qualified;
        AstNode at;
        bool leaves = false;
        Name next = follow(program, module, rest, &at, &leaves);
        /* The package of a module that is not linted may be: no way on, it would come back here
         * with a longer name each time (scipy.linalg alone: 9 s). */
        if (leaves && next != 0)
            return next;
        if (next == 0 || next == qualified) {
            if (at != 0 && strchr(rest, '.') == NULL) {
                *unit = module;
                *node = at;
            }
            return qualified;
        }
        qualified = next;
        from = module;
    }
    return qualified;
}

/* The answer depends on the name and on the root that the asking unit lies under; most names are
 * asked for often. */
Name program_resolve(const Program *program, const Unit *from, Name qualified, const Unit **unit,
                     AstNode *node)
{
    struct ProgramIndex *index = program->index;
    bool rooted = from != NULL && from->root != NULL;
    Name root = rooted ? intern(program->names, from->root) : 0;
    uint64_t key = map_pair(root + rooted, qualified);
    uint32_t at = map_get(&index->resolved, key);
    if (at == 0) {
        Resolved answer;
        answer.name = resolve(program, from, qualified, &answer.unit, &answer.node);
        LIST_PUSH(program->arena, &index->answers, answer);
        at = index->answers.count;
        map_set(&index->resolved, key, at);
    }
    *unit = index->answers.items[at - 1].unit;
    *node = index->answers.items[at - 1].node;
    return index->answers.items[at - 1].name;
}

/* ---- functions that expressions name ---- */

static FunctionId named(const Program *program, const Unit *unit, AstNode expression, int depth);

/* f = njit(g), f = njit(**options)(g), f = g: the function behind the value of an assignment. */
static FunctionId behind_value(const Program *program, const Unit *unit, AstNode value, int depth)
{
    if (ast_kind(unit->ast, value) == AST_FUNCTION)
        return program_function(program, unit, ast_at(unit->ast, value)->value.function);
    if (ast_kind(unit->ast, value) != AST_CALL)
        return named(program, unit, value, depth + 1);
    AstNode argument = ast_child(unit->ast, value, 1);
    if (argument == 0 || ast_kind(unit->ast, argument) == AST_KEYWORD)
        return 0;
    return named(program, unit, argument, depth + 1);
}

static FunctionId by_qualified(const Program *program, const Unit *unit, Name qualified, int depth)
{
    const Unit *where;
    AstNode node;
    Name final = program_resolve(program, unit, qualified, &where, &node);
    FunctionId id = function_by_name(program, where != NULL ? where : unit, final);
    if (id != 0 || where == NULL || depth > LONGEST_CHAIN)
        return id;
    return behind_value(program, where, node, depth);
}

/* A variable that is assigned once, to something that names a function. */
static FunctionId by_variable(const Program *program, const Unit *unit, AstSymbol symbol, int depth)
{
    const Ast *ast = unit->ast;
    const AstSymbolData *data = &ast->symbols.items[symbol];
    AstNode assign = data->decl == 0 ? 0 : ast_parent(ast, data->decl);
    if (unit->language != LANGUAGE_PYTHON || data->kind == SYMBOL_PARAM ||
        ast_kind(ast, assign) != AST_ASSIGN || ast_at(ast, assign)->op != OP_NONE)
        return 0;
    return behind_value(program, unit, ast_child(ast, assign, 1), depth);
}

static FunctionId by_symbol(const Program *program, const Unit *unit, AstNode node, int depth)
{
    const AstNodeData *data = ast_at(unit->ast, node);
    FunctionId id = map_get(&program->index->by_symbol, map_pair(unit->id, data->symbol));
    const AstSymbolData *symbol = &unit->ast->symbols.items[data->symbol];
    if (id != 0)
        return id;
    switch (symbol->kind) {
    case SYMBOL_FUNCTION:
        return unit->language == LANGUAGE_PYTHON ? 0
                                                 : external_function(program, unit, symbol->name);
    case SYMBOL_MODULE:
        return symbol->qualified == 0 ? 0 : by_qualified(program, unit, symbol->qualified, depth);
    case SYMBOL_GLOBAL:
    case SYMBOL_LOCAL:
        return by_variable(program, unit, data->symbol, depth);
    default:
        return 0;
    }
}

/* The full name of the class that a name in this file means; 0 if it is none. */
static Name class_named(const Program *program, const Unit *unit, AstNode name)
{
    const AstNodeData *data = ast_at(unit->ast, name);
    const AstSymbolData *symbol = &unit->ast->symbols.items[data->symbol];
    const Unit *where;
    AstNode node;
    if (data->kind != AST_NAME)
        return 0;
    if ((data->flags & AST_QUALIFIED) != 0)
        return program_resolve(program, unit, data->name, &where, &node);
    if (symbol->kind != SYMBOL_CLASS)
        return 0;
    return join(program, unit->module != NULL ? unit->module : "",
                intern_text(program->names, symbol->name));
}

static FunctionId member_of(const Program *program, const Unit *unit, Name class,
                            const char *member)
{
    Name qualified = class == 0 ? 0 : join(program, intern_text(program->names, class), member);
    return qualified == 0 ? 0 : function_by_name(program, unit, qualified);
}

/* The class around the method whose first parameter this is. */
static Name class_of_self(const Program *program, const Unit *unit, const AstSymbolData *symbol)
{
    const AstFunctionData *function = &unit->ast->functions.items[symbol->function];
    const char *method = intern_text(program->names, function->qualified);
    const char *dot = strrchr(method, '.');
    char class[LONGEST_NAME];
    if (symbol->index != 0 || dot == NULL || (size_t)(dot - method) >= sizeof class ||
        (function->flags & (FN_METHOD | FN_STATIC)) != FN_METHOD)
        return 0;
    memcpy(class, method, (size_t)(dot - method));
    class[dot - method] = '\0';
    return join(program, class, "");
}

/* A method of a compiled class (jitclass) of which a variable holds an instance. Of other classes
 * compiled code holds none. */
static FunctionId by_instance(const Program *program, const Unit *unit, const AstSymbolData *symbol,
                              const char *member)
{
    const Ast *ast = unit->ast;
    AstNode assign = symbol->decl == 0 ? 0 : ast_parent(ast, symbol->decl);
    bool variable = symbol->kind == SYMBOL_LOCAL || symbol->kind == SYMBOL_GLOBAL;
    if (!variable || (symbol->flags & SYMBOL_REASSIGNED) != 0 ||
        ast_kind(ast, assign) != AST_ASSIGN || ast_at(ast, assign)->op != OP_NONE)
        return 0;
    AstNode made = ast_child(ast, assign, 1);
    if (ast_kind(ast, made) != AST_CALL || ast_first(ast, made) == 0)
        return 0;
    Name class = class_named(program, unit, ast_first(ast, made));
    FunctionId id = member_of(program, unit, class, member);
    uint32_t flags = id == 0 ? 0 : program_function_data(program, id)->flags;
    return (flags & FN_COMPILED) != 0 && (flags & FN_METHOD) != 0 ? id : 0;
}

/* self.method, cls.method, Class.method, instance.method */
static FunctionId by_field(const Program *program, const Unit *unit, AstNode field)
{
    const Ast *ast = unit->ast;
    AstNode base = ast_first(ast, field);
    if (unit->language != LANGUAGE_PYTHON || base == 0 || ast_kind(ast, base) != AST_NAME)
        return 0;
    const AstSymbolData *symbol = &ast->symbols.items[ast_at(ast, base)->symbol];
    const char *member = intern_text(program->names, ast_at(ast, field)->name);
    if (symbol->kind == SYMBOL_CLASS)
        return member_of(program, unit, class_named(program, unit, base), member);
    if (symbol->kind == SYMBOL_PARAM)
        return member_of(program, unit, class_of_self(program, unit, symbol), member);
    return by_instance(program, unit, symbol, member);
}

/* A name that nothing in the file binds: from x import * may. */
static FunctionId by_star(const Program *program, const Unit *unit, Name name, int depth)
{
    if (unit->language != LANGUAGE_PYTHON || unit->module == NULL)
        return 0;
    Name own = join(program, unit->module, intern_text(program->names, name));
    return own == 0 ? 0 : by_qualified(program, unit, own, depth);
}

static FunctionId named(const Program *program, const Unit *unit, AstNode expression, int depth)
{
    const Ast *ast = unit->ast;
    if (depth > LONGEST_CHAIN || expression == 0)
        return 0;
    const AstNodeData *data = ast_at(ast, expression);
    switch (data->kind) {
    case AST_NAME:
        if ((data->flags & AST_QUALIFIED) != 0)
            return by_qualified(program, unit, data->name, depth);
        return data->symbol == 0 ? by_star(program, unit, data->name, depth)
                                 : by_symbol(program, unit, expression, depth);
    case AST_FIELD:
        return by_field(program, unit, expression);
    case AST_ADDRESS:
    case AST_DEREF:
    case AST_CAST:
        return named(program, unit, ast_first(ast, expression), depth + 1);
    case AST_CALL:
        return behind_value(program, unit, expression, depth + 1);
    default:
        return 0;
    }
}

FunctionId program_function_named(const Program *program, const Unit *unit, AstNode expression)
{
    return named(program, unit, expression, 0);
}

FunctionId program_callee(const Program *program, const Unit *unit, AstNode call)
{
    AstNode callee = ast_first(unit->ast, call);
    if (callee == 0 || ast_kind(unit->ast, callee) == AST_CALL)
        return 0;
    FunctionId function = named(program, unit, callee, 0);
    uint32_t overload = function == 0 ? 0 : program_function_data(program, function)->overload;
    if (overload == 0)
        return function;
    AstFunction caller = ast_function_of(unit->ast, call);
    return (unit->ast->functions.items[caller].flags & FN_COMPILED) != 0 ? overload : function;
}

Name program_qualified(const Program *program, const Unit *unit, AstNode expression)
{
    const AstNodeData *data = ast_at(unit->ast, expression);
    const Unit *where;
    AstNode node;
    if (data->kind != AST_NAME)
        return 0;
    if ((data->flags & AST_QUALIFIED) != 0)
        return program_resolve(program, unit, data->name, &where, &node);
    if (data->symbol == 0 || unit->language != LANGUAGE_PYTHON)
        return data->name;
    const AstSymbolData *symbol = &unit->ast->symbols.items[data->symbol];
    if (symbol->kind == SYMBOL_MODULE && symbol->qualified != 0)
        return program_resolve(program, unit, symbol->qualified, &where, &node);
    if (symbol->kind == SYMBOL_GLOBAL || symbol->kind == SYMBOL_FUNCTION) {
        Name own = join(program, unit->module != NULL ? unit->module : "",
                        intern_text(program->names, data->name));
        return own == 0 ? 0 : program_resolve(program, unit, own, &where, &node);
    }
    return 0;
}
