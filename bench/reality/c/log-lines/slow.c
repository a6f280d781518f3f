// claim: hidden-lock: a line of a log per event, on one stream
#include "../../pair.h"

enum { EVENTS = 20000 };

static FILE *out;
static unsigned *event;

void prepare(int threads)
{
    uint64_t state = 18;
    (void)threads;
    out = fopen("/dev/null", "w");
    event = need(EVENTS, sizeof *event);
    for (long i = 0; i < EVENTS; i++)
        event[i] = next_random(&state) >> 16;
}

double work(void)
{
    long written = 0;
#pragma omp parallel for reduction(+ : written)
    for (long i = 0; i < EVENTS; i++)
        written += fprintf(out, "event %ld code %u\n", i, event[i]);
    return (double)written;
}
