#!/bin/sh
# Whole outputs over the files of tests/golden, compared byte by byte. UPDATE_GOLDEN=1 writes them anew: look at the
# difference before you commit it.
set -u
. tests/lib.sh

cd tests/golden || exit 1

run() {
    ponglint check --isolated --machine generic --threads 12 --measure off "$@" .
}

run --output "full:$work/full.txt" --output "concise:$work/concise.txt" --output "json:$work/report.json" \
    --output "sarif:$work/report.sarif" --output "github:$work/github.txt"
expect_status 1 'the golden files'
cp "$work/err" "$work/stderr.txt"

for name in full.txt concise.txt report.json report.sarif github.txt stderr.txt; do
    if [ "${UPDATE_GOLDEN:-0}" = 1 ]; then
        cp "$work/$name" "expected/$name"
    elif ! diff -u "expected/$name" "$work/$name"; then
        fail "$name is not as it was (UPDATE_GOLDEN=1 takes it over)"
    fi
done

# The same bytes whatever the number of jobs, and however the paths are named.
for jobs in 1 2 7; do
    run --jobs "$jobs" --output json
    cmp -s "$work/out" "$work/report.json" || fail "--jobs $jobs gives another report"
done
ponglint check --isolated --machine generic --threads 12 --measure off --output json views.py ./sum.c
cmp -s "$work/out" "$work/report.json" || fail 'paths in another order give another report'

# Standard input under a name is the file of that name.
ponglint check --isolated --machine generic --threads 12 --measure off --output json views.py
cp "$work/out" "$work/named.json"
"$PONGLINT" check --isolated --machine generic --threads 12 --measure off --output json --stdin-filename views.py - \
    <views.py >"$work/piped.json" 2>"$work/err"
cmp -s "$work/piped.json" "$work/named.json" || fail 'standard input gives another report than the file'

finish
