/* Arenas: memory that is given back all at once. One arena a file while parsing (one owner thread
 * each, no locks), one for the whole program afterwards. Nothing allocated here is freed on its
 * own. */
#ifndef ANALYZER_BASE_ARENA_H
#define ANALYZER_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct Arena Arena;

/* A new empty arena; the process ends with a message when the system has no memory left (as all of
 * these do). */
Arena *arena_new(void);
void arena_free(Arena *arena);

/* An arena in memory that is already there, `bytes` bytes, zeroed; it grows no further, and is not
 * freed. */
Arena *arena_within(void *memory, size_t bytes);

/* Zeroed memory of `bytes` bytes, aligned to 16; never NULL. */
void *arena_alloc(Arena *arena, size_t bytes);

/* Copy of `length` bytes of text with a NUL behind it. */
char *arena_strndup(Arena *arena, const char *text, size_t length);
char *arena_strdup(Arena *arena, const char *text);
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Bytes handed out so far. */
size_t arena_bytes(const Arena *arena);

/* A list whose items live in an arena: LIST(int) numbers; LIST_PUSH(arena, &numbers, 3);
 * numbers.items[0]. */
#define LIST(T)                                                                                    \
    struct {                                                                                       \
        T *items;                                                                                  \
        uint32_t count, capacity;                                                                  \
    }

/* Appends `...` (an expression, so that compound literals work) to the list `list` points to. */
#define LIST_PUSH(arena, list, ...)                                                                \
    ((list)->count == (list)->capacity                                                             \
         ? (void)((list)->items = arena_grow((arena), (list)->items, (list)->count,                \
                                             &(list)->capacity, sizeof *(list)->items))            \
         : (void)0,                                                                                \
     (void)((list)->items[(list)->count++] = (__VA_ARGS__)))

/* Room for at least one more item; used by LIST_PUSH. */
void *arena_grow(Arena *arena, void *items, uint32_t count, uint32_t *capacity, size_t item_bytes);

#endif
