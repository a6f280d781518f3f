// claim: shared-atomic: a reference to one configuration is taken and dropped for every request
#include "../../pair.h"

#include <stdatomic.h>

enum { REQUESTS = 200000 };

struct config {
    atomic_long references;
    int limit, weight[16];
};

static struct config config = {.references = 1, .limit = 700};
static int *request;

void prepare(int threads)
{
    uint64_t state = 15;
    (void)threads;
    request = need(REQUESTS, sizeof *request);
    for (long i = 0; i < REQUESTS; i++)
        request[i] = (int)(next_random(&state) >> 22);
    for (int k = 0; k < 16; k++)
        config.weight[k] = (int)(next_random(&state) >> 28);
}

static void config_ref(struct config *c)
{
    atomic_fetch_add(&c->references, 1);
}

static void config_unref(struct config *c)
{
    atomic_fetch_sub(&c->references, 1);
}

static int price(const struct config *c, int r)
{
    int sum = 0;
    for (int k = 0; k < 16; k++)
        sum += c->weight[k] * (r >> (k & 7) & 3);
    return r > c->limit ? 2 * sum : sum;
}

double work(void)
{
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < REQUESTS; i++) {
        config_ref(&config);
        sum += price(&config, request[i]);
        config_unref(&config);
    }
    return (double)sum;
}
