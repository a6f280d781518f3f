# claim: too-little-work: a parallel loop over a table of 256 entries
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def gains(gain, lift):
    out = np.empty(256)
    for level in prange(256):
        out[level] = lift + gain * level
    return out


def work():
    return gains(1.5, 2.0).sum()
