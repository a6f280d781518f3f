#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MADV_NOHUGEPAGE, MAP_ANONYMOUS */
#endif
#include "bench/probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/kernel.h"

enum { PAGE = 4096, VECTOR_ELEMENTS = 1024, CHASE_LINE = 64 };

/* ---- arithmetic ---- */

uint64_t probe_step(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    return (uint64_t)bench_work(1.0, count);
}

uint64_t probe_op(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    double x = 1;
    for (uint64_t i = 0; i < count; i++) {
        x += 0.25;
        BENCH_HOLD(x);
    }
    return (uint64_t)x;
}

uint64_t probe_forward(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    enum { ELEMENTS = 64 };
    volatile double elements[ELEMENTS] = {1};
    for (uint64_t i = 0; i < count; i++)
        elements[(i + 1) % ELEMENTS] = elements[i % ELEMENTS] + 0.25;
    return elements[0] > 0;
}

/* Vectors of 32 bytes; the compiler splits them where the build is for a smaller vector unit, so
 * that the figure is that of an ordinary build and not the best that the machine can do. */
typedef double Vector __attribute__((vector_size(32)));

uint64_t probe_vector_op(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    enum { VECTORS = VECTOR_ELEMENTS / 4 };
    Vector data[VECTORS];
    Vector a = {0}, b = a, c = a, d = a;
    memset(data, 0, sizeof data);
    for (uint64_t done = 0; done < count; done += VECTOR_ELEMENTS) {
        BENCH_KEEP(&data[0]);
        for (int i = 0; i < VECTORS; i += 4) {
            a += data[i] * 1.5;
            b += data[i + 1] * 1.5;
            c += data[i + 2] * 1.5;
            d += data[i + 3] * 1.5;
        }
    }
    Vector sum = a + b + c + d;
    return (uint64_t)sum[0];
}

uint64_t probe_divide(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    double x = 1.7;
    for (uint64_t i = 0; i < count; i++) {
        x = 3.1 / x;
        BENCH_HOLD(x);
    }
    return (uint64_t)x;
}

uint64_t probe_sqrt(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    double x = 3.1;
    for (uint64_t i = 0; i < count; i++) {
        x = sqrt(x);
        BENCH_HOLD(x);
    }
    return (uint64_t)x;
}

/* exp, log, sin and pow in turn, each on what the last one gave, brought back to near 1. */
uint64_t probe_libm(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    double x = 1.1;
    for (uint64_t i = 0; i < count; i += 4) {
        x = exp(x);
        x = log(x + 0.1);
        x = 1.5 + sin(x);
        x = pow(x, 0.3);
        BENCH_HOLD(x);
    }
    return (uint64_t)x;
}

/* x stays near 2c: in one case a denormal at every step, in the other never. */
static uint64_t decay(double c, uint64_t count)
{
    double x = c, half = 0.5;
    BENCH_HOLD(half);
    for (uint64_t i = 0; i < count; i++) {
        x = x * half + c;
        BENCH_HOLD(x);
    }
    return x > 0;
}

uint64_t probe_decay_normal(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    return decay(1.0, count);
}

uint64_t probe_decay_denormal(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    return decay(1e-310, count);
}

/* Flush-to-zero and denormals-are-zero in the control register of the calling thread; what stood
 * there. */
#if defined(__x86_64__)
static unsigned flush_denormals(void)
{
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040);
    return before;
}

static void set_back(unsigned before)
{
    __builtin_ia32_ldmxcsr(before);
}
#elif defined(__aarch64__)
static uint64_t flush_denormals(void)
{
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | (UINT64_C(1) << 24)));
    return before;
}

static void set_back(uint64_t before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
}
#else /* no switch that we know: the penalty stays */
static unsigned flush_denormals(void)
{
    return 0;
}

static void set_back(unsigned before)
{
    (void)before;
}
#endif

uint64_t probe_decay_flushed(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    __auto_type before = flush_denormals();
    uint64_t result = decay(1e-310, count);
    set_back(before);
    return result;
}

/* ---- control ---- */

__attribute__((noinline)) static double callee(double x)
{
    __asm__ volatile("");
    return x;
}

uint64_t probe_call(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    double x = 1;
    for (uint64_t i = 0; i < count; i++) {
        x = callee(x);
        BENCH_HOLD(x);
    }
    return (uint64_t)x;
}

/* The empty asm keeps the branch a branch. */
static uint64_t branches(const unsigned char *bits, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (bits[i % PROBE_BITS] != 0) {
            __asm__ volatile("" : "+r"(sum));
            sum += i;
        }
    }
    return sum;
}

uint64_t probe_branch(void *state, int thread, uint64_t count)
{
    (void)thread;
    return branches(state, count);
}

void probe_bits_steady(unsigned char bits[PROBE_BITS])
{
    for (int i = 0; i < PROBE_BITS; i++)
        bits[i] = i & 1;
}

void probe_bits_random(unsigned char bits[PROBE_BITS])
{
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < PROBE_BITS; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        bits[i] = (random >> 32) & 1;
    }
}

/* ---- views ---- */

/* What numba hands over for an array: owner, parent, items, item size, data, shape and strides. */
typedef struct Array {
    void *owner, *parent;
    int64_t items, item_bytes;
    double *data;
    int64_t shape[2], strides[2];
} Array;

typedef struct View {
    void *owner, *parent;
    int64_t items, item_bytes;
    double *data;
    int64_t shape, stride;
} View;

static Array square(double *data, int64_t side)
{
    return (Array){NULL, NULL, side * side, 8, data, {side, side}, {side * 8, 8}};
}

__attribute__((noinline)) static double first_of_view(View view)
{
    __asm__ volatile("");
    return view.shape > 0 ? *view.data : 0;
}

__attribute__((noinline)) static double first_of_column(const Array *array, int64_t column)
{
    __asm__ volatile("");
    return array->shape[0] > 0 ? array->data[column] : 0;
}

/* The column of a square array, handed over as a view of its own. Each call waits for the last one:
 * independent ones overlap so well that a view seems to cost nothing. */
uint64_t probe_view(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    double data[8 * 8] = {0};
    Array array = square(data, 8);
    int64_t column = 0;
    for (uint64_t i = 0; i < count; i++) {
        BENCH_KEEP(&array);
        View view = {array.owner,
                     array.parent,
                     array.shape[0],
                     array.item_bytes,
                     array.data + column * array.strides[1] / 8,
                     array.shape[0],
                     array.strides[0]};
        column = (int64_t)first_of_view(view);
    }
    return (uint64_t)column;
}

uint64_t probe_index(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    double data[8 * 8] = {0};
    Array array = square(data, 8);
    int64_t column = 0;
    for (uint64_t i = 0; i < count; i++) {
        BENCH_KEEP(&array);
        column = (int64_t)first_of_column(&array, column);
    }
    return (uint64_t)column;
}

/* ---- memory ---- */

/* The order is that of a linear congruential generator of full period (multiplier 1 modulo 4, odd
 * increment): unlike a shuffle, the ring is written in one pass over the memory. */
ProbeRing probe_ring(void *memory, size_t bytes)
{
    size_t lines = bytes / CHASE_LINE;
    char *base = memory;
    for (size_t i = 0; i < lines; i++) {
        size_t next = (i * 2654435769u + 12345u) & (lines - 1);
        *(void **)(void *)(base + i * CHASE_LINE) = base + next * CHASE_LINE;
    }
    return (ProbeRing){memory, memory, bytes};
}

uint64_t probe_chase(void *state, int thread, uint64_t count)
{
    (void)thread;
    ProbeRing *ring = state;
    void **at = ring->at;
    for (uint64_t i = 0; i < count; i++)
        at = *at;
    ring->at = at;
    BENCH_KEEP(at);
    return 0;
}

static uint64_t sum_block(const uint64_t *block)
{
    uint64_t sum[4] = {0};
    for (size_t i = 0; i < PROBE_BLOCK / sizeof *block; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += block[i + (size_t)k];
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* The threads take the blocks in turn, from where the last run stopped: a run is short, and one
 * that began anew at the same place would find it in the cache. */
uint64_t probe_stream(void *state, int thread, uint64_t count)
{
    (void)thread;
    ProbeStream *stream = state;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        size_t block = atomic_fetch_add_explicit(&stream->next, 1, memory_order_relaxed);
        size_t at = block % (stream->bytes / PROBE_BLOCK) * PROBE_BLOCK;
        sum += sum_block((const uint64_t *)(const void *)(stream->memory + at));
    }
    return sum;
}

/* ---- what threads share ---- */

void probe_shared_init(ProbeShared *shared, int threads)
{
    memset(shared, 0, sizeof *shared);
    atomic_init(&shared->counter, 0);
    atomic_init(&shared->arrived, 0);
    atomic_init(&shared->sense, 0);
    bench_lock_init(&shared->lock, ACCESS_UPDATE, RUNTIME_ANY);
    bench_lock_init(&shared->critical, ACCESS_CRITICAL, RUNTIME_ANY);
    shared->threads = threads;
}

void probe_shared_end(ProbeShared *shared)
{
    bench_lock_end(&shared->lock);
    bench_lock_end(&shared->critical);
}

uint64_t probe_atomic(void *state, int thread, uint64_t count)
{
    (void)thread;
    ProbeShared *shared = state;
    for (uint64_t i = 0; i < count; i++)
        atomic_fetch_add_explicit(&shared->counter, 1, memory_order_relaxed);
    return 0;
}

uint64_t probe_exchange(void *state, int thread, uint64_t count)
{
    (void)thread;
    ProbeShared *shared = state;
    for (uint64_t i = 0; i < count; i++)
        bench_add_real(&shared->total, 1);
    return 0;
}

/* Among several lines each update needs one that is elsewhere; one word waits in the store buffer,
 * and a thread makes many updates of it before its line is taken away. */
uint64_t probe_plain(void *state, int thread, uint64_t count)
{
    ProbeShared *shared = state;
    uint32_t random = (uint32_t)thread;
    for (uint64_t i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223; /* Numerical Recipes, the upper bits */
        uint64_t *word = &shared->scattered[random >> 27];
        uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
        __atomic_store_n(word, seen + 1, __ATOMIC_RELAXED);
    }
    return 0;
}

uint64_t probe_plain_own(void *state, int thread, uint64_t count)
{
    enum { WORDS_PER_LINE = 8 };
    ProbeShared *shared = state;
    uint64_t *word = &shared->scattered[thread % WORDS_PER_LINE];
    double carried = 1;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, 1);
        uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
        __atomic_store_n(word, seen + 1, __ATOMIC_RELAXED);
    }
    return bench_whole(carried);
}

/* Adds under a lock, with `steps` of work beside it. */
static uint64_t add_under(BenchLock *lock, uint64_t *guarded, uint64_t steps, uint64_t count)
{
    double carried = 1;
    for (uint64_t i = 0; i < count; i++) {
        bench_lock(lock);
        carried = bench_work(carried, steps);
        bench_add_locked(guarded, 1);
        bench_unlock(lock);
    }
    return bench_whole(carried);
}

uint64_t probe_lock(void *state, int thread, uint64_t count)
{
    (void)thread;
    ProbeShared *shared = state;
    return add_under(&shared->lock, &shared->guarded, 0, count);
}

uint64_t probe_lock_held(void *state, int thread, uint64_t count)
{
    (void)thread;
    ProbeShared *shared = state;
    return add_under(&shared->lock, &shared->guarded, PROBE_HELD, count);
}

uint64_t probe_critical(void *state, int thread, uint64_t count)
{
    (void)thread;
    ProbeShared *shared = state;
    return add_under(&shared->critical, &shared->guarded, 0, count);
}

/* No pause in the spin: on some processors it takes longer than the transfer. The counter stands at
 * an even number between runs. */
uint64_t probe_hand_over(void *state, int thread, uint64_t count)
{
    ProbeShared *shared = state;
    uint64_t turn = (uint64_t)thread & 1;
    for (uint64_t i = 0; i < count; i++) {
        while ((atomic_load_explicit(&shared->counter, memory_order_acquire) & 1) != turn)
            ;
        atomic_fetch_add_explicit(&shared->counter, 1, memory_order_acq_rel);
    }
    return 0;
}

uint64_t probe_barrier(void *state, int thread, uint64_t count)
{
    (void)thread;
    ProbeShared *shared = state;
    for (uint64_t i = 0; i < count; i++) {
        unsigned sense = atomic_load_explicit(&shared->sense, memory_order_acquire);
        int before = atomic_fetch_add_explicit(&shared->arrived, 1, memory_order_acq_rel);
        if (before + 1 == shared->threads) {
            atomic_store_explicit(&shared->arrived, 0, memory_order_relaxed);
            atomic_store_explicit(&shared->sense, sense + 1, memory_order_release);
            continue;
        }
        while (atomic_load_explicit(&shared->sense, memory_order_acquire) == sense)
            team_pause();
    }
    return 0;
}

/* ---- allocation ---- */

static void touch(char *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PAGE)
        *(volatile char *)(memory + at) = 1;
}

uint64_t probe_malloc(void *state, int thread, uint64_t count)
{
    (void)thread;
    const ProbeShared *shared = state;
    for (uint64_t i = 0; i < count; i++) {
        char *memory = malloc(shared->bytes);
        BENCH_KEEP(memory);
        if (memory != NULL)
            touch(memory, shared->bytes);
        BENCH_KEEP(memory);
        free(memory);
    }
    return 0;
}

uint64_t probe_page_fault(void *state, int thread, uint64_t count)
{
    (void)state, (void)thread;
    size_t bytes = (size_t)PROBE_PAGES * PAGE;
    for (uint64_t i = 0; i < count; i++) {
        char *memory =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return 0;
        madvise(memory, bytes, MADV_NOHUGEPAGE);
        touch(memory, bytes);
        munmap(memory, bytes);
    }
    return 0;
}
