/* Cases of host-cpu-count: counts of the online processors that size a team, and those that are
 * told or used for a mask. Under `taskset -c 0` sysconf still answers the number of processors of
 * the machine (glibc 2.36). */
#define _GNU_SOURCE
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static void *work(void *arg)
{
    return arg;
}

void team_of_openmp(double *x, long n)
{
    omp_set_num_threads(get_nprocs()); // want: host-cpu-count
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] *= 2.0;
}

void clause(double *x, long n)
{
    int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN); // want: host-cpu-count

    #pragma omp parallel for num_threads(cpus)
    for (long i = 0; i < n; i++)
        x[i] *= 2.0;
}

void one_each(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF); // want: host-cpu-count
    pthread_t id[64];

    if (cpus > 64)
        cpus = 64;
    for (long t = 0; t < cpus; t++)
        pthread_create(&id[t], NULL, work, NULL);
    for (long t = 0; t < cpus; t++)
        pthread_join(id[t], NULL);
}

static void start(pthread_t *id, int count)
{
    for (int t = 0; t < count; t++)
        pthread_create(&id[t], NULL, work, NULL);
}

void handed_on(pthread_t *id)
{
    start(id, get_nprocs()); // want: host-cpu-count
}

struct pool {
    pthread_t *id;
    int size;
};

void pool_open(struct pool *pool)
{
    pool->size = get_nprocs(); // want: host-cpu-count
    pool->id = malloc((size_t)pool->size * sizeof *pool->id);
    for (int t = 0; t < pool->size; t++)
        pthread_create(&pool->id[t], NULL, work, pool);
}

static int workers(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN); // want: host-cpu-count

    return cpus > 1 ? (int)cpus - 1 : 1;
}

void by_function(double *x, long n)
{
    omp_set_num_threads(workers());
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] += 1.0;
}

void told(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    printf("%ld processors, %d\n", cpus, get_nprocs());
}

void first_of_mask(cpu_set_t *mask)
{
    int cpus = get_nprocs();

    CPU_ZERO(mask);
    for (int c = 0; c < cpus; c++)
        CPU_SET(c, mask);
}

void usable(double *x, long n)
{
    cpu_set_t mask;
    int cpus = 1;

    if (sched_getaffinity(0, sizeof mask, &mask) == 0)
        cpus = CPU_COUNT(&mask);
    else
        cpus = get_nprocs();
    #pragma omp parallel for num_threads(cpus)
    for (long i = 0; i < n; i++)
        x[i] += 1.0;
}

/* Outside of every region the team that runs is the one thread. */
void asked_too_early(double *x, long n)
{
    #pragma omp parallel for num_threads(omp_get_num_threads()) // want: host-cpu-count
    for (long i = 0; i < n; i++)
        x[i] = sqrt(x[i]);
}

void kept_from_too_early(double *x, long n)
{
    int team = omp_get_num_threads(); // want: host-cpu-count

    omp_set_num_threads(team);
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] = sqrt(x[i]);
}

void asked_in_time(double *x, long n)
{
    int team = 1;

    #pragma omp parallel
    {
        #pragma omp single
        team = omp_get_num_threads();
    }
    #pragma omp parallel for num_threads(team)
    for (long i = 0; i < n; i++)
        x[i] = sqrt(x[i]);
}

static void inner_team(double *x, long n)
{
    #pragma omp parallel for num_threads(omp_get_num_threads())
    for (long i = 0; i < n; i++)
        x[i] = sqrt(x[i]);
}

void asked_by_a_team(double *x, long n)
{
    #pragma omp parallel
    inner_team(x + omp_get_thread_num() * n, n);
}

void only_a_default(double *x, long n, int asked)
{
    int team = omp_get_num_threads();

    if (asked > 0)
        team = asked;
    #pragma omp parallel for num_threads(team)
    for (long i = 0; i < n; i++)
        x[i] = sqrt(x[i]);
}

void told_only(void)
{
    printf("%d threads\n", omp_get_num_threads());
}

void page_size(char *x, long n)
{
    long page = sysconf(_SC_PAGESIZE);

    #pragma omp parallel for
    for (long i = 0; i < n; i += page)
        x[i] = 0;
}
