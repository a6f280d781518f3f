/* What a run is asked for: the command line over the configuration file over the defaults. Texts
 * live in the arena that is handed to options_parse, or are the caller's argv. */
#ifndef ANALYZER_OPTIONS_H
#define ANALYZER_OPTIONS_H

#include "analyzer/base/text.h"
#include "analyzer/number/verdict.h"
#include "analyzer/rule.h"

#include <stdio.h>

typedef enum OutputFormat {
    OUTPUT_FULL,
    OUTPUT_CONCISE,
    OUTPUT_JSON,
    OUTPUT_SARIF,
    OUTPUT_GITHUB,
    OUTPUT_HTML
} OutputFormat;

typedef struct Output {
    OutputFormat format;
    const char *path; /* NULL: standard output */
} Output;

typedef enum ColourWhen { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER } ColourWhen;

typedef LIST(const char *) Words;

enum { FAIL_NEVER = SEVERITY_ERROR + 1, OPTIONS_MOST_THREADS = 1024, OPTIONS_MOST_JOBS = 256 };

/* What is printed instead of findings. */
typedef enum DumpWhat { DUMP_TREE, DUMP_LOOPS, DUMP_NOTHING } DumpWhat;

typedef struct Options {
    Words paths;
    LIST(Output) outputs; /* empty: full on a terminal, else concise */
    bool *rules_on;       /* by place in rule_table, [rule_count] is unused-allow */
    Severity shown;
    bool shown_given; /* else what makes the run fail is shown too */
    int fail_on;      /* Severity, or FAIL_NEVER */
    double min_slowdown;
    int threads;         /* 0: the machine profile's */
    const char *machine; /* NULL: this machine's profile if there is one, else generic */
    MeasureMode measure;
    double measure_seconds;
    double file_seconds; /* processor time for one C file */
    const char *compile_commands;
    Words extra_args;
    bool isolated, quiet, statistics, no_cache;
    const char *stdin_name; /* NULL: not given */
    int jobs;               /* 0: one for each processor */
    ColourWhen colour;
    Words assumed;            /* name=count */
    Words excluded;           /* patterns of the configuration, relative to `exclude_root` */
    const char *exclude_root; /* folder of the configuration file, "" the current one */
    const char *baseline;     /* NULL: none */
    bool update_baseline;
    const char *diff_base; /* NULL: none */
    bool staged;
    DumpWhat dump;
    bool fix, diff; /* make the safe fixes; print them as a patch instead */
    bool help;
} Options;

/* Reads the arguments behind `ponglint check` and, unless --isolated is among them, the nearest
 * configuration file. false: `error` says what is wrong and what would be right. */
bool options_parse(Options *options, Arena *arena, int argc, char **argv, Text *error)
    __attribute__((warn_unused_result));

/* The parts that config.c shares: reads the value of one option as text. false with `error` filled.
 * `name` is the long name without dashes ("fail-on"); unknown names are refused with the nearest
 * known one. */
bool options_set(Options *options, Arena *arena, const char *name, const char *value, Text *error)
    __attribute__((warn_unused_result));

/* Rules by their ids: "all", or a list with commas. The selection starts from the rules that are on
 * by default. */
bool options_select(Options *options, const char *list, Text *error)
    __attribute__((warn_unused_result));
bool options_ignore(Options *options, const char *list, Text *error)
    __attribute__((warn_unused_result));

bool options_rule_on(const Options *options, const Rule *rule);

void options_help(FILE *out);

#endif
