"""agree.py FORMAT ROWS RAW FLOW REQUEST

Checks that the rows that were read back from a trace are the events that
"eventring events --raw" printed: as many of each form, name and time.  In each
track, the spans must be inside of each other, and each begin have its end.
FLOW and REQUEST are the names of the flows and of the requests.  Where there
are tracks, the runs of the requests are in tracks of their own, and no events:
they must begin and end as the events request_run say."""

import collections
import json
import sys

import rows

form, rows_file, raw_file, flow, request = sys.argv[1:]


def normal(what):
    """Perfetto has no word for a step of a flow, CTF none for a counter."""
    if form == "perfetto" and what in ("flow_begin", "flow_step"):
        return "flow"
    if form == "perfetto" and what.startswith("request_"):
        return what[len("request_"):]
    if form == "ctf" and what.startswith("request_"):
        return what.replace("request", "flow")
    if form == "ctf" and what == "counter":
        return "instant"
    return what


def of_raw(line):
    ns, _, _, _, _, what, _, name, payload = line.rstrip("\n").split("\t")
    if what == "lost":
        what, name = "instant", f"lost {int(payload, 16)} events"
    elif name == request:
        what = "request_" + what
    elif name == flow:
        what = "flow_" + {"instant": "step"}.get(what, what)
    elif what == "complete":
        what = "complete"
    return normal(what), name, int(ns)


def of_row(line):
    what, name, track, start, end, arguments = line.rstrip("\n").split("\t")
    return normal(what), name, int(end), int(start), track, \
        json.loads(arguments)


def runs_of_raw():
    """Where threads worked on requests, as (number, from, to)."""
    current, runs = {}, []
    for line in open(raw_file):
        ns, _, _, _, thread, what, _, name, payload = \
            line.rstrip("\n").split("\t")
        if name != "request_run" and (name != request or what != "end"):
            continue
        number = int(payload.split()[0], 16)
        if name == "request_run":
            number &= 0x7F              # packed, of one byte
        was, since = current.get(thread, (0, 0))
        if name == request and was != number:
            continue
        if name == "request_run" and was == number:
            continue
        if was != 0:
            runs.append((was, since, int(ns)))
        current[thread] = (number if name == "request_run" else 0, int(ns))
    return sorted(runs)


expected = [of_raw(line) for line in open(raw_file)]
found = [of_row(line) for line in open(rows_file)]
if form != "ctf":
    expected = [event for event in expected if event[1] != "request_run"]
    runs = [event for event in found if event[4].endswith(": request_run")]
    found = [event for event in found if event not in runs]
rows.need(expected and found, "there are no events")
# The clock may begin elsewhere.
shift = (min(ns for _, _, ns in expected) - min(event[2] for event in found))
difference = collections.Counter(expected)
difference.subtract((what, name, ns + shift)
                    for what, name, ns, *_ in found)
wrong = {event: count for event, count in difference.items() if count}
for event, count in sorted(wrong.items())[:10]:
    print(f"{count:+d} {event}")
rows.need(not wrong, "not the events that eventring events prints")

if form != "ctf":
    # Perfetto's have begin and end, with the arguments in the begin.
    slices = [(event[5].get("id"), event[3] + shift, event[2] + shift)
              for event in runs if event[0] != "end"]
    if form == "perfetto":
        ends = [event[2] + shift for event in runs if event[0] == "end"]
        slices = [(number, begin, end)
                  for (number, begin, _), end in zip(slices, ends)]
    wrong = sorted(set(slices) ^ set(runs_of_raw()))
    rows.need(not wrong and len(slices) >= 80,
              f"{len(slices)} runs of requests, not right: {wrong[:10]}")
    tracks = collections.defaultdict(list)
    spans = collections.defaultdict(list)
    for what, name, ns, start, track, _ in found:
        if what == "begin":
            tracks[track].append((name, ns))
        elif what == "end":
            rows.need(tracks[track] and tracks[track][-1][0] == name,
                      f"{track}: {name} ends at {ns} in {tracks[track][-1:]}")
            spans[track].append((tracks[track].pop()[1], -ns, name))
        elif what == "complete":
            spans[track].append((start, -ns, name))
    rows.need(not any(tracks.values()), "a span is open at the end")
    for track, inside in spans.items():
        around = []
        for start, end, name in sorted(inside):
            while around and -around[-1][1] <= start:
                around.pop()
            rows.need(not around or -end <= -around[-1][1],
                      f"{track}: {name} from {start} to {-end} crosses the end"
                      f" of {around[-1:]}")
            around.append((start, end, name))
