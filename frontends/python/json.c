#include "frontends/python/json.h"

#include <string.h>

enum { DEEPEST_VALUE = 512, REPLACEMENT = 0xFFFD };

static void fail(Json *json, const char *wrong)
{
    if (json->wrong == NULL)
        json->wrong = wrong;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void fail_here(Json *json, const char *otherwise)
{
    bool line = json->at == 0 || json->bytes[json->at - 1] == '\n';
    bool conflict = line && json->size - json->at >= 7 &&
                    memcmp(json->bytes + json->at, "<<<<<<<", 7) == 0;
    fail(json, json->at >= json->size ? "it ends in the middle"
               : conflict             ? "a merge conflict is not resolved"
                                      : otherwise);
}

char json_peek(Json *json)
{
    while (json->at < json->size && is_blank(json->bytes[json->at]))
        json->at++;
    return json->at < json->size && json->wrong == NULL ? json->bytes[json->at] : '\0';
}

bool json_open(Json *json, char bracket)
{
    if (json_peek(json) != bracket) {
        json_skip(json);
        return false;
    }
    json->at++;
    return true;
}

/* Over a text, from its quote. */
static void skip_text(Json *json)
{
    for (json->at++; json->at < json->size; json->at++) {
        char c = json->bytes[json->at];
        if (c == '"') {
            json->at++;
            return;
        }
        if (c == '\n') {
            fail(json, "a text is not closed on its line");
            return;
        }
        json->at += c == '\\';
    }
    json->at = json->size;
    fail_here(json, "");
}

static bool step(Json *json, bool *first, char end)
{
    char c = json_peek(json);
    if (json->wrong != NULL)
        return false;
    if (c == end) {
        json->at++;
        return false;
    }
    if (!*first) {
        if (c != ',') {
            fail_here(json, "a comma is missing");
            return false;
        }
        json->at++;
        (void)json_peek(json);
    }
    *first = false;
    return true;
}

bool json_member(Json *json, bool *first, const char **key, size_t *key_length)
{
    if (!step(json, first, '}'))
        return false;
    if (json_peek(json) != '"') {
        fail_here(json, "a key in quotes is missing");
        return false;
    }
    size_t start = json->at + 1;
    skip_text(json);
    *key = json->bytes + start;
    *key_length = json->at > start ? json->at - 1 - start : 0;
    if (json_peek(json) != ':') {
        fail_here(json, "a colon is missing");
        return false;
    }
    json->at++;
    return true;
}

bool json_item(Json *json, bool *first)
{
    return step(json, first, ']');
}

static bool is_literal(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '+' || c == '.';
}

/* One bracket, text or literal of a value that is skipped; `open` holds the brackets. */
static void skip_part(Json *json, char *open, int *depth)
{
    char c = json_peek(json);
    if (c == '"') {
        skip_text(json);
    } else if (c == '{' || c == '[') {
        if (*depth == DEEPEST_VALUE)
            fail(json, "values are nested deeper than 512");
        else
            open[(*depth)++] = c == '{' ? '}' : ']';
        json->at++;
    } else if (*depth > 0 && c == open[*depth - 1]) {
        (*depth)--;
        json->at++;
    } else if (*depth > 0 && (c == ',' || c == ':')) {
        json->at++;
    } else if (is_literal(c)) {
        while (json->at < json->size && is_literal(json->bytes[json->at]))
            json->at++;
    } else {
        fail_here(json, "a value is missing");
    }
}

void json_skip(Json *json)
{
    char open[DEEPEST_VALUE];
    int depth = 0;
    do {
        skip_part(json, open, &depth);
    } while (depth > 0 && json->wrong == NULL);
}

bool json_is(Json *json, const char *word)
{
    size_t length = strlen(word);
    (void)json_peek(json);
    size_t start = json->at + 1;
    bool text = json->at < json->size && json->bytes[json->at] == '"';
    json_skip(json);
    return text && json->wrong == NULL && json->at == start + length + 1 &&
           memcmp(json->bytes + start, word, length) == 0;
}

/* ---- the characters of a text ---- */

void json_text_open(Json *json)
{
    json->at++;
}

static bool hex_at(const Json *json, size_t at, uint32_t *code)
{
    *code = 0;
    if (json->size - at < 6 || at > json->size || json->bytes[at] != '\\' ||
        json->bytes[at + 1] != 'u')
        return false;
    for (size_t i = at + 2; i < at + 6; i++) {
        char c = json->bytes[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        *code = *code * 16 + (uint32_t)digit;
    }
    return true;
}

static void encode(JsonCharacter *out, uint32_t code)
{
    if (code == 0 || (code >= 0xD800 && code < 0xE000))
        code = REPLACEMENT;
    if (code < 0x80) {
        out->bytes[out->size++] = (char)code;
        return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
    out->bytes[out->size++] = (char)(leads[more] | code >> 6 * more);
    while (more-- > 0)
        out->bytes[out->size++] = (char)(0x80 | (code >> 6 * more & 0x3F));
}

static void read_escape(Json *json, JsonCharacter *out)
{
    static const char letters[] = "bfnrt\"\\/", meant[] = "\b\f\n\r\t\"\\/";
    uint32_t code, low;
    const char *letter = json->at + 1 < json->size ? strchr(letters, json->bytes[json->at + 1])
                                                   : NULL;
    if (letter != NULL && *letter != '\0') {
        out->bytes[out->size++] = meant[letter - letters];
        json->at += 2;
    } else if (hex_at(json, json->at, &code)) {
        json->at += 6;
        if (code >= 0xD800 && code < 0xDC00 && hex_at(json, json->at, &low) && low >= 0xDC00 &&
            low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            json->at += 6;
        }
        encode(out, code);
    } else {
        fail(json, "an escape in a text is none of JSON's");
    }
}

bool json_text_next(Json *json, JsonCharacter *character)
{
    *character = (JsonCharacter){.at = json->at};
    if (json->wrong != NULL || json->at >= json->size || json->bytes[json->at] == '\n') {
        fail_here(json, "a text is not closed on its line");
        return false;
    }
    if (json->bytes[json->at] == '"') {
        json->at++;
        return false;
    }
    if (json->bytes[json->at] == '\\')
        read_escape(json, character);
    else
        character->bytes[character->size++] = json->bytes[json->at++];
    return json->wrong == NULL;
}
