"""How slow a pair really is, what ponglint says about it, and how far the two are apart."""

import json
import os
import statistics
import subprocess

from pairs import HERE, environment

FEWEST_CLEAN, ROUNDS = 5, 9


def quantile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def real_ratio(seen):
    """{'real', 'low', 'high', 'disturbed'} of one answer of a host: time of the slow form over that of the fixed one, from
    the medians of the rounds in which no core was taken away (the lower quartiles of all, where there are too few), with
    the quartiles of the ratio."""
    rounds = list(zip(seen["slow_ns"], seen["fixed_ns"], seen["clean"]))
    clean = [(slow, fixed) for slow, fixed, is_clean in rounds if is_clean]
    disturbed = len(clean) < FEWEST_CLEAN
    part = 0.25 if disturbed else 0.5
    used = [(slow, fixed) for slow, fixed, _ in rounds] if disturbed else clean
    ratios = [slow / fixed for slow, fixed in used]
    slow, fixed = (quantile([pair[form] for pair in used], part) for form in (0, 1))
    return {"real": slow / fixed, "low": quantile(ratios, 0.25), "high": quantile(ratios, 0.75), "disturbed": disturbed,
            "slow_ms": slow / 1e6, "fixed_ms": fixed / 1e6}


def run_c(pair, binary, turns, seconds):
    """Yields (threads, answer of host.c) for each thread count in `turns`. The process may use as many cores as it has
    threads, and no others."""
    for threads in turns:
        cores = sorted(os.sched_getaffinity(0))[:threads]
        done = subprocess.run([str(binary), str(threads), str(seconds), str(ROUNDS)], env=environment(pair, threads),
                              capture_output=True, text=True, check=True, timeout=120,
                              preexec_fn=lambda cores=cores: os.sched_setaffinity(0, cores))
        yield threads, json.loads(done.stdout)


def run_numba(python, pair, turns, seconds):
    """Yields (threads, answer of host.py) for each thread count in `turns`; the answer holds 'error' where the pair failed.
    Each pair has a process of its own: what an earlier one left in the allocator (where glibc maps, what it trims) decides
    whether pages are fresh. The process waits while its caller looks at an answer."""
    command = [python, str(HERE / "host.py"), str(seconds), str(ROUNDS), ",".join(map(str, turns)), str(pair.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as host:
        for answer in map(json.loads, host.stdout):
            yield answer.get("threads"), answer
            if host.poll() is None:
                host.stdin.write("go on\n")
                host.stdin.flush()


def findings_of(asked, pair, threads):
    """The findings of the pair's rule (of any rule, for silence) on its slow program, by the command `asked`."""
    select = ["--select", pair.rule] if pair.rule else []
    for size in pair.assume:
        select += ["--assume", size]
    command = [*asked, "--isolated", "--severity", "note", "--fail-on", "never", "--quiet", "--output", "json", "--measure", "always",
               "--threads", str(threads), *select, str(pair.slow)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)["findings"]


def together(slowdowns):
    """What findings side by side in one loop cost together: their extra times add up."""
    return max(min(slowdowns, default=1), 1 + sum(slowdown - 1 for slowdown in slowdowns))


def verdict_of(findings):
    verdicts = [finding["measured"]["verdict"] for finding in findings if "measured" in finding]
    if "confirmed" in verdicts:
        return "confirmed"
    return "refuted" if verdicts and set(verdicts) == {"refuted"} else "inconclusive" if verdicts else ""


def ask(asked, pair, threads):
    """What ponglint says: predicted and measured slowdown of all findings of the rule together. Silence predicts 1."""
    findings = findings_of(asked, pair, threads)
    predicted = [finding["predicted"]["slowdown"] for finding in findings if "predicted" in finding]
    measured = [finding["measured"] for finding in findings if "measured" in finding]
    answer = {"findings": len(findings), "predicted": together(predicted), "measured": None,
              "verdict": verdict_of(findings)}
    if measured:
        answer.update({"measured": together([one["slowdown"] for one in measured]),
                       "measured_low": together([one["low"] for one in measured]),
                       "measured_high": together([one["high"] for one in measured])})
    return answer


def pooled(turns):
    """The answers of a host in several turns as one: the rounds of all."""
    return {name: [value for seen in turns for value in seen[name]] for name in ("slow_ns", "fixed_ns", "clean")}


def point(threads, turns):
    """One line of a pair's curve over threads. `turns` holds (answer of a host, what ponglint said in the same second),
    taken one after the other: the rounds of all turns give the real ratio, and of what ponglint said the middle one counts."""
    said = sorted((one for _, one in turns), key=lambda one: one["measured"] or 0)
    return {"threads": threads, **real_ratio(pooled([seen for seen, _ in turns])), **said[len(said) // 2]}


def factor(one, other):
    """By what factor two ratios differ, 1 or more; None where one is not known."""
    if one is None or other is None:
        return None
    return max(one / other, other / one)


def record(pair, curve):
    """A pair as it stands in the JSON: the figures of the largest thread count, and the curve."""
    last = curve[-1]
    return {"name": pair.name, "language": pair.language, "compiler": pair.compiler or None,
            "rule": pair.rule or "silence", "claim": pair.claim, **last,
            "measured_factor": factor(last["measured"], last["real"]),
            "predicted_factor": factor(last["predicted"], last["real"]), "curve": curve}


def summary(records):
    result = {"pairs": len(records)}
    for kind in ("measured", "predicted"):
        factors = [record[f"{kind}_factor"] for record in records if record[f"{kind}_factor"] is not None]
        result[f"{kind}_pairs"] = len(factors)
        result[f"{kind}_median_factor"] = round(statistics.median(factors), 3) if factors else None
        result[f"{kind}_p90_factor"] = round(quantile(factors, 0.9), 3) if factors else None
    result["confirmed_below_1.05"] = [record["name"] for record in records
                                      if record["verdict"] == "confirmed" and record["real"] < 1.05]
    result["refuted_above_1.5"] = [record["name"] for record in records
                                   if record["verdict"] == "refuted" and record["real"] > 1.5]
    return result
