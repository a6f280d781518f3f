// claim: hidden-lock: rand() locks its state, which all threads share
// random: the two generators give other numbers
#include "../../pair.h"

enum { SHOTS = 100000 };

void prepare(int threads)
{
    (void)threads;
    srand(1);
}

double work(void)
{
    long inside = 0;
#pragma omp parallel for reduction(+ : inside)
    for (long i = 0; i < SHOTS; i++) {
        double x = rand() / (RAND_MAX + 1.0), y = rand() / (RAND_MAX + 1.0);
        if (x * x + y * y < 1)
            inside++;
    }
    return 4.0 * (double)inside / SHOTS;
}
