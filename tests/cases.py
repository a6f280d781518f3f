#!/usr/bin/env python3
"""Findings against the comments beside the code: rules/*/cases.*, every code block of the rules' pages, corpus/seeds.

    want: RULE[, RULE]   on this line a warning or error of RULE starts
    note: RULE[, RULE]   a note of RULE starts; in such a file no other line may have one of that rule
    may: RULE[, RULE]    either answer is right
    miss: RULE[, RULE]   should be found, and is not yet; fails when it is, so that the comment goes

Any other finding at warning or error fails, and one that says the same twice on a line. A case that names a rule which
is off by default is run with all rules.
Run in the root of the repository: tests/cases.py [PONGLINT] [--only REGEX]
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ARGUMENTS = ["check", "--isolated", "--machine", "generic", "--threads", "12", "--measure", "off", "--severity", "note",
             "--output", "json"]
SUFFIXES = {".c", ".h", ".py"}
LOUD = {"warning", "error"}
SECONDS = 60
RULES = r"[a-z][a-z-]*(?:\s*,\s*[a-z][a-z-]*)*"
COMMENT = re.compile(rf"(?:#|//|/\*)\s*(?:want|note|may|miss):\s*{RULES}.*$")
MARK = re.compile(rf"\b(want|note|may|miss):\s*({RULES})")
FENCE = re.compile(r"^```(c|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def marks_of(path):
    """{(path, line, rule): 'want', 'note', 'may' or 'miss'}"""
    marks = {}
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        comment = COMMENT.search(text)
        for kind, rules in MARK.findall(comment.group() if comment else ""):
            for rule in re.split(r"\s*,\s*", rules):
                marks[path.resolve(), number, rule] = kind
    return marks


def sources_of(case):
    if case.is_file():
        return [case]
    return sorted(path for path in case.rglob("*") if path.suffix in SUFFIXES and "__pycache__" not in path.parts)


def off_by_default(binary):
    """The rules that only `--select all` turns on."""
    done = subprocess.run([binary, "rule"], capture_output=True, text=True, timeout=SECONDS, check=True)
    return {line.split()[0] for line in done.stdout.splitlines() if line.endswith("(off by default)")}


def findings_of(binary, case, extra):
    """The loud findings and the notes, each as {(path, line, rule)}; raises ValueError with the reason where there is no
    answer."""
    try:
        done = subprocess.run([binary, *ARGUMENTS, *extra, str(case)], capture_output=True, text=True, timeout=SECONDS,
                              stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        raise ValueError(f"no answer within {SECONDS} s") from None
    if done.returncode not in (0, 1):
        raise ValueError(f"exit status {done.returncode}: {done.stderr.strip()[:200]}")
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise ValueError(f"no JSON: {done.stdout[:80]!r} {done.stderr.strip()[:200]}") from None
    loud, notes, said, twice = set(), set(), set(), set()
    for finding in report["findings"]:
        key = (resolved(finding["path"], case), finding["line"], finding["rule"])
        (loud if finding["severity"] in LOUD else notes).add(key)
        (twice if (key, finding["message"]) in said else said).add((key, finding["message"]))
    return loud, notes, {key for key, _ in twice}


def resolved(name, case):
    """A path of the report, which may be relative to where we are or to the case."""
    for base in (Path.cwd(), case, case.parent):
        if (base / name).exists():
            return (base / name).resolve()
    return Path(name)


def complaints(binary, case):
    """What is wrong with the answer to one case, as lines of text."""
    marks = {}
    for source in sources_of(case):
        marks.update(marks_of(source))
    asked = off_by_default(binary) & {rule for _, _, rule in marks}
    try:
        found, notes, twice = findings_of(binary, case, ["--select", "all"] if asked else [])
    except ValueError as reason:
        return [f"{case}: {reason}"]
    wrong = [(key, "missed") for key, kind in marks.items() if kind == "want" and key not in found]
    wrong += [(key, "no such note") for key, kind in marks.items() if kind == "note" and key not in notes]
    noted = {(key[0], key[2]) for key, kind in marks.items() if kind == "note"}
    wrong += [(key, "false note") for key in notes if key not in marks and (key[0], key[2]) in noted]
    wrong += [(key, "found at last, its 'miss' has to become 'want'") for key, kind in marks.items()
              if kind == "miss" and key in found]
    wrong += [(key, "the same message twice") for key in twice]
    wrong += [(key, "false") for key in found if marks.get(key, "note") == "note"]
    return [f"{shown(path)}:{line}: {rule}: {what}" for (path, line, rule), what in sorted(wrong, key=str)]


def shown(path):
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path


def page_blocks(folder):
    """Writes the code blocks of the pages as files, numbered as they stand, and yields their paths."""
    for page in sorted(Path("rules").glob("*/README.md")):
        for number, (language, text) in enumerate(FENCE.findall(page.read_text(encoding="utf-8")), 1):
            block = folder / f"{page.parent.name}-block-{number}.{'py' if language == 'python' else 'c'}"
            block.write_text(text, encoding="utf-8")
            yield block


def self_test(folder):
    """The comparison itself: what is written in comments is read, code that looks like it is not."""
    sample = folder / "sample.c"
    sample.write_text("int a; // want: one-rule, other-rule; may: third-rule\nint may; /* miss: one-rule */\n"
                      "int want; // note: one-rule\n",
                      encoding="utf-8")
    marks = {key[1:]: kind for key, kind in marks_of(sample).items()}
    assert marks == {(1, "one-rule"): "want", (1, "other-rule"): "want", (1, "third-rule"): "may",
                     (2, "one-rule"): "miss", (3, "one-rule"): "note"}, marks
    sample.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ponglint", nargs="?", default=os.environ.get("PONGLINT", "build/ponglint"))
    parser.add_argument("--only", default="", help="regular expression on a case's path")
    options = parser.parse_args()
    binary = os.path.abspath(options.ponglint)
    if not os.access(binary, os.X_OK):
        print(f"{binary} is not there, or is no program")
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        self_test(folder)
        cases = [*sorted(Path("rules").glob("*/cases.*")), *page_blocks(folder), Path("corpus/seeds")]
        cases = [case for case in cases if re.search(options.only, str(case))]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(pool.map(lambda case: complaints(binary, case), cases))
    for lines in answers:
        for line in lines:
            print(line)
    failed = sum(1 for lines in answers if lines)
    print(f"{len(answers) - failed} passed, {failed} failed")
    return 1 if failed or not answers else 0


if __name__ == "__main__":
    sys.exit(main())
