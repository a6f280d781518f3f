// compiler: clang
#include "../../pair.h"

enum { CELLS = 512, SWEEPS = 400 };

static double rod[2][CELLS], source[CELLS];

void prepare(int threads)
{
    uint64_t state = 26;
    (void)threads;
    for (long i = 0; i < CELLS; i++)
        source[i] = next_unit(&state);
}

static void sweep(double *to, const double *from, const double *f)
{
    for (long i = 1; i < CELLS - 1; i++)
        to[i] = 0.5 * (from[i - 1] + from[i + 1]) + f[i];
}

double work(void)
{
    for (long i = 0; i < CELLS; i++)
        rod[0][i] = rod[1][i] = 0;
    for (int s = 0; s < SWEEPS; s++)
        sweep(rod[(s + 1) % 2], rod[s % 2], source);
    double sum = 0;
    for (long i = 0; i < CELLS; i++)
        sum += rod[0][i];
    return sum;
}
