/* Cases of alloc-in-kernel: heap calls per iteration of a parallel loop, and those that the work beside them dwarfs or
 * that rarely run. Every case compiles with gcc -fopenmp; that the calls stay was read in the code of gcc 12 -O2. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <omp.h>

/* ---- one after the other: malloc, calloc, realloc, aligned_alloc, strdup, free ---- */

void sort_triples(const float *depth, float *middle, long n)
{
    #pragma omp parallel for
    for (long i = 1; i < n - 1; i++) {
        float *near = malloc(3 * sizeof *near); // want: alloc-in-kernel

        memcpy(near, depth + i - 1, 3 * sizeof *near);
        if (near[0] > near[1]) {
            float swap = near[0];
            near[0] = near[1];
            near[1] = swap;
        }
        middle[i] = near[2] < near[0] ? near[0] : near[2] < near[1] ? near[2] : near[1];
        free(near); // may: alloc-in-kernel
    }
}

void count_bases(const unsigned char *base, int *most, long reads, int length)
{
    #pragma omp parallel for schedule(static)
    for (long r = 0; r < reads; r++) {
        for (int w = 0; w + 4 <= length; w += 4) {
            int *seen = calloc(4, sizeof *seen); // want: alloc-in-kernel

            for (int k = 0; k < 4; k++)
                seen[base[r * length + w + k] & 3]++;
            most[r] += seen[0] > seen[1];
            free(seen); // may: alloc-in-kernel
        }
    }
}

void grow_runs(const int *value, long *runs, long n)
{
    #pragma omp parallel
    {
        int *run = NULL;

        #pragma omp for
        for (long i = 1; i < n; i++) {
            int *longer = realloc(run, (size_t)(1 + (value[i] & 7)) * sizeof *run); // want: alloc-in-kernel

            if (longer == NULL)
                continue;
            run = longer;
            run[value[i] & 7] = value[i - 1];
            runs[i] = run[value[i] & 7];
        }
        free(run);
    }
}

void align_pairs(const double *a, const double *b, double *dot, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        double *both = aligned_alloc(64, 64); // want: alloc-in-kernel

        both[0] = a[i];
        both[1] = b[i];
        dot[i] = both[i & 1] * both[0];
        free(both); // may: alloc-in-kernel
    }
}

void copy_labels(char *const *label, char **copy, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        copy[i] = strdup(label[i]); // want: alloc-in-kernel
}

void drop_labels(char **copy, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        free(copy[i]); // may: alloc-in-kernel
}

/* ---- behind a name: wrappers, callees, callees of callees ---- */

static void *xmalloc(size_t bytes)
{
    void *p = malloc(bytes); // may: alloc-in-kernel

    if (p == NULL)
        abort();
    return p;
}

void wrapped(const float *x, float *y, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n - 1; i++) {
        float *pair = xmalloc(2 * sizeof *pair); // want: alloc-in-kernel

        pair[0] = x[i];
        pair[1] = x[i + 1];
        y[i] = pair[x[i] > x[i + 1]];
        free(pair); // may: alloc-in-kernel
    }
}

static float larger(float a, float b)
{
    float *pair = malloc(2 * sizeof *pair); // want: alloc-in-kernel
    float most;

    if (pair == NULL)
        return a;
    pair[0] = a;
    pair[1] = b;
    most = pair[a < b];
    free(pair); // may: alloc-in-kernel
    return most;
}

static float larger_scaled(float a, float b)
{
    return 0.5f * larger(a, b);
}

void called(const float *x, float *y, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n - 1; i++)
        y[i] = larger_scaled(x[i], x[i + 1]);
}

/* ---- other ways to be parallel ---- */

static void orphaned(const int *key, int *out, long n)
{
    #pragma omp for
    for (long i = 0; i < n; i++) {
        int *bucket = malloc(4 * sizeof *bucket); // want: alloc-in-kernel

        memset(bucket, 0, 4 * sizeof *bucket);
        bucket[key[i] & 3] = key[i];
        out[i] = bucket[0];
        free(bucket); // may: alloc-in-kernel
    }
}

void through_region(const int *key, int *out, long n)
{
    #pragma omp parallel
    orphaned(key, out, n);
}

struct shard {
    const int *key;
    int *out;
    long n;
};

static void *shard_main(void *arg)
{
    struct shard *shard = arg;

    for (long i = 0; i < shard->n; i++) {
        int *bucket = malloc(4 * sizeof *bucket); // want: alloc-in-kernel

        memset(bucket, 0, 4 * sizeof *bucket);
        bucket[shard->key[i] & 3] = 1;
        shard->out[i] = bucket[0];
        free(bucket); // may: alloc-in-kernel
    }
    return NULL;
}

void shards(struct shard *shard, int count)
{
    pthread_t thread[16];

    for (int t = 0; t < count && t < 16; t++)
        pthread_create(&thread[t], NULL, shard_main, &shard[t]);
    for (int t = 0; t < count && t < 16; t++)
        pthread_join(thread[t], NULL);
}

/* ---- silent ---- */

void array_of_the_thread(const float *depth, float *middle, long n)
{
    #pragma omp parallel for
    for (long i = 1; i < n - 1; i++) {
        float near[3] = { depth[i - 1], depth[i], depth[i + 1] };

        middle[i] = near[0] > near[1] ? near[0] : near[2];
    }
}

void once_per_thread(const int *value, long *sum, long n)
{
    #pragma omp parallel
    {
        int *seen = calloc(1024, sizeof *seen);

        #pragma omp for
        for (long i = 0; i < n; i++) {
            seen[value[i] & 1023]++;
            sum[i] = seen[value[i] & 1023];
        }
        free(seen);
    }
}

void once_before(const double *x, double *y, long n)
{
    double *half = malloc((size_t)n * sizeof *half);

    if (half == NULL)
        return;
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        half[i] = x[i] * 0.5;
        y[i] = half[i] * half[i];
    }
    free(half);
}

void on_error(const double *x, double *y, char **why, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        if (isnan(x[i])) {
            why[i] = strdup("not a number");
            continue;
        }
        y[i] = x[i] * x[i];
    }
}

void every_thousandth(const double *x, double *y, double **trace, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        y[i] = x[i] * x[i];
        if (i % 1000 == 0)
            trace[i / 1000] = calloc(8, sizeof **trace);
    }
}

/* 65,536 cells of work beside one call. */
void before_matrix(const float *in, float *out, long rows)
{
    #pragma omp parallel for
    for (long r = 0; r < rows; r++) {
        float *root = malloc(256 * sizeof *root);

        if (root == NULL)
            continue;
        for (int i = 0; i < 256; i++)
            root[i] = sqrtf(in[r * 256 + i]);
        for (int i = 0; i < 256; i++) {
            float near = 0.0f;

            for (int j = 0; j < 256; j++)
                near += root[j] / (1.0f + fabsf(root[i] - root[j]));
            out[r * 256 + i] = near;
        }
        free(root);
    }
}

/* The helper gets its room from the caller. */
static float larger_in(float *pair, float a, float b)
{
    pair[0] = a;
    pair[1] = b;
    return pair[a < b];
}

void handed_down(const float *x, float *y, long n)
{
    #pragma omp parallel
    {
        float *pair = malloc(2 * sizeof *pair);

        #pragma omp for
        for (long i = 0; i < n - 1; i++)
            y[i] = larger_in(pair, x[i], x[i + 1]);
        free(pair);
    }
}

/* Not parallel. */
void serial(const float *x, float *y, long n)
{
    for (long i = 0; i + 1 < n; i++)
        y[i] = larger(x[i], x[i + 1]);
}

void by_the_master(double **block, long n)
{
    #pragma omp parallel
    {
        #pragma omp master
        for (long i = 0; i < n; i++)
            block[i] = malloc(64);
    }
}

/* ---- built, not churned: what is kept, and what constructors make in their loops ---- */

typedef struct Layer {
    long size;
    float *weight, *output;
} Layer;

static void resize_layer(Layer *layer, long size)
{
    layer->size = size;
    layer->output = realloc(layer->output, (size_t)size * sizeof *layer->output);
}

static float **make_rows(long rows, long columns)
{
    float **made = malloc((size_t)rows * sizeof *made); // may: alloc-in-kernel

    for (long k = 0; k < rows; k++)
        made[k] = malloc((size_t)columns * sizeof **made);
    return made;
}

static void free_rows(float **made, long rows)
{
    for (long k = 0; k < rows; k++)
        free(made[k]); // may: alloc-in-kernel
    free(made); // may: alloc-in-kernel
}

void resize_all(Layer *layer, long n, long size)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        resize_layer(&layer[i], size);
}

void smooth(const float *x, float *y, long n, long rows)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        float **made = make_rows(rows, 4);

        made[0][0] = x[i];
        y[i] = made[0][0] * 2;
        free_rows(made, rows);
    }
}

/* Functions that are passed, and called like something that takes memory. */
typedef int (*SetRow)(double *row, long width);

void each_row_by_callback(double *x, long rows, long cols, SetRow set, SetRow malloc)
{
    #pragma omp parallel for
    for (long r = 0; r < rows; r++) {
        set(x + r * cols, cols);
        malloc(x + r * cols, cols);
    }
}

/* Functions that one macro makes all stand where it is used: each is still itself. */
typedef struct Row {
    double *of;
    int n;
} Row;

#define ROW_FUNCTIONS(name)                                                                        \
    static double row_sum_##name(const Row *row)                                                   \
    {                                                                                              \
        double sum = 0;                                                                            \
        for (int i = 0; i < row->n; i++)                                                           \
            sum += row->of[i];                                                                     \
        return sum;                                                                                \
    }                                                                                              \
    static double row_last_##name(const Row *row, int by)                                          \
    {                                                                                              \
        double *sums = malloc((size_t)row->n * sizeof *sums);                                      \
        sums[0] = by;                                                                              \
        for (int i = 1; i < row->n; i++)                                                           \
            sums[i] = sums[i - 1] * row->of[i];                                                    \
        double last = sums[row->n - 1];                                                            \
        free(sums);                                                                                \
        return last;                                                                               \
    }

ROW_FUNCTIONS(of_macro) // want: alloc-in-kernel

void sums_of_rows(const Row *rows, double *out, int n, int m)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            out[i] += row_sum_of_macro(&rows[j]);
}

void lasts_of_rows(const Row *rows, double *out, int n, int m)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            out[i] += row_last_of_macro(&rows[j], i);
}

/* From a list of free blocks, and only where it is empty from the allocator. */
typedef struct Block {
    struct Block *next;
    double value;
} Block;

typedef struct Stock {
    Block *head;
    long count;
    size_t size;
    char pad[128];
} Stock;

static Block *take_block(Stock *stock)
{
    Block *taken;

    if (stock->count > 0) {
        taken = stock->head;
        stock->head = taken->next;
        stock->count--;
    } else {
        taken = malloc(stock->size);
    }
    return taken;
}

static Block *take_or_make(Stock *stock)
{
    Block *taken = NULL;

    if (stock->count > 0)
        stock->count = 0;
    else
        taken = malloc(stock->size);
    return taken;
}

void from_stocks(Stock *stocks, const double *x, double *out, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        Stock *own = &stocks[omp_get_thread_num()];
        Block *block = take_block(own);

        block->value = x[i];
        block->next = own->head;
        own->head = block;
        own->count++;
        out[i] = block->value;
    }
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        Block *block = take_or_make(&stocks[omp_get_thread_num()]); // want: alloc-in-kernel

        if (block != NULL)
            out[i] += x[i];
        free(block);
    }
}

/* What a failed check writes is written once. */
static void check_failed(const char *what, const char *file, int line)
{
    char *text = malloc(strlen(what) + strlen(file) + 32);

    sprintf(text, "%s:%d: %s", file, line, what);
    fputs(text, stderr);
    free(text);
}

#define MUST(e) ((e) ? (void)0 : (check_failed(#e, __FILE__, __LINE__), abort()))

void checked_roots(const double *x, double *out, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        MUST(x[i] >= 0);
        out[i] = sqrt(x[i]);
    }
}

/* A constructor gives back what it has made where it fails; else its callers have it. */
typedef struct Chart {
    double *lines[16];
    int count;
} Chart;

static double *new_line(int n)
{
    return calloc((size_t)n, sizeof(double));
}

static void free_chart(Chart *chart)
{
    for (int k = 0; k < 16; k++)
        free(chart->lines[k]);
    free(chart);
}

static Chart *new_chart(int n)
{
    Chart *chart = calloc(1, sizeof *chart);

    if (chart == NULL)
        return NULL;
    for (int k = 0; k < 16; k++)
        if ((chart->lines[k] = new_line(n)) == NULL)
            goto fail;
    return chart;
fail:
    free(chart);
    return NULL;
}

void charts(const double *x, double *out, long n, int width)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        Chart *chart = new_chart(width);

        if (chart == NULL)
            continue;
        for (int r = 0; r < 64; r++)
            for (int k = 0; k < 16; k++)
                for (int c = 0; c < width; c++)
                    chart->lines[k][c] += pow(x[i], (double)(c + r));
        out[i] = chart->lines[0][width / 2];
        free_chart(chart);
    }
}

/* ---- lists that grow: as often as they double, or each time ---- */

struct growing {
    unsigned used, room;
    int *item;
};

static void make_room(struct growing *list)
{
    list->room = list->room * 2 + 1;
    list->item = realloc(list->item, list->room * sizeof *list->item);
}

void fills_lists(struct growing *lists, const int *key, long n)
{
#pragma omp parallel
    {
        struct growing *list = &lists[omp_get_thread_num() * 8];
        struct growing *other = list + 1, *third = list + 2;

#pragma omp for
        for (long i = 0; i < n; i++) {
            if (list->used == list->room) {
                list->room *= 2;
                list->item = realloc(list->item, list->room * sizeof *list->item);
            }
            list->item[list->used++] = key[i];
            if (other->used >= other->room)
                make_room(other);
            other->item[other->used++] = key[i];
            if (third->room < third->used + 1) {
                unsigned more = third->room + 64;

                third->item = realloc(third->item, more * sizeof *third->item);
                third->room = more;
            }
            third->item[third->used++] = key[i];
        }
    }
}

void grows_by_one(struct growing *lists, const int *key, long n)
{
#pragma omp parallel
    {
        struct growing *list = &lists[omp_get_thread_num() * 8];

#pragma omp for
        for (long i = 0; i < n; i++) {
            if (list->used == list->room) {
                list->room += 1;
                list->item = realloc(list->item, list->room * sizeof *list->item); // want: alloc-in-kernel
            }
            list->item[list->used++] = key[i];
        }
    }
}
