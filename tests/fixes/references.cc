// What C++ adds: another name for a variable, and functions that have it at hand.
#include <cstdio>

enum { N = 4000 };
static double depth[N];

struct Gauge {
    double level = 0;
    void fill()
    {
        #pragma omp parallel for
        for (int i = 0; i < N; i++)
            level += depth[i]; // keep: missing-reduction
    }
};

double by_another_name()
{
    double sum = 0;
    double &total = sum;
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        sum += depth[i];         // keep: missing-reduction
        total += 1.0;            // keep: missing-reduction
    }
    return sum;
}

void into_a_reference(double &sum)
{
    #pragma omp parallel for
    for (int i = 0; i < N; i++)
        sum += depth[i]; // keep: missing-reduction
}

static long plain()
{
    long count{0};
    #pragma omp parallel for
    for (int i = 0; i < N; ++i)
        if (depth[i] > 1)
            ++count; // fix: missing-reduction
    return count;
}

static double by_a_lambda()
{
    double sum = 0;
    auto add = [&](double x) { sum += x; }; // keep: missing-reduction
    #pragma omp parallel for
    for (int i = 0; i < N; i++) {
        sum += depth[i]; // keep: missing-reduction
        if (i < 0)
            add(1);
    }
    return sum > 0;
}

int main()
{
    for (int i = 0; i < N; i++)
        depth[i] = (i * 37) % 11;
    std::printf("%ld %g\n", plain(), by_a_lambda());
    return 0;
}
