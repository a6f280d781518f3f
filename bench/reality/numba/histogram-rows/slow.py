# claim: adjacent-slots: a histogram row of four bins per thread, one behind the other
import numpy as np
from numba import get_num_threads, njit, prange

BINS = 4


@njit(parallel=True)
def counts(levels):
    threads = get_num_threads()
    rows = np.zeros((threads, BINS), np.int32)
    n = levels.shape[0]
    for t in prange(threads):
        for i in range(t * n // threads, (t + 1) * n // threads):
            rows[t, levels[i] & 3] += 1
    return rows.sum(axis=0)


picture = np.random.default_rng(2).integers(0, BINS, 2_000_000)


def work():
    return (counts(picture) * np.arange(1, BINS + 1)).sum()
