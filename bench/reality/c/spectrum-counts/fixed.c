#include "../../pair.h"

#include <math.h>
#include <omp.h>

enum { SAMPLES = 20000 };

static double *energy;
static long *accepted;

void prepare(int threads)
{
    uint64_t state = 4;
    (void)threads;
    energy = need(SAMPLES, sizeof *energy);
    accepted = need(64 * 16, sizeof *accepted);
    for (long i = 0; i < SAMPLES; i++)
        energy[i] = 4 * next_unit(&state);
}

static void count_accepted(long *counts, const double *e, long n)
{
#pragma omp parallel
    {
        int tid = omp_get_thread_num();
#pragma omp for
        for (long i = 0; i < n; i++) {
            double p = exp(-e[i]) * (1 + 0.5 * sin(e[i])) + 0.1 * pow(e[i] + 0.5, 0.3);
            if (p > 0.4)
                counts[tid * 16]++;
        }
    }
}

double work(void)
{
    for (int t = 0; t < 64; t++)
        accepted[t * 16] = 0;
    count_accepted(accepted, energy, SAMPLES);
    double sum = 0;
    for (int t = 0; t < 64; t++)
        sum += (double)accepted[t * 16];
    return sum;
}
