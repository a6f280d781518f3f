"""Story e: a process pool around a library that is parallel itself. Each worker starts a team for the whole machine: with
P processes and P cores, P times P threads meet at barriers that not all of them can reach at once.

The cost is proportional to the barriers (launches), times how far the threads outnumber the cores.
"""
import multiprocessing
import time

import numba
import numpy as np
from numba import njit, prange

PROCESSES, ROUNDS = 2, 4000


@njit(parallel=True)
def smooth(signal, out):
    """Stands for the library: a parallel loop behind a plain function."""
    for i in prange(1, signal.shape[0] - 1):
        out[i] = 0.25 * signal[i - 1] + 0.5 * signal[i] + 0.25 * signal[i + 1]


def worker(seed):
    """Seconds for one record of the batch."""
    signal = np.random.default_rng(seed).random(20_000)
    out = np.zeros_like(signal)
    smooth(signal, out)
    start = time.perf_counter()
    for _ in range(ROUNDS):
        smooth(signal, out)
        signal, out = out, signal
    return time.perf_counter() - start


def limit_team():
    numba.set_num_threads(max(1, numba.config.NUMBA_NUM_THREADS // PROCESSES))


def batch_unlimited(seeds):
    """Contended: every worker brings a whole team."""
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:  # want: nested-threads
        return pool.map(worker, seeds)


def batch_limited(seeds):
    """Relieved: cores // workers threads per worker."""
    with multiprocessing.get_context("spawn").Pool(PROCESSES, initializer=limit_team) as pool:
        return pool.map(worker, seeds)


def main():
    seeds = range(PROCESSES)
    for name, batch in (("whole team per worker", batch_unlimited), ("cores // workers", batch_limited)):
        print(f"{name:22} {1e6 * min(max(batch(seeds)) for _ in range(3)) / ROUNDS:8.1f} us a call")


if __name__ == "__main__":
    main()
