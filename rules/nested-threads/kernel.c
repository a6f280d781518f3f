/* Inner teams that together have more threads than the machine has cores. */
#include "bench/kernel.h"

const Kernel kernel_nested_threads = {
    .name = "nested-threads",
    .prepare = oversubscribed_prepare,
    .contended = oversubscribed_contended,
    .relieved = oversubscribed_relieved,
    .release = oversubscribed_release,
    .sweep = "work=10000..160000",
};
