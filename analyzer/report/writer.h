/* Writes JSON, two blanks a level, keys in the order they come: the same report is the same bytes
 * everywhere. (jansson's encoder refuses text that is not valid UTF-8, which is just what linted
 * files hold.) */
#ifndef ANALYZER_REPORT_WRITER_H
#define ANALYZER_REPORT_WRITER_H

#include "analyzer/base/text.h"

#include <stdbool.h>

enum { WRITER_DEEPEST = 32 };

typedef struct Writer {
    Text text; /* freed by the caller */
    int depth;
    bool filled[WRITER_DEEPEST]; /* something stands in the open object or array */
    char closer[WRITER_DEEPEST];
} Writer;

/* `key` is NULL inside arrays and at the top. */
void write_object(Writer *writer, const char *key);
void write_array(Writer *writer, const char *key);
void write_close(Writer *writer);

void write_string(Writer *writer, const char *key, const char *string);
void write_bytes(Writer *writer, const char *key, const char *bytes, size_t length);
void write_integer(Writer *writer, const char *key, long long value);
void write_bool(Writer *writer, const char *key, bool value);

/* Four significant digits; what is not finite becomes null. */
void write_number(Writer *writer, const char *key, double value);

#endif
