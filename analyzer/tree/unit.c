#include "analyzer/tree/unit.h"

#include "analyzer/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void unit_note(Unit *unit, Severity level, const char *path, uint32_t line, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    LIST_PUSH(unit->arena, &unit->notes,
              (Notification){level, arena_strdup(unit->arena, path), line,
                             arena_strdup(unit->arena, message)});
}

const Source *unit_source(const Unit *unit, AstNode node)
{
    return unit->files.items[ast_at(unit->ast, node)->file];
}

SourcePosition unit_start(const Unit *unit, AstNode node)
{
    return source_position(unit_source(unit, node), ast_at(unit->ast, node)->start);
}

SourcePosition unit_stop(const Unit *unit, AstNode node)
{
    return source_position(unit_source(unit, node), ast_at(unit->ast, node)->stop);
}

/* A place as it would be written, from the tree: names, elements by a name or number, fields. False
 * where it is more than that. */
static bool spell(const Ast *ast, AstNode node, Text *out)
{
    const AstNodeData *data = ast_at(ast, node);
    AstNode first = ast_first(ast, node);
    bool arrow = (data->flags & AST_ARROW) != 0;
    switch (data->kind) {
    case AST_NAME:
        text_puts(out, intern_text(ast->names, data->name));
        return data->name != 0;
    case AST_INT:
        text_printf(out, "%lld", (long long)data->value.integer);
        return true;
    case AST_CAST:
        return spell(ast, first, out);
    case AST_ADDRESS:
    case AST_DEREF:
        text_puts(out, data->kind == AST_DEREF ? "*" : "&");
        return spell(ast, first, out);
    case AST_FIELD:
        if (arrow && ast_kind(ast, first) == AST_ADDRESS) { /* (&a)->b is a.b */
            first = ast_first(ast, first);
            arrow = false;
        }
        if (ast_kind(ast, first) == AST_DEREF || ast_kind(ast, first) == AST_ADDRESS ||
            !spell(ast, first, out))
            return false;
        text_printf(out, "%s%s", arrow ? "->" : ".", intern_text(ast->names, data->name));
        return true;
    case AST_INDEX:
        if (ast_child_count(ast, node) != 2 || ast_kind(ast, first) == AST_DEREF ||
            !spell(ast, first, out))
            return false;
        text_puts(out, "[");
        if (!spell(ast, ast_next(ast, first), out))
            return false;
        text_puts(out, "]");
        return true;
    default:
        return false;
    }
}

/* The text of a macro's use says nothing of what the macro does there. */
static const char *from_macro(const Unit *unit, AstNode node, Arena *arena, size_t most)
{
    if ((ast_at(unit->ast, node)->flags & AST_MACRO) == 0)
        return NULL;
    Text text = {0};
    bool good = spell(unit->ast, node, &text) && text.length <= most;
    const char *spelled = good ? arena_strdup(arena, text_string(&text)) : NULL;
    text_free(&text);
    return spelled;
}

const char *unit_excerpt(const Unit *unit, AstNode node, Arena *arena, size_t most)
{
    const char *spelled = from_macro(unit, node, arena, most);
    if (spelled != NULL)
        return spelled;
    const Source *source = unit_source(unit, node);
    const AstNodeData *data = ast_at(unit->ast, node);
    size_t stop = data->stop < source->size ? data->stop : source->size;
    char *text = arena_alloc(arena, most + 4);
    size_t length = 0, whole = 0; /* bytes of characters that are complete */
    bool blank = false;
    for (size_t at = data->start; at < stop; at++) {
        unsigned char c = (unsigned char)source->bytes[at];
        if (c <= ' ') {
            blank = length > 0;
            continue;
        }
        if ((c & 0xc0) != 0x80)
            whole = length;
        if (length + blank + 1 > most) {
            memcpy(text + whole, "\xe2\x80\xa6", 4);
            return text;
        }
        if (blank)
            text[length++] = ' ';
        blank = false;
        text[length++] = (char)c;
    }
    return text;
}
