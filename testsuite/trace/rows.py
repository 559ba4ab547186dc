"""The output of the readers of this folder: an event a line, of columns

    form  name  track  from_ns  to_ns  arguments as JSON

separated by tabs.  What: begin, end, complete, counter, instant, flow_begin,
flow_step, flow_end, request_begin, request_end.  from_ns and to_ns differ in
complete events only.  The argument of a counter is "value".  Tracks are
PROGRAM/THREAD, of a counter PROGRAM/COUNTER or PROGRAM/DOMAIN/COUNTER; in CTF,
which has none, PID/DOMAIN THREAD.  Names have the escapes of JSON.
"""

import json
import sys


def fail(why):
    sys.exit(f"{sys.argv[0].rsplit('/', 1)[-1]}: {why}")


def need(condition, why):
    if not condition:
        fail(why)


def escaped(name):
    return json.dumps(name, ensure_ascii=False)[1:-1]


def row(form, name, track, from_ns, to_ns, arguments):
    print(form, escaped(name), escaped(track), from_ns, to_ns,
          json.dumps(arguments, sort_keys=True, ensure_ascii=False), sep="\t")
