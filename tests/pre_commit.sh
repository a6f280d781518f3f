#!/bin/sh
# The hook blocks a real commit, with the pre-commit that is installed, and lets a clean one through. Works without a
# network: the hook's repository is this one, by path.
set -u
. tests/lib.sh

command -v pre-commit >/dev/null || skip 'pre-commit is not here'
command -v git >/dev/null || skip 'git is not here'

PATH=$(dirname "$PONGLINT"):$PATH
HOME=$work/home
PRE_COMMIT_HOME=$work/cache
GIT_CONFIG_NOSYSTEM=1
export PATH HOME PRE_COMMIT_HOME GIT_CONFIG_NOSYSTEM
mkdir "$HOME"
git config --global user.name 'A Tester'
git config --global user.email 'tester@example.org'
git config --global init.defaultBranch main

pre-commit validate-manifest .pre-commit-hooks.yaml || fail 'the manifest is not valid'

# A repository that holds the hook, as pre-commit clones it.
hooks=$work/hooks
git init -q "$hooks"
cp .pre-commit-hooks.yaml "$hooks"
git -C "$hooks" add .
git -C "$hooks" commit -q -m 'the hook'
revision=$(git -C "$hooks" rev-parse HEAD)

project=$work/project
git init -q "$project"
cd "$project" || exit 1
cat >.pre-commit-config.yaml <<END
repos:
  - repo: $hooks
    rev: $revision
    hooks:
      - id: ponglint
        args: [--isolated, --machine, generic]
END
git add .
git commit -q -m 'configuration'
pre-commit install >/dev/null || fail 'pre-commit install'

racy_c racy.c
git add racy.c
if git commit -q -m 'a race' >"$work/out" 2>&1; then
    fail 'a commit with a race went through'
fi
expect out 'racy.c:5:.*missing-reduction' 'a commit with a race'

sed 's/parallel for/parallel for reduction(+:s)/' racy.c >fixed.c
mv fixed.c racy.c
git add racy.c
git commit -q -m 'a reduction' >"$work/out" 2>&1 || {
    fail 'a clean commit was blocked'
    cat "$work/out" >&2
}

echo 'words' >notes.txt
git add notes.txt
git commit -q -m 'no source' >"$work/out" 2>&1 || fail 'a commit without sources was blocked'

finish
