#include "analyzer/base/map.h"

static uint32_t slot_of(const Map *map, uint64_t key)
{
    uint64_t hash = key * 0x9e3779b97f4a7c15u;
    uint32_t slot = (uint32_t)(hash >> 32) & (map->capacity - 1);
    while (map->keys[slot] != 0 && map->keys[slot] != key)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

static void grow(Map *map)
{
    Map larger = {.arena = map->arena, .capacity = map->capacity == 0 ? 16 : map->capacity * 2};
    larger.keys = arena_alloc(map->arena, larger.capacity * sizeof *larger.keys);
    larger.values = arena_alloc(map->arena, larger.capacity * sizeof *larger.values);
    for (uint32_t i = 0; i < map->capacity; i++)
        if (map->keys[i] != 0)
            map_set(&larger, map->keys[i], map->values[i]);
    *map = larger;
}

void map_set(Map *map, uint64_t key, uint32_t value)
{
    if (map->count * 2 >= map->capacity)
        grow(map);
    uint32_t slot = slot_of(map, key);
    map->count += map->keys[slot] == 0;
    map->keys[slot] = key;
    map->values[slot] = value;
}

uint32_t map_get(const Map *map, uint64_t key)
{
    return map->capacity == 0 ? 0 : map->values[slot_of(map, key)];
}
