// claim: lock-per-iteration: one lock around a table of words, taken for every word
#include "../../pair.h"

#include <omp.h>

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
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (int b = 0; b < BUCKETS; b++)
        frequency[b] = 0;
#pragma omp parallel for
    for (long i = 0; i < WORDS; i++) {
        unsigned bucket = hash_of(word[i]) % BUCKETS;
        omp_set_lock(&lock);
        frequency[bucket] += 1 + (long)(word[i] & 3);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    double sum = 0;
    for (int b = 0; b < BUCKETS; b++)
        sum += (b + 1.0) * (double)frequency[b];
    return sum;
}
