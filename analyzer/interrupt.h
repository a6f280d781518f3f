/* Ctrl-C (and a polite kill) while something long runs: it is told to stop, and what it has so far
 * is kept and printed. A thread waits for the signal, so that nothing happens inside a handler and
 * no state is global. Outside of interrupt_begin and interrupt_end the signal ends the program as
 * ever. */
#ifndef ANALYZER_INTERRUPT_H
#define ANALYZER_INTERRUPT_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct Interrupt {
    atomic_bool stop;  /* becomes true */
    atomic_int signal; /* that came; 0 none */
    pthread_t waiter;
    bool waiting;
    sigset_t before; /* the mask of the thread that began */
} Interrupt;

/* Threads that are started afterwards leave the signals to the waiter too. */
void interrupt_begin(Interrupt *interrupt);

/* A second signal that came meanwhile ends the program here. */
void interrupt_end(Interrupt *interrupt);

#endif
