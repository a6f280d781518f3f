#!/usr/bin/env python3
"""corpus/world over a tree of one repository: what it calls a difference, what it keeps, and its exit status.

Run in the root of the repository: tests/world.py [PONGLINT]
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

FAULT = """from numba import njit, prange

@njit(parallel=True)
def {name}(x, hist):
    for i in prange(len(x)):
        hist[x[i]] += 1
"""


class World:
    def __init__(self, folder, binary):
        self.folder, self.binary = folder, binary
        self.repos, self.manifest, self.list = folder / "repos", folder / "manifest.tsv", folder / "accepted.tsv"
        self.source = self.repos / "house+tiny" / "count.py"
        self.source.parent.mkdir(parents=True)
        self.manifest.write_text("repository\tcommit\nhouse/tiny\t" + "a" * 40 + "\nhouse/absent\t" + "b" * 40 + "\n")

    def run(self, *extra):
        """Exit status, and the lines that stand for a difference."""
        done = subprocess.run([sys.executable, "corpus/world", "--repos", self.repos, "--manifest", self.manifest, "--list",
                               self.list, "--ponglint", self.binary, *extra], capture_output=True, text=True, timeout=120,
                              check=False)
        self.text = done.stdout + done.stderr
        return done.returncode, [line for line in done.stdout.splitlines() if line[:2] in ("+ ", "- ", "~ ")]

    def rows(self):
        head, *rows = [line.split("\t") for line in self.list.read_text().splitlines()]
        return [dict(zip(head, row)) for row in rows]

    def judge(self, verdict, reason):
        lines = self.list.read_text().splitlines()
        for i, line in enumerate(lines[1:], 1):
            if line.startswith("house/tiny"):
                lines[i] = "\t".join([*line.split("\t")[:-2], verdict, reason])
        self.list.write_text("\n".join(lines) + "\n")


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def new_and_accepted(world):
    world.source.write_text(FAULT.format(name="count"))
    status, lines = world.run()
    check(status == 1 and len(lines) == 1 and lines[0].startswith("+ house/tiny count.py:6 missing-reduction error"), lines)
    check("house/absent: not there" in world.text, world.text)
    check(not world.list.exists(), "a run that is not asked to accept wrote the list")
    status, lines = world.run("--accept")
    check(status == 1 and len(lines) == 1, "the run that accepts says what it accepts")
    check(world.run() == (0, []), world.text)


def survives_moved_lines(world):
    world.source.write_text("# a comment\n\n" + FAULT.format(name="count"))
    check(world.run() == (0, []), world.text)


def verdicts_outlive_the_finding(world):
    world.judge("wrong", "the histogram has a bin for each thread")
    world.source.write_text("pass\n")
    status, lines = world.run("--accept")
    check(status == 1 and len(lines) == 1 and lines[0].startswith("- house/tiny") and "(wrong: the histogram" in lines[0], lines)
    check([row["severity"] for row in world.rows()] == ["silent"], world.rows())
    check(world.run() == (0, []), world.text)
    world.source.write_text(FAULT.format(name="count"))
    status, lines = world.run("--accept")
    check(status == 1 and lines[0].startswith("+ house/tiny") and "(wrong: the histogram" in lines[0], lines)
    check([(row["severity"], row["verdict"]) for row in world.rows()] == [("error", "wrong")], world.rows())
    check("100 %" in world.text, "the one finding that is read is rejected")


def severity_is_a_difference(world):
    text = world.list.read_text()
    world.list.write_text(text.replace("\terror\t", "\twarning\t"))
    status, lines = world.run()
    check(status == 1 and lines[0].startswith("~ house/tiny") and "warning became error" in lines[0], lines)
    world.list.write_text(text)


def unread_findings_go(world):
    world.judge("", "")
    world.source.write_text(FAULT.format(name="other"))
    status, lines = world.run("--accept")
    check(status == 1 and sorted(line[0] for line in lines) == ["+", "-"], lines)
    check([row["function"] for row in world.rows()] == ["other"], world.rows())


def what_is_absent_stays(world):
    row = "\t".join(["house/absent", "a.c", "hidden-lock", "f", "0123456789", "1", "7", "warning", "right", "rand in a loop"])
    world.list.write_text(world.list.read_text() + row + "\n")
    check(world.run("--accept") == (0, []), world.text)
    check(row in world.list.read_text().splitlines(), "the part of the list that speaks of a repository that is not there")


def faults_are_said(world):
    good = world.list.read_text()
    for bad in (good.replace("\tright\t", "\tperhaps\t"), good.replace("rand in a loop", ""), good + good.splitlines()[1] + "\n",
                good.replace("severity", "weight")):
        world.list.write_text(bad)
        check(world.run()[0] == 2, f"accepted: {bad}")
    world.list.write_text(good)
    check(world.run("--ponglint", world.folder / "nothing")[0] == 2, "no program")
    check(world.run("--only", "nobody")[0] == 2, "nothing to lint")
    status, _ = world.run("--commands")
    check(status == 0 and "house/absent" in world.text and "b" * 40 in world.text and "house/tiny" not in world.text, world.text)


def main():
    binary = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("PONGLINT", "build/ponglint"))
    with tempfile.TemporaryDirectory() as name:
        world = World(Path(name), binary)
        for step in (new_and_accepted, survives_moved_lines, verdicts_outlive_the_finding, severity_is_a_difference,
                     unread_findings_go, what_is_absent_stays, faults_are_said):
            try:
                step(world)
            except AssertionError as error:
                print(f"{step.__name__}: {error}")
                return 1
    print("7 steps, as they should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
