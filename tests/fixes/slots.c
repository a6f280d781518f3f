// One slot a thread in a local array: each gets a cache line.
#include <stdio.h>
#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_thread_num(void) { return 0; }
static int omp_get_max_threads(void) { return 1; }
#endif

enum { N = 4000, MOST = 64 };
static double depth[N];
static long level[N];

static double sums(void)
{
    double part[MOST] = {0.0}, sum = 0;
    #pragma omp parallel shared(part)
    {
        int me = omp_get_thread_num();
        #pragma omp for
        for (int i = 0; i < N; i++)
            if (depth[i] > 1)
                part[me] += depth[i]; // fix: adjacent-slots
    }
    for (int t = 0; t < MOST; t++)
        sum += part[t];
    return sum;
}

static long counts(void)
{
    int threads = omp_get_max_threads();
    long other = 1, count[threads], sum = 0;
    for (int t = 0; t < threads; t++)
        count[t] = 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        if (level[i] & 1)
            count[omp_get_thread_num()]++; // fix: adjacent-slots
    for (int t = 0; t < threads; t++)
        sum += count[t];
    return sum + other;
}

static double handed_on(const double *part, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += part[i];
    return sum;
}

static double used_as_a_whole(void)
{
    double part[MOST] = {0};
    #pragma omp parallel
    {
        int me = omp_get_thread_num();
        #pragma omp for
        for (int i = 0; i < N; i++)
            if (depth[i] > 1)
                part[me] += depth[i]; // keep: adjacent-slots
    }
    return handed_on(part, MOST);
}

static double measured_as_a_whole(void)
{
    double part[MOST] = {0}, sum = 0;
    #pragma omp parallel
    {
        int me = omp_get_thread_num();
        #pragma omp for
        for (int i = 0; i < N; i++)
            if (depth[i] > 1)
                part[me] += depth[i]; // keep: adjacent-slots
    }
    for (unsigned t = 0; t < sizeof part / sizeof *part; t++)
        sum += part[t];
    return sum;
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        depth[i] = (i * 37) % 11;
        level[i] = (i * 13) % 64;
    }
    printf("%g %ld %g %g\n", sums(), counts(), used_as_a_whole(), measured_as_a_whole());
    return 0;
}
