#!/usr/bin/env python3
"""Measuring at a terminal: a bar with the remaining time, and Ctrl-C, which ends it cleanly and keeps what was measured.

The terminal is a pty; nothing here depends on how long something takes, but for a run of minutes not being over before
its first seconds are.
"""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

PONGLINT = os.environ["PONGLINT"]
PATHS = ["corpus/seeds", "rules/view-per-cell/cases.py", "rules/adjacent-slots/cases.c"]
BAR = re.compile(rb"measuring [^\r\n]*?(\d+) of (\d+), (\d+ min )?\d+ s left")
ENOUGH = 4  # measurements before Ctrl-C: one that was disturbed throughout leaves no result
SKIPPED = 77


class Run:
    """A check whose standard error is a terminal and whose standard output is a file."""

    def __init__(self, folder, *options, **environment):
        self.store = Path(folder, "cache", "ponglint", "measured.json")
        self.out = Path(folder, "out.json")
        self.said = b""
        self.terminal, other = pty.openpty()
        env = {**os.environ, "XDG_CACHE_HOME": str(Path(folder, "cache")), "TERM": "xterm", **environment}
        command = [PONGLINT, "check", "--machine", "generic", "--threads", "2", "--measure", "always",
                   "--measure-budget", "600", "--output", f"json:{self.out}", "--output",
                   f"html:{Path(folder, 'out.html')}", *options, *PATHS]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=other, env=env,
                                        start_new_session=True)
        os.close(other)

    def read(self):
        """More of what it says; False at the end."""
        try:
            piece = os.read(self.terminal, 4096) if select.select([self.terminal], [], [], 240)[0] else b""
        except OSError:  # the other side is closed
            piece = b""
        self.said += piece
        return bool(piece)

    def read_until(self, done):
        while self.read():
            seen = BAR.findall(self.said)
            if seen and int(seen[-1][0]) >= done:
                return True
        return False

    def end(self):
        while self.read():
            pass
        os.close(self.terminal)
        return self.process.wait(240)


def need(holds, what, run):
    if not holds:
        run.process.kill()
        sys.exit(f"interrupt: {what}; it said {run.said!r}")


def check_kept(run, status, wanted):
    need(status == wanted, f"exit status {status}, not {wanted}", run)
    report = json.loads(run.out.read_text())
    need(len(report["findings"]) > 20, "findings are missing", run)
    need(any("interrupted" in note["message"] for note in report["notifications"]), "it does not say so", run)
    measured = [f for f in report["findings"] if f.get("measured", {}).get("slowdown")]
    need(0 < len(measured) < len(report["findings"]), "not some, but all or none are measured", run)
    need(run.out.with_suffix(".html").read_text().endswith("</html>\n"), "the page is cut off", run)
    store = json.loads(run.store.read_text())
    need(store["schema"] == 1 and store["results"], "the store is empty", run)
    for result in store["results"].values():
        need(result["low"] <= result["ratio"] <= result["high"], f"a broken result: {result}", run)
    need([p.name for p in run.store.parent.iterdir()] == ["measured.json"], "drafts are left behind", run)
    *_, last = BAR.finditer(run.said)
    need(run.said[last.end():].startswith(b"\r\x1b[K"), "the line is not cleared", run)


def ctrl_c_keeps_what_was_measured():
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(folder)
            need(run.read_until(ENOUGH), "no bar", run)
            os.kill(run.process.pid, number)
            check_kept(run, run.end(), status)


def what_was_kept_is_used():
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder, NO_COLOR="1")
        need(run.read_until(ENOUGH), "no bar", run)
        need(not re.search(rb"\x1b\[[0-9;]*m", run.said), "colours in spite of NO_COLOR", run)
        os.kill(run.process.pid, signal.SIGINT)
        need(run.end() == 130, "exit status", run)
        kept = len(json.loads(run.store.read_text())["results"])
        again = subprocess.run(
            [PONGLINT, "check", "--machine", "generic", "--threads", "2", "--measure", "cached", "--output", "json",
             *PATHS], env={**os.environ, "XDG_CACHE_HOME": str(Path(folder, "cache"))}, capture_output=True, check=False)
        findings = json.loads(again.stdout)["findings"]
        used = [f for f in findings if "measured" in f]
        need(kept > 0 and used, "a later run finds nothing in the store", run)


def no_bar_where_it_cannot_be_drawn():
    for environment, options in (({"TERM": "dumb"}, []), ({}, ["--quiet"])):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(folder, "--measure-budget", "2", "--measure", "auto", *options, **environment)
            run.end()
            need(b"measuring" not in run.said and b"\x1b[K" not in run.said, f"a bar with {environment} {options}", run)


def main():
    cores = len(os.sched_getaffinity(0))
    if cores < 2:
        print("interrupt: skipped: threads cannot meet on one core")
        return SKIPPED
    probe = subprocess.run([PONGLINT, "check", "--isolated", "--measure", "always", "--threads", "2", "--output", "json",
                            "corpus/seeds/warping"], capture_output=True, check=False)
    if not any(f.get("measured", {}).get("slowdown") for f in json.loads(probe.stdout)["findings"]):
        print("interrupt: skipped: nothing can be measured here")
        return SKIPPED
    ctrl_c_keeps_what_was_measured()
    what_was_kept_is_used()
    no_bar_where_it_cannot_be_drawn()
    return 0


sys.exit(main())
