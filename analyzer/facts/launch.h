/* Launches: constructs that start a team of threads or deal a loop out to one, and how they are
 * reached: the serial loops around them, in their own function and through its callers (plain
 * Python and code outside functions included), and what stands in front that chooses a serial
 * variant for small sizes. */
#ifndef ANALYZER_FACTS_LAUNCH_H
#define ANALYZER_FACTS_LAUNCH_H

#include "analyzer/facts/extent.h"

/* A parallel loop or region, or a worksharing loop. */
typedef struct Construct {
    const Unit *unit;
    FunctionId function;
    AstNode node;
    bool starts; /* starts a team; else it is dealt out to one that is there */
    bool nested; /* inside another construct of its function */
} Construct;

typedef LIST(Construct) Constructs;

typedef struct CallSite {
    const Unit *unit;
    AstNode call;
} CallSite;

typedef LIST(CallSite) CallSites;

/* All constructs of the program, by function and place; offloaded code is left out, and so is numba
 * code of which it depends on a flag at run time whether it is parallel. Who calls whom, by
 * FunctionId. */
typedef struct LaunchIndex {
    Constructs constructs;
    CallSites *callers;
} LaunchIndex;

LaunchIndex facts_launch_index(const Facts *facts, Arena *arena);

enum { LAUNCH_LOOPS = 8 };

/* One way on which a construct is reached again and again. */
typedef struct Launch {
    const CallChain *chain;      /* how the construct's function is reached */
    const Unit *unit;            /* of the innermost serial loop */
    const CallChain *around;     /* how that loop's function is reached */
    AstNode at;                  /* in that loop: the construct, or the call that leads to it */
    AstNode loops[LAUNCH_LOOPS]; /* of `unit`: serial loops around `at`, innermost first */
    uint32_t loop_count;
    bool items; /* an item of the innermost loop's own is worked on; else each turn may need the
                   result of the last */
    uint32_t item_loops; /* the innermost loops that each pick what is worked on: rows, pairs */
    bool worklist;       /* the innermost loop takes its item out of a queue: at = queue[head++] */
    bool ragged; /* the construct's length is looked up for the item: first[v] to first[v + 1] */
} Launch;

typedef LIST(Launch) Launches;

/* The ways from serial loops to a construct that starts a team, over at most four calls. None that
 * leads through another construct, or past an if clause, a size test or a serial twin. */
Launches facts_launches(const Facts *facts, Arena *arena, const LaunchIndex *index,
                        const Construct *construct);

/* An if clause, a thread count that is chosen, or in front of it in its function a size test or a
 * serial twin. */
bool facts_is_guarded(const Facts *facts, const Construct *construct);

#endif
