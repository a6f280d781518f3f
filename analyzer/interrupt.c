#include "analyzer/interrupt.h"

static sigset_t awaited(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

static void *wait_for_signal(void *argument)
{
    Interrupt *interrupt = argument;
    const sigset_t set = awaited();
    int signal;
    if (sigwait(&set, &signal) == 0) {
        atomic_store(&interrupt->signal, signal);
        atomic_store(&interrupt->stop, true);
    }
    return NULL;
}

/* Whether somebody wants the signal ignored (nohup, a shell's background job): then it stays so. */
static bool is_ignored(int signal)
{
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void interrupt_begin(Interrupt *interrupt)
{
    const sigset_t set = awaited();
    *interrupt = (Interrupt){.waiting = false};
    if (is_ignored(SIGINT) || pthread_sigmask(SIG_BLOCK, &set, &interrupt->before) != 0)
        return;
    interrupt->waiting = pthread_create(&interrupt->waiter, NULL, wait_for_signal, interrupt) == 0;
    if (!interrupt->waiting)
        (void)pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
}

void interrupt_end(Interrupt *interrupt)
{
    if (!interrupt->waiting)
        return;
    (void)pthread_cancel(interrupt->waiter); /* sigwait is a cancellation point */
    (void)pthread_join(interrupt->waiter, NULL);
    interrupt->waiting = false;
    (void)pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
}
