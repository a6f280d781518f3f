/* Two iterations of a loop nest, run by different threads: may they come to the same element, or to
 * the same cache line? Integer questions, answered exactly by isl within a bound of operations. The
 * only place that knows isl. Subscripts and bounds are quasi-affine: sums of variables by constant
 * factors, floors of quotients and remainders by constants. */
#ifndef ANALYZER_POLYHEDRAL_ITERATIONS_H
#define ANALYZER_POLYHEDRAL_ITERATIONS_H

#include "analyzer/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum QuasiKind {
    QUASI_CONSTANT, /* value */
    QUASI_LOOP,     /* the variable of loop number `value` */
    QUASI_FIXED,  /* number `value` of the values that are not known, but one for all iterations */
    QUASI_SUM,    /* left + value * right */
    QUASI_FLOOR,  /* floor(left / value), value > 0 */
    QUASI_MODULO, /* left - value * floor(left / value), value > 0 */
} QuasiKind;

typedef struct Quasi {
    QuasiKind kind;
    int64_t value;
    const struct Quasi *left, *right;
} Quasi;

typedef enum Relation { RELATION_EQ, RELATION_NE, RELATION_LT, RELATION_LE } Relation;

typedef struct Condition {
    const Quasi *left, *right;
    Relation relation;
} Condition;

/* for (v = first; step > 0 ? v < limit : v > limit; v += step); bounds use fixed values and the
 * variables of loops before it. */
typedef struct Nested {
    const Quasi *first, *limit;
    int64_t step; /* not 0 */
    bool dealt;   /* different values may be run by different threads */
} Nested;

enum {
    ITERATION_LOOPS = 6,
    ITERATION_FIXED = 6,
    ITERATION_SUBSCRIPTS = 4,
    ITERATION_CONDITIONS = 6
};

typedef struct Iterations {
    Nested loops[ITERATION_LOOPS]; /* outermost first; dealt ones in front */
    uint32_t loop_count, fixed_count;
    Condition conditions[ITERATION_CONDITIONS]; /* under which the place is come to */
    uint32_t condition_count;
    const Quasi *subscripts[ITERATION_SUBSCRIPTS]; /* iterations meet where all are the same */
    uint32_t subscript_count;
    int64_t chunk;  /* of the innermost dealt loop: so many iterations go to one thread together */
    int64_t stride; /* bytes by which the last subscript moves; 0: the element is asked for */
    int64_t line;   /* bytes: meeting is to lie on one such line, of an array that starts on one */
} Iterations;

typedef enum Answer {
    ANSWER_UNKNOWN, /* out of the bound, or it depends on the fixed values */
    ANSWER_NEVER,   /* whatever the fixed values are */
    ANSWER_MEET,    /* whatever they are, as long as unknown loops run twice at least and the dealt
                       loop is long */
} Answer;

/* `witness`: two values of the outermost dealt variable that meet, the smallest there are;
 * set with ANSWER_MEET. */
Answer iterations_meet(const Iterations *question, int64_t witness[2]);

/* In the arena. NULL operands give NULL, and so does a divisor below 1. */
const Quasi *quasi_constant(Arena *arena, int64_t value);
const Quasi *quasi_loop(Arena *arena, uint32_t loop);
const Quasi *quasi_fixed(Arena *arena, uint32_t fixed);
const Quasi *quasi_sum(Arena *arena, const Quasi *left, int64_t factor, const Quasi *right);
const Quasi *quasi_floor(Arena *arena, const Quasi *left, int64_t divisor);
const Quasi *quasi_modulo(Arena *arena, const Quasi *left, int64_t divisor);

#endif
