/* Places that belong to threads: how far those of neighbouring threads lie apart. */
#ifndef ANALYZER_FACTS_SLOT_H
#define ANALYZER_FACTS_SLOT_H

#include "analyzer/facts/facts.h"

typedef struct Slot {
    int64_t stride; /* bytes from a thread's place to its neighbour's */
    int64_t offset; /* bytes from the start of the thread's part to what is written, -1: varies with
                       data */
    int64_t size;   /* bytes that are written at once */
    bool by_id;     /* the thread's id picks the place; else the variable of a loop over threads */
    bool fixed;     /* the same place in every turn of the innermost loop */
    bool aligned;   /* the parts start on multiples of a 64-byte line */
    bool memory;    /* reached through a pointer, a struct or the heap: the store has to be made */
} Slot;

/* False where the place is not picked by the thread, or the distance is not known. */
bool event_slot(const Facts *facts, const Event *event, Slot *slot);

/* `for t in prange(n_threads)`, `for (t = 0; t < TEAM; t++)`: one iteration a thread. */
bool event_is_over_threads(const Facts *facts, const Event *event);

/* The event happens once per iteration of a dealt loop of few iterations, which no loop of its
 * function repeats, or of one a thread. */
bool event_is_over_few(const Facts *facts, const Event *event);

/* A lock is taken that data picks from an array: lock[key[i]]. *stride: bytes from one to the next.
 * Bytes of the whole array; 0 where it is no such lock, or the size is not known. */
int64_t event_lock_table(const Facts *facts, const Event *event, int64_t *stride);

/* Bytes from an element to its neighbour along index `step` of the event's place; 0 unknown. An
 * array that was made out of sight (numba) has elements of 8 bytes, side by side along its last
 * axis. */
int64_t slot_step_bytes(const Facts *facts, const Event *event, uint8_t step);

/* Bytes of the array over which the event's place moves; 0: it is one place; -1: unknown. */
int64_t event_extent(const Facts *facts, const Event *event);

/* Bytes that the assignments under `root` write to elements at index `symbol`: its value's
 * neighbour lies that far away. 0: none. */
double facts_bytes_written_at(const Ast *ast, AstNode root, AstSymbol symbol);

#endif
