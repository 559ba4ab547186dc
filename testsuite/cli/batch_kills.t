#!/bin/sh
# Only in make check-long: it kills at random moments; batch.t has three of them.
# eventring batch goes on after SIGKILL at any moment: no run is lost, made again or
# left behind.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
compile batch
export EVENTRING_STORE="$tmp/store" TMPDIR="$tmp/tmp"
mkdir tmp

cat >kill.py <<'END'
"""Kills a batch with SIGKILL at random moments, and lets it go on."""
import json, os, random, signal, subprocess, sys, time
eventring, folder, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(1)
goes_on = [eventring, "batch", "-q", "--continue=" + folder]
seen, killed = {}, 0
begin = [eventring, "batch", "-q", "--runs", "9999", "--seed", "3", "--warm-up",
         "0", "-o", folder, "--", "./batch", "1000", "5", "--", "./batch", "9"]
def state():
    return {name: os.stat(folder + "/" + name).st_mtime_ns
            for name in os.listdir(folder) if name[0] in "0123456789"
            and name.endswith(".json")}
process = subprocess.Popen(begin)
while not os.path.exists(folder + "/batch.json"):
    time.sleep(0.01)
while killed < times:
    time.sleep(random.uniform(0, 0.12))
    if process.poll() is not None:
        sys.exit(f"the batch ended after {killed} kills: {process.returncode}")
    process.send_signal(signal.SIGKILL)
    process.wait()
    killed += 1
    now = state()
    for name, at in seen.items():
        if now.get(name) != at:
            sys.exit(f"{name} was lost or made again")
    for name in now:
        json.load(open(folder + "/" + name))
    seen = now
    # The last goes on for three rounds.
    rounds = len(seen) // 2 + 3
    last = ["--runs", str(rounds)] if killed == times else []
    process = subprocess.Popen(goes_on + last)
print(rounds)
sys.exit(process.wait())
END
run python3 kill.py "$EVENTRING_BIN" killed 25
ok "a batch goes on after SIGKILL at 25 random moments" exits 0
rounds=$(cat out)
echo "# $rounds rounds"
numbers() { jq -r .run.number killed/[0-9]*.json | tr '\n' ' '; }
ok "no run is lost or repeated" \
  [ "$(numbers)" = "$(seq -s ' ' $((2 * rounds))) " ]
run eventring check killed/*[0-9].json
ok "all runs and recordings are as they were written" exits 0
ok "killed batches leave no temporary files" eval \
  '! [ -e killed/.making ] && [ -z "$(ls -A tmp)" ]'
ok "killed batches leave no program behind" eval \
  '! grep -lz "^./batch$" /proc/[0-9]*/cmdline 2>/dev/null | xargs -r -n 1 dirname |
     while read d; do [ "$(readlink $d/cwd)" = "$tmp" ] && echo $d; done | grep .'
finish
