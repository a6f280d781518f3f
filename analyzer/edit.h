/* Edits of C that keep the meaning: a clause is added to a directive, a directive goes, a local
 * array gets a cache line per element. Each function adds its edits to the fix, or none and returns
 * false where the text is not what the tree says: a directive out of a macro, code that the
 * preprocessor left out, a file that several others include, a function with parse errors. */
#ifndef ANALYZER_EDIT_H
#define ANALYZER_EDIT_H

#include "analyzer/facts/facts.h"
#include "analyzer/report/finding.h"

/* What edits are made in. */
typedef struct EditContext {
    Arena *arena;
    const Program *program;
    FunctionId function;
} EditContext;

/* `word(variable)` behind the directive of a LOOP or a parallel REGION, say "reduction(+:" and s:
 * `open` is the text up to the variable. A variable that the directive names as shared leaves that
 * list; named in another clause, nothing is done. `joined`: its value is used behind the loop, so
 * that the threads have to wait there. */
bool edit_clause(EditContext context, Fix *fix, AstNode directive, const char *open,
                 AstSymbol variable, bool joined);

/* The directive of a REGION goes; a comment behind it stays. */
bool edit_remove(EditContext context, Fix *fix, AstNode region);

/* `double part[N]` becomes `double part[N][columns]`, and part[i] part[i][0], where each use is of
 * this form. */
bool edit_pad(EditContext context, Fix *fix, AstSymbol array, uint32_t columns);

#endif
