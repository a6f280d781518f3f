/* Memory from an arena: zeroed, aligned, kept until the end; lists in it. */
#include "analyzer/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void memory_is_zeroed_and_aligned_whatever_the_size(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    static const char zeros[70000];
    for (size_t bytes = 1; bytes < sizeof zeros; bytes = bytes * 3 + 1) {
        unsigned char *memory = arena_alloc(arena, bytes);
        assert_int_equal((uintptr_t)memory % 16, 0);
        assert_memory_equal(memory, zeros, bytes);
        memset(memory, 0xa5, bytes);
    }
    arena_free(arena);
}

static void nothing_is_still_a_pointer(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    assert_non_null(arena_alloc(arena, 0));
    assert_int_equal(arena_bytes(arena), 0);
    arena_free(arena);
    arena_free(NULL);
}

static void pieces_do_not_overlap_and_stay_as_they_are(void **state)
{
    (void)state;
    enum { PIECES = 2000, BYTES = 100 };
    Arena *arena = arena_new();
    unsigned char *pieces[PIECES];
    for (int i = 0; i < PIECES; i++)
        memset(pieces[i] = arena_alloc(arena, BYTES), i & 0xff, BYTES);
    for (int i = 0; i < PIECES; i++)
        for (int k = 0; k < BYTES; k++)
            assert_int_equal(pieces[i][k], i & 0xff);
    arena_free(arena);
}

static void a_piece_larger_than_any_chunk_is_given(void **state)
{
    (void)state;
    enum { LARGE = 9 * 1024 * 1024 };
    Arena *arena = arena_new();
    char *small = arena_strdup(arena, "before");
    char *large = arena_alloc(arena, LARGE);
    large[LARGE - 1] = 'x';
    assert_string_equal(small, "before");
    assert_true(arena_bytes(arena) >= LARGE);
    arena_free(arena);
}

static void bytes_count_what_was_handed_out(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    assert_int_equal(arena_bytes(arena), 0);
    (void)arena_alloc(arena, 16);
    assert_int_equal(arena_bytes(arena), 16);
    (void)arena_alloc(arena, 1);
    assert_int_equal(arena_bytes(arena), 32);
    arena_free(arena);
}

static void texts_are_copied_with_a_nul_behind(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    char original[] = "warping";
    char *all = arena_strdup(arena, original), *part = arena_strndup(arena, original, 4);
    original[0] = 'X';
    assert_string_equal(all, "warping");
    assert_string_equal(part, "warp");
    assert_string_equal(arena_strndup(arena, "", 0), "");
    assert_memory_equal(arena_strndup(arena, "a\0b", 3), "a\0b", 4);
    arena_free(arena);
}

static void printed_text_is_as_long_as_it_needs(void **state)
{
    (void)state;
    enum { WIDE = 40000 };
    Arena *arena = arena_new();
    assert_string_equal(arena_printf(arena, "%d threads, %s", 12, "one socket"),
                        "12 threads, one socket");
    assert_string_equal(arena_printf(arena, "%s", ""), "");
    assert_int_equal(strlen(arena_printf(arena, "%*d", WIDE, 7)), WIDE);
    arena_free(arena);
}

static void a_list_keeps_its_items_while_it_grows(void **state)
{
    (void)state;
    typedef struct Pair {
        int left, right;
    } Pair;
    Arena *arena = arena_new();
    LIST(Pair) pairs = {0};
    assert_int_equal(pairs.count, 0);
    for (int i = 0; i < 1000; i++)
        LIST_PUSH(arena, &pairs, (Pair){i, -i});
    assert_int_equal(pairs.count, 1000);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(pairs.items[i].left, i);
        assert_int_equal(pairs.items[i].right, -i);
    }
    arena_free(arena);
}

static void what_is_pushed_is_evaluated_once(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    LIST(int) numbers = {0};
    int next = 0;
    for (int i = 0; i < 20; i++)
        LIST_PUSH(arena, &numbers, next++);
    assert_int_equal(next, 20);
    assert_int_equal(numbers.items[19], 19);
    arena_free(arena);
}

static void an_arena_within_memory_takes_no_other(void **state)
{
    (void)state;
    static _Alignas(16) unsigned char memory[4096];
    Arena *arena = arena_within(memory, sizeof memory);
    for (int i = 0; i < 30; i++) {
        unsigned char *piece = arena_alloc(arena, 100);
        assert_true(piece > memory && piece + 100 <= memory + sizeof memory);
        assert_int_equal((uintptr_t)piece % 16, 0);
    }
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned_whatever_the_size),
        cmocka_unit_test(nothing_is_still_a_pointer),
        cmocka_unit_test(pieces_do_not_overlap_and_stay_as_they_are),
        cmocka_unit_test(a_piece_larger_than_any_chunk_is_given),
        cmocka_unit_test(bytes_count_what_was_handed_out),
        cmocka_unit_test(texts_are_copied_with_a_nul_behind),
        cmocka_unit_test(printed_text_is_as_long_as_it_needs),
        cmocka_unit_test(an_arena_within_memory_takes_no_other),
        cmocka_unit_test(a_list_keeps_its_items_while_it_grows),
        cmocka_unit_test(what_is_pushed_is_evaluated_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
