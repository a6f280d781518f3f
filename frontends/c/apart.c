#include "frontends/c/apart.h"

#include "frontends/c/settle.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
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
enum { SERVER_STACK = 256 * 1024 * 1024 };

/* The shared memory; question and answer lie behind it. */
typedef struct Board {
    Language language;
    size_t path_bytes, size;
    Unit *answer;
} Board;

struct Apart {
    Arena *arena;
    ApartWork work;
    Board *board;
    pid_t process; /* 0: none */
    int line;      /* a byte there is a question, a byte back its answer */
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

static void limit_time(double seconds)
{
    struct itimerval limit = {.it_value = {.tv_sec = (time_t)seconds}};
    limit.it_value.tv_usec = (suseconds_t)(1e6 * (seconds - (double)limit.it_value.tv_sec));
    setitimer(ITIMER_PROF, &limit, NULL); /* SIGPROF ends the process */
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
    char byte = 0;
    int line = apart->line;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPROF, SIG_DFL);
    void *context = apart->work.open(apart->work.prepared);
    while (read(line, &byte, 1) == 1) {
        serve_one(apart, context);
        if (write(line, &byte, 1) != 1)
            break;
    }
    _exit(0);
}

/* On a stack as large as a worker's: the one that fork leaves may be any. */
static void serve_for_ever(Apart *apart, int line)
{
    pthread_t thread;
    pthread_attr_t attributes;
    apart->line = line;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SERVER_STACK);
    if (pthread_create(&thread, &attributes, serve, apart) != 0)
        _exit(1);
    pthread_join(thread, NULL);
    _exit(0);
}

/* ---- this process ---- */

static bool start(Apart *apart)
{
    int ends[2];
    pthread_mutex_lock(apart->work.forks);
    bool good = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
    apart->process = good ? fork() : -1;
    if (apart->process == 0) {
        close(ends[0]);
        serve_for_ever(apart, ends[1]);
    }
    if (good)
        close(ends[1]);
    pthread_mutex_unlock(apart->work.forks);
    if (apart->process > 0)
        apart->line = ends[0];
    else if (good)
        close(ends[0]);
    apart->process = apart->process > 0 ? apart->process : 0;
    return apart->process > 0;
}

/* How the process ended; it is killed if it has not. */
static int stop(Apart *apart)
{
    int status = 0;
    kill(apart->process, SIGKILL);
    while (waitpid(apart->process, &status, 0) < 0 && errno == EINTR)
        continue;
    close(apart->line);
    apart->process = 0;
    return status;
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
    if (apart->process > 0)
        stop(apart);
    munmap(apart->board, BOARD_BYTES);
    arena_free(apart->arena);
}

void apart_clear(Apart *apart)
{
    madvise(apart->board, BOARD_BYTES, MADV_REMOVE);
}

/* Waits for the answer; false where none will come. */
static bool ask(Apart *apart)
{
    char byte = 0;
    struct pollfd line = {.fd = apart->line, .events = POLLIN};
    if (send(apart->line, &byte, 1, MSG_NOSIGNAL) != 1)
        return false;
    int ready;
    do
        ready = poll(&line, 1, (int)(1e3 * WALL_FACTOR * apart->work.seconds));
    while (ready < 0 && errno == EINTR);
    return ready == 1 && read(apart->line, &byte, 1) == 1;
}

static const char *why_not(Apart *apart, Arena *arena)
{
    int status = stop(apart);
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGKILL))
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
    if (apart->process == 0 && !start(apart))
        return false;
    board->language = unit->language;
    board->path_bytes = strlen(source->path) + 1;
    board->size = source->size;
    memcpy(board_text(board), source->path, board->path_bytes);
    memcpy(board_text(board) + board->path_bytes, source->bytes, source->size);
    if (!ask(apart)) {
        *why = why_not(apart, unit->arena);
        return false;
    }
    const Unit *made = board->answer;
    unit->ast = made->ast;
    for (uint32_t i = 1; i < made->files.count; i++)
        LIST_PUSH(unit->arena, &unit->files, made->files.items[i]);
    for (uint32_t i = 0; i < made->notes.count; i++)
        unit_note(unit, made->notes.items[i].level,
                  arena_strdup(unit->arena, made->notes.items[i].path), made->notes.items[i].line,
                  "%s", made->notes.items[i].message);
    return true;
}
