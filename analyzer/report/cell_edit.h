/* Edits of the program that a notebook's cells form, as edits of the notebook's file. */
#ifndef ANALYZER_REPORT_CELL_EDIT_H
#define ANALYZER_REPORT_CELL_EDIT_H

#include "analyzer/report/finding.h"

/* Makes the edits of a fix that lie in cells edits of the file; a file's own edits stay as they
 * are. What cannot be written there (an edit over two cells, over a magic, or in front of a cell's
 * magic) leaves the fix without edits: advice. */
void cell_edit_fix(Arena *arena, Fix *fix);

#endif
