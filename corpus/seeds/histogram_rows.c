/*
 * Story c in C: one histogram row per thread, packed and padded.
 *
 *     gcc -O2 -fopenmp histogram_rows.c -o histogram_rows && OMP_NUM_THREADS=2 ./histogram_rows
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <omp.h>

enum { TEAM = 64, BINS = 8, LINE = 128 / sizeof(int) };

static int packed[TEAM][BINS];
static int padded[TEAM][LINE] __attribute__((aligned(128)));

/* Contended: a row is half a line. */
static void count_packed(const unsigned char *level, long n)
{
    memset(packed, 0, sizeof packed);
    #pragma omp parallel
    {
        int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++)
            packed[me][level[i] & 7]++; // want: adjacent-slots
    }
}

/* Relieved: a row starts a line of its own. */
static void count_padded(const unsigned char *level, long n)
{
    memset(padded, 0, sizeof padded);
    #pragma omp parallel
    {
        int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++)
            padded[me][level[i] & 7]++;
    }
}

static double best(void (*count)(const unsigned char *, long), const unsigned char *level, long n)
{
    double fastest = 1e9;

    for (int round = 0; round < 9; round++) {
        double start = omp_get_wtime(), spent;

        count(level, n);
        spent = omp_get_wtime() - start;
        fastest = spent < fastest ? spent : fastest;
    }
    return 1e9 * fastest / (double)n;
}

int main(void)
{
    long n = 20000000;
    unsigned char *level = malloc((size_t)n);
    unsigned seed = 1;

    if (level == NULL)
        return 1;
    for (long i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        level[i] = (unsigned char)(seed >> 24);
    }
    for (int threads = 1; threads <= 2; threads++) {
        omp_set_num_threads(threads);
        printf("%d thread(s): packed %.2f ns an update, padded %.2f ns\n", threads, best(count_packed, level, n),
               best(count_padded, level, n));
    }
    free(level);
    return 0;
}
