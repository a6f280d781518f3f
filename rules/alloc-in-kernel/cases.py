"""Cases of alloc-in-kernel: allocations per cell that numba leaves in the loop, and those that it moves out or fuses.

Counted at run time with numba 0.56.4 (allocations per iteration of the innermost loop around the line).
"""
import math

import numpy as np
from numba import get_num_threads, get_thread_id, njit, objmode, prange

# ---- in the function that holds the parallel loop -----------------------------------------------------------------------


@njit(parallel=True)
def full_per_well(logs, out):
    for w in prange(logs.shape[0]):
        for d in range(1, logs.shape[1]):
            pair = np.full(2, logs[w, d])  # want: alloc-in-kernel
            pair[0] -= logs[w, d - 1]
            out[w, d] = pair[0] * pair[1]


@njit(parallel=True)
def literal_per_well(logs, out):
    for w in prange(logs.shape[0]):
        for d in range(1, logs.shape[1]):
            pair = np.array([logs[w, d], logs[w, d - 1]])  # want: alloc-in-kernel
            out[w, d] = pair.max()


@njit(parallel=True)
def growing_per_well(logs, out):
    """The size depends on the loop: not moved out."""
    for w in prange(logs.shape[0]):
        for d in range(logs.shape[1]):
            seen = np.zeros(1 + d % 4)  # want: alloc-in-kernel
            seen[d % 4] = logs[w, d]
            out[w, d] = seen[0]


@njit(parallel=True)
def copy_per_well(logs, out):
    for w in prange(logs.shape[0]):
        for d in range(logs.shape[1] - 3):
            part = logs[w, d : d + 3].copy()  # want: alloc-in-kernel
            part[0] *= 0.5
            out[w, d] = part[0] + part[1] + part[2]


@njit(parallel=True)
def temporary_per_well(logs, out):
    for w in prange(logs.shape[0]):
        for d in range(logs.shape[1] - 3):
            jump = logs[w, d + 1 : d + 3] - logs[w, d : d + 2]  # want: alloc-in-kernel
            out[w, d] = jump[0] * jump[1]


@njit(parallel=True)
def list_per_well(logs, out):
    for w in prange(logs.shape[0]):
        for d in range(1, logs.shape[1]):
            pair = [logs[w, d], logs[w, d - 1]]  # want: alloc-in-kernel
            pair.append(0.0)  # may: alloc-in-kernel
            out[w, d] = max(pair)


@njit(parallel=True)
def like_per_well(logs, out):
    for w in prange(logs.shape[0]):
        for d in range(logs.shape[1] - 3):
            part = np.empty_like(logs[w, d : d + 3])  # want: alloc-in-kernel
            part[0] = logs[w, d]
            part[1] = logs[w, d + 1]
            out[w, d] = part[0] * part[1]


@njit(parallel=True)
def fixed_per_well(logs, out):
    """zeros, empty and ones of a fixed shape are moved out of the loop."""
    for w in prange(logs.shape[0]):
        for d in range(1, logs.shape[1]):
            pair = np.empty(2)
            unit = np.ones(2)
            pair[0] = logs[w, d - 1]
            pair[1] = logs[w, d]
            out[w, d] = pair[0] * unit[0] + pair[1] * unit[1]


@njit(parallel=True)
def fused_per_well(logs, weights, out):
    """The product is summed as it is made."""
    for w in prange(logs.shape[0]):
        out[w] = np.sum(logs[w] * weights[w])


@njit(parallel=True)
def fused_extremes_per_well(logs, out):
    """Extremes, means and their places are searched as the differences are made."""
    for w in prange(logs.shape[0] - 1):
        out[w, 0] = np.max(np.abs(logs[w] - logs[w + 1]))  # may: view-per-cell
        out[w, 1] = (logs[w] - logs[w + 1]).mean()
        out[w, 2] = np.argmin(logs[w] + logs[w + 1])


@njit(parallel=True)
def spread_per_well(logs, out):
    for w in prange(logs.shape[0] - 1):
        out[w] = np.std(logs[w, :3] - logs[w + 1, :3])  # want: alloc-in-kernel # may: view-per-cell


@njit(parallel=True)
def whole_rows_per_well(logs, weights, out):
    """A store to whole slices is one loop with the expression."""
    for w in prange(logs.shape[0]):
        for k in range(weights.shape[0]):
            out[w, :] = logs[w, :] * weights[k]  # may: view-per-cell


@njit(parallel=True)
def in_place_per_well(logs, weights, out):
    """An update in place is not: an allocation for each, counted at run time too."""
    for w in prange(logs.shape[0]):
        for k in range(weights.shape[0]):
            out[w] += logs[w, :] * weights[k]  # want: alloc-in-kernel


@njit(parallel=True)
def rows_by_index_per_well(logs, weights, out):
    for w in prange(logs.shape[0]):
        for k in range(weights.shape[0]):
            out[w] = logs[w, :] * weights[k]  # want: alloc-in-kernel


@njit(parallel=True)
def kinds_per_well(kinds, counts):
    """Numbers of kinds, whatever a dict comprehension maps to them."""
    for w in prange(kinds.shape[0]):
        for d in range(kinds.shape[0]):
            base = (kinds[w] * 4 + kinds[d]) * 2
            counts[w, base] += 1


def count_kinds(table, counts):
    number = {kind: i for i, kind in enumerate(table.kinds.values)}
    kinds_per_well(np.array([number[kind] for kind in table.kinds]), counts)


@njit(parallel=True)
def scalars_per_well(logs, out):
    for w in prange(logs.shape[0]):
        for d in range(1, logs.shape[1]):
            below, here = logs[w, d - 1], logs[w, d]
            pair = (below, here)
            out[w, d] = pair[0] * pair[1]


# ---- in a function that the parallel loop calls ---------------------------------------------------------------------------


@njit
def kick(pos, i, j):
    push = np.zeros(2)  # want: alloc-in-kernel
    push[0] = pos[j, 0] - pos[i, 0]
    push[1] = pos[j, 1] - pos[i, 1]
    return push


@njit(parallel=True)
def kicks_returned(pos, out):
    for i in prange(pos.shape[0]):
        for j in range(pos.shape[0]):
            push = kick(pos, i, j)
            out[i, 0] += push[0]
            out[i, 1] += push[1]


@njit
def product_sum(u, v):
    return np.sum(u * v)  # want: alloc-in-kernel


@njit(parallel=True)
def products(pos, out):
    """The same expression as in fused_per_well, but in a callee it is stored."""
    for i in prange(pos.shape[0]):
        for j in range(pos.shape[0]):
            out[i] += product_sum(pos[i], pos[j])  # may: view-per-cell


@njit
def clipped(v):
    return np.where(v > 0.0, v, 0.0)  # want: alloc-in-kernel


@njit
def through(v):
    return clipped(v)[0]


@njit(parallel=True)
def clips(pos, out):
    for i in prange(pos.shape[0]):
        for j in range(pos.shape[0]):
            out[i] += through(pos[j])  # may: view-per-cell


@njit
def joined(a, b):
    both = np.concatenate((a, b))  # want: alloc-in-kernel
    return both[0] * both[both.shape[0] - 1]


@njit
def rolled(a):
    turned = np.roll(a, 1)  # want: alloc-in-kernel
    return turned[0]


@njit
def extended(a, x):
    longer = np.append(a, x)  # want: alloc-in-kernel
    return longer[longer.shape[0] - 1]


@njit(parallel=True)
def library(pos, out):
    for i in prange(pos.shape[0]):
        for j in range(pos.shape[0]):
            out[i] += joined(pos[i], pos[j])  # may: view-per-cell
            out[i] += rolled(pos[j])  # may: view-per-cell
            out[i] += extended(pos[j], 1.0)  # may: view-per-cell


@njit
def distinct(a, b, c):
    seen = {a}  # want: alloc-in-kernel
    seen.add(b)  # may: alloc-in-kernel
    seen.add(c)  # may: alloc-in-kernel
    return len(seen)


@njit
def tallied(a, b):
    count = {a: 1}  # want: alloc-in-kernel
    count[b] = 2  # may: alloc-in-kernel
    return len(count)


@njit(parallel=True)
def codes(kinds, out):
    for i in prange(kinds.shape[0]):
        for j in range(2, kinds.shape[1]):
            out[i] += distinct(kinds[i, j], kinds[i, j - 1], kinds[i, j - 2])
            out[i] += tallied(kinds[i, j], kinds[i, j - 1])


@njit
def kick_tuple(pos, i, j):
    return pos[j, 0] - pos[i, 0], pos[j, 1] - pos[i, 1]


@njit
def kick_into(pos, i, j, push):
    push[0] = pos[j, 0] - pos[i, 0]
    push[1] = pos[j, 1] - pos[i, 1]


@njit(parallel=True)
def kicks_kept(pos, out):
    """Scalars come back, or the caller's array is filled: made once per body, outside the loop over the others."""
    for i in prange(pos.shape[0]):
        push = np.zeros(2)
        for j in range(pos.shape[0]):
            x, y = kick_tuple(pos, i, j)
            kick_into(pos, i, j, push)
            out[i, 0] += x + push[0]
            out[i, 1] += y + push[1]


# ---- beside how much work ---------------------------------------------------------------------------------------------------


@njit
def matrix_cost(u, v):
    row = np.full(v.shape[0] + 1, 1e30)
    row[0] = 0.0
    for i in range(u.shape[0]):
        for j in range(v.shape[0]):
            row[j + 1] = min(row[j], row[j + 1]) + abs(u[i] - v[j])
    return row[v.shape[0]]


@njit(parallel=True)
def matrix_costs(tracks, out):
    """One array per pair, in front of n x m cells."""
    for a in prange(tracks.shape[0]):
        for b in range(tracks.shape[0]):
            out[a, b] = matrix_cost(tracks[a], tracks[b])


@njit
def running_middle(values, scratch):
    top = 0.0
    for k in range(values.shape[0]):
        scratch[k & 7] = values[k]
        top = max(top, scratch[0])
    return top


@njit(parallel=True)
def scratch_per_thread(rows, out):
    scratch = np.zeros((get_num_threads(), 64))
    for r in prange(rows.shape[0]):
        out[r] = running_middle(rows[r], scratch[get_thread_id()])


@njit
def serial_only(rows, out):
    """No parallel loop reaches this."""
    for r in range(rows.shape[0]):
        pair = np.array([rows[r, 0], rows[r, 1]])
        out[r] = pair[0] * pair[1]


def plain_python(rows):
    return [np.array([row[0], row[1]]).sum() for row in rows]


# ---- numbers, whatever other callers pass ----------------------------------------------------------------------------------


@njit
def scaled_sum(x, factor):
    """Used for a number here, for an array there: each call compiles a variant of its own."""
    half = factor / 2
    return x * half + factor


@njit(parallel=True)
def scale_numbers(levels, out):
    for i in prange(levels.shape[0]):
        out[i] = scaled_sum(levels[i], 3.0)


def scale_rows(table):
    return scaled_sum(table[0], table[1])


def configured(options, levels, out):
    """Keys of a dictionary ask for no dimension."""
    scale_by(levels, options["scale"], out)
    return options["names"]["first"][0][1]


@njit(parallel=True)
def scale_by(levels, scale, out):
    for i in prange(levels.shape[0]):
        out[i] = (levels[i] - scale) * scale


@njit
def bounded(values, limit):
    """Two indices only where the rank is tested."""
    if values.ndim > 1:
        for i in range(values.shape[0]):
            for j in range(values.shape[1]):
                values[i, j] = min(values[i, j], limit)
    else:
        for i in range(values.size):
            values[i] = min(values[i], limit)
    return values


@njit(parallel=True)
def normalised(values, scale, limit):
    bounded(values, limit)
    for i in prange(scale.shape[0]):
        values[i] = values[i] / scale[i]


@njit(parallel=True)
def flat_scaled(table, factor):
    flat = table.reshape(-1)
    for i in prange(len(flat)):
        flat[i] = flat[i] * factor - 1.0


# ---- seldom, or not in compiled code ---------------------------------------------------------------------------------------


@njit
def doubled(stack):
    """Once for every doubling of the stack."""
    grown = np.empty((2 * len(stack),), stack.dtype)  # may: alloc-in-kernel
    grown[: len(stack)] = stack[:]  # may: alloc-in-kernel
    return grown


@njit
def pushed(stack, value, size):
    """The stack is the thread's own: no other thread has its count."""
    if size >= len(stack):
        stack = doubled(stack)  # may: view-per-cell
    stack[size] = value
    return stack


@njit(parallel=True)
def fill_stacks(levels, out):
    for i in prange(levels.shape[0]):
        stack = np.empty(16)
        for k in range(levels.shape[1]):
            stack = pushed(stack, levels[i, k], k)  # may: view-per-cell
        out[i] = stack[0]


@njit
def first_match(nodes, point):
    """One array a call, in front of which all nodes are looked at."""
    for i in range(nodes.shape[0]):
        far = 0.0
        for k in range(nodes.shape[1]):
            far += math.sin(nodes[i, k]) * math.cos(point[k]) + math.exp(nodes[i, k] - point[k])
        if far < 1e-12:
            return np.array([i])
    return np.array([-1])


@njit(parallel=True)
def match_all(nodes, points, out):
    for p in prange(points.shape[0]):
        out[p] = first_match(nodes, points[p])[0]


@njit(parallel=True)
def spectra(rows, out):
    """The interpreter makes these arrays."""
    for r in prange(rows.shape[0]):
        with objmode(peak="float64"):
            peak = np.abs(np.fft.fft(rows[r]) * 2.0).max()
        out[r] = peak


@njit(parallel=True)
def first_of_each_diagonal(profile, diagonals, out):
    """Under i == 0: one turn of many."""
    for d in prange(diagonals.shape[0]):
        for i in range(profile.shape[0] - 8):
            k = i + diagonals[d]
            if i == 0:
                out[d] = np.linalg.norm(profile[i : i + 8] - profile[k : k + 8])  # may: alloc-in-kernel, view-per-cell
            else:
                out[d] += profile[i] * profile[k]


@njit(parallel=True)
def first_of_each_block(profile, block, out):
    """Under i == first, the bound that the loop starts at: one turn of many."""
    for b in prange(profile.shape[0] // block):
        first = b * block
        for i in np.arange(first, first + block):
            if i == first:
                both = np.concatenate((profile[i : i + 8], profile[:8]))  # may: alloc-in-kernel, view-per-cell
                out[b] = np.linalg.norm(both)  # may: alloc-in-kernel, view-per-cell
            else:
                out[b] += profile[i] * profile[i - 1]


@njit(parallel=True)
def last_seen_in_each_block(profile, block, out):
    """Against what the loop moves on: as often as it happens."""
    for b in prange(profile.shape[0] // block):
        wanted = b * block
        for i in range(b * block, b * block + block):
            if i == wanted:
                pair = np.concatenate((profile[i : i + 1], profile[:1]))  # want: alloc-in-kernel; may: view-per-cell
                out[b] += pair[0] * pair[1]
                wanted = i + 1 + int(profile[i])


@njit
def solve_cell(point, cell, origin, a, b, c):
    """The same names for all cells and for the one: numbers, and a vector."""
    origin = origin[cell]
    a = a[cell]
    b = b[cell]
    c = c[cell]
    offset = point - origin  # want: alloc-in-kernel
    return np.sum(offset) * (a * b - c * c)


@njit(parallel=True)
def solve_cells(points, cells, origin, a, b, c, out):
    for p in prange(len(points)):
        point = np.reshape(points[p], (1, 3))
        out[p] = solve_cell(point[0], cells[p], origin, a, b, c)  # may: view-per-cell


@njit(parallel=True)
def last_row_of_each(stacks, out):
    """What is left of `stack` is a row."""
    for s in prange(stacks.shape[0]):
        stack = stacks[s, :, :, 0]
        stack = stack[stack.shape[0] - 1]
        twice = stack * 2.0  # want: alloc-in-kernel
        out[s] = twice[0] + twice[1]


@njit(parallel=True)
def sorted_rows(table, orders, out):
    """Another order of the same dimensions."""
    for r in prange(table.shape[0]):
        row = table[r, :]
        order = orders[r, :]
        row = row[order]  # may: alloc-in-kernel
        row = row[row > 0.0]  # may: alloc-in-kernel
        below = row < 9.0  # may: alloc-in-kernel
        row = row[below]  # may: alloc-in-kernel
        steps = row * 2.0  # may: alloc-in-kernel
        out[r] = steps[0]


@njit(parallel=True)
def tables(rates):
    rows = [np.empty(0) for r in range(len(rates))]
    for r in prange(len(rates)):
        rows[r] = np.full(rates[r], 1.0)  # may: alloc-in-kernel
    return rates, rows


@njit(parallel=True)
def look_up(hits, table, starts, out):
    """One array of what were many: numbers."""
    for h in prange(hits.shape[0]):
        for k in range(hits.shape[1]):
            out[h, k] = 2.0 ** table[starts[h] + hits[h, k]]


def join_tables(rates, hits, out):
    rates, table = tables(rates)
    starts = np.zeros(len(rates), np.int64)
    for r in range(len(rates)):
        starts[r] = len(table[r])
    table = np.concatenate(table)
    look_up(hits, table, starts, out)


@njit(parallel=True)
def collect_hits(signal, limit, out):
    """Room for twice as many, each time that it runs out: seldom."""
    for i in prange(signal.shape[0]):
        room = 16
        hits = np.empty(16, np.int64)  # may: alloc-in-kernel
        used = 0
        for k in range(signal.shape[1]):
            if signal[i, k] > limit:
                if used >= room:
                    hits = np.concatenate((hits, np.empty_like(hits)))  # may: alloc-in-kernel, view-per-cell
                    room *= 2
                hits[used] = k
                used += 1
        out[i] = hits[used // 2]


@njit
def picked_total(row, order):
    return order.shape[0] + np.sum(row[order])  # want: alloc-in-kernel


@njit
def masked_total(row, limit):
    return np.sum(row[row < limit])  # want: alloc-in-kernel


@njit
def any_below(row, other):
    return np.any(row < other)  # want: alloc-in-kernel


@njit
def all_between(row, low, high):
    inside = (row > low) & (row < high)  # want: alloc-in-kernel
    return inside.all()


@njit
def head_matches(row, first, second):
    """Numbers, whatever they are picked from."""
    return row[0] == first and row[1] < second


@njit(parallel=True)
def chosen_rows(table, orders, limits, out):
    for r in prange(table.shape[0]):
        for k in range(orders.shape[0]):
            out[r, k] = picked_total(table[r], orders[k])
            out[r, k] += masked_total(table[r], limits[k])
            if any_below(table[r], table[k]) or all_between(table[r], 0.0, limits[k]):
                out[r, k] += 1.0
            if head_matches(table[r], limits[k], 1.0):
                out[r, k] += 2.0


@njit
def length_of(row):
    return np.linalg.norm(row)  # want: alloc-in-kernel


@njit
def length_in_steps(row):
    """A loop of its own: only the norm of order 2 takes the routine of BLAS."""
    return np.linalg.norm(row, 1)


@njit
def count_high(row):
    return np.count_nonzero(row)  # want: alloc-in-kernel


@njit
def turned_head(matrix, row):
    return np.dot(matrix, row)[0] + matrix.shape[1]  # want: alloc-in-kernel


@njit
def summed_rows(matrix, k):
    matrix = np.sum(matrix, axis=0)  # want: alloc-in-kernel
    return matrix[k] + 1.5


@njit
def widest(row, other):
    return np.hypot(row, other).max() + row.shape[0] + other.shape[0]  # want: alloc-in-kernel


@njit
def clipped_length(row, width=2.0):
    """Numbers: a sum, a quotient of it, the larger of two."""
    size = np.abs(np.sum(row) / width)
    return np.maximum(size - width, 0.0) + 1


@njit(parallel=True)
def described_rows(table, matrix, out):
    for r in prange(table.shape[0]):
        for k in range(matrix.shape[0]):
            row = table[r]  # may: view-per-cell
            out[r, k] = length_of(row) + length_in_steps(row) + count_high(row)
            out[r, k] += turned_head(matrix, row) + summed_rows(matrix, k)
            out[r, k] += widest(row, table[k]) + clipped_length(row)


@njit(parallel=True)
def windows(image, weights, out):
    """As many elements as four dimensions have dwarf what a copy of them costs."""
    for i in prange(out.shape[0]):
        for j in range(out.shape[1]):
            window = image[:, i : i + 5, j : j + 5, :].copy()  # may: alloc-in-kernel, view-per-cell
            out[i, j] = np.sum(window * weights[0, 0])
