#!/bin/sh
# 'ponglint measure' and 'ponglint calibrate' by hand: what is printed whatever the times are, and what is refused.
set -u
. tests/lib.sh

ponglint measure view-per-cell seconds=0.05 threads=1
expect_status 0 'a rule without a key'
expect out '^view-per-cell: wall ns per piece' 'the head'
expect out '^128  ' 'the kernel is swept by itself'
expect out '^1 thread: .*work' 'a law, or that there is none'

ponglint measure view-per-cell seconds=0.05 threads=1 work=4
expect_status 0 'one value'
grep -q '^1 thread' "$work/out" && fail 'a law from one value'

ponglint measure denormal-decay seconds=0.05 threads=1 work=1,2
expect out '^work ' "what is swept is the user's choice"

ponglint measure view-per-cell seconds=0.05 threads=1024 work=4
expect out 'fewer cores than threads' 'more threads than cores are not run'
ponglint measure view-per-cell wrok=4
expect_status 2 'a key that there is not'
expect err "did you mean 'work'" 'a key that there is not'
ponglint measure view-per-cell work=1,2 events=1,2
expect_status 2 'two keys swept'

ponglint calibrate --fulll
expect_status 2 'an option that there is not'
expect err 'usage: ponglint calibrate' 'an option that there is not'
for text in '{"schema": 99}' '[' '{"schema": 1, "atomic_ns": "fast"}'; do
    echo "$text" >"$work/bad.json"
    ponglint check --isolated --machine "$work/bad.json" corpus/seeds/histogram_rows.c
    expect_status 2 "a profile that is $text"
    expect err "bad.json.*calibrate -o FILE" "a profile that is $text"
done

# The default profile, left there by another processor: told, and not used.
mkdir -p "$work/cache/ponglint"
sed -e 's/"cpu": .*/"cpu": "Another Processor 3000",/' tests/profiles/schema-1.json >"$work/cache/ponglint/machine.json"
XDG_CACHE_HOME=$work/cache ponglint check --measure off --output json --severity note corpus/seeds/histogram_rows.c
expect out 'machine.json' 'a profile of another processor'
expect out '"name": "generic"' 'a profile of another processor'

# One that was committed when the schema was 1 is predicted for, and said.
ponglint check --isolated --measure off --output full --machine tests/profiles/schema-1.json corpus/seeds/histogram_rows.c
expect out 'a profile of schema 1' 'a profile of schema 1'

finish
