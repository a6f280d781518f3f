/* Cases of reduction-as-scratch in C: reduction variables that are used for more than the one operation, and the uses that
 * are right. */
#include <math.h>
#include <stdio.h>

/* ---- used inside ---- */

long next_place(const double *load, long n, long *busy)
{
    long used = 0;

    #pragma omp parallel for reduction(+ : used)
    for (long i = 0; i < n; i++)
        if (load[i] > 0.9)
            busy[used++] = i; // want: reduction-as-scratch
    return used;
}

long place_then_step(const double *load, long n, long *busy)
{
    long used = 0;

    #pragma omp parallel for reduction(+ : used)
    for (long i = 0; i < n; i++) {
        if (load[i] > 0.9) {
            busy[used] = i; // want: reduction-as-scratch
            used += 1;
        }
    }
    return used;
}

double running_total(const double *load, long n, double *out)
{
    double total = 0.0;

    #pragma omp parallel for reduction(+ : total)
    for (long i = 0; i < n; i++) {
        total += load[i];
        out[i] = total; // want: reduction-as-scratch
    }
    return total;
}

double sum_of_each_row(const double *load, long rows, long cols, double *out)
{
    double sum = 0.0;

    #pragma omp parallel for reduction(+ : sum)
    for (long r = 0; r < rows; r++) {
        sum = 0.0; // want: reduction-as-scratch
        for (long c = 0; c < cols; c++)
            sum += load[r * cols + c];
        out[r] = sum;
    }
    return sum;
}

double second_operator(const double *load, long n)
{
    double total = 0.0;

    #pragma omp parallel for reduction(+ : total)
    for (long i = 0; i < n; i++) {
        total += load[i];
        total *= 0.5; // want: reduction-as-scratch
    }
    return total;
}

double reset_at_a_limit(const double *load, long n)
{
    double total = 0.0;

    #pragma omp parallel for reduction(+ : total)
    for (long i = 0; i < n; i++) {
        total += load[i];
        if (total > 100.0) // want: reduction-as-scratch
            total = 0.0;
    }
    return total;
}

double on_the_region(const double *load, long n, double *out)
{
    double total = 0.0;

    #pragma omp parallel reduction(+ : total)
    {
        #pragma omp for
        for (long i = 0; i < n; i++) {
            total = total + load[i];
            out[i] = sqrt(total); // want: reduction-as-scratch
        }
    }
    return total;
}

double sum_and_product(const double *load, long n, double *share)
{
    double total = 0.0, product = 1.0;

    #pragma omp parallel for reduction(+ : total) reduction(* : product)
    for (long i = 0; i < n; i++) {
        total += load[i];
        product *= 1.0 + load[i] / total; // want: reduction-as-scratch
    }
    *share = product;
    return total;
}

/* ---- silent ---- */

double updates_only(const double *load, long n, double *low, double *high, long *some)
{
    double total = 0.0, rest = 0.0, product = 1.0, top = -INFINITY, bottom = INFINITY;
    long count = 0;

    #pragma omp parallel for reduction(+ : total, count) reduction(- : rest) reduction(* : product) \
        reduction(max : top) reduction(min : bottom)
    for (long i = 0; i < n; i++) {
        total = total + load[i] * load[i];
        total -= 1.0;
        rest -= load[i];
        product *= load[i];
        if (load[i] > top)
            top = load[i];
        bottom = fmin(bottom, load[i]);
        if (load[i] > 0.0)
            count++;
    }
    *low = bottom;
    *high = top;
    *some = count;
    return total + rest + product;
}

int flags(const double *load, long n)
{
    int ok = 1, any = 0, bad = 0;

    #pragma omp parallel for reduction(&& : ok) reduction(|| : any) reduction(+ : bad)
    for (long i = 0; i < n; i++) {
        if (load[i] < 0.0)
            ok = 0;
        any = any || load[i] > 1.0;
        if (isnan(load[i]))
            bad = 1;
    }
    return ok + any + bad;
}

int leaves_early(const double *load, long n, double *out)
{
    int errors = 0;
    double worst = 0.0;

    #pragma omp parallel for reduction(+ : errors) reduction(max : worst)
    for (long i = 0; i < n; i++) {
        if (errors)
            continue;
        if (worst > 10.0)
            continue;
        out[i] = sqrt(load[i]);
        if (isnan(out[i]))
            errors++;
        worst = out[i] > worst ? out[i] : worst;
    }
    return errors;
}

double part_of_a_thread(const double *load, long n, double *part, int thread)
{
    double total = 0.0;

    #pragma omp parallel reduction(+ : total)
    {
        total = 0.0;
        #pragma omp for
        for (long i = 0; i < n; i++)
            total += load[i];
        printf("part %g\n", total);
    }
    part[thread] = total;
    return total;
}

double by_scan(const double *load, long n, double *out)
{
    double total = 0.0;

    #pragma omp parallel for reduction(inscan, + : total)
    for (long i = 0; i < n; i++) {
        total += load[i];
        #pragma omp scan inclusive(total)
        out[i] = total;
    }
    return total;
}

void sections_of_arrays(const int *bin, long n, long *count)
{
    #pragma omp parallel for reduction(+ : count[:16])
    for (long i = 0; i < n; i++) {
        count[bin[i]]++;
        if (count[0] > 5)
            count[1] += 2;
    }
}

double own_variable(const double *load, long rows, long cols, double *out)
{
    double total = 0.0;

    #pragma omp parallel for reduction(+ : total)
    for (long r = 0; r < rows; r++) {
        double sum = 0.0;

        #pragma omp simd reduction(+ : sum)
        for (long c = 0; c < cols; c++)
            sum += load[r * cols + c];
        out[r] = sum;
        total += sum;
    }
    return total;
}

double progress(const double *load, long n)
{
    double total = 0.0;

    #pragma omp parallel for reduction(+ : total)
    for (long i = 0; i < n; i++) {
        total += load[i];
        if (i % 100000 == 0)
            printf("%ld %g\n", i, total); // may: hidden-lock
    }
    return total;
}

/* ---- set in front of the loop, inside the region ---- */

double set_by_the_master(const double *load, long n)
{
    double total;

    #pragma omp parallel
    {
        #pragma omp master
        total = 0.0; // want: reduction-as-scratch
        #pragma omp for reduction(+ : total)
        for (long i = 0; i < n; i++)
            total += load[i];
    }
    return total;
}

void set_by_each(const double *load, double *out, long n, int rounds)
{
    double total = 0.0;
    long used = 0;

    #pragma omp parallel
    for (int round = 0; round < rounds; round++) {
        double scale = round;

        #pragma omp single nowait
        used = 0; // want: reduction-as-scratch
        total = 0.0; // want: reduction-as-scratch
        scale *= 2;
        #pragma omp for reduction(+ : total, used)
        for (long i = 0; i < n; i++) {
            total += load[i] * scale;
            used += load[i] > 0;
        }
        #pragma omp single
        out[round] = total * (double)used;
    }
}

void set_in_time(const double *load, double *out, long n, int rounds)
{
    double total = 0.0, most = 0.0, least = 0.0;

    #pragma omp parallel
    for (int round = 0; round < rounds; round++) {
        #pragma omp single
        total = 0.0;
        #pragma omp for reduction(+ : total)
        for (long i = 0; i < n; i++)
            total += load[i];
        #pragma omp master
        {
            out[round] = total;
            most = 0.0;
            least = 1e9;
        }
        #pragma omp barrier
        #pragma omp for reduction(max : most) reduction(min : least)
        for (long i = 0; i < n; i++) {
            most = load[i] > most ? load[i] : most;
            least = load[i] < least ? load[i] : least;
        }
        #pragma omp single
        out[round] += most - least;
    }
}

static double larger(double a, double b)
{
    if (a > b)
        return a;
    return b;
}

static double smaller(double a, double b)
{
    return b < a ? b : a;
}

static double cut(double sum, double by)
{
    if (sum < 0)
        return 0;
    return sum - by;
}

double spread(const double *x, long n)
{
    double most = -1e9, least = 1e9, left = 0;

    #pragma omp parallel for reduction(max : most, left) reduction(min : least)
    for (long i = 0; i < n; i++) {
        most = larger(most, x[i]);
        least = smaller(x[i], least);
        left = cut(left, x[i]); // want: reduction-as-scratch
    }
    return most - least + left;
}

/* A thread's iterations come in order: its last one is its largest. */
int last_bad(const double *x, int n)
{
    int bad = 0, last = -1;

    #pragma omp parallel for reduction(+ : bad) reduction(max : last)
    for (int i = 0; i < n; i++)
        if (x[i] < 0) {
            bad++;
            last = i;
        }
    return bad > 0 ? last : -1;
}

int first_bad(const double *x, int n)
{
    int first = n;

    #pragma omp parallel for reduction(min : first)
    for (int i = n - 1; i >= 0; i--)
        if (x[i] < 0)
            first = i;
    return first;
}

/* The other way round it is the last one of each thread: which one is smallest depends. */
int first_bad_of_last(const double *x, int n)
{
    int first = n;

    #pragma omp parallel for reduction(min : first)
    for (int i = 0; i < n; i++)
        if (x[i] < 0)
            first = i; // want: reduction-as-scratch
    return first;
}
