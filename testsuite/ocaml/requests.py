"""requests.py PRINTED EVENTS STAT

Compares the output of an example of requests, PRINTED, with the output of the
readers for its ring file: EVENTS is printed by "eventring events --json", STAT
by "eventring stat --json".  Every thread must have worked on the same requests
in the same order.  testsuite/cli/requests.t tests the times, with known events."""

import collections
import json
import sys

printed, events, stat = sys.argv[1:]


def need(condition, why):
    if not condition:
        sys.exit(why)


runs = collections.defaultdict(list)
total, running = {}, {}
for line in open(printed):
    what, who, *rest = line.split()
    if what == "run":
        runs[who].append(int(rest[0]))
    else:
        total[int(who)], running[int(who)] = map(float, rest)
need(len(total) == 100, f"{len(total)} requests ended")

found = collections.defaultdict(list)
current = {}
begun, ended = [], []
for event in map(json.loads, open(events)):
    thread = event.get("thread")
    if event.get("name") == "request_run":
        number = event["fields"]["request"]
        # A block repeats the request of its thread.
        if number != 0 and number != current.get(thread):
            found[event.get("thread_name", "main")].append(number)
        current[thread] = number
    elif event.get("name") == "order":
        number = event["value"]
        (begun if event["form"] == "begin" else ended).append(number)
        if event["form"] == "end" and current.get(thread) == number:
            current[thread] = 0
need(sorted(begun) == list(range(1, 101)), "not 100 begins")
need(sorted(ended) == sorted(begun), "not 100 ends")
if list(runs) == ["main"]:
    # A request is current for a moment when the program starts it.
    found["main"] = found["main"][100:]
for who in sorted(set(runs) | set(found)):
    need(runs[who] == found[who],
         f"{who}: {runs[who]} was printed, {found[who]} was found")
# They are interleaved, or the test shows nothing.
order = [number for who in runs for number in runs[who]]
need(len(order) == 300, f"{len(order)} runs")

order = json.load(open(stat))["requests"]
need([kind["name"] for kind in order] == ["order"], "another kind")
order = order[0]
for what in order, order["running"], order["waiting"]:
    need(what["count"] == 100, f"{what['count']} requests")
need(order["not_finished"] == 0, "requests that did not end")
need(order["running"]["total_ns"] + order["waiting"]["total_ns"]
     == order["total_ns"], "running and waiting times are not the total")
