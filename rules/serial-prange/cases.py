"""Cases of serial-prange: loops over prange that run on one thread, and all the ways in which that is right or chosen.

The functions were run with numba 0.56.4 on two threads; the marked loops store thread id 0 in every iteration.
"""
import os
from functools import partial

import numba as nb
import numpy as np
from numba import jit, njit, prange

OPTIONS = {"nogil": True, "cache": False}
WIDE = dict(OPTIONS, parallel=True)
FROM_OUTSIDE = os.environ.get("TIDES_PARALLEL") == "1"

quickjit = njit(fastmath=True)
widejit = nb.jit(nopython=True, parallel=True)
nogiljit = partial(njit, nogil=True)
parallel_range = nb.prange

# ---- one thread does it all ------------------------------------------------------------------------------------------------


@njit
def heights(tide, datum, out):
    for i in prange(tide.shape[0]):  # want: serial-prange
        out[i] = tide[i] - datum


@njit()
def squared(tide, out):
    for i in prange(1, tide.shape[0], 2):  # want: serial-prange
        out[i] = tide[i] * tide[i]


@jit(nopython=True, nogil=True)
def ranges(low, high, out):
    for d in nb.prange(low.shape[0]):  # want: serial-prange
        out[d] = high[d] - low[d]


@nb.njit(parallel=False)
def switched_off(tide, out):
    for i in nb.prange(tide.shape[0]):  # want: serial-prange
        out[i] = tide[i] * 0.5


@njit("void(f8[:], f8[:])", cache=False)
def with_signature(tide, out):
    for i in prange(tide.shape[0]):  # want: serial-prange
        out[i] = np.sqrt(tide[i])


@quickjit
def under_an_alias(tide, out):
    for i in prange(tide.shape[0]):  # want: serial-prange
        out[i] = tide[i] * 2.0


@nogiljit()
def under_a_partial(tide, out):
    for i in prange(tide.shape[0]):  # want: serial-prange
        out[i] = tide[i] * 3.0


@njit(**OPTIONS)
def with_options(tide, out):
    for i in prange(tide.shape[0]):  # want: serial-prange
        out[i] = tide[i] * 4.0


@njit
def range_by_another_name(tide, out):
    for i in parallel_range(tide.shape[0]):  # want: serial-prange
        out[i] = tide[i] * 5.0


@njit
def inner_ones_do_not_count(table, out):
    for r in prange(table.shape[0]):  # want: serial-prange
        for c in prange(table.shape[1]):
            out[r, c] = table[r, c] + 1.0


@njit
def prange_inside(table, out):
    for r in range(table.shape[0]):
        for c in prange(table.shape[1]):  # want: serial-prange
            out[r, c] = table[r, c] + 1.0


def compiled_below(tide, out):
    for i in prange(tide.shape[0]):  # want: serial-prange
        out[i] = tide[i] * 6.0


compiled = njit(compiled_below)


class Station:
    @staticmethod
    @njit(nogil=True)
    def offsets(tide, datum, out):
        for i in prange(tide.shape[0]):  # want: serial-prange
            out[i] = tide[i] - datum


# ---- parallel after all ----------------------------------------------------------------------------------------------------


@njit(parallel=True)
def plainly(tide, out):
    for i in prange(tide.shape[0]):
        out[i] = tide[i] * 2.0


@widejit
def through_an_alias(tide, out):
    for i in prange(tide.shape[0]):
        out[i] = tide[i] * 2.0


@njit(**WIDE)
def through_options(tide, out):
    for i in prange(tide.shape[0]):
        out[i] = tide[i] * 2.0


@njit(parallel=True)
def nested(table, out):
    for r in prange(table.shape[0]):
        for c in prange(table.shape[1]):
            out[r, c] = table[r, c] * 2.0


@njit(inline="always")
def written_out_in_its_caller(tide, out):
    """Tried: thread ids 0 and 1 when a parallel function calls it."""
    for i in prange(tide.shape[0]):
        out[i] = tide[i] * 2.0


@njit(parallel=True)
def caller(tide, out):
    written_out_in_its_caller(tide, out)


# ---- chosen ------------------------------------------------------------------------------------------------------------------


@njit(parallel=FROM_OUTSIDE)
def as_the_environment_says(tide, out):
    for i in prange(tide.shape[0]):
        out[i] = tide[i] * 2.0


def twice(tide, out):
    for i in prange(tide.shape[0]):
        out[i] = tide[i] * 2.0


twice_serial = njit(twice)
twice_parallel = njit(twice, parallel=True)


def build(parallel):
    @njit(parallel=parallel)
    def body(tide, out):
        for i in prange(tide.shape[0]):
            out[i] = tide[i] * 2.0

    return body


# ---- something else ----------------------------------------------------------------------------------------------------------


def never_compiled(tide, out):
    for i in prange(tide.shape[0]):
        out[i] = tide[i] * 2.0


@njit
def plain_range(tide, out):
    for i in range(tide.shape[0]):
        out[i] = tide[i] * 2.0


@njit
def one_site(table, s, out):
    """All its callers share out the work already: a note."""
    for k in prange(table.shape[1]):
        out[s] += table[s, k]


@njit(parallel=True)
def all_sites(table, out):
    for s in prange(table.shape[0]):
        one_site(table, s, out)


# ---- chosen by a wrapper that stores the option ------------------------------------------------------------------------------


def house_jit(function=None, parallel=False, **kwargs):
    """Used bare and with arguments."""

    def decorate(inner):
        kwargs["parallel"] = parallel and os.environ.get("THREADS") != "1"
        return nb.jit(nopython=True, **kwargs)(inner)

    return decorate(function) if function is not None else decorate


def make_smoother(rows, columns):
    parallel = rows * columns > 65536

    @house_jit(parallel=parallel)
    def smooth(tide, out):
        for i in prange(1, tide.shape[0] - 1):
            out[i] = (tide[i - 1] + tide[i + 1]) / 2

    return smooth


# ---- options that the closure of a wrapper finds around it -------------------------------------------------------------------


def with_house_options(**chosen):
    options = dict(nopython=True, cache=False)
    options.update(chosen)

    def decorate(inner):
        return nb.jit(**options)(inner)

    return decorate


@with_house_options(parallel=True)
def gathered_options(tide, out):
    for i in prange(tide.shape[0]):
        out[i] = tide[i] * 2.0


@with_house_options()
def gathered_nothing(tide, out):
    for i in prange(tide.shape[0]):  # want: serial-prange
        out[i] = tide[i] * 2.0


@njit
def series(x):
    """A team would take longer than the three terms do."""
    total = 1.0
    for k in prange(2, 5):
        total += x / k
    return total
