#!/bin/sh
# The page of --output html without a browser: what the specification's parser says, that it is closed, and that text of
# analysed files stays text.
set -u
. tests/lib.sh

command -v node >/dev/null || skip 'node is not here'
[ -d node_modules/parse5 ] || skip 'node_modules lacks parse5 (run ./setup)'

page() {
    ponglint check --isolated --machine generic --threads 12 --measure off --output "html:$work/page.html" "$@"
}

expect_page() {
    node tests/html_parse.js "$work/page.html" "$@" || fail "the page of $what is not as it should be"
}

what='no findings'
echo 'int zero;' >"$work/silent.c"
page "$work/silent.c"
expect_status 0 "$what"
expect_page 0 'No findings in 1 file'

what='one finding'
racy_c "$work/racy.c"
page "$work/racy.c"
expect_status 1 "$what"
expect_page 1 '1 finding in 1 file' 'missing-reduction' 'racy.c:5:' 's += a[i];' 'parallel loop over i' \
    'reduction(+:s)' '#pragma omp parallel for reduction(+:s)' 'Time per piece of work over threads' \
    'Not measured at several thread counts, but predicted for generic' 'The curve as a table'

what='the seeds'
page corpus/seeds
expect_status 1 "$what"
count=$(grep -c 'class="finding"' "$work/page.html")
[ "$count" -gt 5 ] || fail "only $count findings"
expect_page "$count" 'corpus/seeds/warping/elastic.py:19' 'calls warp_views' 'let numba inline gap' \
    '@njit(fastmath=True, inline="always")' 'once per cell'

# The same bytes again, and on standard output.
cp "$work/page.html" "$work/first.html"
ponglint check --isolated --machine generic --threads 12 --measure off --jobs 3 --output html corpus/seeds
cmp -s "$work/out" "$work/first.html" || fail 'another run makes another page'
ponglint check --isolated --measure off --output html --output json "$work/silent.c"
expect_status 2 'two programs on one stream'

# Names, paths and lines that would like to be more than text.
what='hostile text'
odd="$work/<img src=x onerror=alert(1)>&quot;\"'&amp;"
mkdir "$odd"
printf '%s\n' 'double sum(const double *a, long n) {' '    double s = 0.0;' '#pragma omp parallel for' \
    '    for (long i = 0; i < n; i++)' \
    '        s += a[i]; /* </code></pre><script>alert(1)</script><b onclick="x()">&lt; --></style><!-- */' \
    '    return s;' '}' >"$odd/a<b>.c"
printf '// \033[31m \302\233 \342\200\256 \377 \357\277\277 \357\267\220 \r\n' >>"$odd/a<b>.c"
sed '$!d' "$odd/a<b>.c" >"$work/last"
sed '$d' "$odd/a<b>.c" | sed '5q' >"$work/head"
cat "$work/last" >>"$work/head"
printf '    return s;\n}\n' >>"$work/head"
cp "$work/head" "$odd/a<b>.c"
page "$odd"
expect_status 1 "$what"
expect_page 1 '<img src=x onerror=alert(1)>&quot;"'"'"'&amp;/a<b>.c:5' \
    '</code></pre><script>alert(1)</script><b onclick="x()">&lt; --></style><!-- */' \
    '\x1b[31m \x9b \u202e \xff \xef\xbf\xbf \xef\xb7\x90'

# A line of a megabyte is shown around its finding.
what='a very long line'
{
    printf 'double sum(const double *a, long n) { double s = 0.0;\n#pragma omp parallel for\n'
    printf 'for (long i = 0; i < n; i++) { /*'
    head -c 1000000 /dev/zero | tr '\0' 'x'
    printf '*/ s += a[i]; }\nreturn s; }\n'
} >"$work/long.c"
page "$work/long.c"
expect_status 1 "$what"
expect_page 1 's += a[i];'
[ "$(wc -c <"$work/page.html")" -lt 60000 ] || fail 'the page holds the whole line'

finish
