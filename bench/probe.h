/* The small loops that `calibrate` times. Each is a TeamWork: it does its event `count` times on
 * one thread of a team. State is theirs to read; who makes a probe's state frees it. */
#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/kernel.h"
#include "bench/team.h"

enum { PROBE_HELD = 100 }; /* steps of work under a lock */
enum { PROBE_WORDS = 32 }; /* two lines of PROBE_LINE bytes */
enum { PROBE_LINE = 128, PROBE_PAGES = 256, PROBE_BLOCK = 1 << 16, PROBE_BITS = 1 << 16 };

/* One thread; state unused. The vector loop counts elements, the others operations. */
TeamWork probe_step, probe_op, probe_vector_op, probe_divide, probe_sqrt, probe_libm, probe_call;
TeamWork probe_forward; /* an addition to the element that was just stored, into the next one */
TeamWork probe_decay_normal, probe_decay_denormal; /* one step of x = x/2 + c */
TeamWork probe_decay_flushed;                      /* the same on denormals, with flush-to-zero */

/* One branch on one of the bits (0 or 1) in the state, which follow a short pattern or none. */
TeamWork probe_branch;
void probe_bits_steady(unsigned char bits[PROBE_BITS]);
void probe_bits_random(unsigned char bits[PROBE_BITS]);

/* A counted view built and handed to a function, less the count; an array and an index handed to
 * one. */
TeamWork probe_view, probe_index;

/* A ring of lines, each holding the address of the next in an order that no prefetcher follows. */
typedef struct ProbeRing {
    void **at; /* where the walk stands */
    void **lines;
    size_t bytes; /* a power of two */
} ProbeRing;

/* A ring within `memory` of `bytes` bytes (a power of two, of at least two lines). */
ProbeRing probe_ring(void *memory, size_t bytes);

/* Memory that a team reads together, over and over. */
typedef struct ProbeStream {
    const char *memory;
    size_t bytes;                            /* PROBE_BLOCK at least */
    _Alignas(PROBE_LINE) atomic_size_t next; /* block */
} ProbeStream;

TeamWork probe_chase;  /* ProbeRing: one dependent load; one thread */
TeamWork probe_stream; /* ProbeStream: one block of PROBE_BLOCK bytes */

/* Any number of threads; state is a ProbeShared, zeroed by probe_shared_init. */
typedef struct ProbeShared {
    _Alignas(PROBE_LINE) atomic_uint_fast64_t counter;
    _Alignas(PROBE_LINE) uint64_t scattered[PROBE_WORDS];
    _Alignas(PROBE_LINE) BenchLock lock;
    _Alignas(PROBE_LINE) BenchLock critical;
    _Alignas(PROBE_LINE) uint64_t guarded;
    _Alignas(PROBE_LINE) double total;
    _Alignas(PROBE_LINE) atomic_int arrived;
    _Alignas(PROBE_LINE) atomic_uint sense;
    int threads;
    size_t bytes; /* for probe_malloc */
} ProbeShared;

void probe_shared_init(ProbeShared *shared, int threads);
void probe_shared_end(ProbeShared *shared);

TeamWork probe_atomic;     /* a locked add on one counter */
TeamWork probe_exchange;   /* an add to one floating-point number, by compare and exchange */
TeamWork probe_plain;      /* a plain add to one of the scattered words, at random */
TeamWork probe_plain_own;  /* one to a word of its own of the first line, beside an addition */
TeamWork probe_lock;       /* lock, add, unlock */
TeamWork probe_lock_held;  /* the same, with PROBE_HELD steps of work under the lock */
TeamWork probe_critical;   /* a critical section of the OpenMP runtime around an add */
TeamWork probe_hand_over;  /* two threads add in turns: an event is two transfers of the line */
TeamWork probe_barrier;    /* a spinning barrier */
TeamWork probe_malloc;     /* malloc of `bytes`, one write a page, free */
TeamWork probe_page_fault; /* PROBE_PAGES fresh pages mapped, touched and unmapped */

#endif
