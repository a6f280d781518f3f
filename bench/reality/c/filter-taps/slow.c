// claim: too-little-work: a parallel loop over the 24 taps of a filter
#include "../../pair.h"

#include <math.h>

enum { TAPS = 24, FILTERS = 500 };

static float taps[TAPS];

void prepare(int threads)
{
    (void)threads;
}

static void window(float *coeff, float width)
{
#pragma omp parallel for
    for (int k = 0; k < TAPS; k++)
        coeff[k] = 0.5f - 0.5f * cosf(6.2831853f * (float)k / width);
}

static double design(float width)
{
    window(taps, width);
    return taps[3] + taps[20];
}

double work(void)
{
    double sum = 0;
    for (int f = 0; f < FILTERS; f++)
        sum += design(20.0f + (float)f);
    return sum;
}
