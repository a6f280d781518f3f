/* Library calls that work on state all threads share, once per iteration. */
#include "analyzer/pass.h"

#include <stdio.h>
#include <string.h>

typedef enum StateKind { STATE_LOCKED, STATE_RACES, STATE_SCANNED } StateKind;

typedef struct HiddenState {
    const char *names; /* between blanks */
    StateKind kind;
    double ns; /* of one call, on one thread, beside its lock */
    const char *what;
    const char *advice;
} HiddenState;

/* ns: about what a call takes on one thread with glibc 2.36 where it takes no lock: rand (as
 * rand_r) and fprintf measured, the others estimated. */
static const HiddenState states[] = {
    {" rand random srand srandom ", STATE_LOCKED, 6, "takes the lock of the C library's generator",
     "use a generator with state of the thread's own: rand_r, erand48, or a small one in the loop"},
    {" drand48 lrand48 mrand48 srand48 ", STATE_RACES, 4,
     "changes the C library's generator without a lock: threads draw the same numbers, and its "
     "line "
     "moves between them",
     "use erand48, nrand48 or jrand48 with state of the thread's own"},
    {" strtok ", STATE_RACES, 20, "keeps its place in one variable for all threads",
     "use strtok_r with a pointer of the thread's own"},
    {" localtime localtime_r gmtime ctime asctime mktime ", STATE_LOCKED, 60,
     "takes the lock of the time zone",
     "convert times outside the loop, or compute fields from the seconds; localtime_r takes the "
     "same "
     "lock"},
    {" setlocale setenv putenv ", STATE_LOCKED, 100, "takes a lock of the whole process",
     "do it once, in front of the loop"},
    {" getenv ", STATE_SCANNED, 60, "searches the environment each time",
     "read the variable once, in front of the loop"},
    {" putchar putc fputc getc fgetc getchar ", STATE_LOCKED, 1, "takes the lock of the stream",
     "gather text in a buffer of the thread's own, and write it once"},
    {" puts fputs fwrite fread fgets fflush getline ", STATE_LOCKED, 40,
     "takes the lock of the stream",
     "gather text in a buffer of the thread's own, and write it once"},
    {" printf fprintf vprintf vfprintf scanf fscanf ", STATE_LOCKED, 150,
     "takes the lock of the stream for as long as it formats",
     "format with snprintf into a buffer of the thread's own, and write it once"},
};

static const HiddenState *state_of(const char *name)
{
    char word[40];
    if (strlen(name) + 3 > sizeof word)
        return NULL;
    snprintf(word, sizeof word, " %s ", name);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strstr(states[i].names, word) != NULL)
            return &states[i];
    return NULL;
}

/* The calls of one function on one line of a loop: double x = rand(), y = rand(). */
typedef struct Calls {
    const Event *event; /* of the first */
    Guard guard;
    const char *name;
    AstNode last; /* the site that was counted last; each again by every way that leads here */
    uint32_t line, count;
} Calls;

typedef LIST(Calls) CallList;

static void report(Pass *pass, const Calls *calls)
{
    const char *name = calls->name;
    const HiddenState *state = state_of(name);
    if (state == NULL)
        return;
    Finding finding = pass_guard_finding(pass, calls->event, &calls->guard);
    finding.shared = state->kind != STATE_SCANNED;
    finding.what = arena_printf(pass->arena, "call of %s", name);
    finding.exposure.overhead_ns = state->ns;
    finding.exposure.sharing = state->kind == STATE_SCANNED ? SHARING_NONE : SHARING_ALL;
    finding.exposure.access = state->kind == STATE_RACES ? ACCESS_UPDATE : ACCESS_ATOMIC;
    finding.exposure.events *= calls->count;
    const char *times = calls->count == 1 ? "once"
                                          : arena_printf(pass->arena, "%u times", calls->count);
    finding.message = arena_printf(pass->arena, "%s, called %s per %s of %s, %s%s", name, times,
                                   finding.per, pass_loops(pass, &finding), state->what,
                                   state->kind == STATE_LOCKED ? ": the threads take turns" : "");
    LIST_PUSH(pass->arena, &finding.fixes, (Fix){.description = state->advice});
    pass_add(pass, &finding);
}

/* Beside another call of the same function, in the same turn of the same loops. */
static bool stands_with(const Calls *calls, const Calls *other)
{
    const Event *a = calls->event, *b = other->event;
    return calls->guard.function == other->guard.function && calls->line == other->line &&
           strcmp(calls->name, other->name) == 0 && a->root == b->root &&
           a->construct == b->construct && a->loop_count == b->loop_count;
}

static void collect(Pass *pass, CallList *list, const Event *event, const Guard *guard)
{
    const Unit *unit = program_function_unit(pass->program, guard->function);
    const Ast *ast = unit->ast;
    const AstNodeData *site = ast_at(ast, guard->site);
    AstNode callee = ast_first(ast, guard->site);
    Calls calls = {.event = event,
                   .guard = *guard,
                   .name = intern_text(pass->program->names, ast_at(ast, callee)->name),
                   .line = source_position(unit->files.items[site->file], site->start).line,
                   .last = guard->site,
                   .count = 1};
    for (uint32_t i = 0; i < list->count; i++)
        if (stands_with(&list->items[i], &calls)) {
            if (guard->site > list->items[i].last) {
                list->items[i].last = guard->site;
                list->items[i].count++;
            }
            return;
        }
    LIST_PUSH(pass->arena, list, calls);
}

static void check(Pass *pass)
{
    CallList list = {0};
    for (uint32_t i = 0; i < facts_event_count(pass->facts); i++) {
        const Event *event = facts_event(pass->facts, i);
        Guard guard;
        if (event_guard(pass->facts, event, &guard) && guard.kind == GUARD_LIBRARY)
            collect(pass, &list, event, &guard);
    }
    for (uint32_t i = 0; i < list.count; i++)
        report(pass, &list.items[i]);
}

const Rule rule_hidden_lock = {
    .id = "hidden-lock",
    .summary = "a library call with state that all threads share, once per iteration",
    .help = "rand, printf and their like take a lock inside the C library, or race for unguarded "
            "state. Use the re-entrant form with state of the thread's own, or a buffer for each "
            "thread.",
    .severity = SEVERITY_NOTE,
    .check = check,
    .predict = predict_hidden_state,
};
