#include "analyzer/base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 16 * 1024, LARGEST_CHUNK = 4 * 1024 * 1024, ALIGNMENT = 16 };

typedef struct Chunk {
    struct Chunk *next;
    size_t size, used;
    _Alignas(ALIGNMENT) unsigned char bytes[];
} Chunk;

struct Arena {
    Chunk *chunk;
    size_t next_size, total;
    bool bounded;
};

static _Noreturn void out_of_memory(void)
{
    fputs("ponglint: out of memory\n", stderr);
    exit(2);
}

static void *must_calloc(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (memory == NULL)
        out_of_memory();
    return memory;
}

Arena *arena_new(void)
{
    Arena *arena = must_calloc(sizeof *arena);
    arena->next_size = FIRST_CHUNK;
    return arena;
}

Arena *arena_within(void *memory, size_t bytes)
{
    Arena *arena = memory;
    size_t start = (sizeof *arena + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (bytes < start + sizeof(Chunk))
        out_of_memory();
    arena->chunk = (Chunk *)((char *)memory + start);
    *arena->chunk = (Chunk){.size = bytes - start - sizeof(Chunk)};
    arena->bounded = true;
    return arena;
}

void arena_free(Arena *arena)
{
    if (arena == NULL || arena->bounded)
        return;
    for (Chunk *chunk = arena->chunk; chunk != NULL;) {
        Chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    free(arena);
}

void *arena_alloc(Arena *arena, size_t bytes)
{
    size_t needed = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (needed < bytes)
        needed = SIZE_MAX - sizeof(Chunk);
    Chunk *chunk = arena->chunk;
    if (chunk == NULL || chunk->size - chunk->used < needed) {
        if (arena->bounded)
            out_of_memory();
        size_t size = needed > arena->next_size ? needed : arena->next_size;
        chunk = must_calloc(sizeof *chunk + size);
        chunk->size = size;
        chunk->next = arena->chunk;
        arena->chunk = chunk;
        if (arena->next_size < LARGEST_CHUNK)
            arena->next_size *= 2;
    }
    void *memory = chunk->bytes + chunk->used;
    chunk->used += needed;
    arena->total += needed;
    return memory;
}

char *arena_strndup(Arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(Arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(Arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = arena_alloc(arena, (length > 0 ? (size_t)length : 0) + 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

size_t arena_bytes(const Arena *arena)
{
    return arena->total;
}

void *arena_grow(Arena *arena, void *items, uint32_t count, uint32_t *capacity, size_t item_bytes)
{
    *capacity = *capacity == 0 ? 8 : *capacity * 2;
    void *grown = arena_alloc(arena, *capacity * item_bytes);
    if (count > 0)
        memcpy(grown, items, count * item_bytes);
    return grown;
}
