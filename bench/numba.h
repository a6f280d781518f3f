/* The numba that is installed beside ponglint, as far as costs depend on its version. */
#ifndef BENCH_NUMBA_H
#define BENCH_NUMBA_H

#include <stdbool.h>
#include <stddef.h>

/* The version of the numba of the `python3` on the PATH, "0.56.4"; "" if there is none. Bounded. */
void numba_version(char *version, size_t bytes);

/* Whether this version's allocator counts each array in statistics that all threads share: up to
 * 0.56 it does, from 0.57 on only where it is asked to. False for "". */
bool numba_counts_allocations(const char *version);

#endif
