"""Cases of host-cpu-count: counts of the machine's processors that size pools, and those that are only told or compared.

Under `taskset -c 0` each of the calls marked here still answers the number of processors of the machine.
"""
import multiprocessing
import multiprocessing as mp
import os
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import cpu_count
from multiprocessing.pool import ThreadPool

import numba
import torch
from joblib import Parallel, delayed

WORKERS = os.cpu_count() or 1  # want: host-cpu-count
SEEN = os.cpu_count()


def size(path):
    return os.stat(path).st_size


def straight(paths):
    with ProcessPoolExecutor(os.cpu_count()) as pool:  # want: host-cpu-count
        return list(pool.map(size, paths))


def by_constant(paths):
    with ThreadPool(WORKERS) as pool:
        return pool.map(size, paths)


def one_left(paths):
    count = max(1, multiprocessing.cpu_count() - 1)  # want: host-cpu-count
    with mp.Pool(processes=count) as pool:
        return pool.map(size, paths)


def spawned(paths):
    context = mp.get_context("spawn")
    with context.Pool(cpu_count() // 2) as pool:  # want: host-cpu-count
        return pool.map(size, paths)


def all_jobs(paths, jobs=None):
    if jobs is None:
        jobs = os.cpu_count()  # want: host-cpu-count
    return Parallel(n_jobs=jobs)(delayed(size)(path) for path in paths)


def negative_jobs(paths, jobs):
    jobs = cpu_count() + 1 + jobs if jobs < 0 else jobs  # want: host-cpu-count
    return Parallel(n_jobs=jobs)(delayed(size)(path) for path in paths)


def default_workers():
    return min(32, (os.cpu_count() or 1) + 4)  # want: host-cpu-count


def by_function(paths):
    with ThreadPoolExecutor(max_workers=default_workers()) as pool:
        return list(pool.map(size, paths))


def by_parameter(paths, workers=os.cpu_count()):  # want: host-cpu-count
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(size, paths))


def handed_on(paths):
    return by_parameter(paths, mp.cpu_count())  # want: host-cpu-count


def by_hand(work):
    threads = [threading.Thread(target=work) for _ in range(os.cpu_count())]  # want: host-cpu-count
    for thread in threads:
        thread.start()


def teams():
    torch.set_num_threads(os.cpu_count())  # want: host-cpu-count
    numba.set_num_threads(cpu_count())  # want: host-cpu-count


def variable():
    os.environ["OMP_NUM_THREADS"] = str(os.cpu_count())  # want: host-cpu-count


def options(paths):
    extra = {"max_workers": os.cpu_count()}  # want: host-cpu-count
    with ThreadPoolExecutor(**extra) as pool:
        return list(pool.map(size, paths))


class Loader:
    def __init__(self):
        self.count = os.cpu_count()  # want: host-cpu-count

    def load(self, paths):
        with ThreadPool(self.count) as pool:
            return pool.map(size, paths)


def told():
    print(os.cpu_count(), "processors", SEEN)
    return {"cpus": os.cpu_count(), "usable": len(os.sched_getaffinity(0))}


def compared(paths):
    if os.cpu_count() < 4:
        return [size(path) for path in paths]
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(size, paths))


def fall_back(paths):
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:
        count = os.cpu_count()
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(size, paths))


def usable(paths):
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(size, paths))


def parts(items):
    return [items[k :: cpu_count()] for k in range(4)]


def per_processor(total):
    share = total // os.cpu_count()
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(str, range(share)))


CPU_COUNT = os.cpu_count()  # want: host-cpu-count


def named_like_the_macro(paths):
    """The name of C's macro says nothing in Python."""
    with ThreadPoolExecutor(CPU_COUNT) as pool:
        return list(pool.map(size, paths))


def few_at_a_time(paths):
    """No more than half of the processors, and so no more than what is assumed to be left."""
    spare = os.cpu_count() or 1
    workers = min(max(spare - 1, 1), len(paths), 4)
    with ThreadPoolExecutor(max_workers=workers) as pool:
        return list(pool.map(size, paths))
