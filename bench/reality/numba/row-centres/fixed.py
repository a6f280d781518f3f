import numpy as np
from numba import njit, prange


@njit
def centre(table, r):
    total = 0.0
    for k in range(table.shape[1]):
        total += k * table[r, k]
    return total


@njit(parallel=True)
def centres(table):
    out = np.empty(table.shape[0])
    for r in prange(table.shape[0]):
        out[r] = centre(table, r)
    return out


rows = np.random.default_rng(13).random((2000, 1000))


def work():
    return centres(rows).sum()
