/* Linear forms over variables: constant + sum of coefficient * variable. The variables are those of
 * any function of the program, the id of the running thread, and the size of its team. */
#ifndef ANALYZER_FACTS_AFFINE_H
#define ANALYZER_FACTS_AFFINE_H

#include "analyzer/base/map.h"

#include <stdbool.h>

/* A variable of the program: map_pair(unit id, AstSymbol), or one of the two below. */
typedef uint64_t Sym;
#define SYM_THREAD ((Sym)1) /* omp_get_thread_num(), numba.get_thread_id() */
#define SYM_TEAM   ((Sym)2) /* omp_get_num_threads(), … */

enum { AFFINE_TERMS = 5 };

typedef struct AffineTerm {
    Sym sym;
    int64_t coefficient;
    bool direct; /* by arithmetic alone: it did not go through memory, a call, or %, /, & */
    bool linear; /* the form grows by `coefficient` with each step of sym; else it depends on sym in
                    some other way */
} AffineTerm;

typedef struct Affine {
    int64_t constant;
    uint8_t count;
    bool exact;  /* it is this linear form; else it only depends on these variables, and perhaps on
                    more */
    bool loaded; /* its value comes out of memory or of a call: data */
    bool folded; /* goes through %, /, &, >>, min or the like: different values may meet */
    AffineTerm terms[AFFINE_TERMS];
} Affine;

Affine affine_constant(int64_t value);
Affine affine_variable(Sym sym);
Affine affine_unknown(void);

Affine affine_add(Affine left, Affine right, int sign);
Affine affine_multiply(Affine left, Affine right);
/* Not linear any more, but it still depends on all of both. */
Affine affine_mix(Affine left, Affine right);

/* It depends on all of the form, but through memory, a call, or an operation that sends several
 * values to one. */
Affine affine_hidden(Affine form);

/* Puts `value` in the place of `sym`. */
Affine affine_replace(Affine form, Sym sym, Affine value);

bool affine_depends(const Affine *form, Sym sym);
int64_t affine_coefficient(const Affine *form,
                           Sym sym); /* 0 if it does not depend on it, or not linearly */
bool affine_same(const Affine *left, const Affine *right); /* surely equal */
bool affine_fixed(const Affine *form);                     /* an exact constant */

#endif
