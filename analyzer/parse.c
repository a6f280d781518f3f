#include "analyzer/parse.h"

#include "analyzer/collect.h"
#include "bench/team.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Frontends recurse over the nesting of the input; only the pages that are touched cost anything.
 */
enum { WORKER_STACK = 256 * 1024 * 1024 };

typedef struct Task {
    const char *path;
    const Frontend *frontend;
    void *prepared;
    uint32_t slot; /* of the frontend, in Parsed.frontends */
    Unit *unit;    /* the result; NULL: `why` */
    const char *why;
    const Source *given; /* standard input, already read */
} Task;

typedef struct Workers {
    void *idle[OPTIONS_MOST_JOBS];
    int count;
} Workers;

typedef struct Pool {
    Task *tasks;
    uint32_t task_count;
    const Parsed *parsed;
    atomic_uint next;
    pthread_mutex_t lock; /* of workers */
    Workers workers[8];   /* by slot */
} Pool;

static Language language_of(const Frontend *frontend, const char *path)
{
    static const char *const plain_c[] = {".c", ".h"};
    const char *dot = strrchr(path, '.');
    if (frontend == &frontend_python)
        return LANGUAGE_PYTHON;
    for (size_t i = 0; dot != NULL && i < sizeof plain_c / sizeof *plain_c; i++)
        if (strcmp(dot, plain_c[i]) == 0)
            return LANGUAGE_C;
    return dot == NULL ? LANGUAGE_C : LANGUAGE_CPP;
}

static void parse_task(Task *task, void *worker)
{
    Arena *arena = arena_new();
    Source *source = task->given != NULL ? source_from(arena, task->given->path, task->given->bytes,
                                                       task->given->size)
                                         : source_read(arena, task->path, &task->why);
    if (source == NULL) {
        arena_free(arena);
        return;
    }
    Unit *unit = arena_alloc(arena, sizeof *unit);
    unit->arena = arena;
    unit->language = language_of(task->frontend, task->path);
    LIST_PUSH(arena, &unit->files, source);
    task->frontend->parse(task->prepared, worker, unit);
    task->unit = unit;
}

/* ---- the pool ---- */

/* A frontend has as many workers as it may have files at a time: there is an idle one for each. */
static void *take_worker(Pool *pool, const Task *task)
{
    Workers *workers = &pool->workers[task->slot];
    pthread_mutex_lock(&pool->lock);
    void *worker = workers->count > 0 ? workers->idle[--workers->count] : NULL;
    pthread_mutex_unlock(&pool->lock);
    return worker;
}

static void give_worker(Pool *pool, const Task *task, void *worker)
{
    Workers *workers = &pool->workers[task->slot];
    pthread_mutex_lock(&pool->lock);
    if (worker != NULL)
        workers->idle[workers->count++] = worker;
    pthread_mutex_unlock(&pool->lock);
}

/* Before there is a second thread: a frontend may make processes, and a process that is made beside
 * a thread which holds a lock has that lock for ever. */
static void open_workers(Pool *pool, int jobs)
{
    for (uint32_t i = 0; i < pool->task_count; i++) {
        const Task *task = &pool->tasks[i];
        if (task->frontend == NULL || task->frontend->worker_open == NULL ||
            pool->workers[task->slot].count == jobs)
            continue;
        give_worker(pool, task, task->frontend->worker_open(task->prepared));
    }
}

static void close_workers(Pool *pool)
{
    for (uint32_t i = 0; i < pool->parsed->frontends.count; i++) {
        const Frontend *frontend = pool->parsed->frontends.items[i].frontend;
        for (int w = 0; w < pool->workers[i].count && frontend->worker_close != NULL; w++)
            frontend->worker_close(pool->workers[i].idle[w]);
    }
}

static void *work(void *data)
{
    Pool *pool = data;
    for (uint32_t i; (i = atomic_fetch_add(&pool->next, 1)) < pool->task_count;) {
        Task *task = &pool->tasks[i];
        if (task->frontend == NULL)
            continue;
        void *worker = take_worker(pool, task);
        parse_task(task, worker);
        give_worker(pool, task, worker);
    }
    return NULL;
}

/* Threads take the next file until none is left. Where no thread can be started, the caller does
 * the work. */
static void run_pool(Pool *pool, int jobs)
{
    pthread_t threads[OPTIONS_MOST_JOBS];
    pthread_attr_t attributes;
    int started = 0;
    pthread_mutex_init(&pool->lock, NULL);
    open_workers(pool, jobs);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, WORKER_STACK);
    while (started < jobs && pthread_create(&threads[started], &attributes, work, pool) == 0)
        started++;
    pthread_attr_destroy(&attributes);
    if (started == 0)
        work(pool);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    close_workers(pool);
    pthread_mutex_destroy(&pool->lock);
}

/* ---- before the pool ---- */

static const Source *read_stdin(Arena *arena, const char *name, const char **why)
{
    Text text = {0};
    char part[65536];
    ssize_t got;
    while ((got = read(STDIN_FILENO, part, sizeof part)) != 0 && text.length <= SOURCE_LARGEST) {
        if (got < 0 && errno != EINTR)
            break;
        if (got > 0)
            text_add(&text, part, (size_t)got);
    }
    *why = got < 0 ? "standard input cannot be read" : "is larger than 64 MiB";
    const Source *source =
        got != 0 ? NULL
                 : source_from(arena, collect_tidy(arena, name), text_string(&text), text.length);
    text_free(&text);
    return source;
}

/* A script that names its language on its first line ("#!/usr/bin/env python3"). */
static bool is_python_script(const char *path)
{
    char line[128] = "";
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    bool found = fgets(line, sizeof line, file) != NULL && strncmp(line, "#!", 2) == 0 &&
                 strstr(line, "python") != NULL;
    fclose(file);
    return found;
}

static void set_task(Task *task, Arena *arena, const Options *options, const char *path)
{
    task->path = path;
    if (strcmp(path, "-") == 0) {
        task->path = collect_tidy(arena, options->stdin_name);
        task->given = read_stdin(arena, options->stdin_name, &task->why);
    }
    task->frontend = frontend_for(task->path);
    if (task->frontend == NULL && task->given == NULL && is_python_script(path))
        task->frontend = &frontend_python;
    if (task->frontend == NULL)
        task->why = "is neither C nor Python by its name (.c, .h, .py, .ipynb); not read";
    if (strcmp(path, "-") == 0 && task->given == NULL)
        task->frontend = NULL;
}

static uint32_t slot_of(Parsed *parsed, Arena *arena, const FrontendOptions *options,
                        const Frontend *frontend)
{
    for (uint32_t i = 0; i < parsed->frontends.count; i++)
        if (parsed->frontends.items[i].frontend == frontend)
            return i;
    void *prepared = frontend->prepare != NULL ? frontend->prepare(arena, options) : NULL;
    LIST_PUSH(arena, &parsed->frontends, (FrontendInUse){frontend, prepared});
    return parsed->frontends.count - 1;
}

/* ---- behind the pool ---- */

static int compare_units(const void *left, const void *right)
{
    const Unit *a = *(Unit *const *)left, *b = *(Unit *const *)right;
    return strcmp(a->files.items[0]->path, b->files.items[0]->path);
}

static void take_units(Parsed *parsed, Arena *arena, const Task *tasks, uint32_t count)
{
    parsed->units = arena_alloc(arena, (count + 1) * sizeof(Unit *));
    for (uint32_t i = 0; i < count; i++) {
        if (tasks[i].unit != NULL)
            parsed->units[parsed->unit_count++] = tasks[i].unit;
        else
            LIST_PUSH(arena, &parsed->notes,
                      (Notification){SEVERITY_ERROR, tasks[i].path, 0,
                                     tasks[i].why != NULL ? tasks[i].why : "cannot be read"});
    }
    if (parsed->unit_count > 0)
        qsort(parsed->units, parsed->unit_count, sizeof(Unit *), compare_units);
    for (uint32_t i = 0; i < parsed->unit_count; i++)
        parsed->units[i]->id = i;
}

static int jobs_for(const Options *options, uint32_t task_count)
{
    int jobs = options->jobs > 0 ? options->jobs : team_processors();
    jobs = jobs > OPTIONS_MOST_JOBS ? OPTIONS_MOST_JOBS : jobs;
    jobs = (uint32_t)jobs > task_count ? (int)task_count : jobs;
    return jobs > 0 ? jobs : 1;
}

void parse_all(Parsed *parsed, Arena *arena, const Options *options, const char *const *paths,
               uint32_t path_count)
{
    FrontendOptions *shared =
        arena_alloc(arena, sizeof *shared); /* frontends may keep it until they finish */
    *shared = (FrontendOptions){
        .compile_commands = options->compile_commands,
        .file_seconds = options->file_seconds,
        .extra_args = options->extra_args.items,
        .extra_arg_count = options->extra_args.count,
        .paths = paths,
        .path_count = path_count,
        .roots = options->paths.items,
        .root_count = options->paths.count,
    };
    Pool pool = {
        .tasks = arena_alloc(arena, (path_count + 1) * sizeof(Task)),
        .task_count = path_count,
        .parsed = parsed,
    };
    for (uint32_t i = 0; i < path_count; i++) {
        Task *task = &pool.tasks[i];
        set_task(task, arena, options, paths[i]);
        if (task->frontend != NULL) {
            task->slot = slot_of(parsed, arena, shared, task->frontend);
            task->prepared = parsed->frontends.items[task->slot].prepared;
        }
    }
    run_pool(&pool, jobs_for(options, path_count));
    take_units(parsed, arena, pool.tasks, path_count);
}

void parse_link(Parsed *parsed, Program *program)
{
    for (uint32_t i = 0; i < parsed->frontends.count; i++)
        if (parsed->frontends.items[i].frontend->link != NULL)
            parsed->frontends.items[i].frontend->link(program);
}

void parse_free(Parsed *parsed)
{
    for (uint32_t i = 0; i < parsed->frontends.count; i++)
        if (parsed->frontends.items[i].frontend->finish != NULL)
            parsed->frontends.items[i].frontend->finish(parsed->frontends.items[i].prepared);
    for (uint32_t i = 0; i < parsed->unit_count; i++)
        arena_free(parsed->units[i]->arena);
}
