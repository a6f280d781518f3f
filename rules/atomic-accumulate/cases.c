/* Truth: what an iteration does, by reading; the kernel of this rule times the two shapes. */
#include <string.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

double depth_total(const double *depth, long n)
{
    double total = 0.0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        #pragma omp atomic // want: atomic-accumulate
        total += depth[i];
    }
    return total;
}

static long rainy_days;

void count_rain(const float *mm, long days)
{
    #pragma omp parallel for schedule(static)
    for (long d = 0; d < days; d++)
        if (mm[d] > 0.2f) {
            #pragma omp atomic update // want: atomic-accumulate
            rainy_days++;
        }
}

double lowest_tide(const double *level, long n)
{
    double lowest = 1e30;

    #pragma omp parallel
    {
        #pragma omp for
        for (long i = 0; i < n; i++) {
            #pragma omp critical (tide) // want: atomic-accumulate
            lowest = fmin(lowest, level[i]);
        }
    }
    return lowest;
}

unsigned checksum_blocks(const unsigned *word, long blocks)
{
    unsigned sum = 0;

    #pragma omp parallel for
    for (long b = 0; b < blocks; b++) {
        unsigned x = 0;
        for (int k = 0; k < 8; k++)
            x = x * 31u + word[8 * b + k];
        #pragma omp atomic // want: atomic-accumulate
        sum ^= x;
    }
    return sum;
}

struct flow {
    double in, out;
};

void total_flow(const double *q, long n, struct flow *f)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        #pragma omp critical // want: atomic-accumulate
        {
            f->in += q[i] > 0 ? q[i] : 0;
            f->out -= q[i] < 0 ? q[i] : 0;
        }
    }
}

long letters_seen(const char *text, long n)
{
    long letters = 0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        if (text[i] >= 'a')
            __sync_fetch_and_add(&letters, 1); // want: atomic-accumulate
    return letters;
}

unsigned long flags_of(const unsigned long *flags, long n)
{
    unsigned long all = 0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        __atomic_or_fetch(&all, flags[i] & 0xffu, __ATOMIC_RELAXED); // want: atomic-accumulate
    return all;
}

atomic_long bytes_read;

void add_up_sizes(const long *size, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        bytes_read += size[i]; // want: atomic-accumulate
}

static double energy;

static void add_energy(double e)
{
    #pragma omp atomic // want: atomic-accumulate
    energy += e;
}

void total_energy(const double *v, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        add_energy(0.5 * v[i] * v[i]);
}

struct job {
    const double *x;
    long from, to;
    double *sum;
    pthread_mutex_t *lock;
};

static void *sum_job(void *arg)
{
    struct job *job = arg;

    for (long i = job->from; i < job->to; i++) {
        pthread_mutex_lock(job->lock); // want: atomic-accumulate
        *job->sum += job->x[i];
        pthread_mutex_unlock(job->lock);
    }
    return 0;
}

static void *sum_job_once(void *arg)
{
    struct job *job = arg;
    double sum = 0.0;

    for (long i = job->from; i < job->to; i++)
        sum += job->x[i];
    pthread_mutex_lock(job->lock);
    *job->sum += sum;
    pthread_mutex_unlock(job->lock);
    return 0;
}

double run_jobs(const double *x, long n, int once)
{
    pthread_t thread[4];
    struct job job[4];
    double sum = 0.0;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    for (int t = 0; t < 4; t++) {
        job[t] = (struct job){x, n * t / 4, n * (t + 1) / 4, &sum, &lock};
        if (once)
            pthread_create(&thread[t], 0, sum_job_once, &job[t]);
        else
            pthread_create(&thread[t], 0, sum_job, &job[t]);
    }
    for (int t = 0; t < 4; t++)
        pthread_join(thread[t], 0);
    return sum;
}

/* ---- silent */

double depth_total_reduced(const double *depth, long n)
{
    double total = 0.0;

    #pragma omp parallel for reduction(+ : total)
    for (long i = 0; i < n; i++)
        total += depth[i];
    return total;
}

double merged_once(const double *x, long n)
{
    double total = 0.0;

    #pragma omp parallel
    {
        double mine = 0.0;

        #pragma omp for nowait
        for (long i = 0; i < n; i++)
            mine += x[i];
        #pragma omp critical
        total += mine;
    }
    return total;
}

double merged_per_block(const double *x, long n, int blocks)
{
    double total = 0.0;

    #pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        double mine = 0.0;
        for (long i = n * b / blocks; i < n * (b + 1) / blocks; i++)
            for (int k = 0; k < 1000; k++)
                mine += x[i] / (1.0 + k);
        #pragma omp atomic
        total += mine;
    }
    return total;
}

double checked_top(const double *x, long n)
{
    double top = 0.0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double seen;
        #pragma omp atomic read
        seen = top;
        if (x[i] <= seen)
            continue;
        #pragma omp critical (top)
        {
            if (x[i] > top) {
                #pragma omp atomic write
                top = x[i];
            }
        }
    }
    return top;
}

long broken_samples(float *x, long n)
{
    long broken = 0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        if (isnan(x[i])) {
            #pragma omp atomic
            broken++;
            x[i] = 0.0f;
        }
    }
    return broken;
}

void report_progress(double *x, long n, long *finished)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        x[i] = sqrt(x[i]);
        if (i % 1000 != 999)
            continue;
        #pragma omp atomic
        *finished += 1000;
    }
}

void own_elements(const double *x, double *row_sum, long rows)
{
    #pragma omp parallel for
    for (long r = 0; r < rows; r++) {
        double sum = 0.0;
        for (int k = 0; k < 64; k++)
            sum += x[64 * r + k];
        row_sum[r] += sum;
    }
}

double heavy_terms(long n)
{
    double sum = 0.0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double term = 0.0;
        for (int k = 1; k < 100000; k++)
            term += pow(1.0 / k, (double)i);
        #pragma omp atomic
        sum += term;
    }
    return sum;
}

void all_positive(const double *x, long n, int *all)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        #pragma omp critical // want: atomic-accumulate
        *all = *all && x[i] > 0.0;
    }
}

void sum_by_tasks(const double *x, long n, double *sum)
{
    #pragma omp parallel
    #pragma omp single
    for (long i = 0; i < n; i++) {
        #pragma omp task
        {
            #pragma omp atomic // want: atomic-accumulate
            *sum += x[i];
        }
    }
}

/* The loop ends where it comes to the event: its bound does not say how much work stands beside. */
static long escaped;

static void follow(double x, double y)
{
    double u = x, v = y;

    for (int step = 0; step < 1000; step++) {
        double next = u * u - v * v + x;

        v = 2 * u * v + y;
        u = next;
        if (u * u + v * v > 4.0) {
            #pragma omp critical // want: atomic-accumulate
            escaped++;
            break;
        }
    }
}

void plane(void)
{
    #pragma omp parallel for
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < 1000; j++)
            follow(-2.0 + 0.0025 * i, 0.001 * j);
}

/* A search: what is equal to one given datum is seldom met, and the flag is set but once. */
int holds_key(const unsigned *keys, long n, const unsigned *key)
{
    int found = 0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        if (keys[i] == *key)
            #pragma omp atomic
            found |= 1;
    return found;
}

int holds_digest(const unsigned char (*digests)[16], long n, const unsigned char *digest)
{
    int found = 0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        if (!memcmp(digest, digests[i], 16)) {
            #pragma omp atomic write
            found = 1;
        }
    return found;
}

/* What is compared with a literal may be equal to it everywhere. */
int holds_gap(const int *x, long n)
{
    int gap = 0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        if (x[i] == 0)
            #pragma omp atomic // want: atomic-accumulate
            gap |= 1;
    return gap;
}

/* And what is counted is counted as often as it is met. */
long members(const int *label, long n, int group)
{
    long count = 0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        if (label[i] == group)
            #pragma omp atomic // want: atomic-accumulate
            count++;
    return count;
}
