#include "bench/statistics.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST_FOR_INTERVAL = 6, FEWEST_FOR_REPEAT = 8, LARGEST_EXACT = 200 };

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

/* Sorts; ranks `rank` and count + 1 - rank, the extremes for a rank below 1. */
static Interval between_ranks(double *values, int count, int rank)
{
    Interval interval = {.covered = rank >= 1};
    if (count < 1)
        return interval;
    sort_doubles(values, count);
    interval.middle = middle_of(values, count);
    rank = rank < 1 ? 1 : rank;
    interval.low = values[rank - 1];
    interval.high = values[count - rank];
    return interval;
}

Interval statistics_interval(double *values, int count)
{
    return between_ranks(values, count, count >= FEWEST_FOR_INTERVAL ? lower_rank(count) : 0);
}

static double log_choose(int of, int take)
{
    return lgamma(of + 1.0) - lgamma(take + 1.0) - lgamma(of - take + 1.0);
}

/* P(at least `most` of `count` other values lie above the j-th of `count`): with r of them above,
 * C(r + count - j, r) of the ways to order both samples have them mixed with the count - j above,
 * and C(count - r + j - 1, count - r) those below. */
static double exceedance(int count, int j, int most)
{
    double sum = 0;
    for (int r = most; r <= count; r++)
        sum += exp(log_choose(r + count - j, r) + log_choose(count - r + j - 1, count - r) -
                   log_choose(2 * count, count));
    return sum;
}

Interval statistics_repeat_interval(double *values, int count, int worth)
{
    int rank = 0, beyond = worth / 2 + 1; /* so many beyond take the median with them */
    while (rank < worth / 2 && exceedance(worth, worth - rank, beyond) <= 0.025)
        rank++;
    Interval interval = between_ranks(values, count, rank);
    interval.covered = count >= FEWEST_FOR_REPEAT;
    return interval;
}
