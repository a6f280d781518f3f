#include "../../pair.h"

#include <pthread.h>

enum { REQUESTS = 1000000, SETS = 1024, MOST = 64 };

struct worker {
    _Alignas(128) long first;
    long stop;
    long hits, misses;
};

static uint32_t *address;
static uint32_t tags[SETS];
static int team;

void prepare(int threads)
{
    uint64_t state = 2;
    team = threads;
    address = need(REQUESTS, sizeof *address);
    for (long i = 0; i < REQUESTS; i++)
        address[i] = next_random(&state) >> 16;
    for (int s = 0; s < SETS; s++)
        tags[s] = next_random(&state) & 31;
}

static void *serve(void *argument)
{
    struct worker *me = argument;
    for (long i = me->first; i < me->stop; i++) {
        uint32_t a = address[i];
        if (tags[a % SETS] <= (a >> 11))
            me->hits++;
        else
            me->misses++;
    }
    return NULL;
}

double work(void)
{
    pthread_t thread[MOST];
    struct worker worker[MOST];
    for (int t = 0; t < team; t++) {
        worker[t] = (struct worker){REQUESTS / team * t, REQUESTS / team * (t + 1), 0, 0};
        pthread_create(&thread[t], NULL, serve, &worker[t]);
    }
    double sum = 0;
    for (int t = 0; t < team; t++) {
        pthread_join(thread[t], NULL);
        sum += (double)worker[t].hits + 3.0 * (double)worker[t].misses;
    }
    return sum;
}
