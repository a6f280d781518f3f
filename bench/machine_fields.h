/* The table of what a profile holds: for reading and writing it (machine_json.c) and for combining
 * several (machine.c), so that a new figure is one line. */
#ifndef BENCH_MACHINE_FIELDS_H
#define BENCH_MACHINE_FIELDS_H

#include "bench/machine.h"

typedef enum FieldKind {
    FIELD_TEXT,
    FIELD_COUNT,
    FIELD_BYTES,
    FIELD_FIGURE,
    FIELD_CURVE
} FieldKind;

typedef struct MachineField {
    const char *key; /* in the file */
    FieldKind kind;
    size_t offset; /* in a Machine */
} MachineField;

extern const MachineField machine_fields[];
extern const size_t machine_field_count;

#endif
