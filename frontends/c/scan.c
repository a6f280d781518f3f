#include "frontends/c/scan.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static uint32_t quoted(const Source *source, uint32_t at)
{
    char quote = source->bytes[at++];
    while (at < source->size && source->bytes[at] != quote && source->bytes[at] != '\n')
        at += source->bytes[at] == '\\' && at + 1 < source->size ? 2 : 1;
    return at < source->size ? at + 1 : (uint32_t)source->size;
}

uint32_t scan_opaque(const Source *source, uint32_t at)
{
    const char *bytes = source->bytes;
    if (at >= source->size)
        return at;
    if (bytes[at] == '"' ||
        (bytes[at] == '\'' && (at == 0 || !isdigit((unsigned char)bytes[at - 1]))))
        return quoted(source, at);
    if (bytes[at] != '/')
        return at;
    if (bytes[at + 1] == '*') {
        const char *end =
            at + 2 < source->size ? memmem(bytes + at + 2, source->size - at - 2, "*/", 2) : NULL;
        return end != NULL ? (uint32_t)(end + 2 - bytes) : (uint32_t)source->size;
    }
    if (bytes[at + 1] != '/')
        return at;
    while (at < source->size && bytes[at] != '\n')
        at += bytes[at] == '\\' && at + 1 < source->size ? 2 : 1;
    return at < source->size ? at : (uint32_t)source->size;
}

/* The end of a preprocessor line: the '\n' that no backslash continues, or the end of the file. */
static uint32_t line_stop(const Source *source, uint32_t at)
{
    const char *bytes = source->bytes;
    while (at < source->size && bytes[at] != '\n') {
        uint32_t past = bytes[at] == '/' ? scan_opaque(source, at) : at;
        if (past > at)
            at = past;
        else if (bytes[at] == '\\' && bytes[at + 1] == '\n')
            at += 2;
        else if (bytes[at] == '\\' && bytes[at + 1] == '\r' && at + 2 < source->size &&
                 bytes[at + 2] == '\n')
            at += 3;
        else
            at++;
    }
    return at < source->size ? at : (uint32_t)source->size;
}

/* Blanks and continued line ends inside a preprocessor line. */
static uint32_t blanks(const Source *source, uint32_t at, uint32_t stop)
{
    while (at < stop) {
        char c = source->bytes[at];
        if (c == ' ' || c == '\t' || c == '\\' || c == '\r' || c == '\n')
            at++;
        else
            break;
    }
    return at;
}

static uint32_t word_stop(const Source *source, uint32_t at, uint32_t stop)
{
    while (at < stop && is_word(source->bytes[at]))
        at++;
    return at;
}

static bool word_is(const Source *source, uint32_t start, uint32_t stop, const char *word)
{
    return stop - start == strlen(word) && memcmp(source->bytes + start, word, stop - start) == 0;
}

static uint32_t past_skipped(uint32_t at, const ScanRange *skipped, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (at >= skipped[i].start && at < skipped[i].stop)
            return skipped[i].stop;
    return at;
}

uint32_t scan_trivia(const Source *source, uint32_t at, const ScanRange *skipped,
                     uint32_t skipped_count)
{
    while (at < source->size) {
        char c = source->bytes[at];
        uint32_t past = past_skipped(at, skipped, skipped_count);
        if (past == at && c == '/')
            past = scan_opaque(source, at);
        else if (past == at && (c == '#' || (c == '%' && source->bytes[at + 1] == ':')))
            past = line_stop(source, at);
        else if (past == at && (isspace((unsigned char)c) || c == '\\' || c == '\f'))
            past = at + 1;
        if (past == at)
            break;
        at = past;
    }
    return at;
}

/* ---- one pass over the file ---- */

enum { GROUPS = 64, NAMES_PER_GROUP = 4 };

/* What must be defined for a branch to be read: `#if A && defined(B)`. Of alternatives the first
 * one; macros that must not be defined, and conditions of other forms, are left out. */
typedef struct Condition {
    const char *names[NAMES_PER_GROUP];
    uint32_t count;
    const char *negated; /* `#ifndef A`, `#if !A`: what the #else needs */
} Condition;

typedef struct Group {
    Condition opened, branch; /* of the #if; of the #elif or #else that is read now */
    bool pragmas, defines, omp_defines, others;
    const char *unless; /* #ifndef of this name, as long as no other directive came */
    bool guard;         /* … which the next line defines: an include guard */
    ScanRange undef;    /* #undef _OPENMP; stop 0: none */
} Group;

typedef struct Scanner {
    Arena *arena;
    Scan *scan;
    const ScanRange *skipped;
    uint32_t skipped_count;
    Group groups[GROUPS];
    uint32_t chain; /* operators since the last of `; , { }` */
    bool closed;    /* a ')' since the last of `; = { }` */
    uint32_t depth; /* may exceed GROUPS: then the inner ones are not looked at */
} Scanner;

/* Whether a macro's value is compared or computed with: that it is defined is not enough. */
static bool is_operand(const char *end, const char *stop)
{
    while (end < stop && (*end == ' ' || *end == '\t' || *end == ')'))
        end++;
    return end < stop && strchr("<>=+-*/%&|^", *end) != NULL && memcmp(end, "&&", 2) != 0 &&
           memcmp(end, "||", 2) != 0;
}

static void note_name(Scanner *s, Condition *condition, const char *text, size_t length, bool not )
{
    const char *name = arena_strndup(s->arena, text, length);
    if (not )
        condition->negated = condition->count == 0 ? name : NULL;
    else if (*text != '_' && condition->count < NAMES_PER_GROUP)
        condition->names[condition->count++] = name;
}

static Condition read_condition(Scanner *s, uint32_t at, uint32_t stop)
{
    Condition condition = {.count = 0};
    const char *text = s->scan->source->bytes + at, *end = s->scan->source->bytes + stop;
    bool not = false;
    while (text < end && *text != '|' && *text != '/' && !(not &&*text == '(')) {
        const char *word = text;
        while (text < end && is_word(*text))
            text++;
        bool defined = text - word == 7 && memcmp(word, "defined", 7) == 0;
        if (text == word) {
            not = *text == '!' && text + 1 < end && text[1] != '=';
            text++;
        } else if (defined) {
            while (text < end && (*text == ' ' || *text == '('))
                text++;
        } else {
            if (!isdigit((unsigned char)*word) && !is_operand(text, end))
                note_name(s, &condition, word, (size_t)(text - word), not );
            not = false;
        }
    }
    if (condition.count > 0)
        condition.negated = NULL;
    return condition;
}

static void group_open(Scanner *s, const char *kind, uint32_t at, uint32_t stop)
{
    s->scan->asks |= memmem(s->scan->source->bytes + at, stop - at, "__has_include", 13) != NULL;
    if (s->depth++ >= GROUPS)
        return;
    Group *group = &s->groups[s->depth - 1];
    *group = (Group){.undef = {0}};
    if (strcmp(kind, "ifndef") != 0)
        group->opened = read_condition(s, at, stop);
    else
        group->opened.negated = group->unless = arena_strndup(
            s->arena, s->scan->source->bytes + at, word_stop(s->scan->source, at, stop) - at);
    group->branch = group->opened;
}

/* #elif and #else; `at` is where the condition stands. */
static void group_turn(Scanner *s, bool last, uint32_t at, uint32_t stop)
{
    if (s->depth == 0 || s->depth > GROUPS)
        return;
    Group *group = &s->groups[s->depth - 1];
    const char *needed = group->opened.negated;
    group->branch = (Condition){.count = 0};
    if (!last)
        group->branch = read_condition(s, at, stop);
    else if (needed != NULL && *needed != '_')
        group->branch = (Condition){.names = {needed}, .count = 1};
}

/* USE_OPENMP, HYPRE_USING_OPENMP, OPENMP: a program's own name for _OPENMP, which is defined here.
 * Not NO_OPENMP, nor what asks for devices. */
static bool stands_for_openmp(const char *macro)
{
    static const char *const others[] = {"NO_",    "NOT_",    "DISABLE", "WITHOUT", "TARGET",
                                         "DEVICE", "OFFLOAD", "GPU",     "VERSION", NULL};
    for (uint32_t i = 0; others[i] != NULL; i++)
        if (strstr(macro, others[i]) != NULL)
            return false;
    return strstr(macro, "OPENMP") != NULL;
}

static void group_close(Scanner *s)
{
    if (s->depth == 0 || s->depth-- > GROUPS)
        return;
    Group *group = &s->groups[s->depth];
    if (s->depth > 0) {
        Group *outer = &s->groups[s->depth - 1];
        outer->pragmas |= group->pragmas;
        outer->defines |= group->defines;
        outer->omp_defines |= group->omp_defines;
        outer->others |= group->others;
    }
    if (group->undef.stop > 0 && !group->pragmas)
        LIST_PUSH(s->arena, &s->scan->undefs, group->undef);
    bool only_pragmas = (group->pragmas && !group->defines && !group->others) ||
                        (group->omp_defines && !group->others);
    for (uint32_t i = 0; i < group->opened.count; i++)
        if (only_pragmas || stands_for_openmp(group->opened.names[i]))
            LIST_PUSH(s->arena, &s->scan->switches, group->opened.names[i]);
}

static Group *innermost(Scanner *s)
{
    return s->depth > 0 && s->depth <= GROUPS ? &s->groups[s->depth - 1] : NULL;
}

/* Whether a line has `omp` and then `parallel` or `for`; work for devices is left alone. */
static bool has_omp_loop(const char *bytes, size_t size)
{
    const char *at = bytes, *end = bytes + size;
    while ((at = memmem(at, (size_t)(end - at), "omp ", 4)) != NULL) {
        bool apart = at == bytes || !is_word(at[-1]);
        for (at += 4; at < end && *at == ' ';)
            at++;
        if (apart && ((end - at > 8 && memcmp(at, "parallel", 8) == 0) ||
                      (end - at > 3 && memcmp(at, "for", 3) == 0)))
            return true;
    }
    return false;
}

static void note_define(Scanner *s, uint32_t at, uint32_t stop)
{
    const Source *source = s->scan->source;
    if (innermost(s) != NULL) {
        innermost(s)->defines = true;
        innermost(s)->omp_defines |= has_omp_loop(source->bytes + at, stop - at);
    }
    uint32_t name_stop = word_stop(source, at, stop), body = blanks(source, name_stop, stop);
    if (name_stop == at || name_stop >= stop || source->bytes[name_stop] == '(' || body >= stop)
        return;
    LIST_PUSH(s->arena, &s->scan->macros,
              (ScanMacro){arena_strndup(s->arena, source->bytes + at, name_stop - at),
                          arena_strndup(s->arena, source->bytes + body, stop - body)});
}

/* `#define NAME` right behind `#ifndef NAME`. */
static void note_guard(Scanner *s, uint32_t at, uint32_t stop, bool define)
{
    Group *group = innermost(s);
    if (group == NULL || group->unless == NULL)
        return;
    uint32_t end = word_stop(s->scan->source, at, stop);
    group->guard = define && word_is(s->scan->source, at, end, group->unless);
    group->unless = NULL;
}

static void note_include(Scanner *s, uint32_t at, uint32_t stop)
{
    const char *bytes = s->scan->source->bytes;
    bool certain = s->depth <= GROUPS;
    if (at >= stop || (bytes[at] != '"' && bytes[at] != '<'))
        return;
    for (uint32_t i = 0; i < s->depth && certain; i++)
        certain = s->groups[i].guard;
    const char *name = bytes + at + 1;
    const char *end = memchr(name, bytes[at] == '"' ? '"' : '>', stop - at - 1);
    if (end != NULL && end > name)
        LIST_PUSH(s->arena, &s->scan->includes,
                  (ScanInclude){arena_strndup(s->arena, name, (size_t)(end - name)),
                                bytes[at] == '"', certain});
}

/* A pragma that was left out: what would bring it in. */
static void note_features(Scanner *s)
{
    for (uint32_t i = 0; i < s->depth && i < GROUPS; i++)
        for (uint32_t k = 0; k < s->groups[i].branch.count; k++)
            LIST_PUSH(s->arena, &s->scan->features, s->groups[i].branch.names[k]);
}

static void note_pragma(Scanner *s, uint32_t start, uint32_t at, uint32_t stop)
{
    const Source *source = s->scan->source;
    uint32_t omp = word_stop(source, at, stop);
    Group *group = innermost(s);
    if (!word_is(source, at, omp, "omp")) {
        if (group != NULL)
            group->others = true;
        return;
    }
    s->scan->conditional |= s->depth > 0;
    if (group != NULL)
        group->pragmas = true;
    if (past_skipped(start, s->skipped, s->skipped_count) != start) {
        if (has_omp_loop(source->bytes + at, stop - at))
            note_features(s);
        return;
    }
    while (stop > omp && isspace((unsigned char)source->bytes[stop - 1]))
        stop--;
    LIST_PUSH(s->arena, &s->scan->pragmas,
              (ScanPragma){.start = start,
                           .stop = stop,
                           .text = omp,
                           .next = scan_trivia(source, stop, s->skipped, s->skipped_count)});
}

/* A preprocessor line from its '#'; returns its end. */
static uint32_t directive(Scanner *s, uint32_t start)
{
    const Source *source = s->scan->source;
    uint32_t stop = line_stop(source, start);
    uint32_t at = blanks(source, start + 1, stop), end = word_stop(source, at, stop);
    uint32_t rest = blanks(source, end, stop);
    note_guard(s, rest, stop, word_is(source, at, end, "define"));
    if (word_is(source, at, end, "pragma"))
        note_pragma(s, start, rest, stop);
    else if (word_is(source, at, end, "if") || word_is(source, at, end, "ifdef"))
        group_open(s, "if", rest, stop);
    else if (word_is(source, at, end, "ifndef"))
        group_open(s, "ifndef", rest, stop);
    else if (word_is(source, at, end, "endif"))
        group_close(s);
    else if (word_is(source, at, end, "else") || word_is(source, at, end, "elif"))
        group_turn(s, word_is(source, at, end, "else"), rest, stop);
    else if (word_is(source, at, end, "define"))
        note_define(s, rest, stop);
    else if (innermost(s) != NULL)
        innermost(s)->others = true;
    if (word_is(source, at, end, "undef") && innermost(s) != NULL &&
        word_is(source, rest, word_stop(source, rest, stop), "_OPENMP"))
        innermost(s)->undef = (ScanRange){start, stop};
    if (word_is(source, at, end, "include"))
        note_include(s, rest, stop);
    return stop;
}

static void note_mark(Scanner *s, char c)
{
    s->chain = strchr(";,{}", c) != NULL ? 0 : s->chain + !is_word(c);
    if (s->chain > s->scan->longest_chain)
        s->scan->longest_chain = s->chain;
    s->scan->bodies |= c == '{' && s->closed;
    s->closed = (s->closed && strchr(";={}", c) == NULL) || c == ')';
}

Scan *scan_source(Arena *arena, const Source *source, const ScanRange *skipped,
                  uint32_t skipped_count)
{
    Scanner s = {.arena = arena, .skipped = skipped, .skipped_count = skipped_count};
    s.scan = arena_alloc(arena, sizeof *s.scan);
    s.scan->source = source;
    bool line_start = true;
    for (uint32_t at = 0; at < source->size;) {
        char c = source->bytes[at];
        uint32_t past = scan_opaque(source, at);
        if (past > at) {
            if (c != '/' && innermost(&s) != NULL)
                innermost(&s)->others = true;
            line_start &= c == '/';
        } else if (c == '#' && line_start) {
            past = directive(&s, at);
        } else if (isspace((unsigned char)c)) {
            line_start |= c == '\n';
            past = at + 1;
        } else {
            line_start = false;
            if (innermost(&s) != NULL)
                innermost(&s)->others = true;
            past = is_word(c) ? word_stop(source, at, (uint32_t)source->size) : at + 1;
            note_mark(&s, c);
        }
        at = past > at ? past : at + 1;
    }
    return s.scan;
}

ScanPragma *scan_before(Scan *scan, uint32_t offset)
{
    uint32_t low = 0, high = scan->pragmas.count;
    while (low < high) { /* `next` grows with the position */
        uint32_t middle = low + (high - low) / 2;
        if (scan->pragmas.items[middle].next < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < scan->pragmas.count && scan->pragmas.items[low].next == offset
               ? &scan->pragmas.items[low]
               : NULL;
}

bool scan_has_omp_operator(const char *bytes, size_t size)
{
    if (bytes == NULL || memmem(bytes, size, "_Pragma", 7) == NULL)
        return false;
    const char *at = bytes, *end = bytes + size;
    while ((at = memmem(at, (size_t)(end - at), "omp ", 4)) != NULL) {
        if (at > bytes && strchr("\"( \t", at[-1]) != NULL)
            return true;
        at++;
    }
    return false;
}

const char *scan_macro(const Scan *scan, const char *name, size_t length)
{
    for (uint32_t i = scan->macros.count; i-- > 0;)
        if (strlen(scan->macros.items[i].name) == length &&
            memcmp(scan->macros.items[i].name, name, length) == 0)
            return scan->macros.items[i].body;
    return NULL;
}
