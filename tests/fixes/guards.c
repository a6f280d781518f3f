// Atomics and critical sections around a sum or a maximum: the clause takes their place.
#include <stdio.h>

enum { N = 4000 };
static double depth[N];
static long level[N];

static double atomic_sum(void)
{
    double sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        #pragma omp atomic // fix: atomic-accumulate
        sum += depth[i];
    }
    return sum;
}

static long in_one_branch_of_two(void)
{
    long wet = 0, dry = 0;
    #pragma omp parallel for schedule(static) // both are counted
    for (int i = 0; i < N; i++)
        if (depth[i] > 2)
        #pragma omp /* fix: atomic-accumulate */ atomic \
            update
            wet++;
        else
        #pragma omp atomic // fix: atomic-accumulate
            dry += level[i];
    return wet * 100000 + dry;
}

static long at_two_places(void)
{
    long sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        #pragma omp atomic // fix: atomic-accumulate
        sum += level[i];
        if (level[i] > 3) {
            #pragma omp atomic // fix: atomic-accumulate
            sum += 2;
        }
    }
    return sum;
}

static double in_braces(void)
{
    double top = 0;
    long count = 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        #pragma omp critical(top) // fix: atomic-accumulate
        {
            if (depth[i] > top)
                top = depth[i];
        }
        #pragma omp critical /* one more */ // fix: atomic-accumulate
        {
            count += depth[i] > 1;
        }
    }
    return top * 10000 + (double)count;
}

static long by_hand(void)
{
    long sum = 0;
    #pragma omp parallel shared(sum)
    {
        #pragma omp for
        for (int i = 0; i < N; i++) {
            long add = level[i] * 3;
            #pragma omp atomic // fix: atomic-accumulate
            sum += add;
        }
    }
    return sum;
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        depth[i] = (i * 37) % 11;
        level[i] = (i * 13) % 64;
    }
    printf("%g %ld %ld %g %ld\n", atomic_sum(), in_one_branch_of_two(), at_two_places(), in_braces(), by_hand());
    return 0;
}
