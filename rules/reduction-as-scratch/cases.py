"""Cases of reduction-as-scratch in numba: what prange takes for a reduction, and is used for more than that.

The marked functions give other answers on two threads than compiled without parallel=True (numba 0.56.4), or do not compile.
"""
import numpy as np
from numba import njit, prange

# ---- used inside -------------------------------------------------------------------------------------------------------------


@njit(parallel=True)
def running_total(load):
    out = np.empty(load.shape[0])
    total = 0.0
    for i in prange(load.shape[0]):
        total += load[i]
        out[i] = total  # want: reduction-as-scratch
    return out


@njit(parallel=True)
def next_place(load, limit):
    busy = np.empty(load.shape[0], np.int64)
    used = 0
    for i in prange(load.shape[0]):
        if load[i] > limit:
            busy[used] = i  # want: reduction-as-scratch; may: missing-reduction
            used += 1
    return busy[:used]


@njit(parallel=True)
def until_a_limit(load, limit):
    total = 0.0
    for i in prange(load.shape[0]):
        if total < limit:  # want: reduction-as-scratch
            total += load[i]
    return total


@njit(parallel=True)
def reset(load):
    total = 0.0
    for i in prange(load.shape[0]):
        total += load[i]
        if load[i] < 0.0:
            total = 0.0  # want: reduction-as-scratch; may: missing-reduction
    return total


@njit(parallel=True)
def share_of_the_rest(load):
    out = np.empty(load.shape[0])
    total = 0.0
    for i in prange(load.shape[0]):
        out[i] = load[i] / (1.0 + total)  # want: reduction-as-scratch
        total = total + load[i]
    return out


@njit(parallel=True)
def maximum_so_far(load):
    out = np.empty(load.shape[0])
    top = 0.0
    for i in prange(load.shape[0]):
        top = max(top, load[i])
        out[i] = top  # want: reduction-as-scratch
    return out


# ---- right -------------------------------------------------------------------------------------------------------------------


@njit(parallel=True)
def updates_only(load):
    total = 0.0
    top = -np.inf
    count = 0
    for i in prange(load.shape[0]):
        total += load[i]
        top = max(top, load[i])
        if load[i] > 0.0:
            count += 1
    mean = total / count
    return mean, top


@njit(parallel=True)
def set_anew(rows):
    out = np.empty(rows.shape[0])
    acc = 0.0
    for r in prange(rows.shape[0]):
        acc = 0.0
        for c in range(rows.shape[1]):
            acc += rows[r, c]
            if acc > 100.0:
                acc = 0.0
        out[r] = acc
    return out


@njit(parallel=True)
def own_variable(rows):
    out = np.empty(rows.shape[0])
    total = 0.0
    for r in prange(rows.shape[0]):
        acc = 0.0
        for c in range(rows.shape[1]):
            acc += rows[r, c]
        out[r] = acc
        total += acc
    return out, total


@njit(parallel=True)
def own_elements(rows):
    out = np.zeros(rows.shape[0])
    for r in prange(rows.shape[0]):
        for c in range(rows.shape[1]):
            out[r] += rows[r, c]
            if out[r] > 100.0:
                out[r] = 0.0
    return out


@njit
def serial(load):
    out = np.empty(load.shape[0])
    total = 0.0
    for i in range(load.shape[0]):
        total += load[i]
        out[i] = total
    return out
