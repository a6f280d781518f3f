/* The OpenMP runtime of this machine, loaded at run time and only where its costs are asked for:
 * the analyser links none. libgomp first, since that is what gcc's and numba's code pays for most
 * often; LLVM's and Intel's have its entry points too. It obeys the OMP_ variables of the
 * environment, as the code that we judge does. */
#ifndef BENCH_OPENMP_H
#define BENCH_OPENMP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct OpenmpRuntime {
    void (*parallel)(void (*work)(void *), void *data, unsigned threads, unsigned flags);
    void (*barrier)(void);
    void (*critical_start)(void), (*critical_end)(void); /* of the section without a name */
    char name[128]; /* its file, "libgomp.so.1.0.0" */
} OpenmpRuntime;

/* NULL members and an empty name where there is none. */
OpenmpRuntime openmp_find(void);

#endif
