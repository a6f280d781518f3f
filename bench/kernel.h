/* What a rule's reference kernel is: the same small program in two forms, contended (as the code
 * was found) and relieved (as the fix would leave it), with the exposure of the finding as its
 * parameters. Kernels are constant data in rules/<id>/kernel.c; the harness (measure.h) owns
 * threads, warm-up, repetition and statistics. */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose storage the event of a finding touches. */
typedef enum ExposureSharing {
    SHARING_NONE,    /* nothing is counted or written, only time is spent (overhead) */
    SHARING_PRIVATE, /* every thread its own line */
    SHARING_ALL,     /* one location for all threads */
} ExposureSharing;

/* How a location is written. */
typedef enum ExposureAccess {
    ACCESS_STORE,    /* a plain store that a store buffer can hide */
    ACCESS_UPDATE,   /* read, modify, write through memory */
    ACCESS_ATOMIC,   /* a locked read-modify-write */
    ACCESS_CRITICAL, /* an update under a lock of the OpenMP runtime; one under a mutex is an
                        ACCESS_UPDATE */
    ACCESS_EXCHANGE, /* as ACCESS_ATOMIC, of a floating-point number: compare and exchange, again
                        where another thread was faster */
} ExposureAccess;

/* The OpenMP runtime that the code was built for. */
typedef enum ExposureRuntime {
    RUNTIME_ANY,  /* not known: the one that is here, libgomp first */
    RUNTIME_GNU,  /* libgomp: gcc */
    RUNTIME_LLVM, /* libomp, libiomp5: clang and what is made of it */
} ExposureRuntime;

/* How often something happens, beside how much work, on what. Derived by the analyser from an
 * effect and its context (analyzer/number/exposure.h); every field has a meaning for prediction and
 * for the kernel of its rule. */
typedef struct Exposure {
    int threads;    /* threads that meet */
    double work_ns; /* ns of other work beside one event, on one thread */
    double events;  /* event multiplicity per such piece of work, e.g. count pairs per cell; >= 1,
                       but for the members of a team for each core */
    double overhead_ns; /* ns that one event costs without any contention, beyond the counted
                           operation itself; a view construction, say; 0 where the machine profile's
                           figure is to be used */
    double bytes;    /* bytes allocated or touched per event; bytes of a slot, or of a result that
                        lies beside the one of the next number; 0 unknown, none */
    double stride;   /* bytes between the places of neighbouring threads; 0 not applicable */
    double share;    /* part of the work that is done under the lock, 0..1 */
    double launches; /* parallel regions started per piece of work */
    double pieces; /* of work that one region would go around, as the code says; 0 unknown, many */
    double places; /* SHARING_ALL: places that every thread takes in turn, a long stretch of
                      work at each (the queries of a batch); states that decay, a step at each in
                      turn; passes over an array, of which each writes its part of a thread's
                      runs; pieces whose buffers are all kept; 0, 1: one */
    ExposureSharing sharing;
    ExposureAccess access;
    ExposureRuntime runtime; /* where the runtime does what costs: launches, criticals, chunks */
} Exposure;

typedef struct KernelState KernelState; /* each kernel defines its own */

typedef struct Kernel {
    const char *name; /* the rule's id */

    /* Memory and tables for `exposure->threads` threads; NULL if memory is short. `work_steps` is
     * how many steps of bench_work() take exposure->work_ns on this machine. */
    KernelState *(*prepare)(const Exposure *exposure, uint64_t work_steps);

    /* Runs `count` pieces of work (each with its events) on thread `thread` of the team and returns
     * a checksum of what was computed. For the same count the sum over threads is the same in both
     * forms. */
    uint64_t (*contended)(KernelState *state, int thread, uint64_t count);
    uint64_t (*relieved)(KernelState *state, int thread, uint64_t count);

    void (*release)(KernelState *state);

    /* The wrong result a race leaves, for rules about correctness: the contended form may return
     * another checksum. */
    bool may_differ;

    /* What 'ponglint measure' sweeps where it is not told, as it takes it on its command line:
     * "bytes=16..1024". NULL: the work beside the events. */
    const char *sweep;
} Kernel;

/* The form that rules about thread counts share (oversubscribed.c): `events` members of a team on
 * each of exposure->threads cores, which meet at a spinning barrier after every piece of work,
 * against one member a core. With fewer than one member a core the team has one in all, which does
 * the work of every core. */
KernelState *oversubscribed_prepare(const Exposure *exposure, uint64_t work_steps);
uint64_t oversubscribed_contended(KernelState *state, int thread, uint64_t count);
uint64_t oversubscribed_relieved(KernelState *state, int thread, uint64_t count);
void oversubscribed_release(KernelState *state);

/* A lock as the code that was found takes it (lock.c): a mutex of the C library, or an OpenMP
 * runtime's own, where this machine has one. They differ: who waits for libgomp's spins and marks
 * it, so that each hand-over is a system call; a mutex is mostly taken again by the one who had it.
 */
typedef struct BenchLock {
    pthread_mutex_t mutex;
    void (*enter)(void), (*leave)(void); /* NULL: the mutex */
} BenchLock;

/* As an exposure says: the runtime's for ACCESS_CRITICAL, else the mutex. False: no memory. */
bool bench_lock_init(BenchLock *lock, ExposureAccess access, ExposureRuntime runtime);
void bench_lock_end(BenchLock *lock);

static inline void bench_lock(BenchLock *lock)
{
    if (lock->enter != NULL)
        lock->enter();
    else
        pthread_mutex_lock(&lock->mutex);
}

static inline void bench_unlock(BenchLock *lock)
{
    if (lock->leave != NULL)
        lock->leave();
    else
        pthread_mutex_unlock(&lock->mutex);
}

/* `*total += value`, atomically: no processor here adds floating-point numbers in one instruction.
 */
static inline void bench_add_real(double *total, double value)
{
    double seen, sum;
    __atomic_load(total, &seen, __ATOMIC_RELAXED);
    do
        sum = seen + value;
    while (
        !__atomic_compare_exchange(total, &seen, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* `*word += value`, by the one thread that holds the lock (ThreadSanitizer knows no lock of the
 * OpenMP runtime). */
static inline void bench_add_locked(uint64_t *word, uint64_t value)
{
    uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    __atomic_store_n(word, seen + value, __ATOMIC_RELAXED);
}

/* Makes the compiler compute the double `x` here, in a register, without emitting an instruction.
 */
#if defined(__x86_64__) || defined(__i386__)
#define BENCH_HOLD(x) __asm__ volatile("" : "+x"(x))
#elif defined(__aarch64__)
#define BENCH_HOLD(x) __asm__ volatile("" : "+w"(x))
#else
#define BENCH_HOLD(x) __asm__ volatile("" : "+m"(x))
#endif

/* Instructions that wait for nothing and that nothing waits for: as many as stand beside one step
 * of a chain in real work. Without them the next ten pieces of work fit into the window of a
 * processor, which then does their atomic updates ahead, in one visit of the line. */
#if defined(__x86_64__) || defined(__i386__)
#define BENCH_MOVE "movl $1, %0\n\t"
#elif defined(__aarch64__)
#define BENCH_MOVE "mov %w0, 1\n\t"
#else
#define BENCH_MOVE ""
#endif
static inline void bench_fill(void)
{
    unsigned nobody = 0;
    __asm__ volatile(
        BENCH_MOVE BENCH_MOVE BENCH_MOVE BENCH_MOVE BENCH_MOVE BENCH_MOVE BENCH_MOVE BENCH_MOVE
        : "=r"(nobody));
    (void)nobody;
}

/* One dependent addition and what stands beside it. */
static inline double bench_step(double x, double nothing)
{
    x += nothing;
    BENCH_HOLD(x);
    bench_fill();
    return x;
}

/* `steps` dependent additions, of two to four cycles each (a chain the compiler can neither
 * vectorise nor remove); returns `seed`, in a way that depends on all of them. machine.h says what
 * one step takes here. In blocks, so that the loop has few turns and its exit is foretold. A step
 * of two operations was tried: beside 1 ns of work it is the whole work or nothing. */
static inline double bench_work(double seed, uint64_t steps)
{
    double x = seed, nothing = 0;
    BENCH_HOLD(nothing);
    for (uint64_t block = steps / 4; block > 0; block--) {
        x = bench_step(x, nothing);
        x = bench_step(x, nothing);
        x = bench_step(x, nothing);
        x = bench_step(x, nothing);
    }
    for (uint64_t rest = steps % 4; rest > 0; rest--)
        x = bench_step(x, nothing);
    return x;
}

/* The whole part, in one instruction: a double that is no index of anything. */
static inline uint64_t bench_whole(double x)
{
    return (uint64_t)(int64_t)x;
}

/* A loop over pieces of work that is compiled once for each of the shortest, and once for all
 * others: its instructions then are those of the loop that was found, and not three times as many,
 * which two threads on one core would wait for. Calls loop(..., steps, events). */
#define BENCH_LOOP static inline __attribute__((always_inline))
#define BENCH_BY_WORK(loop, steps, events, ...)                                                    \
    ((events) != 1  ? loop(__VA_ARGS__, steps, events)                                             \
     : (steps) == 0 ? loop(__VA_ARGS__, 0, 1)                                                      \
     : (steps) == 1 ? loop(__VA_ARGS__, 1, 1)                                                      \
     : (steps) == 2 ? loop(__VA_ARGS__, 2, 1)                                                      \
     : (steps) == 3 ? loop(__VA_ARGS__, 3, 1)                                                      \
                    : loop(__VA_ARGS__, steps, 1))

/* Fills a table with numbers below `below` at random: the words that are taken next. A table, and
 * not a generator in the loop, since it takes a load in place of three operations. */
static inline void bench_picks(uint32_t *picks, size_t count, size_t below)
{
    uint32_t random = 1;
    for (size_t i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223; /* Numerical Recipes, the upper bits */
        picks[i] = (uint32_t)((uint64_t)random * below >> 32);
    }
}

/* The relieved form of a sum: `events` additions of each piece's value to a register. */
BENCH_LOOP uint64_t bench_sum(uint64_t count, uint64_t steps, uint64_t events)
{
    double carried = 1; /* each piece of work waits for the last: it takes its whole time */
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        carried = bench_work(carried, steps);
        uint64_t value = bench_whole(carried) + i;
        for (uint64_t e = 0; e < events; e++)
            sum += value;
    }
    return sum;
}

/* Results of numbered pieces of work, `bytes` each and side by side: who writes piece `number`
 * writes to its neighbour's cache line. Writes one byte of it, round and round in `room` bytes (a
 * power of two).
 */
static inline void bench_put_result(unsigned char *results, size_t room, uint64_t number,
                                    size_t bytes)
{
    __atomic_store_n(&results[number * bytes & (room - 1)], (unsigned char)number,
                     __ATOMIC_RELAXED);
}

/* Keeps a value (and all memory) observable to the compiler without emitting an instruction. */
#define BENCH_KEEP(value) __asm__ volatile("" : : "g"(value) : "memory")

#endif
