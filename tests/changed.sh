#!/bin/sh
# --staged and --diff-base speak about what a change has a part in, and about nothing else.
set -u
. tests/lib.sh

command -v git >/dev/null || skip 'git is not here'
GIT_CONFIG_NOSYSTEM=1
HOME=$work
export GIT_CONFIG_NOSYSTEM HOME
git config --global user.name 'A Tester'
git config --global user.email 'tester@example.org'

check() {
    ponglint check --isolated --machine generic --threads 12 --measure off --output concise "$@"
}

check_staged() {
    check --staged .
}

git init -q "$work/project"
cd "$work/project" || exit 1
check --staged .
expect_status 0 'nothing at all'

racy_c 'old ü.c'
racy_c plain.c
sed '/pragma/d' plain.c >serial.c
git add .
git commit -q -m 'old sins'

check_staged
expect_status 0 'nothing staged'
check .
expect_status 1 'the whole project'

# A finding in a line that is new.
sed 's/racy_sum/newer_sum/' plain.c >>'old ü.c'
check_staged
expect_status 0 'a change that is not staged'
check --diff-base HEAD .
expect_status 1 'a change since HEAD'
expect out 'ü.c:12:' 'a change since HEAD'
[ "$(grep -c missing-reduction "$work/out")" -eq 1 ] || fail 'old findings are shown too'
git add .
check_staged
expect_status 1 'a staged change'
[ "$(grep -c missing-reduction "$work/out")" -eq 1 ] || fail 'old findings are shown beside a staged one'

# A pragma that is new makes an old line race.
cp plain.c serial.c
git add serial.c
check --staged serial.c
expect_status 1 'a staged pragma'

# A file git does not know yet is new as a whole; from a folder below, too.
mkdir sub
racy_c sub/new.c
check --diff-base HEAD sub/new.c
expect_status 1 'an untracked file'
cd sub || exit 1
check --diff-base HEAD ../plain.c
expect_status 0 'an old file seen from below'
check --diff-base HEAD .
expect_status 1 'an untracked file seen from below'

check --diff-base no-such-revision .
expect_status 2 'an unknown revision'
expect err 'no-such-revision' 'an unknown revision'
check --diff-base=--output=x .
expect_status 2 'an option as a revision'

# In the hook of a commit of some paths, what is staged is what that commit will hold.
cd "$work/project" || exit 1
git add . && git commit -q -m 'all of it'
echo 'int more;' >>serial.c
sed 's/racy_sum/newest_sum/' plain.c >>plain.c.new && cat plain.c.new >>plain.c && rm plain.c.new
cat >.git/hooks/pre-commit <<END
exec "$PONGLINT" check --isolated --machine generic --measure off --staged .
END
chmod +x .git/hooks/pre-commit
git commit -q -m 'harmless' serial.c || fail 'a commit of another path was blocked'
if git commit -q -m 'a race' plain.c 2>/dev/null >&2; then fail 'a commit of a racy path went through'; fi

mkdir "$work/outside"
cd "$work/outside" || exit 1
racy_c a.c
check --staged a.c
expect_status 2 'outside a repository'
expect err 'git repository' 'outside a repository'

finish
