#!/bin/sh
# eventring timeline: changes in series of runs that a script makes, so that they
# are the same each time; outliers, machines, order, causes, pages, bad input.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile batch
export EVENTRING_STORE="$tmp/store"
runs() { python3 "$here/compare_runs.py" "$@" || exit 1; }
one_line() { exits "$1" && [ "$(wc -l <err)" -eq 1 ] && err_has "$2"; }
warns() { grep -q "^warning: .*$1" out; }
eventring batch -q --runs 1 --warm-up 0 -o template -- ./batch 300000

git init -q -b trunk repo
for i in $(seq 40); do
  git -C repo -c user.name=T -c user.email=t@t commit -q --allow-empty \
    -m "step $i <b>&'\""
done
hash() { git -C repo rev-list --reverse HEAD | sed -n "$1p" | cut -c 1-12; }

# other NAME FILTER: a copy of the batch `even`, with changed runs.
other() { rm -rf "$1"; cp -r even "$1"; runs set "$2" "$1"/[0-9]*.json; }
runs series template even 30 3 0.003 repo

# A step

run eventring timeline even
ok "a series without a change has none" eval 'exits 0 &&
  out_has "^no change in [0-9]* figures$" && ! out_has "^change at"'
ok "a series has the program, its arguments and its machine" out_has \
  '^batch 300000: 30 versions by commit, 90 runs, machine [0-9a-f]\{16\}$'
other step 'if .run.command >= 16 then
  .run.user_ns = (.run.user_ns * 1.05 | floor) else . end'
run eventring timeline step
ok "a step is found at its commit" out_has "^change at $(hash 16) 'step 16 "
ok "the table has the step of the figure and where it began" eval \
  'grep -q "^cpu_ns  *+4\.[0-9] %  .*  $(hash 16)  *99\.99 %" out'
ok "other figures did not change" eval '! out_has "^wall_ns" &&
  ! out_has "^total\." && [ "$(grep -c "^change at" out)" = 1 ]'
ok "the commit is the candidate" eval 'out_has "^candidate: commit $(hash 16) " &&
  [ "$(grep -c "^candidate" out)" = 1 ]'
ok "nothing is to be run when only one commit can be the cause" \
  eval '! out_has "^run next"'
run eventring timeline --figure 'wall*' step
ok "--figure looks at other figures only" eval \
  'exits 0 && out_has "^no change in 1 figure$"'
run eventring timeline --figure cpu_ns --figure user_ns step
ok "--figure may be repeated" eval 'exits 0 &&
  [ "$(grep -c "^cpu_ns \|^user_ns " out)" = 2 ]'
other less 'if .run.command >= 12 then .run.max_rss_bytes -= 500000 else . end'
run eventring timeline less
ok "a step down is found in a figure without noise" eval \
  'grep -q "^max_rss_bytes  *-[0-9.]* %" out && out_has "^change at $(hash 12) "'
other two 'if .run.command >= 12 then .run.max_rss_bytes *= 1.25 else . end |
  if .run.command >= 23 then .run.user_ns = (.run.user_ns * 1.1 | floor)
  else . end'
run eventring timeline two
ok "two changes of different figures are apart" eval \
  '[ "$(grep "^change at" out | cut -d " " -f 3 | tr "\n" " ")" = \
     "$(hash 12) $(hash 23) " ]'
other tiny 'if .run.command >= 16 then .run.max_rss_bytes += 1 else . end'
run eventring timeline tiny
ok "a change of a millionth is counted, not listed" eval \
  'out_has "^no change" && out_has "^not listed: .* 1 smaller than 0.1 %"'

# Outliers

other spike 'if .run.command == 16 then .run.wall_ns *= 2 else . end'
run eventring timeline spike
ok "a single slow version is an outlier and no change" eval \
  'out_has "^no change" && out_has "^outliers: wall_ns at $(hash 16)$"'

# Machines and programs

other machine 'if .run.command >= 16 then .run.wall_ns *= 2 | .run.user_ns *= 2 |
  .manifest.machine.key = "0123456789abcdef" else . end'
run eventring timeline machine
ok "another machine is another series" eval 'exits 0 &&
  [ "$(grep -c "^batch 300000: 15 versions" out)" = 2 ] &&
  out_has "machine 0123456789abcdef$"'
ok "there is no change between two machines" eval '! out_has "^change at"'
other arguments 'if .run.command >= 16 then .run.wall_ns *= 2 |
  .manifest.argv[1] = "5" else . end'
run eventring timeline arguments
ok "other arguments are another series" eval 'out_has "^batch 5: 15 versions" &&
  out_has "^batch 300000: 15 versions" && ! out_has "^change at"'
eventring batch -q --runs 1 --warm-up 0 -o labels -- ./batch 9 -- ./batch 8 7
run eventring timeline labels
ok "arguments that are in the label are not named twice" eval \
  'out_has "^./batch 9: 1 version " && out_has "^./batch 8 7: 1 version "'
other several 'if .run.command == 16 and .run.round == 1 then
  .manifest.machine.key = "0123456789abcdef" else . end'
run eventring timeline several
ok "a version that ran on several machines is left out, with a warning" eval \
  'out_has "29 versions" && warns "has runs of several machines"'
runs series template short 13 2 0.003 repo
run eventring timeline short
ok "too few versions are said to be so" eval 'exits 0 &&
  out_has "^too few versions: changes can be found with 14 or more$"'

# Order

runs series template timed 30 2 0.003
runs set 'if .run.command >= 16 then .run.wall_ns *= 1.1 else . end |
  .run.wall_ns |= floor' timed/[0-9]*.json
run eventring timeline timed
ok "without commits, versions are in the order of their times" eval \
  'out_has "30 versions by time" && out_has "^change at timed:prog$"'
run eventring timeline --json timed
ok "the change is at its place in time" jq -e '.series[0] |
  .order == "time" and .changes[0].index == 15 and
  .versions[15].started[:13] == "2026-01-01T15" and
  .changes[0].next == []' out
cp -r step gone && mv repo hidden
run eventring timeline --json gone
ok "without the repository, commits are in the order of time" jq -e \
  '.series[0] | .order == "time" and .changes[0].index == 15 and
   .changes[0].commits == [] and (.versions[0].commit | length == 40) and
   (.changes[0].manifest | length == 1 and .[0].fact == "git.commit")' out
mv hidden repo
other reversed '.run.started = "2025-12-31T\(10 + (90 - .run.number) % 10):00:00.000000000Z" |
  if .run.command >= 16 then .run.user_ns *= 2 else . end'
run eventring timeline reversed
ok "with commits, the order of times does not count" \
  out_has "^change at $(hash 16) "

# Causes

other package '.manifest.packages = {opam: {left_pad: "1.0", other: "2"}, dune: {}} |
  if .run.command >= 16 then .run.user_ns = (.run.user_ns * 1.05 | floor) |
  .manifest.packages.opam.left_pad = "1.1" |
  .manifest.environment.OCAMLRUNPARAM = "s=1M" |
  .manifest.program.executable.xxh64 = "0123456789abcdef" else . end'
run eventring timeline package
ok "a package with another version is a candidate" out_has \
  '^candidate: packages.opam.left_pad from 1.0 to 1.1$'
ok "so is another OCAMLRUNPARAM" \
  out_has '^candidate: environment.OCAMLRUNPARAM from .* to s=1M$'
ok "what did not change, or changes with each commit, is no candidate" eval \
  '[ "$(grep -c "^candidate" out)" = 3 ]'
rm -rf sparse && runs series template sparse 40 3 0.003 repo
runs set 'if .run.command >= 21 then .run.user_ns = (.run.user_ns * 1.05 | floor)
  else . end' sparse/[0-9]*.json
# Commits 17 to 20 have no runs.
rm $(jq -r 'select(.run.command >= 17 and .run.command <= 20) |
  input_filename' sparse/[0-9]*.json)
run eventring timeline sparse
ok "commits that were not measured are candidates" eval \
  '[ "$(grep -c "^candidate: commit .*, not measured$" out)" = 4 ] &&
   out_has "^candidate: commit $(hash 21) .*.$"'
ok "the commit in the middle is to be run next" out_has "^run next: $(hash 18) "
ok "a command runs it" out_has "^  in .*/repo: eventring batch \
--commits='$(hash 18)^!' --build='make it' --runs=1 -- ./batch 300000$"
jq '.environment.OCAMLRUNPARAM = "e=20" | .trace = "none" |
  .commands[].variables = {NAME: "a b"}' sparse/batch.json >new
cp sparse/batch.json old && cp new sparse/batch.json
run eventring timeline sparse
ok "the command has the variables and options of the batch" out_has "^  in .*/repo: \
OCAMLRUNPARAM=e=20 eventring batch --commits='$(hash 18)^!' --build='make it' \
--no-trace --runs=1 -- NAME='a b' ./batch 300000$"
mv old sparse/batch.json
jq --arg hash "$(git -C repo rev-parse "$(hash 18)")" \
  '.commits.failed = [$hash]' sparse/batch.json >new && mv new sparse/batch.json
run eventring timeline sparse
ok "a commit that cannot be built is not to be run, but its neighbour is" eval \
  'out_has "^run next: $(hash 17) " && ! out_has "^run next: $(hash 18)"'
run eventring timeline even step
ok "runs of one commit in two batches are one version" \
  out_has '30 versions by commit, 180 runs'

compile halves
OCAML_EVENTRING_PROFILE=1000 eventring batch -q --runs 1 --warm-up 0 -o sampled \
  -- ./halves 1 -- ./halves 25000000
recordings() { jq -c .manifest.recordings $(grep -l "\"command\":$1," sampled/0*.json); }
# Reading the samples takes its time: only the runs of the first round have them.
other functions "if .run.command >= 16 then
  .run.user_ns = (.run.user_ns * 1.05 | floor) else . end |
  if .run.round > 1 then . elif .run.command >= 16
  then .manifest.recordings = $(recordings 2)
  else .manifest.recordings = $(recordings 1) end"
cp sampled/*.evr functions/
run eventring timeline functions
ok "with samples, functions with another share are listed, but are no changes" eval \
  'out_has "^function: functions.Halves.more.self_share from 0.0% to [0-9.]*% of" &&
   out_has "^function: functions.Halves.burn.self_share from [0-9.]*% to " &&
   ! out_has "^functions" && [ "$(grep -c "^change at" out)" = 1 ]'

# JSON and pages

run eventring timeline --json step
ok "--json is valid" python3 -c 'import json; json.load(open("out"))'
ok "--json has all members" jq -e '.version == 2 and .warnings == [] and
  .tests > 20 and .uncertain == 0 and .small == 0 and (.series | length == 1) and
  (.series[0] | .order == "commits" and .runs == 90 and .failed == 0 and .enough
   and (.versions | length == 30) and (.versions[3] | .position == 3 and
     .runs == 3 and .subject == "step 4 <b>&'\''\"") and
   (.figures[] | select(.name == "cpu_ns") | .unit == "ns" and
     .better == "less" and (.medians | length == 30) and
     (.changes | length == 1) and (.changes[0] | .index == 15 and .low <= 15 and
       .high >= 15 and .before == .low - 1 and (.step - 0.045 | fabs) < 0.01 and
       .median_after > .median_before and .confidence > 0.99 and .p < 0.001 and
       .adjusted_p < 0.05 and .listed)) and
   (.changes[0] | .index == 15 and .commits[0].likely and .manifest == [] and
     (.figures | sort == ["cpu_ns", "user_ns"])))' out
cp out first
run eventring timeline --json step
ok "--json is the same each time" cmp out first
run eventring timeline --html page.html sparse
ok "--html writes a page and prints nothing" eval 'exits 0 && silent'
ok "the page is well-formed, with charts and without scripts" python3 -c '
import xml.etree.ElementTree as tree
root = tree.parse("page.html").getroot()
tags = [e.tag.split("}")[1] for e in root.iter()]
text = " ".join(root.itertext())
assert tags.count("svg") == 7, tags.count("svg")
assert "script" not in tags and "b" not in tags
assert "step 21 <b>&\x27\"" in text
assert "http" not in open("page.html").read().replace("http-equiv", "") \
    .replace("http://www.w3.org/", "")
points = [e for e in root.iter() if e.get("class") in ("point", "outlier")]
assert len(points) == 7 * 36, len(points)
assert sum(e.get("class") == "range" for e in root.iter()) == 2'
run eventring timeline --html page.html sparse
ok "an existing page is not overwritten" one_line 4 'page.html'
cp page.html first.html
run eventring timeline --html page.html --force sparse
ok "the page is the same each time" eval 'exits 0 && cmp page.html first.html'
run eventring timeline --html - step
ok "--html=- prints the page" out_has '^</html>$'

# Doubtful runs

other failing 'if .run.number == 4 then
  .run.failed = true | .run.exit_code = 2 else . end'
run eventring timeline failing
ok "failed runs are left out, and a warning counts them" eval \
  'out_has ", 89 runs," && warns "1 run failed, and left out: .*: run 4: exit code 2"'
cp -r even edited
sed -i 's/"wall_ns":/"wall_ns":1/' edited/000003.json
run eventring timeline edited
ok "a changed run is a warning" warns '1 run changed afterwards: .*run 3'
cp -r even broken && echo '{' >broken/000003.json
run eventring timeline broken
ok "a run that cannot be read is left out, with a warning" \
  warns '1 run cannot be read'
other strange 'if .run.command == 2 then .manifest = 3 | .summary = [] |
  .run.wall_ns = "x" | .run.max_rss_bytes = -5 else . end'
run eventring timeline strange
ok "a run without a manifest is a series of its own" eval 'exits 0 &&
  out_has "^batch 300000: 29 versions" && out_has ": 1 version by time, 3 runs"'
run eventring timeline even/00000?.json
ok "single runs are versions of their commits" \
  out_has '^batch 300000: 9 versions by commit, 9 runs'

# Refused

run eventring timeline
ok "no operand is refused" refused 2 'missing batch'
run eventring timeline missing
ok "a missing folder is refused" one_line 3 'missing is no batch'
run eventring timeline even even
ok "a batch given twice is refused" one_line 3 'is given twice'
run eventring timeline --figure nonsense even
ok "a figure that no run has is refused" one_line 1 'no run has a figure nonsense'
mkdir empty && cp even/batch.json empty/
run eventring timeline empty
ok "a batch without runs is refused" one_line 3 'no run can be compared'
run eventring timeline --json --html=- even
ok "two outputs to standard output are refused" refused 2 'both write to'
finish
