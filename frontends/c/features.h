/* Code with OpenMP in branches that the preprocessor left out: `#if HAVE_OPENSSL` around a whole
 * file, `#ifdef CONCURRENT` around a loop. One configuration is read, never two mixed. */
#ifndef FRONTENDS_C_FEATURES_H
#define FRONTENDS_C_FEATURES_H

#include "frontends/c/rounds.h"

/* A parse of p's file with those macros defined that bring in more loops under directives than `tu`
 * has, which is disposed of then; `tu` itself if there is none. */
CXTranslationUnit with_features(Parse *p, CXTranslationUnit tu);

#endif
