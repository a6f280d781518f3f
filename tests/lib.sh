# shellcheck shell=sh
# For the end-to-end tests: `. tests/lib.sh` in the root of the repository. Sets `work`, a folder that goes away at the
# end, `ponglint`, the built program, and some words to say what is expected.

: "${PONGLINT:?is set by ctest: the path of the built ponglint}"
test_name=$(basename "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
failures=0

skip() {
    echo "$test_name: skipped: $*"
    exit 77
}

fail() {
    echo "$test_name: $*" >&2
    failures=$((failures + 1))
}

# Runs the program; its exit status is in `status`, what it said in $work/out and $work/err.
ponglint() {
    status=0
    "$PONGLINT" "$@" >"$work/out" 2>"$work/err" || status=$?
}

expect_status() {
    [ "$status" -eq "$1" ] && return
    fail "$2: exit status $status, not $1"
    sed 's/^/    /' "$work/out" "$work/err" >&2
}

# A basic regular expression that stands in `out` or `err`.
expect() {
    grep -q -e "$2" "$work/$1" && return
    fail "$3: nothing like '$2' in what it wrote to $1:"
    sed 's/^/    /' "$work/$1" >&2
}

# A C file with one error of the rule missing-reduction, on its line 5.
racy_c() {
    cat >"$1" <<'END'
double racy_sum(const double *a, long n) {
    double s = 0.0;
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}
END
}

# The same in Python, for numba: line 8.
racy_py() {
    cat >"$1" <<'END'
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def racy_histogram(bins, counts):
    for i in prange(bins.shape[0]):
        counts[bins[i]] += 1
END
}

# Makes a store of measurements whose every ratio is RATIO, whatever this machine is like: measures, so that there are
# results for what the rest of the line asks about, and writes them anew. XDG_CACHE_HOME is the store from then on. Fails
# where threads cannot meet, or where something could not be measured.
store_of() {
    ratio=$1
    shift
    XDG_CACHE_HOME=$work/store-$ratio
    export XDG_CACHE_HOME
    for _ in 1 2 3 4 5 6 7 8; do
        ponglint check --machine generic --measure always --measure-budget 5 --output "html:$work/unused.html" "$@"
        ponglint check --machine generic --measure cached --output json "$@"
        python3 - "$work/out" "$XDG_CACHE_HOME/ponglint/measured.json" "$ratio" <<'END' && return
import json, pathlib, sys
findings = json.loads(pathlib.Path(sys.argv[1]).read_text())["findings"]
path, ratio = pathlib.Path(sys.argv[2]), float(sys.argv[3])
store = json.loads(path.read_text()) if path.exists() else {"results": {}}
for result in store["results"].values():
    result.update(ratio=ratio, low=ratio * 0.99, high=ratio * 1.01, contended_ns=20 * ratio, relieved_ns=20.0,
                  trusted=True)
path.exists() and path.write_text(json.dumps(store))
whole = all(f.get("measured", {}).get("slowdown") for f in findings if "predicted" in f)
alone = sum("threads=1 " in key for key in store["results"])
sys.exit(0 if whole and alone else 1)
END
    done
    return 1
}

finish() {
    [ "$failures" -eq 0 ] || exit 1
    exit 0
}
