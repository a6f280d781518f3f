#include "analyzer/number/scaling.h"

#include <math.h>

#include "analyzer/number/predict.h"

/* 1, 2, 3, 4, 6, 8, 12, ...: two steps an octave are as close as a curve of this width can show. */
static int step_after(int threads)
{
    int octave = 1;
    while (2 * octave <= threads)
        octave *= 2;
    int between = octave + octave / 2;
    return threads < between ? between : 2 * octave;
}

static void add_point(Finding *finding, Arena *arena, const Machine *machine, int threads)
{
    Exposure exposure = finding->exposure;
    exposure.threads = threads;
    double slowdown = predict_slowdown(finding, machine, &exposure);
    ScalingPoint point = {.threads = threads};
    point.predicted = isfinite(slowdown) && slowdown > 0 ? slowdown : 0;
    LIST_PUSH(arena, &finding->scaling, point);
}

void scaling_predict(Finding *finding, Arena *arena, const Machine *machine, int cores)
{
    int most = finding->predicted_threads;
    finding->scaling.count = 0;
    if (finding->predicted <= 0 || finding->rule->predict == NULL || most < 1)
        return;
    for (int threads = 1; threads <= most;) {
        add_point(finding, arena, machine, threads);
        int next = threads == most ? most + 1 : step_after(threads);
        if (threads < most && next > most)
            next = most;
        threads = threads < cores && cores < next ? cores : next;
    }
}
