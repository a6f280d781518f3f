/* What the printers for people share. */
#ifndef ANALYZER_REPORT_TEXT_H
#define ANALYZER_REPORT_TEXT_H

#include "analyzer/report/report.h"

typedef enum TextColour {
    TEXT_RESET,
    TEXT_BOLD,
    TEXT_DIM,
    TEXT_RED,
    TEXT_YELLOW,
    TEXT_CYAN,
    TEXT_GREEN
} TextColour;

/* The SGR sequence, "" where the style has no colours. */
const char *text_colour(const ReportStyle *style, TextColour colour);
TextColour text_colour_of(Severity severity);

/* As many digits as a ratio of times is good for: 1.07, 2.9, 47. */
void text_ratio(Text *out, double ratio);

/* Where a region starts: "a.py:5:1", in a notebook "a.ipynb:cell 3:5:1"; without the column, where
 * it is not asked for. */
void text_place(Text *out, const Region *region, bool column);

/* A text of an analysed file, for a terminal. */
void text_escaped(Text *out, const char *string);

#endif
