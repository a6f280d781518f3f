#include "analyzer/base/target.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* By how the name starts; the first of each is its word. */
static const struct {
    CpuTarget target;
    const char *word;
} words[] = {
    {TARGET_HASWELL, "haswell"},    {TARGET_HASWELL, "broadwell"},
    {TARGET_SKYLAKE, "skylake"},    {TARGET_SKYLAKE, "cascadelake"},
    {TARGET_SKYLAKE, "cooperlake"}, {TARGET_SKYLAKE, "icelake"},
    {TARGET_SKYLAKE, "tigerlake"},  {TARGET_SKYLAKE, "sapphirerapids"},
    {TARGET_SKYLAKE, "generic"}, /* its code was tried too, and is as Skylake's in this */
    {TARGET_ZEN2, "znver2"},        {TARGET_ZEN2, "znver1"},
    {TARGET_ZEN3, "znver3"},        {TARGET_ZEN3, "znver"},
};

const char *target_word(CpuTarget target)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].target == target)
            return words[i].word;
    return "";
}

CpuTarget target_from_word(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(words[i].word, word, strlen(words[i].word)) == 0)
            return words[i].target;
    return TARGET_UNKNOWN;
}

#if defined(__x86_64__) || defined(__i386__)

typedef struct CpuModel {
    unsigned family, model;
} CpuModel;

/* CPUID leaf 1, EAX: the extended family is added to family 15, the extended model stands in front
 * of the models of families 6 and 15 (Intel SDM, CPUID; AMD APM 3, E.3.2). */
static CpuModel model_of(unsigned signature)
{
    unsigned family = signature >> 8 & 15, model = signature >> 4 & 15;
    if (family == 15)
        family += signature >> 20 & 255;
    if (family == 6 || family >= 15)
        model += (signature >> 16 & 15) << 4;
    return (CpuModel){family, model};
}

/* Only processors with AVX2: older ones were not tried. */
static CpuTarget target_of_intel(CpuModel cpu)
{
    static const unsigned char haswell[] = {0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56};
    if (cpu.family != 6)
        return TARGET_UNKNOWN;
    return memchr(haswell, (int)cpu.model, sizeof haswell) != NULL ? TARGET_HASWELL
                                                                   : TARGET_SKYLAKE;
}

static CpuTarget target_of_amd(CpuModel cpu)
{
    enum { FAMILY_ZEN = 0x17, FAMILY_ZEN3 = 0x19 };
    if (cpu.family < FAMILY_ZEN)
        return TARGET_UNKNOWN;
    return cpu.family < FAMILY_ZEN3 ? TARGET_ZEN2 : TARGET_ZEN3;
}

CpuTarget target_of_processor(void)
{
    unsigned a, b, c, d;
    char vendor[13] = "";
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return TARGET_UNKNOWN;
    memcpy(vendor, &b, 4);
    memcpy(vendor + 4, &d, 4);
    memcpy(vendor + 8, &c, 4);
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return TARGET_UNKNOWN;
    CpuModel cpu = model_of(a);
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & bit_AVX2) == 0)
        return TARGET_UNKNOWN;
    if (strcmp(vendor, "GenuineIntel") == 0)
        return target_of_intel(cpu);
    return strcmp(vendor, "AuthenticAMD") == 0 ? target_of_amd(cpu) : TARGET_UNKNOWN;
}

#else

CpuTarget target_of_processor(void)
{
    return TARGET_UNKNOWN;
}

#endif

const char *target_asked(void)
{
    const char *asked = getenv("NUMBA_CPU_NAME");
    return asked != NULL ? asked : "";
}
