#include "../../pair.h"

enum { WORDS = 200000, BUCKETS = 256 };

static uint64_t *word;
static long *frequency;

void prepare(int threads)
{
    uint64_t state = 13;
    (void)threads;
    word = need(WORDS, sizeof *word);
    frequency = need(BUCKETS, sizeof *frequency);
    for (long i = 0; i < WORDS; i++)
        word[i] = (uint64_t)next_random(&state) << 32 | next_random(&state);
}

static unsigned hash_of(uint64_t text)
{
    unsigned hash = 2166136261u;
    for (int b = 0; b < 8; b++)
        hash = (hash ^ (unsigned)(text >> 8 * b & 255)) * 16777619u;
    return hash;
}

double work(void)
{
    for (int b = 0; b < BUCKETS; b++)
        frequency[b] = 0;
#pragma omp parallel
    {
        long own[BUCKETS] = {0};
#pragma omp for
        for (long i = 0; i < WORDS; i++)
            own[hash_of(word[i]) % BUCKETS] += 1 + (long)(word[i] & 3);
#pragma omp critical
        for (int b = 0; b < BUCKETS; b++)
            frequency[b] += own[b];
    }
    double sum = 0;
    for (int b = 0; b < BUCKETS; b++)
        sum += (b + 1.0) * (double)frequency[b];
    return sum;
}
