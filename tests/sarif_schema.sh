#!/bin/sh
# The SARIF of corpus/seeds and of an empty run follows the 2.1.0 schema, and holds what code scanning asks for.
set -u
. tests/lib.sh

command -v node >/dev/null || skip 'node is not here'
for package in ajv ajv-formats @microsoft/sarif-multitool-linux; do
    [ -d "node_modules/$package" ] || skip "node_modules lacks $package (run ./setup)"
done

validate() {
    node tests/sarif_schema.js "$1" || fail "$2: not valid"
}

ponglint check --isolated --machine generic --threads 12 --measure off --output "sarif:$work/seeds.sarif" corpus/seeds
[ "$status" -le 1 ] || expect_status 1 'corpus/seeds'
validate "$work/seeds.sarif" corpus/seeds

ponglint check --isolated --machine generic --measure off --severity note --output sarif corpus/seeds
cp "$work/out" "$work/notes.sarif"
validate "$work/notes.sarif" 'corpus/seeds with notes'

echo 'int zero;' >"$work/silent.c"
ponglint check --isolated --machine generic --measure off --output sarif "$work/silent.c"
expect_status 0 'no findings'
cp "$work/out" "$work/silent.sarif"
validate "$work/silent.sarif" 'no findings'

# Text of the linted files must not break out of its strings.
racy_c "$work/odd \"name\" %41 & <b>.c"
ponglint check --isolated --machine generic --measure off --output sarif "$work/odd \"name\" %41 & <b>.c"
expect_status 1 'an odd file name'
cp "$work/out" "$work/odd.sarif"
validate "$work/odd.sarif" 'an odd file name'

finish
