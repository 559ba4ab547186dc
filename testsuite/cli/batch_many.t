#!/bin/sh
# eventring list of a batch of 10,000 runs takes longer than a second.
# Only in make check-long: it measures processor time.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile batch
eventring batch -q --runs 1 --warm-up 0 -o one -- ./batch 1000
mkdir many && cp one/batch.json many/
python3 -c '
text = open("one/000001.json").read()
for i in range(1, 10001):
    open("many/%06d.json" % i, "w").write(
        text.replace("\"number\":1,", "\"number\":%d," % i, 1))'
fast() { perl -e '
  open STDOUT, ">", "listed"; system(@ARGV) == 0 or exit 1;
  my @times = times; print STDERR "$times[2] + $times[3] s\n";
  exit($times[2] + $times[3] >= 1)' "$@"; }
ok "10,000 runs are listed in less than a second of processor time" \
  eval 'fast "$EVENTRING_BIN" list many && [ "$(wc -l <listed)" = 10001 ]'
finish
