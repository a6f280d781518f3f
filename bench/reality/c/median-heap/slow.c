// claim: alloc-in-kernel: the window of a median filter on the heap, for every sample
#include "../../pair.h"

enum { SAMPLES = 30000, WINDOW = 5 };

static float *signal, *smooth;

void prepare(int threads)
{
    uint64_t state = 19;
    (void)threads;
    signal = need(SAMPLES, sizeof *signal);
    smooth = need(SAMPLES, sizeof *smooth);
    for (long i = 0; i < SAMPLES; i++)
        signal[i] = (float)next_unit(&state);
}

static float median(float *w)
{
    for (int i = 1; i < WINDOW; i++)
        for (int k = i; k > 0 && w[k] < w[k - 1]; k--) {
            float swap = w[k];
            w[k] = w[k - 1];
            w[k - 1] = swap;
        }
    return w[WINDOW / 2];
}

double work(void)
{
#pragma omp parallel for
    for (long i = 0; i < SAMPLES - WINDOW; i++) {
        float *window = malloc(WINDOW * sizeof *window);
        for (int k = 0; k < WINDOW; k++)
            window[k] = signal[i + k];
        smooth[i] = median(window);
        free(window);
    }
    double sum = 0;
    for (long i = 0; i < SAMPLES; i++)
        sum += smooth[i];
    return sum;
}
