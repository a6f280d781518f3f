/* Excerpts of nodes, their positions, and notes. */
#include "analyzer/tree/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

typedef struct Page {
    Arena *arena;
    Unit unit;
    AstNode node;
} Page;

/* A unit of one node that spans all of the text from `start`. */
static Page page_of(const char *text, uint32_t start)
{
    Page page = {.arena = arena_new()};
    page.unit.arena = page.arena;
    page.unit.ast = ast_new(page.arena);
    LIST_PUSH(page.arena, &page.unit.files, source_from(page.arena, "m.c", text, strlen(text)));
    page.node = ast_leaf(page.unit.ast, AST_OTHER, 0, start, (uint32_t)strlen(text));
    return page;
}

static void excerpt_is(const char *text, size_t most, const char *expected)
{
    Page page = page_of(text, 0);
    assert_string_equal(unit_excerpt(&page.unit, page.node, page.arena, most), expected);
    arena_free(page.arena);
}

static void white_space_runs_become_one_blank(void **state)
{
    (void)state;
    excerpt_is("a[i]", 60, "a[i]");
    excerpt_is("f(a,\n      b)", 60, "f(a, b)");
    excerpt_is("\t x  +\r\n\ty ", 60, "x + y");
    excerpt_is("", 60, "");
    excerpt_is("  \n", 60, "");
}

static void a_long_text_ends_in_an_ellipsis(void **state)
{
    (void)state;
    excerpt_is("abcdefghijkl", 8, "abcdefgh\xe2\x80\xa6");
    excerpt_is("abcdefg", 8, "abcdefg");
}

static void a_text_as_long_as_is_allowed_stays_whole(void **state)
{
    (void)state;
    excerpt_is("abcdefgh", 8, "abcdefgh");
    excerpt_is("ab de gh", 8, "ab de gh");
}

static void an_excerpt_never_grows_past_its_bytes_nor_cuts_a_character(void **state)
{
    (void)state;
    static const char text[] =
        "a\xc3\xa4 b \xe2\x82\xac\xe2\x82\xac  c\xf0\x9f\x8f\x93\xf0\x9f\x8f\x93 tail";
    for (size_t most = 4; most < sizeof text + 4; most++) {
        Page page = page_of(text, 0);
        const unsigned char *cut =
            (const unsigned char *)unit_excerpt(&page.unit, page.node, page.arena, most);
        size_t length = strlen((const char *)cut);
        assert_true(length <= most + 3);
        for (size_t at = 0; at < length;) {
            size_t bytes = cut[at] < 0x80 ? 1 : cut[at] < 0xe0 ? 2 : cut[at] < 0xf0 ? 3 : 4;
            assert_true(cut[at] < 0x80 || cut[at] >= 0xc0);
            for (size_t k = 1; k < bytes; k++)
                if ((cut[at + k] & 0xc0) != 0x80)
                    fail_msg("a character is cut at %zu bytes: %s", most, (const char *)cut);
            at += bytes;
        }
        arena_free(page.arena);
    }
}

static void bytes_that_are_no_text_do_not_overflow(void **state)
{
    (void)state;
    char text[300];
    memset(text, 0x80, sizeof text - 1); /* continuation bytes and nothing to continue */
    text[sizeof text - 1] = '\0';
    Page page = page_of(text, 0);
    assert_true(strlen(unit_excerpt(&page.unit, page.node, page.arena, 20)) <= 23);
    memset(text, ' ', sizeof text - 1);
    for (size_t i = 1; i < sizeof text - 1; i += 2)
        text[i] = (char)0xbf;
    Page spread = page_of(text, 0);
    assert_true(strlen(unit_excerpt(&spread.unit, spread.node, spread.arena, 20)) <= 23);
    arena_free(page.arena);
    arena_free(spread.arena);
}

static void a_span_past_the_end_of_the_file_is_clamped(void **state)
{
    (void)state;
    Page page = page_of("abc", 1);
    ast_at(page.unit.ast, page.node)->stop = 4000000000u;
    assert_string_equal(unit_excerpt(&page.unit, page.node, page.arena, 60), "bc");
    arena_free(page.arena);
}

static void positions_are_those_of_the_nodes_own_file(void **state)
{
    (void)state;
    Page page = page_of("a\nbc", 2);
    LIST_PUSH(page.arena, &page.unit.files, source_from(page.arena, "m.h", "x\n\n\nyyy", 7));
    AstNode included = ast_leaf(page.unit.ast, AST_OTHER, 1, 4, 7);
    assert_int_equal(unit_start(&page.unit, page.node).line, 2);
    assert_int_equal(unit_stop(&page.unit, page.node).column, 3);
    assert_string_equal(unit_source(&page.unit, included)->path, "m.h");
    assert_int_equal(unit_start(&page.unit, included).line, 4);
    assert_int_equal(unit_stop(&page.unit, included).column, 4);
    arena_free(page.arena);
}

static void notes_are_kept_in_order_with_their_texts(void **state)
{
    (void)state;
    Page page = page_of("", 0);
    char path[] = "m.c";
    unit_note(&page.unit, SEVERITY_WARNING, path, 3, "header '%s' is missing", "omp.h");
    path[0] = 'X';
    unit_note(&page.unit, SEVERITY_ERROR, "n.c", 0, "%d%%", 7);
    assert_int_equal(page.unit.notes.count, 2);
    assert_string_equal(page.unit.notes.items[0].message, "header 'omp.h' is missing");
    assert_string_equal(page.unit.notes.items[0].path, "m.c");
    assert_int_equal(page.unit.notes.items[0].line, 3);
    assert_int_equal(page.unit.notes.items[1].level, SEVERITY_ERROR);
    assert_string_equal(page.unit.notes.items[1].message, "7%");
    arena_free(page.arena);
}

static void an_overlong_note_is_cut(void **state)
{
    (void)state;
    Page page = page_of("", 0);
    unit_note(&page.unit, SEVERITY_NOTE, "m.c", 1, "%*s", 100000, "x");
    assert_true(strlen(page.unit.notes.items[0].message) < 2000);
    arena_free(page.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(white_space_runs_become_one_blank),
        cmocka_unit_test(a_long_text_ends_in_an_ellipsis),
        cmocka_unit_test(a_text_as_long_as_is_allowed_stays_whole),
        cmocka_unit_test(an_excerpt_never_grows_past_its_bytes_nor_cuts_a_character),
        cmocka_unit_test(bytes_that_are_no_text_do_not_overflow),
        cmocka_unit_test(a_span_past_the_end_of_the_file_is_clamped),
        cmocka_unit_test(positions_are_those_of_the_nodes_own_file),
        cmocka_unit_test(notes_are_kept_in_order_with_their_texts),
        cmocka_unit_test(an_overlong_note_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
