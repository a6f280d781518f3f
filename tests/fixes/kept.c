// Faults that no clause mends without a change of what the code means: found, and left as they are.
#include <stdio.h>

enum { N = 4000 };
static double depth[N];
struct Pair {
    double sum, count;
};
double shown;

#define EACH(n) _Pragma("omp parallel for") for (int i = 0; i < (n); i++)

double in_an_element(void)
{
    double sum[2] = {0, 0};
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        sum[0] += depth[i]; // keep: missing-reduction
    return sum[0];
}

double in_a_member(void)
{
    struct Pair pair = {0, 0};
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        pair.sum += depth[i]; // keep: missing-reduction
    return pair.sum;
}

int cut_off_each_time(void)
{
    int sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        sum += depth[i] * 0.5; // keep: missing-reduction
    return sum;
}

int where_the_largest_is(void)
{
    double top = -1;
    int at = 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        if (depth[i] > top) {
            top = depth[i]; // keep: missing-reduction
            at = i;
        }
    return at;
}

double by_two_operators(void)
{
    double sum = 1;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        sum += depth[i]; // keep: missing-reduction
        sum *= 1.5;      // keep: missing-reduction
    }
    return sum;
}

double through_a_pointer(void)
{
    double sum = 0, *also = &sum;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        sum += depth[i]; // keep: missing-reduction
        if (i == N / 2)
            *also = 0;
    }
    return sum;
}

double out_of_a_macro(void)
{
    double sum = 0;
    EACH(N)
    sum += depth[i]; // keep: missing-reduction
    return sum;
}

double read_where_it_is_left_out(void)
{
    double sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        sum += depth[i]; // keep: missing-reduction
#ifdef VERBOSE
        printf("%g\n", sum);
#endif
    }
    return sum;
}

double not_waited_for(void)
{
    double sum = 0;
    #pragma omp parallel
    {
        #pragma omp for nowait
        for (int i = 0; i < N; i++)
            sum += depth[i]; // keep: missing-reduction
    }
    return sum;
}

void show(void)
{
    if (depth[7] > 3)
        printf("%g\n", shown);
}

double seen_by_a_callee(void)
{
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        shown += depth[i]; // keep: missing-reduction
        show();
    }
    return shown;
}

double set_in_a_loop_that_may_not_run(int taps)
{
    double last = 0, out = 0;
    #pragma omp parallel for reduction(+ : out)
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < taps; k++)
            last = depth[i] * k; // keep: missing-private
        out += last;
    }
    return out;
}

int protected_together(void)
{
    int count = 0, steps = 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        #pragma omp critical // keep: atomic-accumulate, lock-per-iteration
        {
            count += 1;
            steps += depth[i] > 2;
        }
    }
    return count + steps;
}

int protected_elsewhere_too(void)
{
    int next = 0, sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        #pragma omp critical(both) // keep: atomic-accumulate, lock-per-iteration
        sum += next;
        #pragma omp critical(both) // keep: lock-per-iteration, atomic-accumulate
        next = i;
    }
    return sum;
}

double in_lanes(void)
{
    double sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < 40; i++) {
        #pragma omp simd
        for (int j = 0; j < 100; j++)
            sum += depth[i * 100 + j]; // keep: missing-reduction
    }
    return sum;
}

int until_one_is_found(void)
{
    int found = 0;
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        if (found < 3)
            found += depth[i] > 9; // keep: missing-reduction
    return found;
}

int main(void)
{
    printf("0\n");
    return 0;
}
