/* The parts of the page that report_html writes. Text of analysed files goes through html_text or
 * escape_html_character, whatever else stands here is ours. */
#ifndef ANALYZER_REPORT_HTML_H
#define ANALYZER_REPORT_HTML_H

#include "analyzer/report/report.h"

/* html/page.css and html/page.js, and the hashes by which the page allows them and nothing else.
 * Written at build time by cmake/page_assets.cmake. */
extern const char html_style[], html_style_hash[];
extern const char html_script[], html_script_hash[];

/* A text, or a place as PATH:LINE, escaped. */
void html_text(Text *out, const char *string);
void html_place(Text *out, const RunReport *report, const Region *region);

/* The lines of a region with two lines around them, numbered; the region is marked. */
void html_excerpt(Text *out, const Region *region);

/* The first line of a region alone, numbered and marked: a loop that is a step on the way. */
void html_first_line(Text *out, const Region *region);

/* The fix as a diff; nothing where it is advice only. */
void html_diff(Text *out, Arena *arena, const Fix *fix);

/* The curve over threads as a figure with its figures in a table; nothing where there are fewer
 * than two points. `id` is what its parts are called by, unique in the page. */
void html_curve(Text *out, const Finding *finding, const char *id);

/* "1 and 2", "1, 2 and 4": threads at which the curve was measured. Returns how many. */
unsigned html_measured_threads(Text *out, const Finding *finding);

#endif
