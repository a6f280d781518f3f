/* One parse after the other: what each teaches, the next one knows. The caller disposes of what
 * they return. */
#ifndef FRONTENDS_C_ROUNDS_H
#define FRONTENDS_C_ROUNDS_H

#include "frontends/c/parse.h"

/* Until a parse tells nothing new; NULL where clang cannot read the file. _Pragma is read as an
 * assertion as soon as one is seen. */
CXTranslationUnit parse_rounds(Parse *p);

/* Where _Pragma as an assertion breaks more than it shows (no declaration may stand there), it is
 * dropped: returns another parse then, and disposes of `tu`. */
CXTranslationUnit without_pragma_operator(Parse *p, CXTranslationUnit tu);

#endif
