"""Runs pairs for numba: host.py SECONDS ROUNDS THREADS[,THREADS…] FOLDER….

Each folder holds slow.py and fixed.py, whose work() computes the same; both run in this process, in turn, for so many
seconds and at least so many rounds. Prints one JSON object per line, the same as host.c prints, with "pair" and
"threads". After each it waits for a line of its input, as long as there is any. A pair that cannot be run gives "error"."""

import importlib
import json
import os
import resource
import sys
import time
import traceback
from pathlib import Path

MOST_ROUNDS, ENOUGH_CLEAN = 400, 41
MOST_WAITED, PATIENCE = 0.02, 3  # as in host.c


def load(path):
    """The module of a program, imported by its own name, so that the children of a process pool find it too."""
    sys.path.insert(0, str(path.parent))
    sys.modules.pop(path.stem, None)
    return importlib.import_module(path.stem)


def waited_ns():
    """ns that the threads of this process have waited for a core so far; 0 where the kernel does not tell."""
    total = 0
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[1])
        except OSError:
            continue
    return total


def preemptions():
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def run(work):
    """ns, what was computed, and whether no core was taken away meanwhile."""
    preempted, waited = preemptions(), waited_ns()
    start = time.perf_counter_ns()
    result = work()
    spent = time.perf_counter_ns() - start
    return spent, float(result), preemptions() == preempted and waited_ns() - waited < MOST_WAITED * spent


def rounds(slow, fixed, seconds, fewest):
    runs, clean, start = [], 0, time.perf_counter()
    while len(runs) < MOST_ROUNDS and clean < ENOUGH_CLEAN:
        longest = seconds * (PATIENCE if clean < fewest else 1)
        if len(runs) >= fewest and time.perf_counter() - start > longest:
            break
        if len(runs) % 2 == 0:
            one, two = run(slow), run(fixed)
        else:
            two, one = run(fixed), run(slow)
        runs.append((one, two))
        if one[2] and two[2]:
            clean += 1
        else:
            time.sleep(0.01)  # who has slept is let on a core at once
    return runs


def measure(folder, thread_counts, seconds, fewest):
    import numba

    slow, fixed = load(folder / "slow.py"), load(folder / "fixed.py")
    for threads in thread_counts:
        numba.set_num_threads(threads)
        for work in (slow.work, fixed.work):  # compiles, and warms up
            work()
        runs = rounds(slow.work, fixed.work, seconds, fewest)
        yield {"pair": folder.name, "threads": threads, "slow_ns": [one[0] for one, _ in runs],
               "fixed_ns": [two[0] for _, two in runs], "clean": [one[2] and two[2] for one, two in runs],
               "slow_result": runs[-1][0][1], "fixed_result": runs[-1][1][1]}


def main():
    seconds, fewest, counts = float(sys.argv[1]), int(sys.argv[2]), [int(count) for count in sys.argv[3].split(",")]
    os.environ["NUMBA_NUM_THREADS"] = str(max(counts))
    for folder in map(Path, sys.argv[4:]):
        try:
            for line in measure(folder, counts, seconds, fewest):
                print(json.dumps(line), flush=True)
                sys.stdin.readline()
        except Exception:  # the other pairs can still be measured
            print(json.dumps({"pair": folder.name, "error": traceback.format_exc()}), flush=True)


if __name__ == "__main__":
    main()
