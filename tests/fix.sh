#!/bin/sh
# --fix changes the file so that the finding is gone, --diff prints what it would change and writes nothing.
set -u
. tests/lib.sh

check() {
    ponglint check --isolated --machine generic --threads 12 --measure off --output concise "$@"
}

cd "$work" || exit 1
racy_c racy.c
chmod 755 racy.c
cp racy.c before.c
ln -s racy.c link.c

check --diff racy.c
expect_status 1 'a patch'
cmp -s racy.c before.c || fail '--diff wrote the file'
mkdir patched
cp before.c patched/racy.c
(cd patched && git apply ../out) || fail 'the patch does not apply'

check --fix link.c
expect_status 0 'after the fix'
expect err '1 finding fixed' 'after the fix'
cmp -s racy.c patched/racy.c || fail 'the fix and the patch differ'
grep -q 'parallel for.*reduction(+: *s)' racy.c || fail 'no reduction clause was added'
[ -L link.c ] || fail 'the link became a file'
[ -x racy.c ] || fail 'the mode bits were lost'

check --fix racy.c
expect_status 0 'a second time'
expect err '0 findings fixed' 'a second time'
check --diff racy.c
expect_status 0 'nothing to fix'
[ -s out ] && fail 'an empty patch is not empty'

finish
