#!/bin/sh
# No invalid access, no uninitialised read, no leak, over every rule's cases and the seeds. (The sanitizers see other
# faults, and not inside libclang.)
set -u
. tests/lib.sh

command -v valgrind >/dev/null || skip 'valgrind is not here'

# Exit status 0 to 2 is ponglint's own; 99 is valgrind's.
for path in rules/*/cases.c rules/*/cases.py corpus/seeds; do
    [ -e "$path" ] || continue
    valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect \
        --suppressions=tests/valgrind.supp --fair-sched=yes \
        "$PONGLINT" check --isolated --machine generic --measure off --jobs 2 --output json "$path" \
        >"$work/out" 2>"$work/err"
    status=$?
    if [ "$status" -gt 2 ]; then
        fail "$path: exit status $status"
        head -60 "$work/err" >&2
    fi
done

finish
