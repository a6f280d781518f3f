# claim: view-per-cell: three channels; only the queries are in a typed list
# assume: u.shape[0]=1
import numpy as np
from numba import njit, prange
from numba.typed import List

SERIES, CHANNELS, POINTS = 16, 3, 96


@njit(fastmath=True)
def gap(u, v):
    total = 0.0
    for c in range(u.shape[0]):
        step = u[c] - v[c]
        total += step * step
    return total


@njit
def warp(x, y):
    m = y.shape[1]
    above = np.full(m + 1, np.inf)
    here = np.full(m + 1, np.inf)
    above[0] = 0.0
    for i in range(x.shape[1]):
        here[0] = np.inf
        for j in range(m):
            here[j + 1] = gap(x[:, i], y[:, j]) + min(above[j], above[j + 1], here[j])
        above, here = here, above
    return above[m]


@njit(parallel=True)
def table(bank, queries):
    out = np.empty((bank.shape[0], len(queries)))
    for p in prange(bank.shape[0]):
        for q in range(len(queries)):
            out[p, q] = warp(bank[p], queries[q])
    return out


draw = np.random.default_rng(5)
series = draw.random((SERIES, CHANNELS, POINTS))
probes = List(list(draw.random((1, CHANNELS, POINTS))))


def work():
    return table(series, probes).sum()
