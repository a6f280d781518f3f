#include "../../pair.h"

enum { EVENTS = 20000, ROOM = 1 << 16, LINE = 64 };

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
#pragma omp parallel reduction(+ : written)
    {
        char text[ROOM];
        size_t length = 0;
#pragma omp for
        for (long i = 0; i < EVENTS; i++) {
            if (length + LINE > ROOM) {
                fwrite(text, 1, length, out);
                length = 0;
            }
            int put = snprintf(text + length, LINE, "event %ld code %u\n", i, event[i]);
            length += (size_t)put;
            written += put;
        }
        fwrite(text, 1, length, out);
    }
    return (double)written;
}
