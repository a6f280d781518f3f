/* Bytes in, lines and positions out; files that cannot be read say why. */
#include "analyzer/tree/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static Source *source_of(const char *text)
{
    return source_from(arena, "m.c", text, strlen(text));
}

static void at(const Source *source, uint32_t offset, uint32_t line, uint32_t column)
{
    SourcePosition position = source_position(source, offset);
    assert_int_equal(position.line, line);
    assert_int_equal(position.column, column);
}

static void line_is(const Source *source, uint32_t line, const char *expected)
{
    size_t length;
    const char *text = source_line(source, line, &length);
    assert_non_null(text);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(text, expected, length);
}

static void no_line(const Source *source, uint32_t line)
{
    size_t length = 99;
    assert_null(source_line(source, line, &length));
    assert_int_equal(length, 0);
}

static void lines_and_columns_count_from_one(void **state)
{
    (void)state;
    Source *source = source_of("ab\ncde\n\nf");
    assert_int_equal(source->line_count, 4);
    at(source, 0, 1, 1);
    at(source, 1, 1, 2);
    at(source, 2, 1, 3); /* the line end belongs to its line */
    at(source, 3, 2, 1);
    at(source, 7, 3, 1);
    at(source, 8, 4, 1);
}

static void an_offset_past_the_end_is_the_end(void **state)
{
    (void)state;
    Source *source = source_of("ab\nc");
    at(source, 4, 2, 2);
    at(source, 5, 2, 2);
    at(source, UINT32_MAX, 2, 2);
}

static void columns_are_bytes(void **state)
{
    (void)state;
    Source *source = source_of("\xc3\xa4x");
    at(source, 2, 1, 3);
}

static void a_line_is_given_without_its_end(void **state)
{
    (void)state;
    Source *source = source_of("unix\ndos\r\n\r\nlast");
    line_is(source, 1, "unix");
    line_is(source, 2, "dos");
    line_is(source, 3, "");
    line_is(source, 4, "last");
    no_line(source, 5);
    no_line(source, 0);
}

static void a_file_that_ends_with_a_line_end_has_an_empty_last_line(void **state)
{
    (void)state;
    Source *source = source_of("a\n");
    assert_int_equal(source->line_count, 2);
    line_is(source, 2, "");
    at(source, 2, 2, 1);
}

static void an_empty_file_has_one_empty_line(void **state)
{
    (void)state;
    Source *source = source_of("");
    assert_int_equal(source->line_count, 1);
    assert_int_equal(source->size, 0);
    line_is(source, 1, "");
    at(source, 0, 1, 1);
}

static void a_carriage_return_alone_ends_no_line_but_is_cut_at_the_end(void **state)
{
    (void)state;
    Source *source = source_of("a\rb\nc\r");
    line_is(source, 1, "a\rb");
    line_is(source, 2, "c");
}

static void bytes_are_copied_with_a_nul_behind_them(void **state)
{
    (void)state;
    char bytes[] = "a\0b\n";
    Source *source = source_from(arena, "m.py", bytes, 4);
    bytes[0] = 'X';
    assert_int_equal(source->size, 4);
    assert_memory_equal(source->bytes, "a\0b\n", 5);
    assert_int_equal(source->line_count, 2);
    assert_string_equal(source->path, "m.py");
}

static void a_file_is_read_whole(void **state)
{
    (void)state;
    char path[] = "/tmp/ponglint-source-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "one\ntwo\0", 8), 8);
    close(file);
    const char *why = "not touched";
    Source *source = source_read(arena, path, &why);
    unlink(path);
    assert_non_null(source);
    assert_null(why);
    assert_int_equal(source->size, 8);
    assert_memory_equal(source->bytes, "one\ntwo\0", 9);
    assert_string_equal(source->path, path);
}

static void refused(const char *path, const char *expected)
{
    const char *why = NULL;
    assert_null(source_read(arena, path, &why));
    assert_string_equal(why, expected);
}

static void what_is_no_file_is_refused_with_the_reason(void **state)
{
    (void)state;
    refused("/no/such/file.c", "no such file");
    refused("/tmp", "is a folder");
    refused("/dev/null", "is not a regular file");
    refused("", "no such file");
}

static void a_pipe_does_not_block(void **state)
{
    (void)state;
    char folder[] = "/tmp/ponglint-source-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe.c", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    refused(path, "is not a regular file");
    unlink(path);
    rmdir(folder);
}

static void a_file_of_more_than_64_mib_is_refused_unread(void **state)
{
    (void)state;
    char path[] = "/tmp/ponglint-source-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)SOURCE_LARGEST + 1), 0);
    close(file);
    size_t before = arena_bytes(arena);
    refused(path, "is larger than 64 MiB");
    assert_int_equal(arena_bytes(arena), before);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_columns_count_from_one),
        cmocka_unit_test(an_offset_past_the_end_is_the_end),
        cmocka_unit_test(columns_are_bytes),
        cmocka_unit_test(a_line_is_given_without_its_end),
        cmocka_unit_test(a_file_that_ends_with_a_line_end_has_an_empty_last_line),
        cmocka_unit_test(an_empty_file_has_one_empty_line),
        cmocka_unit_test(a_carriage_return_alone_ends_no_line_but_is_cut_at_the_end),
        cmocka_unit_test(bytes_are_copied_with_a_nul_behind_them),
        cmocka_unit_test(a_file_is_read_whole),
        cmocka_unit_test(what_is_no_file_is_refused_with_the_reason),
        cmocka_unit_test(a_pipe_does_not_block),
        cmocka_unit_test(a_file_of_more_than_64_mib_is_refused_unread),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
