// claim: adjacent-slots: running statistics of each thread in structs of 32 bytes
#include "../../pair.h"

#include <omp.h>

enum { READINGS = 200000 };

struct stats {
    long count, sum, lowest, highest;
};

static int *reading;
static struct stats *stats;

void prepare(int threads)
{
    uint64_t state = 5;
    (void)threads;
    reading = need(READINGS, sizeof *reading);
    stats = aligned_alloc(128, 64 * 128);
    for (long i = 0; i < READINGS; i++)
        reading[i] = (int)(next_random(&state) >> 12);
}

static void add_reading(struct stats *s, int value)
{
    if (value % 2 != 0)
        return;
    s->count++;
    s->sum += value;
    if (value < s->lowest)
        s->lowest = value;
    if (value > s->highest)
        s->highest = value;
}

double work(void)
{
    for (int t = 0; t < 64; t++)
        stats[t] = (struct stats){.lowest = 1 << 30};
#pragma omp parallel
    {
        struct stats *mine = &stats[omp_get_thread_num()];
#pragma omp for
        for (long i = 0; i < READINGS; i++)
            add_reading(mine, reading[i]);
    }
    double sum = 0;
    long lowest = 1 << 30, highest = 0;
    for (int t = 0; t < 64; t++) {
        sum += (double)stats[t].sum + 3.0 * (double)stats[t].count;
        lowest = stats[t].lowest < lowest ? stats[t].lowest : lowest;
        highest = stats[t].highest > highest ? stats[t].highest : highest;
    }
    return sum + (double)lowest + (double)highest;
}
