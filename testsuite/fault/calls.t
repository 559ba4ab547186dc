#!/bin/sh
# A system call of the recorder fails, at the start, for a domain or after a
# fork: the program could do something else than it would without tracing, or
# not be traced or sampled and nobody learns why.
. "$(dirname "$0")/../ocaml/programs.sh"
here=$EVENTRING_TOP/testsuite/fault
build life unix
${CC:-cc} -std=gnu11 -Wall -Wextra -shared -fPIC -o fault.so \
  "$EVENTRING_TOP/testsuite/fault/fault.c" || exit 1
mode=opt
"$tmp/life.opt" >"$tmp/expected"

# complete FILE...: how many of these are whole
complete() {
  whole=0
  for file; do
    [ -e "$file" ] && eventring events "$file" 2>/dev/null |
      grep -q '  ring_stop  ' && whole=$((whole + 1))
  done
  echo $whole
}

# Two processes: of each, a line says why there is no trace, or there is one.
# A trace that lacks a domain has both.  Where the first has none from the
# start, the child is not to have one.
unharmed() {
  exits 3 && diff "$tmp/expected" "$tmp/out" || return 1
  ! grep -v '^eventring: ' "$tmp/err" || return 1
  lines=$(wc -l <"$tmp/err") traces=$(complete *.eventring)
  if grep -q '; tracing is off$' "$tmp/err"; then
    [ "$lines $traces" = '1 0' ]
  else
    [ "$lines" -le 2 ] && [ $((lines + traces)) -ge 2 ]
  fi || { echo "$lines lines, $traces traces"; return 1; }
}

# faulty NAME ERROR... : each call of NAME fails in turn, with each error;
# then all calls from each on.  $also goes with it.
faulty() {
  name=$1
  shift
  harmed=0 tries=0
  for error; do
    for plus in '' +; do
      n=0
      while n=$((n + 1)); [ $n -le ${most:-4} ]; do
        fresh
        rm -f "$tmp/log"
        run env OCAML_EVENTRING_START=1 OCAML_EVENTRING_KEEP=1 $with \
          FAULT="$name:$n$plus:$error$also" FAULT_LOG="$tmp/log" \
          LD_PRELOAD="$tmp/fault.so" timeout 20 "$tmp/life.opt"
        [ -e "$tmp/log" ] || break
        tries=$((tries + 1))
        unharmed >"$tmp/harm" && continue
        harmed=$((harmed + 1))
        echo "# $name, call $n$plus, error $error$also: exit code $status"
        sed 's/^/#   /' "$tmp/harm" "$tmp/err"
      done
    done
  done
  ok "$name$also: $tries times: no harm" \
    eval '[ $tries -ge 2 ] && [ $harmed = 0 ]'
}

ENOENT=2 EIO=5 ENOMEM=12 EACCES=13 EFAULT=14 EINVAL=22 EMFILE=24 ENOSPC=28
EROFS=30
with= also=
most=3 with=OCAML_EVENTRING_CLOCK=monotonic faulty clock_gettime $EINVAL
with=
faulty open $EROFS
faulty open_proc $ENOENT
faulty read $EIO
faulty readlink $EACCES
faulty getcwd $ENOENT
with=OCAML_EVENTRING_PREFIX=. faulty realpath $EACCES
with=
faulty ftruncate $EIO
faulty fstat $EIO
faulty pwrite $ENOSPC
faulty mmap $ENOMEM
faulty madvise $EFAULT $ENOMEM
faulty strdup $ENOMEM
faulty sigaction $EINVAL
faulty prctl $EINVAL
# As with a kernel before 5.14
also=,madvise:1+:$EINVAL
faulty posix_fallocate $ENOSPC
faulty open $EMFILE
faulty fstat $EIO
also=
# With its file removed at the end
with=OCAML_EVENTRING_KEEP=0
unharmed() { exits 3 && diff "$tmp/expected" "$tmp/out" && no_line; }
faulty unlink $EROFS
faulty lstat $EIO

# As with a filter of system calls.  Without the list of threads, the one that
# looks for it is sampled.
build sampled
EPERM=1 EAGAIN=11
says_why() {
  exits 0 && [ "$(cat "$tmp/out")" = done ] && [ "$(cat "$tmp/err")" = \
    "eventring: cannot create a timer for each thread ($1); some have no samples" ]
}
for calls in timer_create timer_settime readdir,timer_create; do
  fresh
  run timeout 20 env LD_PRELOAD="$tmp/fault.so" \
    FAULT="$(echo "$calls" | sed "s/,/:1+:$EPERM,/"):1+:$EPERM" \
    "$tmp/sampled.opt"
  ok "$calls fail: a line says why there are no samples" \
    says_why 'Operation not permitted'
done
fresh
run timeout 20 env LD_PRELOAD="$tmp/fault.so" \
  FAULT=timer_create:1+:$EAGAIN "$tmp/sampled.opt"
ok "no more timers are allowed: the line names the limit" says_why 'ulimit -i'
# As for a thread that has ended.
EINVAL=22
fresh
run timeout 20 env LD_PRELOAD="$tmp/fault.so" \
  FAULT=timer_create:1+:$EINVAL "$tmp/sampled.opt"
ok "a system without timers for threads: a line says so" says_why 'Invalid argument'
finish
