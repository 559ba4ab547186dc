"""read_otlp.py spans EVENTS | metrics PROMETHEUS | hub PROMETHEUS

Reads the output of protoc --decode for a request of OpenTelemetry, and compares
it with what other commands print of the same file: the spans with the file
EVENTS, the output of eventring events --json, or the metrics with the file
PROMETHEUS, the output of eventring metrics; hub is for several processes and
agents, and the output of eventring metrics --hub.
"""

import collections
import json
import re
import sys

import read_perfetto
import rows

one = read_perfetto.one


def attributes(message):
    found = {}
    for pair in message.get("attributes", []):
        key = one(pair, "key")
        rows.need(key not in found, f"attribute {key} twice")
        value = one(pair, "value")
        rows.need(len(value) == 1, f"{key}: {value}")
        found[key] = next(iter(value.values()))[0]
    return found


def resource(message):
    facts = attributes(one(message, "resource"))
    rows.need(facts["service.name"] == "program", f"resource {facts}")
    rows.need(facts["process.runtime.name"] == "ocaml", f"resource {facts}")
    rows.need(facts["process.pid"] > 0, f"resource {facts}")


def of_spans(requests, events):
    """Every span and request that ended, with its time and its request."""
    wanted, begun, working = [], collections.defaultdict(list), {}
    for line in events:
        e = json.loads(line)
        if e.get("name") == "request_run":
            working[e["thread"]] = e["fields"]["request"]
        if e.get("category") != "user" or e["form"] not in ("begin", "end"):
            continue
        if e["name"] == "order":
            key = ("order", e["value"])
        elif e["name"] in ("step", "request"):
            key = (e["name"], e["thread"])
        else:
            continue            # a flow
        if e["form"] == "begin":
            begun[key].append((e["ns"], working.get(e["thread"], 0)))
        else:
            ns, request = begun[key].pop()
            wanted.append((key[0], ns, e["ns"] - ns,
                           e["value"] if key[0] == "order" else request))
    spans = []
    for message in requests:
        resource(message)
        for scope in message["scope_spans"]:
            rows.need(one(one(scope, "scope"), "name") == "eventring", "scope")
            spans += scope["spans"]
    by_id = {one(s, "span_id"): s for s in spans}
    rows.need(len(by_id) == len(spans), "two spans have one id")
    first = min(one(s, "start_time_unix_nano") for s in spans)
    base = first - min(ns for _, ns, _, _ in wanted)
    found = []
    for s in spans:
        name, facts = one(s, "name"), attributes(s)
        root = s
        while "parent_span_id" in root:
            inside, root = root, by_id[one(root, "parent_span_id")]
            rows.need(one(inside, "trace_id") == one(root, "trace_id"),
                      "a parent of another trace")
        request = facts["id"] if name == "order" else \
            attributes(root)["id"] if one(root, "name") == "order" else 0
        rows.need(("SERVER" if name == "order" else "INTERNAL")
                  == one(s, "kind"), f"{name} is {one(s, 'kind')}")
        if name == "order":
            rows.need(facts["eventring.running_ns"]
                      + facts["eventring.waiting_ns"]
                      == one(s, "end_time_unix_nano")
                      - one(s, "start_time_unix_nano"), f"order {facts}")
        found.append((name, one(s, "start_time_unix_nano") - base,
                      one(s, "end_time_unix_nano")
                      - one(s, "start_time_unix_nano"), request))
    rows.need(len(found) == 120, f"{len(found)} spans")
    rows.need(sorted(found) == sorted(wanted),
              f"other spans: {sorted(set(found) ^ set(wanted))[:6]}")


SERIES = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)$")


def prometheus(lines):
    """The value of each series, by its name and its labels."""
    found = {}
    for line in lines:
        if not line.startswith("#"):
            name, labels, value = SERIES.match(line).groups()
            pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or "")
            found[name, tuple(sorted(pairs))] = float(value)
    return found


def of_metrics(requests, lines):
    """Every series, with the same value."""
    wanted, found = prometheus(lines), {}
    for message in requests:
        resource(message)
        for scope in message["scope_metrics"]:
            for metric in scope["metrics"]:
                add_metric(found, metric)
    rows.need(len(found) > 50, f"{len(found)} series")
    wrong = {k for k in set(found) | set(wanted)
             if abs(found.get(k, -1) - wanted.get(k, -1)) > 1e-3}
    rows.need(not wrong, f"other series: {sorted(wrong)[:6]}")


# Figures of agents that change from one request to the next, or are rounded.
VARYING = ("eventring_agent_silent", "eventring_agent_last_report_time_seconds")


def of_hub(requests, lines):
    """Every series of every process and agent, with the same value."""
    wanted, found = prometheus(lines), {}
    for message in requests:
        facts = attributes(one(message, "resource"))
        origin = {"node": facts["host.name"]}
        if facts["service.name"] != "eventring-agent":
            origin["process"] = str(facts["process.pid"])
            origin["stream"] = facts["service.instance.id"]
        series = {}
        for scope in message["scope_metrics"]:
            for metric in scope["metrics"]:
                add_metric(series, metric)
        for (name, labels), value in series.items():
            key = name, tuple(sorted(labels + tuple(origin.items())))
            rows.need(key not in found, f"{key} twice")
            found[key] = value
    rows.need(len(found) > 50, f"{len(found)} series")
    wrong = {k for k in set(found) | set(wanted) if k[0] not in VARYING
             and abs(found.get(k, -1) - wanted.get(k, -1)) > 1e-3}
    rows.need(not wrong, f"other series: {sorted(wrong)[:6]}")


def add_metric(found, metric):
    name = one(metric, "name")
    kind = ({"gauge", "sum", "histogram"} & set(metric)).pop()
    data = one(metric, kind)
    if kind != "gauge":
        rows.need(one(data, "aggregation_temporality") == "CUMULATIVE", name)
    if kind == "sum":
        rows.need(one(data, "is_monotonic") == "true", name)
    for unit, suffix in (("s", "_seconds"), ("By", "_bytes")):
        rows.need((one(metric, "unit", "") == unit)
                  == (suffix in name), f"{name}: unit {metric.get('unit')}")
    for point in data["data_points"]:
        labels = tuple(sorted((k, str(v))
                              for k, v in attributes(point).items()))
        if kind != "histogram":
            value = point.get("as_int") or point["as_double"]
            found[name, labels] = float(value[0])
            continue
        total = 0
        bounds = [f"{float(b):g}" for b in point["explicit_bounds"]] + ["+Inf"]
        rows.need(len(bounds) == len(point["bucket_counts"]), "buckets")
        for bound, count in zip(bounds, point["bucket_counts"]):
            total += count
            found[name + "_bucket",
                  tuple(sorted(labels + (("le", bound),)))] = total
        found[name + "_count", labels] = one(point, "count", 0)
        found[name + "_sum", labels] = float(one(point, "sum"))


with open(sys.argv[2], encoding="utf-8") as other:
    {"spans": of_spans, "metrics": of_metrics, "hub": of_hub}[sys.argv[1]](
        read_perfetto.messages(sys.stdin), other)
