#!/bin/sh
# bench/loops_seen counts directives in the text as they stand, through macros and in included files, leaves out what is
# no directive, and sees a loop that ponglint does not.
set -u
. tests/lib.sh

mkdir -p "$work/tree/src" "$work/empty"
cat >"$work/tree/src/each.h" <<'END'
#define PRAGMA(x) _Pragma(#x)
#define EACH PRAGMA(omp parallel for)
#define EACH_OF(i, n) EACH for (long i = 0; i < n; i++)
END
cat >"$work/tree/src/rows.c" <<'END'
#include "each.h"
void rows(double *a, long n) {
    /* #pragma omp for */
    const char *word = "EACH";
#pragma omp parallel \
    for schedule(static)
    for (long i = 0; i < n; i++)
        a[i] = word[0];
    EACH_OF(i, n) a[i] += 1;
#if 0
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        a[i] = 2;
#endif
#pragma omp parallel
    {
        _Pragma("omp for") for (long i = 0; i < n; i++) a[i] += 3;
    }
}
END

count() {
    status=0
    python3 bench/loops_seen --ponglint "$PONGLINT" "$@" >"$work/out" 2>"$work/err" || status=$?
}

count --min-share 1 "$work/tree"
expect_status 0 "all loops seen"
expect out '^together: 3/3 100.0 % (pragmas 2/2 100.0 %, macros 1/1 100.0 %)$' "all loops seen"

cat >"$work/tree/lost.c" <<'END'
void lost(double *a) {
#pragma omp parallel for
    a[0] = 1;
}
END
count --list "$work/tree"
expect_status 0 "a directive without a loop"
expect out '^tree: 3/4 75.0 %' "a directive without a loop"
expect out '^  lost.c:2$' "a directive without a loop"
count --min-share 0.9 "$work/tree"
expect_status 1 "a share below the least"

count "$work/empty"
expect_status 2 "a folder without directives"
count "$work/nothing"
expect_status 2 "no folder"
status=0
python3 bench/loops_seen --ponglint "$work/none" "$work/tree" >"$work/out" 2>"$work/err" || status=$?
expect_status 2 "no program"

finish
