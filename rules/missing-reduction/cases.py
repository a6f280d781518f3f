"""Cases of missing-reduction in numba: what prange recognises as a reduction, and what it silently gets wrong.

Those of the first two parts were run on two threads against their serial twins (numba 0.56.4), and the marked ones
differ; the forms of the third crash. What is right in the parts behind them follows from these by reading.
"""
import numpy as np
from numba import float64, int64, njit, prange, typed, types
from numba.experimental import jitclass
from numba.extending import overload

# ---- silently wrong ----------------------------------------------------------------------------------------------------


@njit(parallel=True)
def tallest(trees):
    top = 0.0
    for i in prange(trees.shape[0]):
        if trees[i] > top:
            top = trees[i]  # want: missing-reduction
    return top


@njit(parallel=True)
def nearest(trees, x):
    near = np.inf
    which = -1
    for i in prange(trees.shape[0]):
        d = abs(trees[i] - x)
        if d < near:
            near = d  # want: missing-reduction
            which = i  # may: missing-reduction
    return which, near


@njit(parallel=True)
def first_element(trees):
    total = np.zeros(1)
    for i in prange(trees.shape[0]):
        total[0] += trees[i]  # want: missing-reduction
    return total[0]


@njit(parallel=True)
def two_elements(trees):
    moments = np.zeros(2)
    for i in prange(trees.shape[0]):
        moments[0] += trees[i]  # want: missing-reduction
        moments[1] += trees[i] * trees[i]  # want: missing-reduction
    return moments


@njit(parallel=True)
def by_species(species, count):
    hist = np.zeros(count, np.int64)
    for i in prange(species.shape[0]):
        hist[species[i]] += 1  # want: missing-reduction
    return hist


@njit(parallel=True)
def by_species_spelled_out(species, count):
    hist = np.zeros(count, np.int64)
    for i in prange(species.shape[0]):
        s = species[i]
        hist[s] = hist[s] + 1  # want: missing-reduction
    return hist


@njit(parallel=True)
def summed_by_slice(plots):
    profile = np.zeros(plots.shape[1])
    for p in prange(plots.shape[0]):
        profile[:] += plots[p]  # want: missing-reduction
    return profile


@njit(parallel=True)
def table_cell(plots):
    table = np.zeros((2, 2))
    for p in prange(plots.shape[0]):
        table[1, 0] += plots[p, 0]  # want: missing-reduction
    return table


@njit
def note(book, value):
    book[0] += value  # want: missing-reduction


@njit(parallel=True)
def in_a_callee(trees):
    book = np.zeros(1)
    for i in prange(trees.shape[0]):
        note(book, trees[i])
    return book[0]


@njit(parallel=True)
def inner_index(plots):
    """The inner index is the same for all iterations of the parallel loop."""
    column = np.zeros(plots.shape[1])
    for p in prange(plots.shape[0]):
        for c in range(plots.shape[1]):
            column[c] += plots[p, c]  # want: missing-reduction
    return column


@njit(parallel=True)
def nested(plots):
    """Of two nested prange loops only the outer one is parallel: its iterations meet in every column."""
    column = np.zeros(plots.shape[1])
    for p in prange(plots.shape[0]):
        for c in prange(plots.shape[1]):
            column[c] += plots[p, c]  # want: missing-reduction
    return column


# ---- right ------------------------------------------------------------------------------------------------------------------


@njit(parallel=True)
def recognised(trees):
    total = 0.0
    product = 1.0
    rest = 1000.0
    share = 1e300
    for i in prange(trees.shape[0]):
        total += trees[i]
        product *= 1.0 + trees[i] * 1e-9
        rest -= trees[i]
        share /= 1.0 + trees[i] * 1e-9
    return total, product, rest, share


@njit(parallel=True)
def recognised_spelled_out(trees):
    total = 0.0
    other = 0.0
    top = -np.inf
    low = np.inf
    for i in prange(trees.shape[0]):
        total = total + trees[i]
        other = trees[i] + other
        top = max(top, trees[i])
        low = min(low, trees[i])
    return total, other, top, low


@njit(parallel=True)
def recognised_if(trees, limit):
    tall = 0
    for i in prange(trees.shape[0]):
        if trees[i] < limit:
            continue
        tall += 1
    return tall


@njit(parallel=True)
def recognised_inner(plots):
    total = 0.0
    for p in prange(plots.shape[0]):
        for c in range(plots.shape[1]):
            total += plots[p, c]
    return total


@njit(parallel=True)
def recognised_array(plots):
    profile = np.zeros(plots.shape[1])
    for p in prange(plots.shape[0]):
        profile += plots[p]
    return profile


@njit(parallel=True)
def own_accumulator(plots, out):
    for p in prange(plots.shape[0]):
        acc = 0.0
        top = -np.inf
        for c in range(plots.shape[1]):
            acc += plots[p, c]
            if plots[p, c] > top:
                top = plots[p, c]
        out[p] = acc / top


@njit(parallel=True)
def own_elements(plots, out):
    for p in prange(plots.shape[0]):
        for c in range(plots.shape[1]):
            out[p, c] += plots[p, c]
            out[p, 0] += 1.0
        out[p] *= 0.5


@njit(parallel=True)
def own_lanes(trees, out):
    for i in prange(trees.shape[0]):
        k = 2 * i
        out[k] += trees[i]
        out[k + 1] += trees[i] * trees[i]


@njit(parallel=True)
def own_histograms(species, borders, count):
    chunks = borders.shape[0] - 1
    hist = np.zeros((chunks, 1024), np.int64)
    for c in prange(chunks):
        for i in range(borders[c], borders[c + 1]):
            hist[c, species[i] % count] += 1
    return hist.sum(axis=0)


@njit(parallel=True)
def own_array(plots, out):
    for p in prange(plots.shape[0]):
        hist = np.zeros(4)
        for c in range(plots.shape[1]):
            hist[c & 3] += plots[p, c]
            hist[0] += 1.0
        out[p] = hist[0] * hist[3]


@njit
def bump(row):
    row[0] += 1.0


@njit(parallel=True)
def own_row_in_a_callee(plots):
    for p in prange(plots.shape[0]):
        bump(plots[p])


@njit
def serial_histogram(species, count):
    hist = np.zeros(count, np.int64)
    for i in range(species.shape[0]):
        hist[species[i]] += 1
    return hist


@njit(parallel=True)
def any_above(levels, limit):
    """A flag set under a condition: every iteration has its own, and the one that is returned stays False."""
    above = False
    for i in prange(levels.shape[0]):
        if levels[i] > limit:
            above = True  # want: missing-reduction
    return above


@njit(parallel=True)
def labelled(levels, limit, out):
    """Set anew in each iteration, then under a condition: a variable of the iteration."""
    kind = 0
    for i in prange(levels.shape[0]):
        kind = 1
        if levels[i] > limit:
            kind = 2
        out[i] = kind
    return out


# ---- containers of all threads: each of these crashed the process on two threads --------------------------------------


@njit(parallel=True)
def keeps_all(trees):
    kept = typed.List.empty_list(types.float64)
    for i in prange(trees.shape[0]):
        kept.append(trees[i])  # want: missing-reduction
    return kept


@njit(parallel=True)
def index_of(names):
    where = typed.Dict.empty(types.int64, types.int64)
    for i in prange(names.shape[0]):
        where[names[i]] = i  # want: missing-reduction
    return where


@njit(parallel=True)
def drops_unnamed(where, names, out):
    for i in prange(names.shape[0]):
        if 0 in where:
            del where[0]  # want: missing-reduction
        if names[i] in where:
            out[i] = where[names[i]]


@njit(parallel=True)
def own_containers(names, out):
    for i in prange(names.shape[0]):
        seen = typed.Dict.empty(types.int64, types.int64)  # may: alloc-in-kernel
        for j in range(names.shape[1]):
            seen[names[i, j]] = j
        del seen[names[i, 0]]
        out[i] = len(seen)


@njit(parallel=True)
def element_of_a_list(kept, trees):
    for i in prange(trees.shape[0]):
        kept[i] = trees[i]


@njit
def serial_fill(names, where):
    for i in range(names.shape[0]):
        where[names[i]] = i


@njit(parallel=True)
def tiled(width, height, bump, image):
    """Tiles of its own for each iteration."""
    for i in prange(image.shape[0] // height):
        for j in range(image.shape[1] // width):
            image[i * height : (i + 1) * height, j * width : (j + 1) * width] += bump


@njit(parallel=True)
def rows_between_pointers(pointers, weights, factors):
    """Rows of a sparse matrix do not overlap."""
    for i in prange(pointers.shape[0] - 1):
        first = pointers[i]
        last = pointers[i + 1]
        weights[first:last] *= factors[i]


@njit(parallel=True)
def first_rows(image, bump, count):
    """All iterations add to the same rows."""
    for i in prange(count):
        image[0:4, :] += bump  # want: missing-reduction


# ---- places behind fields, unpacked, picked by slices in variables -------------------------------------------------------------


@njit(parallel=True)
def field_of_a_namedtuple(forest, trees):
    """forest is a namedtuple of arrays: a fixed element of one of them is shared like any other."""
    for i in prange(trees.shape[0]):
        forest.height[0] += trees[i]  # want: missing-reduction


@njit(parallel=True)
def own_element_of_a_namedtuple(forest, trees):
    for i in prange(trees.shape[0]):
        forest.height[i] += trees[i]


@njit(parallel=True)
def namedtuple_unpacked(forest, trees):
    height, girth = forest
    for i in prange(trees.shape[0]):
        height[0] += trees[i]  # want: missing-reduction
        girth[i] += trees[i]


@njit(parallel=True)
def own_fields_of_records(plots, trees):
    for i in prange(trees.shape[0]):
        plots[i].height += trees[i]
        plots.girth[i] += trees[i]
        plots.T[0, i] += trees[i]
        plots.flat[i] += trees[i]


@njit(parallel=True)
def own_block_by_a_slice_in_a_variable(trees, out):
    for i in prange(trees.shape[0]):
        block = slice(4 * i, 4 * i + 4)
        out[block] += trees[i]


@njit(parallel=True)
def same_block_by_a_slice_in_a_variable(trees, out):
    block = slice(0, 4)
    for i in prange(trees.shape[0]):
        out[block] += trees[i]  # want: missing-reduction


# ---- loop variables that are bound anew ----------------------------------------------------------------------------------------


@njit(parallel=True)
def rebound_as_another_type(trees, out):
    for i in prange(trees.shape[0]):
        i = np.uint64(i)
        out[i] += trees[i]


@njit(parallel=True)
def rebound_as_an_integer(trees, out):
    for i in prange(trees.shape[0]):
        i = int(i)
        k = i + np.int64(1)
        out[k] += trees[i]


@njit(parallel=True)
def folded(trees, out):
    """Neither a reduction nor an index of its own; four elements for all iterations."""
    for i in prange(trees.shape[0]):
        i = i % 4
        out[i] += trees[i]  # may: missing-reduction


@njit(parallel=True)
def in_parentheses(trees, acc):
    for (i) in prange(trees.shape[0]):
        acc[0] += trees[i]  # want: missing-reduction


# ---- blocks: the variable of the parallel loop is a thread's number --------------------------------------------------------------


@njit(parallel=True)
def blocks_with_ends(trees, start, end, n_threads, out):
    for t in prange(n_threads):
        for i in range(start[t], end[t]):
            out[i] += trees[i]


@njit(parallel=True)
def blocks_of_a_size(trees, n_threads, out):
    size = (trees.shape[0] + n_threads - 1) // n_threads
    for t in prange(n_threads):
        low = t * size
        high = min(low + size, trees.shape[0])
        for i in range(low, high):
            out[i] += trees[i]


@njit(parallel=True)
def blocks_with_a_row_each(trees, start, n_threads, species, count):
    hist = np.zeros((n_threads, count))
    for t in prange(n_threads):
        for i in range(start[t], start[t + 1]):
            hist[t, species[i]] += trees[i]
    return hist.sum(axis=0)


@njit(parallel=True)
def blocks_into_one_histogram(trees, start, n_threads, species, count):
    hist = np.zeros(count)
    for t in prange(n_threads):
        for i in range(start[t], start[t + 1]):
            hist[species[i]] += 1  # want: missing-reduction
    return hist


# ---- prange or range, chosen at run time -----------------------------------------------------------------------------------------


@njit(parallel=True)
def chosen_at_run_time(trees, acc, n):
    loop = prange(n) if n > 300 else range(n)
    for i in loop:
        acc[0] += trees[i]  # want: missing-reduction


@njit(parallel=True)
def chosen_at_run_time_own(trees, out, n):
    loop = prange(n) if n > 300 else range(n)
    for i in loop:
        out[i] += trees[i]


# ---- text that looks like code; names and blanks that are not ASCII ------------------------------------------------------------------


@njit(parallel=True)
def documented(trees, out):
    """Code of an example is none of this function's.

    >>> @njit(parallel=True)
    ... def f(x, acc):
    ...     for i in prange(3):
    ...         acc[0] += x[i]
    """
    for i in prange(trees.shape[0]):
        out[i] += trees[i]


TEMPLATE = """
@njit(parallel=True)
def kernel(trees, acc):
    for i in prange({n}):
        acc[0] += trees[i]
"""


@njit(parallel=True)
def größe(bäume, Δ):
    for ñ in prange(bäume.shape[0]):
        Δ[0] += bäume[ñ]  # want: missing-reduction
        Δ[ñ + 1] += 1


@njit(parallel=True)
def with_tabs(trees, acc):
	# indented by tabs
	for i in prange(trees.shape[0]):
		if trees[i] > 0:
			acc[0] += trees[i]  # want: missing-reduction


# ---- methods: of compiled classes, static ones, names that only look like one ------------------------------------------------------


@jitclass([("total", float64[:]), ("count", int64)])
class Tally:
    def __init__(self, n):
        self.total = np.zeros(n)
        self.count = 0

    def add(self, x):
        self.total[0] += x  # want: missing-reduction
        self.count += 1  # want: missing-reduction

    def own(self, i, x):
        self.total[i] += x

    def over(self, x):
        for i in prange(x.shape[0]):  # want: serial-prange
            self.total[0] += x[i]


@njit(parallel=True)
def one_instance_for_all(trees):
    tally = Tally(3)
    for i in prange(trees.shape[0]):
        tally.add(trees[i])
        tally.own(i, trees[i])
    return tally.total[0]


@njit(parallel=True)
def an_instance_each(trees, out):
    for i in prange(trees.shape[0]):
        mine = Tally(3)
        mine.add(trees[i])
        out[i] = mine.total[0]


@njit
def grow(acc, x):
    acc[0] += x


@njit(parallel=True)
def method_of_something_else(acc, trees):
    """acc.grow is not the function of that name in this module."""
    for i in prange(trees.shape[0]):
        acc.grow(acc, trees[i])


@njit
def by_height(acc, x):
    acc[0] += x  # want: missing-reduction


@njit
def by_girth(acc, x):
    acc[1] += x  # want: missing-reduction


class Survey:
    @staticmethod
    @njit(parallel=True)
    def each(trees, acc, visit):
        for i in prange(trees.shape[0]):
            visit(acc, trees[i])

    def start(self, visit, trees, acc):
        Survey.each(trees, acc, visit)

    def run(self, trees, acc):
        self.each(trees, acc, by_height)
        self.start(by_girth, trees, acc)


@njit(parallel=True)
def deposit_red_black(grains, starts, field):
    """Even stripes first, then the odd ones between them: grains of one phase lie too far apart to meet."""
    stripes = len(starts) - 1
    for s in prange((stripes + 1) // 2):
        for g in range(starts[2 * s], starts[2 * s + 1]):
            field[grains[g]] += 0.5
            field[grains[g] + 1] += 0.5
    for s in prange((stripes + 1) // 2):
        for g in range(starts[2 * s + 1], starts[2 * s + 2]):
            field[grains[g]] += 0.5
            field[grains[g] + 1] += 0.5


@njit(parallel=True)
def deposit_by_parity(cells, counts, field):
    for parity in (0, 1):
        for s in prange(counts.shape[0] // 2):
            stripe = 2 * s + parity
            for g in range(counts[stripe]):
                field[cells[stripe, g]] += 1.5


@njit(parallel=True)
def deposit_in_pairs(cells, field):
    """Every second row, and nobody takes the others: no phases."""
    for s in prange(cells.shape[0] // 2):
        for g in range(cells.shape[1]):
            field[cells[2 * s, g]] += 1.5  # want: missing-reduction
            field[cells[2 * s + 1, g]] += 1.5  # want: missing-reduction


@njit(parallel=True)
def deposit_each_round(cells, field, rounds):
    for round_ in range(rounds):
        for s in prange(cells.shape[0]):
            for g in range(cells.shape[1]):
                field[cells[s, g] + round_] += 1.5  # want: missing-reduction


@njit(parallel=True)
def count_by_quarter(values, out):
    for k in prange(values.shape[0]):
        x = values[k]
        k = k % 4
        out[k] += x  # want: missing-reduction


@njit(parallel=True)
def rows_in_any_order(values, order, push, table):
    """The row of an iteration is its own in both loops."""
    for i in prange(order.shape[0]):
        row = order[i]
        for d in range(table.shape[1]):
            push[row, d] += values[row] * table[row, d]
    for i in prange(order.shape[0]):
        row = order[i]
        for d in range(table.shape[1]):
            table[row, d] += push[row, d]


def tally_up(acc, x):
    """Compiled code runs what is put in its place."""
    raise NotImplementedError


@overload(tally_up)
def tally_up_compiled(acc, x):
    def impl(acc, x):
        acc[0] += x  # want: missing-reduction

    return impl


@njit(parallel=True)
def through_a_stub(acc, trees):
    for i in prange(trees.shape[0]):
        tally_up(acc, trees[i])


@njit
def lift_rows(rows, first, last, height):
    for r in range(first, last):
        rows[r, 0] += height


@njit
def lift_copy(rows, copy, parts, height):
    """Each copy has its block: neither the size nor the number has to be known for that."""
    for r in range(copy * parts, (copy + 1) * parts):
        rows[r, 1] += height


@njit
def lift_slice(rows, first, last, height):
    rows[first:last] += height


@njit
def lift_head(rows, count, height):
    for r in range(count):
        rows[r, 2] += height  # want: missing-reduction


@njit
def lift_part(rows, copy, parts, height):
    lift_rows(rows, copy * parts, (copy + 1) * parts, height)


@njit(parallel=True)
def lift_blocks(rows, starts, parts, height):
    for i in prange(len(starts) - 1):
        lift_rows(rows, starts[i], starts[i + 1], height)
        lift_copy(rows, i, parts, height)
        lift_slice(rows, i * parts, (i + 1) * parts, height)
        lift_part(rows, i, parts, height)
        lift_head(rows, parts, height)


@njit(parallel=True)
def scale_by_species(species, kinds, heights, scores):
    """The plots of one species each, and a part of the heights, which is a copy."""
    for k in prange(kinds.shape[0]):
        mask = species == kinds[k]
        scores[mask] /= mask.sum()
        part = heights[species]
        part[0] += 1.0
        tall = heights[mask]
        tall[tall > 3.0] -= 3.0
        scores[k] = part[0] + tall.sum() + species.shape[0]


@njit(parallel=True)
def scale_all_marked(marks, kinds, scores):
    for k in prange(kinds.shape[0]):
        scores[marks > 2] += kinds[k]  # want: missing-reduction


@njit(parallel=True)
def better_half(firsts, values, out):
    """Set and then clipped: no sum. Whether others do the same, the flags say."""
    for i in prange(firsts.shape[0]):
        if firsts[i]:
            out[i // 2] = values[i] - 1.0
            out[i // 2] = max(0.0, out[i // 2])


@njit(parallel=True)
def half_sums(firsts, values, out):
    for i in prange(firsts.shape[0]):
        if firsts[i]:
            out[i // 2] += values[i]  # want: missing-reduction


@njit
def partners(i, order):
    if i % 3 == 0:
        return order[2 * i], order[2 * i + 1], True
    return order[2 * i + 1], order[2 * i], False


@njit(parallel=True)
def merge_pairs(order, traits):
    """A race, unless the order holds each once, which only its maker knows: a note."""
    for i in prange(order.shape[0] // 2):
        k, j, good = partners(i, order)
        if good:
            for a in range(traits.shape[0]):
                traits[a, k] += traits[a, j]


@njit
def cell_of(x, y):
    return int(x), int(y)


@njit(parallel=True)
def deposit(xs, ys, grid):
    for p in prange(xs.shape[0]):
        row, column = cell_of(xs[p], ys[p])
        grid[row, column] += 1.0  # want: missing-reduction


@njit(parallel=True)
def pulls(x, force):
    n = x.shape[0]
    for i in prange(n):
        for j in range(i + 1, n):
            force[j] -= x[i] - x[j]  # want: missing-reduction


@njit(parallel=True)
def pulls_by_length(x, force):
    for i in prange(len(x)):
        for j in range(i + 1, len(x)):
            force[i] += x[j]
            force[j] -= x[i]  # want: missing-reduction


@njit(parallel=True)
def windows_of_three(x, out):
    for i in prange(x.shape[0] - 3):
        out[i : i + 3] += x[i]  # want: missing-reduction


@njit(parallel=True)
def blocks_of_three(x, out, width):
    for i in prange(x.shape[0] // 3):
        out[3 * i : 3 * i + 3] += x[i]
        out[width * i : width * i + width] -= x[i]


@njit(parallel=True)
def mirrored(x, out):
    n = len(x)
    for i in prange(n):
        out[n - 1 - i] += x[i]


@njit(parallel=True)
def periodic(x, out, n):
    """Each neighbour once, however long the ring is."""
    size = x.shape[0]
    for i in prange(x.shape[0]):
        out[(i + 1) % size] += x[i]
    for i in prange(n):
        before = (i - 1) % n
        out[before] -= x[i]


@njit(parallel=True)
def wrapped(x, out, n):
    for i in prange(x.shape[0]):
        out[(i + 1) % n] += x[i]  # want: missing-reduction
