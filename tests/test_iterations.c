/* Pairs of iterations: answers that can be counted on fingers. */
#include "analyzer/polyhedral/iterations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

static const Quasi *number(int64_t value)
{
    return quasi_constant(arena, value);
}

static const Quasi *plus(const Quasi *left, int64_t factor, const Quasi *right)
{
    return quasi_sum(arena, left, factor, right);
}

/* for (v0 = 0; v0 < f0; v0++), dealt out */
static Iterations dealt(const Quasi *subscript)
{
    Iterations question = {.loop_count = 1, .fixed_count = 1, .subscript_count = 1};
    question.loops[0] = (Nested){number(0), quasi_fixed(arena, 0), 1, true};
    question.subscripts[0] = subscript;
    return question;
}

static void add_loop(Iterations *question, const Quasi *first, const Quasi *limit)
{
    question->loops[question->loop_count++] = (Nested){first, limit, 1, false};
}

static void expect_meet(const Iterations *question, int64_t first, int64_t second)
{
    int64_t witness[2];
    assert_int_equal(iterations_meet(question, witness), ANSWER_MEET);
    assert_int_equal(witness[0], first);
    assert_int_equal(witness[1], second);
}

static void expect(const Iterations *question, Answer answer)
{
    int64_t witness[2];
    assert_int_equal(iterations_meet(question, witness), answer);
}

static void elements_of_their_own_never_meet(void **state)
{
    (void)state;
    Iterations question = dealt(plus(number(3), -2, quasi_loop(arena, 0)));
    expect(&question, ANSWER_NEVER);
}

static void remainders_and_quotients_meet(void **state)
{
    (void)state;
    Iterations question = dealt(quasi_modulo(arena, quasi_loop(arena, 0), 8));
    expect_meet(&question, 0, 8);
    question = dealt(quasi_floor(arena, quasi_loop(arena, 0), 5));
    expect_meet(&question, 0, 1);
    question.chunk = 5; /* whole quotients go to one thread */
    expect(&question, ANSWER_NEVER);
    question.chunk = 4;
    expect_meet(&question, 0, 4);
}

static void windows_overlap_and_blocks_do_not(void **state)
{
    (void)state;
    Iterations question = dealt(plus(quasi_loop(arena, 0), 1, quasi_loop(arena, 1)));
    add_loop(&question, number(0), number(3));
    expect_meet(&question, 0, 1);
    question.subscripts[0] = plus(quasi_loop(arena, 1), 3, quasi_loop(arena, 0));
    expect(&question, ANSWER_NEVER);
    question.subscripts[0] = plus(quasi_loop(arena, 1), 2, quasi_loop(arena, 0));
    expect_meet(&question, 0, 1);
    question.loops[0].step = 2; /* 0, 4, 8, … with 0 to 2 added */
    expect(&question, ANSWER_NEVER);
}

static void what_depends_on_an_unknown_width_stays_open(void **state)
{
    (void)state;
    Iterations question = dealt(plus(quasi_loop(arena, 1), 8, quasi_loop(arena, 0)));
    add_loop(&question, number(0), quasi_fixed(arena, 1));
    question.fixed_count = 2;
    expect(&question, ANSWER_UNKNOWN);
    question.subscripts[0] = plus(quasi_loop(arena, 0), 1, quasi_loop(arena, 1));
    expect_meet(&question, 0, 1); /* two turns are enough */
}

static void a_triangle_meets_on_its_column(void **state)
{
    (void)state;
    Iterations question = dealt(quasi_loop(arena, 1));
    add_loop(&question, plus(number(1), 1, quasi_loop(arena, 0)), quasi_fixed(arena, 0));
    expect_meet(&question, 0, 1);
}

static void conditions_count(void **state)
{
    (void)state;
    Iterations question = dealt(plus(quasi_loop(arena, 0), 1, quasi_loop(arena, 1)));
    add_loop(&question, number(0), number(2));
    question.conditions[0] = (Condition){quasi_loop(arena, 1), number(0), RELATION_EQ};
    question.condition_count = 1;
    expect(&question, ANSWER_NEVER);
    question.conditions[0].relation = RELATION_LE;
    expect(&question, ANSWER_NEVER);
    question.conditions[0] = (Condition){number(-1), quasi_loop(arena, 1), RELATION_LT};
    expect_meet(&question, 0, 1);
}

static void lines_are_shared_at_the_edges_of_chunks(void **state)
{
    (void)state;
    Iterations question = dealt(quasi_loop(arena, 0));
    question.stride = 8;
    question.line = 64;
    expect_meet(&question, 0, 1);
    question.chunk = 3;
    expect_meet(&question, 0, 3);
    question.chunk = 8; /* a line each, where the array starts on one */
    expect(&question, ANSWER_NEVER);
    question.subscripts[0] = plus(number(1), 1, quasi_loop(arena, 0));
    expect_meet(&question, 7, 8);
}

static void incomplete_questions_have_no_answer(void **state)
{
    (void)state;
    Iterations question = dealt(quasi_floor(arena, quasi_loop(arena, 0), 0));
    assert_null(question.subscripts[0]);
    expect(&question, ANSWER_UNKNOWN);
    question = dealt(quasi_loop(arena, 0));
    question.loops[0].dealt = false;
    expect(&question, ANSWER_UNKNOWN);
}

/* Remainders by large primes of sums: more work than it may take. */
static void the_bound_ends_what_takes_too_long(void **state)
{
    (void)state;
    static const int64_t primes[] = {1009, 1013, 1019, 1021};
    Iterations question = dealt(NULL);
    for (int i = 1; i < ITERATION_LOOPS; i++)
        add_loop(&question, number(0), quasi_fixed(arena, (uint32_t)i % ITERATION_FIXED));
    question.fixed_count = ITERATION_FIXED;
    question.subscript_count = ITERATION_SUBSCRIPTS;
    for (int i = 0; i < ITERATION_SUBSCRIPTS; i++) {
        const Quasi *sum = number(i);
        for (uint32_t k = 0; k < ITERATION_LOOPS; k++)
            sum = plus(quasi_modulo(arena, sum, primes[i]), primes[(i + (int)k) % 4],
                       quasi_floor(arena, quasi_loop(arena, k), primes[k % 4] - 2));
        question.subscripts[i] = quasi_modulo(arena, sum, primes[i]);
    }
    expect(&question, ANSWER_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_their_own_never_meet),
        cmocka_unit_test(remainders_and_quotients_meet),
        cmocka_unit_test(windows_overlap_and_blocks_do_not),
        cmocka_unit_test(what_depends_on_an_unknown_width_stays_open),
        cmocka_unit_test(a_triangle_meets_on_its_column),
        cmocka_unit_test(conditions_count),
        cmocka_unit_test(lines_are_shared_at_the_edges_of_chunks),
        cmocka_unit_test(incomplete_questions_have_no_answer),
        cmocka_unit_test(the_bound_ends_what_takes_too_long),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
