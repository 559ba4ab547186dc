#!/bin/sh
# eventring compare: verdicts on runs that a script makes, so that they are the
# same each time; differences of manifests; refused and doubtful comparisons.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile batch
export EVENTRING_STORE="$tmp/store"
runs() { python3 "$here/compare_runs.py" "$@" || exit 1; }
figure() { jq -e ".comparisons[0].figures[] | select(.name == \"$1\") | $2" out; }
one_line() { exits "$1" && [ "$(wc -l <err)" -eq 1 ] && err_has "$2"; }
row() { grep -q "^$1  .*  $2\$" out; }
warns() { grep -q "^warning: .*$1" out; }
eventring batch -q --runs 1 --warm-up 0 -o template -- ./batch 3000000

# Verdicts

runs make template slow 12 0.01 wall_ns=1.2 user_ns=1.3 allocated_words=3
run eventring compare slow
ok "a second version that is slower is compared with the first" eval \
  'exits 0 && out_has "^slow:new (12 runs) against slow:old (12 runs)$"'
ok "more CPU time is called slower" row cpu_ns slower
ok "more wall time is called slower" row wall_ns slower
ok "more allocation is called more" row total.allocated_words more
ok "figures that are equal are called so" row max_rss_bytes "no difference"
ok "other figures without a difference are not shown" \
  eval '! out_has "^total.promoted_words"'
ok "a comparison without a doubt has no warnings" eval '! out_has "^warning"'
run eventring compare --all-figures slow
ok "--all-figures shows them" row total.promoted_words "no difference"
ok "figures that are always 0 are not compared" eval '! out_has compactions'
run eventring compare --json slow
ok "three times the allocation has the ratio 3" \
  figure total.allocated_words '.ratio > 2.9999 and .ratio < 3.0001'
ok "the ratio is right within its interval" figure wall_ns \
  '.low < .ratio and .ratio < .high and (.ratio - 1.2 | fabs) < 0.02 and
   .high - .low < 0.04'
ok "the medians are those of the runs" [ "$(figure wall_ns .base.median)" = \
  "$(jq -s '[.[] | .run | select(.command == 1) | .wall_ns] | sort |
            (.[5] + .[6]) / 2' slow/[0-9]*.json)" ]
ok "--json has all members" eval 'jq -e "
  .version == 2 and .rounds and .warnings == [] and
  (.groups | map(.name) == [\"slow:old\", \"slow:new\"]) and
  (.groups[1] | .runs == 12 and .failed == 0 and .changed == 0 and
     .untraced == 0 and .lossy == 0 and .lost_events == 0) and
  (.comparisons[0] | .base == \"slow:old\" and .this == \"slow:new\" and
     .manifest == []) and
  (.comparisons[0].figures[0] | .name == \"wall_ns\" and .unit == \"ns\" and
     .better == \"less\" and .base.runs == 12 and .base.variance_between > 0 and
     .base.variance_within == null and .smallest_change > 0 and
     .p < 0.01 and .adjusted_p >= .p and .verdict == \"slower\" and
     .bound == null and .more_runs == null)" out'
ok "variance within runs is known where a figure is a mean" eval \
  'figure total.pauses.any.mean_ns ".base.variance_within / $(
     jq ".summary.total.pauses.any.deviation_ns | . * ." slow/000001.json) - 1 |
     fabs < 1e-9"'
run eventring compare slow:new slow:old
ok "the other way round it is faster, and allocates less" \
  eval 'row wall_ns faster && row total.allocated_words less'

runs make template same 20 0.002
run eventring compare same
ok "of two times the same, no figure differs" \
  eval 'exits 0 && [ "$(grep -c "no difference\|cannot say" out)" = 6 ] &&
        out_lines 9'
ok "a small difference is excluded" \
  row wall_ns 'no difference larger than 0\.[0-9]*%'
run eventring compare --json same
ok "the drift of a round does not count as a difference" figure wall_ns \
  '.verdict == "same" and .bound < 0.005 and .smallest_change < 0.01 and
   .base.variance_between > (.base.median * 0.02 | . * .)'
runs make template noisy 20 0.2
run eventring compare noisy
ok "noise that hides 1 % asks for more runs" row wall_ns 'cannot say (run [0-9]* more)'
run eventring compare slow/000001.json slow/000002.json
ok "of two runs nothing can be said" eval 'exits 0 &&
  row wall_ns "cannot say (run 6 more)" && warns "too few runs: 1 and 1 can"'
run eventring compare slow same:old
ok "several operands are all compared with the first" eval 'exits 0 &&
  out_has "^slow:new .* against slow:old" && out_has "^same:old .* against slow:old"'
ok "runs of different batches are not matched, and a warning says so" \
  warns 'same:old were not run in turn'
eventring batch -q --runs 10 -o real --label few --label many -- \
  ./batch 100000 -- ./batch 300000
run eventring compare real
ok "a real program that allocates more has more minor collections" eval \
  'row total.allocated_words more && row total.minor_collections more &&
   out_has "^argv .*100000.*300000"'
compile halves
eventring batch -q --profile --runs 10 -o sampled -- \
  ./halves 1 -- ./halves 25000000
run eventring compare sampled
ok "with samples, the functions with another share are listed" eval \
  'row functions.Halves.more.self_share more && row functions.Halves.burn.self_share less'
mkdir -p store/batches && cp -r slow store/batches/stored
run eventring compare stored:new stored:old
ok "a batch of the store is found by its name" row wall_ns faster

# The page

cat >page.py <<'END'
"""page.py FILE EXPRESSION: exits with 0 if the page is well-formed, refers to no
address, and EXPRESSION is true.  rows: the lines of tables by their first cell,
of equal ones the first; text: all of the page's text."""
import os
import re
import sys
import xml.etree.ElementTree as tree
page = open(sys.argv[1]).read()
root = tree.fromstring(page)
names = [e.tag for e in root.iter()]
text = " ".join("".join(root.itertext()).split())
rows = {"".join(r[0].itertext()): r for r in reversed(list(root.iter("tr")))}
def cells(name):
    return ["".join(c.itertext()).strip() for c in rows[name]]
def drawn(name):
    return [p.get("d").count("M") for p in rows[name].iter("path")
            if re.match("dots|far", p.get("class", ""))]
def fills(name):
    return {p.get("class") for p in rows[name].iter("path") if p.get("d")}
assert not re.search("https?:|url[(]|@import", page), "an address"
assert not {a for e in root.iter() for a in e.keys()} & {"src", "href"}
assert not {"script", "img", "link", "object", "iframe"} & set(names)
sys.exit(not eval("(" + sys.argv[2] + ")"))
END
page() { python3 -B page.py page.html "$1"; }
run eventring compare --html=page.html slow
ok "--html writes a page and prints nothing" eval 'exits 0 && silent &&
  page "\"slow:new (12 runs) against slow:old (12 runs)\" in text"'
ok "the page has the figures of the table" page \
  'cells("wall_ns")[-1] == "slower" and cells("cpu_ns")[-1] == "slower" and
   "no difference" in cells("max_rss_bytes") and "total.promoted_words" in rows'
ok "each run of both sides is drawn" page \
  'sum(drawn("wall_ns")[:2]) == 12 and sum(drawn("wall_ns")[2:]) == 12'
ok "the medians, the interval and the ratio 1 are drawn" page \
  '{"median base", "median this", "ratio", "one", "axis"} <= fills("wall_ns")
   and rows["wall_ns"].find(".//g[@class=\"interval\"]/path") is not None'
eventring compare --html=again.html slow
ok "the page of the same runs is the same" cmp page.html again.html
eventring compare --html=- slow >again.html
ok "- is standard output" cmp page.html again.html
echo old >old.html
run eventring compare --html=old.html slow
ok "an existing file is not overwritten" eval \
  'one_line 4 "old.html" && [ "$(cat old.html)" = old ]'
run eventring compare --html=old.html --force slow
ok "--force overwrites it" cmp page.html old.html
run eventring compare --html=none/page.html slow
ok "a page that cannot be written is an error" one_line 4 'none/page.html: cannot write it: No such'
run eventring compare --html=page.html --json slow
ok "--html and --json exclude each other" refused 2 'only one of --json and --html'
run eventring compare --html=page.html --force sampled
ok "functions with another share are in the page" page \
  'cells("functions.Halves.more.self_share")[-1] == "more" and
   "Functions with another share" in text'
cp -r slow hostile
export HOSTILE='<img src="x" onerror=alert(1)>&amp;]]>'
runs set 'if .run.command == 2 then .run.failed = false |
  .manifest.git = {commit: (env.HOSTILE + "\u001b[31m\u202e"), branch: "</td></table>"} |
  .manifest.conditions.governor = "<script>" else . end |
  .summary.requests = [{name: env.HOSTILE, count: 1, mean_ns: 5, p50_ns: 5,
    p99_ns: 5, max_ns: 5}]' hostile/[0-9]*.json
jq '.commands[1].label = env.HOSTILE' hostile/batch.json >changed
mv changed hostile/batch.json
run eventring compare --html=page.html --force hostile
ok "hostile names are text in the page" page \
  '"hostile:<img src=\"x\" onerror=alert(1)>&amp;]]> (12 runs)" in text and
   cells("requests." + os.environ["HOSTILE"] + ".p99_ns")[1] == "5 ns" and
   cells("git.branch")[2] == "</td></table>" and
   "\\x1b[31m" in cells("git.commit")[2] and "\x1b" not in text and
   cells("conditions.governor")[2] == "<script>"'
ok "warnings are in the page" page '"ran with another governor" in text'

# Provenance

runs make template small 8 0.002

other() { rm -rf "$1"; cp -r small "$1"; runs set "$2" "$1"/[0-9]*.json; }
other commit 'if .run.command == 2 then .manifest.git =
  {commit: "1111111111111111111111111111111111111111", branch: "next",
   changes_xxh64: null} else . end'
run eventring compare commit
ok "another commit is a difference" out_has \
  '^git.commit  *-  *1111111111111111111111111111111111111111$'
other parameters 'if .run.command == 2 then
  .manifest.environment.OCAMLRUNPARAM = "s=1M" else . end'
run eventring compare parameters
ok "another OCAMLRUNPARAM is a difference" out_has \
  '^environment.OCAMLRUNPARAM  .*s=1M$'
other governor 'if .run.command == 2 then
  .manifest.conditions.governor = "powersave" else . end'
run eventring compare governor
ok "another governor is a difference and a warning" eval \
  'out_has "^conditions.governor  *.*powersave$" && warns "another governor"'
other varying 'if .run.number == 4 then
  .manifest.conditions.governor = "powersave" else . end'
run eventring compare varying
ok "a condition that varies within the runs is a warning" \
  warns 'varying:new: conditions.governor is not the same for all runs'
other program 'if .run.command == 2 then
  .manifest.program.executable.xxh64 = "0123456789abcdef" else . end'
run eventring compare --json program
ok "another program is a difference" jq -e '.comparisons[0].manifest | length == 1
  and .[0].fact == "program.executable.xxh64" and
  .[0].values == ["0123456789abcdef"] and (.[0].base | length == 1)' out
other machine 'if .run.command == 2 then
  .manifest.machine |= (.key = "0123456789abcdef" | .memory_mib = 1) else . end'
run eventring compare machine
ok "runs of another machine are refused" one_line 3 \
  'machine:new ran on another machine than machine:old; --other-machines'
run eventring compare --other-machines machine
ok "--other-machines compares them, with a warning" eval 'exits 0 &&
  warns "machine:new ran on another machine" && out_has "^machine.memory_mib "'

# The same with real runs: nothing is written into the manifests.
one_run() { eventring batch -q --runs 1 --warm-up 0 "$@"; }
git init -q repository
commit_all() { git -C repository add . && git -C repository \
  -c user.name=x -c user.email=x -c commit.gpgsign=false commit -qm "$1"; }
cp batch repository/prog && commit_all one
(cd repository && one_run -o ../first -- ./prog 1000)
echo more >repository/more && commit_all two
(cd repository && one_run -o ../second -- ./prog 1000)
run eventring compare --json first second
ok "the same program of another commit is flagged" eval 'jq -e "
  .comparisons[0].manifest | map(.fact) == [\"git.commit\"]" out &&
  [ "$(jq -r ".comparisons[0].manifest[0].values[0]" out)" = \
    "$(git -C repository rev-parse HEAD)" ]'
one_run -o set -- ./batch 1000 -- OCAMLRUNPARAM=s=64k ./batch 1000
run eventring compare --json set
ok "a real run with another OCAMLRUNPARAM is flagged" eval 'jq -e "
  .comparisons[0].manifest | map(select(.fact == \"environment.OCAMLRUNPARAM\"))
  | .[0].base == [] and .[0].values == [\"s=64k\"]" out'
fake_governor='mount --make-rprivate / &&
  mount -t tmpfs none /sys/devices/system/cpu/cpu0 &&
  mkdir /sys/devices/system/cpu/cpu0/cpufreq &&
  echo faked >/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'
if unshare -m sh -c "$fake_governor" 2>/dev/null; then
  one_run -o found -- ./batch 1000
  unshare -m sh -c "$fake_governor"' && "$@"' sh "$EVENTRING_BIN" \
    batch -q --runs 1 --warm-up 0 -o faked -- ./batch 1000
  run eventring compare found faked
  ok "another governor, which the system reports, is flagged" eval 'exits 0 &&
    out_has "^conditions.governor  .*faked" && warns "faked:batch ran with another governor"'
else
  skip "another governor, which the system reports, is flagged" \
    "no mount namespace"
fi
cp -r set damaged
python3 -c 'f = open("damaged/000001.evr", "r+b"); b = bytearray(f.read())
b[-1] ^= 1; f.seek(0); f.write(b)'
run eventring compare damaged
ok "one bit in the last byte of a real recording, changed, is flagged" \
  warns 'damaged:.*: 1 run changed afterwards: run 1: recording 000001.evr'

# Doubtful runs

other failing 'if .run.number == 4 then
  .run.failed = true | .run.exit_code = 2 else . end'
run eventring compare failing
ok "failed runs are left out, and a warning says so" eval 'out_has "^failing:new (7 runs)" &&
  warns "failing:new: 1 run failed, and left out: run 4: exit code 2"'
other failed 'if .run.command == 2 then .run.failed = true else . end'
run eventring compare failed
ok "a command that always failed is refused" \
  one_line 3 'failed:new has no run that can be compared'
other lossy 'if .run.command == 1 then
  .manifest.recordings[0].lost_events = 5 else . end'
run eventring compare lossy
ok "losses of events are a warning" \
  warns 'lossy:old: 8 runs lost 40 events'
other gc 'if .run.command == 2 then
  .manifest.recordings[0].categories = ["gc"] else . end'
run eventring compare gc
ok "other categories are a difference and a warning" \
  eval 'warns "gc:new recorded other categories" && out_has "^recordings.categories "'
other untraced 'if .run.command == 2 then
  .manifest.recordings = [] | .summary = null else . end'
run eventring compare untraced
ok "without recordings the figures of the process are compared" eval \
  'out_has "^wall_ns " && ! out_has "^total" &&
   warns "untraced:new has no recordings: .* times of untraced:old include"'
run eventring compare untraced:new untraced:old
ok "the other way round, too" \
  warns "untraced:new has no recordings: .* times of untraced:old include"
cp -r small flipped
printf x | dd of=flipped/000001.evr bs=1 seek=2000 conv=notrunc status=none
run eventring compare flipped
ok "a changed byte in a recording is a warning" \
  warns 'flipped:old: 8 runs changed afterwards: run 1: recording 000001.evr'
cp -r small edited
sed -i 's/"wall_ns":/"wall_ns":1/' edited/000003.json
run eventring compare edited
ok "a changed run is a warning" warns \
  'edited:old: 1 run changed afterwards: run 3: the run.s own file was changed'
cp -r small broken && echo '{' >broken/000003.json
run eventring compare broken
ok "a run that cannot be read is left out, with a warning" \
  warns 'broken: 1 run cannot be read'
other strange 'if .run.command == 2 then .manifest = 3 | .summary = [] |
  .run.wall_ns = "x" | .run.max_rss_bytes = -5 else . end'
run eventring compare --other-machines strange
ok "figures without a number, or below 0, are not compared" eval \
  'exits 0 && out_has "^cpu_ns " && ! out_has "^wall_ns" && ! out_has "^max_rss"'

# Refused operands

run eventring compare
ok "no operand is refused" refused 2 'missing batch'
run eventring compare missing
ok "a missing folder is refused" one_line 3 'missing is no batch'
run eventring compare template
ok "one command alone is refused" \
  one_line 3 'template is one command; give another one'
run eventring compare slow/000001.evr slow
ok "a file that is no run is refused" one_line 3 \
  "slow/000001.evr is neither a batch, which is a folder, nor a run, NNNNNN.json"
mkdir emptied
run eventring compare emptied
ok "a folder that is no batch is refused by its name" \
  eval 'one_line 3 "emptied is no batch" && ! err_has store'
run eventring compare slow:old slow:old
ok "a command against itself is refused" one_line 3 'slow:old is given twice'
run eventring compare slow:other slow
ok "an unknown label is refused" one_line 3 "no command labelled 'other'"
run eventring compare slow/000099.json slow
ok "a missing run is refused" one_line 3 '000099.json'
mkdir empty && cp same/batch.json empty/
run eventring compare empty
ok "a batch without runs is refused" one_line 3 'empty:old has no run'
finish
