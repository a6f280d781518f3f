#include "../../pair.h"

#include <omp.h>

enum { SIDE = 512, PLANE = SIDE * SIDE, FRAMES = 8 };

static unsigned char *rgb;
static float *planes;
static double contrast[FRAMES];

void prepare(int threads)
{
    uint64_t state = 22;
    planes = need((size_t)threads * PLANE * 3, sizeof *planes);
    rgb = need((size_t)FRAMES * PLANE * 3, 1);
    for (long i = 0; i < (long)FRAMES * PLANE * 3; i++)
        rgb[i] = (unsigned char)(next_random(&state) >> 24);
}

double work(void)
{
#pragma omp parallel
    {
        float *red = planes + 3l * PLANE * omp_get_thread_num();
        float *green = red + PLANE, *blue = green + PLANE;
#pragma omp for
        for (long f = 0; f < FRAMES; f++) {
            for (long p = 0; p < PLANE; p++) {
                const unsigned char *pixel = rgb + (f * PLANE + p) * 3;
                red[p] = pixel[0];
                green[p] = pixel[1];
                blue[p] = pixel[2];
            }
            double sum = 0;
            for (long p = 1; p < PLANE; p++)
                sum += (red[p] - red[p - 1]) * (green[p] - green[p - 1]) + blue[p];
            contrast[f] = sum;
        }
    }
    double sum = 0;
    for (long f = 0; f < FRAMES; f++)
        sum += contrast[f];
    return sum;
}
