/* What the code does to memory, locks and time, as found from its parallel loops down through all
 * calls. This is what rules read: a list of events, each an effect seen from the construct that
 * runs it on several threads. */
#ifndef ANALYZER_FACTS_FACTS_H
#define ANALYZER_FACTS_FACTS_H

#include "analyzer/facts/effect.h"

typedef struct Facts Facts;

/* Computes everything: names, types, call graph, effects, summaries, events. Lives in `arena`. */
Facts *facts_new(Arena *arena, const Program *program);

typedef struct EventLoop {
    FunctionId function;
    AstNode node; /* LOOP */
} EventLoop;

enum { EVENT_LOOPS = 16 };

/* An effect inside a parallel construct. */
typedef struct Event {
    const Effect *effect; /* in the function that holds the construct: places are in its terms */
    const Effect *origin; /* where it really stands */
    FunctionId root;      /* function that holds the construct */
    AstNode construct; /* LOOP or REGION that starts the team, or the call that starts a thread */
    EventLoop dealt; /* the loop whose iterations go to different threads; node 0: every thread runs
                        everything */
    EventLoop loops[EVENT_LOOPS]; /* from `dealt` (or the construct) inwards, outermost first; those
                                     around a thread's start are not among them */
    uint32_t loop_count;
    EventLoop ended; /* inside those, the outermost that the event ends; node 0: none */
    bool rare;   /* visible evidence that it does not run every time */
    bool seldom; /* rare, or behind a test that its own branch settles: check, lock, check again */
    bool once;   /* one thread only: single, master, a section */
    bool locked; /* lock, critical, atomic or ordered around it, anywhere on the way */
    bool in_task;
} Event;

uint32_t facts_event_count(const Facts *facts);
const Event *facts_event(const Facts *facts, uint32_t index);

/* A loop by itself as an event, whatever runs it: its iterations are what happens. */
Event event_of_loop(const Facts *facts, FunctionId function, AstNode loop);

/* Whether a function is called, through any chain, from inside a parallel construct. */
bool facts_reached(const Facts *facts, FunctionId function);

/* Innermost loop around the event; node 0 if it runs once per thread. */
EventLoop event_cell(const Event *event);

/* The serial loop around the event, inside the construct, that counts with `sym`; node 0 if there
 * is none. */
EventLoop event_loop_over(const Facts *facts, const Event *event, Sym sym);

/* Whether other threads of the team can see the same storage: 1 yes, 0 no, -1 not known. */
int event_shared(const Facts *facts, const Event *event, const Place *place);

/* C: the event runs on a thread of its own, the only one that its function is started on. */
bool event_alone(const Facts *facts, const Event *event);

/* Whether `sym` differs between iterations that different threads run: the thread id, the induction
 * variable of the dealt loop (collapsed ones too), or the variable of a loop that starts one thread
 * each time. */
bool event_distinguishes(const Facts *facts, const Event *event, Sym sym);

/* Whether the form changes from thread to thread by such a variable; *coefficient: by how much a
 * step, 0 unknown. */
bool event_index_varies(const Facts *facts, const Event *event, const Affine *index,
                        int64_t *coefficient);

/* Whether `inside` of `function` lies within the construct of the event: in it, or in code called
 * from it. */
bool event_covers(const Facts *facts, const Event *event, FunctionId function, AstNode inside);

/* What the compiler knows about a variable's only value, and the allocation behind a place: the
 * call that made the memory, with its function; 0 if unknown. */
AstNode facts_allocation(const Facts *facts, const Place *place, FunctionId *function);

const Program *facts_program(const Facts *facts);

/* For the inside of findings: the function a call reaches, whether a symbol is written inside a
 * node. */
FunctionId facts_call_target(const Facts *facts, FunctionId function, AstNode call);
bool facts_written_within(const Facts *facts, FunctionId function, AstNode within,
                          AstSymbol symbol);

/* Python: dimensions of an expression, 0 for a number or where nothing is known; *column: it is a
 * strided view, or a parameter that is handed one. */
uint32_t facts_rank(const Facts *facts, const Unit *unit, AstNode expression, bool *column);

/* Python: INDEX with an index that is an array, x[order] or x[x > 0]: a copy, not a view. */
bool facts_copies(const Facts *facts, const Unit *unit, AstNode index);

/* The loop whose induction variable a variable is, 0 if none (or of several); whether it is also
 * stepped by ++ or +=. */
AstNode facts_loop_of(const Facts *facts, Sym sym);
bool facts_is_stepped(const Facts *facts, Sym sym);

/* Python: whether a place's base was fetched from a typed list (or dict) inside the construct, with
 * an index that does not tell threads apart: EVENT_COUNT_SHARED; one that does:
 * EVENT_COUNT_PRIVATE; no live count: EVENT_COUNT_NONE. *likely: the list is inferred from habits
 * only. */
typedef enum EventCount { EVENT_COUNT_NONE, EVENT_COUNT_PRIVATE, EVENT_COUNT_SHARED } EventCount;
EventCount event_count(const Facts *facts, const Event *event, bool *likely);

/* C: what becomes of the block that `allocation`, a call in `function`, makes. Released: there.
 * Handed up: by a caller that it is returned to. Kept: it goes into something that lives on
 * (p->rows, a parameter's target) and no function that holds it gives it back; building, not churn.
 * Always unknown for Python. */
typedef enum BlockFate { BLOCK_UNKNOWN, BLOCK_RELEASED, BLOCK_HANDED_UP, BLOCK_KEPT } BlockFate;
BlockFate facts_block_fate(const Facts *facts, FunctionId function, AstNode allocation);

#endif
