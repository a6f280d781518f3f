"""Cases of nested-threads: pools whose workers start teams, and two runtimes that both take every core.

With the fork method and 8 workers, numba 0.56.4 counts get_num_threads() == os.cpu_count() in every worker that no
initializer limits. joblib's loky backend sets the variables of its workers to cores // n_jobs.
"""
import multiprocessing as mp
import os
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from functools import partial
from multiprocessing import Pool

import numba
import numpy as np
import onnxruntime as ort
import scipy.fft
import scipy.linalg
import torch
from joblib import Parallel, delayed
from numba import njit, prange


@njit(parallel=True)
def total(x):
    s = 0.0
    for i in prange(x.shape[0]):
        s += x[i]
    return s


@njit
def serial_total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


def load_total(path):
    return total(np.load(path))


def load_serial(path):
    return serial_total(np.load(path))


def weights(block, ridge):
    return scipy.linalg.solve(block.T @ block + ridge, block.T)


def limited_weights(count, block):
    numba.set_num_threads(count)
    return total(block)


def share(workers):
    numba.set_num_threads(max(1, len(os.sched_getaffinity(0)) // workers))


def submitted(paths):
    with ProcessPoolExecutor(8) as pool:  # want: nested-threads
        futures = [pool.submit(load_total, path) for path in paths]
    return [future.result() for future in as_completed(futures)]


def by_partial(blocks):
    pool = Pool(4)  # want: nested-threads
    out = pool.map(partial(weights, ridge=0.1), blocks)
    pool.close()
    return out


def by_lambda(blocks):
    with ThreadPoolExecutor(4) as pool:  # want: nested-threads
        return list(pool.map(lambda block: np.linalg.inv(block), blocks))


def directly(blocks):
    with mp.get_context("spawn").Pool(4) as pool:  # want: nested-threads
        return pool.map(np.linalg.svd, blocks)


def of_threads(paths):
    return Parallel(n_jobs=4, prefer="threads")(delayed(load_total)(path) for path in paths)  # want: nested-threads


def kept(paths):
    with Parallel(n_jobs=4, backend="multiprocessing") as parallel:  # want: nested-threads
        return parallel(delayed(load_total)(path) for path in paths)


def by_hand(blocks):
    started = []
    for block in blocks:
        started.append(threading.Thread(target=weights, args=(block, 0.1)))  # want: nested-threads
        started[-1].start()
    for thread in started:
        thread.join()


class Tiles:
    def __init__(self):
        self.pool = ProcessPoolExecutor(max_workers=6)  # want: nested-threads

    def one(self, tile):
        return total(tile)

    def all(self, tiles):
        return list(self.pool.map(self.one, tiles))


def tagger(path, photo):
    session = ort.InferenceSession(path)  # want: nested-threads
    return torch.softmax(session.run(None, {"input": photo})[0], dim=1)


def loky(paths):
    return Parallel(n_jobs=4)(delayed(load_total)(path) for path in paths)


def one_job(paths):
    return Parallel(prefer="threads")(delayed(load_total)(path) for path in paths)


def one_worker(paths):
    with ThreadPoolExecutor(max_workers=1) as pool:
        return list(pool.map(load_total, paths))


def serial_work(paths):
    with ProcessPoolExecutor(8) as pool:
        return list(pool.map(load_serial, paths))


def shared_out(paths):
    with ProcessPoolExecutor(8, initializer=share, initargs=(8,)) as pool:
        return list(pool.map(load_total, paths))


def by_initializer(paths):
    with Pool(8, numba.set_num_threads, (1,)) as pool:
        return pool.map(load_total, paths)


def named_initializer(paths):
    with Pool(8, initializer=numba.set_num_threads, initargs=(1,)) as pool:
        return pool.map(load_total, paths)


def in_the_worker(blocks):
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(partial(limited_weights, 2), blocks))


def transforms(rows):
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(scipy.fft.fft, rows))


def one_process(paths):
    child = mp.Process(target=load_total, args=(paths[0],))
    child.start()
    child.join()


def line_through(levels):
    """Two unknowns: nothing that a team would be started for."""
    sides = np.ones((len(levels), 2))
    sides[:, 1] = levels
    return np.linalg.inv(sides.T.dot(sides)).dot(sides.T).dot(levels)[0]


def stacked_line(levels):
    sides = np.vstack((np.ones(len(levels)), levels)).T
    return np.linalg.inv(sides.T.dot(sides)).dot(sides.T).dot(levels)[0]


def stacked_by_pool(shelves):
    with Pool(8) as pool:
        return pool.map(stacked_line, shelves)


def lines_by_pool(shelves):
    with Pool(8) as pool:
        return pool.map(line_through, shelves)


def surface_through(levels, order):
    sides = np.ones((len(levels), order))
    return np.linalg.inv(sides.T.dot(sides)).dot(sides.T)[0, 0]


def surfaces_by_pool(shelves):
    with Pool(8) as pool:  # want: nested-threads
        return pool.map(partial(surface_through, order=400), shelves)
