# claim: view-per-cell: rows of a list element handed to a helper that divides, and so may raise
# assume: u.shape[0]=6
import numpy as np
from numba import njit, prange
from numba.typed import List


@njit
def chi_square(u, v):
    total = 0.0
    for k in range(u.shape[0]):
        apart = u[k] - v[k]
        total += apart * apart / (u[k] + v[k])
    return total


@njit(parallel=True)
def nearest(shards, model):
    out = np.empty(len(shards))
    for s in prange(len(shards)):
        reference = model[0]
        rows = shards[s]
        total = 0.0
        for i in range(rows.shape[0]):
            best = 1e300
            for j in range(reference.shape[0]):
                best = min(best, chi_square(rows[i], reference[j]))
            total += best
        out[s] = total
    return out


draw = np.random.default_rng(6)
parts = List([1 + draw.random((64, 6)) for _ in range(8)])
templates = List([1 + draw.random((48, 6))])


def work():
    return nearest(parts, templates).sum()
