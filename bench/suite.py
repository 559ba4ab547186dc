"""The whole programs that are measured (bench/programs/list) and the
configurations they are measured in, for bench/run-programs and
bench/run-instructions.
"""

import contextlib
import dataclasses
import hashlib
import json
import math
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import threading

from common import (BENCH, OUT, STAGE, STOCK, compile_ocaml, environment, fail,
                    median, run)

SOURCES = STOCK.parent / "src"          # where make stock built OCaml


@dataclasses.dataclass(frozen=True, eq=False)
class Configuration:
    name: str
    prefix: pathlib.Path
    settings: dict
    read: bool = False                  # a reader follows the program


STOCK_OFF, STOCK_ON, *_ = CONFIGURATIONS = (
    Configuration("stock off", STOCK, {}),
    Configuration("stock on", STOCK, {"OCAML_RUNTIME_EVENTS_START": "1"}),
    Configuration("ours off", STAGE, {}),
    Configuration("ours paused", STAGE, {"OCAML_EVENTRING_START": "paused"}),
    Configuration("ours on", STAGE, {"OCAML_EVENTRING_START": "1"}),
    Configuration("ours all", STAGE, {"OCAML_EVENTRING_START": "1",
                                      "OCAML_EVENTRING_CATEGORIES": "all"}),
    Configuration("ours read", STAGE, {"OCAML_EVENTRING_START": "1"}, True),
)

# The options of a tool, and the one file that it makes of a SOURCE.ml.
TOOLS = {
    "ocamlopt": (("-w", "-a", "-I", "+compiler-libs", "-c",
                  "-o", "{source}.cmx"), "{source}.o"),
    "ocamllex": (("-q", "-o", "{source}.ml"), "{source}.ml"),
    "ocamldoc": (("-hide-warnings", "-latex", "-o", "library.tex"),
                 "library.tex"),
}


def installed(prefix):
    """Return the real folder of a toolchain: the programs in STAGE/bin are
    scripts, which start the real ones and would be measured with them."""
    return (prefix / "lib").resolve().parent


class Program:
    def __init__(self, name, kind, quick, full, instructions, libraries):
        self.name, self.kind = name, kind
        self.sizes = {"quick": quick, "full": full,
                      "instructions": instructions}
        self.tool = libraries == "tool"
        self.libraries = [] if libraries in ("tool", "-") \
            else libraries.split(",")
        self.expected = {}

    def missing(self):
        """Return why the program cannot be measured, or None."""
        if not self.tool:
            return None
        for prefix, whose in (STAGE, "ours"), (STOCK, "stock"):
            if not (installed(prefix) / "bin" / f"{self.name}.opt").exists():
                return f"{whose} has no {self.name}.opt"
        return None if SOURCES.exists() else "no sources beside stock"

    def build(self, work):
        """Compile it with both toolchains in WORK."""
        self.built = {}
        for prefix in STAGE, STOCK:
            if self.tool:
                self.built[prefix] = (installed(prefix) / "bin"
                                      / f"{self.name}.opt")
            else:
                self.built[prefix] = compile_ocaml(
                    prefix, work / ("stock" if prefix == STOCK else "ours"),
                    self.name, [BENCH / "programs" / f"{self.name}.ml"],
                    self.libraries)

    def command(self, prefix, size):
        if not self.tool:
            return [str(self.built[prefix]), size]
        sources = sorted(map(str, SOURCES.glob(size)))
        if not sources:
            fail(f"{self.name}: no {size} in {SOURCES}")
        options, _ = TOOLS[self.name]
        return [str(self.built[prefix]),
                *(word.format(source=pathlib.Path(size).stem)
                  for word in options), *sources]

    def check(self, folder, size, configuration):
        """Stop unless the output, or a tool's result, is the same as in the
        first configuration."""
        name = "output"
        if self.tool:
            _, result = TOOLS[self.name]
            name = result.format(source=pathlib.Path(size).stem)
        made = folder / name
        if made.suffix == ".o" and made.exists():
            # The names of local symbols have numbers that depend on how many
            # modules the standard library has; the code does not.
            made = folder / "code"
            run("objcopy", "-O", "binary", "--only-section=.text",
                folder / name, made)
        if not made.exists() or made.stat().st_size == 0:
            fail(f"{self.name} {size}, {configuration.name}: no result")
        digest = hashlib.sha256(made.read_bytes()).hexdigest()
        if self.expected.setdefault(size, digest) != digest:
            fail(f"{self.name} {size}, {configuration.name}: another result "
                 "than in the configurations before")


def programs(size, only=()):
    """Return the programs of the list with such a size, or only those in
    ONLY."""
    found = []
    for line in (BENCH / "programs" / "list").read_text().splitlines():
        words = line.split()
        if words and words[0] != "#":
            program = Program(*words)
            if program.sizes[size] != "-":
                found.append(program)
    unknown = set(only) - {program.name for program in found}
    if unknown:
        fail(f"no such program: {', '.join(sorted(unknown))}; there are "
             + ", ".join(program.name for program in found))
    return [p for p in found if not only or p.name in only]


def prepare(wanted, work, results):
    """Compile the programs WANTED in WORK; tell which are missing, and return
    the others."""
    there = []
    results.manifest["skipped"] = {}
    for number, program in enumerate(wanted):
        results.step(f"compiling {program.name}", number, len(wanted))
        why = program.missing()
        if why:
            results.manifest["skipped"][program.name] = why
            print(f"skipped: {program.name}: {why}", flush=True)
        else:
            program.build(work)
            there.append(program)
    return there


class Reader(threading.Thread):
    """Follows the process that makes a ring file in RINGS, as a recorder of all
    events would."""

    def __init__(self, rings):
        super().__init__()
        self.rings, self.ended, self.attached = rings, threading.Event(), False

    def run(self):
        # It looks for the file for the first milliseconds only; then the
        # reader runs until the process has ended.
        while not self.ended.wait(0.001):
            for ring in self.rings.glob("*.eventring"):
                done = subprocess.run(
                    [STAGE / "bin" / "eventring", "events", "--raw", "--follow",
                     ring],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.attached |= done.returncode == 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()


@contextlib.contextmanager
def finished(program, configuration, size, wrap, **settings):
    """Run the program's command line, changed by WRAP, to its end in a folder
    of its own.  Return that folder and the text of standard error."""
    with tempfile.TemporaryDirectory(dir=OUT, prefix="run-") as name:
        folder = pathlib.Path(name)
        rings = folder / "rings"
        rings.mkdir()
        env = environment(OCAMLLIB=str(installed(configuration.prefix)
                                       / "lib" / "ocaml"),
                          OCAML_EVENTRING_PREFIX=str(rings),
                          OCAML_RUNTIME_EVENTS_DIR=str(rings),
                          **configuration.settings, **settings)
        reader = Reader(rings) if configuration.read \
            else contextlib.nullcontext()
        with reader, open(folder / "output", "w") as output:
            done = subprocess.run(
                wrap(program.command(configuration.prefix, size)), cwd=folder,
                env=env, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.PIPE, text=True)
        what = f"{program.name} {size}, {configuration.name}"
        if done.returncode != 0:
            fail(f"{what}: exit code {done.returncode}\n{done.stderr}")
        if configuration.read and not reader.attached:
            fail(f"{what}: it ended before its reader had found it")
        program.check(folder, size, configuration)
        yield folder, done.stderr


def work_folder(name):
    """Make a new folder _build/bench/NAME."""
    work = OUT / name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    return work


def interval(values):
    """The median and its interval.  The k-th least and the k-th greatest miss
    the true median as often as n tosses of a coin show fewer than k heads, or
    fewer than k tails."""
    ordered = sorted(values)
    n, k, missed = len(ordered), 0, 0.
    while True:
        missed += math.comb(n, k) / 2 ** n
        if missed > 0.025:
            break
        k += 1
    k = max(k, 1)
    return median(ordered), ordered[k - 1], ordered[n - k]


def timed(program, configuration, size):
    """One run: seconds passed, in the program, in the system for it."""
    def wrap(command):
        return ["hyperfine", "--shell=none", "--style=none", "--runs=1",
                "--warmup=0", "--output=inherit", "--export-json=time.json",
                shlex.join(command)]
    with finished(program, configuration, size, wrap) as (folder, _):
        result = json.loads((folder / "time.json").read_text())["results"][0]
    return result["times"][0], result["user"], result["system"]


def timed_in_rounds(program, size, configurations, rounds, step, note=None):
    """Return the seconds by configuration, a list each with one figure a round.
    Every round begins with another configuration.  NOTE, if any, gets each
    run: configuration, round, place in the round, and the figures of timed."""
    seconds = {configuration: [] for configuration in configurations}
    for number in range(rounds):
        first = number % len(configurations)
        order = configurations[first:] + configurations[:first]
        for place, configuration in enumerate(order):
            step(configuration)
            figures = timed(program, configuration, size)
            seconds[configuration].append(figures[0])
            if note:
                note(configuration, number + 1, place + 1, figures)
    return seconds


def ratios(seconds, configuration, base):
    return [a / b for a, b in zip(seconds[configuration], seconds[base])]


def geometric_means(measured, pairs):
    """Yield for each (configuration, base) of PAIRS the interval of the mean
    ratio over all programs, taken round by round."""
    for configuration, base in pairs:
        of_rounds = zip(*(ratios(seconds, configuration, base)
                          for seconds in measured))
        yield interval([math.exp(sum(map(math.log, one)) / len(one))
                        for one in of_rounds])
