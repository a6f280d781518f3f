"""Cases of too-little-work in numba: loops that are over before a team has started."""
import math

import numpy as np
from numba import njit, prange

LEVELS = 256
HOURS = 24


# ---- wanted ----------------------------------------------------------------------------------------------------------


@njit(parallel=True)
def gamma_table(gamma):
    table = np.empty(LEVELS)
    for level in prange(LEVELS):  # want: too-little-work
        table[level] = level * gamma + 1.0
    return table


@njit(parallel=True)
def tides(phase):
    height = np.zeros(HOURS)
    for h in prange(HOURS):  # want: too-little-work
        height[h] = math.sin(h * 0.26 + phase)
    return height


@njit(parallel=True)
def length_of_the_array():
    table = np.zeros((LEVELS, 2))
    for i in prange(table.shape[0]):  # want: too-little-work
        table[i, 0] = i
        table[i, 1] = i * i
    return table


@njit(parallel=True)
def hours_by_days(readings, out):
    for h in prange(HOURS):  # want: too-little-work
        acc = 0.0
        for d in range(7):
            acc += readings[d, h]
        out[h] = acc


@njit
def ramp(x):
    return x if x > 0.0 else 0.01 * x


@njit(parallel=True)
def through_a_helper(x):
    for i in prange(0, 32):  # want: too-little-work
        x[i] = ramp(x[i])


# ---- silent ----------------------------------------------------------------------------------------------------------


@njit(parallel=True)
def unknown_length(x):
    for i in prange(x.shape[0]):
        x[i] *= 0.5


@njit(parallel=True)
def few_but_heavy(volume, out):
    for a in prange(12):
        acc = 0.0
        for v in range(volume.shape[0]):
            acc += volume[v] * a
        out[a] = acc


@njit(parallel=True)
def whole_arrays(fields, out):
    for a in prange(12):
        out[a] = np.sum(fields[a] * fields[a])


@njit(parallel=True)
def until_it_converges(x):
    for i in prange(16):
        step = 1.0
        while step > 1e-9:
            step = 0.5 * abs(x[i] - 1.0 / x[i])
            x[i] = 0.5 * (x[i] + 1.0 / x[i])  # may: raise-in-prange


@njit(parallel=True)
def tested_length(x):
    n = x.shape[0]
    if n < 50_000:
        for i in range(n):
            x[i] *= 0.5
        return
    for i in prange(64):
        x[i] *= 0.5


@njit
def serial(x):
    for i in prange(8):  # may: serial-prange
        x[i] *= 0.5


@njit("i8()", parallel=True)
def threads_start():
    """Told nothing, it computes what is known: it runs to see that threads start."""
    total = 0
    for i in prange(4):
        total += i
    return total
