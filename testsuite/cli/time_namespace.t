#!/bin/sh
# If this breaks, stat --interval prints old intervals, or none, and ps no events a
# second, of a process in another time namespace.  Needs no OCaml.
. "$(dirname "$0")/tap.sh"
unshare --time --fork true 2>/dev/null ||
  { echo "1..0 # SKIP no time namespaces"; exit 0; }
cd "$tmp" || exit 1
make_ring plain

# The wall clock at the start, as make_ring writes it, is of 1970: as if it had been
# set since.  Tracing started a hundred seconds ago.
cat >inside <<'S'
now=$(awk '{ printf "%.0f", ($1 + ahead) * 1e9 }' ahead="$1" /proc/uptime)
echo $$ >pid
exec ./make_ring growing rings/$$.eventring pid=$$ state=1 \
  monotonic=$((now - 100000000000)) \
  boot="$(cat /proc/sys/kernel/random/boot_id)" \
  time_namespace="$(stat -L -c %i /proc/self/ns/time)" <lines
S
mkfifo lines

# begin AHEAD: starts a process whose clock is AHEAD seconds ahead of ours.
begin() {
  rm -rf rings pid intervals
  mkdir rings
  unshare --time --monotonic "$1" --fork sh ./inside "$1" &
  started="$started $!"
  exec 7>lines
  {
    echo "0 0 instant ring_start 1"
    echo "0 0 instant domain_start 0 0 0"
    for s in 1 2 3 4 5; do
      echo "0 ${s}000000000 begin my.span"
      echo "0 ${s}500000000 end my.span"
    done
  } >&7
  within 60 is_written
}
is_written() {
  [ -s pid ] && ring=rings/$(cat pid).eventring &&
    [ "$("$EVENTRING_BIN" stat --json "$ring" | jq .total.events)" = 12 ]
}
end() {
  exec 7>&-
  wait
}
has_line() { [ -e intervals ] && [ "$(wc -l <intervals)" -ge 1 ]; }

# Since the start, in seconds: about a hundred, or more if the test was slow.
is_present() {
  [ "$1" -ge 99 ] && [ "$1" -lt 1000 ]
}
first() { # FILTER: of the first line of the intervals
  head -n 1 intervals | jq "$1"
}
age() {
  "$EVENTRING_BIN" ps --json --dir rings |
    jq '.processes[0].age_ns / 1e9 | floor'
}
# The clock of the second process begins close to 0.
read -r up _ </proc/uptime
back=$((${up%.*} > 200 ? ${up%.*} - 200 : 0))
for ahead in 100000 -$back; do
  begin "$ahead" || ok "the events are read" false
  started_ns=$("$EVENTRING_BIN" stat --json "$ring" |
    jq .process.started_ns)
  "$EVENTRING_BIN" stat --interval=10ms --json "$ring" >intervals &
  reader=$!
  started="$started $reader"
  ok "stat --interval prints intervals ($ahead s ahead)" within 60 \
    has_line
  ok "the first one is of the present" is_present \
    "$(first "(.until_ns - $started_ns) / 1e9 | floor")"
  ok "events from before are not in it" [ "$(first .events)" = 0 ]
  kill $reader
  wait $reader 2>/dev/null
  ok "ps: the age is from the clock of the process" is_present "$(age)"
  end
done
finish
