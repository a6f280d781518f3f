#!/bin/sh
# The page of --output html in a browser: filters, keyboard, no console message, no request, no overflow on a phone, and
# what axe-core finds, in both colour schemes. `./setup --with-browser` installs what it needs.
set -u
. tests/lib.sh

command -v node >/dev/null || skip 'node is not here'
for package in playwright-core axe-core; do
    [ -d "node_modules/$package" ] || skip "node_modules lacks $package (run ./setup)"
done
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip 'chromium is not here (run ./setup --with-browser)'

page() {
    name=$1
    shift
    ponglint check --machine generic --output "html:$work/$name.html" "$@"
    [ "$status" -le 1 ] || expect_status 1 "$name"
}

echo 'int zero;' >"$work/silent.c"
page empty --isolated --measure off "$work/silent.c"

# One finding, under a name that is longer than a phone is wide.
deep=$work/a_folder_with_quite_a_long_name/and_another_one_inside_it_that_is_longer_still/a.b.c.d
mkdir -p "$deep"
racy_c "$deep/an_extraordinarily_long_file_name_without_any_place_to_break_it_0123456789.c"
page one --isolated --measure off "$work/a_folder_with_quite_a_long_name"

page many --isolated --measure off --severity note corpus/seeds rules/view-per-cell/cases.py
[ "$(grep -c 'class="finding"' "$work/many.html")" -ge 60 ] || fail 'too few findings for a long page'

# Measured curves and refuted findings, where threads can meet.
pages=$work/many.html
if store_of 0.99 --threads 2 corpus/seeds/warping; then
    page refuted --measure cached --threads 2 corpus/seeds/warping
    grep -q 'refuted by a measurement here' "$work/refuted.html" || fail 'no refuted finding on the page'
    pages="$pages $work/refuted.html"
fi
if store_of 2.5 --threads 2 corpus/seeds/warping; then
    page measured --measure cached --threads 2 corpus/seeds/warping
    grep -q 'Measured here at 1 and 2 threads' "$work/measured.html" || fail 'no measured curve on the page'
    pages="$pages $work/measured.html"
fi

# shellcheck disable=SC2086 # the list is meant to be split
node tests/html_browser.js "$browser" "$work/empty.html" "$work/one.html" $pages || fail 'the pages are not as they should be'

finish
