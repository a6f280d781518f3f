"""Story c, second half: one histogram row per thread. The cost is proportional to the updates whose line another thread
also writes: all of them, while a row is no longer than a cache line."""
import time

import numba
import numpy as np
from numba import get_num_threads, njit, prange

BINS = 8


@njit(parallel=True)
def counts_packed(levels):
    """Contended: rows of eight bins, one behind the other."""
    threads = get_num_threads()
    rows = np.zeros((threads, BINS), np.int64)
    n = levels.shape[0]
    for t in prange(threads):
        for i in range(t * n // threads, (t + 1) * n // threads):
            rows[t, levels[i] & 7] += 1  # want: adjacent-slots
    return rows.sum(axis=0)


@njit(parallel=True)
def counts_padded(levels):
    """Relieved: the same rows, four lines apart."""
    threads = get_num_threads()
    rows = np.zeros((threads, 4 * BINS), np.int64)
    n = levels.shape[0]
    for t in prange(threads):
        for i in range(t * n // threads, (t + 1) * n // threads):
            rows[t, levels[i] & 7] += 1
    return rows[:, :BINS].sum(axis=0)


def best(call, levels, threads):
    numba.set_num_threads(threads)
    call(levels)
    spent = []
    for _ in range(7):
        start = time.perf_counter()
        call(levels)
        spent.append(time.perf_counter() - start)
    return min(spent)


def main():
    levels = np.random.default_rng(2).integers(0, BINS, 20_000_000)
    for name, call in (("packed rows", counts_packed), ("padded rows", counts_padded)):
        one, two = (1e9 * best(call, levels, threads) / levels.shape[0] for threads in (1, 2))
        print(f"{name}: {one:.2f} ns an update on one thread, {two:.2f} on two")


if __name__ == "__main__":
    main()
