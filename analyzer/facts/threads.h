/* The set-up of threads, which no event carries: who counts cores and for what, when variables of
 * thread libraries are put into the environment, what pools run, what limits teams. Plain Python is
 * read here as well as C; everything lives in the arena of the facts. */
#ifndef ANALYZER_FACTS_THREADS_H
#define ANALYZER_FACTS_THREADS_H

#include "analyzer/facts/facts.h"

enum { THREADS_NAME = 192 };

/* The full name of what a call calls: "os.cpu_count", "sysconf"; for a method of what another call
 * made, with brackets in between: "multiprocessing.Pool().map"; ".map" where the object is not
 * known; "" where nothing is. */
void threads_called(const Facts *facts, const Unit *unit, AstNode call, char name[THREADS_NAME]);

/* The argument of a call by keyword, or else by place from 0; 0 if it is not given. */
AstNode threads_argument(const Facts *facts, const Unit *unit, AstNode call, const char *keyword,
                         int place);

/* The same for an expression that names something. */
void threads_named(const Facts *facts, const Unit *unit, AstNode expression,
                   char name[THREADS_NAME]);

/* matrix.c: whether a matrix has a few rows and columns at most, as the program spells them. */
bool threads_small_matrix(const Facts *facts, const Unit *unit, AstNode matrix);

/* Whether a call asks for the processors of the machine, whatever this process may use, and the
 * answer sizes a team, a pool, or a loop that starts threads. *use: the place where it does. */
typedef struct TeamSize {
    const Unit *unit;
    AstNode node;
    const char *what; /* "ThreadPoolExecutor", "a loop that starts threads", … */
    int64_t most;     /* min(…, 4) on the way there; 0: no bound */
} TeamSize;
bool threads_is_variable(const char *name); /* OMP_NUM_THREADS and its kin */
bool threads_host_count(const Facts *facts, const Unit *unit, AstNode call, TeamSize *use);

/* C: whether a call asks for the size of the team where none runs, so that it gets 1, and that
 * answer sizes a team. *use: the construct, or the call that sets the size. */
bool threads_team_of_one(const Facts *facts, const Unit *unit, AstNode call, TeamSize *use);

/* Whether a statement or call puts a variable of thread libraries into the environment after they
 * have read it, and no process that starts later, nor the program itself, reads it anew. */
typedef struct LateSetting {
    const char *variable; /* "OMP_NUM_THREADS" */
    const Unit *reader_unit;
    AstNode reader; /* the import, the region, or the call that runs one; 0 where `loaded` */
    bool loaded;    /* C: no region in front of it; libgomp reads when it is loaded */
    bool raises;    /* NUMBA_NUM_THREADS: the next compilation raises once the pool runs */
} LateSetting;
bool threads_late_setting(const Facts *facts, const Unit *unit, AstNode node, LateSetting *late);

/* Teams in teams. C: whether nesting is switched on by a call that the outer function knows of;
 * whether the clauses of a construct size its team or ask for the level; whether `within` of
 * `function` sets the size of teams; whether a call of BLAS or FFTW starts one. */
bool threads_nesting_on(const Facts *facts, FunctionId outer, FunctionId inner);
bool threads_team_is_sized(const Facts *facts, const Unit *unit, AstNode construct);
bool threads_sets_team(const Facts *facts, FunctionId function, AstNode within);
bool threads_library_team(const Facts *facts, const Unit *unit, AstNode call);

/* Python: work that starts a team of its own, and nothing that limits it. */
typedef struct NestedTeam {
    const Unit *unit;
    AstNode node;
    const char *what; /* "numpy.linalg.svd", the name of a numba function, … */
    bool numba;
} NestedTeam;

/* Whether a call makes a pool (or, in a loop, a process or thread) whose workers do such work. */
bool threads_nested_pool(const Facts *facts, const Unit *unit, AstNode call, NestedTeam *nested);

/* Whether a call makes a session of onnxruntime or openvino in a process where another such
 * runtime, or torch, also owns every core. */
bool threads_second_runtime(const Facts *facts, const Unit *unit, AstNode call, NestedTeam *nested);

#endif
