/* A mistyped word and the known ones in, the nearest out. */
#include "analyzer/base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const char *nearest(const char *word)
{
    static const char *const known[] = {"view-per-cell",     "alloc-in-kernel", "adjacent-slots",
                                        "missing-reduction", "fail-on",         "format"};
    Nearest best = nearest_to(word);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        nearest_try(&best, known[i]);
    return best.best;
}

static void a_slip_finds_the_word_that_was_meant(void **state)
{
    (void)state;
    assert_string_equal(nearest("view-per-cel"), "view-per-cell");
    assert_string_equal(nearest("adjacnet-slots"), "adjacent-slots");
    assert_string_equal(nearest("missing_reduction"), "missing-reduction");
    assert_string_equal(nearest("fromat"), "format");
    assert_string_equal(nearest("failon"), "fail-on");
    assert_string_equal(nearest("alloc-in-kernel"), "alloc-in-kernel");
}

static void a_word_that_is_like_none_has_no_nearest(void **state)
{
    (void)state;
    assert_null(nearest("threads"));
    assert_null(nearest("xyzzy"));
    assert_null(nearest(""));
}

static void of_two_equally_near_words_the_first_stays(void **state)
{
    (void)state;
    Nearest best = nearest_to("aaab");
    nearest_try(&best, "aaac");
    nearest_try(&best, "aaad");
    assert_string_equal(best.best, "aaac");
}

static void overlong_words_are_near_nothing_and_do_no_harm(void **state)
{
    (void)state;
    char word[5000];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    Nearest best = nearest_to("aaa");
    nearest_try(&best, word);
    assert_null(best.best);
    Nearest other = nearest_to(word); /* of which a third may be wrong */
    nearest_try(&other, "aaa");
    assert_null(other.best);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slip_finds_the_word_that_was_meant),
        cmocka_unit_test(a_word_that_is_like_none_has_no_nearest),
        cmocka_unit_test(of_two_equally_near_words_the_first_stays),
        cmocka_unit_test(overlong_words_are_near_nothing_and_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
