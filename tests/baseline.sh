#!/bin/sh
# A baseline hides what was there before, and nothing that came later.
set -u
. tests/lib.sh

check() {
    ponglint check --isolated --machine generic --threads 12 --measure off --output concise "$@"
}

cd "$work" || exit 1
racy_c racy.c

check --baseline known.json racy.c
expect_status 2 'a baseline that is not there'
expect err 'update-baseline' 'a baseline that is not there'

check --baseline known.json --update-baseline racy.c
expect_status 0 'writing a baseline'
expect known.json '"missing-reduction"' 'writing a baseline'
if grep -q '"line"' known.json; then fail 'a baseline with line numbers changes all the time'; fi

check --baseline known.json racy.c
expect_status 0 'a known finding'
expect err '1 in the baseline' 'a known finding'

{
    printf 'int more;\n\n'
    sed 's/^ */\t/' racy.c
} >moved.c
mv moved.c racy.c
check --baseline known.json racy.c
expect_status 0 'a known finding that moved'

racy_c again.c
sed 's/racy_sum/racier_sum/' again.c >>racy.c
check --baseline known.json racy.c
expect_status 1 'a new finding'
[ "$(grep -c missing-reduction out)" -eq 1 ] || fail 'the old finding is shown with the new one'

echo '{"schema": 7}' >known.json
check --baseline known.json racy.c
expect_status 2 'a file that is no baseline'
expect err 'no baseline of schema' 'a file that is no baseline'

finish
