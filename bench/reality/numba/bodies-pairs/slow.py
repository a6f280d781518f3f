# claim: alloc-in-kernel: a difference vector per pair of bodies
import numpy as np
from numba import njit, prange


@njit
def pull(a, b):
    apart = np.empty(3)
    for k in range(3):
        apart[k] = b[k] - a[k]
    square = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2] + 0.01
    return apart[0] / (square * np.sqrt(square))


@njit(parallel=True)
def forces(position):
    n = position.shape[0]
    out = np.zeros(n)
    for i in prange(n):
        for j in range(n):
            out[i] += pull(position[i], position[j])
    return out


bodies = np.random.default_rng(8).random((256, 3))


def work():
    return np.abs(forces(bodies)).sum()
