#include "../../pair.h"

#include <omp.h>

enum { SAMPLES = 16384, BLOCKS = 50 };

static float *signal, *envelope;

void prepare(int threads)
{
    uint64_t state = 6;
    (void)threads;
    signal = need(SAMPLES, sizeof *signal);
    envelope = need(SAMPLES, sizeof *envelope);
    for (long i = 0; i < SAMPLES; i++)
        signal[i] = (float)next_unit(&state);
}

double work(void)
{
    for (long i = 0; i < SAMPLES; i++)
        envelope[i] = 0;
#pragma omp parallel
    {
        int tid = omp_get_thread_num(), threads = omp_get_num_threads();
        for (int block = 0; block < BLOCKS; block++)
            for (long i = SAMPLES * tid / threads; i < SAMPLES * (tid + 1) / threads; i++)
                envelope[i] += 0.01f * (signal[i] - envelope[i]);
    }
    double sum = 0;
    for (long i = 0; i < SAMPLES; i++)
        sum += envelope[i];
    return sum;
}
