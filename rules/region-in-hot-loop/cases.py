"""Cases of region-in-hot-loop in numba: teams that are started once per record, pair or row."""
import numpy as np
from numba import njit, prange

BAND = 64
SIDE = 2500


@njit(parallel=True)
def power(record):
    total = 0.0
    for k in prange(record.shape[0]):  # may: too-little-work
        total += record[k] * record[k]
    return total


@njit(parallel=True)
def distance(a, b):
    total = 0.0
    for k in prange(a.shape[0]):
        total += (a[k] - b[k]) ** 2
    return np.sqrt(total)


# ---- wanted ----------------------------------------------------------------------------------------------------------


def powers_of_bands(spectra, count):
    band = np.zeros(BAND)
    out = np.empty(count)
    for i in range(count):
        band[:] = spectra[i]
        out[i] = power(band)  # want: region-in-hot-loop
    return out


def in_a_comprehension(count):
    window = np.ones(BAND)
    return [power(window) for _ in range(count)]  # want: region-in-hot-loop


def until_the_source_ends(source):
    window = np.empty((BAND,))
    total = 0.0
    while source.fill(window):
        total += power(window)  # want: region-in-hot-loop
    return total


def drawn_rows():
    rows = np.random.default_rng(1).random((4000, BAND))
    return [power(rows[i]) for i in range(rows.shape[0])]  # want: region-in-hot-loop


def measured(call):
    return call()


def rows_in_turn(rows):
    total = 0.0
    for i in range(rows.shape[0]):
        total += power(rows[i])  # want: region-in-hot-loop
    return total


def timed_rows():
    generator = np.random.default_rng(2)
    rows = generator.normal(size=(4000, BAND))
    return measured(lambda: rows_in_turn(rows))


def one(window):
    return power(window)


def through_a_wrapper(count):
    window = np.zeros(BAND, dtype=np.float32)
    for _ in range(count):
        one(window)  # want: region-in-hot-loop


def all_pairs(rows):
    n = len(rows)
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            out[i, j] = distance(rows[i], rows[j])  # want: region-in-hot-loop
    return out


@njit(parallel=True)
def inner_prange(table, weight):
    out = np.zeros((table.shape[0], BAND))
    for i in range(table.shape[0]):
        for j in prange(BAND):  # want: region-in-hot-loop  # may: too-little-work
            out[i, j] = table[i, j] * weight[j]
    return out


@njit(parallel=True)
def rows_of_a_sparse_matrix(first, column, value, x):
    out = np.zeros(len(first) - 1)
    for r in range(len(first) - 1):
        acc = 0.0
        for e in prange(first[r], first[r + 1]):  # want: region-in-hot-loop
            acc += value[e] * x[column[e]]
        out[r] = acc
    return out


# ---- silent ----------------------------------------------------------------------------------------------------------


@njit(parallel=True)
def outer_prange(table, weight):
    out = np.zeros((table.shape[0], BAND))
    for i in prange(table.shape[0]):
        for j in range(BAND):
            out[i, j] = table[i, j] * weight[j]
    return out


def lengths_that_nobody_knows(records):
    return [power(r) for r in records]


@njit(parallel=True)
def diffuse(now, nxt):
    for i in prange(1, SIDE - 1):
        for j in range(1, SIDE - 1):
            nxt[i, j] = now[i, j] + 0.1 * (now[i - 1, j] + now[i + 1, j] - 2.0 * now[i, j])


def steps(count):
    now = np.zeros((SIDE, SIDE))
    nxt = np.zeros((SIDE, SIDE))
    for _ in range(count):
        diffuse(now, nxt)
        now, nxt = nxt, now
    return now


@njit
def power_serial(record):
    total = 0.0
    for k in range(record.shape[0]):
        total += record[k] * record[k]
    return total


def chosen_by_size(count):
    window = np.zeros(BAND)
    total = 0.0
    for _ in range(count):
        total += power(window) if window.size > 100_000 else power_serial(window)
    return total


def chosen_by_a_flag(count, parallel):
    window = np.zeros(BAND)
    total = 0.0
    for _ in range(count):
        if parallel:
            total += power(window)
        else:
            total += power_serial(window)
    return total


def long_rows():
    rows = np.random.rand(40, 4_000_000)
    return [power(rows[i]) for i in range(rows.shape[0])]


def once(source):
    window = np.zeros(BAND)
    source.fill(window)
    return power(window)


def three_times():
    window = np.zeros(BAND)
    for _ in range(3):
        power(window)
    for value in np.full(int(power(window)), 2.0):
        print(value)
