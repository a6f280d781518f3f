#include "analyzer/report/writer.h"

#include "analyzer/report/escape.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Comma, line end, indentation and the key in front of a value. */
static void lead_in(Writer *writer, const char *key)
{
    if (writer->depth > 0) {
        text_puts(&writer->text, writer->filled[writer->depth] ? ",\n" : "\n");
        writer->filled[writer->depth] = true;
        for (int i = 0; i < writer->depth; i++)
            text_puts(&writer->text, "  ");
    }
    if (key != NULL)
        text_printf(&writer->text, "\"%s\": ", key);
}

static void write_open(Writer *writer, const char *key, char opener, char closer)
{
    assert(writer->depth + 1 < WRITER_DEEPEST);
    lead_in(writer, key);
    text_putc(&writer->text, opener);
    writer->depth++;
    writer->filled[writer->depth] = false;
    writer->closer[writer->depth] = closer;
}

void write_object(Writer *writer, const char *key)
{
    write_open(writer, key, '{', '}');
}

void write_array(Writer *writer, const char *key)
{
    write_open(writer, key, '[', ']');
}

void write_close(Writer *writer)
{
    assert(writer->depth > 0);
    char closer = writer->closer[writer->depth];
    bool filled = writer->filled[writer->depth--];
    if (filled) {
        text_putc(&writer->text, '\n');
        for (int i = 0; i < writer->depth; i++)
            text_puts(&writer->text, "  ");
    }
    text_putc(&writer->text, closer);
    if (writer->depth == 0)
        text_putc(&writer->text, '\n');
}

void write_bytes(Writer *writer, const char *key, const char *bytes, size_t length)
{
    lead_in(writer, key);
    text_putc(&writer->text, '"');
    escape_json(&writer->text, bytes, length);
    text_putc(&writer->text, '"');
}

void write_string(Writer *writer, const char *key, const char *string)
{
    write_bytes(writer, key, string, strlen(string));
}

void write_integer(Writer *writer, const char *key, long long value)
{
    lead_in(writer, key);
    text_printf(&writer->text, "%lld", value);
}

void write_bool(Writer *writer, const char *key, bool value)
{
    lead_in(writer, key);
    text_puts(&writer->text, value ? "true" : "false");
}

void write_number(Writer *writer, const char *key, double value)
{
    lead_in(writer, key);
    if (isfinite(value))
        text_printf(&writer->text, "%.4g", value);
    else
        text_puts(&writer->text, "null");
}
