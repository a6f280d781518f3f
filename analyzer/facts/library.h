/* What library functions do: a table by full name ("malloc", "numpy.full", method names as
 * ".copy"). */
#ifndef ANALYZER_FACTS_LIBRARY_H
#define ANALYZER_FACTS_LIBRARY_H

#include "analyzer/facts/model.h"

enum {
    LIB_ALLOC = 1, /* returns fresh memory, or makes some */
    LIB_FREE = 2,
    LIB_ATOMIC = 4, /* atomic read-modify-write of its first argument */
    LIB_LOCK = 8,
    LIB_UNLOCK = 16,
    LIB_THREAD_ID = 32,
    LIB_TEAM_SIZE = 64,
    LIB_THREADS = 128,   /* starts a thread: pthread_create */
    LIB_HOISTABLE = 256, /* numba: moved out of a prange body where its shape allows */
    LIB_ARRAY = 512,     /* Python: returns an array as deep as its first argument (element-wise) */
    LIB_REDUCES = 1024,  /* np.sum: takes a view and leaves no count */
    LIB_KEEPS_COUNT = 2048, /* np.dot, np.max: a view's count stays on some targets */
    LIB_LIST = 4096,        /* makes a reflected list */
    LIB_TYPED_LIST = 8192,
    LIB_EXIT = 16384, /* does not return: exit, abort */
    LIB_MIN = 32768,
    LIB_MAX = 65536,
    LIB_TYPED_DICT = 131072,
    LIB_SHAPE_FIRST = 262144,    /* the first argument is the shape: np.zeros((n, 8)) */
    LIB_MESSAGE = 524288,        /* prints or formats text: a sign of an error branch */
    LIB_HIDDEN_STATE = 2097152,  /* C: a lock or unguarded state inside the library */
    LIB_LIKE = 1048576,          /* np.zeros_like */
    LIB_REFCOUNT = 4194304,      /* ATOMIC: counts references to its argument */
    LIB_STREAM_FIRST = 16777216, /* stdio: the argument that is the stream */
    LIB_STREAM_LAST = 33554432,
    LIB_SPIN =
        67108864, /* UNLOCK: clears a flag, which gives back a lock where one was made of it */
    LIB_BY_HABIT = 8388608, /* known by nothing but its name */
    LIB_FUSES = 268435456,  /* numba: one loop with the array expression it reduces, in a prange's
                               function */
    LIB_NUMBER = 536870912, /* Python: returns a number, though it makes arrays on the way */
    LIB_STEPS = 1073741824, /* C: moves the state on that its first argument leads to: rand_r */
    LIB_PYTHON = 134217728, /* a builtin of Python, whose name means nothing in C */
};

typedef struct LibraryEntry {
    const char *name;
    uint32_t flags;
    uint8_t shape_argument; /* ALLOC in C: the argument that holds the bytes, from 1; 0 none */
} LibraryEntry;

/* Entry of what `call` calls, if that is no function of the program; NULL if it is not in the
 * table. */
const LibraryEntry *library_call(const Facts *facts, const Unit *unit, AstNode call);

void library_prepare(Facts *facts);

/* The call is named like a function that starts a thread, whether the program defines one of that
 * name or not. */
bool library_starts_threads(const Facts *facts, const Unit *unit, AstNode call);

/* The thread id or the team size, if the expression is a call of such a function (a project's
 * wrapper included). */
uint32_t library_thread_value(const Facts *facts, const Unit *unit, AstNode expression);

/* Whether a call gives back the larger or the smaller of its two arguments: the C library's, or a
 * function of the program that compares its parameters and returns the one or the other. */
bool library_is_extreme(const Facts *facts, const Unit *unit, AstNode call);

/* outs.c: the variable that a call of the C library fills by `argument`, one of its own: x of
 * frexp(v, &x), buffer of snprintf(buffer, …). 0 if it fills none that is named there. */
AstNode library_output(const Facts *facts, const Unit *unit, AstNode call, AstNode argument);

/* blas.c: C names of BLAS and LAPACK routines of matrices ("dgemm_", "cblas_dgemm"), and of FFTW's
 * transforms, which may run on threads of their own. */
bool library_is_blas(const char *name);
bool library_is_fft(const char *name);

#endif
