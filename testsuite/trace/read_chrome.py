"""Chrome's JSON as rows."""

import decimal
import json
import sys

import rows

WHAT = {"B": "begin", "E": "end", "X": "complete", "C": "counter",
        "i": "instant", "s": "flow_begin", "t": "flow_step", "f": "flow_end",
        "b": "request_begin", "e": "request_end"}


def unique(pairs):
    names = [name for name, _ in pairs]
    rows.need(len(set(names)) == len(names), f"twice in an object: {names}")
    return dict(pairs)


def nanoseconds(us):
    ns = us * 1000
    rows.need(ns == int(ns), f"part of a nanosecond: {us}")
    return int(ns)


trace = json.loads(sys.stdin.buffer.read().decode(),
                   parse_float=decimal.Decimal, object_pairs_hook=unique)
processes, threads = {}, {}
for event in trace["traceEvents"]:
    if event["ph"] == "M":
        name = event["args"].get("name")
        if event["name"] == "process_name":
            processes[event["pid"]] = name
        if event["name"] == "thread_name":
            threads[event["pid"], event["tid"]] = name
for event in trace["traceEvents"]:
    if event["ph"] == "M":
        continue
    what = WHAT[event["ph"]]
    start = nanoseconds(event["ts"])
    arguments = event.get("args", {})
    track = threads[event["pid"], event["tid"]]
    if what == "counter":
        rows.need(len(arguments) == 1, "a counter has one value")
        arguments = {"value": value for value in arguments.values()}
        track = "/".join([event[key] for key in ("id", "name")
                          if key in event])
    if what.startswith(("flow", "request")):
        rows.need(int(event["id"], 16) & 0xFF == arguments["id"] & 0xFF,
                  "another flow")
    rows.row(what, event["name"],
             f"{processes[event['pid']]}/{track}",
             start, start + nanoseconds(event.get("dur", 0)), arguments)
