// claim: nested-threads: every thread of a team starts a team of its own
// unbound: threads of teams within teams share cores
#include "../../pair.h"

#include <omp.h>

enum { MOST = 64, CELLS = 4000, STEPS = 100 };

static double rod[MOST][2][CELLS];
static int team;

void prepare(int threads)
{
    team = threads;
    omp_set_max_active_levels(2);
}

static void step(double *to, const double *from)
{
#pragma omp parallel for num_threads(omp_get_num_procs())
    for (long i = 1; i < CELLS - 1; i++)
        to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
}

double work(void)
{
    for (int r = 0; r < team; r++)
        for (long i = 0; i < CELLS; i++)
            rod[r][0][i] = rod[r][1][i] = (double)(i % 17);
#pragma omp parallel for
    for (int r = 0; r < team; r++)
        for (int s = 0; s < STEPS; s++)
            step(rod[r][(s + 1) % 2], rod[r][s % 2]);
    double sum = 0;
    for (int r = 0; r < team; r++)
        sum += rod[r][0][CELLS / 2];
    return sum;
}
