#!/usr/bin/env python3
"""The rules against numba itself: compiles the Python cases for several CPUs, and compares what is left in their loops.

For each case in signatures.toml numba compiles the listed functions, for each of the targets. In the bodies of the parallel
loops and all they call, the calls that raise a reference count or allocate are counted where they stand inside every loop
that the source has around them, and charged to their lines. Then, per line:

    view-per-cell     a warning or error: counts are left on some target, and on those that its `portability` names;
                      nothing: no count is left on any
    alloc-in-kernel   a warning or error: an allocation is left on every target; nothing: none is left on any
    serial-prange     a finding: the loop is compiled as a plain one; nothing: it is dealt out to threads
    raise-in-prange   a finding: the loop stays serial, or the line can raise in it; nothing: it cannot

`may:` and `miss:` beside a line excuse a silence, `may:` a finding as well; but a `miss:` of something that numba does not
leave is a mistake. What a rule weighs against the work beside it (a view in front of a loop nest) is not compared, but counted.
Exit status: 0 they agree, 1 they do not, or a case is not compiled and no reason is given, 77 there is no numba.

Run in the root of the repository: tests/oracle/oracle.py [PONGLINT] [--only REGEX] [--targets CPU,…] [--list]
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from cases import ARGUMENTS, LOUD, SECONDS, marks_of  # noqa: E402
from llvm_loops import Module, loop_depths  # noqa: E402
from source import Source, deepest_nest  # noqa: E402

VERSION = "0.56."  # the facts of the rules, and the inside of numba that compiled.py reaches into
# One of each kind: Skylake and a plain x86-64 inline alike, Zen 2 is close to Haswell.
TARGETS = ["generic", "haswell", "znver3"]
NAMES = {"Zen 3": "znver3", "Zen 2": "znver2", "Haswell": "haswell", "Skylake": "skylake", "generic x86-64": "generic"}
COUNTED = {"view-per-cell": "increments", "alloc-in-kernel": "allocations"}
BATCH = 6  # functions a task: small enough to keep all cores busy to the end
SKIPPED = 77


class Measured:
    """What numba leaves of the functions of some cases."""

    def __init__(self):
        self.found = defaultdict(Counter)  # (path, line): {(kind, target): calls}
        self.raised = {}  # (path, line): exception
        self.dealt_out, self.plain = set(), set()  # (path, line) compiled in and outside of a parallel loop's body
        self.failed = {}  # (path, function): why

    def add(self, other):
        for place, counts in other.found.items():
            self.found[place] |= counts
        self.raised |= other.raised
        self.dealt_out |= other.dealt_out
        self.plain |= other.plain
        self.failed |= other.failed

    def calls(self, place, kind, targets):
        """[calls on each target]"""
        return [self.found[place][kind, target] if place in self.found else 0 for target in targets]


# ---- measuring, in a process of its own --------------------------------------------------------------------------------


def start_worker(root, targets):
    """numba reads its environment when it is imported."""
    os.environ.update(NUMBA_NUM_THREADS="1", NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
    import warnings

    import compiled

    warnings.simplefilter("ignore")
    compiled.install()
    start_worker.root = root
    start_worker.codegens = {target: compiled.TargetCodegen(target) for target in targets}
    start_worker.sources = {}


def measure(path, functions):
    """functions: [(expression, argument types, whether threads run all of it)]"""
    import compiled

    measured = Measured()
    module = compiled.load(path)
    for function, types, on_threads in functions:
        try:
            library, name = compiled.library_of(module, function, types)
        except Exception as reason:  # whatever numba says
            measured.failed[path, function] = f"{type(reason).__name__}: {' '.join(str(reason).split())[:200]}"
            continue
        for target, codegen in start_worker.codegens.items():
            code = Module(codegen.build(library).get_llvm_str())
            names = code.reached([name] if on_threads else [name for name in code.texts if name.startswith("__gufunc__")])
            for place, counts in code.in_loops(names, loops_around).items():
                measured.found[place] |= Counter({(kind, target): calls for kind, calls in counts.items()})
        # The launcher of a loop drops the status of its body, so that optimised code may not even hold the exception any more.
        for body in compiled.bodies_of_parallel_loops(library):
            code = Module(codegen.build(body).get_llvm_str())
            measured.raised |= code.raised(code.reached(name for name in code.texts if compiled.PARALLEL_BODY in name))
    measured.dealt_out, measured.plain = compiled.LineTable.dealt_out, compiled.LineTable.plain
    return measured


def detour(path, function, types, target):
    """What is wrong with our way of compiling: plain numba, told to compile for the target, leaves another number of calls."""
    import compiled

    code = start_worker.codegens[target].build(compiled.library_of(compiled.load(path), function, types)[0])
    ours = code.get_llvm_str().count("call void @NRT_incref(")
    done = subprocess.run([sys.executable, "-W", "ignore", str(HERE / "compiled.py"), path, function, types],
                          capture_output=True, text=True, check=False, env={**os.environ, "NUMBA_CPU_NAME": target})
    if done.stdout.strip() != str(ours):
        return [f"{function} for {target}: {ours} increments here, plain numba has {done.stdout.strip() or done.stderr[-300:]}"]
    return []


def loops_around(path, line):
    if not path.startswith(start_worker.root) or not path.endswith(".py"):  # numba compiles text of its own, too: "<string>"
        return None
    if path not in start_worker.sources:
        start_worker.sources[path] = Source(path)
    return start_worker.sources[path].loops_around(line)


def measure_all(table, targets):
    """What is measured, and what is wrong with the measuring."""
    measured = Measured()
    tasks = []
    for path, entries in table.items():
        functions = [(function, types, False) for function, types in entries.items() if isinstance(types, str)]
        functions += [(function, types, True) for function, types in entries.get("threads", {}).items()]
        tasks += [(path, functions[at:at + BATCH]) for at in range(0, len(functions), BATCH)]
    with ProcessPoolExecutor(os.cpu_count(), initializer=start_worker, initargs=(f"{Path.cwd()}/", targets)) as pool:
        parts = pool.map(measure, *zip(*tasks))
        checks = [pool.submit(detour, tasks[0][0], *tasks[0][1][0][:2], target) for target in targets[-1:]]
        for part in parts:
            measured.add(part)
        return measured, [wrong for check in checks for wrong in check.result()]


# ---- comparing ---------------------------------------------------------------------------------------------------------


class Verdicts:
    """The findings of ponglint and the marks in one file."""

    def __init__(self, binary, path):
        self.source = Source(path)
        self.marks = {(str(file), line, rule): kind for (file, line, rule), kind in marks_of(Path(path).resolve()).items()}
        # Which lists a function gets shows only where it is called, so that a file of a package is read with its package.
        whole = Path(path).parent if (Path(path).parent / "__init__.py").exists() else Path(path)
        done = subprocess.run([binary, *ARGUMENTS, str(whole)], capture_output=True, text=True, timeout=SECONDS, check=False)
        self.findings = defaultdict(dict)  # rule: {place: finding}
        for finding in json.loads(done.stdout)["findings"]:
            place = str(Path(finding["path"]).resolve()), finding["line"]
            if place[0] == self.source.path:
                self.findings[finding["rule"]][place] = finding

    def mark(self, place, rule):
        return self.marks.get((*place, rule))


def is_weighed(source, functions, line):
    """The work beside the line decides: its innermost loop holds loops, or calls something with a loop nest; an iteration
    of the parallel loop is not a cell either if it calls something with a loop."""
    enough = 0 if source.is_in_prange(line) else 1
    return source.holds_loops(line) or any(
        deepest_nest(functions[name], functions) > enough for name in source.called_beside(line) if name in functions)


def check_counted(rule, kind, verdicts, functions, measured, targets, weighed):
    """[(place, complaint)]: both ways, for rules whose findings are calls left in the loop."""
    for place, finding in verdicts.findings[rule].items():
        calls = measured.calls(place, kind, targets)
        if finding["severity"] not in LOUD or verdicts.mark(place, rule) == "may":
            continue
        if not any(calls):
            yield place, f"found, but numba leaves no {kind} in the loop"
        elif wrong := portability(finding.get("portability", "all"), dict(zip(targets, calls))):
            yield place, f"{wrong}; {kind}: {shown(targets, calls)}"
    for place in sorted(place for place in measured.found if place[0] == verdicts.source.path):
        calls = measured.calls(place, kind, targets)
        if not any(calls) or place in verdicts.findings[rule] or verdicts.mark(place, rule):
            continue
        if kind == "increments" and is_of_an_allocation(verdicts, place[1]):
            continue
        if is_weighed(verdicts.source, functions, place[1]):
            weighed[rule] += 1
        else:
            yield place, f"silent, but numba leaves {kind}: {shown(targets, calls)}"
    for (path, line, marked), mark in verdicts.marks.items():
        if mark == "miss" and marked == rule and not any(measured.calls((path, line), kind, targets)):
            yield (path, line), f"a miss, but numba leaves no {kind} in the loop"


def is_of_an_allocation(verdicts, line):
    """What is allocated is counted, and the allocation is the finding: in the function of the line, or in one that it calls."""
    source = verdicts.source
    allocating = {source.function_at(at) for _, at in verdicts.findings["alloc-in-kernel"]}
    return source.function_at(line) in allocating or bool(allocating & source.called_on(line))


def portability(claim, calls):
    """What is wrong with a claim such as 'Zen 3 and Haswell; gone on generic x86-64'; None where it holds."""
    stays, _, gone = claim.partition("; gone on ")
    left = [target for target, count in calls.items() if count]
    for name, target in NAMES.items():
        if target in calls and name in stays and not calls[target]:
            return f"stays on {name}, says the finding"
        if target in calls and name in gone and calls[target]:
            return f"gone on {name}, says the finding"
    if stays == "all" and len(left) < len(calls):
        return "stays on all targets, says the finding"
    if stays == "most targets" and 2 * len(left) <= len(calls):
        return "stays on most targets, says the finding"
    if gone == "most others" and 2 * len(left) > len(calls):
        return "gone on most targets, says the finding"
    return None


def shown(targets, calls):
    return ", ".join(f"{target} {count}" for target, count in zip(targets, calls))


def check_serial(verdicts, measured):
    """Parallel loops that are compiled as plain ones, and why the rules say so."""
    path = verdicts.source.path
    for loop in verdicts.source.loops:
        if not loop.is_parallel:
            continue
        dealt_out = any((path, line) in measured.dealt_out for line in loop.body)
        plain = any((path, line) in measured.plain for line in loop.body)
        serial = [place for place in verdicts.findings["serial-prange"] if place[1] == loop.first]
        left = [place for place, finding in verdicts.findings["raise-in-prange"].items()
                if "on one thread" in finding["message"] and finding["trace"][0]["line"] == loop.first]
        place = (path, loop.first)
        if plain and not dealt_out and not serial and not left and not verdicts.mark(place, "serial-prange"):
            yield place, "silent, but numba compiles a plain loop"
        if dealt_out and not plain and (serial or left):
            yield place, "serial, says the finding, but numba deals it out to threads"


def check_raises(verdicts, measured):
    """Lines that can raise on a thread."""
    rule = "raise-in-prange"
    findings = {place: finding for place, finding in verdicts.findings[rule].items()
                if "on one thread" not in finding["message"]}
    for place, finding in findings.items():
        # The body of a prange is compiled under the numpy error model: a division in it is lost before it is raised.
        body = "division by zero" in finding["message"] and verdicts.source.is_dealt_out(place[1])
        excused = body or finding["severity"] not in LOUD or verdicts.mark(place, rule) == "may"
        if place not in measured.raised and not excused:
            yield place, "found, but nothing raises there in what numba compiles"
    for place, exception in sorted(measured.raised.items()):
        ours = place[0] == verdicts.source.path and place[1] in verdicts.source.raising
        if ours and place not in findings and not verdicts.mark(place, rule):
            yield place, f"silent, but numba can raise {exception} there"


def not_compiled(path, source, entries, measured):
    """[(function, why)] for the functions of a case that nothing compiled, and no line of the table explains."""
    reasons = entries.get("left_out", {})
    lines = {line for file, line in measured.dealt_out | measured.plain if file == source.path}
    for name, (first, last, marked) in source.functions.items():
        if marked and name not in reasons and not lines.intersection(range(first, last + 1)):
            yield name, "no signature, and nothing that has one calls it"
    for (file, function), reason in measured.failed.items():
        if file == path and function not in reasons:
            yield function, reason
    for name in reasons:
        if name not in source.functions:
            yield name, "left out, but there is no such function"


def package(path):
    """The file, and what else is in its package: compiled along with it."""
    folder = Path(path).parent
    beside = sorted(folder.glob("*.py")) if (folder / "__init__.py").exists() else []
    return [path, *(str(other) for other in beside if str(other) != path)]


def compare(binary, table, measured, targets):
    """Complaints as text, in order, and what was counted on the way."""
    compared = [section for section, entries in table.items() if "*" not in entries.get("left_out", {})]
    verdicts = {path: Verdicts(binary, path) for section in compared for path in package(section)}
    functions = {name: node for one in verdicts.values() for name, node in one.source.nodes.items()}
    weighed, complaints, missing = Counter(), [], []
    for path, one in verdicts.items():
        checks = {rule: check_counted(rule, kind, one, functions, measured, targets, weighed) for rule, kind in COUNTED.items()}
        checks |= {"serial-prange": check_serial(one, measured), "raise-in-prange": check_raises(one, measured)}
        complaints += [f"{path}:{line}: {rule}: {text}" for rule, check in checks.items()
                       for (_, line), text in sorted(check)]
        missing += [f"{path}: {name}: not compiled: {why}"
                    for name, why in not_compiled(path, one.source, table.get(path, {}), measured)]
    return complaints, missing, weighed


def unlisted(table):
    """Python cases with something for numba to compile and no section in the table."""
    listed = {path for section in table for path in package(section)}
    for path in [*sorted(Path("rules").glob("*/cases.py")), *sorted(Path("corpus/seeds").rglob("*.py"))]:
        if str(path) not in listed and any(marked for _, _, marked in Source(path).functions.values()):
            yield f"{path}: not compiled: it has no section in {(HERE / 'signatures.toml').relative_to(Path.cwd())}"


def self_test():
    """Counting and comparing themselves: a loop in a loop, a call charged to its line, a claim that does not hold."""
    assert dict(loop_depths({"in": ["a"], "a": ["b"], "b": ["b", "c"], "c": ["a", "out"]})) == {"a": 1, "b": 2, "c": 1}
    code = Module("\ndefine void @f() {\nin:\n  br label %a\na:\n  call void @NRT_incref(i8* %x), !dbg !1\n"
                  "  br i1 %y, label %a, label %out\nout:\n  ret void\n}\n"
                  '!1 = !DILocation(line: 7, column: 1, scope: !2)\n!2 = distinct !DISubprogram(name: "f", file: !3)\n'
                  '!3 = !DIFile(filename: "c.py", directory: "/d")\n')
    for around, counted in ((0, 1), (1, 1), (2, 0)):
        assert code.in_loops({"f"}, lambda path, line, loops=around: loops)["/d/c.py", 7]["increments"] == counted
    assert portability("Zen 3 and Haswell; gone on generic x86-64", {"znver3": 2, "haswell": 1, "generic": 0}) is None
    assert portability("Zen 3; gone on most others", {"znver3": 0, "haswell": 0})
    assert portability("all", {"znver3": 1, "generic": 0}) and portability("most targets", {"znver3": 1, "generic": 0})


def under_a_python_with_numba():
    """numba's version. Debian has it for its own python3, which may not be the first on the path."""
    try:
        from numba import __version__
    except ImportError:
        system = "/usr/bin/python3"
        if os.path.exists(system) and os.path.realpath(sys.executable) != os.path.realpath(system):
            os.execv(system, [system, *sys.argv])
        print("skipped: no numba here (Debian: python3-numba; ./setup --with-numba)")
        sys.exit(SKIPPED)
    return __version__


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ponglint", nargs="?", default=os.environ.get("PONGLINT", "build/ponglint"))
    parser.add_argument("--only", default="", help="regular expression on a case's path")
    parser.add_argument("--targets", default=",".join(TARGETS), help="CPU names of LLVM, separated by commas")
    parser.add_argument("--list", action="store_true", help="print what was counted for each line")
    options = parser.parse_args()
    version = under_a_python_with_numba()
    if not version.startswith(VERSION):
        print(f"skipped: numba is {version}, the facts were found with {VERSION}x")
        return SKIPPED
    self_test()
    targets = options.targets.split(",")
    everything = tomllib.loads((HERE / "signatures.toml").read_text(encoding="utf-8"))
    table = {path: entries for path, entries in everything.items() if re.search(options.only, path)}
    measured, wrong = measure_all(table, targets)
    complaints, missing, weighed = compare(os.path.abspath(options.ponglint), table, measured, targets)
    missing += unlisted(everything)
    if options.list:
        for (path, line), counts in sorted(measured.found.items()):
            print(f"{os.path.relpath(path)}:{line}: {dict(counts)}")
    for line in [*wrong, *complaints, *missing]:
        print(line)
    left_out = sum(len(entries.get("left_out", {})) for entries in table.values())
    functions = sum(isinstance(types, str) for entries in table.values() for types in entries.values())
    print(f"numba {version} for {', '.join(targets)}: {functions} functions and what they call, "
          f"{len(measured.found)} lines with calls in their loops, {sum(weighed.values())} left to the weighing of the rules")
    print(f"not compiled: {left_out} functions or files with a reason, {len(missing)} without")
    print(f"{len(complaints)} disagreements")
    return 1 if wrong or complaints or missing else 0


if __name__ == "__main__":
    sys.exit(main())
