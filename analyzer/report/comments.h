/* Finds the comments of a file: only a comment may hide a finding, a text that looks like one may
 * not. */
#ifndef ANALYZER_REPORT_COMMENTS_H
#define ANALYZER_REPORT_COMMENTS_H

#include "analyzer/tree/unit.h"

typedef struct Comment {
    uint32_t start, stop; /* bytes, its marks included */
    bool alone; /* nothing but blanks stands before it on its first line, or after it on its last */
} Comment;

typedef LIST(Comment) Comments;

/* All comments of a file, in order. Texts, characters and raw texts are skipped as the language
 * does. */
void comments_find(Arena *arena, const Source *source, Language language, Comments *comments);

#endif
