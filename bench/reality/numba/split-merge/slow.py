# claim: alloc-in-kernel: the middle of two columns is a new array in every cell
# assume: middle.shape[0]=3
# assume: len(last)=3
import numpy as np
from numba import njit, prange


@njit
def toll(fresh, last, other, fee):
    middle = (last + other) * 0.5
    radius = 0.0
    away = 0.0
    for c in range(middle.shape[0]):
        radius += (last[c] - middle[c]) ** 2
        away += (fresh[c] - middle[c]) ** 2
    return fee if away <= radius else fee + away


@njit
def path(x, y, fee):
    n, m = x.shape[0], y.shape[0]
    cost = np.zeros(m)
    for i in range(1, n):
        for j in range(1, m):
            cost[j] = min(cost[j], cost[j - 1]) + toll(x[i], x[i - 1], y[j], fee)
    return cost[m - 1]


@njit(parallel=True)
def table(bank, query, fee):
    out = np.empty(bank.shape[0])
    for p in prange(bank.shape[0]):
        out[p] = path(bank[p], query, fee)
    return out


draw = np.random.default_rng(7)
series, probe = draw.random((16, 64, 3)), draw.random((64, 3))


def work():
    return table(series, probe, 0.1).sum()
