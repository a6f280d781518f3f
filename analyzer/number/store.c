#include "analyzer/number/store.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "version.h"

struct Store {
    char *path;    /* NULL: not kept */
    json_t *known; /* results by key */
    json_t *fresh; /* those that were put here */
};

static bool read_number(const json_t *object, const char *name, double *value)
{
    const json_t *number = json_object_get(object, name);
    *value = json_number_value(number);
    return json_is_number(number) && isfinite(*value) && *value > 0;
}

static bool read_result(const json_t *object, StoreResult *result)
{
    result->trusted = json_is_true(json_object_get(object, "trusted"));
    return read_number(object, "ratio", &result->ratio) &&
           read_number(object, "low", &result->low) && read_number(object, "high", &result->high) &&
           read_number(object, "contended_ns", &result->contended_ns) &&
           read_number(object, "relieved_ns", &result->relieved_ns) &&
           result->low <= result->ratio && result->ratio <= result->high;
}

/* The results of a file, an empty object if there are none to be had. */
static json_t *load(const char *path)
{
    json_t *file = path == NULL ? NULL : json_load_file(path, 0, NULL);
    json_t *results = json_object_get(file, "results");
    bool ours = json_integer_value(json_object_get(file, "schema")) == STORE_SCHEMA;
    json_t *kept = ours && json_is_object(results) ? json_incref(results) : json_object();
    json_decref(file);
    return kept;
}

Store *store_open(const char *path)
{
    Store *store = calloc(1, sizeof *store);
    if (store == NULL)
        return NULL;
    struct stat status;
    bool special = path != NULL && stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (path != NULL && !special)
        store->path = strdup(path);
    store->known = load(store->path);
    store->fresh = json_object();
    if (store->known == NULL || store->fresh == NULL) {
        store_close(store);
        return NULL;
    }
    return store;
}

void store_close(Store *store)
{
    if (store == NULL)
        return;
    json_decref(store->known);
    json_decref(store->fresh);
    free(store->path);
    free(store);
}

bool store_get(const Store *store, const char *key, StoreResult *result)
{
    const json_t *found = json_object_get(store->fresh, key);
    if (found == NULL)
        found = json_object_get(store->known, key);
    return found != NULL && read_result(found, result);
}

void store_put(Store *store, const char *key, const StoreResult *result)
{
    json_t *object = json_pack("{s:f, s:f, s:f, s:f, s:f, s:b}", "ratio", result->ratio, "low",
                               result->low, "high", result->high, "contended_ns",
                               result->contended_ns, "relieved_ns", result->relieved_ns, "trusted",
                               (int)result->trusted);
    if (object != NULL) /* figures that are not finite cannot be packed, and are not kept */
        json_object_set_new(store->fresh, key, object);
}

/* Makes the folders above a file; what fails shows when the file is opened. */
static void make_folders(const char *path)
{
    char *folder = strdup(path);
    for (char *at = folder; at != NULL && (at = strchr(at + 1, '/')) != NULL;) {
        *at = '\0';
        (void)mkdir(folder, 0700);
        *at = '/';
    }
    free(folder);
}

static bool write_file(const char *path, const json_t *file)
{
    make_folders(path);
    size_t bytes = strlen(path) + sizeof ".XXXXXX";
    char *draft = malloc(bytes);
    if (draft == NULL)
        return false;
    snprintf(draft, bytes, "%s.XXXXXX", path);
    int descriptor = mkstemp(draft);
    bool good = descriptor >= 0 &&
                json_dumpfd(file, descriptor,
                            JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(6)) == 0;
    if (descriptor >= 0) {
        good = close(descriptor) == 0 && good;
        good = good && rename(draft, path) == 0;
        if (!good)
            (void)unlink(draft);
    }
    free(draft);
    return good;
}

/* Results of this version first: others are only worth their space while there is space. */
static void drop_other_versions(json_t *results)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe(results, next, name, value)
    {
        if (strstr(name, " " PONGLINT_VERSION " ") == NULL)
            json_object_del(results, name);
    }
    if (json_object_size(results) > STORE_MOST)
        json_object_clear(results);
}

bool store_save(Store *store)
{
    if (store->path == NULL || json_object_size(store->fresh) == 0)
        return true;
    json_t *results = load(store->path);
    if (json_object_size(results) + json_object_size(store->fresh) > STORE_MOST)
        drop_other_versions(results);
    bool good = json_object_update(results, store->fresh) == 0;
    json_t *file = json_pack("{s:i, s:o}", "schema", STORE_SCHEMA, "results", results);
    good = good && file != NULL && write_file(store->path, file);
    json_decref(file);
    return good;
}

static double two_digits(double value)
{
    if (!isfinite(value) || value <= 0)
        return 0;
    double unit = pow(10, floor(log10(value)) - 1);
    return round(value / unit) * unit;
}

Exposure store_rounded(const Exposure *exposure, int threads)
{
    Exposure rounded = *exposure;
    rounded.threads = threads;
    rounded.work_ns = two_digits(exposure->work_ns);
    rounded.events = two_digits(exposure->events);
    rounded.overhead_ns = two_digits(exposure->overhead_ns);
    rounded.bytes = two_digits(exposure->bytes);
    rounded.share = two_digits(exposure->share);
    rounded.launches = two_digits(exposure->launches);
    rounded.pieces = two_digits(exposure->pieces);
    rounded.places = two_digits(exposure->places);
    return rounded; /* the stride stays: 62 is not 64 where lines are meant */
}

const char *store_key(Arena *arena, const char *kernel, const char *machine,
                      const Exposure *rounded)
{
    static const char *const sharing[] = {"none", "private", "all"};
    static const char *const access[] = {"store", "update", "atomic", "critical", "exchange"};
    static const char *const runtime[] = {"any", "gnu", "llvm"};
    return arena_printf(arena,
                        "%s " PONGLINT_VERSION " %s threads=%d work=%.3g events=%.3g overhead=%.3g "
                        "bytes=%.3g stride=%.0f share=%.3g launches=%.3g pieces=%.3g places=%.3g "
                        "sharing=%s access=%s runtime=%s",
                        kernel, machine, rounded->threads, rounded->work_ns, rounded->events,
                        rounded->overhead_ns, rounded->bytes, rounded->stride, rounded->share,
                        rounded->launches, rounded->pieces, rounded->places,
                        sharing[rounded->sharing], access[rounded->access],
                        runtime[rounded->runtime]);
}
