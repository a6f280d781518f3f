/* Truth: glibc 2.36: which calls take a lock, by reading its source. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void shake(double *x, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] += (double)random() / RAND_MAX; // want: hidden-lock
}

/* Two calls of one function on a line are one finding. */
long hits(long n)
{
    long inside = 0;
    #pragma omp parallel for reduction(+:inside)
    for (long i = 0; i < n; i++) {
        double x = rand() / (RAND_MAX + 1.0), y = rand() / (RAND_MAX + 1.0); // want: hidden-lock
        inside += x * x + y * y < 1;
    }
    return inside;
}

/* What ends the program is called once; what returns where all is well is called each time. */
static void die(const char *text, int line)
{
    fprintf(stderr, "%s (line %d)\n", text, line);
    exit(1);
}

static void die_again(const char *text)
{
    puts(text);
    die(text, __LINE__);
}

static void tell_unless(int well, const char *text)
{
    printf("%s\n", text); // want: hidden-lock
    if (well)
        return;
    exit(1);
}

static double by_kind(double x, int kind)
{
    switch (kind) {
    case 0:
        return x;
    case 1:
        die("no such kind", __LINE__);
        return 0;
    default:
        die_again("no kind");
    }
    return 1 / x;
}

void kinds(double *x, int kind, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        x[i] = by_kind(x[i], kind);
        tell_unless(kind < 3, "kind");
    }
}

/* A short row, but one of many. */
void print_rows(const double *x, long rows)
{
    #pragma omp parallel
    for (long r = 0; r < rows; r++) {
        #pragma omp for
        for (int c = 0; c < 40; c++)
            printf("%ld %d %g\n", r, c, x[r * 40 + c]); // want: hidden-lock
    }
}

void print_row(const double *x)
{
    #pragma omp parallel for
    for (int c = 0; c < 40; c++)
        printf("%d %g\n", c, x[c]);
}

static double noise(void)
{
    return drand48() - 0.5; // want: hidden-lock
}

void add_noise(double *x, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] += noise();
}

void write_points(FILE *out, const double *x, long n)
{
    #pragma omp parallel
    {
        #pragma omp for
        for (long i = 0; i < n; i++)
            fprintf(out, "%g\n", x[i]); // want: hidden-lock
    }
}

void print_primes(long n)
{
    #pragma omp parallel for
    for (long i = 3; i < n; i += 2) {
        int prime = 1;
        for (long d = 3; d * d <= i; d += 2)
            if (i % d == 0) {
                prime = 0;
                break;
            }
        if (prime)
            printf("%ld\n", i); // want: hidden-lock
    }
}

void hours(const time_t *when, int *hour, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        struct tm parts;
        localtime_r(&when[i], &parts); // want: hidden-lock
        hour[i] = parts.tm_hour;
    }
}

void scale_by_environment(double *x, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        x[i] *= getenv("HALF") != NULL ? 0.5 : 1.0; // want: hidden-lock
}

void words(char **line, int *count, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        for (char *word = strtok(line[i], " "); word != NULL; word = strtok(NULL, " ")) // want: hidden-lock
            count[i]++;
}

/* ---- silent */

void shake_apart(double *x, long n)
{
    #pragma omp parallel
    {
        unsigned seed = 7u + (unsigned)omp_get_thread_num();

        #pragma omp for
        for (long i = 0; i < n; i++)
            x[i] += (double)rand_r(&seed) / RAND_MAX;
    }
}

void seed_and_tell(double *x, long n)
{
    #pragma omp parallel
    {
        unsigned short state[3] = {1, 2, (unsigned short)rand()};

        printf("thread %d starts\n", omp_get_thread_num());
        #pragma omp for
        for (long i = 0; i < n; i++)
            x[i] += erand48(state);
    }
}

int check_samples(const double *x, long n)
{
    int wrong = 0;

    #pragma omp parallel for reduction(+ : wrong)
    for (long i = 0; i < n; i++) {
        if (x[i] < 0) {
            fprintf(stderr, "sample %ld is %g\n", i, x[i]);
            wrong++;
        }
    }
    return wrong;
}

void progress(double *x, long n, int verbose)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        x[i] = sqrt(x[i]);
        if (i % 1000 == 0)
            printf("%ld\n", i);
        if (verbose)
            printf("x[%ld] = %g\n", i, x[i]);
    }
}

void one_file_each(const double *x, int files, long n)
{
    #pragma omp parallel for
    for (int f = 0; f < files; f++) {
        char name[32];
        snprintf(name, sizeof name, "part-%d", f);
        FILE *out = fopen(name, "w");
        if (out == NULL)
            continue;
        for (long i = 0; i < n; i++)
            fprintf(out, "%g\n", x[f * n + i]);
        fclose(out);
    }
}

void greet(int n)
{
    #pragma omp parallel
    {
        #pragma omp single
        for (int i = 0; i < n; i++)
            printf("%d\n", i);
    }
}

void long_jobs(double *x, long n)
{
    #pragma omp parallel for schedule(dynamic)
    for (long i = 0; i < n; i++) {
        double s = 0.0;
        for (long k = 1; k < 1000000; k++)
            s += pow(1.0 / (double)k, (double)i);
        x[i] = s;
        printf("%ld done\n", i);
    }
}

extern int kind;

static unsigned pick(const unsigned *hash, unsigned n)
{
    if (kind == 64)
        return hash[0] % n;
    else if (kind == 128)
        return hash[1] % n;
    else
        fprintf(stderr, "no hash of this kind\n");
    return 0;
}

void fill(unsigned *out, const unsigned *hash, unsigned n)
{
    #pragma omp parallel for
    for (unsigned i = 0; i < n; i++)
        out[i] = pick(hash + i, n);
}

/* A function that tells an error, called where one has happened. */
static void warn(const char *text, const char *file, int line)
{
    fprintf(stderr, "%s in %s, line %d\n", text, file, line);
}

static unsigned next_number(unsigned a, unsigned b)
{
    unsigned sum = a + b;

    if (sum < a)
        warn("overflow", __FILE__, __LINE__);
    return sum;
}

void offsets(const unsigned *x, unsigned *out, unsigned by, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        out[i] = next_number(x[i], by);
}

/* Called each time, it is no error. */
static void tell(long i)
{
    fprintf(stderr, "%ld\n", i); // want: hidden-lock
}

void told_each_time(const double *x, double *out, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        out[i] = x[i] * x[i];
        tell(i);
    }
}

/* Behind a search that returns what it finds: only where it finds nothing. */
static int place_of(const int *keys, int n, int key)
{
    for (int i = 0; i < n; i++)
        if (keys[i] == key)
            return i;
    fprintf(stderr, "no such key\n");
    return -1;
}

void places(const int *keys, int n, const int *wanted, int *out, long m)
{
#pragma omp parallel for
    for (long i = 0; i < m; i++)
        out[i] = place_of(keys, n, wanted[i]);
}

/* A number that is exactly 0 is one that could not be used; two counts may well be equal. */
void invert(double *diagonal, const int *row, const int *rank, double *out, long n)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        if (diagonal[i] == 0.0) {
            printf("row %ld is empty\n", i);
            diagonal[i] = 1;
        }
        out[i] = 1 / diagonal[i];
    }
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        if (row[i] == rank[i])
            printf("%ld %d\n", i, row[i]); // want: hidden-lock
        out[i] += row[i];
    }
}

/* A kind that no case is for is told, and there is none. */
static double weight_of(int kind, double x)
{
    double weight = 0;

    switch (kind) {
    case 1:
        weight = x;
        break;
    case 2:
        weight = x * x;
        break;
    default:
        weight = 1;
        printf("kind %d is not known\n", kind);
    }
    return weight;
}

static double side_of(const double *at, int kind)
{
    if (kind == 0)
        return at[0];
    else if (kind == 1 || kind == 3)
        return at[1];
    else
        printf("kind %d is not known\n", kind);
    return 0;
}

static double inverse(double x)
{
    if (x * x < 1e-12)
        printf("*** WARNING: %g is small\n", x);
    return 1 / x;
}

void weigh(const double *at, const int *kind, double *out, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        out[i] = weight_of(kind[i], at[i]) + side_of(at + i, kind[i]) + inverse(at[i]);
}

/* All cases print: the default is one of them. */
void list(const int *kind, const double *error, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        switch (kind[i]) {
        case 1:
            printf("%ld: one\n", i); // want: hidden-lock
            break;
        case 2:
            printf("%ld: two\n", i); // want: hidden-lock
            break;
        default:
            printf("%ld: many\n", i); // want: hidden-lock
        }
        if (error[i] < error[0])
            printf("error %g\n", error[i]); // want: hidden-lock
    }
}

/* The second case runs into the default. */
void list_some(const int *kind, int *out, long n)
{
    #pragma omp parallel for
    for (long i = 0; i < n; i++)
        switch (kind[i]) {
        case 1:
            out[i] = 1;
            break;
        case 2:
            out[i] = 2;
        default:
            printf("%ld: %d\n", i, kind[i]); // want: hidden-lock
        }
}
