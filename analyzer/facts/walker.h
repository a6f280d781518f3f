/* Inside of effect collection, shared by effects.c (the walk over a function), stores.c,
 * allocations.c and calls.c. */
#ifndef ANALYZER_FACTS_WALKER_H
#define ANALYZER_FACTS_WALKER_H

#include "analyzer/facts/library.h"

enum { MOST_FOLDED = 2048 /* effects of callees that one function repeats */ };

typedef struct Walker {
    Facts *facts;
    const Unit *unit;
    const Ast *ast;
    FunctionId function;
    FunctionFacts *result;
    const Frame *frame;
    bool parallel; /* a frame of this function starts threads or deals out iterations */
    int held;      /* locks held here */
    int spins;     /* of them, those made of atomics: a plain atomic store gives them back */
    int depth;
    AstNode target; /* of the assignment that is looked at */
    bool plain;     /* not compiled: only what it starts on threads is looked at */
    bool folding;   /* repeating a callee's effects: they must not crowd out the function's own */
    uint32_t folded;
    Map copies;   /* origin of a repeated effect -> how often it is here */
    Effect spare; /* takes what is written to an effect past MOST_EFFECTS */
} Walker;

/* Walks a node in source order; a call; and puts a frame around what follows (gives back the frame
 * that was there). */
void walker_walk(Walker *walker, AstNode node);
void walker_call(Walker *walker, AstNode call);
const Frame *walker_push(Walker *walker, FrameKind kind, AstNode node);

/* A new effect at `node` in the frames around; never NULL, past the bounds one that is not kept. */
Effect *walker_emit(Walker *walker, EffectKind kind, AstNode node);

/* stores.c: an assignment `target op= value`, whose statement is `node`. */
void walker_store(Walker *walker, AstNode target, AstNode value, AstOp op, AstNode node);

/* frexp(v, &x): what a library call fills. */
void walker_outputs(Walker *walker, AstNode call);

/* rand_r(&seed): an update of what the first argument of a library call refers to. */
void walker_step(Walker *walker, AstNode call);

/* allocations.c: a library call that allocates, an array expression, a list or dict display
 * (Python). */
void walker_allocation(Walker *walker, const LibraryEntry *entry, AstNode call);
void walker_array_expression(Walker *walker, AstNode node);
void walker_display(Walker *walker, AstNode node);

/* containers.c: del x[k]; x[k] = v, whose statement is `node`; a call of a method of x (Python). */
void walker_delete(Walker *walker, AstNode statement);
void walker_put(Walker *walker, AstNode target, AstNode node);
void walker_method(Walker *walker, AstNode call);

/* The outermost prange loop of this function around, or NULL; whether a variable gets a value
 * anywhere inside `within`. */
const Frame *walker_prange(const Walker *walker);
bool walker_interpreted(const Walker *walker); /* inside of with objmode */
bool walker_assigned_within(const Ast *ast, AstNode within, AstSymbol symbol);

#endif
