import numpy as np
from numba import njit, prange

SAMPLES, CHANNELS = 4000, 4


@njit(parallel=True)
def follow(levels, signal):
    for z in prange(CHANNELS):
        for _ in range(20):
            state = 0.0
            for t in range(SAMPLES):
                state += 0.1 * (signal[t] - state)
                levels[z, t] += state


table, sound = np.zeros((CHANNELS, SAMPLES)), np.random.default_rng(11).random(SAMPLES)


def work():
    table[:] = 0.0
    follow(table, sound)
    return table.sum()
