/* A reader of JSON that knows where each value is written, which no library tells: findings point
 * into the file. It is as lenient as Jupyter (NaN, single surrogates), and what is skipped is only
 * held to its brackets and texts. No memory, no recursion. */
#ifndef FRONTENDS_PYTHON_JSON_H
#define FRONTENDS_PYTHON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Json {
    const char *bytes;
    size_t size, at;
    const char *wrong; /* the first fault (static text), at `at`; then every call says no */
} Json;

/* The first byte of the value that comes next: '{', '[', '"', …; 0 at the end. */
char json_peek(Json *json);

/* Whether an object or array opens here; then it is entered. What opens nothing is skipped. */
bool json_open(Json *json, char bracket);

/* Goes to the next member or item, behind its key. `first`: none was taken yet (set to false).
 * False at the end, which is passed. `key` is the text of the key as written. */
bool json_member(Json *json, bool *first, const char **key, size_t *key_length);
bool json_item(Json *json, bool *first);

/* Over the next value. */
void json_skip(Json *json);

/* Whether the next value is the text `word`, as written; it is skipped. */
bool json_is(Json *json, const char *word);

/* One character of a text: its place, and its bytes in UTF-8. */
typedef struct JsonCharacter {
    size_t at;
    char bytes[4];
    int size;
} JsonCharacter;

/* Steps through a text that starts with a quote; at its end, passes the closing quote, whose place
 * is then in character->at. */
void json_text_open(Json *json);
bool json_text_next(Json *json, JsonCharacter *character);

#endif
