/* Truth: what an iteration does, by reading; the kernel of this rule times the two shapes. */
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

void count_shades(const unsigned char *pixel, long n, long *shade)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        #pragma omp critical // want: lock-per-iteration
        shade[pixel[i]]++;
    }
}

struct best {
    double score;
    long index;
};

void best_match(const double *score, long n, struct best *best)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double s = score[i] * score[i];
        #pragma omp critical (best) // want: lock-per-iteration
        if (s > best->score) {
            best->score = s;
            best->index = i;
        }
    }
}

struct list {
    omp_lock_t lock;
    long used;
    long *item;
};

void collect_peaks(const float *x, long n, struct list *peaks)
{
    #pragma omp parallel for
    for (long i = 1; i < n - 1; i++) {
        if (x[i] > x[i - 1] && x[i] > x[i + 1]) {
            omp_set_lock(&peaks->lock); // want: lock-per-iteration
            peaks->item[peaks->used++] = i;
            omp_unset_lock(&peaks->lock);
        }
    }
}

struct stack {
    pthread_spinlock_t lock;
    int top;
    int task[4096];
};

static int pop(struct stack *s)
{
    int task = -1;

    pthread_spin_lock(&s->lock); // want: lock-per-iteration
    if (s->top > 0)
        task = s->task[--s->top];
    pthread_spin_unlock(&s->lock);
    return task;
}

static void *work_off(void *arg)
{
    struct stack *s = arg;
    int task;
    long sum = 0;

    while ((task = pop(s)) >= 0)
        sum += task * 3;
    return (void *)sum;
}

void work_off_all(struct stack *s)
{
    pthread_t thread[4];

    for (int t = 0; t < 4; t++)
        pthread_create(&thread[t], 0, work_off, s);
    for (int t = 0; t < 4; t++)
        pthread_join(thread[t], 0);
}

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_table(void)
{
    pthread_mutex_lock(&table_lock); // may: lock-per-iteration
}

static void unlock_table(void)
{
    pthread_mutex_unlock(&table_lock);
}

void fill_table(const unsigned *key, long n, unsigned *table)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        lock_table(); // want: lock-per-iteration
        table[key[i] & 1023] = table[(key[i] + 1) & 1023] + key[i];
        unlock_table();
    }
}

/* ---- silent */

void count_shades_apart(const unsigned char *pixel, long n, long *shade)
{
    #pragma omp parallel
    {
        long mine[256] = {0};

        #pragma omp for nowait
        for (long i = 0; i < n; i++)
            mine[pixel[i]]++;
        #pragma omp critical
        for (int k = 0; k < 256; k++)
            shade[k] += mine[k];
    }
}

void best_match_checked(const double *score, long n, struct best *best)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double seen;
        #pragma omp atomic read
        seen = best->score;
        if (score[i] > seen) {
            #pragma omp critical (best)
            if (score[i] > best->score) {
                #pragma omp atomic write
                best->score = score[i];
                best->index = i;
            }
        }
    }
}

static void flush(struct list *all, const long *item, int n)
{
    omp_set_lock(&all->lock);
    for (int k = 0; k < n; k++)
        all->item[all->used++] = item[k];
    omp_unset_lock(&all->lock);
}

void collect_in_batches(const float *x, long n, struct list *peaks)
{
    #pragma omp parallel
    {
        long mine[128];
        int used = 0;

        #pragma omp for
        for (long i = 1; i < n - 1; i++) {
            if (x[i] > x[i - 1] && x[i] > x[i + 1])
                mine[used++] = i;
            if (used >= 128) {
                flush(peaks, mine, used);
                used = 0;
            }
        }
        flush(peaks, mine, used);
    }
}

struct cell {
    omp_lock_t lock;
    double mass;
    char pad[48];
};

void deposit(struct cell *cell, const int *where, const double *mass, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        omp_set_lock(&cell[where[i]].lock);
        cell[where[i]].mass += mass[i];
        omp_unset_lock(&cell[where[i]].lock);
    }
}

void relax_rows(double (*grid)[1024], omp_lock_t *row_lock, int rows)
{
    #pragma omp parallel for
    for (int r = 0; r < rows; r++) {
        omp_set_lock(&row_lock[r]);
        for (int c = 1; c < 1023; c++)
            grid[r][c] = 0.5 * (grid[r][c - 1] + grid[r][c + 1]);
        omp_unset_lock(&row_lock[r]);
    }
}

void report_failures(const double *x, long n, struct list *failed)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            #pragma omp critical (failed)
            failed->item[failed->used++] = i;
        }
    }
}

double heavy_then_short(const double *x, long n, struct best *best)
{
    #pragma omp parallel for schedule(dynamic)
    for (long i = 0; i < n; i++) {
        double s = 0.0;
        for (long k = 0; k < 100000; k++)
            s += exp(-x[i] * (double)k);
        #pragma omp critical
        if (s > best->score) {
            best->score = s;
            best->index = i;
        }
    }
    return best->score;
}

static int ready;
static double *shared_table;

double look_up(long n, const unsigned *key)
{
    double sum = 0.0;

    #pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < n; i++) {
        int there;
        #pragma omp atomic read
        there = ready;
        if (!there) {
            #pragma omp critical (table)
            if (!ready) {
                shared_table = calloc(1024, sizeof *shared_table); // may: alloc-in-kernel
                #pragma omp atomic write
                ready = 1;
            }
        }
        sum += shared_table[key[i] & 1023];
    }
    return sum;
}

double outside_code(double (*model)(double), const double *x, long n, struct best *best)
{
    double total = 0.0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double s = model(x[i]);
        #pragma omp critical
        {
            if (s > best->score)
                best->index = i;
            best->score = s;
        }
    }
    return total;
}

/* ---- locks made of atomics, loops whose iterations any thread may run */

static int taken;

void under_a_flag(const unsigned char *key, long n, long *table)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        while (__sync_lock_test_and_set(&taken, 1)) // want: lock-per-iteration
            ;
        table[key[i]]++;
        __sync_lock_release(&taken);
    }
}

void smooth(const double *x, long n, double *state)
{
    #pragma omp parallel
    #pragma omp single
    #pragma omp taskloop
    for (long i = 0; i < n; i++) {
        #pragma omp critical // want: lock-per-iteration
        *state = *state * 0.5 + x[i];
    }
}

int count_down(int n, int *left)
{
    #pragma omp parallel for
    for (int job = 0; job < 2; job++) {
        int done = 0;
        while (!done) {
            #pragma omp critical
            if (--*left <= n)
                done = 1;
        }
    }
    return *left;
}

double settings(long n, const double *x, int files)
{
    double sum = 0.0;

    #pragma omp parallel for reduction(+ : sum)
    for (int f = 0; f < files; f++) {
        for (long i = 0; i < n; i++)
            for (int k = 1; k < 1000; k++)
                sum += pow(x[i], 1.0 / k);
        for (int c = 0; c < 3; c++) {
            #pragma omp critical
            sum += atof(getenv("SHIFT")); // may: hidden-lock
        }
    }
    return sum;
}

/* ---- a lock that its holder may take again ---- */

static omp_nest_lock_t again;

void by_nest_lock(double *grid, const double *depth, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        omp_set_nest_lock(&again); // want: lock-per-iteration
        grid[i & 7] = grid[i & 7] * 0.5 + depth[i];
        omp_unset_nest_lock(&again);
    }
}
