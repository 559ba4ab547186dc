"""Many short-lived processes under one agent: of each, the events that it has
written are the events at the hub and the events that count as lost.

short.py URL NODE RINGS COUNTED PROCESSES

The processes leave tombstones in RINGS, and remove their ring files."""

import collections
import json
import os
import random
import subprocess
import sys
import time

import conserve

AT_A_TIME = 8


def start(counted, rings):
    arguments = random.choice([(0, 1), (0, 1), (0.02, 5)])
    batch = random.randint(1, 40)
    environment = {
        **os.environ, "OCAML_EVENTRING_START": "1",
        "OCAML_EVENTRING_PREFIX": rings, "OCAML_EVENTRING_TOMBSTONES": rings,
        "OCAML_EVENTRING_CATEGORIES": "user", "OCAMLRUNPARAM": "e=10"}
    return subprocess.Popen([counted, "1", str(batch), *map(str, arguments)],
                            env=environment, stdout=subprocess.PIPE, text=True)


def run_all(counted, rings, processes):
    """Returns the numbers of events that the processes have written, by pid."""
    written, running = collections.defaultdict(list), []
    for number in range(processes + AT_A_TIME):
        if number < processes:
            running.append(start(counted, rings))
        if len(running) >= AT_A_TIME or number >= processes:
            if running:
                process = running.pop(0)
                out, _ = process.communicate()
                written[process.pid].append(int(out.split()[1]))
    return written


def reports(url, node):
    run = subprocess.run([conserve.EVENTRING, "ps", "--hub", url, "--json"],
                         check=True, capture_output=True, text=True)
    return [p for p in json.loads(run.stdout)["processes"]
            if p["node"] == node and "events" in p]


def difference(url, node, written):
    """Why the reports are not those of processes that have ended, with these
    numbers; or None."""
    found = collections.defaultdict(list)
    for process in reports(url, node):
        if process["state"] != "ended":
            return f"{process} has not ended"
        found[process["pid"]].append(process["events"] + process["lost"])
    if found.keys() != written.keys():
        return f"{len(found)} processes of {len(written)}"
    for pid, numbers in written.items():
        if sorted(found[pid]) != sorted(numbers):
            return f"process {pid}: {numbers} written, {found[pid]} reported"
    return None


def main():
    url, node, rings, counted = sys.argv[1:5]
    begin = time.monotonic()
    written = run_all(os.path.abspath(counted), rings, int(sys.argv[5]))
    ended = time.monotonic()
    deadline = ended + 60 + int(sys.argv[5]) / 20
    while (wrong := difference(url, node, written)) is not None:
        if time.monotonic() > deadline:
            sys.exit(f"# {wrong}")
        time.sleep(0.5)
    arrived = time.monotonic()
    sums = collections.Counter()
    for process in reports(url, node):
        stream = process["stream"]
        events = 0 if process["events"] == 0 and process.get("bytes", 0) == 0 else \
            len(conserve.decoded("--hub", url, f"{node}/{stream}")[0])
        if events != process["events"]:
            sys.exit(f"# {stream}: {events} stored, {process}")
        sums["stored"] += events
        sums["lost"] += process["lost"]
        sums["seen"] += events > 0
    print("# %d processes in %.0f s, all reported after %.0f s: %d seen; "
          "%d events stored, %d lost" % (
              len(reports(url, node)), ended - begin, arrived - ended,
              sums["seen"], sums["stored"], sums["lost"]))


main()
