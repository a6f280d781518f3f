/* From an effect in its context to what a prediction and a kernel need. */
#ifndef ANALYZER_NUMBER_EXPOSURE_H
#define ANALYZER_NUMBER_EXPOSURE_H

#include "analyzer/tree/program.h"
#include "bench/kernel.h"
#include "bench/machine.h"

/* The work model: how long code takes on one thread of a machine, from the tree. Memoised per
 * function. */
typedef struct WorkModel WorkModel;

/* `assumed` maps names of size variables to trip counts (--assume n=1500), `name=count` texts. */
WorkModel *work_new(Arena *arena, const Program *program, const Machine *machine,
                    const char *const *assumed, uint32_t assumed_count);

/* The same for code that runs once per cell, inside loops over the long sides: unknown loops in it
 * are all taken as WORK_SHORT (channels, features), nested ones too. */
WorkModel *work_cells(WorkModel *work);

/* Lets the model know which expressions are arrays (Python). An array of unknown length is taken
 * for WORK_ARRAY elements, WORK_SHORT where it runs along the short side; each dimension beyond the
 * second has WORK_SHORT more. */
struct Facts;
enum { WORK_ARRAY = 256 };
void work_use_facts(WorkModel *work, const struct Facts *facts);

/* ns of one execution of a subtree (statement, expression, loop with all its iterations), callees
 * included; events that are themselves findings (views, allocations, locks) are left out. */
double work_ns(WorkModel *work, const Unit *unit, AstNode node);

/* ns that a turn of a loop waits, whatever else it does, for an element that the turn before has
 * written; 0 where it reads none. */
double work_wait_ns(const WorkModel *work, const Unit *unit, AstNode loop);

/* Whether the work of a call of a library function is known; not for functions of the program. */
bool work_knows_call(const WorkModel *work, const Unit *unit, AstNode call);

/* What the model assumes about the sizes in a subtree, callees included, in words, with what
 * --assume calls a size in parentheses: "c runs 16 times (u.shape[0]); x has 256 elements
 * (len(x))". Behind what is in `so_far` already, and without saying it again; "" if nothing. */
const char *work_assumed(WorkModel *work, Arena *arena, const Unit *unit, AstNode root,
                         const char *so_far);

/* Elements of an array of which nothing tells the length: as the user has said (len(x), x.size), or
 * WORK_ARRAY, which is then added to `*assumed` in the words of work_assumed. */
double work_length(const WorkModel *work, Arena *arena, const Unit *unit, AstNode array,
                   const char **assumed);

/* What --assume calls the sizes that an unknown loop's iterations depend on: "n", "x.shape[0], m".
 * "" where they have no name. */
const char *work_size_name(WorkModel *work, Arena *arena, const Unit *unit, AstNode loop);

/* Iterations of a loop: known, named in `assumed`, or assumed; *known tells. Unknown loops are
 * taken as WORK_SHORT (16) where a loop holds no other loop (channels, features), as WORK_LONG
 * (100) each where loops are nested (series against series), and outermost parallel loops as
 * WORK_PARALLEL (10,000). A loop that halves what is left (heaps, binary search) takes
 * WORK_HALVINGS, the logarithm of WORK_ARRAY; one that only draws again, 1. */
enum { WORK_SHORT = 16, WORK_LONG = 100, WORK_PARALLEL = 10000, WORK_HALVINGS = 8 };
double work_trips(WorkModel *work, const Unit *unit, AstNode loop, bool *known);

#endif
