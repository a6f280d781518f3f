/* Order statistics of small samples. Times have long upper tails, so nothing here assumes a
 * distribution. */
#ifndef BENCH_STATISTICS_H
#define BENCH_STATISTICS_H

#include <stdbool.h>

typedef struct Interval {
    double middle, low, high; /* the median and an interval around it */
    bool covered;             /* false: too few values for 95 %; low and high are the extremes */
} Interval;

/* Sorts values[0..count) and returns their median; 0 for none. */
double statistics_median(double *values, int count);

/* Sorts values[0..count) and returns the interquartile range over the median; 0 for fewer than 4.
 */
double statistics_spread(double *values, int count);

/* Sorts values[0..count) and returns the median with the narrowest symmetric pair of order
 * statistics that holds the true median with 95 % (the sign test turned round): ranks k and
 * count + 1 - k with P(Binomial(count, 1/2) < k) <= 0.025. Needs six values to cover. */
Interval statistics_interval(double *values, int count);

/* Sorts values[0..count) and returns the median with the narrowest symmetric pair of order
 * statistics that holds the median of another run's values with 95 %, whatever their distribution:
 * ranks k and count + 1 - k such that half of the other run lies beyond either with a probability
 * of 0.025 at most. How many of one sample exceed the j-th of another follows the distribution of
 * exceedances (Gumbel and von Schelling, 1950), a negative hypergeometric one. `worth`: of how many
 * independent values these are worth, count at most. Below eight, the extremes; `covered` from
 * eight values on. */
Interval statistics_repeat_interval(double *values, int count, int worth);

#endif
