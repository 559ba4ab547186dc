"""The results of the benchmarks, for bench/report: tables, manifests, missing
figures, and the format of figures."""

import json
import math

import common
from common import STOCK_FROM, STOCK_WHAT

# The benchmarks, each with the target of make that runs it.
BENCHMARKS = {
    "probes": "bench-probes",
    "programs": "bench",
    "instructions": "bench-instructions",
    "reader": "bench-reader",
    "loss": "bench-reader",
    "scale": "bench-scale",
    "validate": "bench-validate",
}

RUNTIMES = {"ours": "Eventring", "stock": "stock OCaml"}
MEAN = "geometric mean"         # the kind of rows over all programs

# The stock reader with which each reader of ours is compared.
STOCK_READER = {
    "libeventring": "stock in C",
    "libeventring, one ring": "stock in C",
    "Runtime_events in C": "stock in C",
    "Eventring.Cursor": "stock in OCaml",
    "Runtime_events in OCaml": "stock in OCaml",
}


def number(row, column):
    """The figure in a row, or None."""
    try:
        value = float((row or {}).get(column, ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def ratio(above, below):
    return above / below if above is not None and below else None


def figure(value, unit=""):
    """Three digits that count, no exponent."""
    if value is None:
        return "–"
    text = (f"{value:,.0f}" if abs(value) >= 1000 else
            f"{float(f'{value:.3g}'):g}" if abs(value) >= 0.001 or not value
            else f"{value:.1g}")
    return f"{text} {unit}".rstrip()


def times(value):
    return "–" if value is None else f"{value:.2f} ×"


def some(count, what):
    return f"{count} {what}{'' if count == '1' else 's'}"


def percent(part):
    """A signed share, such as +0.25 %."""
    return f"{part * 100:+.2f} %"


def interval(row, form=".3f"):
    """A ratio and its confidence interval."""
    row = row or {}
    middle, low, high = (number(row, c)
                         for c in ("ratio", "ratio_low", "ratio_high"))
    if middle is None:
        return "–"
    if low is None or high is None:
        return f"{middle:{form}}"
    return f"{middle:{form}} ({low:{form}}–{high:{form}})"


class Figures:
    """The results of the benchmarks in a folder."""

    def __init__(self, folder):
        self.folder, self.tables, self.manifests = folder, {}, {}
        self.missing, self.incomplete = [], set()
        for name, target in BENCHMARKS.items():
            self.read(name, target)

    def read(self, name, target):
        tsv, json_file = (self.folder / f"{name}.{end}"
                          for end in ("tsv", "json"))
        if not tsv.exists():
            self.missing.append(f"{name}: not measured (make {target})")
            return
        self.tables[name] = common.table(tsv)
        if not json_file.exists():
            self.missing.append(f"{name}: no manifest, so nobody knows on "
                                "what and with which code it was measured")
            return
        manifest = self.manifests[name] = json.loads(
            json_file.read_text())
        if not manifest.get("complete"):
            self.incomplete.add(name)
            self.missing.append(f"{name}: incomplete, it was interrupted or "
                                "failed; these are the figures it had")
        if not self.tables[name]:
            self.missing.append(f"{name}: no figures")
        if manifest["commit_changed"]:
            self.missing.append(f"{name}: the code had changes that are not "
                                "committed")
        if manifest["flags"].get("bench") == "quick":
            self.missing.append(f"{name}: small sizes and few rounds "
                                "(BENCH=quick)")
        for what, why in manifest.get("skipped", {}).items():
            self.missing.append(f"{name}: {what} skipped: {why}")

    def rows(self, name, *columns, **wanted):
        """The rows of a table with these values; none when it lacks one of
        COLUMNS."""
        rows = self.tables.get(name, [])
        absent = [c for c in (*columns, *wanted) if rows and c not in rows[0]]
        for column in absent:
            note = f"{name}: no column {column}"
            if note not in self.missing:
                self.missing.append(note)
        return [] if absent else [
            row for row in rows
            if all(row[c] == value for c, value in wanted.items())]

    def row(self, name, *columns, **wanted):
        return next(iter(self.rows(name, *columns, **wanted)), None)


def values(rows, column):
    """The different values of a column, in the order of the table."""
    return list(dict.fromkeys(row[column] for row in rows))


def probe(figures, what, source, state, runtime="ours"):
    """Return the row of an operation, or of its counterpart in stock."""
    if runtime == "stock":
        what, source = STOCK_WHAT.get(what, what), STOCK_FROM.get(source,
                                                                  source)
    return figures.row("probes", "median_ns", what=what, state=state,
                       runtime=runtime, **{"from": source})


def against_stock_reader(figures, row):
    """Return the time of the stock reader divided by the time of ours, for all
    events of a round; stock may write more events for the same.  None without a
    stock reader to compare with."""
    kind, packed, _ = row["what"].partition(", packed")
    stock = figures.row("reader", "median_ns_per_event", rings=row["rings"],
                        what=STOCK_READER.get(kind, "") + packed)

    def whole(row):
        cost = number(row, "median_ns_per_event")
        return cost and cost * (number(row, "events") or 1)

    return ratio(whole(stock), whole(row))


def by_program(figures, name, configuration):
    return {row["program"]: row
            for row in figures.rows(name, "program", "ratio",
                                    configuration=configuration)
            if number(row, "ratio") and row.get("kind") != MEAN}


def geometric_mean(figures, configuration, base="stock off"):
    return figures.row("programs", kind=MEAN,
                       configuration=f"{configuration} / {base}")
