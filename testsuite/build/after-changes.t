#!/bin/sh
# testsuite/unchanged: make check leaves out a test although something of it has changed.
# Needs no OCaml.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1
mkdir -p repo/testsuite/build repo/upstream repo/runtime
cp "$top/testsuite/unchanged" repo/testsuite/
cd repo || exit 1
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.example \
  GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.example
touch upstream/graft runtime/a.c runtime/a.h testsuite/build/graft.t testsuite/build/run.t
cat >testsuite/after-changes <<'END'
# test         files
build/graft.t  upstream
build/run.t    runtime/*.c
END
commit() { git add . && git commit -qm "$1" || exit 1; }
git init -q . && commit one

# prints TEST...: these are left out
prints() { [ "$status" = 0 ] && printf '%s\n' "$@" | grep . | diff - "$tmp/out"; }
unchanged() { run testsuite/unchanged "${1:-HEAD}"; }

unchanged
ok "tests of which nothing has changed are left out" prints build/graft.t build/run.t
echo x >upstream/graft
unchanged
ok "a file of a folder is changed: its test runs" prints build/run.t
commit two
unchanged HEAD~1
ok "it was changed by a commit: its test runs" prints build/run.t
unchanged
ok "the commit was earlier: it is left out" prints build/graft.t build/run.t
echo x >testsuite/build/graft.t
unchanged
ok "a test is changed: it runs" prints build/run.t
commit three
echo x >runtime/a.h
unchanged
ok "a file that no pattern has is changed: it is left out" \
  prints build/graft.t build/run.t
rm runtime/a.c
unchanged
ok "a file of a pattern is gone: its test runs" prints build/graft.t
git checkout -q runtime/a.c
touch upstream/new
unchanged
ok "a file is new in a folder: its test runs" prints build/run.t
rm upstream/new
run testsuite/unchanged
ok "without 50 commits all run" prints
echo 'build/graft.t  upstrea' >>testsuite/after-changes
unchanged
missing() { [ "$status" = 1 ] && says upstrea "did not match"; }
ok "a file that is not there is an error" missing
finish
