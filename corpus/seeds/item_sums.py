"""Story c, first half: a parallel sum that is called once per item. The cost is proportional to the number of launches."""
import time

import numba
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def weight(values):
    """Right for one large array; a team is launched for every call."""
    total = 0.0
    for i in prange(values.shape[0]):
        total += values[i] * values[i]
    return total


@njit
def weight_serial(values):
    total = 0.0
    for i in range(values.shape[0]):
        total += values[i] * values[i]
    return total


def weights_launched(items):
    """Contended: one launch per item of a few hundred numbers."""
    out = np.empty(items.shape[0])
    for k in range(items.shape[0]):
        out[k] = weight(items[k])  # want: region-in-hot-loop
    return out


@njit(parallel=True)
def weights_outside(items):
    """Relieved: one launch around all items."""
    out = np.empty(items.shape[0])
    for k in prange(items.shape[0]):
        out[k] = weight_serial(items[k])
    return out


def best(call, *arguments):
    call(*arguments)
    spent = []
    for _ in range(5):
        start = time.perf_counter()
        call(*arguments)
        spent.append(time.perf_counter() - start)
    return min(spent)


def main():
    numba.set_num_threads(2)
    items = np.random.default_rng(1).random((4000, 256))
    for name, call in (("launched per item", lambda: weights_launched(items)),
                       ("launched once", lambda: weights_outside(items))):
        print(f"{name:18} {1e6 * best(call) / items.shape[0]:8.3f} us an item of {items.shape[1]} numbers")
    for numbers in (1000, 10_000, 100_000, 1_000_000):
        values = np.ones(numbers)
        print(f"{numbers:8} numbers: parallel {1e6 * best(weight, values):8.2f} us, "
              f"serial {1e6 * best(weight_serial, values):8.2f} us")


if __name__ == "__main__":
    main()
