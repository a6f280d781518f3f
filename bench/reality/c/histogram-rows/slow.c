// claim: adjacent-slots: a histogram row per thread, half a cache line apart
#include "../../pair.h"

#include <omp.h>
#include <string.h>

enum { PIXELS = 1000000, TEAM = 64, BINS = 8 };

static unsigned char *level;
static int rows[TEAM][BINS] __attribute__((aligned(64)));

void prepare(int threads)
{
    uint64_t state = 1;
    (void)threads;
    level = need(PIXELS, 1);
    for (long i = 0; i < PIXELS; i++)
        level[i] = (unsigned char)(next_random(&state) >> 24);
}

double work(void)
{
    memset(rows, 0, sizeof rows);
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (long i = 0; i < PIXELS; i++)
            rows[me][level[i] & 7]++;
    }
    double sum = 0;
    for (int t = 0; t < TEAM; t++)
        for (int b = 0; b < BINS; b++)
            sum += (b + 1.0) * rows[t][b];
    return sum;
}
