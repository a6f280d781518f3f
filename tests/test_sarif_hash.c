/* The line hashes that GitHub computes. The expected values are those of its own uploader's tests
 * (codeql-action, fingerprints.test.ts, MIT licence). */
#include "analyzer/report/line_hash.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect_hashes(const char *text, size_t size, const char *const *expected)
{
    Arena *arena = arena_new();
    uint32_t count, i = 0;
    LineHash *hashes = line_hashes(arena, source_from(arena, "a.c", text, size), &count);
    for (; expected[i] != NULL; i++) {
        char print[32];
        assert_true(i < count);
        snprintf(print, sizeof print, "%" PRIx64 ":%u", hashes[i].hash, (unsigned)hashes[i].count);
        assert_string_equal(print, expected[i]);
    }
    assert_int_equal(count, i);
    arena_free(arena);
}

#define HASHES(text, ...)                                                                          \
    expect_hashes(text, sizeof(text) - 1, (const char *const[]){__VA_ARGS__, NULL})

static void an_empty_file_has_one_line(void **state)
{
    (void)state;
    HASHES("", "c129715d7a2bc9a3:1");
}

static void line_ends_count_the_same_in_all_forms(void **state)
{
    (void)state;
    HASHES(" a\nb\n  \t\tc\n d", "271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1",
           "a23a3dc5e078b07b:1");
    HASHES(" a\r\nb\r\n  \t\tc\r\n d", "271789c17abda88f:1", "54703d4cd895b18:1",
           "180aee12dab6264:1", "a23a3dc5e078b07b:1");
    HASHES(" a\rb\r  \t\tc\r d", "271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1",
           "a23a3dc5e078b07b:1");
}

static void blank_lines_are_lines(void **state)
{
    (void)state;
    HASHES(" hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End", "8b7cf3e952e7aeb2:1",
           "b1ae1287ec4718d9:1", "bff680108adb0fcc:1", "c6805c5e1288b612:1", "b86d3392aea1be30:1",
           "e6ceba753e1a442:1");
}

static void equal_hashes_are_counted(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    char text[401];
    for (size_t i = 0; i < 400; i++)
        text[i] = i % 2 == 0 ? 'x' : '\n';
    uint32_t count;
    LineHash *hashes = line_hashes(arena, source_from(arena, "a.c", text, 400), &count);
    assert_true(hashes[0].hash == hashes[1].hash);
    assert_int_equal(hashes[0].count, 1);
    assert_int_equal(hashes[1].count, 2);
    assert_int_equal(hashes[2].count, 3);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_file_has_one_line),
        cmocka_unit_test(line_ends_count_the_same_in_all_forms),
        cmocka_unit_test(blank_lines_are_lines),
        cmocka_unit_test(equal_hashes_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
