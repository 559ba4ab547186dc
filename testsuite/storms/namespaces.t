#!/bin/sh
# Processes with the same process id, in other pid namespaces or one after the
# other: one could remove or take over the ring file of another one, or their
# crash files could fill the disk.
. "$(dirname "$0")/storms.sh"
build resident unix
isolated() { unshare --pid --fork --mount-proc "$@"; }
isolated true 2>/dev/null || {
  echo "1..0 # SKIP no rights to make pid namespaces"
  exit
}

# resident NUMBER [FILE]: runs resident as process 1 of a namespace of its own
resident() {
  isolated env $START=1 "$tmp/resident.$mode" "$@" \
    >"$tmp/out.$1" 2>"$tmp/err.$1"
}
files() { echo $(ls -- *.eventring 2>/dev/null); }
# only FILE NUMBER: FILE has events of resident NUMBER, and no others
only() {
  eventring events "$1" | awk -v who="$2" '/  counter  *who/ {
    n++; if ($NF != who) bad = 1 } END { exit bad || n == 0 }'
}

at_once() {
  fresh
  resident 10 stop & one=$!
  within 60 [ -s 1.eventring ]
  within 60 only 1.eventring 10 2>/dev/null
  inode=$(ls -i 1.eventring)
  resident 20 stop & two=$!
  ok "$mode: a second process 1 has a file of its own" \
    within 60 only 1.1.eventring 20
  ok "$mode: the file of the first one stays" \
    [ "$(ls -i 1.eventring)" = "$inode" ]
  ok "$mode: one line says so" eval '[ "$(wc -l <"$tmp/err.20")" = 1 ] &&
    grep -q "^eventring: .*/1.eventring belongs to another process.*\
/1.1.eventring\$" "$tmp/err.20" && ! [ -s "$tmp/err.10" ]'
  eventring record 1.eventring -o first.evr --for 10s 2>recorded &
  recorder=$!
  resident 30 stop & three=$!
  within 60 only 1.2.eventring 30 2>/dev/null
  within 60 [ -e first.evr ]
  : >stop
  wait $one $two $three $recorder
  ok "$mode: a recording of the first one goes on to its end" \
    eval 'only first.evr 10 && eventring check first.evr'
  ok "$mode: each removes its own file" [ -z "$(files)" ]
}
both at_once

# has_file NUMBER: finds the file with events of NUMBER; its name is in $found
has_file() {
  for found in *.eventring; do only "$found" "$1" && return; done 2>/dev/null
  return 1
}
last_three() {
  [ "$(ls | wc -l)" = 3 ] && has_file 5 && has_file 6 && has_file 7
}

crashes() {
  fresh
  for i in 1 2 3 4 5 6 7; do resident $i; done
  ok "$mode: seven crashes leave the files of the last three" last_three
  ok "$mode: nothing is said of them" eval '! grep "^eventring: " "$tmp"/err.[1-7]'
  resident 10 stop & one=$!
  ok "$mode: a live process gets the name of the oldest" within 60 has_file 10
  live=$found
  for i in 11 12 13 14; do resident $i; done
  ok "$mode: crashes beside a live process: its file stays" only "$live" 10
  ok "$mode: and three files of others" [ "$(ls | wc -l)" = 4 ]
  : >stop; wait $one
  ok "$mode: it removes its own" [ ! -e "$live" ]
}
mode=opt crashes

# Two processes that remove the same crash file: the later one would remove the
# file to which the earlier one has given the name.
slow=resident.opt
. "$EVENTRING_TOP/testsuite/fault/delay.sh"
both_remove() {
  fresh
  for i in 1 2 3; do resident $i; done
  for symbol in remove_candidate caml_eventring_create_file; do
    delays="$delays$(rule lstat $symbol 1000)"
    delays="$delays$(rule lstat64 $symbol 1000)"
  done
  DELAY=$delays DELAY_SAYS=1 LD_PRELOAD=$tmp/delay.so resident 10 stop & one=$!
  within 60 grep -q delayed "$tmp/err.10"
  resident 20 stop & two=$!
  ok "of two that remove a crash file, one waits in between" within 60 has_file 10
  ok "and the other one keeps its own file" within 60 has_file 20
  : >stop; wait $one $two
}
delays= mode=opt both_remove

# A process ends while another one with its id finds out the file's owner.
ends_meanwhile() {
  fresh
  resident 10 stop & one=$!
  within 60 only 1.eventring 10 2>/dev/null
  for symbol in open_candidate examine caml_eventring_create_file; do
    delays="$delays$(rule open $symbol 500)$(rule open64 $symbol 500)"
  done
  DELAY=$delays DELAY_SAYS=1 LD_PRELOAD=$tmp/delay.so resident 20 again & two=$!
  # The first delay is of the attempt to create the file.
  within 60 eval '[ "$(grep -c delayed "$tmp/err.20")" -ge 2 ]'
  : >stop; wait $one
  ok "a file that goes away while it is examined is no obstacle" \
    within 60 has_file 20
  ok "and nothing is said of it" eval '! grep "^eventring:" "$tmp/err.20"'
  : >again; wait $two
}
delays= mode=opt ends_meanwhile

# A crash file: a process that opens it for control must not take itself for the
# file's process.
dead_control() {
  fresh
  resident 1
  for verb in pause resume "disable --quiet"; do
    # shellcheck disable=SC2086
    set -- $verb
    sum=$(cksum <1.eventring)
    run eventring "$@" ./1.eventring $([ $# = 1 ] || echo gc)
    ok "$mode: $1 refuses the crash file of a namespace that is gone" exits 3
    ok "$mode: $1 leaves it as it is" [ "$(cksum <1.eventring)" = "$sum" ]
  done
  resident 10 stop & one=$!
  within 60 only 1.1.eventring 10 2>/dev/null
  ok "$mode: a process of another namespace can be paused" \
    eventring pause ./1.1.eventring
  : >stop; wait $one
}
mode=opt dead_control

# A reader in another namespace, which has a process of the same id: itself.
sidecar() {
  fresh
  resident 10 stop & one=$!
  within 60 only 1.eventring 10 2>/dev/null
  run isolated "$EVENTRING_BIN" stat -d .
  ok "$mode: stat finds the only process of a folder, of another namespace" \
    eval 'exits 0 && out_has "^process 1 .*running"'
  run isolated "$EVENTRING_BIN" pause --all -d .
  ok "$mode: pause --all, too" eval 'exits 0 && out_has ": paused"'
  run isolated "$EVENTRING_BIN" ps --pids -d .
  ok "$mode: ps --pids does not print a number of another namespace" silent
  eventring resume -q ./1.eventring
  run isolated "$EVENTRING_BIN" profile -d .
  ok "$mode: advice names the file, not a number of another namespace" \
    err_has 'eventring enable ./1.eventring profile'
  resident 20 stop & two=$!
  within 60 only 1.1.eventring 20 2>/dev/null
  run isolated "$EVENTRING_BIN" stat -d .
  ok "$mode: of two processes, the list has the files" eval \
    'exits 2 && err_has "  ./1.eventring  .*resident" && err_has 1.1.eventring'
  : >stop; wait $one $two
}
mode=opt sidecar

# On overlayfs, the root of most containers, nobody can tell the writer of a
# file.
overlay() {
  fresh
  mkdir lower upper work merged
  if ! mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work \
      eventring-test merged 2>/dev/null; then
    skip "live processes on overlayfs" "cannot mount it"
    return
  fi
  cd merged || exit 1
  resident 10 stop & one=$!
  within 60 only 1.eventring 10 2>/dev/null
  resident 20 stop & two=$!
  within 60 only 1.1.eventring 20 2>/dev/null
  isolated "$EVENTRING_BIN" ps -d . >../listed
  ok "on overlayfs, live processes are not taken for killed" \
    eval '[ "$(grep -c resident ../listed)" = 2 ] && ! grep killed ../listed'
  isolated "$EVENTRING_BIN" ps --prune -d . >../pruned 2>&1
  ok "on overlayfs, the files of live processes are not removed" \
    [ "$(files)" = "1.1.eventring 1.eventring" ]
  : >stop; wait $one $two
  cd .. && umount merged
}
mode=opt overlay

# The same process id in the same namespace: kernel.ns_last_pid chooses it.
fresh
cat >"$tmp/again.sh" <<'END'
for i in 1 2 3 4 5; do
  echo 4999 >/proc/sys/kernel/ns_last_pid || exit 77
  "$1" $i &
  wait $!
  sleep 0.05                  # the start time counts hundredths of seconds
done
END
run isolated env $START=1 sh "$tmp/again.sh" "$tmp/resident.opt"
if [ "$status" = 77 ]; then
  skip "crashes with one process id in one namespace" "no ns_last_pid"
else
  ok "crashes with one process id in one namespace leave three files" \
    [ "$(files)" = "5000.1.eventring 5000.2.eventring 5000.eventring" ]
fi

# All names taken by processes that may be alive.
fresh
resident 10 stop & one=$!
within 60 only 1.eventring 10 2>/dev/null
for i in $(seq 15); do cp 1.eventring 1.$i.eventring; done
perl -e 'for (@ARGV) { open my $f, "+<", $_ or die; push @f, $f }
  open my $held, ">", "held"; print $held "held"; close $held; sleep 60' \
  -- 1.[0-9]*.eventring & holder=$!
started="$started $holder"
within 60 [ -s held ]
resident 20 stop & two=$!
ok "no name is left: one line says so" within 60 grep -q \
  '^eventring: .*all the names.*tracing is off$' "$tmp/err.20"
: >stop; wait $one $two; kill $holder
finish
