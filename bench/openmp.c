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

/* C has no cast from object to function. */
static bool find_entry(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_in(OpenmpRuntime *runtime, const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL || !find_entry(handle, "GOMP_parallel", &runtime->parallel) ||
        !find_entry(handle, "GOMP_barrier", &runtime->barrier) ||
        !find_entry(handle, "GOMP_critical_start", &runtime->critical_start) ||
        !find_entry(handle, "GOMP_critical_end", &runtime->critical_end) ||
        !find_entry(handle, "omp_get_thread_num", &runtime->thread_num) ||
        !find_entry(handle, "GOMP_loop_nonmonotonic_dynamic_start", &runtime->loop_start) ||
        !find_entry(handle, "GOMP_loop_nonmonotonic_dynamic_next", &runtime->loop_next) ||
        !find_entry(handle, "GOMP_loop_end", &runtime->loop_end))
        return false;
    (void)find_entry(handle, "kmp_set_blocktime", &runtime->set_blocktime);
    name_library(runtime->name, sizeof runtime->name, dlsym(handle, "GOMP_parallel"), library);
    return true;
}

OpenmpRuntime openmp_find(ExposureRuntime wanted)
{
    static const char *const libraries[] = {"libgomp.so.1", "libomp.so.5", "libomp.so",
                                            "libiomp5.so"};
    enum { COUNT = sizeof libraries / sizeof *libraries };
    int first = wanted == RUNTIME_LLVM ? 1 : 0;
    for (int i = 0; i < COUNT; i++) {
        OpenmpRuntime runtime = {0};
        if (find_in(&runtime, libraries[(first + i) % COUNT]))
            return runtime;
    }
    return (OpenmpRuntime){0};
}
