/* Truth: what an iteration does, by reading; the kernel of this rule times the two shapes. */
#include <math.h>
#include <stdatomic.h>

static atomic_long next_place;

void append_even(const int *x, long n, int *out)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        if ((x[i] & 1) == 0)
            out[atomic_fetch_add(&next_place, 1)] = x[i]; // want: shared-atomic
}

void number_events(const int *kind, long *number, long n)
{
    long last = 0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        long mine;
        #pragma omp atomic capture // want: shared-atomic
        mine = ++last;
        number[i] = 2 * mine + kind[i];
    }
}

struct image {
    int references;
    const unsigned *pixel;
};

static struct image *image_ref(struct image *image)
{
    __sync_add_and_fetch(&image->references, 1);
    return image;
}

static void image_unref(struct image *image)
{
    if (__sync_sub_and_fetch(&image->references, 1) == 0)
        image->pixel = 0;
}

void copy_pixels(struct image *image, unsigned *out, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        struct image *mine = image_ref(image); // want: shared-atomic
        out[i] = mine->pixel[i];
        image_unref(mine); // may: shared-atomic
    }
}

void in_flight(double *x, long n, atomic_int *active)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        atomic_fetch_add(active, 1); // want: shared-atomic
        x[i] = x[i] * 0.5 + 1.0;
        atomic_fetch_sub(active, 1); // want: shared-atomic
    }
}

/* ---- silent */

void copy_pixels_once(struct image *image, unsigned *out, long n)
{
    #pragma omp parallel
    {
        struct image *mine = image_ref(image);
        #pragma omp for
        for (long i = 0; i < n; i++)
            out[i] = mine->pixel[i];
        image_unref(mine);
    }
}

void count_edges(const int *head, long edges, int *degree)
{
    #pragma omp parallel for
    for (long e = 0; e < edges; e++) {
        #pragma omp atomic
        degree[head[e]]++;
    }
}

void reference_each(struct image **images, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        image_ref(images[i]);
}

void first_failure(const double *x, long n, atomic_long *failures)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        if (__builtin_expect(x[i] < 0, 0))
            atomic_fetch_add(failures, 1);
}

void progress(double *x, long n, atomic_long *finished)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        x[i] = sqrt(x[i]);
        if ((i & 0xfff) == 0)
            atomic_fetch_add(finished, 4096);
    }
}

void take_blocks(double *x, long n, atomic_long *next)
{
    #pragma omp parallel
    {
        long from;
        while ((from = atomic_fetch_add(next, 4096)) < n)
            for (long i = from; i < from + 4096 && i < n; i++)
                x[i] = exp(x[i]) + exp(-x[i]);
    }
}

void raise_top(const int *x, long n, atomic_int *top)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        int seen = atomic_load(top);
        while (x[i] > seen && !atomic_compare_exchange_weak(top, &seen, x[i]))
            ;
    }
}

void add_by_exchange(const double *x, long n, _Atomic double *sum)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double old = atomic_load(sum);
        while (!atomic_compare_exchange_weak(sum, &old, old + x[i])) // want: shared-atomic
            ;
    }
}
