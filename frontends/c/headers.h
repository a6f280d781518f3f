/* Headers without build flags: an index of all headers of the linted tree by their last name, and
 * the text of those that need not be found (our omp.h). Owner: the arena given; read-only once
 * built, so that all workers share it. */
#ifndef FRONTENDS_C_HEADERS_H
#define FRONTENDS_C_HEADERS_H

#include "analyzer/base/arena.h"

typedef struct Headers Headers;

/* Walks the folders (absolute paths) for headers; hidden folders and links are left out, at most
 * HEADERS_MOST are kept. */
enum { HEADERS_MOST = 200000 };
Headers *headers_new(Arena *arena, const char *const *folders, uint32_t count);

/* The folder from which `name` ("sub/x.h") is found, the one nearest to the file `from` (absolute)
 * if there are several; NULL if the tree has none. */
const char *headers_folder_of(const Headers *headers, Arena *arena, const char *name,
                              const char *from);

/* Declarations of the OpenMP library: neither gcc's omp.h nor LLVM's can be read without -fopenmp.
 */
extern const char omp_header[];

#endif
