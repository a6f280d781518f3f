/* A team of as many threads as the machine has processors, on the part of them that it may use. */
#include "bench/kernel.h"

const Kernel kernel_host_cpu_count = {
    .name = "host-cpu-count",
    .prepare = oversubscribed_prepare,
    .contended = oversubscribed_contended,
    .relieved = oversubscribed_relieved,
    .release = oversubscribed_release,
    .sweep = "work=10000..160000",
};
