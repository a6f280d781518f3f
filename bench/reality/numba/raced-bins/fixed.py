import numpy as np
from numba import get_num_threads, njit, prange


@njit(parallel=True)
def histogram(levels, counts):
    threads = get_num_threads()
    rows = np.zeros((threads, 64), np.int64)
    n = levels.shape[0]
    for t in prange(threads):
        for i in range(t * n // threads, (t + 1) * n // threads):
            rows[t, levels[i]] += 1
    for b in range(8):
        for t in range(threads):
            counts[b] += rows[t, b]


picture = np.random.default_rng(12).integers(0, 8, 400_000)


def work():
    counts = np.zeros(8, np.int64)
    histogram(picture, counts)
    return (counts * np.arange(1, 9)).sum()
