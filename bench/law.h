/* The law that figures over one parameter follow, if they follow a simple one: nothing, a constant,
 * a multiple of the parameter, its inverse, or a straight line. Fitted by least squares of the
 * relative errors, since the noise of times is relative: the sum of (1 - f(x)/y)^2 is least. */
#ifndef BENCH_LAW_H
#define BENCH_LAW_H

typedef enum LawKind {
    LAW_NONE,         /* nothing simple fits */
    LAW_NOTHING,      /* every figure is next to nothing */
    LAW_CONSTANT,     /* y = base, whatever x */
    LAW_PROPORTIONAL, /* y = slope x */
    LAW_INVERSE,      /* y = slope / x */
    LAW_LINEAR,       /* y = base + slope x, both above 0 */
    LAW_KINDS
} LawKind;

/* A law fits if no point lies farther from it, as a share of the point. */
#define LAW_TOLERANCE 0.15

/* Constant and multiple are told apart only where the parameter grows by this factor at least. */
#define LAW_RANGE 3.0

typedef struct Law {
    LawKind kind;
    double base, slope;
    double off[LAW_KINDS]; /* share by which the farthest point is off, by kind; infinite where that
                              kind cannot be asked about */
} Law;

/* The simplest law that fits `count` points; three at least, four for a straight line. A figure
 * counts as next to nothing up to `negligible[i]`, in the unit of y. */
Law law_fit(const double *x, const double *y, const double *negligible, int count);

#endif
