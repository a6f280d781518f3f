// compiler: clang
#include "../../pair.h"

enum { NUMBERS = 100000 };

static int *candidate;

void prepare(int threads)
{
    uint64_t state = 9;
    (void)threads;
    candidate = need(NUMBERS, sizeof *candidate);
    for (long i = 0; i < NUMBERS; i++)
        candidate[i] = (int)(next_random(&state) >> 12 | 1);
}

static int smallest_factor(int n)
{
    for (int d = 3; d < 12; d += 2)
        if (n % d == 0)
            return d;
    return 1;
}

double work(void)
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < NUMBERS; i++) {
        int factor = smallest_factor(candidate[i]);
        sum += factor;
    }
    return (double)sum;
}
