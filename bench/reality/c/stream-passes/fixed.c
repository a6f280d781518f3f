#include "../../pair.h"

enum { LENGTH = 8 << 20, BLOCK = 2048, STEPS = 4 };

static double *field;

void prepare(int threads)
{
    (void)threads;
    field = need(LENGTH, sizeof *field);
}

static void damp(double *a, long n)
{
    for (long i = 0; i < n; i++)
        a[i] = a[i] * 0.5 + 1.0;
}

double work(void)
{
    for (long i = 0; i < LENGTH; i += 64)
        field[i] = (double)(i & 255);
#pragma omp parallel for
    for (long block = 0; block < LENGTH; block += BLOCK)
        for (int s = 0; s < STEPS; s++)
            damp(field + block, BLOCK);
    return field[64] + field[LENGTH / 2 + 128];
}
