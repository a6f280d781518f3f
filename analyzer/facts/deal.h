/* Elements that lie side by side and are written by different threads in turn: iterations dealt out
 * one by one, or the fastest axis split among the threads. */
#ifndef ANALYZER_FACTS_DEAL_H
#define ANALYZER_FACTS_DEAL_H

#include "analyzer/facts/facts.h"

typedef enum DealForm {
    DEAL_CHUNKS, /* schedule(static, 2), schedule(dynamic) */
    DEAL_CYCLIC, /* for (i = tid; i < n; i += threads) */
    DEAL_AXIS,   /* the parallel loop runs along a short fastest axis, loops inside over the rows */
} DealForm;

typedef struct Deal {
    uint8_t form;     /* DealForm */
    int64_t run;      /* bytes side by side that one thread writes before the next thread's begin */
    int64_t size;     /* bytes that are written at once */
    EventLoop around; /* AXIS: the loop inside that runs over the rows */
} Deal;

/* False where each thread's elements lie together, or it is not known. `threads` share the loop. */
bool event_deal(const Facts *facts, const Event *event, int threads, Deal *deal);

/* CHUNKS: two values of the outermost dealt variable, of different threads, that write one line of
 * an array that starts on one; false where none are known for sure. */
bool deal_witness(const Facts *facts, const Event *event, const Deal *deal, int64_t values[2]);

#endif
