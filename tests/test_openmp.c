/* OpenMP directives: text in, words and clauses out. */
#include "frontends/c/openmp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

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

static const char *macros(void *context, const char *word, size_t length)
{
    static const char *const known[][2] = {
        {"CHUNK", "16"}, {"SCHEDULE", "schedule(static, CHUNK)"}, {"LOOP", "LOOP"}};
    (void)context;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i][0]) == length && memcmp(known[i][0], word, length) == 0)
            return known[i][1];
    return NULL;
}

static OmpDirective *parse(const char *text)
{
    return omp_parse(arena, text, strlen(text), macros, NULL);
}

/* "reduction + : a , b" and so on: kind's word, name, arguments. */
static const char *clause_text(const OmpDirective *directive, uint32_t index)
{
    assert_true(index < directive->clauses.count);
    const OmpClause *clause = &directive->clauses.items[index];
    const char *text = arena_printf(arena, "%s%s%s:", clause->word, clause->name != NULL ? " " : "",
                                    clause->name != NULL ? clause->name : "");
    for (uint32_t i = 0; i < clause->count; i++)
        text = arena_printf(arena, "%s %s", text, directive->tokens.items[clause->first + i].text);
    return text;
}

static void combined_directives_are_the_sum_of_their_words(void **state)
{
    (void)state;
    assert_int_equal(parse("parallel for simd")->words, OMP_PARALLEL | OMP_FOR | OMP_SIMD);
    assert_int_equal(parse("target teams distribute parallel for")->words,
                     OMP_TARGET | OMP_TEAMS | OMP_DISTRIBUTE | OMP_PARALLEL | OMP_FOR);
    assert_int_equal(parse("parallel master taskloop")->words,
                     OMP_PARALLEL | OMP_MASTER | OMP_TASKLOOP);
    assert_int_equal(parse("masked")->words, OMP_MASTER);
}

static void ordered_behind_for_is_a_clause(void **state)
{
    (void)state;
    OmpDirective *loop = parse("for ordered(2) nowait");
    assert_int_equal(loop->words, OMP_FOR);
    assert_string_equal(clause_text(loop, 0), "ordered: 2");
    assert_string_equal(clause_text(loop, 1), "nowait:");
    assert_int_equal(parse("ordered simd")->words, OMP_ORDERED);
    assert_int_equal(parse("ordered depend(sink: i - 1)")->words, OMP_ORDERED | OMP_STANDALONE);
}

static void a_reduction_has_its_operator_and_its_list(void **state)
{
    (void)state;
    OmpDirective *loop = parse("parallel for reduction(+: a, b[0:n]) reduction(inscan, max : m) "
                               "reduction(&&:ok) reduction(mine:x)");
    assert_string_equal(clause_text(loop, 0), "reduction +: a , b [ 0 : n ]");
    assert_string_equal(clause_text(loop, 1), "reduction max: m");
    assert_string_equal(clause_text(loop, 2), "reduction &&: ok");
    assert_string_equal(clause_text(loop, 3), "reduction mine: x");
}

static void schedules_keep_kind_and_chunk_and_lose_their_modifier(void **state)
{
    (void)state;
    assert_string_equal(clause_text(parse("for schedule(monotonic: dynamic, n / 4)"), 0),
                        "schedule dynamic: n / 4");
    assert_string_equal(clause_text(parse("for schedule(runtime)"), 0), "schedule runtime:");
    assert_string_equal(clause_text(parse("for schedule(static, CHUNK)"), 0),
                        "schedule static: 16");
}

static void a_macro_may_stand_for_a_clause_and_a_macro_of_itself_ends(void **state)
{
    (void)state;
    OmpDirective *loop = parse("parallel for SCHEDULE private(i)");
    assert_string_equal(clause_text(loop, 0), "schedule static: 16");
    assert_string_equal(clause_text(loop, 1), "private: i");
    assert_int_equal(parse("parallel LOOP")->words, OMP_PARALLEL);
}

static void unknown_words_are_kept_and_drop_nothing(void **state)
{
    (void)state;
    OmpDirective *loop = parse("parallel for HYPRE_SMP_SCHEDULE threads_of(image, 1) shared(a)");
    assert_int_equal(loop->words, OMP_PARALLEL | OMP_FOR);
    assert_int_equal(loop->clauses.count, 3);
    assert_int_equal(loop->clauses.items[0].kind, CLAUSE_OTHER);
    assert_string_equal(clause_text(loop, 1), "threads_of threads_of: image , 1");
    assert_int_equal(loop->clauses.items[2].kind, CLAUSE_SHARED);
}

static void commas_comments_and_continued_lines_between_clauses_do_not_matter(void **state)
{
    (void)state;
    OmpDirective *loop = parse(" parallel for \\\n  private(i), /* x) */ \\\r\n shared(a) // end");
    assert_int_equal(loop->clauses.count, 2);
    assert_string_equal(clause_text(loop, 0), "private: i");
    assert_string_equal(clause_text(loop, 1), "shared: a");
}

static void modifiers_in_front_of_a_list_are_cut_off(void **state)
{
    (void)state;
    assert_string_equal(clause_text(parse("for lastprivate(conditional: x)"), 0), "lastprivate: x");
    assert_string_equal(clause_text(parse("parallel if(parallel: n > 4)"), 0), "if: n > 4");
    assert_string_equal(clause_text(parse("parallel if(n ? a : b)"), 0), "if: n ? a : b");
    assert_string_equal(clause_text(parse("simd linear(x: 2) aligned(p: 64)"), 0), "linear: x");
    assert_string_equal(clause_text(parse("parallel default(none)"), 0), "default none:");
}

static void critical_atomic_flush_and_threadprivate_have_their_own_arguments(void **state)
{
    (void)state;
    assert_string_equal(parse("critical (log)")->name, "log");
    assert_null(parse("critical")->name);
    assert_int_equal(parse("atomic")->atomic, ATOMIC_UPDATE);
    assert_int_equal(parse("atomic capture seq_cst")->atomic, ATOMIC_CAPTURE);
    assert_int_equal(parse("atomic read")->atomic, ATOMIC_READ);
    assert_int_equal(parse("threadprivate(a, b)")->count, 3);
    assert_int_equal(parse("flush(x)")->words, OMP_FLUSH | OMP_STANDALONE);
}

static void what_says_nothing_about_a_statement_is_ignored(void **state)
{
    (void)state;
    static const char *const texts[] = {"declare reduction(m : int : omp_out += omp_in)",
                                        "declare simd",
                                        "scan inclusive(x)",
                                        "cancel for",
                                        "metadirective when(user: x)",
                                        "target update to(a)",
                                        "",
                                        "(",
                                        "123"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true((parse(texts[i])->words & OMP_IGNORED) != 0);
}

static void broken_text_ends(void **state)
{
    (void)state;
    static const char *const texts[] = {"parallel for private(",
                                        "for reduction(:)",
                                        "for reduction()",
                                        "for schedule()",
                                        "parallel if(",
                                        "critical(",
                                        "for private)))) shared(a)",
                                        "for collapse",
                                        "for \"",
                                        "for /*"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_non_null(parse(texts[i]));
    assert_string_equal(clause_text(parse("for private)))) shared(a)"), 1), "shared: a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combined_directives_are_the_sum_of_their_words),
        cmocka_unit_test(ordered_behind_for_is_a_clause),
        cmocka_unit_test(a_reduction_has_its_operator_and_its_list),
        cmocka_unit_test(schedules_keep_kind_and_chunk_and_lose_their_modifier),
        cmocka_unit_test(a_macro_may_stand_for_a_clause_and_a_macro_of_itself_ends),
        cmocka_unit_test(unknown_words_are_kept_and_drop_nothing),
        cmocka_unit_test(commas_comments_and_continued_lines_between_clauses_do_not_matter),
        cmocka_unit_test(modifiers_in_front_of_a_list_are_cut_off),
        cmocka_unit_test(critical_atomic_flush_and_threadprivate_have_their_own_arguments),
        cmocka_unit_test(what_says_nothing_about_a_statement_is_ignored),
        cmocka_unit_test(broken_text_ends),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
