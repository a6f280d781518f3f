#!/usr/bin/env python3
"""Fixes as they are made: the fixed program compiles, means the same as the serial one, and is clean.

Programs (tests/fixes/*) print what they compute. Each is compiled without OpenMP first: that is the right answer. Then
`--fix` runs over a copy, also with tabs, with CRLF line ends, and as C++, and
  * every finding on a line marked `fix: RULE` goes, none marked `keep: RULE` does, and there are no others,
  * a second `--fix` changes nothing,
  * gcc and clang (where it is here; other forms: gcc) compile the result without a warning, and with several threads it prints the right
    answer, each of several times.
The same but for running holds for every rule's own cases: the fixed file compiles as the original does, what was fixed
is no longer found, what was not is still.
Run in the root of the repository.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PONGLINT = os.environ.get("PONGLINT", "build/ponglint")
ARGUMENTS = ["check", "--isolated", "--machine", "generic", "--threads", "12", "--measure", "off", "--output", "json"]
RULES = ["missing-reduction", "missing-private", "atomic-accumulate", "adjacent-slots", "lock-per-iteration"]
MARK = re.compile(r"\b(fix|keep): ([a-z, -]+)")
RUNS, TEAM = 5, "4"
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
FORMS = {
    "as it is": (".c", lambda text: text),
    "with tabs": (".c", lambda text: re.sub(r"^(?:    )+", lambda m: "\t" * (len(m.group()) // 4), text, flags=re.M)),
    "with CRLF": (".c", lambda text: text.replace("\n", "\r\n")),
    "as C++": (".cc", lambda text: text),
}
PROGRAMS = {".c": list(FORMS), ".cc": ["as C++"]}
failures = []


def fail(*words):
    failures.append(" ".join(str(word) for word in words))
    print("fixes:", failures[-1], file=sys.stderr)


def run(command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, check=False,
                          **options)


def lint(path, *extra):
    """{(line, rule)} of the findings at warning or above; None where there is no answer."""
    done = run([PONGLINT, *ARGUMENTS, *extra, path])
    if done.returncode not in (0, 1):
        fail(path, "exit status", done.returncode, done.stderr)
        return None
    return {(found["line"], found["rule"]) for found in json.loads(done.stdout)["findings"]}


def fixable(path):
    """(findings, those of them that have a safe edit), as lists of (line, rule)."""
    done = run([PONGLINT, *ARGUMENTS, path])
    found = json.loads(done.stdout)["findings"]
    safe = [(f["line"], f["rule"]) for f in found if any(x["safe"] and x["edits"] for x in f["fixes"])]
    return [(f["line"], f["rule"]) for f in found], safe


def compilers(suffix):
    names = {".c": ["gcc", "clang"], ".cc": ["g++", "clang++"]}[suffix]
    here = [name for name in names if shutil.which(name) and works(name, suffix)]
    for name in set(names) - set(here):
        print(f"fixes: {name} with OpenMP is not here: its part is left out")
    return here


def works(name, suffix, known={}):
    if name not in known:
        with tempfile.TemporaryDirectory() as folder:
            probe = Path(folder, "probe" + suffix)
            probe.write_text("#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
            known[name] = run([name, "-fopenmp", probe, "-o", Path(folder, "probe")]).returncode == 0
    return known[name]


def build(compiler, source, flags, what):
    program = source.with_suffix(".out")
    done = run([compiler, "-O2", *flags, source, "-o", program, "-lm"])
    if done.returncode != 0:
        fail(source.name, what, "does not compile with", compiler, done.stderr)
        return None
    return program


def serial_answer(source, suffix):
    compiler = compilers(suffix)[0] if compilers(suffix) else None
    program = compiler and build(compiler, source, ["-Wno-unknown-pragmas"], "as serial code")
    return run([program]).stdout if program else None


def marks_of(path):
    marks = {"fix": set(), "keep": set()}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for kind, rules in MARK.findall(line):
            marks[kind] |= {(number, rule.strip()) for rule in rules.split(",") if rule.strip()}
    return marks


def check_answers(source, form, suffix, answer):
    names = compilers(suffix)
    for compiler in names if form in ("as it is", "as C++") else names[:1]:
        program = build(compiler, source, [*WARNINGS, "-fopenmp"], form)
        for _ in range(RUNS if program else 0):
            got = run([program], env={**os.environ, "OMP_NUM_THREADS": TEAM, "OMP_DYNAMIC": "false"}).stdout
            if got != answer:
                fail(source.name, form, compiler, f"prints {got!r}, not {answer!r}")
                break


def fix_twice(path, what):
    """Applies the fixes; whether a second time changed nothing."""
    run([PONGLINT, *ARGUMENTS, "--fix", path])
    once = path.read_bytes()
    run([PONGLINT, *ARGUMENTS, "--fix", path])
    if path.read_bytes() != once:
        fail(path.name, what, "a second --fix changes the file again")


def line_ends(data):
    return data.count(b"\r\n"), data.count(b"\n") - data.count(b"\r\n")


def check_program(original, form, folder):
    suffix, change = FORMS[form]
    if suffix == ".cc" and not compilers(suffix):
        return
    source = folder / (original.stem + suffix)
    source.write_bytes(change(original.read_text(encoding="utf-8")).encode())
    answer, marks, before = serial_answer(source, suffix), marks_of(source), source.read_bytes()
    found, safe = fixable(source)
    asked = {key for key in found if key[1] in RULES}
    if set(safe) != marks["fix"]:
        fail(original.name, form, "edits at", sorted(set(safe) ^ marks["fix"]), "more or less than marked")
    if not asked - marks["fix"] <= marks["keep"]:
        fail(original.name, form, "also finds", sorted(asked - marks["fix"] - marks["keep"]))
    fix_twice(source, form)
    kept = {rule for _, rule in marks["keep"]}
    left = {key for key in lint(source) or () if key[1] in RULES and key[1] not in kept}
    if left:
        fail(original.name, form, "still finds", sorted(left))
    if marks["fix"] and source.read_bytes() == before:
        fail(original.name, form, "nothing was changed")
    if min(line_ends(source.read_bytes())) != 0:
        fail(original.name, form, "line ends are mixed")
    check_answers(source, form, suffix, answer)


# ---- the rules' own cases ----

def diagnostics(compiler, path):
    """Exit status, and the warnings without their places: fixes move lines."""
    done = run([compiler, "-fsyntax-only", "-fopenmp", "-Wall", path])
    return done.returncode, sorted(re.findall(r"(?:warning|error): (.*)", done.stderr))


def check_cases(original, folder):
    source = folder / original.name
    shutil.copy(original, source)
    found, safe = fixable(source)
    if not safe:
        return 0
    before = {name: diagnostics(name, source) for name in compilers(".c")} if source.suffix == ".c" else {}
    fix_twice(source, original.parent.name)
    for name, was in before.items():
        now = diagnostics(name, source)
        if now[0] != was[0] or len(now[1]) > len(was[1]):
            fail(original, name, "says", now, "of the fixed file, and said", was)
    if source.suffix == ".py":
        compile(source.read_text(encoding="utf-8"), str(original), "exec")
    left, _ = fixable(source)
    fixed_rules = {rule for _, rule in safe}
    for rule in fixed_rules:
        count = [sum(1 for _, r in keys if r == rule) for keys in (found, safe, left)]
        if count[2] > count[0] - count[1]:
            fail(original, rule, f"{count[0]} found, {count[1]} fixed, {count[2]} left")
    return len(safe)


def main():
    total = 0
    with tempfile.TemporaryDirectory() as name:
        for number, case in enumerate(sorted(Path("rules").glob("*/cases.*"))):
            folder = Path(name, f"case{number}")
            folder.mkdir()
            total += check_cases(case, folder)
        for number, program in enumerate(sorted(Path("tests/fixes").glob("*.c*"))):
            for form in PROGRAMS[program.suffix]:
                folder = Path(name, f"program{number}-{form.replace(' ', '-')}")
                folder.mkdir()
                check_program(program, form, folder)
    if total == 0:
        fail("no case has an edit: this test is broken")
    print(f"fixes: {total} edits in cases, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
