#include "../../pair.h"

#include <math.h>
#include <omp.h>

enum { SAMPLES = 60000, TAPS = 12 };

static float *signal, *noisy;

void prepare(int threads)
{
    (void)threads;
    signal = need(SAMPLES + TAPS, sizeof *signal);
    noisy = need(SAMPLES, sizeof *noisy);
    for (long i = 0; i < SAMPLES + TAPS; i++)
        signal[i] = sinf((float)i * 0.01f);
}

double work(void)
{
#pragma omp parallel
    {
        unsigned seed = 1 + (unsigned)omp_get_thread_num();
#pragma omp for
        for (long i = 0; i < SAMPLES; i++) {
            float sum = 0;
            for (int k = 0; k < TAPS; k++)
                sum += signal[i + k] * (float)(TAPS - k);
            noisy[i] = sum + 0.01f * (float)rand_r(&seed) / (float)RAND_MAX;
        }
    }
    double sum = 0;
    for (long i = 0; i < SAMPLES; i++)
        sum += noisy[i];
    return sum;
}
