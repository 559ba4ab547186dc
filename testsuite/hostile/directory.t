#!/bin/sh
# A directory where others may write, or with entries that change under our
# feet: a file of ours could go where somebody else wants, be read by him, or
# wipe out something that is not a ring.  See also ../ocaml/waiting.t.
. "$(dirname "$0")/../ocaml/programs.sh"
here=$EVENTRING_TOP/testsuite/ocaml
build plain
"$tmp/plain.opt" >"$tmp/expected"
mode=opt
START=OCAML_EVENTRING_START KEEP=OCAML_EVENTRING_KEEP
unharmed() { exits 3 && diff "$tmp/expected" "$tmp/out"; }

# waiting COMMAND: the program, when COMMAND has put something at $ring
waiting() {
  fresh
  run env $START=1 $KEEP=1 sh -c 'ring=$$.eventring; '"$1"'; exec "$0"' \
    "$tmp/plain.opt"
}
refuses() { unharmed && one_line 'not a ring file of this user'; }

waiting 'perl -MIO::Socket::UNIX -e "IO::Socket::UNIX->new(Listen => 1,
  Local => \$ARGV[0]) or die" $ring'
ok "a socket is refused" refuses
ok "and still there" [ -S "$(ring)" ]
for kind in 'c 1 3' 'c 1 5' 'b 7 0'; do
  waiting "mknod \$ring $kind 2>/dev/null || : >\$ring.none"
  if [ -e *.none ]; then
    skip "a device is refused ($kind)" "cannot make one"
    continue
  fi
  ok "a device is refused ($kind)" refuses
  ok "and still there ($kind)" \
    eval '[ -c "$(ring)" ] || [ -b "$(ring)" ]'
done
waiting 'ln -s $ring $ring'
ok "a link to itself is refused" refuses
waiting 'ln -s . $ring'
ok "a link to the directory is refused" refuses

# How the file is created, even if its mode changes later: an open that follows,
# or that lets others read, is seen here.
cat >"$tmp/modes.c" <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int open64(const char *path, int flags, ...)
{
  va_list args;
  va_start(args, flags);
  int mode = flags & O_CREAT ? va_arg(args, int) : 0;
  va_end(args);
  if (strstr(path, ".eventring") != NULL)
    fprintf(stderr, "%s%s%s%o\n", flags & O_CREAT ? "create " : "",
            flags & O_EXCL ? "exclusive " : "",
            flags & O_NOFOLLOW ? "nofollow " : "", mode);
  return (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open(const char *, int, ...) __attribute__((alias("open64")));
END
${CC:-cc} -shared -fPIC -o "$tmp/modes.so" "$tmp/modes.c" || exit 1
fresh
run env $START=1 LD_PRELOAD="$tmp/modes.so" \
  sh -c 'umask 0; exec "$0"' "$tmp/plain.opt"
ok "created exclusively, without following, for its user alone" \
  [ "$(cat "$tmp/err")" = 'create exclusive nofollow 600' ]

if ! can_be_nobody; then
  skip "other users" "cannot become another user"
  finish
fi
as() {
  user=$1
  shift
  setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
}

# Another user reads, pauses, writes and takes over: none of it.
fresh; chmod 1777 .
cat >sleeper.ml <<'END'
let () =
  while not (Sys.file_exists "stop") do Unix.sleepf 0.01; Gc.minor () done
END
"$ocaml/bin/ocamlopt" -I +unix unix.cmxa -o "$tmp/sleeper" sleeper.ml \
  >"$tmp/build.log" 2>&1 || give_up sleeper
rm -f sleeper.*
OCAML_EVENTRING_START=1 setpriv --reuid 65533 --regid 65533 --clear-groups \
  sh -c 'umask 0; exec "$0"' "$tmp/sleeper" &
victim=$!
started="$started $victim"
within 60 eval '[ -s $victim.eventring ]'
run as_nobody events $victim.eventring
ok "another user cannot read it" refused 3 'ermission denied'
run as_nobody events $victim
ok "nor find it by the process id" eval 'exits 3'
run as_nobody pause $victim.eventring
ok "nor pause it" refused 3 ermission
run eventring resume $victim.eventring
ok "it was not paused" out_has 'already recording'
for how in '>>$1' '<$1' '<>$1'; do
  ok "nor open it ($how)" eval '! as 65534 sh -c "exec 3$how" - \
    $victim.eventring 2>/dev/null'
done
ok "nor remove it from a sticky directory" \
  eval '! as 65534 rm -f $victim.eventring'
ok "nor cut it" eval '! as 65534 truncate -s 0 $victim.eventring'
ok "nor open it by the process's mappings" \
  eval '! as 65534 sh -c "cat /proc/$victim/map_files/*" >/dev/null 2>&1'
: >stop; wait $victim
ok "it is removed at its end" [ ! -e $victim.eventring ]

# Under attack, in a sticky directory and in one that is not: by chance, so
# many times.
attacked() {
  harmed=0 left=0 traced=0
  for try in $(seq "$2"); do
    fresh; chmod "$1" .
    mkdir home; echo precious >home/target; chown -R 65533 home
    chmod 755 home; chmod 644 home/target
    mkfifo go; chmod 666 go
    env $START=1 $KEEP=1 setpriv --reuid 65533 --regid 65533 --clear-groups \
      sh -c 'read line; exec "$0"' "$tmp/plain.opt" \
      <go >"$tmp/out" 2>"$tmp/err" &
    victim=$!
    as 65534 perl "$EVENTRING_TOP/testsuite/hostile/attack.pl" \
      "$PWD" "$PWD/home/target" $victim >tries &
    attacker=$!
    exec 4>go
    within 60 [ -e ready ]
    echo >&4; exec 4>&-
    wait $victim
    status=$?
    wait $attacker
    unharmed >"$tmp/why" &&
      [ "$(wc -l <"$tmp/err")" -le 1 ] &&
      [ "$(cat home/target)" = precious ] &&
      [ "$(stat -c %u home/target)" = 65533 ] && [ ! -e not-there ] ||
      { harmed=$((harmed + 1)); cat "$tmp/why" "$tmp/err"; ls -l . home; }
    # All files of the victim are for him alone.
    find . -type f -name '*taken' -user 65533 -perm /077 | grep . &&
      harmed=$((harmed + 1))
    [ -s "$tmp/err" ] || traced=$((traced + 1))
  done
  echo "# $2 attacks in a directory of mode $1: $traced traced"
  ok "attacked in a directory of mode $1: no harm" [ $harmed = 0 ]
}
attacked 1777 20
attacked 777 20
finish
