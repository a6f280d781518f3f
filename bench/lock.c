#include "bench/kernel.h"

#include "bench/openmp.h"

bool bench_lock_init(BenchLock *lock, bool critical)
{
    OpenmpRuntime runtime = {0};
    if (critical)
        runtime = openmp_find();
    lock->enter = runtime.critical_start;
    lock->leave = runtime.critical_end;
    return pthread_mutex_init(&lock->mutex, NULL) == 0;
}

void bench_lock_end(BenchLock *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}
