// claim: atomic-accumulate: the maximum of a series of distances, compared under critical
// compiler: clang
#include "../../pair.h"

#include <math.h>

enum { POINTS = 200000 };

static double *angle;

void prepare(int threads)
{
    uint64_t state = 11;
    (void)threads;
    angle = need(POINTS, sizeof *angle);
    for (long i = 0; i < POINTS; i++)
        angle[i] = 6 * next_unit(&state);
}

double work(void)
{
    double peak = 0;
#pragma omp parallel for
    for (long i = 0; i < POINTS; i++) {
        double value = fabs(sin(angle[i]) * cos(2 * angle[i]));
#pragma omp critical
        if (value > peak)
            peak = value;
    }
    return peak;
}
