// claim: interleaved-writes: schedule(static, 1) over elements of four bytes
#include "../../pair.h"

#include <math.h>

enum { PIXELS = 65536, PASSES = 10 };

static float *image, *corrected;

void prepare(int threads)
{
    uint64_t state = 7;
    (void)threads;
    image = need(PIXELS, sizeof *image);
    corrected = need(PIXELS, sizeof *corrected);
    for (long i = 0; i < PIXELS; i++)
        image[i] = (float)next_unit(&state);
}

double work(void)
{
    for (int pass = 0; pass < PASSES; pass++) {
#pragma omp parallel for schedule(static, 1)
        for (long i = 0; i < PIXELS; i++)
            corrected[i] = sqrtf(image[i]) * (1.0f + 0.1f * (float)pass);
    }
    double sum = 0;
    for (long i = 0; i < PIXELS; i++)
        sum += corrected[i];
    return sum;
}
