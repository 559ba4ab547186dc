"""The targets, and whether the benchmarks hit them; for bench/report."""

import math

from figures import (RUNTIMES, against_stock_reader, by_program, figure,
                     geometric_mean, interval, number, percent, probe, ratio,
                     some, times, values)

HIT, MISSED, UNKNOWN = "hit", "**MISSED**", "**not measured**"
LEAST_RUNS = 6                  # for an interval of 95 % of order statistics


class Verdict:
    """One line of the table at the top."""

    def __init__(self, what, measured, target, hit, margin=""):
        self.what, self.target, self.margin = what, target, margin
        self.measured = measured or "–"
        self.state = UNKNOWN if hit is None else HIT if hit else MISSED

    def cells(self):
        return [self.state, self.what, self.measured, self.target, self.margin]


def limit(what, value, target, measured, unit="", least=False):
    """Return the verdict: VALUE must be at most TARGET, or at least."""
    words = f"at {'least' if least else 'most'} {target:g} {unit}".rstrip()
    if value is None:
        return Verdict(what, "", words, None)
    hit = value >= target if least else value <= target
    off = abs(value / target - 1) * 100
    if hit:
        margin = f"{figure(off)} % to spare"
    else:
        margin = f"**{figure(off)} % too {'little' if least else 'much'}**"
    return Verdict(what, measured, words, hit, margin)


def against_stock(figures, title, what, source, state, target):
    ours, stock = (number(probe(figures, what, source, state, runtime),
                          "median_ns") for runtime in RUNTIMES)
    value = ratio(stock, ours)
    return limit(f"{title}, against stock", value, target,
                 f"{figure(ours, 'ns')}, stock {figure(stock, 'ns')}: "
                 f"{times(value)}", "× in stock", least=True)


def against_clock(figures, title, what, source, events, target):
    """Compare EVENTS events, each of which reads the clock, with as many single
    readings, the floor; the target is a multiple of one reading."""
    row = probe(figures, what, source, "enabled")
    ours = number(row, "median_ns")
    floor = ratio(number(row, "floor_ns"), events)
    value = ratio(ours, floor)
    return limit(f"{title}, against the clock", value, target,
                 f"{figure(ours, 'ns')}, one reading {figure(floor, 'ns')}: "
                 f"{times(value)}", "× one reading of the clock")


def disabled(figures, title, what, probes, target=0.5):
    ours = number(probe(figures, what, "C", "disabled"), "median_ns")
    value = ratio(ours, probes)
    return limit(title, value, target, figure(value, "ns"), "ns")


def starting(figures):
    off, on, stock_off, stock_on = (
        number(probe(figures, "run an idle program", "-", state, runtime),
               "median_ns")
        for runtime in RUNTIMES for state in ("disabled", "enabled"))
    value = ratio(on, stock_on)
    return limit(
        "start to end of an idle program, tracing on", value, 1,
        f"{figure(ratio(on, 1e6), 'ms')}, stock "
        f"{figure(ratio(stock_on, 1e6), 'ms')}: {times(value)} (tracing off "
        f"{figure(ratio(off, 1e6), 'ms')}, stock "
        f"{figure(ratio(stock_off, 1e6), 'ms')})", "× stock")


def probe_verdicts(figures):
    span, counter = "phase begin+end", "runtime counter"
    return [
        against_stock(figures, f"{span}, tracing on",
                      "begin+end", "C", "enabled", 2.5),
        against_stock(figures, f"{counter}, tracing on",
                      "counter", "C", "enabled", 2.5),
        against_stock(figures, f"{span}, tracing off",
                      "begin+end", "C", "disabled", 5),
        against_stock(figures, f"{counter}, tracing off",
                      "counter", "C", "disabled", 5),
        against_clock(figures, f"{span}, tracing on", "begin+end", "C", 2,
                      2.3),
        against_clock(figures, f"{counter}, tracing on", "counter", "C", 1,
                      1.3),
        against_clock(figures, "user span, tracing on",
                      "user span", "Eventring", 2, 2.8),
        against_clock(figures, "user counter, tracing on",
                      "user counter", "Eventring", 1, 1.6),
        disabled(figures, "one probe of a phase, tracing off", "begin+end", 2),
        disabled(figures, "one probe of a counter, tracing off", "counter", 1),
        starting(figures),
    ]


def reader_verdicts(figures):
    verdicts = []
    for title, ours, target in (
            ("events read in a second, in C", "libeventring", 8),
            ("events read in a second, OCaml callbacks", "Eventring.Cursor",
             4)):
        speeds = {row["rings"]: against_stock_reader(figures, row)
                  for row in figures.rows("reader", "rings", what=ours)}
        speeds = {rings: v for rings, v in speeds.items() if v is not None}
        verdicts.append(limit(
            title, min(speeds.values(), default=None), target,
            ", ".join(f"{some(rings, 'ring')} {times(v)}"
                      for rings, v in speeds.items()),
            "× stock", least=True))
    for title, ours, target in (("an event read in C", "libeventring", 6),
                                ("an event read with OCaml callbacks",
                                 "Eventring.Cursor", 15)):
        cost = number(figures.row("reader", what=ours, rings="1"),
                      "median_ns_per_event")
        verdicts.append(limit(title, cost, target, figure(cost, "ns"), "ns"))
    return verdicts


def counted(failing, total, what):
    """Return a verdict's words on how many programs fail it."""
    if not total:
        return ""
    if not failing:
        return f"none of {total} programs {what}"
    return f"{len(failing)} of {total} programs {what}: {', '.join(failing)}"


def judged(figures, configuration):
    """Return the programs with enough rounds for an interval."""
    rows = by_program(figures, "programs", configuration)
    few = [name for name, row in rows.items()
           if (number(row, "runs") or 0) < LEAST_RUNS]
    note = f"programs: fewer than {LEAST_RUNS} rounds, too few to judge by"
    if few and note not in figures.missing:
        figures.missing.append(note)
    return {name: row for name, row in rows.items() if name not in few}


def program_verdicts(figures):
    off, on, stock_on = (judged(figures, name)
                         for name in ("ours off", "ours on", "stock on"))
    counts = by_program(figures, "instructions", "ours off")
    mean = geometric_mean(figures, "ours on") if on else None
    verdicts = [limit("programs, on ÷ stock off, geometric mean",
                      number(mean, "ratio"), 1.01, interval(mean))]

    def same_instructions(name):
        value = number(counts.get(name), "ratio")
        return value is not None and abs(value - 1) <= 0.001

    slow = [f"{name} {interval(row)}" for name, row in off.items()
            if row.get("verdict") == "slower" and not same_instructions(name)]
    verdicts.append(Verdict(
        "programs, off ÷ stock off", counted(slow, len(off), "slower"),
        "not slower, or instructions within 0.1 %",
        not slow if off else None,
        f"**{len(slow)} slower**" if slow else ""))

    both = [name for name in on if name in stock_on]
    slower = [f"{name} {interval(on[name])}, stock {interval(stock_on[name])}"
              for name in both
              if (number(on[name], "ratio_low") or 0)
              > (number(stock_on[name], "ratio_high") or math.inf)]
    mean = geometric_mean(figures, "ours on", "stock on")
    verdicts.append(Verdict(
        "programs, on, against stock on",
        counted(slower, len(both), "slower beyond the intervals"),
        "never slower", not slower if both else None,
        f"geometric mean of on ÷ stock on: {interval(mean)}" if both else ""))
    return verdicts


def instruction_verdicts(figures):
    verdicts = []
    for configuration, title, most in (("ours off", "off", 1.001),
                                       ("ours on", "on", 1.01)):
        rows = by_program(figures, "instructions", configuration)
        worst = max(rows, key=lambda name: number(rows[name], "ratio"),
                    default=None)
        value = number(rows.get(worst), "ratio")
        over = None if value is None else value - 1
        words = f"at most +{(most - 1) * 100:g} % in every program"
        if value is None:
            verdicts.append(Verdict(f"instructions, {title}", "", words, None))
            continue
        distance = (most - value) * 100
        verdicts.append(Verdict(
            f"instructions, {title} ÷ stock off",
            f"most in {worst}: {percent(over)}", words, value <= most,
            f"{distance:.2g} points to spare" if value <= most
            else f"**{-distance:.2g} points too much**"))
    return verdicts


def validate_verdicts(figures):
    verdicts = []
    for why in values(figures.rows("validate", "value", figure="why"),
                      "value"):
        figures.missing.append(f"validate: skipped: {why}")
    for part, what in (("uprobes", "counts and durations, against perf"),
                       ("samples", "share of time, against perf")):
        found = {f"{row['program']} {row['subject']}": row["value"]
                 for row in figures.rows("validate", "program", "subject",
                                         "value", part=part, figure="agree")}
        bad = [name for name, value in found.items() if value == "no"]
        good = [name for name, value in found.items() if value == "yes"]
        verdicts.append(Verdict(
            what, found and f"{len(good)} of {len(found)} agree"
            + (f", {len(found) - len(good) - len(bad)} skipped"
               if len(good) + len(bad) < len(found) else ""),
            "all agree",
            # A skipped row might not agree.
            False if bad else True if found and len(good) == len(found)
            else None,
            f"**not: {', '.join(bad)}**" if bad else ""))
    return verdicts


def all_verdicts(figures):
    """Return all verdicts in the order of the page."""
    verdicts = []
    for name, judge in (("probes", probe_verdicts),
                        ("programs", program_verdicts),
                        ("reader", reader_verdicts),
                        ("instructions", instruction_verdicts),
                        ("validate", validate_verdicts)):
        here = judge(figures)
        if name in figures.incomplete:
            for verdict in here:
                verdict.measured += " (incomplete)"
                # Absent figures may miss the target.
                if verdict.state == HIT:
                    verdict.state = UNKNOWN
        verdicts += here
    return verdicts
