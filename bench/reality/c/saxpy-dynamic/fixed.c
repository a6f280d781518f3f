#include "../../pair.h"

enum { LENGTH = 200000 };

static float *x, *y, *z;

void prepare(int threads)
{
    uint64_t state = 28;
    (void)threads;
    x = need(LENGTH, sizeof *x);
    y = need(LENGTH, sizeof *y);
    z = need(LENGTH, sizeof *z);
    for (long i = 0; i < LENGTH; i++) {
        x[i] = (float)next_unit(&state);
        y[i] = (float)next_unit(&state);
    }
}

double work(void)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < LENGTH; i++)
        z[i] = 2.5f * x[i] + y[i];
    double sum = 0;
    for (long i = 0; i < LENGTH; i += 100)
        sum += z[i];
    return sum;
}
