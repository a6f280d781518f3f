#!/bin/sh
# No invalid access, no uninitialised read, no leak, over every rule's cases and the seeds. (The sanitizers see other
# faults, and not inside libclang.)
set -u
. tests/lib.sh

command -v valgrind >/dev/null || skip 'valgrind is not here'

# All in one run: starting the program under valgrind takes longer than the files do. Exit status 0 to 2 is ponglint's own;
# 99 is valgrind's.
valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect \
    --suppressions=tests/valgrind.supp --fair-sched=yes \
    "$PONGLINT" check --isolated --machine generic --measure off --jobs 2 --output json rules corpus/seeds \
    >"$work/out" 2>"$work/err"
status=$?
if [ "$status" -gt 2 ]; then
    fail "exit status $status"
    head -60 "$work/err" >&2
fi

finish
