"""Story d: moments that decay towards zero. Once the gradient of a weight stays zero, its moments shrink by a factor per
step, become denormal, and stay so: a float32 that loses less than half of itself per step is rounded back up for ever.

The cost is proportional to the weights whose gradient has died, times the steps after that; how much one denormal costs is
a property of the CPU (nothing to speak of here, more than 100 cycles on many others).
"""
import time

import numba
import numpy as np
from numba import njit, prange

RATE, KEEP_FIRST, KEEP_SECOND = np.float32(1e-3), np.float32(0.9), np.float32(0.999)
ONE, TINY = np.float32(1), np.float32(1e-8)
FLOOR = np.float32(1e-30)


@njit(parallel=True)
def step(weights, first, second, gradient):
    """As it is written everywhere."""
    for i in prange(weights.shape[0]):
        first[i] += (ONE - KEEP_FIRST) * (gradient[i] - first[i])  # may: denormal-decay
        second[i] += (ONE - KEEP_SECOND) * (gradient[i] * gradient[i] - second[i])  # may: denormal-decay
        weights[i] -= RATE * first[i] / (np.sqrt(second[i]) + TINY)


@njit(parallel=True)
def step_flushed(weights, first, second, gradient):
    """Moments below a floor that no weight can feel are set to zero."""
    for i in prange(weights.shape[0]):
        m = first[i] + (ONE - KEEP_FIRST) * (gradient[i] - first[i])
        v = second[i] + (ONE - KEEP_SECOND) * (gradient[i] * gradient[i] - second[i])
        first[i] = m if abs(m) > FLOOR else np.float32(0)
        second[i] = v if v > FLOOR else np.float32(0)
        weights[i] -= RATE * first[i] / (np.sqrt(second[i]) + TINY)


def train(update, size, warm, dead):
    """Nanoseconds per weight and step, early and late, and the first moment at the end."""
    weights, first, second = (np.zeros(size, np.float32) for _ in range(3))
    update(weights, first, second, np.ones(size, np.float32))
    still = np.zeros(size, np.float32)
    spent = []
    for count in (warm, dead, warm):
        start = time.perf_counter()
        for _ in range(count):
            update(weights, first, second, still)
        spent.append(1e9 * (time.perf_counter() - start) / count / size)
    return spent[0], spent[2], first[0]


def main():
    numba.set_num_threads(2)
    for name, update in (("as written", step), ("flushed", step_flushed)):
        update(*(np.zeros(1, np.float32) for _ in range(4)))
        early, late, moment = train(update, 200_000, 100, 1200)
        print(f"{name:12} {early:.3f} ns a weight early, {late:.3f} late; first moment at the end {moment:.3g}")


if __name__ == "__main__":
    main()
