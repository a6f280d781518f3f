"""The kernels: n x m cells for one pair of series, each a (channel, time) array. Rows of costs are reused, so that a cell
does nothing but its gap and a minimum."""
import numpy as np
from numba import njit

from .gaps import gap, gap_at, gap_inlined, toll, toll_columns


@njit
def warp_views(x, y):
    """A: two column views per cell go to a helper."""
    m = y.shape[1]
    above = np.full(m + 1, np.inf)
    here = np.full(m + 1, np.inf)
    above[0] = 0.0
    for i in range(x.shape[1]):
        here[0] = np.inf
        for j in range(m):
            step = gap(x[:, i], y[:, j])  # want: view-per-cell
            here[j + 1] = step + min(above[j], above[j + 1], here[j])
        above, here = here, above
    return above[m]


@njit(fastmath=True)
def warp_written_out(x, y):
    """B: the sum over the channels stands in the cell."""
    m = y.shape[1]
    above = np.full(m + 1, np.inf)
    here = np.full(m + 1, np.inf)
    above[0] = 0.0
    for i in range(x.shape[1]):
        here[0] = np.inf
        for j in range(m):
            step = 0.0
            for c in range(x.shape[0]):
                apart = x[c, i] - y[c, j]
                step += apart * apart
            here[j + 1] = step + min(above[j], above[j + 1], here[j])
        above, here = here, above
    return above[m]


@njit
def warp_indices(x, y):
    """C: the helper gets both arrays and the two indices."""
    m = y.shape[1]
    above = np.full(m + 1, np.inf)
    here = np.full(m + 1, np.inf)
    above[0] = 0.0
    for i in range(x.shape[1]):
        here[0] = np.inf
        for j in range(m):
            here[j + 1] = gap_at(x, i, y, j) + min(above[j], above[j + 1], here[j])
        above, here = here, above
    return above[m]


@njit
def warp_inlined(x, y):
    """D: views as in A, to a helper with inline='always'."""
    m = y.shape[1]
    above = np.full(m + 1, np.inf)
    here = np.full(m + 1, np.inf)
    above[0] = 0.0
    for i in range(x.shape[1]):
        here[0] = np.inf
        for j in range(m):
            here[j + 1] = gap_inlined(x[:, i], y[:, j]) + min(above[j], above[j + 1], here[j])
        above, here = here, above
    return above[m]


@njit
def split_merge_dependent(x, y, fee):
    """Move, split, merge over all channels at once: views per cell, and a helper that makes an array."""
    n, m = x.shape[1], y.shape[1]
    cost = np.empty((n, m))
    cost[0, 0] = gap(x[:, 0], y[:, 0])
    for i in range(1, n):
        cost[i, 0] = cost[i - 1, 0] + toll_columns(x[:, i], x[:, i - 1], y[:, 0], fee)  # may: view-per-cell
    for j in range(1, m):
        cost[0, j] = cost[0, j - 1] + toll_columns(y[:, j], y[:, j - 1], x[:, 0], fee)  # may: view-per-cell
    for i in range(1, n):
        for j in range(1, m):
            move = cost[i - 1, j - 1] + gap(x[:, i], y[:, j])  # want: view-per-cell
            split = cost[i - 1, j] + toll_columns(x[:, i], x[:, i - 1], y[:, j], fee)  # want: view-per-cell
            merge = cost[i, j - 1] + toll_columns(y[:, j], x[:, i], y[:, j - 1], fee)  # want: view-per-cell
            cost[i, j] = min(move, split, merge)
    return cost[n - 1, m - 1]


@njit
def split_merge_independent(x, y, fee):
    """The same channel by channel: one view a channel, in front of n x m cells of numbers."""
    n, m = x.shape[1], y.shape[1]
    cost = np.empty((n, m))
    total = 0.0
    for c in range(x.shape[0]):
        u = x[c]
        v = y[c]
        cost[0, 0] = abs(u[0] - v[0])
        for i in range(1, n):
            cost[i, 0] = cost[i - 1, 0] + toll(u[i], u[i - 1], v[0], fee)
        for j in range(1, m):
            cost[0, j] = cost[0, j - 1] + toll(v[j], v[j - 1], u[0], fee)
        for i in range(1, n):
            for j in range(1, m):
                move = cost[i - 1, j - 1] + abs(u[i] - v[j])
                split = cost[i - 1, j] + toll(u[i], u[i - 1], v[j], fee)
                merge = cost[i, j - 1] + toll(v[j], u[i], v[j - 1], fee)
                cost[i, j] = min(move, split, merge)
        total += cost[n - 1, m - 1]
    return total
