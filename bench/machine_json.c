#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* open_memstream */
#endif
#include "bench/machine.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/machine_fields.h"

enum { LARGEST_FILE = 1 << 20, MOST_THREADS = 1 << 16 };

/* ---- writing ---- */

/* Whole numbers without a fraction: 33554432, not 3.35544e7. */
static json_t *number(double value)
{
    if (!isfinite(value))
        return json_integer(0);
    if (value == floor(value) && fabs(value) < 1e15)
        return json_integer((json_int_t)value);
    return json_real(value);
}

static json_t *curve_json(const Curve *curve)
{
    json_t *points = json_array();
    for (int i = 0; i < curve->count; i++) {
        json_t *point = json_array();
        json_array_append_new(point, number(curve->at[i]));
        json_array_append_new(point, number(curve->value[i]));
        json_array_append_new(point, number(curve->spread[i]));
        json_array_append_new(points, point);
    }
    return points;
}

static json_t *figure_json(const Figure *figure)
{
    json_t *object = json_object();
    json_object_set_new(object, "value", number(figure->value));
    json_object_set_new(object, "spread", number(figure->spread));
    return object;
}

static json_t *text_json(const char *text)
{
    json_t *string = json_string(text);
    return string != NULL ? string : json_string("?"); /* not UTF-8 */
}

static json_t *field_json(const Machine *machine, const MachineField *field)
{
    const void *at = (const char *)machine + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
        return text_json(at);
    case FIELD_COUNT:
        return json_integer(*(const int *)at);
    case FIELD_BYTES:
        return number(*(const double *)at);
    case FIELD_FIGURE:
        return figure_json(at);
    case FIELD_CURVE:
        return curve_json(at);
    }
    return NULL;
}

/* One key a line, so that a committed profile gives readable differences. */
char *machine_to_json(const Machine *machine)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return NULL;
    fprintf(out, "{\n  \"schema\": %d", MACHINE_SCHEMA);
    for (size_t i = 0; i < machine_field_count; i++) {
        json_t *value = field_json(machine, &machine_fields[i]);
        fprintf(out, ",\n  \"%s\": ", machine_fields[i].key);
        json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
        json_decref(value);
    }
    fprintf(out, ",\n  \"bandwidth_saturated_threads\": %d\n}\n",
            machine_saturated_threads(machine));
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- reading ---- */

typedef struct Reader {
    const char *path;
    char *error;
    size_t error_bytes;
} Reader;

static bool refuse(const Reader *reader, const char *key, const char *what)
{
    snprintf(
        reader->error, reader->error_bytes,
        "%s: \"%s\" %s; correct it, or write the profile again with 'ponglint calibrate -o FILE'",
        reader->path, key, what);
    return false;
}

/* Copies a text, cut where it is too long, but never inside a UTF-8 sequence. */
static bool read_text(const Reader *reader, const char *key, const json_t *value, char text[128])
{
    if (!json_is_string(value))
        return refuse(reader, key, "is not a text");
    const char *from = json_string_value(value);
    size_t length = strlen(from);
    if (length > 127) {
        length = 127;
        while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80)
            length--;
    }
    memcpy(text, from, length);
    text[length] = '\0';
    return true;
}

static bool read_number(const json_t *value, double *number_out)
{
    if (!json_is_number(value))
        return false;
    *number_out = json_number_value(value);
    return isfinite(*number_out) && *number_out >= 0;
}

static bool read_count(const Reader *reader, const char *key, const json_t *value, int *count)
{
    json_int_t whole = json_is_integer(value) ? json_integer_value(value) : 0;
    if (whole < 1 || whole > MOST_THREADS)
        return refuse(reader, key, "is not a whole number from 1 to 65536");
    *count = (int)whole;
    return true;
}

/* {"value": 1.8, "spread": 0.1}, or the bare number. */
static bool read_figure(const Reader *reader, const char *key, const json_t *value, Figure *figure)
{
    Figure read = {0};
    const json_t *spread = json_object_get(value, "spread");
    bool bare = json_is_number(value);
    if (!read_number(bare ? value : json_object_get(value, "value"), &read.value) ||
        (spread != NULL && !read_number(spread, &read.spread)))
        return refuse(reader, key, "is not a number of ns (or a value and a spread), 0 or more");
    *figure = read;
    return true;
}

/* [at, value], or since schema 2 [at, value, spread]. */
static bool read_point(const json_t *point, int index, Curve *curve)
{
    size_t size = json_array_size(point);
    return (size == 2 || size == 3) && read_number(json_array_get(point, 0), &curve->at[index]) &&
           read_number(json_array_get(point, 1), &curve->value[index]) &&
           (size == 2 || read_number(json_array_get(point, 2), &curve->spread[index]));
}

/* Points in rising order. */
static bool read_curve(const Reader *reader, const char *key, const json_t *value, Curve *curve)
{
    Curve read = {0};
    size_t count = json_array_size(value);
    if (count < 1 || count > MACHINE_CURVE)
        return refuse(reader, key, "is not a list of 1 to 16 points [at, value]");
    for (size_t i = 0; i < count; i++) {
        const json_t *point = json_array_get(value, i);
        if (!read_point(point, (int)i, &read))
            return refuse(reader, key,
                          "holds something that is not a point [at, value] or [at, value, spread]");
        if (i > 0 && read.at[i] <= read.at[i - 1])
            return refuse(reader, key, "has points that are not in rising order");
    }
    read.count = (int)count;
    *curve = read;
    return true;
}

static bool read_bytes(const Reader *reader, const char *key, const json_t *value, double *bytes)
{
    if (read_number(value, bytes) && *bytes >= 1)
        return true;
    return refuse(reader, key, "is not a number of bytes, 1 or more");
}

static bool read_field(const Reader *reader, const MachineField *field, const json_t *value,
                       Machine *machine)
{
    void *at = (char *)machine + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
        return read_text(reader, field->key, value, at);
    case FIELD_COUNT:
        return read_count(reader, field->key, value, at);
    case FIELD_BYTES:
        return read_bytes(reader, field->key, value, at);
    case FIELD_FIGURE:
        return read_figure(reader, field->key, value, at);
    case FIELD_CURVE:
        return read_curve(reader, field->key, value, at);
    }
    return false;
}

/* The schema is asked for: else any JSON file would pass for the generic machine. */
static bool read_schema(const Reader *reader, const json_t *root)
{
    const json_t *schema = json_object_get(root, "schema");
    if (!json_is_integer(schema) || json_integer_value(schema) < 1)
        return refuse(reader, "schema", "is missing or no number, so this is no machine profile");
    if (json_integer_value(schema) > MACHINE_SCHEMA)
        return refuse(reader, "schema", "is that of a newer ponglint");
    return true;
}

static bool read_root(const Reader *reader, const json_t *root, Machine *machine)
{
    if (!json_is_object(root)) {
        snprintf(reader->error, reader->error_bytes,
                 "%s: not a machine profile (a JSON object); write one with 'ponglint calibrate -o "
                 "FILE'",
                 reader->path);
        return false;
    }
    if (!read_schema(reader, root))
        return false;
    Machine read = machine_generic();
    for (size_t i = 0; i < machine_field_count; i++) {
        const json_t *value = json_object_get(root, machine_fields[i].key);
        if (value != NULL && !read_field(reader, &machine_fields[i], value, &read))
            return false;
    }
    *machine = read;
    return true;
}

/* The bytes of a file (the caller frees them), bounded: a device must not fill the memory. */
static char *slurp(const Reader *reader, size_t *length)
{
    FILE *file = fopen(reader->path, "rbe");
    char *bytes = file != NULL ? malloc(LARGEST_FILE + 1) : NULL;
    int fault = errno;
    if (bytes != NULL) {
        errno = 0;
        *length = fread(bytes, 1, LARGEST_FILE + 1, file);
        fault = ferror(file) ? errno : *length > LARGEST_FILE ? EFBIG : 0;
    }
    if (file != NULL)
        fclose(file);
    if (bytes != NULL && fault == 0)
        return bytes;
    free(bytes);
    snprintf(reader->error, reader->error_bytes,
             "%s: cannot read this machine profile: %s; name 'generic' or a file that 'ponglint "
             "calibrate' wrote",
             reader->path, strerror(fault));
    return NULL;
}

bool machine_read(const char *path, Machine *machine, char *error, size_t error_bytes)
{
    Reader reader = {path, error, error_bytes};
    if (error_bytes > 0)
        error[0] = '\0';
    size_t length = 0;
    char *bytes = slurp(&reader, &length);
    if (bytes == NULL)
        return false;
    json_error_t fault;
    json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &fault);
    free(bytes);
    if (root == NULL) {
        /* Not jansson's own text, which quotes the file. */
        snprintf(error, error_bytes,
                 "%s:%d:%d: not valid JSON; correct it, or write the profile again with 'ponglint "
                 "calibrate -o FILE'",
                 path, fault.line, fault.column);
        return false;
    }
    bool good = read_root(&reader, root, machine);
    json_decref(root);
    return good;
}
