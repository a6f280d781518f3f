/*
 * The two other rules in C: a sum that is shared without a reduction, and an allocation per star.
 *
 *     gcc -O2 -fopenmp star_catalogue.c -o star_catalogue -lm && OMP_NUM_THREADS=2 ./star_catalogue
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <omp.h>

struct star {
    float ra, dec, mag;
};

/* Contended, and wrong: every thread adds to one variable, and additions are lost. */
static double light_raced(const struct star *star, long n)
{
    double light = 0.0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        light += star[i].mag * star[i].mag; // want: missing-reduction
    return light;
}

/* Relieved, and right. */
static double light_reduced(const struct star *star, long n)
{
    double light = 0.0;

    #pragma omp parallel for reduction(+ : light)
    for (long i = 0; i < n; i++)
        light += star[i].mag * star[i].mag;
    return light;
}

/* Contended: the three neighbours of a star are sorted in a block that is taken from the heap for it. */
static void middle_allocated(const struct star *star, float *middle, long n)
{
    #pragma omp parallel for
    for (long i = 1; i < n - 1; i++) {
        float *near = malloc(3 * sizeof *near); // want: alloc-in-kernel

        for (int k = 0; k < 3; k++)
            near[k] = star[i - 1 + k].mag;
        if (near[0] > near[1]) {
            float swap = near[0];
            near[0] = near[1];
            near[1] = swap;
        }
        middle[i] = near[2] < near[0] ? near[0] : near[2] < near[1] ? near[2] : near[1];
        free(near); // may: alloc-in-kernel
    }
}

/* Relieved: the same three numbers in an array of the thread. */
static void middle_local(const struct star *star, float *middle, long n)
{
    #pragma omp parallel for
    for (long i = 1; i < n - 1; i++) {
        float near[3];

        for (int k = 0; k < 3; k++)
            near[k] = star[i - 1 + k].mag;
        if (near[0] > near[1]) {
            float swap = near[0];
            near[0] = near[1];
            near[1] = swap;
        }
        middle[i] = near[2] < near[0] ? near[0] : near[2] < near[1] ? near[2] : near[1];
    }
}

static double ns_light(double (*sum)(const struct star *, long), const struct star *star, long n, double *result)
{
    double fastest = 1e9;

    for (int round = 0; round < 7; round++) {
        double start = omp_get_wtime(), spent;

        *result = sum(star, n);
        spent = omp_get_wtime() - start;
        fastest = spent < fastest ? spent : fastest;
    }
    return 1e9 * fastest / (double)n;
}

static double ns_middle(void (*sort)(const struct star *, float *, long), const struct star *star, float *middle, long n)
{
    double fastest = 1e9;

    for (int round = 0; round < 7; round++) {
        double start = omp_get_wtime(), spent;

        sort(star, middle, n);
        spent = omp_get_wtime() - start;
        fastest = spent < fastest ? spent : fastest;
    }
    return 1e9 * fastest / (double)n;
}

int main(void)
{
    long n = 4000000;
    struct star *star = malloc((size_t)n * sizeof *star);
    float *middle = malloc((size_t)n * sizeof *middle);

    if (star == NULL || middle == NULL)
        return 1;
    for (long i = 0; i < n; i++)
        star[i] = (struct star){ 0.0f, 0.0f, (float)(i * 7919 % 1000) * 0.01f };
    for (int threads = 1; threads <= 2; threads++) {
        double wrong, right, raced, reduced;

        omp_set_num_threads(threads);
        raced = ns_light(light_raced, star, n, &wrong);
        reduced = ns_light(light_reduced, star, n, &right);
        printf("%d thread(s): shared sum %.2f ns a star, %.1f%% of the light; reduction %.2f ns\n", threads, raced,
               100.0 * wrong / right, reduced);
        printf("             block per star %.2f ns, local array %.2f ns\n",
               ns_middle(middle_allocated, star, middle, n), ns_middle(middle_local, star, middle, n));
    }
    free(star);
    free(middle);
    return 0;
}
