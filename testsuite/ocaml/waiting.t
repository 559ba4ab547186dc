#!/bin/sh
# Something waits at the ring file's name: it could be followed, overwritten
# or removed, though it is not ours; or a stale ring of ours could stop the
# recorder.
. "$(dirname "$0")/programs.sh"
build plain
"$tmp/plain.opt" >"$tmp/expected"

# waiting COMMAND: the program, after COMMAND has put something at $ring
waiting() {
  run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 sh -c \
    'ring=$$.eventring; '"$1"'; exec "$0"' "$tmp/plain.$mode"
}
refuses() {
  exits 3 && diff "$tmp/expected" "$tmp/out" &&
    one_line 'not a ring file of this user'
}
accepts() { exits 3 && no_line && shows '  ring_stop  '; }

strangers() {
  fresh; echo precious >target
  waiting 'ln -s target $ring'
  ok "$mode: a symbolic link is refused" refuses
  ok "$mode: its target is untouched" [ "$(cat target)" = precious ]
  ok "$mode: it is still there" [ -L "$(ring)" ]
  fresh; waiting 'ln -s nowhere $ring'
  ok "$mode: a link to nowhere is refused" refuses
  ok "$mode: and not followed" [ ! -e nowhere ]
  fresh; waiting 'mkfifo $ring'
  ok "$mode: a FIFO is refused, without waiting for a reader" refuses
  ok "$mode: the FIFO is still there" [ -p "$(ring)" ]
  fresh; waiting 'mkdir $ring'
  ok "$mode: a directory is refused" refuses
  ok "$mode: the directory is still there" [ -d "$(ring)" ]
  fresh; waiting 'echo precious >$ring'
  ok "$mode: a foreign file is refused" refuses
  ok "$mode: the foreign file is untouched" [ "$(cat "$(ring)")" = precious ]
  fresh; echo precious >target; waiting 'ln target $ring'
  ok "$mode: another name of a foreign file is refused" refuses
  ok "$mode: the file is untouched" [ "$(cat target)" = precious ]
}
both strangers

stale() {
  fresh
  OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 "$tmp/plain.$mode" >/dev/null
  mv -- *.eventring "$tmp/old"
  waiting 'cp '"$tmp"'/old $ring'
  stale=$(ls | grep -v '\.1\.eventring$')
  ok "$mode: a stale ring of the same process id is kept" \
    cmp "$stale" "$tmp/old"
  rm -f "$stale"
  ok "$mode: and the process has a file of its own" accepts
  fresh; waiting ': >$ring'
  ok "$mode: an empty stale file is replaced" accepts
  fresh; ln "$tmp/old" other; cp "$tmp/old" "$tmp/copy"
  waiting 'ln other $ring'
  ok "$mode: a ring that has another name as well is refused" refuses
  ok "$mode: and untouched" cmp "$tmp/old" "$tmp/copy"
  fresh; waiting 'head -c 8 '"$tmp"'/old >$ring'
  ok "$mode: the first half of a magic number is not ours" refuses
}
both stale

# Somebody else's ring, in a directory where anyone may write
others() {
  if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
    skip "$mode: the ring of another user" "cannot become another user"
    return
  fi
  fresh; chmod 1777 .
  waiting 'cp '"$tmp"'/old $ring; chown 65534 $ring'
  ok "$mode: the ring of another user is refused" refuses
  ok "$mode: and untouched" cmp "$(ring)" "$tmp/old"
  fresh; chmod 777 .
  run env OCAML_EVENTRING_START=1 setpriv --reuid 65534 --clear-groups sh -c \
    'echo x >$$.eventring; exec "$0"' "$tmp/plain.$mode"
  ok "$mode: a user's own foreign file is refused as well" refuses
}
both others
finish
