// Cases of too-little-work. A launch takes about 1.2 us on two threads here, 3.5 us on twelve.
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TAPS = 24, BANDS = 12, DAYS = 30, SIDE = 1200 };

// ---- wanted ----

void hann(float coeff[TAPS])
{
    #pragma omp parallel for // want: too-little-work
    for (int k = 0; k < TAPS; k++)
        coeff[k] = 0.5f - 0.5f * cosf(6.2831853f * (float)k / (TAPS - 1));
}

void monthly(float (*reading)[DAYS], float *mean)
{
    #pragma omp parallel for schedule(static) // want: too-little-work
    for (int m = 0; m < 12; m++) {
        float sum = 0.0f;

        for (int d = 0; d < DAYS; d++)
            sum += reading[m][d];
        mean[m] = sum / DAYS;
    }
}

int matrix_trace(double (*m)[4])
{
    double sum = 0.0;

    #pragma omp parallel for reduction(+:sum) // want: too-little-work
    for (int i = 0; i < 4; i++)
        sum += m[i][i];
    return sum > 0.0;
}

void declared_length(int n, const int *key)
{
    static int count[16];

    #pragma omp parallel for // want: too-little-work
    for (int i = 0; i < n; i++)
        count[i] = key[i];
}

static float smooth(float x)
{
    return x * x * (3.0f - 2.0f * x);
}

void through_a_helper(float table[256])
{
    #pragma omp parallel for // want: too-little-work
    for (int i = 0; i < 256; i++)
        table[i] = smooth((float)i / 255.0f);
}

void in_a_region(double *gain)
{
    #pragma omp parallel
    {
        #pragma omp for // want: too-little-work
        for (int b = 0; b < BANDS; b++)
            gain[b] *= 0.5; // may: interleaved-writes
    }
}

void eight_at_most(double *gain, int bands)
{
    int n = bands < 8 ? bands : 8;

    if (bands <= 0)
        return;
    #pragma omp parallel for // want: too-little-work
    for (int b = 0; b < (bands & 7); b++)
        gain[b] *= 0.5;
    (void)n;
}

// ---- silent: few iterations with much work, or with work that nobody knows ----

void rows(float (*image)[SIDE])
{
    #pragma omp parallel for
    for (int r = 0; r < 12; r++)
        for (int c = 0; c < SIDE; c++)
            image[r][c] = expf(image[r][c]);
}

void volumes(const float *volume, float *sum, long voxels)
{
    #pragma omp parallel for
    for (int a = 0; a < 12; a++) {
        float s = 0.0f;

        for (long v = 0; v < voxels; v++)
            s += volume[v] * (float)a;
        sum[a] = s;
    }
}

int solve(int index); // not seen here

void solve_all(int *result)
{
    #pragma omp parallel for
    for (int i = 0; i < 8; i++)
        result[i] = solve(i);
}

void copies(char (*to)[64], char **from, const size_t *bytes)
{
    #pragma omp parallel for
    for (int i = 0; i < 8; i++)
        memcpy(to[i], from[i], bytes[i]);
}

static int digits(unsigned long n)
{
    int count = 0;

    while (n > 0) {
        n /= 10;
        count++;
    }
    return count;
}

void searches(const unsigned long *n, int *count)
{
    #pragma omp parallel for
    for (int i = 0; i < 8; i++)
        count[i] = digits(n[i]);
}

void unknown_length(float *x, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] *= 0.5f;
}

void set_later(float *x, int large)
{
    int n = 16;

    if (large)
        scanf("%d", &n);
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] *= 0.5f;
}

// ---- silent: chosen by size, or on one thread ----

void with_clause(float x[TAPS], int wide)
{
    #pragma omp parallel for if(wide)
    for (int i = 0; i < TAPS; i++)
        x[i] *= 0.5f;
}

void behind_a_test(float *x, int n)
{
    if (n > 5000) {
        #pragma omp parallel for
        for (int i = 0; i < TAPS; i++)
            x[i] *= 0.5f;
    }
}

// ---- silent: each thread does it ----

void hello(void)
{
    #pragma omp parallel
    printf("one line of each thread\n"); // may: hidden-lock
}

void set_up(double *lane)
{
    #pragma omp parallel
    {
        for (int b = 0; b < BANDS; b++)
            lane[b] = 0.0;
    }
}

// ---- silent: once in the life of a program ----

int main(void)
{
    float x[TAPS];

    #pragma omp parallel for
    for (int i = 0; i < TAPS; i++)
        x[i] = 1.0f;
    hann(x);
    return x[3] > 0.5f;
}
