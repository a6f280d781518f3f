#!/bin/sh
# Input that cannot be read as it should: a clear message, the exit status of the manual, nothing else lost.
set -u
. tests/lib.sh

check() {
    ponglint check --isolated --machine generic --measure off --output concise "$@"
}

mkdir "$work/in"
cd "$work/in" || exit 1

racy_c racy.c
check racy.c
expect_status 1 'a finding'
expect out 'racy.c:5:.*missing-reduction' 'a finding'

racy_py racy.py
check racy.py
expect_status 1 'a finding in Python'
expect out 'racy.py:8:.*missing-reduction' 'a finding in Python'

# A header that is nowhere: the file is read all the same, and what was missing is said.
{
    echo '#include "nowhere_to_be_found.h"'
    cat racy.c
} >header.c
check header.c
expect_status 1 'a missing header'
expect out 'header.c:6:.*missing-reduction' 'a missing header'
cat "$work/out" >>"$work/err"
expect err 'nowhere_to_be_found\.h' 'a missing header'

# Python that does not parse: exit status 2, and what stands outside the broken function is still looked at.
{
    cat racy.py
    printf '\n\ndef broken(:\n    return (\n'
} >syntax.py
check syntax.py
expect_status 2 'a syntax error'
cat "$work/out" >>"$work/err"
expect err 'syntax\.py' 'a syntax error'
expect out 'syntax.py:8:.*missing-reduction' 'beside a syntax error'

# A C file that would take for ever, by its macros or by a header that never comes: it is told, and the rest goes on.
mkdir endless
racy_c endless/racy.c
{
    echo '#define E0'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
        e="E$((i - 1))"
        echo "#define E$i $e $e $e $e $e $e $e $e"
    done
    echo E13
} >endless/macros.c
check --file-limit 0.5 --jobs 1 endless
expect_status 2 'an endless file'
expect out 'endless/racy.c:5:.*missing-reduction' 'beside an endless file'
cat "$work/out" >>"$work/err"
expect err 'endless/macros\.c: clang took longer than 0\.5 s.*--file-limit.*not analysed' 'an endless file'
mkdir pipe
racy_c pipe/racy.c
mkfifo pipe/never.h
echo '#include "never.h"' >pipe/waits.c
check --file-limit 0.2 --jobs 1 pipe
expect_status 2 'a header that never comes'
expect out 'pipe/racy.c:5:.*missing-reduction' 'beside a header that never comes'
cat "$work/out" >>"$work/err"
expect err 'pipe/waits\.c: clang took longer' 'a header that never comes'

: >empty.c
: >empty.py
check empty.c empty.py
expect_status 0 'empty files'
ponglint check --isolated --machine generic --measure off --output json empty.c empty.py
expect out '"files": *2' 'empty files'

mkdir barren
echo 'nothing to lint' >barren/notes.txt
check barren
expect_status 0 'a folder without sources'
cat "$work/out" >>"$work/err"
expect err 'barren' 'a folder without sources'

check no/such/path.c
expect_status 2 'a path that does not exist'
expect err 'no/such/path\.c' 'a path that does not exist'

# Bytes that are not UTF-8, a NUL, a file that is no text at all: no crash.
printf 'x = "\377\376"\nint\000 main(void) { return 0; }\n' >bytes.c
cp bytes.c bytes.py
head -c 20000 "$PONGLINT" >binary.c
cp binary.c binary.py
check bytes.c bytes.py binary.c binary.py
[ "$status" -le 2 ] || fail "broken bytes: exit status $status"

# Nesting deeper than any stack that a recursion would have.
{
    printf 'x = '
    head -c 200000 /dev/zero | tr '\0' '('
    echo
} >deep.py
{
    printf 'int x = '
    head -c 200000 /dev/zero | tr '\0' '('
    echo ';'
} >deep.c
check deep.py deep.c
[ "$status" -le 2 ] || fail "deep nesting: exit status $status"

# One bad file never costs the findings of the others.
check racy.c racy.py syntax.py header.c empty.c barren no/such/path.c bytes.py deep.py
expect_status 2 'good files among bad ones'
expect out 'racy.c:5:.*missing-reduction' 'good files among bad ones'
expect out 'racy.py:8:.*missing-reduction' 'good files among bad ones'
expect out 'header.c:6:.*missing-reduction' 'good files among bad ones'

check --no-such-option racy.c
expect_status 2 'an unknown option'
expect err 'no-such-option' 'an unknown option'

check --select no-such-rule racy.c
expect_status 2 'an unknown rule'
expect err 'no-such-rule' 'an unknown rule'

ponglint check
expect_status 2 'no path at all'

finish
