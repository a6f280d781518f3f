/* SARIF 2.1.0 for GitHub code scanning and editors. An alert shows on a pull request only if all
 * lines of its region are in the change: so the region stays the expression, and the loop goes into
 * the related locations. */
#include "analyzer/report/escape.h"
#include "analyzer/report/line_hash.h"
#include "analyzer/report/report.h"
#include "analyzer/report/writer.h"
#include "version.h"

#include <inttypes.h>
#include <string.h>

typedef struct Sarif {
    const RunReport *report;
    Writer writer;
    Arena *arena;
    const Source *hashed; /* the file that `hashes` are of */
    LineHash *hashes;
    uint32_t hash_count;
} Sarif;

static void write_text(Writer *writer, const char *key, const char *text)
{
    write_object(writer, key);
    write_string(writer, "text", text);
    write_close(writer);
}

static void write_uri(Sarif *sarif, const char *path)
{
    Text uri = {0};
    escape_uri(&uri, report_relative(sarif->report, path));
    write_object(&sarif->writer, "artifactLocation");
    write_string(&sarif->writer, "uri", text_string(&uri));
    write_close(&sarif->writer);
    text_free(&uri);
}

/* The column in UTF-16 units, from 1. */
static long long utf16_column(const Source *source, SourcePosition position)
{
    const char *line = source->bytes + source->line_start[position.line - 1];
    return (long long)utf16_units(line, position.column - 1) + 1;
}

static void write_region(Writer *writer, const char *key, const Region *region)
{
    const Source *file = source_file(region->source);
    SourcePosition start = source_place(region->source, region->start).file,
                   stop = source_place(region->source, region->stop).file;
    write_object(writer, key);
    write_integer(writer, "startLine", start.line);
    write_integer(writer, "startColumn", utf16_column(file, start));
    write_integer(writer, "endLine", stop.line);
    write_integer(writer, "endColumn", utf16_column(file, stop));
    write_close(writer);
}

/* In a notebook, the cell: viewers show the file's own lines, users think in cells. */
static void write_cell(Sarif *sarif, const Region *region)
{
    SourcePlace place = source_place(region->source, region->start);
    Text name = {0};
    if (place.cell == 0)
        return;
    text_printf(&name, "cell %u", (unsigned)place.cell);
    write_array(&sarif->writer, "logicalLocations");
    write_object(&sarif->writer, NULL);
    write_string(&sarif->writer, "name", text_string(&name));
    text_printf(&name, ":%u:%u", (unsigned)place.in_cell.line, (unsigned)place.in_cell.column);
    write_string(&sarif->writer, "fullyQualifiedName", text_string(&name));
    write_close(&sarif->writer);
    write_close(&sarif->writer);
    text_free(&name);
}

static void write_place(Sarif *sarif, const Region *region)
{
    write_object(&sarif->writer, "physicalLocation");
    write_uri(sarif, region->source->path);
    write_region(&sarif->writer, "region", region);
    write_close(&sarif->writer);
    write_cell(sarif, region);
}

/* A location with a message; `id` 0: none. The caller closes nothing. */
static void write_location(Sarif *sarif, const Region *region, const char *message, unsigned id)
{
    write_object(&sarif->writer, NULL);
    if (id > 0)
        write_integer(&sarif->writer, "id", id);
    write_place(sarif, region);
    if (message != NULL)
        write_text(&sarif->writer, "message", message);
    write_close(&sarif->writer);
}

/* ---- rules ---- */

static const Rule *rule_at(const RunReport *report, unsigned index)
{
    return index < report->rule_count ? report->rules[index] : &rule_unused_allow;
}

static void write_rule(Writer *writer, const Rule *rule, const char *page)
{
    /* The default level of a rule whose severity follows from the slowdown is that of an ordinary
     * finding. */
    bool error = rule->severity == SEVERITY_ERROR;
    write_object(writer, NULL);
    write_string(writer, "id", rule->id);
    write_text(writer, "shortDescription", rule->summary);
    write_text(writer, "fullDescription", rule->help);
    write_object(writer, "help");
    write_string(writer, "text", rule->help);
    write_string(writer, "markdown", page != NULL && *page != '\0' ? page : rule->help);
    write_close(writer);
    write_object(writer, "defaultConfiguration");
    write_string(writer, "level", error ? "error" : "warning");
    if (rule->status == RULE_OFF_BY_DEFAULT)
        write_bool(writer, "enabled", false);
    write_close(writer);
    write_object(writer, "properties");
    write_string(writer, "precision", "high");
    write_string(writer, "problem.severity", error ? "error" : "warning");
    write_array(writer, "tags");
    write_string(writer, NULL, "performance");
    write_string(writer, NULL, "concurrency");
    write_close(writer);
    write_close(writer);
    write_close(writer);
}

static void write_tool(Sarif *sarif)
{
    const RunReport *report = sarif->report;
    Writer *writer = &sarif->writer;
    write_object(writer, "tool");
    write_object(writer, "driver");
    write_string(writer, "name", "ponglint");
    write_string(writer, "version", PONGLINT_VERSION);
    write_string(writer, "semanticVersion", PONGLINT_VERSION);
    write_array(writer, "rules");
    for (unsigned i = 0; i <= report->rule_count; i++)
        write_rule(writer, rule_at(report, i), i < report->rule_count ? report->pages[i] : NULL);
    write_close(writer);
    write_close(writer);
    write_close(writer);
}

/* ---- results ---- */

/* Text that must not be read as a link. */
static void add_plain(Text *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        text_putc(out, *at);
        if (at[0] == ']' && at[1] == '(')
            text_putc(out, ' ');
    }
}

static void add_links(Text *out, const TraceStep *steps, uint32_t count, unsigned *id)
{
    for (uint32_t i = 0; i < count; i++) {
        text_puts(out, *id == 1 ? " See [" : ", [");
        for (const char *at = steps[i].message; *at != '\0'; at++)
            text_printf(out, strchr("[]\\", *at) != NULL ? "\\%c" : "%c", *at);
        text_printf(out, "](%u)", (*id)++);
    }
}

static void write_message(Sarif *sarif, const Finding *finding)
{
    Text text = {0}, numbers = {0};
    unsigned id = 1;
    SourcePlace place = source_place(finding->region.source, finding->region.start);
    if (place.cell != 0)
        text_printf(&text, "cell %u, line %u: ", (unsigned)place.cell,
                    (unsigned)place.in_cell.line);
    add_plain(&text, finding->message);
    report_numbers(finding, false, &numbers);
    if (numbers.length > 0)
        text_printf(&text, " (%s)", text_string(&numbers));
    if (text.length > 0 && strchr(".!?", text.bytes[text.length - 1]) == NULL)
        text_putc(&text, '.');
    add_links(&text, finding->trace.items, finding->trace.count, &id);
    add_links(&text, finding->related.items, finding->related.count, &id);
    if (id > 1)
        text_putc(&text, '.');
    write_text(&sarif->writer, "message", text_string(&text));
    text_free(&numbers);
    text_free(&text);
}

static void write_related(Sarif *sarif, const Finding *finding)
{
    unsigned id = 1;
    if (finding->trace.count + finding->related.count == 0)
        return;
    write_array(&sarif->writer, "relatedLocations");
    for (uint32_t i = 0; i < finding->trace.count; i++)
        write_location(sarif, &finding->trace.items[i].region, finding->trace.items[i].message,
                       id++);
    for (uint32_t i = 0; i < finding->related.count; i++)
        write_location(sarif, &finding->related.items[i].region, finding->related.items[i].message,
                       id++);
    write_close(&sarif->writer);
}

static void write_flow_location(Sarif *sarif, const Region *region, const char *message)
{
    write_object(&sarif->writer, NULL);
    write_object(&sarif->writer, "location");
    write_place(sarif, region);
    write_text(&sarif->writer, "message", message);
    write_close(&sarif->writer);
    write_close(&sarif->writer);
}

/* The way from the parallel loop to the place. */
static void write_flow(Sarif *sarif, const Finding *finding)
{
    Writer *writer = &sarif->writer;
    if (finding->trace.count == 0)
        return;
    write_array(writer, "codeFlows");
    write_object(writer, NULL);
    write_array(writer, "threadFlows");
    write_object(writer, NULL);
    write_array(writer, "locations");
    for (uint32_t i = 0; i < finding->trace.count; i++)
        write_flow_location(sarif, &finding->trace.items[i].region,
                            finding->trace.items[i].message);
    write_flow_location(sarif, &finding->region,
                        finding->what != NULL && *finding->what != '\0' ? finding->what
                                                                        : finding->message);
    for (int i = 0; i < 5; i++)
        write_close(writer);
}

static void write_fingerprints(Sarif *sarif, const Finding *finding)
{
    char print[32];
    const Source *source = source_file(finding->region.source);
    if (sarif->hashed != source) {
        sarif->hashes = line_hashes(sarif->arena, source, &sarif->hash_count);
        sarif->hashed = source;
    }
    uint32_t line = source_place(finding->region.source, finding->region.start).file.line;
    LineHash own = line <= sarif->hash_count ? sarif->hashes[line - 1] : (LineHash){0, 1};
    write_object(&sarif->writer, "partialFingerprints");
    snprintf(print, sizeof print, "%" PRIx64 ":%u", own.hash, (unsigned)own.count);
    write_string(&sarif->writer, "primaryLocationLineHash", print);
    snprintf(print, sizeof print, "%016" PRIx64, finding->fingerprint);
    write_string(&sarif->writer, "ponglint/v1", print);
    write_close(&sarif->writer);
}

static void write_fix(Sarif *sarif, const Fix *fix)
{
    Writer *writer = &sarif->writer;
    write_object(writer, NULL);
    write_text(writer, "description", fix->description);
    write_array(writer, "artifactChanges");
    for (uint32_t i = 0; i < fix->edits.count;) {
        const char *path = fix->edits.items[i].region.source->path;
        write_object(writer, NULL);
        write_uri(sarif, path);
        write_array(writer, "replacements");
        for (; i < fix->edits.count && strcmp(fix->edits.items[i].region.source->path, path) == 0;
             i++) {
            write_object(writer, NULL);
            write_region(writer, "deletedRegion", &fix->edits.items[i].region);
            write_text(writer, "insertedContent", fix->edits.items[i].text);
            write_close(writer);
        }
        write_close(writer);
        write_close(writer);
    }
    write_close(writer);
    write_close(writer);
}

static void write_fixes(Sarif *sarif, const Finding *finding)
{
    uint32_t with_edits = 0;
    for (uint32_t i = 0; i < finding->fixes.count; i++)
        with_edits += finding->fixes.items[i].edits.count > 0;
    if (with_edits == 0)
        return;
    write_array(&sarif->writer, "fixes");
    for (uint32_t i = 0; i < finding->fixes.count; i++)
        if (finding->fixes.items[i].edits.count > 0)
            write_fix(sarif, &finding->fixes.items[i]);
    write_close(&sarif->writer);
}

static void write_properties(Writer *writer, const Finding *finding)
{
    const Measured *measured = &finding->measured;
    write_object(writer, "properties");
    if (finding->predicted > 0) {
        write_object(writer, "predicted");
        write_number(writer, "slowdown", finding->predicted);
        write_integer(writer, "threads", finding->predicted_threads);
        write_string(writer, "machine",
                     finding->predicted_machine != NULL ? finding->predicted_machine : "");
        write_close(writer);
    }
    if (measured->present) {
        write_object(writer, "measured");
        if (measured->slowdown > 0) {
            write_number(writer, "slowdown", measured->slowdown);
            write_number(writer, "low", measured->low);
            write_number(writer, "high", measured->high);
        }
        write_integer(writer, "threads", measured->threads);
        write_string(writer, "verdict", verdict_word(measured->verdict));
        write_close(writer);
    }
    if (finding->portability != NULL)
        write_string(writer, "portability", finding->portability);
    write_close(writer);
}

static void write_result(Sarif *sarif, const Finding *finding)
{
    Writer *writer = &sarif->writer;
    unsigned index = 0;
    while (index < sarif->report->rule_count && rule_at(sarif->report, index) != finding->rule)
        index++;
    write_object(writer, NULL);
    write_string(writer, "ruleId", finding->rule->id);
    write_integer(writer, "ruleIndex", index);
    write_string(writer, "level", severity_word(finding->severity));
    write_message(sarif, finding);
    write_array(writer, "locations");
    write_location(sarif, &finding->region, NULL, 0);
    write_close(writer);
    write_fingerprints(sarif, finding);
    write_related(sarif, finding);
    write_flow(sarif, finding);
    write_fixes(sarif, finding);
    write_properties(writer, finding);
    write_close(writer);
}

/* ---- notifications ---- */

static void write_notification(Sarif *sarif, const Notification *note)
{
    Writer *writer = &sarif->writer;
    write_object(writer, NULL);
    write_string(writer, "level", severity_word(note->level));
    write_text(writer, "message", note->message);
    if (*note->path != '\0') {
        write_array(writer, "locations");
        write_object(writer, NULL);
        write_object(writer, "physicalLocation");
        write_uri(sarif, note->path);
        if (note->line > 0) {
            write_object(writer, "region");
            write_integer(writer, "startLine", note->line);
            write_close(writer);
        }
        write_close(writer);
        write_close(writer);
        write_close(writer);
    }
    write_close(writer);
}

static void write_invocation(Sarif *sarif)
{
    Writer *writer = &sarif->writer;
    const Notifications *notes = &sarif->report->notes;
    bool successful = true;
    for (uint32_t i = 0; i < notes->count; i++)
        successful = successful && notes->items[i].level != SEVERITY_ERROR;
    write_array(writer, "invocations");
    write_object(writer, NULL);
    write_bool(writer, "executionSuccessful", successful);
    write_array(writer, "toolExecutionNotifications");
    for (uint32_t i = 0; i < notes->count; i++)
        write_notification(sarif, &notes->items[i]);
    write_close(writer);
    write_close(writer);
    write_close(writer);
}

void report_sarif(const RunReport *report, FILE *out)
{
    Sarif sarif = {.report = report, .arena = arena_new()};
    Writer *writer = &sarif.writer;
    write_object(writer, NULL);
    write_string(writer, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    write_string(writer, "version", "2.1.0");
    write_array(writer, "runs");
    write_object(writer, NULL);
    write_tool(&sarif);
    write_invocation(&sarif);
    write_string(writer, "columnKind", "utf16CodeUnits");
    write_array(writer, "results");
    for (uint32_t i = 0; i < report->findings.count; i++)
        if (report_shows(report, &report->findings.items[i]))
            write_result(&sarif, &report->findings.items[i]);
    for (int i = 0; i < 4; i++)
        write_close(writer);
    fwrite(text_string(&writer->text), 1, writer->text.length, out);
    text_free(&writer->text);
    arena_free(sarif.arena);
}
