/* Results of earlier measurements: a JSON file of figures by key. A file that cannot be read or
 * understood counts as empty and is written afresh; writing replaces it at once, and keeps what
 * other runs have put there meanwhile. Owner: store_open's caller, until store_close. */
#ifndef ANALYZER_NUMBER_STORE_H
#define ANALYZER_NUMBER_STORE_H

#include "analyzer/base/arena.h"
#include "bench/kernel.h"

typedef struct Store Store;

typedef struct StoreResult {
    double ratio, low, high;          /* contended over relieved time */
    double contended_ns, relieved_ns; /* wall ns per piece of work */
    bool trusted;                     /* enough quiet rounds for the interval to mean something */
} StoreResult;

enum { STORE_SCHEMA = 1, STORE_MOST = 4096 /* results; older ones go when there are more */ };

/* Reads the file; with NULL the store is empty and is never written. NULL if memory is short. */
Store *store_open(const char *path);
void store_close(Store *store);

bool store_get(const Store *store, const char *key, StoreResult *result);
void store_put(Store *store, const char *key, const StoreResult *result);

/* Writes what was put since store_open, if anything was. false if the file could not be written. */
bool store_save(Store *store) __attribute__((warn_unused_result));

/* An exposure with figures of two significant digits, on `threads` threads: what is measured, and
 * stored. */
Exposure store_rounded(const Exposure *exposure, int threads);

/* Key of a rounded exposure: kernel, version of ponglint, machine, threads and figures, as one line
 * of text. */
const char *store_key(Arena *arena, const char *kernel, const char *machine,
                      const Exposure *rounded);

#endif
