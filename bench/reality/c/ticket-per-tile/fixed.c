#include "../../pair.h"

#include <pthread.h>
#include <stdatomic.h>

enum { PIXELS = 200000, MOST = 64 };

static atomic_long next_pixel;
static unsigned char *shade;
static int team;

void prepare(int threads)
{
    team = threads;
    shade = need(PIXELS, 1);
}

static unsigned char shade_of(long pixel)
{
    double x = (double)(pixel % 500) / 250 - 1.5, y = (double)(pixel / 500) / 200 - 1, u = 0, v = 0;
    int turns = 0;
    for (; turns < 12 && u * u + v * v < 4; turns++) {
        double w = u * u - v * v + x;
        v = 2 * u * v + y;
        u = w;
    }
    return (unsigned char)turns;
}

static void *draw(void *unused)
{
    long pixel;
    (void)unused;
    while ((pixel = atomic_fetch_add(&next_pixel, 500)) < PIXELS)
        for (long end = pixel + 500; pixel < end; pixel++)
            shade[pixel] = shade_of(pixel);
    return NULL;
}

double work(void)
{
    pthread_t thread[MOST];
    next_pixel = 0;
    for (int t = 0; t < team; t++)
        pthread_create(&thread[t], NULL, draw, NULL);
    for (int t = 0; t < team; t++)
        pthread_join(thread[t], NULL);
    double sum = 0;
    for (long i = 0; i < PIXELS; i++)
        sum += shade[i];
    return sum;
}
