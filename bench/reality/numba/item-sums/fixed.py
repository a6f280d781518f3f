import numpy as np
from numba import njit, prange

ITEMS, NUMBERS = 400, 256


@njit
def weight(values):
    total = 0.0
    for i in range(values.shape[0]):
        total += values[i] * values[i]
    return total


@njit(parallel=True)
def weights(rows):
    out = np.empty(ITEMS)
    for k in prange(ITEMS):
        out[k] = weight(rows[k])
    return out


items = np.empty((ITEMS, NUMBERS))
items[:] = np.random.default_rng(1).random((ITEMS, NUMBERS))


def work():
    return weights(items).sum()
