/* The formulas against the figures that were measured: the tables of the stories are the tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/number/predict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two vCPUs of one cache complex (Zen). */
static Machine two_cpus(void)
{
    Machine machine = machine_generic();
    snprintf(machine.name, sizeof machine.name, "two");
    machine.threads = machine.cores = 2;
    machine.op_ns.value = 1;
    machine.load_ns[0].value = 1.1;
    machine.atomic_ns.value = 1.53;
    machine.transfer_ns.value = 20;
    machine.view_ns.value = 2.35;
    machine.numba_alloc_ns.value = 37;
    machine.line_bytes = 64;
    machine.atomic_shared_ns = (Curve){.count = 2, .at = {1, 2}, .value = {1.53, 9.8}};
    machine.plain_shared_ns = (Curve){.count = 2, .at = {1, 2}, .value = {1.1, 12.4}};
    machine.malloc_ns = (Curve){.count = 2, .at = {16, 1024}, .value = {9, 9}};
    machine.malloc_threads = (Curve){.count = 2, .at = {1, 2}, .value = {1, 1}};
    return machine;
}

static void between(double value, double low, double high)
{
    if (value < low || value > high)
        fail_msg("%g is not in [%g, %g]", value, low, high);
}

/* ns that the whole team takes per cell. */
static double cell_ns(const Machine *machine, double work, double events, ExposureSharing sharing,
                      int threads)
{
    Exposure exposure = {.threads = threads, .work_ns = work, .events = events, .sharing = sharing};
    return predict_view(machine, &exposure) * work / threads;
}

static void uncounted_views_cost_their_building_and_scale(void **state)
{
    (void)state;
    Machine machine = two_cpus();
    between(cell_ns(&machine, 4.1, 2, SHARING_NONE, 1), 8.6, 9.0);
    between(cell_ns(&machine, 4.1, 2, SHARING_NONE, 2), 4.3, 4.5);
}

static void counted_views_on_one_thread_cost_little_more_than_uncounted_ones(void **state)
{
    (void)state;
    Machine machine = two_cpus();
    between(cell_ns(&machine, 4.1, 2, SHARING_ALL, 1), 8.5, 10.5);
    between(cell_ns(&machine, 4.1, 2, SHARING_PRIVATE, 2), 4.2, 5.3);
}

static void shared_counts_make_two_threads_slower_than_one(void **state)
{
    (void)state;
    Machine machine = two_cpus();
    between(cell_ns(&machine, 4.1, 2, SHARING_ALL, 2), 18, 28);
    between(cell_ns(&machine, 4.1, 1, SHARING_ALL, 2), 9, 18);
}

static void twelve_threads_advance_one_cell_in_28_ns_whatever_its_size(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    between(cell_ns(&machine, 4.25, 1, SHARING_ALL, 12), 26, 30);
    between(cell_ns(&machine, 40, 1, SHARING_ALL, 12), 26, 30);
    Exposure exposure = {.threads = 12, .work_ns = 4.25, .events = 1, .sharing = SHARING_ALL};
    between(predict_view(&machine, &exposure), 75, 83);
}

static void beside_much_work_a_shared_count_costs_its_way_only(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    between(predict_shared_line(&machine, 12, 10000, 2) / 10000, 1, 1.01);
    between(predict_shared_line(&machine, 2, 100, 2), 115, 150); /* 130 and 108 measured */
}

static void one_thread_pays_no_transfer(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    assert_true(fabs(predict_shared_line(&machine, 1, 10, 2) - 10 - 2 * machine.atomic_ns.value) <
                1e-9);
}

static double slots(const Machine *machine, double work, double stride, ExposureAccess access,
                    int threads)
{
    Exposure exposure = {.threads = threads,
                         .work_ns = work,
                         .events = 1,
                         .stride = stride,
                         .bytes = 8,
                         .access = access};
    return predict_slots(machine, &exposure);
}

static void updates_of_adjacent_slots_follow_the_measured_table(void **state)
{
    (void)state;
    Machine machine = two_cpus();
    between(slots(&machine, 1.7, 8, ACCESS_UPDATE, 2), 2.5, 3.5);
    between(slots(&machine, 3.3, 8, ACCESS_UPDATE, 2), 2.5, 3.5);
    between(slots(&machine, 6.7, 8, ACCESS_UPDATE, 2), 1.3, 1.8);
    between(slots(&machine, 13, 8, ACCESS_UPDATE, 2), 1, 1.3);
}

static void stores_padded_slots_and_one_thread_cost_nothing(void **state)
{
    (void)state;
    Machine machine = two_cpus();
    assert_true(slots(&machine, 1.7, 8, ACCESS_STORE, 2) == 1);
    assert_true(slots(&machine, 1.7, 64, ACCESS_UPDATE, 2) == 1);
    assert_true(slots(&machine, 1.7, 64, ACCESS_ATOMIC, 2) == 1);
    assert_true(slots(&machine, 1.7, 8, ACCESS_UPDATE, 1) == 1);
}

static void more_neighbours_on_a_line_cost_more_and_packed_atomics_cost_2_to_4_times(void **state)
{
    (void)state;
    Machine generic = machine_generic(), two = two_cpus();
    assert_true(slots(&generic, 3.3, 8, ACCESS_UPDATE, 12) >
                slots(&generic, 3.3, 32, ACCESS_UPDATE, 12));
    between(slots(&two, 1.7, 8, ACCESS_ATOMIC, 2), 2, 4);
}

static double allocation(const Machine *machine, Exposure exposure)
{
    return predict_allocation(machine, &exposure);
}

static void a_small_malloc_is_overhead_beside_small_bodies_only(void **state)
{
    (void)state;
    Machine machine = two_cpus();
    Exposure exposure = {.threads = 2, .work_ns = 4.6, .events = 1, .bytes = 64};
    between(allocation(&machine, exposure), 2.7, 3.3);
    exposure.work_ns = 74;
    between(allocation(&machine, exposure), 1.08, 1.15);
}

static void an_array_in_a_numba_kernel_contends_where_the_allocator_counts(void **state)
{
    (void)state;
    Machine machine = two_cpus();
    Exposure exposure = {
        .threads = 2, .work_ns = 7.6, .events = 1, .overhead_ns = 37, .sharing = SHARING_ALL};
    between(allocation(&machine, exposure), 10, 12); /* 83 against 7.6 ns */
    exposure.sharing = SHARING_NONE;
    between(allocation(&machine, exposure), 5.7, 6);
}

static void a_race_costs_what_plain_updates_of_one_line_cost(void **state)
{
    (void)state;
    Machine machine = two_cpus();
    Exposure exposure = {
        .threads = 2, .work_ns = 1.7, .events = 1, .sharing = SHARING_ALL, .access = ACCESS_UPDATE};
    between(predict_race(&machine, &exposure), 1.9, 3.5);
    exposure.work_ns = 100;
    between(predict_race(&machine, &exposure), 1, 1.05);
    exposure.access = ACCESS_STORE;
    assert_true(predict_race(&machine, &exposure) == 1);
}

/* Two cores of a server on which an update that needs a line from the other takes 25 ns, and one of
 * an own word of a shared line 1.3 times what it takes alone: ns of work, and the measured ratio.
 */
static void words_at_random_need_their_line_more_often_than_one(void **state)
{
    (void)state;
    Machine machine = two_cpus();
    machine.plain_shared_ns = (Curve){.count = 2, .at = {1, 2}, .value = {1.6, 25}};
    machine.plain_own_threads = (Curve){.count = 2, .at = {1, 2}, .value = {1, 1.3}};
    Exposure exposure = {.threads = 2, .events = 1, .stride = 32, .access = ACCESS_UPDATE};
    static const double table[][4] = {{1.9, 1.16, 3.6, 7.9},
                                      {4.7, 1.32, 2.25, 4.5},
                                      {11, 1.32, 1.66, 1.9},
                                      {49, 1.07, 1.18, 1.07}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        exposure.work_ns = table[i][0];
        exposure.bytes = 8;
        between(predict_slots(&machine, &exposure), table[i][1] / 1.3, table[i][1] * 1.3);
        exposure.bytes = 32;
        between(predict_slots(&machine, &exposure), table[i][2] / 1.3, table[i][2] * 1.3);
        exposure.bytes = 128;
        exposure.sharing = SHARING_ALL;
        between(predict_race(&machine, &exposure), table[i][3] / 1.3, table[i][3] * 1.3);
        exposure.sharing = SHARING_NONE;
    }
}

static void no_work_at_all_gives_a_finite_prediction(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    Exposure exposure = {.threads = 12, .events = 1, .sharing = SHARING_ALL};
    assert_true(isfinite(predict_view(&machine, &exposure)));
    assert_true(isfinite(predict_allocation(&machine, &exposure)));
    assert_true(isfinite(predict_slots(&machine, &exposure)));
    assert_true(isfinite(predict_race(&machine, &exposure)));
}

/* The predicted slowdown is what the test writes into work_ns. */
static double as_told(const Machine *machine, const Exposure *exposure)
{
    (void)machine;
    return exposure->work_ns;
}

static Finding predicted(const Rule *rule, Exposure exposure, double min_slowdown)
{
    Arena *arena = arena_new();
    Machine machine = two_cpus();
    Findings findings = {0};
    LIST_PUSH(arena, &findings, (Finding){.rule = rule, .exposure = exposure});
    predict_findings(&findings, arena, &machine, 12, min_slowdown);
    Finding finding = findings.items[0];
    if (rule->predict != NULL)
        assert_string_equal(finding.predicted_machine, "two");
    finding.predicted_machine = NULL; /* goes with the arena */
    arena_free(arena);
    return finding;
}

static void a_team_of_one_does_the_work_of_all_and_a_crowd_is_another_thing(void **state)
{
    (void)state;
    Machine machine = two_cpus();
    Exposure exposure = {.threads = 2, .work_ns = 1e6, .events = 0.5};
    between(predict_oversubscription(&machine, &exposure), 1.9, 2);
    exposure.events = 2; /* late by the patience of one, whatever part of the work is locked */
    double crowd = predict_oversubscription(&machine, &exposure);
    between(crowd, 1.01, 1.1);
    exposure.share = 1;
    assert_true(predict_oversubscription(&machine, &exposure) == crowd);
}

static void severity_follows_the_predicted_slowdown(void **state)
{
    (void)state;
    const Rule rule = {.id = "r", .severity = SEVERITY_NOTE, .predict = as_told};
    assert_int_equal(predicted(&rule, (Exposure){.work_ns = 2}, 1.2).severity, SEVERITY_ERROR);
    assert_int_equal(predicted(&rule, (Exposure){.work_ns = 1.99}, 1.2).severity, SEVERITY_WARNING);
    assert_int_equal(predicted(&rule, (Exposure){.work_ns = 1.2}, 1.2).severity, SEVERITY_WARNING);
    assert_int_equal(predicted(&rule, (Exposure){.work_ns = 1.19}, 1.2).severity, SEVERITY_NOTE);
    assert_int_equal(predicted(&rule, (Exposure){.work_ns = 1.5}, 1.6).severity, SEVERITY_NOTE);
}

static void a_rule_about_wrong_results_stays_an_error(void **state)
{
    (void)state;
    const Rule rule = {.id = "r", .severity = SEVERITY_ERROR, .predict = as_told};
    assert_int_equal(predicted(&rule, (Exposure){.work_ns = 1}, 1.2).severity, SEVERITY_ERROR);
}

static void what_the_rule_calls_a_note_stays_one(void **state)
{
    (void)state;
    const Rule slow = {.id = "r", .severity = SEVERITY_NOTE, .predict = as_told};
    Arena *arena = arena_new();
    Machine machine = two_cpus();
    Findings findings = {0};
    Finding note = {.rule = &slow, .exposure = {.work_ns = 9}, .note_only = true};
    LIST_PUSH(arena, &findings, note);
    predict_findings(&findings, arena, &machine, 12, 1.2);
    assert_int_equal(findings.items[0].severity, SEVERITY_NOTE);
    assert_true(findings.items[0].predicted == 9);
    arena_free(arena);
}

static void a_rule_without_a_formula_gets_no_prediction(void **state)
{
    (void)state;
    const Rule rule = {.id = "r", .severity = SEVERITY_WARNING};
    Finding finding = predicted(&rule, (Exposure){.work_ns = 9}, 1.2);
    assert_true(finding.predicted == 0);
}

static void a_team_smaller_than_asked_keeps_its_own_size(void **state)
{
    (void)state;
    const Rule rule = {.id = "r", .predict = as_told};
    assert_int_equal(predicted(&rule, (Exposure){.threads = 4}, 1.2).predicted_threads, 4);
    assert_int_equal(predicted(&rule, (Exposure){.threads = 99}, 1.2).predicted_threads, 12);
    assert_int_equal(predicted(&rule, (Exposure){0}, 1.2).predicted_threads, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uncounted_views_cost_their_building_and_scale),
        cmocka_unit_test(counted_views_on_one_thread_cost_little_more_than_uncounted_ones),
        cmocka_unit_test(shared_counts_make_two_threads_slower_than_one),
        cmocka_unit_test(twelve_threads_advance_one_cell_in_28_ns_whatever_its_size),
        cmocka_unit_test(beside_much_work_a_shared_count_costs_its_way_only),
        cmocka_unit_test(one_thread_pays_no_transfer),
        cmocka_unit_test(updates_of_adjacent_slots_follow_the_measured_table),
        cmocka_unit_test(stores_padded_slots_and_one_thread_cost_nothing),
        cmocka_unit_test(more_neighbours_on_a_line_cost_more_and_packed_atomics_cost_2_to_4_times),
        cmocka_unit_test(a_small_malloc_is_overhead_beside_small_bodies_only),
        cmocka_unit_test(an_array_in_a_numba_kernel_contends_where_the_allocator_counts),
        cmocka_unit_test(words_at_random_need_their_line_more_often_than_one),
        cmocka_unit_test(a_race_costs_what_plain_updates_of_one_line_cost),
        cmocka_unit_test(no_work_at_all_gives_a_finite_prediction),
        cmocka_unit_test(a_team_of_one_does_the_work_of_all_and_a_crowd_is_another_thing),
        cmocka_unit_test(severity_follows_the_predicted_slowdown),
        cmocka_unit_test(a_rule_about_wrong_results_stays_an_error),
        cmocka_unit_test(what_the_rule_calls_a_note_stays_one),
        cmocka_unit_test(a_rule_without_a_formula_gets_no_prediction),
        cmocka_unit_test(a_team_smaller_than_asked_keeps_its_own_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
