import numpy as np
from numba import njit, prange


@njit
def pull(a, b):
    u, v, w = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    square = u * u + v * v + w * w + 0.01
    return u / (square * np.sqrt(square))


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
