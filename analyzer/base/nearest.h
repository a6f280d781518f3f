/* "Did you mean …?": the known word that is nearest to a mistyped one. */
#ifndef ANALYZER_BASE_NEAREST_H
#define ANALYZER_BASE_NEAREST_H

typedef struct Nearest {
    const char *word; /* what was typed */
    const char *best; /* NULL while nothing near was seen; the first of equals stays */
    unsigned distance;
} Nearest;

Nearest nearest_to(const char *word);
void nearest_try(Nearest *nearest, const char *candidate);

#endif
