"""Converts the output of babeltrace2 --clock-cycles for a CTF trace to rows.
The name of an event is its category, its name, and for spans and flows its
form."""

import re
import sys

import rows

LINE = re.compile(r"\[(\d+)\] \(\+[0-9?]+\) ([^ :]*):(.*): \{ pid = (\d+) \}, "
                  r"\{ domain = (\d+), thread = (\d+), thread_id = (-?\d+) \}, "
                  r"\{ ?(.*) \}$")
FIELD = re.compile(r'(\w+) = (?:(-?\d+)|\( "([^"]*)" : container = -?\d+ \)|'
                   r'\( <unknown> : container = (-?\d+) \)|"(.*)")(?:, |$)')

ESCAPES = {"a": "\a", "b": "\b", "e": "\033", "f": "\f", "n": "\n", "r": "\r",
           "t": "\t", "v": "\v"}

ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|(.))")


def unescaped(found):
    return chr(int(found[1], 16)) if found[1] else ESCAPES.get(found[2],
                                                               found[2])


for line in sys.stdin:
    found = LINE.match(line.rstrip("\n"))
    if found is None:
        found = LINE.match(line.rstrip("\n").replace(") lost: {", ") :lost: {")
                           .replace(") #", ") :#"))
    rows.need(found is not None, f"not understood: {line}")
    ns, category, name = int(found[1]), found[2], found[3]
    arguments, at = {}, 0
    while at < len(found[8]):
        field = FIELD.match(found[8], at)
        rows.need(field is not None, f"not understood: {found[8][at:]}")
        number = field[2] or field[4]
        arguments[field[1]] = (
            int(number) if number is not None else field[3] or
            ESCAPE.sub(unescaped, field[5]))
        at = field.end()
    since = ns
    what = "instant"
    name, _, suffix = name.partition(":")
    if suffix in ("begin", "end", "step"):
        what = ("flow_" if "id" in arguments else "") + suffix
    elif "duration" in arguments:
        what, since = "complete", ns - arguments["duration"]
    elif name == "lost":
        name = f"lost {arguments['events']} events"
    rows.row(what, name, f"{found[4]}/{found[5]} {found[6]}", since, ns,
             arguments)
