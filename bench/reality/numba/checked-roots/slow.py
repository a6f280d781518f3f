# claim: raise-in-prange: an assertion in the body keeps the loop serial
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def orbits(start, turns, out):
    for i in prange(start.shape[0]):
        assert turns[i] > 0
        x = start[i]
        for _ in range(turns[i]):
            x = 3.7 * x * (1.0 - x)
        out[i] = x


draw = np.random.default_rng(10)
first, rounds, last = draw.random(20_000), draw.integers(20, 40, 20_000), np.empty(20_000)


def work():
    orbits(first, rounds, last)
    return last.sum()
