// Cases of bandwidth-bound. Its findings are notes.
#include <math.h>

enum { SMALL = 4096 };

void triad(double *a, const double *b, const double *c, double s, long n)
{
    #pragma omp parallel for // note: bandwidth-bound
    for (long i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}

void planes(float *to, const float *from, long rows, long columns)
{
    #pragma omp parallel for // note: bandwidth-bound
    for (long r = 0; r < rows; r++)
        for (long c = 0; c < columns; c++)
            to[r * columns + c] = 0.5f * from[r * columns + c];
}

// in the cache
void small(double *a, const double *b)
{
    #pragma omp parallel for // may: too-little-work
    for (int i = 0; i < SMALL; i++)
        a[i] += b[i];
}

// used again and again
void product(double *c, const double *a, const double *b, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// enough to do
void waves(double *a, const double *b, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] = sin(b[i]) * exp(-b[i]);
}

// latency
void gather(double *a, const double *b, const long *at, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] = b[at[i]];
}
