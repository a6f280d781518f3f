/* The team of the whole machine that stays where a smaller one was asked for too late. */
#include "bench/kernel.h"

const Kernel kernel_late_thread_env = {
    .name = "late-thread-env",
    .prepare = oversubscribed_prepare,
    .contended = oversubscribed_contended,
    .relieved = oversubscribed_relieved,
    .release = oversubscribed_release,
    .sweep = "work=10000..160000",
};
