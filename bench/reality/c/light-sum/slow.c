// claim: missing-reduction: the light of all stars, which the compiler keeps in a register
// wrong: additions are lost
#include "../../pair.h"

enum { STARS = 1000000 };

static float *magnitude;

void prepare(int threads)
{
    uint64_t state = 31;
    (void)threads;
    magnitude = need(STARS, sizeof *magnitude);
    for (long i = 0; i < STARS; i++)
        magnitude[i] = (float)(next_random(&state) >> 24);
}

double work(void)
{
    double light = 0;
#pragma omp parallel for
    for (long i = 0; i < STARS; i++)
        light += magnitude[i] * magnitude[i];
    return light;
}
