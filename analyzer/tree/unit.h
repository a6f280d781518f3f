/* One file as the frontend leaves it: its sources, its tree, and what could not be read. */
#ifndef ANALYZER_TREE_UNIT_H
#define ANALYZER_TREE_UNIT_H

#include "analyzer/tree/ast.h"
#include "analyzer/tree/source.h"

typedef enum Severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR } Severity;

typedef enum Language { LANGUAGE_C, LANGUAGE_CPP, LANGUAGE_PYTHON } Language;

/* Something about the input that is not a finding: a header that is missing, a syntax error, an
 * unreadable file. */
typedef struct Notification {
    Severity level; /* SEVERITY_ERROR: the file could not be analysed (exit status 2) */
    const char *path;
    uint32_t line;       /* 0: the whole file */
    const char *message; /* names the remedy where there is one */
} Notification;

typedef LIST(Notification) Notifications;

/* Who makes machine code of a file in C, and with it the OpenMP runtime that the program gets. */
typedef enum Compiler {
    COMPILER_UNKNOWN, /* no build file tells */
    COMPILER_GNU,
    COMPILER_LLVM, /* clang, and what is made of it: icx, AOCC, armclang */
} Compiler;

typedef struct Unit {
    Arena *arena; /* owns everything below */
    uint32_t id;  /* its place in the program, by path order */
    Language language;
    Compiler compiler;
    LIST(Source *) files; /* [0] is the file itself, others were included (C) */
    Ast *ast;
    Notifications notes;
    const char
        *module; /* Python: dotted module name relative to `root`: "aeon.distances.elastic._dtw" */
    const char *root; /* Python: folder that holds the top package: "" or "src" … */
    void *frontend;   /* what a frontend wants to keep until its link step */
} Unit;

/* Notes something about line `line` of `unit`'s file `path` (printf-like). */
void unit_note(Unit *unit, Severity level, const char *path, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Where a node stands. */
const Source *unit_source(const Unit *unit, AstNode node);
SourcePosition unit_start(const Unit *unit, AstNode node);
SourcePosition unit_stop(const Unit *unit, AstNode node);

/* Source text of a node, copied into `arena`, white space runs made one blank, at most `most` bytes
 * (then "…"). */
const char *unit_excerpt(const Unit *unit, AstNode node, Arena *arena, size_t most);

#endif
