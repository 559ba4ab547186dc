"""Converts the output of protoc --decode for a Perfetto trace to rows.

A complete event is a begin and an end there, which is told by the duration that
only it has, and by the end that is next.  Every packet must refer only to names
and tracks that are before it.
"""

import re
import sys

import rows

LINE = re.compile(r'( *)(\w+)(?: \{|: (.*))$')
ESCAPE = re.compile(rb'\\(?:([0-7]{3})|(.))')
PLAIN = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def string(text, errors="strict"):
    """protoc writes bytes past ASCII in octal."""
    rows.need(text[0] == text[-1] == '"', f"no string: {text}")
    return ESCAPE.sub(lambda m: bytes([int(m[1], 8)]) if m[1]
                      else PLAIN.get(m[2], m[2]),
                      text[1:-1].encode()).decode(errors=errors)


def value(name, text):
    """The value of the field NAME; the strings of samples may be bytes, and ids
    stay as they are written."""
    if text[0] == '"' and name.endswith("_id"):
        return text
    if text[0] == '"':
        return string(text, "replace" if name == "str" else "strict")
    return int(text) if text.lstrip("-").isdigit() else text


def messages(lines):
    """Each packet as a dictionary of lists."""
    stack = [{}]
    for line in lines:
        line = line.rstrip("\n")
        if line.strip() == "}":
            done = stack.pop()
            if len(stack) == 1:
                yield done
            continue
        found = LINE.match(line)
        rows.need(found is not None, f"not a field of the schema: {line}")
        if found[3] is None:
            new = {}
            stack[-1].setdefault(found[2], []).append(new)
            stack.append(new)
        else:
            stack[-1].setdefault(found[2], []).append(
                value(found[2], found[3]))


def one(message, name, default=None):
    found = message.get(name, [default])
    rows.need(len(found) == 1, f"{name} is there {len(found)} times")
    return found[0]


class Reader:
    def __init__(self):
        self.names = {"event_names": {}, "event_categories": {},
                      "debug_annotation_names": {}}
        self.tracks, self.counters, self.units = {}, {}, {}
        self.processes = {}
        self.complete = None
        self.open = {}          # names of open slices by track
        self.first = True

    def intern(self, data):
        for kind, entries in data.items():
            if kind not in self.names:
                continue                # of samples: see read_samples.py
            for entry in entries:
                iid = one(entry, "iid")
                rows.need(iid not in self.names[kind], f"{kind} {iid} again")
                self.names[kind][iid] = one(entry, "name")

    def descriptor(self, track):
        uuid = one(track, "uuid")
        parent = one(track, "parent_uuid")
        process = one(track, "process")
        rows.need((parent is None) == (process is not None),
                  "only a process has no parent")
        rows.need(parent is None or parent in self.tracks, "a parent unknown")
        if process is not None:
            self.processes[uuid] = self.tracks[uuid] = one(process,
                                                           "process_name")
        elif "counter" in track:
            self.tracks[uuid] = f"{self.tracks[parent]}/{one(track, 'name')}"
            self.counters[uuid] = one(track, "name")
        else:
            name = one(one(track, "thread", {}), "thread_name",
                       one(track, "name"))
            self.tracks[uuid] = f"{self.tracks[parent]}/{name}"

    def arguments(self, event):
        found = {}
        for a in event.get("debug_annotations", []):
            name = self.names["debug_annotation_names"][one(a, "name_iid")]
            rows.need(name not in found, f"{name} twice")
            found[name] = one(a, "int_value", one(a, "string_value"))
        return found

    def event(self, event, ns):
        kind, uuid = one(event, "type"), one(event, "track_uuid")
        rows.need(uuid in self.tracks, f"track {uuid} unknown")
        track = self.tracks[uuid]
        for iid in event.get("category_iids", []):
            rows.need(iid in self.names["event_categories"], "no category")
        if self.complete is not None:
            name, was, since, arguments = self.complete
            rows.need(kind == "TYPE_SLICE_END" and was == uuid,
                      "a complete event without its end")
            rows.row("complete", name, track, since, ns, arguments)
            self.complete = None
            return
        arguments = self.arguments(event)
        if kind == "TYPE_COUNTER":
            rows.row("counter", self.counters[uuid], track, ns, ns,
                     {"value": one(event, "counter_value")})
            return
        if kind == "TYPE_SLICE_END":
            rows.row("end", self.open[uuid].pop(), track, ns, ns, arguments)
            return
        name = one(event, "name") or self.names["event_names"][
            one(event, "name_iid")]
        if kind == "TYPE_SLICE_BEGIN" and "duration" in arguments:
            self.complete = name, uuid, ns, arguments
        elif kind == "TYPE_SLICE_BEGIN":
            self.open.setdefault(uuid, []).append(name)
            rows.row("begin", name, track, ns, ns, arguments)
        else:
            rows.need(kind == "TYPE_INSTANT", f"type {kind}")
            what = ("flow_end" if "terminating_flow_ids" in event else
                    "flow" if "flow_ids" in event else "instant")
            rows.row(what, name, track, ns, ns, arguments)

    def packet(self, packet):
        rows.need(one(packet, "trusted_packet_sequence_id") == 1, "sequence")
        rows.need(one(packet, "sequence_flags") == (1 if self.first else 2),
                  "flags of the sequence")
        self.first = False
        self.intern(one(packet, "interned_data", {}))
        if "track_descriptor" in packet:
            self.descriptor(one(packet, "track_descriptor"))
        if "track_event" in packet:
            self.event(one(packet, "track_event"), one(packet, "timestamp"))


if __name__ == "__main__":
    reader = Reader()
    for packet in messages(sys.stdin):
        reader.packet(packet)
    rows.need(reader.complete is None, "a complete event without its end")
    rows.need(not any(reader.open.values()), "slices are open at the end")
