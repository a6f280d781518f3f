/* `ponglint calibrate`: measures the profile of the machine it runs on. */
#ifndef BENCH_CALIBRATE_H
#define BENCH_CALIBRATE_H

#include "bench/machine.h"

/* Seconds that `calibrate` usually takes, and with --full, for narrower figures. */
#define CALIBRATE_SECONDS      2.0
#define CALIBRATE_FULL_SECONDS 20.0

/* Measures in about `seconds`, in several passes over all figures, so that their spread shows what
 * changes from one to the next. Figures that cannot be had here (one core: transfer, contended
 * curves) keep the generic profile's value, and `note` (bounded) says so. `progress` may be NULL;
 * called with the name of each stage. */
void calibrate(Machine *machine, double seconds, char *note, size_t note_bytes,
               void (*progress)(const char *stage));

#endif
