#!/usr/bin/env python3
# Decodes a recording and prints the lines of `eventring events --raw FILE`, in
# no particular order.  It uses nothing but doc/RECORDING.md and, for the events
# in blocks, the decoder of testsuite/format, which was written from
# doc/FORMAT.md: so it shows that the pages are complete.
#
#   decode_recording.py FILE [PART]

import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "format"))
import decode  # noqa: E402

ANY = (1 << 64) - 1
PROCESS, SCHEMA, SEGMENT, NOTE, END, INDEX = range(1, 7)


# XXH64 with a seed of 0.
P1, P2, P3, P4, P5 = (
    0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
    0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def rotate(x, n):
    return (x << n | x >> 64 - n) & ANY


def mix(lane, word):
    return rotate(lane + word * P2 & ANY, 31) * P1 & ANY


def checksum(data):
    end = len(data) & ~31
    total = P5
    if end > 0:
        a, b, c, d = P1 + P2 & ANY, P2, 0, -P1 & ANY
        for w, x, y, z in struct.iter_unpack("<4Q", data[:end]):
            a, b, c, d = mix(a, w), mix(b, x), mix(c, y), mix(d, z)
        total = (rotate(a, 1) + rotate(b, 7) + rotate(c, 12)
                 + rotate(d, 18)) & ANY
        for lane in a, b, c, d:
            total = ((total ^ mix(0, lane)) * P1 + P4) & ANY
    total = total + len(data) & ANY
    words = len(data) & ~7
    for word, in struct.iter_unpack("<Q", data[end:words]):
        total = (rotate(total ^ mix(0, word), 27) * P1 + P4) & ANY
    rest = data[words:]
    if len(rest) >= 4:
        word, = struct.unpack_from("<I", rest)
        total = (rotate(total ^ word * P1 & ANY, 23) * P2 + P3) & ANY
        rest = rest[4:]
    for byte in rest:
        total = rotate(total ^ byte * P5 & ANY, 11) * P1 & ANY
    total = (total ^ total >> 33) * P2 & ANY
    total = (total ^ total >> 29) * P3 & ANY
    return total ^ total >> 32


def need(good, what):
    if not good:
        raise decode.Bad(what)


def decompress(data):
    return subprocess.run(["zstd", "-dcq"], input=data, check=True,
                          stdout=subprocess.PIPE).stdout


class Chunk:
    def __init__(self, file, at):
        head = file[at:at + 72]
        need(len(head) == 72, "cut")
        (self.kind, self.process, self.stored, self.raw, self.horizon,
         self.first_ns, self.last_ns, self.shift, content,
         total) = struct.unpack("=IIQQQqqQQQ", head)
        need(total == checksum(head[:64]), "damaged chunk at %d" % at)
        self.head = head
        self.offset = at
        self.end = at + 72 + self.stored
        stored = file[at + 72:self.end]
        need(checksum(stored) == content, "damaged bytes at %d" % at)
        self.data = decompress(stored)
        need(len(self.data) == self.raw, "wrong length")


def chunks(file):
    need(file[:16] == b"Eventring record", "not a recording")
    # This decoder knows version 2.0, and skips the chunks of later ones.
    major, _, size, total = struct.unpack_from("=HHIQ", file, 16)
    need((major, size, total) == (2, 72, checksum(file[:24])), "damaged start")
    at, found = 32, []
    while True:
        chunk = Chunk(file, at)
        if chunk.kind == INDEX:
            break
        found.append(chunk)
        at = chunk.end
    index, total, magic = struct.unpack("=QQ16s", file[chunk.end:])
    need(magic == b"Eventring index\n" and index == chunk.offset
         and total == checksum(struct.pack("=Q", index)), "damaged trailer")
    need(chunk.data == b"".join(struct.pack("=Q", c.offset) + c.head
                                for c in found), "another index")
    return found


class Interval(decode.RingFile):
    """The chunks of an interval, with a ring file's header and schema."""

    def __init__(self, start, own):
        self.order, self.damaged = "=", 0
        self.start = struct.unpack("=%dQ" % ((start.raw - 1280) // 8),
                                   start.data[1280:])
        ends = [c for c in own if c.kind == END]
        header = start.data[:1280]
        self.window = 0, 0
        self.horizon = ANY
        segments = [c for c in own if c.kind == SEGMENT]
        self.counts = None
        if ends:
            (self.state, continued, events, lost,
             *self.window) = struct.unpack_from("=IIQQqq", ends[0].data)
            self.counts = events, lost
            header = ends[0].data[128:128 + 1280]
            if continued:
                self.horizon = segments[-1].horizon
        schema = b"".join(c.data for c in own if c.kind == SCHEMA)
        self.data = header + schema
        self.header = self.get_header(len(schema) // 160)
        self.read_schema()
        self.blocks = {}            # ring -> position -> words
        for chunk in segments:
            self.read_segment(chunk.data)
        self.rate = self.find_rate()

    def get_header(self, count):
        values = {name: self.get(form, at)[0]
                  for name, at, form in decode.FIELDS}
        values.update(schema_offset=1280, schema_entry_size=160,
                      schema_count=count)
        # The end of the recording, when the process ran on.
        if values["ended_ticks"] != 0:
            values["state"] = 2
        return decode.Header(**values)

    def read_segment(self, data):
        at, size = 0, self.header.block_words
        while at < len(data):
            ring, words, position = struct.unpack_from("=IIQ", data, at)
            run = struct.unpack_from("=%dQ" % words, data, at + 16)
            at += 16 + 8 * words
            for i in range(0, words, size):
                block = run[i:i + size]
                blocks = self.blocks.setdefault(ring, {})
                if len(block) >= len(blocks.get(position + i, ())):
                    blocks[position + i] = block

    def extent(self, ring):
        return None                 # for find_rate

    def find_rate(self):
        h = self.header
        return (None if h.clock == 1 else
                (h.ended_ns - h.started_ns)
                / (h.ended_ticks - h.started_ticks))

    def events_from(self, ring, expected):
        """Yields events as decode.py does; [expected]: of an interval before."""
        first = self.start[ring]
        if first == ANY or expected is not None and first < expected:
            first = expected
        index = None
        for _, words in sorted(self.blocks.get(ring, {}).items()):
            base, _, before, who = words[:4]
            domain, thread = who & 0xffffffff, who >> 32
            if index is None:
                known = expected if expected is not None else first
                before = max(before, first or 0)
                missing = 0 if known is None else before - known
                before = words[2]
            else:
                missing = before - index
            if missing > 0 and self.in_time(self.ns(base, 0)):
                yield (base, ring, self.ns(base, 0), domain, thread, "lost", 0,
                       b"-", (missing,))
            index = before
            for after, form, ident, payload in self.decode(words):
                if ident in self.packed:
                    payload = self.integers(ident, payload)
                if ident == self.thread_run and len(payload) >= 2:
                    thread = payload[1] & 0xffffffff
                index += 1
                ns = self.ns(base, after)
                if (first is not None and index <= first
                        or base + after > self.horizon
                        or not self.in_time(ns)):
                    continue
                self.returned[ring] = index
                yield (base + after, ring, ns, domain, thread,
                       self.form(form, ident), ident,
                       self.names.get(ident, b"#%d" % ident), payload)

    def in_time(self, ns):
        start, end = self.window
        return start == end or start <= ns < end


def main(argv):
    process = int(argv[2]) if len(argv) > 2 else 0
    with open(argv[1], "rb") as file:
        own = [c for c in chunks(file.read()) if c.process == process]
    shifts = sorted({c.shift for c in own})
    returned = {}
    write = sys.stdout.buffer.write
    for shift in shifts:
        mine = [c for c in own if c.shift == shift]
        need(mine[0].kind == PROCESS, "an interval without a process")
        interval = Interval(mine[0], mine[1:])
        interval.returned = returned
        events = lost = 0
        for ring in range(interval.header.rings):
            for ticks, ring, ns, domain, thread, form, ident, name, words \
                    in interval.events_from(ring, returned.get(ring)):
                if form == "lost":
                    lost += words[0]
                else:
                    events += 1
                payload = " ".join("%016x" % word for word in words) or "-"
                write(b"%d\t%d\t%d\t%d\t%d\t%s\t%d\t%s\t%s\n" % (
                    ns, ticks, ring, domain, thread, form.encode(), ident,
                    name, payload.encode()))
        if interval.counts is not None and interval.counts[0] != ANY:
            need(interval.counts == (events, lost), "counted otherwise")


if __name__ == "__main__":
    main(sys.argv)
