#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* popen */
#endif
#include "bench/numba.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Asks for the version without importing numba, which takes a second. */
static const char command[] =
    "python3 -c 'from importlib.metadata import version; print(version(\"numba\"))' "
    "2>/dev/null </dev/null";

void numba_version(char *version, size_t bytes)
{
    version[0] = '\0';
    FILE *pipe = popen(command, "re");
    if (pipe == NULL)
        return;
    bool read = fgets(version, (int)bytes, pipe) != NULL;
    version[strcspn(version, "\r\n")] = '\0';
    if (pclose(pipe) != 0 || !read || !isdigit((unsigned char)version[0]))
        version[0] = '\0';
}

bool numba_counts_allocations(const char *version)
{
    int major, minor;
    return sscanf(version, "%d.%d", &major, &minor) == 2 && major == 0 && minor < 57;
}
