"""Cases of bandwidth-bound. Its findings are notes."""
import math

from numba import njit, prange


@njit(parallel=True)
def triad(a, b, c, s):
    for i in prange(a.shape[0]):  # note: bandwidth-bound
        a[i] = b[i] + s * c[i]


@njit(parallel=True)
def planes(to, source):
    for r in prange(to.shape[0]):  # note: bandwidth-bound
        for c in range(to.shape[1]):
            to[r, c] = 0.5 * source[r, c]


@njit(parallel=True)
def waves(a, b):
    for i in prange(a.shape[0]):
        a[i] = math.sin(b[i]) * math.exp(-b[i])
