#include "not_there.h"

/* Größe in ünits. */
double sum(const double *a, long n)
{
    double s = 0.0;
#pragma omp parallel for
    for (long i = 0; i < n; i++)
	s += a[i];
    return s;
}

long count(const double *a, long n)
{
    long found = 0;
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        if (a[i] > 0)
            found++; // NOLINT(ponglint-missing-reduction)
    return found;
}
