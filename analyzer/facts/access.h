/* The order in which one run of some code reads and writes a scalar: what comes first on its paths,
 * and whether the last value is used behind it. A scalar is named by an expression: a variable, a
 * field of one (v.x), or what a pointer points to (*p). */
#ifndef ANALYZER_FACTS_ACCESS_H
#define ANALYZER_FACTS_ACCESS_H

#include "analyzer/facts/facts.h"

typedef struct Access {
    bool reads_before;  /* a path reads it where none has written it: a value from outside */
    bool reads_perhaps; /* … where only some paths to the read have written it */
    bool reads_own;     /* … where every path has */
    bool always;        /* every path to the end writes it */
    bool opaque;        /* something unknown may access it: a taken address, a goto */
    bool constant;      /* all that is written is one and the same literal; atomic updates behind a
                           barrier aside */
    bool varies;        /* some value that is written can differ from thread to thread, or it is the
                           variable of an inner loop */
    bool updated;       /* some write combines with the old value: +=, ++ */
    AstNode first_write; /* ASSIGN, or the target of a LOOP; 0 none */
} Access;

/* `scalar` is an expression of `function`; `code` a statement of it that runs once, say the body of
 * a parallel loop. Loops inside are taken to run at least once. `event`: whose threads run it. */
Access access_order(const Facts *facts, const Event *event, FunctionId function, AstNode code,
                    AstNode scalar);

/* The same where loops may also run not at all, unless their bounds are written as numbers: for
 * what has to be sure. */
Access access_order_surely(const Facts *facts, const Event *event, FunctionId function,
                           AstNode code, AstNode scalar);

/* Whether the value that `construct` leaves in the scalar can be read after it. */
bool access_used_after(const Facts *facts, const Event *event, FunctionId function,
                       AstNode construct, AstNode scalar);

typedef enum MisuseKind {
    MISUSE_NONE,
    MISUSE_READ,
    MISUSE_INDEX,
    MISUSE_OVERWRITE,
    MISUSE_OPERATOR
} MisuseKind;

/* The first use of a reduction variable inside `loop` that is no update by `op`: each thread sees
 * its own part only. The node of the use, 0 if there is none. */
AstNode access_misuse(const Facts *facts, FunctionId function, AstNode loop, AstSymbol symbol,
                      AstOp op, MisuseKind *kind);

#endif
