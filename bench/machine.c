#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* open_memstream */
#endif
#include "bench/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "bench/team.h"

enum { LARGEST_FILE = 1 << 20, MOST_THREADS = 1 << 16 };

/* ---- the built-in profile ---- */

/* A server of 12 cores and one socket: the machine of the story that ponglint grew from. "Here" is
 * a virtual AMD EPYC of the Zen 4 generation, two vCPUs in one cache complex. Figures that nobody
 * measured say "estimate" and have a spread of a half or more. */
static const Machine GENERIC = {
    .name = "generic",
    .cpu = "x86-64 server, 12 cores, one socket",
    .threads = 12,
    .cores = 12,
    .sockets = 1,
    .line_bytes = 64,
    .l1_bytes = 32 * 1024, /* per core: 32 KiB on Zen 1-4, 48 KiB on Intel from Ice Lake on */
    .l2_bytes = 1024 * 1024,
    .l3_bytes = 32 * 1024 * 1024,

    /* Dependent chains: cycles of latency in the vendors' tables, at 3.5 GHz. */
    .step_ns = {1.1, 0.2},      /* an addition */
    .op_ns = {1.1, 0.2},        /* 3-4 cycles */
    .vector_op_ns = {0.2, 0.5}, /* two to four doubles a vector, one load each, data in L1 */
    .divide_ns = {4, 0.2},      /* 13-15 cycles */
    .sqrt_ns = {5.5, 0.2},      /* 18-21 cycles */
    .libm_ns = {12, 0.5},       /* glibc exp 5, log 6, sin 10, pow 17, rounded up for old ones */
    .load_ns = {{1.3, 0.2}, {4, 0.2}, {15, 0.4}, {95, 0.3}}, /* 4-5, 14, 50 cycles; DDR4/5 */
    .branch_miss_ns = {5, 0.3},                              /* 13-20 cycles */
    .call_ns = {1.5, 0.3},

    /* 28 ns a cell for the whole team of 12, whatever the size of the problem, where each cell
     * counts a shared array up and down: the story's own measurement. Published core-to-core tables
     * have 18-25 ns within a Zen cache complex and 45-60 ns across an Intel mesh. */
    .transfer_ns = {28, 0.5},
    .atomic_ns = {1.8, 0.3}, /* here an increment and decrement take 3.6; 18-20 cycles on Intel */
    /* One thread waits for the others' turns. A count up and down is two updates in one visit of
     * the line: 12 threads x 28 ns / 2 = 168 ns. Two threads: 9.8 here. The points between are
     * interpolated in ns per visit, which grows from 12 to 28 as neighbours get farther away. */
    .atomic_shared_ns = {5, {1, 2, 4, 8, 12}, {1.8, 12, 40, 104, 168}},
    .lock_ns = {10, 0.5}, /* two atomics and the calls around them; here 6-9 */
    /* glibc's mutex under load: about 75 ns a turn with sleeping and waking. Estimate. */
    .lock_shared_ns = {5, {1, 2, 4, 8, 12}, {10, 90, 260, 580, 900}},
    /* glibc: 7-13 ns a pair up to 1032 bytes (the per-thread cache), here; above it the arena's
       lists. */
    .malloc_ns = {6, {16, 64, 1024, 4096, 65536, 1048576}, {8, 9, 13, 60, 100, 500}},
    .malloc_threads = {2, {1, 12}, {1, 1.15}}, /* an arena for each thread: scales */
    .page_fault_ns = {250, 0.5},               /* 100-250 for 4 KiB, zeroing included */
    /* The address-space lock: estimate; kernels from 6.4 on take faults under smaller locks. */
    .page_fault_threads = {5, {1, 2, 4, 8, 12}, {1, 1.3, 1.9, 3.2, 4.5}},
    /* numba and libgomp: 1.2 us with two threads here; a few us with 12. */
    .launch_ns = {5, {1, 2, 4, 8, 12}, {100, 1200, 1700, 2700, 3500}},
    .barrier_ns = {5, {1, 2, 4, 8, 12}, {10, 150, 350, 800, 1200}}, /* T visits of two lines */
    /* One core fills 12-14 GB/s of its own; six to eight channels saturate with about eight. */
    .bandwidth_gbs = {5, {1, 2, 4, 8, 12}, {13, 26, 48, 80, 88}},
    .view_ns = {2.3, 0.2}, /* numba: (8.8 - 4.1) ns a cell of two views that are not counted */
    .numba_alloc_ns = {37, 0.3}, /* numba 0.56: np.empty of a few elements in a kernel */
    .denormal_ns = {35, 1},      /* nothing on Zen 4, 124-200 cycles on many Intel parts */
};

Machine machine_generic(void)
{
    return GENERIC;
}

double curve_at(const Curve *curve, double at)
{
    if (curve->count < 1)
        return 0;
    int last = curve->count - 1;
    if (!(at > curve->at[0]))
        return curve->value[0];
    if (at >= curve->at[last])
        return curve->value[last];
    int right = 1;
    while (curve->at[right] < at)
        right++;
    double from = curve->at[right - 1], to = curve->at[right];
    double share = (at - from) / (to - from);
    return curve->value[right - 1] + share * (curve->value[right] - curve->value[right - 1]);
}

/* ---- the table of what a profile holds ---- */

typedef enum FieldKind {
    FIELD_TEXT,
    FIELD_COUNT,
    FIELD_BYTES,
    FIELD_FIGURE,
    FIELD_CURVE
} FieldKind;

typedef struct Field {
    const char *key;
    FieldKind kind;
    size_t offset;
} Field;

#define FIELD(kind, name)                                                                          \
    {                                                                                              \
#name, kind, offsetof(Machine, name)                                                       \
    }
#define LOAD(level, key)                                                                           \
    {                                                                                              \
        key, FIELD_FIGURE, offsetof(Machine, load_ns) + (level) * sizeof(Figure)                   \
    }

static const Field FIELDS[] = {
    FIELD(FIELD_TEXT, name),
    FIELD(FIELD_TEXT, cpu),
    FIELD(FIELD_COUNT, threads),
    FIELD(FIELD_COUNT, cores),
    FIELD(FIELD_COUNT, sockets),
    FIELD(FIELD_BYTES, line_bytes),
    FIELD(FIELD_BYTES, l1_bytes),
    FIELD(FIELD_BYTES, l2_bytes),
    FIELD(FIELD_BYTES, l3_bytes),
    FIELD(FIELD_FIGURE, step_ns),
    FIELD(FIELD_FIGURE, op_ns),
    FIELD(FIELD_FIGURE, vector_op_ns),
    FIELD(FIELD_FIGURE, divide_ns),
    FIELD(FIELD_FIGURE, sqrt_ns),
    FIELD(FIELD_FIGURE, libm_ns),
    LOAD(0, "load_l1_ns"),
    LOAD(1, "load_l2_ns"),
    LOAD(2, "load_l3_ns"),
    LOAD(3, "load_memory_ns"),
    FIELD(FIELD_FIGURE, branch_miss_ns),
    FIELD(FIELD_FIGURE, call_ns),
    FIELD(FIELD_FIGURE, transfer_ns),
    FIELD(FIELD_FIGURE, atomic_ns),
    FIELD(FIELD_CURVE, atomic_shared_ns),
    FIELD(FIELD_FIGURE, lock_ns),
    FIELD(FIELD_CURVE, lock_shared_ns),
    FIELD(FIELD_CURVE, malloc_ns),
    FIELD(FIELD_CURVE, malloc_threads),
    FIELD(FIELD_FIGURE, page_fault_ns),
    FIELD(FIELD_CURVE, page_fault_threads),
    FIELD(FIELD_CURVE, launch_ns),
    FIELD(FIELD_CURVE, barrier_ns),
    FIELD(FIELD_CURVE, bandwidth_gbs),
    FIELD(FIELD_FIGURE, view_ns),
    FIELD(FIELD_FIGURE, numba_alloc_ns),
    FIELD(FIELD_FIGURE, denormal_ns),
};

enum { FIELD_TOTAL = sizeof FIELDS / sizeof *FIELDS };

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

static json_t *field_json(const Machine *machine, const Field *field)
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
    for (size_t i = 0; i < FIELD_TOTAL; i++) {
        json_t *value = field_json(machine, &FIELDS[i]);
        fprintf(out, ",\n  \"%s\": ", FIELDS[i].key);
        json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
        json_decref(value);
    }
    fputs("\n}\n", out);
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

/* Points [at, value] in rising order. */
static bool read_curve(const Reader *reader, const char *key, const json_t *value, Curve *curve)
{
    Curve read = {0};
    size_t count = json_array_size(value);
    if (count < 1 || count > MACHINE_CURVE)
        return refuse(reader, key, "is not a list of 1 to 16 points [at, value]");
    for (size_t i = 0; i < count; i++) {
        const json_t *point = json_array_get(value, i);
        if (json_array_size(point) != 2 || !read_number(json_array_get(point, 0), &read.at[i]) ||
            !read_number(json_array_get(point, 1), &read.value[i]))
            return refuse(reader, key, "holds something that is not a point [at, value]");
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

static bool read_field(const Reader *reader, const Field *field, const json_t *value,
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
    for (size_t i = 0; i < FIELD_TOTAL; i++) {
        const json_t *value = json_object_get(root, FIELDS[i].key);
        if (value != NULL && !read_field(reader, &FIELDS[i], value, &read))
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

/* ---- which machine this is ---- */

/* The text behind "key : " in the first block of /proc/cpuinfo (that of one processor). */
static bool cpuinfo_line(const char *cpuinfo, const char *key, char *text, size_t text_bytes)
{
    const char *line = strstr(cpuinfo, key);
    const char *colon = line != NULL ? strchr(line, ':') : NULL;
    if (colon == NULL)
        return false;
    colon++;
    colon += strspn(colon, " \t");
    snprintf(text, text_bytes, "%.*s", (int)strcspn(colon, "\n"), colon);
    return text[0] != '\0';
}

void machine_cpu(char *text, size_t text_bytes)
{
    char cpuinfo[4096] = "";
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (file != NULL) {
        cpuinfo[fread(cpuinfo, 1, sizeof cpuinfo - 1, file)] = '\0';
        fclose(file);
    }
    struct utsname system;
    if (cpuinfo_line(cpuinfo, "model name", text, text_bytes) ||
        cpuinfo_line(cpuinfo, "CPU part", text, text_bytes))
        return;
    snprintf(text, text_bytes, "%s", uname(&system) == 0 ? system.machine : "unknown");
}

double machine_line_bytes(void)
{
    long bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
    return bytes > 0 ? (double)bytes : GENERIC.line_bytes;
}

/* Read from /proc and the affinity mask rather than from hwloc: this is asked in every run. */
void machine_key(char key[17])
{
    char cpu[128], text[256];
    machine_cpu(cpu, sizeof cpu);
    int length =
        snprintf(text, sizeof text, "%s|%d|%.0f", cpu, team_processors(), machine_line_bytes());
    snprintf(key, 17, "%016" PRIx64, (uint64_t)XXH3_64bits(text, (size_t)length));
}
