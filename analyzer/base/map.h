/* A hash map from 64-bit keys (0 is not a key) to 32-bit values, in an arena. */
#ifndef ANALYZER_BASE_MAP_H
#define ANALYZER_BASE_MAP_H

#include "analyzer/base/arena.h"

typedef struct Map {
    Arena *arena;
    uint64_t *keys;
    uint32_t *values;
    uint32_t capacity, count; /* capacity is a power of two */
} Map;

static inline Map map_new(Arena *arena)
{
    return (Map){.arena = arena};
}

/* Sets the value of a key. */
void map_set(Map *map, uint64_t key, uint32_t value);

/* The value of a key, 0 if it has none. */
uint32_t map_get(const Map *map, uint64_t key);

/* A key made of two numbers. */
static inline uint64_t map_pair(uint32_t first, uint32_t second)
{
    return ((uint64_t)first + 1) << 32 | second;
}

#endif
