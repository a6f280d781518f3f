#include "frontends/c/openmp.h"

#include <ctype.h>
#include <string.h>

enum { MACRO_DEPTH = 8 };

/* ---- tokens ---- */

typedef struct Lexer {
    Arena *arena;
    OmpDirective *into;
    OmpMacro *macro;
    void *context;
} Lexer;

static const char *const long_marks[] = {"<<=", ">>=", "->", "++", "--", "<<", ">>",
                                         "<=",  ">=",  "==", "!=", "&&", "||", "+=",
                                         "-=",  "*=",  "/=", "%=", "&=", "|=", "^="};

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static size_t mark_length(const char *text, size_t left)
{
    for (size_t i = 0; i < sizeof long_marks / sizeof *long_marks; i++) {
        size_t length = strlen(long_marks[i]);
        if (length <= left && memcmp(text, long_marks[i], length) == 0)
            return length;
    }
    return 1;
}

static size_t number_length(const char *text, size_t left)
{
    size_t at = 1;
    while (at < left &&
           (word_char(text[at]) || text[at] == '.' ||
            ((text[at] == '+' || text[at] == '-') && strchr("eEpP", text[at - 1]) != NULL &&
             !(text[0] == '0' && (text[1] == 'x' || text[1] == 'X') &&
               strchr("eE", text[at - 1]) != NULL))))
        at++;
    return at;
}

static size_t string_length(const char *text, size_t left)
{
    size_t at = 1;
    while (at < left && text[at] != text[0])
        at += text[at] == '\\' && at + 1 < left ? 2 : 1;
    return at < left ? at + 1 : left;
}

/* Length of a blank, continued line end or comment; 0 if there is none. */
static size_t blank_length(const char *text, size_t left)
{
    if (isspace((unsigned char)text[0]) || text[0] == '\\')
        return 1;
    if (left >= 2 && text[0] == '/' && text[1] == '/')
        return left;
    if (left >= 2 && text[0] == '/' && text[1] == '*') {
        const char *end = memmem(text + 2, left - 2, "*/", 2);
        return end != NULL ? (size_t)(end + 2 - text) : left;
    }
    return 0;
}

/* `fixed`: everything that comes out of a macro has the span of the macro's name. */
static void lex(Lexer *lexer, const char *text, size_t length, const OmpToken *fixed, int depth)
{
    for (size_t at = 0; at < length;) {
        size_t blank = blank_length(text + at, length - at), size = 1;
        if (blank > 0) {
            at += blank;
            continue;
        }
        OmpToken token = {.kind = OMP_MARK};
        if (isalpha((unsigned char)text[at]) || text[at] == '_' || text[at] == '$') {
            token.kind = OMP_WORD;
            while (at + size < length && word_char(text[at + size]))
                size++;
        } else if (isdigit((unsigned char)text[at])) {
            token.kind = OMP_NUMBER;
            size = number_length(text + at, length - at);
        } else if (text[at] == '"' || text[at] == '\'') {
            token.kind = OMP_STRING;
            size = string_length(text + at, length - at);
        } else {
            size = mark_length(text + at, length - at);
        }
        token.text = arena_strndup(lexer->arena, text + at, size);
        token.start = fixed != NULL ? fixed->start : (uint32_t)at;
        token.stop = fixed != NULL ? fixed->stop : (uint32_t)(at + size);
        const char *body = token.kind == OMP_WORD && lexer->macro != NULL && depth < MACRO_DEPTH
                               ? lexer->macro(lexer->context, text + at, size)
                               : NULL;
        if (body != NULL && lexer->into->tokens.count < 4096)
            lex(lexer, body, strlen(body), &token, depth + 1);
        else
            LIST_PUSH(lexer->arena, &lexer->into->tokens, token);
        at += size;
    }
}

void omp_tokens(Arena *arena, OmpDirective *into, const char *text, size_t length, OmpMacro *macro,
                void *context)
{
    Lexer lexer = {arena, into, macro, context};
    lex(&lexer, text, length, NULL, 0);
    LIST_PUSH(
        arena, &into->tokens,
        (OmpToken){
            .kind = OMP_END, .text = "", .start = (uint32_t)length, .stop = (uint32_t)length});
}

/* ---- directives ---- */

typedef struct Parser {
    Arena *arena;
    OmpDirective *out;
    uint32_t at;
} Parser;

static const struct DirectiveWord {
    const char *text;
    uint32_t word;
    bool joins; /* may stand behind another one */
} directive_words[] = {
    {"parallel", OMP_PARALLEL, true},
    {"for", OMP_FOR, true},
    {"simd", OMP_SIMD, true},
    {"sections", OMP_SECTIONS, true},
    {"section", OMP_SECTION, false},
    {"single", OMP_SINGLE, false},
    {"master", OMP_MASTER, true},
    {"masked", OMP_MASTER, true},
    {"critical", OMP_CRITICAL, false},
    {"atomic", OMP_ATOMIC, false},
    {"ordered", OMP_ORDERED, false},
    {"task", OMP_TASK, false},
    {"taskloop", OMP_TASKLOOP, true},
    {"barrier", OMP_BARRIER | OMP_STANDALONE, false},
    {"taskwait", OMP_TASKWAIT | OMP_STANDALONE, false},
    {"flush", OMP_FLUSH | OMP_STANDALONE, false},
    {"target", OMP_TARGET, false},
    {"teams", OMP_TEAMS, true},
    {"distribute", OMP_DISTRIBUTE, true},
    {"loop", OMP_LOOP, true},
    {"threadprivate", OMP_THREADPRIVATE | OMP_IGNORED, false},
    {"scope", OMP_SCOPED, false},
    {"taskgroup", OMP_SCOPED, false},
};

static const struct ClauseWord {
    const char *text;
    AstClause kind;
} clause_words[] = {
    {"private", CLAUSE_PRIVATE},         {"firstprivate", CLAUSE_FIRSTPRIVATE},
    {"lastprivate", CLAUSE_LASTPRIVATE}, {"shared", CLAUSE_SHARED},
    {"linear", CLAUSE_LINEAR},           {"reduction", CLAUSE_REDUCTION},
    {"in_reduction", CLAUSE_REDUCTION},  {"task_reduction", CLAUSE_REDUCTION},
    {"copyin", CLAUSE_COPYIN},           {"copyprivate", CLAUSE_COPYPRIVATE},
    {"default", CLAUSE_DEFAULT},         {"if", CLAUSE_IF},
    {"num_threads", CLAUSE_NUM_THREADS}, {"schedule", CLAUSE_SCHEDULE},
    {"collapse", CLAUSE_COLLAPSE},       {"ordered", CLAUSE_ORDERED},
    {"nowait", CLAUSE_NOWAIT},           {"safelen", CLAUSE_SAFELEN},
};

static const OmpToken *token(const Parser *p, uint32_t at)
{
    return &p->out->tokens.items[at < p->out->tokens.count ? at : p->out->tokens.count - 1];
}

static bool is(const Parser *p, uint32_t at, const char *text)
{
    return strcmp(token(p, at)->text, text) == 0 && token(p, at)->kind != OMP_END;
}

/* The index of the mark that closes the bracket at `at` (the end if nothing does). */
static uint32_t closing(const Parser *p, uint32_t at)
{
    int depth = 0;
    for (; token(p, at)->kind != OMP_END; at++) {
        if (is(p, at, "(") || is(p, at, "[") || is(p, at, "{"))
            depth++;
        else if ((is(p, at, ")") || is(p, at, "]") || is(p, at, "}")) && --depth == 0)
            break;
    }
    return at;
}

/* The first of `mark` outside brackets in [at, stop), or stop. */
static uint32_t find(const Parser *p, uint32_t at, uint32_t stop, const char *mark)
{
    for (; at < stop && !is(p, at, mark); at++)
        if (is(p, at, "(") || is(p, at, "[") || is(p, at, "{"))
            at = closing(p, at);
    return at < stop ? at : stop;
}

static const struct DirectiveWord *directive_word(const char *text)
{
    for (size_t i = 0; i < sizeof directive_words / sizeof *directive_words; i++)
        if (strcmp(directive_words[i].text, text) == 0)
            return &directive_words[i];
    return NULL;
}

static void parse_target(Parser *p)
{
    if (is(p, p->at, "data"))
        p->out->words = OMP_SCOPED;
    else if (is(p, p->at, "update") || is(p, p->at, "enter") || is(p, p->at, "exit"))
        p->out->words = OMP_IGNORED | OMP_STANDALONE;
}

static void parse_words(Parser *p)
{
    const struct DirectiveWord *word = directive_word(token(p, p->at)->text);
    if (token(p, p->at)->kind != OMP_WORD || word == NULL) {
        p->out->words = OMP_IGNORED;
        return;
    }
    do {
        p->out->words |= word->word;
        p->at++;
        if (word->word == OMP_TARGET)
            parse_target(p);
        bool may_join = word->joins || word->word == OMP_TARGET;
        word = may_join && token(p, p->at)->kind == OMP_WORD ? directive_word(token(p, p->at)->text)
                                                             : NULL;
    } while (word != NULL && word->joins);
}

/* `critical(name)`, `threadprivate(a, b)`, `flush(x)`. */
static void parse_own_arguments(Parser *p)
{
    if (!is(p, p->at, "(") || (p->out->words & (OMP_CRITICAL | OMP_THREADPRIVATE | OMP_FLUSH)) == 0)
        return;
    uint32_t stop = closing(p, p->at);
    p->out->first = p->at + 1;
    p->out->count = stop - p->out->first;
    if ((p->out->words & OMP_CRITICAL) != 0 && p->out->count > 0)
        p->out->name = token(p, p->out->first)->text;
    p->at = stop + 1;
}

static void atomic_word(OmpDirective *out, const char *word)
{
    static const char *const words[] = {"update", "read", "write", "capture", "compare"};
    for (AstAtomic kind = ATOMIC_UPDATE; kind <= ATOMIC_COMPARE; kind++)
        if (strcmp(words[kind], word) == 0 && out->atomic < kind)
            out->atomic = kind;
}

/* `+ : a`, `inscan, max : a`, `user_op : a`; without a colon all of it is a list. */
static void parse_reduction(Parser *p, OmpClause *clause)
{
    uint32_t stop = clause->first + clause->count, colon = find(p, clause->first, stop, ":");
    clause->name = "";
    if (colon == stop)
        return;
    uint32_t at = clause->first, comma = find(p, at, colon, ",");
    if (comma < colon)
        at = comma + 1;
    clause->name = token(p, at)->text;
    clause->first = colon + 1;
    clause->count = stop - clause->first;
}

/* Cuts off a modifier in front (`monotonic: static`, `conditional: x`, `parallel: n > 4`). A ':' of
 * a ?: is none. */
static void cut_modifier(Parser *p, OmpClause *clause)
{
    uint32_t stop = clause->first + clause->count, colon = find(p, clause->first, stop, ":");
    if (colon < stop && find(p, clause->first, colon, "?") == colon) {
        clause->first = colon + 1;
        clause->count = stop - clause->first;
    }
}

static void parse_arguments(Parser *p, OmpClause *clause)
{
    uint32_t stop = clause->first + clause->count;
    switch (clause->kind) {
    case CLAUSE_REDUCTION:
        parse_reduction(p, clause);
        break;
    case CLAUSE_LINEAR:
        clause->count = find(p, clause->first, stop, ":") - clause->first;
        break;
    case CLAUSE_LASTPRIVATE:
    case CLAUSE_FIRSTPRIVATE:
    case CLAUSE_IF:
    case CLAUSE_NUM_THREADS:
        cut_modifier(p, clause);
        break;
    case CLAUSE_DEFAULT:
        clause->name = token(p, clause->first)->text;
        clause->count = 0;
        break;
    case CLAUSE_SCHEDULE: {
        cut_modifier(p, clause);
        stop = clause->first + clause->count;
        uint32_t comma = find(p, clause->first, stop, ",");
        clause->name = clause->count > 0 ? token(p, clause->first)->text : "";
        clause->first = comma < stop ? comma + 1 : stop;
        clause->count = stop - clause->first;
        break;
    }
    case CLAUSE_OTHER:
        if (strcmp(clause->word, "aligned") == 0)
            clause->count = find(p, clause->first, stop, ":") - clause->first;
        else
            cut_modifier(p, clause);
        break;
    default:
        break;
    }
}

static void parse_clause(Parser *p)
{
    OmpClause clause = {.kind = CLAUSE_OTHER, .word = token(p, p->at)->text};
    for (size_t i = 0; i < sizeof clause_words / sizeof *clause_words; i++)
        if (strcmp(clause_words[i].text, clause.word) == 0)
            clause.kind = clause_words[i].kind;
    if (clause.kind == CLAUSE_OTHER)
        clause.name = clause.word;
    p->at++;
    clause.first = p->at;
    if (is(p, p->at, "(")) {
        uint32_t stop = closing(p, p->at);
        clause.first = p->at + 1;
        clause.count = stop - clause.first;
        p->at = stop + (token(p, stop)->kind != OMP_END);
        parse_arguments(p, &clause);
    }
    LIST_PUSH(p->arena, &p->out->clauses, clause);
}

/* `ordered depend(…)` and `ordered doacross(…)` have no statement. */
static void settle(OmpDirective *out)
{
    bool depends = false;
    for (uint32_t i = 0; i < out->clauses.count; i++) {
        const char *word = out->clauses.items[i].word;
        depends |= strcmp(word, "depend") == 0 || strcmp(word, "doacross") == 0;
        if ((out->words & OMP_ATOMIC) != 0)
            atomic_word(out, word);
    }
    if ((out->words & OMP_ORDERED) != 0 && depends)
        out->words |= OMP_STANDALONE;
}

OmpDirective *omp_parse(Arena *arena, const char *text, size_t length, OmpMacro *macro,
                        void *context)
{
    OmpDirective *out = arena_alloc(arena, sizeof *out);
    Parser parser = {arena, out, 0};
    omp_tokens(arena, out, text, length, macro, context);
    parse_words(&parser);
    if ((out->words & OMP_IGNORED) != 0 && (out->words & OMP_THREADPRIVATE) == 0)
        return out;
    parse_own_arguments(&parser);
    while (token(&parser, parser.at)->kind != OMP_END) {
        if (token(&parser, parser.at)->kind == OMP_WORD)
            parse_clause(&parser);
        else
            parser.at++;
    }
    settle(out);
    return out;
}
