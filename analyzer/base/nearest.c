#include "analyzer/base/nearest.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST = 64 };

/* Insertions, deletions, replacements and swapped neighbours. */
static unsigned edit_distance(const char *a, const char *b)
{
    size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a > LONGEST || length_b > LONGEST)
        return UINT_MAX;
    unsigned rows[3][LONGEST + 1];
    for (size_t j = 0; j <= length_b; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= length_a; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= length_b; j++) {
            unsigned best = above[j - 1] + (a[i - 1] != b[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[length_a % 3][length_b];
}

Nearest nearest_to(const char *word)
{
    /* Up to a third of the letters may be wrong. */
    return (Nearest){word, NULL, (unsigned)(strlen(word) / 3 + 2)};
}

void nearest_try(Nearest *nearest, const char *candidate)
{
    unsigned distance = edit_distance(nearest->word, candidate);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = candidate;
    }
}
