import numpy as np
from numba import njit, prange

RATE, FLOOR = 1e-3, 1e-300


@njit(parallel=True)
def step(weights, moment, gradient):
    for i in prange(weights.shape[0]):
        fresh = 0.9 * moment[i] + 0.1 * gradient[i]
        moment[i] = fresh if abs(fresh) > FLOOR else 0.0
        weights[i] -= RATE * moment[i]


size = 100_000
parameters, first, slope = np.ones(size), np.zeros(size), np.zeros(size)


def work():
    first[:] = 1e-309
    for _ in range(10):
        step(parameters, first, slope)
    return parameters[7]
