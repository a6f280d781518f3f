// claim: denormal-decay: filters that ring out into denormals
#include "../../pair.h"

enum { CHANNELS = 256, STEPS = 500 };

static float state_of[CHANNELS], input[CHANNELS];

void prepare(int threads)
{
    (void)threads;
}

static void ring(float *state, const float *in, long channels)
{
#pragma omp parallel for
    for (long c = 0; c < channels; c++)
        for (int t = 0; t < STEPS; t++)
            state[c] += 0.05f * (in[c] - state[c]);
}

double work(void)
{
    for (long c = 0; c < CHANNELS; c++)
        state_of[c] = 1e-36f;
    ring(state_of, input, CHANNELS);
    double sum = 0;
    for (long c = 0; c < CHANNELS; c++)
        sum += state_of[c] > 1e-30f;
    return sum;
}
