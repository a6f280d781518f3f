import numpy as np
from numba import njit


@njit
def gains(out, gain, lift):
    for level in range(256):
        out[level] = lift + gain * level


@njit
def tables(count):
    out = np.empty(256)
    total = 0.0
    for k in range(count):
        gains(out, 1.5, k)
        total += out[k % 256]
    return total


def work():
    return tables(500)
