/* IPython's additions to Python, made Python in place: no byte moves, so that places stay true.
 * What IPython does with a line is decided by how a statement starts, so brackets, texts and
 * comments are followed. */
#include "frontends/python/notebook.h"

#include <ctype.h>
#include <string.h>

typedef struct Scan {
    char *text;
    size_t length, at;
    int depth;     /* of brackets */
    bool unclosed; /* a text over several lines does not end */
} Scan;

static bool ahead(const Scan *scan, const char *word)
{
    size_t length = strlen(word);
    return scan->length - scan->at >= length && memcmp(scan->text + scan->at, word, length) == 0;
}

static size_t line_end(const Scan *scan, size_t at)
{
    while (at < scan->length && scan->text[at] != '\n')
        at++;
    return at;
}

static size_t skip_blanks(const Scan *scan, size_t at)
{
    while (at < scan->length && (scan->text[at] == ' ' || scan->text[at] == '\t'))
        at++;
    return at;
}

static void blank(Scan *scan, size_t from, size_t to)
{
    for (; from < to; from++)
        if (scan->text[from] != '\n')
            scan->text[from] = ' ';
}

/* The end of a line that a backslash may take on to the next ones, as IPython joins them. */
static size_t joined_end(const Scan *scan, size_t at)
{
    size_t end = line_end(scan, at);
    while (end > at && scan->text[end - 1] == '\\' && end + 1 < scan->length)
        end = line_end(scan, end + 1);
    return end;
}

static size_t word_end(const Scan *scan, size_t at)
{
    while (at < scan->length && (isalnum((unsigned char)scan->text[at]) || scan->text[at] == '_' ||
                                 scan->text[at] == '.'))
        at++;
    return at;
}

static bool word_is_one_of(const Scan *scan, size_t from, size_t to, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strlen(*words) == to - from && memcmp(scan->text + from, *words, to - from) == 0)
            return true;
    return false;
}

/* ---- statements ---- */

/* Over the options of `%timeit -n 10 -r3 -o`: those of n, r and p take a number. */
static size_t skip_options(const Scan *scan, size_t at)
{
    at = skip_blanks(scan, at);
    while (at + 1 < scan->length && scan->text[at] == '-' &&
           isalpha((unsigned char)scan->text[at + 1])) {
        bool number = strchr("nrp", scan->text[at + 1]) != NULL;
        at += 2;
        number = number && (at >= scan->length || !isdigit((unsigned char)scan->text[at]));
        at = word_end(scan, at);
        if (number)
            at = word_end(scan, skip_blanks(scan, at));
        at = skip_blanks(scan, at);
    }
    return at;
}

/* What `%time` and its kin run is Python: the place where it starts, or 0 where the line is no such
 * magic or what it runs cannot follow another statement on the line. */
static size_t timed_statement(const Scan *scan, size_t at)
{
    static const char *const timing[] = {"time", "timeit", "prun", "memit", NULL};
    static const char *const compound[] = {"for",   "while", "if",    "with",  "def",
                                           "class", "try",   "async", "match", NULL};
    size_t name = at + (scan->text[at] == '%'), end = word_end(scan, name);
    if (!word_is_one_of(scan, name, end, timing))
        return 0;
    size_t start = skip_options(scan, end);
    if (start >= scan->length || strchr("\n%!@?#", scan->text[start]) != NULL ||
        word_is_one_of(scan, start, word_end(scan, start), compound))
        return 0;
    return start;
}

/* A line that asks for help: it ends in '?', which Python has no use for. */
static bool asks(const Scan *scan, size_t at, size_t end)
{
    while (end > at && strchr(" \t\r", scan->text[end - 1]) != NULL)
        end--;
    if (end <= at || scan->text[end - 1] != '?')
        return false;
    for (size_t i = at; i < end; i++)
        if (strchr("\"'#", scan->text[i]) != NULL)
            return false;
    return true;
}

/* IPython takes some lines without the sign of a magic: `pip install x`, `timeit -n 3 f()`. A name
 * behind a name is no Python but where a keyword stands. */
static bool is_automagic(const Scan *scan, size_t at)
{
    static const char *const magics[] = {
        "pip",  "conda",  "mamba", "cd",  "ls",   "pwd",   "cat", "mkdir", "rm",  "cp",       "mv",
        "time", "timeit", "prun",  "run", "load", "pylab", "env", "reset", "who", "load_ext", NULL};
    static const char *const keywords[] = {"in", "is",  "and",  "or", "not",
                                           "if", "for", "else", NULL};
    size_t end = word_end(scan, at), next = skip_blanks(scan, end);
    char c = next < scan->length ? scan->text[next] : '\0';
    char after = next + 1 < scan->length ? scan->text[next + 1] : '\0';
    if (next == end || !word_is_one_of(scan, at, end, magics) ||
        word_is_one_of(scan, next, word_end(scan, next), keywords))
        return false;
    return isalnum((unsigned char)c) || c == '_' || c == '~' ||
           (c == '-' && isalpha((unsigned char)after)) ||
           ((c == '.' || c == '/') &&
            (after == '.' || after == '/' || isalpha((unsigned char)after)));
}

/* At the start of a statement: rewrites it if it is IPython's, and passes it then. */
static void rewrite_statement(Scan *scan)
{
    size_t start = skip_blanks(scan, scan->at), end = line_end(scan, start);
    char c = start < scan->length ? scan->text[start] : '\n';
    scan->at = start;
    if (c == '\n' ||
        (strchr("%!?,;/", c) == NULL && !asks(scan, start, end) && !is_automagic(scan, start)))
        return;
    size_t statement = timed_statement(scan, start);
    if (statement > 0) {
        blank(scan, start, statement);
        scan->text[start] = '0';
        scan->text[start + 1] = ';';
        scan->at = statement;
        return;
    }
    end = joined_end(scan, start);
    blank(scan, start, end);
    scan->text[start] = '0'; /* a block may have no other statement */
    scan->at = end;
}

/* Behind the sign of an assignment: `files = !ls` and `took = %timeit -o f()` have a value that is
 * not known; `y = %time f()` has that of f. */
static void rewrite_value(Scan *scan)
{
    static const char *const time[] = {"time", NULL};
    size_t start = skip_blanks(scan, scan->at);
    char next = start + 1 < scan->length ? scan->text[start + 1] : '\0';
    bool magic = start < scan->length && scan->text[start] == '%' &&
                 (isalpha((unsigned char)next) || next == '_');
    if (!magic && !(start < scan->length && scan->text[start] == '!' && next != '='))
        return;
    if (magic && word_is_one_of(scan, start + 1, word_end(scan, start + 1), time)) {
        blank(scan, start, word_end(scan, start + 1));
        return;
    }
    size_t end = joined_end(scan, start);
    blank(scan, start, end);
    memcpy(scan->text + start, "...", end - start < 3 ? 1 : 3);
    if (end - start < 3)
        scan->text[start] = '0';
    scan->at = end;
}

/* ---- Python between them ---- */

/* Over a text; the scan stands at its quote. */
static void skip_text(Scan *scan)
{
    char quote = scan->text[scan->at];
    const char triple[] = {quote, quote, quote, '\0'};
    bool lines = ahead(scan, triple);
    scan->at += lines ? 3 : 1;
    while (scan->at < scan->length) {
        char c = scan->text[scan->at];
        if (c == '\\') {
            scan->at += 2;
            continue;
        }
        if (lines ? ahead(scan, triple) : c == quote) {
            scan->at += lines ? 3 : 1;
            return;
        }
        if (c == '\n' && !lines)
            return;
        scan->at++;
    }
    scan->at = scan->length;
    scan->unclosed = lines;
}

static bool assigns(const Scan *scan)
{
    char before = scan->at > 0 ? scan->text[scan->at - 1] : ' ';
    return scan->depth == 0 && strchr("=<>!", before) == NULL && !ahead(scan, "==");
}

/* One step; whether a new statement may start behind it. */
static bool step(Scan *scan)
{
    char c = scan->text[scan->at];
    if (c == '"' || c == '\'') {
        skip_text(scan);
        return false;
    }
    if (c == '#') {
        scan->at = line_end(scan, scan->at);
        return false;
    }
    if (c == '\\') {
        scan->at += 2;
        return false;
    }
    bool sign = c == '=' && assigns(scan);
    scan->at++;
    if (strchr("([{", c) != NULL && c != '\0')
        scan->depth++;
    else if (strchr(")]}", c) != NULL && c != '\0')
        scan->depth -= scan->depth > 0;
    else if (sign)
        rewrite_value(scan);
    return c == '\n' && scan->depth == 0;
}

static bool rewrite_statements(Scan *scan)
{
    for (bool start = true; scan->at < scan->length;) {
        if (start) {
            rewrite_statement(scan);
            start = false;
        } else {
            start = step(scan);
        }
    }
    return scan->depth == 0 && !scan->unclosed;
}

/* ---- magics of cells ---- */

/* Passes the lines that start with "%%" and blanks them; false: what follows is no Python of this
 * program. */
static bool pass_cell_magics(Scan *scan)
{
    static const char *const around[] = {"time",  "timeit", "capture", "prun",      "debug",
                                         "memit", "px",     "ipytest", "notebook",  "snakeviz",
                                         "opts",  "output", "scalene", "viztracer", NULL};
    for (;;) {
        size_t start = scan->at;
        while (start < scan->length && isspace((unsigned char)scan->text[start]))
            start++;
        if (scan->length - start < 2 || memcmp(scan->text + start, "%%", 2) != 0)
            return true;
        if (!word_is_one_of(scan, start + 2, word_end(scan, start + 2), around))
            return false;
        scan->at = line_end(scan, start);
        blank(scan, start, scan->at);
    }
}

CellState magic_to_python(char *text, size_t length)
{
    Scan scan = {.text = text, .length = length};
    CellState state = !pass_cell_magics(&scan)     ? CELL_FOREIGN
                      : !rewrite_statements(&scan) ? CELL_OPEN
                                                   : CELL_CODE;
    if (state != CELL_CODE)
        blank(&scan, 0, length);
    return state;
}
