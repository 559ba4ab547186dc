"""aligned.py ALL SOME: checks two outputs of eventring events --raw.  For each
ring, the events in SOME must be the events of ALL from its first one to the end
of ALL, each once, but for those that lines "lost" count.  Prints the numbers of
events and of lost events in SOME."""
import collections
import sys


def rings(path):
    """Returns the events of each ring: a list of (id, number of lost events)."""
    result = collections.defaultdict(list)
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            field = line.rstrip("\n").split("\t")
            # The begin of a span from before the events of SOME.
            if field[5] == "open":
                continue
            lost = int(field[8], 16) if field[5] == "lost" else 0
            # Payloads may have times by clocks that were measured apart.
            result[field[2]].append(((field[1], *field[3:8]), lost))
    return result


every, some = rings(sys.argv[1]), rings(sys.argv[2])
events = missing = 0
for ring, received in some.items():
    expected = [event for event, lost in every[ring] if not lost]
    if len(expected) != len(every[ring]):
        sys.exit(f"ring {ring}: the first file has lost events")
    place = None
    for event, lost in received:
        if place is None:
            if lost:
                continue
            place = expected.index(event)
        if lost:
            place += lost
            missing += lost
            continue
        if place >= len(expected) or expected[place] != event:
            sys.exit(f"ring {ring}: event {place} is not {event}")
        place += 1
        events += 1
    if place != len(expected):
        sys.exit(f"ring {ring}: {len(expected) - (place or 0)} events missing")
print(events, missing)
