/* Cases of fresh-pages: page faults counted with getrusage, glibc 2.36, per iteration on one thread. */
#include <stdlib.h>
#include <string.h>

enum { EDGE = 512, AREA = EDGE * EDGE, HUGE = 16 * 1024 * 1024 };

/* 64 MiB: 16,384 faults an iteration. */
void huge_each_time(const double *in, double *out, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        float *field = malloc(HUGE * sizeof *field); // want: fresh-pages

        for (long k = 0; k < HUGE; k++)
            field[k] = (float)in[i] * (float)k;
        out[i] = field[(long)in[i] & (HUGE - 1)];
        free(field);
    }
}

/* Three times 1 MiB at once: 480 faults an iteration, in the long run. */
void three_at_once(const float *in, float *out, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        float *re = malloc(AREA * sizeof *re); // want: fresh-pages
        float *im = malloc(AREA * sizeof *im); // want: fresh-pages
        float *power = malloc(AREA * sizeof *power); // want: fresh-pages

        for (long k = 0; k < AREA; k++) {
            re[k] = in[i] * (float)k;
            im[k] = in[i] - (float)k;
            power[k] = re[k] * re[k] + im[k] * im[k];
        }
        out[i] = power[i & (AREA - 1)];
        free(power);
        free(im);
        free(re);
    }
}

static float by_helper(const float *in, long i)
{
    float *field = calloc(HUGE, sizeof *field); // want: fresh-pages
    float last;

    for (long k = 0; k < HUGE; k++)
        field[k] += in[i] * (float)k;
    last = field[i & (HUGE - 1)];
    free(field);
    return last;
}

void through_helper(const float *in, float *out, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        out[i] = by_helper(in, i);
}

/* One after the other: the heap keeps the block. */
void one_at_a_time(const float *in, float *out, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        float s = 0.0f;

        for (int pass = 0; pass < 3; pass++) {
            float *field = malloc(AREA * sizeof *field);

            for (long k = 0; k < AREA; k++)
                field[k] = in[i] * (float)k;
            s += field[i & (AREA - 1)];
            free(field);
        }
        out[i] = s;
    }
}

void once_per_thread(const float *in, float *out, long n)
{
    #pragma omp parallel
    {
        float *field = malloc(HUGE * sizeof *field);

        #pragma omp for
        for (long i = 0; i < n; i++) {
            for (long k = 0; k < HUGE; k++)
                field[k] = in[i] * (float)k;
            out[i] = field[i & (HUGE - 1)];
        }
        free(field);
    }
}

void size_unknown(const float *in, float *out, long n, long size)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        float *field = malloc((size_t)size * sizeof *field); // may: fresh-pages

        for (long k = 0; k < size; k++)
            for (long j = 0; j < 64; j++)
                field[k] = in[i] * (float)(k + j);
        out[i] = field[size - 1];
        free(field);
    }
}

void on_the_stack(const float *in, float *out, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        float field[64];

        memset(field, 0, sizeof field);
        for (int k = 0; k < 64; k++)
            field[k] = in[i] * (float)k;
        out[i] = field[i & 63];
    }
}
