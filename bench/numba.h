/* The numba that is installed beside ponglint, as far as costs depend on its version. */
#ifndef BENCH_NUMBA_H
#define BENCH_NUMBA_H

#include <stdbool.h>

typedef struct Numba {
    char version[128]; /* "0.56.4"; "": there is none */
    char target[128];  /* what its LLVM calls this processor, "znver3"; "generic" where it is older
                          than the processor; "": not known */
} Numba;

/* The numba of the `python3` on the PATH. */
Numba numba_find(void);

/* Whether this version's allocator counts each array in statistics that all threads share: up to
 * 0.56 it does, from 0.57 on only where it is asked to. False for "". */
bool numba_counts_allocations(const char *version);

#endif
