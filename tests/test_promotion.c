/* One update in a loop of all threads in, what compilers leave of it in memory out: the table of
 * promotion.c, which was read off the code of gcc and clang. */
#include "analyzer/facts/promotion.h"
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static Promotion promotion(const char *body)
{
    Text text = {0};
    text_printf(&text,
                "#include <omp.h>\ndouble total; static double hidden; long hits; int few;\n"
                "long step(long);\nstruct lane { long count; double sum; };\n"
                "double f(const double *x, const int *key, double *to, long *out, double *y,\n"
                "         struct lane *lane, long n) {\ndouble own = 0; long many = 0;\n"
                "#pragma omp parallel for\nfor (long i = 0; i < n; i++) { %s }\n"
                "return own + many + hidden; }\n",
                body);
    Lint lint = lint_c(text_string(&text));
    Promotion found = {0};
    for (uint32_t i = 0; i < facts_event_count(lint.facts); i++) {
        const Event *event = facts_event(lint.facts, i);
        if (event->effect->kind == EFFECT_ACCUMULATE)
            found = event_promotion(lint.facts, event);
    }
    lint_free(&lint);
    text_free(&text);
    return found;
}

static void is(const char *body, bool loads, bool whole)
{
    Promotion seen = promotion(body);
    if (seen.loads != loads || seen.whole != whole)
        fail_msg("%s: loads %d, whole %d", body, seen.loads, seen.whole);
}

static void a_sum_is_carried_and_stored_where_only_loads_may_read_it(void **state)
{
    (void)state;
    is("own += x[i];", true, true);
    is("total += x[i];", true, false);
    is("hits += key[i];", true, true); /* an int is no long */
    is("*to += x[i];", true, false);
    is("*out += key[i];", true, true);
    is("lane->sum += x[i];", true, false);
    is("lane->count += key[i];", true, true);
}

static void a_store_that_may_change_it_or_a_call_leaves_the_load(void **state)
{
    (void)state;
    is("total += x[i]; y[i] = 0;", false, false);
    is("own += x[i]; y[i] = 0;", false, true);
    is("hidden += x[i]; y[i] = 0;", true, true);
    is("many += step(i);", false, false);
}

static void a_condition_leaves_it_but_of_variables(void **state)
{
    (void)state;
    is("if (key[i] > 3) many++;", true, true);
    is("if (key[i] > 3) hits++;", true, true);
    is("if (key[i] > 3) few++;", false, false);
    is("if (key[i] > 3) (*out)++;", false, false);
    is("if (key[i] > 3) continue; (*out)++;", false, false);
}

static void sums_of_fractions_wait_for_each_other(void **state)
{
    (void)state;
    assert_true(promotion("own += x[i];").waits);
    assert_false(promotion("many += key[i];").waits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_is_carried_and_stored_where_only_loads_may_read_it),
        cmocka_unit_test(a_store_that_may_change_it_or_a_call_leaves_the_load),
        cmocka_unit_test(a_condition_leaves_it_but_of_variables),
        cmocka_unit_test(sums_of_fractions_wait_for_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
