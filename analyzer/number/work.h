/* Inside of the work model, shared by the files that make it up: work.c (costs of the tree),
 * trips.c (iterations of loops), vector.c (which loops run in vectors), calls.c (what library calls
 * cost). Others use exposure.h. Owner: the arena given to work_new; tables of a unit are made when
 * it is first asked about. */
#ifndef ANALYZER_NUMBER_WORK_H
#define ANALYZER_NUMBER_WORK_H

#include "analyzer/base/map.h"
#include "analyzer/facts/facts.h"
#include "analyzer/number/exposure.h"

typedef struct LoopRecord {
    double trips;
    bool known;         /* trips are no guess */
    bool holds_unknown; /* holds a loop whose trips are a guess, in the same function */
    AstNode holder;     /* nearest loop around it in the same function, 0 none */
    double ns[2];       /* of one execution with all iterations, where what stands around it does
                           not wait, and where it does; negative until computed */
} LoopRecord;

typedef struct UnitTable {
    const Unit *unit;         /* NULL until the table is made */
    Map loops;                /* node: place in `records` */
    LIST(LoopRecord) records; /* [0] unused */
    AstNode *only_value; /* by symbol: what a local is set to, where that happens once; else 0 */
} UnitTable;

typedef enum FunctionState { FUNCTION_NEW, FUNCTION_BUSY, FUNCTION_DONE } FunctionState;

typedef struct FunctionCost {
    FunctionState state;
    double ns;
} FunctionCost;

struct WorkModel {
    Arena *arena;
    const Program *program;
    const Machine *machine;
    const char *const *assumed;
    uint32_t assumed_count;
    UnitTable *units;        /* by unit id */
    FunctionCost *functions; /* by FunctionId, two each as above */
    int depth;               /* of the recursion, bounded by WORK_DEEPEST */
    bool short_sides;        /* every unknown loop is short: see work_cells */
    const Facts *facts;      /* NULL: nothing is known of arrays */
    WorkModel *cells;        /* made when it is first asked for */
};

enum { WORK_DEEPEST = 3000 };

/* The table of a unit, made at the first call. */
UnitTable *unit_table(WorkModel *work, const Unit *unit);

/* The record of a LOOP node; never NULL. */
LoopRecord *loop_record(UnitTable *table, AstNode loop);

/* Fills table->records and table->only_value. */
void trips_prepare(WorkModel *work, UnitTable *table);

/* What --assume would call the sizes that decide how often an unknown loop runs: "n", "x.shape[0],
 * m"; nothing where they have no name. */
void trips_spell(WorkModel *work, const Unit *unit, AstNode loop, Text *out);

/* Appends an expression as --assume names it: n, p->n, x.shape[0], len(x). False where it has no
 * such name; what was appended is of no use then. */
bool assume_spell(const Ast *ast, AstNode node, Text *out);

/* Whether the user has said how much an expression is; a field also goes by its own name. */
bool assume_value(const WorkModel *work, const Ast *ast, AstNode node, double *value);

/* Whether the user has said how many elements `node` has, as len(node) or node.size. */
bool assume_length(const WorkModel *work, const Ast *ast, AstNode node, double *value);

/* Elements of an array expression: said by the user (*known) or assumed; 0 if it is a number, as
 * far as is known. */
double work_elements(const WorkModel *work, const Unit *unit, AstNode node, bool *known);

/* What a library call that works on whole arrays works on: its first argument, or the array whose
 * method it is. 0: nothing. */
AstNode call_operand(const Ast *ast, AstNode call);

/* Whether two expressions are written alike and have no effects. */
bool same_expression(const Ast *ast, AstNode left, AstNode right);

/* Whether a compiler runs a loop in vectors: innermost, counted by one, unit strides, no branch, no
 * call but of simple functions, no value carried on (a reduction of reals only under fastmath).
 * `*reduces`: it sums something up. */
bool loop_vectorises(const WorkModel *work, const Unit *unit, AstNode loop, bool *reduces);

/* Whether a turn of a loop waits for the one before it: a variable or an element is read that an
 * earlier turn has set. Sums, products and extremes do not count: only their last operation waits.
 */
bool loop_carries(const Unit *unit, AstNode loop);

/* Operations that stand one behind the other between an element that the turn before has written and
 * the one that this turn writes of the same array: 2 for h[j + 1] = f + min(a[j], h[j]), -1 where
 * there is none. Such a turn also waits for the store. */
int loop_chain(const Unit *unit, AstNode loop);

/* Whether a call in a loop that carries is given nothing that the loop sets: it need not wait for
 * the turn before, and runs beside it. */
bool call_runs_ahead(const Unit *unit, AstNode loop, AstNode call);

/* Bytes of the elements that a turn of `loop` takes next: of arrays that its variable walks along,
 * each once, not of those that loops inside walk along. */
double stream_bytes(const Ast *ast, AstNode loop);

/* ns that a turn of a loop that is dealt out waits for them at least, with all threads of the
 * machine at work: bytes over the bandwidth of one thread's share. 0 for other loops, and where
 * they are not known to be more than the second cache holds. */
double stream_ns(WorkModel *work, const Unit *unit, AstNode loop);

typedef enum CallClass {
    CALL_UNKNOWN,
    CALL_FREE, /* casts, sizes, thread numbers: no work; also what is an event of its own:
                  allocation, lock, atomic */
    CALL_OP,   /* one or few instructions: abs, min, floor */
    CALL_SQRT,
    CALL_LIBM,
    CALL_LIBM_QUICK,  /* exp, log */
    CALL_LIBM_SINGLE, /* of single precision */
    CALL_ARRAY,       /* runs once over an array of unknown length */
    CALL_SORTING,     /* the same, and compares its elements with each other or with a table */
    CALL_TEXT,        /* formats, parses or moves text: stdio, strtod */
} CallClass;

/* The class of a call that is not to a function of the program. */
CallClass call_class(const WorkModel *work, const Unit *unit, AstNode call);

#endif
