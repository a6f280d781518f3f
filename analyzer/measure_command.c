/* `ponglint measure RULE [KEY=VALUE…]`: one kernel by hand, as a table. */
#include "analyzer/base/nearest.h"
#include "analyzer/driver.h"
#include "analyzer/measure_law.h"
#include "analyzer/number/verdict.h"
#include "analyzer/rule.h"
#include "bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 64, MOST_THREADS = 1024 };
#define MOST_SECONDS 600.0

/* What a key sets. The first ones are numbers and fields of an Exposure. */
typedef enum Key {
    KEY_WORK,
    KEY_EVENTS,
    KEY_OVERHEAD,
    KEY_BYTES,
    KEY_STRIDE,
    KEY_SHARE,
    KEY_LAUNCHES,
    KEY_PIECES,
    KEY_PLACES,
    KEY_SHARING,
    KEY_ACCESS,
    KEY_RUNTIME,
    KEY_THREADS,
    KEY_SECONDS,
    KEY_COUNT
} Key;

typedef struct KeyInfo {
    const char *name;
    const char *words[ACCESS_EXCHANGE + 2]; /* the values of a key that is no number; NULL */
    double least, most, usual;
    const char *help;
    const char *unit; /* one of it, in words; NULL: no law is asked for */
} KeyInfo;

static const KeyInfo keys[KEY_COUNT] = {
    [KEY_WORK] = {"work", {NULL}, 0, 1e8, 4, "ns of other work beside the events", "ns of work"},
    [KEY_EVENTS] = {"events", {NULL}, 0.01, 1e4, 1, "events per piece of work", "event"},
    [KEY_OVERHEAD] =
        {"overhead", {NULL}, 0, 1e6, 0, "ns of one event without contention", "ns of overhead"},
    [KEY_BYTES] = {"bytes", {NULL}, 0, 1e9, 64, "bytes allocated or touched per event", "byte"},
    [KEY_STRIDE] =
        {"stride", {NULL}, 0, 1e6, 8, "bytes between the places of two threads", "byte of stride"},
    [KEY_SHARE] = {"share", {NULL}, 0, 1, 1, "part of the work under the lock", "unit of share"},
    [KEY_LAUNCHES] =
        {"launches", {NULL}, 0, 1e6, 1, "parallel regions per piece of work", "launch"},
    [KEY_PIECES] =
        {"pieces", {NULL}, 0, 1e9, 0, "pieces that one region would go around; 0: all", "piece"},
    [KEY_PLACES] = {"places", {NULL}, 1, 1e4, 1, "places that all threads take in turn", "place"},
    [KEY_SHARING] =
        {"sharing", {"none", "private", "all"}, 0, 2, SHARING_ALL, "whose the place is", NULL},
    [KEY_ACCESS] = {"access",
                    {"store", "update", "atomic", "critical", "exchange"},
                    0,
                    ACCESS_EXCHANGE,
                    ACCESS_UPDATE,
                    "how it is written",
                    NULL},
    [KEY_RUNTIME] = {"runtime",
                     {"any", "gnu", "llvm"},
                     0,
                     RUNTIME_LLVM,
                     RUNTIME_ANY,
                     "of OpenMP, where it is what costs",
                     NULL},
    [KEY_THREADS] =
        {"threads", {NULL}, 1, MOST_THREADS, 0, "thread counts; all up to the cores", NULL},
    [KEY_SECONDS] = {"seconds", {NULL}, 0.05, MOST_SECONDS, 0.5, "time for each measurement", NULL},
};

typedef struct Values {
    double of[MOST_VALUES];
    int count;
} Values;

typedef struct Request {
    const Rule *rule;
    const Kernel *kernel;
    Values values[KEY_COUNT];
    Key swept; /* the key with several values, beside threads; KEY_COUNT: none */
} Request;

static void print_words(FILE *out, const KeyInfo *key)
{
    for (int i = 0; key->words[i] != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "", key->words[i]);
}

static void print_keys(FILE *out)
{
    for (int i = 0; i < KEY_COUNT; i++) {
        const KeyInfo *key = &keys[i];
        fprintf(out, "  %-9s %s", key->name, key->help);
        if (key->words[0] != NULL) {
            fputs(": ", out);
            print_words(out, key);
            fprintf(out, " (%s)", key->words[(int)key->usual]);
        } else if (i != KEY_THREADS)
            fprintf(out, " (%g)", key->usual);
        fputc('\n', out);
    }
}

static int print_help(void)
{
    puts("ponglint measure RULE [KEY=VALUE...]\n\n"
         "Runs the reference kernel of a rule, contended and relieved, and prints a table by\n"
         "threads and one more key, and the law that the extra time follows, if it follows a "
         "simple\n"
         "one. The key that is swept has several values: work=1,2,5 or work=1..16, which doubles;\n"
         "without one each kernel has its own (work=4..128 mostly), unless that is given.\n");
    print_keys(stdout);
    return EXIT_CLEAN;
}

static int refuse_rule(const char *word)
{
    Nearest nearest = nearest_to(word);
    for (unsigned i = 0; i < rule_count; i++) {
        if (rule_kernel(rule_table[i]) != NULL)
            nearest_try(&nearest, rule_table[i]->id);
    }
    const Rule *rule = rule_find(word);
    fprintf(stderr, "ponglint: error: %s '%s'%s", rule == NULL ? "there is no rule" : "rule", word,
            rule == NULL ? "" : " has no kernel of its own");
    if (nearest.best != NULL && rule == NULL)
        fprintf(stderr, "; did you mean '%s'?", nearest.best);
    fputs("\nrules that can be measured:", stderr);
    for (unsigned i = 0; i < rule_count; i++) {
        if (rule_kernel(rule_table[i]) != NULL)
            fprintf(stderr, " %s", rule_table[i]->id);
    }
    fputc('\n', stderr);
    return EXIT_TROUBLE;
}

static bool refuse_value(const KeyInfo *key, const char *text)
{
    fprintf(stderr, "ponglint: error: %s=%s: ", key->name, text);
    if (key->words[0] != NULL) {
        fputs("must be one of ", stderr);
        print_words(stderr, key);
        fputc('\n', stderr);
    } else
        fprintf(stderr, "must be a number from %g to %g, a list 1,2,4 of such, or a range 1..8\n",
                key->least, key->most);
    return false;
}

static bool add_value(Values *values, double value)
{
    if (values->count == MOST_VALUES)
        return false;
    values->of[values->count++] = value;
    return true;
}

static bool read_number(const KeyInfo *key, const char *text, const char **end, double *value)
{
    char *stop;
    *value = strtod(text, &stop);
    *end = stop;
    return stop != text && *value >= key->least && *value <= key->most;
}

/* LOW..HIGH: LOW, twice as much, and so on, and HIGH. */
static bool add_range(const KeyInfo *key, Values *values, double low, const char **at)
{
    double high;
    if (!read_number(key, *at, at, &high) || high < low || low <= 0)
        return false;
    for (double value = low; value < high; value *= 2) {
        if (!add_value(values, value))
            return false;
    }
    return add_value(values, high);
}

static bool read_item(const KeyInfo *key, Values *values, const char **at)
{
    size_t length = strcspn(*at, ",");
    for (int i = 0; key->words[i] != NULL; i++) {
        if (strlen(key->words[i]) == length && memcmp(key->words[i], *at, length) == 0) {
            *at += length;
            return add_value(values, i);
        }
    }
    char number[32]; /* so that "1..4" is not read as "1." */
    size_t digits = 0;
    double value;
    while (digits < length && digits + 1 < sizeof number && strncmp(*at + digits, "..", 2) != 0) {
        number[digits] = (*at)[digits];
        digits++;
    }
    number[digits] = '\0';
    const char *end;
    if (key->words[0] != NULL || !read_number(key, number, &end, &value) || *end != '\0')
        return false;
    *at += digits;
    if (strncmp(*at, "..", 2) != 0)
        return add_value(values, value);
    *at += 2;
    return add_range(key, values, value, at);
}

static bool read_values(const KeyInfo *key, Values *values, const char *text)
{
    values->count = 0;
    for (const char *at = text;; at++) {
        if (!read_item(key, values, &at) || (*at != ',' && *at != '\0'))
            return refuse_value(key, text);
        if (*at == '\0')
            return true;
    }
}

static bool refuse_key(const char *word, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    Nearest nearest = nearest_to(name);
    for (int i = 0; i < KEY_COUNT; i++)
        nearest_try(&nearest, keys[i].name);
    fprintf(stderr, "ponglint: error: there is no key '%s'", name);
    if (nearest.best != NULL)
        fprintf(stderr, "; did you mean '%s'?", nearest.best);
    fputs("\nkeys, as KEY=VALUE:\n", stderr);
    print_keys(stderr);
    return false;
}

static bool read_argument(Request *request, const char *word)
{
    const char *sign = strchr(word, '=');
    size_t length = sign == NULL ? strlen(word) : (size_t)(sign - word);
    int key = 0;
    while (key < KEY_COUNT &&
           (strlen(keys[key].name) != length || memcmp(keys[key].name, word, length) != 0))
        key++;
    if (key == KEY_COUNT)
        return refuse_key(word, length);
    if (sign == NULL)
        return refuse_value(&keys[key], "");
    if (!read_values(&keys[key], &request->values[key], sign + 1))
        return false;
    if (request->values[key].count < 2 || key == KEY_THREADS)
        return true;
    if (key == KEY_SECONDS || (request->swept != KEY_COUNT && (int)request->swept != key)) {
        fputs("ponglint: error: one key may have several values, and not 'seconds'\n", stderr);
        return false;
    }
    request->swept = (Key)key;
    return true;
}

static double *field_of(Exposure *exposure, Key key)
{
    switch (key) {
    case KEY_WORK:
        return &exposure->work_ns;
    case KEY_EVENTS:
        return &exposure->events;
    case KEY_OVERHEAD:
        return &exposure->overhead_ns;
    case KEY_BYTES:
        return &exposure->bytes;
    case KEY_STRIDE:
        return &exposure->stride;
    case KEY_SHARE:
        return &exposure->share;
    case KEY_LAUNCHES:
        return &exposure->launches;
    case KEY_PLACES:
        return &exposure->places;
    case KEY_PIECES:
        return &exposure->pieces;
    default:
        return NULL;
    }
}

static Exposure exposure_of(const Request *request, int swept_value)
{
    Exposure exposure = {0};
    for (int key = 0; key < KEY_COUNT; key++) {
        double value = request->values[key].of[(int)request->swept == key ? swept_value : 0];
        double *field = field_of(&exposure, (Key)key);
        if (field != NULL)
            *field = value;
        else if (key == KEY_SHARING)
            exposure.sharing = (ExposureSharing)value;
        else if (key == KEY_ACCESS)
            exposure.access = (ExposureAccess)value;
        else if (key == KEY_RUNTIME)
            exposure.runtime = (ExposureRuntime)value;
    }
    return exposure;
}

static void print_value(Key key, double value)
{
    if (keys[key].words[0] != NULL)
        printf("%-9s ", keys[key].words[(int)value]);
    else
        printf("%-9.7g ", value);
}

/* How much more a team of these threads gets done than one thread; 0 where that was not measured.
 */
static double scaling(double alone_ns, double ns, int threads)
{
    return alone_ns > 0 && ns > 0 ? threads * alone_ns / ns : 0;
}

static void print_row(const Measurement *seen, const Measurement *alone)
{
    if (seen->state == MEASURE_ONE_CORE || seen->state == MEASURE_NO_MEMORY || seen->rounds == 0) {
        printf("%7d  %s\n", seen->threads, seen->why);
        return;
    }
    printf("%7d %13.2f %12.2f %6.2f [%.2f, %.2f]", seen->threads, seen->contended_ns,
           seen->relieved_ns, seen->ratio, seen->low, seen->high);
    double contended = scaling(alone->contended_ns, seen->contended_ns, seen->threads);
    double relieved = scaling(alone->relieved_ns, seen->relieved_ns, seen->threads);
    if (contended > 0)
        printf("  %.2f / %.2f", contended, relieved);
    printf("%s%s\n", seen->why[0] == '\0' ? "" : "  noisy: ", seen->why);
}

/* ---- the law ---- */

/* Extra time of the contended form up to this share of the relieved one is next to nothing. */
static const double NEXT_TO_NOTHING = 0.05;

typedef struct Sweep {
    double at[MOST_VALUES], extra[MOST_VALUES], negligible[MOST_VALUES];
    int count;
} Sweep;

/* A row that tells something: a kernel that ran, and that nobody kept from its cores much. */
static void sweep_add(Sweep *sweep, double at, const Measurement *seen)
{
    bool disturbed = seen->crowded || seen->disturbed > 2 * seen->rounds;
    if (seen->rounds == 0 || disturbed || sweep->count == MOST_VALUES)
        return;
    sweep->at[sweep->count] = at;
    sweep->extra[sweep->count] = seen->contended_ns - seen->relieved_ns;
    sweep->negligible[sweep->count++] = NEXT_TO_NOTHING * seen->relieved_ns;
}

static void print_law(const char *where, const Sweep *sweep, const char *name, const char *unit)
{
    Text words = {0};
    Law law = law_fit(sweep->at, sweep->extra, sweep->negligible, sweep->count);
    LawSubject subject = {name, unit, 0, 0};
    if (sweep->count > 0) {
        subject.from = sweep->at[0];
        subject.to = sweep->at[sweep->count - 1];
    }
    law_words(&law, &subject, &words);
    printf("%s: %s\n", where, text_string(&words));
    text_free(&words);
}

/* One law for each number of threads over what was swept, and one over the threads. */
static void print_laws(const Request *request, const Sweep *by_threads, const Sweep *over_threads)
{
    const Values *threads = &request->values[KEY_THREADS];
    Key swept = request->swept;
    for (int i = 0; i < threads->count && swept != KEY_COUNT && keys[swept].unit != NULL; i++) {
        char where[32];
        snprintf(where, sizeof where, "%.0f thread%s", threads->of[i],
                 threads->of[i] == 1 ? "" : "s");
        print_law(where, &by_threads[i], keys[swept].name, keys[swept].unit);
    }
    if (threads->count > 2)
        print_law("by threads", over_threads, "threads", "thread");
}

/* ---- the table ---- */

static Measurement measure_row(const Request *request, int value, int threads, double step_ns)
{
    Exposure exposure = exposure_of(request, value);
    MeasureOptions options = {
        .threads = threads, .seconds = request->values[KEY_SECONDS].of[0], .step_ns = step_ns};
    exposure.threads = threads;
    return measure_kernel(request->kernel, &exposure, &options);
}

static void print_head(const Request *request)
{
    printf("%s: wall ns per piece of work of each thread\n", request->kernel->name);
    if (request->swept != KEY_COUNT)
        printf("%-9s ", keys[request->swept].name);
    puts("threads  contended ns  relieved ns  ratio [95 % interval]  scaling contended / relieved");
}

/* One table: a row per value of the swept key and thread count, and the laws below it. true if
 * every kernel answered right. */
static bool print_table(const Request *request)
{
    static const Sweep none;
    double step_ns = measure_step_ns();
    const Values *threads = &request->values[KEY_THREADS];
    bool sweeps = request->swept != KEY_COUNT, good = true;
    Sweep by_threads[MOST_VALUES], over_threads = none;
    for (int i = 0; i < threads->count; i++)
        by_threads[i] = none;
    print_head(request);
    int values = sweeps ? request->values[request->swept].count : 1;
    for (int value = 0; value < values; value++) {
        double at = sweeps ? request->values[request->swept].of[value] : 0;
        Measurement alone = {0};
        for (int i = 0; i < threads->count; i++) {
            Measurement seen = measure_row(request, value, (int)threads->of[i], step_ns);
            if (seen.threads == 1)
                alone = seen;
            if (sweeps)
                print_value(request->swept, at);
            print_row(&seen, &alone);
            fflush(stdout);
            sweep_add(&by_threads[i], at, &seen);
            if (value == 0)
                sweep_add(&over_threads, seen.threads, &seen);
            good = good && !seen.wrong;
        }
    }
    print_laws(request, by_threads, &over_threads);
    return good;
}

static void set_usual(Request *request)
{
    for (int key = 0; key < KEY_COUNT; key++)
        add_value(&request->values[key], keys[key].usual);
    int cores = measure_cores();
    Values *threads = &request->values[KEY_THREADS];
    threads->count = 0;
    for (int i = 1; i <= cores && i <= MOST_VALUES; i++)
        add_value(threads, i);
}

/* Where nothing is swept, the kernel's own sweep, unless that key was given. */
static bool set_sweep(Request *request, int argc, char **argv)
{
    const char *sweep = request->kernel->sweep != NULL ? request->kernel->sweep : "work=4..128";
    size_t length = strcspn(sweep, "=") + 1;
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], sweep, length) == 0)
            return true;
    return request->swept != KEY_COUNT || read_argument(request, sweep);
}

int verdict_command(int argc, char **argv)
{
    if (argc == 0) {
        fputs("ponglint: error: 'measure' needs a rule: ponglint measure RULE [KEY=VALUE...]\n",
              stderr);
        return EXIT_TROUBLE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)
        return print_help();
    Request request = {.rule = rule_find(argv[0]), .swept = KEY_COUNT};
    request.kernel = request.rule == NULL ? NULL : rule_kernel(request.rule);
    if (request.kernel == NULL)
        return refuse_rule(argv[0]);
    set_usual(&request);
    for (int i = 1; i < argc; i++) {
        if (!read_argument(&request, argv[i]))
            return EXIT_TROUBLE;
    }
    if (!set_sweep(&request, argc, argv))
        return EXIT_TROUBLE;
    return print_table(&request) ? EXIT_CLEAN : EXIT_TROUBLE;
}
