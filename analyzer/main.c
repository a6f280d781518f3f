/* The command line: which command, and usage. */
#include "analyzer/driver.h"
#include "analyzer/profile.h"
#include "bench/calibrate.h"
#include "version.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int trouble(const char *message)
{
    fprintf(stderr, "ponglint: error: %s\n", message);
    return EXIT_TROUBLE;
}

static int run_check(int argc, char **argv)
{
    Arena *arena = arena_new();
    Options options;
    Text error = {0};
    int status = EXIT_CLEAN;
    if (!options_parse(&options, arena, argc, argv, &error))
        status = trouble(text_string(&error));
    else if (options.help)
        options_help(stdout);
    else
        status = driver_run(&options);
    text_free(&error);
    arena_free(arena);
    return status;
}

/* ---- calibrate ---- */

static void show_stage(const char *stage)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kponglint: measuring %s", stage);
}

/* Makes the folders in front of a file. */
static void make_folders(Arena *arena, const char *path)
{
    char *part = arena_strdup(arena, path);
    for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(part, 0777); /* one that is there is as good; opening the file tells */
        *slash = '/';
    }
}

static int write_profile(const char *path, const Machine *machine)
{
    char *json = machine_to_json(machine);
    FILE *file = json == NULL ? NULL : strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    bool good = file != NULL && fputs(json, file) >= 0;
    if (file != NULL && file != stdout)
        good = fclose(file) == 0 && good;
    if (!good)
        fprintf(stderr, "ponglint: error: %s: cannot be written: %s\n", path, strerror(errno));
    free(json);
    return good ? EXIT_CLEAN : EXIT_TROUBLE;
}

static const char calibrate_help[] = "ponglint calibrate [--full] [-o FILE]\n\n"
                                     "Measures this machine's profile: topology and caches, and "
                                     "what line transfers, atomics, locks,\n"
                                     "allocation, page faults, launches, barriers, bandwidth, "
                                     "arithmetic and loads cost, each with its\n"
                                     "spread. Takes about two seconds, with --full twenty, for "
                                     "narrower figures. Without -o it becomes\n"
                                     "the default of 'ponglint check'; '-o -' prints it.";

typedef struct CalibrateOptions {
    const char *path; /* NULL: the default */
    double seconds;
} CalibrateOptions;

static bool read_calibrate_options(CalibrateOptions *options, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
            options->path = argv[++i];
        else if (strcmp(argv[i], "--full") == 0)
            options->seconds = CALIBRATE_FULL_SECONDS;
        else
            return false;
    }
    return true;
}

static int measure_profile(const char *path, double seconds)
{
    Machine machine;
    char note[512];
    calibrate(&machine, seconds, note, sizeof note, show_stage);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    int status = write_profile(path, &machine);
    if (note[0] != '\0')
        fprintf(stderr, "ponglint: note: %s\n", note);
    if (status == EXIT_CLEAN && strcmp(path, "-") != 0)
        printf("%s: %s, %d threads, %s\n", path, machine.cpu, machine.threads,
               machine.openmp[0] != '\0' ? machine.openmp : "no OpenMP runtime");
    return status;
}

static int run_calibrate(int argc, char **argv)
{
    CalibrateOptions options = {NULL, CALIBRATE_SECONDS};
    if (argc == 1 && strcmp(argv[0], "--help") == 0)
        return puts(calibrate_help) < 0;
    if (!read_calibrate_options(&options, argc, argv))
        return trouble("usage: ponglint calibrate [--full] [-o FILE]");
    Arena *arena = arena_new();
    if (options.path == NULL && (options.path = profile_path(arena)) != NULL)
        make_folders(arena, options.path);
    int status = options.path != NULL
                     ? measure_profile(options.path, options.seconds)
                     : trouble("there is no home folder to keep the profile in; give -o FILE");
    arena_free(arena);
    return status;
}

/* ---- rule ---- */

static int list_rules(void)
{
    for (unsigned i = 0; i < rule_count; i++)
        printf("%-22s %s%s\n", rule_table[i]->id, rule_table[i]->summary,
               rule_table[i]->status == RULE_OFF_BY_DEFAULT ? " (off by default)" : "");
    return EXIT_CLEAN;
}

static int run_rule(int argc, char **argv)
{
    if (argc == 0)
        return list_rules();
    for (unsigned i = 0; argc == 1 && i < rule_count; i++)
        if (strcmp(rule_table[i]->id, argv[0]) == 0) {
            const char *page = rule_pages[i];
            if (*page != '\0')
                fputs(page, stdout);
            else
                printf("%s: %s\n\n%s\n", rule_table[i]->id, rule_table[i]->summary,
                       rule_table[i]->help);
            return EXIT_CLEAN;
        }
    if (argc == 1 && strcmp(argv[0], "--help") == 0)
        return puts("ponglint rule [ID]\n\nLists the rules, or explains one.") < 0;
    fprintf(stderr, "ponglint: error: there is no rule '%s'; 'ponglint rule' lists them\n",
            argc == 1 ? argv[0] : argv[1]);
    return EXIT_TROUBLE;
}

/* ---- which command ---- */

static int run_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("ponglint " PONGLINT_VERSION);
    return EXIT_CLEAN;
}

static int run_help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("ponglint finds loops in which threads fight instead of compute\n\n"
         "  ponglint check [OPTION...] PATH...     lint files and folders ('ponglint PATH...' is "
         "the same)\n"
         "  ponglint calibrate [--full] [-o FILE]  measure this machine's profile\n"
         "  ponglint measure RULE [KEY=VALUE...]   run one rule's reference kernel by hand\n"
         "  ponglint rule [ID]                     list the rules, or explain one\n"
         "  ponglint version\n\n"
         "'ponglint check --help' lists the options.");
    return EXIT_CLEAN;
}

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv); /* what stands behind the command */
} Command;

static const Command commands[] = {
    {"check", run_check}, {"calibrate", run_calibrate}, {"measure", verdict_command},
    {"rule", run_rule},   {"version", run_version},     {"--version", run_version},
    {"help", run_help},   {"--help", run_help},         {"-h", run_help},
};

int main(int argc, char **argv)
{
    if (argc < 2) {
        run_help(0, NULL);
        return EXIT_TROUBLE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 2, argv + 2);
    return run_check(argc - 1, argv + 1);
}
