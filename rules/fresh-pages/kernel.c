/* `events` buffers of `bytes` per piece of work: mapped, written on every line and unmapped,
 * against buffers that stay: those of the last piece, or, where all of them are kept, of the last
 * `places` pieces, as far as MOST_BYTES a thread go. What needs more for one piece is scaled down,
 * the work with it: a fault costs the same for each page. */
#include "bench/kernel.h"

#include <stdlib.h>
#include <sys/mman.h>

#define MOST_BYTES 33554432.0

enum { LINE = 64, PAGE = 4096, MOST_BUFFERS = 16 };

struct KernelState {
    unsigned char **kept; /* one a thread, for all its buffers */
    int threads, buffers;
    uint64_t sets; /* of buffers that stay */
    size_t bytes;  /* of one buffer, whole pages */
    uint64_t work_steps;
};

static unsigned char *map(size_t bytes)
{
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

static size_t kept_bytes(const KernelState *state)
{
    return state->bytes * (size_t)state->buffers * state->sets;
}

static void release(KernelState *state)
{
    for (int i = 0; state->kept != NULL && i < state->threads; i++)
        if (state->kept[i] != NULL)
            munmap(state->kept[i], kept_bytes(state));
    free(state->kept);
    free(state);
}

static uint64_t write_lines(unsigned char *block, size_t bytes, uint64_t value)
{
    for (size_t at = 0; at < bytes; at += LINE)
        block[at] = (unsigned char)value;
    BENCH_KEEP(block);
    return block[bytes - LINE];
}

static KernelState *prepare(const Exposure *exposure, uint64_t work_steps)
{
    KernelState *state = calloc(1, sizeof *state);
    if (state == NULL)
        return NULL;
    state->threads = exposure->threads > 0 ? exposure->threads : 1;
    state->buffers = exposure->events < 1 ? 1 : (int)exposure->events;
    state->buffers = state->buffers > MOST_BUFFERS ? MOST_BUFFERS : state->buffers;
    double bytes = exposure->bytes < PAGE ? PAGE : exposure->bytes;
    double scale = MOST_BYTES / (bytes * state->buffers);
    scale = scale < 1 ? scale : 1;
    state->bytes = ((size_t)(bytes * scale) + PAGE - 1) / PAGE * PAGE;
    state->work_steps = (uint64_t)((double)work_steps * scale);
    double sets = MOST_BYTES / (double)(state->bytes * (size_t)state->buffers);
    sets = exposure->places < sets ? exposure->places : sets;
    state->sets = sets < 1 ? 1 : (uint64_t)sets;
    state->kept = calloc((size_t)state->threads, sizeof(unsigned char *));
    for (int i = 0; state->kept != NULL && i < state->threads; i++) {
        state->kept[i] = map(kept_bytes(state));
        if (state->kept[i] == NULL) {
            release(state);
            return NULL;
        }
        write_lines(state->kept[i], kept_bytes(state), 1);
    }
    if (state->kept == NULL) {
        release(state);
        return NULL;
    }
    return state;
}

static uint64_t contended(KernelState *state, int thread, uint64_t count)
{
    unsigned char *fresh[MOST_BUFFERS];
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        for (int k = 0; k < state->buffers; k++) {
            fresh[k] = map(state->bytes);
            unsigned char *block = fresh[k] != NULL ? fresh[k] : state->kept[thread];
            sum += write_lines(block, state->bytes, i + (uint64_t)k);
        }
        carried = bench_work(carried, state->work_steps);
        for (int k = 0; k < state->buffers; k++)
            if (fresh[k] != NULL)
                munmap(fresh[k], state->bytes);
        sum += carried > 0;
    }
    return sum;
}

static uint64_t relieved(KernelState *state, int thread, uint64_t count)
{
    double carried = 1;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        unsigned char *set = state->kept[thread] +
                             i % state->sets * (size_t)state->buffers * state->bytes;
        for (int k = 0; k < state->buffers; k++)
            sum += write_lines(set + (size_t)k * state->bytes, state->bytes, i + (uint64_t)k);
        carried = bench_work(carried, state->work_steps);
        sum += carried > 0;
    }
    return sum;
}

const Kernel kernel_fresh_pages = {
    .name = "fresh-pages",
    .prepare = prepare,
    .contended = contended,
    .relieved = relieved,
    .release = release,
    .sweep = "bytes=65536..2097152",
};
