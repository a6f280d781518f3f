// Cases of region-in-hot-loop. A launch takes about 1.2 us on two threads here, 3.5 us on twelve.
#include <math.h>
#include <stdio.h>

enum { AXES = 3, BANDS = 12, SIDE = 2000, TILE = 16 };

// ---- wanted: known to be small ----

void normalise(double (*v)[AXES], long n)
{
    for (long i = 0; i < n; i++) {
        double length = sqrt(v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]);

        #pragma omp parallel for // want: region-in-hot-loop
        for (int k = 0; k < AXES; k++)
            v[i][k] /= length;
    }
}

static void add_bands(float *sum, const float *spectrum)
{
    #pragma omp parallel for // want: region-in-hot-loop; may: too-little-work
    for (int b = 0; b < BANDS; b++)
        sum[b] += spectrum[b];
}

static void one_pixel(float *sum, const float *image, long pixel)
{
    add_bands(sum, image + pixel * BANDS);
}

void two_calls_away(float *sum, const float *image, long pixels)
{
    for (long p = 0; p < pixels; p++)
        one_pixel(sum, image, p);
}

static void scale_row(double *row, int columns, double by)
{
    #pragma omp parallel for // want: region-in-hot-loop
    for (int c = 0; c < columns; c++)
        row[c] *= by;
}

void size_from_the_caller(double cell[][TILE], long rows)
{
    for (long r = 0; r < rows; r++)
        scale_row(cell[r], TILE, 0.5);
}

double while_there_is_input(FILE *in)
{
    double total = 0.0;
    int bin[TILE];

    while (fread(bin, sizeof *bin, TILE, in) == TILE) {
        #pragma omp parallel for reduction(+:total) // want: region-in-hot-loop
        for (int k = 0; k < TILE; k++)
            total += bin[k];
    }
    return total;
}

void region_with_loop_inside(double (*v)[TILE], long n)
{
    for (long i = 0; i < n; i++) {
        #pragma omp parallel // want: region-in-hot-loop
        {
            #pragma omp for
            for (int k = 0; k < TILE; k++)
                v[i][k] += 1.0;
        }
    }
}

void short_records(FILE *in, float *out)
{
    float record[TILE];
    size_t got = 0;
    long at = 0;

    do {
        got = fread(record, sizeof *record, TILE, in);
        #pragma omp parallel for // want: region-in-hot-loop
        for (size_t k = 0; k < got; k++)
            out[at + (long)k] = 2.0f * record[k];
        at += (long)got;
    } while (got > 0);
}

// ---- wanted: lengths are unknown, but the loops around leave no doubt ----

void product(double *c, const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;

            #pragma omp parallel for reduction(+:sum) // want: region-in-hot-loop
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

void sparse_product(const long *first, const int *column, const double *value, const double *x,
                    double *y, long rows)
{
    for (long r = 0; r < rows; r++) {
        double sum = 0.0;

        #pragma omp parallel for reduction(+:sum) // want: region-in-hot-loop
        for (long e = first[r]; e < first[r + 1]; e++)
            sum += value[e] * x[column[e]];
        y[r] = sum;
    }
}

long reach(const long *first, const int *to, char *seen, int *queue)
{
    long head = 0, tail = 1;

    while (head < tail) {
        int at = queue[head++];

        #pragma omp parallel for // want: region-in-hot-loop
        for (long e = first[at]; e < first[at + 1]; e++)
            seen[to[e]] |= 2; // may: interleaved-writes
        for (long e = first[at]; e < first[at + 1]; e++)
            if (seen[to[e]] == 2) {
                seen[to[e]] = 3;
                queue[tail++] = to[e];
            }
    }
    return tail;
}

// ---- silent: steps of an algorithm with work inside, and lengths that nobody knows ----

void waves(float (*now)[SIDE], float (*old)[SIDE], int steps)
{
    for (int s = 0; s < steps; s++) {
        #pragma omp parallel for
        for (int y = 1; y < SIDE - 1; y++)
            for (int x = 1; x < SIDE - 1; x++)
                old[y][x] = 2.0f * now[y][x] - old[y][x] + 0.1f * (now[y - 1][x] + now[y + 1][x]);
    }
}

void unknown_length(double *u, const double *f, long n, int sweeps)
{
    for (int s = 0; s < sweeps; s++) {
        #pragma omp parallel for
        for (long i = 0; i < n; i++)
            u[i] = 0.5 * (u[i] + f[i]);
    }
}

void somebody_else(double *state, long index);

void unknown_work(double *state, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        #pragma omp parallel for
        for (int k = 0; k < TILE; k++)
            somebody_else(state, k);
    }
}

// ---- silent: chosen by size ----

void clause(double *row, long rows, int columns)
{
    for (long r = 0; r < rows; r++) {
        #pragma omp parallel for if(columns > 20000)
        for (int c = 0; c < TILE; c++)
            row[r * TILE + c] += 1.0;
    }
}

void branch(double *x, const int *length, long rows)
{
    for (long r = 0; r < rows; r++) {
        if (length[r] > 4096) {
            #pragma omp parallel for
            for (int c = 0; c < TILE; c++)
                x[c] += 1.0;
        } else {
            for (int c = 0; c < TILE; c++)
                x[c] += 1.0;
        }
    }
}

// ---- silent: one region outside ----

void region_outside(double (*v)[TILE], long n)
{
    #pragma omp parallel
    {
        for (long i = 0; i < n; i++) {
            #pragma omp for
            for (int k = 0; k < TILE; k++)
                v[i][k] += 1.0; // may: interleaved-writes
        }
    }
}

void outer_loop_parallel(double (*v)[TILE], long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        for (int k = 0; k < TILE; k++)
            v[i][k] += 1.0;
}

// ---- silent: a few launches in all ----

void three_axes(double *x, long n)
{
    for (int axis = 0; axis < AXES; axis++) {
        #pragma omp parallel for
        for (long i = 0; i < n; i++)
            x[i * AXES + axis] *= 0.5;
    }
}

void not_a_loop(double *x, long n)
{
    do {
        #pragma omp parallel for
        for (long i = 0; i < n; i++)
            x[i] *= 0.5;
    } while (0);
}

// ---- silent: the launch is lost in the work beside it ----

void after_long_work(double *field, double *edge, long n, int steps)
{
    for (int s = 0; s < steps; s++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                field[i * n + j] = exp(field[(i - 1) * n + j]) + exp(field[(i + 1) * n + j]);
        #pragma omp parallel for
        for (int k = 0; k < TILE; k++)
            edge[k] += field[k];
    }
}
