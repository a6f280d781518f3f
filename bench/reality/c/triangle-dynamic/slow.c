// claim: contended-schedule: schedule(dynamic, 1) over points with some twenty operations each
// compiler: clang
#include "../../pair.h"

#include <math.h>

enum { POINTS = 120000 };

static double *angle, *area;

void prepare(int threads)
{
    uint64_t state = 29;
    (void)threads;
    angle = need(POINTS, sizeof *angle);
    area = need(POINTS, sizeof *area);
    for (long i = 0; i < POINTS; i++)
        angle[i] = 3 * next_unit(&state);
}

double work(void)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (long i = 0; i < POINTS; i++)
        area[i] = sqrt(1 + angle[i] * angle[i]) / (2 + angle[i]);
    double sum = 0;
    for (long i = 0; i < POINTS; i++)
        sum += area[i];
    return sum;
}
