/* The machine profile as data in and out, and that calibrating fills it. No figure of this machine
 * is tested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/calibrate.h"
#include "bench/machine.h"
#include "bench/numba.h"
#include "bench/team.h"
#include "bench/topology.h"

/* ---- curves and the generic profile ---- */

static void a_curve_is_straight_between_points_and_flat_outside(void **state)
{
    (void)state;
    const Curve curve = {.count = 3, .at = {1, 2, 4}, .value = {10, 20, 60}},
                point = {.count = 1, .at = {4}, .value = {7}}, none = {0};
    assert_true(curve_at(&curve, 0) == 10 && curve_at(&curve, 1) == 10);
    assert_true(curve_at(&curve, 1.5) == 15 && curve_at(&curve, 2) == 20);
    assert_true(curve_at(&curve, 3) == 40 && curve_at(&curve, 4) == 60);
    assert_true(curve_at(&curve, 100) == 60 && curve_at(&curve, (double)NAN) == 10);
    assert_true(curve_at(&point, 1) == 7 && curve_at(&point, 9) == 7);
    assert_true(curve_at(&none, 3) == 0);
}

static void assert_rising(const Curve *curve)
{
    assert_in_range(curve->count, 1, MACHINE_CURVE);
    for (int i = 0; i < curve->count; i++) {
        assert_true(curve->value[i] > 0);
        if (i > 0)
            assert_true(curve->at[i] > curve->at[i - 1]);
    }
}

static void assert_whole(const Machine *machine)
{
    assert_true(machine->threads >= 1 && machine->cores >= 1 && machine->sockets >= 1);
    assert_true(machine->line_bytes >= 1 && machine->l1_bytes >= 1 && machine->l3_bytes >= 1);
    assert_true(machine->step_ns.value > 0 && machine->op_ns.value > 0);
    assert_true(machine->load_ns[0].value > 0 && machine->load_ns[3].value > 0);
    assert_true(machine->transfer_ns.value > 0 && machine->atomic_ns.value > 0);
    assert_true(machine->lock_ns.value > 0 && machine->page_fault_ns.value > 0);
    assert_true(machine->numba_alloc_ns.value > 0 && machine->view_ns.value > 0);
    assert_true(machine->denormal_ns.value >= 0);
    const Curve *curves[] = {
        &machine->atomic_shared_ns, &machine->exchange_shared_ns, &machine->lock_shared_ns,
        &machine->malloc_ns,        &machine->malloc_threads,     &machine->page_fault_threads,
        &machine->launch_ns,        &machine->barrier_ns,         &machine->bandwidth_gbs};
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        assert_rising(curves[i]);
}

static void the_generic_profile_is_whole_and_has_12_cores(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    assert_whole(&machine);
    assert_string_equal(machine.name, "generic");
    assert_int_equal(machine.threads, 12);
}

/* The story that the profile is for: 28 ns a cell for 12 threads together, one view counted up and
 * down in a cell. */
static void the_generic_profile_gives_28_ns_a_cell_for_12_threads(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    double cell = 2 * curve_at(&machine.atomic_shared_ns, 12) / 12;
    assert_true(fabs(cell - 28) < 0.5);
}

static void numba_counts_its_arrays_up_to_0_56(void **state)
{
    (void)state;
    assert_true(numba_counts_allocations("0.56.4"));
    assert_true(numba_counts_allocations("0.9.0"));
    assert_false(numba_counts_allocations("0.57.0rc1"));
    assert_false(numba_counts_allocations("0.60"));
    assert_false(numba_counts_allocations("1.0.0"));
    assert_false(numba_counts_allocations(""));
}

/* ---- files ---- */

static void write_text(char path[64], const char *text, size_t length)
{
    strcpy(path, "/tmp/ponglint-machine-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_true(write(file, text, length) == (ssize_t)length);
    close(file);
}

static bool read_bytes(const char *text, size_t length, Machine *machine, char error[256])
{
    char path[64];
    write_text(path, text, length);
    bool good = machine_read(path, machine, error, 256);
    if (!good) {
        assert_non_null(strstr(error, path));
        assert_non_null(strstr(error, "calibrate"));
    }
    unlink(path);
    return good;
}

static bool read_json(const char *text, Machine *machine, char error[256])
{
    return read_bytes(text, strlen(text), machine, error);
}

static void a_profile_that_is_written_reads_back_the_same(void **state)
{
    (void)state;
    Machine machine = machine_generic(), back;
    char error[256];
    machine.threads = 96;
    machine.transfer_ns = (Figure){61.5, 0.125};
    machine.barrier_ns =
        (Curve){.count = 2, .at = {1, 96}, .value = {11.25, 5000}, .spread = {0.25, 2}};
    machine.transfer_by_ns[SHARED_MACHINE] = (Figure){140, 0.25};
    snprintf(machine.openmp, sizeof machine.openmp, "libgomp.so.1.0.0");
    snprintf(machine.name, sizeof machine.name, "build \"farm\" \\ Z\xc3\xbcrich");
    char *first = machine_to_json(&machine);
    assert_non_null(first);
    assert_true(read_json(first, &back, error));
    char *second = machine_to_json(&back);
    assert_string_equal(first, second);
    assert_string_equal(back.name, machine.name);
    assert_true(back.l3_bytes == machine.l3_bytes);
    assert_true(back.barrier_ns.spread[0] == 0.25 && back.barrier_ns.spread[1] == 2);
    assert_true(back.transfer_by_ns[SHARED_MACHINE].value == 140);
    assert_string_equal(back.openmp, "libgomp.so.1.0.0");
    free(first);
    free(second);
}

static void a_name_that_is_no_utf_8_is_written_as_valid_json(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    char error[256];
    strcpy(machine.name, "\xff\xfe");
    char *text = machine_to_json(&machine);
    assert_true(read_json(text, &machine, error));
    free(text);
}

static void absent_keys_keep_the_generic_value_and_unknown_ones_are_ignored(void **state)
{
    (void)state;
    Machine machine, generic = machine_generic();
    char error[256];
    assert_true(read_json("{\"schema\": 1, \"atomic_ns\": 6, \"shoe_size\": [43],"
                          " \"lock_ns\": {\"value\": 20}}",
                          &machine, error));
    assert_true(machine.atomic_ns.value == 6 && machine.lock_ns.value == 20);
    assert_true(machine.transfer_ns.value == generic.transfer_ns.value);
    assert_int_equal(machine.threads, generic.threads);
}

/* A file that `calibrate` wrote when the schema was 1: committed profiles stay readable. */
static void a_profile_of_schema_1_is_read(void **state)
{
    (void)state;
    Machine machine, generic = machine_generic();
    char error[256];
    assert_true(machine_read(PONGLINT_SOURCE_DIR "/tests/profiles/schema-1.json", &machine, error,
                             sizeof error));
    assert_string_equal(machine.name, "a profile of schema 1");
    assert_int_equal(machine.threads, 2);
    assert_true(machine.atomic_ns.value == 8.56 && machine.atomic_ns.spread == 0.0404);
    assert_int_equal(machine.lock_shared_ns.count, 2);
    assert_true(machine.lock_shared_ns.value[1] == 190 && machine.lock_shared_ns.spread[1] == 0);
    assert_int_equal(machine.malloc_ns.count, 7);
    assert_true(machine.omp_barrier_ns.count == generic.omp_barrier_ns.count);
    assert_true(machine.transfer_by_ns[SHARED_L3].value == generic.transfer_by_ns[SHARED_L3].value);
}

/* ---- passes ---- */

static void passes_combine_to_their_median_and_to_the_range_between_them(void **state)
{
    (void)state;
    const Machine generic = machine_generic();
    Machine passes[3] = {generic, generic, generic};
    const double atomic[] = {8, 12, 10}, launch[] = {900, 1000, 950};
    int left = 0;
    for (int i = 0; i < 3; i++) {
        passes[i].atomic_ns = (Figure){atomic[i], 0.01};
        passes[i].lock_ns = (Figure){20, 0.3};
        passes[i].launch_ns =
            (Curve){.count = 2, .at = {1, 2}, .value = {400, launch[i]}, .spread = {0.2, 0.01}};
    }
    Machine machine = machine_combine(passes, 3, &generic, &left);
    assert_int_equal(left, 0);
    assert_true(machine.atomic_ns.value == 10 && machine.atomic_ns.spread == 0.4);
    assert_true(machine.lock_ns.value == 20 && machine.lock_ns.spread == 0.3);
    assert_true(machine.launch_ns.count == 2 && machine.launch_ns.value[1] == 950);
    assert_true(machine.launch_ns.spread[0] == 0.2 && machine.launch_ns.spread[1] == 0.105);
}

static void what_no_pass_measured_is_the_fallbacks_and_says_so_by_its_spread(void **state)
{
    (void)state;
    const Machine generic = machine_generic();
    Machine passes[2] = {generic, generic};
    int left = 0;
    for (int i = 0; i < 2; i++) {
        passes[i].atomic_ns.value = (double)NAN;
        passes[i].lock_ns.value = i == 0 ? (double)NAN : 25;
        passes[i].bandwidth_gbs.count = 0;
        passes[i].launch_ns = (Curve){.count = 1, .at = {12}, .value = {(double)NAN}};
    }
    Machine machine = machine_combine(passes, 2, &generic, &left);
    assert_int_equal(left, 2);
    assert_true(machine.atomic_ns.value == generic.atomic_ns.value);
    assert_true(machine.atomic_ns.spread == 1 && machine.lock_ns.value == 25);
    assert_int_equal(machine.bandwidth_gbs.count, generic.bandwidth_gbs.count);
    assert_true(machine.launch_ns.value[0] == 3500 && machine.launch_ns.spread[0] == 1);
}

static void bandwidth_saturates_where_nine_tenths_of_the_most_are_had(void **state)
{
    (void)state;
    Machine machine = machine_generic();
    assert_int_equal(machine_saturated_threads(&machine), 8);
    machine.bandwidth_gbs = (Curve){.count = 3, .at = {1, 2, 4}, .value = {10, 9, 8}};
    assert_int_equal(machine_saturated_threads(&machine), 1);
    machine.bandwidth_gbs.count = 0;
    assert_int_equal(machine_saturated_threads(&machine), 0);
}

static void pairs_of_cores_are_bounded_and_have_two_ends(void **state)
{
    (void)state;
    int cpus[TEAM_MOST_THREADS];
    CorePair pairs[TOPOLOGY_PAIRS_PER_LEVEL * SHARED_LEVELS];
    int cores = team_cores(cpus, TEAM_MOST_THREADS);
    int count = topology_pairs(cpus, cores, pairs);
    assert_true(count <= TOPOLOGY_PAIRS_PER_LEVEL * SHARED_LEVELS);
    assert_true((count > 0) == (cores > 1));
    for (int i = 0; i < count; i++) {
        assert_int_not_equal(pairs[i].cpus[0], pairs[i].cpus[1]);
        assert_in_range(pairs[i].level, SHARED_L2, SHARED_MACHINE);
    }
    assert_int_equal(topology_pairs(cpus, 1, pairs), 0);
}

/* Two sockets of two last caches of four cores each, which hwloc makes up. */
static void pairs_are_taken_evenly_from_each_level_of_a_larger_machine(void **state)
{
    (void)state;
    enum { CORES = 16 };
    int cpus[CORES], of_level[SHARED_LEVELS] = {0};
    CorePair pairs[TOPOLOGY_PAIRS_PER_LEVEL * SHARED_LEVELS];
    for (int i = 0; i < CORES; i++)
        cpus[i] = i;
    setenv("HWLOC_SYNTHETIC", "pack:2 l3:2 l2:4 core:1 pu:1", 1);
    Machine machine = machine_generic();
    (void)topology_describe(&machine);
    int count = topology_pairs(cpus, CORES, pairs);
    unsetenv("HWLOC_SYNTHETIC");
    assert_int_equal(machine.sockets, 2);
    assert_int_equal(machine.l3_cores, 4);
    for (int i = 0; i < count; i++) {
        of_level[pairs[i].level]++;
        int one = pairs[i].cpus[0], other = pairs[i].cpus[1];
        assert_int_equal(one / 4 == other / 4, pairs[i].level == SHARED_L3);
        assert_int_equal(one / 8 != other / 8, pairs[i].level == SHARED_MACHINE);
    }
    assert_int_equal(of_level[SHARED_L2], 0);
    assert_int_equal(of_level[SHARED_L3], TOPOLOGY_PAIRS_PER_LEVEL);
    assert_int_equal(of_level[SHARED_SOCKET], TOPOLOGY_PAIRS_PER_LEVEL);
    assert_int_equal(of_level[SHARED_MACHINE], TOPOLOGY_PAIRS_PER_LEVEL);
}

static void a_wrong_value_is_refused_and_its_key_named(void **state)
{
    (void)state;
    static const struct {
        const char *json, *key;
    } cases[] = {
        {"{}", "schema"},
        {"{\"schema\": \"1\"}", "schema"},
        {"{\"schema\": 3}", "schema"},
        {"{\"schema\": 1, \"threads\": 0}", "threads"},
        {"{\"schema\": 1, \"threads\": 2.5}", "threads"},
        {"{\"schema\": 1, \"threads\": 99999999999}", "threads"},
        {"{\"schema\": 1, \"name\": 3}", "name"},
        {"{\"schema\": 1, \"line_bytes\": 0}", "line_bytes"},
        {"{\"schema\": 1, \"atomic_ns\": \"fast\"}", "atomic_ns"},
        {"{\"schema\": 1, \"atomic_ns\": -1}", "atomic_ns"},
        {"{\"schema\": 1, \"atomic_ns\": null}", "atomic_ns"},
        {"{\"schema\": 1, \"atomic_ns\": {\"spread\": 1}}", "atomic_ns"},
        {"{\"schema\": 1, \"atomic_ns\": {\"value\": 1, \"spread\": \"x\"}}", "atomic_ns"},
        {"{\"schema\": 1, \"load_memory_ns\": []}", "load_memory_ns"},
        {"{\"schema\": 1, \"launch_ns\": 5}", "launch_ns"},
        {"{\"schema\": 1, \"launch_ns\": []}", "launch_ns"},
        {"{\"schema\": 1, \"launch_ns\": [[1]]}", "launch_ns"},
        {"{\"schema\": 1, \"launch_ns\": [[1, 2], [1, 3]]}", "launch_ns"},
        {"{\"schema\": 2, \"launch_ns\": [[1, 2, 0.1, 4]]}", "launch_ns"},
        {"{\"schema\": 2, \"launch_ns\": [[1, 2, \"wide\"]]}", "launch_ns"},
        {"{\"schema\": 2, \"numa_nodes\": 0}", "numa_nodes"},
        {"{\"schema\": 2, \"openmp\": 5}", "openmp"},
        {"{\"schema\": 2, \"transfer_l3_ns\": \"near\"}", "transfer_l3_ns"},
        {"{\"schema\": 1, \"launch_ns\": [[1,1],[2,1],[3,1],[4,1],[5,1],[6,1],[7,1],[8,1],[9,1],"
         "[10,1],[11,1],[12,1],[13,1],[14,1],[15,1],[16,1],[17,1]]}",
         "launch_ns"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Machine machine = machine_generic();
        char error[256];
        machine.threads = 77;
        assert_false(read_json(cases[i].json, &machine, error));
        assert_non_null(strstr(error, cases[i].key));
        assert_int_equal(machine.threads, 77); /* untouched */
    }
}

static void what_is_no_profile_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "[]",
                                        "3",
                                        "{\"schema\": 1",
                                        "{\"schema\": 1, \"schema\": 1}",
                                        "{\"name\": \"\xff\"}",
                                        "{\"schema\": 1, \"op_ns\": 1e999}"};
    Machine machine;
    char error[256];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(read_json(texts[i], &machine, error));
    assert_false(read_bytes("{\"schema\":\0 1}", 14, &machine, error));
}

static void deep_and_huge_files_are_refused_at_a_bounded_cost(void **state)
{
    (void)state;
    enum { HUGE_BYTES = 2 << 20 };
    Machine machine;
    char error[256];
    char *text = malloc(HUGE_BYTES);
    assert_non_null(text);
    memset(text, '[', HUGE_BYTES);
    assert_false(read_bytes(text, HUGE_BYTES / 4, &machine, error));
    memset(text, ' ', HUGE_BYTES);
    assert_false(read_bytes(text, HUGE_BYTES, &machine, error));
    free(text);
    assert_false(machine_read("/dev/zero", &machine, error, sizeof error));
}

static void a_file_that_cannot_be_read_is_named_with_the_remedy(void **state)
{
    (void)state;
    Machine machine;
    char error[256];
    assert_false(machine_read("/nowhere/at/all.json", &machine, error, sizeof error));
    assert_non_null(strstr(error, "/nowhere/at/all.json"));
    assert_non_null(strstr(error, "generic"));
    assert_false(machine_read("/", &machine, error, sizeof error));
}

static void an_error_is_cut_to_the_room_it_gets(void **state)
{
    (void)state;
    Machine machine;
    char error[9] = "........";
    assert_false(machine_read("/nowhere", &machine, error, 4));
    assert_string_equal(error, "/no");
    assert_string_equal(error + 4, "....");
    assert_false(machine_read("/nowhere", &machine, NULL, 0));
}

static void a_long_name_is_cut_between_characters(void **state)
{
    (void)state;
    Machine machine;
    char error[256], text[400];
    int length = snprintf(text, sizeof text, "{\"schema\": 1, \"name\": \"");
    for (int i = 0; i < 100; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "\xc3\xbc");
    snprintf(text + length, sizeof text - (size_t)length, "\"}");
    assert_true(read_json(text, &machine, error));
    assert_int_equal(strlen(machine.name), 126);
}

/* ---- this machine ---- */

static void the_key_of_this_machine_is_16_hex_digits_and_stays(void **state)
{
    (void)state;
    char first[17], second[17];
    machine_key(first);
    machine_key(second);
    assert_int_equal(strspn(first, "0123456789abcdef"), 16);
    assert_int_equal(strlen(first), 16);
    assert_string_equal(first, second);
}

static void note_stage(const char *stage)
{
    assert_true(stage != NULL && stage[0] != '\0');
}

static void calibrating_in_no_time_still_fills_the_profile(void **state)
{
    (void)state;
    Machine machine;
    char note[256], error[256];
    memset(note, 'x', sizeof note);
    calibrate(&machine, 0, note, sizeof note, note_stage);
    assert_whole(&machine);
    assert_non_null(memchr(note, '\0', sizeof note));
    char *text = machine_to_json(&machine);
    assert_true(read_json(text, &machine, error));
    free(text);
}

static void the_note_of_calibrate_is_cut_to_its_room(void **state)
{
    (void)state;
    Machine machine;
    char note[8] = "1234567";
    calibrate(&machine, 0, note, 4, NULL);
    assert_int_equal(strlen(note), 3);
    assert_string_equal(note + 4, "567");
    calibrate(&machine, 0, NULL, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_is_straight_between_points_and_flat_outside),
        cmocka_unit_test(the_generic_profile_is_whole_and_has_12_cores),
        cmocka_unit_test(numba_counts_its_arrays_up_to_0_56),
        cmocka_unit_test(the_generic_profile_gives_28_ns_a_cell_for_12_threads),
        cmocka_unit_test(a_profile_that_is_written_reads_back_the_same),
        cmocka_unit_test(a_name_that_is_no_utf_8_is_written_as_valid_json),
        cmocka_unit_test(absent_keys_keep_the_generic_value_and_unknown_ones_are_ignored),
        cmocka_unit_test(a_profile_of_schema_1_is_read),
        cmocka_unit_test(passes_combine_to_their_median_and_to_the_range_between_them),
        cmocka_unit_test(what_no_pass_measured_is_the_fallbacks_and_says_so_by_its_spread),
        cmocka_unit_test(bandwidth_saturates_where_nine_tenths_of_the_most_are_had),
        cmocka_unit_test(pairs_of_cores_are_bounded_and_have_two_ends),
        cmocka_unit_test(pairs_are_taken_evenly_from_each_level_of_a_larger_machine),
        cmocka_unit_test(a_wrong_value_is_refused_and_its_key_named),
        cmocka_unit_test(what_is_no_profile_is_refused),
        cmocka_unit_test(deep_and_huge_files_are_refused_at_a_bounded_cost),
        cmocka_unit_test(a_file_that_cannot_be_read_is_named_with_the_remedy),
        cmocka_unit_test(an_error_is_cut_to_the_room_it_gets),
        cmocka_unit_test(a_long_name_is_cut_between_characters),
        cmocka_unit_test(the_key_of_this_machine_is_16_hex_digits_and_stays),
        cmocka_unit_test(calibrating_in_no_time_still_fills_the_profile),
        cmocka_unit_test(the_note_of_calibrate_is_cut_to_its_room),
    };
    return cmocka_run_group_tests_name("bench machine", tests, NULL, NULL);
}
