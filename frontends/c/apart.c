#include "frontends/c/apart.h"

#include "frontends/c/settle.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of the shared memory only what is touched takes memory. */
#define BOARD_BYTES ((size_t)4 << 30)
enum { WALL_FACTOR = 10 }; /* a process that waits takes no processor time: it ends as well */
enum { NO_SERVER = 111 };  /* exit status of a process that cannot serve */
enum { NO_ANSWER = -1 };   /* no status of waitpid */
enum { SERVER_STACK = 256 * 1024 * 1024 };
enum { KEPT_BYTES = 1024 * 1024 * 1024, PAD_BYTES = 64 * 1024 * 1024 };

/* The shared memory; question and answer lie behind it. */
typedef struct Board {
    Language language;
    size_t path_bytes, size;
    Unit *answer;
} Board;

/* Three processes: this one asks; the nurse, made before there is a second thread and without one
 * of its own, makes the servers, since a process that is made beside a thread that holds a lock
 * finds that lock held for ever; the server answers, until a file ends it. */
struct Apart {
    Arena *arena;
    ApartWork work;
    Board *board;
    pid_t nurse; /* 0: none */
    int line;    /* a byte there is a question; back comes 0 from the server, or how it ended */
};

static char *board_text(Board *board)
{
    return (char *)(board + 1);
}

/* ---- the other process ---- */

static void answer(Board *board, const Unit *unit, size_t question_bytes)
{
    size_t start = (sizeof *board + question_bytes + 4095) & ~(size_t)4095;
    Arena *arena = arena_within((char *)board + start, BOARD_BYTES - start);
    Unit *copy = arena_alloc(arena, sizeof *copy);
    const bool *used = unit_used_files(unit, unit->arena);
    copy->ast = ast_copy(unit->ast, arena);
    copy->compiler = unit->compiler;
    for (uint32_t i = 0; i < unit->files.count; i++) {
        const Source *source = unit->files.items[i];
        bool whole = i > 0 && used[i];
        LIST_PUSH(
            arena, &copy->files,
            source_from(arena, source->path, whole ? source->bytes : "", whole ? source->size : 0));
    }
    for (uint32_t i = 0; i < unit->notes.count; i++) {
        Notification note = unit->notes.items[i];
        note.path = arena_strdup(arena, note.path);
        note.message = arena_strdup(arena, note.message);
        LIST_PUSH(arena, &copy->notes, note);
    }
    board->answer = copy;
}

static void limit(int timer, double seconds)
{
    struct itimerval value = {.it_value = {.tv_sec = (time_t)seconds}};
    value.it_value.tv_usec = (suseconds_t)(1e6 * (seconds - (double)value.it_value.tv_sec));
    setitimer(timer, &value, NULL);
}

/* SIGPROF or SIGALRM ends the process. 0: no limit. */
static void limit_time(double seconds)
{
    limit(ITIMER_PROF, seconds);
    limit(ITIMER_REAL, WALL_FACTOR * seconds);
}

static void serve_one(const Apart *apart, void *context)
{
    Board *board = apart->board;
    Arena *arena = arena_new();
    Unit *unit = arena_alloc(arena, sizeof *unit);
    unit->arena = arena;
    unit->language = board->language;
    LIST_PUSH(
        arena, &unit->files,
        source_from(arena, board_text(board), board_text(board) + board->path_bytes, board->size));
    limit_time(apart->work.seconds);
    apart->work.parse(context, unit);
    answer(board, unit, board->path_bytes + board->size);
    limit_time(0);
    arena_free(arena);
}

static void *serve(void *data)
{
    const Apart *apart = data;
    const int answered = 0;
    char byte = 0;
    void *context = apart->work.open(apart->work.prepared);
    while (read(apart->line, &byte, 1) == 1) {
        serve_one(apart, context);
        if (write(apart->line, &answered, sizeof answered) != sizeof answered)
            break;
    }
    _exit(EXIT_SUCCESS);
}

/* What a parse frees, the next one takes again: given back to the system in between, its pages
 * were a tenth of the processor time. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
    mallopt(M_TOP_PAD, PAD_BYTES);
#endif
}

/* On a stack as large as a worker's: the one that fork leaves may be any. */
static void serve_for_ever(Apart *apart)
{
    pthread_t thread;
    pthread_attr_t attributes;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    keep_memory();
    signal(SIGPROF, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SERVER_STACK);
    if (pthread_create(&thread, &attributes, serve, apart) == 0)
        pthread_join(thread, NULL);
    _exit(NO_SERVER);
}

/* How a server ended, for whom it was made: the status of waitpid. */
static int end_of_server(Apart *apart)
{
    int status = 0;
    pid_t server = fork();
    if (server == 0)
        serve_for_ever(apart);
    while (server > 0 && waitpid(server, &status, 0) < 0 && errno == EINTR)
        continue;
    return server > 0 ? status : NO_SERVER << 8;
}

static bool is_asked(int line)
{
    struct pollfd asked = {.fd = line, .events = POLLIN};
    while (poll(&asked, 1, -1) < 0 && errno == EINTR)
        continue;
    return (asked.revents & POLLIN) != 0;
}

static void nurse_for_ever(Apart *apart)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    do {
        int status = end_of_server(apart);
        bool over = WIFEXITED(status) &&
                    (WEXITSTATUS(status) == NO_SERVER || WEXITSTATUS(status) == EXIT_SUCCESS);
        if (over || write(apart->line, &status, sizeof status) != sizeof status)
            break;
    } while (is_asked(apart->line));
    _exit(EXIT_SUCCESS);
}

/* ---- this process ---- */

static bool start(Apart *apart)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    apart->nurse = fork();
    if (apart->nurse == 0) {
        close(ends[0]);
        apart->line = ends[1];
        nurse_for_ever(apart);
    }
    apart->line = ends[0];
    close(ends[1]);
    if (apart->nurse < 0)
        close(ends[0]);
    return apart->nurse > 0;
}

static void stop(Apart *apart)
{
    if (apart->nurse <= 0)
        return;
    kill(apart->nurse, SIGKILL);
    while (waitpid(apart->nurse, NULL, 0) < 0 && errno == EINTR)
        continue;
    close(apart->line);
    apart->nurse = 0;
}

Apart *apart_open(const ApartWork *work)
{
    Arena *arena = arena_new();
    Apart *apart = arena_alloc(arena, sizeof *apart);
    void *board = mmap(NULL, BOARD_BYTES, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *apart = (Apart){.work = *work, .arena = arena, .board = board};
    if (board != MAP_FAILED && start(apart))
        return apart;
    if (board != MAP_FAILED)
        munmap(board, BOARD_BYTES);
    arena_free(arena);
    return NULL;
}

void apart_close(Apart *apart)
{
    if (apart == NULL)
        return;
    stop(apart);
    munmap(apart->board, BOARD_BYTES);
    arena_free(apart->arena);
}

void apart_clear(Apart *apart)
{
    madvise(apart->board, BOARD_BYTES, MADV_REMOVE);
}

/* Waits for the answer: 0, how the server ended, or NO_ANSWER. */
static int ask(Apart *apart)
{
    char byte = 0;
    int status = NO_ANSWER;
    ssize_t got;
    if (send(apart->line, &byte, 1, MSG_NOSIGNAL) != 1)
        return NO_ANSWER;
    do
        got = recv(apart->line, &status, sizeof status, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == sizeof status ? status : NO_ANSWER;
}

static const char *why_not(const Apart *apart, Arena *arena, int status)
{
    int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (by == SIGPROF || by == SIGALRM || by == SIGKILL)
        return arena_printf(arena,
                            "clang took longer than %g s or all memory; --file-limit SECONDS gives "
                            "more time, build flags (-p FOLDER) often need less",
                            apart->work.seconds);
    return "clang broke on this file; build flags (-p FOLDER) may help";
}

bool apart_parse(Apart *apart, Unit *unit, const char **why)
{
    const Source *source = unit->files.items[0];
    Board *board = apart->board;
    *why = NULL;
    if (apart->nurse == 0)
        return false;
    board->language = unit->language;
    board->path_bytes = strlen(source->path) + 1;
    board->size = source->size;
    memcpy(board_text(board), source->path, board->path_bytes);
    memcpy(board_text(board) + board->path_bytes, source->bytes, source->size);
    int status = ask(apart);
    if (status == NO_ANSWER)
        stop(apart);
    else if (status != 0)
        *why = why_not(apart, unit->arena, status);
    if (status != 0)
        return false;
    const Unit *made = board->answer;
    unit->ast = made->ast;
    unit->compiler = made->compiler;
    for (uint32_t i = 1; i < made->files.count; i++)
        LIST_PUSH(unit->arena, &unit->files, made->files.items[i]);
    for (uint32_t i = 0; i < made->notes.count; i++)
        unit_note(unit, made->notes.items[i].level,
                  arena_strdup(unit->arena, made->notes.items[i].path), made->notes.items[i].line,
                  "%s", made->notes.items[i].message);
    return true;
}
