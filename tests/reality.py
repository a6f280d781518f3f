#!/usr/bin/env python3
"""The pairs of bench/reality: every one builds, its two forms compute the same, and ponglint reports what is claimed on the
slow form and not on the fixed one. What can be timed is not tested.

Run in the root of the repository: tests/reality.py [--only REGEX]. Pairs of a compiler that is not here are compiled by
the other; without numba its pairs are only linted."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "bench" / "reality"
sys.path.insert(0, str(HERE))

import pairs as catalogue  # noqa: E402

PONGLINT = os.environ.get("PONGLINT", "build/ponglint")
THREADS, FEWEST_PAIRS, SECONDS = 2, 30, 1200
LINT = [PONGLINT, "check", "--isolated", "--machine", "generic", "--threads", "12", "--measure", "off", "--severity",
        "note", "--fail-on", "never", "--quiet", "--output", "json"]


def rules_in(source):
    done = subprocess.run([*LINT, str(source)], capture_output=True, text=True, check=True, timeout=60)
    return {finding["rule"] for finding in json.loads(done.stdout)["findings"]}


def lint_faults(pair):
    """What is claimed stands in the findings of the slow form, and not in those of the fixed one."""
    slow, fixed = rules_in(pair.slow), rules_in(pair.fixed)
    if not pair.rule and slow:
        yield f"{pair.slow}: silence is claimed, and it reports {', '.join(sorted(slow))}"
    if pair.rule and pair.rule not in slow:
        yield f"{pair.slow}: {pair.rule} is claimed, and it reports {', '.join(sorted(slow)) or 'nothing'}"
    if pair.rule in fixed:
        yield f"{pair.fixed}: still reports {pair.rule}"


def result_fault(pair, answer):
    if "error" in answer:
        return f"{pair.folder}: {answer['error']}"
    slow, fixed = answer["slow_result"], answer["fixed_result"]
    if not catalogue.agree(pair, THREADS, slow, fixed):
        return f"{pair.folder}: slow computes {slow}, fixed {fixed}"
    return None


def run_c(pair, folder):
    binary = catalogue.build(pair, folder)
    environment = {**catalogue.environment(pair, THREADS), "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run([str(binary), str(THREADS), "0", "1"], env=environment, capture_output=True, text=True,
                          check=True, timeout=SECONDS)
    return result_fault(pair, json.loads(done.stdout))


def c_faults(pairs):
    absent = catalogue.missing_compilers(pairs)
    other = "gcc" if "clang" in absent else "clang"
    with tempfile.TemporaryDirectory() as name:
        for pair in pairs:
            here = replace(pair, compiler=other) if pair.compiler in absent else pair
            yield run_c(here, Path(name))


def numba_faults(pairs):
    python = catalogue.find_numba()
    if python is None or not pairs:
        return
    by_name = {pair.name: pair for pair in pairs}
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run([python, str(HERE / "host.py"), "0", "1", str(THREADS), *(str(pair.folder) for pair in pairs)],
                          env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=SECONDS)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for answer in answers:
        yield result_fault(by_name.pop(answer["pair"]), answer)
    for name in by_name:
        yield f"numba/{name}: gave no answer"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    only = parser.parse_args().only
    pairs = catalogue.all_pairs(only)
    faults = []
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for found in pool.map(lambda pair: list(lint_faults(pair)), pairs):
            faults += found
    faults += filter(None, c_faults([pair for pair in pairs if pair.compiler]))
    faults += filter(None, numba_faults([pair for pair in pairs if not pair.compiler]))
    if not only and len(pairs) < FEWEST_PAIRS:
        faults.append(f"only {len(pairs)} pairs")
    print("\n".join([*faults, f"reality: {len(pairs)} pairs, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
