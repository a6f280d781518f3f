#include "../../pair.h"

#include <pthread.h>

enum { PACKETS = 400000, MOST = 64 };

struct packet {
    unsigned char header[20];
};

struct share {
    long first, stop;
};

static struct packet *packet;
static int team;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

void prepare(int threads)
{
    uint64_t state = 12;
    team = threads;
    packet = need(PACKETS, sizeof *packet);
    for (long i = 0; i < PACKETS; i++)
        for (int b = 0; b < 20; b++)
            packet[i].header[b] = (unsigned char)(next_random(&state) >> 24);
}

static long length_of(const struct packet *p)
{
    unsigned sum = 0;
    for (int b = 0; b < 20; b += 2)
        sum += (unsigned)p->header[b] << 8 | p->header[b + 1];
    return (long)(sum & 2047);
}

static void *count(void *argument)
{
    const struct share *share = argument;
    long sum = 0;
    for (long i = share->first; i < share->stop; i++)
        sum += length_of(&packet[i]);
    pthread_mutex_lock(&lock);
    total += sum;
    pthread_mutex_unlock(&lock);
    return NULL;
}

double work(void)
{
    pthread_t thread[MOST];
    struct share share[MOST];
    total = 0;
    for (int t = 0; t < team; t++) {
        share[t] = (struct share){PACKETS / team * t, PACKETS / team * (t + 1)};
        pthread_create(&thread[t], NULL, count, &share[t]);
    }
    for (int t = 0; t < team; t++)
        pthread_join(thread[t], NULL);
    return (double)total;
}
