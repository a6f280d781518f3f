/* The processors that LLVM tells apart where numba's code depends on it, by the generation whose
 * rules it follows. */
#ifndef ANALYZER_BASE_TARGET_H
#define ANALYZER_BASE_TARGET_H

#include <stdint.h>

typedef enum CpuTarget {
    TARGET_UNKNOWN = 0,
    TARGET_HASWELL = 1, /* Haswell and Broadwell */
    TARGET_SKYLAKE = 2, /* Skylake and what came after it */
    TARGET_ZEN2 = 4,    /* Zen, Zen 2 */
    TARGET_ZEN3 = 8,    /* Zen 3 and what came after it */
} CpuTarget;

/* A set of CpuTargets; those that nobody has tried are in TARGETS_ALL too. */
typedef uint8_t CpuTargets;
#define TARGETS_ALL UINT8_MAX

/* The processor that this runs on, as an LLVM sees it that knows it: an older one than the processor
 * says "generic". */
CpuTarget target_of_processor(void);

/* The name that NUMBA_CPU_NAME tells numba to compile for; "" where it is not set. */
const char *target_asked(void);

/* "haswell", "skylake", "znver2", "znver3", a name that LLVM has for each; "" if unknown. */
const char *target_word(CpuTarget target);

/* From any name that LLVM has: "broadwell", "icelake-server", "znver4", "generic". */
CpuTarget target_from_word(const char *word);

#endif
