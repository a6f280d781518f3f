# claim: missing-reduction: bins of one histogram are raised by all threads
# wrong: counts are lost
# assume: len(counts)=8
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def histogram(levels, counts):
    for i in prange(levels.shape[0]):
        counts[levels[i]] += 1


picture = np.random.default_rng(12).integers(0, 8, 400_000)


def work():
    counts = np.zeros(8, np.int64)
    histogram(picture, counts)
    return (counts * np.arange(1, 9)).sum()
