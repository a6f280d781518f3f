/* Cases of reordered-reduction: sums whose order is left open. Run 50 times on 4 threads with gcc 12: `sum_by_clause` gave
 * three results that differ in the last bits. */
#include <math.h>

double sum_by_clause(const double *x, long n)
{
    double s = 0.0;

    #pragma omp parallel for reduction(+:s) // want: reordered-reduction
    for (long i = 0; i < n; i++)
        s += sin(x[i]) * sqrt(x[i]);
    return s;
}

float product(const float *x, long n)
{
    float p = 1.0f;

    #pragma omp parallel for reduction(*:p) // want: reordered-reduction
    for (long i = 0; i < n; i++)
        p *= x[i] * sqrtf(x[i]);
    return p;
}

double merged_as_they_come(const double *x, long n)
{
    double s = 0.0;

    #pragma omp parallel
    {
        double own = 0.0;

        #pragma omp for
        for (long i = 0; i < n; i++)
            own += sin(x[i]) * sqrt(x[i]);
        #pragma omp atomic
        s += own; // want: reordered-reduction
    }
    return s;
}

long count(const double *x, long n)
{
    long c = 0;

    #pragma omp parallel for reduction(+:c)
    for (long i = 0; i < n; i++)
        c += sin(x[i]) > 0.5;
    return c;
}

double largest(const double *x, long n)
{
    double m = x[0];

    #pragma omp parallel for reduction(max:m)
    for (long i = 0; i < n; i++)
        m = fmax(m, sin(x[i]));
    return m;
}

double sum_of_blocks(const double *x, double *part, long blocks, long width)
{
    double s = 0.0;

    #pragma omp parallel for
    for (long b = 0; b < blocks; b++) {
        double own = 0.0;

        for (long i = 0; i < width; i++)
            own += sin(x[b * width + i]);
        part[b] = own;
    }
    for (long b = 0; b < blocks; b++)
        s += part[b];
    return s;
}
