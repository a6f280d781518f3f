/* A team for a loop that one thread does in less time: the kernel of region-in-hot-loop, whose
 * relieved form is here one thread that does everything by itself. */
#include "bench/kernel.h"

extern const Kernel kernel_region_in_hot_loop;

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    Exposure alone = *exposure;
    alone.sharing = SHARING_PRIVATE;
    return kernel_region_in_hot_loop.prepare(&alone, work_steps);
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    return kernel_region_in_hot_loop.contended(state, thread, count);
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    return kernel_region_in_hot_loop.relieved(state, thread, count);
}

static void release(KernelState *state)
{
    kernel_region_in_hot_loop.release(state);
}

const Kernel kernel_too_little_work = {
    .name = "too-little-work",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
    .sweep = "work=500..16000",
};
