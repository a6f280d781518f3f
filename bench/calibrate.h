/* `ponglint calibrate`: measures the profile of the machine it runs on. */
#ifndef BENCH_CALIBRATE_H
#define BENCH_CALIBRATE_H

#include "bench/machine.h"

/* Measures in about `seconds` (2 is the usual; more gives narrower figures). Figures that cannot be
 * had here (one core: transfer, contended curves) keep the generic profile's value, scaled where
 * that is sound, and `note` (bounded) says which. `progress` may be NULL; called with the name of
 * each stage. */
void calibrate(Machine *machine, double seconds, char *note, size_t note_bytes,
               void (*progress)(const char *stage));

#endif
