// compiler: clang
#include "../../pair.h"

#include <omp.h>

enum { ROWS = 500, COLUMNS = 1000 };

static double *table, *weight, *partial;

void prepare(int threads)
{
    uint64_t state = 3;
    (void)threads;
    table = need((size_t)ROWS * COLUMNS, sizeof *table);
    weight = need(COLUMNS, sizeof *weight);
    partial = need(64 * 16, sizeof *partial);
    for (long i = 0; i < (long)ROWS * COLUMNS; i++)
        table[i] = next_random(&state) >> 24;
    for (int i = 0; i < COLUMNS; i++)
        weight[i] = next_random(&state) >> 28;
}

static void weighted(double *sums, const double *rows, const double *by, long count)
{
#pragma omp parallel
    {
        int tid = omp_get_thread_num();
#pragma omp for
        for (long r = 0; r < count; r++)
            for (long k = 0; k < COLUMNS; k++)
                sums[tid * 16] += rows[r * COLUMNS + k] * by[k];
    }
}

double work(void)
{
    for (int t = 0; t < 64; t++)
        partial[t * 16] = 0;
    weighted(partial, table, weight, ROWS);
    double sum = 0;
    for (int t = 0; t < 64; t++)
        sum += partial[t * 16];
    return sum;
}
