/* Keys and values in, values out. */
#include "analyzer/base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_key_that_was_never_set_has_the_value_zero(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Map map = map_new(arena);
    assert_int_equal(map_get(&map, 1), 0);
    map_set(&map, 1, 5);
    assert_int_equal(map_get(&map, 2), 0);
    assert_int_equal(map_get(&map, UINT64_MAX), 0);
    arena_free(arena);
}

static void the_last_value_of_a_key_counts(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Map map = map_new(arena);
    map_set(&map, 7, 1);
    map_set(&map, 7, 2);
    assert_int_equal(map_get(&map, 7), 2);
    assert_int_equal(map.count, 1);
    map_set(&map, 7, 0);
    assert_int_equal(map_get(&map, 7), 0);
    arena_free(arena);
}

static void many_keys_keep_their_values_while_the_map_grows(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    Arena *arena = arena_new();
    Map map = map_new(arena);
    for (uint32_t i = 1; i <= COUNT; i++)
        map_set(&map, (uint64_t)i << 40 | i, i);
    assert_int_equal(map.count, COUNT);
    for (uint32_t i = 1; i <= COUNT; i++)
        assert_int_equal(map_get(&map, (uint64_t)i << 40 | i), i);
    assert_int_equal(map_get(&map, 1), 0);
    arena_free(arena);
}

static void keys_that_only_differ_in_their_upper_half_stay_apart(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Map map = map_new(arena);
    for (uint32_t i = 1; i <= 500; i++)
        map_set(&map, map_pair(i, 3), i);
    for (uint32_t i = 1; i <= 500; i++)
        assert_int_equal(map_get(&map, map_pair(i, 3)), i);
    arena_free(arena);
}

static void a_pair_is_a_key_of_its_own_and_never_zero(void **state)
{
    (void)state;
    assert_true(map_pair(0, 0) != 0);
    assert_true(map_pair(0, 1) != map_pair(1, 0));
    assert_true(map_pair(2, 5) != map_pair(5, 2));
    assert_true(map_pair(0, UINT32_MAX) != map_pair(1, UINT32_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_that_was_never_set_has_the_value_zero),
        cmocka_unit_test(the_last_value_of_a_key_counts),
        cmocka_unit_test(many_keys_keep_their_values_while_the_map_grows),
        cmocka_unit_test(keys_that_only_differ_in_their_upper_half_stay_apart),
        cmocka_unit_test(a_pair_is_a_key_of_its_own_and_never_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
