#!/usr/bin/env python3
"""Includes go downwards only, libraries stay in their room, and functions that cannot be used safely are not used.

Run in the root of the repository. It tries itself first: planted violations in a folder of its own must be found.
"""

import re
import sys
import tempfile
from pathlib import Path

# The floors of analyzer/, lowest first: a room may include itself and what stands before it.
FLOORS = ["analyzer/base", "analyzer/tree", "analyzer/report", "analyzer/facts", "analyzer/number"]

# What a room may include beside itself. A name is a folder or a file; the longest name that holds a file is its room.
MAY_INCLUDE = {floor: FLOORS[:height] for height, floor in enumerate(FLOORS)}
MAY_INCLUDE["analyzer/number"] += ["bench"]
# Integer questions: know nothing of programs.
MAY_INCLUDE["analyzer/polyhedral"] = ["analyzer/base"]
MAY_INCLUDE["analyzer/facts"] += ["analyzer/polyhedral"]
# A finding holds its Exposure, and the record of a rule speaks of Machine: plain data, both.
MAY_INCLUDE["analyzer/report"] += ["bench/kernel.h", "bench/machine.h"]
MAY_INCLUDE.update({
    "bench": ["analyzer/base"],
    "analyzer/frontend.h": ["analyzer/base", "analyzer/tree"],
    "frontends": ["analyzer/base", "analyzer/tree", "analyzer/frontend.h"],
    "frontends/c": ["analyzer/base", "analyzer/tree", "analyzer/frontend.h"],
    "frontends/python": ["analyzer/base", "analyzer/tree", "analyzer/frontend.h"],
    "analyzer/rule.h": [*FLOORS, "bench"],
    "analyzer/rule.c": [*FLOORS, "bench", "analyzer/rule.h"],
    "analyzer/edit.h": FLOORS,
    "analyzer/pass.h": [*FLOORS, "bench", "analyzer/rule.h", "analyzer/edit.h"],
    "analyzer/pass.c": [*FLOORS, "bench", "analyzer/rule.h", "analyzer/edit.h", "analyzer/pass.h"],
    "analyzer": [*FLOORS, "bench", "analyzer/frontend.h", "analyzer/rule.h", "analyzer/edit.h", "analyzer/pass.h"],
})
A_RULE_MAY_INCLUDE = ["analyzer/rule.h", "analyzer/pass.h", "bench/kernel.h", "bench/omp_team.h"]

# Libraries that only one room may know.
HOME_OF_LIBRARY = {"clang-c/": "frontends/c", "tree_sitter/": "frontends/python", "hwloc": "bench", "isl/": "analyzer/polyhedral",
                   "cmocka.h": "tests"}

FORBIDDEN = ["strcpy", "strcat", "sprintf", "vsprintf", "gets", "system"]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
CALL = re.compile(r"\b(" + "|".join(FORBIDDEN) + r")[ \t]*\(")
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
GENERATED = {"version.h"}


def inside(path, room):
    return path == room or path.startswith(room + "/")


def room_of(path):
    parts = path.split("/")
    if parts[0] == "rules" and len(parts) > 2:
        return "/".join(parts[:2])
    rooms = [room for room in MAY_INCLUDE if inside(path, room)]
    return max(rooms, key=len) if rooms else None


def allowed(room):
    return MAY_INCLUDE.get(room, A_RULE_MAY_INCLUDE)


HOUSE = ("analyzer", "bench", "frontends", "rules")


def holds_house_code(path):
    """Cases, corpus and the programs of bench/ are read by ponglint or run beside it, not part of it."""
    parts = path.split("/")
    return (parts[0] in HOUSE and parts[-1] != "cases.c"
            and not path.startswith(("bench/reality/", "bench/speed/", "frontends/c/include/"))
            and path.endswith((".c", ".h", ".def")))


def wrong_includes(path, text):
    room = room_of(path)
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        quote, name = match.groups()
        if quote == "<":
            for library, home in HOME_OF_LIBRARY.items():
                if name.startswith(library) and not inside(path, home):
                    yield f"{path}:{line}: <{name}> belongs to {home}/"
        elif name not in GENERATED and room_of(name) != room and not any(inside(name, a) for a in allowed(room)):
            yield f"{path}:{line}: {room} must not include {name}"


def forbidden_calls(path, text):
    blank = COMMENT_OR_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    for match in CALL.finditer(blank):
        line = blank.count("\n", 0, match.start()) + 1
        yield f"{path}:{line}: {match.group(1)} is not used in this house"


def violations(root):
    # Not the whole of the root: tests beside this one make and remove files in build/.
    for file in sorted(file for room in HOUSE for file in (root / room).rglob("*")):
        path = file.relative_to(root).as_posix()
        if holds_house_code(path) and file.is_file():
            text = file.read_text(encoding="utf-8")
            yield from wrong_includes(path, text)
            yield from forbidden_calls(path, text)


PLANTED = [  # file, line, whether it must be refused
    ("analyzer/base/arena.c", '#include "analyzer/base/text.h"', False),
    ("analyzer/base/arena.c", '#include "analyzer/tree/ast.h"', True),
    ("analyzer/tree/ast.c", '#include "analyzer/report/finding.h"', True),
    ("analyzer/report/text.c", '#include "analyzer/facts/effect.h"', True),
    ("analyzer/facts/effect.c", '#include "analyzer/report/finding.h"', False),
    ("analyzer/facts/effect.c", '#include "bench/machine.h"', True),
    ("analyzer/facts/effect.c", '#include "analyzer/number/work.h"', True),
    ("analyzer/facts/pairs.c", '#include "analyzer/polyhedral/iterations.h"', False),
    ("analyzer/polyhedral/iterations.c", '#include "analyzer/tree/ast.h"', True),
    ("analyzer/facts/pairs.c", "#include <isl/set.h>", True),
    ("analyzer/number/predict.c", '#include "bench/machine.h"', False),
    ("analyzer/number/predict.c", '#include "analyzer/rule.h"', True),
    ("analyzer/rule.c", '#include "analyzer/driver.h"', True),
    ("analyzer/driver.c", '#include "analyzer/pass.h"', False),
    ("analyzer/pass.c", '#include "analyzer/options.h"', True),
    ("analyzer/report/finding.h", '#include "bench/kernel.h"', False),
    ("analyzer/report/finding.h", '#include "bench/measure.h"', True),
    ("analyzer/driver.c", '#include "rules/view-per-cell/rule.h"', True),
    ("analyzer/driver.c", '#include "frontends/c/unit.h"', True),
    ("bench/team.c", '#include "analyzer/tree/ast.h"', True),
    ("frontends/c/lower.c", '#include "analyzer/frontend.h"', False),
    ("frontends/c/lower.c", '#include "frontends/python/unit.h"', True),
    ("frontends/c/lower.c", "#include <tree_sitter/api.h>", True),
    ("frontends/c/lower.c", '#include "analyzer/facts/effect.h"', True),
    ("rules/view-per-cell/rule.c", '#include "analyzer/rule.h"', False),
    ("rules/view-per-cell/rule.c", '#include "rules/adjacent-slots/slots.h"', True),
    ("rules/view-per-cell/rule.c", '#  include "analyzer/facts/effect.h"', True),
    ("rules/view-per-cell/cases.c", "strcpy(a, b);", False),
    ("analyzer/base/text.c", "strcpy(a, b);", True),
    ("analyzer/base/text.c", "n = sprintf (a, b);", True),
    ("analyzer/base/text.c", '/* strcpy(a, b) */ x = "gets(a)"; // system(x)', False),
    ("analyzer/base/text.c", "snprintf(a, 3, b); my_system(a);", False),
]


def tries_itself():
    for path, line, refused in PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, path)
            file.parent.mkdir(parents=True)
            file.write_text(f"\n{line}\n", encoding="utf-8")
            found = list(violations(Path(folder)))
            if bool(found) != refused or any(f"{path}:2: " not in message for message in found):
                sys.exit(f"layers: this test is broken: {path}: {line}: {found}")


def main():
    tries_itself()
    found = list(violations(Path.cwd()))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())
