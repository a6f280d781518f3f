/* What a program in C gives to its host (host.c), and helpers for making input. A pair is two such
 * programs, slow.c and fixed.c, whose work() computes the same. */
#ifndef BENCH_REALITY_PAIR_H
#define BENCH_REALITY_PAIR_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Makes the input for `threads` threads. Called once. */
void prepare(int threads);

/* The work that is timed. Returns what was computed, drawn together into one number. */
double work(void);

/* A number in 0 .. 2^32 - 1: the upper bits of a linear congruence modulo 2^64. */
static inline uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static inline double next_unit(uint64_t *state)
{
    return next_random(state) / 4294967296.0;
}

/* Memory, zeroed and so in place, or the end of the program. */
static inline void *need(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (memory == NULL) {
        fputs("too little memory\n", stderr);
        exit(1);
    }
    for (size_t i = 0; i < count * bytes; i += 4096)
        ((volatile char *)memory)[i] = 0;
    return memory;
}

#endif
