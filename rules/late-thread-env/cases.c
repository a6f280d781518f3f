/* Cases of late-thread-env: variables set after regions have run, and those that child processes read.
 * omp_get_max_threads() is the same before and after every marked call (gcc 12 with libgomp, clang 14 with libomp). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void scale(double *x, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] *= 0.5;
}

static void scale_twice(double *x, long n)
{
    scale(x, n);
    scale(x, n);
}

void after_region(double *x, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] += 1.0;
    setenv("OMP_NUM_THREADS", "2", 1); // want: late-thread-env
    scale(x, n);
}

void after_callee(double *x, long n)
{
    scale_twice(x, n);
    putenv("OMP_NUM_THREADS=2"); // want: late-thread-env
    scale(x, n);
}

/* Late from the second turn on. */
void sweep(double *x, long n)
{
    char count[16];

    for (int t = 1; t <= 8; t *= 2) {
        snprintf(count, sizeof count, "%d", t);
        setenv("OMP_NUM_THREADS", count, 1); // want: late-thread-env
        scale(x, n);
    }
}

static void quieter(void)
{
    setenv("OMP_WAIT_POLICY", "PASSIVE", 1); // want: late-thread-env
}

void by_function(double *x, long n)
{
    scale(x, n);
    quieter();
    scale(x, n);
}

/* In time for libomp, too late for libgomp: a note. */
void before_region(double *x, long n)
{
    setenv("OMP_NUM_THREADS", "2", 1);
    scale(x, n);
}

void for_a_program(double *x, long n)
{
    scale(x, n);
    setenv("OMP_NUM_THREADS", "1", 1);
    if (system("render --all") != 0)
        scale(x, n);
}

void for_itself(double *x, long n, char **argv)
{
    scale(x, n);
    setenv("OMP_PROC_BIND", "true", 1);
    execv("/proc/self/exe", argv);
}

void one_or_the_other(double *x, long n, int again)
{
    if (again)
        scale(x, n);
    else
        setenv("OMP_NUM_THREADS", "2", 1);
}

void other_variable(double *x, long n)
{
    scale(x, n);
    setenv("LANG", "C", 1);
}
