/* Puts a new text in the place of a file that was read, or leaves it as it was. */
#ifndef ANALYZER_REWRITE_H
#define ANALYZER_REWRITE_H

#include "analyzer/tree/source.h"

/* NULL, or why the file was not written (static text). A file that changed since it was read is
 * left alone; a link stays a link; mode bits are kept. */
const char *rewrite_file(Arena *arena, const Source *source, const char *bytes, size_t length);

#endif
