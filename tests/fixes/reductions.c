// Sums, products, extremes and bits that all threads update: with the clause they come out as in serial code.
#include <math.h>
#include <stdio.h>

enum { N = 4000 };
static double depth[N];
static long level[N];
static long total_wet;

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define COUNT(into, what) into += (what)
#define SCHEDULE schedule(static)

static double plain(void)
{
    double sum = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        sum += depth[i]; // fix: missing-reduction
    return sum;
}

static double with_a_comment_behind(void)
{
    double sum = 0;
    #pragma omp parallel for /* all of them */ // one by one
    for (int i = 0; i < N; i++)
        sum -= depth[i]; // fix: missing-reduction
    return sum;
}

static long on_continued_lines(void)
{
    long sum = 0, other = 0;
    #pragma omp parallel for \
        SCHEDULE             \
        reduction(+ : other)
    for (int i = 0; i < N; i++) {
        sum = sum + level[i]; // fix: missing-reduction
        other += 2;
    }
    return sum + other;
}

static long out_of_a_list(void)
{
    long sum = 0, low = 1L << 40, odd = 0, n = N;
    #pragma omp parallel for shared(depth, sum, n) default(none) \
        shared(level, low) shared(odd) // lists get shorter
    for (int i = 0; i < n; i++) {
        sum += level[i] + (depth[i] > 2); // fix: missing-reduction
        if (level[i] < low)
            low = level[i]; // fix: missing-reduction
        odd ^= level[i]; // fix: missing-reduction
    }
    return sum + low + odd;
}

static double of_many_kinds(void)
{
    double product = 1, top = -1, lowest = 1e9, far = 0;
    long bits = 0, mask = -1, count = 0, gap = 7;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        product *= i % 500 == 1 ? 2 : 1; // fix: missing-reduction
        if (depth[i] > top) {
            top = depth[i]; // fix: missing-reduction
        }
        lowest = depth[i] < lowest ? depth[i] : lowest; // fix: missing-reduction
        far = fmax(far, depth[i] - 1); // fix: missing-reduction
        bits |= level[i]; // fix: missing-reduction
        mask &= level[i] | 1; // fix: missing-reduction
        count++; // fix: missing-reduction
        gap = gap - level[i] + 1; // fix: missing-reduction
    }
    return product + top + lowest + far + (double)bits + (double)mask + (double)count + (double)gap;
}

static long through_macros(void)
{
    long sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        COUNT(sum, level[i]); // fix: missing-reduction
    return sum;
}

static double in_loops_inside(void)
{
    double sum = 0;
    #pragma omp parallel for SCHEDULE
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 100; j++)
            if (depth[i * 100 + j] > 1)
                sum += depth[i * 100 + j]; // fix: missing-reduction
    return sum;
}

static long in_a_region(void)
{
    long sum = 0;
    #pragma omp parallel
    {
        #pragma omp for
        for (int i = 0; i < N; i++)
            sum += level[i]; // fix: missing-reduction
    }
    return sum;
}

static void into_a_global(void)
{
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        if (fabs(depth[i]) > 2)
            total_wet += 1; // fix: missing-reduction
}

static double pointed_to_afterwards(void)
{
    double sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        sum += depth[i]; // fix: missing-reduction
    double *result = &sum;
    return *result;
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        depth[i] = (i * 37) % 11;
        level[i] = (i * 13) % 64;
    }
    into_a_global();
    printf("%g %g %ld %ld %g\n", plain(), with_a_comment_behind(), on_continued_lines(), out_of_a_list(),
           of_many_kinds());
    printf("%ld %g %ld %ld %g\n", through_macros(), in_loops_inside(), in_a_region(), total_wet,
           pointed_to_afterwards());
    return 0;
}
