#include "bench/kernel.h"

#include "bench/openmp.h"

bool bench_lock_init(BenchLock *lock, ExposureAccess access, ExposureRuntime runtime)
{
    OpenmpRuntime found = {0};
    if (access == ACCESS_CRITICAL)
        found = openmp_find(runtime);
    lock->enter = found.critical_start;
    lock->leave = found.critical_end;
    return pthread_mutex_init(&lock->mutex, NULL) == 0;
}

void bench_lock_end(BenchLock *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}
