// Variables that each iteration uses for itself, and last values that the code behind the loop wants.
#include <stdio.h>

enum { N = 4000 };
static double depth[N], out[N];
static double kept;

static double swapped(void)
{
    double t, sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < N; i++) {
        t = depth[i] * 2; // fix: missing-private
        out[i] = t + 1;
        sum += t;
    }
    return sum;
}

static double inner_variables(void)
{
    int j, k;
    double row, all = 0;
    #pragma omp parallel for shared(row, out) \
        reduction(+ : all)
    for (int i = 0; i < 40; i++) {
        row = 0; // fix: missing-private
        for (j = 0; j < 10; j++) // fix: missing-private
            for (k = 0; k < 10; k++) // fix: missing-private
                row += depth[i * 100 + j * 10 + k];
        all += row;
    }
    return all;
}

static double last_one(void)
{
    double end = 0;
    #pragma omp parallel for shared(end)
    for (int i = 0; i < N; i++) {
        end = depth[i] + i; // fix: missing-private
        out[i] = depth[i];
    }
    return end + out[3];
}

static double of_the_file(void)
{
    double sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < N; i++) {
        kept = depth[i] > 2 ? 1 : depth[i]; // fix: missing-private
        sum += kept;
    }
    return sum;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        depth[i] = (i * 37) % 11;
    printf("%g %g %g %g\n", swapped(), inner_variables(), last_one(), of_the_file());
    return 0;
}
