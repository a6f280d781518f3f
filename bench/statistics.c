#include "bench/statistics.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST_FOR_INTERVAL = 6, LARGEST_EXACT = 200 };

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void sort_doubles(double *values, int count)
{
    if (count > 1)
        qsort(values, (size_t)count, sizeof *values, compare_doubles);
}

static double middle_of(const double *sorted, int count)
{
    if (count < 1)
        return 0;
    return 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
}

double statistics_median(double *values, int count)
{
    sort_doubles(values, count);
    return middle_of(values, count);
}

double statistics_spread(double *values, int count)
{
    double median = statistics_median(values, count);
    if (count < 4 || median <= 0)
        return 0;
    return (values[(3 * (count - 1)) / 4] - values[(count - 1) / 4]) / median;
}

/* The largest k with P(Binomial(count, 1/2) < k) <= 0.025. Beyond 200 values 0.5^count would soon
 * leave the doubles, and the normal form differs from the exact one by a rank at most. */
static int lower_rank(int count)
{
    if (count > LARGEST_EXACT)
        return (int)((count - 1.96 * sqrt(count)) / 2);
    double term = pow(0.5, count), below = 0;
    for (int k = 0; k < count; k++) {
        below += term;
        if (below > 0.025)
            return k;
        term *= (double)(count - k) / (k + 1);
    }
    return count / 2;
}

Interval statistics_interval(double *values, int count)
{
    Interval interval = {0};
    if (count < 1)
        return interval;
    sort_doubles(values, count);
    interval.middle = middle_of(values, count);
    interval.covered = count >= FEWEST_FOR_INTERVAL;
    int rank = interval.covered ? lower_rank(count) : 1;
    interval.low = values[rank - 1];
    interval.high = values[count - rank];
    return interval;
}
