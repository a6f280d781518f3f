/* Which folders of the linted tree a file's headers lie in, told from the text alone. Each folder
 * that is known before the first parse saves a parse, and a parse without its headers can be far
 * slower than one with them: where a macro that makes names is missing, thousands of declarations
 * declare the same thing. Owner: the worker that keeps it; what it holds is true for the whole run,
 * so that it changes no result. */
#ifndef FRONTENDS_C_INCLUDES_H
#define FRONTENDS_C_INCLUDES_H

#include "frontends/c/parse.h"

Includes *includes_new(Arena *arena);

/* Adds to p->found the folders from which the headers are found that the file includes, itself or
 * through others: first those outside of every #if, which clang would ask for in the same order,
 * then those that depend on a condition; to p->missing those that are nowhere. Sets
 * p->pragma_operator where one of them has _Pragma("omp …"), and adds the switches of all of them.
 */
void includes_find(Parse *p);

#endif
