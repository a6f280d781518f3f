/* Safe fixes of the shown findings, put together: the new text of each file, or the patch that
 * makes it. */
#ifndef ANALYZER_REPORT_FIX_H
#define ANALYZER_REPORT_FIX_H

#include "analyzer/base/text.h"
#include "analyzer/report/report.h"

typedef struct FixedFile {
    const Source *source;
    LIST(Edit) edits; /* sorted, none overlaps another */
} FixedFile;

typedef LIST(FixedFile) FixedFiles;

/* The first safe fix with edits of each shown finding that was not refuted. One that touches what
 * an earlier one changes waits for the next run, and so does one in a file that is not among
 * `units` (a header that was only included). Returns how many findings are fixed. */
uint32_t fix_choose(const RunReport *report, Arena *arena, Unit *const *units, uint32_t unit_count,
                    FixedFiles *files);

/* The files that one fix changes, as if it were the only one. */
void fix_alone(const Fix *fix, Arena *arena, FixedFiles *files);

/* Appends the file with its edits made. */
void fix_apply(const FixedFile *file, Text *out);

/* Appends a unified diff with three lines of context, for `patch -p1` and `git apply`. */
void fix_diff(const FixedFile *file, Text *out);

#endif
