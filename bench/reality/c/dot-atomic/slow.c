// claim: atomic-accumulate: every product of a dot product is added atomically
#include "../../pair.h"

enum { LENGTH = 400000 };

static double *left, *right;

void prepare(int threads)
{
    uint64_t state = 8;
    (void)threads;
    left = need(LENGTH, sizeof *left);
    right = need(LENGTH, sizeof *right);
    for (long i = 0; i < LENGTH; i++) {
        left[i] = next_random(&state) >> 24;
        right[i] = next_random(&state) >> 24;
    }
}

double work(void)
{
    double sum = 0;
#pragma omp parallel for
    for (long i = 0; i < LENGTH; i++) {
#pragma omp atomic
        sum += left[i] * right[i];
    }
    return sum;
}
