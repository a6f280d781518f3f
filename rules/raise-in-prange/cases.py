"""Cases of raise-in-prange: iterations that are left early or raise, and the ways in which that is right.

Run with numba 0.56.4 on two threads: where a loop can be left from its body, thread id 0 does every iteration; where a helper
raises, the call returns None as if nothing had been, and half of the output is missing.
"""
import numpy as np
from numba import njit, prange

# ---- the loop stays serial -------------------------------------------------------------------------------------------------


@njit(parallel=True)
def raised(weight, out):
    for i in prange(weight.shape[0]):
        if weight[i] < 0.0:
            raise ValueError("negative weight")  # want: raise-in-prange
        out[i] = np.sqrt(weight[i])


@njit(parallel=True)
def asserted(weight, out):
    for i in prange(weight.shape[0]):
        assert weight[i] >= 0.0  # want: raise-in-prange
        out[i] = np.sqrt(weight[i])


@njit(parallel=True)
def found(weight, limit):
    for i in prange(weight.shape[0]):
        if weight[i] > limit:
            return True  # want: raise-in-prange
    return False


@njit(parallel=True)
def stopped(weight, out):
    for i in prange(weight.shape[0]):
        if weight[i] == 0.0:
            break  # want: raise-in-prange
        out[i] = 1.0 / weight[i]


@njit(parallel=True)
def from_an_inner_loop(parcels, out):
    for i in prange(parcels.shape[0]):
        for k in range(parcels.shape[1]):
            if parcels[i, k] < 0.0:
                raise ValueError("negative weight")  # want: raise-in-prange
            out[i] += parcels[i, k]


@njit(parallel=True)
def from_a_while(parcels, out):
    for i in prange(parcels.shape[0]):
        k = 0
        while True:
            if parcels[i, k] > 1.0:
                break
            if k + 1 == parcels.shape[1]:
                return  # want: raise-in-prange
            k += 1
        out[i] = k


@njit(inline="always")
def checked_inline(x):
    if x < 0.0:
        raise ValueError("negative weight")  # want: raise-in-prange
    return np.sqrt(x)


@njit(parallel=True)
def in_what_is_written_out_here(weight, out):
    for i in prange(weight.shape[0]):
        out[i] = checked_inline(weight[i])


# ---- the exception is lost -------------------------------------------------------------------------------------------------


@njit
def checked(x):
    if x < 0.0:
        raise ValueError("negative weight")  # want: raise-in-prange
    return np.sqrt(x)


@njit(parallel=True)
def in_a_helper(weight, out):
    for i in prange(weight.shape[0]):
        out[i] = checked(weight[i])


@njit
def innermost(x):
    assert x > 0.0, "no weight"  # want: raise-in-prange
    return 1.0 / x


@njit
def between(row):
    return innermost(row[0]) + row[1]


@njit(parallel=True)
def two_calls_down(parcels, out):
    for i in prange(parcels.shape[0]):
        out[i] = between(parcels[i])  # may: view-per-cell


@njit(parallel=True)
def mean_of_some(parcels, limit, out):
    for i in prange(parcels.shape[0]):
        total = 0.0
        count = 0
        for k in range(parcels.shape[1]):
            if parcels[i, k] > limit:
                total += parcels[i, k]
                count += 1
        out[i] = total / count  # want: raise-in-prange


# ---- right -----------------------------------------------------------------------------------------------------------------


@njit(parallel=True)
def checked_before(weight, out):
    if weight.shape[0] == 0:
        raise ValueError("no parcels")
    for i in range(weight.shape[0]):
        if weight[i] < 0.0:
            raise ValueError("negative weight")
    for i in prange(weight.shape[0]):
        out[i] = np.sqrt(weight[i])
    return out


@njit(parallel=True)
def marked(weight, out):
    bad = np.zeros(weight.shape[0], np.bool_)
    for i in prange(weight.shape[0]):
        if weight[i] < 0.0:
            bad[i] = True
            continue
        out[i] = np.sqrt(weight[i])
    if bad.any():
        raise ValueError("negative weight")


@njit(parallel=True)
def breaks_of_inner_loops(parcels, limit, out):
    for i in prange(parcels.shape[0]):
        for k in range(parcels.shape[1]):
            if parcels[i, k] > limit:
                out[i] = k
                break
        j = 0
        while True:
            j += 1
            if j > 3:
                break


@njit
def returns_early(row, limit):
    for k in range(row.shape[0]):
        if row[k] > limit:
            return k
    return -1


@njit(parallel=True)
def calls_what_returns(parcels, limit, out):
    for i in prange(parcels.shape[0]):
        out[i] = returns_early(parcels[i], limit)


@njit(parallel=True)
def mean_of_any(parcels, limit, out):
    for i in prange(parcels.shape[0]):
        total = 0.0
        count = 0
        for k in range(parcels.shape[1]):
            if parcels[i, k] > limit:
                total += parcels[i, k]
                count += 1
        out[i] = total / count if count > 0 else 0.0


@njit(parallel=True, error_model="numpy")
def mean_or_nan(parcels, limit, out):
    for i in prange(parcels.shape[0]):
        total = 0.0
        count = 0
        for k in range(parcels.shape[1]):
            if parcels[i, k] > limit:
                total += parcels[i, k]
                count += 1
        out[i] = total / count


@njit
def serial(weight, out):
    for i in range(weight.shape[0]):
        out[i] = checked(weight[i])
        if out[i] > 10.0:
            return i
    return -1


@njit
def by_rank(x):
    """The types decide, when it is compiled: a note."""
    if x.ndim == 1:
        return x[0]
    if x.ndim == 2:
        return x[0, 0]
    raise ValueError("one or two dimensions")


@njit(parallel=True)
def calls_by_rank(parcels, out):
    for i in prange(parcels.shape[0]):
        out[i] = by_rank(parcels)


@njit
def turned(out, row, axis):
    """Every way here passes one of the three: it holds."""
    assert axis in (0, 1, 2)
    out[row, axis] += 1.0


@njit(parallel=True)
def turns(out):
    for i in prange(out.shape[0]):
        turned(out, i, 2)
        turned(out, i, 0)


@njit
def turned_by(out, row, axis):
    assert axis in (0, 1, 2)  # want: raise-in-prange
    out[row, axis] += 1.0


@njit(parallel=True)
def turns_by(out, axes):
    for i in prange(out.shape[0]):
        turned_by(out, i, axes[i])
