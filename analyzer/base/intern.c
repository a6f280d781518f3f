#include "analyzer/base/intern.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_SLOTS = 256 };

typedef struct Entry {
    const char *text;
    uint32_t length, hash;
} Entry;

struct Intern {
    Arena *arena;
    LIST(Entry) entries; /* entry 0 is the empty text */
    uint32_t *slots;     /* open addressing, a power of two; 0 is free */
    uint32_t slot_count;
};

Intern *intern_new(Arena *arena)
{
    Intern *table = arena_alloc(arena, sizeof *table);
    table->arena = arena;
    table->slot_count = FIRST_SLOTS;
    table->slots = arena_alloc(arena, FIRST_SLOTS * sizeof *table->slots);
    LIST_PUSH(arena, &table->entries, (Entry){"", 0, 0});
    return table;
}

/* The slot that holds the text, or the free one where it belongs. */
static uint32_t slot_of(const Intern *table, const char *text, size_t length, uint32_t hash)
{
    uint32_t slot = hash & (table->slot_count - 1);
    for (uint32_t name; (name = table->slots[slot]) != 0;
         slot = (slot + 1) & (table->slot_count - 1)) {
        const Entry *entry = &table->entries.items[name];
        if (entry->hash == hash && entry->length == length &&
            memcmp(entry->text, text, length) == 0)
            break;
    }
    return slot;
}

static void grow(Intern *table)
{
    table->slot_count *= 2;
    table->slots = arena_alloc(table->arena, table->slot_count * sizeof *table->slots);
    for (uint32_t name = 1; name < table->entries.count; name++) {
        const Entry *entry = &table->entries.items[name];
        table->slots[slot_of(table, entry->text, entry->length, entry->hash)] = name;
    }
}

Name intern_add(Intern *table, const char *text, size_t length)
{
    if (length == 0)
        return 0;
    uint32_t hash = (uint32_t)XXH3_64bits(text, length);
    uint32_t slot = slot_of(table, text, length, hash);
    if (table->slots[slot] != 0)
        return table->slots[slot];
    Name name = table->entries.count;
    LIST_PUSH(table->arena, &table->entries,
              (Entry){arena_strndup(table->arena, text, length), (uint32_t)length, hash});
    table->slots[slot] = name;
    if (table->entries.count * 2 > table->slot_count)
        grow(table);
    return name;
}

Name intern(Intern *table, const char *text)
{
    return intern_add(table, text, strlen(text));
}

Name intern_find(const Intern *table, const char *text)
{
    size_t length = strlen(text);
    return length == 0
               ? 0
               : table->slots[slot_of(table, text, length, (uint32_t)XXH3_64bits(text, length))];
}

const char *intern_text(const Intern *table, Name name)
{
    return table->entries.items[name].text;
}

size_t intern_length(const Intern *table, Name name)
{
    return table->entries.items[name].length;
}

uint32_t intern_count(const Intern *table)
{
    return table->entries.count - 1;
}
