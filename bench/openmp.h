/* The OpenMP runtimes of this machine, loaded at run time and only where their costs are asked for:
 * the analyser links none. They obey the OMP_ variables of the environment, as the code that we
 * judge does. LLVM's and Intel's have libgomp's entry points too. */
#ifndef BENCH_OPENMP_H
#define BENCH_OPENMP_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/kernel.h"

typedef struct OpenmpRuntime {
    void (*parallel)(void (*work)(void *), void *data, unsigned threads, unsigned flags);
    void (*barrier)(void);
    void (*critical_start)(void), (*critical_end)(void); /* of the section without a name */
    int (*thread_num)(void);
    /* schedule(dynamic, chunk) of first, first + step … below stop; false: nothing is left */
    bool (*loop_start)(long first, long stop, long step, long chunk, long *from, long *to);
    bool (*loop_next)(long *from, long *to);
    void (*loop_end)(void);
    void (*set_blocktime)(int ms); /* for how long idle members spin; NULL: libgomp, a few ms */
    char name[128];                /* its file, "libgomp.so.1.0.0" */
} OpenmpRuntime;

/* The wanted one, or where it is not here another one: libgomp first, since that is what gcc's and
 * numba's code pays for most often. NULL members and an empty name where there is none. */
OpenmpRuntime openmp_find(ExposureRuntime wanted);

#endif
