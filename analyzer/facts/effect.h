/* Effects: what one execution of some code does, where, and in which context of loops, regions,
 * branches and locks. */
#ifndef ANALYZER_FACTS_EFFECT_H
#define ANALYZER_FACTS_EFFECT_H

#include "analyzer/base/target.h"
#include "analyzer/facts/place.h"

typedef enum EffectKind {
    EFFECT_WRITE,      /* plain store */
    EFFECT_ACCUMULATE, /* read, combine by `op`, store back */
    EFFECT_ATOMIC,     /* atomic read-modify-write */
    EFFECT_ALLOC,
    EFFECT_FREE,
    EFFECT_VIEW,   /* Python: a view or a list element is made into an object with a count */
    EFFECT_RAISE,  /* Python: raise, assert */
    EFFECT_RESIZE, /* Python: a list or dict gains or loses entries */
    EFFECT_LOCK,   /* a critical or ordered region is entered, or a lock taken (node: the REGION or
                      the call) */
    EFFECT_CALL,   /* a library call with hidden shared state: rand, printf, … */
    EFFECT_LAUNCH, /* C: a team is started: a parallel construct, or a call of a threaded BLAS or
                    * FFT
                    */
} EffectKind;

/* How much of a view's count survives optimisation (RULES of view-per-cell; facts/view.c). */
typedef enum Survival {
    SURVIVES_NOWHERE,
    SURVIVES_SELDOM,
    SURVIVES_SOMEWHERE,
    SURVIVES_EVERYWHERE
} Survival;

typedef enum FrameKind {
    FRAME_LOOP,
    FRAME_REGION,
    FRAME_BRANCH,
    FRAME_THREADS /* started by pthread_create */
} FrameKind;

/* Context inside one function, innermost first. */
typedef struct Frame {
    const struct Frame *outer;
    uint8_t kind; /* FrameKind */
    bool rare;    /* BRANCH: runs seldom, by visible evidence */
    bool seldom;  /* BRANCH: rare, or tests for NaN, for a full buffer, or what it then settles */
    bool leaves;  /* BRANCH: ends the iteration or the function */
    FunctionId function;
    AstNode node; /* LOOP, REGION, BRANCH or the call that starts threads */
    AstNode part; /* BRANCH: then or else */
} Frame;

enum {
    EFFECT_LOCKED = 1,  /* under a lock, a critical or an ordered region */
    EFFECT_BY_CALL = 2, /* an allocation that a library or wrapper makes on behalf of this call */
    EFFECT_ELEMENTWISE = 4, /* Python: whole-array or slice update */
    EFFECT_COMPARED = 8,    /* `if (x > m) m = x` */
    EFFECT_INIT = 16,       /* initialiser of a declaration */
    EFFECT_HOISTED = 32,    /* the compiler moves it out of the loop */
    EFFECT_SETTLED = 64,    /* C, with COMPARED: a clamp or a first value: `if (m < 0) m = 0` */
};

/* The processors on which numba leaves a count, in words and as far as they were tried. */
typedef struct Portability {
    const char *words; /* "all"; "Zen 3; gone on most others" */
    CpuTargets targets;
} Portability;

typedef struct ViewUse {
    uint8_t survival;   /* Survival */
    uint8_t pairs;      /* increments with their decrements per view */
    FunctionId helper;  /* what it is handed to, if that is a function of the program */
    AstNode consumer;   /* call, unpacking, copy … that uses it */
    const char *reason; /* "the helper can raise", … */
    Portability stays;
    bool strided;
    bool raises;  /* the helper can raise: inlining it is no fix */
    bool element; /* an element of a typed list, not a view of an array */
} ViewUse;

typedef struct Effect {
    uint8_t kind;   /* EffectKind */
    uint8_t op;     /* AstOp of ACCUMULATE, ATOMIC */
    uint16_t flags; /* EFFECT_… */
    FunctionId function;
    AstNode node; /* in `function`: the statement or expression, or the call it comes through */
    const Frame *frame;
    Place place; /* in terms of `function`'s variables */
    const struct Effect
        *via; /* the callee's effect that this one repeats; NULL where it is its own */
    const ViewUse *view;
    int64_t bytes; /* ALLOC: 0 unknown */
} Effect;

/* The effect where it really stands. */
static inline const Effect *effect_origin(const Effect *effect)
{
    while (effect->via != NULL)
        effect = effect->via;
    return effect;
}

typedef LIST(const Effect *) Effects;

#endif
