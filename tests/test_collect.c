/* Which files a path stands for, in folders made for each test. */
#include "analyzer/base/text.h"
#include "analyzer/collect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static char *before;

/* Every test runs inside a new, empty folder. */
static int enter(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/ponglint-collect-XXXXXX");
    before = realpath(".", NULL);
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static void run(const char *const *arguments)
{
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
            _exit(126);
        execvp(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    int status = 0;
    assert_true(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s failed", arguments[0]);
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static int leave(void **state)
{
    (void)state;
    int status = chdir(before);
    free(before);
    RUN("rm", "-rf", folder);
    return status;
}

/* An empty file, with its folders. */
static void put(const char *path)
{
    char part[256];
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdir(part, 0777);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void put_text(const char *path, const char *text)
{
    put(path);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

/* Collects from `path` and compares the files, joined by blanks, and how many notes of what level
 * there are. */
static void expect_with(const char *path, const CollectOptions *options, const char *files,
                        Severity level, unsigned notes)
{
    Arena *arena = arena_new();
    Collected collected = {0};
    Text joined = {0};
    collect(arena, &path, 1, options, &collected);
    for (uint32_t i = 0; i < collected.files.count; i++)
        text_printf(&joined, "%s%s", i > 0 ? " " : "", collected.files.items[i]);
    assert_string_equal(text_string(&joined), files);
    assert_int_equal(collected.notes.count, notes);
    for (uint32_t i = 0; i < notes; i++)
        assert_int_equal(collected.notes.items[i].level, level);
    text_free(&joined);
    arena_free(arena);
}

static void expect(const char *path, const char *files)
{
    const CollectOptions options = {.exclude_root = ""};
    expect_with(path, &options, files, SEVERITY_NOTE, 0);
}

static void a_folder_means_its_sources_sorted(void **state)
{
    (void)state;
    put("b.py");
    put("sub/deep/a.c");
    put("sub/x.h");
    put("a.cpp");
    put("notes.txt");
    put("Makefile");
    expect(".", "a.cpp b.py sub/deep/a.c sub/x.h");
    expect("./sub/", "sub/deep/a.c sub/x.h");
    expect("sub/../sub", "sub/../sub/deep/a.c sub/../sub/x.h");
}

static void an_absolute_folder_gives_absolute_paths(void **state)
{
    (void)state;
    char wanted[128];
    put("a.c");
    snprintf(wanted, sizeof wanted, "%s/a.c", folder);
    expect(folder, wanted);
}

static void what_nobody_writes_by_hand_is_left_out(void **state)
{
    (void)state;
    put("a.py");
    put(".hidden/a.py");
    put("node_modules/a.c");
    put("__pycache__/a.py");
    put("build/a.c");
    put("build-debug/a.c");
    put("cmake-build-release/a.c");
    put("env/pyvenv.cfg");
    put("env/lib/a.py");
    put("made/CMakeCache.txt");
    put("made/a.c");
    put("builders/a.py");
    expect(".", "a.py builders/a.py");
}

static void a_folder_that_is_named_is_read_whatever_it_is_called(void **state)
{
    (void)state;
    put("build/a.c");
    put(".hidden/a.py");
    expect("build", "build/a.c");
    expect(".hidden", ".hidden/a.py");
}

static void a_file_that_is_named_is_always_read(void **state)
{
    (void)state;
    put("build/a.c");
    put("script");
    expect("build/a.c", "build/a.c");
    expect("./script", "script");
}

static void what_is_not_there_is_an_error(void **state)
{
    (void)state;
    const CollectOptions options = {.exclude_root = ""};
    expect_with("nowhere/a.c", &options, "", SEVERITY_ERROR, 1);
    expect_with("", &options, "", SEVERITY_ERROR, 1);
}

static void a_folder_without_sources_is_a_warning(void **state)
{
    (void)state;
    const CollectOptions options = {.exclude_root = ""};
    put("notes.txt");
    expect_with(".", &options, "", SEVERITY_WARNING, 1);
}

static void links_in_folders_are_not_followed(void **state)
{
    (void)state;
    const CollectOptions options = {.exclude_root = ""};
    put("in/a.c");
    put("out/b.c");
    assert_int_equal(symlink("..", "in/up"), 0);
    assert_int_equal(symlink("a.c", "in/same.c"), 0);
    expect_with("in", &options, "in/a.c", SEVERITY_NOTE, 1); /* "up" leads out, "same.c" does not */
    assert_int_equal(symlink("in/a.c", "named.c"), 0);
    expect("named.c", "named.c");
}

static void circles_of_links_are_said(void **state)
{
    (void)state;
    const CollectOptions options = {.exclude_root = ""};
    put("in/a.c");
    assert_int_equal(symlink("two.c", "in/one.c"), 0);
    assert_int_equal(symlink("one.c", "in/two.c"), 0);
    expect_with("in", &options, "in/a.c", SEVERITY_WARNING, 2);
    expect_with("in/one.c", &options, "", SEVERITY_ERROR, 1);
}

static void git_decides_what_is_ignored(void **state)
{
    (void)state;
    RUN("git", "init", "-q", ".");
    put_text(".gitignore", "skipped.py\nout/\n");
    put("a.py");
    put("skipped.py");
    put("out/b.py");
    put("new/c.c");
    put("build/made.c");
    put("deleted.py");
    RUN("git", "add", "a.py", "deleted.py");
    unlink("deleted.py");
    expect(".", "a.py new/c.c");
    expect("new", "new/c.c");
    expect("out", "out/b.py"); /* named, though ignored */
}

static void a_tracked_folder_called_build_is_source(void **state)
{
    (void)state;
    RUN("git", "init", "-q", ".");
    put("build/tool.py");
    RUN("git", "add", "build");
    put("build/made.py");
    expect(".", "build/tool.py");
}

static void repositories_inside_are_listed_by_their_own_rules(void **state)
{
    (void)state;
    RUN("git", "init", "-q", ".");
    put("a.py");
    RUN("git", "init", "-q", "inner");
    put_text("inner/.gitignore", "no.c\n");
    put("inner/yes.c");
    put("inner/no.c");
    expect(".", "a.py inner/yes.c");
}

static void odd_names_come_through(void **state)
{
    (void)state;
    RUN("git", "init", "-q", ".");
    put("a b\n\"c\".py");
    put("\xff.c");
    expect(".", "a b\n\"c\".py \xff.c");
}

static void excluded_paths_are_left_out_even_when_named(void **state)
{
    (void)state;
    char root[80];
    snprintf(root, sizeof root, "%s/", folder);
    const char *const patterns[] = {"generated", "lib/old/*.c", "*_pb2.py", "sub/"};
    const CollectOptions options = {patterns, 4, root};
    put("a.py");
    put("generated/a.py");
    put("deep/generated/a.py");
    put("lib/old/a.c");
    put("lib/a.c");
    put("m_pb2.py");
    put("sub/a.c");
    expect_with(".", &options, "a.py lib/a.c", SEVERITY_NOTE, 0);
    expect_with("generated/a.py", &options, "", SEVERITY_NOTE, 0);
    expect_with("lib/old/a.c", &options, "", SEVERITY_NOTE, 0);
    assert_int_equal(chdir("lib"), 0);
    expect_with("old/a.c", &options, "", SEVERITY_NOTE, 0);
    assert_int_equal(chdir(".."), 0);
}

static void a_file_named_twice_is_read_once(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    const char *const paths[] = {"a.c", "./a.c", "."};
    const CollectOptions options = {.exclude_root = ""};
    Collected collected = {0};
    put("a.c");
    collect(arena, paths, 3, &options, &collected);
    assert_int_equal(collected.files.count, 1);
    arena_free(arena);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_folder_means_its_sources_sorted),
        IN_FOLDER(an_absolute_folder_gives_absolute_paths),
        IN_FOLDER(what_nobody_writes_by_hand_is_left_out),
        IN_FOLDER(a_folder_that_is_named_is_read_whatever_it_is_called),
        IN_FOLDER(a_file_that_is_named_is_always_read),
        IN_FOLDER(what_is_not_there_is_an_error),
        IN_FOLDER(a_folder_without_sources_is_a_warning),
        IN_FOLDER(links_in_folders_are_not_followed),
        IN_FOLDER(circles_of_links_are_said),
        IN_FOLDER(git_decides_what_is_ignored),
        IN_FOLDER(a_tracked_folder_called_build_is_source),
        IN_FOLDER(repositories_inside_are_listed_by_their_own_rules),
        IN_FOLDER(odd_names_come_through),
        IN_FOLDER(excluded_paths_are_left_out_even_when_named),
        IN_FOLDER(a_file_named_twice_is_read_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
