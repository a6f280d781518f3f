"""Times every variant on one thread and on two: python3 -m warping (in the folder above)."""
import time

import numba
import numpy as np
from numba.typed import List

from . import pairs

SERIES, CHANNELS, POINTS = 96, 1, 128


def nanoseconds(call, cells, threads):
    """Best of nine, in ns per cell."""
    numba.set_num_threads(threads)
    call()
    best = min(timed(call) for _ in range(9))
    return 1e9 * best / cells


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def row(name, table, bank, queries, *more):
    cells = len(bank) * len(queries) * POINTS * POINTS
    one, two = (nanoseconds(lambda: table(bank, queries, *more), cells, t) for t in (1, 2))
    print(f"{name:44} {one:8.2f} {two:8.2f}   {one / two:.2f}x")


def main():
    draw = np.random.default_rng(5)
    cube = draw.random((SERIES, CHANNELS, POINTS))
    bank = List(list(cube))
    print(f"{SERIES} series of {CHANNELS} x {POINTS}; ns per cell      1 thread 2 threads  scaling")
    for count in (1, 2, 8):
        more = draw.random((count, CHANNELS, POINTS))
        queries = List(list(more))
        row(f"A list x list, {count} queries", pairs.table_views, bank, queries)
        row(f"A list x array, {count} queries", pairs.table_views, bank, more)
        row(f"A array x list, {count} queries", pairs.table_views, cube, queries)
        row(f"A array x array, {count} queries", pairs.table_views, cube, more)
        row(f"B list x list, {count} queries", pairs.table_written_out, bank, queries)
        row(f"C list x list, {count} queries", pairs.table_indices, bank, queries)
        row(f"D list x list, {count} queries", pairs.table_inlined, bank, queries)
        row(f"msm dependent, list x list, {count} queries", pairs.table_msm, bank, queries, 0.1, False)
        row(f"msm independent, list x list, {count} queries", pairs.table_msm, bank, queries, 0.1, True)


if __name__ == "__main__":
    main()
