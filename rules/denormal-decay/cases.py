"""Cases of denormal-decay, which is at most a note.

NumPy, float32: a moment with beta 0.9 and a gradient of 0 sticks at 5.6e-45 after about 1,000 steps.
"""
import numpy as np
from numba import njit


class Adam:
    def __init__(self, shape, beta=0.9):
        self.first = np.zeros(shape, np.float32)
        self.beta = beta

    def step(self, grad):
        m = self.first
        m += (1 - self.beta) * (grad - m)  # note: denormal-decay
        return m


@njit
def filtered(x, out):
    for i in range(1, x.shape[0]):
        out[0] = 0.9 * out[0] + 0.1 * x[i]  # note: denormal-decay


def one_half(trail, steps):
    for _ in range(steps):
        trail[:] *= 0.5


def rate_of(rate, epochs):
    for _ in range(epochs):
        rate *= 0.99
    return rate
