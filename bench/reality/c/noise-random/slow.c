// claim: hidden-lock: random() once per sample of a signal, beside a filter of some taps
// random: the two generators give other numbers
#include "../../pair.h"

#include <math.h>

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
#pragma omp parallel for
    for (long i = 0; i < SAMPLES; i++) {
        float sum = 0;
        for (int k = 0; k < TAPS; k++)
            sum += signal[i + k] * (float)(TAPS - k);
        noisy[i] = sum + 0.01f * (float)random() / (float)RAND_MAX;
    }
    double sum = 0;
    for (long i = 0; i < SAMPLES; i++)
        sum += noisy[i];
    return sum;
}
