"""read_samples.py FORMAT

Reads the samples of a trace, Chrome's JSON or the output of protoc --decode for
a Perfetto trace, and prints as JSON: how many there are, the processor time of
each thread, and of each function, alone (self) and with the functions that it
called (total), and the time and thread of each sample.
"""

import collections
import json
import sys

import read_perfetto
import rows


def of_chrome(file):
    """Each sample as (thread, ns, weight, functions, the outermost first)."""
    trace = json.load(file)
    stacks = trace.get("stackFrames", {})
    instants = collections.Counter(
        (e["tid"], e["ts"], e["sf"]) for e in trace["traceEvents"]
        if e["ph"] == "i" and e["name"] == "cpu_sample")
    samples = collections.Counter(
        (s["tid"], s["ts"], s["sf"]) for s in trace.get("samples", []))
    rows.need(instants == samples, "other instants than samples")
    for sample in trace.get("samples", []):
        functions, at = [], sample["sf"]
        while at is not None:
            functions.insert(0, stacks[str(at)]["name"])
            at = stacks[str(at)].get("parent")
        yield sample["tid"], round(sample["ts"] * 1000), sample["weight"], \
            functions


def of_perfetto(file):
    one = read_perfetto.one
    known = collections.defaultdict(dict)
    before = 0
    for packet in read_perfetto.messages(file):
        for kind, entries in one(packet, "interned_data", {}).items():
            for entry in entries:
                iid = one(entry, "iid")
                rows.need(iid not in known[kind], f"{kind} {iid} again")
                known[kind][iid] = entry
        if "perf_sample" not in packet:
            continue
        sample = one(packet, "perf_sample")
        functions = []
        stack = known["callstacks"][one(sample, "callstack_iid")]
        for iid in stack["frame_ids"]:
            frame = known["frames"][iid]
            mapping = known["mappings"][one(frame, "mapping_id")]
            path = one(known["mapping_paths"][one(mapping, "path_string_ids")],
                       "str")
            rows.need(one(mapping, "build_id") in known["build_ids"],
                      "a build id unknown")
            name = one(known["function_names"][one(frame, "function_name_id")],
                       "str")
            # A function that its file does not name has the name of the file.
            rows.need(name == f"[{path.rsplit('/', 1)[-1]}]"
                      or (path == "[unknown]") == (name[0] == "["),
                      f"{name} is not in {path}")
            functions.append(name)
        count = one(sample, "timebase_count")
        yield one(sample, "tid"), one(packet, "timestamp"), count - before, \
            functions
        before = count


if __name__ == "__main__":
    threads = collections.Counter()
    own, total = collections.Counter(), collections.Counter()
    times = []
    read = {"chrome": of_chrome, "perfetto": of_perfetto}[sys.argv[1]]
    for thread, ns, weight, functions in read(sys.stdin):
        threads[str(thread)] += weight
        own[functions[-1]] += weight
        for function in set(functions):
            total[function] += weight
        times.append([ns, thread])
    json.dump({"samples": len(times), "threads": threads, "self": own,
               "total": total}, sys.stdout, sort_keys=True)
