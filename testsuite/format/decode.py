#!/usr/bin/env python3
# Decodes a ring file and prints the lines of `eventring events --raw FILE`.
# This uses nothing but doc/FORMAT.md (and the columns of --raw in
# doc/man/eventring.1): it was written without a look at the code that writes
# or reads such files, and shares nothing with it.  So it shows that the page
# is complete; keep it that way.
#
#   decode.py FILE
#
# The file must be at rest: of a process that has ended, was killed or is
# paused.  Exit status: 0; 2 for a wrong command line; 3 if the file, or a part
# of it, cannot be read.

import heapq
import mmap
import os
import stat
import struct
import sys
from collections import namedtuple

MAGIC = b"OCaml Eventring\n"
FORMS = ("begin", "end", "counter", "instant")
MASK64 = (1 << 64) - 1
UNPRINTABLE = {
    *range(0x01, 0x20), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f,
    *range(0x2028, 0x202f), *range(0x2066, 0x206a), 0xfeff,
}

# Section 2: field, offset, type.
FIELDS = (
    ("magic", 0, "16s"), ("version_major", 16, "H"), ("version_minor", 18, "H"),
    ("header_size", 20, "I"), ("file_size", 24, "Q"),
    ("schema_offset", 32, "Q"), ("schema_entry_size", 40, "I"),
    ("schema_capacity", 44, "I"), ("directory_offset", 48, "Q"),
    ("slot_size", 56, "I"), ("rings", 60, "I"), ("rings_offset", 64, "Q"),
    ("ring_words", 72, "Q"), ("block_words", 80, "I"), ("clock", 84, "I"),
    ("pid", 88, "I"), ("state", 640, "I"), ("schema_count", 644, "I"),
    ("started_ticks", 440, "Q"), ("started_ns", 448, "q"),
    ("ended_ticks", 648, "Q"), ("ended_ns", 656, "q"),
)
HEADER_MIN = 672

Header = namedtuple("Header", [name for name, _, _ in FIELDS])

COMPLETE_KIND, REQUEST_KIND = 9, 10
EVENT_KINDS = (1, 2, 3, 5, COMPLETE_KIND, REQUEST_KIND)
INSTANT = 3
FIELD_KIND = 6
PACKED = 5
FIRST_USER_ID = 1024


class Bad(Exception):
    """The file, or an event in it, is not as FORMAT.md says."""


def power_of_two(n):
    return n > 0 and n & (n - 1) == 0


class Layout:
    """The fields of an event with a packed payload."""

    def __init__(self, places):
        self.ticks = {p for p, (unit, _) in places.items() if unit == b"ticks"}
        self.addresses = {p for p, (unit, _) in places.items()
                          if unit == b"address"}
        self.end = max(places) + 1
        self.group = min((p for p, (_, repeats) in places.items() if repeats),
                         default=None)

    def place(self, word):
        if word >= self.end and self.group is not None:
            word = self.group + (word - self.group) % (self.end - self.group)
        return word

    def is_ticks(self, word):
        return self.place(word) in self.ticks

    def add_up(self, integers):
        """Replaces the differences in fields of addresses by addresses."""
        before = {}
        for i, integer in enumerate(integers):
            place = self.place(i)
            if place in self.addresses:
                difference = -(integer + 1) // 2 if integer & 1 else integer // 2
                integers[i] = before.get(place, 0) + difference & MASK64
                before[place] = integers[i]


def unpack(words):
    """The integers of a packed payload."""
    number, shift = 0, 0
    for byte in b"".join(word.to_bytes(8, "little") for word in words):
        number |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            yield number & MASK64
            number, shift = 0, 0


def signed(word):
    return word - (1 << 64) if word >> 63 else word


class RingFile:
    def __init__(self, path):
        # O_NONBLOCK: a named pipe must not make us wait.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise Bad("not a regular file")
            if status.st_size < HEADER_MIN:
                raise Bad("too short for a ring file")
            self.size = status.st_size
            self.data = mmap.mmap(fd, 0, access=mmap.ACCESS_READ)
        finally:
            os.close(fd)
        self.damaged = 0
        self.far = 0                    # blocks that the line misses
        self.header = self.read_header()
        self.read_schema()
        self.rate = self.find_rate()

    def get(self, form, at):
        return struct.unpack_from(self.order + form, self.data, at)

    # Section 2

    def read_header(self):
        if self.data[:16] != MAGIC:
            raise Bad("not a ring file")
        self.order = "<"
        if self.get("H", 16)[0] == 256:
            self.order = ">"
        h = Header(*(self.get(form, at)[0] for _, at, form in FIELDS))
        if h.version_major != 1:
            raise Bad("format version %d.%d is not known"
                      % (h.version_major, h.version_minor))
        for good, what in (
            (HEADER_MIN <= h.header_size <= 65536, "header_size"),
            (160 <= h.schema_entry_size <= 65536, "schema_entry_size"),
            (h.schema_entry_size % 8 == 0, "schema_entry_size"),
            (16 <= h.slot_size <= 65536, "slot_size"),
            (h.slot_size % 8 == 0, "slot_size"),
            (1 <= h.rings <= 4096, "rings"),
            (1 <= h.schema_capacity <= 131072, "schema_capacity"),
            (h.schema_count <= h.schema_capacity, "schema_count"),
            (power_of_two(h.ring_words), "ring_words"),
            (2 ** 9 <= h.ring_words <= 2 ** 30, "ring_words"),
            (h.block_words in (256, 512), "block_words"),
            (h.ring_words >= 2 * h.block_words, "block_words"),
            (h.schema_offset % 8 == 0, "schema_offset"),
            (h.directory_offset % 8 == 0, "directory_offset"),
            (h.rings_offset % 8 == 0, "rings_offset"),
            (h.schema_offset >= h.header_size, "schema_offset"),
            (h.directory_offset >= h.schema_offset
             + h.schema_capacity * h.schema_entry_size, "directory_offset"),
            (h.rings_offset >= h.directory_offset + h.rings * h.slot_size,
             "rings_offset"),
            (h.file_size >= h.rings_offset + h.rings * h.ring_words * 8,
             "file_size"),
            (1 <= h.clock <= 3, "clock"),
            (1 <= h.state <= 3, "state"),
            (h.pid >= 1, "pid"),
        ):
            if not good:
                raise Bad("damaged header: %s is %d" % (what, getattr(h, what)))
        if h.file_size > self.size:
            raise Bad("cut short: %d of %d bytes" % (self.size, h.file_size))
        return h

    # Section 4

    def read_schema(self):
        h = self.header
        self.names = {}
        self.packed = set()
        self.complete = set()
        self.thread_run = None
        fields = {}                 # id -> place -> unit, repeats
        for i in range(h.schema_count):
            at = h.schema_offset + i * h.schema_entry_size
            ident, kind, payload, place, detail = self.get("HBBIQ", at)
            unit = self.data[at + 16:at + 31].split(b"\0")[0]
            name = self.data[at + 32:at + 159].split(b"\0")[0]
            if kind in EVENT_KINDS and ident != 0:
                if ident in self.names:
                    continue
                self.names[ident] = printable(name) or b"#%d" % ident
                if kind == COMPLETE_KIND:
                    self.complete.add(ident)
                if payload == PACKED:
                    self.packed.add(ident)
                    if name == b"thread_run" and ident < FIRST_USER_ID:
                        self.thread_run = ident
            elif kind == FIELD_KIND and place <= 63:
                fields.setdefault(ident, {}).setdefault(
                    place, (unit, detail & 1))
        self.layouts = {ident: Layout(places)
                        for ident, places in fields.items()}

    # Section 5

    def slot(self, ring):
        h = self.header
        return self.get("QQ", h.directory_offset + ring * h.slot_size)

    def block(self, ring, block):
        """The words of one block."""
        h = self.header
        at = (h.rings_offset
              + (ring * h.ring_words + block % h.ring_words) * 8)
        return self.get("%dQ" % h.block_words, at)

    def extent(self, ring):
        """The first block of the ring that can be read, and its tail."""
        h = self.header
        tail, reserve = self.slot(ring)
        if tail == 0:
            return 0, 0
        if reserve % h.block_words or reserve < tail:
            return None
        return max(0, reserve - h.ring_words), tail

    # Section 6

    def events(self, ring):
        """Yields (ticks, ring, ns, domain, thread, form, id, name, words)."""
        extent = self.extent(ring)
        if extent is None:
            self.damaged += 1
            return
        start, tail = extent
        expected = 0
        for block in range(start, tail, self.header.block_words):
            words = self.block(ring, block)[:tail - block]
            if len(words) < 4 or words[2] > block:
                self.damaged += 1
                continue
            base, ns, before, who = words[:4]
            self.far += self.is_far(base, ns)
            domain, thread = who & 0xffffffff, who >> 32
            if before > expected:
                yield (base, ring, self.ns(base, 0), domain, thread, "lost", 0,
                       b"-", (before - expected,))
            damaged = before < expected
            expected = before
            try:
                for after, form, ident, payload in self.decode(words):
                    expected += 1
                    if ident in self.packed:
                        payload = self.integers(ident, payload)
                    if ident == self.thread_run and len(payload) >= 2:
                        thread = payload[1] & 0xffffffff
                    name = self.names.get(ident, b"#%d" % ident)
                    yield ((base + after) & MASK64, ring, self.ns(base, after),
                           domain, thread, self.form(form, ident), ident, name,
                           payload)
            except Bad:
                damaged = True
            if damaged or expected == before:
                self.damaged += 1

    def form(self, form, ident):
        if form == INSTANT and ident in self.complete:
            return "complete"
        return FORMS[form]

    def integers(self, ident, words):
        """Returns the integers of a packed payload, durations in ns and
        addresses as such."""
        layout = self.layouts.get(ident)
        integers = [self.duration(integer)
                    if layout is not None and layout.is_ticks(i) else integer
                    for i, integer in enumerate(unpack(words))]
        if layout is not None:
            layout.add_up(integers)
        return integers

    @staticmethod
    def decode(words):
        """Yields (ticks after the base, form, id, payload words)."""
        at = 4
        while at < len(words) and words[at] != 0:
            word = words[at]
            at += 1
            ident = word & 0xffff
            form = word >> 16 & 3
            length = word >> 18 & 63
            if ident == 0:
                raise Bad("event without id")
            if length == 63:
                if at == len(words):
                    raise Bad("event too long")
                length = words[at] & 0xffffffff
                at += 1
            if at + length > len(words):
                raise Bad("event too long")
            yield word >> 24, form, ident, words[at:at + length]
            at += length

    # Section 7.  The counter of the machine cannot be read from here, so the
    # first of the three ways to find a rate is left out.

    def find_rate(self):
        h = self.header
        if h.clock == 1:
            return None
        pairs = []
        if h.state != 1:
            pairs.append((h.ended_ticks, h.ended_ns))
        blocks = [self.block(ring, block)[:2]
                  for ring in range(h.rings)
                  for block in range(*self.extent(ring) or (0, 0),
                                     h.block_words)]
        if blocks:
            ticks, ns = max(blocks)
            pairs.append((ticks, signed(ns)))
        for ticks, ns in pairs:
            if ticks > h.started_ticks > 0:
                length = ticks - h.started_ticks
                rate = (ns - h.started_ns) / length
                if 1 / 1024 <= rate <= 65536:
                    return self.rate_of_blocks(rate, length)
        return 1.0

    def rate_of_blocks(self, rate, length):
        """Returns the median rate between blocks if [rate], of a line of [length]
        ticks, differs from the median, else [rate]."""
        h = self.header
        rates = []
        for ring in range(h.rings):
            tail, _ = self.slot(ring)
            for back in range(1, 9):
                at = tail // h.block_words * h.block_words
                at -= back * h.block_words
                after = at + h.block_words
                if at < 0 or len(rates) == 63:
                    break
                if tail <= after + 1:       # no header yet
                    continue
                a, b = self.block(ring, at), self.block(ring, after)
                if b[0] > a[0] and signed(b[1]) > signed(a[1]):
                    rates.append((b[1] - a[1]) / (b[0] - a[0]))
        if not rates:
            return rate
        median = sorted(rates)[len(rates) // 2]
        if (1 / 1024 <= median <= 65536 and length * median >= 50000000
                and not median / 1.02 <= rate <= median * 1.02):
            return median
        return rate

    def ns(self, base, after):
        h = self.header
        if h.clock == 1:
            return base + after
        return (h.started_ns + int((base - h.started_ticks) * self.rate)
                + int(after * self.rate))

    def is_far(self, base, ns):
        """Whether the line misses the header of a block by more than 50 ms."""
        return (self.rate is not None
                and abs(self.ns(base, 0) - signed(ns)) > 50000000)

    def duration(self, ticks):
        rate = self.rate or 1.0
        if ticks * rate >= 9.2e18:
            return (1 << 63) - 1
        return ticks if rate == 1 else int(ticks * rate)

    # Section 10

    def merged(self):
        # Takes the iterator with the least key again and again, and never
        # sorts within one; the number of the ring decides between equals.
        return heapq.merge(*map(self.events, range(self.header.rings)),
                           key=lambda event: event[:2])


def printable(name):
    out = b""
    while name:
        for length in range(1, 5):
            try:
                char = name[:length].decode()
            except UnicodeDecodeError:
                continue
            break
        else:
            char, length = "", 1
        if char == "\\":
            out += b"\\\\"
        elif char == "" or ord(char) in UNPRINTABLE or char == " " and \
                (len(name) == 1 or out == b"" or out[-1:] == b" "
                 or out[-4:] == b"\\x20"):
            out += b"".join(b"\\x%02x" % byte for byte in name[:length])
        else:
            out += char.encode()
        name = name[length:]
    return out


def main(argv):
    if len(argv) != 2:
        print("usage: decode.py FILE", file=sys.stderr)
        return 2
    path = argv[1]
    write = sys.stdout.buffer.write
    try:
        file = RingFile(path)
        last_ticks, last_ns = 0, -(1 << 63)
        for ticks, ring, ns, domain, thread, form, ident, name, words \
                in file.merged():
            if ticks >= last_ticks and ns < last_ns:
                ns = last_ns
            last_ticks, last_ns = ticks, ns
            payload = " ".join("%016x" % word for word in words) or "-"
            write(b"%d\t%d\t%d\t%d\t%d\t%s\t%d\t%s\t%s\n" % (
                ns, ticks, ring, domain, thread, form.encode(),
                ident, name, payload.encode()))
        sys.stdout.flush()
        if file.far:
            print("decode.py: %s: the line is far off %d block%s" % (
                path, file.far, "" if file.far == 1 else "s"), file=sys.stderr)
        if file.damaged:
            raise Bad("%d damaged block%s left out" % (
                file.damaged, " was" if file.damaged == 1 else "s were"))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print("decode.py: %s: %s" % (path, error.strerror), file=sys.stderr)
        return 3
    except Bad as error:
        print("decode.py: %s: %s" % (path, error), file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
