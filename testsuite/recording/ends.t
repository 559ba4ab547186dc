#!/bin/sh
# Recordings of a process that ends, of a killed recorder, and on a full disk.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile numbers
disk=$tmp/disk
clean_up_disk() { umount "$disk" 2>/dev/null; clean_up; }
trap clean_up_disk EXIT

# The process is killed.
begin
recording -o killed.evr
tell count 20000
kill -9 "$pid"
wait "$pid" 2>/dev/null
recorded
ok "killed process: the recorder ends" eval "exits 0 && one_line"
ok "killed process: every event is recorded" complete killed.evr 20000
ok "killed process: check has no findings" sound killed.evr
run eventring check --json killed.evr
ok "killed process: check --json has the state" out_has '"state": "killed"'
exec 9>&-

# The recorder is killed.
begin
recording -o torn.evr
tell count 20000
# A segment is written each second.
held() { eventring events torn.evr 2>/dev/null | grep -q 'number *20000$'; }
tell count 1
ok "a recording is read while the recorder runs" within 60 held
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
tell count 1
leave
run eventring events torn.evr
ok "killed recorder: events exits with 3" exits 3
ok "killed recorder: every event up to the end is read" eval \
  "[ \"\$(numbers torn.evr | awk '\$2 > 1' | wc -l)\" -eq 39998 ]"
run eventring check torn.evr
ok "killed recorder: check reports the missing index" eval \
  "exits 1 && out_has 'ends here, without its index'"
run eventring cat torn.evr -o mended.evr
ok "killed recorder: cat reports the missing index" eval \
  "exits 3 && one_line && err_has 'torn.evr: cut or damaged from byte'"
ok "killed recorder: cat makes a recording without findings" sound mended.evr
eventring events --raw torn.evr >out
eventring events --raw mended.evr >mended
ok "killed recorder: cat keeps the events" cmp out mended

# Only its last bytes are missing: the end of the trailer, the trailer and a
# part of the index.
for bytes in 1 20 32 40; do
  head -c -$bytes killed.evr >short.evr
  run eventring events --raw short.evr
  ok "recording without its last $bytes bytes: events reports the cut" \
    eval "exits 3 && err_has 'short.evr: cut or damaged from byte'"
  ok "recording without its last $bytes bytes: every event is printed" \
    eval 'eventring events --raw killed.evr | cmp - out'
done

# The process executes another program.
begin
recording -o exec.evr
tell count 20000
echo exec >&9
recorded
exec 9>&-
ok "exec: the recorder ends" eval "exits 0 && one_line"
ok "exec: every event is recorded" complete exec.evr 20000
ok "exec: check has no findings" sound exec.evr

# The process forks; the child has its own file.
begin
recording -o fork.evr
tell fork
tell count 100
leave
recorded
ok "fork: every event of the parent is recorded" complete fork.evr 100
ok "fork: check has no findings" sound fork.evr

# Domains that start and end.
begin
recording -o spawn.evr
tell spawn 64
leave
recorded
ok "64 domains: an event of each is recorded" eval \
  "[ \"\$(numbers spawn.evr | awk '{ print \$2 }' | sort -n | uniq | wc -l)\" \
     -eq 64 ]"
ok "64 domains: each has its own id" eval \
  "[ \"\$(numbers spawn.evr | awk '{ print \$1 }' | sort -n | uniq | wc -l)\" \
     -eq 64 ]"
ok "64 domains: check has no findings" sound spawn.evr

# The disk is full.
mkdir -p "$disk"
if mount -t tmpfs -o size=256k eventring-test "$disk" 2>/dev/null; then
  begin
  recording -o disk/full.evr --level=-7
  tell count 400000
  recorded
  ok "full disk: record exits with 4 and reports it" \
    refused 4 'cannot write disk/full.evr: No space'
  ok "full disk: the recorded process goes on" kill -0 "$pid"
  leave
  run eventring events disk/full.evr
  ok "full disk: events exits with 3" exits 3
  run eventring check disk/full.evr
  ok "full disk: check has a finding" exits 1
else
  skip "full disk" "cannot mount a small disk"
fi
run eventring record $$ -o x.evr
ok "a process that is not traced is refused" refused 3 'not traced'
begin
run eventring record "$pid" -o no/such/folder.evr
ok "a folder that does not exist is refused" \
  refused 4 'no/such/folder.evr: No such file'
leave
finish
