#include "../../pair.h"

enum { PIXELS = 1000000, BINS = 8 };

static unsigned char *level;
static long histogram[BINS];

void prepare(int threads)
{
    uint64_t state = 32;
    (void)threads;
    level = need(PIXELS, 1);
    for (long i = 0; i < PIXELS; i++)
        level[i] = (unsigned char)(next_random(&state) >> 24);
}

double work(void)
{
    for (int b = 0; b < BINS; b++)
        histogram[b] = 0;
#pragma omp parallel for reduction(+ : histogram)
    for (long i = 0; i < PIXELS; i++)
        histogram[level[i] >> 5]++;
    double sum = 0;
    for (int b = 0; b < BINS; b++)
        sum += (b + 1.0) * (double)histogram[b];
    return sum;
}
