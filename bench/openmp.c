#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "bench/openmp.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file a symbol came from, links followed, without its folder. */
static void name_library(char *name, size_t bytes, void *symbol, const char *otherwise)
{
    Dl_info info;
    char path[PATH_MAX];
    bool known = dladdr(symbol, &info) != 0 && info.dli_fname != NULL &&
                 realpath(info.dli_fname, path) != NULL;
    const char *slash = known ? strrchr(path, '/') : NULL;
    snprintf(name, bytes, "%s", slash != NULL ? slash + 1 : otherwise);
}

static bool find_in(OpenmpRuntime *runtime, const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *parallel = handle != NULL ? dlsym(handle, "GOMP_parallel") : NULL;
    void *barrier = handle != NULL ? dlsym(handle, "GOMP_barrier") : NULL;
    void *start = handle != NULL ? dlsym(handle, "GOMP_critical_start") : NULL;
    void *end = handle != NULL ? dlsym(handle, "GOMP_critical_end") : NULL;
    if (parallel == NULL || barrier == NULL || start == NULL || end == NULL)
        return false;
    memcpy(&runtime->parallel, &parallel, sizeof parallel); /* C has no cast from object to */
    memcpy(&runtime->barrier, &barrier, sizeof barrier);    /* function */
    memcpy(&runtime->critical_start, &start, sizeof start);
    memcpy(&runtime->critical_end, &end, sizeof end);
    name_library(runtime->name, sizeof runtime->name, parallel, library);
    return true;
}

OpenmpRuntime openmp_find(void)
{
    static const char *const libraries[] = {"libgomp.so.1", "libomp.so.5", "libomp.so",
                                            "libiomp5.so"};
    OpenmpRuntime runtime = {0};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (find_in(&runtime, libraries[i]))
            break;
    return runtime;
}
