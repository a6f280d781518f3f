/* Cases of adjacent-slots: places of different threads in one cache line, written again and again; and the layouts and
 * habits that keep them apart. Whether the store stays in the compiled loop was read in the code of gcc 12 -O2. */
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#define TEAM 16
#define LINE 64
#define SLOT(tid) ((tid))
#define MY_THREAD omp_get_thread_num()

/* ---- forms of the thread id ---- */

/* The call itself as the index. */
double direct(const double *dose, long n)
{
    double *slot = calloc(TEAM, sizeof *slot), sum = 0.0;

    #pragma omp parallel for num_threads(TEAM)
    for (long i = 0; i < n; i++)
        slot[omp_get_thread_num()] += dose[i]; // want: adjacent-slots
    for (int t = 0; t < TEAM; t++)
        sum += slot[t];
    free(slot);
    return sum;
}

/* A variable, in memory of the heap that other doubles may alias. */
double variable(const double *dose, long n, double *slot)
{
    #pragma omp parallel
    {
        const int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++)
            slot[me] += dose[i] * slot[me]; // want: adjacent-slots
    }
    return slot[0];
}

/* Declared before the region, private by clause. */
void private_variable(const unsigned char *cell, long n, long *alive)
{
    int me;

    #pragma omp parallel private(me)
    {
        me = omp_get_thread_num();
        #pragma omp for
        for (long i = 0; i < n; i++)
            if (cell[i] != 0)
                alive[me]++; // want: adjacent-slots
    }
}

/* A parameter. */
static void tally(const unsigned char *cell, long from, long to, int me, long *alive)
{
    for (long i = from; i < to; i++)
        if (cell[i] > 9)
            alive[me]++; // want: adjacent-slots
}

void parameter(const unsigned char *cell, long n, long *alive)
{
    #pragma omp parallel
    {
        int me = omp_get_thread_num(), team = omp_get_num_threads();

        tally(cell, n * me / team, n * (me + 1) / team, me, alive);
    }
}

/* Macros around the id and around the slot. */
void macros(const unsigned char *cell, long n, long *alive)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        if (cell[i] > 9)
            alive[SLOT(MY_THREAD)] += cell[i]; // want: adjacent-slots
}

/* Chosen by the preprocessor. */
void conditional(const unsigned char *cell, long n, long *alive)
{
    #pragma omp parallel
    {
#ifdef _OPENMP
        int me = omp_get_thread_num();
#else
        int me = 0;
#endif

        #pragma omp for
        for (long i = 0; i < n; i++)
            if (cell[i] > 9)
                alive[me] += 1; // want: adjacent-slots
    }
}

/* A helper that returns it. */
static int whoami(void)
{
    return omp_get_thread_num();
}

void helper(const unsigned char *cell, long n, long *alive)
{
    #pragma omp parallel
    {
        int me = whoami();

        #pragma omp for
        for (long i = 0; i < n; i++)
            if (cell[i] > 9)
                alive[me]++; // want: adjacent-slots
    }
}

/* The slot's address, taken once. */
void address(const unsigned char *cell, long n, long *alive)
{
    #pragma omp parallel
    {
        long *mine = &alive[omp_get_thread_num()];

        #pragma omp for
        for (long i = 0; i < n; i++)
            if (cell[i] > 9)
                (*mine)++; // want: adjacent-slots
    }
}

/* The induction variable of a loop over threads. */
void loop_over_threads(const unsigned char *cell, const long *from, long *alive)
{
    #pragma omp parallel for num_threads(TEAM) schedule(static, 1)
    for (int t = 0; t < TEAM; t++)
        for (long i = from[t]; i < from[t + 1]; i++)
            if (cell[i] > 9)
                alive[t]++; // want: adjacent-slots
}

/* Set in the header of the loop, with the comma operator. */
void in_the_header(const unsigned char *cell, long n, long *alive)
{
    #pragma omp parallel
    {
        long i;
        int me, team = omp_get_num_threads();

        for (me = omp_get_thread_num(), i = me * n / team; i < (me + 1) * n / team; i++)
            if (cell[i] > 9)
                alive[me]++; // want: adjacent-slots
    }
}

/* ---- layouts ---- */

struct tally24 {
    long dead;
    long ill;
    double limit;
};

static struct tally24 tallies[TEAM];

void struct_fields(const float *load, long n, float limit)
{
    #pragma omp parallel num_threads(TEAM)
    {
        int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++) {
            if (load[i] > limit)
                tallies[me].dead++; // want: adjacent-slots
            else if (load[i] > 0.5f * limit)
                tallies[me].ill++; // may: adjacent-slots
        }
    }
}

static int rows8[TEAM][8];

void small_rows(const unsigned char *octant, long n)
{
    #pragma omp parallel num_threads(TEAM)
    {
        int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++)
            rows8[me][octant[i] & 7]++; // want: adjacent-slots
    }
}

void small_rows_flat(const unsigned char *octant, long n, int *rows)
{
    #pragma omp parallel
    {
        int *row = rows + (ptrdiff_t)omp_get_thread_num() * 4;

        #pragma omp for
        for (long i = 0; i < n; i++)
            row[octant[i] & 3]++; // want: adjacent-slots
    }
}

struct job {
    const int *sample;
    long from, to;
    long peaks;
};

static void *job_main(void *arg)
{
    struct job *job = arg;

    for (long i = job->from; i < job->to; i++)
        if (job->sample[i] > 500)
            job->peaks++; // want: adjacent-slots
    return NULL;
}

long jobs(const int *sample, long n)
{
    struct job job[TEAM];
    pthread_t thread[TEAM];
    long peaks = 0;

    for (int t = 0; t < TEAM; t++) {
        job[t] = (struct job){ sample, n * t / TEAM, n * (t + 1) / TEAM, 0 };
        pthread_create(&thread[t], NULL, job_main, &job[t]);
    }
    for (int t = 0; t < TEAM; t++) {
        pthread_join(thread[t], NULL);
        peaks += job[t].peaks;
    }
    return peaks;
}

/* The number of a thread lies in what the argument of pthread_create points to: an array of numbers, ... */
static long *peaks_of;

static void *number_main(void *arg)
{
    int me = *(int *)arg;

    for (long i = 0; i < 100000; i++)
        if (peaks_of[me] < i)
            peaks_of[me] += 2; // want: adjacent-slots
    return NULL;
}

void numbers(void)
{
    int number[TEAM];
    pthread_t thread[TEAM];

    peaks_of = calloc(TEAM, sizeof *peaks_of);
    for (int t = 0; t < TEAM; t++)
        number[t] = t;
    for (int t = 0; t < TEAM; t++)
        pthread_create(&thread[t], NULL, number_main, (void *)&number[t]);
    for (int t = 0; t < TEAM; t++)
        pthread_join(thread[t], NULL);
}

/* ... or a struct, which holds a pointer to the slots as well. */
struct order {
    int number;
    long from, to;
    const int *sample;
    long *peaks;
};

static void *order_main(void *arg)
{
    struct order *order = arg;
    int me = order->number;

    for (long i = order->from; i < order->to; i++)
        if (order->sample[i] > 500)
            order->peaks[me]++; // want: adjacent-slots
    return NULL;
}

static void *copied_order_main(void *arg)
{
    struct order order = *(struct order *)arg;

    for (long i = order.from; i < order.to; i++)
        if (order.sample[i] > 500)
            peaks_of[order.number]++; // want: adjacent-slots
    return NULL;
}

void orders(const int *sample, long n)
{
    struct order order[TEAM];
    pthread_t thread[TEAM];
    long *peaks = calloc(TEAM, sizeof *peaks);

    for (int t = 0; t < TEAM; t++) {
        order[t].number = t;
        order[t].from = n * t / TEAM;
        order[t].to = n * (t + 1) / TEAM;
        order[t].sample = sample;
        order[t].peaks = peaks;
        pthread_create(&thread[t], NULL, order_main, &order[t]);
    }
    for (int t = 0; t < TEAM; t++)
        pthread_join(thread[t], NULL);
    for (int t = 0; t < TEAM; t++) {
        struct order *own = malloc(sizeof *own);

        *own = (struct order){ .from = 0, .to = n, .sample = sample, .number = t };
        pthread_create(&thread[t], NULL, copied_order_main, own);
    }
}

/* Silent: a line for each thread, and slots whose number is the same for all. */
static long spread_peaks[TEAM * 8];

static void *spread_main(void *arg)
{
    struct order *order = arg;

    for (long i = order->from; i < order->to; i++)
        if (order->sample[i] > 500)
            spread_peaks[order->number]++;
    return NULL;
}

void spread_orders(const int *sample, long n)
{
    static struct order order[TEAM];
    pthread_t thread[TEAM];

    for (int t = 0; t < TEAM; t++) {
        order[t] = (struct order){ t * 8, n * t / TEAM, n * (t + 1) / TEAM, sample, NULL };
        pthread_create(&thread[t], NULL, spread_main, &order[t]);
    }
}

struct two_ends {
    unsigned long put, got;
};

struct pipe {
    const unsigned char *from, *to;
    long n;
    struct two_ends *ends;
};

static void *put_main(void *arg)
{
    struct pipe *pipe = arg;

    for (long i = 0; i < pipe->n; i++)
        if (pipe->from[i] != 0)
            pipe->ends->put++; // want: adjacent-slots
    return NULL;
}

static void *got_main(void *arg)
{
    struct pipe *pipe = arg;

    for (long i = 0; i < pipe->n; i++)
        if (pipe->to[i] != 0)
            pipe->ends->got++; // may: adjacent-slots
    return NULL;
}

void run_pipe(struct pipe *pipe)
{
    pthread_t put, got;

    pthread_create(&put, NULL, put_main, pipe);
    pthread_create(&got, NULL, got_main, pipe);
    pthread_join(put, NULL);
    pthread_join(got, NULL);
}

/* A byte per thread: a whole team in one line. */
static unsigned char busy[TEAM];

void flags(const unsigned char *cell, long n)
{
    #pragma omp parallel num_threads(TEAM)
    {
        int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++)
            if (cell[i] > 9)
                busy[me] ^= cell[i]; // want: adjacent-slots
    }
}

/* An array that nothing aliases, no call and no condition: gcc keeps the slot in a register, clang stores every time. */
double stack_array(const double *dose, long n)
{
    double part[TEAM] = { 0.0 }, sum = 0.0;

    #pragma omp parallel num_threads(TEAM)
    {
        int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++)
            part[me] += dose[i]; // may: adjacent-slots
    }
    for (int t = 0; t < TEAM; t++)
        sum += part[t];
    return sum;
}

/* ---- silent: apart ---- */

double padded_heap(const double *dose, long n)
{
    enum { STEP = LINE / sizeof(double) };
    double *slot = aligned_alloc(LINE, TEAM * LINE), sum = 0.0;

    memset(slot, 0, TEAM * LINE);
    #pragma omp parallel num_threads(TEAM)
    {
        int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++)
            if (dose[i] > 0.0)
                slot[me * STEP] += dose[i];
    }
    for (int t = 0; t < TEAM; t++)
        sum += slot[t * STEP];
    free(slot);
    return sum;
}

static long padded_rows[TEAM][LINE / sizeof(long)] __attribute__((aligned(LINE)));

void padded_by_macro(const unsigned char *cell, long n)
{
    #pragma omp parallel num_threads(TEAM)
    {
        int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++)
            if (cell[i] > 9)
                padded_rows[me][0]++;
    }
}

struct aligned_tally {
    _Alignas(LINE) long dead;
    long ill;
};

static struct aligned_tally aligned_tallies[TEAM];

void aligned_struct(const float *load, long n, float limit)
{
    #pragma omp parallel num_threads(TEAM)
    {
        struct aligned_tally *mine = &aligned_tallies[omp_get_thread_num()];

        #pragma omp for
        for (long i = 0; i < n; i++) {
            if (load[i] > limit)
                mine->dead++;
            else
                mine->ill++;
        }
    }
}

struct wide_tally {
    long dead;
    char pad[2 * LINE - sizeof(long)];
};

void padded_struct(const float *load, long n, float limit, struct wide_tally *tally)
{
    #pragma omp parallel
    {
        int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++)
            if (load[i] > limit)
                tally[me].dead++;
    }
}

static int rows1024[TEAM][1024];

void wide_rows(const unsigned short *shade, long n)
{
    #pragma omp parallel num_threads(TEAM)
    {
        int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++)
            rows1024[me][shade[i] & 1023]++;
    }
}

struct two_ends_apart {
    _Alignas(LINE) unsigned long put;
    _Alignas(LINE) unsigned long got;
};

struct wide_pipe {
    const unsigned char *from, *to;
    long n;
    struct two_ends_apart *ends;
};

static void *wide_put_main(void *arg)
{
    struct wide_pipe *pipe = arg;

    for (long i = 0; i < pipe->n; i++)
        if (pipe->from[i] != 0)
            pipe->ends->put++;
    return NULL;
}

static void *wide_got_main(void *arg)
{
    struct wide_pipe *pipe = arg;

    for (long i = 0; i < pipe->n; i++)
        if (pipe->to[i] != 0)
            pipe->ends->got++;
    return NULL;
}

void run_wide_pipe(struct wide_pipe *pipe)
{
    pthread_t put, got;

    pthread_create(&put, NULL, wide_put_main, pipe);
    pthread_create(&got, NULL, wide_got_main, pipe);
    pthread_join(put, NULL);
    pthread_join(got, NULL);
}

/* ---- silent: written once, by one thread, or own by other means ---- */

void stored_once(const double *dose, long n, double *slot)
{
    #pragma omp parallel
    {
        int me = omp_get_thread_num();
        double sum = 0.0;

        #pragma omp for nowait
        for (long i = 0; i < n; i++)
            if (dose[i] > 0.0)
                sum += dose[i];
        slot[me] = sum;
    }
}

static void *job_local_main(void *arg)
{
    struct job *job = arg;
    long peaks = 0;

    for (long i = job->from; i < job->to; i++)
        if (job->sample[i] > 500)
            peaks++;
    job->peaks = peaks;
    return NULL;
}

void jobs_local(struct job *job)
{
    pthread_t thread[TEAM];

    for (int t = 0; t < TEAM; t++)
        pthread_create(&thread[t], NULL, job_local_main, &job[t]);
    for (int t = 0; t < TEAM; t++)
        pthread_join(thread[t], NULL);
}

void first_thread_only(const double *dose, long n, double *seen)
{
    #pragma omp parallel
    {
        int me = omp_get_thread_num();

        for (long i = 0; i < n; i++)
            if (me == 0)
                seen[me] += dose[i];
    }
}

/* Read, not written. */
void read_only(const double *gain, const double *dose, double *out, long n)
{
    #pragma omp parallel
    {
        int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++)
            out[i] = gain[me] * dose[i];
    }
}

/* The array is the thread's own. */
void own_array(const unsigned char *octant, long n, long *out)
{
    #pragma omp parallel
    {
        long seen[8] = { 0 };
        int me = omp_get_thread_num() & 7;

        #pragma omp for
        for (long i = 0; i < n; i++) {
            seen[me] += octant[i];
            out[i] = seen[octant[i] & 7];
        }
    }
}

/* 30 microseconds of work between two writes. */
void long_between(const double *dose, long n, double *slot)
{
    #pragma omp parallel
    {
        int me = omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++) {
            double v = dose[i];

            for (int k = 0; k < 4000; k++)
                v = sqrt(v * 1.5 + 0.25);
            slot[me] += v;
        }
    }
}

/* ---- locks side by side, one of which data picks ---- */

void count_under_locks(const unsigned char *key, long *seen, long n)
{
    omp_lock_t lock[32];

    for (int k = 0; k < 32; k++)
        omp_init_lock(&lock[k]);
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        omp_set_lock(&lock[key[i] & 31]); // want: adjacent-slots
        seen[key[i] & 31]++;
        omp_unset_lock(&lock[key[i] & 31]);
    }
}

struct alone {
    omp_lock_t lock;
    char pad[LINE - sizeof(omp_lock_t)];
};

/* Silent: a line for each lock, so many that two threads seldom meet, a table of unknown size. */
void count_under_spread_locks(const unsigned short *key, long *seen, struct alone *alone, omp_lock_t *given, long n)
{
    static struct alone spread[32];
    static omp_lock_t many[65536];

    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        omp_set_lock(&spread[key[i] & 31].lock);
        seen[key[i] & 31]++;
        omp_unset_lock(&spread[key[i] & 31].lock);
    }
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        omp_set_lock(&many[key[i]]);
        seen[key[i]]++;
        omp_unset_lock(&many[key[i]]);
    }
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        omp_set_lock(&given[key[i]]);
        omp_set_lock(&alone[key[i]].lock);
        seen[key[i]]++;
        omp_unset_lock(&alone[key[i]].lock);
        omp_unset_lock(&given[key[i]]);
    }
}

/* A step inside the argument deals them out as a loop's own variable does. */
typedef struct Tally {
    long done;
    int rank;
} Tally;

static Tally tallied[64];

static void *tally_main(void *argument)
{
    Tally *self = argument;

    for (int i = 0; i < 1000000; i++)
        self->done += i & 1; // want: adjacent-slots
    return NULL;
}

void start_tallies(int n)
{
    pthread_t id;

    while (n > 0)
        pthread_create(&id, NULL, tally_main, &tallied[--n]);
}

/* The thread's number through a wrapper that keeps it in a variable, in a branch that the program's
 * own name for _OPENMP opens; without it the wrapper is a constant. */
static int demo_rank(void)
{
    int rank = 0;
#ifdef DEMO_USING_OPENMP
    rank = omp_get_thread_num();
#endif
    return rank;
}

void demo_counts(const int *keys, int *counts, int n)
{
#pragma omp parallel
    {
        int mine = demo_rank();
#pragma omp for
        for (int i = 0; i < n; i++)
            if (keys[i] > 0)
                counts[mine]++; // want: adjacent-slots
    }
}

/* Counters of the threads beside what each was handed to run: how long that takes nobody knows. */
typedef struct Worker {
    struct Crew *crew;
    long next;
} Worker;

typedef struct Crew {
    void (*job)(void *data, long item);
    void *data;
    long items;
    int size;
    Worker *workers;
} Crew;

static void *work_on(void *arg)
{
    Worker *own = arg;

    for (;;) {
        long item = __sync_fetch_and_add(&own->next, own->crew->size); // note: adjacent-slots

        if (item >= own->crew->items)
            break;
        own->crew->job(own->crew->data, item);
    }
    return NULL;
}

void run_crew(Crew *crew)
{
    pthread_t threads[TEAM];

    crew->workers = malloc((size_t)crew->size * sizeof *crew->workers);
    for (int t = 0; t < crew->size; t++)
        crew->workers[t] = (Worker){crew, t};
    for (int t = 0; t < crew->size; t++)
        pthread_create(&threads[t], NULL, work_on, &crew->workers[t]);
    for (int t = 0; t < crew->size; t++)
        pthread_join(threads[t], NULL);
    free(crew->workers);
}

/* ---- the state of a generator of each thread ---- */

static unsigned seed_of[64], far_seed_of[64][16];

long draws(long n)
{
    long low = 0;

#pragma omp parallel reduction(+ : low)
    {
        int id = omp_get_thread_num();
        unsigned own = (unsigned)id;

#pragma omp for
        for (long i = 0; i < n; i++) {
            low += rand_r(&seed_of[id]) < 1000; // want: adjacent-slots
            low += rand_r(&far_seed_of[id][0]) < 1000;
            low += rand_r(&own) < 1000;
        }
    }
    return low;
}

/* The old state goes the way of a variable. */
static unsigned next_of(unsigned *state)
{
    unsigned x = *state;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x; // want: adjacent-slots
    return x;
}

long own_draws(long n)
{
    long low = 0;

#pragma omp parallel reduction(+ : low)
    {
        unsigned *state = &seed_of[omp_get_thread_num()];

#pragma omp for
        for (long i = 0; i < n; i++)
            low += next_of(state) < 1000;
    }
    return low;
}

/* The states of the threads side by side, each computed from the one before. */
long congruent_draws(long n)
{
    long low = 0;
    unsigned *seeds = malloc((size_t)omp_get_max_threads() * sizeof *seeds);

#pragma omp parallel reduction(+ : low)
    {
        int id = omp_get_thread_num();

        seeds[id] = (unsigned)id;
#pragma omp for
        for (long i = 0; i < n; i++) {
            seeds[id] = (seeds[id] * 1103515245U + 12345U) % 2147483648U; // want: adjacent-slots
            low += seeds[id] < 1000;
        }
    }
    free(seeds);
    return low;
}
