/* Texts in, numbers out: equal ones for equal texts. */
#include "analyzer/base/intern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

static void equal_texts_get_equal_numbers_and_others_do_not(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Intern *table = intern_new(arena);
    char copy[] = "prange";
    Name first = intern(table, "prange");
    assert_int_equal(intern(table, copy), first);
    assert_int_equal(intern_add(table, "prange_more", 6), first);
    assert_int_not_equal(intern(table, "range"), first);
    assert_int_not_equal(intern(table, "Prange"), first);
    arena_free(arena);
}

static void numbers_run_from_one_without_a_gap(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Intern *table = intern_new(arena);
    assert_int_equal(intern_count(table), 0);
    assert_int_equal(intern(table, "a"), 1);
    assert_int_equal(intern(table, "b"), 2);
    assert_int_equal(intern(table, "a"), 1);
    assert_int_equal(intern_count(table), 2);
    arena_free(arena);
}

static void no_text_is_no_name(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Intern *table = intern_new(arena);
    assert_int_equal(intern(table, ""), 0);
    assert_int_equal(intern_find(table, ""), 0);
    assert_string_equal(intern_text(table, 0), "");
    assert_int_equal(intern_length(table, 0), 0);
    assert_int_equal(intern_count(table), 0);
    arena_free(arena);
}

static void looking_up_adds_nothing(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Intern *table = intern_new(arena);
    assert_int_equal(intern_find(table, "numpy"), 0);
    assert_int_equal(intern_count(table), 0);
    Name name = intern(table, "numpy");
    assert_int_equal(intern_find(table, "numpy"), name);
    arena_free(arena);
}

static void the_text_is_kept_when_the_original_goes(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Intern *table = intern_new(arena);
    char original[] = "elastic";
    Name name = intern(table, original);
    original[0] = 'X';
    assert_string_equal(intern_text(table, name), "elastic");
    assert_int_equal(intern_length(table, name), 7);
    arena_free(arena);
}

static void bytes_of_zero_are_part_of_a_text(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Intern *table = intern_new(arena);
    Name with = intern_add(table, "a\0b", 3), other = intern_add(table, "a\0c", 3);
    assert_int_not_equal(with, other);
    assert_int_not_equal(with, intern(table, "a"));
    assert_int_equal(intern_length(table, with), 3);
    arena_free(arena);
}

static void many_texts_keep_their_numbers_while_the_table_grows(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    Arena *arena = arena_new();
    Intern *table = intern_new(arena);
    char text[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "name_%d", i);
        assert_int_equal(intern(table, text), i + 1);
    }
    for (int i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "name_%d", i);
        assert_int_equal(intern_find(table, text), i + 1);
        assert_string_equal(intern_text(table, (Name)i + 1), text);
    }
    assert_int_equal(intern_find(table, "name_20000"), 0);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_get_equal_numbers_and_others_do_not),
        cmocka_unit_test(numbers_run_from_one_without_a_gap),
        cmocka_unit_test(no_text_is_no_name),
        cmocka_unit_test(looking_up_adds_nothing),
        cmocka_unit_test(the_text_is_kept_when_the_original_goes),
        cmocka_unit_test(bytes_of_zero_are_part_of_a_text),
        cmocka_unit_test(many_texts_keep_their_numbers_while_the_table_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
