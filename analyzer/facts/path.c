#include "analyzer/facts/path.h"

#include <string.h>

struct Paths *paths_new(Arena *arena)
{
    struct Paths *paths = arena_alloc(arena, sizeof *paths);
    paths->first_of = paths->actual_of = paths->given_of = map_new(arena);
    return paths;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const PlaceStep *steps, uint8_t count)
{
    uint64_t hash = count;
    for (uint8_t i = 0; i < count; i++) {
        const Affine *index = &steps[i].index;
        hash = mix(hash, (uint64_t)steps[i].kind << 32 | steps[i].field);
        hash = mix(hash, (uint64_t)steps[i].function << 32 | steps[i].node);
        hash = mix(hash, (uint64_t)index->constant + index->count);
        for (uint8_t k = 0; k < index->count; k++)
            hash = mix(hash, index->terms[k].sym + (uint64_t)index->terms[k].coefficient);
    }
    return hash | 1;
}

static bool index_equal(const Affine *a, const Affine *b)
{
    bool equal = a->constant == b->constant && a->count == b->count && a->exact == b->exact &&
                 a->loaded == b->loaded && a->folded == b->folded;
    for (uint8_t i = 0; equal && i < a->count; i++)
        equal = a->terms[i].sym == b->terms[i].sym &&
                a->terms[i].coefficient == b->terms[i].coefficient &&
                a->terms[i].direct == b->terms[i].direct &&
                a->terms[i].linear == b->terms[i].linear;
    return equal;
}

static bool step_equal(const PlaceStep *a, const PlaceStep *b)
{
    return a->kind == b->kind && a->container == b->container && a->likely == b->likely &&
           a->counted == b->counted && a->field == b->field && a->offset == b->offset &&
           a->size == b->size && a->align == b->align && a->function == b->function &&
           a->node == b->node && index_equal(&a->index, &b->index);
}

static bool path_equal(const Path *path, const PlaceStep *steps, uint8_t count)
{
    bool equal = path->count == count;
    for (uint8_t i = 0; equal && i < count; i++)
        equal = step_equal(&path->steps[i], &steps[i]);
    return equal;
}

PlaceStep *path_kept(const Facts *facts, const PlaceStep *steps, uint8_t count)
{
    struct Paths *paths = facts->paths;
    if (count == 0)
        return NULL;
    uint64_t hash = hash_of(steps, count);
    uint32_t first = map_get(&paths->first_of, hash);
    for (uint32_t at = first; at != 0; at = paths->kept.items[at - 1].next)
        if (path_equal(&paths->kept.items[at - 1], steps, count))
            return paths->kept.items[at - 1].steps;
    PlaceStep *copy = arena_alloc(facts->arena, count * sizeof *copy);
    memcpy(copy, steps, count * sizeof *copy);
    LIST_PUSH(facts->arena, &paths->kept, (Path){copy, count, first});
    map_set(&paths->first_of, hash, paths->kept.count);
    return copy;
}
