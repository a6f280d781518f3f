#include "../../pair.h"

enum { POINTS = 200000 };

static double *x, *y, *u, *v;

void prepare(int threads)
{
    uint64_t state = 34;
    (void)threads;
    x = need(POINTS, sizeof *x);
    y = need(POINTS, sizeof *y);
    u = need(POINTS, sizeof *u);
    v = need(POINTS, sizeof *v);
    for (long i = 0; i < POINTS; i++) {
        x[i] = next_unit(&state);
        y[i] = next_unit(&state);
    }
}

double work(void)
{
#pragma omp parallel for
    for (long i = 0; i < POINTS; i++) {
        double along = 0.8 * x[i] + 0.6 * y[i];
        double across = 0.8 * y[i] - 0.6 * x[i];
        u[i] = along * along;
        v[i] = across * along;
    }
    double sum = 0;
    for (long i = 0; i < POINTS; i += 10)
        sum += u[i] + v[i];
    return sum;
}
