"""Cases of late-thread-env: variables set after the import that reads them, and those set in time, or for somebody else.

numba 0.56.4, once its pool runs, raises at the next compilation: "Cannot set NUMBA_NUM_THREADS to a different value once the threads have been launched".
"""
import os
import sys

os.environ["OMP_PLACES"] = "cores"
os.environ.setdefault("NUMBA_THREADING_LAYER", "omp")


def early():
    os.environ["MKL_NUM_THREADS"] = "2"


early()

import multiprocessing  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402

import numpy as np  # noqa: E402
from numba import njit  # noqa: E402

os.environ["BLIS_NUM_THREADS"] = "4"  # may: late-thread-env


def straight(x):
    os.environ["OMP_NUM_THREADS"] = "4"  # may: late-thread-env
    return x @ x.T


def worker_start():
    os.environ["OMP_NUM_THREADS"] = "1"  # want: late-thread-env
    os.environ["NUMBA_NUM_THREADS"] = "1"  # want: late-thread-env


def norms(blocks):
    with ProcessPoolExecutor(4, initializer=worker_start) as pool:
        return list(pool.map(np.linalg.norm, blocks))


def spawn(path):
    os.environ["OMP_NUM_THREADS"] = "4"
    context = multiprocessing.get_context("spawn")
    child = context.Process(target=straight, args=(path,))
    child.start()
    child.join()


def one_or_the_other(count):
    if count == 0:
        import numexpr

        return numexpr
    os.environ["NUMEXPR_MAX_THREADS"] = str(count)  # may: late-thread-env


def on_the_other_side(count):
    if count == 0:
        import polars

        return polars
    else:
        os.environ["POLARS_MAX_THREADS"] = str(count)


@njit
def unrelated(x):
    return x + 1


def other_variables():
    os.environ["PYTHONHASHSEED"] = "0"
    os.environ["KMP_DUPLICATE_LIB_OK"] = "TRUE"


def read_back():
    return os.environ.get("OMP_WAIT_POLICY"), sys.argv
