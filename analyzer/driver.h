/* One run of `ponglint check`: from the paths to the outputs and the exit status. */
#ifndef ANALYZER_DRIVER_H
#define ANALYZER_DRIVER_H

#include "analyzer/options.h"

enum { EXIT_CLEAN = 0, EXIT_FINDINGS = 1, EXIT_TROUBLE = 2 };

/* Does the run and returns the exit status. */
int driver_run(const Options *options);

#endif
