# claim: nested-threads: a process pool around a library that is parallel itself
import itertools
import multiprocessing

import numpy as np
from numba import njit, prange

PROCESSES, ROUNDS = 2, 100


@njit(parallel=True)
def smooth(signal, out):
    for i in prange(1, signal.shape[0] - 1):
        out[i] = 0.25 * signal[i - 1] + 0.5 * signal[i] + 0.25 * signal[i + 1]


def worker(seed):
    signal = np.random.default_rng(seed).random(20_000)
    out = np.zeros_like(signal)
    for _ in range(ROUNDS):
        smooth(signal, out)
        signal, out = out, signal
    return signal[1000:2000].sum()


def serve(batches):
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        for seeds in batches:
            yield sum(pool.map(worker, seeds, chunksize=1))


answers = serve(itertools.repeat(range(PROCESSES)))


def work():
    return next(answers)
