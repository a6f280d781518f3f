/* A growing text buffer (owner: whoever calls text_new or holds the struct; text_free gives it
 * back). */
#ifndef ANALYZER_BASE_TEXT_H
#define ANALYZER_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct Text {
    char *bytes; /* always NUL-terminated once something was added; may be NULL before */
    size_t length, capacity;
} Text;

void text_free(Text *text);
void text_add(Text *text, const char *bytes, size_t length);
void text_puts(Text *text, const char *string);
void text_putc(Text *text, char c);
void text_printf(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The bytes added so far, "" if none. */
const char *text_string(const Text *text);

#endif
