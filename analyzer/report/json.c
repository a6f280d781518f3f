#include "analyzer/report/report.h"
#include "analyzer/report/writer.h"
#include "version.h"

#include <inttypes.h>
#include <string.h>

static void write_start(Writer *writer, const Region *region)
{
    SourcePlace start = source_place(region->source, region->start);
    write_string(writer, "path", region->source->path);
    write_integer(writer, "line", start.file.line);
    write_integer(writer, "column", start.file.column);
    if (start.cell != 0) {
        write_integer(writer, "cell", start.cell);
        write_integer(writer, "cellLine", start.in_cell.line);
        write_integer(writer, "cellColumn", start.in_cell.column);
    }
}

static void write_region(Writer *writer, const Region *region)
{
    SourcePosition stop = source_place(region->source, region->stop).file;
    write_start(writer, region);
    write_integer(writer, "endLine", stop.line);
    write_integer(writer, "endColumn", stop.column);
}

static void write_steps(Writer *writer, const char *key, const TraceStep *steps, uint32_t count)
{
    write_array(writer, key);
    for (uint32_t i = 0; i < count; i++) {
        write_object(writer, NULL);
        write_start(writer, &steps[i].region);
        write_string(writer, "message", steps[i].message);
        write_close(writer);
    }
    write_close(writer);
}

static void write_event(Writer *writer, const Finding *finding)
{
    if (finding->what == NULL || *finding->what == '\0')
        return;
    write_object(writer, "event");
    write_string(writer, "what", finding->what);
    write_string(writer, "per", finding->per != NULL ? finding->per : "");
    write_array(writer, "loops");
    for (uint32_t i = 0; i < finding->loops.count; i++)
        write_string(writer, NULL, finding->loops.items[i]);
    write_close(writer);
    write_number(writer, "work_ns", finding->exposure.work_ns);
    write_bool(writer, "shared", finding->shared);
    if (finding->assumed != NULL && *finding->assumed != '\0')
        write_string(writer, "assumed", finding->assumed);
    write_close(writer);
}

static void write_predicted(Writer *writer, const Finding *finding)
{
    if (finding->predicted <= 0)
        return;
    write_object(writer, "predicted");
    write_number(writer, "slowdown", finding->predicted);
    write_integer(writer, "threads", finding->predicted_threads);
    write_string(writer, "machine",
                 finding->predicted_machine != NULL ? finding->predicted_machine : "");
    write_close(writer);
}

static void write_measured(Writer *writer, const Measured *measured)
{
    if (!measured->present)
        return;
    write_object(writer, "measured");
    if (measured->slowdown > 0) {
        write_number(writer, "slowdown", measured->slowdown);
        write_number(writer, "low", measured->low);
        write_number(writer, "high", measured->high);
        write_number(writer, "contended_ns", measured->contended_ns);
        write_number(writer, "relieved_ns", measured->relieved_ns);
    }
    write_integer(writer, "threads", measured->threads);
    write_string(writer, "verdict", verdict_word(measured->verdict));
    write_string(writer, "kernel", measured->kernel != NULL ? measured->kernel : "");
    if (measured->why != NULL && *measured->why != '\0')
        write_string(writer, "why", measured->why);
    if (measured->disagrees)
        write_bool(writer, "disagrees", true);
    write_close(writer);
}

static void write_fix(Writer *writer, const Fix *fix)
{
    write_object(writer, NULL);
    write_string(writer, "description", fix->description);
    write_bool(writer, "safe", fix->safe);
    write_array(writer, "edits");
    for (uint32_t i = 0; i < fix->edits.count; i++) {
        write_object(writer, NULL);
        write_region(writer, &fix->edits.items[i].region);
        write_string(writer, "text", fix->edits.items[i].text);
        write_close(writer);
    }
    write_close(writer);
    write_close(writer);
}

static void write_finding(Writer *writer, const Finding *finding)
{
    char print[17];
    write_object(writer, NULL);
    write_string(writer, "rule", finding->rule->id);
    write_string(writer, "severity", severity_word(finding->severity));
    write_region(writer, &finding->region);
    write_string(writer, "function", finding->function != NULL ? finding->function : "");
    write_string(writer, "message", finding->message);
    write_steps(writer, "trace", finding->trace.items, finding->trace.count);
    if (finding->related.count > 0)
        write_steps(writer, "related", finding->related.items, finding->related.count);
    write_event(writer, finding);
    write_predicted(writer, finding);
    write_measured(writer, &finding->measured);
    if (finding->portability != NULL)
        write_string(writer, "portability", finding->portability);
    if (finding->doubtful)
        write_bool(writer, "doubtful", true);
    write_array(writer, "fixes");
    for (uint32_t i = 0; i < finding->fixes.count; i++)
        write_fix(writer, &finding->fixes.items[i]);
    write_close(writer);
    snprintf(print, sizeof print, "%016" PRIx64, finding->fingerprint);
    write_string(writer, "fingerprint", print);
    write_close(writer);
}

static void write_head(Writer *writer, const RunReport *report)
{
    write_integer(writer, "schema", 1);
    write_object(writer, "tool");
    write_string(writer, "name", "ponglint");
    write_string(writer, "version", PONGLINT_VERSION);
    write_close(writer);
    write_object(writer, "machine");
    write_string(writer, "name", report->machine_name);
    write_integer(writer, "threads", report->machine_threads);
    write_string(writer, "cpu", report->machine_cpu);
    write_close(writer);
}

static void write_notes(Writer *writer, const Notifications *notes)
{
    write_array(writer, "notifications");
    for (uint32_t i = 0; i < notes->count; i++) {
        const Notification *note = &notes->items[i];
        write_object(writer, NULL);
        write_string(writer, "level", severity_word(note->level));
        write_string(writer, "path", note->path);
        if (note->line > 0)
            write_integer(writer, "line", note->line);
        write_string(writer, "message", note->message);
        write_close(writer);
    }
    write_close(writer);
}

void report_json(const RunReport *report, FILE *out)
{
    Writer writer = {0};
    unsigned shown = 0;
    write_object(&writer, NULL);
    write_head(&writer, report);
    write_array(&writer, "findings");
    for (uint32_t i = 0; i < report->findings.count; i++)
        if (report_shows(report, &report->findings.items[i])) {
            write_finding(&writer, &report->findings.items[i]);
            shown++;
        }
    write_close(&writer);
    write_notes(&writer, &report->notes);
    write_object(&writer, "summary");
    write_integer(&writer, "files", report->files);
    write_integer(&writer, "findings", shown);
    write_integer(&writer, "refuted", report->refuted);
    write_integer(&writer, "suppressed", report->suppressed);
    if (report->baselined > 0)
        write_integer(&writer, "baselined", report->baselined);
    write_close(&writer);
    write_close(&writer);
    fwrite(text_string(&writer.text), 1, writer.text.length, out);
    text_free(&writer.text);
}
