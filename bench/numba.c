#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* popen */
#endif
#include "bench/numba.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Asks without importing numba, which takes a second. */
static const char command[] =
    "python3 -c 'from importlib.metadata import version; print(version(\"numba\"), flush=True);"
    "from llvmlite.binding import get_host_cpu_name; print(get_host_cpu_name())' "
    "2>/dev/null </dev/null";

static bool read_word(FILE *pipe, char *word, size_t bytes)
{
    if (fgets(word, (int)bytes, pipe) == NULL)
        word[0] = '\0';
    word[strcspn(word, "\r\n")] = '\0';
    return word[0] != '\0';
}

Numba numba_find(void)
{
    Numba numba = {0};
    FILE *pipe = popen(command, "re");
    if (pipe == NULL)
        return numba;
    bool read = read_word(pipe, numba.version, sizeof numba.version) &&
                isdigit((unsigned char)numba.version[0]);
    if (read)
        (void)read_word(pipe, numba.target, sizeof numba.target);
    (void)pclose(pipe);
    return read ? numba : (Numba){0};
}

bool numba_counts_allocations(const char *version)
{
    int major, minor;
    return sscanf(version, "%d.%d", &major, &minor) == 2 && major == 0 && minor < 57;
}
