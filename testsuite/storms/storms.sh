# Read by the tests of this folder and by ../soak/storms.
. "$(dirname "$0")/../ocaml/programs.sh"
here=$EVENTRING_TOP/testsuite/storms
START=OCAML_EVENTRING_START KEEP=OCAML_EVENTRING_KEEP

# reader FILE: follows the process of $ring in the background
reader() {
  "$EVENTRING_BIN" events --follow "$ring" >"$1" 2>"$1.err" &
  readers="$readers $!"
  started="$started $!"
}

# wait_readers: leaves the readers' exit codes in $ended
wait_readers() {
  ended=
  for pid in $readers; do
    wait "$pid"
    ended="$ended$?"
  done
}

# begin PROGRAM ARG...: starts the program traced, in the background, with its
# ring in $ring
begin() {
  program=$1
  shift
  readers=
  env $START=1 $KEEP=1 "$tmp/$program.$mode" "$@" >"$tmp/out" 2>"$tmp/err" &
  victim=$!
  started="$started $victim"
  ring=$victim.eventring
  within 60 [ -s "$ring" ]
}
end() { wait "$victim"; status=$?; }

# Every event "domain" with values 1 to $1 is in the file, or counted as lost.
accounted() {
  perl -ne '
    if (/  counter   *domain  *(\d+)$/) { $seen{$1}++ }
    elsif (/  lost  *-  *(\d+) events$/) { $lost += $1 }
    END {
      my @twice = grep { $seen{$_} > 1 } keys %seen;
      my $missing = grep { !$seen{$_} } 1 .. '"$1"';
      print scalar(keys %seen), " seen, $missing missing, ", $lost // 0,
        " lost, ", scalar(@twice), " twice\n";
      exit(@twice || $missing > ($lost // 0)) }' "$2"
}

# domains_in_turn N: with two readers
domains_in_turn() {
  fresh
  begin storm domains "$1"
  reader first; reader second
  end
  wait_readers
  ok "$mode: $1 domains in turn: as untraced" \
    eval 'exits 3 && out_has "^'$(($1 * ($1 + 1) / 2))'\$" && no_line'
  ok "$mode: two readers end in order" [ "$ended" = 00 ]
  for file in first second; do
    ok "$mode: each domain's event is there or lost, to the $file one" \
      accounted "$1" $file
  done
}

# controlled N SEED: N changes from outside, by two, under load
controlled() {
  fresh
  begin storm load "$PWD/stop"
  reader first
  "$tmp/control" "$ring" "$1" "$2" &
  one=$!
  "$tmp/control" "$ring" "$1" "$2"1
  two=$?
  wait $one
  ok "$mode: control from outside works" [ "$? $two" = "0 0" ]
  : >stop
  end
  wait_readers
  # Bytecode has no samples, and says so.
  [ "$mode" = opt ] ||
    sed -i '/^eventring: samples of [a-z ]* are supported in native code/d' "$tmp/err"
  ok "$mode: $1 changes from outside: as untraced" \
    eval 'exits 3 && out_has "^loaded\$" && no_line'
  ok "$mode: on in the end" shows 'counter  *domain  *-1$'
  ok "$mode: a reader sees it through" \
    eval '[ "$ended" = 0 ] && grep -q "counter  *domain  *-1\$" first'
}

disk=$tmp/disk
clean_up_disk() { umount "$disk" 2>/dev/null; clean_up; }
trap clean_up_disk EXIT

# switched N: started and stopped so often, on a disk with room for a few files
switched() {
  fresh; mkdir -p "$disk"
  mount -t tmpfs -o size=16m eventring-test "$disk" 2>/dev/null ||
    echo "# cannot mount a small disk: its room is not tested"
  run env OCAMLRUNPARAM=e=10 OCAML_EVENTRING_PREFIX="$disk" \
    timeout 120 "$tmp/storm.$mode" switch "$1"
  ok "$mode: started and stopped $1 times: as untraced, and all is freed" \
    eval 'exits 3 && out_has switched && no_line && [ -z "$(ls "$disk")" ]'
  umount "$disk" 2>/dev/null
}

# many_readers N: all at once, half of them killed
many_readers() {
  fresh
  begin storm load "$PWD/stop"
  for i in $(seq "$1"); do reader reader.$i; done
  n=0
  for pid in $readers; do
    n=$((n + 1))
    [ $((n % 2)) = 1 ] || kill -9 "$pid"
  done
  sleep 0.5
  : >stop
  end
  wait_readers 2>/dev/null
  ok "$mode: $1 readers, half of them killed: as untraced" \
    eval 'exits 3 && out_has "^loaded\$" && no_line'
  ok "$mode: the others read to the end" eval '
    [ "$(echo "$ended" | sed "s/137//g" | tr -d 0)" = "" ] &&
    [ "$(grep -l "counter  *domain  *-1\$" reader.* | wc -l)" \
      -ge '$(($1 / 2))' ]'
}

build_storm() {
  build storm unix storm_stubs.c
  ${CC:-cc} -std=gnu11 -Wall -Wextra -I"$EVENTRING_TOP/consumer/reader" -o control \
    "$here/control.c" "$EVENTRING_BUILD/lib/libeventring.a" -lzstd -lpthread \
    >"$tmp/build.log" 2>&1 || give_up control
}
