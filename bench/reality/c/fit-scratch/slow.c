// claim: alloc-in-kernel: a scratch row per fit, beside half a microsecond of work
#include "../../pair.h"

#include <math.h>

enum { FITS = 2000, POINTS = 64 };

static double *data, *slope;

void prepare(int threads)
{
    uint64_t state = 21;
    (void)threads;
    data = need(FITS * POINTS, sizeof *data);
    slope = need(FITS, sizeof *slope);
    for (long i = 0; i < FITS * POINTS; i++)
        data[i] = 1 + next_unit(&state);
}

static double fit(const double *y, double *scratch)
{
    double sum = 0;
    for (int k = 0; k < POINTS; k++)
        scratch[k] = log(y[k]) + 0.1 * exp(-y[k]);
    for (int k = 1; k < POINTS; k++)
        sum += (scratch[k] - scratch[k - 1]) * scratch[k / 2];
    return sum;
}

double work(void)
{
#pragma omp parallel for
    for (long i = 0; i < FITS; i++) {
        double *scratch = malloc(POINTS * sizeof *scratch);
        slope[i] = fit(data + i * POINTS, scratch);
        free(scratch);
    }
    double sum = 0;
    for (long i = 0; i < FITS; i++)
        sum += slope[i];
    return sum;
}
