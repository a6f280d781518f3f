// claim: missing-reduction: hits are counted through a pointer, without protection
// wrong: hits are lost
// compiler: clang
#include "../../pair.h"

enum { ROWS = 500000 };

static int *key;
static long found;

void prepare(int threads)
{
    uint64_t state = 33;
    (void)threads;
    key = need(ROWS, sizeof *key);
    for (long i = 0; i < ROWS; i++)
        key[i] = (int)(next_random(&state) >> 28);
}

static void count_matches(const int *keys, long n, int low, long *hits)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        if (keys[i] >= low)
            (*hits)++;
}

double work(void)
{
    found = 0;
    count_matches(key, ROWS, 5, &found);
    return (double)found;
}
