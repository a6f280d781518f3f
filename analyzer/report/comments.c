#include "analyzer/report/comments.h"

#include <string.h>

typedef struct Scan {
    const char *bytes;
    size_t size, at;
} Scan;

static bool ahead(const Scan *scan, const char *word)
{
    size_t length = strlen(word);
    return scan->size - scan->at >= length && memcmp(scan->bytes + scan->at, word, length) == 0;
}

/* To the end of the line; in C a backslash before the line end goes on. */
static void skip_line(Scan *scan, bool continues)
{
    for (; scan->at < scan->size && scan->bytes[scan->at] != '\n'; scan->at++) {
        if (!continues || scan->bytes[scan->at] != '\\')
            continue;
        size_t next = scan->at + 1;
        next += next < scan->size && scan->bytes[next] == '\r';
        if (next < scan->size && scan->bytes[next] == '\n')
            scan->at = next;
    }
}

/* Over a text that ends at `end`; a backslash takes the next byte with it. `lines`: it may go over
 * line ends. */
static void skip_text(Scan *scan, const char *end, bool lines)
{
    while (scan->at < scan->size) {
        if (ahead(scan, end)) {
            scan->at += strlen(end);
            return;
        }
        if (scan->bytes[scan->at] == '\\')
            scan->at++;
        else if (scan->bytes[scan->at] == '\n' && !lines)
            return;
        scan->at++;
    }
    scan->at = scan->size;
}

static void skip_to(Scan *scan, const char *end)
{
    while (scan->at < scan->size && !ahead(scan, end))
        scan->at++;
    scan->at = ahead(scan, end) ? scan->at + strlen(end) : scan->size;
}

/* C++: R"mark( … )mark". The scan stands at the quote. */
static void skip_raw(Scan *scan)
{
    char end[24] = ")";
    size_t length = 1;
    for (scan->at++; scan->at < scan->size && scan->bytes[scan->at] != '(' && length < 18;
         scan->at++)
        end[length++] = scan->bytes[scan->at];
    end[length] = '"';
    skip_to(scan, end);
}

/* 1'000'000: a quote between digits is no character. */
static bool is_digit_separator(const Scan *scan)
{
    unsigned char before = scan->at > 0 ? (unsigned char)scan->bytes[scan->at - 1] : ' ';
    return (before >= '0' && before <= '9') || (before >= 'a' && before <= 'f') ||
           (before >= 'A' && before <= 'F');
}

/* One step over C; whether it was a comment. */
static bool step_c(Scan *scan, bool cpp)
{
    if (ahead(scan, "//")) {
        skip_line(scan, true);
        return true;
    }
    if (ahead(scan, "/*")) {
        scan->at += 2;
        skip_to(scan, "*/");
        return true;
    }
    char c = scan->bytes[scan->at];
    if (c == '"' && cpp && scan->at > 0 && scan->bytes[scan->at - 1] == 'R') {
        skip_raw(scan);
    } else if (c == '"' || (c == '\'' && !(cpp && is_digit_separator(scan)))) {
        const char end[2] = {c, '\0'};
        scan->at++;
        skip_text(scan, end, false);
    } else {
        scan->at++;
    }
    return false;
}

static bool step_python(Scan *scan)
{
    char c = scan->bytes[scan->at];
    if (c == '#') {
        skip_line(scan, false);
        return true;
    }
    if (ahead(scan, "\"\"\"") || ahead(scan, "'''")) {
        const char end[4] = {c, c, c, '\0'};
        scan->at += 3;
        skip_text(scan, end, true);
    } else if (c == '"' || c == '\'') {
        const char end[2] = {c, '\0'};
        scan->at++;
        skip_text(scan, end, false);
    } else {
        scan->at++;
    }
    return false;
}

static bool blank_before(const Source *source, uint32_t at)
{
    while (at > 0 && (source->bytes[at - 1] == ' ' || source->bytes[at - 1] == '\t'))
        at--;
    return at == 0 || source->bytes[at - 1] == '\n';
}

static bool blank_after(const Source *source, uint32_t at)
{
    while (at < source->size &&
           (source->bytes[at] == ' ' || source->bytes[at] == '\t' || source->bytes[at] == '\r'))
        at++;
    return at >= source->size || source->bytes[at] == '\n';
}

void comments_find(Arena *arena, const Source *source, Language language, Comments *comments)
{
    Scan scan = {source->bytes, source->size, 0};
    while (scan.at < scan.size) {
        uint32_t start = (uint32_t)scan.at;
        bool found = language == LANGUAGE_PYTHON ? step_python(&scan)
                                                 : step_c(&scan, language == LANGUAGE_CPP);
        uint32_t stop = (uint32_t)(scan.at < scan.size ? scan.at : scan.size);
        if (found)
            LIST_PUSH(
                arena, comments,
                (Comment){start, stop, blank_before(source, start) && blank_after(source, stop)});
    }
}
