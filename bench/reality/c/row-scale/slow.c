// claim: region-in-hot-loop: a team for each row of a matrix, to scale it by its largest element
#include "../../pair.h"

enum { ROWS = 300, COLUMNS = 1500 };

static double (*table)[COLUMNS];
static double (*scaled)[COLUMNS];

void prepare(int threads)
{
    uint64_t state = 25;
    (void)threads;
    table = need(ROWS, sizeof *table);
    scaled = need(ROWS, sizeof *scaled);
    for (long r = 0; r < ROWS; r++)
        for (long c = 0; c < COLUMNS; c++)
            table[r][c] = 1 + next_unit(&state);
}

double work(void)
{
    for (long r = 0; r < ROWS; r++) {
        double by = 1 / table[r][r];
#pragma omp parallel for
        for (long c = 0; c < COLUMNS; c++)
            scaled[r][c] = table[r][c] * by;
    }
    double sum = 0;
    for (long r = 0; r < ROWS; r++)
        sum += scaled[r][r + 1];
    return sum;
}
