/* Cases of missing-reduction: shared scalars and fixed elements that a parallel loop accumulates into, and all the ways in
 * which that is right. The wrong ones were run on four threads and lose updates, or race by reading. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <omp.h>

/* ---- the plain forms ---- */

double plain_sum(const double *rain, long days)
{
    double total = 0.0;

    #pragma omp parallel for
    for (long d = 0; d < days; d++)
        total += rain[d]; // want: missing-reduction
    return total;
}

double spelled_out(const double *rain, long days)
{
    double total = 0.0;

    #pragma omp parallel for schedule(static)
    for (long d = 0; d < days; d++)
        total = total + rain[d] * rain[d]; // want: missing-reduction
    return total;
}

double term_first(const double *rain, long days)
{
    double total = 0.0;

    #pragma omp parallel for
    for (long d = 0; d < days; d++)
        total = rain[d] + total; // want: missing-reduction
    return total;
}

long counted_if(const double *rain, long days)
{
    long wet = 0;

    #pragma omp parallel for
    for (long d = 0; d < days; d++) {
        if (rain[d] > 0.1)
            wet++; // want: missing-reduction
    }
    return wet;
}

double product(const double *rate, long n)
{
    double growth = 1.0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        growth *= 1.0 + rate[i]; // want: missing-reduction
    return growth;
}

double highest(const double *level, long n)
{
    double top = 0.0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        if (level[i] > top)
            top = level[i]; // want: missing-reduction
    return top;
}

double lowest_by_call(const double *level, long n)
{
    double low = INFINITY;

    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        low = fmin(low, level[i]); // want: missing-reduction
    return low;
}

double highest_by_question(const double *level, long n)
{
    double top = 0.0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        top = level[i] > top ? level[i] : top; // want: missing-reduction
    return top;
}

unsigned mask_of(const unsigned *flag, long n)
{
    unsigned all = 0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        all |= flag[i]; // want: missing-reduction
    return all;
}

double inner_loop(const double *cell, long rows, long cols)
{
    double mass = 0.0;

    #pragma omp parallel for
    for (long r = 0; r < rows; r++)
        for (long c = 0; c < cols; c++)
            mass += cell[r * cols + c]; // want: missing-reduction
    return mass;
}

/* ---- where it lives: pointers, elements, fields, statics, globals, callees ---- */

void through_pointer(const double *rain, long days, double *total)
{
    #pragma omp parallel for
    for (long d = 0; d < days; d++)
        *total += rain[d]; // want: missing-reduction
}

void fixed_element(const double *rain, long days, double *stats)
{
    #pragma omp parallel for
    for (long d = 0; d < days; d++) {
        stats[0] += rain[d]; // want: missing-reduction
        stats[1] += rain[d] * rain[d]; // want: missing-reduction
    }
}

struct gauge {
    double total;
    long days;
};

void field(const double *rain, long days, struct gauge *gauge)
{
    #pragma omp parallel for
    for (long d = 0; d < days; d++)
        gauge->total += rain[d]; // want: missing-reduction
}

static long overflows;

static double clip(double v)
{
    if (v > 100.0) {
        overflows++; // want: missing-reduction
        return 100.0;
    }
    return v;
}

static double clip_twice(double v)
{
    return clip(v * 2.0);
}

void in_a_callee(double *rain, long days)
{
    overflows = 0;
    #pragma omp parallel for
    for (long d = 0; d < days; d++)
        rain[d] = clip_twice(rain[d]);
}

static void add_to(double *where, double what)
{
    *where += what; // want: missing-reduction
}

double by_reference(const double *rain, long days)
{
    double total = 0.0;

    #pragma omp parallel for
    for (long d = 0; d < days; d++)
        add_to(&total, rain[d]);
    return total;
}

static double static_total(const double *rain, long days)
{
    static double total;

    #pragma omp parallel for
    for (long d = 0; d < days; d++)
        total += rain[d]; // want: missing-reduction
    return total;
}

double use_static(const double *rain, long days)
{
    return static_total(rain, days);
}

/* ---- clauses that are there, but not for this ---- */

void one_of_three(const double *x, const double *y, const double *z, long n, double out[3])
{
    double sx = 0.0, sy = 0.0, sz = 0.0;

    #pragma omp parallel for reduction(+ : sx) \
        reduction(+ : sz)
    for (long i = 0; i < n; i++) {
        sx += x[i];
        sy += y[i]; // want: missing-reduction
        sz += z[i];
    }
    out[0] = sx;
    out[1] = sy;
    out[2] = sz;
}

double region_and_loop(const double *rain, long days)
{
    double total = 0.0;

    #pragma omp parallel shared(total)
    {
        #pragma omp for
        for (long d = 0; d < days; d++)
            total += rain[d]; // want: missing-reduction
    }
    return total;
}

static void orphaned(const double *rain, long days, double *total)
{
    #pragma omp for
    for (long d = 0; d < days; d++)
        *total += rain[d]; // want: missing-reduction
}

double orphaned_caller(const double *rain, long days)
{
    double total = 0.0;

    #pragma omp parallel
    orphaned(rain, days, &total);
    return total;
}

struct part {
    const double *rain;
    long from, to;
};

static double pool;

static void *part_main(void *arg)
{
    struct part *part = arg;

    for (long d = part->from; d < part->to; d++)
        pool += part->rain[d]; // want: missing-reduction
    return NULL;
}

double parts(struct part *part)
{
    pthread_t thread[4];

    pool = 0.0;
    for (int t = 0; t < 4; t++)
        pthread_create(&thread[t], NULL, part_main, &part[t]);
    for (int t = 0; t < 4; t++)
        pthread_join(thread[t], NULL);
    return pool;
}

/* ---- silent: reduced, private, atomic, locked ---- */

double reduced(const double *rain, long days)
{
    double total = 0.0, top = 0.0;

    #pragma omp parallel for reduction(+ : total) reduction(max : top)
    for (long d = 0; d < days; d++) {
        total += rain[d];
        if (rain[d] > top)
            top = rain[d];
    }
    return total / top;
}

double reduced_on_the_region(const double *rain, long days)
{
    double total = 0.0;

    #pragma omp parallel reduction(+ : total)
    {
        #pragma omp for nowait
        for (long d = 0; d < days; d++)
            total += rain[d];
    }
    return total;
}

void reduced_section(const int *month, const double *rain, long days, double *by_month)
{
    #pragma omp parallel for reduction(+ : by_month[:12])
    for (long d = 0; d < days; d++) {
        by_month[0] += rain[d];
        by_month[month[d]] += rain[d];
    }
}

void private_forms(const double *rain, double *mean, long weeks)
{
    double sum = 0.0;
    int k;

    #pragma omp parallel for private(k) firstprivate(sum)
    for (long w = 0; w < weeks; w++) {
        sum = 0.0;
        for (k = 0; k < 7; k++)
            sum += rain[w * 7 + k];
        mean[w] = sum / 7.0;
    }
}

void declared_inside(const double *rain, double *mean, long weeks)
{
    #pragma omp parallel for
    for (long w = 0; w < weeks; w++) {
        double sum = 0.0;

        for (int k = 0; k < 7; k++)
            sum += rain[w * 7 + k];
        mean[w] = sum / 7.0;
    }
}

static double own_total;
#pragma omp threadprivate(own_total)

void of_the_thread(const double *rain, long days, double *all)
{
    #pragma omp parallel
    {
        own_total = 0.0;
        #pragma omp for
        for (long d = 0; d < days; d++)
            own_total += rain[d];
        #pragma omp atomic
        *all += own_total;
    }
}

static _Thread_local long calls;

void of_the_thread_c11(const double *rain, double *out, long days)
{
    #pragma omp parallel for
    for (long d = 0; d < days; d++) {
        calls++;
        out[d] = rain[d] * 2.0;
    }
}

long atomic_forms(const double *rain, long days, double *total)
{
    atomic_long wet = 0;
    long dry = 0;

    #pragma omp parallel for
    for (long d = 0; d < days; d++) {
        #pragma omp atomic update // may: atomic-accumulate
        *total += rain[d];
        if (rain[d] > 0.0)
            wet++; // may: atomic-accumulate, shared-atomic
        else
            __sync_fetch_and_add(&dry, 1); // may: atomic-accumulate, shared-atomic
    }
    return wet - dry;
}

double in_critical(const double *level, long n)
{
    double top = 0.0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        #pragma omp critical(top) // may: atomic-accumulate
        {
            if (level[i] > top)
                top = level[i];
        }
    }
    return top;
}

double under_lock(const double *level, long n, omp_lock_t *lock)
{
    double sum = 0.0;

    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double v = sqrt(level[i]);

        omp_set_lock(lock); // may: atomic-accumulate, lock-per-iteration
        sum += v;
        omp_unset_lock(lock);
    }
    return sum;
}

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static double locked_pool;

static void *locked_main(void *arg)
{
    struct part *part = arg;
    double sum = 0.0;

    for (long d = part->from; d < part->to; d++)
        sum += part->rain[d];
    pthread_mutex_lock(&pool_lock);
    locked_pool += sum;
    pthread_mutex_unlock(&pool_lock);
    return NULL;
}

double locked_parts(struct part *part)
{
    pthread_t thread[4];

    for (int t = 0; t < 4; t++)
        pthread_create(&thread[t], NULL, locked_main, &part[t]);
    for (int t = 0; t < 4; t++)
        pthread_join(thread[t], NULL);
    return locked_pool;
}

double by_one_thread(const double *rain, long days)
{
    double total = 0.0;

    #pragma omp parallel
    {
        #pragma omp single
        for (long d = 0; d < days; d++)
            total += rain[d];
    }
    return total;
}

/* ---- silent: everyone's own ---- */

void own_elements(const double *rain, double *out, long days)
{
    #pragma omp parallel for
    for (long d = 0; d < days; d++) {
        out[d] += rain[d];
        out[d] *= 0.5;
    }
}

void own_rows(const double *rain, double *table, long rows, long cols)
{
    #pragma omp parallel for collapse(2)
    for (long r = 0; r < rows; r++)
        for (long c = 0; c < cols; c++)
            table[r * cols + c] += rain[c];
}

void own_row_element(const double *rain, double (*table)[16], long rows)
{
    #pragma omp parallel for
    for (long r = 0; r < rows; r++)
        for (int k = 0; k < 100; k++)
            table[r][0] += rain[k];
}

void own_pointer(const double *rain, struct gauge *gauge, long gauges)
{
    #pragma omp parallel for
    for (long g = 0; g < gauges; g++) {
        struct gauge *mine = &gauge[g];

        for (int k = 0; k < 365; k++)
            mine->total += rain[g * 365 + k];
        mine->days++;
    }
}

void lanes(const double *rain, double *out, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            out[4 * i + k] += rain[i];
}

double vector_only(const double *rain, long days)
{
    double total = 0.0;

    #pragma omp simd reduction(+ : total)
    for (long d = 0; d < days; d++)
        total += rain[d];
    return total;
}

double serial(const double *rain, long days)
{
    double total = 0.0;

    for (long d = 0; d < days; d++)
        total += rain[d];
    return total;
}

/* Elements that iterations of different threads come to: a remainder, windows that overlap, a triangle. */
void by_weekday(const double *rain, double *sums, long days)
{
    #pragma omp parallel for
    for (long d = 0; d < days; d++)
        sums[d % 7] += rain[d]; // want: missing-reduction
}

void smeared(const double *rain, double *out, long n, int reach)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        for (int k = -reach; k <= reach; k++)
            out[i + k + reach] += rain[i] / (2 * reach + 1); // want: missing-reduction
}

void pairs(const double *at, double *force, long n)
{
    #pragma omp parallel for schedule(dynamic, 16)
    for (long i = 0; i < n; i++)
        for (long j = i + 1; j < n; j++)
            force[j] -= at[i] - at[j]; // want: missing-reduction
}

void in_two_colours(const double *rain, double *out, long n)
{
    for (long colour = 0; colour < 2; colour++) {
        #pragma omp parallel for
        for (long i = colour; i < n; i += 2)
            for (int k = 0; k < 2; k++)
                out[i + k] += rain[i];
    }
}

void in_blocks(const double *rain, double *out, long n, int width)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        for (int k = 0; k < width; k++)
            out[8 * i + k] += rain[i];
}

void first_of_each(const double *rain, double *out, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            if (k > 0)
                continue;
            out[i + k] += rain[i];
        }
}

/* ---- threads that are started one by one ---- */

static long taken, put_back, ticks;

static void *take_main(void *arg)
{
    for (long i = 0; i < 100000; i++)
        taken++; // want: missing-reduction
    return arg;
}

static void *give_main(void *arg)
{
    for (long i = 0; i < 100000; i++) {
        taken--; // want: missing-reduction
        put_back++;
    }
    return arg;
}

static void *tick_main(void *arg)
{
    const volatile int *stop = arg;

    while (!*stop)
        ticks++;
    return arg;
}

/* Two threads meet at `taken`; `put_back` and `ticks` have one thread each. */
int main(void)
{
    pthread_t take, give, tick;
    int stop = 0;

    pthread_create(&take, NULL, take_main, NULL);
    pthread_create(&give, NULL, give_main, NULL);
    pthread_create(&tick, NULL, tick_main, &stop);
    return 0;
}

/* Progress every so many steps of the thread's own counter: the count may be off by some. */
static long all_done, all_peaks;

static void *progress_main(void *arg)
{
    const int *sample = arg;
    long done = 0, told = 0, peaks = 0;

    for (long i = 0; i < 1000000; i++) {
        done += sample[i] > 3;
        if (done - told > 10000) {
            all_done += done - told;
            told = done;
        }
        if (done > peaks)
            all_peaks += sample[i]; // want: missing-reduction
    }
    return NULL;
}

void with_progress(int *sample)
{
    pthread_t thread[8];

    for (int t = 0; t < 8; t++)
        pthread_create(&thread[t], NULL, progress_main, sample);
}

/* Silent: each thread is given memory of its own, behind its argument or as its argument. */
struct parcel {
    const int *sample;
    long n, total;
    long *seen, *kept;
};

static void *parcel_main(void *arg)
{
    struct parcel *parcel = arg;

    for (long i = 0; i < parcel->n; i++) {
        parcel->seen[0]++;
        parcel->kept[0] += parcel->sample[i];
        parcel->total += parcel->sample[i]; // want: adjacent-slots
    }
    return NULL;
}

struct parcel *next_parcel(void);

void parcels(const int *sample, long n)
{
    pthread_t thread[8];
    struct parcel parcel[8];

    for (int t = 0; t < 8; t++)
        parcel[t] = (struct parcel){ .sample = sample, .n = n, .seen = calloc(4, sizeof(long)) };
    for (int t = 0; t < 8; t++) {
        long *kept = calloc(4, sizeof *kept);

        parcel[t].kept = kept;
        pthread_create(&thread[t], NULL, parcel_main, &parcel[t]);
    }
    for (int t = 0; t < 8; t++) {
        struct parcel *own = malloc(sizeof *own);

        own->sample = sample;
        own->n = n;
        pthread_create(&thread[t], NULL, parcel_main, own);
    }
    for (int t = 0; t < 8; t++) {
        struct parcel *next = next_parcel();

        pthread_create(&thread[t], NULL, parcel_main, next);
    }
}

/* One counter that all are given. */
static void *common_main(void *arg)
{
    struct parcel *parcel = arg;

    for (long i = 0; i < parcel->n; i++)
        parcel->seen[0] += 2; // want: missing-reduction
    return NULL;
}

void common(const int *sample, long n)
{
    pthread_t thread[8];
    struct parcel parcel[8];
    long *seen = calloc(4, sizeof *seen);

    for (int t = 0; t < 8; t++) {
        parcel[t] = (struct parcel){ sample, n, 0, seen, NULL };
        pthread_create(&thread[t], NULL, common_main, &parcel[t]);
    }
}

/* ---- tasks of a loop ---- */

long by_tasks(long n)
{
    long made = 0, waited = 0, in_turn = 0, alone = 0;

    #pragma omp parallel
    #pragma omp single
    for (long i = 0; i < n; i++) {
        #pragma omp task shared(made)
        made++; // want: missing-reduction
        #pragma omp task shared(in_turn) depend(inout : in_turn)
        in_turn++;
        #pragma omp task shared(alone) if (0)
        alone++;
    }
    #pragma omp parallel
    #pragma omp single
    for (long i = 0; i < n; i++) {
        #pragma omp task shared(waited)
        waited++;
        #pragma omp taskwait
    }
    return made + waited + in_turn + alone;
}

/* One colour after the other: elements of one colour have no corner in common. */
void count_corners_by_colour(const int *corner, int *degree, int elements)
{
    for (int colour = 0; colour < 8; colour++) {
#pragma omp parallel for
        for (int e = colour; e < elements; e += 8)
            for (int k = 0; k < 4; k++)
                degree[corner[4 * e + k]]++;
    }
}

void count_corners_at_once(const int *corner, int *degree, int elements)
{
#pragma omp parallel for
    for (int e = 0; e < elements; e++)
        for (int k = 0; k < 4; k++)
            degree[corner[4 * e + k]]++; // want: missing-reduction
}

/* Each thread is given another element, whatever steps the index. */
typedef struct Waiter {
    long waits;
    char spare[120];
} Waiter;

static struct {
    Waiter of[64];
} waiters;

static void *wait_often(void *argument)
{
    Waiter *self = argument;

    for (int i = 0; i < 1000000; i++)
        self->waits += i & 1;
    return NULL;
}

int start_waiters(int n)
{
    pthread_t id;
    int rank, failed = 0;

    for (rank = 0; rank <= n; rank++)
        waiters.of[rank].waits = 0;
    for (rank = n; !failed && rank > 1;) {
        Waiter *waiter = waiters.of + --rank;

        if (pthread_create(&id, NULL, wait_often, waiter))
            failed = 1;
    }
    return failed;
}

static void *wait_more(void *argument)
{
    Waiter *self = argument;

    for (int i = 0; i < 1000000; i++)
        self->waits += i & 1;
    return NULL;
}

void start_more_waiters(int n)
{
    pthread_t id;

    while (n > 0)
        pthread_create(&id, NULL, wait_more, &waiters.of[--n]);
}

/* Set anew where it is added to, under one condition: a scratch variable, not an accumulator. */
double relax(double *x, const double *diagonal, const double *a, int n, int m)
{
    double rest = 0;
    int j;
#pragma omp parallel for private(j)
    for (int i = 0; i < n; i++)
        if (diagonal[i] != 0) {
            rest = x[i]; // want: missing-private
            for (j = 0; j < m; j++)
                rest -= a[i * m + j];
            x[i] = rest / diagonal[i];
        }
    return 0;
}

double largest_or_sum(const double *x, const int *kind, int n)
{
    double sum = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (kind[i] == 1)
            sum = 0; // may: missing-private
        else
            sum += x[i]; // want: missing-reduction
    }
    return sum;
}

/* One variable runs through several loops: what counts are the bounds of the one around. */
void shift_parts(int *offsets, int *parts, int n)
{
#pragma omp parallel
    {
        int rank = omp_get_thread_num(), threads = omp_get_num_threads();
        int size = n / threads, rest = n - size * threads, first, last, at, before;
        if (rank < rest) {
            first = rank * size + rank;
            last = (rank + 1) * size + rank + 1;
        } else {
            first = rank * size + rest;
            last = (rank + 1) * size + rest;
        }
        if (rank) {
            before = parts[0];
            for (at = 1; at < rank; at++)
                before += parts[at];
            for (at = first; at < last; at++)
                offsets[at] += before;
        } else {
            offsets[n] = 0;
            for (at = 0; at < threads; at++)
                offsets[n] += parts[at];
        }
    }
}

/* A shift of each element, through a pointer to it, counts nothing. */
long place_of(int i, int j, int width);

void shift_cells(float *cells, float factor, int n, int m)
{
#pragma omp parallel
    {
        long place;
        float *cell;
#pragma omp for
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                place = place_of(i, j, m);
                cell = cells + place;
                *cell *= factor;
                *cell -= 1;
            }
    }
}

/* A name for devices does not stand for _OPENMP: the threads are in the other branch. */
double demo_total(const double *x, int n)
{
    double sum = 0;
#ifdef DEMO_USING_DEVICE_OPENMP
    for (int i = 0; i < n; i++)
        sum += x[i];
#else
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        sum += x[i]; // want: missing-reduction
#endif
    return sum;
}

/* The first thread alone, by the first half of a condition. */
static int every_third(void)
{
    static long turns;

    turns++;
    return turns % 3 == 0;
}

static int every_fifth(void)
{
    static long rounds;

    rounds++; // want: missing-reduction
    return rounds % 5 == 0;
}

void of_first_thread(const double *x, double *out, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        if (omp_get_thread_num() == 0 && every_third())
            out[i] = 0;
        if (x[i] > 0 && every_fifth())
            out[i] = x[i];
    }
}

/* The same whoever does it: a bit, a clamp, a first value. Two bits of one word are lost, as a
 * maximum is. */
enum { SEEN = 1, LARGE = 2 };

static int warned, noted, least = 1000, most;

static long start = -1;

void notes(const double *x, double *out, long n, int width, int depth)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        if (x[i] > 1e6 && !(warned & SEEN))
            warned |= SEEN;
        if (x[i] < 0)
            noted |= SEEN; // want: missing-reduction
        if (x[i] > 100)
            noted |= LARGE; // want: missing-reduction
        if (width > 64)
            width = 64;
        if (depth >= DEPTHS_OF_A_HEADER)
            depth = DEPTH_OF_A_HEADER;
        if (start < 0)
            start = i;
        if (out[i] < least)
            least = (int)out[i]; // want: missing-reduction
        if (most < (int)x[i])
            most = (int)x[i]; // want: missing-reduction
        out[i] = x[i] * width + depth;
    }
}

/* A helper that runs through the block it is told has the caller's iteration in its bounds. */
static void lift_rows(double *rows, int first, int last, double height)
{
    for (int r = first; r < last; r++)
        rows[r] += height;
}

static void lift_copy(double *rows, int copy, int parts, double height)
{
    for (int r = copy * parts; r < (copy + 1) * parts; r++)
        rows[r] += height;
}

static void lift_part(double *rows, int copy, int parts, double height)
{
    lift_rows(rows, copy * parts, (copy + 1) * parts, height);
}

static void lift_head(double *rows, int count, double height)
{
    for (int r = 0; r < count; r++)
        rows[r] += height; // want: missing-reduction
}

void lift_blocks(double *rows, double *heads, const int *starts, int count, int parts,
                 double height)
{
#pragma omp parallel for
    for (int i = 0; i < count; i++) {
        lift_rows(rows, starts[i], starts[i + 1], height);
        lift_copy(rows, i, parts, height);
        lift_part(rows, i, parts, height);
        lift_head(heads, parts, height);
    }
}

/* ---- one generator's state for all ---- */

static double uniform(unsigned *state)
{
    return rand_r(state) / (double)RAND_MAX; // want: missing-reduction
}

long one_seed(double *out, long n)
{
    unsigned seed = 7, other = 8, copied = 9;
    long low = 0;

#pragma omp parallel for reduction(+ : low) firstprivate(copied)
    for (long i = 0; i < n; i++) {
        unsigned own = (unsigned)i;

        low += rand_r(&seed) < 1000; // want: missing-reduction
        out[i] = uniform(&other) + rand_r(&copied) + uniform(&own);
    }
    return low;
}

/* ---- sections, and tasks that do not wait for each other ---- */

struct sides {
    long left, right;
};

static void add_left(struct sides *sides, const int *sample, long n)
{
    for (long i = 0; i < n; i++)
        sides->left += sample[i]; // want: missing-reduction
}

long by_sections(const int *sample, long n)
{
    struct sides sides = { 0, 0 };
    long both = 0, guarded = 0, one = 0;

#pragma omp parallel sections
    {
#pragma omp section
        {
            add_left(&sides, sample, n / 2);
            for (long i = 0; i < n / 2; i++)
                both += sample[i]; // want: missing-reduction
#pragma omp atomic
            guarded += n;
            one = n;
        }
#pragma omp section
        {
            add_left(&sides, sample + n / 2, n / 2);
            for (long i = n / 2; i < n; i++)
                both += sample[i]; // want: missing-reduction
#pragma omp atomic
            guarded += n;
            sides.right += n;
        }
    }
    return both + guarded + one + sides.left + sides.right;
}

/* One section after the other has ended. */
long by_sections_in_turn(const int *sample)
{
    long sum = 0;

#pragma omp parallel
    {
#pragma omp sections
        {
#pragma omp section
            sum += sample[0];
        }
#pragma omp sections
        {
#pragma omp section
            sum += sample[1];
        }
    }
    return sum;
}

long by_two_tasks(const int *sample, int first, int second)
{
    long loose = 0, tied = 0, chained = 0, waited = 0, kept = 0;

#pragma omp parallel
#pragma omp single
    {
        kept += sample[0];
#pragma omp task depend(in : first)
        loose += first; // want: missing-reduction
#pragma omp task depend(inout : tied)
        tied += sample[0];
#pragma omp task depend(inout : chained)
        chained += sample[0];
#pragma omp task depend(in : chained) depend(out : waited)
        waited = chained;
#pragma omp task depend(in : second, waited)
        chained += sample[1];
#pragma omp task depend(in : second)
        loose += second; // want: missing-reduction
#pragma omp task depend(inout : tied)
        tied += sample[1];
#pragma omp task
        kept += sample[1];
#pragma omp taskwait
#pragma omp task
        kept += sample[2];
    }
    return loose + tied + chained + waited + kept;
}

/* A depend clause makes tasks of one parent wait, not what they leave behind, nor tasks of other
 * threads. */
long by_inner_tasks(const int *sample)
{
    long left = 0, ended = 0, all = 0;

#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(inout : left)
        {
#pragma omp task
            left += sample[0]; // want: missing-reduction
        }
#pragma omp task depend(inout : left)
        left += sample[1]; // want: missing-reduction
#pragma omp task depend(inout : ended)
        {
#pragma omp task
            ended += sample[0];
#pragma omp taskwait
        }
#pragma omp task depend(inout : ended)
        ended += sample[1];
    }
#pragma omp parallel
    {
#pragma omp task depend(inout : all)
        all += sample[2]; // want: missing-reduction
    }
    return left + ended + all;
}

/* ---- threads started by a function that takes what they run ---- */

typedef void *(*thread_code)(void *);

static long seen_by_some, seen_by_one, seen_by_two;

static void *some_main(void *arg)
{
    const int *sample = arg;

    for (long i = 0; i < 100000; i++)
        seen_by_some += sample[i]; // want: missing-reduction
    return NULL;
}

static void *one_main(void *arg)
{
    const int *sample = arg;

    for (long i = 0; i < 100000; i++) {
        seen_by_one += sample[i];
        seen_by_two += sample[i]; // want: missing-reduction
    }
    return NULL;
}

static void *two_main(void *arg)
{
    const int *sample = arg;

    for (long i = 0; i < 100000; i++)
        seen_by_two -= sample[i]; // want: missing-reduction
    return NULL;
}

static void on_threads(thread_code code, const int *sample)
{
    pthread_t thread[8];

    for (int t = 0; t < 8; t++)
        pthread_create(&thread[t], NULL, code, (void *)sample);
    for (int t = 0; t < 8; t++)
        pthread_join(thread[t], NULL);
}

static pthread_t begin(thread_code code, const int *sample)
{
    pthread_t thread;

    pthread_create(&thread, NULL, code, (void *)sample);
    return thread;
}

/* The job of one thread: each call has another one. */
static void *job_main(void *arg)
{
    struct parcel *job = arg;

    for (long i = 0; i < job->n; i++)
        if (job->sample[i] > 0)
            job->total++; // may: adjacent-slots
    return NULL;
}

static pthread_t begin_job(struct parcel *job)
{
    pthread_t thread;

    pthread_create(&thread, NULL, job_main, job);
    return thread;
}

void start_all(const int *sample, struct parcel *job)
{
    pthread_t thread[8];

    on_threads(some_main, sample);
    pthread_t one = begin(one_main, sample), two = begin(&two_main, sample);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    for (int t = 0; t < 8; t++)
        thread[t] = begin_job(&job[t]);
    for (int t = 0; t < 8; t++)
        pthread_join(thread[t], NULL);
}

/* One thread, started by a function that nobody here calls; and one for each of its calls. */
static long written_by_one, written_by_more;

static void *writer_main(void *arg)
{
    const int *sample = arg;

    for (long i = 0; i < 100000; i++)
        written_by_one += sample[i];
    return NULL;
}

static void *writers_main(void *arg)
{
    const int *sample = arg;

    for (long i = 0; i < 100000; i++)
        written_by_more += sample[i]; // want: missing-reduction
    return NULL;
}

void start_writer(int *sample)
{
    pthread_t thread;

    pthread_create(&thread, NULL, writer_main, sample);
}

static void start_another(int *sample)
{
    pthread_t thread;

    pthread_create(&thread, NULL, writers_main, sample);
}

void start_writers(int *sample)
{
    start_another(sample);
    start_another(sample);
}

/* ---- the old value goes another way: a generator that all threads draw from ---- */

static unsigned long shared_seed = 1;

static double draw_modulo(void)
{
    shared_seed = (shared_seed * 1103515245UL + 12345UL) % 2147483648UL; // want: missing-reduction
    return (double)shared_seed / 2147483648.0;
}

static double draw_masked(unsigned *state)
{
    unsigned next = (*state * 1664525U + 1013904223U) & 0x7fffffffU;

    *state = next; // want: missing-reduction
    return (double)next / 2147483648.0;
}

typedef struct Shift {
    unsigned x, y, z, w;
} Shift;

static unsigned draw_shifted(Shift *s)
{
    unsigned t = s->x ^ (s->x << 11);

    s->x = s->y;
    s->y = s->z;
    s->z = s->w;
    s->w = s->w ^ (s->w >> 19) ^ t ^ (t >> 8); // want: missing-reduction
    return s->w;
}

void draw_from_all(double *out, long n)
{
    unsigned state = 3;
    Shift shift = {1, 2, 3, 4};

#pragma omp parallel for
    for (long i = 0; i < n; i++)
        out[i] = draw_modulo() + draw_masked(&state) + draw_shifted(&shift);
}

/* A generator of each iteration, of each thread, behind a lock, on one thread. */
void draw_from_own(double *out, long n)
{
    unsigned state = 3, mine = 5, locked = 7, single = 9;
    Shift shift = {1, 2, 3, 4};

#pragma omp parallel for firstprivate(state, shift)
    for (long i = 0; i < n; i++) {
        unsigned fresh = (unsigned)i;

        out[i] = draw_masked(&state) + draw_shifted(&shift) + draw_masked(&fresh);
    }
#pragma omp parallel private(mine)
    {
        mine = (unsigned)omp_get_thread_num();
#pragma omp for
        for (long i = 0; i < n; i++) {
            mine = (mine * 1664525U + 1013904223U) % 4093U;
            out[i] += mine;
#pragma omp critical // may: lock-per-iteration
            locked = (locked * 1664525U + 1013904223U) % 4093U;
        }
#pragma omp single
        single = (single * 1664525U + 1013904223U) % 4093U;
    }
    out[0] += locked + single;
}

/* What is computed from the old value of something else is no update. */
void scaled_by_old(double *out, long n, int *rounds)
{
    int before = *rounds;

#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        int here = before * 2;

        out[i] = here + *rounds;
    }
    *rounds = before + 1;
}

/* ---- data pick the element ---- */

typedef struct Parcel {
    int kind, owner;
    double weight, size[3];
} Parcel;

typedef struct Totals {
    double weight[6], heaviest[6];
} Totals;

/* Six kinds, and more parcels. */
void weigh_by_kind(const Parcel *parcels, long n, Totals *out)
{
    Totals all = {0};
    double volume[6][3] = {0};

#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        int kind = parcels[i].kind;

        all.weight[parcels[i].kind] += parcels[i].weight; // want: missing-reduction
        if (parcels[i].weight > all.heaviest[kind])
            all.heaviest[kind] = parcels[i].weight; // want: missing-reduction
        for (int k = 0; k < 3; k++)
            volume[kind][k] += parcels[i].size[k]; // want: missing-reduction
    }
    all.weight[0] += volume[0][0];
    *out = all;
}

/* As many elements as there may be iterations; a place of the thread's own; one array for each
 * iteration. */
void weigh_apart(const Parcel *parcels, const int *order, const int *owner_of, double *sums)
{
    double by_order[16] = {0}, by_thread[64] = {0};

#pragma omp parallel for // may: too-little-work
    for (int i = 0; i < 16; i++)
        by_order[order[i]] += parcels[i].weight;
#pragma omp parallel
    {
        int slot = owner_of[omp_get_thread_num()];

#pragma omp for // may: too-little-work
        for (long i = 0; i < 1000; i++) {
            double own[6] = {0};

            own[parcels[i].kind] += parcels[i].weight;
            by_thread[slot] += parcels[i].weight; // may: adjacent-slots
            sums[order[i]] += own[0];
        }
    }
    sums[0] += by_order[0] + by_thread[0];
}

/* Counted by the same key: iterations meet there. */
void centre_by_owner(const Parcel *parcels, const int *nearest, double *sums, int *members, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        int owner = parcels[i].owner;

#pragma omp atomic
        members[nearest[i]]++;
        for (int k = 0; k < 3; k++)
            sums[nearest[i] * 3 + k] += parcels[i].size[k]; // want: missing-reduction
        sums[owner] += parcels[i].weight;
    }
}

/* One update of the element is protected, the other is not. */
void push_along(const int *next, double *height, double *moved, long n, double most)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        int to = next[i];

#pragma omp atomic
        height[to] += moved[i];
        if (moved[i] > most)
            height[to] -= moved[i] / 2; // want: missing-reduction
        moved[to] += 1.5;
    }
}

/* A mark beside it counts nothing. */
void mark_along(const int *next, double *height, int *seen, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        int to = next[i];

        seen[to] = 1;
        height[to] += 0.5;
    }
}

/* ---- a matrix laid out by hand, of a size that is not known ---- */

void spread_of(const double *x, double *spread, double *upper, double *apart, long n, int d)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        for (int a = 0; a < d; a++)
            for (int b = 0; b < d; b++) {
                int at = a * d + b;

                spread[a * d + b] += x[i * d + a] * x[i * d + b]; // want: missing-reduction
                apart[i * d * d + at] += x[i * d + a];
                if (b >= a)
                    upper[at] += x[i * d + a] * x[i * d + b]; // want: missing-reduction
            }
}

/* Rows of the matrix are dealt out: by the loop, by bounds of the thread, by what it owns. */
void spread_by_rows(const double *x, double *spread, const int *first, long n, int d)
{
#pragma omp parallel for
    for (int a = 0; a < d; a++)
        for (int b = 0; b < d; b++)
            for (long i = 0; i < n; i++)
                spread[a * d + b] += x[i * d + a] * x[i * d + b];
#pragma omp parallel
    {
        int id = omp_get_thread_num(), from = first[id], to = first[id + 1];

        for (int a = from; a < to; a++)
            for (int b = 0; b < d; b++)
                spread[a * d + b] += x[a] * x[b];
        for (int b = 0; b < d; b++)
            spread[id * d + b] += x[b];
    }
}

/* Each neighbour on the ring once. */
void turn_ring(const double *x, double *out, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        out[(i + 1) % n] += x[i];
}
