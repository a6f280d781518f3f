/* What calls are called, as far as names tell, and their arguments. */
#include "analyzer/facts/threads.h"

#include "analyzer/facts/model.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST_NAME = 6 };

static void name_of(const Facts *facts, const Unit *unit, AstNode node, int depth,
                    char name[THREADS_NAME]);

static void put(char name[THREADS_NAME], const char *text)
{
    int length = snprintf(name, THREADS_NAME, "%s", text);
    if (length < 0 || length >= THREADS_NAME)
        name[0] = '\0';
}

static void append(char name[THREADS_NAME], const char *text)
{
    size_t length = strlen(name), more = strlen(text);
    if (length + more < THREADS_NAME)
        memcpy(name + length, text, more + 1);
    else
        name[0] = '\0';
}

/* A variable stands for the call that is its only value: pool = Pool(4). */
static void name_of_variable(const Facts *facts, const Unit *unit, AstSymbol symbol, int depth,
                             char name[THREADS_NAME])
{
    AstNode value = facts->uses[unit->id][symbol].value;
    if (value != 0 &&
        (ast_kind(unit->ast, value) == AST_CALL || ast_kind(unit->ast, value) == AST_FIELD ||
         ast_kind(unit->ast, value) == AST_NAME))
        name_of(facts, unit, value, depth + 1, name);
}

static void name_of_name(const Facts *facts, const Unit *unit, AstNode node, int depth,
                         char name[THREADS_NAME])
{
    const AstNodeData *data = ast_at(unit->ast, node);
    const AstSymbolData *symbol = &unit->ast->symbols.items[data->symbol];
    const Intern *names = facts->program->names;
    if (unit->language != LANGUAGE_PYTHON) {
        put(name, intern_text(names, data->name));
    } else if ((data->flags & AST_QUALIFIED) != 0) {
        put(name, intern_text(names, program_qualified(facts->program, unit, node)));
    } else if (data->symbol == 0) {
        put(name, intern_text(names, data->name));
    } else if (symbol->qualified != 0) {
        put(name, intern_text(names, symbol->qualified));
    } else if (symbol->kind == SYMBOL_GLOBAL || symbol->kind == SYMBOL_LOCAL) {
        name_of_variable(facts, unit, data->symbol, depth, name);
    } else if (symbol->kind == SYMBOL_FUNCTION || symbol->kind == SYMBOL_CLASS) {
        put(name, intern_text(names, program_qualified(facts->program, unit, node)));
        if (name[0] == '\0')
            put(name, intern_text(names, data->name));
    }
}

static void name_of(const Facts *facts, const Unit *unit, AstNode node, int depth,
                    char name[THREADS_NAME])
{
    const Ast *ast = unit->ast;
    name[0] = '\0';
    if (node == 0 || depth > DEEPEST_NAME)
        return;
    switch (ast_kind(ast, node)) {
    case AST_NAME:
        name_of_name(facts, unit, node, depth, name);
        return;
    case AST_FIELD:
        if (unit->language == LANGUAGE_PYTHON)
            name_of(facts, unit, ast_first(ast, node), depth + 1, name);
        append(name, ".");
        append(name, intern_text(facts->program->names, ast_at(ast, node)->name));
        return;
    case AST_CALL:
        name_of(facts, unit, ast_first(ast, node), depth + 1, name);
        if (name[0] != '\0')
            append(name, "()");
        return;
    default:
        return;
    }
}

void threads_called(const Facts *facts, const Unit *unit, AstNode call, char name[THREADS_NAME])
{
    name_of(facts, unit, ast_first(unit->ast, call), 0, name);
}

void threads_named(const Facts *facts, const Unit *unit, AstNode expression,
                   char name[THREADS_NAME])
{
    name_of(facts, unit, expression, 0, name);
}

AstNode threads_argument(const Facts *facts, const Unit *unit, AstNode call, const char *keyword,
                         int place)
{
    const Ast *ast = unit->ast;
    AstNode positional = 0;
    for (AstNode argument = ast_child(ast, call, 1); argument != 0;
         argument = ast_next(ast, argument)) {
        if (ast_kind(ast, argument) != AST_KEYWORD) {
            if (place-- == 0 && ast_kind(ast, argument) != AST_SPREAD)
                positional = argument;
            continue;
        }
        if (keyword != NULL &&
            strcmp(intern_text(facts->program->names, ast_at(ast, argument)->name), keyword) == 0)
            return ast_first(ast, argument);
    }
    return positional;
}
