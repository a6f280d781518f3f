#!/bin/sh
# What a measurement refutes is a note with its numbers in every output, is counted, and never fails a build; what was
# asked about more threads than there are cores is predicted and not measured.
set -u
. tests/lib.sh

# A finding that is a matter of time (shared-atomic, an error by its prediction), and one that makes results wrong.
cat >"$work/two.c" <<'END'
#include <stdatomic.h>
atomic_long next;
long sum(const long *a, long *b, long n) {
    long s = 0;
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        b[i] = a[i] + atomic_fetch_add(&next, 1);
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}
END
sed -e '/parallel for/{' -e 'x' -e 's/^/x/' -e '/xx/{' -e 'x' -e 's/$/ reduction(+:s)/' -e 'x' -e '}' -e 'x' -e '}' \
    "$work/two.c" >"$work/slow.c"

check() {
    ponglint check --machine generic --threads 2 --measure cached --select shared-atomic,missing-reduction "$@"
}

field() {
    python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
finding = next((f for f in report["findings"] if f["rule"] == sys.argv[2]), {})
print(finding.get("severity"), finding.get("measured", {}).get("verdict"), report["summary"]["findings"],
      report["summary"]["refuted"])' "$work/out" "$1"
}

store_of 0.99 --threads 2 --select shared-atomic,missing-reduction "$work/two.c" || skip 'nothing can be measured here'

check --output json "$work/slow.c"
expect_status 0 'a refuted finding'
[ "$(field shared-atomic)" = 'note refuted 1 1' ] || fail "json: $(field shared-atomic)"
check --output full --fail-on note "$work/slow.c"
expect_status 0 'a refuted finding with --fail-on note'
expect out 'note\[shared-atomic\]' full
expect out 'predicted .*x at 2 threads (generic); measured 0.99x \[0.98, 1.00\] at 2 threads here: refuted' full
expect err '1 finding (1 note) in 1 file; 1 refuted' 'the summary'
check --output concise "$work/slow.c"
expect out 'note: .*\[shared-atomic\] (predicted .*x, measured 0.99x, refuted)' concise
check --output github "$work/slow.c"
expect out '^::notice .*shared-atomic::.*measured 0.99x .*: refuted' github
check --output sarif "$work/slow.c"
expect_status 0 'SARIF of a refuted finding'
expect out '"level": "note"' sarif
expect out 'measured 0.99x \[0.98, 1.00\] at 2 threads here: refuted' sarif
expect out '"verdict": "refuted"' sarif
check --output html "$work/slow.c"
expect out 'severity note">note</span> refuted by a measurement here' html
expect out '<td class="slowdown">0.99×</td><td>0.98–1.00</td><td>2</td><td>here</td>' html
expect out '<dt>refuted here</dt><dd>1</dd>' html

# Neither a baseline nor --fix takes it up.
check --baseline "$work/base.json" --update-baseline "$work/slow.c"
[ "$(grep -c fingerprint "$work/base.json")" -eq 0 ] || fail 'a refuted finding in the baseline'

# A time cannot refute that a result is wrong.
check --output json "$work/two.c"
expect_status 1 'a race that costs no time'
[ "$(field missing-reduction)" = 'error inconclusive 2 1' ] || fail "a race: $(field missing-reduction)"
check --output full "$work/two.c"
expect out 'inconclusive (no time is lost here; the results can be wrong all the same)' 'a race that costs no time'

# More threads than any machine of ours has cores: asked about by the user, nothing is measured, shown or run for it.
for format in full concise json sarif github html; do
    ponglint check --machine generic --threads 1024 --measure always --select shared-atomic,missing-reduction \
        --output "$format" --quiet "$work/two.c"
    expect_status 1 "1024 threads, $format"
    # Not the pages of the rules, which SARIF holds, nor the words of the page that stand beside every number.
    sed -e '/"markdown"/d' -e '/<style>/,/<\/style>/d' -e '/<script>/,/<\/script>/d' -e 's/[Nn]ot measured//g' \
        -e 's/predicted and measured//' "$work/out" >"$work/said"
    grep -q -i 'measured\|confirmed\|inconclusive' "$work/said" && [ "$(nproc)" -lt 1024 ] &&
        fail "$format speaks of a measurement: $(grep -i -m 1 'measured\|confirmed\|inconclusive' "$work/said" | head -c 300)"
    grep -q 1024 "$work/said" || [ "$format" = concise ] || fail "$format does not say what was predicted"
done

finish
