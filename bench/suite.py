"""The whole programs that are measured (bench/programs/list) and the
configurations they are measured in.
"""

import contextlib
import dataclasses
import hashlib
import pathlib
import re
import shutil
import subprocess
import tempfile

from common import (BENCH, OUT, STAGE, STOCK, compile_ocaml, environment, fail,
                    run)

SOURCES = STOCK.parent / "src"          # where make stock built OCaml


@dataclasses.dataclass(frozen=True, eq=False)
class Configuration:
    name: str
    prefix: pathlib.Path
    settings: dict


STOCK_OFF, STOCK_ON, *_ = CONFIGURATIONS = (
    Configuration("stock off", STOCK, {}),
    Configuration("stock on", STOCK, {"OCAML_RUNTIME_EVENTS_START": "1"}),
    Configuration("ours off", STAGE, {}),
    Configuration("ours paused", STAGE, {"OCAML_EVENTRING_START": "paused"}),
    Configuration("ours on", STAGE, {"OCAML_EVENTRING_START": "1"}),
    Configuration("ours all", STAGE, {"OCAML_EVENTRING_START": "1",
                                      "OCAML_EVENTRING_CATEGORIES": "all"}),
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

    def missing(self, prefixes=(STAGE, STOCK)):
        """Return why the program cannot be measured, or None."""
        if not self.tool:
            return None
        for prefix in prefixes:
            if not (installed(prefix) / "bin" / f"{self.name}.opt").exists():
                return f"{prefix} has no {self.name}.opt"
        return None if SOURCES.exists() else "no sources beside stock"

    def build(self, work, prefixes=(STAGE, STOCK)):
        """Compile it with all toolchains in WORK."""
        self.built = {}
        for number, prefix in enumerate(prefixes):
            if self.tool:
                self.built[prefix] = (installed(prefix) / "bin"
                                      / f"{self.name}.opt")
            else:
                self.built[prefix] = compile_ocaml(
                    prefix, work / f"built-{number}", self.name,
                    [BENCH / "programs" / f"{self.name}.ml"], self.libraries)

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


def prepare(wanted, work, results, prefixes=(STAGE, STOCK)):
    """Compile the programs WANTED in WORK; tell which are missing, and return
    the others."""
    there = []
    results.manifest["skipped"] = {}
    for number, program in enumerate(wanted):
        results.step(f"compiling {program.name}", number, len(wanted))
        why = program.missing(prefixes)
        if why:
            results.manifest["skipped"][program.name] = why
            print(f"skipped: {program.name}: {why}", flush=True)
        else:
            program.build(work, prefixes)
            there.append(program)
    return there


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
        with open(folder / "output", "w") as output:
            done = subprocess.run(
                wrap(program.command(configuration.prefix, size)), cwd=folder,
                env=env, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.PIPE, text=True)
        what = f"{program.name} {size}, {configuration.name}"
        if done.returncode != 0:
            fail(f"{what}: exit code {done.returncode}\n{done.stderr}")
        program.check(folder, size, configuration)
        yield folder, done.stderr


def count_instructions(program, configuration):
    """Return the instructions of a run of PROGRAM under callgrind."""
    def wrap(command):
        return ["valgrind", "--tool=callgrind",
                "--callgrind-out-file=/dev/null", *command]
    with finished(program, configuration, program.sizes["instructions"],
                  wrap) as (_, said):
        found = re.search(r"Collected : (\d+)", said)
        if not found:
            fail(f"{program.name}, {configuration.name}: no count in\n{said}")
        return int(found.group(1))


def check_results(program, configurations, size):
    """Run the program once in each configuration; stop unless all results are
    the same."""
    for configuration in configurations:
        with finished(program, configuration, size, lambda command: command):
            pass


def work_folder(name):
    """Make a new folder _build/bench/NAME."""
    work = OUT / name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    return work
