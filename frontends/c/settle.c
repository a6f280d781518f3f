#include "frontends/c/settle.h"

#include "analyzer/base/map.h"

#include <pthread.h>
#include <string.h>

typedef struct Shelved {
    Source *source;
    uint32_t next; /* index + 1 of another one of that path, with other bytes; 0 end */
} Shelved;

struct SourceShelf {
    Arena *arena;
    pthread_mutex_t mutex;
    Intern *paths;
    Map first_of; /* path -> index + 1 into sources */
    LIST(Shelved) sources;
};

SourceShelf *shelf_new(void)
{
    Arena *arena = arena_new();
    SourceShelf *shelf = arena_alloc(arena, sizeof *shelf);
    shelf->arena = arena;
    shelf->paths = intern_new(arena);
    shelf->first_of = map_new(arena);
    pthread_mutex_init(&shelf->mutex, NULL);
    return shelf;
}

void shelf_free(SourceShelf *shelf)
{
    pthread_mutex_destroy(&shelf->mutex);
    arena_free(shelf->arena);
}

static Source *find_or_add(SourceShelf *shelf, const Source *source)
{
    Name path = intern(shelf->paths, source->path);
    uint32_t first = map_get(&shelf->first_of, path);
    for (uint32_t at = first; at != 0; at = shelf->sources.items[at - 1].next) {
        Source *known = shelf->sources.items[at - 1].source;
        if (known->size == source->size && memcmp(known->bytes, source->bytes, source->size) == 0)
            return known;
    }
    Source *copy = source_from(shelf->arena, source->path, source->bytes, source->size);
    LIST_PUSH(shelf->arena, &shelf->sources, (Shelved){copy, first});
    map_set(&shelf->first_of, path, shelf->sources.count);
    return copy;
}

bool *unit_used_files(const Unit *unit, Arena *arena)
{
    bool *used = arena_alloc(arena, unit->files.count * sizeof *used);
    for (AstNode node = 1; node < unit->ast->nodes.count; node++)
        used[unit->ast->nodes.items[node].file] = true;
    return used;
}

void unit_settle(Unit *unit, SourceShelf *shelf)
{
    const Ast *built = unit->ast;
    uint32_t count = unit->files.count;
    Source **files = arena_alloc(unit->arena, count * sizeof *files);
    const bool *used = unit_used_files(unit, built->arena);
    static const Source nothing;
    files[0] = unit->files.items[0];
    pthread_mutex_lock(&shelf->mutex);
    for (uint32_t i = 1; i < count; i++) {
        Source unused = nothing;
        unused.path = unit->files.items[i]->path;
        unused.bytes = "";
        files[i] = find_or_add(shelf, used[i] ? unit->files.items[i] : &unused);
    }
    pthread_mutex_unlock(&shelf->mutex);
    unit->files.items = files;
    unit->files.capacity = count;
    unit->ast = ast_copy(built, unit->arena);
}
