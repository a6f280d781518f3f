// claim: alloc-in-kernel: a helper allocates the offsets of the neighbours of a cell
#include "../../pair.h"

enum { SIDE = 256 };

static int *grid, *count;

void prepare(int threads)
{
    uint64_t state = 20;
    (void)threads;
    grid = need(SIDE * SIDE, sizeof *grid);
    count = need(SIDE * SIDE, sizeof *count);
    for (long i = 0; i < SIDE * SIDE; i++)
        grid[i] = (int)(next_random(&state) >> 31);
}

static long *neighbours(long cell)
{
    long *list = malloc(4 * sizeof *list);
    list[0] = cell - SIDE;
    list[1] = cell - 1;
    list[2] = cell + 1;
    list[3] = cell + SIDE;
    return list;
}

double work(void)
{
#pragma omp parallel for
    for (long y = 1; y < SIDE - 1; y++)
        for (long x = 1; x < SIDE - 1; x++) {
            long *near = neighbours(y * SIDE + x);
            int sum = 0;
            for (int k = 0; k < 4; k++)
                sum += grid[near[k]];
            count[y * SIDE + x] = sum;
            free(near);
        }
    double sum = 0;
    for (long i = 0; i < SIDE * SIDE; i++)
        sum += count[i];
    return sum;
}
