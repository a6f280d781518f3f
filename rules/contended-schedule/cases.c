// Cases of contended-schedule. Times: gcc 12 -O2, two vCPUs.
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 480, WORKERS = 8, SMALL_CHUNK = 4 };

// ---- wanted: next to nothing per chunk ----

double mean_square(const double *x, long n)
{
    double sum = 0.0;

    #pragma omp parallel for schedule(dynamic) reduction(+:sum) // want: contended-schedule
    for (long i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum / (double)n;
}

void clamp_levels(int *level, long n, int top)
{
    #pragma omp parallel for schedule(dynamic, 1) // want: contended-schedule
    for (long i = 0; i < n; i++) {
        if (level[i] > top) // a store in a few places only
            level[i] = top;
    }
}

void orphan(float *gain, long n)
{
    #pragma omp for schedule(dynamic, SMALL_CHUNK) // want: contended-schedule
    for (long i = 0; i < n; i++)
        gain[i] = 2.0f * gain[i] + 1.0f; // may: interleaved-writes
}

void in_a_region(float *gain, long n)
{
    #pragma omp parallel
    orphan(gain, n);
    #pragma omp parallel
    {
        #pragma omp for nowait schedule(dynamic) // want: contended-schedule
        for (long i = 0; i < n; i++)
            gain[i] += 0.5f; // may: interleaved-writes
    }
}

static double bump(double x)
{
    return x < 1.0 ? (1.0 - x) * (1.0 - x) : 0.0;
}

void bumps(const double *x, double *y, long n)
{
    #pragma omp parallel for schedule(dynamic, 2) // want: contended-schedule
    for (long i = 0; i < n; i++)
        y[i] = bump(x[i]); // may: interleaved-writes
}

void grid(float *cell, long rows, long columns)
{
    #pragma omp parallel for collapse(2) schedule(dynamic) // want: contended-schedule
    for (long r = 0; r < rows; r++)
        for (long c = 0; c < columns; c++)
            cell[r * columns + c] *= 0.5f; // may: interleaved-writes
}

void three_components(double (*v)[3], long n, double k)
{
    #pragma omp parallel for schedule(dynamic) // want: contended-schedule
    for (long i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            v[i][d] *= k; // may: interleaved-writes
}

void nonmonotonic(int *count, const int *key, long n)
{
    #pragma omp parallel for schedule(nonmonotonic:dynamic) // want: contended-schedule
    for (long i = 0; i < n; i++)
        count[i] = key[i] & 7; // may: interleaved-writes
}

// ---- silent: guided, large chunks, other schedules ----

void chunks(float *x, long n)
{
    #pragma omp parallel for schedule(dynamic, 1024)
    for (long i = 0; i < n; i++)
        x[i] *= 2.0f;
    #pragma omp parallel for schedule(guided)
    for (long i = 0; i < n; i++)
        x[i] *= 2.0f;
    #pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        x[i] *= 2.0f;
    #pragma omp parallel for schedule(runtime)
    for (long i = 0; i < n; i++)
        x[i] *= 2.0f;
}

void chunk_of_callers(float *x, long n, int chunk)
{
    #pragma omp parallel for schedule(dynamic, chunk)
    for (long i = 0; i < n; i++)
        x[i] *= 2.0f;
}

// ---- silent: work worth a turn of the counter ----

void rows(float *cell, long rows, long columns)
{
    #pragma omp parallel for schedule(dynamic)
    for (long r = 0; r < rows; r++)
        for (long c = 0; c < columns; c++)
            cell[r * columns + c] *= 0.5f;
}

int escape_steps(double re, double im)
{
    double x = 0.0, y = 0.0;
    int step = 0;

    while (x * x + y * y < 4.0 && step < 1000) {
        double t = x * x - y * y + re;

        y = 2.0 * x * y + im;
        x = t;
        step++;
    }
    return step;
}

void picture(int *step, long n)
{
    #pragma omp parallel for schedule(dynamic)
    for (long i = 0; i < n; i++)
        step[i] = escape_steps(-2.0 + 3.0 * (double)i / (double)n, 0.1); // may: interleaved-writes
}

void long_known_rows(float image[LINES][LINES])
{
    #pragma omp parallel for schedule(dynamic)
    for (int r = 0; r < LINES; r++)
        for (int c = 0; c < LINES; c++)
            image[r][c] = expf(image[r][c]);
}

void somebody_elses_work(double *state, long n); // not seen here

void many_jobs(double *state, long jobs)
{
    #pragma omp parallel for schedule(dynamic)
    for (long j = 0; j < jobs; j++)
        somebody_elses_work(state + j * 4096, 4096);
}

void copies(char *to, const char *from, size_t bytes, long n)
{
    #pragma omp parallel for schedule(dynamic)
    for (long j = 0; j < n; j++)
        memcpy(to + (size_t)j * bytes, from + (size_t)j * bytes, bytes);
}

// ---- silent: a turn for each worker ----

void per_worker(double *first, double width)
{
    #pragma omp parallel for schedule(dynamic, 1) // may: too-little-work
    for (int w = 0; w < WORKERS; w++)
        first[w] = width * w; // may: interleaved-writes
}
