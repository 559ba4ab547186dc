"""A Fuchsia trace as rows: a decoder made from the public description of the
format, which takes nothing that is not there."""

import struct
import sys

import rows

MAGIC = 0x0016547846040010
WHAT = ["instant", "counter", "begin", "end", "complete", None, None, None,
        "flow_begin", "flow_step", "flow_end"]


def bits(word, first, last):
    return word >> first & ((1 << (last - first + 1)) - 1)


class Record:
    """The words of a record, taken from the front; all must be taken."""

    def __init__(self, words):
        self.words, self.at = words, 1
        self.header = words[0]

    def take(self):
        rows.need(self.at < len(self.words), "a record is too short")
        self.at += 1
        return self.words[self.at - 1]

    def text(self, length):
        count = (length + 7) // 8
        data = b"".join(struct.pack("=Q", self.take()) for _ in range(count))
        rows.need(not any(data[length:]), "padding is not zero")
        return data[:length].decode()

    def end(self):
        rows.need(self.at == len(self.words), "a record is too long")


class Reader:
    def __init__(self):
        self.strings, self.threads = {}, {}
        self.processes, self.names = {}, {}
        self.rows = []

    def string(self, record, reference):
        if reference & 0x8000:
            return record.text(reference & 0x7FFF)
        if reference == 0:
            return ""
        rows.need(reference in self.strings, f"string {reference} unknown")
        return self.strings[reference]

    def argument(self, record):
        start = record.at
        header = record.take()
        kind, size = bits(header, 0, 3), bits(header, 4, 15)
        name = self.string(record, bits(header, 16, 31))
        if kind == 3:
            rows.need(bits(header, 32, 63) == 0, "reserved bits")
            value, = struct.unpack("=q", struct.pack("=Q", record.take()))
        elif kind == 6:
            rows.need(bits(header, 48, 63) == 0, "reserved bits")
            value = self.string(record, bits(header, 32, 47))
        elif kind == 8:
            value = record.take()
        else:
            rows.fail(f"an argument of type {kind}")
        rows.need(record.at - start == size, "the size of an argument")
        return name, value

    def arguments(self, record, count):
        found = [self.argument(record) for _ in range(count)]
        if found and found[-1][0] == "more":
            found += [(name, int(value)) for name, value in
                      (pair.split("=") for pair in found.pop()[1].split())]
        rows.need(len(dict(found)) == len(found), f"twice: {found}")
        return dict(found)

    def initialization(self, record):
        rows.need(bits(record.header, 16, 63) == 0, "reserved bits")
        rows.need(record.take() == 10**9, "ticks")

    def register_string(self, record):
        rows.need(bits(record.header, 31, 31) == 0
                  and bits(record.header, 47, 63) == 0, "reserved bits")
        index = bits(record.header, 16, 30)
        rows.need(index > 0 and index not in self.strings, "string index")
        self.strings[index] = record.text(bits(record.header, 32, 46))

    def register_thread(self, record):
        rows.need(bits(record.header, 24, 63) == 0, "reserved bits")
        index = bits(record.header, 16, 23)
        rows.need(index > 0 and index not in self.threads, "thread index")
        self.threads[index] = record.take(), record.take()

    def object(self, record):
        rows.need(bits(record.header, 44, 63) == 0, "reserved bits")
        kind, koid = bits(record.header, 16, 23), record.take()
        name = self.string(record, bits(record.header, 24, 39))
        arguments = self.arguments(record, bits(record.header, 40, 43))
        if kind == 1:
            self.processes[koid] = name
        elif kind == 2:
            rows.need(arguments["process"] in self.processes, "no process")
            self.names[koid] = name
        else:
            rows.fail(f"an object of type {kind}")

    def event(self, record):
        header = record.header
        kind = bits(header, 16, 19)
        start = end = record.take()
        thread = bits(header, 24, 31)
        pid, tid = (self.threads[thread] if thread
                    else (record.take(), record.take()))
        self.string(record, bits(header, 32, 47))       # the category
        name = self.string(record, bits(header, 48, 63))
        arguments = self.arguments(record, bits(header, 20, 23))
        rows.need(kind < len(WHAT) and WHAT[kind], f"an event of type {kind}")
        what = WHAT[kind]
        if what == "complete":
            end = record.take()
        if what == "counter":
            of = record.take()
            tid = f"domain {of - 1}/{name}" if of else name
            arguments = {"value": value for value in arguments.values()}
            rows.need(len(arguments) == 1, "a counter has one value")
        if what.startswith("flow"):
            rows.need(record.take() & 0xFF == arguments["id"] & 0xFF,
                      "another flow")
        self.rows.append((what, name, pid, tid, start, end, arguments))

    def read(self, data):
        rows.need(len(data) % 8 == 0, "a word is cut")
        words = struct.unpack(f"={len(data) // 8}Q", data)
        rows.need(words[0] == MAGIC, "magic number")
        readers = {1: self.initialization, 2: self.register_string,
                   3: self.register_thread, 4: self.event, 7: self.object}
        at = 1
        while at < len(words):
            kind, size = bits(words[at], 0, 3), bits(words[at], 4, 15)
            rows.need(kind in readers, f"a record of type {kind}")
            rows.need(0 < size <= len(words) - at, "the size of a record")
            record = Record(words[at:at + size])
            readers[kind](record)
            record.end()
            at += size


reader = Reader()
reader.read(sys.stdin.buffer.read())
for what, name, pid, tid, start, end, arguments in reader.rows:
    rows.row(what, name, f"{reader.processes[pid]}/{reader.names.get(tid, tid)}",
             start, end, arguments)
