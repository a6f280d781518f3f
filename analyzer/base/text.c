#include "analyzer/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(Text *text, size_t more)
{
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return;
    size_t capacity = text->capacity == 0 ? 128 : text->capacity;
    while (capacity < needed)
        capacity *= 2;
    char *grown = realloc(text->bytes, capacity);
    if (grown == NULL) {
        fputs("ponglint: out of memory\n", stderr);
        exit(2);
    }
    text->bytes = grown;
    text->capacity = capacity;
}

void text_free(Text *text)
{
    free(text->bytes);
    *text = (Text){0};
}

void text_add(Text *text, const char *bytes, size_t length)
{
    reserve(text, length);
    if (length > 0)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_puts(Text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

void text_putc(Text *text, char c)
{
    text_add(text, &c, 1);
}

void text_printf(Text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > 0) {
        reserve(text, (size_t)length);
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

const char *text_string(const Text *text)
{
    return text->bytes != NULL ? text->bytes : "";
}
