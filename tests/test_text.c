/* A growing text. */
#include "analyzer/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void nothing_added_is_an_empty_text(void **state)
{
    (void)state;
    Text text = {0};
    assert_string_equal(text_string(&text), "");
    text_add(&text, "", 0);
    text_puts(&text, "");
    text_printf(&text, "%s", "");
    assert_string_equal(text_string(&text), "");
    assert_int_equal(text.length, 0);
    text_free(&text);
}

static void parts_follow_each_other(void **state)
{
    (void)state;
    Text text = {0};
    text_puts(&text, "loops ");
    text_putc(&text, 'i');
    text_add(&text, ", j and so on", 3);
    text_printf(&text, " and %c, %d of them", 'k', 3);
    assert_string_equal(text_string(&text), "loops i, j and k, 3 of them");
    assert_int_equal(text.length, strlen("loops i, j and k, 3 of them"));
    text_free(&text);
}

static void bytes_of_zero_are_kept(void **state)
{
    (void)state;
    Text text = {0};
    text_add(&text, "a\0b", 3);
    text_putc(&text, '\0');
    assert_int_equal(text.length, 4);
    assert_memory_equal(text.bytes, "a\0b\0", 5);
    text_free(&text);
}

static void a_long_text_grows_at_every_way_of_adding(void **state)
{
    (void)state;
    Text text = {0};
    for (int i = 0; i < 5000; i++) {
        text_putc(&text, 'x');
        text_puts(&text, "yy");
        text_printf(&text, "%03d", i % 1000);
    }
    assert_int_equal(text.length, 5000 * 6);
    assert_int_equal(strlen(text_string(&text)), text.length);
    text_printf(&text, "%*s", 100000, "end");
    assert_int_equal(text.length, 5000 * 6 + 100000);
    text_free(&text);
}

static void after_it_is_freed_it_can_be_used_again(void **state)
{
    (void)state;
    Text text = {0};
    text_puts(&text, "old");
    text_free(&text);
    assert_string_equal(text_string(&text), "");
    text_puts(&text, "new");
    assert_string_equal(text_string(&text), "new");
    text_free(&text);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_added_is_an_empty_text),
        cmocka_unit_test(parts_follow_each_other),
        cmocka_unit_test(bytes_of_zero_are_kept),
        cmocka_unit_test(a_long_text_grows_at_every_way_of_adding),
        cmocka_unit_test(after_it_is_freed_it_can_be_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
