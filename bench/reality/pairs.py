"""The pairs: a folder each under c/ and numba/, with slow and fixed in it. What a pair claims stands in the first lines of
its slow program:

    claim: RULE: what is slow, in one sentence ("silence" in place of a rule: nothing is, and nothing may be said)
    compiler: clang        where it is not gcc
    wrong: why             the slow program computes the wrong result on several threads
    random: why            the two draw different random numbers: results agree to 2 %
    assume: NAME=COUNT     a size that is not in the code, as its user would give it to --assume; may stand several times
    unbound: why           threads are not bound to cores
"""

import json
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER = re.compile(r"^(?://|#) (claim|compiler|wrong|random|assume|unbound): (.*)$")
C_FLAGS = ["-std=gnu17", "-O2", "-fopenmp", "-pthread"]
RENAMED = ["prepare", "work"]


@dataclass(frozen=True)
class Pair:
    name: str
    folder: Path
    rule: str  # "" for silence
    claim: str
    compiler: str  # "" for Python
    wrong: bool
    random: bool
    unbound: bool
    assume: tuple = ()

    @property
    def language(self):
        return "C" if self.compiler else "Python"

    @property
    def slow(self):
        return self.folder / ("slow.c" if self.compiler else "slow.py")

    @property
    def fixed(self):
        return self.folder / ("fixed.c" if self.compiler else "fixed.py")


def read_pair(slow):
    header, assume = {}, []
    for line in slow.read_text(encoding="utf-8").splitlines():
        match = HEADER.match(line)
        if match is None:
            break
        if match.group(1) == "assume":
            assume.append(match.group(2))
        header[match.group(1)] = match.group(2)
    rule, _, claim = header.get("claim", "").partition(": ")
    if not claim:
        raise ValueError(f"{slow}: does not start with 'claim: RULE: sentence'")
    compiler = header.get("compiler", "gcc") if slow.suffix == ".c" else ""
    return Pair(slow.parent.name, slow.parent, "" if rule == "silence" else rule, claim, compiler, "wrong" in header,
                "random" in header, "unbound" in header, tuple(assume))


def all_pairs(only=""):
    """Every pair whose name holds the regular expression `only`, C first."""
    found = sorted(HERE.glob("c/*/slow.c")) + sorted(HERE.glob("numba/*/slow.py"))
    return [pair for pair in map(read_pair, found) if re.search(only, pair.name)]


def missing_compilers(pairs):
    return sorted({pair.compiler for pair in pairs if pair.compiler and not shutil.which(pair.compiler)})


def compile_program(source, form, compiler, out):
    renames = [f"-D{name}={form}_{name}" for name in RENAMED]
    subprocess.run([compiler, *C_FLAGS, *renames, "-c", str(source), "-o", str(out)], check=True)
    return out


def build(pair, folder):
    """The program that runs a pair in C, in `folder`. Raises CalledProcessError."""
    objects = [compile_program(source, form, pair.compiler, folder / f"{pair.name}-{form}.o")
               for form, source in (("slow", pair.slow), ("fixed", pair.fixed))]
    binary = folder / pair.name
    subprocess.run([pair.compiler, *C_FLAGS, str(HERE / "host.c"), *map(str, objects), "-o", str(binary), "-lm"],
                   check=True)
    return binary


def write_commands(pairs, folder):
    """compile_commands.json of the slow programs, in `folder`: who compiles says which OpenMP runtime they get."""
    commands = [{"directory": str(pair.folder), "file": str(pair.slow), "arguments": [pair.compiler, *C_FLAGS, "-c", str(pair.slow)]}
                for pair in pairs if pair.compiler]
    (folder / "compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")


def build_all(pairs, folder):
    """{pair: its program}"""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return dict(zip(pairs, pool.map(lambda pair: build(pair, folder), pairs)))


def environment(pair, threads):
    """What a program in C runs with: a team of `threads`, each bound to a core."""
    bound = {} if pair.unbound else {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}
    return {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_DYNAMIC": "false", **bound}


def agree(pair, threads, slow, fixed):
    """Whether the two forms computed the same, as far as the pair claims that. Sums in another order may differ in their
    last digits."""
    if pair.wrong and threads > 1:
        return True
    return abs(slow - fixed) <= (0.02 if pair.random else 1e-6) * max(abs(slow), abs(fixed))


def find_numba():
    """A Python that has numba: this one, or the system's; None."""
    import sys

    for python in (sys.executable, "/usr/bin/python3"):
        if python and Path(python).exists():
            done = subprocess.run([python, "-c", "import numba"], capture_output=True, check=False)
            if done.returncode == 0:
                return python
    return None


def with_numba(environment):
    """The environment, with the Python that has numba first on the PATH, so that `ponglint calibrate` finds its version."""
    python = find_numba()
    if python is None:
        return dict(environment)
    return {**environment, "PATH": os.pathsep.join([str(Path(python).parent), environment.get("PATH", "")])}
