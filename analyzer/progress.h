/* The line on a terminal that says how far measuring is and how long it will take. */
#ifndef ANALYZER_PROGRESS_H
#define ANALYZER_PROGRESS_H

#include "analyzer/number/verdict.h"

#include <stdio.h>

typedef struct Progress {
    FILE *out;
    int width; /* columns of the terminal, 0 unknown */
    bool colour;
    bool shown; /* something stands on the line */
} Progress;

/* What takes less is over before anybody has read it. */
#define PROGRESS_FROM_SECONDS 0.5

/* A VerdictOptions.progress; `data` is a Progress. Writes over the line where something stands
 * already, and clears it at the end. */
void progress_show(void *data, const VerdictProgress *progress);

#endif
