#!/bin/sh
# The commands of doc/CONTAINERS.md, in the order of the page, in namespaces as
# a container has them: a command that is no longer right would mislead its
# reader.  A command fails if and only if the page shows a message below it.
isolated="unshare --mount --pid --fork --mount-proc --propagation private"
if [ "$1" != inside ]; then
  $isolated sh -c 'mount -t tmpfs t /srv && cd /srv && mkdir u w m &&
    mount -t overlay -o lowerdir=/,upperdir=u,workdir=w o m' 2>/dev/null &&
    exec $isolated "$0" inside
  echo "1..0 # SKIP no rights to make namespaces, or no overlayfs on this root"
  exit
fi
. "$(dirname "$0")/programs.sh"
mount -t tmpfs -o mode=755 srv /srv || exit 1
cp "$EVENTRING_TOP/examples/server.ml" . &&
  "$ocaml/bin/ocamlopt" -I +unix -I +threads unix.cmxa threads.cmxa server.ml \
    -o server >build.log 2>&1 || give_up server
export PATH="$tmp:$(dirname "$EVENTRING_BIN"):$PATH"

# container DIR COMMAND...: runs the command as process 1 of user 1000, on a
# read-only overlayfs with the volume as /rings
cat >container <<'END'
set -e
c=$1
shift
mount -t tmpfs container "$c"
mkdir "$c/upper" "$c/work" "$c/root"
mount -t overlay -o "lowerdir=/,upperdir=$c/upper,workdir=$c/work" none "$c/root"
mkdir "$c/root/rings"
mount --bind /srv/rings "$c/root/rings"
mount --bind "$EVENTRING_TOP" "$c/root$EVENTRING_TOP"
mount -t proc proc "$c/root/proc"
mount --rbind /dev "$c/root/dev"
mount -o remount,ro "$c/root"
cd "$c/root"
pivot_root . .
umount -l .
cd /
exec setpriv --reuid 1000 --regid 1000 --clear-groups "$@"
END

# start_container NAME INPUT COMMAND...: leaves its first process in $pid
start_container() {
  mkdir "$tmp/$1"
  name=$1 input=$2
  shift 2
  unshare --mount --pid --ipc --uts --fork --kill-child --propagation private \
    sh "$tmp/container" "$tmp/$name" "$@" <"$input" &
  parent=$!
  started="$started $parent"
  within 60 ready
}
ready() {
  pid=$(pgrep -P "$parent") && [ "$(stat -c %u "/proc/$pid")" = 1000 ]
}
start_containers() {
  # The program's container runs a shell, until a command replaces it.
  mkfifo app.in
  exec 9<>app.in
  start_container app app.in sh
  start_container sidecar /dev/null sleep 600
  sidecar=$pid
}
in_sidecar() {
  nsenter --target "$sidecar" --mount --pid --ipc --uts --root --wd \
    setpriv --reuid 1000 --regid 1000 --clear-groups "$@"
}
traced() { eventring stat -d /srv/rings >stat 2>&1; }

# in_shell WHERE COMMAND
in_shell() {
  case $2 in
    *' serve '*)
      set -- "$1" "timeout --foreground --preserve-status -s INT 2 $2" ;;
  esac
  case $1 in
    host) bash -o pipefail -c "$2" ;;
    sidecar) in_sidecar bash -o pipefail -c "$2" ;;
    app) [ -d sidecar ] || start_containers
         echo "$2" >&9
         case $2 in exec*) within 60 traced ;; esac ;;
  esac
}

# step WHERE COMMAND BELOW: BELOW is the line below the command
step() {
  where=$1 command=$2 below=$3
  [ -n "$command" ] || return
  case $command in
    *27102*) command=$(echo "$command" | sed "s/27102/$(pgrep -x server)/") ;;
  esac
  run in_shell "$where" "$command"
  case $below in
    'eventring: '*) ok "$where: $command" eval '[ "$status" != 0 ] &&
      grep -qF "$below" "$tmp/err"' ;;
    *) ok "$where: $command" eval 'exits 0 || exits 141' ;;
  esac
}

next_where='' next_command='' below=''
while IFS= read -r line <&8; do
  case $line in
    '    '[a-z]*'$ '*)
      step "$next_where" "$next_command" "$below"
      next_where=${line%%\$*} next_command=${line#*\$ } below=''
      next_where=${next_where##* } ;;
    '    '*) [ -n "$below" ] || below=${line#    } ;;
    *)
      step "$next_where" "$next_command" "$below"
      next_command='' ;;
  esac
done 8<"$EVENTRING_TOP/doc/CONTAINERS.md"
ok "the page has commands in each of the three" eval '[ $tests -gt 15 ]'

# What the page says besides.  The process has the ring file of attach.
within 60 traced
run in_sidecar eventring ps -d /rings
ok "in the sidecar, ps shows the number with its namespace" \
  out_has '^1@[0-9]*  .*  recording  '
run eventring ps -d /srv/rings
ok "on the host, ps shows the number of the host" \
  out_has "^$(pgrep -x server)  .*  recording  "
run in_sidecar sh -c \
  "cd / && OCAML_EVENTRING_START=1 OCAML_EVENTRING_PREFIX= timeout 1 server"
ok "without a directory to write to: one line says so, the program runs" eval \
  '[ "$(grep -c "^eventring: .*Read-only file system.*tracing is off" \
    "$tmp/err")" = 1 ] && exits 124'
run in_sidecar sh -c "cd / && OCAML_EVENTRING_START=paused \
  OCAML_EVENTRING_PREFIX=/rings timeout -s KILL 1 server"
ok "a process that starts paused has a file" eval \
  '[ "$(ls /srv/rings | grep -c "eventring\$")" = 2 ]'
run nsenter --target "$sidecar" --mount --pid --root --wd \
  setpriv --reuid 1001 --regid 1001 --clear-groups \
  "$EVENTRING_BIN" stat /rings/1.eventring
ok "another user is told whose the file is" refused 3 \
  'cannot open .*belongs to user 1000'
run in_sidecar unshare --user --map-root-user eventring stat -d /rings
ok "in a user namespace that maps the same user: the rings are read" eval \
  'exits 0 && out_has "^process 1 .*running"'
kill -9 $(pgrep -x server)
gone() { in_sidecar eventring ps -d /rings | grep -q '^1@.*  killed  '; }
ok "after a crash, the sidecar sees that the program was killed" within 60 gone
run in_sidecar eventring ps --prune -d /rings
ok "and removes its file" eval 'exits 0 && [ ! -e /srv/rings/1.eventring ]'
finish
