#include "analyzer/tree/unit.h"

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

const char *unit_excerpt(const Unit *unit, AstNode node, Arena *arena, size_t most)
{
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
