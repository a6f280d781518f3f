# claim: view-per-cell: one view per row in front of a whole row of work
# assume: values.shape[0]=1000
import numpy as np
from numba import njit, prange


@njit
def centre(values):
    total = 0.0
    for k in range(values.shape[0]):
        total += k * values[k]
    return total


@njit(parallel=True)
def centres(table):
    out = np.empty(table.shape[0])
    for r in prange(table.shape[0]):
        out[r] = centre(table[r])
    return out


rows = np.random.default_rng(13).random((2000, 1000))


def work():
    return centres(rows).sum()
