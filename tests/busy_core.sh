#!/bin/sh
# When another process keeps a core busy, a measurement is inconclusive, whatever it saw.
set -u
. tests/lib.sh

command -v taskset >/dev/null || skip 'there is no taskset here'
[ "$(nproc)" -ge 2 ] || skip 'threads cannot meet on one core'
[ -r /proc/stat ] || skip 'the system does not tell how busy its cores are'

spinners=
for core in $(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)))'); do
    taskset -c "$core" sh -c 'while :; do :; done' &
    spinners="$spinners $!"
done
# shellcheck disable=SC2086 # several numbers
trap 'kill $spinners 2>/dev/null; rm -rf "$work"' EXIT

ponglint check --isolated --measure always --threads 2 --output json corpus/seeds
python3 - "$work/out" <<'END' || fail 'a verdict while other processes kept the cores busy'
import json, sys
measured = [f["measured"] for f in json.load(open(sys.argv[1]))["findings"] if f.get("measured", {}).get("slowdown")]
told = [m for m in measured if m["verdict"] != "inconclusive"]
print(len(measured), "measured,", told)
sys.exit(bool(told))
END

finish
