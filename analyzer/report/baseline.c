#include "analyzer/report/baseline.h"

#include "analyzer/report/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

enum { BASELINE_SCHEMA = 1 };

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The fingerprints of the entries, sorted; NULL with `error` filled. Freed by the caller. */
static uint64_t *prints_of(const json_t *entries, size_t *count, const char *path, Text *error)
{
    size_t index;
    const json_t *entry;
    uint64_t *prints = calloc(json_array_size(entries) + 1, sizeof *prints);
    *count = 0;
    json_array_foreach(entries, index, entry)
    {
        const char *print = json_string_value(json_object_get(entry, "fingerprint"));
        char *end = NULL;
        uint64_t value = print != NULL ? strtoull(print, &end, 16) : 0;
        if (prints == NULL || print == NULL || end == print || *end != '\0') {
            text_printf(error,
                        "%s: entry %zu of the baseline has no fingerprint; write it anew with "
                        "--update-baseline",
                        path, index + 1);
            free(prints);
            return NULL;
        }
        prints[(*count)++] = value;
    }
    if (prints != NULL)
        qsort(prints, *count, sizeof *prints, compare);
    return prints;
}

static void hide(RunReport *report, const uint64_t *prints, size_t count)
{
    for (uint32_t i = 0; i < report->findings.count; i++) {
        Finding *finding = &report->findings.items[i];
        if (!finding->suppressed &&
            bsearch(&finding->fingerprint, prints, count, sizeof *prints, compare) != NULL)
            finding->suppressed = finding->baselined = true;
    }
}

bool baseline_hide(RunReport *report, const char *path, Text *error)
{
    json_error_t why;
    json_t *file = json_load_file(path, 0, &why);
    const json_t *entries = json_object_get(file, "findings");
    bool good = false;
    if (file == NULL)
        text_printf(error, "%s: the baseline cannot be read (%s); --update-baseline writes it",
                    path, why.text);
    else if (json_integer_value(json_object_get(file, "schema")) != BASELINE_SCHEMA ||
             !json_is_array(entries))
        text_printf(error,
                    "%s: this is no baseline of schema %d; write it anew with --update-baseline",
                    path, BASELINE_SCHEMA);
    else {
        size_t count;
        uint64_t *prints = prints_of(entries, &count, path, error);
        good = prints != NULL;
        if (good)
            hide(report, prints, count);
        free(prints);
    }
    json_decref(file);
    return good;
}

void baseline_text(const RunReport *report, Text *out)
{
    Writer writer = {0};
    write_object(&writer, NULL);
    write_integer(&writer, "schema", BASELINE_SCHEMA);
    write_array(&writer, "findings");
    for (uint32_t i = 0; i < report->findings.count; i++) {
        const Finding *finding = &report->findings.items[i];
        char print[17];
        if (!report_stands(report, finding))
            continue;
        snprintf(print, sizeof print, "%016" PRIx64, finding->fingerprint);
        write_object(&writer, NULL);
        write_string(&writer, "rule", finding->rule->id);
        write_string(&writer, "path", report_relative(report, finding->region.source->path));
        write_string(&writer, "function", finding->function != NULL ? finding->function : "");
        write_string(&writer, "fingerprint", print);
        write_close(&writer);
    }
    write_close(&writer);
    write_close(&writer);
    text_add(out, text_string(&writer.text), writer.text.length);
    text_free(&writer.text);
}
