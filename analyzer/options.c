#include "analyzer/options.h"

#include "analyzer/base/nearest.h"
#include "analyzer/config.h"
#include "analyzer/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct OptionLine {
    const char *name;  /* without dashes */
    const char *value; /* what its value is called; NULL: a flag */
    const char *help;
} OptionLine;

static const OptionLine option_lines[] = {
    {"output", "FORMAT[:FILE]",
     "full, concise, json, sarif, github, html; may be given several times"},
    {"select", "RULE,...", "only these rules; 'all' includes those that are off by default"},
    {"ignore", "RULE,...", "not these rules"},
    {"severity", "LEVEL", "lowest level shown: note, warning (default), error"},
    {"fail-on", "LEVEL", "exit status 1 from this level: note, warning (default), error, never"},
    {"min-slowdown", "X", "a finding with a smaller slowdown is a note (default 1.2)"},
    {"threads", "N", "threads that predictions are made for (default: the profile's)"},
    {"machine", "NAME|FILE", "machine profile: generic, or a file written by 'calibrate'"},
    {"measure", "MODE", "run the reference kernels: auto (default), always, cached, off"},
    {"measure-budget", "SECONDS", "time for all measurements of the run (default 3)"},
    {"file-limit", "SECONDS", "processor time for one C file (default 60)"},
    {"p", "DIR", "folder of compile_commands.json (-p DIR)"},
    {"extra-arg", "ARG", "a further argument for the C parser; may be given several times"},
    {"isolated", NULL, "read no configuration file, no cache, no user folder"},
    {"stdin-filename", "NAME", "the name standard input (PATH '-') is linted under"},
    {"assume", "NAME=COUNT", "take the size NAME to be COUNT; may be given several times"},
    {"baseline", "FILE", "hide the findings that FILE holds"},
    {"update-baseline", NULL, "write the findings of this run into the baseline"},
    {"diff-base", "REV", "only findings that lines changed since REV have a part in"},
    {"staged", NULL, "only findings that staged lines have a part in"},
    {"fix", NULL, "make the safe fixes in the files, and report what is left"},
    {"diff", NULL, "print the safe fixes as a patch instead of the findings"},
    {"jobs", "N", "files read at the same time (default: one for each processor)"},
    {"no-cache", NULL, "neither read nor write stored measurements"},
    {"color", "WHEN", "auto (default), always, never"},
    {"quiet", NULL, "findings and errors only"},
    {"statistics", NULL, "count the findings by rule, and say how long it took"},
    {"dump", "WHAT",
     "print tree, the tree of each file, or loops, the loops under omp directives and pranges"},
    {"help", NULL, "this text"},
};
enum { OPTION_COUNT = sizeof option_lines / sizeof *option_lines };

static const char *const format_words[] = {"full",   "concise", "json", "sarif",
                                           "github", "html",    NULL};
static const char *const formats_to_come[] = {"gitlab", "rdjson", "checkstyle", "junit", NULL};
static const char *const level_words[] = {"note", "warning", "error", "never", NULL};
static const char *const severity_words[] = {"note", "warning", "error", NULL};
static const char *const dump_words[] = {"tree", "loops", NULL};
static const char *const measure_words[] = {"auto", "always", "cached", "off", NULL};
static const char *const colour_words[] = {"auto", "always", "never", NULL};

static const OptionLine *find_line(const char *name)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strcmp(option_lines[i].name, name) == 0)
            return &option_lines[i];
    return NULL;
}

static int word_index(const char *const *words, const char *value, size_t length)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strlen(words[i]) == length && memcmp(words[i], value, length) == 0)
            return i;
    return -1;
}

static bool set_word(int *result, const char *const *words, const char *name, const char *value,
                     Text *error)
{
    *result = word_index(words, value, strlen(value));
    if (*result >= 0)
        return true;
    text_printf(error, "%s must be ", name);
    for (int i = 0; words[i] != NULL; i++)
        text_printf(error, "%s%s", i == 0 ? "" : words[i + 1] != NULL ? ", " : " or ", words[i]);
    text_printf(error, ", not '%s'", value);
    return false;
}

static bool set_number(double *result, double low, double high, const char *name, const char *value,
                       Text *error)
{
    char *end;
    *result = strtod(value, &end);
    if (*value != '\0' && *end == '\0' && isfinite(*result) && *result >= low && *result <= high)
        return true;
    text_printf(error, "%s must be a number from %g to %g, not '%s'", name, low, high, value);
    return false;
}

static bool set_integer(int *result, int low, int high, const char *name, const char *value,
                        Text *error)
{
    char *end;
    long number = strtol(value, &end, 10);
    *result = (int)number;
    if (*value != '\0' && *end == '\0' && number >= low && number <= high)
        return true;
    text_printf(error, "%s must be a whole number from %d to %d, not '%s'", name, low, high, value);
    return false;
}

static bool set_output(Options *options, Arena *arena, const char *value, Text *error)
{
    size_t length = strcspn(value, ":");
    const char *path = value[length] == ':' ? value + length + 1 : NULL;
    int format = word_index(format_words, value, length);
    if (format < 0 && word_index(formats_to_come, value, length) >= 0) {
        text_printf(error,
                    "output format '%.*s' is not available yet; there are full, concise, json, "
                    "sarif, github and html",
                    (int)length, value);
        return false;
    }
    if (format < 0) {
        text_printf(
            error,
            "output must be full, concise, json, sarif, github or html, with :FILE behind it "
            "to write a file, not '%s'",
            value);
        return false;
    }
    if (path != NULL && *path == '\0') {
        text_printf(error, "output '%s' names no file behind the colon", value);
        return false;
    }
    LIST_PUSH(arena, &options->outputs, (Output){(OutputFormat)format, path});
    return true;
}

static bool set_assumed(Options *options, Arena *arena, const char *value, Text *error)
{
    const char *equals = strchr(value, '=');
    double count;
    if (equals == NULL || equals == value) {
        text_printf(error, "assume must be NAME=COUNT, such as n=1500, not '%s'", value);
        return false;
    }
    if (!set_number(&count, 0, 1e18, "the count of assume", equals + 1, error))
        return false;
    LIST_PUSH(arena, &options->assumed, value);
    return true;
}

/* ---- rules ---- */

static const Rule *rule_at(unsigned index)
{
    return index < rule_count ? rule_table[index] : &rule_unused_allow;
}

static void unknown_rule(const char *id, Text *error)
{
    Nearest nearest = nearest_to(id);
    for (unsigned i = 0; i <= rule_count; i++)
        nearest_try(&nearest, rule_at(i)->id);
    text_printf(error, "there is no rule '%s'", id);
    if (nearest.best != NULL)
        text_printf(error, "; did you mean '%s'?", nearest.best);
    else
        text_puts(error, "; 'ponglint rule' lists them");
}

/* Switches the rules of a list with commas on or off. */
static bool switch_rules(Options *options, const char *list, bool on, Text *error)
{
    for (const char *at = list; *at != '\0';) {
        at += strspn(at, ", \t");
        size_t length = strcspn(at, ", \t");
        char id[128];
        if (length == 0)
            break;
        snprintf(id, sizeof id, "%.*s", (int)length, at);
        at += length;
        bool all = strcmp(id, "all") == 0, known = all;
        for (unsigned i = 0; i <= rule_count; i++)
            if (all || strcmp(rule_at(i)->id, id) == 0) {
                options->rules_on[i] = on;
                known = true;
            }
        if (!known) {
            unknown_rule(id, error);
            return false;
        }
    }
    return true;
}

bool options_select(Options *options, const char *list, Text *error)
{
    for (unsigned i = 0; i <= rule_count; i++)
        options->rules_on[i] = false;
    return switch_rules(options, list, true, error);
}

bool options_ignore(Options *options, const char *list, Text *error)
{
    return switch_rules(options, list, false, error);
}

bool options_rule_on(const Options *options, const Rule *rule)
{
    for (unsigned i = 0; i <= rule_count; i++)
        if (rule_at(i) == rule)
            return options->rules_on[i];
    return false;
}

/* ---- one option ---- */

static bool set_level(Options *options, const char *name, const char *value, Text *error)
{
    int level;
    bool fail = strcmp(name, "fail-on") == 0;
    if (!set_word(&level, fail ? level_words : severity_words, name, value, error))
        return false;
    if (fail)
        options->fail_on = level;
    else
        options->shown = (Severity)level, options->shown_given = true;
    return true;
}

static bool set_text(Options *options, Arena *arena, const char *name, const char *value,
                     Text *error)
{
    if (strcmp(name, "machine") == 0)
        options->machine = value;
    else if (strcmp(name, "p") == 0)
        options->compile_commands = value;
    else if (strcmp(name, "stdin-filename") == 0)
        options->stdin_name = value;
    else if (strcmp(name, "diff-base") == 0)
        options->diff_base = value;
    else if (strcmp(name, "baseline") == 0)
        options->baseline = value;
    else if (strcmp(name, "extra-arg") == 0)
        LIST_PUSH(arena, &options->extra_args, value);
    if (*value != '\0')
        return true;
    text_printf(error, "%s needs a value that is not empty", name);
    return false;
}

static bool set_figure(Options *options, const char *name, const char *value, Text *error)
{
    if (strcmp(name, "min-slowdown") == 0)
        return set_number(&options->min_slowdown, 1, 1e6, name, value, error);
    if (strcmp(name, "measure-budget") == 0)
        return set_number(&options->measure_seconds, 0, 86400, name, value, error);
    if (strcmp(name, "file-limit") == 0)
        return set_number(&options->file_seconds, 0.01, 86400, name, value, error);
    if (strcmp(name, "threads") == 0)
        return set_integer(&options->threads, 1, OPTIONS_MOST_THREADS, name, value, error);
    return set_integer(&options->jobs, 1, OPTIONS_MOST_JOBS, name, value, error);
}

bool options_set(Options *options, Arena *arena, const char *name, const char *value, Text *error)
{
    int word;
    if (strcmp(name, "output") == 0)
        return set_output(options, arena, value, error);
    if (strcmp(name, "assume") == 0)
        return set_assumed(options, arena, value, error);
    if (strcmp(name, "severity") == 0 || strcmp(name, "fail-on") == 0)
        return set_level(options, name, value, error);
    if (strcmp(name, "measure") == 0) {
        bool good = set_word(&word, measure_words, name, value, error);
        options->measure = good ? (MeasureMode)word : options->measure;
        return good;
    }
    if (strcmp(name, "color") == 0) {
        bool good = set_word(&word, colour_words, name, value, error);
        options->colour = good ? (ColourWhen)word : options->colour;
        return good;
    }
    if (strcmp(name, "dump") == 0) {
        bool good = set_word(&word, dump_words, name, value, error);
        options->dump = good ? (DumpWhat)word : options->dump;
        return good;
    }
    if (strcmp(name, "min-slowdown") == 0 || strcmp(name, "measure-budget") == 0 ||
        strcmp(name, "file-limit") == 0 || strcmp(name, "threads") == 0 || strcmp(name, "jobs") == 0)
        return set_figure(options, name, value, error);
    return set_text(options, arena, name, value, error);
}

static void set_flag(Options *options, const char *name)
{
    if (strcmp(name, "isolated") == 0)
        options->isolated = true;
    else if (strcmp(name, "no-cache") == 0)
        options->no_cache = true;
    else if (strcmp(name, "quiet") == 0)
        options->quiet = true;
    else if (strcmp(name, "statistics") == 0)
        options->statistics = true;
    else if (strcmp(name, "update-baseline") == 0)
        options->update_baseline = true;
    else if (strcmp(name, "staged") == 0)
        options->staged = true;
    else if (strcmp(name, "fix") == 0)
        options->fix = true;
    else if (strcmp(name, "diff") == 0)
        options->diff = true;
    else
        options->help = true;
}

/* ---- the command line ---- */

static const OptionLine *known_option(const char *name, Text *error)
{
    const OptionLine *line = find_line(name);
    if (line != NULL)
        return line;
    Nearest nearest = nearest_to(name);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        nearest_try(&nearest, option_lines[i].name);
    text_printf(error, "there is no option --%s", name);
    if (nearest.best != NULL)
        text_printf(error, "; did you mean --%s?", nearest.best);
    else
        text_puts(error, "; 'ponglint check --help' lists them");
    return NULL;
}

/* The long name of a short option with one dash, else NULL. */
static const char *short_option(const char *argument)
{
    switch (argument[1]) {
    case 'p':
        return "p";
    case 'q':
        return argument[2] == '\0' ? "quiet" : NULL;
    case 'j':
        return "jobs";
    case 'h':
        return argument[2] == '\0' ? "help" : NULL;
    default:
        return NULL;
    }
}

typedef struct Reading {
    Options *options;
    Arena *arena;
    Text *error;
    int argc, at;
    char **argv;
    Words selected, ignored;
} Reading;

static bool read_value(Reading *reading, const char *name, const char *value)
{
    if (strcmp(name, "select") == 0 || strcmp(name, "ignore") == 0) {
        if (name[0] == 's')
            LIST_PUSH(reading->arena, &reading->selected, value);
        else
            LIST_PUSH(reading->arena, &reading->ignored, value);
        return true;
    }
    return options_set(reading->options, reading->arena, name, value, reading->error);
}

/* One argument that starts with a dash, and its value. */
static bool read_option(Reading *reading)
{
    const char *argument = reading->argv[reading->at], *name, *value = NULL;
    if (argument[1] == '-') {
        size_t length = strcspn(argument + 2, "=");
        name = arena_strndup(reading->arena, argument + 2, length);
        value = argument[2 + length] == '=' ? argument + 3 + length : NULL;
    } else {
        name = short_option(argument);
        value = name != NULL && argument[2] != '\0' ? argument + 2 : NULL;
    }
    if (name == NULL) {
        text_printf(reading->error, "there is no option %s; 'ponglint check --help' lists them",
                    argument);
        return false;
    }
    const OptionLine *line = known_option(name, reading->error);
    if (line == NULL)
        return false;
    if (line->value == NULL && value != NULL) {
        text_printf(reading->error, "option --%s takes no value", name);
        return false;
    }
    if (line->value == NULL) {
        set_flag(reading->options, name);
        return true;
    }
    if (value == NULL && reading->at + 1 >= reading->argc) {
        text_printf(reading->error, "option %s%s needs a value: %s", name[1] == '\0' ? "-" : "--",
                    name, line->value);
        return false;
    }
    return read_value(reading, name, value != NULL ? value : reading->argv[++reading->at]);
}

/* Several --select add up; together they replace the list of the configuration file. */
static bool choose_rules(Reading *reading)
{
    for (uint32_t i = 0; i < reading->selected.count; i++) {
        const char *list = reading->selected.items[i];
        if (!(i == 0 ? options_select(reading->options, list, reading->error)
                     : switch_rules(reading->options, list, true, reading->error)))
            return false;
    }
    for (uint32_t i = 0; i < reading->ignored.count; i++)
        if (!options_ignore(reading->options, reading->ignored.items[i], reading->error))
            return false;
    return true;
}

static bool read_arguments(Options *options, Arena *arena, int argc, char **argv, Text *error)
{
    Reading reading = {
        .options = options, .arena = arena, .error = error, .argc = argc, .argv = argv};
    bool only_paths = false;
    for (; reading.at < argc; reading.at++) {
        const char *argument = argv[reading.at];
        if (only_paths || argument[0] != '-' || argument[1] == '\0')
            LIST_PUSH(arena, &options->paths, argument);
        else if (strcmp(argument, "--") == 0)
            only_paths = true;
        else if (!read_option(&reading))
            return false;
    }
    return choose_rules(&reading);
}

static Options defaults(Arena *arena)
{
    Options options = {
        .shown = SEVERITY_WARNING,
        .fail_on = SEVERITY_WARNING,
        .min_slowdown = 1.2,
        .measure = MEASURE_AUTO,
        .dump = DUMP_NOTHING,
        .measure_seconds = 3,
        .file_seconds = 60,
        .exclude_root = "",
    };
    options.rules_on = arena_alloc(arena, (rule_count + 1) * sizeof *options.rules_on);
    for (unsigned i = 0; i <= rule_count; i++)
        options.rules_on[i] = rule_at(i)->status == RULE_ON;
    return options;
}

/* Two programs' output on one stream would be neither's. */
static bool outputs_fit(const Options *options, Text *error)
{
    unsigned printed = 0, whole = 0;
    for (uint32_t i = 0; i < options->outputs.count; i++) {
        const Output *output = &options->outputs.items[i];
        if (output->path == NULL) {
            printed++;
            whole += output->format == OUTPUT_JSON || output->format == OUTPUT_SARIF ||
                     output->format == OUTPUT_HTML;
        }
    }
    if (whole > 0 && printed > 1)
        text_puts(error, "two outputs would be mixed on standard output; give one a file, such as "
                         "--output sarif:ponglint.sarif");
    return whole == 0 || printed <= 1;
}

static bool paths_fit(const Options *options, Text *error)
{
    unsigned inputs = 0;
    if (options->paths.count == 0) {
        text_puts(error, "no path to lint; try 'ponglint check .'");
        return false;
    }
    for (uint32_t i = 0; i < options->paths.count; i++)
        inputs += strcmp(options->paths.items[i], "-") == 0;
    if (inputs > 1)
        text_puts(error, "standard input '-' can be linted only once");
    else if (inputs == 1 && options->fix)
        text_puts(error, "--fix writes files and cannot write standard input; --diff prints the "
                         "fixes as a patch");
    else if (inputs == 1 && options->stdin_name == NULL)
        text_puts(error,
                  "path '-' needs --stdin-filename NAME, which tells the language and the name "
                  "to report");
    return inputs == 0 || (inputs == 1 && options->stdin_name != NULL && !options->fix);
}

static bool modes_fit(const Options *options, Text *error)
{
    const char *why = NULL;
    if (options->fix && options->diff)
        why = "--fix writes the fixes and --diff only prints them: one of the two";
    else if (options->staged && options->diff_base != NULL)
        why = "--staged and --diff-base ask about different changes: one of the two";
    else if (options->update_baseline && options->baseline == NULL)
        why = "--update-baseline needs --baseline FILE, the file to write";
    else if (options->update_baseline && (options->staged || options->diff_base != NULL))
        why = "--update-baseline takes all findings, not only those of a change";
    if (why != NULL)
        text_puts(error, why);
    return why == NULL;
}

bool options_parse(Options *options, Arena *arena, int argc, char **argv, Text *error)
{
    /* Once for --isolated and the paths, which decide about the file, and again over what the file
     * says. */
    Options first = defaults(arena);
    *options = first;
    if (!read_arguments(&first, arena, argc, argv, error))
        return false;
    if (first.help) {
        *options = first;
        return true;
    }
    if (!paths_fit(&first, error))
        return false;
    *options = defaults(arena);
    if (!first.isolated) {
        const char *start = strcmp(first.paths.items[0], "-") == 0 ? first.stdin_name
                                                                   : first.paths.items[0];
        if (!config_apply(options, arena, start, error))
            return false;
        if (first.outputs.count > 0)
            options->outputs.count = 0;
    }
    if (!read_arguments(options, arena, argc, argv, error))
        return false;
    if (!options->shown_given && options->fail_on < (int)options->shown)
        options->shown = (Severity)options->fail_on;
    return modes_fit(options, error) && outputs_fit(options, error);
}

void options_help(FILE *out)
{
    fputs("ponglint check [OPTION...] PATH...\n\n"
          "Finds loops in which threads fight instead of compute, in C (OpenMP, pthreads) and "
          "Python\n"
          "(numba). A folder means its files that git does not ignore; '-' is standard input.\n\n",
          out);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const OptionLine *line = &option_lines[i];
        char left[64];
        snprintf(left, sizeof left, "%s%s%s%s", line->name[1] == '\0' ? "-" : "--", line->name,
                 line->value != NULL ? " " : "", line->value != NULL ? line->value : "");
        fprintf(out, "  %-26s %s\n", left, line->help);
    }
    fputs("\nExit status: 0 nothing at or above --fail-on; 1 findings; 2 usage, configuration or "
          "input that\n"
          "cannot be read, or an internal error.\n",
          out);
}
