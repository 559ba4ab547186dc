"""Whether a hub has every event of a process, or the report of its agent counts
it as lost: written = stored + lost.

The process is testsuite/fleet/counted.ml with the category user alone, so that
the events of a ring are the numbers 1, 2, 3, ...  Its ring file is still there:
the header of the last block of a ring has the number of the events before it.

By hand: conserve.py URL NODE STORE RING_FILE..."""

import glob
import json
import mmap
import os
import struct
import subprocess
import sys
import tempfile

EVENTRING = os.environ["EVENTRING_BIN"]


# The offset of the time of the field `started`, in ns (doc/FORMAT.md).
STARTED_NS = 448


class Lost(Exception):
    """Something is missing, or there twice."""


def fields(*args):
    """The fields of each event of a file or a stream."""
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen([EVENTRING, "events", "--raw", *args], text=True,
                              stdout=subprocess.PIPE, stderr=errors) as run:
            for line in run.stdout:
                yield line.rstrip("\n").split("\t")
        if run.returncode != 0:
            errors.seek(0)
            raise Lost(f"events {args}: {errors.read().strip()}")


def number_in(field):
    return int(field[8].split()[0], 16)


def raw(*args):
    """The events of a file or a stream: ring, ticks, whether events are lost,
    and the number of the event or how many are lost."""
    for field in fields(*args):
        yield (int(field[2]), int(field[1]), field[5] == "lost",
               number_in(field))


def decoded(*args):
    """The fields of the events of a file or a stream but the time in ns, whose
    rate is measured, by ring and number, in the order of the events; and
    whether none are lost between two."""
    events, whole = {}, True
    for field in fields(*args):
        if field[5] == "lost":
            whole = False
        else:
            events[int(field[2]), number_in(field)] = field[1:]
    return events, whole


def header(path):
    """pid, start of the session, and the number of events written to each ring
    that has any, by the ring file."""
    with open(path, "rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    directory, = struct.unpack_from("<Q", data, 48)
    slot, rings = struct.unpack_from("<II", data, 56)
    first, words = struct.unpack_from("<QQ", data, 64)
    block, = struct.unpack_from("<I", data, 80)
    pid, = struct.unpack_from("<I", data, 88)
    started = struct.unpack_from("<q", data, STARTED_NS)[0]
    last = {}
    for ring in range(rings):
        tail, = struct.unpack_from("<Q", data, directory + ring * slot)
        if tail == 0:
            continue
        position = (tail - 1) // block * block
        at = first + 8 * (ring * words + position % words)
        base, _, before = struct.unpack_from("<QQQ", data, at)
        last[ring] = [base, before]
    written = {ring: before for ring, (_, before) in last.items()}
    for ring, ticks, lost, _ in raw(path):
        if not lost and ticks >= last[ring][0]:
            written[ring] += 1
    return pid, started, written


def stream_of(path, node, store):
    pid, started, written = header(path)
    streams = glob.glob(f"{store}/nodes/{node}/*-{pid}-{started}")
    if len(streams) != 1:
        raise Lost(f"{path}: {len(streams)} streams of it at the hub")
    return os.path.basename(streams[0]), written


def report_of(stream, url):
    """The numbers of events and lost events in the last report of the stream."""
    run = subprocess.run([EVENTRING, "ps", "--hub", url, "--json"],
                         capture_output=True, text=True)
    if run.returncode != 0:
        raise Lost(f"ps: {run.stderr.strip()}")
    for process in json.loads(run.stdout)["processes"]:
        if process["stream"] == stream and "lost" in process:
            return process["events"], process["lost"]
    raise Lost(f"{stream}: no report")


def stored_at(url, stream, rings):
    """The numbers of events of each ring at the hub, and of those that readers
    count as lost between two of them."""
    stored, last = dict.fromkeys(rings, 0), dict.fromkeys(rings, 0)
    between = 0
    for ring, _, is_lost, number in raw("--hub", url, stream):
        if is_lost:
            between += number
            continue
        if number <= last[ring]:
            raise Lost(f"{stream}: ring {ring} has {number} after {last[ring]}")
        stored[ring] += 1
        last[ring] = number
    return stored, between


def check(path, url, node, store, printed=None):
    """Compares the process of the ring file at PATH with the hub.  PRINTED are
    the lines of the program, if it has ended in order.  Returns the numbers of
    events that were written, stored, and lost."""
    stream, written = stream_of(path, node, store)
    stored, between = stored_at(url, f"{node}/{stream}", written)
    reported, lost = report_of(stream, url)
    sums = sum(written.values()), sum(stored.values()), lost
    if sums[0] != sums[1] + lost or reported != sums[1] or between > lost:
        raise Lost(f"{path}, {stream}: {written} written, {stored} stored, "
                   f"{reported} reported as stored, {lost} as lost, {between} "
                   "lost between two")
    if printed is not None:
        counts = sorted(int(line.split()[1]) for line in printed.split("\n")
                        if line)
        if counts != sorted(written.values()):
            raise Lost(f"{path}: printed {counts}, written {written}")
    return sums


def compare(path, url, node, store, local):
    """Compares the events of the process of the ring file at PATH at the hub with
    the LOCAL files.  Returns the number of events that both have."""
    stream, _ = stream_of(path, node, store)
    stored, stored_whole = decoded("--hub", url, f"{node}/{stream}")
    common = 0
    for file in local:
        events, whole = decoded(file)
        both = stored.keys() & events.keys()
        common += len(both)
        for key in both:
            if stored[key] != events[key]:
                raise Lost(f"{file}, {stream}: {events[key]} is {stored[key]} at "
                           "the hub")
        if stored_whole and whole and len(both) == len(stored) == len(events) \
           and list(stored) != list(events):
            raise Lost(f"{file}, {stream}: the order differs")
    return common


def main():
    url, node, store = sys.argv[1:4]
    for path in sys.argv[4:]:
        out = os.path.splitext(path)[0] + ".out"
        printed = None
        if os.path.exists(out):
            with open(out) as file:
                printed = file.read()
        print("# %d written, %d stored, %d lost"
              % check(path, url, node, store, printed))


if __name__ == "__main__":
    try:
        main()
    except Lost as lost:
        sys.exit(f"# {lost}")
