/* Interned text: equal texts get equal small numbers. While files are parsed in parallel every file
 * has a table of its own; when the program is put together its names are moved into the one table
 * of the program (program.h). */
#ifndef ANALYZER_BASE_INTERN_H
#define ANALYZER_BASE_INTERN_H

#include "analyzer/base/arena.h"

typedef uint32_t Name; /* 0 is "no name", whose text is "" */

typedef struct Intern Intern;

/* A table whose texts live in `arena` and go with it. */
Intern *intern_new(Arena *arena);

Name intern_add(Intern *table, const char *text, size_t length);
Name intern(Intern *table, const char *text);

/* The number of a text that is already there, else 0. */
Name intern_find(const Intern *table, const char *text);

const char *intern_text(const Intern *table, Name name);
size_t intern_length(const Intern *table, Name name);

/* Names are 1 .. count. */
uint32_t intern_count(const Intern *table);

#endif
