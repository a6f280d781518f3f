"""The parallel loops: every series of a bank against every query. The bank is dealt out to the threads; each query, and so
each query's reference count, is used by all of them."""
import numpy as np
from numba import njit, prange
from numba.typed import List

from .elastic import (split_merge_dependent, split_merge_independent, warp_indices, warp_inlined, warp_views,
                      warp_written_out)


@njit(parallel=True)
def table_views(bank, queries):
    """A. Compiled anew for lists and for 3-D arrays, on either side."""
    out = np.empty((len(bank), len(queries)))
    for p in prange(len(bank)):
        for q in range(len(queries)):
            out[p, q] = warp_views(bank[p], queries[q])
    return out


@njit(parallel=True)
def table_written_out(bank, queries):
    """B."""
    out = np.empty((len(bank), len(queries)))
    for p in prange(len(bank)):
        for q in range(len(queries)):
            out[p, q] = warp_written_out(bank[p], queries[q])
    return out


@njit(parallel=True)
def table_indices(bank, queries):
    """C."""
    out = np.empty((len(bank), len(queries)))
    for p in prange(len(bank)):
        for q in range(len(queries)):
            out[p, q] = warp_indices(bank[p], queries[q])
    return out


@njit(parallel=True)
def table_inlined(bank, queries):
    """D."""
    out = np.empty((len(bank), len(queries)))
    for p in prange(len(bank)):
        for q in range(len(queries)):
            out[p, q] = warp_inlined(bank[p], queries[q])
    return out


@njit(parallel=True)
def table_msm(bank, queries, fee, independent):
    """Move, split, merge in both modes."""
    out = np.empty((len(bank), len(queries)))
    for p in prange(len(bank)):
        for q in range(len(queries)):
            if independent:
                out[p, q] = split_merge_independent(bank[p], queries[q], fee)
            else:
                out[p, q] = split_merge_dependent(bank[p], queries[q], fee)
    return out


def pairwise(bank, queries):
    """What a user calls: series of unequal length come as a sequence of (channel, time) arrays."""
    return table_views(List(bank), List(queries))


def nearest(bank, probe):
    """The setting of the story: many series against one, which every thread reads."""
    return table_views(List(bank), List([probe])).argmin()
