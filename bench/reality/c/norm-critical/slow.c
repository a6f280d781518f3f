// claim: atomic-accumulate: a critical section around the sum of squares
#include "../../pair.h"

enum { POINTS = 200000 };

struct point {
    double x, y, z;
};

static struct point *point;

void prepare(int threads)
{
    uint64_t state = 10;
    (void)threads;
    point = need(POINTS, sizeof *point);
    for (long i = 0; i < POINTS; i++)
        point[i] = (struct point){next_random(&state) >> 24, next_random(&state) >> 24,
                                  next_random(&state) >> 24};
}

double work(void)
{
    double sum = 0;
#pragma omp parallel for
    for (long i = 0; i < POINTS; i++) {
        double square = point[i].x * point[i].x + point[i].y * point[i].y + point[i].z * point[i].z;
#pragma omp critical
        sum += square;
    }
    return sum;
}
