"""What one cell costs: the distance between two time points. Each form is the same sum, handed over differently."""
from numba import njit


@njit(fastmath=True)
def gap(u, v):
    """Squared distance of two columns (vectors over the channels)."""
    total = 0.0
    for c in range(u.shape[0]):
        step = u[c] - v[c]
        total += step * step
    return total


@njit(fastmath=True)
def gap_at(x, i, y, j):
    """The same of column i of x and column j of y, from whole arrays and indices."""
    total = 0.0
    for c in range(x.shape[0]):
        step = x[c, i] - y[c, j]
        total += step * step
    return total


@njit(fastmath=True, inline="always")
def gap_inlined(u, v):
    """The first form, but numba pastes it into its caller before it counts any references."""
    total = 0.0
    for c in range(u.shape[0]):
        step = u[c] - v[c]
        total += step * step
    return total


@njit
def toll(fresh, last, other, fee):
    """Cost of a split or a merge of numbers: the fee, and the way back if `fresh` is not between the other two."""
    if last <= fresh <= other or last >= fresh >= other:
        return fee
    return fee + min(abs(fresh - last), abs(fresh - other))


@njit(fastmath=True)
def toll_columns(fresh, last, other, fee):
    """Cost of a split or a merge of columns: inside the ball around the midpoint it is the fee alone."""
    middle = (last + other) * 0.5  # want: alloc-in-kernel
    radius = 0.0
    away = 0.0
    for c in range(middle.shape[0]):
        radius += (last[c] - middle[c]) ** 2
        away += (fresh[c] - middle[c]) ** 2
    return fee if away <= radius else fee + away
