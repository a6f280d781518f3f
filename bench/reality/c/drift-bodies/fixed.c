#include "../../pair.h"

enum { BODIES = 500 };

static double position[BODIES][3], velocity[BODIES][3];

void prepare(int threads)
{
    uint64_t state = 24;
    (void)threads;
    for (long b = 0; b < BODIES; b++)
        for (int k = 0; k < 3; k++)
            velocity[b][k] = next_random(&state) >> 24;
}

static void add_scaled(double *y, const double *x, double a)
{
    for (int k = 0; k < 3; k++)
        y[k] = a * x[k];
}

double work(void)
{
#pragma omp parallel for
    for (long b = 0; b < BODIES; b++)
        add_scaled(position[b], velocity[b], 0.5);
    double sum = 0;
    for (long b = 0; b < BODIES; b++)
        sum += position[b][0] + 2 * position[b][1] + 3 * position[b][2];
    return sum;
}
