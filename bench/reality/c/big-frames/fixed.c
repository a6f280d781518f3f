#include "../../pair.h"

#include <omp.h>

enum { PIXELS = 10 << 20, FRAMES = 2 };

static unsigned short *raw;
static float *frames;
static double brightness[FRAMES];

void prepare(int threads)
{
    uint64_t state = 23;
    frames = need((size_t)threads * PIXELS, sizeof *frames);
    raw = need((size_t)PIXELS, sizeof *raw);
    for (long i = 0; i < PIXELS; i++)
        raw[i] = (unsigned short)(next_random(&state) >> 16);
}

double work(void)
{
#pragma omp parallel for
    for (int f = 0; f < FRAMES; f++) {
        float *frame = frames + (long)PIXELS * omp_get_thread_num();
        for (long p = 0; p < PIXELS; p++)
            frame[p] = (float)raw[p] * 0.5f + (float)f;
        double sum = 0;
        for (long p = 0; p < PIXELS; p += 16)
            sum += frame[p];
        brightness[f] = sum;
    }
    double sum = 0;
    for (int f = 0; f < FRAMES; f++)
        sum += brightness[f];
    return sum;
}
