#include "analyzer/report/escape.h"

#include <string.h>

enum { REPLACEMENT = 0xFFFD };

/* What a lead byte asks for: bytes in all, and the bounds of the second byte (they exclude overlong
 * forms, surrogates and what lies beyond U+10FFFF). */
static size_t sequence_of(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = 0x80;
    *high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF) {
        *low = lead == 0xE0 ? 0xA0 : 0x80;
        *high = lead == 0xED ? 0x9F : 0xBF;
        return 3;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        *low = lead == 0xF0 ? 0x90 : 0x80;
        *high = lead == 0xF4 ? 0x8F : 0xBF;
        return 4;
    }
    return 0;
}

size_t utf8_next(const char *bytes, size_t length, uint32_t *code, bool *valid)
{
    const unsigned char *at = (const unsigned char *)bytes;
    *valid = true;
    if (at[0] < 0x80) {
        *code = at[0];
        return 1;
    }
    unsigned char low, high;
    size_t size = sequence_of(at[0], &low, &high);
    uint32_t value = size == 2 ? at[0] & 0x1Fu : size == 3 ? at[0] & 0x0Fu : at[0] & 0x07u;
    size_t taken = 1;
    while (taken < size && taken < length && at[taken] >= low && at[taken] <= high) {
        value = value << 6 | (at[taken++] & 0x3Fu);
        low = 0x80;
        high = 0xBF;
    }
    *valid = size > 0 && taken == size;
    *code = *valid ? value : REPLACEMENT;
    return taken;
}

size_t utf16_units(const char *bytes, size_t length)
{
    size_t units = 0;
    for (size_t at = 0; at < length;) {
        uint32_t code;
        bool valid;
        at += utf8_next(bytes + at, length - at, &code, &valid);
        units += code >= 0x10000 ? 2 : 1;
    }
    return units;
}

typedef struct CodeRange {
    uint32_t first, last;
} CodeRange;

static const CodeRange combining[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x0900, 0x0902}, {0x093C, 0x093C}, {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};

static const CodeRange wide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};

static bool in_ranges(uint32_t code, const CodeRange *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

int utf8_columns(uint32_t code)
{
    if (code < 0x300)
        return 1;
    if (in_ranges(code, combining, sizeof combining / sizeof *combining))
        return 0;
    return in_ranges(code, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

void escape_json(Text *out, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t code;
        bool valid;
        size_t size = utf8_next(bytes + at, length - at, &code, &valid);
        if (!valid)
            text_puts(out, "\xEF\xBF\xBD");
        else if (code == '"' || code == '\\')
            text_printf(out, "\\%c", (char)code);
        else if (code == '\n')
            text_puts(out, "\\n");
        else if (code == '\t')
            text_puts(out, "\\t");
        else if (code == '\r')
            text_puts(out, "\\r");
        else if (code < 0x20 || code == 0x7F)
            text_printf(out, "\\u%04x", (unsigned)code);
        else
            text_add(out, bytes + at, size);
        at += size;
    }
}

/* Marks that turn the direction of writing: they make a line read differently from what it is. */
static bool turns_direction(uint32_t code)
{
    return code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

int escape_terminal_character(Text *out, const char *bytes, size_t size, uint32_t code, bool valid)
{
    if (!valid) {
        for (size_t i = 0; i < size; i++)
            text_printf(out, "\\x%02x", (unsigned char)bytes[i]);
        return (int)size * 4;
    }
    if (code < 0x20 || (code >= 0x7F && code < 0xA0)) {
        text_printf(out, "\\x%02x", (unsigned)code);
        return 4;
    }
    if (turns_direction(code) || code == 0x2028 || code == 0x2029) {
        text_printf(out, "\\u%04x", (unsigned)code);
        return 6;
    }
    text_add(out, bytes, size);
    return utf8_columns(code);
}

void escape_terminal(Text *out, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t code;
        bool valid;
        size_t size = utf8_next(bytes + at, length - at, &code, &valid);
        escape_terminal_character(out, bytes + at, size, code, valid);
        at += size;
    }
}

static void escape_github(Text *out, const char *string, bool property)
{
    for (const char *at = string; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
            text_printf(out, "%%%02X", c);
        else if (c < 0x20 || c == 0x7F)
            text_printf(out, "\\x%02x", c);
        else
            text_putc(out, *at);
    }
}

void escape_github_message(Text *out, const char *string)
{
    escape_github(out, string, false);
}

void escape_github_property(Text *out, const char *string)
{
    escape_github(out, string, true);
}

void escape_uri(Text *out, const char *path)
{
    size_t first_part = strcspn(path, "/");
    if (path[0] == '/')
        text_puts(out, "file://");
    else if (memchr(path, ':', first_part) != NULL)
        text_puts(out, "./");
    for (const char *at = path; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     strchr("-._~/!$&'()*+,;=:@", c) != NULL;
        if (plain)
            text_putc(out, *at);
        else
            text_printf(out, "%%%02X", c);
    }
}

static bool is_noncharacter(uint32_t code)
{
    return (code >= 0xFDD0 && code <= 0xFDEF) || (code & 0xFFFE) == 0xFFFE;
}

void escape_html_character(Text *out, const char *bytes, size_t size, uint32_t code, bool valid)
{
    if (!valid || is_noncharacter(code)) {
        for (size_t i = 0; i < size; i++)
            text_printf(out, "\\x%02x", (unsigned char)bytes[i]);
    } else if (code < 0x80 && strchr("<>&\"'", (int)code) != NULL && code != 0) {
        text_printf(out, "&#%u;", (unsigned)code);
    } else {
        escape_terminal_character(out, bytes, size, code, valid);
    }
}

void escape_html(Text *out, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t code;
        bool valid;
        size_t size = utf8_next(bytes + at, length - at, &code, &valid);
        escape_html_character(out, bytes + at, size, code, valid);
        at += size;
    }
}

void escape_markdown(Text *out, const char *string)
{
    for (const char *at = string; *at != '\0'; at++) {
        if (*at == '\n' || *at == '\r')
            text_putc(out, ' ');
        else if (*at == '<')
            text_puts(out, "&lt;");
        else if (*at == '&')
            text_puts(out, "&amp;");
        else if (strchr("|`*_[]\\@#", *at) != NULL)
            text_printf(out, "\\%c", *at);
        else if ((unsigned char)*at >= 0x20)
            text_putc(out, *at);
    }
}
