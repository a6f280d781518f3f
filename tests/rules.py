#!/usr/bin/env python3
"""Every folder of rules/ is whole: its name, its files, the headings of its page, cases that speak and cases that are
silent, and the program knows it. Run in the root of the repository: tests/rules.py [PONGLINT]"""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

HEADINGS = ["What it finds", "Why it is slow", "Measured", "Example", "Fix", "When it is fine", "Sources"]
KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CASES = {"c": "cases.c", "python": "cases.py"}
SHORTEST = 60  # characters of a section that says something


def faults_of(folder, listed):
    """What is wrong with one folder, as sentences."""
    rule = folder.name
    if not KEBAB.fullmatch(rule):
        yield "its name is not lower-case words joined by '-'"
    for name in ("rule.c", "README.md"):
        if not (folder / name).is_file():
            yield f"{name} is missing"
    page = read(folder / "README.md")
    if not (folder / "kernel.c").is_file() and not re.search(r"[Kk]ernel of `[a-z-]+`", page):
        yield "kernel.c is missing, and the page does not say 'kernel of `ID`'"
    languages = [language for language, name in CASES.items() if (folder / name).is_file()]
    if not languages:
        yield "it has neither cases.c nor cases.py"
    for language in languages:
        yield from case_faults(rule, language, read(folder / CASES[language]))
    if page:
        yield from page_faults(rule, page, languages)
    if rule not in listed:
        yield "'ponglint rule' does not list it"


def case_faults(rule, language, text):
    functions = python_functions(text) if language == "python" else c_functions(text)
    loud = [name for name, body in functions if re.search(rf"\b(?:want|note):[^\n]*\b{rule}\b", body)]
    silent = [name for name, body in functions if not re.search(r"\b(?:want|note|may|miss):", body)]
    if not loud:
        yield f"{CASES[language]} holds no function with 'want: {rule}'"
    if not silent:
        yield f"{CASES[language]} holds no function that has to stay silent"
    names = [name for name, _ in functions]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{CASES[language]} defines {name} twice"


def python_functions(text):
    """(name, source) of each function at the top of the file."""
    lines = text.splitlines()
    return [(node.name, "\n".join(lines[node.lineno - 1:node.end_lineno])) for node in ast.parse(text).body
            if isinstance(node, ast.FunctionDef)]


def c_functions(text):
    """(name, source) of each function: from a line that starts with its head to the first brace at the margin."""
    return [(match[1], match[0])
            for match in re.finditer(r"^(?:[a-z][\w *]*[ *])?(\w+)\([^;{}]*\)\n\{\n.*?^\}", text, re.MULTILINE | re.DOTALL)]


def page_faults(rule, page, languages):
    prose = FENCE.sub(lambda fence: "\n" * fence.group().count("\n"), page)
    if not page.startswith(f"# {rule}\n"):
        yield f"README.md does not start with '# {rule}'"
    headings = re.findall(r"^## (.*)$", prose, re.MULTILINE)
    if headings != HEADINGS:
        yield f"the headings of README.md are {headings}, not {HEADINGS}"
        return
    sections = dict(zip(headings, re.split(r"^## .*\n", page, flags=re.MULTILINE)[1:]))
    for heading, text in sections.items():
        if len(text.strip()) < SHORTEST:
            yield f"'{heading}' in README.md says next to nothing"
    examples, fixes = (FENCE.findall(sections[heading]) for heading in ("Example", "Fix"))
    for language in languages:
        if not any(tag == language and re.search(rf"\b(?:want|note): {rule}\b", text) for tag, text in examples):
            yield f"'Example' in README.md has no block in {language} with 'want: {rule}'"
    if not any(tag in CASES for tag, _ in fixes):
        yield "'Fix' in README.md has no block of code"
    for _, text in fixes:
        if "want:" in text:
            yield "'Fix' in README.md holds a 'want:'"


def read(path):
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def listed_rules(binary):
    done = subprocess.run([binary, "rule"], capture_output=True, text=True, timeout=60, check=True)
    return set(re.findall(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+", done.stdout))


def self_test():
    """Planted faults must be seen."""
    c = "static int *\nplus(int a,\n     int b)\n{\n    return a; // want: a-rule\n}\n\nvoid quiet(void)\n{\n}\n"
    assert [name for name, _ in c_functions(c)] == ["plus", "quiet"], c_functions(c)
    assert not list(case_faults("a-rule", "c", c))
    assert len(list(case_faults("b-rule", "c", c))) == 1
    assert len(list(case_faults("a-rule", "python", "def f():\n    pass  # want: a-rule\n"))) == 1
    assert list(page_faults("a-rule", "# a-rule\n\n## Fix\n", []))


def main():
    binary = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("PONGLINT", "build/ponglint"))
    if not os.access(binary, os.X_OK):
        print(f"{binary} is not there, or is no program")
        return 2
    self_test()
    listed = listed_rules(binary)
    folders = sorted(path for path in Path("rules").iterdir() if path.is_dir())
    failed = 0
    for folder in folders:
        faults = list(faults_of(folder, listed))
        failed += bool(faults)
        for fault in faults:
            print(f"{folder}: {fault}")
    print(f"{len(folders) - failed} passed, {failed} failed")
    return 1 if failed or not folders else 0


if __name__ == "__main__":
    sys.exit(main())
