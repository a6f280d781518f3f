/* A parallel construct with one update in, how far the places of neighbouring threads lie apart,
 * out. */
#include "analyzer/facts/slot.h"
#include "tests/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* The slot of the last accumulation or write to an element; false where there is none. */
static bool slot_in(Lint lint, Slot *slot)
{
    bool found = false;
    for (uint32_t i = 0; i < facts_event_count(lint.facts); i++) {
        const Event *event = facts_event(lint.facts, i);
        bool writes = event->effect->kind == EFFECT_ACCUMULATE ||
                      event->effect->kind == EFFECT_WRITE || event->effect->kind == EFFECT_ATOMIC;
        if (writes && event->effect->place.count > 0)
            found = event_slot(lint.facts, event, slot);
    }
    lint_free(&lint);
    return found;
}

static bool c_slot(const char *globals, const char *body, Slot *slot)
{
    Text text = {0};
    text_printf(&text,
                "#include <omp.h>\n#include <stdlib.h>\n%s\n"
                "void f(long *p, long **rows, const int *key, long n) {\n%s\n}\n",
                globals, body);
    bool found = slot_in(lint_c(text_string(&text)), slot);
    text_free(&text);
    return found;
}

static void elements_by_thread_id_lie_an_element_apart(void **state)
{
    (void)state;
    Slot slot;
    assert_true(c_slot("",
                       "#pragma omp parallel\nfor (long i = 0; i < n; i++)\n"
                       "p[omp_get_thread_num()] += 1;",
                       &slot));
    assert_int_equal(slot.stride, 8);
    assert_int_equal(slot.offset, 0);
    assert_int_equal(slot.size, 8);
    assert_true(slot.by_id && slot.fixed && slot.memory);
    assert_false(slot.aligned);
}

static void padding_by_the_index_or_by_a_struct_makes_the_distance(void **state)
{
    (void)state;
    Slot slot;
    assert_true(c_slot("",
                       "#pragma omp parallel\n{ int t = omp_get_thread_num();\n"
                       "for (long i = 0; i < n; i++) p[t * 8] += 1; }",
                       &slot));
    assert_int_equal(slot.stride, 64);
    assert_true(c_slot("struct lane { int id; long hits; char pad[48]; } lane[8];",
                       "#pragma omp parallel\nfor (long i = 0; i < n; i++)\n"
                       "lane[omp_get_thread_num()].hits += 1;",
                       &slot));
    assert_int_equal(slot.stride, 64);
    assert_int_equal(slot.offset, 8);
    assert_int_equal(slot.size, 8);
}

static void rows_of_an_array_of_arrays_are_a_row_apart(void **state)
{
    (void)state;
    Slot slot;
    assert_true(c_slot("long table[8][16];",
                       "#pragma omp parallel\nfor (long i = 0; i < n; i++)\n"
                       "table[omp_get_thread_num()][2] += 1;",
                       &slot));
    assert_int_equal(slot.stride, 128);
    assert_int_equal(slot.offset, 16);
    assert_true(c_slot("long table[8][16];",
                       "#pragma omp parallel\nfor (long i = 0; i < n; i++)\n"
                       "table[omp_get_thread_num()][key[i]] += 1;",
                       &slot));
    assert_int_equal(slot.offset, -1);
    assert_false(slot.fixed);
}

static void a_declared_alignment_makes_whole_lines(void **state)
{
    (void)state;
    Slot slot;
    assert_true(c_slot("struct lane { _Alignas(64) long hits; } lane[8];",
                       "#pragma omp parallel\nfor (long i = 0; i < n; i++)\n"
                       "lane[omp_get_thread_num()].hits += 1;",
                       &slot));
    assert_int_equal(slot.stride, 64);
    assert_true(slot.aligned);
    assert_true(c_slot("_Alignas(64) long hits[8][8];",
                       "#pragma omp parallel\nfor (long i = 0; i < n; i++)\n"
                       "hits[omp_get_thread_num()][0] += 1;",
                       &slot));
    assert_true(slot.aligned);
    assert_true(c_slot("_Alignas(64) long hits[8];",
                       "#pragma omp parallel\nfor (long i = 0; i < n; i++)\n"
                       "hits[omp_get_thread_num()] += 1;",
                       &slot));
    assert_false(slot.aligned);
}

static void a_plain_array_is_no_memory_that_the_compiler_must_write(void **state)
{
    (void)state;
    Slot slot;
    assert_true(c_slot("",
                       "long hits[8] = {0};\n#pragma omp parallel\n"
                       "for (long i = 0; i < n; i++) hits[omp_get_thread_num()] += 1;\n"
                       "p[0] = hits[0];",
                       &slot));
    assert_false(slot.memory);
    assert_true(c_slot("",
                       "long *hits = calloc(8, 8);\n#pragma omp parallel\n"
                       "for (long i = 0; i < n; i++) hits[omp_get_thread_num()] += 1;",
                       &slot));
    assert_true(slot.memory);
}

static void the_variable_of_a_loop_over_threads_picks_a_slot(void **state)
{
    (void)state;
    Slot slot;
    assert_true(c_slot("",
                       "int team = omp_get_max_threads();\n#pragma omp parallel for\n"
                       "for (long t = 0; t < team; t++)\n"
                       "for (long i = 0; i < n; i++) p[t] += key[i];",
                       &slot));
    assert_int_equal(slot.stride, 8);
    assert_false(slot.by_id);
    assert_true(c_slot("",
                       "enum { TEAM = 8 };\n#pragma omp parallel for\n"
                       "for (long t = 0; t < TEAM; t++)\n"
                       "for (long i = 0; i < n; i++) p[t] += key[i];",
                       &slot));
    assert_false(c_slot("",
                        "#pragma omp parallel for\nfor (long row = 0; row < 8; row++)\n"
                        "for (long i = 0; i < n; i++) p[row] += key[i];",
                        &slot));
}

static void the_own_element_of_an_ordinary_loop_is_no_slot(void **state)
{
    (void)state;
    Slot slot;
    assert_false(c_slot("",
                        "#pragma omp parallel for\nfor (long t = 0; t < n; t++)\n"
                        "for (long i = 0; i < n; i++) p[t] += key[i];",
                        &slot));
    assert_false(c_slot("",
                        "#pragma omp parallel for\nfor (long t = 0; t < 100000; t++)\n"
                        "for (long i = 0; i < n; i++) p[t] += key[i];",
                        &slot));
}

static void shared_elements_and_arrays_of_pointers_are_no_slots(void **state)
{
    (void)state;
    Slot slot;
    assert_false(
        c_slot("", "#pragma omp parallel\nfor (long i = 0; i < n; i++) p[3] += 1;", &slot));
    assert_false(
        c_slot("", "#pragma omp parallel\nfor (long i = 0; i < n; i++) p[key[i]] += 1;", &slot));
    assert_false(c_slot("",
                        "#pragma omp parallel\nfor (long i = 0; i < n; i++)\n"
                        "rows[omp_get_thread_num()][0] += 1;",
                        &slot));
}

static void a_slot_is_reached_through_the_argument_of_a_thread(void **state)
{
    (void)state;
    Slot slot;
    assert_true(slot_in(lint_c("#include <pthread.h>\nstruct job { long hits; long n; };\n"
                               "static void *work(void *p) { struct job *job = p;\n"
                               "for (long k = 0; k < job->n; k++) job->hits += k; return 0; }\n"
                               "void f(struct job *job, pthread_t *id) {\n"
                               "for (int w = 0; w < 8; w++)\n"
                               "pthread_create(&id[w], 0, work, &job[w]);\n}\n"),
                        &slot));
    assert_int_equal(slot.stride, 16);
    assert_true(slot.memory);
}

static void a_slot_is_reached_through_a_helper(void **state)
{
    (void)state;
    Slot slot;
    assert_true(
        slot_in(lint_c("#include <omp.h>\n"
                       "static void add(int *slot, int by) { *slot += by; }\n"
                       "void f(int *p, long n) {\n#pragma omp parallel\n"
                       "for (long i = 0; i < n; i++) add(&p[omp_get_thread_num()], 1);\n}\n"),
                &slot));
    assert_int_equal(slot.stride, 4);
}

/* ---- Python ---- */

static bool py_slot(const char *made, const char *target, Slot *slot)
{
    Text text = {0};
    text_printf(&text,
                "from numba import get_thread_id\n@njit(parallel=True)\ndef f(key, n):\n"
                "    acc = %s\n    for i in prange(n):\n        t = get_thread_id()\n"
                "        for j in range(n):\n            %s += 1\n    return acc\n",
                made, target);
    bool found = slot_in(lint_python(text_string(&text)), slot);
    text_free(&text);
    return found;
}

static void the_shape_an_array_was_made_with_tells_the_distance(void **state)
{
    (void)state;
    static const struct {
        const char *made, *target;
        int64_t stride;
    } cases[] = {
        {"np.zeros(64)", "acc[t]", 8},
        {"np.zeros((64, 8))", "acc[t, 0]", 64},
        {"np.zeros((64, 2, 4))", "acc[t, 1, 2]", 64},
        {"np.zeros(64, dtype=np.float32)", "acc[t]", 4},
        {"np.zeros(64, np.int8)", "acc[t]", 1},
        {"np.zeros((64, 3), dtype=np.complex128)", "acc[t, 0]", 48},
        {"np.zeros((3, 64))", "acc[0, t]", 8},
        {"np.empty(shape=64)", "acc[t]", 8},
        {"np.full((64, 4), 0)", "acc[t, key[j]]", 32},
        {"np.zeros(64)", "acc[8 * t]", 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Slot slot = {0};
        if (!py_slot(cases[i].made, cases[i].target, &slot) || slot.stride != cases[i].stride)
            fail_msg("%s of %s: %lld bytes", cases[i].target, cases[i].made,
                     (long long)slot.stride);
    }
}

static void an_unknown_width_is_no_slot(void **state)
{
    (void)state;
    Slot slot;
    assert_false(py_slot("np.zeros((64, n))", "acc[t, 0]", &slot));
    assert_false(py_slot("np.zeros_like(key)", "acc[t]", &slot));
    assert_false(py_slot("np.zeros(64)", "acc[key[j]]", &slot));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_by_thread_id_lie_an_element_apart),
        cmocka_unit_test(padding_by_the_index_or_by_a_struct_makes_the_distance),
        cmocka_unit_test(rows_of_an_array_of_arrays_are_a_row_apart),
        cmocka_unit_test(a_declared_alignment_makes_whole_lines),
        cmocka_unit_test(a_plain_array_is_no_memory_that_the_compiler_must_write),
        cmocka_unit_test(the_variable_of_a_loop_over_threads_picks_a_slot),
        cmocka_unit_test(the_own_element_of_an_ordinary_loop_is_no_slot),
        cmocka_unit_test(shared_elements_and_arrays_of_pointers_are_no_slots),
        cmocka_unit_test(a_slot_is_reached_through_the_argument_of_a_thread),
        cmocka_unit_test(a_slot_is_reached_through_a_helper),
        cmocka_unit_test(the_shape_an_array_was_made_with_tells_the_distance),
        cmocka_unit_test(an_unknown_width_is_no_slot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
