#!/usr/bin/env python3
"""Notebooks end to end: what is found, where it is said to be, and what a fix leaves of the file.

The answers come from the cells as Python sees them: json.load for what a fix may touch, the lines of the file for places.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PONGLINT = os.environ["PONGLINT"]
ARGUMENTS = ["check", "--isolated", "--machine", "generic", "--threads", "12", "--measure", "off"]
IMPORTS = "import numpy as np\nfrom numba import njit, prange\n"
RACE = """@njit(parallel=True)
def racy(bins, counts):
    for i in prange(bins.shape[0]):
        counts[bins[i]] += 1
"""
POOL = "import os\nfrom multiprocessing import Pool\npool = Pool(os.cpu_count())"
failures = []


def expect(good, what):
    if not good:
        failures.append(what)


def notebook(*cells, version=4, as_text=False, **metadata):
    """A notebook as a dictionary. A cell is its code, or (type, text)."""
    made = []
    for cell in cells:
        kind, text = cell if isinstance(cell, tuple) else ("code", cell)
        body = text if as_text else text.splitlines(keepends=True)
        made.append({"cell_type": kind, "metadata": {}, "input" if version == 3 and kind == "code" else "source": body})
        if kind == "code":
            made[-1].update({"outputs": [{"output_type": "stream", "text": ["want \"quotes\" {[\n"]}]})
            made[-1].update({"language": "python"} if version == 3 else {"execution_count": None})
    if version == 3:
        return {"metadata": metadata, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": made}]}
    return {"cells": made, "metadata": metadata, "nbformat": version, "nbformat_minor": 5}


def run(path, *options):
    done = subprocess.run([PONGLINT, *ARGUMENTS, *options, str(path)], capture_output=True, text=True, timeout=60, check=False)
    expect(done.returncode in (0, 1, 2), f"{path.name}: exit status {done.returncode}: {done.stderr}")
    return done


def findings(path, *options):
    return json.loads(run(path, "--output", "json", *options).stdout)["findings"]


def places(path):
    return [(f["rule"], f["cell"], f["cellLine"], f["cellColumn"]) for f in findings(path)]


def write(folder, name, content, **layout):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content, **layout), encoding="utf-8")
    return path


def test_every_layout_gives_the_same_places(folder):
    cells = (("markdown", "# `prange`"), IMPORTS, ("raw", "x ="), "\n# caf\u00e9 \U0001f600\n" + RACE)
    for version in (3, 4):
        for as_text in (False, True):
            for layout in ({}, {"indent": 1}, {"indent": "\t", "sort_keys": True}, {"ensure_ascii": False}):
                path = write(folder, "layout.ipynb", notebook(*cells, version=version, as_text=as_text), **layout)
                expect(places(path) == [("missing-reduction", 4, 6, 9)], f"{version} {as_text} {layout}: {places(path)}")


def test_every_output_names_the_cell(folder):
    path = write(folder, "named.ipynb", notebook(IMPORTS, RACE), indent=1)
    line = 1 + next(i for i, text in enumerate(path.read_text().splitlines()) if "counts[bins" in text)
    concise = run(path, "--output", "concise").stdout
    expect(f"{path}:cell 2:4:9: error" in concise, f"concise: {concise}")
    full = run(path, "--output", "full").stdout
    expect(f"{path}:cell 2:4:9: error" in full and f"{path}:cell 2:3: parallel loop over i" in full
           and "\n 4 |         counts[bins[i]] += 1\n" in full, f"full: {full}")
    found = findings(path)[0]
    expect((found["line"], found["cell"], found["cellLine"]) == (line, 2, 4), f"json: {found}")
    expect((found["trace"][0]["line"], found["trace"][0]["cell"]) == (line - 1, 2), f"trace: {found['trace']}")
    text = path.read_text().splitlines()[line - 1]
    expect(text[found["column"] - 1:found["endColumn"] - 1] == "counts[bins[i]] += 1", f"column of the file: {found}")
    github = run(path, "--output", "github").stdout
    expect(f",line={line}," in github and "::cell 2, line 4: " in github, f"github: {github}")
    result = json.loads(run(path, "--output", "sarif").stdout)["runs"][0]["results"][0]
    expect(result["message"]["text"].startswith("cell 2, line 4: "), f"sarif: {result['message']}")
    location = result["locations"][0]
    expect(location["physicalLocation"]["region"]["startLine"] == line, f"sarif: {location}")
    expect(location["logicalLocations"][0]["name"] == "cell 2", f"sarif: {location}")


def test_cells_are_one_program(folder):
    helper = "@njit\ndef bump(counts, k):\n    counts[k] += 1\n"
    caller = "@njit(parallel=True)\ndef count(bins, counts):\n    for i in prange(len(bins)):\n        bump(counts, bins[i])\n"
    path = write(folder, "program.ipynb", notebook(IMPORTS, helper, caller))
    expect(places(path) == [("missing-reduction", 2, 3, 5)], f"across cells: {places(path)}")
    loop = [step for step in findings(path)[0]["trace"] if step["cell"] == 3]
    expect(bool(loop), "the trace does not lead through cell 3")


def test_the_last_definition_of_a_name_is_the_one_that_later_cells_call(folder):
    plain = "@njit\ndef step(x):\n    return x + 1\n"
    again = "@njit\ndef step(x):\n    x[0] += 1\n    return 0\n"
    call = "@njit(parallel=True)\ndef go(x):\n    for i in prange(len(x)):\n        step(x)\n"
    path = write(folder, "again.ipynb", notebook(IMPORTS, plain, again, call))
    expect([p[:3] for p in places(path)] == [("missing-reduction", 3, 3)], f"defined twice: {places(path)}")


def places_in(folder):
    """{file name: places}, of one run over a folder."""
    found = {}
    for f in findings(folder):
        found.setdefault(Path(f["path"]).name, []).append((f["rule"], f["cell"], f["cellLine"], f["cellColumn"]))
    return found


def test_magics_and_other_languages_are_passed(folder):
    magics = ["%matplotlib inline", "ls = [1]\nls [0]\ntime = 3\ntime if time else ls\nls -time", "!pip install numba \\\n  --quiet", "?np.sum", "np.sum?", "files = !ls", "%cd ..",
              "if True:\n    !ls", "took = %timeit -o f()", "%%time\nx = 1", "%%bash\nfor f in *; do echo \"$f; done",
              "%%cython -a\ncdef int f(int x): return x", "%%html\n<b>'</b>", "/print 1", "pip install numba", "timeit -n 5 -r 5 f()", "cd ..", ";print 1 2", "%%capture out\nprint(1)"]
    wanted = {}
    for number, magic in enumerate(magics):
        write(folder, f"behind{number}.ipynb", notebook(IMPORTS, magic, RACE))
        wanted[f"behind{number}.ipynb"] = [("missing-reduction", 3, 4, 9)]
    for number, before in enumerate(("%%time\n", "%%timeit -n 1\n", "%%capture out\n", "\n%%time\n%%capture\n", "%time x = 1\n", "x?\n",
                                     "x = (5\n     % 3)\ny = \"\"\"\n%time\n!ls\n\"\"\"\n")):
        write(folder, f"in{number}.ipynb", notebook(IMPORTS, before + RACE))
        wanted[f"in{number}.ipynb"] = [("missing-reduction", 2, before.count("\n") + 4, 9)]
    for number, magic in enumerate(("%%writefile k.py\n", "%%bash\n", "%%julia\n")):
        write(folder, f"foreign{number}.ipynb", notebook(IMPORTS, magic + RACE))
    write(folder, "indented.ipynb", notebook(IMPORTS, "\n".join("    " + line for line in RACE.splitlines())))
    wanted["indented.ipynb"] = [("missing-reduction", 2, 4, 13)]
    found = places_in(folder)
    for name in sorted(wanted.keys() | found.keys()):
        expect(found.get(name) == wanted.get(name), f"{(folder / name).read_text()}: {found.get(name)}")
    expect("syntax error" not in run(folder).stderr, "a magic is a syntax error")


def test_what_is_timed_is_called(folder):
    timed = "%timeit -n 10 -r3 racy(np.zeros(9), np.zeros(9))\n%time out = racy(1, 2)\nout = %time racy(1, 2)\n"
    path = write(folder, "called.ipynb", notebook(IMPORTS, RACE, timed))
    dump = run(path, "--dump", "tree").stdout
    expect(dump.count("name racy ") == 3, f"calls behind magics: {dump}")


def test_other_kernels_are_left_alone(folder):
    for language in ("julia", "R", "scala", "bash"):
        metadata = {"kernelspec": {"language": language, "name": language}, "language_info": {"name": language}}
        write(folder, f"{language}.ipynb", notebook(IMPORTS, RACE, **metadata))
    done = run(folder)
    expect(done.returncode == 0, f"other languages: {done.stdout}{done.stderr}")
    path = write(folder, "none.ipynb", notebook(IMPORTS, RACE, kernelspec={"name": "python3"}))
    expect(len(places(path)) == 1, "without a language")
    cells = notebook(IMPORTS, RACE)
    cells["cells"][1]["metadata"] = {"vscode": {"languageId": "sql"}}
    expect(not places(write(folder, "sql.ipynb", cells)), "a cell of another language")


def test_comments_hide_findings(folder):
    allowed = RACE.replace("+= 1", "+= 1  # ponglint: allow(missing-reduction) a test")
    path = write(folder, "allowed.ipynb", notebook(IMPORTS, allowed))
    expect(not findings(path), f"allow: {places(path)}")
    path = write(folder, "file.ipynb", notebook(IMPORTS, RACE, "# ponglint: allow-file(missing-reduction)"))
    expect(not findings(path), f"allow-file: {places(path)}")
    path = write(folder, "unused.ipynb", notebook(IMPORTS, "# ponglint: allow(view-per-cell)\nx = 1"))
    expect(places(path) == [("unused-allow", 2, 1, 19)], f"unused: {places(path)}")


def test_broken_files_are_said_and_the_run_goes_on(folder):
    good = json.dumps(notebook(IMPORTS, RACE), indent=1)
    broken = {"cut": good[:len(good) // 2], "comma": good.replace("],", "]", 1), "text": good.replace('\\n"', "\\n", 1),
              "conflict": good.replace('"cells"', '\n<<<<<<< HEAD\n"cells"', 1), "list": "[1, 2]", "object": "{\"a\": 1}",
              "behind": good + "}", "escape": good.replace("\\n", "\\q", 1), "deep": "[" * 100000, "number": "7"}
    paths = {name: write(folder, f"{name}.ipynb", content) for name, content in broken.items()}
    write(folder, "good.ipynb", good)
    done = run(folder, "--output", "json")
    expect(done.returncode == 2, f"exit status {done.returncode}")
    notes = {n["path"]: n["message"] for n in json.loads(done.stdout)["notifications"]}
    for name, path in paths.items():
        expect("exclude it" in notes.get(str(path), ""), f"{name}: {notes.get(str(path))}")
    expect("merge conflict" in notes[str(paths["conflict"])], f"a merge conflict: {notes[str(paths['conflict'])]}")
    expect({f["path"] for f in json.loads(done.stdout)["findings"]} == {str(folder / "good.ipynb")}, "beside broken ones")


def test_odd_files_are_read(folder):
    good = json.dumps(notebook(IMPORTS, RACE), indent=1)
    for name, content in {"empty": "", "blank": " \n", "no_cells": json.dumps(notebook()), "empty_cell": json.dumps(notebook("")),
                          "nan": good.replace('"metadata": {}', '"metadata": {"x": NaN}', 1)}.items():
        path = write(folder, f"{name}.ipynb", content)
        expect(run(path).returncode == (1 if name == "nan" else 0), f"{name}: {run(path).stderr}")
    path = write(folder, "open.ipynb", notebook(IMPORTS, "print(# your code\n", "x = '''", RACE), indent=1)
    expect(places(path) == [("missing-reduction", 4, 4, 9)], f"behind open cells: {places(path)}")
    expect("cell 2" in run(path).stderr and "cell 3" in run(path).stderr, f"open cells: {run(path).stderr}")
    path = write(folder, "error.ipynb", notebook(IMPORTS, "def f(:\n    pass\n", RACE), indent=1)
    expect([p[1] for p in places(path)] == [3] and "cell 2" in run(path).stderr, f"an error in a cell: {run(path).stderr}")


def cut(path):
    """The bytes of a file without the one text that the fix changes."""
    return path.read_bytes().replace(b"len(os.sched_getaffinity(0))", b"os.cpu_count()")


def test_fixes_change_nothing_else(folder):
    for layout in ({"indent": 1}, {}, {"indent": 2, "ensure_ascii": False}):
        for as_text in (False, True):
            cells = (IMPORTS, "%%time\n# caf\u00e9 \"x\"\n" + POOL, "x = 1")
            path = write(folder, "fix.ipynb", notebook(*cells, as_text=as_text), **layout)
            before = path.read_bytes()
            patch = run(path, "--diff").stdout
            expect(path.read_bytes() == before and "+" in patch, "--diff wrote the file, or shows nothing")
            run(path, "--fix")
            expect(path.read_bytes() != before and cut(path) == before, f"--fix changed more than it should: {layout} {as_text}")
            source = "".join(json.loads(path.read_text())["cells"][1]["source"])
            expect(source == cells[1].replace("os.cpu_count()", "len(os.sched_getaffinity(0))"), f"fixed: {source}")
            expect(not findings(path), "the fix is not the end of it")


def test_folders_give_their_notebooks(folder):
    (folder / "sub" / ".ipynb_checkpoints").mkdir(parents=True)
    write(folder / "sub", "a.ipynb", notebook(IMPORTS, RACE))
    write(folder / "sub" / ".ipynb_checkpoints", "a-checkpoint.ipynb", notebook(IMPORTS, RACE))
    found = [Path(f["path"]).name for f in findings(folder)]
    expect(found == ["a.ipynb"], f"in a folder: {found}")
    text = (folder / "sub" / "a.ipynb").read_text()
    done = subprocess.run([PONGLINT, *ARGUMENTS, "--output", "concise", "--stdin-filename", "x.ipynb", "-"], input=text,
                          capture_output=True, text=True, timeout=60, check=False)
    expect(done.stdout.startswith("x.ipynb:cell 2:4:9: "), f"standard input: {done.stdout}{done.stderr}")


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            with tempfile.TemporaryDirectory() as folder:
                before = len(failures)
                test(Path(folder))
                failures[before:] = [f"{name}: {failure}" for failure in failures[before:]]
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
