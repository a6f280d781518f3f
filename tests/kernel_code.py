#!/usr/bin/env python3
"""What each kernel is about survives in its machine code: the store, the atomic, the lock, the allocation, the launch stands in
a loop of the contended form, and where the relieved form goes without it, in none of its loops.

Reads the kernels' object files with objdump (binutils, which gcc brings). Tries itself first, on a listing with the event and
one without. That both forms compute the same is tests/test_kernels.c's."""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
BUILD = Path(os.environ.get("PONGLINT_BUILD", "build"))

# (%rbp is an ordinary register in code without frame pointers, which release builds are.)
MEMORY = r"(?:-?0x[0-9a-f]+)?\((?!%rsp)%[^)]*\)"
EVENTS = {
    "atomic": re.compile(rf"^(?:lock |xchg.*{MEMORY})"),
    "store": re.compile(rf"^(?:mov[a-z]*|add[bwlq]?|sub[bwlq]?|inc[bwlq]?) +(?:[%$][^(]*,)?{MEMORY}$"),
    "load": re.compile(rf"^[a-z0-9]+ +(?:{MEMORY}),|^(?:add|sub|inc)[bwlq]? +(?:[%$][^(]*,)?{MEMORY}$"),
    "add": re.compile(r"^v?addsd "),
    "multiply": re.compile(r"^v?mulsd "),
}


def calls(name):
    return re.compile(rf"^(?:call|jmp).* reloc {name}\b")


class No:
    """An event that must not stand in a loop."""

    def __init__(self, event):
        self.event = event


LOCK = [calls("pthread_mutex_lock"), calls("pthread_mutex_unlock")]
CROWD = {"object": "oversubscribed", "member_main": ["atomic", calls("sched_yield")]}

# What must stand in a loop, by function that it is looked for in (with what that calls). A kernel that hands over to another
# one names that one's object.
KERNELS = {
    "view-per-cell": {"contended": ["atomic"], "relieved": [No("atomic")]},
    "alloc-in-kernel": {"contended": [calls("malloc"), calls("free"), "atomic", "store"],
                        "relieved": [No(calls("malloc")), No("atomic"), "store"]},
    "adjacent-slots": {**{f"store_{bits}": ["store", No("atomic")] for bits in (8, 16, 32, 64)},
                       **{f"update_{bits}": ["load", "store", No("atomic")] for bits in (8, 16, 32, 64)},
                       **{f"atomic_{bits}": ["atomic"] for bits in (8, 16, 32, 64)}},
    "atomic-accumulate": {"contended": ["atomic", *LOCK], "relieved": [No("atomic"), *map(No, LOCK)]},
    "bandwidth-bound": {"contended": ["load"], "relieved": ["load"]},
    "contended-schedule": {"dynamic_region": [calls("omp_team_next_chunk"), "add"], "contended": ["atomic"],
                           "static_region": [No(calls("omp_team_next_chunk")), "add"], "relieved": [No("atomic")]},
    "denormal-decay": {"contended": ["add", "multiply"], "relieved": ["add", "multiply"]},
    "fresh-pages": {"contended": [calls("mmap"), calls("munmap"), "store"],
                    "relieved": ["store", No(calls("mmap")), No(calls("munmap"))]},
    "hidden-lock": {"contended": [calls("rand(?!_r)"), calls("fprintf")],
                    "relieved": [calls("rand_r"), calls("fprintf"), No(calls("rand(?!_r)"))]},
    "host-cpu-count": CROWD,
    "interleaved-writes": {**{f"store_{bits}": ["store", No("atomic")] for bits in (8, 16, 32, 64)},
                           **{f"update_{bits}": ["load", "store", No("atomic")] for bits in (8, 16, 32, 64)}},
    "late-thread-env": CROWD,
    "lock-per-iteration": {"contended": [*LOCK, "store"], "relieved": ["store", *map(No, LOCK)]},
    "missing-private": {"contended": ["store", "load", No("atomic")], "relieved": ["store", "load"]},
    "missing-reduction": {"contended": ["load", "store"], "relieved": ["load", "store", No("atomic")]},
    "nested-threads": CROWD,
    "raise-in-prange": {"contended": ["add", No("atomic")], "relieved": ["add", "atomic"]},
    "reduction-as-scratch": {"contended": ["store"], "relieved": ["store"]},
    "region-in-hot-loop": {"contended": [calls("omp_team_open")], "whole_region": [No(calls("omp_team_open")), "add"]},
    "serial-prange": {"contended": ["add", No("atomic")], "relieved": ["add", "atomic"]},
    "shared-atomic": {"contended": ["atomic"], "relieved": [No("atomic")]},
    "too-little-work": {"object": "region-in-hot-loop", "contended": [calls("omp_team_open")]},
}


class Function:
    def __init__(self, name):
        self.name, self.lines, self.places = name, [], {}  # lines: (address, instruction with its relocation)

    def successors(self, index):
        """Places of the instructions that may come next."""
        address, text = self.lines[index]
        jump = re.match(r"(?:notrack )?(j[a-z]+) +([0-9a-f]+) ", text)
        target = self.places.get(int(jump[2], 16)) if jump else None
        if target is not None:
            yield target
        if index + 1 < len(self.lines) and not re.match(r"(?:repz )?ret|(?:notrack )?jmp|ud2|hlt", text):
            yield index + 1

    def reach(self, start):
        seen, open_ends = set(), list(self.successors(start))
        while open_ends:
            index = open_ends.pop()
            if index not in seen:
                seen.add(index)
                open_ends += self.successors(index)
        return seen

    def in_loops(self):
        """Instructions that can be reached from themselves."""
        self.places = {address: index for index, (address, _) in enumerate(self.lines)}
        return [text for index, (_, text) in enumerate(self.lines) if index in self.reach(index)]


def parse(listing):
    functions, current = {}, None
    for line in listing.splitlines():
        head = re.match(r"[0-9a-f]+ <([^>]+)>:", line)
        instruction = re.match(r" +([0-9a-f]+):\t(.*)", line)
        relocation = re.match(r"\t+[0-9a-f]+: R_\S+\t(\S+)", line)
        if head:
            current = functions.setdefault(head[1], Function(head[1]))
        elif relocation and current and current.lines:
            address, text = current.lines[-1]
            current.lines[-1] = (address, f"{text} reloc {relocation[1]}")
        elif instruction and current is not None:
            current.lines.append((int(instruction[1], 16), " ".join(instruction[2].split())))
    return functions


def callee(functions, text):
    target = re.match(r"(?:call|jmp) .*<([^>+]+)>", text)
    return functions.get(target[1]) if target else None


def repeated(functions, function, whole=False, seen=()):
    """Instructions that run again and again: those in loops, and all of what a loop calls."""
    if (function.name, whole) in seen:
        return []
    seen = (*seen, (function.name, whole))
    inside = [text for _, text in function.lines] if whole else function.in_loops()
    out = list(inside)
    for _, text in function.lines:
        called = callee(functions, text)
        if called is not None and called is not function:
            out += repeated(functions, called, text in inside, seen)
    return out


def name_of(event):
    return event if isinstance(event, str) else f"call of {re.search('reloc ([a-z_]+)', event.pattern)[1]}"


def faults(functions, function, events):
    if function not in functions:
        yield f"there is no function {function}"
        return
    instructions = repeated(functions, functions[function])
    if not instructions:
        yield f"{function} has no loop"
    for wanted in events:
        event = wanted.event if isinstance(wanted, No) else wanted
        pattern = EVENTS[event] if isinstance(event, str) else event
        there = any(pattern.search(text) for text in instructions)
        if there == isinstance(wanted, No):
            yield f"{'a' if there else 'no'} {name_of(event)} in the loops of {function}"


def check_rule(rule, wanted):
    of = wanted.get("object", rule)
    path = BUILD / "CMakeFiles" / (f"ponglint_rules.dir/rules/{of}/kernel.c.o" if Path(f"rules/{of}").is_dir()
                                   else f"ponglint_bench.dir/bench/{of}.c.o")
    listing = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", str(path)], capture_output=True, text=True, check=True).stdout
    functions = parse(listing)
    for function, events in wanted.items():
        if function != "object":
            yield from faults(functions, function, events)


WITH = """
0000000000000000 <contended>:
   0:\tmov    $0x1,%eax
   5:\tlock add %rax,(%rdi)
   9:\tcall   e <contended+0xe>
\t\t\ta: R_X86_64_PLT32\tmalloc-0x4
   e:\tcmp    %rax,%rdx
  11:\tjb     5 <contended+0x5>
  13:\tret
"""


def try_itself():
    """A planted loss must be found: the event moved in front of the loop, and a loop that is gone."""
    good = parse(WITH)
    lost = parse(WITH.replace("jb     5 ", "jb     9 "))
    gone = parse(WITH.replace("jb     5 ", "jb     13 "))
    assert not list(faults(good, "contended", ["atomic", calls("malloc")]))
    assert list(faults(lost, "contended", ["atomic"])) and not list(faults(lost, "contended", [calls("malloc")]))
    assert list(faults(gone, "contended", [calls("malloc")])) and list(faults(good, "contended", [No("atomic")]))
    assert list(faults(good, "contended", [No(calls("malloc"))])) and list(faults(good, "relieved", []))


def main():
    try_itself()
    if platform.machine() != "x86_64" or shutil.which("objdump") is None:
        print("kernel_code: skipped: it reads x86-64 only, with objdump")
        return SKIPPED
    rules = {path.parent.name for path in Path("rules").glob("*/kernel.c")}
    failures = [f"{rule}: no word here of what its kernel is about" for rule in sorted(rules - set(KERNELS))]
    for rule in sorted(rules & set(KERNELS)):
        failures += [f"{rule}: {fault}" for fault in check_rule(rule, KERNELS[rule])]
    for failure in failures:
        print(f"kernel_code: {failure}", file=sys.stderr)
    print(f"kernel_code: {len(rules)} kernels")
    return bool(failures)


sys.exit(main())
