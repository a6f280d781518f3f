#include "bench/law.h"

#include <math.h>
#include <stdbool.h>

enum { FEWEST_POINTS = 3, FEWEST_FOR_LINE = 4 };

typedef struct Fit {
    double base, slope;
    bool inverse; /* in 1/x */
} Fit;

static double value_at(Fit fit, double x)
{
    return fit.base + fit.slope * (fit.inverse ? 1 / x : x);
}

/* The share by which the farthest point is off. */
static double farthest(Fit fit, const double *x, const double *y, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(1 - value_at(fit, x[i]) / y[i]));
    return most;
}

/* Least sum of (1 - b f/y)^2 for one function f, 1, x or 1/x: b = sum(f/y) / sum((f/y)^2). */
static double one_factor(const double *x, const double *y, int count, int power)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) {
        double f = (power == 0 ? 1 : power > 0 ? x[i] : 1 / x[i]) / y[i];
        sum += f;
        squares += f * f;
    }
    return sum / squares;
}

/* Least sum of (1 - (a + b x)/y)^2: the normal equations in u = 1/y and v = x/y. */
static Fit line(const double *x, const double *y, int count)
{
    double u = 0, v = 0, uu = 0, uv = 0, vv = 0;
    for (int i = 0; i < count; i++) {
        double one = 1 / y[i], by = x[i] / y[i];
        u += one;
        v += by;
        uu += one * one;
        uv += one * by;
        vv += by * by;
    }
    double determinant = uu * vv - uv * uv;
    return (Fit){.base = (u * vv - v * uv) / determinant, .slope = (v * uu - u * uv) / determinant};
}

static bool is_next_to_nothing(const double *y, const double *negligible, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(y[i]) <= negligible[i]))
            return false;
    return true;
}

static bool may_be_fitted(const double *x, const double *y, int count)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < count; i++) {
        if (!(y[i] > 0) || !(x[i] > 0) || !isfinite(y[i]))
            return false;
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    return most >= LAW_RANGE * least;
}

static void fit_all(Fit fits[LAW_KINDS], Law *law, const double *x, const double *y, int count)
{
    fits[LAW_CONSTANT].base = one_factor(x, y, count, 0);
    fits[LAW_PROPORTIONAL].slope = one_factor(x, y, count, 1);
    fits[LAW_INVERSE] = (Fit){.slope = one_factor(x, y, count, -1), .inverse = true};
    fits[LAW_LINEAR] = line(x, y, count);
    for (int kind = LAW_CONSTANT; kind < LAW_KINDS; kind++)
        law->off[kind] = farthest(fits[kind], x, y, count);
    bool grows = fits[LAW_LINEAR].base > 0 && fits[LAW_LINEAR].slope > 0;
    if (count < FEWEST_FOR_LINE || !grows)
        law->off[LAW_LINEAR] = INFINITY;
}

Law law_fit(const double *x, const double *y, const double *negligible, int count)
{
    Law law = {.kind = LAW_NONE};
    Fit fits[LAW_KINDS] = {{0}};
    for (int kind = 0; kind < LAW_KINDS; kind++)
        law.off[kind] = INFINITY;
    if (count < FEWEST_POINTS)
        return law;
    if (is_next_to_nothing(y, negligible, count)) {
        law.kind = LAW_NOTHING;
        law.off[LAW_NOTHING] = 0;
        return law;
    }
    if (!may_be_fitted(x, y, count))
        return law;
    fit_all(fits, &law, x, y, count);
    for (int kind = LAW_CONSTANT; kind < LAW_KINDS && law.kind == LAW_NONE; kind++)
        if (law.off[kind] <= LAW_TOLERANCE)
            law.kind = (LawKind)kind;
    law.base = fits[law.kind].base;
    law.slope = fits[law.kind].slope;
    return law;
}
