/* Text of analysed files on its way to a sink: names, paths and source lines may hold anything, and
 * must neither break the format they are put into nor speak to the terminal. All of these append to
 * a Text that the caller owns. */
#ifndef ANALYZER_REPORT_ESCAPE_H
#define ANALYZER_REPORT_ESCAPE_H

#include "analyzer/base/text.h"

#include <stdbool.h>

/* Decodes the character at bytes[0 .. length), length >= 1. Returns how many bytes it takes; a byte
 * that starts no valid UTF-8 sequence takes the bytes a decoder replaces by one U+FFFD, and *code
 * is 0xFFFD with *valid false. */
size_t utf8_next(const char *bytes, size_t length, uint32_t *code, bool *valid);

/* UTF-16 units that a decoder makes of these bytes (invalid ones become U+FFFD). */
size_t utf16_units(const char *bytes, size_t length);

/* Terminal columns of a character: 0 for combining marks, 2 for wide ones. */
int utf8_columns(uint32_t code);

/* Inside a JSON string, without the quotes; invalid bytes become U+FFFD. */
void escape_json(Text *out, const char *bytes, size_t length);

/* For terminals and plain text: control characters, marks that turn the direction of writing and
 * invalid bytes are shown as \x1b or \u202e; so is a tab. */
void escape_terminal(Text *out, const char *bytes, size_t length);

/* One character the same way; returns the columns it took. */
int escape_terminal_character(Text *out, const char *bytes, size_t size, uint32_t code, bool valid);

/* GitHub workflow commands: the message, and the value of a property. */
void escape_github_message(Text *out, const char *string);
void escape_github_property(Text *out, const char *string);

/* A path as a relative (or file:) URI reference, percent-encoded; "./" is put in front where a
 * colon in the first part would read as a scheme. */
void escape_uri(Text *out, const char *path);

/* HTML text and quoted attribute values: marks become character references, and what
 * escape_terminal shows as an escape is shown so here, too; so are noncharacters, which HTML
 * forbids. */
void escape_html(Text *out, const char *bytes, size_t length);

/* One character the same way. */
void escape_html_character(Text *out, const char *bytes, size_t size, uint32_t code, bool valid);

/* A cell of a Markdown table. */
void escape_markdown(Text *out, const char *string);

#endif
