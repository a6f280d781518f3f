# claim: denormal-decay: the moments of weights whose gradient has died
import numpy as np
from numba import njit, prange

RATE = 1e-3


@njit(parallel=True)
def step(weights, moment, gradient):
    for i in prange(weights.shape[0]):
        moment[i] = 0.9 * moment[i] + 0.1 * gradient[i]
        weights[i] -= RATE * moment[i]


size = 100_000
parameters, first, slope = np.ones(size), np.zeros(size), np.zeros(size)


def work():
    first[:] = 1e-309
    for _ in range(10):
        step(parameters, first, slope)
    return parameters[7]
