"""Story b: arrays that are made in a loop and all kept, so that every one of them comes in fresh pages from the kernel.

The cost is proportional to the bytes that are touched for the first time (one page fault per 4 KiB), not to the arithmetic.
On several threads the faults also queue for the lock of the process's address space.
"""
import resource
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

TILES, SIDE = 48, 512  # 48 tiles of 1 MiB (float32) per batch


def correct_cached(raw, gain):
    """Contended: the tiles of a batch are kept in a dict until the batch is done; then all their pages go back."""
    cache = {}
    for tile in range(raw.shape[0]):
        cache[tile] = np.multiply(raw[tile], gain)  # want: fresh-pages
    return sum(float(cache[tile][0, 0]) for tile in cache)


def correct_reused(raw, gain, kept):
    """Relieved: the same tiles, written over those of the batch before."""
    for tile in range(raw.shape[0]):
        np.multiply(raw[tile], gain, out=kept[tile])
    return sum(float(kept[tile][0, 0]) for tile in range(raw.shape[0]))


def per_batch(work, threads, batches=20):
    """Milliseconds and page faults per batch of one thread, with `threads` threads at work."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda w: w(), work[:threads]))
        faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        start = time.perf_counter()
        for _ in range(batches):
            list(pool.map(lambda w: w(), work[:threads]))
        spent = time.perf_counter() - start
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
    return 1e3 * spent / batches, faults / batches / threads


def main():
    raw = np.ones((TILES, SIDE, SIDE), np.float32)
    cached = [lambda: correct_cached(raw, 1.5)] * 2
    reused = [lambda kept=np.zeros_like(raw): correct_reused(raw, 1.5, kept) for _ in range(2)]
    for name, work in (("kept in a dict", cached), ("written over", reused)):
        for threads in (1, 2):
            spent, faults = per_batch(work, threads)
            print(f"{name:16} {threads} thread(s): {spent:7.2f} ms a batch, {faults:8.0f} page faults a batch")


if __name__ == "__main__":
    main()
