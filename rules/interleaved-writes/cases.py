# Truth: numba deals out prange in blocks, one a thread; who writes which element follows by reading.
import numpy as np
from numba import get_num_threads, njit, prange


@njit(parallel=True)
def halve_in_turn(values):
    threads = get_num_threads()
    for t in prange(threads):
        for i in range(t, values.size, threads):
            values[i] = values[i] * 0.5  # want: interleaved-writes


@njit(parallel=True)
def scale_channels(image, gain):
    """image: (pixel, 3)"""
    for c in prange(3):
        for p in range(image.shape[0]):
            image[p, c] *= gain[c]  # want: interleaved-writes


@njit(parallel=True)
def normalise(weight, used, topics):
    total = np.zeros(topics)
    for d in range(weight.shape[0]):
        for z in range(topics):
            total[z] += weight[d, z] * used[d]
    for z in prange(topics):
        for d in range(weight.shape[0]):
            weight[d, z] /= total[z]  # want: interleaved-writes


# ---- silent


@njit(parallel=True)
def halve_in_blocks(values):
    threads = get_num_threads()
    n = values.size
    for t in prange(threads):
        for i in range(t * n // threads, (t + 1) * n // threads):
            values[i] = values[i] * 0.5


@njit(parallel=True)
def halve(values):
    for i in prange(values.size):
        values[i] *= 0.5


@njit(parallel=True)
def many_columns(table, scale):
    for c in prange(table.shape[1]):
        for r in range(table.shape[0]):
            table[r, c] *= scale[c]


@njit(parallel=True)
def channels_inside(image, gain):
    for p in prange(image.shape[0]):
        for c in range(3):
            image[p, c] *= gain[c]


@njit(parallel=True)
def rows_in_turn(table):
    threads = get_num_threads()
    for t in prange(threads):
        for r in range(t, table.shape[0], threads):
            table[r, :] = 0.0


@njit(parallel=True)
def transposed(weight, out, topics):
    for z in prange(topics):
        for d in range(weight.shape[0]):
            out[z, d] = weight[d, z]


@njit(parallel=True)
def counts_at_the_end(values, bounds, table, threads):
    for t in prange(threads):
        found = 0
        for i in range(bounds[t], bounds[t + 1]):
            for k in range(100):
                if values[i] > np.exp(k * 0.01):
                    found += 1
        for b in range(threads):
            table[b, t] = found


def images(pixels):
    image = np.ones((pixels, 3))
    scale_channels(image, np.ones(3))
    table = np.ones((100, 100000))
    many_columns(table, np.ones(100000))
    return image


# ---- a short side that shows in the function that the table is passed to ----------------------------------------------


@njit
def collect(table, first, last, out):
    topics = table.shape[1]
    for d in range(first, last):
        for z in range(topics):
            out[d, z] += table[d, z]


@njit(parallel=True)
def normalise_topics(table, out, total):
    topics = table.shape[1]
    n = out.shape[0]
    collect(table, 0, n, out)
    for z in prange(topics):
        for d in range(n):
            if total[d] > 0:
                out[d, z] /= total[d]  # want: interleaved-writes


@njit(parallel=True)
def normalise_columns(image, out, total):
    """Nothing says that the rows are short."""
    width = image.shape[1]
    for x in prange(width):
        for y in range(image.shape[0]):
            if total[y] > 0:
                out[y, x] = image[y, x] / total[y]
