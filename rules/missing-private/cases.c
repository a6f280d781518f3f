/* Cases of missing-private: what each iteration uses for itself and all threads share, and the ways
 * in which that is right. The marked lines are the writes, found by reading. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scratch
 * -----------------------------------------------------------------------------------------------------------------
 */

void scratch_scalar(const double *depth, double *out, long n)
{
    double t;

#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        t = sqrt(depth[i]); // want: missing-private
        out[i] = t * t * t;
    }
}

void two_scratch_scalars(const double *depth, double *out, long n)
{
    double low, high;

#pragma omp parallel for schedule(static)
    for (long i = 1; i < n; i++) {
        low = fmin(depth[i], depth[i - 1]);  // want: missing-private
        high = fmax(depth[i], depth[i - 1]); // want: missing-private
        out[i] = high - low;
    }
}

void sum_of_a_row(const double *depth, double *out, long rows, long cols)
{
    double sum;

#pragma omp parallel for
    for (long r = 0; r < rows; r++) {
        sum = 0.0; // want: missing-private
        for (long c = 0; c < cols; c++)
            sum += depth[r * cols + c];
        out[r] = sum;
    }
}

void inner_index(const double *depth, double *out, int rows, int cols)
{
    int r, c;

#pragma omp parallel for
    for (r = 0; r < rows; r++)
        for (c = 0; c < cols; c++) // want: missing-private
            out[r] += depth[r * cols + c];
}

void inner_indices_in_a_region(const double *depth, double *out, int rows, int cols)
{
    int r, c, k;

#pragma omp parallel private(r)
    {
#pragma omp for
        for (r = 0; r < rows; r++)
            for (c = 0; c < cols; c++)  // want: missing-private
                for (k = 0; k < 3; k++) // want: missing-private
                    out[r] += depth[r * cols + c] * k;
    }
}

void only_one_is_private(const double *depth, double *out, int rows, int cols)
{
    int r, c;
    double v;

#pragma omp parallel for private(c)
    for (r = 0; r < rows; r++)
        for (c = 0; c < cols; c++) {
            v = depth[r * cols + c]; // want: missing-private
            out[r * cols + c] = v * v;
        }
}

void in_both_branches(const double *depth, double *out, long n)
{
    double t;

#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        if (depth[i] < 0.0)
            t = -depth[i]; // want: missing-private
        else
            t = depth[i];
        out[i] = t;
    }
}

void a_sign(const double *depth, double *out, long n)
{
    double sign;

#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        sign = 1.0; // want: missing-private
        if (depth[i] < 0.0)
            sign = -1.0;
        out[i] = sign * depth[i];
    }
}

struct point {
    double x, y;
};

void fields(const double *depth, double *out, long n)
{
    struct point p;

#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        p.x = depth[i];         // want: missing-private
        p.y = depth[n - 1 - i]; // want: missing-private
        out[i] = p.x * p.y;
    }
}

void id_of_the_thread(double *out)
{
    int id;

#pragma omp parallel
    {
        id = omp_get_thread_num(); // want: missing-private
        out[id] = 1.0;
    }
}

static double scratch;

void a_global(const double *depth, double *out, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        scratch = depth[i] * 0.5; // want: missing-private
        out[i] = scratch + 1.0;
    }
}

static double through_a_static(double d)
{
    static double half;

    half = d * 0.5; // want: missing-private
    return half * half;
}

void in_a_callee(const double *depth, double *out, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        out[i] = through_a_static(depth[i]);
}

static void split(double d, double *whole)
{
    *whole = floor(d); // want: missing-private
    if (*whole < 0.0)
        *whole = 0.0; // may: missing-reduction
}

void through_a_pointer(const double *depth, double *out, long n)
{
    double whole = 0.0;

#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        split(depth[i], &whole);
        out[i] = whole;
    }
}

/* ---- the last value, the one before ---- */

double last_value(const double *depth, double *out, long n)
{
    double last;

#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        out[i] = depth[i] * 2.0;
        last = depth[i]; // want: missing-private
    }
    return last;
}

void one_before(const double *depth, double *out, long n)
{
    double before = 0.0;

#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        out[i] = depth[i] - before;
        before = depth[i]; // want: missing-private
    }
}

/* ---- silent
 * --------------------------------------------------------------------------------------------------------------------
 */

void declared_inside(const double *depth, double *out, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double t = sqrt(depth[i]);

        out[i] = t * t * t;
    }
}

void by_clause(const double *depth, double *out, int rows, int cols)
{
    int c;
    double v, w = 0.0;

#pragma omp parallel for private(c, v) firstprivate(w)
    for (int r = 0; r < rows; r++)
        for (c = 0; c < cols; c++) {
            v = depth[r * cols + c];
            w = v * v;
            out[r * cols + c] = v + w;
        }
}

void by_clause_of_the_region(const double *depth, double *out, int rows, int cols)
{
    int r, c;
    double v;

#pragma omp parallel private(r, c, v)
    {
        for (int round = 0; round < 3; round++) {
#pragma omp for
            for (r = 0; r < rows; r++)
                for (c = 0; c < cols; c++) {
                    v = depth[r * cols + c];
                    out[r * cols + c] += v;
                }
        }
    }
}

void collapsed(const double *depth, double *out, int rows, int cols)
{
    int r, c;

#pragma omp parallel for collapse(2)
    for (r = 0; r < rows; r++)
        for (c = 0; c < cols; c++)
            out[r * cols + c] = depth[r * cols + c];
}

void ordered_both(double *out, int rows, int cols)
{
    int r, c;

#pragma omp parallel for ordered(2)
    for (r = 1; r < rows; r++)
        for (c = 0; c < cols; c++) {
#pragma omp ordered depend(sink : r - 1, c)
            out[r * cols + c] += out[(r - 1) * cols + c];
#pragma omp ordered depend(source)
        }
}

double lastprivate_clause(const double *depth, double *out, long n)
{
    double last = 0.0;

#pragma omp parallel for lastprivate(last)
    for (long i = 0; i < n; i++) {
        last = depth[i];
        out[i] = last;
    }
    return last;
}

static double of_each_thread;
#pragma omp threadprivate(of_each_thread)

void threadprivate_scratch(const double *depth, double *out, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        of_each_thread = depth[i];
        out[i] = of_each_thread * 2.0;
    }
}

static double orphaned(const double *depth, double *out, long n)
{
    double t = 0.0;
    long i;

#pragma omp for
    for (i = 0; i < n; i++) {
        out[i] = depth[i];
    }
    for (int k = 0; k < 3; k++)
        t += k;
    return t;
}

void calls_orphaned(const double *depth, double *out, long n)
{
#pragma omp parallel
    orphaned(depth, out, n);
}

static double *table;

static void set_up(void)
{
    table = malloc(8 * sizeof *table); // may: alloc-in-kernel
    for (int k = 0; k < 8; k++)
        table[k] = k;
}

void set_up_once(const double *depth, double *out, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        if (table == NULL)
            set_up();
        out[i] = depth[i] * table[i & 7];
    }
}

int one_thread(const double *depth, double *out, long n)
{
    int k = 0, found = 0;

#pragma omp parallel
    {
#pragma omp single
        {
            k = (int)depth[0];
            out[k] = 1.0;
        }
#pragma omp for
        for (long i = 0; i < n; i++) {
            if (depth[i] > 1000.0)
                found = 1;
        }
    }
    return k + found;
}

long guarded(const double *depth, double *out, long n)
{
    double t = 0.0;
    long threads = 1;

#pragma omp parallel
    {
        threads = omp_get_num_threads();
#pragma omp for
        for (long i = 0; i < n; i++) {
#pragma omp critical // may: lock-per-iteration
            {
                t = depth[i];
                out[i] = t * t;
            }
        }
    }
    return threads;
}

void own_elements(const double *depth, double *out, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        out[i] = depth[i];
        out[i] = out[i] * 2.0;
    }
}

void serial(const double *depth, double *out, long n)
{
    double t;

    for (long i = 0; i < n; i++) {
        t = depth[i];
        out[i] = t;
    }
}

void vectorised(const double *depth, double *out, int rows, int cols)
{
    int r, c;

#pragma omp parallel for
    for (r = 0; r < rows; r++) {
#pragma omp simd
        for (c = 0; c < cols; c++)
            out[r * cols + c] = depth[r * cols + c];
    }
}

/* Every thread sets it to the same, they wait for one another, and then all count in it. */
long cleared_by_each_then_counted(const int *used, long n)
{
    long spare;

#pragma omp parallel
    {
        spare = 0;
#pragma omp barrier
#pragma omp for
        for (long i = 0; i < n; i++)
            if (used[i] > 4) {
#pragma omp atomic // may: atomic-accumulate
                spare += used[i] - 3;
            }
    }
    return spare;
}

/* Who comes late clears what others have counted. */
long cleared_while_others_count(const int *used, long n)
{
    long spare;

#pragma omp parallel
    {
        spare = 0; // want: missing-private
#pragma omp for
        for (long i = 0; i < n; i++)
            if (used[i] > 4) {
#pragma omp atomic // may: atomic-accumulate
                spare += used[i] - 3;
            }
    }
    return spare;
}

/* ---- arrays ---- */

/* One row for all threads. */
void shared_row(const double *depth, double *out, long rows, int cols)
{
    double row[64];

    #pragma omp parallel for
    for (long r = 0; r < rows; r++) {
        for (int c = 0; c < 64; c++)
            row[c] = sqrt(depth[r * 64 + c]); // want: missing-private
        for (int c = 1; c < 64; c++)
            out[r * 64 + c] = row[c] - row[c - 1];
    }
}

double last_row(const double *depth, long rows)
{
    double row[64], sum = 0.0;

    #pragma omp parallel for
    for (long r = 1; r < rows; r++)
        for (int c = 0; c < 64; c++)
            row[c] = depth[r * 64 + c] - depth[(r - 1) * 64 + c]; // want: missing-private
    for (int c = 0; c < 64; c++)
        sum += row[c];
    return sum;
}

void a_row_each(const double *depth, double *out, long rows)
{
    double row[64];

    #pragma omp parallel for private(row)
    for (long r = 0; r < rows; r++) {
        double half[64];

        for (int c = 0; c < 64; c++) {
            row[c] = sqrt(depth[r * 64 + c]);
            half[c] = depth[r * 64 + c] * 0.5;
        }
        for (int c = 1; c < 64; c++)
            out[r * 64 + c] = row[c] - half[c - 1];
    }
}

/* A part of the table for each iteration. */
void own_parts(const double *depth, double *table, double *out, long rows)
{
    #pragma omp parallel for
    for (long r = 0; r < rows; r++) {
        double *row = table + r * 64;

        for (int c = 0; c < 64; c++)
            row[c] = sqrt(depth[r * 64 + c]);
        for (int c = 1; c < 64; c++)
            out[r * 64 + c] = row[c] - row[c - 1];
    }
}

/* A part of the table for each thread. */
void parts_of_threads(const double *depth, double *table, double *out, long rows)
{
    #pragma omp parallel
    {
        double *row = table + omp_get_thread_num() * 64;

        #pragma omp for
        for (long r = 0; r < rows; r++) {
            for (int c = 0; c < 64; c++)
                row[c] = sqrt(depth[r * 64 + c]);
            for (int c = 1; c < 64; c++)
                out[r * 64 + c] = row[c] - row[c - 1];
        }
    }
}

/* All members of a union are the same bytes. */
union word {
    unsigned long whole;
    unsigned char bytes[8];
};

void bytes_of_words(const unsigned long *word, unsigned char *out, long n)
{
    union word all;

#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        union word own;

        all.whole = word[i]; // want: missing-private
        own.whole = word[i];
        out[i] = all.bytes[3] + own.bytes[3];
    }
}

/* ---- what the C library fills ---- */

void by_library(const double *depth, char **text, double *out, long n)
{
    double whole, own_whole;
    int power, first, second;
    char *end, label[32];
    size_t length = 0;

#pragma omp parallel for reduction(+ : length) private(own_whole)
    for (long i = 0; i < n; i++) {
        char own[32];

        out[i] = modf(depth[i], &whole) * whole;          // want: missing-private
        out[i] += modf(depth[i], &own_whole) * own_whole;
        out[i] += ldexp(frexp(depth[i], &power), power);  // want: missing-private
        out[i] += strtod(text[i], &end);                  // want: missing-private
        out[i] += *end;
        sscanf(text[i], "%d %d", &first, &second);        // want: missing-private
        out[i] += first + second;
        snprintf(label, sizeof label, "%g", depth[i]);    // want: missing-private
        length += strlen(label);
        snprintf(own, sizeof own, "%g", depth[i]);
        length += strlen(own);
    }
    out[0] += (double)length;
}

/* One text for all threads, however often it is written; what nobody reads; what is locked. */
void by_library_silently(const double *depth, char **text, double *out, long n)
{
    char prefix[8], unread[32], locked[32];
    char *end;

#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        strcpy(prefix, "depth");
        out[i] = strtod(text[i], &end) + prefix[0];
        snprintf(unread, sizeof unread, "%g", depth[i]);
#pragma omp critical // may: lock-per-iteration
        {
            snprintf(locked, sizeof locked, "%g", depth[i]);
            out[i] += (double)strlen(locked);
        }
    }
}

static const char *label_of(double depth)
{
    static char label[32];

    snprintf(label, sizeof label, "%.1f", depth); // want: missing-private
    return label;
}

void by_static_label(const double *depth, size_t *length, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        length[i] = strlen(label_of(depth[i]));
}

/* ---- sections ---- */

double by_sections(const double *depth, long n)
{
    double sum = 0, product = 1, term, own = 0;
    long at;

#pragma omp parallel sections
    {
#pragma omp section
        for (at = 0; at < n; at++) { // want: missing-private
            term = depth[at] * 2;    // want: missing-private
            sum += term;
        }
#pragma omp section
        for (at = 0; at < n; at++) { // want: missing-private
            term = depth[at] + 1;    // want: missing-private
            product *= term;
            own = depth[at];
            product += own;
        }
    }
    return sum + product;
}

double by_careful_sections(const double *depth, long n)
{
    double sum = 0, product = 1;
    long at, k;

#pragma omp parallel sections private(at)
    {
#pragma omp section
        for (at = 0; at < n; at++)
            sum += depth[at];
#pragma omp section
        for (at = 0; at < n; at++)
            for (k = 0; k < n; k++)
                product *= depth[at];
    }
    return sum + product;
}

/* The sweep reads what the one before has left. */
void sweeps(double *level, long n, int sweeps)
{
    for (int s = 0; s < sweeps; s++) {
        #pragma omp parallel for
        for (long r = 1; r < n; r++)
            for (int c = 1; c < 64; c++)
                level[r * 64 + c] = 0.5 * (level[r * 64 + c] + level[r * 64 + c - 1]);
    }
}

/* What runs without OpenMP is not read as if threads ran it. */
void demo_prefix(int *part, int *sum, int *all, int rank, int threads)
{
#ifdef DEMO_USING_OPENMP
    all[rank + 1] = *part;
#pragma omp barrier
#pragma omp master
    {
        all[0] = 0;
        for (int i = 1; i < threads; i++)
            all[i + 1] += all[i];
        *sum = all[threads];
    }
#pragma omp barrier
    *part = all[rank];
#else
    *sum = *part;
    *part = 0;
    all[1] = *sum;
#endif
}

void demo_offsets(int *all, int threads)
{
    int sum;
#pragma omp parallel
    {
        int part = omp_get_thread_num();
        demo_prefix(&part, &sum, all, omp_get_thread_num(), threads);
    }
    all[0] = sum;
}

/* One edit, `static` dropped, mends them all: one finding, at the first, with the updates of the
 * same variables. */
static double weighted(const double *row, const double *weight, long n)
{
    static double sum, most;
    static long k;

    sum = 0; // want: missing-private
    most = 0;
    for (k = 0; k < n; k++) {
        sum += row[k] * weight[k];
        if (row[k] > most)
            most = row[k];
    }
    return most > 0 ? sum / most : 0;
}

void weigh_rows(const double *a, const double *weight, double *out, long rows, long cols)
{
    #pragma omp parallel for
    for (long r = 0; r < rows; r++)
        out[r] = weighted(a + r * cols, weight, cols);
}

/* ---- carried through a callee ---- */

static void turn_over(const double *in, double *out, int *across, int *down)
{
    int columns = *across, rows = *down;

    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            out[c * rows + r] = in[r * columns + c];
    *across = rows;   // want: missing-private
    *down = columns; // want: missing-private
}

void turn_planes(double *planes, double *room, int count, int across, int down)
{
#pragma omp parallel for
    for (int p = 0; p < count; p++) {
        double *plane = planes + (long)p * across * down, *turned = room + (long)p * 4096;
        int own_across = 64, own_down = 64;

        turn_over(plane, turned, &across, &down);
        turn_over(turned, plane, &across, &down);
        turn_over(plane, turned, &own_across, &own_down);
    }
}

typedef struct Scale {
    double low, high, last;
} Scale;

/* The same value whoever comes first. */
static double scaled(Scale *scale, double x)
{
    double before = scale->last;

    scale->last = scale->high;
    return (x - scale->low) * before;
}

void scale_all(const double *x, double *out, int n, double high)
{
    Scale scale = {0, high, high};

#pragma omp parallel for
    for (int i = 0; i < n; i++)
        out[i] = scaled(&scale, x[i]);
}

/* ---- what a called function fills ---- */

static void take_apart(double d, double *whole, double *rest)
{
    *whole = d > 0 ? floor(d) : ceil(d);
    *rest = d - *whole; // may: missing-private
}

static void halve(double d, double *half)
{
    if (d < 0)
        *half = -d / 2;
    else
        *half = d / 2;
}

static void halve_some(double d, double *half)
{
    if (d > 0)
        *half = d / 2;
}

static void size_of_all(const struct point *all, double *width)
{
    *width = all->x;
}

void filled_by_calls(const double *depth, double *out, long n, const struct point *all)
{
    double half, kept = 0.0, own, width, rest = 0.0;

#pragma omp parallel for private(own)
    for (long i = 0; i < n; i++) {
        double inner;

        halve(depth[i], &half); // want: missing-private
        halve(depth[i], &own);
        halve(depth[i], &inner);
        halve_some(depth[i], &kept);
        size_of_all(all, &width);
        out[i] = half + own + inner + kept + width;
    }
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double whole;

        take_apart(depth[i], &whole, &rest); // want: missing-private
        out[i] += whole * rest;
    }
}

/* Filled once for all, in front of the loop and by one thread. */
void filled_before(const double *depth, double *out, long n)
{
    double half, third;

    halve(depth[0], &half);
#pragma omp parallel
    {
#pragma omp single
        halve(depth[1], &third);
#pragma omp for
        for (long i = 0; i < n; i++)
            out[i] = depth[i] * half + third;
    }
}

static void cross_of(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void ramp_of(double top, double *ramp)
{
    for (int k = 0; k < 64; k++)
        ramp[k] = top * k;
}

static void turn_by(double angle, double *axis)
{
    double old = axis[0];

    axis[0] = old * cos(angle); // want: missing-reduction
    axis[1] = old * sin(angle);
}

void arrays_filled_by_calls(const double *x, const double *y, double *out, long n)
{
    double normal[3], own[3], ramp[64], axis[2] = {1, 0}, fixed[3];

    cross_of(x, y, fixed);
#pragma omp parallel for private(own)
    for (long i = 0; i < n; i++) {
        double inner[3];

        cross_of(x + 3 * i, y + 3 * i, normal); // want: missing-private
        cross_of(x + 3 * i, y + 3 * i, own);
        cross_of(x + 3 * i, y + 3 * i, inner);
        ramp_of(x[3 * i], ramp); // want: missing-private
        turn_by(x[i], axis);
        out[i] = normal[0] + own[1] + inner[2] + ramp[7] + axis[0] + fixed[0];
    }
}

/* A row of its own for each iteration; the same for all. */
void rows_filled_by_calls(const double *x, double out[][3], double *y, long n)
{
    double same[3];

#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        cross_of(x + 3 * i, y, out[i]);
        cross_of(x, y, same);
        y[i] = out[i][0] + same[1];
    }
}

/* ---- elements with fixed indices ---- */

void fixed_elements(const double *x, double *out, long n)
{
    double at[3], own[3], last[2], kept[2] = {0, 0};
    int seen[2] = {0, 0};

#pragma omp parallel for private(own)
    for (long i = 0; i < n; i++) {
        double inner[2];

        at[0] = x[i]; // want: missing-private
        at[1] = x[i] * 2;
        at[2] = at[0] * at[1];
        own[0] = inner[0] = x[i];
        inner[1] = own[0];
        last[0] = kept[1] + x[i]; // may: missing-private
        if (x[i] < 0)
            seen[1] = 1;
        out[i] = at[0] + at[2] + inner[1];
    }
    out[0] = last[1] + seen[1];
}
