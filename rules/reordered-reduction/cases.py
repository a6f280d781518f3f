"""Cases of reordered-reduction: sums over prange whose order is left open.

Run with numba 0.56.4 on one and on two threads: the marked sums differ in their last bits.
"""
import math

import numpy as np
from numba import njit, prange


@njit(parallel=True)
def energy(x):
    total = 0.0
    for i in prange(x.shape[0]):
        total += math.sin(x[i]) * math.sqrt(x[i])  # want: reordered-reduction
    return total


@njit(parallel=True)
def counted(x):
    count = 0
    for i in prange(x.shape[0]):
        if math.sin(x[i]) > 0.5:
            count += 1
    return count


@njit(parallel=True)
def largest(x):
    top = -1.0
    for i in prange(x.shape[0]):
        top = max(top, math.sin(x[i]))
    return top


@njit(parallel=True)
def by_rows(x, rows):
    part = np.zeros(rows)
    for r in prange(rows):
        own = 0.0
        for c in range(x.shape[1]):
            own += math.sin(x[r, c])
        part[r] = own
    total = 0.0
    for r in range(rows):
        total += part[r]
    return total
