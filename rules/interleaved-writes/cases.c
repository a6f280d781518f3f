/* Truth: where the elements lie and who writes them, by reading; the kernel of this rule times it. */
#include <math.h>
#include <omp.h>
#include <pthread.h>

void scale_in_turn(float *x, long n, float f)
{
    #pragma omp parallel for schedule(static, 4)
    for (long i = 0; i < n; i++)
        x[i] *= f; // want: interleaved-writes
}

void classify(const int *key, unsigned char *class, long n)
{
    #pragma omp parallel for schedule(dynamic) // may: contended-schedule
    for (long i = 0; i < n; i++)
        class[i] = (unsigned char)(key[i] % 7); // want: interleaved-writes
}

struct point {
    float x, y, z;
};

void move_points(struct point *p, long n, float dt)
{
    #pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();

        for (long i = me; i < n; i += team) {
            p[i].x += dt; // want: interleaved-writes
            p[i].y += dt;
            p[i].z += dt;
        }
    }
}

void collapse_in_turn(double (*a)[256], int rows)
{
    #pragma omp parallel for collapse(2) schedule(static, 1)
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < 256; c++)
            a[r][c] = a[r][c] * 0.5 + 1.0; // want: interleaved-writes
}

void four_by_four(double *a, long n)
{
    #pragma omp parallel
    {
        long first = 4L * omp_get_thread_num(), step = 4L * omp_get_num_threads();

        for (long b = first; b < n; b += step)
            for (long k = 0; k < 4; k++)
                a[b + k] = a[b + k] * 0.25 + 1.0; // want: interleaved-writes
    }
}

void scale_topics(double (*weight)[8], long documents, const double *scale)
{
    #pragma omp parallel for
    for (int t = 0; t < 8; t++)
        for (long d = 0; d < documents; d++)
            weight[d][t] = weight[d][t] * scale[t] + 1e-3; // want: interleaved-writes
}

#define WORKERS 8

struct share {
    int first;
    long n;
    double *x;
};

static void *halve_share(void *arg)
{
    struct share *s = arg;

    for (long i = s->first; i < s->n; i += WORKERS)
        s->x[i] *= 0.5; // want: interleaved-writes
    return 0;
}

void halve(double *x, long n)
{
    pthread_t thread[WORKERS];
    struct share share[WORKERS];

    for (int t = 0; t < WORKERS; t++) {
        share[t] = (struct share){t, n, x};
        pthread_create(&thread[t], 0, halve_share, &share[t]);
    }
    for (int t = 0; t < WORKERS; t++)
        pthread_join(thread[t], 0);
}

/* ---- silent */

void scale_in_blocks(float *x, long n, float f)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] *= f;
}

void scale_in_large_chunks(float *x, long n, float f)
{
    #pragma omp parallel for schedule(static, 64)
    for (long i = 0; i < n; i++)
        x[i] *= f;
}

void guided(const int *key, unsigned char *class, long n)
{
    #pragma omp parallel for schedule(guided)
    for (long i = 0; i < n; i++)
        class[i] = (unsigned char)(key[i] % 7);
}

struct body {
    double at[4], v[4];
};

void move_bodies(struct body *b, long n, double dt)
{
    #pragma omp parallel for schedule(static, 1)
    for (long i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            b[i].at[k] += dt * b[i].v[k];
}

void rows_in_turn(double (*a)[512], int rows)
{
    #pragma omp parallel for schedule(static, 1)
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < 512; c++)
            a[r][c] = a[r][c] * 0.5 + 1.0;
}

void row_pointers(double **a, int rows, int n)
{
    #pragma omp parallel for schedule(static, 1)
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < n; c++)
            a[r][c] *= 0.5;
}

void heavy_terms(double *sum, long n)
{
    #pragma omp parallel for schedule(dynamic)
    for (long i = 0; i < n; i++) {
        double s = 0.0;
        for (long k = 1; k < 100000; k++)
            s += pow(1.0 / (double)k, (double)i);
        sum[i] = s;
    }
}

void private_scratch(const double *x, double *top, long n)
{
    #pragma omp parallel
    {
        double mine[1024];

        #pragma omp for schedule(static, 1)
        for (long i = 0; i < n; i++)
            mine[i & 1023] = x[i];
        #pragma omp critical
        for (int k = 0; k < 1024; k++)
            top[k] = mine[k] > top[k] ? mine[k] : top[k];
    }
}

void columns(double (*a)[4096], const double *scale, int rows)
{
    #pragma omp parallel for
    for (int c = 0; c < 4096; c++)
        for (int r = 0; r < rows; r++)
            a[r][c] *= scale[c];
}

void transpose(const double *a, double *b, int n)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i + n * j] = a[j + n * i];
}

/* Written once for each block, which the search in it ends: its work is that of the search. */
void first_of_each(const double *x, const double *limit, unsigned char *found, int n, int blocks,
                   int size)
{
    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++) {
        for (int b = 0; b < blocks; b++) {
            for (int k = size - 1; k >= 0; k--)
                for (int j = 0; j < size; j++)
                    if (x[b * size + j] * limit[k] > limit[i]) {
                        found[b * n + i] = (unsigned char)(k + 1);
                        goto next_block;
                    }
            found[b * n + i] = 0;
        next_block:;
        }
    }
}

/* Each thread has a block of columns: the loop inside goes down one of them. */
void subtract_means(float *image, long columns, long all)
{
    #pragma omp parallel for
    for (long i = 0; i < columns; i++) {
        double sum = 0.0;
        for (long v = i; v < all; v += columns)
            sum += image[v];
        for (long v = i; v < all; v += columns)
            image[v] -= (float)(sum / 4);
    }
}

/* The same with the columns dealt out one by one. */
void subtract_means_in_turn(float *image, long columns, long all, float mean)
{
    #pragma omp parallel for schedule(static, 1)
    for (long i = 0; i < columns; i++)
        for (long v = i; v < all; v += columns)
            image[v] -= mean; // want: interleaved-writes
}

void halve_by_thread(double *x, long n)
{
    int threads = omp_get_max_threads();

    #pragma omp parallel for
    for (int t = 0; t < threads; t++)
        for (long v = t; v < n; v += threads)
            x[v] *= 0.5; // want: interleaved-writes
}
