/* The store of measurements: what is written is read back, and what is broken is written afresh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/number/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const StoreResult SOME = {2.5, 2.4, 2.6, 10, 4, true};

typedef struct Place {
    char folder[32], deeper[64], path[96];
} Place;

static Place place_new(void)
{
    Place place = {.folder = "/tmp/ponglint-store-XXXXXX"};
    assert_non_null(mkdtemp(place.folder));
    snprintf(place.deeper, sizeof place.deeper, "%s/deeper", place.folder);
    snprintf(place.path, sizeof place.path, "%s/measured.json", place.deeper);
    return place;
}

static void place_free(const Place *place)
{
    (void)unlink(place->path);
    (void)rmdir(place->path);
    (void)rmdir(place->deeper);
    assert_int_equal(rmdir(place->folder), 0); /* no draft is left behind */
}

static void write_text(const Place *place, const char *text)
{
    (void)mkdir(place->deeper, 0700);
    FILE *file = fopen(place->path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void put_one(const char *path, const char *key, StoreResult result)
{
    Store *store = store_open(path);
    store_put(store, key, &result);
    assert_true(store_save(store));
    store_close(store);
}

static bool holds(const char *path, const char *key, StoreResult *result)
{
    Store *store = store_open(path);
    bool found = store_get(store, key, result);
    store_close(store);
    return found;
}

static void what_is_put_is_found_by_the_next_run(void **state)
{
    (void)state;
    Place place = place_new();
    StoreResult seen;
    put_one(place.path, "a", SOME);
    assert_true(holds(place.path, "a", &seen));
    assert_true(seen.ratio == 2.5 && seen.low == 2.4 && seen.high == 2.6 && seen.trusted);
    assert_true(seen.contended_ns == 10 && seen.relieved_ns == 4);
    assert_false(holds(place.path, "b", &seen));
    place_free(&place);
}

static void two_runs_at_once_keep_each_others_results(void **state)
{
    (void)state;
    Place place = place_new();
    Store *first = store_open(place.path), *second = store_open(place.path);
    store_put(first, "a", &SOME);
    store_put(second, "b", &SOME);
    assert_true(store_save(first));
    assert_true(store_save(second));
    store_close(first);
    store_close(second);
    StoreResult seen;
    assert_true(holds(place.path, "a", &seen));
    assert_true(holds(place.path, "b", &seen));
    place_free(&place);
}

static void a_broken_file_is_empty_and_is_written_afresh(void **state)
{
    (void)state;
    static const char *const broken[] = {
        "",
        "{",
        "[]",
        "3",
        "{\"schema\": 1}",
        "{\"schema\": 1, \"results\": []}",
        "{\"schema\": 99, \"results\": {\"a\": {\"ratio\": 1}}}",
        "\xff\xfe\x00",
        "null",
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        Place place = place_new();
        StoreResult seen;
        write_text(&place, broken[i]);
        assert_false(holds(place.path, "a", &seen));
        put_one(place.path, "a", SOME);
        assert_true(holds(place.path, "a", &seen));
        place_free(&place);
    }
}

static void a_result_that_makes_no_sense_is_not_found(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "{}",
        "3",
        "[1]",
        "{\"ratio\": \"2\", \"low\": 1, \"high\": 3}",
        "{\"ratio\": 2, \"low\": 3, \"high\": 4, \"contended_ns\": 1, \"relieved_ns\": 1}",
        "{\"ratio\": -2, \"low\": -3, \"high\": 4, \"contended_ns\": 1, \"relieved_ns\": 1}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Place place = place_new();
        char text[256];
        snprintf(text, sizeof text, "{\"schema\": 1, \"results\": {\"a\": %s}}", wrong[i]);
        write_text(&place, text);
        StoreResult seen;
        assert_false(holds(place.path, "a", &seen));
        place_free(&place);
    }
}

static void a_run_that_puts_nothing_writes_nothing(void **state)
{
    (void)state;
    Place place = place_new();
    Store *store = store_open(place.path);
    assert_true(store_save(store));
    store_close(store);
    assert_int_equal(access(place.path, F_OK), -1);
    assert_int_equal(rmdir(place.folder), 0);
}

static void a_place_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    Place place = place_new();
    write_text(&place, "");
    char under[128];
    snprintf(under, sizeof under, "%s/no.json", place.path); /* below a file */
    Store *store = store_open(under);
    store_put(store, "a", &SOME);
    assert_false(store_save(store));
    store_close(store);
    place_free(&place);
}

static void something_that_is_no_file_is_left_alone(void **state)
{
    (void)state;
    Place place = place_new();
    assert_int_equal(mkdir(place.deeper, 0700), 0);
    assert_int_equal(mkfifo(place.path, 0600), 0);
    Store *store = store_open(place.path);
    assert_non_null(store);
    store_put(store, "a", &SOME);
    assert_true(store_save(store));
    store_close(store);
    place_free(&place);
}

static void a_store_without_a_path_holds_what_is_put(void **state)
{
    (void)state;
    Store *store = store_open(NULL);
    StoreResult seen;
    store_put(store, "a", &SOME);
    assert_true(store_get(store, "a", &seen));
    assert_true(store_save(store));
    store_close(store);
}

static void exposures_that_differ_in_the_third_digit_share_a_key(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Exposure a = {.threads = 12, .work_ns = 4.104, .events = 2, .stride = 62};
    Exposure b = {.threads = 12, .work_ns = 4.096, .events = 2, .stride = 62};
    Exposure c = a;
    c.stride = 64; /* lines are meant exactly */
    Exposure ra = store_rounded(&a, 2), rb = store_rounded(&b, 2), rc = store_rounded(&c, 2);
    assert_int_equal(ra.threads, 2);
    const char *key = store_key(arena, "k", "m", &ra);
    assert_string_equal(key, store_key(arena, "k", "m", &rb));
    assert_string_not_equal(key, store_key(arena, "k", "m", &rc));
    assert_string_not_equal(key, store_key(arena, "k", "n", &ra));
    Exposure four = store_rounded(&a, 4);
    assert_string_not_equal(key, store_key(arena, "k", "m", &four));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_is_found_by_the_next_run),
        cmocka_unit_test(two_runs_at_once_keep_each_others_results),
        cmocka_unit_test(a_broken_file_is_empty_and_is_written_afresh),
        cmocka_unit_test(a_result_that_makes_no_sense_is_not_found),
        cmocka_unit_test(a_run_that_puts_nothing_writes_nothing),
        cmocka_unit_test(a_place_that_cannot_be_written_is_told),
        cmocka_unit_test(something_that_is_no_file_is_left_alone),
        cmocka_unit_test(a_store_without_a_path_holds_what_is_put),
        cmocka_unit_test(exposures_that_differ_in_the_third_digit_share_a_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
