# claim: serial-prange: a prange in a function that was not compiled with parallel=True
import numpy as np
from numba import njit, prange


@njit
def energies(states, weights):
    out = np.empty(states.shape[0])
    for s in prange(states.shape[0]):
        total = 0.0
        for k in range(states.shape[1]):
            total += np.exp(-states[s, k]) * weights[k]
        out[s] = total
    return out


draw = np.random.default_rng(9)
samples, weight = draw.random((1000, 300)), draw.random(300)


def work():
    return energies(samples, weight).sum()
