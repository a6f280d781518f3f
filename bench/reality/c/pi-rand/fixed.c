#include "../../pair.h"

#include <omp.h>

enum { SHOTS = 100000 };

void prepare(int threads)
{
    (void)threads;
}

double work(void)
{
    long inside = 0;
#pragma omp parallel reduction(+ : inside)
    {
        unsigned seed = 1 + (unsigned)omp_get_thread_num();
#pragma omp for
        for (long i = 0; i < SHOTS; i++) {
            double x = rand_r(&seed) / (RAND_MAX + 1.0), y = rand_r(&seed) / (RAND_MAX + 1.0);
            if (x * x + y * y < 1)
                inside++;
        }
    }
    return 4.0 * (double)inside / SHOTS;
}
