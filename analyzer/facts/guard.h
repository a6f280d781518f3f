/* What protects shared data in an event's way: atomic updates, critical sections, locks; whether
 * they run in every iteration, what stands inside, and whether all threads meet at the same one. */
#ifndef ANALYZER_FACTS_GUARD_H
#define ANALYZER_FACTS_GUARD_H

#include "analyzer/facts/facts.h"

typedef enum GuardKind {
    GUARD_NONE,
    GUARD_SUM,     /* around nothing but an associative accumulation that the loop does not read */
    GUARD_COUNT,   /* an atomic operation of another kind: a reference, a ticket, an element */
    GUARD_LOCK,    /* a lock or critical section around more than an accumulation */
    GUARD_LIBRARY, /* a library call that works on state all threads share */
} GuardKind;

typedef struct Guard {
    uint8_t kind; /* GuardKind */
    uint8_t op;   /* SUM: AstOp; OP_NONE for `if (x > m) m = x` */
    bool locks;   /* a lock or critical section; else an atomic operation */
    bool region;  /* by a directive: site is its REGION */
    bool spread;  /* which element, or which lock, changes from iteration to iteration */
    bool own;     /* what is updated belongs to the thread: there is nothing to protect */
    bool needed;  /* the result of the operation is used */
    FunctionId function;
    AstNode site;        /* what the reader must change */
    AstNode first, last; /* LOCK, SUM: statements inside, of function `within`; 0 none */
    FunctionId within; /* the origin's, or, where a wrapper takes the lock, the one that calls it */
    const Event *update; /* SUM: the accumulation */
    uint32_t loop_count; /* of the event's loops: those whose every turn comes here */
} Guard;

/* False where the event is no such operation, or does not come once per iteration. */
bool event_guard(const Facts *facts, const Event *event, Guard *guard);

/* Whether a branch between `within` and `node` is entered seldom. */
bool facts_runs_seldom(const Facts *facts, FunctionId function, AstNode within, AstNode node);

/* Whether a node stands behind a branch that leaves the iteration nearly always: `if (x <= best)
 * continue;` in front of what stores to best. (seldom.c) */
bool is_seldom_reached(const Facts *facts, FunctionId function, AstNode node);

#endif
