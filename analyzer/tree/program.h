/* All units of a run together: one table of names, one numbering of functions, and name lookup
 * across files. Built once after parsing, on one thread; read-only afterwards but for the
 * frontends' link step. */
#ifndef ANALYZER_TREE_PROGRAM_H
#define ANALYZER_TREE_PROGRAM_H

#include "analyzer/tree/unit.h"

typedef uint32_t FunctionId; /* of the whole program; 0 none */

typedef struct FunctionRef {
    const Unit *unit;
    AstFunction function;
} FunctionRef;

typedef struct Program {
    Arena *arena;
    Intern *names; /* every name in every tree, once program_new has moved them */
    Unit **units;  /* by path order */
    uint32_t unit_count;
    LIST(FunctionRef)
    functions; /* [0] unused. A function of a header that several units include is here once */
    uint32_t *first_function; /* by unit id: FunctionId of its function 1 is first_function[unit] */
    struct ProgramIndex *index;
} Program;

/* Takes the units (sorted by path, ids set to their place) and moves all names into one table. */
Program *program_new(Arena *arena, Unit **units, uint32_t unit_count);

/* The FunctionId of function `function` of `unit`; 0 for 0. Copies of a header's function map to
 * the same id. */
FunctionId program_function(const Program *program, const Unit *unit, AstFunction function);
const AstFunctionData *program_function_data(const Program *program, FunctionId id);
const Unit *program_function_unit(const Program *program, FunctionId id);

/* What a call calls, where that is known: a function defined in the program. Follows imports,
 * re-exports, simple aliases (f = g, f = njit(g)) and, in C, external linkage. 0 for library
 * functions, function values and unknowns. */
FunctionId program_callee(const Program *program, const Unit *unit, AstNode call);

/* The same for any expression that names a function (an argument, the function handed to
 * pthread_create). */
FunctionId program_function_named(const Program *program, const Unit *unit, AstNode expression);

/* The full name of the thing an expression names, as far as imports tell: "numpy.full", "malloc",
 * "pkg.mod.helper"; re-exports are followed to the end. 0 if it names nothing known. */
Name program_qualified(const Program *program, const Unit *unit, AstNode expression);

/* Follows `qualified` through re-exports of linted modules to what it finally names. *unit and
 * *node are set to the module-level value expression it ends at, if it is one (an alias made by a
 * call, say), else to NULL and 0. */
Name program_resolve(const Program *program, const Unit *from, Name qualified, const Unit **unit,
                     AstNode *node);

/* The unit of a dotted module name as seen from `from`, or NULL. */
const Unit *program_module(const Program *program, const Unit *from, const char *dotted);

#endif
