/* Cases of denormal-decay, which is at most a note. Run with gcc 12: after
 * 1,500 steps with g = 0 the moments stick at 5.6e-45; with a factor of a half they reach zero after 150. */

void moments(float *m, const float *g, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        m[i] += 0.1f * (g[i] - m[i]); // note: denormal-decay
}

void fade(float *trail, long n, int steps)
{
    for (int s = 0; s < steps; s++)
        for (long i = 0; i < n; i++)
            trail[i] *= 0.95f; // note: denormal-decay
}

void one_half(float *trail, long n)
{
    for (long i = 0; i < n; i++)
        trail[i] *= 0.5f;
}

void refilled(float *field, const float *source, long n, int steps)
{
    for (int s = 0; s < steps; s++)
        for (long i = 0; i < n; i++) {
            field[i] *= 0.95f;
            field[i] += source[i] + 1.0f;
        }
}

double rate_of(double rate, int epochs)
{
    for (int e = 0; e < epochs; e++)
        rate *= 0.99;
    return rate;
}
