#include "../../pair.h"

#include <pthread.h>

enum { JOBS = 200000, MOST = 64, BATCH = 1000 };

struct job {
    int a, b, rounds;
};

struct queue {
    pthread_mutex_t lock;
    long next;
    const struct job *jobs;
};

static struct queue queue = {PTHREAD_MUTEX_INITIALIZER, 0, NULL};
static long *answer;
static int team;

void prepare(int threads)
{
    uint64_t state = 14;
    team = threads;
    answer = need(JOBS, sizeof *answer);
    struct job *jobs = need(JOBS, sizeof *jobs);
    for (long i = 0; i < JOBS; i++)
        jobs[i] =
            (struct job){(int)(next_random(&state) >> 20), (int)(next_random(&state) >> 20), 20};
    queue.jobs = jobs;
}

static long solve(const struct job *job)
{
    unsigned a = (unsigned)job->a, b = (unsigned)job->b;
    for (int r = 0; r < job->rounds; r++) {
        a = a * 1664525u + b;
        b ^= a >> 13;
    }
    return (long)(a & 65535);
}

static void *run(void *argument)
{
    struct queue *q = argument;
    for (;;) {
        pthread_mutex_lock(&q->lock);
        long at = q->next;
        q->next += BATCH;
        pthread_mutex_unlock(&q->lock);
        if (at >= JOBS)
            return NULL;
        for (long i = at; i < at + BATCH; i++)
            answer[i] = solve(&q->jobs[i]);
    }
}

double work(void)
{
    pthread_t thread[MOST];
    queue.next = 0;
    for (int t = 0; t < team; t++)
        pthread_create(&thread[t], NULL, run, &queue);
    for (int t = 0; t < team; t++)
        pthread_join(thread[t], NULL);
    double sum = 0;
    for (long i = 0; i < JOBS; i++)
        sum += (double)answer[i];
    return sum;
}
