/* Cases of nested-threads: teams inside teams. Teams counted with gcc 12 and libgomp: the inner region of
 * `blur_all` has as many threads as the machine once nesting is on, and one without it. */
#define _GNU_SOURCE
#include <omp.h>

extern void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info);
extern void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                        const double *b, int ldb, double beta, double *c, int ldc);

void levels_on(void)
{
    omp_set_max_active_levels(2);
}

static void blur(const float *in, float *out, long n)
{
    #pragma omp parallel for // want: nested-threads
    for (long i = 1; i < n - 1; i++)
        out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3.0f;
}

void blur_all(float *const *in, float *const *out, int images, long n)
{
    #pragma omp parallel for
    for (int i = 0; i < images; i++)
        blur(in[i], out[i], n);
}

void straight(double *x, int rows, int columns)
{
    #pragma omp parallel for
    for (int r = 0; r < rows; r++) {
        #pragma omp parallel for // want: nested-threads
        for (int c = 0; c < columns; c++)
            x[r * columns + c] *= 2.0;
    }
}

/* Both teams get the four. */
void four_by_four(double *x, int rows, int columns)
{
    omp_set_num_threads(4);
    #pragma omp parallel for
    for (int r = 0; r < rows; r++) {
        #pragma omp parallel for // want: nested-threads
        for (int c = 0; c < columns; c++)
            x[r * columns + c] *= 2.0;
    }
}

void sized_inside(double *x, int rows, int columns)
{
    #pragma omp parallel for num_threads(2)
    for (int r = 0; r < rows; r++) {
        omp_set_num_threads(2);
        #pragma omp parallel for
        for (int c = 0; c < columns; c++)
            x[r * columns + c] *= 2.0;
    }
}

void solve_all(double *a, double *b, int *pivot, int *info, int n, int systems)
{
    const int one = 1;

    #pragma omp parallel for
    for (int s = 0; s < systems; s++)
        dgesv_(&n, &one, a + s * n * n, &n, pivot + s * n, b + s * n, &n, &info[s]); // want: nested-threads
}

/* One inner team at a time, while the outer one waits for its turn and spins. */
void in_turn(double *x, int rows, int columns)
{
    #pragma omp parallel for ordered
    for (int r = 0; r < rows; r++) {
        #pragma omp ordered
        #pragma omp parallel for // want: nested-threads
        for (int c = 1; c < columns; c++)
            x[r * columns + c] += x[r * columns];
    }
}

static void product(const double *a, const double *b, double *c, int n)
{
    cblas_dgemm(1, 1, 1, n, n, n, 1.0, a, n, b, n, 0.0, c, n); // want: nested-threads
}

void products(double *const *a, double *const *b, double *const *c, int n, int count)
{
    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < count; i++)
        product(a[i], b[i], c[i], n);
}

void sized(double *x, int rows, int columns)
{
    #pragma omp parallel for num_threads(4)
    for (int r = 0; r < rows; r++) {
        #pragma omp parallel for num_threads(2)
        for (int c = 0; c < columns; c++)
            x[r * columns + c] *= 2.0;
    }
}

void asks_first(double *x, int rows, int columns)
{
    #pragma omp parallel for
    for (int r = 0; r < rows; r++) {
        #pragma omp parallel for if (!omp_in_parallel())
        for (int c = 0; c < columns; c++)
            x[r * columns + c] *= 2.0;
    }
}

void by_one_thread(double *x, double *y, int n)
{
    #pragma omp parallel
    {
        #pragma omp single
        product(x, x, y, n); // product() itself is found from products()
    }
}

void one_product(const double *a, const double *b, double *c, int n)
{
    cblas_dgemm(1, 1, 1, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
}

void rotations(double *const *a, double *const *b, double *const *c, int count)
{
    #pragma omp parallel for
    for (int i = 0; i < count; i++)
        cblas_dgemm(1, 1, 1, 3, 3, 3, 1.0, a[i], 3, b[i], 3, 0.0, c[i], 3);
}

/* The project's own, serial. */
static void dgemv(const double *a, const double *x, double *y, int n)
{
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            y[r] += a[r * n + c] * x[c];
}

void own_names(const double *a, double *const *x, double *const *y, int n, int count)
{
    #pragma omp parallel for
    for (int i = 0; i < count; i++)
        dgemv(a, x[i], y[i], n);
}

/* Several calls in one region are one limit away from being mended: the first is told. */
void two_products(const double *a, const double *b, double *c, double *d, int n, int count)
{
    const double one = 1.0, zero = 0.0;

    #pragma omp parallel for
    for (int i = 0; i < count; i++) {
        dgemm_("N", "N", &n, &n, &n, &one, a + i * n * n, &n, b, &n, &zero, c + i * n * n, &n); // want: nested-threads
        dgemm_("N", "T", &n, &n, &n, &one, a + i * n * n, &n, b, &n, &zero, d + i * n * n, &n);
    }

    #pragma omp parallel for
    for (int i = 0; i < count; i++)
        dgemm_("T", "N", &n, &n, &n, &one, c + i * n * n, &n, b, &n, &zero, d + i * n * n, &n); // want: nested-threads
}
